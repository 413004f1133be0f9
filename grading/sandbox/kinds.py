"""The kinds of sandbox. All have limits, make a fresh copy for each run, and leave nothing behind.

`Sandbox` is `none`, and the base of the others; `Bubblewrap` uses namespaces, `AsOtherUser` another
user. A program starts as a fork that confines itself, and reports when it is ready. What fails
before that is the fault of the grader or the machine, never the program's.
"""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import socket
import sys
import tempfile
import termios
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Callable, Iterable, Iterator, Literal, NamedTuple, Sequence, Tuple

from ..installation import WHOLE
from ..limits import Limits
from .kernel import (
    FILE_BLOCK,
    LARGEST_FILE,
    SET_DEATH_SIGNAL,
    SET_NO_NEW_PRIVILEGES,
    Process,
    control,
    count_running,
    counts_by_namespace,
    die_first,
    filter_instructions,
    fork,
    leave_keyrings,
    load_filter,
    lowest,
    set_limits,
)
from .other_user import OtherUser, can_separate, separate, world_writable_folders
from .processes import (
    PREFIX,
    SHARE,
    Group,
    Watch,
    descendants,
    memory_sizes,
    nothing_left,
    trees_for_runs,
)
from .program import (
    SYSTEM,
    Program,
    SandboxError,
    StartError,
    clean_environment,
    in_sight,
    own_environment,
    tool_folders,
)
from .untrusted_files import remove

READY_SECONDS = 60                      # without a word, after which a start counts as failed
LONGEST_REASON = 4000                   # bytes of the reason for a failure
READY = b'ready\n'
FILTER_DESCRIPTOR = 4                   # where bubblewrap finds the filter of system calls
FOLDER_NOT_LINK = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
MOST_PROGRAMS = 64                      # of one user at once, each with all its processes
SOURCE, COPY = '/handed-in', '/tmp/submission'       # under bubblewrap, in memory

SandboxKind = Literal['bwrap', 'user', 'none']
Streams = Tuple[int, int, int]          # standard input, output and error of a program

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


class Launch(NamedTuple):
    """Everything that is needed to start a program."""

    command: list[str]
    environment: dict[str, str]
    folder: str                         # the copy of the submission, as the program sees it
    prepare: Callable[[], None]         # called in the new process
    place: str = ''                     # its folder on the machine's disk, '' if it has none


def command(folder: str, copy: str, program: Program, processes: str = '') -> list[str]:
    """Return a command line that copies a folder and runs a program in the copy.

    `processes` is the limit of processes there, '' if something else limits them.
    """
    most = str(lowest(resource.RLIMIT_FSIZE, LARGEST_FILE) // FILE_BLOCK) if folder else ''
    return ['sh', '-c', START, 'sh', folder, copy, program.below, most, processes, *program.words]


@contextmanager
def ready(launch: Launch, streams: Streams, group: Group | None,
          limits: Limits | None) -> Iterator[Process]:
    """Prepare a program in a new process; let it begin at the end of the block.

    Raises `StartError`.
    """
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            try:
                if group and limits:
                    group.limit(limits)
                number = fork(lambda: become(launch, streams, group, theirs.fileno()))
            except OSError as error:
                why = 'the system has no process, or no control group, for it'
                raise StartError(f'{why}: {error.strerror}') from None
        process = Process(number, launch.folder)
        said = b''
        ours.settimeout(READY_SECONDS)
        try:
            while not said.endswith(READY):
                piece = ours.recv(LONGEST_REASON)
                if not piece:
                    why = said.decode(errors='replace').strip()
                    raise StartError(why or 'it ended too early')
                said = (said + piece)[-LONGEST_REASON:]
            yield process
            ours.sendall(b'\n')
        except OSError as error:
            raise StartError(f'it ended too early: {error.strerror or error}') from None


def become(launch: Launch, streams: Streams, group: Group | None, channel: int) -> None:
    """Turn this process into the program; if this fails, send the reason through a channel."""
    try:
        kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, FILTER_DESCRIPTOR)
                for descriptor in (streams[0], streams[1], channel, streams[2])]
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
        for name in os.listdir('/dev/fd'):
            with suppress(OSError):     # that of the listing is closed already
                if int(name) >= len(kept):
                    os.close(int(name))
        if os.isatty(0):
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        for name in ('SIGPIPE', 'SIGXFSZ'):     # which Python ignores
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        if group:
            group.enter()
        launch.prepare()
        os.execvpe(launch.command[0], launch.command, launch.environment)
    except BaseException as error:
        os.write(2, f'{type(error).__name__}: {error}'.encode(errors='replace'))


