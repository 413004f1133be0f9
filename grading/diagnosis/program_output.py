"""What a program printed in a session, as it is heard: by the session's directives, and in a style.

A line that is right by a directive, such as `# ignore: case`, is heard as it is due. So it is no
fault, and what is wrong beside it is found as in a session that is compared byte for byte.
"""

from __future__ import annotations

import builtins
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Iterable, Iterator

from ..printable import decoded
from ..sessions.comparison import Item, TooSlow, folded, words_of
from ..sessions.difference import Difference, Observation
from ..sessions.expected_output import alignment_of
from ..sessions.transcript import Transcript
from .crash import error_of
from .protocol import prompts_in
from .style import Piece, Style

# What a variant of a game raises where a program like it would crash, and what that one may raise.
CRASHES = (ArithmeticError, LookupError, TypeError, ValueError)
LIKE = {LookupError: (LookupError, TypeError), ValueError: CRASHES}
MOST_HEARD = 1 << 17                    # characters of output that are followed
LITTLE_HEARD = 1 << 13                  # beside three times as much as is due
WORD = re.compile(r'[^\W\d_]+')
NUMBER = re.compile(r'\d+(?:\.\d+)?')


def as_due(transcript: Transcript, output: bytes) -> str:
    """Return an output with each line that is right by a directive as it is due."""
    if transcript.is_exact:
        return decoded(output)
    right = ''
    if not transcript.due_words:        # there the model of the game knows what is free
        alignment = alignment_of(transcript, *transcript.steps)
        alignment.take(output)
        accepted = alignment.accepted()
        right = ''.join(map(str, alignment.lines[:len(accepted)]))
        output = output[sum(map(len, accepted)):]
    return right + ''.join(Spelling(transcript).lines(decoded(output)))


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
    """A session with all that a program prints in it with all input at once."""

    transcript: Transcript
    output: str
    status: int | None = 0              # the exit status, negative for a signal; None: stopped
    error: str = ''                     # the name of the exception that ended it
    observed: Observation | None = None    # None where the program passes

    @classmethod
    def from_observed(cls, observed: Observation) -> Heard:
        """Return the session of a program that fails it."""
        most = min(MOST_HEARD, LITTLE_HEARD + 3 * len(observed.transcript.output))
        output = as_due(observed.transcript, observed.output[:most])
        error = error_of(observed.errors) if observed.status else ''
        return cls(observed.transcript, output, observed.status, error, observed)

    @property
    def difference(self) -> Difference | None:
        """The first difference, line by line."""
        return self.observed.difference if self.observed else None

    @property
    def known_step(self) -> int:
        """The index of the step whose output is known line by line, or -1."""
        difference = self.difference
        is_known = difference and difference.kind == 'differs' and difference.whole is None
        return difference.step if difference and is_known else -1

    @property
    def is_cut(self) -> bool:
        """Whether what the program printed after the first difference is not known."""
        return bool(self.observed and self.observed.is_cut)

    def position(self, start: int | None) -> int | None:
        """Return the position, in bytes of all that was printed, of an index in the output.

        It is not known where lines are heard as they are due.
        """
        is_known = start is not None and self.transcript.is_exact
        return len(self.output[:start].encode()) if is_known else None

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
        if self.difference and self.difference.kind == 'runs on':
            return self.status is not None      # at the end of its input
        return self.status is not None and not self.has_crashed


class Reading:
    """A session with a program's output, rewritten as the protocol has it."""

    def __init__(self, heard: Heard, style: Style) -> None:
        self.heard = heard
        self.style = style
        self.pieces = style.pieces(heard.output)
        self.text = text_of(self.pieces)
        self.printed = ''               # in the step of which it is known
        if heard.known_step >= 0 and heard.difference:
            self.printed = text_of(style.pieces(decoded(heard.difference.printed)))

    def start_of(self, index: int) -> int | None:
        """Return where in the output the line begins that an index of the text is in, if in any."""
        for piece in self.pieces:
            index -= len(text_of([piece]))
            if index < 0:
                return piece.start
        return None

    @cached_property
    def kinds(self) -> frozenset[str | None]:
        """The kinds of the lines that are due."""
        return frozenset(self.style.protocol.kind_of(line.text)
                         for step in self.heard.transcript.steps for line in step.printed)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the lines that are due."""
        return frozenset(words_of(line.text) for step in self.heard.transcript.steps
                         for line in step.printed)


def text_of(pieces: Iterable[Piece]) -> str:
    """Return lines of the protocol as one text."""
    return ''.join(piece.text + '\n' * piece.ends for piece in pieces)
