"""A bug on the mind's own event loop begins the mind anew, and she goes on answering."""

import pytest

from soul.mind.mind import Mind
from soul.signals import Message
from support.graph import Inside
from support.waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.e2e]


def test_a_bug_of_the_mind_is_one_life_of_it(domain, home, witness, monkeypatch):
    """found 3: the mind lived on with a broken part, or the process ended."""
    graph = Inside(domain, home, use_mock=False, driver='none')
    real = Mind.on_body_state
    broken = []

    def fail_once(self, state):
        if broken:
            broken.pop()
            raise ZeroDivisionError('a bug of the mind')
        return real(self, state)

    monkeypatch.setattr(Mind, 'on_body_state', fail_once)
    try:
        witness.wait_awake(body=False)
        number = next(n for n, o in enumerate(graph.runner.organs) if o.spec.name == 'mind')
        first = graph.runner.organs[number]
        broken.append(1)
        first.inject(lambda now: first.organ.on_body_state(None, now))
        second = wait_until(lambda: (o := graph.runner.organs[number]) is not first and o)
        wait_until(lambda: second.runtime.alive)
        posted = witness.post(Message(sender='ann', text='still there?'))
        witness.wait('door/reply', lambda r: r.in_reply_to == posted.id and r.is_final, 30)
        others = [o for n, o in enumerate(graph.runner.organs) if n != number]
        assert not any(
            o.supervisor.health(o.organ.health(1.0)).values.get('begun anew') for o in others
        )
    finally:
        graph.close()
