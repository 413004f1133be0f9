"""The lock of a class: programs run beside each other, or one program runs alone."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Iterator


class ClassLock:
    """A lock that all graders with the same folder share; without a folder it locks nothing.

    A submission may be alone for `seconds` in all; waiting for the others to end counts.
    """

    def __init__(self, folder: Path | None = None, seconds: float = 0) -> None:
        self.waited = 0.0               # seconds, for others
        self._folder = folder
        self._seconds = seconds
        self._used = 0.0                # of these

    @property
    def seconds_left(self) -> float:
        """How many seconds the submission may still be alone."""
        return max(0, self._seconds - self._used)

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Run beside other programs, but not while one runs alone."""
        with ExitStack() as stack:
            with self._lock('gate'):    # which one that waits to be alone keeps shut
                stack.enter_context(self._lock('course'))
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Run while no other program of the class runs."""
        with self._lock('gate', alone=True):
            begin = time.monotonic()    # from now on nobody else's program is started
            try:
                with self._lock('course', alone=True):
                    yield
            finally:
                self._used += time.monotonic() - begin

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
