"""Draws the figures of the documentation into docs/figures; needs the extra `figures`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.heart_life import HeartLife
from soul.signals import WakeCause

FOLDER = Path(__file__).resolve().parent.parent / 'docs' / 'figures'
COLOURS = {'message': 'tab:red', 'dream': 'tab:purple', 'spontaneous': 'tab:blue'}


def two_weeks() -> tuple[HeartLife, Any]:
    """The default test life, two weeks of it after a week to settle."""
    life = HeartLife(seed=4)
    life.live(7.5)
    life.lived.wakes.clear()
    life.lived.states.clear()
    life.sample(300.0)
    return life, life.live(14)


def draw_heart(pyplot: Any) -> dict[str, Any]:
    """The heart: drives, sleep, rate over three days; wakes over two weeks."""
    life, lived = two_weeks()
    begin = lived.states[0].stamp
    three = [s for s in lived.states if s.stamp < begin + 3 * 86400]
    hours = [(s.stamp - begin) / 3600 for s in three]

    def over_time(title: str, height: float = 2.6) -> tuple[Any, Any]:
        figure, axes = pyplot.subplots(figsize=(9, height), layout='constrained')
        for asleep, until in lived.asleep:
            left, right = (asleep - begin) / 3600, (until - begin) / 3600
            if right > 0 and left < 72:
                axes.axvspan(max(0, left), min(72, right), color='0.9')
        axes.set(title=title, xlim=(0, 72), xlabel='hours since midnight; grey: asleep')
        axes.set_xticks(range(0, 73, 6))
        return figure, axes

    figures = {}
    figure, axes = over_time('Drives')
    names = [drive.name for drive in three[0].drives]
    for name in ('curiosity', 'expression', 'longing'):
        at = names.index(name)
        axes.plot(hours, [s.drives[at].level for s in three], label=name, linewidth=1.2)
    mean = [s.mean_drive for s in three]
    axes.plot(hours, mean, label='weighted mean', linewidth=1.2, color='k')
    axes.set_ylim(0, 1)
    axes.legend(ncols=4, fontsize=8, loc='lower right')
    figures['heart_drives'] = figure

    figure, axes = over_time('Sleep pressure S and circadian C')
    axes.plot(hours, [s.sleep_pressure for s in three], label='S', color='tab:red')
    axes.plot(hours, [s.circadian for s in three], label='C', color='tab:blue')
    upper = [s.circadian + 0.35 for s in three]
    lower = [s.circadian - 0.15 for s in three]
    axes.plot(hours, upper, ':', color='0.4', linewidth=1, label='falls asleep above, wakes below')
    axes.plot(hours, lower, ':', color='0.4', linewidth=1)
    axes.set_ylim(0, 1)
    axes.legend(ncols=3, fontsize=8, loc='lower right')
    figures['heart_sleep'] = figure

    figure, axes = over_time('Wake rate and wakes')
    axes.plot(hours, [s.rate_per_hour for s in three], color='tab:green', linewidth=1)
    axes.set_ylabel('1/h')
    top = max(s.rate_per_hour for s in three)
    for cause, colour in COLOURS.items():
        at = [(t - begin) / 3600 for t, c in lived.wakes if c == cause and t < begin + 3 * 86400]
        axes.plot(at, [-0.08 * top] * len(at), '|', color=colour, markersize=9, label=cause)
    axes.legend(ncols=3, fontsize=8, loc='upper right')
    figures['heart_rate'] = figure

    figure, axes = pyplot.subplots(figsize=(9, 3.2), layout='constrained')
    first = datetime.fromtimestamp(begin, life.zone).date()

    def place(at: float) -> tuple[int, float]:
        when = datetime.fromtimestamp(at, life.zone)
        return (when.date() - first).days, when.hour + when.minute / 60

    for asleep, until in lived.asleep:
        (day, left), (next_day, right) = place(asleep), place(until)
        if day == next_day:
            axes.barh(day, right - left, left=left, color='0.9', height=0.9)
        else:
            axes.barh(day, 24 - left, left=left, color='0.9', height=0.9)
            axes.barh(next_day, right, left=0, color='0.9', height=0.9)
    for cause, colour in COLOURS.items():
        places = [place(t) for t, c in lived.wakes if c == cause]
        marks = [hour for _, hour in places], [day for day, _ in places]
        axes.plot(*marks, 'o', color=colour, markersize=3.5, label=cause)
    axes.set(title='Wakes over two weeks; grey: asleep', xlabel='local hour', ylabel='day')
    axes.set(xlim=(0, 24), ylim=(13.6, -0.6), xticks=range(0, 25, 3))
    axes.legend(fontsize=8, loc='lower left')
    figures['heart_wakes'] = figure
    if not any(cause == WakeCause.DREAM for _, cause in lived.wakes):
        raise RuntimeError('two weeks without a dream')
    return figures


DRAWERS: Sequence[Callable[[Any], dict[str, Any]]] = (draw_heart,)


def main() -> int:
    """Draw them all."""
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is missing: pip install -e '.[figures]'", file=sys.stderr)
        return 1
    matplotlib.use('Agg')
    from matplotlib import pyplot

    FOLDER.mkdir(parents=True, exist_ok=True)
    for drawer in DRAWERS:
        for name, figure in drawer(pyplot).items():
            path = FOLDER / f'{name}.png'
            # without the date and version, so that the same picture is the same file
            figure.savefig(path, dpi=80, metadata={'Software': None})
            pyplot.close(figure)
            print(f'{path.relative_to(FOLDER.parent.parent)}  {path.stat().st_size // 1024} KiB')
    return 0


if __name__ == '__main__':
    sys.exit(main())
