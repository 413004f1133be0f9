"""The statements of a source file, and which names each defines and uses; read by its tokens alone.

A source may be anything: it is neither compiled nor parsed, which could end the grader, and where
its tokens end in an error, so do its statements. A compound statement is its header alone.
"""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from dataclasses import dataclass, field
from typing import Iterator

MOST = 1 << 19                          # characters of a source that is read
OPENING, CLOSING = ('(', '[', '{'), (')', ']', '}')
AUGMENTED = re.compile(r'(\*\*|//|>>|<<|[-+*/%&|^@])?=')
WORD = re.compile(r'[^\W\d]\w*')


@dataclass
class Statement:
    """A statement: its lines, and the names in it."""

    first: int
    last: int
    function: str = ''                  # the innermost around it; of a header, the function itself
    headers: list[int] = field(default_factory=list)    # the first lines of those around it
    keyword: str = ''                   # that it begins with, such as def, if, return
    defines: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)
    objects: set[str] = field(default_factory=set)      # whose attributes it uses
    calls: set[str] = field(default_factory=set)


def statements(source: str) -> list[Statement]:
    """Return the statements of a source, in order.

    >>> [(s.first, s.last, s.defines, s.headers) for s in statements('if a:\\n  b = (\\n  1)\\n')]
    [(1, 1, set(), []), (2, 3, {'b'}, [1])]
    """
    found: list[Statement] = []
    around: list[Statement] = []
    tokens: list[tokenize.TokenInfo] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source[:MOST]).readline):
            if token.type == tokenize.NEWLINE:
                found.append(statement(tokens, around))
                tokens = []
            elif token.type == tokenize.INDENT and found:
                around.append(found[-1])
            elif token.type == tokenize.DEDENT and around:
                around.pop()
            elif token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER,
                                    tokenize.INDENT, tokenize.DEDENT):
                tokens.append(token)
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return found


def statement(tokens: list[tokenize.TokenInfo], around: list[Statement]) -> Statement:
    """Return the statement that some tokens are."""
    first, last = (tokens[0].start[0], tokens[-1].end[0]) if tokens else (0, 0)
    result = Statement(first, last, around[-1].function if around else '',
                       [header.first for header in around])
    words = [word for token in tokens for word in words_of(token)]
    if words and words[0] == 'async':
        words = words[1:]
    result.keyword = words[0] if words and keyword.iskeyword(words[0]) else ''
    if result.keyword in ('def', 'class') and len(words) > 1:
        result.function = words[1]
    for name, following in zip(words, [*words[1:], '']):
        if is_name(name):
            (result.objects if following == '.' else result.uses).add(name)
            if following == '(':
                result.calls.add(name)
    result.defines = set(defined(words))
    return result


def words_of(token: tokenize.TokenInfo) -> list[str]:
    """Return names and operators of a token: of a formatted string, the names in its braces."""
    if token.type in (tokenize.NAME, tokenize.OP):
        return [token.string]
    if token.type == tokenize.STRING:
        is_formatted = 'f' in token.string[:3].partition(token.string[-1])[0].lower()
        inside = ' '.join(re.findall(r'\{([^{}]*)\}', token.string)) if is_formatted else ''
        return ['"', *re.findall(r'[^\W\d]\w*|\(', inside)]
    return ['0']


def is_name(word: str) -> bool:
    """Return whether a word is a name."""
    return bool(WORD.fullmatch(word)) and not keyword.iskeyword(word)


def defined(words: list[str]) -> Iterator[str]:
    """Yield the names that a statement defines, or changes what they stand for."""
    if words[:1] == ['def']:
        yield from filter(is_name, words[1:])
    elif words[:1] == ['for'] and 'in' in words:
        yield from filter(is_name, words[1:words.index('in')])
    elif words[:1] == ['import'] or words[:1] == ['from']:
        yield from filter(is_name, words)
    for before, name in zip(words, words[1:]):
        if before == 'as' and is_name(name):
            yield name
    depth, target = 0, ''
    targets = []
    for number, word in enumerate(words):
        depth += (word in OPENING) - (word in CLOSING)
        if depth == 0 and is_name(word):
            target = word
        if depth == 0 and word == ',' and target:
            targets.append(target)
        if depth == 0 and AUGMENTED.fullmatch(word) and not keyword.iskeyword(words[0]):
            yield from [*targets, target]
            targets = []
        if word == ':=' and is_name(words[number - 1]):
            yield words[number - 1]
    if words and is_name(words[0]) and words[-1:] == [')'] and len(words) > 3:
        call = words.index('(') if '(' in words else 0
        if call > 2 and words[call - 2] == '.':         # a method that may change its object
            yield from filter(is_name, words[:call - 1])
