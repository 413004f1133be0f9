"""Detects whether a program is waiting for input.

A program may be several processes: a pipeline, a shell and its commands, or a sandbox around them.
The grader observes them from outside. On Linux, /proc shows which of them are waiting for input
(see proc(5)); on other systems, silence is the only sign. Reading /proc once for each process is
called a look.
"""

from __future__ import annotations

import os
import re
import time
from enum import IntEnum
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..sandbox.program import HAS_SANDBOX

if HAS_SANDBOX:
    from ..sandbox.descendants import descendants, threads_of
    from ..sandbox.kernel import read, status_of
if TYPE_CHECKING:
    from .run import Run

# Seconds of silence after which a program counts as waiting:
SILENCE = 0.1  # if the system does not show what the program is doing
STUBBORN = 2.0  # if one of its processes is reading input while others are busy
FIRST_LOOK, LAST_LOOK = 0.0005, 0.05  # the first and the longest pause before a look, in seconds
NO_LIMIT = 0xFFFFFFFF  # the time limit -1 (none), as a 32-bit argument of a system call
MOST_LOOKS = 3  # maximum number of looks in one check; processes may change between looks
LOOK_SECONDS = 1.0  # total time limit for the looks in one check
MOST_WATCHED = 1 << 17  # bytes to read from the kernel's list of descriptors that an epoll watches
WATCHED = re.compile(rb'^tfd:\s*(\d+) ', re.MULTILINE)  # matches a descriptor in that list

# Kernel functions in which a thread sleeps: while it reads a pipe or a terminal, while it waits for
# one of several descriptors, or until some time has passed.
READING_PIPE = re.compile(b'(anon_)?pipe_read|pipe_wait(_readable)?')
READING = re.compile(b'pipe_read|pipe_wait|wait_woken|n_tty_read')
EPOLL = re.compile(b'ep_poll|epoll_wait')
POLLING = re.compile(b'poll_schedule|do_select|do_poll|do_sys_poll')
WAITING_FOR_TIME = re.compile(b'nanosleep|nsleep')
# For each system call that waits for one of several descriptors, by call number: the position of
# its timeout argument, counting from 1.
TIME_OF_POLL = {
    7: 3,  # poll
    23: 5,  # select
    271: 3,  # ppoll
    270: 5,  # pselect6
    73: 3,  # ppoll on 64-bit ARM
    72: 5,  # pselect6 on 64-bit ARM
}

# Lines of /proc/PID/status for a process that only its input can wake: it is asleep, is not being
# traced, has one thread, and catches no signal but SIGINT. The number of context switches is
# compared to see whether the process has run between two looks.
ALONE = {
    b'State': re.compile(rb'S .*'),
    b'TracerPid': re.compile(b'0'),
    b'Threads': re.compile(b'1'),
    b'SigCgt': re.compile(b'0*[02]'),
    b'voluntary_ctxt_switches': re.compile(b'[0-9]+'),
}
STATUS_LINE = re.compile(rb'^(' + b'|'.join(ALONE) + rb'):\s*(.*)$', re.MULTILINE)

Look = Literal[  # what a thread or a process is doing
    'reads',  # it is reading the program's input
    'awaits',  # it is waiting for one of several files, perhaps the input, without a time limit
    'polls',  # it is waiting for one of several files, perhaps the input, with a time limit
    'busy',
    'sleeps',  # it is asleep for some other reason, or has ended
    'hidden',  # the system does not show what it is doing
]
# What a process is doing if its threads do different things: the first of these that occurs.
PRECEDENCE: tuple[Look, ...] = ('reads', 'busy', 'hidden', 'polls', 'awaits')
Identity = tuple[int, int]  # identifies an open file by its device and inode


class Waiting(IntEnum):
    """Whether a program is waiting for input, as far as can be seen from outside."""

    UNSEEN = 0  # it is not waiting, or nothing shows that it is
    SEEN = 1  # it seems to be waiting, but something else could wake it, such as a timer
    CERTAIN = 2  # nothing but input can wake it


