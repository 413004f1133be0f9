"""The kinds of sandbox. All have limits, make a fresh copy for each run, and leave nothing behind.

`Sandbox` is `none`, and the base of the others; `Bubblewrap` uses namespaces, `AsOtherUser` a user
without rights, whose processes the grader can end, and whose files it can remove. Where root has
`CAP_SYS_ADMIN`, which most containers lack, a process of this user, and what it starts, has file
systems, queues and a network for itself alone, which end with it.

A program starts as a fork that confines itself, and reports when it is ready. What fails before
that is the fault of the grader or the machine, never the program's.
"""

from __future__ import annotations

import errno
import fcntl
import os
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import (
    Literal,
    NamedTuple,
)

from ..installation import PROJECT_FOLDER
from ..limits import Limits
from .calls import filter_calls, filter_of_calls
from .capacity import FOR_EACH_PLACE, MEMORY_SHARE, free_processes, is_limited, memory_sizes
from .control_groups import OWN_PROCESSES, PREFIX, Group, tree_for_runs
from .descendants import Descendants, descendants
from .interpreter import own_interpreter
from .kernel import (
    DIE_WITH_PARENT,
    FILE_BLOCK,
    GAIN_NO_PRIVILEGES,
    IS_LINUX,
    LARGEST_FILE,
    LIBRARY,
    MOST_DATA,
    MOST_DESCRIPTORS,
    MOST_SIGNALS,
    TRIAL_SECONDS,
    Process,
    call,
    count_running,
    counts_by_namespace,
    die_first,
    fork,
    leave_keyrings,
    lowest,
    read,
    succeeds_apart,
)
from .program import (
    Program,
    SandboxError,
    StartError,
    clean_environment,
    own_environment,
    search_path,
)
from .untrusted_files import NO_LINK, ONLY_FOLDERS, opened, remove
from .view import COUNTERS, STATISTICS, Part, view
from .watch import Watch

READY_SECONDS = 60  # without a word, after which a start counts as failed
LONGEST_REASON = 4000  # bytes of the reason for a failure
READY = b'ready\n'
FILTER_DESCRIPTOR = 4  # where bubblewrap finds the filter of system calls
MOST_PROGRAMS = 64  # of one user at once, each with all its processes
SOURCE = '/source'  # the folder that is copied, where a run has its own view

# User IDs that nobody has. A container may have only 65,536 of them; there the range that systemd
# uses for dynamic users is free.
USER_IDS = range(0x70000000, 0x7FFFFFFF)
FEW_USER_IDS = range(61184, 65520)
KILLING_SECONDS = 5  # to kill all processes of a user
SEARCHING_SECONDS = 60  # to search for world-writable folders
REMOVE = 0  # IPC_RMID
# System V's memory, queues and semaphores, as /proc/sysvipc names them; and what removes each.
SYSTEM_V = ('shm', 'shmctl'), ('msg', 'msgctl'), ('sem', 'semctl', 0)

NEW_NAMESPACES = 0x20000 | 0x8000000 | 0x40000000  # of mounts, System V and queues, network
RECURSIVE_PRIVATE = 0x4000 | 0x40000
BIND_ALL, REMOUNT = 0x1000 | 0x4000, 0x1000 | 0x20
READ_ONLY, NO_SUID, NO_DEVICES = 1, 2, 4
# RLIMIT_*, for which PyPy has no names.
NAMELESS = {'SIGPENDING': 11, 'MSGQUEUE': 12} if sys.platform == 'linux' else {}
ONLY_NAME = 0x200000  # O_PATH, for which PyPy has no name
# What a mount has, and must keep when it is mounted again, by its name in /proc/self/mountinfo.
KEPT = {b'noexec': 8, b'noatime': 0x400, b'nodiratime': 0x800, b'relatime': 0x200000}
IN_MEMORY = ('/tmp', '/dev/shm')  # as large as a program may need
MOST_FILES = 20_000  # in each folder in memory
DEVICES = tuple(f'/dev/{name}' for name in ('null', 'zero', 'full', 'random', 'urandom', 'tty'))
DEVICE_LINKS = {'fd': '', 'stdin': '/0', 'stdout': '/1', 'stderr': '/2'}  # to /proc/self/fd
RUN = 'run-'  # begins the names of folders on the disk, one for each run

SandboxKind = Literal['bwrap', 'user', 'none']
Streams = tuple[int, int, int]  # standard input, output and error of a program

