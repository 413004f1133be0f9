"""The lines that are due in sessions of any game, and what a program printed in one."""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from ..differences import NUMBER
from ..printable import decoded
from ..sessions.comparison import plain_words, words_of
from ..sessions.session import EXACT, Session
from ..sessions.verdict import Played
from .crash import error_of

TOKEN = re.compile(r'[^\W\d_]+|\d+|[ ]+|.')
VALUE = re.compile(r'(?<!\S)-?\d+|\d+|(?<![^\W_])[A-Z](?![^\W_])')
SLOT = '\0'  # stands for a value that is the same in both
ROW, NUMBERS = 'row', 'numbers'  # kinds of lines that are alike from end to end
# What a variant of a game raises where a program like it would crash, and what that one may raise.
CRASHES = (ArithmeticError, LookupError, TypeError, ValueError)
LIKE = {LookupError: (LookupError, TypeError), ValueError: CRASHES}
MOST_HEARD = 1 << 17  # characters of output that are followed
LITTLE_HEARD = 1 << 13  # beside three times as much as is due


class Form(NamedTuple):
    """The text before, between and behind the cells of lines of a kind."""

    kind: str
    lead: str
    gap: str
    trail: str
    blank: str = ''  # the cell for which a blank stands, if one does

    def row_of(self, cells: Iterable[str]) -> str:
        """Return cells in this form.

        >>> Form(ROW, '[', '][', ']', '.').row_of('B.W')
        '[B][ ][W]'
        """
        return (
            self.lead
            + self.gap.join(' ' if cell == self.blank else cell for cell in cells)
            + self.trail
        )


class Wording(NamedTuple):
    """A line as it is due and as it is printed, with slots for the values that are in both."""

    due: str
    printed: str

    def written(self, line: str) -> str | None:
        """Return a line that is due as it is printed, None for any other line.

        >>> Wording('B: \\0  W: \\0', 'Black \\0, White \\0').written('B: 3  W: 4')
        'Black 3, White 4'
        """
        pattern = f'({VALUE.pattern})'.join(map(re.escape, self.due.split(SLOT)))
        found = re.fullmatch(pattern, line)
        return filled(self.printed, found.groups()) if found else None


@lru_cache(maxsize=1 << 14)
def shape_of(line: str) -> str:
    """Return a key that is the same for lines that differ only in numbers, signs and cells.

    >>> shape_of('B: 12  W: 4'), shape_of('TURN: W'), shape_of('. B W'), shape_of('at [(1, 2)]')
    ('?: #  ?: #', 'TURN: ?', 'row', 'at [(#)]')
    """
    if line.strip() and is_row(line):
        return ROW
    numbers = re.sub(r'\d+([^\w\n]+\d+)*', '#', line)
    return re.sub(r'(?<![^\W_])[A-Z](?![^\W_])|(?<!\w)\.(?!\w)', '?', numbers)


def is_row(line: str) -> bool:
    """Return whether a line is a row of signs, such as a row of a board.

    >>> is_row('. B W .'), is_row('VALID'), is_row('3 1')
    (True, False, False)
    """
    return all(len(part) == 1 and not part.isdigit() for part in line.split())


def template_of(line: str) -> str:
    """Return a line with `#` for each number and `?` for each capital letter that stands alone.

    >>> template_of('B: 12  W: 4'), template_of('TURN: W')
    ('?: #  ?: #', 'TURN: ?')
    """
    return VALUE.sub(lambda value: '?' if value[0].isalpha() else '#', line)


def signs_in(line: str) -> list[str]:
    """Return the signs in a row: the parts between blanks, or each character.

    >>> signs_in('_ X O'), signs_in('_XO')
    (['_', 'X', 'O'], ['_', 'X', 'O'])
    """
    words = line.split()
    return words if all(len(word) == 1 for word in words) else [*line.replace(' ', '')]


def pattern_of(text: str) -> str:
    """Return a regular expression for a text with any other values.

    >>> re.fullmatch(pattern_of('Row 1 of B: '), 'Row 12 of W: ')[0]
    'Row 12 of W: '
    """
    template = re.escape(template_of(text))
    return template.replace(r'\#', r'-?\d+').replace(r'\?', '[A-Z?]')


