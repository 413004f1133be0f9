"""A running program: how it is started, its input, its output, and its end.

Every wait has a limit, so no program can block the grader. On Windows, which has no sandbox and no
`select` for pipes, threads read and write.
"""

from __future__ import annotations

import math
import os
import select
import shutil
import subprocess
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    closing,
    contextmanager,
    nullcontext,
    suppress,
)
from queue import Empty, Queue
from threading import Thread
from typing import IO, TYPE_CHECKING

from ..sandbox.program import (
    ENDING_SECONDS,
    HAS_SANDBOX,
    IS_WINDOWS,
    OTHERS_SECONDS,
    Program,
    StartError,
    own_environment,
    status_or_signal,
)

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox

if HAS_SANDBOX:
    import fcntl
    import termios

    from ..sandbox.kernel import Process
    from ..sandbox.usage import Watch

PIECE = 1 << 16  # bytes to read at once
MAX_HELD = 1 << 20  # read no more output while this many bytes are buffered
MAX_WHILE_TYPING = 1 << 26  # the same while typing input: long input may cause a lot of output
TAIL = 1 << 14  # bytes to keep from the start of standard error and, by default, from its end
DRAINING = 0.2  # seconds for draining standard error while standard output is open
LAST_SECONDS = 5.0  # seconds for reading standard error after standard output has ended
MAX_WAITING = 16  # maximum number of pieces of output in the queue
MIN_WAIT = 0.02  # seconds to wait for a piece even if no time is left


@contextmanager
def running(
    program: Program,
    sandbox: Sandbox,
    seconds: float,
    in_folder: Callable[[int], AbstractContextManager[None]] | None = None,
) -> Iterator[Run]:
    """Start a program; at the end, kill all processes it started.

    `seconds` is the time limit of the run. For `in_folder`, see `Sandbox.started`; on a system
    without a sandbox, `in_folder` is called with -1. Raises `StartError`.
    """
    if not HAS_SANDBOX:
        with (
            in_folder(-1) if in_folder else nullcontext(),
            closing(ThreadedRun(program, seconds)) as run,
        ):
            yield run
        return
    with ExitStack() as stack:
        pipes = []  # the end for reading and the end for writing of each pipe
        for _ in range(3):
            reading, writing = os.pipe()
            pipes.append(
                (
                    stack.enter_context(open(reading, 'rb', buffering=0)),
                    stack.enter_context(open(writing, 'wb', buffering=0)),
                )
            )
        (stdin, inlet), (outlet, stdout), (error_outlet, stderr) = pipes
        streams = stdin.fileno(), stdout.fileno(), stderr.fileno()
        if program.folder and sandbox.user_number is not None:
            for descriptor in streams:  # only a pipe's owner can open it by name: /dev/stdin
                os.fchown(descriptor, sandbox.user_number, -1)
        process, watch = stack.enter_context(sandbox.started(program, streams, in_folder))
        for stream in (stdin, stdout, stderr):  # the program has its own copies
            stream.close()
        yield Run(process, watch, seconds, (inlet, outlet, error_outlet))


