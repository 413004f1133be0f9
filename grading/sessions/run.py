"""One run of a program: when it begins, what it prints and gets, if it waits, how it ends.

Every wait here has a limit, so no program can hold up the grader. In a class, a `ClassLock` says
when a program may begin.

A program may be several processes: a pipeline, a shell and its commands, or a sandbox around them.
The grader sees these processes from outside. On Linux it sees which of them wait for input (see
proc(5)); elsewhere silence is the only sign.
"""

from __future__ import annotations

import math
import os
import re
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
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import IO, Literal

from ..sandbox.program import (
    ENDING_SECONDS,
    HAS_SANDBOX,
    IS_WINDOWS,
    Program,
    StartError,
    own_environment,
)

if HAS_SANDBOX:
    import fcntl
    import termios

    from ..sandbox.kernel import Process, read, status_of
    from ..sandbox.kinds import Sandbox
    from ..sandbox.processes import Watch, descendants, threads_of

PIECE = 1 << 16  # bytes that are read at once
# Bytes of output that may wait to be read, and while a text is typed, which may be long.
MOST_HELD, MOST_MEANWHILE = 1 << 20, 1 << 26
MOST_WAITING = 16  # pieces of output that may wait in a queue
LEAST_WAIT = 0.02  # seconds that a thread gets to bring a piece
TAIL = 1 << 14  # bytes of standard error that most runs keep
DRAINING = 0.2  # seconds to read standard error, which may be endless
LAST_SECONDS = 5.0  # seconds to read it when standard output has ended

# A silent program counts as waiting after so many seconds: where the system shows no more; or
# where one of its processes reads, and others are busy.
SILENCE, STUBBORN = 0.1, 2.0
FIRST_LOOK, LAST_LOOK = 0.0005, 0.05  # the first and the longest pause between two looks
NO_END = 0xFFFFFFFF  # -1 as a system call has it
MOST_LOOKS = 3  # at a process that changes meanwhile
LOOK_SECONDS = 1.0  # that these may take: then nothing has been seen
MOST_WATCHED = 1 << 17  # bytes of the kernel's list of what an epoll watches
WATCHED = re.compile(rb'^tfd:\s*(\d+) ', re.MULTILINE)  # a descriptor there

# Functions of the kernel in which a thread sleeps: it reads a pipe or a terminal, or waits for
# one of several descriptors, or for a time.
READING = re.compile(b'pipe_read|pipe_wait|wait_woken|n_tty_read')
EPOLL = re.compile(b'ep_poll|epoll_wait')
POLLING = re.compile(b'poll_schedule|do_select|do_poll|do_sys_poll')
WAITING_FOR_TIME = re.compile(b'nanosleep|nsleep')

# In a class:
LONG = 5.0  # seconds for which a submission holds a place of the class
MOST_LONG = 3  # runs beside these, for each processor, of the others
LATER = 30.0  # seconds by which who wants to be alone stands back
FIRST_PAUSE, LAST_PAUSE = 0.002, 0.05  # seconds between two looks at a lock
CLASS = 'class'  # locked while some have not begun, or not had their time
COURSE = 'course'  # locked by all who run, or by one who is alone
CLAIM = 'claim-'  # begins a file's name, locked by somebody who waits
OVER = 'over'  # has the time since when all have begun

Look = Literal['reads', 'busy', 'polls', 'sleeps', 'hidden']
Identity = tuple[int, int]  # of an open file: its device, and its number there


