"""Who may dial: on this machine, with a token, and while somebody pairs."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from soul.signals import PairAction, PairRequest
from soul.stackchan.pairing import ota
from soul.stackchan.pairing.admission import Admission, Caller
from soul.stackchan.pairing.desk import PairingDesk
from soul.stackchan.pairing.register import Register, device_id
from soul.stackchan.pairing.window import SECONDS
from soul.store.atomic import Unreadable

MINE, OTHER = '02:50:0c:00:00:01', '02:50:0c:00:00:02'


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def register(tmp_path: Path) -> Register:
    return Register(tmp_path / 'paired.json')


def far(device: str = MINE) -> Caller:
    return Caller(device, '192.168.1.7', False)


def near(device: str = MINE) -> Caller:
    return Caller(device, '127.0.0.1', True)


def test_on_this_machine_no_token_is_needed_unless_one_is_set(register: Register):
    free, guarded = Admission(register), Admission(register, 'set')
    assert free.may_dial(near(), '')
    assert free.token_for(near()) == ''
    assert not guarded.may_dial(near(), '')
    assert guarded.may_dial(near(), 'set')
    assert guarded.token_for(near()) is None, 'it is told to nobody'


def test_from_the_network_nobody_gets_in_without_a_token(register: Register):
    admission = Admission(register)
    for sent in ('', 'x', 'ö'):
        assert not admission.may_dial(far(), sent)
    assert admission.token_for(far()) is None
    assert Admission(register, 'set').may_dial(far(), 'set')


def test_one_device_is_paired_and_keeps_its_token(
    register: Register, clock: Clock, tmp_path: Path
):
    admission = Admission(register, clock=clock)
    window = admission.begin('192.168.1.20', 'http://x/')
    token = admission.token_for(far())
    assert token == window.token
    assert len(token) >= 32
    assert admission.token_for(far(OTHER)) is None, 'one device only'
    assert 'only one device' in ' '.join(window.steps)
    assert admission.may_dial(far(), token)
    assert not admission.may_dial(far(OTHER), token), 'it is the token of that device'
    admission.joined(MINE, '11 tools')
    assert (window.joined, window.missing) == (True, '')
    clock.now = SECONDS + 1.0
    assert not admission.waits
    assert admission.may_dial(far(), token)
    assert admission.token_for(far()) == token, 'whenever it boots it asks again'
    again = Admission(Register(tmp_path / 'paired.json'))
    assert again.may_dial(far(), token)
    assert again.register.address == '192.168.1.20'
    assert stat.S_IMODE(os.stat(tmp_path / 'paired.json').st_mode) == 0o600


def test_after_ten_minutes_nobody_gets_in(register: Register, clock: Clock):
    admission = Admission(register, clock=clock)
    window = admission.begin('', 'http://x/')
    clock.now = SECONDS - 1.0
    assert admission.waits
    clock.now = SECONDS
    assert admission.token_for(far()) is None
    assert not admission.may_dial(far(), window.token)
    assert register.devices == ()


def test_whoever_ends_it_lets_nobody_in(register: Register, clock: Clock):
    admission = Admission(register, clock=clock)
    window = admission.begin('', 'http://x/')
    admission.end()
    assert admission.seconds_left == 0.0
    assert not admission.may_dial(far(), window.token)


def test_whoever_only_asks_is_nobodys_when_it_ends(register: Register, clock: Clock):
    admission = Admission(register, clock=clock)
    admission.begin('192.168.1.20', 'http://x/')
    token = admission.token_for(far(OTHER))
    assert token
    assert (register.devices, register.address) == ((), '')
    admission.end()
    assert admission.token_for(far(OTHER)) is None
    assert not admission.may_dial(far(OTHER), token)
    admission.begin('192.168.1.20', 'http://x/')
    mine = admission.token_for(far())
    assert mine
    assert mine != token
    assert not admission.may_dial(far(OTHER), token)
    assert admission.may_dial(far(), mine)
    assert register.devices == (MINE,)


def test_firmware_that_does_not_ask_dials_with_the_token(register: Register, clock: Clock):
    admission = Admission(register, clock=clock)
    window = admission.begin('', 'http://x/')
    assert not admission.may_dial(far(), '')
    assert 'without a token' in window.steps[-1]
    assert window.token in window.missing
    assert not admission.may_dial(far(), 'wrong')
    assert 'another token' in window.steps[-1]
    assert admission.may_dial(far(), window.token)
    assert register.devices == (MINE,)
    assert not admission.may_dial(far(OTHER), window.token)


def test_who_needs_no_token_is_paired_by_dialling(register: Register, clock: Clock):
    """It asked before the pairing began, and dials while it waits."""
    admission = Admission(register, clock=clock)
    window = admission.begin('', 'http://x/')
    assert admission.may_dial(near(), '')
    admission.joined(MINE, '11 tools')
    assert window.joined
    assert register.devices == (MINE,)
    assert admission.token_for(near()) == window.token


def test_a_device_with_the_token_that_was_set_is_paired_too(register: Register, clock: Clock):
    admission = Admission(register, 'set', clock=clock)
    window = admission.begin('192.168.1.20', 'http://x/')
    assert admission.may_dial(far(), 'set')
    admission.joined(MINE, '11 tools')
    assert window.joined
    assert register.devices == (MINE,)


def test_a_pairing_for_the_network_is_not_taken_by_this_machine(register: Register, clock: Clock):
    admission = Admission(register, clock=clock)
    window = admission.begin('192.168.1.20', 'http://x/')
    assert admission.may_dial(near(OTHER), ''), 'as always'
    admission.joined(OTHER, '11 tools')
    assert (window.device, window.joined, register.devices) == ('', False, ())
    assert admission.may_dial(far(), admission.token_for(far()) or '')
    admission.joined(MINE, '11 tools')
    assert (window.joined, register.devices) == (True, (MINE,))


def test_what_cannot_be_written_down_pairs_nobody(tmp_path: Path, clock: Clock):
    class Full(Register):
        def add(self, device: str, token: str, address: str) -> None:
            raise OSError(28, 'No space left on device')

    register = Full(tmp_path / 'paired.json')
    admission = Admission(register, clock=clock)
    window = admission.begin('', 'http://x/')
    with pytest.raises(OSError, match='No space'):
        admission.may_dial(far(), window.token)
    assert (window.device, register.devices) == ('', ())


def test_a_file_that_cannot_be_read_is_no_empty_one(tmp_path: Path):
    (tmp_path / 'paired.json').write_text('{', encoding='utf-8')
    with pytest.raises(Unreadable):
        Register(tmp_path / 'paired.json')


@pytest.mark.parametrize('name', ['', ' ', 'a b', 'x' * 65, 'a\nb', '<b>', 'ö'])
def test_odd_names_are_none(name: str):
    assert device_id(name) == ''


def test_a_name_is_one_however_it_is_written():
    assert device_id(' 02:50:0C:00:00:01') == MINE


# --- the desk ---------------------------------------------------------------------------------


class Port:
    host, port = '127.0.0.1', 8765

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.tidied = 0
        self.sent_away: list[str] = []

    def listen_at(self, address: str) -> None:
        if address == '10.9.9.9':
            raise OSError(99, 'not an address of this machine')
        self.opened.append(address)

    def tidy(self) -> None:
        self.tidied += 1

    def send_away(self, device: str) -> None:
        self.sent_away.append(device)


def ask(desk: PairingDesk, what: str, **more: Any) -> Any:
    return desk.answer(PairRequest(what, **more))


def test_a_pairing_names_all_that_a_device_needs(register: Register, clock: Clock):
    port = Port()
    admission = Admission(register, clock=clock)
    desk = PairingDesk(admission, port)
    assert ask(desk, PairAction.LOOK).waiting is False
    begun = ask(desk, PairAction.BEGIN, address='192.168.1.20')
    assert (begun.ok, begun.waiting, begun.seconds_left) == (True, True, SECONDS)
    assert begun.ask_url == 'http://192.168.1.20:8765/xiaozhi/ota/'
    assert begun.dial_url == 'ws://192.168.1.20:8765/xiaozhi/v1/'
    assert begun.ask_url in begun.missing
    assert port.opened == ['192.168.1.20']
    admission.token_for(far())
    assert 'wake word' in ask(desk, PairAction.LOOK).missing
    assert ask(desk, PairAction.LOOK).paired == (), 'it has only asked'
    assert admission.may_dial(far(), begun.token)
    admission.joined(MINE, '11 tools')
    told = ask(desk, PairAction.LOOK)
    assert (told.device, told.joined, told.paired) == (MINE, True, (MINE,))
    assert ask(desk, PairAction.FORGET, device=MINE.upper()).paired == ()
    assert port.sent_away == [MINE]
    assert not admission.may_dial(far(), told.token)
    assert 'is not paired' in ask(desk, PairAction.FORGET, device=MINE).reason
    assert ask(desk, PairAction.END).waiting is False
    assert 'none of begin' in ask(desk, 'dance').reason


@pytest.mark.parametrize(
    ('address', 'why'),
    [
        ('0.0.0.0', 'one address'),
        ('::', 'one address'),
        ('8.8.8.8', 'of the internet'),
        ('kitchen', 'no address'),
        ('10.9.9.9', 'not an address of this machine'),
    ],
)
def test_only_one_address_of_the_local_network_is_opened(
    register: Register, address: str, why: str
):
    desk = PairingDesk(Admission(register), Port())
    answer = ask(desk, PairAction.BEGIN, address=address)
    assert not answer.ok
    assert why in answer.reason
    assert not answer.waiting


# --- what a device is answered ------------------------------------------------------------------


def test_the_answer_is_what_the_firmware_wants():
    told = ota.answer(1_700_000_000.25, 120, '1.1.4', '192.168.1.20:8765', 'secret')
    assert told == {
        'server_time': {'timestamp': 1_700_000_000_250, 'timezone_offset': 120},
        'firmware': {'version': '1.1.4', 'url': ''},
        'websocket': {
            'url': 'ws://192.168.1.20:8765/xiaozhi/v1/', 'token': 'secret', 'version': 1,
        },
    }  # fmt: skip
    assert 'websocket' not in ota.answer(0.0, 0, '1', 'x', None)
    assert not {'mqtt', 'activation'} & set(told)


@pytest.mark.parametrize(
    ('question', 'agent', 'version'),
    [
        ({'application': {'version': '1.1.4'}}, '', '1.1.4'),
        (None, 'm5stack-stack-chan/1.2.0', '1.2.0'),
        ({'application': {'version': 5}}, 'x/1.0', '1.0'),
        ({'application': 'x'}, 'curl', '0.0.0'),
        ({'application': {'version': '9' * 50}}, '', '0.0.0'),
    ],
)
def test_its_own_version_is_the_newest(question: Any, agent: str, version: str):
    assert ota.version_in(question, agent) == version


@pytest.mark.parametrize(
    ('host', 'place'),
    [
        ('192.168.1.20:8765', '192.168.1.20:8765'),
        ('soul.local:80', 'soul.local:80'),
        ('[fe80::1]:8765', '[fe80::1]:8765'),
        ('', 'local'),
        ('a b', 'local'),
        ('x/y', 'local'),
        ('x:123456', 'local'),
    ],
)
def test_it_is_told_to_dial_where_it_has_asked(host: str, place: str):
    assert ota.place_in(host, 'local') == place
