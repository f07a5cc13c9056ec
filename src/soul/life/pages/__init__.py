"""Her pages, one module for each kind."""

from soul.life.pages.achievements import Achievements
from soul.life.pages.aspirations import Aspirations
from soul.life.pages.diary import Diary
from soul.life.pages.matters import Matters
from soul.life.pages.mood import MoodPage
from soul.life.pages.self_page import SelfPage

__all__ = ['Achievements', 'Aspirations', 'Diary', 'Matters', 'MoodPage', 'SelfPage']
