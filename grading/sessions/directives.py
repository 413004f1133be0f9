"""Directives: comments of a session that say how it is played and compared.

    # points: 2                 its weight; 1 without
    # beyond the assignment     it goes further than the assignment promises
    # prints nothing            nothing is due in it
    # hidden                    students do not see what is typed and printed in it
    # exit status: 1            also "any" and "not 0"; 0 without
    # ignore: case, blanks      in all lines: the case of letters, how many blanks there are
    # tolerance: 1e-6           how far numbers may be from those that are due
    # prompts: free             the program may print any prompts, or none; "none": it may not
    # file: after.csv           when the program has ended, this file has the lines that follow

    # free                      any one line is right in place of the next printed line
    # regex                     the next printed line is a regular expression
    # any lines                 any lines may come here
    # end of input              standard input ends here
    # still asks                the program waits for more input; the grader ends it
    # type: #3 x                a typed line, where it begins with #, $ or |
    # backslash                 the next printed line ends with a backslash and a newline

Any other comment is for people.
"""

from __future__ import annotations

import re
import warnings
from os.path import commonprefix
from typing import NamedTuple

FLAGS = ('beyond the assignment', 'prints nothing', 'hidden', 'free', 'regex', 'any lines',
         'end of input', 'still asks', 'backslash')
# What values look like, and what they are.
VALUES = {
    'points': ('[0-9]{1,6}([.][0-9]{1,6})?', 'points are a number such as 2 or 2.5'),
    'exit status': ('[01]?[0-9]{1,2}|2[0-4][0-9]|25[0-5]|any|not 0',
                    'an exit status is a number from 0 to 255, "any" or "not 0"'),
    'ignore': (r'(case|blanks)(\s*,\s*(case|blanks))*',
               '"# ignore:" takes "case", "blanks" or both'),
    'tolerance': ('[0-9]{0,9}[.]?[0-9]{1,20}(e-?[0-9]{1,2})?',
                  'a tolerance is a number such as 0.01 or 1e-6'),
    'prompts': ('free|none', '"# prompts:" takes "free" or "none"'),
    'file': (r'(?!(.*/)?\.{0,2}(/|$))[^\\]+',     # no empty part, no dots alone
             'the path of a file is given from the program\'s folder, as in "after.csv" or '
             '"out/after.csv"')}
VALUED = (*VALUES, 'type')
PLACED = ('free', 'regex', 'any lines', 'end of input', 'still asks', 'file', 'type', 'backslash')
MARKS = ('#', '$', '|')                 # with which lines begin that are not typed as they are
FIRST_FLAGS = re.compile(r'(\(\?[a-zA-Z]+\))+')      # which hold for a whole expression
SPELLINGS = {**{name: name for name in FLAGS + VALUED}, 'exit code': 'exit status'}
WORD = re.compile(f'(?:{"|".join(FLAGS + VALUED)})(?![a-z])')
# A value, where the colon before it has been forgotten.
PLAIN = re.compile(
    '([^:]+?) ([0-9][-0-9.e]*|any|not 0|(?:case|blanks)(?:,? (?:case|blanks))?|free)')
ATTRIBUTES = {'beyond the assignment': 'is_beyond', 'prints nothing': 'prints_nothing',
              'hidden': 'is_hidden', 'still asks': 'still_asks'}


class Rules(NamedTuple):
    """The rules by which all lines of a session are compared."""

    ignores_case: bool = False
    ignores_blanks: bool = False        # their number, and lines of nothing else
    tolerance: float | None = None      # of numbers, None where they are text


EXACT = Rules()


