"""Find our console by the folders, files, command lines and environments of all processes."""

from __future__ import annotations

import glob
import os
from contextlib import suppress

from common import aims, others, read


def attack() -> bool:
    found = []
    for process in [f'/proc/{number}' for number in [*others(), 1]]:
        found += [f'{process}/cwd', f'{process}/root{aims.project}', *glob.glob(f'{process}/fd/*')]
        for name in ('cmdline', 'environ'):
            with suppress(OSError):
                words = read(f'{process}/{name}').decode(errors='replace').replace('=', '\0')
                found += [word for word in words.split('\0') if word.startswith(aims.base)]
    return any(os.path.exists(f'{path}{up}/othello_console.py')
               for path in found for up in ('', '/..', '/../..'))
