"""Lines up what a failed session expects with what was printed: one row for each line.

    expected        printed          state      cost

    VALID           VALID            right      0
                    Debug: 3         extra      0.8
    B: 3  W: 1      B: 4  W: 1       wrong      0.35; less similar lines cost more
    TURN: W         TURN: W          right      0

Each turn is aligned separately, at the lowest cost, and a line is right if the comparison accepts
it. Turns without output are joined with the next turn, because their output may have been printed
late. Optional output costs little or nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate
from typing import Literal, NamedTuple

from ..printable import decoded
from .comparison import words_of
from .items import ANY_LINES, ANY_TEXT, PROMPT, Item, is_free_prompt, items_of
from .line_rules import TooSlow
from .session import ExpectedFile, Session
from .transcript import lines_in
from .verdict import Dialogue, failure_in

RowState = Literal[
    'right',
    'wrong',  # another line is printed in place of the expected line
    'missing',  # nothing is printed for the expected line
    'extra',  # nothing is expected for the printed line
    'moved',  # the expected line is printed elsewhere in the turn, or the extra line expected
    'twice',  # nothing is expected for the printed line, which repeats the line before it
    'late',  # the expected line is printed in a later turn
]
MAX_LINES = 2000  # lines of a turn to align by cost; later lines are aligned by position
MAX_WRONG = 60  # after this many wrong rows in a turn, the rest is aligned by position
WINDOW = 80  # lines on each side to align at a time
KEPT = 50  # how many groups of a window to keep; later ones depend on the lines after the window
FEW_PAIRS = 600  # if a window has at most this many pairs, lines are compared letter by letter
LONGEST_ALIKE = 200  # maximum length of lines to compare letter by letter, in characters
MAX_ENDS = 9  # maximum number of places in a line where a prompt may end
# A wrong row costs no more than one unpaired line. So even two lines with nothing in common are
# paired, rather than counted as a missing line and an extra line.
ALONE = 0.8  # the cost of an unpaired line
WRONG = 0.3  # the cost of a wrong row, however alike its lines are
UNLIKE = 0.5  # the additional cost of a wrong row if its lines have nothing in common
OPTIONAL = 0.05  # the cost of an unpaired line if it may be a free prompt
# Where any lines are allowed, an unpaired printed line costs nothing. So two lines must then be
# more alike for a wrong row to cost less than a missing line.
ALONE_AMONG_ANY = 1.4  # the cost of a missing line
UNLIKE_AMONG_ANY = 1.5  # used in place of UNLIKE
DIGIT = re.compile(r'\d|\\d')  # a digit in a line, or \d in a regular expression
ASKING = re.compile(r'[:?>!.\])=-]+[ \t]*')  # the end of most prompts, with any spaces after it


class Row(NamedTuple):
    """An expected line, and the line printed in its place; one of the two may be missing."""

    turn: int  # the index of the turn with the printed line
    step: int  # the index of the step with the expected or extra line
    item: Item | None  # the expected item, or None for an extra line
    expected: str  # the expected line, with its newline, or ''
    printed: str  # the printed line, or ''; if wrong, without a free prompt at its beginning
    start: int  # where the printed line begins in the turn's output, in characters
    state: RowState
    following: Item | None = None  # the next expected item in the turn, if the line is extra

    @property
    def is_wrong(self) -> bool:
        """Whether the line is wrong; a line that is only late is not."""
        return self.state not in ('right', 'late')

    def is_printed_in(self, other: Row) -> bool:
        """Return whether the expected line of this row is printed in another row."""
        item, line = self.item, other.printed
        return bool(item and line and is_itself(item, line) and matches(item, line, set()))


def wrong_rows(session: Session, dialogue: Dialogue) -> list[Row]:
    """Return the rows of a session that are wrong (see `rows_of`)."""
    return [row for row in rows_of(session, dialogue) if row.is_wrong]


def rows_of_file(session: Session, file: ExpectedFile, content: bytes) -> list[Row]:
    """Return the rows of a file that a program has written."""
    last = len(session.steps) - 1
    items = [(last, item) for item in items_of([file.content], session)]
    return [*with_order([*AlignedTurn(session, items, lines_in(decoded(content)), last).rows()])]


@lru_cache(maxsize=1 << 10)  # all faults in a session need the same rows
def rows_of(session: Session, dialogue: Dialogue) -> list[Row]:
    r"""Return the rows of a session, in order.

    All rows of the turns before the session's failure are right, or late. An extra newline comes
    last if it only ends a prompt.

    >>> from .transcript import parse
    >>> def states(*printed):
    ...     session = parse('1\n|One\n|Two\n2\n|Three\n', 'a.txt')
    ...     rows = rows_of(session, Dialogue.printing(['', *printed]))
    ...     rows = [row for row in rows if row.state != 'right']
    ...     return [(row.expected or row.printed, row.state) for row in rows]
    >>> states('Two\n', 'Three\n'), states('One\nOne\nTwo\n', 'Three\n')
    ([('One\n', 'missing')], [('One\n', 'twice')])
    >>> states('Two\nOne\n', 'Three\n')
    [('One\n', 'moved'), ('Two\n', 'moved')]
    >>> states('', 'One\nTwo\nThree\n')
    [('One\n', 'late'), ('Two\n', 'late')]
    """
    failure = failure_in(session, dialogue)
    right = failure.turn if failure else len(session.steps)  # how many turns are entirely right
    rows: list[Row] = []
    printed = [decoded(turn.printed) for turn in dialogue.turns[: len(session.steps)]]
    newlines: list[Row] = []  # newlines that only end a prompt
    first = 0  # the first of the steps whose output may be printed in the turn
    is_open = False  # whether the output of the previous turn ended without a newline
    for number, text in enumerate(printed):
        if not text and number < len(printed) - 1:
            continue  # the output expected in this turn may be printed in the next turn
        expected = items_with_steps(session, first, number)
        found = [*AlignedTurn(session, expected, lines_in(text), number).rows()]
        if number < right:
            found = [row._replace(state='right') for row in found]
        found = [*with_order(found)]
        wrong = next((row for row in found if row.is_wrong), None)
        if is_open and wrong and not wrong.expected and wrong.printed == '\n':
            newlines.append(wrong)
            found.remove(wrong)
        rows += found
        first, is_open = number + 1, bool(text) and not text.endswith('\n')
    return rows + newlines


def with_order(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows of a turn; say which lines are only moved, printed twice, or late."""
    wrong = [row for row in rows if row.state != 'right'][:MAX_WRONG]
    printed = [row for row in wrong if row.printed]
    before = ''  # the line printed before
    for row in rows:
        if row.state == 'right':
            if row.item and row.step < row.turn:
                row = row._replace(state='late')
        elif row.state == 'extra' and row.printed == before:
            row = row._replace(state='twice')
        elif any(row.is_printed_in(other) for other in printed if other is not row) or (
            row.state == 'extra' and any(other.is_printed_in(row) for other in wrong)
        ):
            row = row._replace(state='moved')
        yield row
        before = row.printed or before


