"""A session of no game: the transcript itself, read out, so that its printing can be varied."""

from __future__ import annotations

from typing import ClassVar, Collection, Iterable

from ..sessions.transcript import Step
from .follow import Heard
from .model import GameModel


class Script(GameModel):
    """What a transcript has before each input line: its last piece is a prompt if no line ends."""

    steps_of: ClassVar[dict[object, list[Step]]] = {}

    def __init__(self, lines: Iterable[str], arguments: Collection[str] = ()) -> None:
        inputs = tuple(lines)
        super().__init__(inputs)
        self.prompts = True
        self.steps = self.steps_of[inputs, tuple(arguments)]

    def play(self) -> None:
        for step in self.steps:
            prompt = ''
            for line in step.printed:
                if line.ends:
                    self.say(prompt + line.text)
                    prompt = ''
                else:
                    prompt += line.text
            if step.input is None:
                self.write(prompt)
            else:
                self.ask(prompt)


def scripted(sessions: list[Heard]) -> type[GameModel]:
    """Return the model of sessions that belong to no game."""
    return type('Script', (Script,), {'steps_of': {
        (tuple(heard.transcript.inputs), tuple(heard.transcript.arguments)): heard.transcript.steps
        for heard in sessions}})
