"""Hints about a difference: where the program crashed, and how two lines differ.

A hint says only what is certain.
"""

from __future__ import annotations

import os.path
import re
from pathlib import PurePosixPath
from typing import Callable, Protocol, Sequence

from ..printable import decoded, printable
from ..sessions.difference import Difference, Situation
from .finding import Crash

INSTALLED = 'site-packages'
FRAME = re.compile(r'  File "([^"\0]{1,4096})", line ([0-9]{1,9})(?![0-9])')
END_WITH_0 = 'end the program with exit status 0 after the last line'
WIDTH = 60                              # characters that are shown of a line
NUMBER = re.compile(r'\d+')
WAITS = 'the program waits for a line of input here, but must print first'
NOTHING_CAME = 'the program printed nothing, even after the end of its input'


def error_of(errors: bytes) -> str:
    """Return the name of the exception at the end of standard error, `''` for none.

    >>> error_of(b'Traceback (most recent call last):\\nValueError: no\\n')
    'ValueError'
    """
    lines = decoded(errors).rstrip().splitlines()
    name = re.match(r'[\w.]+(?=:|$)', lines[-1]) if lines else None
    return name[0] if name and lines[0].startswith('Traceback') else ''


def crash_of(errors: bytes, folder: str) -> Crash | None:
    """Return the crash at the end of standard error, in the author's own files, or None."""
    lines = decoded(errors).rstrip().splitlines()
    if not lines or not re.match(r'\w', lines[-1]):
        return None
    for number in reversed(range(len(lines))):
        frame = FRAME.match(lines[number])
        file = own_file(frame[1], folder) if frame else ''
        if frame and file:
            following = lines[number + 1]
            source = following.strip() if following.startswith('    ') else ''
            return Crash(lines[-1], file, int(frame[2]), source)
    return None


def crash_at(difference: Difference) -> Crash | None:
    """Return the crash that a difference is, or that shows where a program waited for a line.

    A crash after all input says nothing about an earlier wait.
    """
    if difference.kind not in ('ended', 'status', 'silent', 'runs on') or not difference.status:
        return None
    crash = crash_of(difference.errors, difference.folder)
    is_at_end = difference.expected.input is None
    if crash and crash.type == 'EOFError' and difference.kind == 'silent' and not is_at_end:
        return None
    return crash


def own_file(name: str, folder: str) -> str:
    """Return the name of a file in the author's folder, `''` for any other file.

    Installed packages are not the author's.

    >>> own_file('/tmp/submission/game.py', '/tmp/submission'), own_file('/usr/enum.py', '/tmp')
    ('game.py', '')
    >>> own_file('/home/.venv/lib/site-packages/numpy.py', '/home')
    ''
    """
    path = PurePosixPath(name)
    if path.is_absolute() and PurePosixPath(folder) not in path.parents:
        path = PurePosixPath(os.path.realpath(name))        # the folder may be behind a link
    if path.is_absolute() and PurePosixPath(folder) not in path.parents:
        return ''
    own = path.relative_to(folder) if path.is_absolute() else path
    return '' if name.startswith('<') or INSTALLED in own.parts else str(own)


class GameText(Protocol):
    """The parts of a game that hints and examples use."""

    @property
    def name(self) -> str:
        """The game's name."""

    @property
    def hint(self) -> Callable[[Situation], str]:
        """Return how two lines differ in meaning, `''` if that is not known."""

    @property
    def positions(self) -> Callable[[str], Sequence[object]]:
        """Return the positions that a text shows."""