class Reading(NamedTuple):
    """The result of one timed read of a program's output."""

    output: bytes | None  # new output, `b''` at the end of the output, or None if there is none
    waiting: Waiting
    # Seconds of silence since the program last had unread input. If there is no new output, only
    # planned pauses count: on a busy machine, the actual pauses are longer.
    silence: float


def read_or_look(
    run: Run,
    seconds: float,
    *,
    trusts: bool = True,
    silence: float = SILENCE,
    first_look: float = FIRST_LOOK,
) -> Reading:
    """Wait up to `seconds` for new output, but stop as soon as the program is waiting for input.

    The grader looks at the program after `first_look` seconds, and then less and less often. If the
    program only seems to be waiting, it counts as waiting at once if `trusts` is set, and otherwise
    after `silence` seconds.
    """
    begin = time.monotonic()
    last_unread = begin  # when the program last had unread input
    pause, silent = first_look, 0.0  # `silent` is the sum of the planned pauses
    while (now := time.monotonic()) < begin + seconds and not run.is_overdue:
        output = run.read(min(pause, begin + seconds - now))
        if output is not None:
            return Reading(output, Waiting.UNSEEN, time.monotonic() - last_unread)
        silent += pause
        pause = min(2 * pause, LAST_LOOK)
        if run.has_unread_input:
            last_unread, silent = time.monotonic(), 0.0
            continue
        waiting = Waiting.UNSEEN
        if only_input_wakes(run):
            waiting = Waiting.CERTAIN
        elif trusts or silent >= silence:
            seen = waits_for_input(run.group, silent > STUBBORN)
            if (seen and trusts) or (seen is not False and silent >= silence):
                waiting = Waiting.SEEN
        if waiting:
            output = run.read(0)  # output may have arrived just before the look
            if output is not None:
                return Reading(output, Waiting.UNSEEN, time.monotonic() - last_unread)
            return Reading(None, waiting, silent)
    return Reading(None, Waiting.UNSEEN, silent)


def only_input_wakes(run: Run) -> bool:
    """Return whether a program is reading its input, and nothing but input can wake it.

    Such a program is a single process with one thread. It catches no signal except SIGINT, which
    every Python program catches. It has no timer that could send SIGINT, and it is not being
    traced.
    """
    process = run.only_process
    if process is None:
        return False
    before = status_lines(process)
    return (
        before.keys() >= ALONE.keys()
        and all(ALONE[name].fullmatch(before[name]) for name in ALONE)
        and not read(f'{process}/timers')
        and os.path.exists(f'/proc/{process}/timers')
        and reads_pipe(process, run.input_identity)
        and not run.has_unread_input
        and run.only_process == process
        and status_lines(process) == before  # it has not run in the meantime
    )


def status_lines(process: int) -> dict[bytes, bytes]:
    """Return the lines of a process's status that show whether only its input can wake it."""
    return dict(STATUS_LINE.findall(read(f'{process}/status')))


def reads_pipe(process: int, pipe: Identity) -> bool:
    """Return whether the first thread of a process is waiting to read from a pipe."""
    function, call = read(f'{process}/wchan'), read(f'{process}/syscall').split()
    return (
        len(call) > 1
        and READING_PIPE.fullmatch(function) is not None
        and identity(f'/proc/{process}/fd/{int(call[1], 16)}') == pipe
    )


