"""How far the grader is: a bar on standard error, in a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Callable, Iterator

Report = Callable[[int, int], None]
"""Is told how many of how many are done."""


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
