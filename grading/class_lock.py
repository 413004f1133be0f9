"""The lock on a machine: programs run beside each other, or one alone, whoever starts them."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Iterator


class ClassLock:
    """The lock of all graders that have the same folder; without one there are no others."""

    def __init__(self, folder: Path | None = None) -> None:
        self.waited = 0.0               # seconds, for others
        self._folder = folder

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Run beside others, but not beside one that runs alone."""
        with ExitStack() as stack:
            with self._lock('gate'):    # which one that waits to be alone keeps shut
                stack.enter_context(self._lock('course'))
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Run while no other does."""
        with self._lock('gate', alone=True), self._lock('course', alone=True):
            yield

    @contextmanager
    def _lock(self, name: str, alone: bool = False) -> Iterator[None]:
        """Hold a lock, which ends with this process at the latest."""
        if not self._folder:
            yield
            return
        import fcntl  # which Windows does not have

        descriptor = os.open(self._folder / name, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            begin = time.monotonic()
            fcntl.flock(descriptor, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            self.waited += time.monotonic() - begin
            yield
        finally:
            os.close(descriptor)
