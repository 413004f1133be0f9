"""Detects whether a program is waiting for input.

A program may be several processes: a pipeline, a shell and its commands, or a sandbox around them.
The grader observes them from outside. On Linux, /proc shows what each process is doing (see
proc(5)); on other systems, silence is the only sign. One pass over all processes of the program in
/proc is called a look.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from ..sandbox.program import HAS_SANDBOX

if HAS_SANDBOX:
    from ..sandbox.kernel import HAS_CHILDREN, names_in, read, stat_fields, threads_of
if TYPE_CHECKING:
    from .run import Run

# Seconds of silence before a program counts as waiting:
SILENCE = 0.1  # by default, if a look does not suffice: see `read_or_look`
SILENCE_WHILE_BUSY = 2.0  # if one of its processes is reading the input, but another is busy
FIRST_PAUSE = 0.0002  # seconds before the first look; the pause then doubles each time
SHORT_FIRST_PAUSE = 0.00002  # the same after an incomplete line: it is probably a prompt
LONGEST_PAUSE = 0.05  # the maximum, in seconds
MAX_LOOKS = 3  # the result is None if this many looks are inconclusive
LOOK_SECONDS = 1.0  # the total time limit for these looks

# Patterns for the kernel function a thread is blocked in (/proc/PID/wchan).
READS_PIPE = re.compile(b'(anon_)?pipe_read|pipe_wait(_readable)?')  # matches the whole name
READS = re.compile(b'pipe_read|pipe_wait|wait_woken|n_tty_read')  # the rest match parts of it
WAITS_IN_EPOLL = re.compile(b'ep_poll|epoll_wait')
WAITS_IN_POLL = re.compile(b'poll_schedule|do_select|do_poll|do_sys_poll')  # or in `select`
WAITS_FOR_TIME = re.compile(b'nanosleep|nsleep')

# For each system call like `poll`, by call number: the position of its timeout argument, counting
# from 1.
TIMEOUT_POSITION = {
    7: 3,  # poll on x86-64
    23: 5,  # select on x86-64
    271: 3,  # ppoll on x86-64
    270: 5,  # pselect6 on x86-64
    73: 3,  # ppoll on 64-bit ARM
    72: 5,  # pselect6 on 64-bit ARM
}
FUTEX = (202, 98)  # the call that waits for a lock: on x86-64, and on 64-bit ARM
FUTEX_TIMEOUT = 4  # the position of its timeout argument, counting from 1
PYTHON = re.compile(b'(python|pypy)[0-9.]*\n')  # matches the name of a process
MINUS_ONE = 0xFFFFFFFF  # -1 as a 32-bit argument of a system call
# The kernel's list of the descriptors an epoll instance watches: a pattern for a descriptor, and
# how many bytes of the list to read.
WATCHED = re.compile(rb'^tfd:\s*(\d+) ', re.MULTILINE)
MAX_OF_WATCH_LIST = 1 << 17

# What /proc/PID/status shows for a process that only its input can wake: it is asleep, is not being
# traced, has one thread, and catches no signals except perhaps SIGINT. Any number of context
# switches is accepted here. It is compared later, to show that the process has not run in the
# meantime.
STATUS_WHILE_READING = {
    b'State': re.compile(rb'S .*'),
    b'TracerPid': re.compile(b'0'),
    b'Threads': re.compile(b'1'),
    b'SigCgt': re.compile(b'0*[02]'),
    b'voluntary_ctxt_switches': re.compile(b'[0-9]+'),
}
STATUS_LINE = re.compile(rb'^(' + b'|'.join(STATUS_WHILE_READING) + rb'):\s*(.*)$', re.MULTILINE)

Activity = Literal[  # what a thread or a process is doing
    'reads',  # it is reading the program's input, or waiting for it with epoll and no time limit
    'busy',  # it may continue without input: it is running, or in a timed sleep
    'hidden',  # the system does not show what it is doing
    'polls',  # it is waiting on file descriptors, possibly with a timeout or not on the input
    'awaits',  # it is waiting on file descriptors, possibly on the input, with no timeout
    'idle',  # it is waiting for something else, such as another process, or has ended
]
# If the threads of a process are doing different things, the earliest of these takes precedence.
PRECEDENCE: Sequence[Activity] = get_args(Activity)
FileIdentity = tuple[int, int]  # identifies an open file by its device and inode


class Waiting(IntEnum):
    """Whether a program is waiting for input, as far as can be seen from outside."""

    UNSEEN = 0  # nothing shows that it is
    PROBABLE = 1  # it seems to be, but something else could wake it, such as a timer
    CERTAIN = 2  # it is, and nothing but input can wake it


class ReadResult(NamedTuple):
    """The result of waiting for a program's output."""

    output: bytes | None  # new output, `b''` at the end of the output, or None if there is none
    waiting: Waiting  # UNSEEN if there is output


