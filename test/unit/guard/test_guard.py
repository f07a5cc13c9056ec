"""The guard: at most once, never in doubt unsaid, fails closed, and a stop nothing can gate."""

import collections
import contextlib
import datetime
import errno
import math
import random
import shutil
import sqlite3
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.core.organ import Answer, Ask, CancelAsk, Save, SaveSoon
from soul.guard.audit import Audit
from soul.guard.config import GuardConfig
from soul.guard.energy import EnergyLedger, next_midnight
from soul.guard.grants import GRANT_SECONDS
from soul.guard.guard import Guard
from soul.signals import (
    Act,
    AuthorizeRequest,
    CaptureAnswer,
    DecideRequest,
    Energy,
    GuardState,
    LookAtResult,
    LookRequest,
    MindState,
    Picture,
    Point,
    ReceiptRequest,
    RestAnswer,
    SayResult,
    SetBoolRequest,
    SleepRequest,
    SpeakRequest,
    TriggerAnswer,
    TriggerRequest,
    Turn,
)
from support.memories import reread


class Watched:
    """A guard, what it says, and its STOP file as a variable."""

    def __init__(self, audit=None, memory=None, stopped=None, write=None, **config):
        self.file = stopped
        self.audit = audit or Audit()
        self.now = 1_000_000.0
        self.order = []
        self.guard = Guard(
            GuardConfig(timezone='UTC', **config),
            random.Random(1),
            self.audit,
            write or self._write,
            stopped,
            memory,
        )
        self.said = list(self.guard.start(self.now))

    def _write(self, reason):
        self.order.append('file')
        self.file = reason

    def do(self, outputs):
        new = []
        for output in outputs:
            self.order.append(type(output).__name__)
            new.append(output)
        self.said += new
        return new

    def serve(self, name, request):
        if name == 'stop':
            outputs = self.do(self.guard.perform_stop(request, 'h1', self.now))
            for ask in asked(outputs):
                self.answer(ask, TriggerAnswer(True, 'halted'))
            return TriggerAnswer(True), outputs
        answer, outputs = getattr(self.guard, f'serve_{name}')(request, self.now)
        return answer, self.do(outputs)

    def answer(self, ask, answer=None, failure=''):
        return self.do(
            self.guard.on_answer(Answer(ask.to, ask.token, ask.request, answer, failure), self.now)
        )

    def of(self, kind):
        return [signal for signal in self.said if isinstance(signal, kind)]


def asked(outputs):
    return [output for output in outputs if isinstance(output, Ask)]


SPEAK = SpeakRequest('hello', 'happy', 'mind', '')


def test_speaking_is_written_down_before_it_happens_and_has_a_receipt_afterwards():
    w = Watched()
    answer, outputs = w.serve('speak', SPEAK)
    assert answer.accepted
    ask = asked(outputs)[0]
    assert (ask.to, ask.request.act_id, ask.request.text) == ('body/say', answer.act_id, 'hello')
    assert w.audit.get(answer.act_id).state == 'executing'
    acts = w.answer(ask, SayResult('done', '', 1.0))
    assert (acts[0].state, acts[0].receipt) == ('done', answer.act_id)
    assert w.audit.get(answer.act_id).state == 'done'
    assert not w.answer(ask, SayResult('done')), 'an end is an end'


@pytest.mark.parametrize(
    ('name', 'request_'),
    [
        ('speak', SpeakRequest('hello', request_id='r1')),
        ('look', LookRequest('left', request_id='r1')),
        ('sleep', SleepRequest(600.0, request_id='r1')),
    ],
)
def test_a_request_that_comes_again_is_one_act_also_over_a_restart(tmp_path, name, request_):
    w = Watched(Audit(tmp_path / 'guard.db'))
    answer, outputs = w.serve(name, request_)
    again, nothing = w.serve(name, request_)
    assert (again.accepted, again.act_id) == (True, answer.act_id)
    assert len(asked(outputs)) == 1
    assert not nothing
    w.audit.close()
    later = Watched(Audit(tmp_path / 'guard.db'))
    last, nothing = later.serve(name, request_)
    assert (last.accepted, last.act_id) == (True, answer.act_id)
    assert not asked(nothing)


