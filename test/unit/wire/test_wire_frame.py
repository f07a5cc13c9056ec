"""The frame codec over arbitrary bytes, cuts, splices and bursts."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soul.wire import MAX_FRAME, Decoder, FrameError, Sequence, crc16, encode

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
FIELDS = st.dictionaries(st.text(min_size=1, max_size=6).filter(lambda k: k != 't'), JSON)
MESSAGES = st.builds(
    lambda t, fields: {'t': t} | fields, st.text(min_size=1, max_size=8), FIELDS
).filter(lambda message: fits(message))


def fits(message: dict) -> bool:
    """Whether a message can be framed: lone surrogates cannot."""
    try:
        encode(message)
    except FrameError:
        return False
    return True


def feed_in_pieces(data: bytes, cuts: list[int]) -> tuple[Decoder, list[dict]]:
    decoder = Decoder()
    places = sorted({min(cut, len(data)) for cut in cuts})
    got = []
    for start, end in zip([0, *places], [*places, len(data)], strict=True):
        got += decoder.feed(data[start:end])
    return decoder, got


def test_crc_check_value():
    assert crc16(b'123456789') == 0x29B1


def test_a_frame_looks_as_the_protocol_says():
    line = encode({'t': 'hb', 'q': 7})
    assert line == b'{"t":"hb","q":7}*%04X\n' % crc16(b'{"t":"hb","q":7}')


@given(st.lists(MESSAGES, max_size=5), st.lists(st.integers(0, 3000), max_size=8))
def test_what_is_sent_arrives_however_the_stream_is_cut(messages, cuts):
    decoder, got = feed_in_pieces(b''.join(encode(m) for m in messages), cuts)
    assert got == messages
    assert decoder.stats.frames == len(messages)
    assert decoder.stats.bad_frames == decoder.stats.log_lines == 0


@given(st.binary(max_size=6000), st.lists(st.integers(0, 6000), max_size=6))
def test_arbitrary_bytes_do_no_harm(data, cuts):
    decoder, _ = feed_in_pieces(data, cuts)
    good = {'t': 'hb', 'q': 1}
    assert decoder.feed(b'\n' + encode(good))[-1:] == [good]


@given(st.binary(max_size=200).filter(lambda b: b'{"t":' not in b), MESSAGES)
def test_log_text_before_a_frame_on_its_line(text, message):
    decoder = Decoder()
    got = decoder.feed(text + encode(message))
    assert got[-1:] == [message]


@given(MESSAGES, MESSAGES, st.data())
def test_splices_of_real_streams_yield_only_what_was_sent(first, second, data):
    a, b = encode(first), encode(second)
    keep_a = data.draw(st.integers(0, len(a)))
    keep_b = data.draw(st.integers(0, len(b)))
    got = Decoder().feed(a[:keep_a] + b[keep_b:] + b'\n')
    assert all(message in (first, second) for message in got)


@settings(max_examples=60)
@given(MESSAGES, st.integers(1, 0xFFFF), st.data())
def test_every_burst_of_up_to_16_bits_is_rejected(message, pattern, data):
    line = encode(message)
    body = line[:-1]
    # The burst may lie anywhere in the frame, its checksum included.
    offset = data.draw(st.integers(0, 8 * len(body) - 1))
    flipped = int.from_bytes(body, 'big') ^ (pattern << (offset % (8 * len(body))))
    flipped &= (1 << (8 * len(body))) - 1
    damaged = flipped.to_bytes(len(body), 'big')
    if damaged == body:
        return
    assert Decoder().feed(damaged + b'\n') == []


def test_all_short_bursts_of_one_frame_are_rejected():
    line = encode({'t': 'say', 'q': 3, 'id': 'a', 'text': 'x*ABCD"}'})
    body = int.from_bytes(line, 'big')
    bits = 8 * len(line)
    patterns = [1, 3, 0b101, 0x8001, 0xFFFF, 0xA5A5, 0x0FF1]
    for offset in range(bits):
        for pattern in patterns:
            damaged = (body ^ (pattern << offset)) & ((1 << bits) - 1)
            if damaged != body:
                assert Decoder().feed(damaged.to_bytes(len(line), 'big') + b'\n') == []


def test_random_corruption_is_hardly_ever_accepted():
    # With a 16-bit checksum one in 65,536 at most; JSON and the frame's form reject more.
    rng = random.Random(5)
    line = encode({'t': 'joint', 'q': 9, 'up': 5, 'yaw': 12.5, 'pitch': 450, 'ok': True})
    accepted = 0
    trials = 60_000
    for _ in range(trials):
        damaged = bytearray(line[:-1])
        for place in rng.sample(range(len(damaged)), 3):
            damaged[place] = rng.randrange(256)
        if bytes(damaged) != line[:-1]:
            accepted += bool(Decoder().feed(bytes(damaged) + b'\n'))
    assert accepted <= 4  # mean 0.9 at the bound; 4 or fewer in 99.8 % of all cases


def test_carriage_returns_are_stripped():
    assert Decoder().feed(encode({'t': 'hb'})[:-1] + b'\r\n\r\n') == [{'t': 'hb'}]


def test_log_lines_are_counted_and_kept():
    decoder = Decoder()
    decoder.feed(b'I (312) boot: hello\r\n{"t":"hb"}*0000\n{"t":"hb"}\n\n')
    assert decoder.stats.log_lines == 1
    assert decoder.stats.bad_frames == 2
    assert list(decoder.recent_log) == ['I (312) boot: hello']


def test_an_over_long_line_is_dropped_to_its_end():
    decoder = Decoder()
    for _ in range(5):
        decoder.feed(b'x' * 1000)
    assert decoder.feed(b'tail\n' + encode({'t': 'hb'})) == [{'t': 'hb'}]
    assert decoder.stats.overlong == 1
    assert decoder.stats.log_lines == 0


def test_the_longest_frame_fits_and_no_longer_one():
    def framed(length: int) -> bytes:
        return encode({'t': 'log', 'x': 'a' * length})

    room = MAX_FRAME - len(framed(0))
    assert len(framed(room)) == MAX_FRAME
    assert len(Decoder().feed(framed(room))) == 1
    with pytest.raises(FrameError, match='4097'):
        framed(room + 1)


@pytest.mark.parametrize(
    'text',
    [
        '{"t":NaN}', '{"t":"hb","x":Infinity}', '{"t":"a","t":"b"}', '{"t":"hb"} ', '{"t":"hb"',
        '{"t":' + '[' * 3000, '{"t":"hb"}x', '{"t":"hb","x":1e999}',
    ],
)  # fmt: skip
def test_bad_json_with_a_good_checksum(text):
    body = text.encode()
    decoder = Decoder()
    got = decoder.feed(b'%s*%04X\n' % (body, crc16(body)))
    if text == '{"t":"hb"} ':
        assert got == [{'t': 'hb'}]
    elif '1e999' in text:
        json.dumps(got)  # decoded as infinity; the schema refuses it
    else:
        assert got == []
        assert decoder.stats.bad_frames == 1


@pytest.mark.parametrize('message', [{}, {'q': 1, 't': 'hb'}, {'t': float('nan')}, {'t': '\ud800'},
                                     {'t': object()}])  # fmt: skip
def test_what_cannot_be_framed(message):
    with pytest.raises(FrameError):
        encode(message)


def test_gaps_are_counted_across_the_wrap():
    sequence = Sequence()
    assert [sequence.note(q) for q in (2**32 - 2, 2**32 - 1, 0, 3)] == [0, 0, 0, 2]
    assert sequence.lost == 2
    assert sequence.loss == pytest.approx(2 / 6)
    sequence.note(3)  # a repetition is no loss
    sequence.note(1)  # a sender begun anew neither
    sequence.restart()
    assert sequence.note(500) == 0
    assert sequence.lost == 2
