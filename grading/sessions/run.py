"""One run of a program: what it prints and gets, whether it waits for input, how it ends.

Every wait here has a limit, so no program can hold up the grader. `pipes` and `running` have the
two kinds of runs.

A program may be several processes: a pipeline, a shell and its commands, or a sandbox around them.
The grader sees these processes from outside. On Linux it sees which of them wait for input (see
proc(5)); elsewhere silence is the only sign.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Literal, Tuple

from ..sandbox.program import HAS_SANDBOX

if HAS_SANDBOX:
    from ..sandbox.processes import descendants
PIECE = 1 << 16                         # bytes that are read at once
TAIL = 1 << 14                          # bytes of standard error that most runs keep
DRAINING = 0.2                          # seconds to read standard error, which may be endless
LAST_SECONDS = 5.0                      # seconds to read it when standard output has ended

PROCESSES = Path('/proc')
# A silent program counts as waiting after so many seconds: where the system shows no more; or
# where one of its processes reads, and others are busy.
SILENCE, STUBBORN = 0.1, 2.0
FIRST_LOOK, LAST_LOOK = 0.0005, 0.05    # the first and the longest pause between two looks
NO_END = 0xffffffff                     # -1 as a system call has it
MOST_LOOKS = 3                          # at a process that changes meanwhile
LOOK_SECONDS = 1.0                      # that these may take: then nothing has been seen
MOST_WATCHED = 1000                     # lines of the kernel's list that an epoll instance has

# Functions of the kernel in which a thread sleeps: it reads a pipe or a terminal, or waits for
# one of several descriptors, or for a time.
READING = re.compile('pipe_read|pipe_wait|wait_woken|n_tty_read')
EPOLL = re.compile('ep_poll|epoll_wait')
POLLING = re.compile('poll_schedule|do_select|do_poll|do_sys_poll')
WAITING_FOR_TIME = re.compile('nanosleep|nsleep')

Look = Literal['reads', 'busy', 'polls', 'sleeps', 'hidden']
Identity = Tuple[int, int]              # of an open file: its device, and its number there


class Run:
    """A running program with a limit of seconds; `running.running` starts one."""

    folder = ''                         # that it runs in, as it sees it; '' if that is its own

    def __init__(self, group: int, seconds: float) -> None:
        self.group = group              # of processes, that the program leads
        self.seconds = seconds
        self._deadline = time.monotonic() + seconds
        self.kept = TAIL                # bytes that are kept of the end of standard error
        self._tail = b''                # this end
        self.first_errors = b''         # the beginning of standard error
        self._held = b''                # output that nobody has read yet
        self._prints = True             # whether standard output is open
        self._has_errors = True         # whether standard error is open

    @property
    def errors(self) -> bytes:
        """The last bytes of standard error.

        When the program has ended they are complete, unless another process keeps it open.
        """
        until = time.monotonic() + (DRAINING if self._prints else LAST_SECONDS)
        while (self._has_errors and time.monotonic() < until
               and self._wait(0 if self._prints else until)):
            pass
        return self._tail

    @property
    def is_overdue(self) -> bool:
        """Whether the time of the run is used up."""
        return time.monotonic() >= self._deadline

    @property
    def was_killed_by_system(self) -> bool:
        """Whether a signal 9 that the grader has not sent ended the program.

        The system sends it when memory runs out, but a program can also send it to itself.
        """
        return False

    @property
    def was_memory_short(self) -> bool:
        """Whether the system has killed any process since the start because memory ran out."""
        return False

    @property
    def excess(self) -> str:
        """What the run used too much of, such as 'more than 1,024 MB of memory'; '' for nothing."""
        return ''

    def read(self, seconds: float) -> bytes | None:
        """Return new output, `b''` at its end, `None` if nothing came within some seconds."""
        until = min(time.monotonic() + seconds, self._deadline)
        while not self._held and self._prints:
            # Standard error may bring something all the time.
            if not self._wait(until) or (time.monotonic() > until and not self._held):
                return None
        piece, self._held = self._held, b''
        return piece

    @property
    def has_unread_input(self) -> bool:
        """Whether the program has certainly not read all that was typed."""
        return False

    def send(self, text: bytes, seconds: float) -> None:
        """Type a text; stop after some seconds if the program does not read it."""
        raise NotImplementedError

    def end_input(self) -> None:
        """End the program's input."""
        raise NotImplementedError

    def status(self, seconds: float) -> int | None:
        """Return the exit status, negative for a signal, `None` if the program still runs."""
        raise NotImplementedError

    def _wait(self, until: float) -> bool:
        """Wait for output until a time; return whether some came, or the end of a stream."""
        raise NotImplementedError

    def _take_output(self, piece: bytes) -> None:
        """Keep a piece of standard output; `b''` is its end."""
        self._prints = bool(piece)
        self._held += piece

    def _take_errors(self, piece: bytes) -> None:
        """Keep a piece of standard error; `b''` is its end."""
        self._has_errors = bool(piece)
        self._tail = (self._tail + piece)[-self.kept:]
        self.first_errors += piece[:TAIL - len(self.first_errors)]


