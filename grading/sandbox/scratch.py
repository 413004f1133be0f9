"""Makes the grader's temporary folders, and cleans up after killed graders.

This module also works on Windows.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .program import HAS_SANDBOX
from .untrusted_files import IGNORED, NO_LINK, ONLY_FOLDERS, opened, remove

if HAS_SANDBOX:
    import fcntl

    from .control_groups import PREFIX, Group, tree_for_runs
    from .other_user import FEW_USER_IDS, USER_IDS, OtherUser, note_on_closed


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


MAX_FILES, MAX_BYTES = 500, 16 << 20  # of a copy; larger folders are linked instead


@contextmanager
def in_fresh_folder(scratch: Path) -> Iterator[None]:
    """Run the block in a copy of the current folder, in the folder `scratch`.

    Instead of a subfolder that is large, has links, or is in `IGNORED`, the copy has a link to it.
    If the system makes no links, the block runs in the current folder itself.
    """
    here, fresh = Path.cwd(), Path(tempfile.mkdtemp(prefix='fresh-', dir=scratch))
    try:
        with suppress(OSError):
            copy_or_link(here, fresh)
            os.chdir(fresh)
        yield
    finally:
        os.chdir(here)
        shutil.rmtree(fresh, ignore_errors=True)


def copy_or_link(source: Path, target: Path) -> None:
    """Copy the files and small subfolders of a folder to another folder, and link the rest.

    Raises `OSError`.
    """
    files, size = 0.0, 0.0
    for path in sorted(source.iterdir()):
        number, length = size_of(path)
        if files + number > MAX_FILES or size + length > MAX_BYTES:
            (target / path.name).symlink_to(path.absolute())
            continue
        files, size = files + number, size + length
        if path.is_dir():
            shutil.copytree(path, target / path.name)
        else:
            shutil.copy2(path, target / path.name)


def size_of(path: Path) -> tuple[float, float]:
    """Return the number and the total bytes of the files in a path.

    The number is infinite if the path is to be linked.
    """
    files, size, paths = 0, 0, [path]
    while paths:
        path = paths.pop()
        is_kept = os.access(path, os.R_OK) and (path.is_file() or path.is_dir())
        if path.is_symlink() or path.name in IGNORED or not is_kept or files > MAX_FILES:
            return float('inf'), 0
        files, size = files + 1, size + path.stat().st_size
        if path.is_dir():
            paths += path.iterdir()
    return files, size
