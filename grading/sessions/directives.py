"""The table of directives, other tools' names for them, and the directive that a comment contains.

A misspelled directive is an error; otherwise, one missing letter in "# hidden" would reveal a
hidden session. A directive of another tool is also an error. All other comments are for people. If
a comment ends with a full stop, it does not count as a misspelled directive or (except "advice") as
a directive of another tool.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from ..printable import common_length
from . import line_rules
from .line_rules import LineRule

Scope = Literal[
    'session',  # it applies to the whole session, or to all sessions of an assignment
    'line',  # it applies to the next printed line, or to output before it
    'place',  # it applies where it appears in the transcript
]
MARKS = ('#', '$', '|')  # the first characters of lines that are not typed
NUMBER = '[0-9][-0-9.e]*'  # for `near_values`


class Directive(NamedTuple):
    """A directive: a comment on how a session is played and compared."""

    name: str
    scope: Scope
    values: str = ''  # a regular expression for valid values, or '' if the directive takes none
    description: str = ''  # describes valid values in an error message
    sample: str = ''  # an example of a value, for messages
    # Takes the value; returns the fields of `Session`, `ExpectedEnd` or `Rules` that it sets.
    sets: Callable[[str], Mapping[str, Any]] = lambda value: {}
    rule: LineRule | None = None  # how the next printed line is compared
    near_values: str = ''  # matches a value after the name if a colon was forgotten
    # What other tools call it, in the form of the keys of `OTHER_WORDS`.
    other_words: tuple[str, ...] = ()
    # What to advise if such a word is used; '' means this directive, with the same value.
    instead: str = ''
    other_names: tuple[str, ...] = ()  # what else people call it, perhaps misspelled

    @property
    def takes_value(self) -> bool:
        """Whether the directive must have a colon and a value."""
        return bool(self.values)


def points_in(text: str) -> float:
    """Return a string such as '2' as a number of points. Raises `ValueError`.

    >>> points_in('2'), points_in('2.50')
    (2, 2.5)
    """
    if not re.fullmatch(DIRECTIVES['points'].values, text):
        raise ValueError
    number = float(text)
    return int(number) if number.is_integer() else number


TEXT = LineRule(line_rules.is_same_text, '', obeys=('ignore', 'tolerance'))
FREE_TEXT = LineRule(line_rules.is_anything, 'any wording', allows_anything=True)
TABLE = [
    Directive(
        'points',
        'session',
        values='[0-9]{1,6}([.][0-9]{1,6})?',
        description='points must be a number such as 2 or 2.5',
        sample='2',
        sets=lambda value: {'points': points_in(value)},
        near_values=NUMBER,
        other_words=('weight:', 'score:', 'max score:', 'marks:', 'worth:'),
    ),
    Directive('beyond the assignment', 'session', sets=lambda value: {'is_beyond': True}),
    Directive('prints nothing', 'session', sets=lambda value: {'prints_nothing': True}),
    Directive('hidden', 'session', sets=lambda value: {'is_hidden': True}),
    Directive(
        'exit status',
        'session',
        values='[01]?[0-9]{1,2}|2[0-4][0-9]|25[0-5]|any|not 0',
        description='an exit status must be a number from 0 to 255, "any" or "not 0"',
        sample='1',
        sets=lambda value: {'status': int(value) if value.isdigit() else value},
        near_values=f'{NUMBER}|any|not 0',
        other_words=('status:', 'return code:', 'returncode:', 'exit:'),
        other_names=('exit code',),
    ),
    Directive(
        'ignore',
        'session',
        values=r'(case|whitespace)(\s*,\s*(case|whitespace))*',
        description='"# ignore:" takes "case", "whitespace" or both',
        sample='case, whitespace',
        sets=lambda value: {
            'ignores_case': 'case' in value,
            'ignores_whitespace': 'whitespace' in value,
        },
        near_values='(?:case|whitespace)(?:,? (?:case|whitespace))?',
        other_words=('case sensitive', 'case insensitive'),
        instead='case matters, unless you write "# ignore: case"',
    ),
    Directive(
        'tolerance',
        'session',
        values='[0-9]{0,9}[.]?[0-9]{1,20}(e-?[0-9]{1,2})?',
        description='a tolerance must be a number such as 0.01 or 1e-6',
        sample='1e-6',
        sets=lambda value: {'tolerance': float(value)},
        near_values=NUMBER,
        other_words=(
            'epsilon:',
            'precision:',
            'float tolerance:',
            'float absolute tolerance:',
            'float relative tolerance:',
        ),
    ),
    Directive(
        'prompts',
        'session',
        values='free|none',
        description='"# prompts:" takes "free" or "none"',
        sample='free',
        sets=lambda value: {'has_free_prompts': value == 'free'},
        near_values='free',
    ),
    Directive(
        'file',
        'place',
        # No part of the path is empty, `.` or `..`.
        values=r'(?!(.*/)?\.{0,2}(/|$))[^\\]+',
        description="a file path must be relative to the program's folder, for example "
        '"after.csv" or "out/after.csv"',
        sample='after.csv',
    ),
    Directive(
        'free',
        'line',
        rule=LineRule(line_rules.is_anything, 'any line', allows_anything=True),
    ),
    Directive(
        'regex',
        'line',
        rule=LineRule(
            line_rules.matches_expression,
            'a regular expression',
            obeys=('ignore',),
            is_pattern=True,
            check=line_rules.expression_in,
        ),
        other_words=('regexp', 'pattern:'),
        instead='write "# regex" before the printed line',
    ),
    Directive('any lines', 'line'),
    Directive('backslash', 'line'),
    Directive(
        'end of input',
        'place',
        other_words=('eof', 'ctrl d'),
        instead='write "# end of input" instead',
    ),
    Directive('still asks', 'place', sets=lambda value: {'still_asks': True}),
    Directive(
        'type',
        'place',
        values='[#$|].*',
        description='"# type: " is for a line that begins with #, $ or |; write any other line as '
        'it is',
        sample='#3 x',
    ),
]
DIRECTIVES = {row.name: row for row in TABLE}
LINE_RULES = {
    'text': TEXT,
    'words': FREE_TEXT,  # the program may print any lines of free text instead, or none
    'question': FREE_TEXT,  # the program may do the same, and leave out the last newline
    **{row.name: row.rule for row in TABLE if row.rule},
}

# What to write instead of another tool's word, or instead of a planned directive. The key 'a:'
# matches comments with any value, 'a: b' matches comments with the value 'b', and 'a' matches
# comments with any value or none. {value} stands for the value in the transcript.
NOT_YET = 'not supported yet'
OTHER_WORDS = {
    **{
        word: row.instead or f'write "# {row.name}: {{value}}" instead'
        for row in TABLE
        for word in row.other_words
    },
    **dict.fromkeys(
        ('args:', 'argv:', 'arguments:'),
        'write the command line at the top: "$ program.py {value}"',
    ),
    'stdin': 'write each typed line as it is',
    **dict.fromkeys(('stdout', 'expected:'), 'write "|" before each line that is printed'),
    'seed:': 'the grader sets no seed; to pass one to the program, write a command line at the '
    'top: '
    '"$ program.py {value}"',
    **dict.fromkeys(
        ('requires:', 'depends:', 'depends on:'),
        'sessions cannot depend on each other; each gets its own points',
    ),
    **dict.fromkeys(
        ('group:', 'subtask:', 'category:'),
        'put the sessions of each group into a subfolder of the assignment',
    ),
    # Planned directives.
    **dict.fromkeys(
        ('timeout:', 'time limit:', 'timelimit:'),
        f'{NOT_YET}; for all sessions, write "timeout = {{value}}" in assignment.ini',
    ),
    **dict.fromkeys(('memory:', 'memory limit:'), f'{NOT_YET}; the memory limit is fixed'),
    **dict.fromkeys(('stderr', 'standard error'), f'{NOT_YET}; standard error is not graded'),
    'visibility:': f'{NOT_YET}; write "# hidden", or "visibility = {{value}}" in assignment.ini',
    'hidden: expected': f'{NOT_YET}; "# hidden" also hides what is typed',
    **dict.fromkeys(
        ('advice:', 'hint:'), f'{NOT_YET}; write it as the title, which is the first comment'
    ),
    **{
        f'ignore: {old}': f'write "# ignore: {old.replace("blanks", "whitespace")}" instead'
        for old in ('blanks', 'case, blanks', 'blanks, case')
    },
    'ignore: trailing whitespace': f'{NOT_YET}; "# ignore: whitespace" ignores it everywhere',
    **dict.fromkeys(('contains', 'substring'), f'{NOT_YET}; write "# regex", and then "|.*TEXT.*"'),
    **dict.fromkeys(('numbers', 'numeric'), f'{NOT_YET}; write "# tolerance: 1e-6" or "# regex"'),
    'or': f'{NOT_YET}; write "# regex", and then "|ONE LINE|THE OTHER"',
    **dict.fromkeys(
        ('any order', 'in order', 'unordered'),
        f'{NOT_YET}; a program in files/ can sort the output',
    ),
    'optional': f'{NOT_YET}; replace the line with "# any lines"',
    'recall': f'{NOT_YET}; write "# regex" for a line that depends on chance',
}

FOR_PEOPLE = '(if this is just a comment, end it with a period)'
# Matches a directive's name at the beginning of a comment.
BEGINS_WITH_DIRECTIVE = re.compile(f'(?:{"|".join(DIRECTIVES)})(?![a-z])')
# Matches a name, perhaps misspelled, and a directive's value without a colon between them.
WITHOUT_COLON = re.compile(
    '([^:]+?) (' + '|'.join(row.near_values for row in TABLE if row.near_values) + ')'
)
# Matches a word, perhaps with a value: a number, or anything after a colon or an equals sign.
WORD_AND_VALUE = re.compile('([^:=]+?)(?: ?[:=] ?(.+)| ([0-9][-0-9.e]*))?')
# Maps spellings to rows of the table: first the names of directives without a value, then those of
# directives with a value, and finally other names people use for a directive.
SPELLINGS = {
    **{row.name: row for row in sorted(TABLE, key=lambda row: row.takes_value)},
    **{word: row for row in TABLE for word in row.other_names},
}


def directive_in(line: str) -> tuple[str, str]:
    """Return the name and the value of the directive in a line, or ('', '') if there is none.

    Raises `ValueError` for a wrong value, a misspelled directive, a directive of another tool, or a
    planned directive.

    >>> directive_in('# tolerance: 1e-6'), directive_in('#free'), directive_in('# A tie.')
    (('tolerance', '1e-6'), ('free', ''), ('', ''))
    """
    if not line.startswith('#'):
        return '', ''
    comment = ' '.join(line[1:].split())
    word, colon, _ = comment.partition(':')
    if comment in DIRECTIVES and not DIRECTIVES[comment].takes_value:
        return comment, ''
    # The value of "advice" is a sentence, so its full stop does not mark a comment for people.
    is_for_people = comment.endswith('.') and word.lower() != 'advice'
    instead = '' if is_for_people else what_to_write_for(comment)
    if instead:
        raise ValueError(f'"# {comment}": {instead} {FOR_PEOPLE}')
    name = word.rstrip()
    if colon and name in DIRECTIVES and DIRECTIVES[name].takes_value:
        return name, value_in(name, line.partition(':')[2])
    if comment.endswith('.'):
        return '', ''
    begun = BEGINS_WITH_DIRECTIVE.match(comment)
    if begun and DIRECTIVES[begun[0]].takes_value:
        raise ValueError(
            f'"# {begun[0]}" needs a colon and a value, as in '
            f'"# {begun[0]}: {DIRECTIVES[begun[0]].sample}" {FOR_PEOPLE}'
        )
    if begun:
        raise ValueError(f'"# {begun[0]}" must be alone on its line {FOR_PEOPLE}')
    meant = directive_meant(comment)
    if meant:
        raise ValueError(f'write "# {meant}" instead of "# {comment}" {FOR_PEOPLE}')
    return '', ''


def value_in(name: str, text: str) -> str:
    """Return the value in the text after a directive's colon. Raises `ValueError`."""
    row = DIRECTIVES[name]
    if name == 'type':  # all spaces after the first belong to the value
        if not re.fullmatch(f' {row.values}', text, re.DOTALL):
            raise ValueError(row.description)
        return text[1:]
    value = text.strip()
    if not re.fullmatch(row.values, value) or (name == 'file' and not value.isprintable()):
        raise ValueError(f'{row.description}, not {value!r}')
    return value


