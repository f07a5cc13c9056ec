"""Which language a stretch of text is in, by its letters: a voice reads only its own."""

from __future__ import annotations

from collections.abc import Collection


def is_kana(char: str) -> bool:
    """Whether a character is one of the Japanese syllables."""
    return '\u3041' <= char <= '\u30ff' or '\uff66' <= char <= '\uff9f'


def is_han(char: str) -> bool:
    """Whether a character is Chinese, or a kanji."""
    return '\u3400' <= char <= '\u9fff' or '\uf900' <= char <= '\ufaff' or char == '々'


def is_wide(text: str) -> bool:
    """Whether a text is mostly in letters of Chinese or Japanese."""
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(is_han(char) or is_kana(char) for char in letters) > len(letters)


def by_language(text: str, own: str, others: Collection[str]) -> list[tuple[str, str]]:
    """Cut a text where its language changes.

    Parameters
    ----------
    own
        Language of the voice: digits and marks belong to it, and all that no other can read.
    others
        Languages that there are voices for.

    Returns
    -------
    list
        Language and stretch, in order.
    """
    parts: list[tuple[str, str]] = []
    for word, language in _words(text, own):
        taken = language if language == own or language in others else own
        if parts and (parts[-1][0] == taken):
            parts[-1] = (taken, parts[-1][1] + word)
        else:
            parts.append((taken, word))
    return [(language, part.strip()) for language, part in parts if part.strip()]


def _words(text: str, own: str) -> list[tuple[str, str]]:
    """Cut into runs of one kind of letters, each with what stands behind it until the next."""
    runs: list[tuple[str, str]] = []
    for char in text:
        language = _language(char, own)
        if runs and (not language or runs[-1][1] in ('', language)):
            word, before = runs[-1]
            runs[-1] = (word + char, before or language)
        else:
            runs.append((char, language))
    return [(word, language or own) for word, language in runs]


def _language(char: str, own: str) -> str:
    """Language of a letter; empty: it is of none."""
    if is_kana(char):
        return 'ja'
    if is_han(char):
        return 'ja' if own == 'ja' else 'zh'
    if char.isascii() and char.isalpha():
        return 'en' if own in ('zh', 'ja') else own
    return ''