def prompts_in(text: str) -> list[str]:
    """Return the prompts in a text that came while several lines were read.

    >>> prompts_in('First? Second: ')
    ['First? ', 'Second: ']
    """
    return re.split(r'(?<=[:?>] )(?=[^\W\d_])', text)


def filled(text: str, values: Iterable[str]) -> str:
    """Return a text with values in its slots."""
    left = iter(values)
    first, *rest = text.split(SLOT)
    return first + ''.join(next(left, '') + part for part in rest)


def wording_of(due: str, printed: str) -> Wording | None:
    """Return how a line that is due is printed, with a slot for each value that is printed.

    Return None where neither the values are the same nor their number.

    >>> wording_of('B: 3  W: 4', 'Black 3') == ('B: \\0  W: 4', 'Black \\0')
    True
    """
    own, values = VALUE.sub(SLOT, printed), VALUE.findall(printed)
    target, start = '', 0
    for value in VALUE.finditer(due):
        if values and value[0] == values[0]:
            target += due[start : value.start()] + SLOT
            start = value.end()
            del values[0]
    if not values:
        return Wording(target + due[start:], own)
    signs = [[value[0].isalpha() for value in VALUE.finditer(line)] for line in (due, printed)]
    # The values are the game's.
    return Wording(VALUE.sub(SLOT, due), own) if signs[0] == signs[1] else None


def is_spaced(due: str, printed: str) -> bool:
    """Return whether two lines differ only in the text between words and values."""
    said, own = (
        [part for part in TOKEN.findall(line) if part.isalnum()] for line in (due, printed)
    )
    return ''.join(due.split()) == ''.join(printed.split()) or (
        bool(VALUE.search(due)) and said == own
    )


class Protocol:
    """The lines that are due in some sessions: their kinds, and the form of each.

    Prompts are lines, too.
    """

    def __init__(
        self, lines: Collection[str], prompts: Collection[str] = (), typed: Iterable[str] = ()
    ) -> None:
        self.prompts = sorted(prompts)
        self.typed = {word for line in typed for word in plain_words(line)}
        self.bare = Protocol(lines) if prompts else self  # without prompts
        rows = [line.split() for line in lines if is_row(line)]
        self.cells = frozenset(cell for row in rows if len(row) > 1 for cell in row)
        self._cell = {NUMBERS: NUMBER}
        if self.cells:
            self._cell[ROW] = re.compile(f'[{re.escape("".join(sorted(self.cells)))}]')
        self.forms: dict[str, Form] = {}  # of the lines that are due, by kind
        self.templates: dict[str, str] = {}  # an example of each
        self._kinds: dict[str, str | None] = {}
        for line in sorted(lines):
            form = self.form_of(line)
            if not form or self.forms.setdefault(form.kind, form) != form:
                self.templates.setdefault(template_of(line), line)
        self.templates.update((template_of(prompt), prompt) for prompt in self.prompts)

    @classmethod
    def of(cls, transcripts: Sequence[Session]) -> Protocol:
        """Return the protocol of some sessions."""
        printed = [
            line for transcript in transcripts for step in transcript.steps for line in step.printed
        ]
        return cls(
            {line.text for line in printed if line.ends},
            {line.text for line in printed if line.text and not line.ends},
            (line for transcript in transcripts for line in transcript.inputs),
        )

    def form_of(self, line: str) -> Form | None:
        """Return the form of a row, None for any other line."""
        for kind, cell in self._cell.items():
            parts = cell.split(line)
            if len({*parts[1:-1]}) == 1 and not any(map(str.isalnum, ''.join(parts))):
                return Form(kind, parts[0], parts[1], parts[-1])
        return None

    def are_typed(self, line: str, other: str) -> bool:
        """Return whether two lines differ only in words that are typed in some session."""
        words = {*plain_words(line)} ^ {*plain_words(other)}
        words = {word for word in words if word.isalpha() and len(word) > 1}
        return bool(words) and words <= self.typed

    def cells_of(self, kind: str, line: str) -> list[str]:
        """Return the cells of a line of a kind."""
        return self._cell[kind].findall(line)

    def kind_of(self, line: str) -> str | None:
        """Return the kind of a line of the protocol, None for any other line."""
        if line not in self._kinds:
            form, template = self.form_of(line), template_of(line)
            if form and self.forms.get(form.kind) == form:
                self._kinds[line] = form.kind
            else:
                self._kinds[line] = template if template in self.templates else None
        return self._kinds[line]

    def has(self, line: str) -> bool:
        """Return whether a line, with other values, belongs to the protocol."""
        return self.kind_of(line) is not None


