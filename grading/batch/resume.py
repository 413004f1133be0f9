"""What tells whether results still stand: digests; and the seed to use again."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from pathlib import Path

from ..project import TRANSCRIPTS_FOLDER, all_transcripts, grader_files
from ..reports.results_json import read_results


def fingerprint(folder: Path, facts: object) -> str:
    """Return a digest that changes whenever a file in the folder, or a fact, changes."""
    digest = hashlib.sha256(repr(facts).encode(errors='surrogateescape'))
    for path in sorted(folder.rglob('*')):
        link = os.readlink(path) if path.is_symlink() else ''
        content = path.read_bytes() if path.is_file() and not link else b''
        kind = (str(path.relative_to(folder)), link, path.is_dir(), os.access(path, os.X_OK))
        digest.update(repr((kind, hashlib.sha256(content).digest())).encode())
    return digest.hexdigest()


def earlier_seed(out: Path | None) -> int | None:
    """Return the seed of the fresh games that a class has been graded with, if it has."""
    for path in out.glob('*/results.json') if out else []:
        seed = read_results(path).get('extra_data', {}).get('seed')
        if isinstance(seed, int):
            return seed
    return None


@lru_cache(maxsize=None)
def grader_version() -> str:
    """Return a digest that changes whenever the grader, or a transcript, changes."""
    digest = hashlib.sha256()
    transcripts = {path.relative_to(TRANSCRIPTS_FOLDER).as_posix(): path
                   for path in all_transcripts()}
    for name, path in [*grader_files().items(), *transcripts.items()]:
        digest.update(repr((name, path.read_bytes())).encode())
    return digest.hexdigest()