def test_what_waits_for_other_speech_has_the_time_of_that_too():
    """A body says one thing after the other: the last one of a burst was lost while it waited."""
    w = Watched()
    longest = [w.serve('speak', SpeakRequest('x' * 100))[0].longest for _ in range(3)]
    assert longest == pytest.approx([80.0, 100.0, 120.0])


@pytest.mark.parametrize(('text', 'seconds'), [('hi', 60.4), ('x' * 950, 250.0)])
def test_the_answer_to_speak_says_by_when_the_act_has_ended(text, seconds):
    """One limit in one place: a long text was cut at 60 s while the body still spoke."""
    w = Watched()
    answer, outputs = w.serve('speak', SpeakRequest(text))
    assert answer.longest == pytest.approx(seconds)
    assert asked(outputs)[0].deadline == answer.longest


@pytest.mark.parametrize(
    ('result', 'failure', 'state'),
    [
        (SayResult('aborted', 'no voice'), '', 'failed'),
        (SayResult('uncertain', 'link lost'), '', 'uncertain'),
        (None, 'absent', 'failed'),
        (None, 'refused', 'failed'),
        (None, 'lost', 'uncertain'),
        (None, 'aborted', 'uncertain'),
        (SayResult('done'), 'aborted', 'uncertain'),
        (SayResult('done'), 'canceled', 'uncertain'),
        (SayResult('done'), 'lost', 'uncertain'),
        (SayResult(), '', 'uncertain'),
        (SayResult(), 'aborted', 'uncertain'),
        (SayResult('finished'), '', 'uncertain'),
        (SayResult('aborted', 'too much is waiting'), 'aborted', 'failed'),
    ],
)
def test_only_what_is_done_has_a_receipt(result, failure, state):
    """found 31: only a clean end with `done` is done; a refusal is one; the rest is in doubt."""
    w = Watched()
    _, outputs = w.serve('speak', SPEAK)
    act = w.answer(asked(outputs)[0], result, failure)[0]
    assert (act.state, act.receipt) == (state, '')
    assert act.detail


@pytest.mark.parametrize(
    ('result', 'failure', 'state'),
    [
        (LookAtResult(True), '', 'done'),
        (LookAtResult(True), 'aborted', 'uncertain'),
        (LookAtResult(), 'aborted', 'uncertain'),
        (LookAtResult(reason='too far'), 'aborted', 'failed'),
    ],
)
def test_a_look_is_done_only_when_it_ended_so(result, failure, state):
    """found 31: as with speech."""
    w = Watched()
    _, outputs = w.serve('look', LookRequest(direction='left', by='test'))
    act = w.answer(asked(outputs)[0], result, failure)[0]
    assert act.state == state
    assert act.detail or state == 'done'


def test_after_a_crash_an_act_without_a_receipt_is_uncertain_and_not_repeated(tmp_path):
    w = Watched(Audit(tmp_path / 'guard.db'))
    act_id = w.serve('speak', SPEAK)[0].act_id
    done = w.serve('speak', SPEAK)
    w.answer(asked(done[1])[0], SayResult('done'))
    again = Watched(Audit(tmp_path / 'guard.db'))
    acts = again.of(Act)
    assert [(a.id, a.state) for a in acts] == [(act_id, 'uncertain')]
    assert not asked(again.said)
    assert act_id in {a.id for a in again.of(GuardState)[-1].recent}
    assert (tmp_path / 'guard.db').stat().st_mode & 0o077 == 0


@pytest.mark.parametrize('level', ['deny', 'ask'])
def test_what_is_denied_or_has_to_be_asked_for_does_not_happen_and_is_audited(level):
    w = Watched(speech=level, gaze=level, rest=level)
    for name, request in (
        ('speak', SPEAK),
        ('look', LookRequest('left')),
        ('sleep', SleepRequest(60.0 * 5.0)),
    ):
        answer, outputs = w.serve(name, request)
        assert not answer.accepted
        assert answer.reason
        assert not asked(outputs)
        assert [o.state for o in outputs if isinstance(o, Act)] == ['denied']