# Makes a fresh copy of the folder $1 as $2, goes to the folder $3 in it, limits files to $4 blocks
# and processes to $5 (dash calls them -p, bash -u); an empty argument leaves out its step. Its
# standard error is the grader's: there it reports that it is ready, and waits for an answer. Then
# it becomes the program, whose standard error is the descriptor 3.
START = """
if [ "$1" ]; then cp -RPp "$1/." "$2" || exit 126; fi
cd "$2/$3" || exit 126
if [ "$4" ]; then ulimit -f "$4"; fi
if [ "$5" ]; then ulimit -p "$5" 2>/dev/null || ulimit -u "$5"; fi
shift 5
unset PWD OLDPWD
echo ready >&2
read -r go <&2 || exit 126
exec "$@" 2>&3 3>&-
"""


class Launch(NamedTuple):
    """Everything that is needed to start a program."""

    command: list[str]
    environment: dict[str, str]
    folder: str  # the copy of the submission, as the program sees it
    prepare: Callable[[], None]  # called in the new process
    place: str = ''  # its folder on the machine's disk, '' if it has none


def command(folder: str, copy: str, program: Program, processes: str = '') -> list[str]:
    """Return a command line that copies a folder and runs a program in the copy.

    `processes` is the limit of processes there, '' if something else limits them.
    """
    most = str(lowest(resource.RLIMIT_FSIZE, LARGEST_FILE) // FILE_BLOCK) if folder else ''
    env = ['env', *(f'{name}={value}' for name, value in program.env.items())]
    return [
        'sh',
        '-c',
        START,
        'sh',
        folder,
        copy,
        program.below,
        most,
        processes,
        *(env if program.env else []),
        *program.words,
    ]


@contextmanager
def ready(launch: Launch, streams: Streams, group: Group | None) -> Iterator[Process]:
    """Prepare a program in a new process; let it begin at the end of the block.

    Raises `StartError`.
    """
    ours, theirs = socket.socketpair()
    said = b''
    with ours:
        try:
            with theirs:
                number = fork(partial(become, launch, streams, group, theirs.fileno()))
            ours.settimeout(READY_SECONDS)
            while not said.endswith(READY):
                piece = ours.recv(LONGEST_REASON)
                if not piece:
                    raise StartError(said.decode(errors='replace').strip() or 'it ended too early')
                said = (said + piece)[-LONGEST_REASON:]
            yield Process(number, launch.folder)
            ours.sendall(b'\n')
        except OSError as error:
            raise StartError(
                f'there is no process for it, or it ended too early: {error.strerror or error}'
            ) from None


def become(launch: Launch, streams: Streams, group: Group | None, channel: int) -> None:
    """Turn this process into the program; if this fails, send the reason through a channel."""
    try:
        kept = [
            fcntl.fcntl(descriptor, fcntl.F_DUPFD, FILTER_DESCRIPTOR)
            for descriptor in (streams[0], streams[1], channel, streams[2])
        ]
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
        for name in os.listdir('/dev/fd'):
            with suppress(OSError):  # that of the listing is closed already
                if int(name) >= len(kept):
                    os.close(int(name))
        for name in ('SIGPIPE', 'SIGXFSZ'):  # which Python ignores
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        if group:
            group.enter()
        launch.prepare()
        os.execvpe(launch.command[0], launch.command, launch.environment)
    except BaseException as error:
        os.write(2, f'{type(error).__name__}: {error}'.encode(errors='replace'))


class OtherUser:
    """A user without rights, as whom a grader that is root can run programs."""

    def __init__(self, number: int | None = None, taken: Collection[int] = ()) -> None:
        known = sum(int(line.split()[2]) for line in read('self/uid_map').splitlines())
        numbers = USER_IDS if known > USER_IDS[-1] else FEW_USER_IDS
        # Random: graders, even in other containers, must share neither a user nor its limits.
        while number is None or number in taken:
            number = random.SystemRandom().choice(numbers[::2])
        self.number = number
        self._killer = number + 1  # which no program has

    @classmethod
    def of_folder(cls, scratch: Path) -> OtherUser:
        """Return the user for all runs in a folder of the grader, whose group this user has.

        No two folders have the same user, so that submissions share neither files nor limits; and
        who outlives a grader knows by the folder whose processes and files to remove.
        """
        number = scratch.stat().st_gid
        if any(number in numbers for numbers in (USER_IDS, FEW_USER_IDS)):
            return cls(number)
        taken = set()
        for folder in scratch.parent.glob(f'{PREFIX}*'):
            with suppress(OSError):  # it may be gone
                taken.add(folder.lstat().st_gid)
        user = cls(taken=taken)
        os.chown(scratch, -1, user.number)
        return user

    def become(self, as_killer: bool = False) -> None:
        """Change this process, for ever, to one of this user. Raises `OSError`.

        `as_killer` it may signal the user's processes, but not the reverse: a process may send a
        signal if its real or effective user is the real or saved user of the other (see kill(2)).
        """
        own = self._killer if as_killer else self.number
        os.setgroups([])
        os.setresgid(own, self.number, own)
        os.setresuid(own, self.number, own)

    def end_processes(self) -> None:
        """Kill all processes of this user at once, with one system call."""

        def kill() -> None:
            self.become(as_killer=True)
            os.kill(-1, signal.SIGKILL)

        succeeds_apart(kill, KILLING_SECONDS)

    def files(self) -> Iterator[str]:
        """Yield the files and folders of this user in world-writable folders."""
        for folder in world_writable_folders():
            with suppress(OSError), os.scandir(folder) as entries:  # the folder may be gone
                for entry in entries:
                    with suppress(FileNotFoundError):
                        if entry.stat(follow_symlinks=False).st_uid == self.number:
                            yield entry.path

    def remove_all(self) -> None:
        """Remove this user's files in world-writable folders, and its objects of System V."""
        for path in [*self.files()]:
            with suppress(OSError):
                remove(Path(path))
        left = []
        for kind, function, *which in SYSTEM_V:
            lines = [line.split() for line in read(f'sysvipc/{kind}').splitlines()]
            for line in lines[1:]:
                values = dict(zip(lines[0], map(int, line), strict=False))
                if self.number in (values[b'uid'], values[b'cuid']):
                    left.append((getattr(LIBRARY, function), int(line[1]), *which, REMOVE, None))

        def remove_objects() -> None:
            self.become(as_killer=True)
            for remove_one, *values in left:
                remove_one(*values)

        if left:  # root may not remove them without CAP_SYS_ADMIN
            succeeds_apart(remove_objects, KILLING_SECONDS)


@cache
def world_writable_folders() -> list[str]:
    """Return the folders of the machine in which a user without rights may write."""
    search = [
        '/usr/bin/find',
        '/',
        '-path',
        '/proc',
        '-prune',
        '-o',
        '-path',
        '/sys',
        '-prune',
        '-o',
        '-type',
        'd',
        '-writable',
        '-print0',
    ]
    try:
        found = subprocess.run(
            search,
            check=False,
            preexec_fn=OtherUser().become,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SEARCHING_SECONDS,
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:  # it may only have taken too long
        found = getattr(error, 'stdout', None) or b''
    return [os.fsdecode(folder) for folder in found.split(b'\0')[:-1]]


def replaced_counters(folder: Path) -> dict[str, Path]:
    """Return what programs see instead of what counts all that happens on the machine.

    That is nothing, or what it was when it was written into a folder.
    """
    statistics = folder / 'statistics'
    if not statistics.exists():
        statistics.write_bytes(read('stat'))
        statistics.chmod(0o644)
    replaced = dict.fromkeys(filter(os.path.exists, COUNTERS), Path(os.devnull))
    return {**replaced, STATISTICS: statistics}


def separate(
    seen: Sequence[Part], source: Path | None, size: int, counters: Mapping[str, Path]
) -> None:
    """Give this process a root folder of its own, which has only what it needs.

    It has all that is to be `seen`, and the folder `source` as `SOURCE`, read-only; devices and
    processes, without the machine's `counters`; and empty folders in memory, whose files may have
    `size` bytes each. Raises `OSError`.
    """
    call('unshare', NEW_NAMESPACES)
    call('mount', None, b'/', None, RECURSIVE_PRIVATE, None)
    origins = {
        str(part.path): part.path
        if part.is_shown
        else None
        if part.path.is_dir()
        else Path(os.devnull)
        for part in seen
    }
    origins.update({name: Path(name) for name in ('/proc', *DEVICES)})
    origins.update(counters)
    if source:
        origins[SOURCE] = source
    descriptors = {
        place: os.open(origin, ONLY_NAME) if origin else -1 for place, origin in origins.items()
    }
    root = IN_MEMORY[0]  # any folder; what it had stays open
    mount_in_memory(root, size)
    for name in IN_MEMORY:
        os.makedirs(root + name, exist_ok=True)
        mount_in_memory(root + name, size, 0o1777)
    for place, descriptor in descriptors.items():
        if descriptor < 0:
            mount_in_memory(root + place, size)
            continue
        if os.path.isdir(f'/proc/self/fd/{descriptor}'):
            os.makedirs(root + place, 0o755, exist_ok=True)
        elif not os.path.lexists(root + place):
            os.makedirs(os.path.dirname(root + place), 0o755, exist_ok=True)
            os.close(os.open(root + place, os.O_CREAT | os.O_EXCL))
        call(
            'mount',
            f'/proc/self/fd/{descriptor}'.encode(),
            os.fsencode(root + place),
            None,
            BIND_ALL,
            None,
        )
        os.close(descriptor)
    for name, target in DEVICE_LINKS.items():
        os.symlink(f'/proc/self/fd{target}', f'{root}/dev/{name}')
    os.chroot(root)
    os.chdir('/')
    protect(IN_MEMORY)


def forget_times_of_devices() -> None:
    """Set the times of devices, in which a program may have left a number for its next run."""
    for name in DEVICES:
        with suppress(OSError):  # this machine may lack it
            os.utime(name)


def mount_in_memory(folder: str, size: int, mode: int = 0o755) -> None:
    """Mount an empty file system in memory. Raises `OSError`."""
    call(
        'mount',
        b'tmpfs',
        os.fsencode(folder),
        b'tmpfs',
        NO_SUID | NO_DEVICES,
        f'mode={mode:o},size={size},nr_inodes={MOST_FILES}'.encode(),
    )


def protect(writable: Sequence[str]) -> None:
    """Make all that is mounted here read-only, but for some folders. Raises `OSError`."""
    with open('/proc/self/mountinfo', 'rb') as mounts:
        for line in mounts:
            words = line.split()
            place = re.sub(rb'\\([0-7]{3})', lambda code: bytes([int(code[1], 8)]), words[4])
            options = words[5].split(b',')
            flags = sum(flag for option, flag in KEPT.items() if option in options)
            if os.fsdecode(place) not in DEVICES:
                flags |= NO_DEVICES
            if os.fsdecode(place) not in writable:
                flags |= READ_ONLY
            call('mount', None, place, None, REMOUNT | NO_SUID | flags, None)


@cache
def can_separate() -> bool:
    """Return whether a process of the grader may have file systems of its own."""
    return IS_LINUX and succeeds_apart(partial(separate, [], None, 1 << 20, {}), TRIAL_SECONDS)


class Sandbox:
    """The weakest sandbox, `none`, and the base of the others: limits, a fresh copy for each run.

    `scratch` is the grader's own folder. No program sees the files and folders in `hidden`.
    `limits` are for all processes of a run together. A program without a folder is the user's own:
    it runs where it is, without limits. A sandbox still works after a fork.
    """

    kind: SandboxKind = 'none'
    _user: OtherUser | None = None  # as whom programs run, if the grader has to clean up
    _is_in_memory = False  # whether each run has file systems for itself alone
    # Whether programs of different users meet in the folders in which all may write.
    shares_folders = False
    _around = 0  # processes of its own around a program

    def __init__(
        self, scratch: Path, hidden: Sequence[Path] = (), limits: Limits | None = None
    ) -> None:
        self.scratch = scratch
        self.hidden = [PROJECT_FOLDER, *hidden]
        limits = limits or Limits()
        # Some of the machine's memory is for the grader.
        self._limits = replace(
            limits, memory=int(min(limits.memory, memory_sizes()[0] * MEMORY_SHARE))
        )
        self._most_processes = count_running() + limits.processes  # of the grader's user
        self.python = own_interpreter()

    @property
    def discards(self) -> bool:
        """Whether nothing that a run changes lasts, and it sees none of the user's own files."""
        return self._is_in_memory

    @property
    def shares_limits(self) -> bool:
        """Whether others may use up the processes or the memory that a program may have."""
        return os.geteuid() != 0 or is_limited()

    def has_room(self) -> bool:
        """Return whether the machine has as much memory free as a run may hold."""
        return memory_sizes()[1] >= self._limits.memory

    def places(self) -> int:
        """Return how many programs may run at once, so that none takes anything from another."""
        if self.shares_folders:
            return 1
        processes = self._limits.processes + OWN_PROCESSES + FOR_EACH_PLACE
        return max(
            1,
            int(
                min(
                    memory_sizes()[1] / self._limits.memory,
                    free_processes() / processes,
                    MOST_PROGRAMS,
                )
            ),
        )

    def clear(self) -> None:
        """End all that runs have started, and remove what they have left: their end was cut off."""
        if self._user:
            self._user.end_processes()
            self._user.remove_all()
        for place in self.scratch.glob(f'{RUN}*'):
            remove(place)

    @contextmanager
    def started(
        self,
        program: Program,
        streams: Streams,
        in_folder: Callable[[int], AbstractContextManager[None]] | None = None,
    ) -> Iterator[tuple[Process, Watch]]:
        """Start a program; yield its process, and a watch on what it uses.

        Enter the context that `in_folder` makes of a descriptor of the folder in which it will run.
        At the end, kill all processes that it started, leave that context, and remove what the
        program left. Raises `StartError`.
        """
        limits = self._limits if program.folder else None
        # A folder of the grader is removed together with its group.
        tree = tree_for_runs() if limits and self.scratch.name.startswith(PREFIX) else None
        group = Group(self.scratch.name, tree, limits) if tree else None
        with self._launch(program) as launch, ExitStack() as left:
            files = self._user.files if self._user else tuple
            with closing(Descendants(self._user.end_processes if self._user else None)) as started:
                with ready(launch, streams, group) as process:
                    if in_folder:  # before the program can put anything in its place
                        copy = left.enter_context(
                            opened(
                                launch.folder
                                if launch.place
                                else f'/proc/{self._inside(process.number)}/root{launch.folder}',
                                ONLY_FOLDERS | NO_LINK,
                            )
                        )
                        left.enter_context(in_folder(copy))

                yield (
                    process,
                    Watch(process, started, launch.place, files, limits, group, self._around),
                )
                process.end()
                if program.folder:
                    forget_times_of_devices()

    @contextmanager
    def _launch(self, program: Program) -> Iterator[Launch]:
        """Prepare one run of a program in a new folder; remove at the end all that it left."""
        if program.folder is None:
            here = os.getcwd()
            yield Launch(command('', '.', program), own_environment(), here, die_first, here)
            return
        place = '' if self._is_in_memory else tempfile.mkdtemp(prefix=RUN, dir=self.scratch)
        home = place or IN_MEMORY[0]
        copy = f'{home}/submission'
        path = search_path(self.python)
        seen = view((self.python, *program.words), path, program.needs, tuple(self.hidden))
        try:
            if place and self._user:
                os.chown(place, self._user.number, self._user.number)
            yield Launch(
                self._command(program, copy, seen),
                clean_environment(home, path),
                copy,
                partial(self._prepare, program.folder, seen),
                place,
            )
        finally:
            if place:
                remove(Path(place))
                if self._user:
                    self._user.remove_all()

    def _command(self, program: Program, copy: str, seen: Sequence[Part]) -> list[str]:
        """Return the command line that runs a program in a copy; what is `seen` is all it needs."""
        return command(SOURCE if self._is_in_memory else str(program.folder), copy, program)

    def _prepare(self, source: Path, seen: Sequence[Part]) -> None:
        """Confine this process, which is about to become a program in a copy of a folder.

        The size of its files is limited only when it has copied its folder; see `START`.
        """
        for name, most in (
            ('CORE', 1),  # with 0, the kernel would still start a program that takes core files
            ('DATA', MOST_DATA),
            ('NOFILE', MOST_DESCRIPTORS),
            ('MSGQUEUE', 0),
            ('SIGPENDING', MOST_SIGNALS),
            ('NPROC', self._most_processes),
        ):
            with suppress(AttributeError, OSError, ValueError):  # this system may lack some
                number = NAMELESS.get(name) or getattr(resource, f'RLIMIT_{name}')
                resource.setrlimit(number, (lowest(number, most),) * 2)
        die_first()

    def _inside(self, process: int) -> int:
        """Return a process that sees the file systems of a run, given the run's first process."""
        below = descendants(process)
        if self.kind == 'bwrap' and not below:  # bubblewrap itself has the machine's
            raise ProcessLookupError(errno.ESRCH, 'it was killed')
        return [process, *below][-1]


class Bubblewrap(Sandbox):
    """A sandbox of namespaces, in which programs run as another user if the grader is root."""

    kind: SandboxKind = 'bwrap'
    _is_in_memory = True
    _around = 2  # bubblewrap, and the first process of its namespace

    def __init__(
        self, scratch: Path, hidden: Sequence[Path] = (), limits: Limits | None = None
    ) -> None:
        super().__init__(scratch, hidden, limits)
        self._filter = filter_of_calls()
        self._counters = replaced_counters(scratch)
        self._begin: list[str] = []  # of the command line in the sandbox
        self._processes = ''  # limit there
        most = self._limits.processes
        if os.geteuid() == 0:
            number = str(OtherUser.of_folder(scratch).number)
            self._begin = [
                'setpriv',
                '--reuid',
                number,
                '--regid',
                number,
                '--clear-groups',
                '--no-new-privs',
                '--bounding-set=-all',
            ]
            self._most_processes = most
        else:
            self._processes = str(most) if counts_by_namespace() else ''
            self._most_processes += most * (MOST_PROGRAMS - 1)

    def _command(self, program: Program, copy: str, seen: Sequence[Part]) -> list[str]:
        visible, hidden, counters = [], [], []
        for name, shown in self._counters.items():
            counters += ['--ro-bind', str(shown), name]
        for path, is_shown in seen:
            for parent in [*path.parents][-2::-1]:
                visible += ['--perms', '0755', '--dir', str(parent)]
            if is_shown or not path.is_dir():
                visible += ['--ro-bind', str(path) if is_shown else os.devnull, str(path)]
            else:
                visible += ['--tmpfs', str(path)]
                hidden += ['--remount-ro', str(path)]
        in_memory = ['--perms', '1777', '--size', str(self._limits.disk // 2), '--tmpfs']
        seccomp = ['--seccomp', str(FILTER_DESCRIPTOR)] if self._filter else []
        return [
            'bwrap',
            *([] if self._begin else ['--unshare-user-try']),
            '--unshare-pid',
            '--unshare-net',
            '--unshare-ipc',
            '--unshare-uts',
            '--unshare-cgroup-try',
            '--die-with-parent',
            '--proc',
            '/proc',
            *counters,
            '--remount-ro',
            '/proc',
            '--dev',
            '/dev',
            *in_memory,
            '/dev/shm',
            # Terminals are memory of the kernel, which no limit counts.
            '--tmpfs',
            '/dev/pts',
            '--remount-ro',
            '/dev/pts',
            '--remount-ro',
            '/dev',
            *in_memory,
            '/tmp',
            *visible,
            *hidden,
            '--ro-bind',
            str(program.folder),
            SOURCE,
            '--remount-ro',
            '/',
            *seccomp,
            '--',
            *self._begin,
            *command(SOURCE, copy, program, self._processes),
        ]

    def _prepare(self, source: Path, seen: Sequence[Part]) -> None:
        super()._prepare(source, seen)
        leave_keyrings(is_own_user=False)
        if self._filter:  # which bubblewrap reads from a pipe
            outlet, inlet = os.pipe()  # whose ends are the first free descriptors
            os.set_inheritable(outlet, True)
            with open(inlet, 'wb') as file:
                file.write(self._filter)


class AsOtherUser(Sandbox):
    """A sandbox in which programs run as another user, who cannot enter closed folders.

    Where the grader may do so, each run has its own view of the file system, and no network.
    """

    kind: SandboxKind = 'user'
    _user: OtherUser

    def __init__(
        self, scratch: Path, hidden: Sequence[Path] = (), limits: Limits | None = None
    ) -> None:
        super().__init__(scratch, hidden, limits)
        if os.geteuid() != 0:
            raise SandboxError('only root can run programs as another user')
        self._user = OtherUser.of_folder(scratch)
        self._most_processes = self._limits.processes
        self._filter = filter_of_calls()
        self._is_in_memory = can_separate()
        self._counters = replaced_counters(scratch) if self._is_in_memory else {}
        self.shares_folders = not self._is_in_memory
        scratch.chmod(0o710)  # its user may go through it, but not list it

    def _prepare(self, source: Path, seen: Sequence[Part]) -> None:
        super()._prepare(source, seen)
        if self._is_in_memory:
            separate(seen, source, self._limits.disk // 2, self._counters)
        self._user.become()
        leave_keyrings(is_own_user=True)
        # If the parent has ended already, the program never starts; see `START`.
        call('prctl', *DIE_WITH_PARENT)
        call('prctl', *GAIN_NO_PRIVILEGES)
        if self._filter:
            filter_calls(self._filter)
