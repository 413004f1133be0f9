"""Makes the grader's temporary folder, and cleans up after killed graders."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .program import HAS_SANDBOX
from .untrusted_files import NO_LINK, ONLY_FOLDERS, opened, remove

if HAS_SANDBOX:
    import fcntl

    from .closed_folders import note_on_closed
    from .control_groups import PREFIX, Group, tree_for_runs
    from .other_user import FEW_USER_IDS, USER_IDS, OtherUser


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a new folder for the grader, locked while the grader lives; remove it after the block.

    Windows has no such lock.
    """
    if not HAS_SANDBOX:
        with tempfile.TemporaryDirectory(prefix='grading-') as name:
            yield Path(name)
        return
    new = Path(tempfile.mkdtemp(prefix='grading-'))
    with opened(new) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Rename the folder only now that it is locked: an unlocked folder with such a name counts
        # as abandoned.
        folder = new.rename(new.with_name(f'{PREFIX}{os.urandom(4).hex()}'))
        try:
            yield folder
        finally:
            remove(folder)
            if tree_for_runs.cache_info().currsize:  # if it was never called, no run had a group
                remove_group(folder.name)


def remove_group(name: str) -> None:
    """Remove the control group named after a grader's folder, if graders can make groups."""
    tree = tree_for_runs()
    if tree:
        Group(name, tree).remove()


def remove_abandoned(say: Callable[[str], object] | None = None) -> None:
    """Clean up after killed graders: end their programs, and remove their folders.

    Folders that they have closed to other users stay closed. Call `say` with a sentence that names
    them; without `say`, leave the list of them for the next grader.
    """
    for folder in Path(tempfile.gettempdir()).glob(f'{PREFIX}*') if HAS_SANDBOX else ():
        with suppress(OSError), opened(folder, ONLY_FOLDERS | NO_LINK) as lock:
            status = os.fstat(lock)
            if status.st_uid == os.geteuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails if the grader still lives
                # The folder's group shows which user ran the programs (see `OtherUser.of_folder`).
                programs_had_a_user = any(status.st_gid in ids for ids in (USER_IDS, FEW_USER_IDS))
                if programs_had_a_user and os.geteuid() == 0:
                    user = OtherUser(status.st_gid)
                    user.end_processes()
                    user.remove_all()
                remove_group(folder.name)
                note = note_on_closed(folder)
                if say and note:
                    say(note)
                if say or not note:
                    remove(folder)