def waits_for_input(leader: int, though_busy: bool = False) -> bool | None:
    """Return whether a program is waiting for its standard input, or None if that is unknown.

    `leader` is the program's first process; the input in question is its standard input. The
    program is waiting if one of its processes is reading the input and no other process is busy,
    because a busy process might still print. With `though_busy`, busy processes do not matter.
    """
    if not HAS_SANDBOX or not os.path.exists(f'/proc/{leader}/task/{leader}/children'):
        return None  # this system does not show what a program is doing
    source = identity(f'/proc/{leader}/fd/0')
    until = time.monotonic() + LOOK_SECONDS
    awaits = False  # whether, at the last look, the program was waiting without a time limit
    for _ in range(MOST_LOOKS):
        looks = {look_at(number, source, until) for number in [leader, *descendants(leader)]}
        if 'busy' in looks and not though_busy:
            return False
        if time.monotonic() >= until:
            return None
        if 'reads' in looks:
            return True
        if not looks or looks & {'polls', 'hidden'}:
            awaits = False
        elif 'awaits' not in looks:
            return False
        elif awaits:
            return True
        else:  # a process may have woken up after we looked at it: look again
            awaits = True
    return None


def waits_with_time_limit(leader: int) -> bool:
    """Return whether a program is waiting with a time limit, perhaps for its input."""
    if not HAS_SANDBOX:
        return False
    source, until = identity(f'/proc/{leader}/fd/0'), time.monotonic() + LOOK_SECONDS
    looks = {look_at(number, source, until) for number in [leader, *descendants(leader)]}
    return 'polls' in looks and 'reads' not in looks


def look_at(process: int, source: Identity | None, until: float) -> Look:
    """Return what a process is doing; `PRECEDENCE` decides if its threads do different things.

    There may be many threads: those not reached before `until` count as hidden.
    """
    looks = {
        look_at_thread(process, thread, source) if time.monotonic() < until else 'hidden'
        for thread in threads_of(process)
    }
    return next((look for look in PRECEDENCE if look in looks), 'sleeps')


def look_at_thread(process: int, thread: int, source: Identity | None) -> Look:
    """Return what a thread is doing."""
    place = f'{process}/task/{thread}'
    function, call = read(f'{place}/wchan'), read(f'{place}/syscall').split()
    state = status_of(place)[:1]
    if state in ([], [b'Z'], [b'X']):  # it has ended
        return 'sleeps'
    # In state D, the thread is waiting for the disk, or for a process that it has just started.
    if call[:1] == [b'running'] or state == [b'D'] or WAITING_FOR_TIME.search(function):
        return 'busy'
    if function in (b'', b'0') or len(call) < 2:
        return 'hidden'  # this kernel does not show what the thread is doing
    number = int(call[1], 16)
    if READING.search(function):
        descriptors, limit = {number}, NO_LIMIT
    elif EPOLL.search(function):
        # The list may contain a descriptor more than once: once for each file that has had this
        # number.
        watched = WATCHED.findall(read(f'{process}/fdinfo/{number}', MOST_WATCHED))
        descriptors, limit = {*map(int, watched)}, int(call[4], 16) & NO_LIMIT
    elif POLLING.search(function):
        return look_at_poll(process, call, source)
    else:
        return 'sleeps'
    if not any(
        identity(f'/proc/{process}/fd/{descriptor}') == source if source else descriptor == 0
        for descriptor in descriptors
    ):
        return 'sleeps'  # it is reading something other than the program's input
    # There is no time limit if the argument is -1, or a null pointer (epoll_pwait2).
    return 'reads' if limit in (0, NO_LIMIT) else 'polls'


def look_at_poll(process: int, call: list[bytes], source: Identity | None) -> Look:
    """Return what a thread is doing, given that it is waiting for one of several descriptors.

    The system does not show which descriptors those are. Assume that the input is among them if the
    process has it open.
    """
    argument = TIME_OF_POLL.get(int(call[0]))
    if not argument or not source:
        return 'polls'
    limit = int(call[argument], 16)  # milliseconds or a pointer; without a limit, -1 or 0
    if limit and limit & NO_LIMIT != NO_LIMIT:
        return 'polls'
    descriptors = os.listdir(f'/proc/{process}/fd')
    has_source = any(identity(f'/proc/{process}/fd/{name}') == source for name in descriptors)
    return 'awaits' if has_source else 'sleeps'


def identity(path: str) -> Identity | None:
    """Return the identity of the file at a path, or None if it cannot be determined."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
