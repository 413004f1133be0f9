"""What of the sandbox every system has; it confines programs on Linux and macOS alone.

Of this package only this module and `program` run on Windows.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Iterator, Sequence, cast

if TYPE_CHECKING:
    from .base import Sandbox

IS_WINDOWS = os.linesep == '\r\n'      # which a test can say, other than os.name
HAS_SANDBOX = hasattr(os, 'fork')
KILLED = (-9, 128 + 9)                  # by SIGKILL; the latter from a shell, or from bubblewrap


class StartError(Exception):
    """Why a program could not be started, for a reason that is not its own."""


class SandboxError(Exception):
    """Why programs cannot be confined as they should be."""


class Unconfined:
    """What stands for a `Sandbox` where there is none: only commands as they stand are run."""

    kind = 'none'
    python = sys.executable

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch


def sandbox_for(kind: str, scratch: Path, hidden: Sequence[Path] = ()) -> Sandbox:
    """Return the sandbox of a kind, if this system has any; see `kinds.confine`."""
    if not HAS_SANDBOX:
        return cast('Sandbox', Unconfined(scratch))
    from .kinds import confine

    return confine(kind, scratch, hidden)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder for the grader and remove it; see `cleanup.scratch_folder`."""
    if HAS_SANDBOX:
        from .cleanup import scratch_folder as locked_folder

        with locked_folder() as folder:
            yield folder
    else:
        # Not `cleanup.PREFIX`: nothing is locked here, and would seem to be abandoned.
        with tempfile.TemporaryDirectory(prefix='grading-') as name:
            yield Path(name)