def read_or_look(run: Run, seconds: float, trusts: bool = True,
                 silence: float = SILENCE) -> tuple[bytes | None, bool]:
    """Return new output, `None` for none, and whether the program waits for input.

    A silent program is looked at less and less often. That it waits is seen, if the caller `trusts`
    what is seen; elsewhere it counts as waiting after some seconds of `silence`.
    """
    begin = time.monotonic()
    pause, silent = FIRST_LOOK, 0.0
    while time.monotonic() < begin + seconds and not run.is_overdue:
        piece = run.read(min(pause, begin + seconds - time.monotonic()))
        if piece is not None:
            return piece, False
        silent += pause
        pause = min(2 * pause, LAST_LOOK)
        waits = not run.has_unread_input and waits_for_input(run.group, silent > STUBBORN)
        if (waits and trusts) or (waits is not False and silent >= silence):
            piece = run.read(0)         # it may have been printed before the look
            return piece, piece is None
    return None, False


def waits_for_input(leader: int, though_busy: bool = False) -> bool | None:
    """Return whether a program waits to read its standard input, None if this cannot be seen.

    `leader` is the first process, which has that input. The program waits if one of its processes
    reads the input and no other process is busy: a busy process may still print. With
    `though_busy`, busy processes do not count.
    """
    children = PROCESSES / str(leader) / 'task' / str(leader) / 'children'
    if not HAS_SANDBOX or not children.exists():
        return None                     # this system does not show it
    source = identity(PROCESSES / str(leader) / 'fd' / '0')
    until = time.monotonic() + LOOK_SECONDS
    for _ in range(MOST_LOOKS):
        looks = {look_at(PROCESSES / str(number), source, until)
                 for number in [leader, *descendants(leader)]}
        if 'busy' in looks and not though_busy:
            return False
        if time.monotonic() >= until:
            return None
        if 'reads' in looks:
            return True
        if looks and not looks & {'polls', 'hidden'}:
            return False
    return None


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, none if the folder does not exist."""
    with suppress(OSError):
        return os.listdir(folder)
    return []


def look_at(process: Path, source: Identity | None, until: float) -> Look:
    """Return what a process does: it reads the program's input if one of its threads does.

    Its threads may be many, and what they do may take long to find: look at them `until` a time.
    """
    looks = {look_at_thread(process / 'task' / name, process, source)
             if time.monotonic() < until else 'hidden' for name in names_in(process / 'task')}
    kinds: list[Look] = ['reads', 'busy', 'hidden', 'polls']
    return next((kind for kind in kinds if kind in looks), 'sleeps')


def look_at_thread(thread: Path, process: Path, source: Identity | None) -> Look:
    """Return what a thread does."""
    try:
        function = (thread / 'wchan').read_text(encoding='ascii')
        call = (thread / 'syscall').read_text(encoding='ascii').split()
        state = (thread / 'stat').read_text(encoding='ascii', errors='replace')
    except (FileNotFoundError, ProcessLookupError):
        return 'hidden' if thread.exists() else 'sleeps'        # or it has ended
    except OSError:
        return 'hidden'
    if state.rpartition(')')[2].split()[:1] in (['Z'], ['X']):
        return 'sleeps'
    if call[:1] == ['running'] or WAITING_FOR_TIME.search(function):
        return 'busy'
    if function in ('', '0') or len(call) < 2:
        return 'hidden'                 # this kernel does not show it
    number = int(call[1], 16)
    if READING.search(function):
        descriptors, seconds = {number}, NO_END
    elif EPOLL.search(function):
        descriptors, seconds = watched_by(process, number), int(call[4], 16) & NO_END
    else:
        return 'polls' if POLLING.search(function) else 'sleeps'
    if not any(is_source(process, one, source) for one in descriptors):
        return 'sleeps'
    # It waits without an end if the time is -1, or there is none (epoll_pwait2).
    return 'reads' if seconds in (0, NO_END) else 'polls'


def is_source(process: Path, descriptor: int, source: Identity | None) -> bool:
    """Return whether a descriptor of a process is the program's input."""
    return identity(process / 'fd' / str(descriptor)) == source if source else descriptor == 0


def identity(path: Path) -> Identity | None:
    """Return what identifies an open file, None if it cannot be seen."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def watched_by(process: Path, descriptor: int) -> set[int]:
    """Return the descriptors that an epoll instance of a process watches.

    It may watch one of them many times: once for each file that has ever had this number.
    """
    with suppress(OSError), open(process / 'fdinfo' / str(descriptor), encoding='ascii') as lines:
        return {int(line.split()[1]) for line in islice(lines, MOST_WATCHED)
                if line.startswith('tfd:')}
    return set()
