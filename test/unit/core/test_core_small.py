"""What many parts share: a mapping that forgets the oldest, pauses that double."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.core.backoff import Backoff
from soul.core.bounded import BoundedDict


@given(st.integers(1, 8), st.lists(st.tuples(st.integers(0, 20), st.integers())))
def test_the_newest_stay_and_no_more_than_so_many(most, items):
    kept = BoundedDict(most, items)
    order = {}
    for key, value in items:
        order[key] = value
        while len(order) > most:
            del order[next(iter(order))]
    assert list(kept.items()) == list(order.items())


@given(st.floats(0.001, 10.0), st.floats(10.0, 1e4))
def test_pauses_double_up_to_the_longest_and_begin_again(first, longest):
    backoff = Backoff(first, longest)
    pauses = [backoff.next() for _ in range(60)]
    assert pauses[0] == first
    for before, after in itertools.pairwise(pauses):
        assert after == pytest.approx(min(2 * before, longest))
    assert pauses[-1] == longest
    backoff.reset()
    assert backoff.next() == first
