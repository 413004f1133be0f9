"""A session that follows a program: compared, while it is played, with what the program printed."""

from __future__ import annotations

import os.path
from dataclasses import dataclass

from .session import EndOfInput, Session

# What a variant of a game raises where a program like it would crash.
CRASHES = (ArithmeticError, LookupError, TypeError, ValueError)


class Departed(Exception):
    """The session prints something that the program did not."""


class Spoken(Session):
    """A session that keeps the line it is about to print: the first base of a variant.

    A line that is free is whatever the program has printed.
    """

    line = ''

    def say(self, line: str) -> None:
        self.line = line
        own, end, _ = self.upcoming().partition('\n')
        if line in self.left_free and end:
            self.write(own + end)
        else:
            super().say(line)


class Followed(Session):
    """A session that ends where the program departs from it: the last base of a variant."""

    heard = ''                              # all that the program printed
    at = 0                                  # how much of it has been followed
    due = ''                                # what the session prints and the program did not
    line: str

    def write(self, text: str) -> None:
        if not self.heard.startswith(text, self.at):
            self.due = text
            raise Departed
        self.at += len(text)
        super().write(text)

    def upcoming(self) -> str:
        return self.heard[self.at:]


@dataclass
class Match:
    """How far a session has followed a program."""

    session: Followed
    kind: str                               # whole, crashed, ended, departed
    position: int                           # how many characters of its output are as predicted
    is_over: bool = False                   # whether the session came to its end

    @property
    def step(self) -> int:
        """The index of the step in which the program departs from the session, or ends."""
        return len(self.session.texts) - 1

    @property
    def line(self) -> int:
        """The index of the line, in this step, from which it does."""
        return self.session.texts[-1].count('\n')


def variant(game: type[Session], *variants: type[Session]) -> type[Followed]:
    """Return a game that does otherwise what each of the variants does, and follows a program."""
    return type('Variant', (Spoken, *variants, game, Followed), {})


def follow(session: Followed, heard: str, status: int | None) -> Match:
    """Play a session along what a program printed; `status` is that of its end, None if stopped."""
    session.heard = heard
    is_ended = is_crashed = False
    try:
        session.play()
        is_ended = True
    except EndOfInput:                      # what a program does now is its own affair
        return Match(session, 'whole', len(heard))
    except Departed:
        pass
    except CRASHES:
        is_crashed = bool(status)
    rest = session.upcoming()
    if is_ended or is_crashed:
        return Match(session, 'departed' if rest else 'whole', session.at, is_ended)
    kind = 'departed'
    if session.due.startswith(rest):
        kind = 'ended' if status == 0 else 'crashed'
    return Match(session, kind, session.at + len(os.path.commonprefix([session.due, rest])))
