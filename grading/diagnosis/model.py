"""A session of a console program, played in this process: what it reads, what it prints."""

from __future__ import annotations

import random
import re
from functools import lru_cache
from typing import Collection, Container, Iterable

INTEGER = re.compile(r'[ \t]*[+-]?[0-9]+[ \t]*')


class EndOfInput(Exception):
    """The session wants another line, and there is none."""


class GameModel:
    """Input lines, and what is printed: `texts`, before each line that is read, and after the last.

    `arguments` are those of the program's command line.

    A game is a subclass whose `play` reads by `ask` and prints by `say`. Each decision of a game
    is a method of its own, so that a subclass can make it otherwise. `left_free` are lines that its
    assignment does not give: others may print another one there.
    """

    left_free: frozenset[str] = frozenset()

    def __init__(self, lines: Iterable[str], arguments: Collection[str] = ()) -> None:
        self.lines = iter(lines)
        self.prompts = '--prompts' in arguments
        self.texts = ['']

    def play(self) -> None:
        """Play from the first line to the last; raises `EndOfInput`."""
        raise NotImplementedError

    def ask(self, prompt: str) -> str:
        """Read a line."""
        self.write(self.prompted(prompt))
        line = next(self.lines, None)
        if line is None:
            raise EndOfInput
        self.texts.append('')
        return line

    def prompted(self, prompt: str) -> str:
        """Return what is printed to ask for a line."""
        return prompt if self.prompts else ''

    def say(self, line: str) -> None:
        """Print a line of the protocol."""
        self.write(line + '\n')

    def write(self, text: str) -> None:
        """Print a text as it is."""
        self.texts[-1] += text

    def upcoming(self) -> str:
        """Return what a program that is followed prints next, `''` where none is."""
        return ''


class AgainstComputer(GameModel):
    """A game against the computer, whose questions are asked until they are answered."""

    def __init__(self, lines: Iterable[str], arguments: Collection[str] = ()) -> None:
        super().__init__(lines, arguments)
        self.rng = random.Random()

    def refuse(self) -> None:
        if not self.prompts:
            self.say('INVALID')

    def ask_integer(self, prompt: str, choices: Container[int] | None = None) -> int:
        """Ask until an integer comes, among the choices if there are any."""
        while True:
            line = self.ask(prompt)
            if INTEGER.fullmatch(line) and self.is_choice(int(line), choices):
                return int(line)
            self.refuse()

    def is_choice(self, number: int, choices: Container[int] | None) -> bool:
        """Return whether a number may be chosen."""
        return choices is None or number in choices

    def ask_text(self, prompt: str) -> str:
        while True:
            line = self.ask(prompt).strip()
            if line:
                return line
            self.refuse()


@lru_cache(maxsize=1 << 14)
def shape_of(line: str) -> str:
    """Return what lines share that say the same of different numbers, colors and cells.

    >>> shape_of('B: 12  W: 4'), shape_of('TURN: W'), shape_of('. B W'), shape_of('at [(1, 2)]')
    ('?: #  ?: #', 'TURN: ?', 'board', 'at [(#)]')
    """
    if set(line) <= set('BW. ') and line.strip():
        return 'board'
    numbers = re.sub(r'\d+([^\w\n]+\d+)*', '#', line)
    return re.sub(r'(?<![^\W_])[BW](?![^\W_])|(?<!\w)\.(?!\w)', '?', numbers)