def read_or_look(
    run: Run,
    seconds: float,
    *,
    trusts_looks: bool = True,
    silence: float = SILENCE,
    first_pause: float = FIRST_PAUSE,
) -> ReadResult:
    """Wait up to `seconds` for new output, but stop as soon as the program is waiting for input.

    Also stop when the run's time is used up. Before each look, the grader pauses: first for
    `first_pause` seconds, then longer and longer.

    - If only input can wake the program, it is certainly waiting.
    - If it seems to be waiting, but something other than input could wake it, it is probably
      waiting. Unless `trusts_looks` is set, it must also have been silent for `silence` seconds.
    - If the looks are inconclusive, it is probably waiting once it has been silent for `silence`
      seconds.
    """
    begin = time.monotonic()
    # `silent` is the sum of the planned pauses since the program last had unread input: the actual
    # pauses are longer on a busy machine.
    pause, silent = first_pause, 0.0
    while (now := time.monotonic()) < begin + seconds and not run.is_overdue:
        output = run.read(min(pause, begin + seconds - now))
        if output is not None:
            return ReadResult(output, Waiting.UNSEEN)
        silent += pause
        pause = min(2 * pause, LONGEST_PAUSE)
        if run.has_unread_input:
            silent = 0.0
            continue
        if only_input_wakes(run):
            waiting = Waiting.CERTAIN
        elif (trusts_looks or silent >= silence) and seems_to_wait(run, silent, silence):
            # It may have begun to read after the first of these looks.
            waiting = Waiting.CERTAIN if only_input_wakes(run) else Waiting.PROBABLE
        else:
            continue
        output = run.read(0)  # output may have arrived just before the look
        return ReadResult(output, Waiting.UNSEEN if output is not None else waiting)
    return ReadResult(None, Waiting.UNSEEN)


class ProcessorTime:
    """The processor time that the threads of a program use after the object is created."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._before = seconds_of_threads(run)

    @property
    def of_busiest(self) -> float:
        """How many seconds one thread has used; 0 where the system does not show this."""
        now = seconds_of_threads(self._run)
        return max(
            (seconds - self._before.get(thread, 0) for thread, seconds in now.items()), default=0
        )


def seconds_of_threads(run: Run) -> dict[tuple[int, bytes], float]:
    """Return the processor time of each thread of a program, by its ID and when it started."""
    found = {}
    for process in run.processes:
        for thread in threads_of(process):
            fields = stat_fields(f'{process}/task/{thread}')
            if fields:  # utime, stime and starttime
                ticks = int(fields[11]) + int(fields[12])
                found[thread, fields[19]] = ticks / os.sysconf('SC_CLK_TCK')
    return found


def seems_to_wait(run: Run, silent: float, silence: float) -> bool:
    """Return whether a program seems to be waiting.

    If the looks are inconclusive, return whether its silence has reached `silence` seconds.
    """
    is_waiting = waits_for_input(run, silent > SILENCE_WHILE_BUSY)
    return silent >= silence if is_waiting is None else is_waiting


def only_input_wakes(run: Run) -> bool:
    """Return whether a program is reading its input, and nothing but input can wake it.

    Such a program is a single process with one thread. It catches no signal except perhaps SIGINT
    (every Python program catches SIGINT). No timer can send it SIGINT, and it is not being traced.
    """
    process = run.first_process
    before = status_lines(process) if process else {}
    return (
        before.keys() >= STATUS_WHILE_READING.keys()
        and all(pattern.fullmatch(before[name]) for name, pattern in STATUS_WHILE_READING.items())
        and not read(f'{process}/timers')
        and os.path.exists(f'/proc/{process}/timers')
        and reads_pipe(process, run.input_identity)
        and not run.has_unread_input
        and run.processes == [process]
        and status_lines(process) == before  # it has not run in the meantime
    )


def status_lines(process: int) -> dict[bytes, bytes]:
    """Return the lines of a process's status named in `STATUS_WHILE_READING`, by name."""
    return dict(STATUS_LINE.findall(read(f'{process}/status')))


def reads_pipe(process: int, pipe: FileIdentity) -> bool:
    """Return whether the main thread of a process is waiting to read from a pipe."""
    function, call = read(f'{process}/wchan'), read(f'{process}/syscall').split()
    return (
        len(call) > 1
        and READS_PIPE.fullmatch(function) is not None
        and file_identity(process, int(call[1], 16)) == pipe
    )


def waits_for_input(run: Run, ignore_busy: bool = False) -> bool | None:
    """Return whether a program is waiting for its input, or None if that is unknown.

    The program is waiting if one of its processes is reading the input, or if two looks in a row
    find that one may be. But unless `ignore_busy` is set, the program is not waiting while one of
    its processes is busy, because that process might still print.
    """
    if not HAS_SANDBOX or not HAS_CHILDREN:
        return None  # this system does not show what a program is doing
    until = time.monotonic() + LOOK_SECONDS
    may_have_read = False  # whether the previous look found that a process may be reading the input
    for _ in range(MAX_LOOKS):
        activities = look_at(run, until)
        if not activities:
            return None  # the program is gone
        if 'busy' in activities and not ignore_busy:
            return False
        if time.monotonic() >= until:
            return None
        if 'reads' in activities:
            return True
        if activities & {'hidden', 'polls'}:
            may_have_read = False
        elif 'awaits' not in activities:
            return False
        elif may_have_read:
            return True
        else:  # a process may have become busy after the grader looked at it: look again
            may_have_read = True
    return None


