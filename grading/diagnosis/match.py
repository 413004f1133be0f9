"""Measures how much of a program's output a model of the game explains.

The model plays the session, and each of its lines is looked for in the program's output. In this
example, the style of the program is to print its own line "Welcome!", and "Turn" instead of "TURN":

    the model prints    the program printed

                        Welcome!               skipped: the program's own line
    FULL                FULL
    TURN: B             Turn: B
    B: 3  W: 1          Turn: W                here the program departs from the model
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..games.model import EndOfInput, GameModel, Output, Variant
from ..printable import common_length
from ..sessions.comparison import words_of
from .observed import CRASHES, MAX_FOLLOWED, ObservedSession
from .printing import LONGEST
from .protocol import shape_of
from .style import Style

AHEAD = 1 << 13  # how far a model may look ahead in the output, in characters

Variants = tuple[Variant, ...]
ModelEnd = Literal[  # how a model ends that follows a program
    'over',  # the game is over
    'input',  # the model asks for more input than there is
    'crash',  # the model crashes as the program did
    'departs',  # the program departs from the model
]


class Departure(Exception):
    """Stops a model: the program's output differs from what the model prints."""


class FollowedOutput(Output):
    """A program's output that a model follows, up to where the program departs from the model.

    In each turn, the output has to match the model's, allowing for the program's style. Where the
    assignment leaves the wording of a line to the program, the model copies the program's lines
    instead. The model omits the lines the style omits. It omits all prompts if the program has its
    own prompts, or if the session allows any prompts.
    """

    def __init__(self, observed: ObservedSession, style: Style) -> None:
        super().__init__()
        self.observed = observed
        self.style = style
        self.at = 0  # how many characters of the output have been followed
        self.free_from = -1  # the beginning of free text up to `at`, or -1 if there is none
        # How many characters match the model's text. The program's own lines and prompts do not
        # count. Where the program departs, the matching beginning of the model's text counts.
        self.followed = 0
        self.has_omitted = False  # whether the model has omitted its latest line

    def should_print(self, line: str, game: GameModel) -> bool:
        if game.is_left_free(line):
            self._copy_free_text(game)
            return False
        self.has_omitted = self.style.omits(line)
        return not self.has_omitted

    def should_prompt(self) -> bool:
        return not (self.style.has_own_prompts or self.observed.transcript.has_free_prompts)

    def end_turn(self) -> None:
        super().end_turn()
        ended_turn = len(self.texts) - 2
        end = self.observed.turn_ends.get(ended_turn, 0)
        if self.at < end:  # skip the program's own lines
            self.at, _ = self.style.find('', self.observed, self.at, end)
        if self.at < end:  # the program printed more before it read the next line
            self.texts.pop()
            raise Departure

    def write(self, text: str) -> None:
        if not text:
            return
        limit = self.observed.limits.get(len(self.texts) - 1, len(self.observed.text))
        at, end = self.style.find(text, self.observed, self.at, limit)
        if end < 0:
            # If only own lines are left, the program departs before these lines.
            if at < limit:
                self.at = at
            self.unmatched = text
            self.followed += common_length(text, self.upcoming())
            raise Departure
        self.at, self.free_from = end, -1
        self.followed += end - at
        self.texts[-1] += text

    def _copy_free_text(self, game: GameModel) -> None:
        """Let the model print the next lines of the output, as long as they are free text."""
        limit = self.observed.limits.get(len(self.texts) - 1)
        begin = self.settled
        while True:
            line, newline, _ = self.observed.text[self.at : limit].partition('\n')
            if not newline or not self._may_be_free_text(line, game):
                break
            game.write(line + newline)
        self.free_from = begin if self.at > begin else -1

    @property
    def settled(self) -> int:
        """How many characters have been followed, not counting free text at the end."""
        return self.at if self.free_from < 0 else self.free_from

    def _may_be_free_text(self, line: str, game: GameModel) -> bool:
        """Return whether a line is neither a known prompt nor an expected line of the session.

        If the program omits newlines, an expected line may be joined with the text after it. Such a
        line is not free text, either.
        """
        if not self.style.has_own_prompts and self.style.prompt_in(line):
            return False
        if game.is_left_free(line):
            return True
        beginnings = [
            line[: found.start()]
            for separator in filter(None, self.style.separators.values())
            for found in re.finditer(re.escape(separator), line[:LONGEST])
        ]
        return self.observed.words.isdisjoint(map(words_of, [line, *beginnings]))

    def upcoming(self, in_turn: bool = False) -> str:
        """Return what the program prints next, in this turn (if `in_turn`) or in any turn.

        Skip the program's own lines and prompts, and return at most `AHEAD` characters.
        """
        end = len(self.observed.text)
        if in_turn:
            end = self.observed.turn_ends.get(len(self.texts) - 1, end)
        at, _ = self.style.find('', self.observed, self.at, end)
        return self.observed.text[at : min(end, at + AHEAD)]


