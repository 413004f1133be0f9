"""What a program may reach while it runs: the strongest walls that the machine has.

Three kinds: `bwrap` (bubblewrap: its own processes, no network, its own few folders), `user`
(another user, where the grader runs as root without namespaces), `none`.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator, NamedTuple, Sequence

from ..project import ROOT
from ..submissions.copy import MOST_BYTES
from ..submissions.find import Program
from .cleanup import adopt_orphans, nothing_left, remove
from .environment import SYSTEM, environment, in_sight, tool_folders
from .other_user import Stranger

KINDS = ('bwrap', 'user', 'none')
SIZE = str(2 * MOST_BYTES)              # bytes that each folder in memory may hold

# Makes a fresh copy of the folder $1 as $2, goes to the folder $3 in it, and starts the program
# under limits: no core files, 16 MB a file (in blocks of 512), 256 descriptors, 512 MB of data (in
# kilobytes), $4 processes (-u, which dash calls -p); the first to end when the memory runs out.
START = '''
if [ "$1" ]; then cp -RPp "$1/." "$2" || exit 126; fi
cd "$2/$3" || exit 126
ulimit -c 0; ulimit -f 32768; ulimit -n 256; ulimit -d 524288
ulimit -u "$4" 2>/dev/null || ulimit -p "$4"
shift 4
unset PWD OLDPWD
{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null
exec "$@"
'''
PROCESSES = 64


class ConfinementError(Exception):
    """Why programs cannot be confined as they should be."""


class Room(NamedTuple):
    """Where one run takes place; `folder` is the copy of the submission, as the program sees it."""

    command: list[str]
    environment: dict[str, str]
    folder: str


class Confinement:
    """No walls, but limits, and a fresh copy for each run.

    `scratch` is the grader's own folder; `hidden` is what no program may see.
    """

    kind = 'none'

    def __init__(self, scratch: Path, hidden: Sequence[Path] = ()) -> None:
        self.scratch = scratch
        self.hidden = [ROOT, *hidden]
        # The interpreter itself: a virtual environment's path would name the project.
        self.python = os.path.realpath(sys.executable)
        # Without a user of their own, those that run already count, too.
        running = len(glob.glob('/proc/[0-9]*/task/*'))
        self._processes = str(running + PROCESSES) if running else 'unlimited'

    def give(self, folder: Path) -> None:
        """Let programs write in a folder of the grader's."""

    def end_processes(self) -> None:
        """End what a program has started, where that takes more than its descent."""

    @contextmanager
    def room(self, program: Program, folder: Path | None = None) -> Iterator[Room]:
        """Prepare one run of a program, and leave no trace of it.

        But where `folder` is given, the copy that it runs in is made there, as `submission`, and
        stays.
        """
        if program.folder is None:          # as it stands
            yield Room(self._start('', '.', '.', program.words), environment(''), os.getcwd())
            return
        place = folder or Path(tempfile.mkdtemp(prefix='run-', dir=self.scratch))
        try:
            self.give(place)
            copy = f'{place}/submission'
            yield Room(self._start(str(program.folder), copy, program.below, program.words),
                       environment(str(place), self.python), copy)
        finally:
            if not folder:
                remove(place)

    def runs(self, words: list[str]) -> bool:
        """Return whether a command runs in this confinement, and ends well."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            Path(folder).chmod(0o755)
            with self.room(Program(words, Path(folder))) as room, nothing_left():
                try:
                    return not subprocess.run(
                        room.command, env=room.environment, check=False, timeout=20,
                        stdin=subprocess.DEVNULL, capture_output=True).returncode
                except (OSError, subprocess.TimeoutExpired):
                    return False

    def _start(self, folder: str, copy: str, below: str, words: list[str]) -> list[str]:
        return ['sh', '-c', START, 'sh', folder, copy, below, self._processes, *words]


class Walls(Confinement):
    """A user who has nothing and is nobody else, where the grader may make one."""

    def __init__(self, scratch: Path, hidden: Sequence[Path] = ()) -> None:
        super().__init__(scratch, hidden)
        self.user = Stranger() if os.geteuid() == 0 else None
        if self.user:
            self._processes = str(PROCESSES)

    def give(self, folder: Path) -> None:
        if self.user:
            os.chown(folder, self.user.number, self.user.number)

    def _start(self, folder: str, copy: str, below: str, words: list[str]) -> list[str]:
        start = super()._start(folder, copy, below, words)
        return self.user.command(start) if self.user else start


class OtherUser(Walls):
    """Another user, to whom the grader's folders are closed."""

    kind = 'user'

    def __init__(self, scratch: Path, hidden: Sequence[Path] = ()) -> None:
        super().__init__(scratch, hidden)
        if self.user is None:
            raise ConfinementError('only root can run programs as another user')
        self._stranger = self.user
        os.chown(scratch, 0, self.user.number)      # to go through, not to look around
        scratch.chmod(0o710)
        if not self.runs([self.python, '-c', 'pass']):
            self.python = os.path.realpath(shutil.which('python3', path=os.defpath) or self.python)

    @contextmanager
    def room(self, program: Program, folder: Path | None = None) -> Iterator[Room]:
        with super().room(program, folder) as room:
            yield room
        self._stranger.remove_files()

    def end_processes(self) -> None:
        self._stranger.end_processes()


class Bubblewrap(Walls):
    """Namespaces of its own: of processes, network, and of folders, most of them read-only."""

    kind = 'bwrap'

    @contextmanager
    def room(self, program: Program, folder: Path | None = None) -> Iterator[Room]:
        # The copy is made in memory, where no file of the machine can be filled.
        temporary = ['--perms', '1777', '--size', SIZE, '--tmpfs', '/tmp']
        if folder:
            self.give(folder)
            temporary = ['--bind', str(folder), '/tmp']
        copy = '/tmp/submission'
        start = self._start('/handed-in', copy, program.below, program.words)
        yield Room(['bwrap', *self._namespaces(), *temporary, *self._folders(program),
                    '--ro-bind', str(program.folder), '/handed-in', '--remount-ro', '/', '--',
                    *start], environment('/tmp', self.python), copy)

    def _namespaces(self) -> list[str]:
        names = ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts',
                 '--unshare-cgroup-try'] if self.user else ['--unshare-all']
        return [*names, '--die-with-parent', '--proc', '/proc', '--dev', '/dev', '--perms', '1777',
                '--size', SIZE, '--tmpfs', '/dev/shm', '--remount-ro', '/dev']

    def _folders(self, program: Program) -> list[str]:
        """Return what makes the system's folders and the tools visible, but not what is hidden."""
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


def confine(kind: str, scratch: Path, hidden: Sequence[Path] = ()) -> Confinement:
    """Return the confinement of a kind, if it works; for `auto` the strongest that does.

    `required` is the strongest too, but not none at all. Raises `ConfinementError`.
    """
    for candidate in (Bubblewrap, OtherUser, Confinement):
        if kind in ('auto', 'required', candidate.kind):
            with suppress(OSError, ConfinementError):
                confinement = candidate(scratch, hidden)
                adopt_orphans()
                works = [confinement.python, '-c', 'import os; os.fork()']
                if kind == 'none' or confinement.runs(works):
                    return confinement
    raise ConfinementError('programs cannot be confined on this machine')
