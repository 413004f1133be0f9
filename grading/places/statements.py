"""The statements of a source file, read by its tokens alone.

A source may be anything: it is neither compiled nor parsed, which could end the grader, and where
its tokens end in an error, so do its statements. A compound statement is its header alone.
"""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from dataclasses import dataclass
from typing import Iterator

OPENING, CLOSING = ('(', '[', '{'), (')', ']', '}')
ASSIGNMENT = re.compile(r'(\*\*|//|>>|<<|[-+*/%&|^@])?=')
BRACES = re.compile(r'\{([^{}]*)\}')
NAME = re.compile(r'[^\W\d]\w*')
LAYOUT = (tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER, tokenize.INDENT, tokenize.DEDENT)


@dataclass(frozen=True, eq=False)       # a statement is only like itself
class Statement:
    """A statement of a file, of which it is the one with this `number`."""

    file: str
    number: int
    first: int                          # its lines
    last: int
    size: int = 0                       # how many tokens it has
    keyword: str = ''                   # that it begins with, such as def, if, return
    function: int = 0                   # the first line of the innermost around it, 0 if none
    names: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()  # the names that it sets, in no block, for all that follows


def statements(file: str, source: str) -> list[Statement]:
    """Return the statements of a source, in order.

    >>> [(s.first, s.last, s.keyword, *s.sets) for s in statements('', 'n = (\\n 1)\\nif n: n = 2')]
    [(1, 2, '', 'n'), (3, 3, 'if')]
    """
    found: list[Statement] = []
    around: list[Statement] = []
    tokens: list[tokenize.TokenInfo] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NEWLINE and tokens:
                found.append(statement(file, len(found), tokens, around))
                tokens = []
            elif token.type == tokenize.INDENT and found:
                around.append(found[-1])
            elif token.type == tokenize.DEDENT and around:
                around.pop()
            elif token.type not in LAYOUT:
                tokens.append(token)
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return found


def statement(file: str, number: int, tokens: list[tokenize.TokenInfo],
              around: list[Statement]) -> Statement:
    """Return the statement that some tokens are."""
    words = [word for token in tokens for word in words_of(token)]
    names = filter(NAME.fullmatch, words)
    return Statement(
        file, number, tokens[0].start[0], tokens[-1].end[0], len(tokens),
        next((word for word in words[:2] if keyword.iskeyword(word) and word != 'async'), ''),
        next((header.first for header in reversed(around) if header.keyword == 'def'), 0),
        frozenset(name for name in names if not keyword.iskeyword(name)),
        frozenset() if around else frozenset(set_by(words)))


def words_of(token: tokenize.TokenInfo) -> list[str]:
    """Return names and operators of a token: of a string, the names in its braces."""
    if token.type == tokenize.STRING:
        return ['""', *(name for inside in BRACES.findall(token.string)
                        for name in NAME.findall(inside))]
    return [token.string]


def set_by(words: list[str]) -> Iterator[str]:
    """Yield the names that an assignment sets."""
    depth = 0
    targets: list[str] = []
    for word in words:
        depth += (word in OPENING) - (word in CLOSING)
        if depth == 0 and ASSIGNMENT.fullmatch(word):
            yield from targets
        elif NAME.fullmatch(word):
            if keyword.iskeyword(word):
                return
            targets += [word] if depth == 0 else []
