"""Detects whether a program is waiting for input.

A program may be several processes: a pipeline, a shell and its commands, or a sandbox around them.
The grader observes them from outside. On Linux, /proc shows which of them are waiting for input
(see proc(5)); on other systems, silence is the only sign.
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
SILENCE = 0.1  # if the system does not show what the program does
STUBBORN = 2.0  # if one of its processes reads input and others are busy
FIRST_LOOK, LAST_LOOK = 0.0005, 0.05  # seconds; the first and the longest pause between looks
NO_END = 0xFFFFFFFF  # -1 as an argument of a system call
MOST_LOOKS = 3  # at processes that may change meanwhile
LOOK_SECONDS = 1.0  # for these looks together
MOST_WATCHED = 1 << 17  # bytes of the kernel's list of descriptors watched by an epoll
WATCHED = re.compile(rb'^tfd:\s*(\d+) ', re.MULTILINE)  # a descriptor in that list

# Kernel functions in which a thread sleeps while reading a pipe or a terminal, or while waiting for
# one of several descriptors or for some time to pass.
READING_PIPE = re.compile(b'(anon_)?pipe_read|pipe_wait(_readable)?')
READING = re.compile(b'pipe_read|pipe_wait|wait_woken|n_tty_read')
EPOLL = re.compile(b'ep_poll|epoll_wait')
POLLING = re.compile(b'poll_schedule|do_select|do_poll|do_sys_poll')
WAITING_FOR_TIME = re.compile(b'nanosleep|nsleep')
# The argument with the time limit, from 1, of each system call that waits for one of several
# descriptors, by the number of the call.
TIME_OF_POLL = {
    7: 3,  # poll
    23: 5,  # select
    271: 3,  # ppoll
    270: 5,  # pselect6
    73: 3,  # ppoll on 64-bit ARM
    72: 5,  # pselect6 there
}

# Lines of /proc/PID/status for a process that only its input can wake: it sleeps, catches no signal
# but SIGINT, and has one thread. The number of context switches shows whether it ran between two
# looks.
ALONE = {
    b'State': re.compile(rb'S .*'),
    b'TracerPid': re.compile(b'0'),
    b'Threads': re.compile(b'1'),
    b'SigCgt': re.compile(b'0*[02]'),
    b'voluntary_ctxt_switches': re.compile(b'[0-9]+'),
}
STATUS_LINE = re.compile(rb'^(' + b'|'.join(ALONE) + rb'):\s*(.*)$', re.MULTILINE)

Look = Literal[  # what a thread or a process does
    'reads',  # it reads the program's input
    'awaits',  # it is waiting for one of several files, perhaps the input, without a time limit
    'polls',  # the same, with a time limit
    'busy',
    'sleeps',  # until another process or thread wakes it
    'hidden',  # the system does not show it
]
Identity = tuple[int, int]  # of an open file: its device and inode


class Waiting(IntEnum):
    """Whether a program is waiting for input, as far as can be seen from outside."""

    UNSEEN = 0  # it is not waiting, or nothing shows that it is
    SEEN = 1  # it seems to be waiting, but a thread or a timer may wake it
    CERTAIN = 2  # nothing but input can wake it


class Reading(NamedTuple):
    """The result of reading a program's output for some time."""

    output: bytes | None  # `b''` at its end, or None if nothing came
    waiting: Waiting
    # Seconds of silence after the program had read its input: an upper bound if output came, a
    # lower bound if none did.
    silence: float


def read_or_look(
    run: Run,
    seconds: float,
    *,
    trusts: bool = True,
    silence: float = SILENCE,
    first_look: float = FIRST_LOOK,
) -> Reading:
    """Read new output for some seconds, or until the program is waiting for input.

    The grader looks at the program after `first_look` seconds, and then less and less often. A
    program that only seems to be waiting counts as waiting if the caller `trusts` looks, or after
    `silence` seconds.
    """
    begin = has_read = time.monotonic()  # when the program was last seen with unread input
    pause, silent = first_look, 0.0  # `silent` sums planned pauses; a busy machine lengthens them
    while (now := time.monotonic()) < begin + seconds and not run.is_overdue:
        output = run.read(min(pause, begin + seconds - now))
        if output is not None:
            return Reading(output, Waiting.UNSEEN, time.monotonic() - has_read)
        silent += pause
        pause = min(2 * pause, LAST_LOOK)
        if run.has_unread_input:
            has_read, silent = time.monotonic(), 0.0
            continue
        waiting = Waiting.UNSEEN
        if only_input_wakes(run):
            waiting = Waiting.CERTAIN
        elif trusts or silent >= silence:
            seen = waits_for_input(run.group, silent > STUBBORN)
            if (seen and trusts) or (seen is not False and silent >= silence):
                waiting = Waiting.SEEN
        if waiting:
            output = run.read(0)  # it may have been printed just before the look
            if output is not None:
                return Reading(output, Waiting.UNSEEN, time.monotonic() - has_read)
            return Reading(None, waiting, silent)
    return Reading(None, Waiting.UNSEEN, silent)


