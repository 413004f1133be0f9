"""A session that follows a program: compared, while it is played, with what the program printed."""

from __future__ import annotations

import builtins
import os.path
from dataclasses import dataclass
from functools import cached_property
from typing import Iterable

from ..printable import decoded
from ..sessions.difference import Difference, Observation
from ..sessions.transcript import Transcript
from .crash import crash_of, error_of
from .finding import Crash
from .model import EndOfInput, GameModel
from .protocol import shape_of

# What a variant of a game raises where a program like it would crash, and what that one may raise.
CRASHES = (ArithmeticError, LookupError, TypeError, ValueError)
LIKE = {LookupError: (LookupError, TypeError), ValueError: CRASHES}
AHEAD = 1 << 13                         # characters that a session looks ahead
MOST_HEARD = 1 << 17                    # characters of output that are followed


class Departed(Exception):
    """The session prints something that the program did not."""


@dataclass
class Heard:
    """A recorded session as a program plays it: all it prints when it gets all input at once."""

    transcript: Transcript
    text: str
    status: int | None = 0              # the exit status, negative for a signal; None: stopped
    error: str = ''                     # the name of the exception that ended it
    crash: Crash | None = None          # and where, if that is known
    observed: Observation | None = None    # None where the program passes

    @classmethod
    def from_observed(cls, observed: Observation) -> Heard:
        """Return what a program printed that fails."""
        heard = cls(observed.transcript, decoded(observed.output[:MOST_HEARD]), observed.status,
                    observed=observed)
        if observed.status:
            heard.error = error_of(observed.errors)
            heard.crash = crash_of(observed.errors, observed.difference.folder)
        return heard

    @cached_property
    def printed(self) -> str:
        """What was printed in the step of the difference, line by line."""
        return decoded(self.difference.printed) if self.difference else ''

    @cached_property
    def shapes(self) -> frozenset[str]:
        """The shapes of the lines that are due."""
        return frozenset(shape_of(line.text) for step in self.transcript.steps
                         for line in step.printed)

    @property
    def difference(self) -> Difference | None:
        """How the program first departs from it, line by line."""
        return self.observed.difference if self.observed else None

    @property
    def has_crashed(self) -> bool:
        """Whether the program ended with an error, and not only for want of input."""
        return self.error not in ('', 'EOFError')

    def has_crashed_like(self, error: Exception) -> bool:
        """Whether the program ended with an error that may be the one of a game like it."""
        of_program = getattr(builtins, self.error, None)        # if it is Python's own
        if not isinstance(of_program, type):
            return bool(self.status)
        return any(isinstance(error, of_game) and issubclass(of_program, like)
                   for of_game, like in LIKE.items())

    @property
    def has_ended(self) -> bool:
        """Whether the program came to an end of its own, with whatever exit status."""
        if self.difference and self.difference.kind == 'runs on':
            return self.status is not None      # at the end of its input
        return self.status is not None and self.status >= 0 and not self.has_crashed


class Spoken(GameModel):
    """A session that keeps the line it is about to print: the first base of a variant.

    A line that is free is whatever the program has printed.
    """

    line = ''

    def say(self, line: str) -> None:
        self.line = line
        own, end, _ = self.upcoming().partition('\n') if line in self.left_free else ('', '', '')
        if end:
            self.write(own + end)
        else:
            super().say(line)


class Followed(GameModel):
    """A session that ends where the program departs from it: the last base of a variant."""

    heard = ''                              # all that the program printed
    at = 0                                  # how much of it has been followed
    due = ''                                # what the session prints and the program did not
    line: str
    known_step = -1                         # of which it is known what was printed before a read:
    printed = ''                            # this, as far as it had come
    shapes: frozenset[str] = frozenset()    # the shapes of the session's lines
    began = 0                               # how much had been followed when the step began

    def ask(self, prompt: str) -> str:
        if len(self.texts) - 1 == self.known_step and self.prints_more():
            raise Departed
        line = super().ask(prompt)
        self.began = self.at
        return line

    def prints_more(self) -> bool:
        """Return whether the program printed one more line of the protocol before it read."""
        line, end, _ = self.printed[self.at - self.began:].partition('\n')
        return bool(end) and shape_of(line) in self.shapes

    def write(self, text: str) -> None:
        if not self.heard.startswith(text, self.at):
            self.due = text
            raise Departed
        self.at += len(text)
        super().write(text)

    def upcoming(self) -> str:
        return self.heard[self.at:self.at + AHEAD]


@dataclass
class Match:
    """How far a session has followed a program."""

    session: Followed
    is_whole: bool                          # whether it explains all that the program did
    position: int                           # how many characters of its output are as predicted
    is_over: bool = False                   # whether the session came to its end
    is_crash: bool = False                  # whether it explains a crash

    @property
    def step(self) -> int:
        """The index of the step in which the program departs from the session, or ends."""
        return len(self.session.texts) - 1

    @property
    def line(self) -> int:
        """The index of the line, in this step, from which it does."""
        return self.session.texts[-1].count('\n')

    @property
    def upcoming(self) -> str:
        """The line that the program printed there, `''` where it printed no more."""
        return self.session.upcoming().partition('\n')[0]

    @property
    def reach(self) -> tuple[bool, int]:
        """How much is explained: more is greater."""
        return self.is_whole, self.position

    @property
    def steps(self) -> int:
        """The number of steps whose output is explained to its end; all are many."""
        return MOST_HEARD if self.is_whole and not self.is_crash else self.step


def variant(game: type[GameModel], variants: Iterable[type[GameModel]]) -> type[Followed]:
    """Return a game that does otherwise what each of the variants does, and follows a program."""
    return type('Variant', (Spoken, *variants, game, Followed), {})


def follow(played: type[Followed], heard: Heard) -> Match:
    """Play a session along what a program printed."""
    session = played(heard.transcript.inputs, heard.transcript.arguments)
    session.heard = heard.text
    difference = heard.difference
    if difference and difference.kind == 'differs' and difference.whole is None:    # in turns
        session.known_step, session.printed = difference.step, heard.printed
        session.shapes = heard.shapes
    is_ended = is_cut = is_crash = False
    try:
        session.play()
        is_ended = True
    except EndOfInput:
        is_cut = True
    except Departed:
        pass
    except CRASHES as error:
        is_crash = heard.has_crashed_like(error)
    rest = session.upcoming()
    is_silent = (heard.has_crashed or heard.status is None) and not ''.join(session.texts[-2:])
    if is_cut and '\n' not in rest and not is_silent:       # what it does now is its own affair
        return Match(session, True, len(heard.text))
    if is_cut or is_ended or is_crash:
        is_whole = not rest and (is_crash or (is_ended and heard.has_ended))
        return Match(session, is_whole, session.at, is_ended, is_crash)
    return Match(session, False, session.at + len(os.path.commonprefix([session.due, rest])))
