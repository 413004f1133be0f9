"""Programs that are the same but for names, blanks and comments: a digest that they share.

A teacher is told of these alone: for programs that are merely alike there are MOSS and JPlag.
"""

from __future__ import annotations

import builtins
import hashlib
import io
import keyword
import tokenize
from pathlib import Path

MOST_BYTES = 1 << 17                    # that are read of a program
LONGEST_TOKENIZED = 1000                     # bytes: tokenizing may take the square of that in time
FEWEST_TOKENS = 60                      # of a program: shorter ones are easily the same
# Names that are not the author's own, and so mean something.
KNOWN_NAMES = {*keyword.kwlist, *dir(builtins), *dir(str), *dir(list), *dir(dict), *dir(set)}
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.ENDMARKER)


def digest_of_program(folder: Path) -> str:
    """Return a digest that programs share which differ in names, blanks and comments alone.

    Python is read as tokens; of all else each character counts that is not blank. The digest is ''
    for a program that is too short to tell.
    """
    sources = []
    length, left = 0, MOST_BYTES
    for path in sorted(folder.rglob('*')):
        if path.is_symlink() or not path.is_file():
            continue
        with path.open('rb') as stream:
            content = stream.read(left)
        left -= len(content)
        tokens = tokens_of(content) if path.suffix == '.py' else characters_of(content)
        length += len(tokens)
        sources.append(hashlib.sha256(repr(tokens).encode()).hexdigest())
    return hashlib.sha256(repr(sorted(sources)).encode()).hexdigest() if (
        length >= FEWEST_TOKENS) else ''


def tokens_of(source: bytes) -> list[str]:
    """Return the tokens of a Python source, its own names by the order in which they come.

    >>> tokens_of(b'rows = len(x)  # rows') == tokens_of(b'n=len( y )')
    True
    """
    if max(map(len, source.split(b'\n'))) > LONGEST_TOKENIZED:
        return characters_of(source)
    numbers: dict[str, str] = {}
    tokens = []
    try:
        for token in tokenize.tokenize(io.BytesIO(source).readline):
            if token.type == tokenize.NAME and token.string not in KNOWN_NAMES:
                tokens.append(numbers.setdefault(token.string, f'name {len(numbers)}'))
            elif token.type in (tokenize.INDENT, tokenize.DEDENT):
                tokens.append(tokenize.tok_name[token.type])
            elif token.type not in LAYOUT:
                tokens.append(token.string)
    except (tokenize.TokenError, SyntaxError, ValueError, LookupError, RecursionError):
        return characters_of(source)    # no Python, or none that can be read
    return tokens


def characters_of(content: bytes) -> list[str]:
    """Return the characters of a file that are not blank."""
    return [*b''.join(content.split()).decode('latin-1')]
