"""The settings of a grading: what the command line and the assignment say."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

OPTIONS = ('prompts', 'beyond', 'at_once', 'command', 'build', 'timeout', 'confine',
           'fresh', 'fresh_points', 'seed', 'visibility', 'no_where')
VISIBILITIES = ('visible', 'hidden', 'after_due_date', 'after_published')       # on Gradescope
LONGEST_TIMEOUT = 3600                  # seconds
# Of the environment: every user can read a command line in /proc.
SEED_VARIABLE = 'GRADING_SEED'


class DataFile(NamedTuple):
    """A file of an assignment that is copied into every run; `name` is its path there."""

    name: str
    content: bytes
    is_executable: bool


@dataclass(frozen=True)
class Limits:
    """The limits of a submission, and of one run of its program, in seconds and bytes.

    `sandbox.kernel` has the kernel's limits for one process, such as open files.
    """

    submission: float = 240             # from when it is opened; copying and building count
    alone: float = 30                   # of these seconds, while no other program runs
    hanging: float = 15                 # after which a program that always hangs is given up
    explanation: float = 20             # to say what is wrong, when all sessions are played
    explanation_memory: int = 512 << 20
    search: float = 3                   # of the processor, to look for the faults of each game
    tracing: float = 8                  # of the explanation: to trace the program
    replay: float = 60                  # for one session, even if output comes all the time
    build: float = 60
    memory: int = 1 << 30               # of all processes of a run together
    disk: int = 256 << 20               # that these may write, where the grader can count it
    processes: int = 64                 # of a run, with their threads
    free_disk: int = 16 << 20           # without so much free space nothing runs

    @property
    def playing(self) -> float:
        """The seconds of a submission before its explanation, which is within its time, too."""
        return self.submission - min(self.explanation, self.submission / 12)


@dataclass(frozen=True)
class Settings:
    """How each submission is graded."""

    game: str
    sessions: tuple[tuple[str, str], ...] = ()      # the texts of one's own assignment, by name
    data: tuple[DataFile, ...] = ()     # its files for every run
    prompts: bool = False
    beyond: bool = False
    at_once: bool = False               # whether all input comes at once, not line by line
    command: str | None = None          # what runs instead of the one executable module
    build: str | None = None
    timeout: float = 5                  # seconds of silence when output is due
    confine: str = 'auto'
    hidden: tuple[Path, ...] = ()       # files and folders that no program may see
    reach: tuple[str, ...] = ()         # what a program can reach although it should not
    fresh: int = 0                      # games that nobody has seen
    fresh_points: float = 0
    seed: int | None = None             # of those games
    visibility: str = 'visible'         # of the tests, for Gradescope
    no_where: bool = False              # whether to leave out where in the program to look
    again: bool = False                 # whether to grade again what has not changed
    lock_folder: Path | None = None     # the folder of the lock of a class
    limits: Limits = field(default_factory=Limits)
    preset: tuple[str, ...] = ()        # the options that one's own assignment sets

    @property
    def facts(self) -> tuple[object, ...]:
        """All settings on which a grade depends."""
        return (self.game, self.sessions, self.data, *(getattr(self, name) for name in OPTIONS))

    @property
    def words(self) -> list[str]:
        """The options and the game, as words of the command line, without the seed."""
        words = []
        for name in OPTIONS:
            value = getattr(self, name)
            if name != 'seed' and (value != getattr(Settings, name) or name in self.preset):
                option = name.replace('_', '-')
                words.append(f'--{opposite(option) if value is False else option}'
                             + ('' if isinstance(value, bool) else f'={value}'))
        return [*words, self.game]


def opposite(option: str) -> str:
    """Return the option that switches off what an option of the command line switches on."""
    return option[len('no-'):] if option.startswith('no-') else f'no-{option}'


def seconds(text: str) -> float:
    """Return the number of seconds that a text gives. Raises `ValueError`."""
    number = float(text)
    if not 0 < number <= LONGEST_TIMEOUT:
        raise ValueError
    return number
