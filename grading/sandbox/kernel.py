"""Asks the kernel to start, find, end and restrict processes, and reads what it reports in /proc.

Python has no function for `prctl`, so it is called through the C library.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import resource
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ..signals import ENDING_SIGNALS
from .program import ENDING_SECONDS, KILLED, status_or_signal

Result = TypeVar('Result')

IS_LINUX = sys.platform == 'linux'
PROCESSES = '/proc'
LIBRARY = ctypes.CDLL(None, use_errno=True)

PIECE = 1 << 14  # how many bytes of a file in /proc to read at once
FILE_BLOCK = 512  # bytes; the unit of the shell's `ulimit -f`, and of `st_blocks` (see stat(2))

PROBE_SECONDS = 20  # the time limit for finding out whether the machine allows something
KILLED_FOR_MEMORY = re.compile(rb'^oom_kill (\d+)$', re.MULTILINE)
PATIENCE = 2  # how long to retry, in seconds, while the machine is out of processes or memory
FIRST_NAP = 0.0005  # seconds; how long to pause before checking again whether a process has ended
LONGEST_NAP = 0.01  # seconds; each pause is twice as long as the one before, but never longer

# Arguments of prctl to set an option of this process, from linux/prctl.h.
DIE_WITH_PARENT = 1, signal.SIGKILL, 0, 0, 0
ADOPT_ORPHANS = 36, 1, 0, 0, 0
GAIN_NO_PRIVILEGES = 38, 1, 0, 0, 0  # not even through a set-user-ID bit
SET_FILTER = 22, 2  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
INSTRUCTION = 8  # the size of one instruction in a filter, in bytes


class Process:
    """A child process in a session of its own, such as one that becomes a program.

    `folder` is the folder the program starts in or below, as the program sees it.
    """

    def __init__(self, number: int, folder: str = '') -> None:
        self.number = number
        self.folder = folder
        self._status: int | None = None
        self._was_ended = False  # whether the grader has killed it
        self._killed_before = killed_for_memory()

    @property
    def was_killed_by_system(self) -> bool:
        """Whether the system seems to have killed this process, or its child, for lack of memory.

        This is a guess: the system only reports how many processes it has killed on the whole
        machine.
        """
        return (
            not self._was_ended
            and self.status(0) == KILLED
            and killed_for_memory() > self._killed_before
        )

    def status(self, seconds: float) -> int | None:
        """Return the exit status (negative for a signal), or None if the process is still running.

        Wait at most `seconds` for the process to end.
        """
        until, nap = time.monotonic() + seconds, FIRST_NAP
        while self._status is None:
            number, status = os.waitpid(self.number, os.WNOHANG)
            if number:
                self._status = status_or_signal(os.waitstatus_to_exitcode(status))
            elif time.monotonic() >= until:
                break
            else:
                time.sleep(nap)
                nap = min(2 * nap, LONGEST_NAP)
        return self._status

    def end(self) -> None:
        """Kill the process, and all processes in its process group; wait until it has ended.

        Give up after `ENDING_SECONDS`.
        """
        if self.status(0) is None:
            self._was_ended = True
            with suppress(PermissionError):
                os.kill(self.number, signal.SIGKILL)  # not only its group: there may be none yet
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.number, signal.SIGKILL)
        self.status(ENDING_SECONDS)


def read(path: str | Path, most: int = sys.maxsize) -> bytes:
    """Return at most `most` bytes of a file, or b'' if the file is unreadable or gone.

    A relative path is relative to /proc. The grader calls this very often, and a file object would
    take twice as long.
    """
    text = b''
    with suppress(OSError):
        file = os.open(os.path.join(PROCESSES, path), os.O_RDONLY)
        try:
            while len(text) < most and (piece := os.read(file, min(most - len(text), PIECE))):
                text += piece
        finally:
            os.close(file)
    return text


def stat_fields(process: int | str) -> list[bytes]:
    """Return the fields after the name in /proc/PID/stat: state, parent and so on (see proc(5))."""
    return read(f'{process}/stat').rpartition(b')')[2].split()


def killed_for_memory(counters: str | Path = 'vmstat') -> int:
    """Return how many processes the system has killed because memory ran out.

    `counters` is /proc/vmstat, for the whole machine, or the file memory.events of a control group.
    """
    return sum(map(int, KILLED_FOR_MEMORY.findall(read(counters))))


def patiently(action: Callable[[], Result]) -> Result:
    """Return the result of a function; retry while the machine is out of processes or memory.

    Raises `OSError` if that lasts longer than `PATIENCE`, and any other error at once.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return action()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.ENOMEM) or time.monotonic() > until:
                raise
        time.sleep(LONGEST_NAP)