@dataclass
class Match:
    """How much of a program's session a model of the game explains."""

    game: GameModel  # the model, played as far as it could follow the program
    output: FollowedOutput
    end: ModelEnd
    is_whole: bool  # whether the model explains everything known about the program's session

    @property
    def position(self) -> int:
        """How many characters the model explains; if `is_whole`, all of the output."""
        return len(self.output.observed.text) if self.is_whole else self.output.followed

    @property
    def step(self) -> int:
        """The index of the step where the program departs from the model, or the model ends."""
        return len(self.output.texts) - 1

    @property
    def upcoming(self) -> str:
        """The program's line where it departs, or `''` if there is none."""
        return self.output.upcoming().partition('\n')[0]

    @property
    def is_at_end(self) -> bool:
        """Whether the program departs from the model by printing nothing more."""
        return not self.is_whole and not self.output.upcoming()

    @property
    def symptom(self) -> tuple[str, str, str]:
        """How the program departs: the shapes (`shape_of`) of the model's line and the program's.

        If the program prints nothing more, the exception that ended it is part of the symptom.
        """
        error = self.output.observed.error if self.is_at_end else ''
        return shape_of(self.output.unmatched.rstrip('\n')), shape_of(self.upcoming), error

    @property
    def share(self) -> float:
        """The explained share of the session, from 0 to 1."""
        return 1 if self.is_whole else self.position / (len(self.output.observed.text) + 1)

    @property
    def lines(self) -> int:
        """The number of the model's lines found in the program's output."""
        return sum(text.count('\n') for text in self.output.texts)

    @property
    def reach(self) -> tuple[bool, int]:
        """A sort key: whether the whole session is explained, then how much output is explained."""
        return self.is_whole, self.position

    @property
    def complete_steps(self) -> int:
        """The number of fully explained steps.

        If the whole session is explained, the program did not crash, and all of its output is
        known, the number is `MAX_FOLLOWED`, more than any session has.
        """
        is_complete = self.is_whole and self.end != 'crash' and not self.output.observed.is_cut
        return MAX_FOLLOWED if is_complete else self.step


def follow(
    game: type[GameModel], variants: Sequence[Variant], observed: ObservedSession, style: Style
) -> Match:
    """Let a model of the game, changed by variants, follow a program's output."""
    output = FollowedOutput(observed, style)
    model = game(observed.transcript.inputs, observed.transcript.arguments, variants, output)
    end: ModelEnd = 'departs'
    try:
        model.play()
        end = 'over'
    except EndOfInput:
        end = 'input'
    except Departure:
        pass
    except CRASHES as error:
        end = 'crash' if observed.has_crashed_like(error) else 'departs'
    return Match(model, output, end, is_explained(output, end))


def is_explained(output: FollowedOutput, end: ModelEnd) -> bool:
    """Return whether a model that ends so explains everything known about a program's session."""
    observed = output.observed
    # If the model stops at the end of the input, only the output of that turn counts, because the
    # protocol does not say what a program does at the end of its input.
    rest = output.upcoming(in_turn=end == 'input')
    # If the output is cut off, the model need not explain more than its known part.
    if observed.is_cut and output.unmatched.startswith(rest):
        return True
    if end == 'input':
        # If the program did not end by itself, and printed nothing in the last two turns, it may
        # have hung before it read the last line.
        may_hang_earlier = not observed.has_ended and not ''.join(output.texts[-2:])
        return '\n' not in rest and not may_hang_earlier
    if end == 'over':
        # If a program asks for more input, it may not have reached a last line it seems to omit.
        may_lack_last_line = output.has_omitted and observed.error == 'EOFError'
        return observed.has_ended and not may_lack_last_line and not rest
    return end == 'crash' and not rest
