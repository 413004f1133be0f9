"""A session of a console program, played in this process: what it reads, what it prints."""

from __future__ import annotations

from typing import Collection, Iterable


class EndOfInput(Exception):
    """The session wants another line, and there is none."""


class GameModel:
    """Input lines, and what is printed: `texts`, before each line that is read, and after the last.

    `arguments` are those of the program's command line.

    A game is a subclass whose `play` reads by `ask` and prints by `say`. Each decision of a game
    is a method of its own, so that a subclass can make it otherwise.
    """

    def __init__(self, lines: Iterable[str], arguments: Collection[str] = ()) -> None:
        self.lines = iter(lines)
        self.prompts = '--prompts' in arguments
        self.texts = ['']

    @classmethod
    def is_left_free(cls, line: str) -> bool:
        """Return whether an assignment leaves a line to the program: others, or none, will do."""
        return False

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