def items_with_steps(session: Session, first: int, last: int) -> list[tuple[int, Item]]:
    """Return the items of the steps from `first` to `last`, each with the index of its step.

    An item belongs to the step of its last part; an item without parts, to the last step.
    """
    steps = session.steps[first : last + 1]
    ends = [*accumulate(len(step.expected) for step in steps)]
    items = []
    for item in items_of(steps, session):
        last_part = item.first + len(item.parts) - 1
        items.append((first + bisect_right(ends, last_part) if item.parts else last, item))
    return items


class NextLines(NamedTuple):
    """The next lines of an alignment: an expected line, a printed line, or one of each.

    Or two expected lines that are printed on a single line: the first lacks its newline.
    """

    items: int  # the number of expected lines
    lines: int  # the number of printed lines
    cost: float = 0.0  # more than `OPTIONAL` if the lines do not match


class AlignedTurn:
    """The items expected in a turn, each with the index of its step, and the printed lines."""

    def __init__(
        self, session: Session, items: Sequence[tuple[int, Item]], lines: Sequence[str], turn: int
    ) -> None:
        self._session = session
        self._expected = [(step, item) for step, item in items if item.parts]
        self._lines = lines
        self._turn = turn
        self._starts = [0, *accumulate(map(len, lines))]
        # The optional items before each expected line, and after the last line.
        self._optional: list[set[Item]] = [set()]
        for _, item in items:
            if item.parts:
                self._optional.append(set())
            else:
                self._optional[-1] |= {ANY_LINES, PROMPT} if item is ANY_TEXT else {item}

    def rows(self) -> Iterator[Row]:
        """Yield the rows of the turn."""
        row = column = wrong = 0
        while row < len(self._expected) or column < len(self._lines):
            if self._is_plainly_right(row, column):
                groups = [NextLines(1, 1)]
            elif max(row, column) > MAX_LINES or wrong > MAX_WRONG:
                yield from self._rows_by_position(max(row, column))
                return
            else:
                groups = self._cheapest(row, column)
            for items, lines, cost in groups:
                is_right = cost <= OPTIONAL
                if items == 2:
                    yield self._row_without_newline(row, column)
                    self._optional[row + 1].add(PROMPT)
                    row, items, wrong = row + 1, 1, wrong + 1
                yield self._row(row, column, bool(items), bool(lines), is_right)
                row, column, wrong = row + items, column + lines, wrong + (not is_right)

    def _is_plainly_right(self, row: int, column: int) -> bool:
        """Return whether a printed line certainly is an expected line, and no prompt is allowed."""
        if row >= len(self._expected) or column >= len(self._lines) or self._optional[row]:
            return False
        item, line = self._expected[row][1], self._lines[column]
        return is_itself(item, line) and matches(item, line, set())

    def _rows_by_position(self, first: int) -> Iterator[Row]:
        """Yield the rows from an index on, with each expected line beside the line at its index."""
        rows, columns = len(self._expected), len(self._lines)
        for at in range(first, min(max(rows, columns), 2 * MAX_LINES)):
            has_item, has_line = at < rows, at < columns
            is_right = (
                has_item
                and has_line
                and matches(self._expected[at][1], self._lines[at], self._optional[at])
            )
            yield self._row(at, at, has_item, has_line, is_right)

    def _row(self, row: int, column: int, has_item: bool, has_line: bool, is_right: bool) -> Row:
        """Return the row of an expected line, a printed line, or both."""
        own = self._lines[column] if has_line else ''
        start = self._starts[min(column, len(self._lines))]
        if not has_item:
            state: RowState = 'right' if is_right else 'extra'
            following = self._expected[row][1] if row < len(self._expected) else None
            return Row(self._turn, self._turn, None, '', own, start, state, following)
        step, item = self._expected[row]
        text = str(item)
        if own and not is_right and PROMPT in self._optional[row]:
            own = without_prompt(own, text)
            start += len(self._lines[column]) - len(own)
        state = 'right' if is_right else 'wrong' if own else 'missing'
        return Row(self._turn, step, item, text, own, start, state)

    def _row_without_newline(self, row: int, column: int) -> Row:
        """Return the row of an expected line that lacks its newline, as a missing line.

        If an empty line is missing after a prompt, the row begins after the prompt.
        """
        missing = self._row(row, column, True, False, False)
        if missing.expected != '\n':
            return missing
        line, after = self._lines[column], str(self._expected[row + 1][1])
        return missing._replace(start=missing.start + len(line) - len(without_prompt(line, after)))

    def _cheapest(self, row: int, column: int) -> list[NextLines]:
        """Return the next groups of the alignment: the cheapest for the lines in a window."""
        rows = min(WINDOW, len(self._expected) - row)
        columns = min(WINDOW, len(self._lines) - column)
        by_letters = rows * columns <= FEW_PAIRS
        # For each row and column: the cost of the cheapest alignment of the remaining lines, and
        # its first group. The table is filled from the last row and column.
        rest = [[(0.0, NextLines(0, 0))] * (columns + 1) for _ in range(rows + 1)]
        for down in range(rows, -1, -1):
            items = [item for _, item in self._expected[row + down : row + min(down + 2, rows)]]
            before = self._optional[row + down]
            for right in range(columns, -1, -1):
                lines = self._lines[column + right : column + min(right + 1, columns)]
                ways = [
                    (group.cost + more + rest[down + group.items][right + group.lines][0], group)
                    for group, more in self._groups(items, lines, before, by_letters)
                ]
                if ways:  # on a tie, prefer the group with more lines
                    rest[down][right] = min(
                        ways, key=lambda way: (round(way[0], 6), -way[1].items - way[1].lines)
                    )
        groups, down, right = [], 0, 0
        while down < rows or right < columns:
            group = rest[down][right][1]
            groups.append(group)
            down, right = down + group.items, right + group.lines
        is_last = max(len(self._expected) - row, len(self._lines) - column) <= WINDOW
        return groups if is_last else groups[:KEPT]

    def _groups(
        self, expected: Sequence[Item], lines: Sequence[str], before: set[Item], by_letters: bool
    ) -> Iterator[tuple[NextLines, float]]:
        """Yield the possible next groups of an alignment, each with its additional cost.

        The additional cost is for a newline missing between two expected lines. `expected` contains
        the next two items, and `lines` the next line; near the end, there may be fewer. `before`
        contains the optional items allowed before them.
        """
        alone = [alone_cost(self._session, line, before) for line in lines]
        if expected:
            for line in lines:
                cost = pair_cost(expected[0], line, before, by_letters)
                is_ignored = not line.strip() and not alone[0]
                # Never pair an ignored empty line with an item unless they match.
                if not (cost and is_ignored):
                    yield NextLines(1, 1, cost), 0
                after = text_after(expected, line, before) if len(expected) > 1 else ''
                if after:
                    yield (
                        NextLines(2, 1, pair_cost(expected[1], after, {PROMPT}, by_letters)),
                        WRONG,
                    )
            missing = ALONE_AMONG_ANY if ANY_LINES in before else ALONE
            yield NextLines(1, 0, 0 if expected[0].may_be_missing else missing), 0
        for cost in alone:
            yield NextLines(0, 1, cost), 0


