"""The kinds of sandbox, and which of them works here.

`bwrap` is bubblewrap; `user` another user, where the grader runs as root without namespaces; `none`
has limits alone.
"""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator, Sequence

from .base import Kind, Sandbox
from .bubblewrap import Bubblewrap
from .kernel import (
    adopt_orphans,
    clear_keyrings,
    die_first,
    die_with_parent,
    gain_nothing,
    leave_keyring,
    load_filter,
)
from .limits import set_limits
from .other_user import OtherUser
from .seccomp import filter_instructions
from .start import Launch
from .system import SandboxError, StartError

__all__ = ['Kind', 'Sandbox', 'SandboxError', 'StartError', 'confine']


class AsOtherUser(Sandbox):
    """Another user, to whom the grader's folders are closed."""

    kind: Kind = 'user'

    def __init__(self, scratch: Path, hidden: Sequence[Path] = ()) -> None:
        super().__init__(scratch, hidden)
        if os.geteuid() != 0:
            raise SandboxError('only root can run programs as another user')
        self._user = OtherUser()
        self._filter = filter_instructions()
        self._grader = os.getpid()
        os.chown(scratch, 0, self._user.number)     # to go through, not to look around
        scratch.chmod(0o710)

    def works(self) -> bool:
        if super().works():
            return True
        # The grader's own interpreter may be closed to others; the system's is not.
        self.python = os.path.realpath(shutil.which('python3', path=os.defpath) or self.python)
        return super().works()

    def _prepare(self) -> None:
        set_limits()
        die_first()
        self._user.become()
        leave_keyring()
        clear_keyrings()
        die_with_parent(self._grader, signal.SIGKILL)
        gain_nothing()
        load_filter(self._filter)

    def _give(self, folder: Path) -> None:
        os.chown(folder, self._user.number, self._user.number)

    def _files(self, launch: Launch) -> list[str]:
        return [*super()._files(launch), *self._user.files()]

    def _kill_all(self) -> None:
        self._user.end_processes()

    @contextmanager
    def _nothing_left(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._user.remove_all()


def confine(kind: str, scratch: Path, hidden: Sequence[Path] = ()) -> Sandbox:
    """Return the sandbox of a kind, if it works; for `auto` the strongest that does.

    `required` is the strongest too, but not none at all. Raises `SandboxError`.
    """
    for candidate in (Bubblewrap, AsOtherUser, Sandbox):
        if kind in ('auto', candidate.kind) or (kind == 'required' and candidate.kind != 'none'):
            with suppress(OSError, SandboxError):
                sandbox = candidate(scratch, hidden)
                adopt_orphans()
                if kind == 'none' or sandbox.works():
                    return sandbox
    raise SandboxError('programs cannot be confined on this machine')
