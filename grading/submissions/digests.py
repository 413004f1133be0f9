"""Digests: has a submission changed, and are two programs the same but for their names?

Programs that differ only in names, whitespace and comments have the same digest. MOSS and JPlag
find programs that are merely alike.
"""

from __future__ import annotations

import builtins
import io
import keyword
import os
import tokenize
from pathlib import Path

from ..installation import digest_of
from .copying import visible_files
from .file_types import SOURCES

MOST_READ = 1 << 17  # that are read of a program
LONGEST_TOKENIZED = 1000  # bytes of a line, because the time grows with its square
FEWEST_TOKENS = 60  # shorter programs may be the same by chance
COMPARED = {'.py', '.h', '.hpp', *SOURCES} - {'.jar'}  # endings of source files
# Names that are not the author's own.
KNOWN_NAMES = {*keyword.kwlist, *dir(builtins), *dir(str), *dir(list), *dir(dict), *dir(set)}
BLOCKS = {tokenize.INDENT: 'begin', tokenize.DEDENT: 'end'}  # however deep they are
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.ENDMARKER)


def fingerprint(folder: Path, facts: object) -> str:
    """Return a digest that changes whenever a file in the folder, or a fact, changes."""
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
    """Return a digest that does not depend on names, whitespace and comments of a program.

    The digest is of the tokens of Python, and of all characters but whitespace in other languages.
    Only source files count; all files do if none of them is known to be one. It is '' for a program
    that is too short to compare.
    """
    files = visible_files(folder)
    sources, left = [], MOST_READ
    for path in [path for path in files if path.suffix in COMPARED] or files:
        with path.open('rb') as stream:
            content = stream.read(left)
        left -= len(content)
        sources.append(tokens_of(content) if path.suffix == '.py' else characters_of(content))
    is_long = sum(map(len, sources)) >= FEWEST_TOKENS
    return digest_of(repr(sorted(sources)).encode()) if is_long else ''


def tokens_of(source: bytes) -> list[str]:
    """Return the tokens of a Python source, with its own names replaced by numbers.

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
        return characters_of(source)  # not valid Python
    return tokens


def characters_of(content: bytes) -> list[str]:
    """Return the characters of a file without whitespace."""
    return [*b''.join(content.split()).decode('latin-1')]
