"""The transcript format: a recorded session in a text file.

Only the first character of a line says what the line is, and a final backslash what ends it:

    # a comment; "# points: 2" gives the transcript another weight than 1
    $ nim_console.py piles --prompts      the command line, before any input and output
    |text                                 printed: the text and a newline
    |text\\                                printed: the text alone, as a prompt is
    anything else                         typed: one line of input

A file without a `$` line is the console's of its folder, `othello` or `nim`, Othello elsewhere.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / 'transcripts'
GAMES = ('othello', 'nim')


class TranscriptError(Exception):
    """What a file says that no transcript can, or what a session did that none can hold."""


class Printed:
    """What the program printed and one `|` line holds: `text`, whether a newline `ends` it."""

    def __init__(self, number: int, text: str, ends: bool) -> None:
        self.number = number
        self.text = text
        self.ends = ends

    def __str__(self) -> str:
        return self.text + '\n' if self.ends else self.text


class Step:
    """The lines that are printed before an input line, and that line: None after the last."""

    def __init__(self) -> None:
        self.printed: list[Printed] = []
        self.input: str | None = None
        self.number = 0                     # the input's line number

    @property
    def output(self) -> str:
        """The printed lines as one text."""
        return ''.join(map(str, self.printed))


class Transcript:
    """A parsed transcript: its `command` line as words, `steps`, `points`, and file `name`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = display_name(path)
        try:
            self.lines = path.read_text(encoding='utf-8').rstrip('\n').split('\n')
        except (OSError, UnicodeDecodeError) as error:
            raise TranscriptError(f'{self.name}: {error}') from error
        self.command = ['nim_console.py' if path.parent.name == 'nim' else 'othello_console.py']
        self.has_command = False            # whether a `$` line says so
        self.points: float = 1
        self.steps = [Step()]
        for number, line in enumerate(self.lines, 1):
            self._add(number, line)

    @property
    def game(self) -> str:
        """The game that its console plays: `othello` or `nim`."""
        return self.command[0].partition('_')[0]

    @property
    def inputs(self) -> list[str]:
        """The input lines, without newlines."""
        return [step.input for step in self.steps if step.input is not None]

    @property
    def output(self) -> str:
        """All that is printed."""
        return ''.join(step.output for step in self.steps)

    @property
    def reads_all_first(self) -> bool:
        """Whether the program prints only once all input has been read, to its very end."""
        return not any(step.printed for step in self.steps[:-1])

    def _add(self, number: int, line: str) -> None:
        step = self.steps[-1]
        kind = line[:1]
        if kind == '#':
            points = re.fullmatch(r'#\s*points:\s*(\d+(?:\.\d+)?)\s*', line)
            if points:
                number = points.group(1)
                self.points = float(number) if '.' in number else int(number)
        elif kind == '$':
            try:
                self.command = shlex.split(line[1:])
            except ValueError as error:
                raise TranscriptError(f'{self.name}:{number}: {error}') from None
            if self.has_command or len(self.steps) > 1 or step.printed:
                raise TranscriptError(f'{self.name}:{number}: one $ line, before all others')
            if self.command[:1] not in (['othello_console.py'], ['nim_console.py']):
                raise TranscriptError(
                    f'{self.name}:{number}: $ othello_console.py or $ nim_console.py')
            self.has_command = True
        elif kind == '|':
            ends = not line.endswith('\\')
            step.printed.append(Printed(number, line[1:] if ends else line[1:-1], ends))
        else:
            step.input = line
            step.number = number
            self.steps.append(Step())


def all_transcripts() -> list[Path]:
    """Return the paths of the project's transcripts, in order of name."""
    return sorted(FOLDER.glob('*/*.txt'))


def display_name(path: Path) -> str:
    """Return a path as a person would type it at the root of the project."""
    path = path.resolve()
    return str(path.relative_to(ROOT)) if ROOT in path.parents else str(path)
