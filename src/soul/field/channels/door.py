"""The door: who comes with a message, and what waits to be done."""

from __future__ import annotations

from soul.field.channels.base import Channel, Setting
from soul.field.item import clip
from soul.field.memory import TasksMemory
from soul.field.readings import ChannelReading, ItemUpdate, Moment
from soul.signals import Message, Task, TaskList

#: Sources of tasks, and tasks of one; a program that makes up sources must not fill her memory.
MOST_SOURCES, MOST_TASKS = 64, 256
#: Longest name of a source or id of a task, characters.
LONGEST_NAME = 200
#: A remembered source of tasks that has not told its list so long after the start is gone, s.
SILENCE = 60.0


class DoorChannel(Channel):
    """Messages and tasks. Predicts `door.arrival`: whether somebody or something comes."""

    name = 'door'
    hears = (Message, TaskList)

    def __init__(self, setting: Setting) -> None:
        self._words = setting.words
        self._cleaner = setting.cleaner
        self._limit = setting.config.percept_limit
        self._arrived = False  # since the last tick
        self._tasks: dict[str, tuple[str, ...]] = {}  # source -> ids as they were told last
        self._unheard: dict[str, float] = {}  # remembered sources -> when the wait began

    def hear(self, signal: Message | TaskList, now: float) -> ChannelReading:
        """Take a message that the door has accepted, or a list of tasks."""
        if isinstance(signal, Message):
            self._arrived = True
            update = self.update(signal)
            sender = self._cleaner.name(signal.sender).text
            return ChannelReading(self.name, updates=[update], events=['door', f'door/{sender}'])
        return self._told(signal)

    def update(self, message: Message, new: bool = True) -> ItemUpdate:
        """Return how a message looks in her field."""
        text, sender = self._cleaner.clean(message.text), self._cleaner.name(message.sender)
        return ItemUpdate(
            message.id,
            'message',
            'door',
            f'{sender.text}: {text.text}',
            f'{sender.text}: {clip(text.text, 48)}',
            salience=0.85,
            valence=-0.3,
            new=new,
            marked=text.marked or sender.marked,
        )

    def _told(self, told: TaskList) -> ChannelReading:
        source = told.source[:LONGEST_NAME]
        self._unheard.pop(source, None)
        before = self._tasks.pop(source, ())
        tasks = {task.id[:LONGEST_NAME]: task for task in told.tasks[:MOST_TASKS]}
        self._tasks[source] = tuple(tasks)  # the newest source is the last
        resolve = [_key(source, i) for i in before if i not in tasks]
        while len(self._tasks) > MOST_SOURCES:
            oldest = next(iter(self._tasks))
            self._unheard.pop(oldest, None)
            resolve += [_key(oldest, i) for i in self._tasks.pop(oldest)]
        new = not set(tasks).issubset(before)
        self._arrived = self._arrived or new
        return ChannelReading(
            self.name,
            updates=[self._task(_key(source, i), task) for i, task in tasks.items()],
            resolve=resolve,
            events=['door', f'door/{self._cleaner.name(source).text}'] if new else [],
        )

    def _task(self, key: str, task: Task) -> ItemUpdate:
        cleaned = self._cleaner.clean(task.text, self._limit)
        priority = min(1.0, max(0.0, task.priority)) if task.priority == task.priority else 0.0
        return ItemUpdate(
            key,
            'task',
            'door',
            self._words.say('task', text=cleaned.text),
            self._words.say('task', text=clip(cleaned.text, 48)),
            salience=0.6 + 0.25 * priority,
            valence=-0.15,
            marked=cleaned.marked,
        )

    def sense(self, moment: Moment) -> ChannelReading:
        """Say whether anybody came; let the tasks of sources that are gone be resolved."""
        reading = ChannelReading(self.name, {'door.arrival': float(self._arrived)})
        self._arrived = False
        for source, since in list(self._unheard.items()):
            if since != since:  # the wait begins with the first tick
                self._unheard[source] = moment.now
            elif moment.now - since >= SILENCE:
                del self._unheard[source]
                reading.resolve += [_key(source, i) for i in self._tasks.pop(source, ())]
        return reading

    def memory(self) -> TasksMemory:
        """Return the tasks, and whether somebody came since the last tick."""
        return TasksMemory(dict(self._tasks), self._arrived)

    def restore(self, memory: TasksMemory) -> None:
        """Wait for the sources to tell their lists again."""
        kept = list(memory.tasks.items())[-MOST_SOURCES:]
        self._tasks = {
            source[:LONGEST_NAME]: tuple(task_id[:LONGEST_NAME] for task_id in ids[:MOST_TASKS])
            for source, ids in kept
        }
        self._arrived = memory.arrived
        self._unheard = dict.fromkeys(self._tasks, float('nan'))


def _key(source: str, task_id: str) -> str:
    return f'task/{source}/{task_id}'


def make(setting: Setting) -> DoorChannel:
    """Make the channel that the plugin list names, for the setting of one life."""
    return DoorChannel(setting)
