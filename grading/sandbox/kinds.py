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
from itertools import chain
from pathlib import Path
from typing import Callable, Iterable, Iterator, Literal, Sequence

from ..installation import WHOLE
from ..settings import Limits
from .groups import PREFIX, Group, has_free, share_of_memory, trees_for_runs
from .kernel import (
    clear_keyrings,
    count_running,
    counts_by_namespace,
    die_first,
    die_with_parent,
    filter_instructions,
    gain_nothing,
    leave_keyring,
    load_filter,
    set_limits,
)
from .mounts import can_separate, separate
from .other_user import OtherUser, world_writable_folders
from .processes import Offspring, Watch, descendants
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

    def __init__(self, scratch: Path, hidden: Sequence[Path] = (),
                 limits: Limits | None = None) -> None:
        self.scratch = scratch
        self.hidden = [WHOLE, *hidden]
        limits = limits or Limits()
        self._limits = replace(limits, memory=min(limits.memory, share_of_memory()))
        self.python = os.path.realpath(sys.executable)  # a virtual environment's names the project
        self._running = count_running()

    @property
    def shares_processes(self) -> bool:
        """Whether the limit on processes also counts those of other programs."""
        return os.geteuid() != 0

    def has_room(self) -> bool:
        """Return whether the machine has as much memory free as a run may hold."""
        return has_free(self._limits.memory)

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
        group = None
        # A folder of the grader is removed together with its group.
        if limits and self.scratch.name.startswith(PREFIX) and trees_for_runs():
            group = Group(self.scratch.name, trees_for_runs())
            try:
                group.limit(limits)
            except OSError as error:
                raise StartError(f'it gets no control group: {error.strerror}') from None
        with self._nothing_left(), self._launch(program) as launch, ExitStack() as opened:
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

            offspring = Offspring()
            try:
                process = start(launch._replace(prepare=prepare), streams, open_copy)

                def end() -> None:
                    process.end()
                    offspring.end(self._kill_all)

                yield process, Watch(offspring, lambda: self._files(launch), end, limits, group)
                process.end()
            finally:
                offspring.end(self._kill_all)
            if keep:
                keep(copy)

    @contextmanager
    def _launch(self, program: Program) -> Iterator[Launch]:
        """Prepare one run of a program in a new folder; remove the folder at the end."""
        if program.folder is None:
            yield Launch(command('', '.', program), own_environment(), os.getcwd(), die_first)
            return
        place = Path(tempfile.mkdtemp(prefix='run-', dir=self.scratch))
        try:
            self._give(place)
            copy = f'{place}/submission'
            yield Launch(command(str(program.folder), copy, program),
                         clean_environment(str(place), self.python), copy, self._prepare,
                         place=str(place))
        finally:
            remove(place)

    def _prepare(self) -> None:
        """Confine this process, which is about to become a program."""
        set_limits(self._running + self._limits.processes)
        die_first()

    def _give(self, folder: Path) -> None:
        """Let programs write in one of the grader's folders."""

    def _seen_from_here(self, folder: str, process: int) -> str:
        """Return the grader's path of a folder, given the path that a process sees."""
        return folder

    def _files(self, launch: Launch) -> Iterable[str]:
        """Return the files and folders that a program may have written on the machine's disk."""
        return [launch.place] if launch.place else []

    def _kill_all(self) -> None:
        """Kill all processes of the program at once, in a sandbox that can do so."""

    @contextmanager
    def _nothing_left(self) -> Iterator[None]:
        """At the end of the block, remove what a program has left outside of its folder."""
        yield


class Bubblewrap(Sandbox):
    """A sandbox of namespaces, and as another user if the grader is root."""

    kind: SandboxKind = 'bwrap'

    def __init__(self, scratch: Path, hidden: Sequence[Path] = (),
                 limits: Limits | None = None) -> None:
        super().__init__(scratch, hidden, limits)
        self._size = str(self._limits.disk // 2)    # bytes that each folder in memory may hold
        self._user = OtherUser() if os.geteuid() == 0 else None
        self._processes = (str(self._limits.processes)
                           if counts_by_namespace() and not self._user else '')

    @contextmanager
    def _launch(self, program: Program) -> Iterator[Launch]:
        begin = command(SOURCE, COPY, program, self._processes)
        if self._user:
            begin = [*self._user.command, *begin]
        passed = filter_instructions()
        seccomp = ['--seccomp', str(FILTER_DESCRIPTOR)] if passed else []
        yield Launch(['bwrap', *self._namespaces(), *self._in_memory('/tmp'),
                      *self._visible(program), '--ro-bind', str(program.folder), SOURCE,
                      '--remount-ro', '/', *seccomp, '--', *begin],
                     clean_environment('/tmp', self.python), COPY, self._prepare, passed)

    def _prepare(self) -> None:
        most = self._limits.processes
        set_limits(most if self._user else self._running + most * MOST_PROGRAMS)
        die_first()
        leave_keyring()

    def _seen_from_here(self, folder: str, process: int) -> str:
        inside = descendants(process)[-1:]
        if not inside:
            raise ProcessLookupError(errno.ESRCH, 'it was killed')
        return f'/proc/{inside[0]}/root{folder}'

    def _namespaces(self) -> list[str]:
        names = ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts',
                 '--unshare-cgroup-try'] if self._user else ['--unshare-all']
        return [*names, '--die-with-parent', '--proc', '/proc', '--remount-ro', '/proc',
                '--dev', '/dev', *self._in_memory('/dev/shm'), '--remount-ro', '/dev']

    def _in_memory(self, folder: str) -> list[str]:
        return ['--perms', '1777', '--size', self._size, '--tmpfs', folder]

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

    def __init__(self, scratch: Path, hidden: Sequence[Path] = (),
                 limits: Limits | None = None) -> None:
        super().__init__(scratch, hidden, limits)
        if os.geteuid() != 0:
            raise SandboxError('only root can run programs as another user')
        self._user = OtherUser()
        self._filter = filter_instructions()
        self._is_separate = can_separate()
        os.chown(scratch, 0, self._user.number)     # who may go through it, but not list it
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
        set_limits(self._limits.processes)
        die_first()
        self._user.become()
        leave_keyring()
        clear_keyrings()
        # If the parent has ended already, the program never starts; see `start.START`.
        die_with_parent(signal.SIGKILL)
        gain_nothing()
        load_filter(self._filter)

    def _give(self, folder: Path) -> None:
        os.chown(folder, self._user.number, self._user.number)

    def _seen_from_here(self, folder: str, process: int) -> str:
        return f'/proc/{process}/root{folder}' if self._is_separate else folder

    def _files(self, launch: Launch) -> Iterable[str]:
        return () if self._is_separate else chain(super()._files(launch), self._user.files())

    def _kill_all(self) -> None:
        self._user.end_processes()

    @contextmanager
    def _nothing_left(self) -> Iterator[None]:
        try:
            yield
        finally:
            if not self._is_separate:
                self._user.remove_all()