def waits_with_time_limit(run: Run) -> bool:
    """Return whether a program seems to be waiting with a timeout, and is not reading its input."""
    activities = look_at(run, time.monotonic() + LOOK_SECONDS)
    return 'polls' in activities and 'reads' not in activities


def waits_for_thread(run: Run) -> bool:
    """Return whether a Python program's main thread waits, without a timeout, for another thread.

    So it does at its end, until all its threads have ended.
    """
    for process in run.processes:
        call = read(f'{process}/task/{process}/syscall').split()
        if (
            len(call) > FUTEX_TIMEOUT
            and int(call[0]) in FUTEX
            and is_no_limit(call[FUTEX_TIMEOUT])
            and len(threads_of(process)) > 1
            and PYTHON.fullmatch(read(f'{process}/comm'))
        ):
            return True
    return False


def look_at(run: Run, until: float) -> set[Activity]:
    """Return what the processes of a program are doing: see `activity_of`."""
    return {activity_of(process, run.input_identity, until) for process in run.processes}


def activity_of(process: int, source: FileIdentity, until: float) -> Activity:
    """Return what a process is doing.

    `source` is the program's input. There may be many threads: those not reached before `until`
    count as hidden.
    """
    activities: set[Activity] = {'idle'}  # a process that has ended has no threads
    for thread in threads_of(process):
        is_in_time = time.monotonic() < until
        activities.add(activity_of_thread(process, thread, source) if is_in_time else 'hidden')
    return min(activities, key=PRECEDENCE.index)


def activity_of_thread(process: int, thread: int, source: FileIdentity) -> Activity:
    folder = f'{process}/task/{thread}'
    function, call = read(f'{folder}/wchan'), read(f'{folder}/syscall').split()
    state = stat_fields(folder)[:1]
    if state in ([], [b'Z'], [b'X']):  # it has ended
        return 'idle'
    # In state D, the thread is waiting for the disk, or for a process it has just started.
    if call[:1] == [b'running'] or state == [b'D'] or WAITS_FOR_TIME.search(function):
        return 'busy'
    if function in (b'', b'0') or len(call) < 2:
        return 'hidden'  # this kernel does not show what the thread is doing
    descriptor = int(call[1], 16)  # the first argument: a descriptor, except in calls like `poll`
    if READS.search(function):
        return 'reads' if is_source(process, descriptor, source) else 'idle'
    if WAITS_IN_EPOLL.search(function):
        watched = watched_by(process, descriptor)
        if not any(is_source(process, number, source) for number in watched):
            return 'idle'
        return 'reads' if is_no_limit(call[4]) else 'polls'
    if WAITS_IN_POLL.search(function):
        return activity_in_poll(process, call, source)
    return 'idle'


def activity_in_poll(process: int, call: list[bytes], source: FileIdentity) -> Activity:
    """Return what a thread is doing while it is blocked in a system call like `poll`.

    The system does not show which descriptors the thread is waiting for. If the process has the
    input open, assume that the input is among them.
    """
    position = TIMEOUT_POSITION.get(int(call[0]))
    if not position or not is_no_limit(call[position]):
        return 'polls'
    descriptors = map(int, names_in(f'{process}/fd'))
    has_source = any(is_source(process, descriptor, source) for descriptor in descriptors)
    return 'awaits' if has_source else 'idle'


def watched_by(process: int, epoll: int) -> set[int]:
    """Return the descriptors an epoll instance watches.

    The kernel lists a descriptor more than once if its number was reused for another watched file.
    """
    return {*map(int, WATCHED.findall(read(f'{process}/fdinfo/{epoll}', MAX_OF_WATCH_LIST)))}


def is_no_limit(timeout: bytes) -> bool:
    """Return whether a timeout argument means "no limit": -1 milliseconds or a null pointer.

    It cannot be 0 milliseconds, because then the thread would not be blocked.
    """
    number = int(timeout, 16)
    return number == 0 or (number & MINUS_ONE) == MINUS_ONE


def is_source(process: int, descriptor: int, source: FileIdentity) -> bool:
    """Return whether a process's descriptor is the program's input."""
    return file_identity(process, descriptor) == source


def file_identity(process: int, descriptor: int) -> FileIdentity | None:
    """Return the identity of the file behind a process's descriptor, or None if it is unknown."""
    try:
        status = os.stat(f'/proc/{process}/fd/{descriptor}')
    except OSError:
        return None
    return status.st_dev, status.st_ino
