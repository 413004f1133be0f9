"""Computes digests, to find out whether a submission has changed, and whether programs are equal.

If Python programs differ only in names, whitespace and comments, they have the same digest. To find
merely similar programs, use MOSS or JPlag.
"""

from __future__ import annotations

import builtins
import io
import keyword
import os
import tokenize
from pathlib import Path

from ..installation import digest_of
from .copying import MODULES, SOURCES
from .which_program import own_files

MAX_READ = 1 << 17  # maximum bytes to read of a program
LONGEST_TOKENIZED = 1000  # maximum bytes in a line: tokenizing it takes quadratic time
MIN_TOKENS = 60  # programs with fewer tokens (or characters) may be equal by chance
COMPARED = {*MODULES, '.h', '.hpp', *SOURCES} - {'.jar'}  # suffixes of source files
# Python's own names: they must be the same in equal programs. All other names count as the
# author's, and may differ.
KNOWN_NAMES = {*keyword.kwlist, *dir(builtins), *dir(str), *dir(list), *dir(dict), *dir(set)}
BLOCKS = {tokenize.INDENT: 'begin', tokenize.DEDENT: 'end'}  # what replaces the indentation
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.ENDMARKER)


def fingerprint(folder: Path, facts: object) -> str:
    """Return a digest that changes whenever `facts` or any file in the folder changes."""
    found = [facts]
    for path in sorted(folder.rglob('*')):
        link = os.readlink(path) if path.is_symlink() else ''
        content = path.read_bytes() if path.is_file() and not link else b''
        found.append(
            (
                str(path.relative_to(folder)),
                link,
                path.is_dir(),
                os.access(path, os.X_OK),
                digest_of(content),
            )
        )
    return digest_of(repr(found).encode(errors='surrogateescape'))


def digest_of_program(folder: Path) -> str:
    """Return the digest shared by equal programs, or `''` if the program is too short to compare.

    Python programs are equal if they differ only in names, whitespace and comments. Programs in
    other languages are equal if they differ only in whitespace. Only source files are compared, or
    all files if the submission has no source file in a known language; links and hidden files do
    not count. At most `MAX_READ` bytes are compared.
    """
    files = own_files(folder)
    compared = [path for path in files if path.suffix in COMPARED] or files
    sources, left = [], MAX_READ
    for path in compared:
        with path.open('rb') as stream:
            content = stream.read(left)
        left -= len(content)
        sources.append(tokens_of(content) if path.suffix in MODULES else characters_of(content))
    is_long = sum(map(len, sources)) >= MIN_TOKENS
    return digest_of(repr(sorted(sources)).encode()) if is_long else ''


def tokens_of(source: bytes) -> list[str]:
    """Return the tokens of a Python file, with the author's names replaced by numbers.

    If the file cannot be tokenized or has a very long line, return its characters instead.

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
            elif token.type not in LAYOUT:
                tokens.append(BLOCKS.get(token.type, token.string))
    except (tokenize.TokenError, SyntaxError, ValueError, LookupError, RecursionError):
        return characters_of(source)
    return tokens


def characters_of(content: bytes) -> list[str]:
    """Return the characters of a file, except whitespace."""
    return [*b''.join(content.split()).decode('latin-1')]
