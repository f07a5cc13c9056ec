"""What she does with her attention: the actions of `field/attend`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from soul.field.clean import Cleaner
from soul.field.expectations import LONGEST, SHORTEST, within_limits
from soul.field.field_model import MOST_HELD, FieldModel
from soul.field.item import FULL, Item, clip
from soul.field.readings import ItemUpdate
from soul.signals import AttendAction, AttendRequest

#: What a tool showed is kept so far in her field, characters; she has read the whole already.
SEEN_LENGTH = 600
#: Of a note, an intention, an expectation or a topic.
OWN_LENGTH = 1000
#: Salience and valence of an intention.
INTENDED = (0.7, 0.1)
#: So much of it is looked at; spaces that it has too many of are left out.
OWN_LOOK = 4 * OWN_LENGTH
#: Actions whose loss at a sudden death would be no loss.
FLEETING = frozenset(
    {AttendAction.FOCUS, AttendAction.UNFOCUS, AttendAction.SEEN, AttendAction.LOOK}
)


class Attend:
    """Carries out what she asks of her attention.

    Parameters
    ----------
    dismiss
        Told the key of what she resolves.
    """

    def __init__(
        self, world: FieldModel, cleaner: Cleaner, dismiss: Callable[[str], None]
    ) -> None:
        self._world = world
        self._cleaner = cleaner
        self._dismiss = dismiss
        self.said = ''  # how what was done differs from what was asked; empty: not at all

    def do(self, request: AttendRequest, now: float) -> str:
        """Do it; the answer is empty, or says why it cannot be done. See :attr:`said`, too."""
        self.said = ''
        item = self._find(request.item)
        if request.item and item is None:
            return f'there is no item {self._cleaner.name(request.item).text} in the field'
        action = request.action
        if action in (AttendAction.HOLD, AttendAction.RELEASE, AttendAction.RESOLVE):
            return self._handle(action, item)
        if action == AttendAction.FOCUS:
            return self._focus(request, item)
        if action == AttendAction.UNFOCUS:
            self._world.attention.choose(self._world.items)
            return ''
        if action in (AttendAction.NOTE, AttendAction.INTEND, AttendAction.EXPECT):
            return self._think(request, now)
        if action == AttendAction.SEEN:
            return self._see(request, now)
        if action == AttendAction.LOOK:
            return ''
        return f'unknown action {self._cleaner.name(action).text!r}'

    def _find(self, name: str) -> Item | None:
        items = self._world.items
        item = items.get(name.strip('[] ')) or items.by_key(name)
        # what stands in the head of the view or flashes is nothing to act on by name
        return item if item is None or item.placed else None

    @property
    def _room(self) -> bool:
        """Whether one more thing may be held."""
        return int(self._world.items.rows['held'].sum()) < MOST_HELD

    def _handle(self, action: str, item: Item | None) -> str:
        if item is None:
            return f'{action} needs an item'
        if action == AttendAction.RELEASE:
            item.held = False
        elif action == AttendAction.RESOLVE:
            item.resolve()
            self._dismiss(item.key)
            if item.kind == 'expectation':
                self._world.prediction.expectations.forget(item.key.removeprefix('expect/'))
        elif not item.held:
            if not self._room:
                return f'{MOST_HELD} things are held already; release one first'
            item.held, item.fidelity = True, FULL
        return ''

    def _focus(self, request: AttendRequest, item: Item | None) -> str:
        world = self._world
        if item is not None:
            world.attention.choose(world.items, item.id)
            return ''
        if request.text.strip():
            topic = clip(self._cleaner.clean(request.text, OWN_LOOK).text, OWN_LENGTH)
            world.attention.choose(world.items, topic=topic)
            return ''
        if not request.source:
            return 'focus needs an item, a text or a source'
        from_there = [i for i in world.items if i.source == request.source and i.placed]
        if not from_there:
            source = self._cleaner.name(request.source).text
            return f'there is nothing from {source} in the field'
        loudest = max(from_there, key=lambda i: (not i.resolved, i.salience))
        world.attention.choose(world.items, loudest.id)
        return ''

    def _think(self, request: AttendRequest, now: float) -> str:
        world, say = self._world, self._world.words.say
        text = clip(self._cleaner.clean(request.text, OWN_LOOK).text, OWN_LENGTH)
        if not text:
            return f'{request.action} needs a text'
        if request.action == AttendAction.NOTE:
            world.put(ItemUpdate('', 'note', 'self', text, valence=0.05, own=True), now)
        elif request.action == AttendAction.INTEND:
            intention = say('intention', text=text)
            update = ItemUpdate('', 'intention', 'self', intention, '', '', *INTENDED, own=True)
            item = world.put(update, now)
            item.held = self._room  # what she means to do does not slip away
        else:
            asked = request.within / 60.0
            minutes = within_limits(asked)
            if asked not in (0.0, minutes):
                self.said = f'within {minutes:g} minutes: allowed are {SHORTEST:g} to {LONGEST:g}'
            try:
                made = world.prediction.expectations.expect(
                    text, clip(self._cleaner.clean(request.channel, 200).text, 200), minutes, now
                )
            except ValueError as wrong:
                return str(wrong)
            source = world.words.source(made.channel)
            clock = world.words.clock(made.deadline)
            world.put(
                ItemUpdate(
                    f'expect/{made.id}',
                    'expectation',
                    'self',
                    say('expectation', text=text, channel=source, clock=clock),
                    say('expectation_gist', text=clip(text, 40)),
                    salience=0.55,
                    level=True,
                    own=True,
                ),
                now,
            )
        return ''

    def _see(self, request: AttendRequest, now: float) -> str:
        cleaned = self._cleaner.clean(request.text, 4 * SEEN_LENGTH)
        if not cleaned.text:
            return 'seen needs a text'
        source = self._cleaner.name(request.source).text or 'self'
        text = cleaned.text
        if len(text) > SEEN_LENGTH:
            text = text[: SEEN_LENGTH - 1] + '…'
        digest = hashlib.blake2b(request.text.encode('utf-8', 'replace'), digest_size=8)
        world = self._world
        item = world.put(
            ItemUpdate(
                f'seen/{source}/{digest.hexdigest()}',
                'seen',
                source,
                f'{source} → {text}',
                f'{source}: {clip(text, 48)}',
                salience=0.65,
                valence=0.05,
                own=True,
                marked=cleaned.marked,
            ),
            now,
        )
        # looking is focusing; it is no decision to leave what she was at before
        world.attention.look(world.items, item.id)
        return ''
