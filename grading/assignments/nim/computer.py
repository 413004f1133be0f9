"""What the Nim games against the computer share: questions, asked until they are answered."""

from __future__ import annotations

import random
import re
from typing import Collection, Container, Iterable

from ...diagnosis.model import GameModel

INTEGER = re.compile(r'[ \t]*[+-]?[0-9]+[ \t]*')


class AgainstComputer(GameModel):
    """A game against the computer, whose questions are asked until they are answered."""

    def __init__(self, lines: Iterable[str], arguments: Collection[str] = ()) -> None:
        super().__init__(lines, arguments)
        words = [*arguments]
        self.rng = random.Random(
            int(words[words.index('--seed') + 1]) if '--seed' in words else None)

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
