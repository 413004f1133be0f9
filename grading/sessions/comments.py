"""Distinguishes directives, misspelled directives and comments for people in a transcript.

A misspelled directive is an error; otherwise, one missing letter in "# hidden" would reveal a
hidden session. A directive of another tool is also an error. All other comments are for people. If
a comment ends with a full stop, it does not count as a misspelled directive or (except "advice") as
a directive of another tool.
"""

from __future__ import annotations

import re

from ..printable import common_length
from .directives import DIRECTIVES, OTHER_WORDS, TABLE
from .transcript import MARKS

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
