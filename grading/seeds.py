"""The seeds of fresh games: their range, and the seed of a submission."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from random import SystemRandom

from .installation import digest_of
from .sandbox.program import HAS_SANDBOX
from .sandbox.untrusted_files import NO_LINK

SEEDS = 10**9  # a seed is a whole number below this
DIGITS = len(str(SEEDS - 1))  # the number of digits of the longest seed
SEED_IN_WORDS = f'a whole number from 0 to {SEEDS - 1}'
# The environment variable that can set the seed, because all users can read others' command lines.
SEED_VARIABLE = 'GRADING_SEED'
SECRET = '.secret-of-the-class'  # a file in --out; no submission's name begins with a dot
SECRET_BYTES = 32


def read_seed(text: str) -> int:
    """Return the seed in a string. Raises `ValueError`.

    >>> read_seed('0042')
    42
    """
    if not re.fullmatch(f'[0-9]{{1,{DIGITS}}}', text):
        raise ValueError(f'must be {SEED_IN_WORDS}, not {text}')
    return int(text)


def seed_of(digest: str, out: Path | None) -> int:
    """Return the seed for the fresh games of a submission.

    The seed depends on the `digest` of the submission and on the class's secret in the folder
    `out`. So nobody can predict the seed, but the same submission gets the same games again. If the
    digest is '' or there is no folder, the seed is random.
    """
    if not digest or not out:
        return SystemRandom().randrange(SEEDS)
    return int(digest_of(secret_of(out) + digest.encode()), 16) % SEEDS


def secret_of(out: Path) -> bytes:
    """Return the class's secret from its file in the folder `out`; create the file if necessary.

    Only its owner can read the file. Raises `OSError` if something else, such as a link, has the
    file's name.
    """
    path = out / SECRET
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o600)
    except OSError as error:  # it may be a link or a folder
        raise FileExistsError(
            f'{path} is not a valid class secret file; delete it and try again ({error.strerror})'
        ) from None
    with open(descriptor, 'r+b', buffering=0) as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > SECRET_BYTES:
            raise FileExistsError(
                f'{path} is not a valid class secret file; delete it and try again'
            )
        if HAS_SANDBOX:  # another grader may be writing the secret
            import fcntl  # not on Windows

            fcntl.flock(file, fcntl.LOCK_EX)
        secret = file.read()
        if len(secret) != SECRET_BYTES:  # the file is new or incomplete
            secret = os.urandom(SECRET_BYTES)
            file.seek(0)
            file.truncate()
            file.write(secret)
    return secret
