"""A small process that starts programs in Python as forks of itself.

A fork of a process of pytest costs ten times as much, for it has much in memory.
"""

import atexit
import importlib
import os
import sys
import traceback
from contextlib import suppress
from functools import lru_cache, partial
from multiprocessing import Pipe, reduction
from multiprocessing.connection import Connection
from pathlib import Path

from grading.sandbox.kernel import fork
from grading.sandbox.kinds import READY, Launch, become


@lru_cache(maxsize=None)
def zygote_of(process):
    """Start a zygote for a process, this one; return the end of a pipe that leads to it."""
    ours, theirs = Pipe()
    with theirs:
        os.set_inheritable(theirs.fileno(), True)
        start = f'import sys; sys.path[:] = {sys.path}; import zygote; zygote.serve'
        os.posix_spawn(sys.executable, [sys.executable, '-c', f'{start}({theirs.fileno()})'],
                       os.environ)
    return ours


def fork_small(start):
    """Start a program, as `kernel.fork` does; it becomes a child of this process.

    `start` is a call of `become`, whose launch is a program's source.
    """
    launch, streams, group, channel = start.args
    zygote = zygote_of(os.getpid())
    zygote.send((launch.command, launch.folder, group))
    for descriptor in (*streams, channel):
        reduction.send_handle(zygote, descriptor, None)
    number = zygote.recv()
    zygote.recv()                       # the process between has ended: the program is adopted
    return number


def serve(descriptor):
    """Start each program that is asked for, as a grandchild, until the pipe is closed."""
    for console in ('nim_console', 'othello_console'):  # all that these need is imported here
        importlib.import_module(console)
    with Connection(descriptor) as pipe, suppress(EOFError):
        while True:
            (source, name, errors, *words), folder, group = pipe.recv()
            ends = [reduction.recv_handle(pipe) for _ in range(4)]
            with suppress(SyntaxError, ValueError):     # which the program will raise
                compiled(source, name)
            prepare = partial(become_program, source, name, folder, words, errors)
            launch = Launch([], {}, folder, prepare)
            start = partial(become, launch, ends[:3], group, ends[3])
            os.waitpid(fork(partial(fork_and_tell, pipe, start)), 0)
            pipe.send(None)
            for end in ends:
                os.close(end)


def fork_and_tell(pipe, start):
    pipe.send(fork(start))


@lru_cache(maxsize=100)
def compiled(source, name):
    return compile(source, name, 'exec')


def become_program(source, name, folder, words, errors):
    """Run a program on the standard streams, after what a start says; see `kinds.START`."""
    os.write(2, READY)
    os.read(2, 1)
    os.dup2(os.open(errors, os.O_WRONLY | os.O_APPEND) if errors else 3, 2)
    os.close(3)
    os.chdir(folder)
    sys.argv = [*words]
    sys.path.insert(0, folder)
    for path in Path(folder).glob('*.py'):      # its own modules, not ours of the same name
        if getattr(sys.modules.get(path.stem), '__file__', '') != str(path):
            sys.modules.pop(path.stem, None)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, closefd=False) for number, mode in enumerate('rww'))
    atexit._clear()                     # what the zygote would do
    status = 0
    try:
        exec(compiled(source, name), {'__name__': '__main__'})
    except SystemExit as error:
        status = error.code
        if isinstance(status, str):
            print(status, file=sys.stderr, flush=True)
            status = 1
    except Exception:
        traceback.print_exc()
        status = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status or 0)
