"""The sandbox of this machine: the strongest kind that works here; and the grader's own folders.

`bwrap` is bubblewrap; `user` another user, where the grader runs as root without namespaces; `none`
has limits alone, and is for who asks for it. On Windows only commands as they stand are run.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator, Sequence, cast

from ..settings import Limits
from .program import HAS_SANDBOX, SandboxError

if HAS_SANDBOX:
    import fcntl

    from .base import Sandbox
    from .bubblewrap import Bubblewrap
    from .cleanup import PREFIX, locked_folder, remove, reopen_abandoned
    from .other_user import AsOtherUser, OtherUser

WAYS_OUT = ('install bubblewrap (on Debian and Ubuntu: apt install bubblewrap); or add --confine '
            'none, and these programs can read, change and send all that you can')

__all__ = ['Sandbox', 'confine', 'remove_abandoned', 'scratch_folder']


class Unconfined:
    """What stands for a `Sandbox` on Windows."""

    kind = 'none'
    python = sys.executable
    shares_processes = False

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch


def confine(kind: str, scratch: Path, hidden: Sequence[Path] = (),
            limits: Limits | None = None) -> Sandbox:
    """Return the sandbox of a kind, if it works; for `auto` the stronger one of two that does.

    `none` is only for who says so. For the rest see `Sandbox`. Raises `SandboxError`.
    """
    if not HAS_SANDBOX:
        return cast('Sandbox', Unconfined(scratch))
    if kind == 'none':
        return Sandbox(scratch, hidden, limits)
    for candidate in (Bubblewrap, AsOtherUser):
        if kind in ('auto', candidate.kind):
            with suppress(OSError, SandboxError):
                sandbox = candidate(scratch, hidden, limits)
                if sandbox.works():
                    return sandbox
    raise SandboxError(f'{"no sandbox" if kind == "auto" else f"the sandbox {kind}"} works here, '
                       f'so nothing was run: {WAYS_OUT}')


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder for the grader, locked while the grader lives, and remove it."""
    if HAS_SANDBOX:
        folder, lock = locked_folder()
        try:
            yield folder
        finally:
            remove(folder)
            os.close(lock)
    else:
        # Not `PREFIX`: nothing is locked here, and would seem to be abandoned.
        with tempfile.TemporaryDirectory(prefix='grading-') as name:
            yield Path(name)


def remove_abandoned() -> None:
    """Clean up after graders that were killed: their programs, folders, and what they closed."""
    if not HAS_SANDBOX:
        return
    reopen_abandoned()
    for folder in Path(tempfile.gettempdir()).glob(f'{PREFIX}*'):
        with suppress(OSError):         # BlockingIOError: a grader holds it
            lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
            try:
                status = os.fstat(lock)
                if status.st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    user = OtherUser.of(status.st_gid)      # to whose group it was opened
                    if user:
                        user.end_processes()
                        user.remove_all()
                    remove(folder)
            finally:
                os.close(lock)
