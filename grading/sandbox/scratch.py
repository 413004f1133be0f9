"""Makes the grader's temporary folder, and cleans up after killed graders."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .program import HAS_SANDBOX
from .untrusted_files import NO_LINK, ONLY_FOLDERS, opened, remove

if HAS_SANDBOX:
    import fcntl

    from .closed_folders import reopen
    from .control_groups import PREFIX, Group, tree_for_runs
    from .other_user import FEW_USER_IDS, USER_IDS, OtherUser


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Provide a folder for the grader, locked while the grader lives; remove it at the end."""
    if not HAS_SANDBOX:
        with tempfile.TemporaryDirectory(prefix='grading-') as name:
            yield Path(name)
        return
    new = Path(tempfile.mkdtemp(prefix='grading-'))
    with opened(new) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # A folder with this name counts as abandoned if nobody has locked it.
        folder = new.rename(new.with_name(f'{PREFIX}{os.urandom(4).hex()}'))
        try:
            yield folder
        finally:
            remove(folder)
            if tree_for_runs.cache_info().currsize:  # otherwise no run has had a group
                remove_group(folder.name)


def remove_group(name: str) -> None:
    """Remove the control group of some runs, if the grader may make groups."""
    tree = tree_for_runs()
    if tree:
        Group(name, tree).remove()


def remove_abandoned() -> None:
    """Clean up after graders that were killed: end their programs, remove their folders."""
    for folder in Path(tempfile.gettempdir()).glob(f'{PREFIX}*') if HAS_SANDBOX else ():
        with suppress(OSError), opened(folder, ONLY_FOLDERS | NO_LINK) as lock:
            status = os.fstat(lock)
            if status.st_uid == os.geteuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails if the grader still lives
                is_open = any(status.st_gid in ids for ids in (USER_IDS, FEW_USER_IDS))
                if is_open and os.geteuid() == 0:  # it belongs to the group of another user
                    user = OtherUser(status.st_gid)
                    user.end_processes()
                    user.remove_all()
                remove_group(folder.name)
                reopen(folder)
                remove(folder)
