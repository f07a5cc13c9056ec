"""Mood: read off the field, never chosen (SoulScript Loop, section 5).

::

    tension = sum of salience x -valence over what is unresolved
    warmth  = sum of salience x valence
    valence <- 0.75 valence + 0.25 tanh(warmth - tension)
    arousal <- 0.7 arousal + 0.3 min(1, surprise since the last tick)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soul.field.item import clip
from soul.field.items import Items, Rows
from soul.field.words import FieldWords
from soul.text.numbers import number

VALENCE_INERTIA = 0.75
AROUSAL_INERTIA = 0.7
DRAINED = 0.15  # energy below which she is drained
LOW = 0.3  # energy below which she notices it
SWAY = 0.2  # valence from which a mood has a colour
STIRRED = 0.35  # arousal from which it is a stirred one
CROWDED = 0.85  # fullness above which the field is crowded
NAMED = 40  # characters of an item the mood names
NOTABLE = 0.15  # a single item's share above which the mood names it


@dataclass(frozen=True, slots=True)
class Feeling:
    """The mood of one tick."""

    word: str  # drained, bright, settled, unsettled, heavy, alert, crowded or quiet
    tension: float
    warmth: float
    tense: int = -1  # row of the item with most tension; -1: none worth naming
    warm: int = -1  # row of the item with most warmth
    crowded: bool = False
    low: bool = False


def word_for(valence: float, arousal: float, energy: float, fullness: float) -> str:
    """Name a mood.

    Parameters
    ----------
    energy
        0..1, what is left of the day's.
    fullness
        Of the field's capacity, 0..1 and above.
    """
    if energy < DRAINED:
        return 'drained'
    if valence >= SWAY:
        return 'bright' if arousal >= STIRRED else 'settled'
    if valence <= -SWAY:
        return 'unsettled' if arousal >= STIRRED else 'heavy'
    if arousal >= STIRRED:
        return 'alert'
    return 'crowded' if fullness > CROWDED else 'quiet'


class Mood:
    """What lasts of her mood from tick to tick."""

    def __init__(self) -> None:
        self.valence = 0.0  # -1..1
        self.arousal = 0.0  # 0..1

    def feel(self, rows: Rows, energy: float, fullness: float, surprise: float) -> Feeling:
        """Read the mood off the field; once a tick.

        Parameters
        ----------
        surprise
            Sum over this tick's alerts, and 0.7 for each expectation that broke.
        """
        weight = rows['salience'] * rows['valence']
        tense = np.where(rows['resolved'], 0.0, np.maximum(0.0, -weight))
        warm = np.maximum(0.0, weight)
        tension, warmth = float(tense.sum()), float(warm.sum())
        pull = math.tanh(warmth - tension)
        self.valence = VALENCE_INERTIA * self.valence + (1.0 - VALENCE_INERTIA) * pull
        stir = min(1.0, max(0.0, surprise))
        self.arousal = AROUSAL_INERTIA * self.arousal + (1.0 - AROUSAL_INERTIA) * stir
        return Feeling(
            word_for(self.valence, self.arousal, energy, fullness),
            tension,
            warmth,
            _most(tense),
            _most(warm),
            fullness > CROWDED,
            energy < LOW,
        )

    def restore(self, valence: float, arousal: float) -> None:
        """Take over valence, arousal and the word of an earlier life."""
        self.valence = number(valence, -1.0, 1.0, 0.0)
        self.arousal = number(arousal, 0.0, 1.0, 0.0)


def because(feeling: Feeling, items: Items, words: FieldWords) -> str:
    """Say where a mood comes from."""
    parts = []
    if feeling.tense >= 0:
        parts.append(words.say('tension', what=clip(items[feeling.tense].gist, NAMED)))
    if feeling.warm >= 0:
        parts.append(words.say('warmth', what=clip(items[feeling.warm].gist, NAMED)))
    if feeling.crowded:
        parts.append(words.say('crowded'))
    if feeling.low:
        parts.append(words.say('low'))
    return '; '.join(parts)


def _most(weights: NDArray[np.float64]) -> int:
    if not len(weights):
        return -1
    row = int(np.argmax(weights))
    return row if weights[row] > NOTABLE else -1
