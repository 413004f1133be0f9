"""Keeps runs from leaving messages for later runs in the kernel's counters or in timestamps."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from .kernel import read

# Counters of events on the whole machine. A run could leave a message by causing such events.
COUNTERS = tuple(
    f'/proc/{name}'
    for name in (
        'buddyinfo',
        'diskstats',
        'interrupts',
        'key-users',
        'locks',
        'pressure/cpu',
        'pressure/io',
        'pressure/irq',
        'pressure/memory',
        'schedstat',
        'softirqs',
        'vmstat',
        'zoneinfo',
    )
)
STATISTICS = '/proc/stat'  # has counters, too, but programs need its list of the processors
PROCESSOR = re.compile(rb'cpu\d')  # the beginning of a line of this list
DEVICES = tuple(f'/dev/{name}' for name in ('null', 'zero', 'full', 'random', 'urandom', 'tty'))


def replaced_counters(folder: Path, processors: int) -> dict[str, Path]:
    """Return the files to show to programs in place of the machine's counters, by path.

    The file for `STATISTICS` is a copy in `folder`, made by the first call, with at most this many
    `processors`; the others are empty.
    """
    statistics = folder / 'statistics'
    if not statistics.exists():
        lines = read('stat').splitlines(keepends=True)
        own = [line for line in lines if PROCESSOR.match(line)]
        statistics.write_bytes(b''.join(line for line in lines if line not in own[processors:]))
        statistics.chmod(0o644)
    replaced = dict.fromkeys(filter(os.path.exists, COUNTERS), Path(os.devnull))
    return {**replaced, STATISTICS: statistics}


def reset_device_timestamps() -> None:
    """Set the timestamps of devices to now, because a program may have left a message in them."""
    for name in DEVICES:
        with suppress(OSError):  # the machine may lack the device
            os.utime(name)