def test_an_unknown_category_is_not_allowed_and_a_known_one_gives_one_grant():
    w = Watched(allow=('web',), deny=('machine',))
    for category in ('machine', 'teleport', ''):
        answer, _ = w.serve('authorize', AuthorizeRequest('x', category, 'mind'))
        assert not answer.granted
    answer, _ = w.serve('authorize', AuthorizeRequest('search', 'web', 'mind'))
    assert answer.granted
    receipt = ReceiptRequest(answer.act_id, 'done', 'found', 'r1')
    assert w.serve('receipt', receipt)[0].accepted
    assert not w.serve('receipt', receipt)[0].accepted, 'one shot'
    assert w.audit.get(answer.act_id).receipt == 'r1'
    assert not w.serve('receipt', ReceiptRequest('nobody', 'done'))[0].accepted
    refused = w.serve('receipt', ReceiptRequest(answer.act_id, 'perhaps'))[0]
    assert 'perhaps' in refused.reason
    assert not w.serve('decide', DecideRequest('x', True, 'me'))[0].accepted


def test_a_grant_without_a_receipt_runs_out_into_doubt():
    w = Watched(allow=('web',))
    answer, _ = w.serve('authorize', AuthorizeRequest('search', 'web', 'mind'))
    assert w.guard.due() <= w.now + GRANT_SECONDS
    w.now += GRANT_SECONDS + 1
    acts = [o for o in w.do(w.guard.step(w.now)) if isinstance(o, Act)]
    assert [(a.id, a.state) for a in acts] == [(answer.act_id, 'uncertain')]


def test_nothing_to_say_and_too_much_to_say_are_refused_in_words():
    w = Watched()
    assert 'nothing' in w.serve('speak', SpeakRequest('  '))[0].reason
    assert '2001' in w.serve('speak', SpeakRequest('x' * 2001))[0].reason


def test_looking_turns_the_head_then_takes_the_picture():
    w = Watched()
    answer, outputs = w.serve('look', LookRequest(direction='left', capture=True))
    turn = asked(outputs)[0]
    assert turn.to == 'body/look_at'
    assert turn.request.yaw > 0, 'left is positive (REP-103)'
    capture = asked(w.answer(turn, LookAtResult(ok=True)))[0]
    assert capture.to == 'body/capture'
    image = Picture(format='jpeg', data=b'x')
    act = w.answer(capture, CaptureAnswer(True, image=image))[0]
    assert (act.id, act.state, act.images) == (answer.act_id, 'done', (image,))
    assert w.of(GuardState)[-1].recent[-1].images == (), 'a state carries no pictures'


def test_looking_reports_what_went_wrong():
    w = Watched()
    answer, _ = w.serve('look', LookRequest(direction='inside'))
    assert 'inside' in answer.reason
    assert 'left' in answer.reason
    assert not w.serve('look', LookRequest())[0].accepted
    _, outputs = w.serve('look', LookRequest(has_point=True, point=Point(x=1.0)))
    act = w.answer(asked(outputs)[0], LookAtResult(ok=False, reason='out of reach'))[0]
    assert (act.state, act.detail) == ('failed', 'out of reach')
    _, outputs = w.serve('look', LookRequest(question='who is there?'))
    assert asked(outputs)[0].request.question == 'who is there?'
    act = w.answer(asked(outputs)[0], CaptureAnswer(False, 'no eye'))[0]
    assert (act.state, act.detail) == ('failed', 'no eye')


def test_a_stop_is_said_first_written_then_and_never_refused():
    w = Watched(speech='deny')
    w.serve('pause', SetBoolRequest(True))
    w2 = Watched()
    _, outputs = w2.serve('speak', SPEAK)
    w2.order.clear()
    answer, outputs = w2.serve('stop', TriggerRequest())
    assert answer.success
    assert w2.order[:3] == ['GuardState', 'Ask', 'file'], 'the state goes out before the disk'
    assert asked(outputs)[0].to == 'body/halt'
    assert [o for o in outputs if isinstance(o, CancelAsk)], 'what is under way is canceled'
    assert w2.file == 'stop'
    assert not w2.serve('speak', SPEAK)[0].accepted
    assert 'stop' in w2.serve('speak', SPEAK)[0].reason
    assert w2.serve('stop', TriggerRequest())[0].success, 'again and again'
    assert w2.serve('resume', TriggerRequest())[0].success
    assert w2.file is None
    assert w2.serve('speak', SPEAK)[0].accepted
    assert w.serve('stop', TriggerRequest())[0].success, 'also while paused'