def is_itself(item: Item, line: str) -> bool:
    """Return whether a line that matches an item is certain to be that item.

    Free text matches any line, so only a line with the same words is certain to be this text.
    """
    return not item.is_free_text or words_of(line) == words_of(item.parts[0].text)


def text_after(expected: Sequence[Item], line: str, before: set[Item]) -> str:
    """Return what follows the first item on a line if it matches the second item, or else ''.

    If the first item is an empty line that a prompt may precede, return the whole line.
    """
    first = expected[0].parts[0]
    if (
        not first.is_text
        or not first.has_newline
        or expected[0].may_be_missing
        or not line.startswith(first.text)
        or line == str(first)
    ):
        return ''
    after = line[len(first.text) :]
    is_open = matches(expected[1], after, set()) if first.text else PROMPT in before
    return after if is_open else ''


def alone_cost(session: Session, line: str, before: set[Item]) -> float:
    """Return the cost of leaving a printed line unpaired.

    Output that may be optional costs little or nothing.
    """
    if ANY_LINES in before or (session.rules.ignores_whitespace and not line.strip()):
        return 0.0
    with suppress(TooSlow):
        if PROMPT in before and (not line.endswith('\n') or is_free_prompt(line[:-1], session)):
            return OPTIONAL
    return ALONE


