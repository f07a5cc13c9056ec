"""What woke her, in words."""

from __future__ import annotations

from collections.abc import Sequence

from soul.field.clean import Cleaner
from soul.field.item import clip
from soul.field.words import FieldWords
from soul.signals import Wake, WakeCause

#: Longest reason that is shown, characters; so many at most.
LONGEST, MOST = 200, 4
#: So many reasons are looked at; those without a word are among them.
MOST_LOOKED = 64
_KNOWN = (
    WakeCause.SPONTANEOUS,
    WakeCause.CHOSEN,
    WakeCause.SENSE,
    WakeCause.SURPRISE,
    WakeCause.OPERATOR,
)


def wake_text(wake: Wake, senders: Sequence[str], words: FieldWords, cleaner: Cleaner) -> str:
    """Say what woke her.

    Parameters
    ----------
    senders
        Who wrote the messages of this wake, cleaned.
    """
    parts = []
    if WakeCause.MESSAGE in wake.causes:
        who = words.say('and').join(dict.fromkeys(senders)) or words.say('woke.somebody')
        parts.append(words.say('woke.message', who=who))
    parts += [words.say(f'woke.{cause}') for cause in _KNOWN if cause in wake.causes]
    shown = []
    for reason in wake.reasons[:MOST_LOOKED]:
        text = clip(cleaner.clean(reason, 4 * LONGEST).text, LONGEST)
        if text:
            shown.append(words.say('reason', reason=text))
    return ' '.join(parts + shown[:MOST])