@dataclass(eq=False)
class Heard:
    """A session with all that a program prints in it, turn by turn."""

    transcript: Session
    turns: list[str]
    is_joined: bool = False  # whether nobody knows what came in which turn
    status: int | None = 0  # the exit status, negative for a signal; None: stopped
    error: str = ''  # the name of the exception that ended it
    played: Played | None = None  # None where the program passes

    @classmethod
    def from_played(cls, played: Played) -> Heard:
        """Return the session of a program that fails it."""
        session, dialogue, wrong = played.session, played.dialogue, played.failure
        whole = session.line_by_line
        turns = [decoded(turn.printed) for turn in dialogue.turns]
        left = min(MOST_HEARD, LITTLE_HEARD + 3 * len(whole.output))
        for number, text in enumerate(turns):
            turns[number] = text[: max(0, left)]
            left -= len(text)
        # Output comes late if what was due came after more input, or all of it at the end.
        *later, last = turns[wrong.turn :]
        is_late = wrong.comes_late or (
            wrong.kind == 'silent' and len(later) > 1 and not any(later[1:]) and bool(last)
        )
        error = error_of(dialogue.errors) if dialogue.status else ''
        return cls(
            whole,
            turns,
            bool(session.in_turns) or whole.run.reads_all_first or is_late,
            dialogue.status,
            error,
            played,
        )

    @cached_property
    def text(self) -> str:
        """All that the program prints."""
        return ''.join(self.turns)

    @cached_property
    def ends(self) -> dict[int, int]:
        """Where each turn but the last one ends in the text, if it is known what came in it."""
        return dict(enumerate([] if self.is_joined else [*accumulate(map(len, self.turns))][:-1]))

    @cached_property
    def limits(self) -> dict[int, int]:
        """Where what comes in a turn ends at most, for each turn but the last one.

        When all that is due has come, the next line is typed at once, without a look whether the
        program waits. What it prints besides may be heard in the first turn behind that in which it
        was seen to wait, or has ended.
        """
        limits = {**self.ends}
        heard = self.played.dialogue.turns if self.played else []
        for number, (turn, later) in reversed([*enumerate(pairwise(heard))]):
            if not turn.was_waiting and (
                not turn.printed or later.was_waiting or later is heard[-1]
            ):
                limits[number] = limits.get(number + 1, len(self.text))
        return limits

    @cached_property
    def is_open(self) -> bool:
        """Whether any lines may come somewhere in the session."""
        return any(
            step.is_open or any(line.skips for line in step.printed)
            for step in self.transcript.steps
        )

    @cached_property
    def is_exact(self) -> bool:
        """Whether lines are compared byte for byte, and nothing may come before them."""
        return self.transcript.rules == EXACT and not (
            self.transcript.has_free_prompts or self.is_open
        )

    def passes_line(self, line: str) -> bool:
        """Return whether a line may come although it is not due."""
        return self.is_open or (self.transcript.rules.ignores_blanks and not line.strip())

    def line_at(self, index: int, most: int) -> str:
        """Return the line that begins at an index of the text, up to another one."""
        end = self.text.find('\n', index, most)
        return self.text[index : most if end < 0 else end]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the lines that are due."""
        return frozenset(
            words_of(line.text) for step in self.transcript.steps for line in step.printed
        )

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
        of_program = getattr(builtins, self.error, None)  # if it is Python's own
        if not isinstance(of_program, type):
            return bool(self.status)
        return any(
            isinstance(error, of_game) and issubclass(of_program, like)
            for of_game, like in LIKE.items()
        )

    @property
    def has_ended(self) -> bool:
        """Whether the program ended by itself, with any exit status."""
        if self.played and self.played.failure.kind == 'not ended':
            return self.status is not None  # at the end of its input
        return self.status is not None and not self.has_crashed
