"""Makes untrusted text safe to display, by escaping control characters."""

from __future__ import annotations

import re
import signal
import unicodedata
from collections.abc import Iterable, Sequence

# Characters that are invisible although Python considers them printable: fillers, variation
# selectors, other code points called "default ignorable" in Unicode, and the blank Braille pattern.
UNSEEN = re.compile(
    '[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0'
    '\U0001d159\U000e0000-\U000e0fff]'
)
MARKS = ('Mn', 'Me')  # categories of characters drawn on the preceding character
MAX_MARKS = 4  # marks on one character; more would cover the lines above and below
LONGEST_LINE = 400  # how many characters of a line to display
LONGEST_TEXT = 4000  # how many characters of multi-line text to display
MAX_LINES = 60  # how many lines of multi-line text to display
LONGEST_QUOTE = 60  # how many characters of a quotation to display
CUT = '...'  # marks where text was cut
FEW = 9  # characters a reader can count at a glance


def printable(text: str, keep: str = '') -> str:
    """Return text with every control, bidirectional or other invisible character escaped.

    Also escape marks, such as accents, after the first `MAX_MARKS` on a character. `keep` is a
    character to leave as it is, or ''.

    >>> print(printable('a\\x1b[2J\\u202e b\\n'))
    a\\x1b[2J\\u202e b\\n
    """
    if text.isascii() and text.replace(keep, '').isprintable():
        return text
    shown, marks = [], 0
    for c in text:
        marks = marks + 1 if unicodedata.category(c) in MARKS else 0
        is_shown = c.isprintable() and not UNSEEN.match(c) and marks <= MAX_MARKS
        shown.append(c if c in keep or is_shown else c.encode('unicode_escape').decode())
    return ''.join(shown)


def did_you_mean(word: str, names: Iterable[str], before: str = '') -> str:
    """Return a question that suggests the most similar name, or '' if none is similar.

    `before` is text to show in front of the name, such as a folder.

    >>> did_you_mean('grad', ['grade', 'pack']), did_you_mean('x', ['grade'])
    ('; did you mean grade?', '')
    """
    from difflib import get_close_matches  # seldom needed

    near = get_close_matches(word, list(names), 1)
    return f'; did you mean {printable(before + near[0])}?' if near else ''


def list_names(names: Sequence[str], most: int, comma: str = ', ') -> str:
    """Return a list of names as text: the first `most` names, and how many more there are.

    >>> list_names(['a', 'b\\t', 'c'], 2)
    'a, b\\\\t, and 1 more'
    """
    more = [f'and {len(names) - most} more'] if len(names) > most else []
    return comma.join([*map(printable, names[:most]), *more])


def counted(number: int, word: str = 'session') -> str:
    """Return a number and a noun, in the plural unless the number is 1.

    >>> counted(1), counted(2, 'program')
    ('1 session', '2 programs')
    """
    return f'{number} {word}' if number == 1 else f'{number} {word}s'


def common_length(left: Sequence[object], right: Sequence[object]) -> int:
    """Return the length of the longest common prefix of two sequences.

    >>> common_length('VALID', 'VALUE'), common_length('', 'VALID')
    (3, 0)
    """
    for length, (first, second) in enumerate(zip(left, right, strict=False)):
        if first != second:
            return length
    return min(len(left), len(right))


def shorten(text: str, most: int, start: int = 0) -> str:
    """Return the text from the index `start`, cut to a length of `most`; dots mark each cut.

    >>> shorten('one two three', 9), shorten('one two three', 9, 4), shorten('one', 9)
    ('one tw...', '...two...', 'one')
    """
    part = without_start(text, start)
    return part if len(part) <= most else part[: most - len(CUT)] + CUT


def without_start(text: str, start: int) -> str:
    """Return the text from the index `start`; dots mark the cut.

    >>> without_start('one two', 4), without_start('one two', 0)
    ('...two', 'one two')
    """
    return CUT + text[start:] if start > 0 else text


def with_visible_end(line: str) -> str:
    """Return a line without its newline, with trailing spaces made visible.

    >>> with_visible_end('W .  \\n')
    'W .\xb7\xb7'
    """
    bare = line.rstrip('\n')
    return bare.rstrip(' ').ljust(len(bare), '\N{MIDDLE DOT}')


def quoted(text: str) -> str:
    """Return untrusted text in quotes, shortened.

    >>> quoted('VALID'), quoted('*' * 50)
    ('"VALID"', '"*" (50 times in one line)')
    """
    if len(text) > FEW and len(set(text)) == 1:
        return f'"{printable(text[0])}" ({len(text)} times in one line)'
    return f'"{printable(shorten(text, LONGEST_QUOTE + len(CUT)))}"'


def quoted_line(line: str) -> str:
    """Return a line in quotes, or in words if it is empty or has only whitespace.

    >>> quoted_line('VALID'), quoted_line(''), quoted_line(' ')
    ('"VALID"', 'an empty line', 'a line of spaces')
    """
    if line.strip():
        return quoted(line)
    return 'a line of spaces' if line else 'an empty line'


def quoted_exactly(text: str) -> str:
    """Return text in quotes, with trailing spaces made visible, and a newline in words.

    >>> quoted_exactly('W . '), quoted_exactly('Number:\\n')
    ('"W .\xb7"', '"Number:" and a newline')
    """
    shown = quoted(with_visible_end(text))
    return f'{shown} and a newline' if text.endswith('\n') else shown


def decoded(text: bytes) -> str:
    """Return bytes as text; escape bytes that are not UTF-8."""
    return text.decode(errors='backslashreplace')


def clean(text: str, has_lines: bool = False) -> str:
    r"""Return untrusted text, escaped and truncated.

    With `has_lines`, no newline is escaped. Otherwise, the result is a single line: newlines within
    the text are escaped, and newlines at its end become one newline, or are cut off.

    >>> clean('a\x1b[2J\n'), clean('x' * 500)[-4:]
    ('a\\x1b[2J\n', 'x...')
    """
    most = len(CUT) + (LONGEST_TEXT if has_lines else LONGEST_LINE)
    text, newline = text[: most + 1], text.endswith('\n') and len(text) <= most
    if has_lines:
        lines = text.split('\n')
        kept = lines if len(lines) <= MAX_LINES else [*lines[:MAX_LINES], CUT]
        shown = printable('\n'.join(kept), keep='\n')
    elif newline:
        shown = printable(text.rstrip('\n')) + '\n'
    else:
        shown = printable(text)
    return shorten(shown, most)


def status_in_words(status: int) -> str:
    """Return an exit status in words, or the signal, if it is negative.

    >>> status_in_words(1), status_in_words(-11)
    ('exit status 1', 'signal 11 (SIGSEGV)')
    """
    if status >= 0:
        return f'exit status {status}'
    name = next((known.name for known in signal.Signals if known == -status), '')
    return f'signal {-status} ({name})' if name else f'signal {-status}'