def test_the_stop_file_stops_and_its_removal_resumes():
    w = Watched()
    w.do(w.guard.on_stop_file('the cat\n', w.now))
    state = w.of(GuardState)[-1]
    assert (state.stopped, state.stop_reason) == (True, 'the cat')
    assert 'file' not in w.order, 'whoever made the file keeps it as it is'
    assert not w.do(w.guard.on_stop_file('the cat\n', w.now))
    w.do(w.guard.on_stop_file(None, w.now))
    assert not w.of(GuardState)[-1].stopped
    w.do(w.guard.on_stop_file('', w.now))  # made, and not written yet
    assert w.of(GuardState)[-1].stopped
    w.do(w.guard.on_stop_file('the dog', w.now))
    assert w.of(GuardState)[-1].stop_reason == 'the dog'


def test_a_stop_survives_a_restart():
    w = Watched()
    w.serve('stop', TriggerRequest())
    again = Watched(w.audit, reread(w.guard.memory()), stopped=w.file)
    state = again.of(GuardState)[-1]
    assert state.stopped
    assert state.stop_epoch == 1
    assert state.epoch != 0


def test_sleep_goes_to_the_heart_as_an_act():
    w = Watched()
    assert '1500' in w.serve('sleep', SleepRequest(60.0 * 1500.0))[0].reason
    answer, outputs = w.serve('sleep', SleepRequest(60.0 * 20.0, 'ann', 'it is late'))
    ask = asked(outputs)[0]
    assert (ask.to, ask.request.duration, ask.request.forced) == ('heart/rest', 1200.0, True)
    act = w.answer(ask, RestAnswer(True))[0]
    assert (act.id, act.state) == (answer.act_id, 'done')


# --- energy -------------------------------------------------------------------------------


def test_energy_counts_what_the_mind_counts_and_misses_nothing():
    w = Watched(daily_tokens=1000, daily_cost=0.0, daily_wakes=0)
    w.do(w.guard.on_mind_state(MindState(tokens=300, wakings=1), w.now))
    w.do(w.guard.on_mind_state(MindState(tokens=300, wakings=1), w.now))
    w.do(w.guard.on_mind_state(MindState(tokens=700, wakings=4), w.now))
    energy = w.of(Energy)[-1]
    assert (energy.tokens_used, energy.wakes_used) == (700, 4)
    assert energy.level == pytest.approx(0.3)
    assert not energy.spent
    again = Watched(w.audit, reread(w.guard.memory()), daily_tokens=1000, daily_cost=0.0)
    again.do(again.guard.on_mind_state(MindState(tokens=950, wakings=4), again.now))
    energy = again.of(Energy)[-1]
    assert energy.tokens_used == 950
    assert (energy.spent, energy.reserve_spent) == (True, False)
    again.do(again.guard.on_mind_state(MindState(tokens=1000, wakings=4), again.now))
    assert again.of(Energy)[-1].reserve_spent
    # the mind has lost its counters: what it uses from now on still counts
    again.do(again.guard.on_mind_state(MindState(epoch=2, tokens=50), again.now))
    assert again.of(Energy)[-1].tokens_used == 1050


def test_the_scarcest_counts_and_zero_is_no_cap():
    config = GuardConfig(daily_tokens=1000, daily_cost=1.0, daily_wakes=10)
    ledger = EnergyLedger(config)
    ledger.count(MindState(tokens=100, cost=0.5, wakings=2), 0.0)
    assert ledger.energy(0.0).level == pytest.approx(0.5)
    free = EnergyLedger(GuardConfig(daily_tokens=0, daily_cost=0.0, daily_wakes=0))
    free.count(MindState(tokens=10**6, cost=99.0, wakings=10**4), 0.0)
    energy = free.energy(0.0)
    assert (energy.level, energy.spent) == (1.0, False)


def test_midnight_renews_and_a_clock_set_back_does_not():
    w = Watched(daily_tokens=1000)
    w.do(w.guard.on_mind_state(MindState(tokens=900), w.now))
    midnight = next_midnight(w.now, ZoneInfo('UTC'))
    assert w.of(Energy)[-1].resets_at == midnight
    w.now = midnight - 1
    told = [o for o in w.do(w.guard.step(w.now)) if isinstance(o, Energy)]
    assert [energy.tokens_used for energy in told] == [900]
    assert w.guard.due() == midnight
    w.now = midnight
    assert w.do(w.guard.step(w.now))[0].tokens_used == 0
    w.now -= 5 * 86400  # the clock was set back
    w.do(w.guard.on_mind_state(MindState(tokens=1000), w.now))
    w.do(w.guard.step(w.now))
    assert w.of(Energy)[-1].tokens_used == 100
    assert w.guard.due() <= w.now + 86400.0


