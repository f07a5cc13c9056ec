"""`soul up`: the whole graph in this process, with a running commentary."""

from __future__ import annotations

import threading

from soul.cli.output import Output, styled
from soul.ros.link import RosLink
from soul.ros.runner import Runner
from soul.signals import Connection, MindState, Phase, Reply, View
from soul.store import Home

#: So many messages are remembered as shown.
SHOWN = 200


class Commentary:
    """Tells what runs, how to talk to her, and what goes on.

    Parameters
    ----------
    warms_up
        Whether it takes a while until she can think.
    """

    def __init__(
        self,
        console: Output,
        namespace: str,
        home: Home,
        log_level: str,
        warms_up: bool = False,
    ) -> None:
        self._warms_up = warms_up
        self._console = console
        self._home = home
        self._namespace, self._log_level = namespace, log_level
        self._link: RosLink | None = None
        self._awake = threading.Event()
        self._body = ''
        self._tick = 0
        self._shown: dict[str, None] = {}

    def begin(self, runner: Runner) -> None:
        """Greet once the organs live; who reads no further, as `head` does, ends her."""
        self._console.lost = runner.end
        names = ', '.join(organ.node.get_fully_qualified_name() for organ in runner.organs)
        self._console.print(styled(('soul', 'bold'), f' is running: {names}'))
        self._console.print(f'her home: {self._home}')
        if self._warms_up:
            self._console.print('she comes to herself, about half a minute ...')
        link = self._link = RosLink(self._namespace, self._log_level)
        link.listen('mind/state', MindState, self.on_mind)
        link.listen('connection', Connection, self.on_connection)
        link.listen('field/view', View, self.on_view)
        link.listen('door/reply', Reply, self.on_reply)
        link.start()

    def on_mind(self, state: MindState) -> None:
        """She has changed what she is at."""
        if state.phase != Phase.INACTIVE and not self._awake.is_set():
            self._awake.set()
            self._console.print(
                styled(('she is awake', 'bold green'), f', thinking with {state.model}')
            )
            space = '/' + self._namespace.strip('/')
            where = '' if space == '/soul' else f' --namespace {space}'
            self._console.print(
                'talk to her from another terminal (after `. tools/env.sh` there):\n'
                f'  soul talk{where}        a conversation\n'
                f'  soul status{where}      how she is\n'
                f'  soul echo field/view{where}    what she sees\n'
                'Ctrl-C puts her to rest; she goes on where she was with the next start.'
            )

    def on_connection(self, connection: Connection) -> None:
        """A body has come or gone."""
        body = connection.device if connection.connected else ''
        if body != self._body:
            self._body = body
            gone = f'body {connection.detail}' if connection.asleep else 'body lost'
            text = f'body connected: {body} ({connection.firmware})' if body else gone
            self._console.print(text, style='dim')

    def on_view(self, view: View) -> None:
        """She sees something: messages that came, and that she wakes."""
        for message in view.messages:
            if message.id not in self._shown:
                self._shown[message.id] = None
                self._console.print(styled((message.sender, 'cyan'), ' ', message.text))
        while len(self._shown) > SHOWN:
            del self._shown[next(iter(self._shown))]
        if view.tick > self._tick:
            if self._tick:
                self._console.print(f'she wakes ({", ".join(view.causes)})', style='dim')
            self._tick = view.tick

    def on_reply(self, reply: Reply) -> None:
        """Print what she answers to somebody."""
        self._console.print(styled(('she', 'magenta'), ' ', reply.text))

    def end(self) -> None:
        """Print that she has gone to rest."""
        if self._link is not None:
            self._link.close()