class Run:
    """A running program on pipes, with a limit of seconds; `running` starts one."""

    folder = ''  # that it runs in, as it sees it; '' if that is its own
    kept = TAIL  # bytes that are kept of the end of standard error
    first_errors = b''  # the beginning of standard error
    _tail = b''  # its end
    _prints = True  # whether standard output is open
    _has_errors = True  # whether standard error is open

    def __init__(
        self, process: Process, watch: Watch, seconds: float, pipes: Sequence[IO[bytes]]
    ) -> None:
        self.group = process.number  # of processes, that the program leads
        self.folder = process.folder
        self._deadline = time.monotonic() + seconds
        self._process, self._watch = process, watch
        self._held = bytearray()  # output that nobody has read yet
        self._input, output, errors = pipes
        self._inlet, self._outlet = self._input.fileno(), output.fileno()
        self._error_outlet = errors.fileno()
        for pipe in pipes:
            os.set_blocking(pipe.fileno(), False)

    def read_errors(self) -> bytes:
        """Return the last bytes of standard error.

        When the program has ended they are complete, unless another process keeps it open.
        """
        until = time.monotonic() + (DRAINING if self._prints else LAST_SECONDS)
        while (
            self._has_errors
            and time.monotonic() < until
            and self._wait(0 if self._prints else until)
        ):
            pass
        return self._tail

    @property
    def is_overdue(self) -> bool:
        """Whether the time of the run is used up."""
        return time.monotonic() >= self._deadline

    @property
    def was_killed_by_system(self) -> bool:
        """Whether the system has killed the program because the machine's memory ran out."""
        return self._process.was_killed_by_system and not self.excess

    @property
    def excess(self) -> str:
        """What the run used too much of, such as 'more than 1,024 MB of memory'; '' for nothing."""
        return self._watch.excess

    def looked_at(self) -> AbstractContextManager[None]:
        """Return a context in which the run is looked at although the grader is busy."""
        return self._watch.while_busy()

    @property
    def has_unread_input(self) -> bool:
        """Whether the program has certainly not read all that was typed."""
        unread = array('i', [0])
        if not self._input.closed:
            fcntl.ioctl(self._inlet, termios.FIONREAD, unread)
        return unread[0] > 0

    def read(self, seconds: float) -> bytes | None:
        """Return new output, `b''` at its end, `None` if nothing came within some seconds."""
        until = min(time.monotonic() + seconds, self._deadline)
        while not self._held and self._prints:
            # Standard error may bring something all the time.
            if not self._wait(until) or (time.monotonic() > until and not self._held):
                return None
        piece, self._held = bytes(self._held), bytearray()
        return piece

    def send(self, text: bytes, seconds: float) -> None:
        """Type a text; stop if the program reads nothing of it for some seconds."""
        left, until = memoryview(text), min(time.monotonic() + seconds, self._deadline)
        while left and self._wait(until, [self._inlet]):
            try:
                left = left[os.write(self._inlet, left) :]
                until = min(time.monotonic() + seconds, self._deadline)
            except BlockingIOError:  # it was output that came
                if time.monotonic() > until:
                    break
            except OSError:  # the program no longer reads
                break

    def end_input(self) -> None:
        """End the program's input."""
        self._input.close()

    def status(self, seconds: float) -> int | None:
        """Return the exit status, negative for a signal, `None` if the program still runs."""
        until = time.monotonic() + seconds
        while True:
            status = self._process.status(max(0, min(until, self._watch.next) - time.monotonic()))
            if status is not None or time.monotonic() >= until:
                return status
            self._watch.look()

    def _wait(self, until: float, inlets: Sequence[int] = ()) -> bool:
        """Wait for output until a time; return whether some came, or an inlet has room."""
        most = MOST_MEANWHILE if inlets else MOST_HELD
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
            with suppress(BlockingIOError):  # a program of the same user has read it itself
                self._take(os.read(outlet, PIECE), outlet == self._outlet)
        return bool(ready or free)

    def _take(self, piece: bytes, is_output: bool) -> None:
        """Keep a piece of standard output or of standard error; `b''` is its end."""
        if is_output:
            self._prints = bool(piece)
            self._held += piece
        else:
            self._has_errors = bool(piece)
            self._tail = (self._tail + piece)[-self.kept :]
            self.first_errors += piece[: TAIL - len(self.first_errors)]


class Threaded(Run):
    """The user's own program where the system has no sandbox, and cannot select among pipes.

    One thread writes to it, two read, and all end with the program. Only its own thread uses and
    closes an end of a pipe: closing it while another thread waits for it would also wait. Raises
    `StartError`.
    """

    was_killed_by_system = has_unread_input = False
    excess = ''

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
        self.group = process.pid
        self._deadline = time.monotonic() + seconds
        self._started, self._held = process, bytearray()
        self._inputs: Queue[bytes] = Queue()  # b'' for the end
        self._pieces: Queue[tuple[bytes, bool]] = Queue(MOST_WAITING)
        for outlet, is_output in ((process.stdout, True), (process.stderr, False)):
            Thread(target=self._read, args=(outlet, is_output), daemon=True).start()
        Thread(target=self._write, args=(process.stdin,), daemon=True).start()

    def looked_at(self) -> AbstractContextManager[None]:
        return nullcontext()

    def send(self, text: bytes, seconds: float) -> None:
        if text:
            self._inputs.put(text)  # callers wait for its output instead

    def end_input(self) -> None:
        self._inputs.put(b'')

    def status(self, seconds: float) -> int | None:
        try:
            return self._started.wait(max(0, seconds))
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        """End the program, and all that it started."""
        self.end_input()
        if self.status(0) is None:
            with suppress(OSError):  # only Windows has it
                subprocess.run(
                    ['taskkill', '/F', '/T', '/PID', str(self.group)],
                    check=False,
                    capture_output=True,
                    timeout=ENDING_SECONDS,
                )
            self._started.kill()
            self.status(ENDING_SECONDS)
        with suppress(Empty):
            while True:  # so that no thread waits for room
                self._pieces.get_nowait()

    def _wait(self, until: float, inlets: Sequence[int] = ()) -> bool:
        try:
            self._take(*self._pieces.get(timeout=max(LEAST_WAIT, until - time.monotonic())))
        except Empty:
            return False
        return True

    def _read(self, outlet: IO[bytes], is_output: bool) -> None:
        """Put pieces of output, and the end, into the queue."""
        with outlet:
            while piece := os.read(outlet.fileno(), PIECE):
                if IS_WINDOWS and is_output:  # a program's text mode makes \r\n of each \n
                    piece += os.read(outlet.fileno(), 1) if piece.endswith(b'\r') else b''
                    piece = piece.replace(b'\r\n', b'\n')
                self._pieces.put((piece, is_output))
            self._pieces.put((b'', is_output))

    def _write(self, inlet: IO[bytes]) -> None:
        """Type what is sent, until the end of input, or until the program no longer reads."""
        with suppress(OSError), inlet:
            for text in iter(self._inputs.get, b''):
                inlet.write(text)


