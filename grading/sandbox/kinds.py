"""The kinds of sandbox. All have limits, make a fresh copy for each run, and leave nothing behind.

`Sandbox` is `none`, and the base of the others; `Bubblewrap` uses namespaces, `AsOtherUser` another
user.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Callable, Iterable, Iterator, Literal, Sequence

from ..installation import WHOLE
from ..limits import Limits
from .groups import PREFIX, SHARE, Group, memory_sizes, trees_for_runs
from .kernel import (
    SET_DEATH_SIGNAL,
    SET_NO_NEW_PRIVILEGES,
    control,
    count_running,
    counts_by_namespace,
    die_first,
    filter_instructions,
    leave_keyrings,
    load_filter,
    set_limits,
)
from .mounts import can_separate, separate
from .other_user import OtherUser, world_writable_folders
from .processes import Descendants, Watch, descendants
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
from .start import FILTER_DESCRIPTOR, Launch, Process, Streams, command, start
from .untrusted_files import remove

FOLDER_NOT_LINK = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
MOST_PROGRAMS = 64                      # of one user at once, each with all its processes
SOURCE, COPY = '/handed-in', '/tmp/submission'       # under bubblewrap, in memory

SandboxKind = Literal['bwrap', 'user', 'none']


class Sandbox:
    """The weakest sandbox, `none`, and the base of the others: limits, a fresh copy for each run.

    `scratch` is the grader's own folder. No program sees the files and folders in `hidden`.
    `limits` are for all processes of a run together. A program without a folder is the user's own:
    it runs where it is, without limits. A sandbox still works after a fork.
    """

    kind: SandboxKind = 'none'
    _user: OtherUser | None = None      # as whom programs run, if the grader has to clean up

    def __init__(self, scratch: Path, hidden: Sequence[Path] = (),
                 limits: Limits | None = None) -> None:
        self.scratch = scratch
        self.hidden = [WHOLE, *hidden]
        limits = limits or Limits()
        # Some of the machine's memory is for the grader.
        memory = min(limits.memory, memory_sizes()[0] * SHARE)
        self._limits = replace(limits, memory=int(memory))
        self._most_processes = count_running() + limits.processes       # of the grader's user
        self.python = os.path.realpath(sys.executable)  # a virtual environment's names the project

    @property
    def shares_processes(self) -> bool:
        """Whether the limit on processes also counts those of other programs."""
        return os.geteuid() != 0

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
        group = None
        # A folder of the grader is removed together with its group.
        if limits and self.scratch.name.startswith(PREFIX) and trees_for_runs():
            group = Group(self.scratch.name, trees_for_runs())
            try:
                group.limit(limits)
            except OSError as error:
                raise StartError(f'it gets no control group: {error.strerror}') from None
        with self._launch(program) as launch, ExitStack() as opened:
            copy = -1

            def open_copy(process: int) -> None:
                nonlocal copy
                if keep:                # before the program can put anything in its place
                    copy = os.open(self._seen_from_here(launch.folder, process), FOLDER_NOT_LINK)
                    opened.callback(os.close, copy)
                if look:
                    look(copy)

            def prepare() -> None:
                if group:
                    group.enter()
                launch.prepare()

            def files() -> Iterable[str]:
                """Return what a program may have written on the machine's disk."""
                if launch.place:
                    yield launch.place
                    yield from self._user.files() if self._user else ()

            started = Descendants()
            try:
                process = start(launch._replace(prepare=prepare), streams, open_copy)

                def end() -> None:
                    process.end()
                    started.end(kill_all)

                yield process, Watch(started, files, end, limits, group)
                process.end()
            finally:
                started.end(kill_all)
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
        self._begin: list[str] = []     # of the command line in the sandbox
        self._processes = ''            # limit there
        self._unshared = ['--unshare-all']
        most = self._limits.processes
        if os.geteuid() == 0:
            self._begin = OtherUser().command
            self._unshared = ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts',
                              '--unshare-cgroup-try']
            self._most_processes = most
        else:
            self._processes = str(most) if counts_by_namespace() else ''
            self._most_processes += most * (MOST_PROGRAMS - 1)

    @contextmanager
    def _launch(self, program: Program) -> Iterator[Launch]:
        in_memory = ['--perms', '1777', '--size', str(self._limits.disk // 2), '--tmpfs']
        passed = filter_instructions()
        seccomp = ['--seccomp', str(FILTER_DESCRIPTOR)] if passed else []
        yield Launch(['bwrap', *self._unshared, '--die-with-parent',
                      '--proc', '/proc', '--remount-ro', '/proc',
                      '--dev', '/dev', *in_memory, '/dev/shm',
                      # Terminals are memory of the kernel, which no limit counts.
                      '--tmpfs', '/dev/pts', '--remount-ro', '/dev/pts', '--remount-ro', '/dev',
                      *in_memory, '/tmp', *self._visible(program),
                      '--ro-bind', str(program.folder), SOURCE, '--remount-ro', '/', *seccomp, '--',
                      *self._begin, *command(SOURCE, COPY, program, self._processes)],
                     clean_environment('/tmp', self.python), COPY, self._prepare, passed)

    def _prepare(self) -> None:
        super()._prepare()
        leave_keyrings(is_own_user=False)

    def _seen_from_here(self, folder: str, process: int) -> str:
        inside = descendants(process)[-1:]
        if not inside:
            raise ProcessLookupError(errno.ESRCH, 'it was killed')
        return f'/proc/{inside[0]}/root{folder}'

    def _visible(self, program: Program) -> list[str]:
        """Return the options that show the system's folders and the tools, and hide the rest."""
        words = []
        for folder in SYSTEM:
            words += ['--ro-bind-try', folder, folder]
        tools = tool_folders([self.python, *program.words], self.python)
        for tool in tools:
            for parent in [*tool.parents][-2::-1]:
                words += ['--perms', '0755', '--dir', str(parent)]
            words += ['--ro-bind', str(tool), str(tool)]
        for path in in_sight(self.hidden, tools):
            if path.is_dir():
                words += ['--tmpfs', str(path), '--remount-ro', str(path)]
            elif path.exists():
                words += ['--ro-bind', os.devnull, str(path)]
        return words


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
        # If the parent has ended already, the program never starts; see `start.START`.
        control(SET_DEATH_SIGNAL, signal.SIGKILL)
        control(SET_NO_NEW_PRIVILEGES, 1)       # as by a set-user-ID bit
        load_filter(self._filter)

    def _seen_from_here(self, folder: str, process: int) -> str:
        return f'/proc/{process}/root{folder}' if self._is_separate else folder
