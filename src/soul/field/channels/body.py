"""Her body: strength, what her last acts felt like, what it senses, and its warnings."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterable
from typing import Any

from soul.field.channels.base import Channel, Setting
from soul.field.item import clip
from soul.field.memory import HabitMemory
from soul.field.readings import ChannelReading, ItemUpdate, Moment, within
from soul.signals import BodyState, Energy, Outcome, SenseEvent, SenseKind, Turn

#: Calls that are no acting.
PASSIVE = frozenset({'sleep', 'wait', 'attend', 'body_status'})
#: A longer one, of very many calls, is kept as a digest, characters.
LONGEST_HABIT = 4000
#: So many tools of a waking are named at most.
MOST_TOOLS = 8
#: The battery's slope is measured over at least this, s.
SLOPE_SECONDS = 60.0
#: Energy from which on she has each of the words for it.
STRENGTHS = (0.75, 0.5, 0.3, 0.1)


class BodyChannel(Channel):
    """The body's readings as she feels them.

    Predicts `body.burn` (tokens of a waking), `body.latency` (its seconds), `body.tool_fail`, and
    where the body senses them `body.battery_slope` (percent an hour, charging counts as 0),
    `body.temperature` (degrees Celsius) and `body.touch`.
    """

    name = 'body'
    hears = (Energy, BodyState, SenseEvent, Turn)

    def __init__(self, setting: Setting) -> None:
        self._words = setting.words
        self._cleaner = setting.cleaner
        self._config = setting.config
        self._energy: Energy | None = None
        self._state: BodyState | None = None
        self._turn: Turn | None = None  # since the last tick
        self._charge: tuple[float, float] | None = None  # when, 0..1
        self._touched = False
        self._acted = False
        self._habit = ''  # what her last waking did, as one text
        self._repeats = 0

    # --- hearing ----------------------------------------------------------------------------

    def hear(self, signal: Any, now: float) -> ChannelReading | None:
        """Feel a signal of the body, or the end of a waking."""
        if isinstance(signal, Energy):
            self._energy = signal
        elif isinstance(signal, BodyState):
            self._state = signal
        elif isinstance(signal, Turn):
            self._live(signal)
        elif isinstance(signal, SenseEvent):
            return self._feel(signal)
        return None

    def _feel(self, event: SenseEvent) -> ChannelReading:
        if event.kind == SenseKind.TOUCHED:
            self._touched = True
        detail = self._cleaner.clean(event.detail, self._config.percept_limit)
        # a body may have kinds of its own: they are words from outside like any other
        kind = self._cleaner.name(event.kind.replace('_', ' '))
        words = self._words.maybe('senses', event.kind) or kind.text
        update = ItemUpdate(
            f'sense/{kind.text.replace(" ", "_")}',
            'sense',
            'body',
            f'{words} ({detail.text})' if detail.text else words,
            words,
            salience=0.3 + 0.4 * within(event.magnitude, 0.0, 1.0),
            marked=detail.marked or kind.marked,
        )
        events = ['body', update.key.replace('sense/', 'body/', 1)]
        # the same event again is a new happening: what is left of the old one goes
        return ChannelReading(self.name, updates=[update], events=events, clear=[update.key])

    def _live(self, turn: Turn) -> None:
        self._turn = turn
        self._acted = any(call.ok and call.name not in PASSIVE for call in turn.calls)
        # A waking that failed neither repeats nor differs, nor does one in which nobody thought.
        if turn.outcome != Outcome.SLEPT or not (turn.calls or turn.reply_digest):
            return
        calls = [f'{call.name} {call.args_digest}' for call in turn.calls]
        habit = '\n'.join([*calls, turn.reply_digest])
        if len(habit) > LONGEST_HABIT:
            digest = hashlib.blake2b(habit.encode('utf-8', 'replace'), digest_size=16)
            habit = digest.hexdigest()
        self._repeats = self._repeats + 1 if habit == self._habit else 0
        self._habit = habit

    # --- sensing ----------------------------------------------------------------------------

    def sense(self, moment: Moment) -> ChannelReading:
        """Feel the body now."""
        reading = ChannelReading(self.name)
        if self._energy is not None:
            reading.updates.append(self._strength(self._energy))
        if self._turn is not None:
            self._feel_turn(self._turn, reading)
            self._turn = None
        self._feel_state(moment, reading)
        self._warn(moment, reading)
        return reading

    def _strength(self, energy: Energy) -> ItemUpdate:
        level = 1.0 if math.isnan(energy.level) else within(energy.level, 0.0, 1.0)
        if self._words.figures:
            left = max(0, energy.tokens_limit - energy.tokens_used)
            text = self._words.say(
                'energy_figures', percent=round(100 * level), tokens=f'{left:,}'
            )
        else:
            below = sum(level < strength for strength in STRENGTHS)
            text = self._words.pick('energy_words', below)
        return ItemUpdate(
            'gauge/energy',
            'energy',
            'body',
            text,
            salience=0.15 + 0.6 * (1.0 - level) ** 2,
            valence=-2.0 * (0.35 - level) if level < 0.35 else 0.1 * (level - 0.5),
            level=True,
            anchor=True,
        )

    def _feel_turn(self, turn: Turn, reading: ChannelReading) -> None:
        say = self._words.say
        hands = [call for call in turn.calls if call.name != 'sleep']
        failed = self._names(call.name for call in hands if not call.ok)
        join = self._words.say('and').join if len(hands) == 2 else ', '.join
        if turn.outcome == Outcome.FAILED:
            why = clip(self._cleaner.clean(turn.detail, 4 * 120).text, 120)
            text, valence, salience = say('broke_off', why=why), -0.45, 0.7
        elif hands:
            text = say('used', tools=join(self._names(call.name for call in hands)))
            valence, salience = 0.15, 0.3
            if failed:
                text += '; ' + say('failed_tools', tools=', '.join(failed))
                valence, salience = -0.25, 0.6
        else:
            text, valence, salience = say('only_thought'), 0.0, 0.25
        reading.updates.append(
            ItemUpdate(
                'gauge/body',
                'body',
                'body',
                text,
                clip(text, 48),
                say('body_trace'),
                salience,
                valence,
                level=True,
                anchor=True,
            )
        )
        tokens = turn.tokens_in + turn.tokens_out
        if tokens:
            reading.features['body.burn'] = float(tokens)
        if turn.duration > 0:
            reading.features['body.latency'] = turn.duration
        if hands:
            reading.features['body.tool_fail'] = float(bool(failed))

    def _names(self, names: Iterable[str]) -> list[str]:
        """Name tools: a model may call what does not exist by any name."""
        different = list(itertools.islice(dict.fromkeys(names), MOST_TOOLS + 1))
        named = [self._cleaner.name(name).text for name in different[:MOST_TOOLS]]
        return named + (['…'] if len(different) > MOST_TOOLS else [])

    def _feel_state(self, moment: Moment, reading: ChannelReading) -> None:
        state = self._state
        felt = state.feelings[:MOST_TOOLS] if state is not None else ()
        feelings = ', '.join(self._cleaner.name(feeling).text for feeling in felt)
        if feelings:
            reading.updates.append(
                ItemUpdate(
                    'gauge/feelings',
                    'body',
                    'body',
                    feelings,
                    salience=0.2,
                    level=True,
                    anchor=True,
                )
            )
        else:
            reading.clear.append('gauge/feelings')
        if state is None:
            return
        if math.isfinite(state.temperature):
            reading.features['body.temperature'] = state.temperature
        reading.features['body.touch'] = float(self._touched)
        self._touched = False
        if math.isfinite(state.charge):
            before, self._charge = self._charge, (moment.now, state.charge)
            if before is not None and moment.now - before[0] >= SLOPE_SECONDS:
                lost = 100.0 * (before[1] - state.charge)
                hours = (moment.now - before[0]) / 3600.0
                reading.features['body.battery_slope'] = max(0.0, lost / hours)
            elif before is not None:
                self._charge = before

    def _warn(self, moment: Moment, reading: ChannelReading) -> None:
        say = self._words.say
        if self._repeats >= self._config.repetition_felt:
            text, gist = say('repeating'), say('repeating_gist')
            reading.updates.append(_warning('repeating', text, gist, 0.85, -0.5))
        else:
            reading.clear.append('alert/repeating')
        circling = moment.dwell >= self._config.rumination_ticks
        if circling and not self._acted and moment.focus:
            text = say('circling', focus=f'“{moment.focus}”', ticks=moment.dwell)
            reading.updates.append(_warning('circling', text, say('circling_gist'), 0.6, -0.3))
        else:
            reading.clear.append('alert/circling')

    # --- what survives ----------------------------------------------------------------------

    def memory(self) -> HabitMemory:
        """Return her habit; everything else comes again by itself."""
        return HabitMemory(self._habit, self._repeats, self._acted)

    def restore(self, memory: HabitMemory) -> None:
        """Have the same habit."""
        self._habit = memory.habit[:LONGEST_HABIT]
        self._repeats = min(10_000, max(0, memory.repeats))
        self._acted = memory.acted


def acted(turn: Turn) -> bool:
    """Whether she did something in a waking beyond looking and resting."""
    return any(call.ok and call.name not in PASSIVE for call in turn.calls)


def _warning(name: str, text: str, gist: str, salience: float, valence: float) -> ItemUpdate:
    return ItemUpdate(
        f'alert/{name}', 'alert', 'body', text, gist, '', salience, valence, level=True
    )


def make(setting: Setting) -> BodyChannel:
    """Make the channel that the plugin list names, for the setting of one life."""
    return BodyChannel(setting)