@contextmanager
def running(
    program: Program,
    sandbox: Sandbox,
    seconds: float,
    in_folder: Callable[[int], AbstractContextManager[None]] | None = None,
) -> Iterator[Run]:
    """Start a program; at the end, kill all that it started.

    `seconds` is the limit of the run; for `in_folder` see `Sandbox.started`; without a sandbox it
    gets -1. Raises `StartError`.
    """
    if not HAS_SANDBOX:
        with (
            in_folder(-1) if in_folder else nullcontext(),
            closing(Threaded(program, seconds)) as run,
        ):
            yield run
        return
    with ExitStack() as stack:
        pipes = []
        for _ in range(3):
            reading, writing = os.pipe()
            pipes.append(
                (
                    stack.enter_context(open(reading, 'rb', buffering=0)),
                    stack.enter_context(open(writing, 'wb', buffering=0)),
                )
            )
        (input_, inlet), (outlet, output), (errors, error) = pipes
        process, watch = stack.enter_context(
            sandbox.started(program, (input_.fileno(), output.fileno(), error.fileno()), in_folder)
        )
        for end in (input_, output, error):
            end.close()
        yield Run(process, watch, seconds, (inlet, outlet, errors))


def read_or_look(
    run: Run, seconds: float, trusts: bool = True, silence: float = SILENCE
) -> tuple[bytes | None, bool]:
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
            piece = run.read(0)  # it may have been printed before the look
            return piece, piece is None
    return None, False


def waits_for_input(leader: int, though_busy: bool = False) -> bool | None:
    """Return whether a program waits to read its standard input, None if this cannot be seen.

    `leader` is the first process, which has that input. The program waits if one of its processes
    reads the input and no other process is busy: a busy process may still print. With
    `though_busy`, busy processes do not count.
    """
    if not HAS_SANDBOX or not os.path.exists(f'/proc/{leader}/task/{leader}/children'):
        return None  # this system does not show it
    source = identity(f'/proc/{leader}/fd/0')
    until = time.monotonic() + LOOK_SECONDS
    for _ in range(MOST_LOOKS):
        looks = {look_at(number, source, until) for number in [leader, *descendants(leader)]}
        if 'busy' in looks and not though_busy:
            return False
        if time.monotonic() >= until:
            return None
        if 'reads' in looks:
            return True
        if looks and not looks & {'polls', 'hidden'}:
            return False
    return None


def look_at(process: int, source: Identity | None, until: float) -> Look:
    """Return what a process does: it reads the program's input if one of its threads does.

    Its threads may be many, and what they do may take long to find: look at them `until` a time.
    """
    looks = {
        look_at_thread(process, thread, source) if time.monotonic() < until else 'hidden'
        for thread in threads_of(process)
    }
    kinds: list[Look] = ['reads', 'busy', 'hidden', 'polls']
    return next((kind for kind in kinds if kind in looks), 'sleeps')


def look_at_thread(process: int, thread: int, source: Identity | None) -> Look:
    """Return what a thread does."""
    place = f'{process}/task/{thread}'
    function, call = read(f'{place}/wchan'), read(f'{place}/syscall').split()
    if status_of(place)[:1] in ([], [b'Z'], [b'X']):  # it has ended
        return 'sleeps'
    if call[:1] == [b'running'] or WAITING_FOR_TIME.search(function):
        return 'busy'
    if function in (b'', b'0') or len(call) < 2:
        return 'hidden'  # this kernel does not show it
    number = int(call[1], 16)
    if READING.search(function):
        descriptors, seconds = {number}, NO_END
    elif EPOLL.search(function):
        # It may watch one many times: once for each file that has ever had this number.
        watched = WATCHED.findall(read(f'{process}/fdinfo/{number}', MOST_WATCHED))
        descriptors, seconds = {*map(int, watched)}, int(call[4], 16) & NO_END
    else:
        return 'polls' if POLLING.search(function) else 'sleeps'
    if not any(
        identity(f'/proc/{process}/fd/{one}') == source if source else one == 0
        for one in descriptors
    ):
        return 'sleeps'  # it reads something else than the program's input
    # It waits without an end if the time is -1, or there is none (epoll_pwait2).
    return 'reads' if seconds in (0, NO_END) else 'polls'