def fork(action: Callable[[], object]) -> int:
    """Call a function in a new process, with its own session; return the process ID.

    The process ends with status 0 if the function returns, and with status 1 if it raises an
    exception. Raises `OSError`.
    """
    # Block signals during the fork: if a signal handler raised an exception in a hook of `os.fork`,
    # Python would drop the exception.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
    try:
        # Python warns about a fork if there are other threads, but the grader's other threads only
        # wait.
        number = patiently(os.fork)
        if not number:
            try:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
                os.setsid()
                action()
                os._exit(0)
            finally:
                os._exit(1)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return number


def succeeds_in_new_process(action: Callable[[], object], seconds: float) -> bool:
    """Return whether a function returns, in a new process, within the given seconds."""
    process = Process(fork(action))
    if process.status(seconds) is None:
        process.end()
    return process.status(0) == 0


def count_threads() -> int:
    """Return how many threads exist on this machine, or a very large number if that is unknown."""
    found = re.search(rb'/(\d+)', read('loadavg'))
    return int(found[1]) if found else 1 << 20


def counts_by_namespace() -> bool:
    """Return whether this kernel counts a user's processes separately in each user namespace."""
    version = re.match(r'(\d+)\.(\d+)', os.uname().release)
    return IS_LINUX and version is not None and (int(version[1]), int(version[2])) >= (5, 14)


def allowed_limit(number: int, most: int) -> int:
    """Return the limit `most`, or this process's hard limit if it is lower.

    `number` is the number of a resource: `RLIMIT_*`.
    """
    _, hard = resource.getrlimit(number)
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


def call(name: str, *values: object) -> None:
    """Call a function of the C library that returns 0 for success. Raises `OSError`.

    On systems other than Linux, do nothing.
    """
    if IS_LINUX and getattr(LIBRARY, name)(*values) != 0:
        raise OSError(ctypes.get_errno(), name)


def die_first() -> None:
    """Make the kernel kill this process first when memory runs out.

    A program with write access to /proc can undo this, unless the grader has CAP_SYS_RESOURCE and
    the program does not.
    """
    with suppress(OSError):
        Path('/proc/self/oom_score_adj').write_text('1000', encoding='ascii')


# Whether this kernel lists the children of a thread.
HAS_CHILDREN = os.path.exists(f'/proc/self/task/{os.getpid()}/children')


class Descendants:
    """The descendants this process acquires after the object is created.

    This process adopts orphans, so a process remains a descendant when its parent ends. `kill_all`,
    if given, kills all processes of the program's user in one step.
    """

    def __init__(self, kill_all: Callable[[], None] | None = None) -> None:
        self._kill_all = kill_all
        call('prctl', *ADOPT_ORPHANS)
        self._bystanders = frozenset(descendants(os.getpid()))

    @property
    def numbers(self) -> list[int]:
        """The process IDs of these descendants, parents before children."""
        return [number for number in descendants(os.getpid()) if number not in self._bystanders]

    def close(self) -> None:
        """Kill these descendants, and reap them; give up after `ENDING_SECONDS`."""
        deadline = time.monotonic() + ENDING_SECONDS
        # If a process starts a child while it is being killed, this process adopts the child, and
        # the next round of the loop finds it.
        while time.monotonic() < deadline and (found := self.numbers):
            with suppress(OSError):  # the machine may be out of processes: the loop tries again
                if self._kill_all:
                    self._kill_all()
            # Parents are killed before their children. Otherwise a parent could reap a child, and
            # the child's process ID could be reused before the kill.
            for number in found:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            for number in found:
                with suppress(ChildProcessError):
                    os.waitpid(number, os.WNOHANG)


def descendants(parent: int) -> list[int]:
    """Return the process IDs of all descendants of a process, parents before children."""
    found = [parent]
    children = defaultdict(list)
    if not HAS_CHILDREN:  # slow if the machine has many processes
        for name in filter(str.isdigit, names_in('')):
            fields = stat_fields(name)
            if fields:  # otherwise, the process has ended
                children[int(fields[1])].append(int(name))
    for process in found:
        found += children[process]
        for thread in threads_of(process) if HAS_CHILDREN else ():
            found += map(int, read(f'{process}/task/{thread}/children').split())
    return found[1:]


def threads_of(process: int) -> list[int]:
    """Return the IDs of a process's threads, or an empty list if the process has ended."""
    return [*map(int, names_in(f'{process}/task'))]


def names_in(path: str) -> list[str]:
    """Return the names in a folder in /proc, or an empty list if it is unreadable or gone."""
    with suppress(OSError):
        return os.listdir(os.path.join(PROCESSES, path))
    return []


class Instructions(ctypes.Structure):
    """A filter in the form the kernel expects, `struct sock_fprog`."""

    _fields_ = (('length', ctypes.c_ushort), ('first', ctypes.c_char_p))


def filter_calls(instructions: bytes) -> None:
    """Permanently restrict this process and its future children to the calls a filter allows.

    The process must have given up the right to gain privileges (see `GAIN_NO_PRIVILEGES`). Raises
    `OSError`.
    """
    filter_ = Instructions(len(instructions) // INSTRUCTION, instructions)
    call('prctl', *SET_FILTER, ctypes.byref(filter_), 0, 0)