@given(
    st.integers(1_577_836_800, 2_051_222_400),
    st.sampled_from(['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Pacific/Apia']),
)
def test_the_next_midnight_is_the_next_midnight(now, name):
    zone = ZoneInfo(name)
    found = next_midnight(now, zone)
    assert now < found <= now + 26 * 3600
    local = datetime.datetime.fromtimestamp(found, zone)
    assert (local.hour, local.minute, local.second) == (0, 0, 0)


def test_a_turn_is_audited_once(tmp_path):
    w = Watched(Audit(tmp_path / 'guard.db'))
    turn = Turn(epoch=5, sequence=1, outcome='slept')
    w.do(w.guard.on_turn(turn, w.now))
    w.do(w.guard.on_mind_state(MindState(last_turn=turn), w.now))
    with sqlite3.connect(tmp_path / 'guard.db') as db:
        rows = db.execute("SELECT ref FROM events WHERE kind = 'turn'").fetchall()
    assert rows == [('5/1',)]


def test_everything_that_changes_is_saved():
    w = Watched()
    for outputs in (
        w.serve('stop', TriggerRequest())[1],
        w.serve('resume', TriggerRequest())[1],
        w.serve('pause', SetBoolRequest(True))[1],
    ):
        assert any(isinstance(output, Save) for output in outputs)
    # What a word of the mind changes is known again from its next one.
    counted = w.do(w.guard.on_mind_state(MindState(tokens=1), w.now))
    assert any(isinstance(output, SaveSoon) for output in counted)


@pytest.mark.parametrize(
    ('point', 'said'),
    [
        (Point(x=math.nan), 'x of the point is nan'),
        (Point(frame_id='map', y=-math.inf), 'y of the point is -inf'),
        (Point(), 'in no frame'),
    ],
)
def test_a_point_that_is_none_is_not_looked_at(point, said):
    w = Watched()
    answer, outputs = w.serve('look', LookRequest(has_point=True, point=point))
    assert not answer.accepted
    assert said in answer.reason
    assert not asked(outputs)


def test_the_reason_of_the_body_is_in_the_act():
    w = Watched()
    ask = asked(w.serve('speak', SPEAK)[1])[0]
    act = w.answer(ask, SayResult('aborted', 'too much is waiting to be said'), 'aborted')[0]
    assert (act.state, act.detail) == ('failed', 'too much is waiting to be said')
    ask = asked(w.serve('look', LookRequest('left'))[1])[0]
    act = w.answer(ask, LookAtResult(reason='the supply is too low'), 'aborted')[0]
    assert (act.state, act.detail) == ('failed', 'the supply is too low')
    ask = asked(w.serve('speak', SPEAK)[1])[0]
    assert 'before the body heard of it' in w.answer(ask, None, 'canceled')[0].detail


def test_an_orderly_stop_ends_what_the_body_is_at():
    w = Watched()
    act_id = w.serve('speak', SPEAK)[0].act_id
    assert w.do(w.guard.stop(w.now)) == [CancelAsk(act_id)]


class Disk:
    """Lets the room on the audit's disk run out; what sqlite then says is real."""

    def __init__(self, databases):
        self._db = databases.newest

    def full(self):
        (pages,) = self._db.execute('PRAGMA page_count').fetchone()
        self._db.execute(f'PRAGMA max_page_count = {pages}')
        with contextlib.suppress(sqlite3.OperationalError):
            while True:  # what is left of the last pages
                self._db.execute(
                    "INSERT INTO events (at, kind, ref, detail) VALUES (0, 'x', 'x', ?)",
                    ('x' * 100,),
                )

    def free(self):
        self._db.execute('PRAGMA max_page_count = 1000000')


