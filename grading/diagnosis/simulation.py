"""A session of a game, played with a set of faults along what a program printed."""

from __future__ import annotations

import os.path
from dataclasses import dataclass
from typing import Callable, Tuple, Type

from ..sessions.comparison import words_of
from .fault_models import EndOfInput, GameModel
from .protocol import CRASHES, MOST_HEARD, Heard
from .style import NO_NEWLINE, Style

AHEAD = 1 << 13                         # characters that a session looks ahead

Variants = Tuple[Type[GameModel], ...]


class Departed(Exception):
    """Raised when the model prints something that the program did not print."""


class Spoken(GameModel):
    """A session as a program prints it: the first base of a variant.

    Where the assignment leaves lines to the program, it prints what the program printed. It omits
    lines that the program omits, and prompts if the program has its own.
    """

    heard: Heard
    style: Style
    write_own: Callable[[], None]       # see Followed

    def say(self, line: str) -> None:
        if self.is_left_free(line):
            self.write_own()
        elif not self.style.omits(line):
            super().say(line)

    def prompted(self, prompt: str) -> str:
        is_own = self.style.has_own_prompts or self.heard.transcript.has_free_prompts
        return '' if is_own else super().prompted(prompt)


class Followed(GameModel):
    """A session that ends where the program departs from it: the last base of a variant.

    What a turn prints must have been printed in that turn in the program's style, and nothing else.
    """

    at = 0                                  # how much of the output has been followed
    followed = 0                            # how many characters of it are as due
    heard: Heard
    style: Style

    def ask(self, prompt: str) -> str:
        line = super().ask(prompt)
        end = self.heard.ends.get(len(self.texts) - 2, 0)
        self.at, _ = self.style.find('', self.heard, self.at, end)
        if self.at < end:
            self.texts.pop()
            raise Departed              # the program printed more before it read
        return line

    def write(self, text: str) -> None:
        if text:
            most = self.heard.limit(len(self.texts) - 1)
            at, end = self.style.find(text, self.heard, self.at, most)
            if end < 0:
                self.at, self.due = at if at < most else self.at, text
                self.followed += len(os.path.commonprefix([text, self.upcoming()]))
                raise Departed
            self.at = end
            self.followed += end - at
            self.texts[-1] += text

    def write_own(self) -> None:
        """Print the program's own lines, up to one of the protocol or a prompt that is due.

        A line of the protocol may also be the first of several that are printed as one.
        """
        last, ends = self.heard.ends.get(len(self.texts) - 1), self.style.of(NO_NEWLINE).values()
        own, newline, _ = self.heard.text[self.at:last].partition('\n')
        while newline and (self.style.has_own_prompts or not self.style.prompt_in(own)) and (
                self.is_left_free(own) or self.heard.words.isdisjoint(
                    words_of(own.partition(end)[0]) for end in ('\n', *ends) if end)):
            self.write(own + newline)
            own, newline, _ = self.heard.text[self.at:last].partition('\n')

    def upcoming(self) -> str:
        at, _ = self.style.find('', self.heard, self.at, len(self.heard.text))
        return self.heard.text[at:at + AHEAD]


@dataclass
class Match:
    """How far a model of the game explains a program's session."""

    session: Followed
    is_whole: bool                          # whether it explains all that the program did
    position: int                           # how many characters of its output are as predicted
    is_over: bool = False                   # whether the session came to its end
    is_crash: bool = False                  # whether it explains a crash

    @property
    def step(self) -> int:
        """The index of the step in which the program departs from the model, or ends."""
        return len(self.session.texts) - 1

    @property
    def upcoming(self) -> str:
        """The program's next line there, `''` if it printed no more."""
        return self.session.upcoming().partition('\n')[0]

    @property
    def part(self) -> float:
        """How much of the session is explained: 1 is all."""
        return 1 if self.is_whole else self.position / (len(self.session.heard.text) + 1)

    @property
    def lines(self) -> tuple[bool, int]:
        """How many lines are explained."""
        return self.is_whole, sum(text.count('\n') for text in self.session.texts)

    @property
    def reach(self) -> tuple[bool, int]:
        """How far the session is explained; more is greater."""
        return self.is_whole, self.position

    @property
    def steps(self) -> int:
        """The number of steps that are explained to their end."""
        is_known = self.is_whole and not self.is_crash and not self.session.heard.is_cut
        return MOST_HEARD if is_known else self.step


def follow(played: type[Followed], heard: Heard, style: Style) -> Match:
    """Play a model of the game along a program's output."""
    session = played(heard.transcript.inputs, heard.transcript.arguments)
    session.heard, session.style = heard, style
    end = ''                            # how the model comes to its end, '' where it departs
    try:
        session.play()
        end = 'over'
    except EndOfInput:
        end = 'input'
    except Departed:
        pass
    except CRASHES as error:
        end = 'crash' if heard.has_crashed_like(error) else ''
    rest = session.upcoming()
    is_silent = not heard.has_ended and not ''.join(session.texts[-2:])
    # What the program does at the end of its input is its own affair.
    if (heard.is_cut and session.due.startswith(rest)) or (
            end == 'input' and '\n' not in rest and not is_silent):
        return Match(session, True, len(heard.text))
    is_whole = not rest and (end == 'crash' or (end == 'over' and heard.has_ended))
    return Match(session, is_whole, len(heard.text) if is_whole else session.followed,
                 end == 'over', end == 'crash')


def variant(game: type[GameModel], variants: Variants) -> type[Followed]:
    """Return a class that combines variants, and follows a program."""
    return type('Variant', (Spoken, *variants, game, Followed), {})
