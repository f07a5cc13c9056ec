"""Texts that would be orders to a terminal, and whether one would only show them."""

HOSTILE = [
    '[/] and [bold]x[i] :smile:',
    '\x1b[2J\x1b[1;1Hgone',
    '\x1b]0;title\x07\x1b]52;c;aGVsbG8=\x1b\\',
    '\x9b31mred\x85\x90q\x9c',
    'over\rwritten\b\b\x7f\x00',
    '\u202egnihtemos\u2066',
    'half \ud83d of it',
]


def harmless(text):
    """Tell whether a terminal would only show it."""
    return not any(
        (ord(c) < 32 and c not in '\n\t') or 127 <= ord(c) < 160 or c in '\u202e\u2066'
        for c in text
    )