def hint_for(difference: Difference, situation: Situation, game: GameText | None) -> str:
    """Return a hint about a difference in a session of a game, `''` if nothing is certain."""
    if difference.is_runaway:
        due = len(difference.expected.output.encode())
        printed = len(difference.printed)
        return f'the program printed {printed:,} bytes or more; {due:,} are expected'
    if difference.kind == 'runs on':
        if difference.status is None:
            return ''
        return 'the program waits for more input after the end; it ended when its input was closed'
    if difference.kind == 'status':
        return END_WITH_0 if difference.transcript.status == 0 else ''
    if situation.expected == situation.printed + '\n':
        return 'the newline is missing at the end of the line'
    if difference.kind == 'silent' and not difference.is_open:
        return hint_for_errors(difference, situation) or hint_for_silence(difference, situation)
    if difference.is_open:
        return hint_for_line(situation)
    if difference.kind == 'differs':
        hints = (hint_for_errors(difference, situation), hint_for_line(situation),
                 game.hint(situation) if game else '', hint_for_place(situation))
        return next(filter(None, hints), '')
    return ''


def hint_for_silence(difference: Difference, situation: Situation) -> str:
    """Return a hint about a program that prints nothing: does it wait, or not flush?"""
    if situation.printed and situation.expected.rstrip(' ') == situation.printed:
        return 'the blank at the end of the prompt is missing'
    if difference.comes_late:
        return ('the program printed this only after more input: flush before each read (in '
                'Python: print(..., flush=True)), and read no line too early')
    crash = crash_at(difference)
    if crash and crash.type != 'EOFError':
        return (f'{WAITS}; it crashed only when it got the rest of the input')
    if difference.late or crash:
        return WAITS
    return '' if difference.printed else NOTHING_CAME


def hint_for_errors(difference: Difference, situation: Situation) -> str:
    """Return a hint if the line was printed on standard error."""
    due = situation.expected.rstrip()
    errors = [line.rstrip() for line in decoded(difference.errors).splitlines()]
    is_there = due and due in errors
    return 'this line was printed on standard error, not on standard output' if is_there else ''


def hint_for_line(situation: Situation) -> str:
    """Return a hint about two lines that say the same in different characters."""
    due, bare = situation.expected.rstrip('\n'), situation.printed.rstrip('\n')
    if not situation.expected:
        return ''
    if situation.printed.replace('\r', '') == situation.expected:
        return r'the program ends lines with \r\n; the assignment has \n alone'
    if bare.rstrip() == due:
        number = len(bare) - len(due)
        return f'{number} blank{"s" * (number > 1)} too many at the end of the line'
    is_same = ''.join(bare.split()) == ''.join(due.split())
    if is_same and NUMBER.findall(bare) == NUMBER.findall(due):
        return 'only the blanks differ'
    if bare.lower() == due.lower():
        return 'only uppercase and lowercase letters differ'
    return ''


def hint_for_place(situation: Situation) -> str:
    """Return a hint about missing or extra lines, if the rest of the step is right."""
    due = [situation.expected, *situation.expected_next] if situation.expected else []
    printed = [situation.printed, *situation.printed_next]
    missing, extra = len(due) - len(printed), len(printed) - len(due)
    if not due:
        if situation.is_end:
            return 'output after the end: nothing may follow the last line'
        if not situation.printed.strip():
            return 'an empty line too many'
        if not printed[-1].endswith('\n'):
            return (f'the program prints a prompt, {quoted(printed[-1])}; '
                    'no prompt is expected here')
        return f'{lines(extra)} too many: the program must read the next line of input here'
    if missing > 0 and due[missing:] == printed:
        return f'{lines(missing)} missing here'
    if extra > 0 and printed[extra:] == due:
        return ('an empty line too many' if not ''.join(printed[:extra]).strip()
                else f'{lines(extra)} too many here')
    if extra == 0 and due[1:] == printed[1:] and due[0] and printed[0].endswith(due[0]):
        return (f'{quoted(printed[0][:-len(due[0])])} is printed before the line; '
                'print the line alone')
    return ''


def lines(number: int) -> str:
    """Return a number and the word line or lines."""
    return f'{number} line{"s" * (number > 1)}'


def quoted(text: str) -> str:
    """Return a text of unknown origin in quotes, shortened."""
    return f'"{printable(text[:WIDTH])}"'