def pair_cost(item: Item, line: str, before: set[Item], by_letters: bool) -> float:
    """Return the cost of pairing a printed line with an expected line."""
    if matches(item, line, before):
        return 0.0
    text = ''.join(part.text for part in item.parts)
    own = without_prompt(line, text) if PROMPT in before else line
    alike = likeness(text, own.rstrip('\n'), by_letters)
    is_pattern = any(not part.is_text for part in item.parts)
    if is_pattern and DIGIT.search(text) and DIGIT.search(own):
        alike = (1 + alike) / 2  # a regular expression need not resemble what it matches
    return WRONG + (UNLIKE_AMONG_ANY if ANY_LINES in before else UNLIKE) * (1 - alike)


def matches(item: Item, line: str, before: set[Item]) -> bool:
    """Return whether a printed line matches an expected line."""
    with suppress(TooSlow):
        has_newline = line.endswith('\n')
        may_match = has_newline == item.has_newline or (has_newline and item.may_end_line)
        return may_match and item.matches(line.removesuffix('\n'), PROMPT in before)
    return False


@lru_cache(maxsize=1 << 14)
def likeness(left: str, right: str, by_letters: bool = True) -> float:
    """Return how alike two lines are, from 0 to 1; if only case and whitespace differ, return 1.

    Compare letters, or words if `by_letters` is not set or a line is long.
    """
    if left.lower().split() == right.lower().split():
        return 1.0
    if not by_letters or max(len(left), len(right)) > LONGEST_ALIKE:
        words, others = set(left.split()), set(right.split())
        return len(words & others) / max(1, len(words | others))
    return SequenceMatcher(None, left.lower(), right.lower(), autojunk=False).ratio()


@lru_cache(maxsize=1 << 12)
def without_prompt(line: str, expected: str) -> str:
    """Return a line without the program's own prompt: the part most like the expected line.

    >>> without_prompt('Number? 12', '8'), without_prompt('Name: Sum: 9', 'Sum: 8')
    ('12', 'Sum: 9')
    """
    ends = [found.end() for found in ASKING.finditer(line[:LONGEST_ALIKE])][:MAX_ENDS]
    rests = [line[end:] for end in ends if line[end:].strip() and any(map(str.isalpha, line[:end]))]
    if not rests:
        return line
    return max(
        [line, *rests],
        key=lambda rest: (round(likeness(expected.rstrip('\n'), rest.rstrip('\n')), 3), -len(rest)),
    )