def only_input_wakes(run: Run) -> bool:
    """Return whether a program reads its input, and nothing but input can wake it.

    Such a program is one process with one thread. It catches no signal except SIGINT, which every
    Python program catches. It has no timer that could send SIGINT, and it is not being traced.
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
        and status_lines(process) == before  # it has not run meanwhile
    )


def status_lines(process: int) -> dict[bytes, bytes]:
    """Return the lines of a process's status that show whether anything may wake it."""
    return dict(STATUS_LINE.findall(read(f'{process}/status')))


def reads_pipe(process: int, pipe: Identity) -> bool:
    """Return whether the first thread of a process sleeps while it reads a pipe."""
    function, call = read(f'{process}/wchan'), read(f'{process}/syscall').split()
    return (
        len(call) > 1
        and READING_PIPE.fullmatch(function) is not None
        and identity(f'/proc/{process}/fd/{int(call[1], 16)}') == pipe
    )


def waits_for_input(leader: int, though_busy: bool = False) -> bool | None:
    """Return whether a program is waiting for its standard input, or None if this cannot be seen.

    `leader` is the first process, whose standard input it is. The program is waiting if one of its
    processes is reading the input, and no other process is busy and might still print. With
    `though_busy`, busy processes do not matter.
    """
    if not HAS_SANDBOX or not os.path.exists(f'/proc/{leader}/task/{leader}/children'):
        return None  # this system does not show it
    source = identity(f'/proc/{leader}/fd/0')
    until = time.monotonic() + LOOK_SECONDS
    awaits = False  # whether all processes waited without a time limit at the last look
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
        else:  # another process may have woken it since the look at it
            awaits = True
    return None


def waits_for_some_time(leader: int) -> bool:
    """Return whether a program is waiting with a time limit, perhaps for its input."""
    if not HAS_SANDBOX:
        return False
    source, until = identity(f'/proc/{leader}/fd/0'), time.monotonic() + LOOK_SECONDS
    looks = {look_at(number, source, until) for number in [leader, *descendants(leader)]}
    return 'polls' in looks and 'reads' not in looks


def look_at(process: int, source: Identity | None, until: float) -> Look:
    """Return what a process does: it reads the program's input if one of its threads does.

    There may be many threads, so stop looking at the time `until`.
    """
    looks = {
        look_at_thread(process, thread, source) if time.monotonic() < until else 'hidden'
        for thread in threads_of(process)
    }
    kinds: list[Look] = ['reads', 'busy', 'hidden', 'polls', 'awaits']
    return next((kind for kind in kinds if kind in looks), 'sleeps')


def look_at_thread(process: int, thread: int, source: Identity | None) -> Look:
    """Return what a thread does."""
    place = f'{process}/task/{thread}'
    function, call = read(f'{place}/wchan'), read(f'{place}/syscall').split()
    state = status_of(place)[:1]
    if state in ([], [b'Z'], [b'X']):  # it has ended
        return 'sleeps'
    # In state D it is waiting for the disk, or for a process that it has just started.
    if call[:1] == [b'running'] or state == [b'D'] or WAITING_FOR_TIME.search(function):
        return 'busy'
    if function in (b'', b'0') or len(call) < 2:
        return 'hidden'  # this kernel does not show it
    number = int(call[1], 16)
    if READING.search(function):
        descriptors, seconds = {number}, NO_END
    elif EPOLL.search(function):
        # A descriptor may be listed once for each file that has ever had its number.
        watched = WATCHED.findall(read(f'{process}/fdinfo/{number}', MOST_WATCHED))
        descriptors, seconds = {*map(int, watched)}, int(call[4], 16) & NO_END
    elif POLLING.search(function):
        return look_at_poll(process, call, source)
    else:
        return 'sleeps'
    if not any(
        identity(f'/proc/{process}/fd/{descriptor}') == source if source else descriptor == 0
        for descriptor in descriptors
    ):
        return 'sleeps'  # it reads something other than the program's input
    # It is waiting without a limit if the time is -1, or missing (epoll_pwait2).
    return 'reads' if seconds in (0, NO_END) else 'polls'


def look_at_poll(process: int, call: list[bytes], source: Identity | None) -> Look:
    """Return what a thread that is waiting for one of several descriptors does.

    The system does not show which. The input is assumed to be one if the process has it open.
    """
    argument = TIME_OF_POLL.get(int(call[0]))
    if not argument or not source:
        return 'polls'
    seconds = int(call[argument], 16)  # -1, or a pointer
    if seconds and seconds & NO_END != NO_END:
        return 'polls'
    descriptors = os.listdir(f'/proc/{process}/fd')
    has_source = any(identity(f'/proc/{process}/fd/{name}') == source for name in descriptors)
    return 'awaits' if has_source else 'sleeps'


def identity(path: str) -> Identity | None:
    """Return the identity of an open file, or None if it cannot be seen."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
