"""How long the day's energy lasts, as `soul status` says it."""

from datetime import datetime

from soul.cli.forecast import forecast
from soul.signals import Energy

MIDNIGHT = datetime(2026, 12, 2).timestamp()  # noqa: DTZ001 - of this machine, as it is shown
DAY = 86400.0


def said(hour, known=True, **used):
    return forecast(Energy(resets_at=MIDNIGHT + DAY, **used), MIDNIGHT + hour * 3600.0, known)


def test_it_goes_on_as_it_did_and_the_scarcest_counts():
    told = said(12, cost_used=0.155, cost_limit=2.0, tokens_used=900, tokens_limit=1000)
    assert told == "at this rhythm about 0.31 USD a day; the day's energy lasts until 13:20"
    assert said(12, cost_used=0.1, cost_limit=2.0) == 'at this rhythm about 0.20 USD a day'


def test_the_reserve_of_her_people_is_not_hers():
    told = said(12, cost_used=0.75, cost_limit=1.0, reserve=0.1)
    assert 'lasts until 14:24' in told


def test_what_is_not_known_is_not_said():
    assert said(0.1, cost_used=1.0, cost_limit=2.0) == '', 'too early'
    assert forecast(Energy(), 1e9, True) == ''
    assert said(12, known=False, cost_used=0.0, wakes_used=50, wakes_limit=60) == (
        "the day's energy lasts until 14:24"
    )
    assert said(12, known=False) == ''
    assert 'lasts' not in said(12, cost_used=2.0, cost_limit=2.0), 'it is gone already'