class Run:
    """A running program, connected by pipes, with a time limit; `running` starts one."""

    folder = ''  # the path of the program's folder, as the program sees it, or '' for the real path
    kept = TAIL  # how many bytes to keep from the end of standard error
    first_errors = b''  # the beginning of standard error
    _tail = b''  # the end of standard error
    _prints = True  # whether standard output is open
    _has_errors = True  # whether standard error is open

    def __init__(
        self, process: Process, watch: Watch, seconds: float, pipes: Sequence[IO[bytes]]
    ) -> None:
        self.folder = process.folder
        self._deadline = time.monotonic() + seconds
        self._process, self._watch = process, watch
        self._held = bytearray()  # output that `read` has not returned yet
        self._input, output, errors = pipes
        self._inlet, self._outlet = self._input.fileno(), output.fileno()
        status = os.fstat(self._inlet)
        self.input_identity = status.st_dev, status.st_ino
        self._error_outlet = errors.fileno()
        for pipe in pipes:
            os.set_blocking(pipe.fileno(), False)

    def read_errors(self) -> bytes:
        """Return the end of standard error so far, at most `kept` bytes.

        If standard output is closed, first wait up to `LAST_SECONDS` for standard error to close,
        too: another process may be keeping it open.
        """
        until = time.monotonic() + (DRAINING if self._prints else LAST_SECONDS)
        while self._has_errors and time.monotonic() < until:
            if not self._wait(0 if self._prints else until):
                break
        return self._tail

    @property
    def is_overdue(self) -> bool:
        """Whether the run's time is used up."""
        return time.monotonic() >= self._deadline

    @property
    def was_killed_by_system(self) -> bool:
        """Whether the system seems to have killed the program because memory ran out."""
        return self._process.was_killed_by_system and not self.excess

    @property
    def excess(self) -> str:
        """The limit the run has exceeded, such as 'more than 1,024 MB of memory', or ''."""
        return self._watch.excess

    @property
    def refused(self) -> Sequence[str]:
        """What the run was seen to be refused: 'more than 256 processes and threads (EAGAIN)'."""
        return self._watch.refused

    def watched_while_busy(self) -> AbstractContextManager[None]:
        """Return a context in which the run's limits are checked while the grader is busy."""
        return self._watch.while_busy()

    @property
    def processes(self) -> Sequence[int]:
        """The IDs of the program's processes, parents before children, as far as they are known."""
        return self._watch.program_processes

    @property
    def first_process(self) -> int:
        """The ID of the program's first process; 0 if it is unknown."""
        return self._watch.first_process

    @property
    def has_unread_input(self) -> bool:
        """Whether the program is known to have unread input."""
        unread = array('i', [0])
        if not self._input.closed:
            fcntl.ioctl(self._inlet, termios.FIONREAD, unread)
        return unread[0] > 0

    def read(self, seconds: float) -> bytes | None:
        """Return new output, `b''` if the output has ended, or None after `seconds` without any.

        Also return None when the run's time is used up.
        """
        until = min(time.monotonic() + seconds, self._deadline)
        while not self._held and self._prints:
            # Endless output on standard error must not extend the wait.
            if not self._wait(until) or (time.monotonic() > until and not self._held):
                return None
        piece, self._held = bytes(self._held), bytearray()
        return piece

    def send(self, text: bytes, seconds: float) -> None:
        """Type input; give up if the program reads none of it for `seconds`."""
        left, until = memoryview(text), min(time.monotonic() + seconds, self._deadline)
        while left and self._wait(until, [self._inlet]):
            try:
                left = left[os.write(self._inlet, left) :]
                until = min(time.monotonic() + seconds, self._deadline)
            except BlockingIOError:  # output arrived, but there is no room for input
                if time.monotonic() > until:
                    break
            except OSError:  # the program no longer reads
                break

    def end_input(self) -> None:
        """End the program's input."""
        self._input.close()

    def status(self, seconds: float) -> int | None:
        """Return the exit status (negative for a signal), or None after `seconds` without one."""
        until = time.monotonic() + seconds
        while True:
            status = self._process.status(max(0, min(until, self._watch.next) - time.monotonic()))
            if status is not None or time.monotonic() >= until:
                return status
            self._watch.look()

    def _wait(self, until: float, inlets: Sequence[int] = ()) -> bool:
        """Wait for output or errors, no longer than `until`, and take what has arrived.

        Also stop when an inlet has room. Return whether anything arrived or an inlet has room.
        """
        most = MAX_WHILE_TYPING if inlets else MAX_HELD
        outlets = [self._outlet] if self._prints and len(self._held) < most else []
        outlets += [self._error_outlet] if self._has_errors else []
        while True:
            self._watch.look()
            ready, free, _ = select.select(
                outlets, inlets, [], max(0, min(until, self._watch.next) - time.monotonic())
            )
            if ready or free or time.monotonic() >= until:
                break
        for outlet in ready:
            with suppress(BlockingIOError):  # another process of this user has read the output
                self._take(os.read(outlet, PIECE), outlet == self._outlet)
        return bool(ready or free)

    def _take(self, piece: bytes, is_output: bool) -> None:
        """Add a piece of standard output or standard error; `b''` marks the end."""
        if is_output:
            self._prints = bool(piece)
            self._held += piece
        else:
            self._has_errors = bool(piece)
            self._tail = (self._tail + piece)[-self.kept :]
            self.first_errors += piece[: TAIL - len(self.first_errors)]


