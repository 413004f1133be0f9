"""What a program printed in a session, as it is heard by the session's directives.

A line that is right by a directive, such as `# ignore: case`, is heard as it is due. So it is no
fault, and what is wrong beside it is found as in a session that is compared byte for byte.
"""

from __future__ import annotations

import builtins
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, zip_longest
from typing import Iterator, Sequence

from ..printable import decoded
from ..sessions.comparison import Item, TooSlow, folded, words_of
from ..sessions.transcript import Transcript
from ..sessions.verdict import Played, Turn
from .crash import error_of
from .protocol import prompts_in

# What a variant of a game raises where a program like it would crash, and what that one may raise.
CRASHES = (ArithmeticError, LookupError, TypeError, ValueError)
LIKE = {LookupError: (LookupError, TypeError), ValueError: CRASHES}
MOST_HEARD = 1 << 17                    # characters of output that are followed
LITTLE_HEARD = 1 << 13                  # beside three times as much as is due
WORD = re.compile(r'[^\W\d_]+')
NUMBER = re.compile(r'\d+(?:\.\d+)?')


def turns_as_due(transcript: Transcript, turns: Sequence[Turn], right: int) -> list[str]:
    """Return what was printed in each turn, with each line that is right by a directive as due.

    The first turns, `right` in number, are right.
    """
    printed = [decoded(turn.printed) for turn in turns]
    if transcript.is_exact(transcript.steps):
        return printed
    spelling = Spelling(transcript)
    return [step.output if number < right and not transcript.due_words else
            ''.join(spelling.lines(text))
            for number, (text, step) in enumerate(zip_longest(printed, transcript.steps))
            if text is not None]


class Spelling:
    """How the lines of a session may be written, and how they are due."""

    def __init__(self, transcript: Transcript) -> None:
        self._rules = transcript.rules
        printed = [line for step in transcript.steps for line in step.printed
                   if line.rule != 'regex']
        lines = [line for line in printed if line.ends and line.rule == 'text']
        words = sorted({word for line in printed for word in WORD.findall(line.text)})
        self._words = {word.lower(): word for word in words} if self._rules.ignores_case else {}
        self._has_free_prompts = transcript.has_free_prompts
        self._skips = any(step.is_open or any(line.skips for line in step.printed)
                          for step in transcript.steps)
        self._dues = {line.text: Item([line], self._rules) for line in lines}
        self._forms = {self._form(line.text): line.text for line in lines}

    def _form(self, line: str) -> str:
        return NUMBER.sub('0', folded(line, self._rules))

    def lines(self, output: str) -> Iterator[str]:
        """Yield the lines of an output as they are due, without those that may come anywhere."""
        if self._words:
            output = WORD.sub(lambda word: self._words.get(word[0].lower(), word[0]), output)
        *lines, last = output.split('\n')
        for line in lines:
            spelled = self._spelled(line)
            if spelled is not None:
                yield spelled + '\n'
            elif not self._skips and (line.strip() or not self._rules.ignores_blanks):
                yield (prompts_in(line)[-1] if self._has_free_prompts else line) + '\n'
        if not self._has_free_prompts:
            yield last

    def _spelled(self, line: str) -> str | None:
        """Return a line as it is due, None if it is none that is due with any numbers."""
        if line in self._dues:
            return line
        with suppress(TooSlow):
            for text, due in self._dues.items():
                if text and due.is_met(line, self._has_free_prompts):
                    return text
        form = self._forms.get(self._form(line))
        if form is None:
            return None
        numbers = iter(NUMBER.findall(line))
        return NUMBER.sub(lambda _: next(numbers, ''), form)


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
        turns = turns_as_due(session, dialogue.turns, wrong.turn)
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
