"""The settings for grading: an assignment, the options of `grade`, and the seeds of fresh games."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from configparser import ConfigParser
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from random import SystemRandom
from typing import Any, NamedTuple

from .installation import digest_of
from .limits import LONGEST_TIMEOUT, TIMEOUT, Limits
from .sandbox.program import HAS_SANDBOX
from .sandbox.untrusted_files import NO_LINK
from .sessions.directives import points_in
from .sessions.session import Session

VISIBILITIES = ('visible', 'hidden', 'after_due_date', 'after_published')  # on Gradescope
SEEDS = 10**9  # a seed is a whole number below this
# The environment variable that can set the seed, because all users can read others' command lines.
SEED_VARIABLE = 'GRADING_SEED'
SECRET = '.secret-of-the-class'  # a file in --out; no submission's name begins with a dot
SECRET_BYTES = 32


class DataFile(NamedTuple):
    """A file of an assignment; `name` is its path, with forward slashes."""

    name: str
    content: bytes
    is_executable: bool = False


class Language(NamedTuple):
    """How to build and run the programs in a language."""

    suffix: str  # the suffix of its files, such as '.c', or '' for all programs
    command: str  # the command that runs a program, or '' for the executable Python module
    build: str  # the command that builds a program, or '' if there is nothing to build


@dataclass(frozen=True)
class Assignment:
    """An assignment: its sessions, and how programs are built and run."""

    name: str
    sessions: Sequence[Session] = ()  # `choose_sessions` sorts them from easy to difficult
    title: str = ''
    path: Path | None = None  # its folder, the file of its only session, or None if it is built in
    files: Sequence[DataFile] = ()  # all files of a custom assignment, by path in its folder
    data: Sequence[DataFile] = ()  # the files for every run, by path in the folder of the run
    options: Mapping[str, object] = field(default_factory=dict)  # options of `grade`, by name
    directives: Sequence[str] = ()  # directives for all sessions
    languages: Sequence[Language] = ()  # the first match for a submission is used
    requires_flush: bool = True  # whether output counts only when it is flushed
    has_arguments: bool = True  # whether programs get the arguments on the `$` line

    @property
    def label(self) -> str:
        """The assignment's name, preceded by its parent folder's name if the assignment is custom.

        Many assignments are called `tests`, so the name alone would not be enough.
        """
        return f'{self.path.resolve().parent.name}/{self.name}' if self.path else self.name


class Value(NamedTuple):
    """How an option's value is parsed from a string."""

    read: Callable[[str], Any]  # raises `ValueError` or `LookupError` for an invalid string
    words: str  # describes valid strings in an error message: "a whole number"


def one_of(*choices: str) -> Value:
    """Return a `Value` that accepts only these words."""

    def read(text: str) -> str:
        if text not in choices:
            raise ValueError
        return text

    return Value(read, f'one of {", ".join(choices)}')


def seconds(text: str) -> float:
    """Return the number of seconds in a string. Raises `ValueError`."""
    number = float(text)
    if not 0 < number <= LONGEST_TIMEOUT:
        raise ValueError
    return number


def count(text: str) -> int:
    """Return the whole number from 0 to `SEEDS` - 1 in a string. Raises `ValueError`."""
    if not re.fullmatch('[0-9]{1,9}', text):
        raise ValueError
    return int(text)


WHOLE_NUMBER = Value(count, 'a whole number')
SEED = Value(count, f'a whole number from 0 to {SEEDS - 1}')
# The value of a switch. On the command line, a switch takes no value: `--name`, or `--no-name`.
YES_OR_NO = Value(lambda text: ConfigParser.BOOLEAN_STATES[text.lower()], 'yes or no')


def option(
    default: Any, text: str, value: Value | None = None, ini: bool = False, **more: Any
) -> Any:
    """Return the field of `Options` for an option of `grade` and `pack`.

    text   the help text
    value  how its value is parsed, or None if the value remains a string
    ini    whether assignment.ini can also set it
    more   other arguments for argparse
    """
    return field(default=default, metadata={'help': text, 'value': value, 'ini': ini, **more})


