"""What a grading depends on: an assignment, and the options of `grade` with their defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Mapping, NamedTuple, Sequence

from .limits import Limits
from .sessions.transcript import Transcript

OPTIONS = ('prompts', 'beyond', 'at_once', 'command', 'build', 'timeout', 'confine',
           'fresh', 'fresh_points', 'seed', 'visibility', 'no_where')
# Of the environment: every user can read a command line in /proc.
SEED_VARIABLE = 'GRADING_SEED'


class DataFile(NamedTuple):
    """A file of an assignment; `name` is its path in the assignment's folder."""

    name: str
    content: bytes
    is_executable: bool = False


class Language(NamedTuple):
    """How to build and run programs that have a file with a suffix, '' for all programs."""

    suffix: str
    command: str                        # '' where the executable module is run
    build: str                          # '' where nothing is built


@dataclass(frozen=True)
class Assignment:
    """An assignment: by which sessions programs are graded, and how they are made and run."""

    name: str
    transcripts: Sequence[Transcript] = ()      # in the order of learning
    title: str = ''
    path: Path | None = None            # of its folder or its session; None for a game of ours
    files: Sequence[DataFile] = ()      # all files of one's own assignment
    data: Sequence[DataFile] = ()       # copied into every run, with their names there
    options: Mapping[str, object] = field(default_factory=dict)     # of `grade`, by their names
    directives: Sequence[str] = ()      # about all sessions
    languages: Sequence[Language] = ()  # the first that fits a submission counts
    has_arguments: bool = True          # whether programs get those of a transcript's `$` line

    @property
    def label(self) -> str:
        """Its name, with the folder above it for one's own: many may be called `tests`."""
        return f'{self.path.resolve().parent.name}/{self.name}' if self.path else self.name


@dataclass(frozen=True)
class Settings:
    """How each submission is graded."""

    assignment: Assignment
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

    @property
    def languages(self) -> Sequence[Language]:
        """How programs are built and run; the command line wins."""
        if self.command or self.build:
            return (Language('', self.command or '', self.build or ''),)
        return self.assignment.languages

    @property
    def words(self) -> list[str]:
        """The options as words of a command line, but for the seed, which others may read there.

        What the assignment or nobody says otherwise is left out.
        """
        words = []
        for name in OPTIONS:
            value, known = getattr(self, name), self.assignment.options.get(
                name, getattr(Settings, name))
            if name != 'seed' and value != known:
                option = name.replace('_', '-')
                words.append(f'--{opposite(option) if value is False else option}'
                             + ('' if isinstance(value, bool) else f'={value}'))
        return words


def opposite(option: str) -> str:
    """Return the option that switches off what an option of the command line switches on."""
    return option[len('no-'):] if option.startswith('no-') else f'no-{option}'
