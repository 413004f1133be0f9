"""Gives a process its own root folder, with its own file systems, IPC objects and network.

They disappear once the process and all its descendants have ended. Only root with `CAP_SYS_ADMIN`
can make them; in most containers, root lacks that capability.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from .kernel import IS_LINUX, TRIAL_SECONDS, call, succeeds_in_new_process
from .run_to_run import DEVICES
from .view import Part

SOURCE = '/source'  # where a run with its own root sees the folder to copy
IN_MEMORY = ('/tmp', '/dev/shm')  # the folders in memory, the only ones a run can write to
MAX_FILES = 20_000  # how many files and folders each folder in memory can contain
# Links in /dev: the name of each, and what follows /proc/self/fd in its target.
DEVICE_LINKS = {'fd': '', 'stdin': '/0', 'stdout': '/1', 'stderr': '/2'}

NEW_NAMESPACES = 0x20000 | 0x8000000 | 0x40000000  # CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWNET
# Flags of mount(2): MS_*, linux/mount.h.
RECURSIVE_PRIVATE = 0x4000 | 0x40000
BIND_ALL, REMOUNT = 0x1000 | 0x4000, 0x1000 | 0x20
READ_ONLY, NO_SUID, NO_DEVICES = 1, 2, 4
ONLY_NAME = 0x200000  # O_PATH; PyPy has no name for it
# Flags a mount loses if it is remounted without them, by their names in /proc/self/mountinfo.
KEPT = {b'noexec': 8, b'noatime': 0x400, b'nodiratime': 0x800, b'relatime': 0x200000}


def separate(
    parts: Sequence[Part], source: Path | None, size: int, counters: Mapping[str, Path]
) -> None:
    """Give this process its own root folder with only what the process needs.

    The root folder contains `parts`, empty if they are hidden, and the folder `source` as `SOURCE`,
    all read-only. It also contains devices, /proc with the files in `counters` in place of the
    machine's, and the folders `IN_MEMORY`, of `size` bytes each. Raises `OSError`.
    """
    call('unshare', NEW_NAMESPACES)
    call('mount', None, b'/', None, RECURSIVE_PRIVATE, None)
    origins: dict[str, Path | None] = {}
    for part in parts:
        in_its_place = None if part.path.is_dir() else Path(os.devnull)
        origins[str(part.path)] = part.path if part.is_shown else in_its_place
    origins.update({name: Path(name) for name in ('/proc', *DEVICES)})
    origins.update(counters)
    if source:
        origins[SOURCE] = source
    # Open everything now, because the new root may be mounted over some of it.
    descriptors = {
        place: os.open(origin, ONLY_NAME) if origin else -1 for place, origin in origins.items()
    }
    root = IN_MEMORY[0]  # where the new root is mounted; any folder would do
    mount_in_memory(root, size)
    for name in IN_MEMORY:
        os.makedirs(root + name, exist_ok=True)
        mount_in_memory(root + name, size, 0o1777)
    for place, descriptor in descriptors.items():
        if descriptor < 0:  # a hidden folder
            mount_in_memory(root + place, size)
            continue
        if os.path.isdir(f'/proc/self/fd/{descriptor}'):
            os.makedirs(root + place, 0o755, exist_ok=True)
        elif not os.path.lexists(root + place):
            os.makedirs(os.path.dirname(root + place), 0o755, exist_ok=True)
            os.close(os.open(root + place, os.O_CREAT | os.O_EXCL))
        call(
            'mount',
            f'/proc/self/fd/{descriptor}'.encode(),
            os.fsencode(root + place),
            None,
            BIND_ALL,
            None,
        )
        os.close(descriptor)
    for name, target in DEVICE_LINKS.items():
        os.symlink(f'/proc/self/fd{target}', f'{root}/dev/{name}')
    os.chroot(root)
    os.chdir('/')
    protect(IN_MEMORY)


def mount_in_memory(folder: str, size: int, mode: int = 0o755) -> None:
    """Mount an empty in-memory file system of at most `size` bytes. Raises `OSError`."""
    call(
        'mount',
        b'tmpfs',
        os.fsencode(folder),
        b'tmpfs',
        NO_SUID | NO_DEVICES,
        f'mode={mode:o},size={size},nr_inodes={MAX_FILES}'.encode(),
    )


def protect(writable: Sequence[str]) -> None:
    """Make all mounts read-only, except those on `writable` folders. Raises `OSError`.

    Also disable set-user-ID bits everywhere, and all device files except `DEVICES`.
    """
    with open('/proc/self/mountinfo', 'rb') as mounts:
        for line in mounts:
            words = line.split()
            # The kernel escapes some characters: it writes a space as \040.
            place = re.sub(rb'\\([0-7]{3})', lambda code: bytes([int(code[1], 8)]), words[4])
            options = words[5].split(b',')
            flags = sum(flag for option, flag in KEPT.items() if option in options)
            if os.fsdecode(place) not in DEVICES:
                flags |= NO_DEVICES
            if os.fsdecode(place) not in writable:
                flags |= READ_ONLY
            call('mount', None, place, None, REMOUNT | NO_SUID | flags, None)


@cache
def can_separate() -> bool:
    """Return whether the grader can give a process its own file systems."""
    return IS_LINUX and succeeds_in_new_process(
        partial(separate, [], None, 1 << 20, {}), TRIAL_SECONDS
    )
