"""The field as a node: its topics and services, its threads, what it refuses."""

import json
import threading
import time

import numpy as np
import pytest
import rclpy
from rclpy.context import Context

from soul.field.embed import choose
from soul.field.node import SPEC
from soul.ros import convert, qos
from soul.ros.params import ParameterRefused
from soul.ros.runner import Runner
from soul.signals import (
    AttendAction,
    AttendRequest,
    Message,
    MindState,
    NamedValue,
    Percept,
    Phase,
    PostRequest,
    Task,
    TaskList,
    Wake,
    WakeId,
)
from soul.store import AtomicFile, Unreadable
from support.waiting import wait_until
from support.witness import TOPICS, Witness

pytestmark = pytest.mark.ros


class Alone:
    """The field alone, with a test in place of everybody else."""

    def __init__(self, domain, home, witness, **given):
        self.witness = witness
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain, args=[])
        values = {'soul_home': str(home), 'embedder': 'hash', 'timezone': 'UTC', **given}
        try:
            self.runner = Runner(
                [SPEC], self.context, '/soul', {'field': values}, arguments=[]
            ).start()
        except BaseException:
            rclpy.try_shutdown(context=self.context)
            raise
        self.publishers = {}
        self.sequence = 0

    @property
    def field(self):
        return self.runner.organs[0].organ

    def say(self, topic, signal):
        if topic not in self.publishers:
            self.publishers[topic] = self.witness.node.create_publisher(
                convert.ros_class(type(signal)), topic, qos.for_publisher(topic)
            )
            # the witness hears most topics itself
            readers = 1 + (topic in TOPICS)
            wait_until(lambda: self.publishers[topic].get_subscription_count() >= readers)
        self.publishers[topic].publish(convert.to_ros(signal))

    def wake(self, *ids, causes=('message',)):
        self.sequence += 1
        wake = WakeId(1, self.sequence)
        self.say('heart/wake', Wake(id=wake, causes=causes, message_ids=ids))
        return self.witness.wait('field/view', lambda v: v.wake == wake and v.render == 0)

    def close(self):
        for publisher in self.publishers.values():
            self.witness.do(lambda p=publisher: self.witness.node.destroy_publisher(p))
        self.publishers.clear()
        try:
            self.runner.stop()
        finally:
            rclpy.try_shutdown(context=self.context)


@pytest.fixture
def alone(domain, home, witness):
    made = []

    def begin(**given):
        made.append(Alone(domain, home, witness, **given))
        return made[-1]

    yield begin
    for one in made:
        one.close()


def test_a_message_is_journalled_knocks_and_is_seen(alone, home, witness):
    field = alone()
    witness.wait('field/view', lambda v: v.tick == 0)
    answer = witness.post(Message(sender='ann', text='did you see the launch?'))
    assert answer.accepted
    lines = (home / 'door.jsonl').read_text().splitlines()
    assert json.loads(lines[-1])['message']['id'] == answer.id
    witness.wait('door/knock', lambda k: k.message_id == answer.id)
    view = field.wake(answer.id)
    assert view.messages[0].text == 'did you see the launch?'
    assert f'FOCUS ▸ [{view.focus_id}] ann: did you see the launch?' in view.text
    assert view.tick == 1
    captured = witness.wait('field/event', lambda e: e.kind == 'captured')
    assert captured.item_id == view.focus_id
    wait_until(lambda: (home / 'field.json').exists())
    assert 'did you see the launch?' in (home / 'ticks.jsonl').read_text()


@pytest.mark.parametrize('callers', [1, 4])
def test_a_hundred_posts_at_once_are_all_answered_and_journalled_once(
    alone, home, witness, domain, callers
):
    field = alone()
    others = [Witness(domain) for _ in range(callers - 1)]
    try:
        kind = convert.service_class(PostRequest)
        clients = [
            one.node.create_client(kind, 'door/post', qos_profile=qos.service())
            for one in (witness, *others)
        ]
        assert all(client.wait_for_service(10) for client in clients)
        held, go_on = threading.Event(), threading.Event()
        field.runner.organs[0].inject(lambda now: held.set() or (go_on.wait(20) and ()))
        assert held.wait(10)  # they pile up while the field is busy
        ids = {f'm{n}' for n in range(100)}
        posts = {
            i: clients[n % callers].call_async(
                convert.to_ros(PostRequest(Message(id=i, sender='ann', text=f'hello from {i}')))
            )
            for n, i in enumerate(sorted(ids))
        }
        go_on.set()
        wait_until(lambda: all(post.done() for post in posts.values()))
        assert {i for i, post in posts.items() if post.result().accepted} == ids
        lines = [json.loads(line) for line in (home / 'door.jsonl').read_text().splitlines()]
        assert sorted(e['message']['id'] for e in lines) == sorted(ids)
    finally:
        for one in others:
            one.close()


