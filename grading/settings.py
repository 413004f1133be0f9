"""What a submission is graded by: an assignment, and the options of `grade` with their defaults."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from configparser import ConfigParser
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from .limits import Limits
from .seeds import SEED_VARIABLE, read_seed
from .sessions.directives import points_in
from .sessions.session import Session

VISIBILITIES = ('visible', 'hidden', 'after_due_date', 'after_published')  # on Gradescope
LONGEST_TIMEOUT = 3600  # seconds


class DataFile(NamedTuple):
    """A file of an assignment; `name` is its path in the assignment's folder."""

    name: str
    content: bytes
    is_executable: bool = False


class Language(NamedTuple):
    """How to build and run programs that have a file with a suffix, '' for all programs."""

    suffix: str
    command: str  # '' where the executable module is run
    build: str  # '' where nothing is built


@dataclass(frozen=True)
class Assignment:
    """An assignment: by which sessions programs are graded, and how they are made and run."""

    name: str
    transcripts: Sequence[Session] = ()  # in the order of learning
    title: str = ''
    path: Path | None = None  # of its folder or its session; None for a game of ours
    files: Sequence[DataFile] = ()  # all files of one's own assignment
    data: Sequence[DataFile] = ()  # copied into every run, with their names there
    options: Mapping[str, object] = field(default_factory=dict)  # of `grade`, by their names
    directives: Sequence[str] = ()  # about all sessions
    languages: Sequence[Language] = ()  # the first that fits a submission counts
    requires_flush: bool = True  # whether output counts only when it is flushed
    has_arguments: bool = True  # whether programs get those of a transcript's `$` line

    @property
    def label(self) -> str:
        """Its name, with the folder above it for one's own: many may be called `tests`."""
        return f'{self.path.resolve().parent.name}/{self.name}' if self.path else self.name


class Value(NamedTuple):
    """How a value is read: `read` makes it of a string, or raises `ValueError` or `LookupError`."""

    read: Callable[[str], Any]
    words: str  # which strings are right: "a whole number"


def one_of(*choices: str) -> Value:
    """Return the value that is one of some words."""
    return Value(lambda text: choices[choices.index(text)], f'one of {", ".join(choices)}')


def seconds(text: str) -> float:
    """Return the number of seconds in a string. Raises `ValueError`."""
    number = float(text)
    if not 0 < number <= LONGEST_TIMEOUT:
        raise ValueError
    return number


def count(text: str) -> int:
    """Return the number in a string, from 0. Raises `ValueError`."""
    if not re.fullmatch('[0-9]{1,9}', text):
        raise ValueError
    return int(text)


WHOLE_NUMBER = Value(count, 'a whole number')
# Of a switch, which is `--name` or `--no-name` on the command line.
YES_OR_NO = Value(lambda text: ConfigParser.BOOLEAN_STATES[text.lower()], 'yes or no')


def option(
    default: Any, text: str, value: Value | None = None, ini: bool = False, **more: Any
) -> Any:
    """Return a field of `Options` that an option of `grade` and `pack` sets, with its help.

    `more` is what argparse gets. `value` is how the option's value is read, and `ini` whether
    assignment.ini can set it, too.
    """
    return field(default=default, metadata={'help': text, 'value': value, 'ini': ini, **more})


@dataclass(frozen=True)
class Options:
    """How each submission is graded, in the order of --help."""

    command: str | None = option(
        None, 'run this, in the copy of a SUBMISSION; without a SUBMISSION, here', metavar='CMD'
    )
    build: str | None = option(
        None, f'run this first, for {Limits.build:g} s at most', metavar='CMD'
    )
    prompts: bool = option(False, 'play the sessions with prompts', YES_OR_NO)
    beyond: bool = option(
        False, 'play also, for no points, sessions beyond the assignment', YES_OR_NO, ini=True
    )
    at_once: bool = option(
        False, 'send all input at once, as from a file, and not line by line', YES_OR_NO, ini=True
    )
    timeout: float = option(
        5,
        'how long a program may print nothing when it should (5)',
        metavar='SECONDS',
        value=Value(seconds, f'a number of seconds up to {LONGEST_TIMEOUT}'),
        ini=True,
    )
    confine: str = option(
        'auto',
        'the sandbox for programs: bwrap, user, none, or auto, which chooses (auto)',
        metavar='KIND',
        value=one_of('auto', 'bwrap', 'user', 'none'),
    )
    fresh: int = option(
        0, 'play also up to N games that nobody has seen', metavar='N', value=WHOLE_NUMBER
    )
    seed: int | None = option(
        None,
        'the seed of the fresh games; without it each submission has its own; '
        f'{SEED_VARIABLE} in the environment does the same',
        metavar='N',
        value=Value(read_seed, 'a whole number'),
    )
    fresh_points: float = option(
        0,
        'points for all these games together (0)',
        metavar='P',
        value=Value(points_in, 'a number such as 2 or 2.5'),
    )
    where: bool = option(
        True,
        f'look for the lines of a Python program to fix, for {Limits.tracing:g} s at most (yes)',
        YES_OR_NO,
        ini=True,
    )
    visibility: str = option(
        'visible',
        f'the tests on Gradescope are {", ".join(VISIBILITIES)} (visible)',
        metavar='WHO',
        value=one_of(*VISIBILITIES),
        ini=True,
    )
    limits: Limits = field(default_factory=Limits)

    def languages_of(self, assignment: Assignment) -> Sequence[Language]:
        """Return how programs are built and run; the command line wins."""
        if self.command or self.build:
            return (Language('', self.command or '', self.build or ''),)
        return assignment.languages

    def words_for(self, assignment: Assignment) -> list[str]:
        """Return the words of a command line that gives these options.

        An option that has its default, or the value that the assignment gives it, is left out; so
        is the seed, which others could read there.
        """
        words = []
        for name, one in OPTIONS.items():
            value, known = getattr(self, name), assignment.options.get(name, one.default)
            if name == 'seed' or value == known:
                continue
            word = name.replace('_', '-')
            if value is False:
                words.append(f'--no-{word}')
            else:
                words.append(f'--{word}' if value is True else f'--{word}={value}')
        return words


OPTIONS = {one.name: one for one in fields(Options) if one.metadata}
