"""`soul body pair`: what it shows, what it waits for, and how it ends."""

import pytest
from click.testing import CliRunner

from soul.cli.control import NotDone
from soul.cli.main import app
from soul.cli.pairing import SERVICE, Pairing, qr
from soul.core.interfaces import EXIT_REFUSED
from soul.signals import PairAnswer
from soul.stackchan.pairing.addresses import in_order
from soul.terminal.link import NobodyThere
from support.fake_link import FakeLink

URL = 'http://192.168.1.20:8765/xiaozhi/ota/'


def answer(**given):
    return PairAnswer(
        **{
            'ok': True, 'waiting': True, 'seconds_left': 600.0, 'ask_url': URL,
            'dial_url': 'ws://192.168.1.20:8765/xiaozhi/v1/', 'token': 'secret', **given,
        }
    )  # fmt: skip


class Course(FakeLink):
    """Answers one after the other; the last one for ever."""

    def __init__(self, *answers):
        super().__init__()
        self.left = list(answers)

    def call(self, name, request, seconds=5.0):
        assert name == SERVICE
        self.calls.append(request)
        found = self.left.pop(0) if len(self.left) > 1 else self.left[0]
        if isinstance(found, BaseException):
            raise found
        return found


def pairing(*answers, pause=lambda seconds: None):
    link, lines = Course(*answers), []
    return Pairing(link, lines.append, pause), link, lines


def test_it_shows_where_to_ask_and_what_happens_until_the_device_is_there():
    asked = answer(steps=('aa asked',), missing='say its wake word', device='aa')
    joined = answer(steps=('aa asked', 'aa is here'), device='aa', joined=True)
    pair, link, lines = pairing(answer(missing='none has asked'), asked, asked, joined)
    assert 'aa is hers now' in pair.pair('192.168.1.20', ('10.0.0.5',))
    text = '\n'.join(lines)
    for told in (URL, 'secret', 'open to the local network', '10.0.0.5', '10 minutes'):
        assert told in text
    assert lines.count('  aa asked') == 1
    assert lines.count('  -> say its wake word') == 1
    assert [call.what for call in link.calls] == ['begin', 'look', 'look', 'look']
    assert link.calls[0].address == '192.168.1.20'


@pytest.mark.parametrize('address', ['127.0.0.1', '::1', 'localhost'])
def test_an_address_that_nobody_else_reaches_is_refused_with_what_to_say(address):
    told = CliRunner().invoke(app, ['body', 'pair', '--address', address])
    assert told.exit_code == EXIT_REFUSED
    assert '`soul body pair --here`' in ' '.join(told.output.split())


@pytest.mark.parametrize('body', ['xiaozhi', 'serial', 'http'])
def test_she_has_one_body_a_real_one_or_the_simulated_one(body):
    told = CliRunner().invoke(app, ['up', '--mock', '--body', body])
    assert told.exit_code == EXIT_REFUSED
    text = ' '.join(told.output.split())
    assert f'--mock is the simulated body, --body {body} a real one' in text


def test_without_a_device_it_ends_with_what_is_missing():
    over = answer(waiting=False, missing='no device has asked yet')
    pair, _, _ = pairing(answer(), over)
    with pytest.raises(NotDone, match='no device has asked yet'):
        pair.pair('')


def test_whoever_ends_it_ends_the_waiting():
    def enough(seconds):
        raise KeyboardInterrupt

    pair, link, _ = pairing(answer(), pause=enough)
    with pytest.raises(NotDone, match='nobody was paired'):
        pair.pair('')
    assert link.calls[-1].what == 'end'


def test_whoever_begins_another_pairing_ends_this_one():
    pair, link, _ = pairing(
        answer(seconds_left=590.0), answer(seconds_left=580.0), answer(seconds_left=600.0)
    )
    with pytest.raises(NotDone, match='another pairing'):
        pair.pair('')
    assert link.calls[-1].what == 'look', 'the other one goes on'


def test_a_driver_that_cannot_says_why_and_one_that_is_not_there_is_named():
    pair, _, _ = pairing(PairAnswer(reason='the transport is serial'))
    with pytest.raises(NotDone, match='the transport is serial'):
        pair.pair('')
    pair, _, _ = pairing(NobodyThere('nobody serves it'))
    with pytest.raises(NobodyThere, match='soul up --body xiaozhi'):
        pair.paired()


def test_who_is_paired_is_listed_and_forgotten():
    pair, link, _ = pairing(answer(paired=('aa', 'bb')))
    assert pair.paired() == ('aa', 'bb')
    assert 'aa may not' in pair.forget('aa')
    assert (link.calls[-1].what, link.calls[-1].device) == ('forget', 'aa')


def test_a_qr_code_is_drawn():
    pytest.importorskip('segno')
    drawn = qr(URL)
    assert len(drawn.splitlines()) > 10
    assert '█' in drawn


def test_addresses_of_a_local_network_are_found_the_way_out_first():
    given = ['127.0.0.1', '10.0.0.5', '8.8.8.8', '192.168.1.20', '169.254.1.1']
    assert in_order(given, '192.168.1.20') == ['192.168.1.20', '10.0.0.5']
    assert in_order(given, '8.8.8.8') == ['10.0.0.5', '192.168.1.20']