def test_without_room_for_the_audit_nothing_is_done_and_the_stop_works(tmp_path, databases):
    w = Watched(Audit(tmp_path / 'guard.db'))
    before = w.serve('speak', SPEAK)
    disk = Disk(databases)
    disk.full()
    for name, request in (
        ('speak', SpeakRequest('x' * 2000)),
        ('look', LookRequest('left')),
        ('sleep', SleepRequest(60.0 * 5.0)),
        ('authorize', AuthorizeRequest(what='x', category='speech', summary='x' * 3000)),
    ):
        said = len(w.said)
        serve = getattr(w.guard, f'serve_{name}')
        with pytest.raises(OSError, match=f'full.*{tmp_path}/guard.db'):
            # sqlite may find room for a few small rows
            collections.deque((serve(request, w.now) for _ in range(50)), maxlen=0)
        assert len(w.said) == said, f'{name} was done without an audit'
    assert w.guard.health(w.now).level == 'error'
    assert 'guard.db' in w.guard.health(w.now).message
    # what has happened is told, and owed to the audit
    act = w.answer(asked(before[1])[0], SayResult('done', 'x' * 3000, 1.0))[0]
    assert act.state == 'done'
    assert {a.id: a.state for a in w.guard.state(w.now).recent}[act.id] == 'done'
    stopped, outputs = w.serve('stop', TriggerRequest())
    assert stopped.success
    assert [ask.to for ask in asked(outputs)] == ['body/halt']
    assert w.file == 'stop'
    w.do(w.guard.on_turn(Turn(epoch=5, sequence=1, detail='x' * 3000), w.now))
    w.do(w.guard.on_turn(Turn(epoch=5, sequence=1, detail='x' * 3000), w.now))
    assert w.guard.due() <= w.now, 'it is tried again'
    w.do(w.guard.step(w.now))
    assert w.guard.health(w.now).level == 'error', 'and nothing pretends to be well meanwhile'
    disk.free()
    for _ in range(3):  # whoever waits for the stop's answer is due before
        w.now = w.guard.due()
        w.do(w.guard.step(w.now))
    assert 'storage' not in w.guard.health(w.now).values
    assert w.audit.get(act.id).state == 'done'
    with sqlite3.connect(tmp_path / 'guard.db') as db:
        kinds = [
            kind
            for (kind,) in db.execute("SELECT kind FROM events WHERE kind NOT IN ('x', 'act')")
        ]
    assert kinds == ['stop', 'turn', 'storage']
    w.serve('resume', TriggerRequest())
    assert w.serve('speak', SPEAK)[0].accepted


def test_a_stop_whose_file_cannot_be_written_is_a_stop_and_is_written_later():
    room = [False]

    def write(reason):
        if not room[0]:
            raise OSError(errno.ENOSPC, 'No space left on device', 'STOP')
        w.file = reason

    w = Watched(write=write)
    answer, outputs = w.serve('stop', TriggerRequest())
    assert answer.success
    assert [ask.to for ask in asked(outputs)] == ['body/halt']
    assert w.of(GuardState)[-1].stopped
    assert not w.serve('speak', SPEAK)[0].accepted
    assert w.guard.health(w.now).level == 'error'
    w.do(w.guard.step(w.now))
    assert w.file is None
    w.do(w.guard.on_stop_file(None, w.now))  # found 42: nothing is there, and nobody resumed
    assert w.of(GuardState)[-1].stopped
    room[0] = True
    for _ in range(3):  # whoever waits for an answer is due before
        w.now = w.guard.due()
        w.do(w.guard.step(w.now))
    assert w.file == 'stop'
    assert w.guard.health(w.now).level == 'warn'


def test_an_audit_that_was_deleted_is_begun_anew_and_said(tmp_path):
    home = tmp_path / 'home'
    home.mkdir()
    w = Watched(Audit(home / 'guard.db'))
    first = w.serve('speak', SPEAK)
    shutil.rmtree(home)
    second = w.serve('speak', SPEAK)[0]
    w.answer(asked(first[1])[0], SayResult('done'))
    with sqlite3.connect(home / 'guard.db') as db:
        rows = dict(db.execute('SELECT id, state FROM acts'))
    assert rows == {first[0].act_id: 'done', second.act_id: 'executing'}
    assert 'vanished' in w.guard.health(w.now).message


def test_her_energy_is_told_again_and_again():
    """found 3, 61: what somebody else has said on its topic held until a restart."""
    w = Watched()
    told = len(w.of(Energy))
    w.now += 301.0
    assert w.guard.due() <= w.now
    w.do(w.guard.step(w.now))
    assert len(w.of(Energy)) == told + 1
    assert w.of(Energy)[-1].level == 1.0
    assert w.guard.due() > w.now
