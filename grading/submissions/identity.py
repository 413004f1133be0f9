"""The identity of a submission: its name, a fingerprint, a seed, and a digest of its program.

Programs that differ only in names, blanks and comments have the same digest. MOSS and JPlag find
programs that are merely alike.
"""

from __future__ import annotations

import builtins
import io
import keyword
import os
import re
import stat
import tokenize
import unicodedata
from collections import Counter
from pathlib import Path, PureWindowsPath
from random import SystemRandom
from typing import Sequence

from ..printable import printable
from ..sandbox.program import HAS_SANDBOX, words_in
from ..sandbox.untrusted_files import NO_LINK
from .submission import ONE_FILE, visible_files

LONGEST_FOLDER_NAME = 120               # bytes; a file system may allow no more than 255
# Characters that some system forbids in names; and those that hide a file when its name starts
# with them, or are lost at its end.
FORBIDDEN = re.compile(r'[/\\:*?"<>|]+')
EDGES = '. '
# Names that Windows reserves, with any ending, and those of files in the folder of all results.
RESERVED = re.compile(r'(con|prn|aux|nul|com\d|lpt\d)(\..*)?|grades\.csv|index\.html'
                      r'|session-\d+\.html',
                      re.IGNORECASE)
INTERPRETER = re.compile(r'(python|pypy)[0-9.]*(\.exe)?|py(\.exe)?|java|node|ruby|perl|php|lua'
                         r'|(ba)?sh|runghc')
WITH_VALUE = ('-cp', '-classpath', '-X', '-W', '-c', '-e')      # their options that take a value
ENDING = re.compile(r'\.(py|jar|m?js|rb|pl|php|lua|sh|hs|exe)$')

SEEDS = 10**9                           # as many as the command line takes
SECRET = '.secret-of-the-class'         # in --out; no submission's name begins with a dot
SECRET_BYTES = 32

MOST_READ = 1 << 17                     # that are read of a program
LONGEST_TOKENIZED = 1000                # bytes of a line, because the time grows with its square
FEWEST_TOKENS = 60                      # shorter programs may be the same by chance
# Names that are not the author's own.
KNOWN_NAMES = {*keyword.kwlist, *dir(builtins), *dir(str), *dir(list), *dir(dict), *dir(set)}
BLOCKS = {tokenize.INDENT: 'begin', tokenize.DEDENT: 'end'}     # however deep they are
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.ENDMARKER)


def submission_names(sources: Sequence[Path]) -> list[str]:
    """Return a name for each submission: that of its folder, or of its file without the ending.

    The ending stays where another submission has the same name.
    """
    own = [Path(os.path.abspath(source)) for source in sources]     # a link has its own name
    short = [path.stem if path.suffix.lower() in ONE_FILE and path.is_file() else path.name
             for path in own]
    often = Counter(map(str.casefold, short))
    taken: set[str] = set()
    return [folder_name(name if often[name.casefold()] == 1 else path.name, taken)
            for path, name in zip(own, short)]


def folder_name(wanted: str, taken: set[str]) -> str:
    """Return a name for a folder like the one wanted, but unlike all in `taken`, and add it there.

    Capital and small letters count as the same.

    >>> taken = set()
    >>> [folder_name(name, taken) for name in ('Ann', 'ann', '../x', 'con', '')]
    ['Ann', 'ann-2', '-x', 'con_', 'unnamed']
    """
    plain = FORBIDDEN.sub('-', printable(unicodedata.normalize('NFC', wanted)).strip(EDGES))
    short = plain.encode()[:LONGEST_FOLDER_NAME].decode(errors='ignore')
    plain = short.strip(EDGES) or 'unnamed'
    plain += '_' if RESERVED.fullmatch(plain) else ''
    name, number = plain, 1
    while name.casefold() in taken:
        number += 1
        name = f'{plain}-{number}'
    taken.add(name.casefold())
    return name


def name_of_command(command: str) -> str:
    """Return the name of the program that a command line runs, without folders of any system.

    >>> name_of_command('python3 -u ../hw/sums1.py'), name_of_command('java -cp build Sums')
    ('sums1', 'Sums')
    >>> name_of_command('./sums --fast'), name_of_command('python3 -m my.sums')
    ('sums', 'my.sums')
    """
    first, *words = words_in(command)
    if not INTERPRETER.fullmatch(PureWindowsPath(first).name):
        words = [first]
    while words and words[0].startswith('-'):
        del words[:1 + (words[0] in WITH_VALUE)]
    return ENDING.sub('', PureWindowsPath(words[0] if words else first).name)


def digest_of(content: bytes) -> str:
    """Return the SHA-256 digest of some bytes, in hexadecimal digits."""
    from hashlib import sha256  # which takes long to import

    return sha256(content).hexdigest()


def fingerprint(folder: Path, facts: object) -> str:
    """Return a digest that changes whenever a file in the folder, or a fact, changes."""
    found = [facts]
    for path in sorted(folder.rglob('*')):
        link = os.readlink(path) if path.is_symlink() else ''
        content = path.read_bytes() if path.is_file() and not link else b''
        found.append((str(path.relative_to(folder)), link, path.is_dir(), os.access(path, os.X_OK),
                      digest_of(content)))
    return digest_of(repr(found).encode(errors='surrogateescape'))


def seed_of(digest: str, out: Path | None) -> int:
    """Return the seed for the fresh games of a submission with a fingerprint.

    The seed depends on the fingerprint and on the secret of the class in the folder `out`. So
    nobody can know it before, and the same submission gets the same games again. Without
    fingerprint or folder the seed is random.
    """
    if not digest or not out:
        return SystemRandom().randrange(SEEDS)
    return int(digest_of(secret_of(out) + digest.encode()), 16) % SEEDS


def secret_of(out: Path) -> bytes:
    """Return the secret of a class; make it the first time, in a file that only its owner may read.

    Raises `OSError` where something else has its name, such as a link to another file.
    """
    path = out / SECRET
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o600)
    except OSError as error:            # a link, a folder
        raise FileExistsError(f'{path} is not the secret of a class: remove it '
                              f'({error.strerror})') from None
    with open(descriptor, 'r+b', buffering=0) as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > SECRET_BYTES:
            raise FileExistsError(f'{path} is not the secret of a class: remove it')
        if HAS_SANDBOX:                 # another grader may write it now
            import fcntl  # which Windows does not have

            fcntl.flock(file, fcntl.LOCK_EX)
        secret = file.read()
        if len(secret) != SECRET_BYTES:     # it is new, or not whole
            secret = os.urandom(SECRET_BYTES)
            file.seek(0)
            file.truncate()
            file.write(secret)
    return secret


def digest_of_program(folder: Path) -> str:
    """Return a digest that does not depend on names, blanks and comments of a program.

    The digest is of the tokens of Python, and of all characters except blanks in other languages.
    It is '' for a program that is too short to compare.
    """
    sources, left = [], MOST_READ
    for path in visible_files(folder):
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
        return characters_of(source)    # not valid Python
    return tokens


def characters_of(content: bytes) -> list[str]:
    """Return the characters of a file without blanks."""
    return [*b''.join(content.split()).decode('latin-1')]