def identity(path: str) -> Identity | None:
    """Return what identifies an open file, None if it cannot be seen."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


class ClassLock:
    """The order in which the programs of a class run; without a folder nobody waits.

    The next place goes to the submission that has had the least time. One that has had `LONG`
    seconds takes a seat for each run; there are a few for each processor. It may be alone for
    `seconds` in all, once all others have begun and had their `LONG` seconds; as long as it waits
    for that, it keeps only those from running that have had `LATER` seconds more. Waiting counts as
    a submission's time when the class is `OVER`: all have begun. After `whole` seconds it waits no
    longer.

    If the machine has only few `places`, every run needs a seat, of which there are no more than
    places; and waiting never counts.
    """

    def __init__(
        self,
        folder: Path | None = None,
        seconds: float = 0,
        whole: float = math.inf,
        places: int | None = None,
    ) -> None:
        self.waited = 0.0  # seconds that do not count as its time
        self._folder = folder
        self.seconds_left = seconds  # for which the submission may still be alone
        self._whole = whole
        self._places = places or math.inf
        self._has_few = self._places < (1 + MOST_LONG) * processors()
        self._begin = time.monotonic()
        self._waiting = 0.0  # seconds of waiting, whether they count or not

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Run beside other programs, but not while one runs alone."""
        with ExitStack() as held:
            had = time.monotonic() - self._begin - self._waiting
            if had >= LONG or self._has_few:
                seats = int(min(MOST_LONG * processors(), self._places))
                self._hold(held, [f'seat-{number}' for number in range(seats)], claim=had)
            self._hold(held, [COURSE])
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Run while no other program of the class runs."""
        with ExitStack() as held:
            had = time.monotonic() - self._begin - self._waiting
            self._hold(held, [CLASS])
            held.close()
            self._hold(held, [COURSE], claim=had + LATER)
            begin = time.monotonic()
            try:
                yield
            finally:
                self.seconds_left = max(0, self.seconds_left - (time.monotonic() - begin))

    def _hold(self, held: ExitStack, names: Sequence[str], claim: float | None = None) -> None:
        """Wait for one of some locks, and hold it; the system releases it if this process ends.

        With a `claim` hold it alone, and before that wait until nobody waits who has claimed with
        fewer seconds.
        """
        if not self._folder:
            return
        begin, waited, pause = time.monotonic(), 0.0, FIRST_PAUSE
        with ExitStack() as queue:
            own = None
            if claim is not None:
                own = self._folder / f'{CLAIM}{claim:012.3f}-{os.getpid()}'
                queue.callback(own.unlink, missing_ok=True)
                # Before it is locked, others may take it for that of a process that was killed.
                while not (locked(queue, own, alone=True) and own.exists()):
                    time.sleep(FIRST_PAUSE)
            while not (
                (own is None or is_first(own))
                and any(locked(held, self._folder / name, bool(own)) for name in names)
            ):
                time.sleep(pause)
                pause = min(2 * pause, LAST_PAUSE)
                now = time.monotonic()
                over = math.inf  # since when all have begun, by the monotonic clock
                with suppress(OSError, ValueError):
                    if not self._has_few:
                        over = float((self._folder / OVER).read_text(encoding='ascii'))
                waited = max(0, min(now, over) - begin)
                if now - self._begin - self.waited - waited > self._whole:
                    break
        self.waited += waited
        self._waiting += time.monotonic() - begin


def is_first(own: Path) -> bool:
    """Return whether no other claim in the folder of a class comes before one's own."""
    for claim in sorted(own.parent.glob(f'{CLAIM}*')):
        with ExitStack() as ended:
            if claim == own or not locked(ended, claim, alone=True):
                return claim == own
            claim.unlink(missing_ok=True)  # of a process that was killed
    return True


def locked(held: ExitStack, path: Path, alone: bool) -> bool:
    """Lock a file, for this process alone or for all who share it, if it is free."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return False
    held.callback(os.close, descriptor)
    held.callback(fcntl.flock, descriptor, fcntl.LOCK_UN)  # a fork may have it open, too
    return True


def processors() -> int:
    """Return how many processors the grader may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
