"""Says in a few words how a program ends, or what it prints instead of the expected line."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..differences import ESCAPE_SEQUENCE, difference_of, looks_like
from ..printable import (
    common_length,
    quoted,
    quoted_exactly,
    quoted_line,
    status_in_words,
    without_start,
)
from ..results import HAPPENS, Crash, Example
from ..sessions.verdict import PlayedSession
from .crash import is_end_of_input
from .exchange import Exchange
from .hints import LOOPS, SLOW

WORD = re.compile(r'[^\W_]')
INSTEAD = ' instead of '
NOTHING = 'prints nothing'
CLEARS = 'a code that clears the screen'
CODES = {'m': 'a color code', 'J': CLEARS, 'c': CLEARS}  # by their last character
MAX_ALIKE = 40  # maximum length of the common beginning of two quoted strings


def what_happens(played: PlayedSession, example: Example) -> str:
    """Return what a program does wrong: `crashes at game.py, line 3 (KeyError)`.

    `example` is the example of the session's failure.
    """
    if example.crash:
        return crash_in_words(example.crash, example)
    if not example.printed_text.strip() and example.step == 0 and example.kind != 'status':
        return NOTHING
    if LOOPS in example.hint or SLOW in example.hint:
        return 'hangs where output is expected: it neither prints nor ends'
    if example.kind == 'ended' and example.status is not None:
        expected = '' if example.comparison else example.expected.rstrip()
        missing = f': {quoted(expected)} is missing' if expected and not example.printed else ''
        return f'{HAPPENS["ended"]}, with {status_in_words(example.status)}{missing}'
    if example.kind == 'differs' and example.printed and not example.comparison:
        printed, expected = lines_with_words(played, example)
        return line_in_words(expected if example.expected else None, printed)
    if example.kind == 'differs' and example.expected and not example.comparison:
        return f'prints nothing where {quoted_line(example.expected.rstrip())} is expected'
    return HAPPENS[example.kind]


def crash_in_words(crash: Crash, example: Example) -> str:
    """Describe a crash, or an attempt to read more input than there is.

    If the program first waits for input where output is expected, say so.
    """
    place = f'at {crash.file}, line {crash.line}'
    expected = example.expected.rstrip() if example.kind == 'silent' else ''
    instead = f'instead of printing {quoted(expected)}'
    if is_end_of_input(crash):
        if expected:
            return f'waits for input {place}, {instead}'
        return f'tries to read past the end of the input, {place}'
    crashes = f'crashes {place} ({crash.type})' if crash.file else f'crashes: {crash.error}'
    return f'waits for input {instead}, and later {crashes}' if expected else crashes


def line_in_words(expected: str | None, printed: str) -> str:
    """Describe a wrong line; `expected` is None if no line is expected.

    >>> line_in_words('sum 8', 'sum 9'), line_in_words('sum 8', 'sum  8')
    ('prints "sum 9" instead of "sum 8"', 'prints "sum  8" instead of "sum 8"')
    >>> line_in_words(None, 'Hello!'), line_in_words('sum 8', 'The sum 8')
    ('prints "Hello!" where no output is expected', 'prints "The " before "sum 8"')
    """
    if expected is None:
        return f'prints {quoted_line(printed)} where no output is expected'
    difference = difference_of(expected, printed)
    if difference.is_whitespace and printed.strip():
        return f'prints {instead_of(expected, printed)}'
    if any(map(str.isalpha, difference.prefix)):
        return f'prints {quoted(difference.prefix)} before {quoted(expected)}'
    if difference.kind == 'escape sequence':
        codes = [*ESCAPE_SEQUENCE.finditer(printed)]
        code = next((code for code in codes if code[1] in CODES), codes[0])
        what = CODES.get(code[1], 'an escape sequence')
        return f'prints {what}, {quoted(code[0])}, with {quoted(expected)}'
    return f'prints {both_quoted(printed, expected, quoted_line)}'


def difference_in_words(exchange: Exchange) -> str:
    r"""Describe late output in a turn, or a missing, extra or moved line.

    Return '' for any other difference, such as a line printed instead of another.

    >>> from .exchange import first_wrong_exchange
    >>> def in_words(*printed):
    ...     session = '4 4\n|VALID\n|FULL\n|TURN: W\n0 0\n|INVALID\n'
    ...     return difference_in_words(first_wrong_exchange(session, '', *printed))
    >>> in_words('OK\nFULL\nTURN: W\n')
    ''
    >>> in_words('FULL\nTURN: W\n')
    'does not print "VALID" before "FULL"'
    >>> in_words('FULL\nVALID\nTURN: W\n')
    'prints "FULL" before "VALID"'
    >>> in_words('VALID\nFULL\n', 'TURN: W\nINVALID\n')
    'prints "TURN: W" only after more input'
    """
    expected, printed = exchange.expected.rstrip('\n'), exchange.printed.rstrip('\n')
    if exchange.played.silence:
        return f'prints {quoted_line(printed)} too late: after {exchange.played.silence:.1f} s'
    if exchange.expected and exchange.printed:
        if difference_of(exchange.expected, exchange.printed).is_whitespace:
            return ''
        if exchange.comes_before_expected:
            return f'prints {quoted_line(printed)} before {quoted_line(expected)}'
        if not exchange.has_too_often(exchange.printed):
            return f'does not print {quoted_line(expected)} before {quoted_line(printed)}'
    elif exchange.printed and exchange.line_after not in ('', exchange.printed):
        return f'prints {quoted_line(printed)} before {quoted_line(exchange.line_after.rstrip())}'
    elif exchange.is_silent and exchange.later_output:
        if expected in exchange.later_output.splitlines():
            return f'prints {quoted_line(expected)} only after more input'
        return f'does not print {quoted_line(expected)} until it gets more input'
    return ''


def instead_of(expected: str, printed: str) -> str:
    """Return `"A" instead of "B"`, with visible spaces, if A is printed and B is expected."""
    return both_quoted(printed, expected, quoted_exactly)


def both_quoted(printed: str, expected: str, quote: Callable[[str], str] = quoted) -> str:
    r"""Return `"A" instead of "B"`; name the first character that differs if it looks alike.

    >>> both_quoted('W', 'B')
    '"W" instead of "B"'
    >>> both_quoted('H\u0435', 'He').partition(' (')[2]
    'with U+0435 CYRILLIC SMALL LETTER IE) instead of "He"'
    """
    texts = printed, expected
    quotations = [*map(quote, where_they_differ(*texts))]
    rests = [text[common_length(*texts) :] for text in texts]
    firsts = [text[:1] for text in rests]
    # Either the characters look alike, or only the texts, as with an accent that is a character.
    for first, second in (firsts, rests):
        if first != second and looks_like(first).rstrip() == looks_like(second).rstrip():
            names = name_of_first(first), name_of_first(second)
            quotations = [quotations[0] + names[0], quotations[1] + names[1]]
            break
    return INSTEAD.join(quotations)


def name_of_first(text: str) -> str:
    """Return the name of the first character of a text that is not ASCII, or `''`."""
    import unicodedata  # seldom needed

    first = next((character for character in text if not character.isascii()), '')
    name = first and unicodedata.name(first, 'without a name')
    return first and f' (with U+{ord(first):04X} {name})'


def lines_with_words(played: PlayedSession, example: Example) -> tuple[str, str]:
    """Return a printed line and the line expected in its place: the first wrong pair with words.

    Lines without words may be part of a frame, and its width depends on the words inside. Return
    the first wrong pair if no other pair of its turn has words, or if only whitespace differs in
    the first.
    """
    bare = example.printed.rstrip('\n'), example.expected.rstrip('\n')
    if all(bare) and example.difference.is_whitespace:
        is_prompt = not example.expected.endswith('\n')
        return (example.printed, example.expected) if is_prompt else bare
    first = example.printed.rstrip(), example.expected.rstrip()
    if all(first) and not any(map(WORD.search, first)):
        wrong = [row for row in Exchange(played).rows if row.is_wrong]
        pairs = [(row.printed.rstrip(), row.expected.rstrip()) for row in wrong]
        return next((pair for pair in pairs if all(map(WORD.search, pair))), first)
    return first


def where_they_differ(left: str, right: str) -> tuple[str, str]:
    """Return both strings, their common beginning shortened if they would look alike when quoted.

    >>> where_they_differ('1 ' * 40 + '2', '1 ' * 40 + '3')
    ('...1 2', '...1 3')
    >>> [len(text) for text in where_they_differ('-' * 80 + '2', '-' * 80 + '3')]
    [44, 44]
    """
    if quoted_exactly(left) != quoted_exactly(right):
        return left, right
    alike = common_length(left, right)
    last_word = left[:alike].rstrip().rfind(' ') + 1
    start = max(last_word, alike - MAX_ALIKE)
    return without_start(left, start), without_start(right, start)
