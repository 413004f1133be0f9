"""What the grader says on standard error, beside its reports."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Sequence

from ..printable import printable
from ..settings import Settings

MOST_NAMED = 9                          # files that are ignored


def tell_ignored(names: Sequence[str]) -> None:
    """Say on standard error which files of an export are nobody's, if there are any."""
    if names:
        more = f' and {len(names) - MOST_NAMED} more' if len(names) > MOST_NAMED else ''
        print(f"grading: nobody's, and ignored: {printable(', '.join(names[:MOST_NAMED]))}{more}",
              file=sys.stderr)


def warn(settings: Settings) -> None:
    """Warn of what programs can reach."""
    if settings.confine == 'none':
        print('grading: programs are not confined: they can read and write what you can',
              file=sys.stderr)
    elif settings.reach:
        print(f'grading: programs are confined ({settings.confine}), but can reach: '
              f'{", ".join(settings.reach)}', file=sys.stderr)


def tell_page(path: Path) -> None:
    """Say on standard error where to look."""
    print(f'grading: see {printable(str(path))}', file=sys.stderr)