class ThreadedRun(Run):
    """A run of the user's own program on Windows.

    One thread writes to the program, two read from it, and all three end once `close` has ended the
    program. Each thread closes its own end of a pipe: closing it from another thread would mean
    waiting while it is in use. Raises `StartError`.
    """

    was_killed_by_system = has_unread_input = False
    first_process = 0
    excess = ''
    _ended = math.inf  # when the program's first process was seen to have ended
    processes = refused = ()

    def __init__(self, program: Program, seconds: float) -> None:
        words = [shutil.which(program.words[0]) or program.words[0], *program.words[1:]]
        try:
            process = subprocess.Popen(
                words,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**own_environment(), **program.env},
            )
        except OSError as error:
            raise StartError(f'{words[0]}: {error.strerror}') from None
        self._deadline = time.monotonic() + seconds
        self._started, self._held = process, bytearray()
        self._inputs: Queue[bytes] = Queue()  # what to type; b'' ends the input
        # Pieces of output, each with whether it is from standard output; b'' ends a stream.
        self._pieces: Queue[tuple[bytes, bool]] = Queue(MAX_WAITING)
        for outlet, is_output in ((process.stdout, True), (process.stderr, False)):
            Thread(target=self._read, args=(outlet, is_output), daemon=True).start()
        Thread(target=self._write, args=(process.stdin,), daemon=True).start()

    def watched_while_busy(self) -> AbstractContextManager[None]:
        return nullcontext()

    def send(self, text: bytes, seconds: float) -> None:
        if text:
            self._inputs.put(text)  # without waiting until the program reads it

    def end_input(self) -> None:
        self._inputs.put(b'')

    def status(self, seconds: float) -> int | None:
        try:
            return status_or_signal(self._started.wait(max(0, seconds)))
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        """End the program, and all processes it started."""
        self.end_input()
        if self.status(0) is None:
            with suppress(OSError):  # only Windows has `taskkill`; tests run on other systems, too
                subprocess.run(
                    ['taskkill', '/F', '/T', '/PID', str(self._started.pid)],
                    check=False,
                    capture_output=True,
                    timeout=ENDING_SECONDS,
                )
            self._started.kill()
            self.status(ENDING_SECONDS)
        with suppress(Empty):
            while True:  # empty the queue: a thread may be waiting for room in it
                self._pieces.get_nowait()

    def _wait(self, until: float, inlets: Sequence[int] = ()) -> bool:
        while True:
            most = min(until - time.monotonic(), OTHERS_SECONDS)
            with suppress(Empty):
                self._take(*self._pieces.get(timeout=max(MIN_WAIT, most)))
                return True
            now = time.monotonic()
            if now >= self._ended + OTHERS_SECONDS:  # what other processes print does not count
                self._prints = self._has_errors = False
                return True
            if self.status(0) is not None:
                self._ended = min(self._ended, now)
            if now >= until:
                return False

    def _read(self, outlet: IO[bytes], is_output: bool) -> None:
        """Put the pieces of a stream into the queue."""
        with outlet:
            while piece := os.read(outlet.fileno(), PIECE):
                if IS_WINDOWS and is_output:  # in text mode, programs print \r\n for \n
                    piece += os.read(outlet.fileno(), 1) if piece.endswith(b'\r') else b''
                    piece = piece.replace(b'\r\n', b'\n')
                self._pieces.put((piece, is_output))
            self._pieces.put((b'', is_output))

    def _write(self, inlet: IO[bytes]) -> None:
        """Type what is put into the queue, until the input ends or the program stops reading."""
        with suppress(OSError), inlet:
            for text in iter(self._inputs.get, b''):
                inlet.write(text)