def what_to_write_for(comment: str) -> str:
    """Return what to write instead of another tool's directive, or of a planned one, or ''.

    >>> what_to_write_for('weight: 2'), what_to_write_for('Weights')
    ('write "# points: 2" instead', '')
    """
    found = WORD_AND_VALUE.fullmatch(comment)
    if not found:
        return ''
    value = found[2] or found[3] or ''
    word = re.sub('[_-]', ' ', found[1].lower())
    spellings = [f'{word}: {value.lower()}', f'{word}:', word] if value else [word]
    advice = (OTHER_WORDS[words] for words in spellings if words in OTHER_WORDS)
    return next(advice, '').format(value=value)


def directive_meant(comment: str) -> str:
    """Return the directive the author of a comment probably meant, or ''.

    >>> directive_meant('Point: 2'), directive_meant('hiden'), directive_meant('Tree')
    ('points: 2', 'hidden', '')
    """
    small = comment.lower()
    word, colon, value = small.partition(':')
    plain = WITHOUT_COLON.fullmatch(small)
    if plain:
        word, value = plain.groups()
    word = word.rstrip()
    for spelling, row in SPELLINGS.items():
        name = row.name
        if comment[:1].isupper() and len(name) == 4 <= len(word) and name[0] not in word:
            continue  # a title with a short word: "Tree" does not mean "free"
        if not row.takes_value:
            if are_near(word, name, 1):
                return name
        elif (colon or plain) and are_near(word, spelling, 2 if colon else 1):
            keeps_case = name in ('file', 'type')
            meant = (comment[len(comment) - len(value) :] if keeps_case else value).strip()
            if name != 'type' or meant.startswith(MARKS):  # "time: 5" does not mean "type: 5"
                return f'{name}: {meant or row.sample}'
    return ''


def are_near(word: str, other: str, most: int) -> bool:
    """Return whether at most `most` edits turn one word into the other.

    An edit changes, adds or removes a letter, or swaps two adjacent letters.

    >>> are_near('hiden', 'hidden', 1), are_near('tree', 'free', 1), are_near('point', 'prompt', 1)
    (True, True, False)
    """
    same = common_length(word, other)
    word, other = word[same:], other[same:]
    if not (word and other and most):
        return len(word + other) <= most
    # What is left of both words after one edit: a letter is changed, added or removed, or two
    # letters are swapped.
    rests = [(word[1:], other[1:]), (word, other[1:]), (word[1:], other)]
    if word[:2] == other[:2][::-1]:
        rests.append((word[2:], other[2:]))
    return any(are_near(rest, other_rest, most - 1) for rest, other_rest in rests)
