"""Deaths of a process at every step that changes the disk, and at any instant."""

import ctypes
import gc
import os
import random
import select
import signal
import stat
import traceback

#: Everything through which Python changes a file system, but for the writing itself.
STEPS = ('replace', 'rename', 'unlink', 'link', 'fsync', 'mkdir', 'rmdir', 'open', 'utime')
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


_PR_SET_PDEATHSIG = 1


def fork():
    """Fork a child that dies with its parent, whatever ends that.

    What lies about in the parent is not collected in the child: ends of nodes join threads that
    exist only there, and the child would die of it.
    """
    child = os.fork()
    if child == 0:
        gc.freeze()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    return child


def _in_child(work):
    """Fork, do the work, return the exit code; 1 if it raised."""
    child = fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:  # noqa: BLE001 - it is told, and the exit code says so
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _counted(work, die_at):
    """Do the work; die without a word before step number `die_at`. Returns how many there were."""
    count = 0

    def counting(name, real):
        def step(*args, **kwargs):
            nonlocal count
            if name != 'open' or (len(args) > 1 and args[1] & _WRITING):
                if count == die_at:
                    if name == 'fsync' and stat.S_ISREG(os.fstat(args[0]).st_mode):
                        # not all of it has been written
                        os.ftruncate(args[0], os.fstat(args[0]).st_size // 2)
                    os._exit(42)
                count += 1
            return real(*args, **kwargs)

        return step

    for name in STEPS:
        setattr(os, name, counting(name, getattr(os, name)))
    work()
    return count


def steps_of(work):
    """Count the steps of some work, done in a child."""
    read, write = os.pipe()
    code = _in_child(lambda: os.write(write, str(_counted(work, -1)).encode()))
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    assert code == 0, f'the child ended with {code}'
    return int(said)


def die_before(work, step):
    """Do some work in a child that dies before a step; True if it died there."""
    code = _in_child(lambda: _counted(work, step))
    assert code in (0, 42), f'the child ended with {code} before step {step}'
    return code == 42


def kill_at_random(work, rng, most_done):
    """Do work(n) for n = 0, 1, ... in a child that is killed at a random instant.

    Returns how many were acknowledged.
    """
    read, write = os.pipe()
    child = fork()
    if child == 0:
        try:
            os.close(read)
            n = 0
            while True:
                work(n)
                os.write(write, b'.')
                n += 1
        finally:
            os._exit(1)
    os.close(write)
    done = 0
    for _ in range(rng.randrange(1, most_done + 1)):
        done += len(os.read(read, 1))
    select.select([], [], [], rng.random() * 0.01)
    os.kill(child, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    while more := os.read(read, 4096):
        done += len(more)
    os.close(read)
    return done


def generator(seed):
    """Random numbers of a test."""
    return random.Random(seed)
