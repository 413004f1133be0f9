"""Find the files that a run before has left, anywhere; leave some."""

from __future__ import annotations

import glob
import os
from contextlib import suppress

from common import SHARED, aims, read, write


def attack() -> bool:
    folders = [*SHARED, '.', '..', os.environ['HOME'], '/tmp/.X11-unix', aims.scratch, aims.base,
               *aims.of_all.split(), *glob.glob('/proc/*/cwd')]
    for process in glob.glob('/proc/*/cmdline'):
        with suppress(OSError):
            folders += read(process).decode(errors='replace').split('\0')
    paths = [f'{folder}/{aims.mark}' for folder in folders if folder]
    found = any(map(os.path.exists, paths))
    for path in paths:
        with suppress(OSError):
            write(path)
    return found
