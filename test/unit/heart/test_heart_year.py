"""A year of the heart in five time zones: one main sleep a day, at her own hours."""

import datetime
import statistics
from zoneinfo import ZoneInfo

import pytest

from bench.heart_life import HeartLife
from soul.signals import WakeCause

ZONES = {
    'Europe/Berlin': (3, 10),
    'America/New_York': (3, 11),
    'Australia/Sydney': (4, 10),
    'Pacific/Chatham': (4, 9),  # 12:45 h east, summer time at 2:45
    'Asia/Kolkata': None,  # 5:30 h east, no summer time
}
#: Nothing is special about these; one of their kind is there already.
ALIKE = ('America/New_York', 'Australia/Sydney')


def clock(at, zone):
    """Local hours since noon, so that midnight does not cut an evening in two."""
    when = datetime.datetime.fromtimestamp(at, zone)
    return (when.hour + when.minute / 60 + when.second / 3600 - 12.0) % 24.0


@pytest.mark.parametrize(
    'name',
    [pytest.param(zone, marks=[pytest.mark.soak] * (zone in ALIKE)) for zone in ZONES],
)
def test_a_year(name):
    zone = ZoneInfo(name)
    year = HeartLife(name, seed=3).live(366)
    sleeps = year.asleep
    if ZONES[name]:  # both clock changes lie in it
        offsets = [datetime.datetime.fromtimestamp(a, zone).utcoffset() for a, _ in sleeps]
        assert len(set(offsets)) == 2
    evenings = [datetime.datetime.fromtimestamp(a - 12 * 3600, zone).date() for a, _ in sleeps]
    first = evenings[0]
    wanted = [first + datetime.timedelta(days=n) for n in range(len(sleeps))]
    assert evenings == wanted, 'no day without a main sleep, none with two'
    assert len(sleeps) in (365, 366)
    assert all(7.0 <= (b - a) / 3600.0 <= 11.0 for a, b in sleeps)
    onset = [clock(a, zone) + 12.0 for a, _ in sleeps]
    woke = [clock(b, zone) - 12.0 for _, b in sleeps]
    middle = statistics.median(onset)
    assert all(abs(hour - middle) <= 1.0 for hour in onset)
    # the default test life
    assert middle == pytest.approx(22 + 40 / 60, abs=25 / 60)
    assert statistics.median(woke) == pytest.approx(7 + 50 / 60, abs=15 / 60)
    wakings = [at for at, cause in year.wakes if cause != WakeCause.DREAM]
    assert 9.5 <= len(wakings) / 366 <= 12.5
    dreams = [at for at, cause in year.wakes if cause == WakeCause.DREAM]
    assert len(dreams) >= 360
    nights = iter(sleeps)
    begins, ends = next(nights)
    for at in dreams:
        while at > ends:
            begins, ends = next(nights)
        assert begins <= at, 'she dreams only asleep'