def directive_in(line: str) -> tuple[str, str]:
    """Return the name and the value of the directive in a line, ('', '') if it has none.

    Raises `ValueError` for a comment that begins like a directive, or is nearly one, and for a
    wrong value.

    >>> directive_in('# tolerance: 1e-6'), directive_in('#free'), directive_in('# A tie.')
    (('tolerance', '1e-6'), ('free', ''), ('', ''))
    """
    if not line.startswith('#'):
        return '', ''
    comment = ' '.join(line[1:].split())
    word, colon, _ = comment.partition(':')
    if comment in FLAGS:
        return comment, ''
    if colon and word.rstrip() in VALUED:
        return word.rstrip(), value_in(word.rstrip(), line.partition(':')[2])
    if comment.endswith('.'):
        return '', ''
    begun = WORD.match(comment)
    if begun and begun[0] in VALUED:
        raise ValueError(f'"# {begun[0]}" needs a colon and a value, as in '
                         f'"# {begun[0]}: {SAMPLE_VALUES[begun[0]]}"; {FOR_PEOPLE}')
    if begun:
        raise ValueError(f'after "# {begun[0]}" nothing may follow; {FOR_PEOPLE}')
    meant = directive_meant(comment)
    if meant:
        raise ValueError(f'write "# {meant}" instead of "# {comment}"; {FOR_PEOPLE}')
    return '', ''


def value_in(name: str, text: str) -> str:
    """Return the value of a directive, which stands behind its colon. Raises `ValueError`."""
    if name == 'type':                  # behind the blank nothing is stripped
        if text[:1] != ' ' or not text[1:].startswith(MARKS):
            raise ValueError('"# type: " is for a line that begins with #, $ or |; type any other '
                             'line as it is')
        return text[1:]
    value = text.strip()
    pattern, description = VALUES[name]
    if not re.fullmatch(pattern, value) or (name == 'file' and not value.isprintable()):
        raise ValueError(f'{description}, not {value!r}')
    return value


def directive_meant(comment: str) -> str:
    """Return the directive that a comment nearly is, '' for none.

    >>> directive_meant('Point: 2'), directive_meant('hiden'), directive_meant('Tree')
    ('points: 2', 'hidden', '')
    """
    small = comment.lower()
    word, colon, value = small.partition(':')
    plain = PLAIN.fullmatch(small)
    if plain:
        word, value = plain.groups()
    word = word.rstrip()
    for spelling, name in SPELLINGS.items():
        if comment[:1].isupper() and len(name) == 4 <= len(word) and name[0] not in word:
            continue                    # a title, and another short word: "Tree" is not free
        if name in FLAGS:
            if are_near(word, name, 1):
                return name
        elif (colon or plain) and are_near(word, spelling, 1 + bool(colon)):
            own = (comment[-len(value):] if name in ('file', 'type') else value).strip()
            if name != 'type' or own.startswith(MARKS):     # a time is not a type
                return f'{name}: {own or SAMPLE_VALUES[name]}'
    return ''


def are_near(word: str, other: str, most: int) -> bool:
    """Return whether a few edits make one word of the other.

    An edit changes a letter, adds one, leaves one out, or swaps it with the next.
    """
    same = len(commonprefix([word, other]))
    word, other = word[same:], other[same:]
    if not (word and other and most):
        return len(word + other) <= most
    return any(are_near(word[one:], other[two:], most - 1)
               for one, two in ((1, 1), (1, 0), (0, 1), (2, 2))
               if one < 2 or word[:2] == other[1::-1])


FOR_PEOPLE = 'a comment for people ends with a full stop'
SAMPLE_VALUES = {'points': '2', 'exit status': '1', 'ignore': 'case, blanks',
                 'tolerance': '1e-6', 'prompts': 'free', 'file': 'after.csv', 'type': '#3 x'}


def expression_in(text: str, rules: Rules) -> re.Pattern[str]:
    """Return the compiled regular expression of a printed line. Raises `ValueError`.

    >>> bool(expression_in('(?i)yes|no', Rules(ignores_blanks=True)).fullmatch(' NO '))
    True
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', FutureWarning)
            warnings.simplefilter('error', DeprecationWarning)      # of flags that stand elsewhere
            expression = re.compile(text, re.IGNORECASE if rules.ignores_case else 0)
            if rules.ignores_blanks:
                end = '\n' if expression.flags & re.VERBOSE else ''     # of a comment
                expression = re.compile(fr'\s*(?:{FIRST_FLAGS.sub("", text)}{end})\s*',
                                        expression.flags)
    except (re.error, RecursionError, OverflowError, DeprecationWarning) as error:
        raise ValueError(f'not a regular expression: {error}') from None
    return expression
