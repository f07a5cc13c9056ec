"""Relatedness: the hash in several languages, models on a thread of their own, real MiniLM."""

import os
import threading
import time

import numpy as np
import pytest

from soul.field.embed import Relatedness, Unavailable, choose
from soul.field.embed.hashed import BATCH, HashedEmbedder
from soul.field.embed.onnx import OnnxEmbedder
from soul.field.embed.worker import Worker
from soul.field.perception import Perception
from soul.signals import AttendAction, AttendRequest
from support.worlds.field import NOW, Life, config, enter, perception, sight

HASH = HashedEmbedder()

RELATED = [
    ('the humpback whale song', 'an essay about whales and their songs', 'water the garden'),
    ('did you see the rocket launch?', 'rockets launched tonight', 'water the garden'),
    ('今天的天气很好', '天气真好啊', '我想吃苹果'),
    ('你看到火箭发射了吗', '火箭今晚发射', '花园需要浇水'),
    ('ロケットの打ち上げを見た？', '打ち上げは延期になった', '庭の花が咲いた'),
    ('クジラの歌についての作文', 'クジラは歌う', '設定を保存する'),
    ('запуск ракеты сегодня ночью', 'ракета и её запуск', 'полить сад'),
    ('로켓 발사를 봤어?', '로켓 발사가 연기됐다', '정원에 물을 줘'),
    ('Übung für die Prüfung', 'die PRÜFUNG üben', 'Kaffee kochen'),
    ('ｒｏｃｋｅｔ　ｌａｕｎｃｈ', 'rocket launch', 'garden'),
]


@pytest.mark.parametrize(('text', 'near', 'far'), RELATED)
def test_what_shares_words_or_characters_is_related(text, near, far):
    vectors = HASH.embed([text, near, far])
    assert vectors[0] @ vectors[1] > HASH.floor
    assert vectors[0] @ vectors[1] > 2 * vectors[0] @ vectors[2]


def test_vectors_are_of_length_one_and_the_same_every_time():
    texts = [f'text number {n} 文字{n}' for n in range(3 * BATCH + 5)]
    vectors = HASH.embed(texts)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    one_by_one = np.concatenate([HASH.embed([text]) for text in texts])
    assert np.allclose(vectors, one_by_one), 'whatever stands beside it'
    assert np.array_equal(HashedEmbedder().embed(texts), vectors)


@pytest.mark.parametrize('text', ['', ' ', '?!', '\ud800', 'x', '。', '\0', 'a' * 100000])
def test_any_text_has_a_vector(text):
    vector = HASH.embed([text, 'other'])[0]
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) < 1.001


def test_nothing_at_all():
    assert HASH.embed([]).shape == (0, HASH.dimensions)


class Slow:
    """A model that the test plays."""

    name, dimensions, floor = 'slow', 4, 0.25

    def __init__(self):
        self.asked = []
        self.threads = []

    def embed(self, texts):
        self.asked += texts
        self.threads.append(threading.current_thread())
        vectors = np.array([[('whale' in t), ('rocket' in t), 0.1, 0.0] for t in texts], float)
        return (vectors / np.linalg.norm(vectors, axis=1)[:, None]).astype(np.float32)


def test_asked_once_and_remembered():
    slow = Slow()
    relatedness = Relatedness(slow)
    relatedness.of(['a', 'b', 'a'])
    relatedness.of(['b'])
    assert slow.asked == ['a', 'b']


def test_what_is_remembered_is_bounded():
    relatedness = Relatedness(Slow(), keep=10)
    relatedness.of([str(n) for n in range(10)])
    relatedness.of(['0', 'new'])
    assert relatedness.embedder.asked.count('0') == 1
    relatedness.of(['0', '1'])
    assert relatedness.embedder.asked.count('0') == 1, 'what was used lately stays'
    assert relatedness.embedder.asked.count('1') == 2


def test_what_is_ordered_is_ordered_once():
    orders = []
    relatedness = Relatedness(Slow(), orders.append)
    assert relatedness.of(['a', 'b']) == [None, None]
    assert relatedness.of(['b', 'c']) == [None, None]
    assert orders == [['a', 'b'], ['c']]
    relatedness.arrived(['a', 'b'], Slow().embed(['a', 'b']))
    assert relatedness.of(['a'])[0] is not None
    relatedness.failed(['c'])
    relatedness.of(['c'])
    assert orders[-1] == ['c'], 'it may be asked for again'


def test_a_model_changes_places_when_its_vectors_are_there():
    seen, slow, orders = perception(), Slow(), []
    whale, rocket = enter(seen, sight('w', text='whale'), sight('r', text='rocket', salience=0.4))
    seen.attend(AttendRequest(AttendAction.FOCUS, text='about rockets'), NOW)
    seen.tick(NOW)
    assert seen.world.placement.relatedness.embedder.name == 'hash'
    seen.model_ready(slow, orders.append)
    name = seen.world.placement.relatedness.embedder.name
    assert name == 'hash', 'until the first vectors are there'
    seen.tick(NOW + 1)
    assert orders == [['whale', 'rocket']]
    seen.vectors_arrived(orders[0], slow.embed(orders[0]))
    assert seen.world.placement.relatedness.embedder.name == 'slow'
    assert orders[-1] == ['about rockets'], 'the topic, too'
    assert seen.world.items.rows['relatedness'].tolist()[0] != 1.0
    # without a vector of the focus, salience decides
    assert [i.id for i in seen.view(NOW).close] == [whale.id, rocket.id]
    seen.vectors_arrived(orders[-1], slow.embed(['rocket']))
    view = seen.view(NOW)
    assert [i.id for i in view.close] == [rocket.id]
    assert view.close[0].relatedness == pytest.approx(1.0)
    # what is new has no vector yet and is placed all the same
    enter(seen, sight('n', text='news'))
    seen.tick(NOW + 2)
    assert orders[-1] == ['news']
    assert np.isnan(seen.world.items.by_key('n').relatedness)


