"""What tells whether results still stand: digests; and the seeds that follow from them."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from functools import lru_cache
from pathlib import Path

from ..project import TRANSCRIPTS_FOLDER, all_transcripts, grader_files

SEEDS = 10**9                           # as many as the command line takes
SECRET = '.secret-of-the-class'         # in --out; no submission's name begins with a dot
SECRET_BYTES = 32


def fingerprint(folder: Path, facts: object) -> str:
    """Return a digest that changes whenever a file in the folder, or a fact, changes."""
    digest = hashlib.sha256(repr(facts).encode(errors='surrogateescape'))
    for path in sorted(folder.rglob('*')):
        link = os.readlink(path) if path.is_symlink() else ''
        content = path.read_bytes() if path.is_file() and not link else b''
        kind = (str(path.relative_to(folder)), link, path.is_dir(), os.access(path, os.X_OK))
        digest.update(repr((kind, hashlib.sha256(content).digest())).encode())
    return digest.hexdigest()


def seed_of(digest: str, out: Path | None) -> int:
    """Return the seed of the fresh games of the submission that has a fingerprint.

    It follows from the fingerprint and from the secret of the class in the folder `out`, so that
    nobody knows it before, and the same submission gets the same games again. Where no fingerprint
    is known, or no such folder, it is drawn.
    """
    if not digest or not out:
        return secrets.randbelow(SEEDS)
    keyed = hmac.new(secret_of(out), digest.encode(), 'sha256').digest()
    return int.from_bytes(keyed, 'big') % SEEDS


def secret_of(out: Path) -> bytes:
    """Return the secret of a class, made the first time; only the owner of its file can read it."""
    path = out / SECRET
    secret = path.read_bytes() if path.exists() else b''
    if len(secret) != SECRET_BYTES:     # there is none, or somebody has cut it short
        secret = secrets.token_bytes(SECRET_BYTES)
        new = path.with_name(f'{SECRET}.{os.getpid()}')
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), 'wb') as file:
            file.write(secret)
        os.replace(new, path)
    return secret


@lru_cache(maxsize=None)
def grader_version() -> str:
    """Return a digest that changes whenever the grader, or a transcript, changes."""
    digest = hashlib.sha256()
    transcripts = {path.relative_to(TRANSCRIPTS_FOLDER).as_posix(): path
                   for path in all_transcripts()}
    for name, path in [*grader_files().items(), *transcripts.items()]:
        digest.update(repr((name, path.read_bytes())).encode())
    return digest.hexdigest()
