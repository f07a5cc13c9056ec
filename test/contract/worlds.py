"""The toy and its peer over one transport; both worlds have the same few words."""

import contextlib
import threading
import time

from toys import Peer, Toy

from soul.core.bus import Bus, Seat
from soul.core.keeper import Keeper
from soul.store import Home
from soul.store.atomic import AtomicFile
from soul.store.journal import Journal
from support.waiting import wait_until

#: What the clock of a world shows at first, s.
BEGIN = 1000.0


class Base:
    """A clock that goes and can be moved, a log, and a disk that can be full."""

    def __init__(self, home, monkeypatch):
        self.home = home
        self.reports = []
        self._begun = time.monotonic()
        self._held = 0.0
        self._moved = 0.0
        self.full = False
        for kind, name in ((AtomicFile, 'write'), (Journal, 'append')):
            monkeypatch.setattr(kind, name, self._unless_full(getattr(kind, name)))

    def _unless_full(self, write):
        def written(file, *values, **more):
            if self.full:
                raise OSError(28, 'No space left on device')
            return write(file, *values, **more)

        return written

    def now(self):
        return BEGIN + self._moved + (self._held or time.monotonic()) - self._begun

    def hold_clock(self):
        """Let the organs' clock move by :meth:`pass_time` only, however slow the machine is."""
        self._held = time.monotonic()

    def pass_time(self, seconds):
        """Let the organs' clock show so much more at once."""
        self._moved += seconds

    def say(self, *outputs):
        """Let the peer say or ask something."""
        self.inject('peer', lambda now: outputs)

    def answer(self, *outputs):
        """Let the peer ask something; its answer."""
        before = len(self.peer.answers)
        self.say(*outputs)
        self.wait(lambda: len(self.peer.answers) > before)
        return self.peer.answers[before]

    def reply(self, knocked):
        """Let the peer say something; the toy's reply."""
        before = len(self.peer.replies)
        self.say(knocked)
        self.wait(lambda: len(self.peer.replies) > before)
        return self.peer.replies[before]

    def stored(self):
        """What lies on the disk of the toy: memory and journal."""
        files = (self.home / 'toy.json', self.home / 'toy.jsonl')
        return ''.join(file.read_text() if file.exists() else '' for file in files)

    def errors(self):
        return [text for _, level, text in list(self.reports) if level == 'error']

    @property
    def toy(self):
        return self.organ('toy')

    @property
    def peer(self):
        return self.organ('peer')


class OnBus(Base):
    """Both on a bus."""

    def __init__(self, home, monkeypatch):
        super().__init__(home, monkeypatch)
        self.keeper = Keeper(Home(home), 'toy', 'toy.json', ('toy',))
        self.seats = {
            'toy': Seat('toy', Toy(self.keeper.load()), self.keeper, self._again),
            'peer': Seat('peer', Peer(self.stored), renew=lambda: Peer(self.stored)),
        }
        self.bus = Bus(
            list(self.seats.values()),
            self.now,
            lambda *line: self.reports.append(line),
            supervised=True,
        )
        self.bus.start()

    def _again(self):
        return Toy(self.keeper.load())

    def organ(self, name):
        return self.seats[name].organ

    def inject(self, name, work):
        self.bus.inject(name, work)

    def health(self):
        return self.bus.health()['toy']

    def down(self):
        return self.bus.supervisors['toy'].down

    def wait(self, condition, seconds=20.0):
        def lived():
            if self.bus.due() <= self.now():
                self.bus.step()
            self.bus.drain()
            return condition()

        return wait_until(lived, seconds)

    def stop(self):
        self.bus.stop()

    def close(self):
        self.full = False
        self.stop()


class OnRos(Base):
    """Both as nodes in one process, on simulated time; over DDS, or as neighbours."""

    def __init__(self, home, monkeypatch, domain, neighbours):
        import rclpy
        from rclpy.context import Context
        from rosgraph_msgs.msg import Clock

        from soul.core.organ import OrganConfig
        from soul.graph import OrganSpec
        from soul.ros import convert
        from soul.ros.runner import Runner
        from soul.ros.transport import RosTransport

        super().__init__(home, monkeypatch)

        class NoConfig(OrganConfig):
            """No parameters."""

        specs = [
            OrganSpec('toy', Toy, NoConfig, lambda birth: Toy(birth.memory)),
            OrganSpec('peer', Peer, NoConfig, lambda birth: Peer(self.stored)),
        ]
        log = RosTransport.log

        def told(transport, report):
            self.reports.append((threading.current_thread().name, report.level, report.text))
            log(transport, report)

        monkeypatch.setattr(RosTransport, 'log', told)
        self._rclpy, self._context = rclpy, Context()
        rclpy.init(context=self._context, domain_id=domain, args=[])
        values = {
            'soul_home': str(home),
            'use_sim_time': True,
            'use_intra_process_comms': neighbours,
        }
        self._neighbours = neighbours
        given = {spec.name: values for spec in specs}
        self.runner = Runner(specs, self._context, '/soul', given, []).start()
        self._node = rclpy.create_node('clock', context=self._context)
        publisher = self._node.create_publisher(Clock, '/clock', 10)
        self._tick = lambda: publisher.publish(Clock(clock=convert.time_to_ros(self.now())))
        self._stopped = False
        self.wait(self._meet)

    def _meet(self):
        nodes = self.runner.organs
        if self._neighbours:
            return all(node.runtime.alive for node in nodes)
        return (
            all(node.runtime.alive for node in nodes)
            and nodes[0].transport.reaches('door/reply')
            and nodes[1].transport.reaches('door/knock')
            and nodes[1].transport.reaches('guard/energy')
        )

    def _of(self, name):
        return next(node for node in self.runner.organs if node.spec.name == name)

    def organ(self, name):
        return self._of(name).organ

    def inject(self, name, work):
        self.wait(self._meet)
        self._of(name).inject(work)

    def health(self):
        return self._of('toy').health()

    def down(self):
        return self._of('toy').supervisor.down

    def wait(self, condition, seconds=30.0):
        return wait_until(lambda: self._tick() or condition(), seconds)

    def stop(self):
        if not self._stopped:
            self._stopped = True
            self.runner.stop()

    def close(self):
        self.full = False
        with contextlib.ExitStack() as stack:
            stack.callback(lambda: self._rclpy.try_shutdown(context=self._context))
            stack.callback(self._node.destroy_node)
            self.stop()
