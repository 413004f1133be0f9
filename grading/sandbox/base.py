"""What every run has: a fresh copy, a clean environment, limits, and nothing left at its end."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Callable, Iterator, Literal, NamedTuple, Sequence

from ..project import WHOLE
from ..settings import Limits
from .cleanup import Offspring, remove
from .limits import blocks, count_running, die_first, set_limits
from .program import Program, StartError, clean_environment, own_environment
from .start import START, Launch, Process, Streams, start
from .watch import Watch

FOLDER_NOT_LINK = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
TRIAL_SECONDS = 20                      # seconds that a trial may take

Kind = Literal['bwrap', 'user', 'none']


class Started(NamedTuple):
    """A program that runs, and the watch on what it holds."""

    process: Process
    watch: Watch


class Sandbox:
    """The weakest sandbox, and the base of all: limits, and a fresh copy for each run.

    `scratch` is the grader's own folder; `hidden` is what no program may see; of `limits` those
    that hold for all processes of a run together count here. A program without a folder is the
    user's own: it runs as it stands, without limits. A sandbox that was made before a fork works
    after it, too.
    """

    kind: Kind = 'none'

    def __init__(self, scratch: Path, hidden: Sequence[Path] = (),
                 limits: Limits | None = None) -> None:
        self.scratch = scratch
        self.hidden = [WHOLE, *hidden]
        self._limits = limits or Limits()
        # The interpreter itself: a virtual environment's path would name the project.
        self.python = os.path.realpath(sys.executable)
        self._running = count_running()

    @property
    def shares_processes(self) -> bool:
        """Whether processes of others, too, count for the limit of a program's processes."""
        return os.geteuid() != 0

    @contextmanager
    def started(self, program: Program, streams: Streams,
                keep: Callable[[int], None] | None = None) -> Iterator[Started]:
        """Start a program; when done, end all that it has started, and remove what it has left.

        Between the two `keep` gets a descriptor of the copy that the program has run in. Raises
        `StartError`.
        """
        with self._nothing_left(), self._launch(program) as launch, ExitStack() as opened:
            copy = -1

            def open_copy(process: int) -> None:
                nonlocal copy
                if keep:                # before the program can put anything in its place
                    copy = os.open(self._seen_from_here(launch.folder, process), FOLDER_NOT_LINK)
                    opened.callback(os.close, copy)

            offspring = Offspring()
            try:
                process = start(launch, streams, open_copy)

                def end() -> None:
                    process.end()
                    offspring.end(self._kill_all)

                limits = self._limits if program.folder else None
                yield Started(process, Watch(offspring, lambda: self._files(launch), end, limits))
                process.end()
            finally:
                offspring.end(self._kill_all)
            if keep:
                keep(copy)

    def output(self, program: Program, seconds: float) -> tuple[int | None, bytes]:
        """Run a program without input; return its exit status, `None` if it took too long, and
        what it printed.

        Raises `StartError`.
        """
        with tempfile.TemporaryFile() as printed, open(os.devnull, 'rb') as nothing:
            streams = nothing.fileno(), printed.fileno(), printed.fileno()
            with self.started(program, streams) as started:
                status = started.process.status(seconds)
            printed.seek(0)
            return status, printed.read()

    def works(self) -> bool:
        """Return whether the interpreter runs in this sandbox, and can start another process."""
        return self.runs([self.python, '-c', 'import os; os.fork()'])

    def runs(self, words: list[str]) -> bool:
        """Return whether a command runs in this sandbox, and ends well."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            Path(folder).chmod(0o755)
            try:
                status, _ = self.output(Program(words, Path(folder)), TRIAL_SECONDS)
            except StartError:
                return False
        return status == 0

    @contextmanager
    def _launch(self, program: Program) -> Iterator[Launch]:
        """Prepare one run of a program, in a folder of its own; remove that at the end."""
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
        """Confine the new process that becomes a program."""
        set_limits(self._running + self._limits.processes)
        die_first()

    def _give(self, folder: Path) -> None:
        """Let programs write in a folder of the grader's."""

    def _seen_from_here(self, folder: str, process: int) -> str:
        """Return the path, for the grader, of a folder that a process sees."""
        return folder

    def _files(self, launch: Launch) -> list[str]:
        """Return what a program may have written on the machine's disk, files and folders."""
        return [launch.place] if launch.place else []

    def _kill_all(self) -> None:
        """Kill what a program has started, where that can be done at once."""

    @contextmanager
    def _nothing_left(self) -> Iterator[None]:
        """Remove, when done, what a program has left elsewhere than in its folder."""
        yield


def command(folder: str, copy: str, program: Program, processes: str = '') -> list[str]:
    """Return the command line that makes a copy of a folder and runs a program in it.

    There it may have so many `processes`, '' where they are limited otherwise.
    """
    most = blocks() if folder else ''
    return ['sh', '-c', START, 'sh', folder, copy, program.below, most, processes, *program.words]
