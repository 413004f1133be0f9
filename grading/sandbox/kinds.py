"""Runs programs in sandboxes.

Each kind limits what a submission can use, and runs it in a fresh copy of its folder. The class of
a kind says what it promises:

- `Sandbox` is the kind `none`, and the base class of the others. It only sets limits.
- `Bubblewrap`, the kind `bwrap`, gives each run its own namespaces and file systems.
- `AsOtherUser`, the kind `user`, runs programs as an unprivileged user, one at a time.
"""

from __future__ import annotations

import errno
import os
import random
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Literal

from ..installation import PROJECT_FOLDER
from ..limits import MAX_DATA, MAX_DESCRIPTORS, MAX_PROCESSORS, MAX_QUEUES, Limits
from .calls import Privilege, filter_of_calls, filter_of_refusals, reporting
from .control_groups import (
    FOR_EACH_PLACE,
    MEMORY_SHARE,
    OWN_PROCESSES,
    PREFIX,
    Group,
    free_processes,
    is_limited,
    memory_sizes,
    tree_for_runs,
)
from .kernel import (
    DIE_WITH_PARENT,
    GAIN_NO_PRIVILEGES,
    Descendants,
    Process,
    allowed_limit,
    call,
    count_threads,
    counts_by_namespace,
    descendants,
    die_first,
    filter_calls,
    read,
)
from .launch import FILTER_DESCRIPTOR, Launch, Streams, command, ready
from .other_user import OtherUser
from .program import (
    OTHERS_SECONDS,
    USER_NAME,
    Program,
    SandboxError,
    clean_environment,
    own_environment,
    own_interpreter,
    search_path,
)
from .untrusted_files import NO_LINK, ONLY_FOLDERS, opened, remove
from .usage import Watch, can_limit, enter_limited_namespace
from .view import Part, view

SandboxKind = Literal['bwrap', 'user', 'none']

RUN = 'run-'  # the names of runs' folders on the disk begin with this
MAX_PROGRAMS = 64  # the maximum number of programs to run at once
# The numbers of those RLIMIT_* that PyPy has no names for.
NAMELESS = {'MSGQUEUE': 12} if sys.platform == 'linux' else {}


