"""The warning about a cache that forgets between two wakings, with both numbers and the price."""

import pytest

from soul.mind.cache_advice import CacheTerms, CacheWatch, advice, mean_interval
from soul.mind.providers.model_entry import Prices

PRICES = Prices(read=3.0, cached=0.3, cache_write=3.75, written=15.0)
TERMS = CacheTerms('sonnet', 300.0, PRICES)


def test_it_has_both_numbers_and_what_it_costs():
    told = advice(TERMS, 1320.0, 40_000)
    assert 'keeps what was read for 5 min' in told
    assert 'every 22 min' in told
    assert '40,000 tokens' in told
    # 40,000 x (3.75 - 0.3) USD a million = 0.138; 65.45 wakings a day
    assert '0.138 USD' in told
    assert '9.03 USD a day' in told


@pytest.mark.parametrize(
    ('terms', 'interval'),
    [(TERMS, 290.0), (TERMS, 0.0), (CacheTerms('x', 0.0, PRICES), 9999.0)],
)
def test_nothing_is_said_where_nothing_is_known_or_wrong(terms, interval):
    assert advice(terms, interval, 1000) == ''


def test_without_prices_it_says_no_sum():
    assert 'USD' not in advice(CacheTerms('x', 300.0), 1000.0, 1000)


def test_the_past_says_how_often_she_wakes_and_without_one_the_heart():
    turns = [{'kind': 'turn', 'turn': {'stamp': 100.0 * n}} for n in range(8)]
    assert mean_interval([{'kind': 'message'}, *turns, {'kind': 'turn', 'turn': 3}]) == 100.0
    assert mean_interval(turns[:3]) == 0.0
    told = []
    watch = CacheWatch(TERMS, (), lambda: 1000, told.append)
    watch.hear(0.0)
    assert told == []
    for _ in range(3):
        watch.hear(2.0)
    assert len(told) == 1
    assert 'every 30 min' in told[0].text
