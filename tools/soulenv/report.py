"""What setup says while it works, and how it fails: what is wrong, and what to do next."""

import sys
import time


class SetupError(Exception):
    """Setup cannot go on; carries what a person can do about it.

    This module is also read by interpreters too old for soul, hence its plain syntax.
    """

    def __init__(self, what, next_step):
        super().__init__(what)
        self.what = what
        self.next_step = next_step

    def __str__(self):
        """Two paragraphs: the fault, then the way out."""
        return '{}\n  What to do: {}'.format(self.what, self.next_step)


def say(text):
    """Print one line at once, also through a pipe."""
    print(text, flush=True)


class Step:
    """A context manager that prints what begins and how long it took."""

    def __init__(self, title):
        self.title = title

    def __enter__(self):
        say('--> ' + self.title)
        self.begun = time.monotonic()
        return self

    def __exit__(self, kind, error, trace):
        seconds = time.monotonic() - self.begun
        say('    {} after {:.1f} s'.format('failed' if kind else 'done', seconds))


class Ticker:
    """Show the newest line of a long command: in place on a terminal, else now and then."""

    PAUSE = 20.0

    def __init__(self, stream=None, clock=time.monotonic):
        self.stream = stream or sys.stdout
        self.live = self.stream.isatty()
        self.clock = clock
        self.shown = clock()

    def show(self, line):
        """Show the line, if it is time to."""
        text = line.strip()[:90]
        if self.live:
            self.stream.write('\r\033[K    ' + text)
        elif self.clock() - self.shown >= self.PAUSE and text:
            self.shown = self.clock()
            self.stream.write('    ... ' + text + '\n')
        self.stream.flush()

    def clear(self):
        """Leave no half line behind."""
        if self.live:
            self.stream.write('\r\033[K')
            self.stream.flush()