class Sandbox:
    """The base class of all sandboxes; by itself, the weakest kind: `none`, which only sets limits.

    `scratch` is the grader's own folder. A run of a kind that `discards` does not see the files and
    folders in `hidden`. `limits` apply to the processes of a run in total. Each run gets a fresh
    copy of the program's folder. A program without a folder belongs to whoever runs the grader: it
    runs in the current folder, without limits. Forked processes can use the sandbox, too.
    """

    kind: SandboxKind = 'none'
    # Whether each run has its own file systems, in memory: its changes are lost, and it sees only
    # the files that `view` lists.
    discards = False
    # Whether programs share the machine's folders, but have a user of their own. So only one
    # program runs at a time, what it leaves is removed, and `hidden` folders are closed to others.
    shares_folders = False
    sandbox_processes = 0  # how many processes of a run are the sandbox's own; they start first
    user_number: int | None = None  # the user that programs run as; None: the grader's own user
    # After each run, the grader kills the processes and removes the files of this user.
    _user: OtherUser | None = None
    _filter = b''  # the filter of system calls, or b'' if there is none
    _privileges: frozenset[Privilege] = frozenset()

    def __init__(
        self, scratch: Path, hidden: Sequence[Path] = (), limits: Limits | None = None
    ) -> None:
        self.scratch = scratch
        self.hidden = [PROJECT_FOLDER, *hidden]
        limits = limits or Limits()
        # Leave part of the machine's memory for the grader.
        self._limits = replace(
            limits, memory=int(min(limits.memory, memory_sizes()[0] * MEMORY_SHARE))
        )
        # The maximum number of processes of the programs' user. Here, this is the grader's own
        # user, and all threads on this machine may belong to it.
        self._most_processes = count_threads() + limits.processes
        self.python = own_interpreter()

    @property
    def shares_limits(self) -> bool:
        """Whether other programs may count towards the limits on a program's processes or memory.

        If the grader is not root, these are the other programs of its user. If the grader is in a
        control group with limits, they are the other programs in the group.
        """
        return os.geteuid() != 0 or is_limited()

    @property
    def _tree(self) -> Path | None:
        """The folder in which the runs have a control group, or None if they have none.

        Only `scratch_folder` removes control groups, so make none if it did not make `scratch`.
        """
        return tree_for_runs() if self.scratch.name.startswith(PREFIX) else None

    def _set_filter(self, *privileges: Privilege) -> None:
        """Filter the system calls of runs; a control group also counts System V memory."""
        grouped: set[Privilege] = {'System V'} if self._tree else set()
        self._privileges = frozenset({*privileges, *grouped})
        self._filter = filter_of_calls(self._privileges)

    def reporting(self, program: Program) -> tuple[Program, Sandbox] | None:
        """Return a program that reports which calls the sandbox refuses to another, and a sandbox.

        The other program runs in it as in this sandbox. Return None if this sandbox refuses no
        calls.
        """
        if not self._filter:
            return None
        instructions, calls = filter_of_refusals(self._privileges)
        sandbox = copy(self)
        sandbox._filter = filter_of_calls(self._privileges, is_reported=True)
        return reporting(program, self.python, instructions, calls), sandbox

    def has_room(self) -> bool:
        """Return whether the machine has as much free memory as a run may use."""
        return memory_sizes()[1] >= self._limits.memory

    def most_runs(self) -> int:
        """Return how many simultaneous runs the machine has enough free memory and processes for.

        The result is at least 1 and at most `MAX_PROGRAMS`.
        """
        if self.shares_folders:
            return 1
        processes = self._limits.processes + OWN_PROCESSES + FOR_EACH_PLACE
        for_memory = memory_sizes()[1] / self._limits.memory
        for_processes = free_processes() / processes
        return max(1, int(min(for_memory, for_processes, MAX_PROGRAMS)))

    def clear(self) -> None:
        """Kill the processes and remove the files left behind by interrupted runs."""
        if self._user:
            self._user.end_processes()
            self._user.remove_all()
        for run_folder in self.scratch.glob(f'{RUN}*'):
            remove(run_folder)

    @contextmanager
    def started(
        self,
        program: Program,
        streams: Streams,
        in_folder: Callable[[int], AbstractContextManager[None]] | None = None,
    ) -> Iterator[tuple[Process, Watch]]:
        """Start a program; yield its process, and an object that checks what the run uses.

        `in_folder` takes a descriptor of the run's copy of the program's folder, and returns a
        context manager. The context is entered before the program starts. At the end, kill all
        processes of the run, leave the context, and remove the run's files. Raises `StartError`.
        """
        limits = self._limits if program.folder else None
        tree = self._tree if limits else None
        group = Group(self.scratch.name, tree, limits) if tree else None
        with self._launch(program) as launch, ExitStack() as contexts:
            files = self._user.files if self._user else tuple
            end_all = self._user.end_processes if self._user else None
            with closing(Descendants(end_all)) as processes:
                with ready(launch, streams, group) as process:
                    if in_folder:  # open the folder before the program can replace it
                        path = launch.folder
                        if not launch.run_folder:  # the run has its own file systems
                            path = f'/proc/{process_inside(process.number)}/root{path}'
                        folder = contexts.enter_context(opened(path, ONLY_FOLDERS | NO_LINK))
                        contexts.enter_context(in_folder(folder))

                yield (
                    process,
                    Watch(
                        process,
                        processes,
                        launch.run_folder,
                        files,
                        limits,
                        group,
                        self.sandbox_processes,
                        self._user.number if self._user else None,
                    ),
                )
                process.end()

    @contextmanager
    def _launch(self, program: Program) -> Iterator[Launch]:
        """Yield what is needed to start one run of a program; remove the run's files at the end."""
        if program.folder is None:
            here = os.getcwd()
            yield Launch(command('', '.', program), own_environment(), here, die_first, here)
            return
        run_folder = '' if self.discards else tempfile.mkdtemp(prefix=RUN, dir=self.scratch)
        home = run_folder or '/tmp'
        copy = f'{home}/submission'
        path = search_path(self.python)
        try:
            if run_folder and self._user:
                os.chown(run_folder, self._user.number, self._user.number)
            yield Launch(
                self._command(program, copy),
                clean_environment(home, path),
                copy,
                self._prepare,
                run_folder,
            )
        finally:
            if run_folder:
                remove(Path(run_folder))
                if self._user:
                    self._user.remove_all()

    def _command(self, program: Program, copy: str) -> list[str]:
        """Return the command line that runs a program in `copy`, a copy of its folder."""
        return command(str(program.folder), copy, program)

    def _prepare(self) -> None:
        """Limit this process before it copies the program's folder and runs the program.

        The size of files is limited later, by `START` (in launch.py), once the folder is copied.
        """
        for name, most in (
            ('CORE', 1),  # at 0, the kernel would still pipe core dumps to a handler
            ('DATA', MAX_DATA),
            ('NOFILE', MAX_DESCRIPTORS),
            ('MSGQUEUE', MAX_QUEUES),
            ('NPROC', self._most_processes),
        ):
            with suppress(AttributeError, OSError, ValueError):  # the system may lack some limits
                number = NAMELESS.get(name) or getattr(resource, f'RLIMIT_{name}')
                limit = allowed_limit(number, most)
                resource.setrlimit(number, (limit, limit))
        share_processors()
        die_first()