def test_attention_tasks_percepts_and_surprise(alone, witness):
    field = alone()
    field.say('door/tasks', TaskList(source='todo', tasks=(Task('1', 'water the garden', 1.0),)))
    for _ in range(8):
        field.say('field/percept', Percept(source='lidar', features=(NamedValue('far', 3.0),)))
    near = Percept(
        source='lidar', key='wall', text='a wall', salience=0.2,
        features=(NamedValue('far', 0.1),),
    )  # fmt: skip
    field.say('field/percept', near)
    event = witness.wait('field/event', lambda e: e.kind == 'surprised')
    assert event.between_ticks
    view = field.wake(causes=('surprise',))
    assert 'task: water the garden' in view.text
    assert 'lidar.far is less than you expected' in view.alerts
    assert any(item.key == 'wall' for item in (*view.close, *view.around))
    answer = witness.call(
        'field/attend', AttendRequest(action=AttendAction.FOCUS, text='the garden')
    )
    assert answer.ok
    assert answer.view.focus == 'the garden'
    assert (answer.view.tick, answer.view.wake, answer.view.render) == (1, view.wake, 1)
    wrong = witness.call('field/attend', AttendRequest(action='dance'))
    assert not wrong.ok
    assert 'dance' in wrong.reason


def test_a_broken_expectation_between_ticks(alone, witness):
    field = alone()
    field.wake(causes=('spontaneous',))
    assert witness.call(
        'field/attend',
        AttendRequest(action=AttendAction.EXPECT, text='a call', channel='door', within=60.0),
    ).ok
    # a minute is long for a test: the deadline comes nearer
    field.runner.organs[0].inject(
        lambda now: field.field.world.prediction.expectations.shift(-59.5) or ()
    )
    event = witness.wait('field/event', lambda e: e.kind == 'broken')
    assert event.between_ticks


def test_what_others_change_on_her_bench(alone, home, witness):
    bench = home / 'workbench'
    bench.mkdir(parents=True)
    (bench / 'essay.md').write_text('whales sing')
    field = alone()
    wait_until(lambda: field.field.memory().channels.bench.files)
    view = field.wake(causes=('spontaneous',))
    assert 'essay.md: whales sing' in view.text
    (bench / 'essay.md').write_text('whales sing, and I have read it')
    wait_until(lambda: field.field.world.items.by_key('outside/essay.md'))
    view = field.wake(causes=('spontaneous',))
    assert 'essay.md was changed, and not by you: whales sing, and I have read it' in view.text


def test_a_slow_model_makes_nobody_wait(alone, monkeypatch, witness):
    """It loads and computes on a thread of its own; until then she sees by other means."""
    gate, threads = threading.Event(), []

    class Model:
        name, dimensions, floor = 'played', 8, 0.25

        def embed(self, texts):
            threads.append(threading.current_thread().name)
            time.sleep(0.2)
            return np.eye(8, dtype=np.float32)[[len(text) % 8 for text in texts]]

    def load(model):
        threads.append(threading.current_thread().name)
        gate.wait(20)
        return Model()

    monkeypatch.setitem(choose.ROUTES, 'auto', (load,))
    field = alone(embedder='auto')
    began = time.monotonic()
    answer = witness.post(Message(sender='ann', text='hello'))
    view = field.wake(answer.id)
    assert time.monotonic() - began < 5
    assert 'ann: hello' in view.focus
    gate.set()
    wait_until(lambda: field.field.health(0.0).values['placed by'] == 'played')
    field.say('mind/state', MindState(phase=Phase.WAKING))
    second = witness.post(Message(sender='bob', text='and hello from me'))
    witness.wait(
        'field/view', lambda v: second.id in v.message_ids and v.render > 0 and v.tick == 1
    )
    wait_until(lambda: all(i.embedded for i in field.field.world.items if i.placed))
    assert set(threads) == {'embedder'}


def test_a_model_that_is_not_there_is_said(alone, monkeypatch):
    def load(model):
        raise choose.Unavailable('nothing is installed')

    monkeypatch.setitem(choose.ROUTES, 'minilm', (load,))
    field = alone(embedder='minilm')
    health = wait_until(lambda: (h := field.field.health(0.0)).level == 'warn' and h)
    assert 'nothing is installed' in health.message
    assert health.values['placed by'] == 'hash'


def test_a_restart_is_a_nap(alone, witness):
    field = alone()
    answer = witness.post(Message(sender='ann', text='are you there?'))
    witness.call('field/attend', AttendRequest(action=AttendAction.NOTE, text='the whales sing'))
    view = field.wake(answer.id)
    field.close()
    again = alone()
    view = witness.wait('field/view', lambda v: v.tick == 1 and v.render == 1)
    assert view.message_ids == (answer.id,)
    assert any(i.text == 'the whales sing' for i in again.field.world.items)


def test_a_memory_that_is_none_never_becomes_an_empty_mind(alone, home):
    field = alone()
    wait_until(lambda: field.field.world.lived_until or True)
    field.wake(causes=('spontaneous',))
    wait_until(lambda: (home / 'field.json').exists())
    keeper = field.runner.organs[0].keeper
    field.runner.organs[0].inject(
        lambda now: (
            AtomicFile(home / 'field.json').write(
                {'door': {'known': {}, 'waiting': []}, 'world': {'items': 7}}
            )
            or ()
        )
    )
    wait_until(lambda: '"items":7' in (home / 'field.json').read_text())
    keeper.save = lambda memory: None
    field.close()
    with pytest.raises(Unreadable, match=r'field\.json'):
        alone()


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ({'language': 'xx'}, ['language', "'xx'", 'en, ja, zh']),
        ({'capacity_chars': 5}, ['capacity_chars', '5', '200']),
        ({'embedder': 'bert'}, ['embedder', 'bert', 'hash']),
    ],
)
def test_a_wrong_parameter_names_itself(alone, given, words):
    with pytest.raises(ParameterRefused) as refused:
        alone(**given)
    for word in words:
        assert word in str(refused.value)