class Sandbox:
    """The weakest sandbox, `none`, and the base of the others: limits, a fresh copy for each run.

    `scratch` is the grader's own folder. No program sees the files and folders in `hidden`.
    `limits` are for all processes of a run together. A program without a folder is the user's own:
    it runs where it is, without limits. A sandbox still works after a fork.
    """

    kind: SandboxKind = 'none'
    shares_processes = os.geteuid() != 0        # the limit on processes counts those of others
    _user: OtherUser | None = None      # as whom programs run, if the grader has to clean up

    def __init__(self, scratch: Path, hidden: Sequence[Path] = (),
                 limits: Limits | None = None) -> None:
        self.scratch = scratch
        self.hidden = [WHOLE, *hidden]
        limits = limits or Limits()
        # Some of the machine's memory is for the grader.
        self._limits = replace(limits, memory=int(min(limits.memory, memory_sizes()[0] * SHARE)))
        self._most_processes = count_running() + limits.processes       # of the grader's user
        self.python = os.path.realpath(sys.executable)  # a virtual environment's names the project

    def has_room(self) -> bool:
        """Return whether the machine has as much memory free as a run may hold."""
        return memory_sizes()[1] >= self._limits.memory

    @contextmanager
    def started(self, program: Program, streams: Streams,
                keep: Callable[[int], None] | None = None,
                look: Callable[[int], None] | None = None) -> Iterator[tuple[Process, Watch]]:
        """Start a program; yield its process, and a watch on what it uses.

        Call `look` with a descriptor of the folder in which it will run. At the end, kill all
        processes that it started, call `keep` with the same descriptor, and remove what it left.
        Raises `StartError`.
        """
        limits = self._limits if program.folder else None
        kill_all = self._user.end_processes if self._user else None
        # A folder of the grader is removed together with its group.
        is_grouped = limits and self.scratch.name.startswith(PREFIX) and trees_for_runs()
        group = Group(self.scratch.name, trees_for_runs()) if is_grouped else None
        with self._launch(program) as launch, ExitStack() as opened:
            def files() -> Iterable[str]:
                """Return what a program may have written on the machine's disk."""
                if launch.place:
                    yield launch.place
                    yield from self._user.files() if self._user else ()

            copy = -1
            with nothing_left(kill_all) as started:
                with ready(launch, streams, group, limits) as process:
                    if keep:            # before the program can put anything in its place
                        copy = os.open(self._seen_from_here(launch.folder, process.number),
                                       FOLDER_NOT_LINK)
                        opened.callback(os.close, copy)
                    if look:
                        look(copy)

                def end() -> None:
                    process.end()
                    started.end()

                yield process, Watch(started, files, end, limits, group)
                process.end()
            if keep:
                keep(copy)

    @contextmanager
    def _launch(self, program: Program) -> Iterator[Launch]:
        """Prepare one run of a program in a new folder; remove at the end all that it left."""
        if program.folder is None:
            yield Launch(command('', '.', program), own_environment(), os.getcwd(), die_first)
            return
        place = Path(tempfile.mkdtemp(prefix='run-', dir=self.scratch))
        try:
            if self._user:
                os.chown(place, self._user.number, self._user.number)
            copy = f'{place}/submission'
            yield Launch(command(str(program.folder), copy, program),
                         clean_environment(str(place), self.python), copy, self._prepare,
                         place=str(place))
        finally:
            remove(place)
            if self._user:
                self._user.remove_all()

    def _prepare(self) -> None:
        """Confine this process, which is about to become a program."""
        set_limits(self._most_processes)
        die_first()

    def _seen_from_here(self, folder: str, process: int) -> str:
        """Return the grader's path of a folder, given the path that a process sees."""
        return folder


