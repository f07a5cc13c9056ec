"""What others have said, fit for a terminal or a log: signs, never orders to the terminal."""

from __future__ import annotations

import re

#: Whole sequences first, so that no rest of them stays: CSI, then OSC, DCS and the like with what
#: they carry, then short ones. The length of what is carried is bounded, so the time is linear.
_SEQUENCES = re.compile(
    '(?:\x1b\\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]?'
    '|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]{0,2048}(?:\x07|\x1b\\\\|\x9c)?'
    '|\x1b[ -/]{0,8}[0-~]?'
)
#: Other control characters but tab and newline, and what turns the direction of writing over.
_CONTROLS = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]')
_LINE_ENDS = re.compile('\r\n?')


def printable(text: str, limit: int = 0) -> str:
    """Return a text without terminal sequences, control characters and half characters.

    Parameters
    ----------
    limit
        Longest result, characters; what is cut off is counted at its end. 0: none.
    """
    left_out = 0
    if limit and len(text) > limit:
        left_out, text = len(text) - limit, text[:limit]
    if not (text.isascii() and text.isprintable()):
        text = _LINE_ENDS.sub('\n', text)
        text = _CONTROLS.sub('', _SEQUENCES.sub('', text))
        text = text.encode('utf-8', 'replace').decode('utf-8')
    return f'{text} ... ({left_out} more characters)' if left_out else text


def clean_text(text: str) -> str:
    """Replace what a ROS string cannot carry: NUL and lone surrogates."""
    if text.isascii():
        return text.replace('\0', '\ufffd') if '\0' in text else text
    return text.replace('\0', '\ufffd').encode('utf-8', 'replace').decode('utf-8')
