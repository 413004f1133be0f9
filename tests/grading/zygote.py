"""A small process that starts programs in Python as forks of itself.

A fork of a process of pytest costs ten times as much, for it has much in memory. So this module
imports little, but also what many programs import.
"""

import array
import atexit
import ctypes
import marshal
import os
import random
import signal
import socket
import sys
from contextlib import suppress
from functools import lru_cache

NUMBER = len(marshal.dumps(0))          # bytes of a size, or of the number of a process
LIBRARY = ctypes.PyDLL(None)            # whose calls keep Python's lock
# The system call `clone`, by machine; and what makes the new process a sibling of this one.
CLONE = {'x86_64': 56, 'aarch64': 220, 'riscv64': 220}.get(os.uname().machine, 120)
CLONE_PARENT = 0x8000


@lru_cache(maxsize=None)
def zygote_of(process):
    """Start a zygote for a process, this one; return a socket that leads to it."""
    ours, theirs = socket.socketpair()
    with theirs:
        os.set_inheritable(theirs.fileno(), True)
        start = f'import sys; sys.path[:] = {sys.path}; import zygote; zygote.serve'
        os.posix_spawn(sys.executable, [sys.executable, '-c', f'{start}({theirs.fileno()})'],
                       os.environ)
    atexit.register(ours.close)         # or Python may warn at the end that nobody has closed it
    return ours


def fork_small(start):
    """Start a program, as `kernel.fork` does; it becomes a child of this process.

    `start` is a call of `become`, whose launch has what `become_program` gets.
    """
    launch, streams, _, channel = start.args
    link = zygote_of(os.getpid())
    text = marshal.dumps([*launch.command, launch.folder])
    ends = array.array('i', [streams[0], streams[1], channel, streams[2]])
    link.sendmsg([marshal.dumps(len(text))], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, ends)])
    link.sendall(text)
    return marshal.loads(link.recv(NUMBER, socket.MSG_WAITALL))


def serve(descriptor):
    """Start each program that is asked for, as a sibling, until the socket is closed.

    By `os.fork` this would take a process between, and three times as long.
    """
    for module in ('argparse', 'binascii', 'importlib.machinery', 'locale', 'shutil',
                   'nim_console', 'othello_console'):
        __import__(module)              # what programs import, and the tracer
    with socket.socket(fileno=descriptor) as link:
        while True:
            size, files, *_ = link.recvmsg(NUMBER, socket.CMSG_SPACE(16))
            if not size:
                return
            ends = array.array('i', files[0][2])
            told = marshal.loads(link.recv(marshal.loads(size), socket.MSG_WAITALL))
            with suppress(SyntaxError, ValueError):     # which the program will raise
                compiled(*told[:2])
            number = LIBRARY.syscall(CLONE, CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
            if not number:
                become_program(ends, *told)
            link.send(marshal.dumps(number))
            for end in ends:
                os.close(end)


@lru_cache(maxsize=100)
def compiled(source, name):
    return compile(source, name, 'exec')


def become_program(ends, source, name, errors, words, folder):
    """Run a program on the standard streams, after what a start says; see `kinds.START`."""
    os.setsid()
    random.seed()                       # as `os.fork` does
    for number, end in enumerate(ends):
        os.dup2(end, number)
    os.closerange(len(ends), 256)
    os.write(2, b'ready\n')
    os.read(2, 1)
    os.dup2(os.open(errors, os.O_WRONLY | os.O_APPEND) if errors else 3, 2)
    os.close(3)
    os.chdir(folder)
    sys.argv = words
    sys.path.insert(0, folder)
    for file in os.listdir(folder):     # its own modules, not ours of the same name
        module, end = os.path.splitext(file)
        if end == '.py' and getattr(sys.modules.get(module), '__file__', '') != os.path.join(
                folder, file):
            sys.modules.pop(module, None)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, closefd=False) for number, mode in enumerate('rww'))
    status = 0
    try:
        exec(compiled(source, name), {'__name__': '__main__'})
    except SystemExit as error:
        status = error.code
        if isinstance(status, str):
            print(status, file=sys.stderr, flush=True)
            status = 1
    except Exception as error:
        calls = error.__traceback__
        while calls and calls.tb_frame.f_code.co_filename == __file__:
            calls = calls.tb_next
        sys.excepthook(type(error), error, calls)
        status = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status or 0)