def test_in_an_empty_field_it_changes_at_once():
    seen = perception()
    seen.model_ready(Slow(), lambda texts: None)
    assert seen.world.placement.relatedness.embedder.name == 'slow'


def test_in_mid_turn_she_sees_things_move():
    life, slow, orders = Life(), Slow(), []
    life.attend(AttendAction.NOTE, text='a rocket')
    life.take(
        life.field.relate(lambda: life.field.perception.model_ready(slow, orders.append), life.now)
    )
    life.wake()
    life.begin()
    life.out.clear()
    change = lambda: life.field.perception.vectors_arrived(orders[0], slow.embed(orders[0]))  # noqa: E731
    life.take(life.field.relate(change, life.now))
    assert life.view.render == 1
    assert life.view.tick == 1


def test_a_model_that_fails_leaves_her_with_what_she_had():
    life = Life()
    seen = life.field.perception
    seen.model_ready(Slow(), lambda texts: None)
    seen.model_trouble('out of memory', ['x'])
    life.wake()
    assert life.field.health(NOW).level == 'warn'
    assert 'out of memory' in life.field.health(NOW).message


# --- the thread ---------------------------------------------------------------------------


class Heard:
    """What a worker has told."""

    def __init__(self, load):
        self.told = []
        self.changed = threading.Condition()
        self.worker = Worker(
            load,
            lambda embedder: self.hear('ready', embedder),
            lambda reason: self.hear('unavailable', reason),
            lambda texts, vectors: self.hear('done', texts, vectors.shape),
            lambda texts, reason: self.hear('failed', texts, reason),
        )

    def hear(self, *what):
        with self.changed:
            self.told.append(what)
            self.changed.notify()

    def wait(self, kind):
        with self.changed:
            assert self.changed.wait_for(lambda: any(t[0] == kind for t in self.told), 10)
            return next(t for t in self.told if t[0] == kind)


def test_loading_and_computing_happen_on_a_thread_of_their_own():
    slow = Slow()
    heard = Heard(lambda: slow)
    heard.worker.start()
    heard.wait('ready')
    heard.worker.order(['a', 'b'])
    assert heard.wait('done') == ('done', ['a', 'b'], (2, 4))
    assert threading.current_thread() not in slow.threads
    heard.worker.close()


def test_a_model_that_cannot_be_had():
    def load():
        raise Unavailable('no such file')

    heard = Heard(load)
    heard.worker.start()
    assert heard.wait('unavailable') == ('unavailable', 'no such file')
    heard.worker.close()


def test_a_model_that_raises_goes_on_with_the_next():
    class Broken(Slow):
        def embed(self, texts):
            if texts == ['bad']:
                raise RuntimeError('boom')
            return super().embed(texts)

    heard = Heard(Broken)
    heard.worker.start()
    heard.worker.order(['bad'])
    heard.worker.order(['good'])
    assert heard.wait('failed') == ('failed', ['bad'], 'RuntimeError: boom')
    assert heard.wait('done')[1] == ['good']
    heard.worker.close()


def test_it_ends_while_loading():
    gate = threading.Event()

    def load():
        gate.wait(10)
        return Slow()

    heard = Heard(load)
    heard.worker.start()
    threading.Timer(0.1, gate.set).start()
    began = time.monotonic()
    heard.worker.close()
    assert time.monotonic() - began < 3
    assert not [t for t in heard.told if t[0] == 'ready']


# --- which --------------------------------------------------------------------------------


def test_the_best_that_is_there(monkeypatch):
    def no(model):
        raise Unavailable('not installed')

    monkeypatch.setitem(choose.ROUTES, 'auto', (no, lambda model: Slow()))
    assert choose.load('auto').name == 'slow'
    monkeypatch.setitem(choose.ROUTES, 'auto', (no, no))
    with pytest.raises(Unavailable, match='not installed; not installed'):
        choose.load('auto')


def test_files_that_are_missing_are_named(tmp_path):
    pytest.importorskip('onnxruntime', reason='extra embeddings-lite is not installed')
    with pytest.raises(Unavailable, match=r'model\.onnx is not there'):
        OnnxEmbedder(str(tmp_path))


@pytest.mark.live
@pytest.mark.parametrize('route', ['onnx', 'sentence-transformers'])
def test_the_real_model(route):
    """Needs an extra and the model's files; SOUL_TEST_MODEL names their folder if need be."""
    try:
        model = choose.load(route, os.environ.get('SOUL_TEST_MODEL', ''))
    except Unavailable as reason:
        pytest.skip(str(reason))
    assert model.dimensions == 384
    texts = [
        'A man is eating food.',
        'A person eats a meal.',
        'The rocket lifted off last night.',
        'the launch of a spacecraft',
    ]
    vectors = model.embed(texts)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)
    assert vectors[0] @ vectors[1] > 0.6
    assert vectors[2] @ vectors[3] > 0.35
    assert abs(vectors[0] @ vectors[2]) < 0.25
    assert np.allclose(model.embed(texts[:1])[0], vectors[0], atol=0.05)
    seen = Perception(config(), embedder=model)
    enter(seen, *(sight(f'k{n}', text=text) for n, text in enumerate(texts)))
    seen.attend(AttendRequest(AttendAction.FOCUS, text='space travel'), NOW)
    seen.tick(NOW)
    assert {i.key for i in seen.view(NOW).close} == {'k2', 'k3'}