def share_processors() -> None:
    """Limit this process to `MAX_PROCESSORS` of its processors, to other ones in each run."""
    with suppress(AttributeError):  # not on Linux
        own = sorted(os.sched_getaffinity(0))
        if len(own) > MAX_PROCESSORS:
            os.sched_setaffinity(0, random.SystemRandom().sample(own, MAX_PROCESSORS))


SOURCE = '/source'  # where a run in bubblewrap sees the folder to copy
# This shell script is the first process of bubblewrap's namespace: when it ends, all others are
# killed. So if others are left when the program has ended, it lets them go on for a moment.
FIRST = f"""
"$@"
trap "exit $?" EXIT
kill -s 0 -- -1 && sleep {OTHERS_SECONDS}
"""
USERS = '/etc/passwd'  # the system's list of users
STATISTICS = '/proc/stat'  # programs read here how many processors there are


class Bubblewrap(Sandbox):
    """The kind `bwrap`: bubblewrap gives each run its own namespaces and file systems.

    A run sees only its own processes, its own network with nothing but localhost, and the files
    that `view` lists, read-only. It can write only to /tmp and /dev/shm, which are in memory. All
    that is lost when the run ends. If the grader is root, programs also run as another user.
    """

    kind: SandboxKind = 'bwrap'
    discards = True
    sandbox_processes = 2  # bubblewrap, and `FIRST`

    def __init__(
        self, scratch: Path, hidden: Sequence[Path] = (), limits: Limits | None = None
    ) -> None:
        super().__init__(scratch, hidden, limits)
        # Without a control group, only root can limit System V memory in a namespace.
        self._limits_ipc = os.geteuid() == 0 and not self._tree and can_limit()
        allowed: list[Privilege] = ['System V'] if self._limits_ipc else []
        self._set_filter('localhost', 'queues', *allowed)
        self._setpriv: list[str] = []  # the command that changes the user, if the grader is root
        self._processes = ''  # the limit on processes set by `START`, or '' for none
        most = self._limits.processes
        number = os.geteuid()
        if number == 0:
            number = self.user_number = OtherUser.of_folder(scratch).number
            self._setpriv = [
                'setpriv',
                *('--reuid', str(number), '--regid', str(number), '--clear-groups'),
                *('--no-new-privs', '--bounding-set=-all'),
            ]
            self._most_processes = most
        else:
            most += 1  # `FIRST` is a process of the same user
            self._processes = str(most) if counts_by_namespace() else ''
            # This limit counts the processes of all simultaneous runs: they have the same user.
            self._most_processes += most * (MAX_PROGRAMS - 1)
        user = f'{USER_NAME}:x:{number}:{number}::/tmp:/bin/sh\n'.encode()
        # Files of the system that a run sees changed: with the user of the runs first, and with
        # few processors.
        self._replaced = {
            USERS: made_once(scratch / 'passwd', user + read(USERS)),
            STATISTICS: made_once(scratch / 'statistics', with_few_processors(read('stat'))),
        }

    def _command(self, program: Program, copy: str) -> list[str]:
        path = search_path(self.python)
        parts = view((self.python, *program.words), path, program.needs, tuple(self.hidden))
        size = str(self._limits.disk // 2)
        in_memory = ['--perms', '1777', '--size', size, '--tmpfs']
        return [
            'bwrap',
            # New namespaces, in which the first process of the run is process 1. Root needs no
            # new users, and has made a namespace for System V memory already if it can limit it.
            *([] if self._setpriv else ['--unshare-user-try']),
            *([] if self._limits_ipc else ['--unshare-ipc']),
            *('--unshare-pid', '--as-pid-1', '--unshare-net', '--unshare-uts'),
            '--unshare-cgroup-try',
            # Without the grader's terminal; and the run ends with the grader.
            *('--new-session', '--die-with-parent'),
            # The run's own processes, the usual devices, and two folders to write to.
            *('--proc', '/proc', '--ro-bind', str(self._replaced[STATISTICS]), STATISTICS),
            *('--remount-ro', '/proc'),
            *('--dev', '/dev', *in_memory, '/dev/shm', '--remount-ro', '/dev'),
            *(*in_memory, '/tmp'),
            # The system's files and the program's tools, without what is hidden among them.
            *mounts(parts),
            *('--ro-bind', str(self._replaced[USERS]), USERS),
            # The program's folder, of which `START` makes a copy in /tmp.
            *('--ro-bind', str(program.folder), SOURCE),
            *('--remount-ro', '/'),
            *(['--seccomp', str(FILTER_DESCRIPTOR)] if self._filter else []),
            *('--', 'sh', '-c', FIRST, 'sh'),
            *self._setpriv,
            *command(SOURCE, copy, program, self._processes),
        ]

    def _prepare(self) -> None:
        super()._prepare()
        if self._limits_ipc:
            enter_limited_namespace()
        if self._filter:  # bubblewrap reads the filter from a pipe
            # The read end gets the lowest free descriptor. This is FILTER_DESCRIPTOR, because only
            # lower ones are open (see `become` in launch.py).
            outlet, inlet = os.pipe()
            os.set_inheritable(outlet, True)
            with open(inlet, 'wb') as file:
                file.write(self._filter)


def mounts(parts: Sequence[Part]) -> list[str]:
    """Return bubblewrap's options that show and hide files and folders, all read-only."""
    options, read_only = [], []
    for path, is_shown in parts:
        for parent in reversed(path.parents[:-1]):  # all but the root folder
            options += ['--perms', '0755', '--dir', str(parent)]
        if is_shown or not path.is_dir():
            options += ['--ro-bind', str(path) if is_shown else os.devnull, str(path)]
        else:
            options += ['--tmpfs', str(path)]
            # Only once everything shown in this hidden folder has been mounted there.
            read_only += ['--remount-ro', str(path)]
    return options + read_only


def made_once(file: Path, content: bytes) -> Path:
    """Return a file that all users can read; the first call gives it its content."""
    if not file.exists():
        file.write_bytes(content)
        file.chmod(0o644)
    return file


def with_few_processors(statistics: bytes) -> bytes:
    """Return the content of /proc/stat with at most `MAX_PROCESSORS` processors.

    >>> with_few_processors(b'cpu  8 9\\ncpu0 4 5\\ncpu1 4 4\\nintr 7\\n').count(b'cpu')
    3
    """
    lines = statistics.splitlines(keepends=True)
    own = [line for line in lines if line.startswith(b'cpu') and not line.startswith(b'cpu ')]
    return b''.join(line for line in lines if line not in own[MAX_PROCESSORS:])


def process_inside(process: int) -> int:
    """Return a process that sees a run's file systems, given bubblewrap's process.

    Raises `ProcessLookupError`.
    """
    below = descendants(process)
    if not below:  # bubblewrap itself sees the machine's file systems
        raise ProcessLookupError(errno.ESRCH, 'it was killed')
    return below[-1]


QUEUES = '/dev/mqueue'  # where most systems show POSIX message queues as files


class AsOtherUser(Sandbox):
    """The kind `user`: root runs programs as an unprivileged user, one program at a time.

    A program sees the machine's files, processes and abstract sockets, but can read and change only
    what every user can. `closed_to_others` keeps it out of `hidden` folders, and the filter of
    system calls keeps it out of the network. When a run ends, the grader kills all processes of the
    user, and removes what the user owns in the machine's world-writable folders.
    """

    kind: SandboxKind = 'user'
    shares_folders = True
    _user: OtherUser

    def __init__(
        self, scratch: Path, hidden: Sequence[Path] = (), limits: Limits | None = None
    ) -> None:
        super().__init__(scratch, hidden, limits)
        if os.geteuid() != 0:
            raise SandboxError('only root can run programs as another user')
        self._user = OtherUser.of_folder(scratch)
        self.user_number = self._user.number
        self._most_processes = self._limits.processes
        # `usage` counts the System V memory of this user. The queues that a run leaves are removed
        # like files, if the system shows them as files.
        queues: list[Privilege] = ['queues'] if os.path.ismount(QUEUES) else []
        self._set_filter('System V', *queues)
        scratch.chmod(0o710)  # the user can pass through the folder, but not list it

    def _prepare(self) -> None:
        super()._prepare()
        self._user.become()
        # If the parent has already ended, the program does not start: `START` waits for an answer
        # from the parent.
        call('prctl', *DIE_WITH_PARENT)
        call('prctl', *GAIN_NO_PRIVILEGES)
        if self._filter:
            filter_calls(self._filter)
