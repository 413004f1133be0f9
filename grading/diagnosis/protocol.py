"""The protocol of an assignment: the expected lines, their kinds, and the forms of rows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..differences import NUMBER
from ..sessions.comparison import plain_words
from ..sessions.session import Session

TOKEN = re.compile(r'[^\W\d_]+|\d+|[ ]+|.')  # a word, a number, spaces, or another character
# A number, or a capital letter that is not part of a word. A minus sign counts only at the
# beginning of a word: the values in "1-3" are 1 and 3.
VALUE = re.compile(r'(?<!\S)-?\d+|\d+|(?<![^\W_])[A-Z](?![^\W_])')
LABELED = re.compile(r'^(\w+:) *\w+ *$')  # a line with one word before a colon, and one after it
PROMPT_ENDS = ':?>'  # the signs that end a prompt, perhaps before spaces
SLOT = '\0'  # in a `Wording`, stands for a value common to both lines
ROW = 'row'  # the kind of lines of single characters, such as rows of a board
NUMBERS = 'numbers'  # the kind of lines of numbers


class Form(NamedTuple):
    """The form of a row: the text before, between and after its cells."""

    kind: str
    lead: str
    gap: str
    trail: str
    as_space: str = ''  # the cell that is printed as a space, or '' for none

    def row_of(self, cells: Iterable[str]) -> str:
        """Return a row of cells in this form.

        >>> Form(ROW, '[', '][', ']', '.').row_of('B.W')
        '[B][ ][W]'
        """
        return (
            self.lead
            + self.gap.join(' ' if cell == self.as_space else cell for cell in cells)
            + self.trail
        )


class Wording(NamedTuple):
    """An expected line and the line printed for it; both may have slots in place of values."""

    expected: str
    printed: str

    def written(self, line: str) -> str | None:
        """Return how an expected line is printed, or None if the wording is for another line.

        >>> Wording('B: \\0  W: \\0', 'Black \\0, White \\0').written('B: 3  W: 4')
        'Black 3, White 4'
        """
        pattern = f'({VALUE.pattern})'.join(map(re.escape, self.expected.split(SLOT)))
        found = re.fullmatch(pattern, line)
        return filled(self.printed, found.groups()) if found else None


@lru_cache(maxsize=1 << 14)
def shape_of(line: str) -> str:
    """Return the shape of a line: lines that differ only in their values have the same shape.

    Values are numbers, and capital letters and dots that stand alone. Numbers with only signs or
    spaces between them count as one. All rows of signs have the same shape.

    >>> shape_of('B: 12  W: 4'), shape_of('TURN: W'), shape_of('. B W'), shape_of('at [(1, 2)]')
    ('?: #  ?: #', 'TURN: ?', 'row', 'at [(#)]')
    """
    if line.strip() and is_row(line):
        return ROW
    numbers = re.sub(r'\d+([^\w\n]+\d+)*', '#', line)
    return re.sub(r'(?<![^\W_])[A-Z](?![^\W_])|(?<!\w)\.(?!\w)', '?', numbers)


def is_row(line: str) -> bool:
    """Return whether a line is a row of signs, such as a row of a board, or is empty.

    >>> is_row('. B W .'), is_row('VALID'), is_row('3 1')
    (True, False, False)
    """
    return all(len(part) == 1 and not part.isdigit() for part in line.split())


def template_of(line: str) -> str:
    """Return a line with `#` for each number, and `?` for each capital letter that stands alone.

    >>> template_of('B: 12  W: 4'), template_of('TURN: W')
    ('?: #  ?: #', 'TURN: ?')
    """
    return VALUE.sub(lambda value: '?' if value[0].isalpha() else '#', line)


def signs_in(line: str) -> list[str]:
    """Return the signs in a row: the parts between spaces, if each of them is a single character.

    Otherwise, return all characters except spaces.

    >>> signs_in('_ X O'), signs_in('_XO')
    (['_', 'X', 'O'], ['_', 'X', 'O'])
    """
    words = line.split()
    return words if all(len(word) == 1 for word in words) else [*line.replace(' ', '')]


def pattern_of(text: str) -> str:
    """Return a regular expression for the text with any values.

    >>> re.fullmatch(pattern_of('Row 1 of B: '), 'Row 12 of W: ')[0]
    'Row 12 of W: '
    """
    template = re.escape(template_of(text))
    # A `?` in the template is a letter, or a question mark of the text itself.
    return template.replace(r'\#', r'-?\d+').replace(r'\?', '[A-Z?]')


def without_labeled_word(line: str) -> str:
    """Return a line of a label and one word, without the word; return other lines unchanged.

    >>> without_labeled_word('WINNER: B'), without_labeled_word('B: 2  W: 2')
    ('WINNER: ?', 'B: 2  W: 2')
    """
    return LABELED.sub(r'\1 ?', line)


def prompts_in(text: str) -> list[str]:
    """Return the prompts in a string that may contain several, one after another.

    >>> prompts_in('First? Second: ')
    ['First? ', 'Second: ']
    """
    return re.split(rf'(?<=[{PROMPT_ENDS}] )(?=[^\W\d_])', text)


def ends_like_prompt(text: str) -> bool:
    """Return whether `text`, without the spaces at its end, ends like a prompt.

    >>> ends_like_prompt('Name: '), ends_like_prompt('Hello')
    (True, False)
    """
    return text.rstrip().endswith((*PROMPT_ENDS,))


def filled(text: str, values: Iterable[str]) -> str:
    """Return the text with these values in its slots.

    >>> filled('Black \\0, White \\0', ['3', '4'])
    'Black 3, White 4'
    """
    left = iter(values)
    first, *rest = text.split(SLOT)
    return first + ''.join(next(left, '') + part for part in rest)


def wording_of(expected: str, printed: str) -> Wording | None:
    """Return the wording of an expected line, with a slot for each printed value.

    The line may be printed without some of its values. If a printed value is not expected, or the
    order differs, both lines must have the same number of values, with letters and numbers in the
    same places; otherwise, return None.

    >>> wording_of('B: 3  W: 4', 'Black 3') == ('B: \\0  W: 4', 'Black \\0')
    True
    """
    printed_slots = VALUE.sub(SLOT, printed)
    values = VALUE.findall(printed)
    expected_slots, start = '', 0  # `start`: where the rest of the expected line begins
    for value in VALUE.finditer(expected):
        if values and value[0] == values[0]:
            expected_slots += expected[start : value.start()] + SLOT
            start = value.end()
            del values[0]
    if not values:
        return Wording(expected_slots + expected[start:], printed_slots)
    # The values may be wrong because of a fault of the game.
    are_letters = [value.isalpha() for value in VALUE.findall(expected)]
    if are_letters == [value.isalpha() for value in VALUE.findall(printed)]:
        return Wording(VALUE.sub(SLOT, expected), printed_slots)
    return None


def differ_only_between_words(expected: str, printed: str) -> bool:
    """Return whether two lines differ only in spaces, or in the text between words and values.

    If more than spaces differ, the expected line must have a value.

    >>> differ_only_between_words('B: 3  W: 4', 'B=3, W=4')
    True
    >>> differ_only_between_words('B: 3  W: 4', 'Black: 3')
    False
    """
    if ''.join(expected.split()) == ''.join(printed.split()):
        return True
    words = [part for part in TOKEN.findall(expected) if part.isalnum()]
    printed_words = [part for part in TOKEN.findall(printed) if part.isalnum()]
    return bool(VALUE.search(expected)) and words == printed_words


class Protocol:
    """The expected lines of some sessions, their kinds, and the forms of rows.

    There is at most one form for rows of cells, and one for rows of numbers. Rows in these forms
    have the kind `ROW` or `NUMBERS`; the kind of any other line is its template (see
    `template_of`). Prompts count as lines, except in `bare`.
    """

    def __init__(
        self, lines: Collection[str], prompts: Collection[str] = (), typed: Iterable[str] = ()
    ) -> None:
        self.prompts = sorted(prompts)
        # The words of the input lines: the program may print again what was typed.
        self.typed = {word for line in typed for word in plain_words(line)}
        self.bare = Protocol(lines) if prompts else self  # the protocol without prompts
        rows = [line.split() for line in lines if is_row(line)]
        self.cells = frozenset(cell for row in rows if len(row) > 1 for cell in row)
        # A pattern for a single cell or number, by the kind of row.
        self._cell = {NUMBERS: NUMBER}
        if self.cells:
            self._cell[ROW] = re.compile(f'[{re.escape("".join(sorted(self.cells)))}]')
        self.forms: dict[str, Form] = {}  # the form of each kind of row
        self.templates: dict[str, str] = {}  # an example of each template
        self._kinds: dict[str, str | None] = {}
        for line in sorted(lines):
            form = self.form_of(line)
            # The first form found for a kind of row counts; rows in other forms are plain lines.
            is_row_in_form = form and self.forms.setdefault(form.kind, form) == form
            if not is_row_in_form:
                self.templates.setdefault(template_of(line), line)
        self.templates.update((template_of(prompt), prompt) for prompt in self.prompts)

    @classmethod
    def of(cls, sessions: Sequence[Session]) -> Protocol:
        """Return the protocol of these sessions."""
        printed = [line for session in sessions for step in session.steps for line in step.expected]
        return cls(
            {line.text for line in printed if line.has_newline},
            {line.text for line in printed if line.text and not line.has_newline},
            (line for session in sessions for line in session.inputs),
        )

    def form_of(self, line: str) -> Form | None:
        """Return the form of a row of cells or numbers, or None for any other line.

        Between any two neighbors, a row has the same text, without letters and digits.
        """
        for kind, cell in self._cell.items():
            parts = cell.split(line)
            if len({*parts[1:-1]}) == 1 and not any(map(str.isalnum, ''.join(parts))):
                return Form(kind, parts[0], parts[1], parts[-1])
        return None

    def differ_in_typed_words(self, line: str, other: str) -> bool:
        """Return whether all differing words of two lines are typed as input in a session.

        Single letters do not count as words.
        """
        words = {*plain_words(line)} ^ {*plain_words(other)}
        words = {word for word in words if word.isalpha() and len(word) > 1}
        return bool(words) and words <= self.typed

    def cells_of(self, kind: str, line: str) -> list[str]:
        """Return the cells of a line of the given kind."""
        return self._cell[kind].findall(line)

    def kind_of(self, line: str) -> str | None:
        """Return the kind of a line of the protocol, or None for any other line."""
        if line not in self._kinds:
            form, template = self.form_of(line), template_of(line)
            if form and self.forms.get(form.kind) == form:
                self._kinds[line] = form.kind
            else:
                self._kinds[line] = template if template in self.templates else None
        return self._kinds[line]

    def has(self, line: str) -> bool:
        """Return whether the protocol has such a line, perhaps with other values."""
        return self.kind_of(line) is not None
