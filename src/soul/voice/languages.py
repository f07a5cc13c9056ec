"""Languages that she can be given voice and ears for, by their short names (ISO 639)."""

from __future__ import annotations

#: Those that she speaks and hears.
SPOKEN = ('en', 'ja', 'zh')
_NAMES = (
    'af am ar as az ba be bg bn bo br bs ca cs cy da de el es et eu fa fi fo fr gl gu ha haw he '
    'hi hr ht hu hy id is it jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne '
    'nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt '
    'uk ur uz vi yi yo'
)
#: Those that she only hears: what Whisper was taught beside them.
ONLY_HEARD = tuple(_NAMES.split())


class UnknownLanguage(ValueError):
    """There are neither voice nor ears for it; says which there are."""


def language_of(name: str) -> str:
    """Return a language's short name, also where it stands with a country, as in en-US.

    Raises
    ------
    UnknownLanguage
        If nothing here knows it.
    """
    short = name.strip().lower().replace('_', '-').partition('-')[0]
    if short not in SPOKEN and short not in ONLY_HEARD:
        raise UnknownLanguage(
            f'there is no language {name[:40]!r} here; she speaks and hears {", ".join(SPOKEN)}, '
            f'and only hears {", ".join(ONLY_HEARD)}'
        )
    return short
