"""What the grader says on standard error beside its reports: warnings, and how far it is."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Callable, Iterator, Sequence

from ..printable import printable
from ..settings import Settings

MOST_IGNORED = 9                        # files that are named

Report = Callable[[int, int], None]
"""Is told how many of how many are done."""


def tell_ignored(names: Sequence[str]) -> None:
    """Say on standard error which files of an export are nobody's, if there are any."""
    if names:
        more = f' and {len(names) - MOST_IGNORED} more' if len(names) > MOST_IGNORED else ''
        named = printable(', '.join(names[:MOST_IGNORED]))
        print(f'grading: ignored, because they belong to no student: {named}{more}',
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


def unreported(done: int, total: int) -> None:
    """Tell nobody."""


@contextmanager
def progress(what: str) -> Iterator[Report]:
    """Show on standard error how many of how many are done, where that is a terminal.

    Without the library rich nothing is shown.
    """
    if not sys.stderr.isatty() or not find_spec('rich'):
        yield unreported
        return
    from rich.console import Console  # which takes long to import
    from rich.progress import Progress

    # Lines on standard output are printed above the bar, where both are the same terminal. The
    # bar gets no thread of its own: the grader forks.
    with Progress(console=Console(stderr=True), transient=True, auto_refresh=False,
                  redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total, refresh=True)