@dataclass(frozen=True)
class Options:
    """How submissions are graded. The options are in the order of --help."""

    command: str | None = option(
        None,
        'the command that starts a program; it runs in a copy of the SUBMISSION, or in the '
        'current folder if there is none',
        metavar='CMD',
    )
    build: str | None = option(
        None,
        f'the shell command that builds a program (time limit: {Limits.build:g} s)',
        metavar='CMD',
    )
    prompts: bool = option(False, 'play the sessions that have prompts', YES_OR_NO)
    beyond: bool = option(
        False,
        'also play sessions that go beyond the assignment; they are worth no points',
        YES_OR_NO,
        ini=True,
    )
    at_once: bool = option(
        False,
        'send all input at once, as if from a file, instead of line by line',
        YES_OR_NO,
        ini=True,
    )
    timeout: float = option(
        TIMEOUT,
        f'how many seconds a program may be silent when output is expected (default: {TIMEOUT:g})',
        metavar='SECONDS',
        value=Value(seconds, f'a number of seconds up to {LONGEST_TIMEOUT:g}'),
        ini=True,
    )
    confine: str = option(
        'auto',
        'the sandbox for programs: bwrap, user, none or auto, which is bwrap if it works, '
        'otherwise user (default: auto)',
        metavar='KIND',
        value=one_of('auto', 'bwrap', 'user', 'none'),
    )
    fresh: int = option(
        0, 'also play up to N newly generated games', metavar='N', value=WHOLE_NUMBER
    )
    seed: int | None = option(
        None,
        'the seed of the fresh games (default: a new seed for each submission); the environment '
        f'variable {SEED_VARIABLE} also sets it',
        metavar='N',
        value=SEED,
    )
    fresh_points: float = option(
        0,
        'total points for all fresh games (default: 0)',
        metavar='P',
        value=Value(points_in, 'a number such as 2 or 2.5'),
    )
    where: bool = option(
        True,
        f'find the lines to fix in a Python program, in at most {Limits.tracing:g} s '
        '(default: yes)',
        YES_OR_NO,
        ini=True,
    )
    visibility: str = option(
        'visible',
        f'when students can see the tests on Gradescope: {", ".join(VISIBILITIES)} '
        '(default: visible)',
        metavar='WHEN',
        value=one_of(*VISIBILITIES),
        ini=True,
    )
    limits: Limits = field(default_factory=Limits)

    def languages_of(self, assignment: Assignment) -> Sequence[Language]:
        """Return the languages of an assignment; `command` and `build` override them."""
        if self.command or self.build:
            return (Language('', self.command or '', self.build or ''),)
        return assignment.languages

    def words_for(self, assignment: Assignment) -> list[str]:
        """Return these options as command-line arguments.

        An option is left out if it has the value set by the assignment or, if the assignment does
        not set it, the default value. The seed is always left out, because other users can read
        command lines.
        """
        words = []
        for name, option_field in OPTIONS.items():
            value = getattr(self, name)
            known = assignment.options.get(name, option_field.default)
            if name == 'seed' or value == known:
                continue
            word = name.replace('_', '-')
            if value is False:
                words.append(f'--no-{word}')
            else:
                words.append(f'--{word}' if value is True else f'--{word}={value}')
        return words


OPTIONS = {option.name: option for option in fields(Options) if option.metadata}


def seed_of(digest: str, out: Path | None) -> int:
    """Return the seed for the fresh games of a submission.

    The seed depends on the `digest` of the submission and on the class's secret in the folder
    `out`. So nobody can predict the seed, but the same submission gets the same games again. If the
    digest is '' or there is no folder, the seed is random.
    """
    if not digest or not out:
        return SystemRandom().randrange(SEEDS)
    return int(digest_of(secret_of(out) + digest.encode()), 16) % SEEDS


def with_seed(options: Options, digest: str = '', out: Path | None = None) -> Options:
    """Return the options, with a seed added (see `seed_of`) if fresh games need one."""
    if not options.fresh or options.seed is not None:
        return options
    return replace(options, seed=seed_of(digest, out))


def secret_of(out: Path) -> bytes:
    """Return the class's secret from its file in the folder `out`; create the file if necessary.

    Only its owner can read the file. Raises `OSError` if something else, such as a link, has the
    file's name.
    """
    path = out / SECRET
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o600)
    except OSError as error:  # it may be a link or a folder
        raise FileExistsError(
            f'{path} is not a valid class secret file; delete it and try again ({error.strerror})'
        ) from None
    with open(descriptor, 'r+b', buffering=0) as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > SECRET_BYTES:
            raise FileExistsError(
                f'{path} is not a valid class secret file; delete it and try again'
            )
        if HAS_SANDBOX:  # another grader may be writing the secret
            import fcntl  # not on Windows

            fcntl.flock(file, fcntl.LOCK_EX)
        secret = file.read()
        if len(secret) != SECRET_BYTES:  # the file is new or incomplete
            secret = os.urandom(SECRET_BYTES)
            file.seek(0)
            file.truncate()
            file.write(secret)
    return secret
