"""What a program printed in a session, turn by turn, for the models of a game."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from ..printable import decoded
from ..sessions.comparison import words_of
from ..sessions.transcript import EXACT, Transcript
from ..sessions.verdict import Played
from .crash import error_of

# What a variant of a game raises where a program like it would crash, and what that one may raise.
CRASHES = (ArithmeticError, LookupError, TypeError, ValueError)
LIKE = {LookupError: (LookupError, TypeError), ValueError: CRASHES}
MOST_HEARD = 1 << 17                    # characters of output that are followed
LITTLE_HEARD = 1 << 13                  # beside three times as much as is due


@dataclass(eq=False)
class Heard:
    """A session with all that a program prints in it, turn by turn."""

    transcript: Transcript
    turns: list[str]
    is_joined: bool = False             # whether nobody knows what came in which turn
    status: int | None = 0              # the exit status, negative for a signal; None: stopped
    error: str = ''                     # the name of the exception that ended it
    played: Played | None = None        # None where the program passes

    @classmethod
    def from_played(cls, played: Played) -> Heard:
        """Return the session of a program that fails it."""
        session, dialogue, wrong = played.session, played.dialogue, played.failure
        whole = session.line_by_line
        turns = [decoded(turn.printed) for turn in dialogue.turns]
        left = min(MOST_HEARD, LITTLE_HEARD + 3 * len(whole.output))
        for number, text in enumerate(turns):
            turns[number] = text[:max(0, left)]
            left -= len(text)
        # Output comes late if what was due came after more input, or all of it at the end.
        *later, last = turns[wrong.turn:]
        is_late = wrong.comes_late or (
            wrong.kind == 'silent' and len(later) > 1 and not any(later[1:]) and bool(last))
        error = error_of(dialogue.errors) if dialogue.status else ''
        return cls(whole, turns, bool(session.in_turns) or whole.reads_all_first or is_late,
                   dialogue.status, error, played)

    @cached_property
    def text(self) -> str:
        """All that the program prints."""
        return ''.join(self.turns)

    @cached_property
    def ends(self) -> dict[int, int]:
        """Where each turn but the last one ends in the text, if it is known what came in it."""
        return dict(enumerate([] if self.is_joined else [*accumulate(map(len, self.turns))][:-1]))

    def limit(self, turn: int) -> int:
        """Return where what is due in a turn ends at most.

        Where nothing is due, the next line is typed at once, unless the program was seen to wait.
        """
        steps, played = self.transcript.steps, self.played
        while (played and turn < min(len(self.turns), len(steps)) - 1 and not self.turns[turn]
               and not steps[turn].printed and not played.dialogue.turns[turn].was_waiting):
            turn += 1
        return self.ends.get(turn, len(self.text))

    @cached_property
    def is_open(self) -> bool:
        """Whether any lines may come somewhere in the session."""
        return any(step.is_open or any(line.skips for line in step.printed)
                   for step in self.transcript.steps)

    @cached_property
    def is_exact(self) -> bool:
        """Whether lines are compared byte for byte, and nothing may come before them."""
        return self.transcript.rules == EXACT and not (
            self.transcript.has_free_prompts or self.is_open)

    def passes_line(self, line: str) -> bool:
        """Return whether a line may come although it is not due."""
        return self.is_open or (self.transcript.rules.ignores_blanks and not line.strip())

    def line_at(self, index: int, most: int) -> str:
        """Return the line that begins at an index of the text, up to another one."""
        end = self.text.find('\n', index, most)
        return self.text[index:most if end < 0 else end]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the lines that are due."""
        return frozenset(words_of(line.text) for step in self.transcript.steps
                         for line in step.printed)

    @property
    def failed(self) -> Played:
        """The session, where the program fails it."""
        assert self.played
        return self.played

    @property
    def is_cut(self) -> bool:
        """Whether what the program printed after the first difference is not known."""
        return self.played is not None and self.played.dialogue.end in ('cut', 'output')

    @property
    def has_crashed(self) -> bool:
        """Whether the program ended by a signal, or with an error other than the end of input."""
        return self.error not in ('', 'EOFError') or (self.status or 0) < 0

    def has_crashed_like(self, error: Exception) -> bool:
        """Whether the program ended with an error that the model may have, too."""
        of_program = getattr(builtins, self.error, None)        # if it is Python's own
        if not isinstance(of_program, type):
            return bool(self.status)
        return any(isinstance(error, of_game) and issubclass(of_program, like)
                   for of_game, like in LIKE.items())

    @property
    def has_ended(self) -> bool:
        """Whether the program ended by itself, with any exit status."""
        if self.played and self.played.failure.kind == 'runs on':
            return self.status is not None      # at the end of its input
        return self.status is not None and not self.has_crashed
