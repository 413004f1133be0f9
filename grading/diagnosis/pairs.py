"""Aligns the printed lines of a failed session with the expected lines, at the lowest cost.

    expected        printed          cost

    VALID           VALID            0
                    Debug: 3         0.8: an extra line
    B: 3  W: 1      B: 4  W: 1       0.35: a wrong line; less similar lines cost more
    TURN: W         TURN: W          0

Each turn is aligned separately. Turns without output are joined with the next turn, because their
output may have been printed late. Optional output costs little or nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate

from ..printable import decoded
from ..sessions.comparison import words_of
from ..sessions.items import ANY_LINES, ANY_TEXT, PROMPT, Item, is_free_prompt, items_of
from ..sessions.line_rules import TooSlow
from ..sessions.session import Session
from ..sessions.transcript import lines_in
from ..sessions.verdict import Dialogue, Pair

MAX_LINES = 2000  # lines of a turn to align by cost; later lines are aligned by position
MAX_WRONG = 60  # after this many mismatches in a turn, the rest is aligned by position
WINDOW = 80  # lines on each side to align at a time
KEPT = 50  # how many groups of a window to keep; later ones depend on the lines after the window
FEW_PAIRS = 600  # if a window has at most this many pairs, lines are compared letter by letter
LONGEST_ALIKE = 200  # maximum length of lines to compare letter by letter, in characters
MAX_ENDS = 9  # maximum number of places in a line where a prompt may end
# A wrong pair costs no more than one unpaired line. So even two lines with nothing in common are
# paired, rather than counted as a missing line and an extra line.
ALONE = 0.8  # the cost of an unpaired line
WRONG = 0.3  # the cost of a wrong pair, however alike its lines are
UNLIKE = 0.5  # the additional cost of a wrong pair if its lines have nothing in common
OPTIONAL = 0.05  # the cost of an unpaired line if it may be a free prompt
# Where any lines are allowed, an unpaired printed line costs nothing. So two lines must then be
# more alike for a wrong pair to cost less than a missing line.
ALONE_AMONG_ANY = 1.4  # the cost of a missing line
UNLIKE_AMONG_ANY = 1.5  # used in place of UNLIKE
DIGIT = re.compile(r'\d|\\d')  # a digit in a line, or \d in a regular expression
ASKING = re.compile(r'[:?>!.\])=-]+[ \t]*')  # the end of most prompts, with any spaces after it


def wrong_pairs(transcript: Session, dialogue: Dialogue) -> list[Pair]:
    """Return the wrong pairs of expected and printed lines.

    They are in the order of the session, but an extra newline comes last if it only ends a prompt.
    """
    steps, pairs = transcript.steps, []
    printed = [decoded(turn.printed) for turn in dialogue.turns[: len(steps)]]
    newlines: list[Pair] = []  # newlines that only end a prompt
    first = 0  # the first of the steps whose output may be printed in the turn
    is_open = False  # whether the output of the previous turn ended without a newline
    for number, text in enumerate(printed):
        if not text and number < len(printed) - 1:
            continue  # the output expected in this turn may be printed in the next turn
        expected = items_with_steps(transcript, first, number)
        found = [*aligned(transcript, expected, lines_in(text), number)]
        if is_open and found and (found[0].expected, found[0].printed) == ('', '\n'):
            newlines.append(found.pop(0))
        pairs += found
        first, is_open = number + 1, bool(text) and not text.endswith('\n')
    return pairs + newlines


def items_with_steps(transcript: Session, first: int, last: int) -> list[tuple[int, Item]]:
    """Return the items of the steps from `first` to `last`, each with the index of its step.

    An item belongs to the step of its last part; an item without parts, to the last step.
    """
    steps = transcript.steps[first : last + 1]
    ends = [*accumulate(len(step.printed) for step in steps)]
    items = []
    for item in items_of(steps, transcript):
        last_part = item.first + len(item.parts) - 1
        items.append((first + bisect_right(ends, last_part) if item.parts else last, item))
    return items


def aligned(
    transcript: Session, items: Sequence[tuple[int, Item]], lines: Sequence[str], turn: int
) -> Iterator[Pair]:
    """Align items with the lines of a turn as cheaply as possible, and yield the wrong pairs.

    Each item comes with the index of its step.
    """
    expected = [(step, item) for step, item in items if item.parts]
    # The optional items before each expected line, and after the last line.
    optional: list[set[Item]] = [set()]
    for _, item in items:
        if item.parts:
            optional.append(set())
        else:
            optional[-1] |= {ANY_LINES, PROMPT} if item is ANY_TEXT else {item}
    starts = [0, *accumulate(map(len, lines))]
    open_rows: set[int] = set()  # the expected lines printed without their newline
    for row, column, has_expected, has_line in mismatches(
        transcript, expected, lines, optional, open_rows
    ):
        own = lines[column] if has_line else ''
        start = starts[min(column, len(lines))]
        if not has_expected:
            following = expected[row][1] if row < len(expected) else None
            yield Pair(turn, '', own, turn, start, following=following)
            continue
        text = str(expected[row][1])
        if row in open_rows and text == '\n':  # an empty line is missing after a prompt
            line, after = lines[column], str(expected[row + 1][1])
            start += len(line) - len(without_prompt(line, after))
        if own and PROMPT in optional[row]:
            own = without_prompt(own, text)
            start += len(lines[column]) - len(own)
        yield Pair(expected[row][0], text, own, turn, start, expected[row][1])


def mismatches(
    transcript: Session,
    expected: Sequence[tuple[int, Item]],
    lines: Sequence[str],
    optional: Sequence[set[Item]],
    open_rows: set[int],
) -> list[tuple[int, int, bool, bool]]:
    """Align expected and printed lines window by window; return where they do not match.

    Each result gives the index of the expected line, the index of the printed line, and whether
    each line exists. If an expected line was printed without its newline, its index is added to
    `open_rows`, and a prompt is added to the `optional` items before the next expected line.
    """
    row = column = 0
    found: list[tuple[int, int, bool, bool]] = []
    while row < len(expected) or column < len(lines):
        if (
            row < len(expected)
            and column < len(lines)
            and not optional[row]
            and is_itself(expected[row][1], lines[column])
            and is_right(expected[row][1], lines[column], set())
        ):
            row, column = row + 1, column + 1
            continue
        if max(row, column) > MAX_LINES or len(found) > MAX_WRONG:  # align the rest by position
            end = min(max(len(expected), len(lines)), 2 * MAX_LINES)
            return found + [
                (at, at, at < len(expected), at < len(lines))
                for at in range(max(row, column), end)
                if at >= min(len(expected), len(lines))
                or not is_right(expected[at][1], lines[at], optional[at])
            ]
        groups = cheapest(
            transcript,
            expected[row : row + WINDOW],
            lines[column : column + WINDOW],
            optional[row : row + WINDOW + 1],
        )
        is_last = max(len(expected) - row, len(lines) - column) <= WINDOW
        for more_rows, more_columns, is_wrong in groups if is_last else groups[:KEPT]:
            last_row = row
            if more_rows == 2:  # the first line lacks its newline
                found.append((row, column, True, False))
                optional[row + 1].add(PROMPT)
                open_rows.add(row)
                last_row = row + 1
            if is_wrong:
                found.append((last_row, column, bool(more_rows), bool(more_columns)))
            row, column = row + more_rows, column + more_columns
    return found


def is_itself(item: Item, line: str) -> bool:
    """Return whether a line that matches an item is certain to be that item.

    Free text matches any line, so only a line with the same words is certain to be this text.
    """
    return not item.is_free_text or words_of(line) == words_of(item.parts[0].text)


def cheapest(
    transcript: Session,
    expected: Sequence[tuple[int, Item]],
    lines: Sequence[str],
    optional: Sequence[set[Item]],
) -> list[tuple[int, int, bool]]:
    """Return the groups of the cheapest alignment of these expected and printed lines, in order.

    A group is an expected line, a printed line, or one of each; or two expected lines, printed on
    a single line. Each group is given as the number of its expected lines, the number of its
    printed lines, and whether they differ.
    """
    rows, columns = len(expected), len(lines)
    by_letters = rows * columns <= FEW_PAIRS
    # For each row and column: the cost of the cheapest alignment of the remaining lines, and its
    # first group. The table is filled from the last row and column.
    rest: list[list[tuple[float, int, int, bool]]] = [
        [(0.0, 0, 0, False)] * (columns + 1) for _ in range(rows + 1)
    ]
    for row in range(rows, -1, -1):
        items, before = [item for _, item in expected[row : row + 2]], optional[row]
        for column in range(columns, -1, -1):
            ways = [
                (
                    cost + more + rest[row + more_rows][column + more_columns][0],
                    more_rows,
                    more_columns,
                    cost > OPTIONAL,  # whether they differ
                )
                for cost, more, more_rows, more_columns in next_groups(
                    transcript, items, lines[column : column + 1], before, by_letters
                )
            ]
            if ways:  # on a tie, prefer the group with more lines
                rest[row][column] = min(ways, key=lambda way: (round(way[0], 6), -way[1] - way[2]))
    groups, row, column = [], 0, 0
    while row < rows or column < columns:
        _, more_rows, more_columns, is_wrong = rest[row][column]
        groups.append((more_rows, more_columns, is_wrong))
        row, column = row + more_rows, column + more_columns
    return groups


def next_groups(
    transcript: Session,
    expected: Sequence[Item],
    lines: Sequence[str],
    before: set[Item],
    by_letters: bool,
) -> Iterator[tuple[float, float, int, int]]:
    """Yield the possible next groups of an alignment.

    Each group has a cost (higher than `OPTIONAL` if the lines do not match), an additional cost if
    a newline is missing between two expected lines, and the numbers of items and lines in the
    group. `expected` contains the next two items, and `lines` the next line; near the end, there
    may be fewer. `before` contains the optional items allowed before them.
    """
    alone = [alone_cost(transcript, line, before) for line in lines]
    if expected:
        for line in lines:
            cost = pair_cost(expected[0], line, before, by_letters)
            is_ignored = not line.strip() and not alone[0]
            # Never pair an ignored empty line with an item unless they match.
            if not (cost and is_ignored):
                yield cost, 0, 1, 1
            after = text_after(expected, line, before) if len(expected) > 1 else ''
            if after:
                yield pair_cost(expected[1], after, {PROMPT}, by_letters), WRONG, 2, 1
        missing = ALONE_AMONG_ANY if ANY_LINES in before else ALONE
        yield 0 if expected[0].may_be_missing else missing, 0, 1, 0
    for cost in alone:
        yield cost, 0, 0, 1


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
    is_open = is_right(expected[1], after, set()) if first.text else PROMPT in before
    return after if is_open else ''


def alone_cost(transcript: Session, line: str, before: set[Item]) -> float:
    """Return the cost of leaving a printed line unpaired.

    Output that may be optional costs little or nothing.
    """
    if ANY_LINES in before or (transcript.rules.ignores_whitespace and not line.strip()):
        return 0.0
    with suppress(TooSlow):
        if PROMPT in before and (not line.endswith('\n') or is_free_prompt(line[:-1], transcript)):
            return OPTIONAL
    return ALONE


def pair_cost(item: Item, line: str, before: set[Item], by_letters: bool) -> float:
    """Return the cost of pairing a printed line with an expected line."""
    if is_right(item, line, before):
        return 0.0
    text = ''.join(part.text for part in item.parts)
    own = without_prompt(line, text) if PROMPT in before else line
    alike = likeness(text, own.rstrip('\n'), by_letters)
    is_pattern = any(not part.is_text for part in item.parts)
    if is_pattern and DIGIT.search(text) and DIGIT.search(own):
        alike = (1 + alike) / 2  # a regular expression need not resemble what it matches
    return WRONG + (UNLIKE_AMONG_ANY if ANY_LINES in before else UNLIKE) * (1 - alike)


def is_right(item: Item, line: str, before: set[Item]) -> bool:
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