class Bubblewrap(Sandbox):
    """A sandbox of namespaces, in which programs run as another user if the grader is root."""

    kind: SandboxKind = 'bwrap'

    def __init__(self, scratch: Path, hidden: Sequence[Path] = (),
                 limits: Limits | None = None) -> None:
        super().__init__(scratch, hidden, limits)
        self._filter = filter_instructions()
        self._begin: list[str] = []     # of the command line in the sandbox
        self._processes = ''            # limit there
        self._unshared = ['--unshare-all']
        most = self._limits.processes
        if os.geteuid() == 0:
            number = str(OtherUser().number)
            self._begin = ['setpriv', '--reuid', number, '--regid', number, '--clear-groups',
                           '--no-new-privs', '--bounding-set=-all']
            self._unshared = ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts',
                              '--unshare-cgroup-try']
            self._most_processes = most
        else:
            self._processes = str(most) if counts_by_namespace() else ''
            self._most_processes += most * (MOST_PROGRAMS - 1)

    @contextmanager
    def _launch(self, program: Program) -> Iterator[Launch]:
        visible = []                    # the system's folders and the tools, but what is hidden
        for folder in SYSTEM:
            visible += ['--ro-bind-try', folder, folder]
        tools = tool_folders([self.python, *program.words], self.python)
        for tool in tools:
            for parent in [*tool.parents][-2::-1]:
                visible += ['--perms', '0755', '--dir', str(parent)]
            visible += ['--ro-bind', str(tool), str(tool)]
        for path in in_sight(self.hidden, tools):
            if path.is_dir():
                visible += ['--tmpfs', str(path), '--remount-ro', str(path)]
            elif path.exists():
                visible += ['--ro-bind', os.devnull, str(path)]
        in_memory = ['--perms', '1777', '--size', str(self._limits.disk // 2), '--tmpfs']
        seccomp = ['--seccomp', str(FILTER_DESCRIPTOR)] if self._filter else []
        yield Launch(['bwrap', *self._unshared, '--die-with-parent',
                      '--proc', '/proc', '--remount-ro', '/proc',
                      '--dev', '/dev', *in_memory, '/dev/shm',
                      # Terminals are memory of the kernel, which no limit counts.
                      '--tmpfs', '/dev/pts', '--remount-ro', '/dev/pts', '--remount-ro', '/dev',
                      *in_memory, '/tmp', *visible,
                      '--ro-bind', str(program.folder), SOURCE, '--remount-ro', '/', *seccomp, '--',
                      *self._begin, *command(SOURCE, COPY, program, self._processes)],
                     clean_environment('/tmp', self.python), COPY, self._prepare)

    def _prepare(self) -> None:
        super()._prepare()
        leave_keyrings(is_own_user=False)
        if self._filter:                # which bubblewrap reads from a pipe
            outlet, inlet = os.pipe()
            os.write(inlet, self._filter)
            above = fcntl.fcntl(outlet, fcntl.F_DUPFD_CLOEXEC, FILTER_DESCRIPTOR + 1)
            os.dup2(above, FILTER_DESCRIPTOR)

    def _seen_from_here(self, folder: str, process: int) -> str:
        inside = descendants(process)[-1:]
        if not inside:
            raise ProcessLookupError(errno.ESRCH, 'it was killed')
        return f'/proc/{inside[0]}/root{folder}'


class AsOtherUser(Sandbox):
    """A sandbox in which programs run as another user, who cannot enter closed folders.

    Where the grader may do so, each run has its own file systems in memory, and no network.
    """

    kind: SandboxKind = 'user'
    _user: OtherUser

    def __init__(self, scratch: Path, hidden: Sequence[Path] = (),
                 limits: Limits | None = None) -> None:
        super().__init__(scratch, hidden, limits)
        if os.geteuid() != 0:
            raise SandboxError('only root can run programs as another user')
        self._user = OtherUser()
        self._most_processes = self._limits.processes
        self._filter = filter_instructions()
        self._is_separate = can_separate()
        os.chown(scratch, 0, self._user.number)       # who may go through it, but not list it
        scratch.chmod(0o710)

    @contextmanager
    def _launch(self, program: Program) -> Iterator[Launch]:
        if program.folder is None or not self._is_separate:
            with super()._launch(program) as launch:
                yield launch
            return
        shown = [program.folder, *tool_folders([self.python, *program.words], self.python)]
        writable = world_writable_folders()

        def prepare() -> None:
            separate(shown, writable, self._limits.disk // 2)
            self._prepare()

        yield Launch(command(str(program.folder), COPY, program),
                     clean_environment('/tmp', self.python), COPY, prepare)

    def _prepare(self) -> None:
        super()._prepare()
        self._user.become()
        leave_keyrings(is_own_user=True)
        # If the parent has ended already, the program never starts; see `START`.
        control(SET_DEATH_SIGNAL, signal.SIGKILL)
        control(SET_NO_NEW_PRIVILEGES, 1)       # as by a set-user-ID bit
        load_filter(self._filter)

    def _seen_from_here(self, folder: str, process: int) -> str:
        return f'/proc/{process}/root{folder}' if self._is_separate else folder
