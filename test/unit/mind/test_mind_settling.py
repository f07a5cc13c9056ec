"""A turn that begins: the request first, then the disk, then the others, and no deed before it."""

import asyncio
import json

from soul.signals import MindState, WakeId
from soul.store import Journal
from support.minds import Player, World, calls, make, until, view


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 20))


class Disk:
    """Notes in which order things happen; can refuse to be synced."""

    def __init__(self, monkeypatch):
        self.events = []
        self.refuses = False
        sync = Journal.sync

        def noted(journal):
            if self.refuses:
                raise OSError(28, 'No space left on device')
            sync(journal)
            self.events.append('synced')

        monkeypatch.setattr(Journal, 'sync', noted)


class Noted(World):
    """A world that notes when it is told that a wake has begun."""

    def __init__(self, events):
        super().__init__()
        self.events = events

    def ports(self):
        ports = super().ports()
        emit = ports.emit

        def heard(signal):
            if isinstance(signal, MindState) and signal.begun == WakeId(7, 1):
                self.events.append('told')
            emit(signal)

        object.__setattr__(ports, 'emit', heard)
        return ports


class Held(Player):
    """Notes when it is asked, and answers when it may."""

    def __init__(self, events, *completions):
        super().__init__(*completions)
        self.events = events
        self.go = asyncio.Event()

    async def complete(self, request, heard):
        self.events.append('asked')
        await self.go.wait()
        return await super().complete(request, heard)


def ledger(tmp_path):
    lines = (tmp_path / 'sessions' / 'life.jsonl').read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_the_model_is_asked_before_the_disk_is_waited_for_and_others_hear_it_after(
    tmp_path, monkeypatch
):
    disk = Disk(monkeypatch)

    async def life():
        world = Noted(disk.events)
        player = Held(disk.events, calls(('sleep', '{}')))
        mind = make(tmp_path, player, world)
        mind.start()
        mind.activate()
        mind.on_view(view(1))
        await until(lambda: 'asked' in disk.events)
        assert any(e['kind'] == 'begun' for e in ledger(tmp_path)), 'it survives a kill'
        await until(lambda: 'told' in disk.events)
        assert disk.events[:3] == ['asked', 'synced', 'told']
        player.go.set()
        await until(lambda: world.turns)
        await mind.close()

    run(life())


def test_no_deed_is_done_before_the_disk_knows_that_the_turn_has_begun(tmp_path, monkeypatch):
    disk = Disk(monkeypatch)
    monkeypatch.setattr('soul.mind.turns.SETTLE_SECONDS', 60.0)

    async def life():
        world = Noted(disk.events)
        player = Held(disk.events, calls(('diary', '{"text": "a deed"}')), calls(('sleep', '{}')))
        player.go.set()
        mind = make(tmp_path, player, world)
        mind.start()
        mind.activate()
        mind.on_view(view(1))
        await until(lambda: world.turns)
        assert disk.events.index('synced') < disk.events.index('told')
        assert disk.events[:2] == ['asked', 'synced']
        await mind.close()

    run(life())


def test_a_disk_that_is_full_when_the_turn_settles_costs_the_turn_and_no_deed_is_done(
    tmp_path, monkeypatch
):
    disk = Disk(monkeypatch)

    async def life():
        world = Noted(disk.events)
        player = Player(calls(('diary', '{"text": "a deed"}')), calls(('sleep', '{}')))
        mind = make(tmp_path, player, world)
        mind.start()
        mind.activate()
        disk.refuses = True
        mind.on_view(view(1))
        await until(lambda: world.turns)
        turn = world.turns[0]
        assert turn.outcome == 'failed'
        assert 'No space left' in turn.detail
        assert not turn.calls, 'nothing was done'
        disk.refuses = False
        await mind.close()

    run(life())
