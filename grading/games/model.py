"""A model of a game: a session that is played in this process."""

from __future__ import annotations

from collections.abc import Collection, Iterable


class EndOfInput(Exception):
    """Raised when a session reads one more line than there is."""


class GameModel:
    """A session that is played in this process, with the arguments of the program's command line.

    `texts` is what is printed before each input line that is read, and after the last. Where the
    model follows a program that prints something else, `due` is what the model prints there.

    A game is a subclass whose `play` reads by `ask` and prints by `say`. Each decision of a game
    is a method of its own, so that a subclass can make it differently.
    """

    due = ''

    def __init__(self, lines: Iterable[str], arguments: Collection[str] = ()) -> None:
        self.lines = iter(lines)
        self.prompts = '--prompts' in arguments
        self.texts = ['']

    @classmethod
    def is_left_free(cls, line: str) -> bool:
        """Return whether the program may print other lines, or none, in place of a line."""
        return False

    def play(self) -> None:
        """Play from the first line to the last. Raises `EndOfInput`."""
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
        """Return the text that asks for a line."""
        return prompt if self.prompts else ''

    def say(self, line: str) -> None:
        """Print a line of the protocol."""
        self.write(line + '\n')

    def write(self, text: str) -> None:
        """Print a text as it is."""
        self.texts[-1] += text

    def upcoming(self) -> str:
        """Return what the followed program prints next, `''` for nothing."""
        return ''
