"""What a grader has left that was killed: its folders, and what runs as a user of its own."""

from __future__ import annotations

import fcntl
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from .cleanup import PREFIX, remove
from .other_user import FEW_NUMBERS, NUMBERS, Stranger


def remove_abandoned() -> None:
    """Remove the grader's folders that no living grader holds, and end what still runs there."""
    for folder in Path(tempfile.gettempdir()).glob(f'{PREFIX}*'):
        with suppress(OSError):         # BlockingIOError: a grader holds it
            lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    end_stranger(os.fstat(lock).st_gid)
                    remove(folder)
            finally:
                os.close(lock)


def end_stranger(group: int) -> None:
    """End what runs as the user to whose group a folder of the grader's has been opened."""
    if os.geteuid() == 0 and (group in NUMBERS or group in FEW_NUMBERS):
        stranger = Stranger(group)
        stranger.end_processes()
        stranger.remove_files()
