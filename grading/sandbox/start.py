"""The start of a program: a fork that confines itself, and reports when it is ready.

What fails before the program runs is the fault of the grader or the machine, never the program's.
"""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import select
import signal
import socket
import termios
import time
import warnings
from contextlib import suppress
from typing import Callable, NamedTuple, Sequence, Tuple

from .kernel import FILE_BLOCK, LARGEST_FILE, lowest
from .program import KILLED, Program, StartError

READY_SECONDS = 60                      # after which a start counts as failed
ENDING_SECONDS = 5                      # for a killed process to end
LONGEST_REASON = 4000                   # bytes of the reason for a failure
NAP_SECONDS = 0.001                     # seconds between two looks at a process
READY = b'ready\n'
FILTER_DESCRIPTOR = 4                   # where a program finds the filter to read

# Makes a fresh copy of the folder $1 as $2, goes to the folder $3 in it, limits files to $4 blocks
# and processes to $5 (dash calls them -p, bash -u); an empty argument leaves out its step. Its
# standard error is the grader's: there it reports that it is ready, and waits for an answer. Then
# it becomes the program, whose standard error is the descriptor 3.
START = '''
if [ "$1" ]; then cp -RPp "$1/." "$2" || exit 126; fi
cd "$2/$3" || exit 126
if [ "$4" ]; then ulimit -f "$4"; fi
if [ "$5" ]; then ulimit -p "$5" 2>/dev/null || ulimit -u "$5"; fi
shift 5
unset PWD OLDPWD
echo ready >&2
read -r go <&2 || exit 126
exec "$@" 2>&3 3>&-
'''

Streams = Tuple[int, int, int]          # standard input, output and error of a program


class Launch(NamedTuple):
    """Everything that is needed to start a program."""

    command: list[str]
    environment: dict[str, str]
    folder: str                         # the copy of the submission, as the program sees it
    prepare: Callable[[], None]         # called in the new process
    filter: bytes = b''                 # of system calls, which the new process loads
    place: str = ''                     # its folder on the machine's disk, '' if it has none


def command(folder: str, copy: str, program: Program, processes: str = '') -> list[str]:
    """Return a command line that copies a folder and runs a program in the copy.

    `processes` is the limit of processes there, '' if something else limits them.
    """
    most = str(lowest(resource.RLIMIT_FSIZE, LARGEST_FILE) // FILE_BLOCK) if folder else ''
    return ['sh', '-c', START, 'sh', folder, copy, program.below, most, processes, *program.words]


class Process:
    """A started process; `folder` is the program's folder as the program sees it."""

    def __init__(self, number: int, folder: str = '') -> None:
        self.number = number
        self.folder = folder
        self._status: int | None = None
        self._was_ended = False         # by the grader
        self._killed_before = killed_for_memory()

    @property
    def was_killed(self) -> bool:
        """Whether the process, or a shell or bwrap around it, was killed, not by the grader."""
        return not self._was_ended and self.status(0) in KILLED

    @property
    def was_memory_short(self) -> bool:
        """Whether the system has killed any process since the start because memory ran out."""
        return killed_for_memory() > self._killed_before

    def status(self, seconds: float) -> int | None:
        """Return the exit status, negative for a signal, `None` if it still runs."""
        until = time.monotonic() + seconds
        if self._has_ended() or seconds <= 0:
            return self._status
        try:
            descriptor = os.pidfd_open(  # type: ignore[attr-defined, unused-ignore]
                self.number)
        except (AttributeError, OSError):       # before Python 3.9, Linux 5.3; on macOS
            while not self._has_ended() and time.monotonic() < until:
                time.sleep(NAP_SECONDS)
        else:
            select.select([descriptor], [], [], seconds)
            os.close(descriptor)
            self._has_ended()
        return self._status

    def _has_ended(self) -> bool:
        if self._status is None:
            number, status = os.waitpid(self.number, os.WNOHANG)
            if number:
                self._status = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else (
                    os.WEXITSTATUS(status))
        return self._status is not None

    def end(self) -> None:
        """Kill the process, and all processes in its group."""
        self._was_ended |= self.status(0) is None
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.number, signal.SIGKILL)
        self.status(ENDING_SECONDS)


def killed_for_memory() -> int:
    """Return how many processes the system has ever killed because memory ran out."""
    with suppress(OSError, ValueError), open('/proc/vmstat', encoding='ascii') as counters:
        for line in counters:
            name, value = line.split()
            if name == 'oom_kill':
                return int(value)
    return 0


def fork(action: Callable[[], None]) -> int:
    """Run a function in a new process; return its number. Raises `OSError`."""
    with warnings.catch_warnings():     # the grader's threads only wait
        warnings.simplefilter('ignore', DeprecationWarning)
        number = os.fork()
    if not number:
        try:
            action()
        finally:
            os._exit(1)
    return number


def start(launch: Launch, streams: Streams, look: Callable[[int], None]) -> Process:
    """Start a program; call `look` with the number of its process before the program begins.

    Raises `StartError`.
    """
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            try:
                number = fork(lambda: become(launch, streams, theirs.fileno()))
            except OSError as error:
                raise StartError(f'the system has no process for it: {error.strerror}') from None
        process = Process(number, launch.folder)
        try:
            wait_for_ready(ours)
            look(number)
            ours.sendall(b'\n')
        except OSError as error:
            process.end()
            raise StartError(f'it ended too early: {error.strerror}') from None
        except StartError:
            process.end()
            raise
    return process


def wait_for_ready(channel: socket.socket) -> None:
    """Wait until a new process is ready. Raises `StartError` with its reason if it is not."""
    until = time.monotonic() + READY_SECONDS
    said = b''
    while not said.endswith(READY):
        if not select.select([channel], [], [], max(0, until - time.monotonic()))[0]:
            raise StartError(f'it was not ready after {READY_SECONDS} s')
        piece = channel.recv(LONGEST_REASON)
        if not piece:
            raise StartError(said.decode(errors='replace').strip() or 'it ended too early')
        said = (said + piece)[-LONGEST_REASON:]


def become(launch: Launch, streams: Streams, channel: int) -> None:
    """Turn this process into the program; if this fails, send the reason through a channel."""
    try:
        os.setsid()
        filters = []
        if launch.filter:               # the descriptor of a pipe with the filter in it
            outlet, inlet = os.pipe()
            os.write(inlet, launch.filter)
            filters.append(outlet)
        rearrange([streams[0], streams[1], channel, streams[2], *filters])
        if os.isatty(0):
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        for name in ('SIGPIPE', 'SIGXFSZ'):     # which Python ignores
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        launch.prepare()
        os.execvpe(launch.command[0], launch.command, launch.environment)
    except BaseException as error:
        os.write(2, f'{type(error).__name__}: {error}'.encode(errors='replace'))


def rearrange(descriptors: Sequence[int]) -> None:
    """Give some descriptors the numbers 0, 1, 2, ...; close all others."""
    copies = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, len(descriptors))
              for descriptor in descriptors]
    for number, descriptor in enumerate(copies):
        os.dup2(descriptor, number)
    for name in os.listdir('/dev/fd'):
        if int(name) >= len(copies):
            try:
                os.close(int(name))
            except OSError as error:    # that of the listing is closed already
                if error.errno != errno.EBADF:
                    raise
