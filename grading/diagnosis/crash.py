"""Where a Python program has crashed: what its author's own last line in a traceback was."""

from __future__ import annotations

import os.path
import re
from pathlib import PurePosixPath

from ..printable import decoded
from ..sessions.difference import Difference
from .finding import Crash

INSTALLED = 'site-packages'
FRAME = re.compile(r'  File "([^"\0]{1,4096})", line ([0-9]{1,9})(?![0-9])')


def error_of(errors: bytes) -> str:
    """Return the name of the exception that standard error ends with, `''` if it does not.

    >>> error_of(b'Traceback (most recent call last):\\nValueError: no\\n')
    'ValueError'
    """
    lines = decoded(errors).rstrip().splitlines()
    name = re.match(r'[\w.]+(?=:|$)', lines[-1]) if lines else None
    return name[0] if name and lines[0].startswith('Traceback') else ''


def crash_of(errors: bytes, folder: str) -> Crash | None:
    """Return the crash that standard error ends with, of a program in a folder, if it does."""
    lines = decoded(errors).rstrip().splitlines()
    if not lines or not re.match(r'\w', lines[-1]):
        return None
    for number in reversed(range(len(lines))):
        frame = FRAME.match(lines[number])
        file = own_file(frame[1], folder) if frame else ''
        if frame and file:
            following = lines[number + 1]
            source = following.strip() if following.startswith('    ') else ''
            return Crash(lines[-1], file, int(frame[2]), source)
    return None


def crash_at(difference: Difference) -> Crash | None:
    """Return the crash that a difference is, or that tells where a program waits for a line.

    What came once all the input was sent tells nothing of where it was waiting before.
    """
    if difference.kind not in ('ended', 'status', 'silent', 'runs on') or not difference.status:
        return None
    crash = crash_of(difference.errors, difference.folder)
    is_at_end = difference.expected.input is None
    if crash and crash.type == 'EOFError' and difference.kind == 'silent' and not is_at_end:
        return None
    return crash


def own_file(name: str, folder: str) -> str:
    """Return a file's name as the author's folder has it, `''` for a file that is not theirs.

    What is installed in there is not.

    >>> own_file('/tmp/submission/game.py', '/tmp/submission'), own_file('/usr/enum.py', '/tmp')
    ('game.py', '')
    >>> own_file('/home/.venv/lib/site-packages/numpy.py', '/home')
    ''
    """
    path = PurePosixPath(name)
    if path.is_absolute() and PurePosixPath(folder) not in path.parents:
        path = PurePosixPath(os.path.realpath(name))        # the folder may be behind a link
    if path.is_absolute() and PurePosixPath(folder) not in path.parents:
        return ''
    own = path.relative_to(folder) if path.is_absolute() else path
    return '' if name.startswith('<') or INSTALLED in own.parts else str(own)
