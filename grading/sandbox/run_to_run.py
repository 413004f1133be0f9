"""Keeps runs from leaving messages for later runs in the kernel's counters or in timestamps."""

from __future__ import annotations

import os
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
DEVICES = tuple(f'/dev/{name}' for name in ('null', 'zero', 'full', 'random', 'urandom', 'tty'))


def replaced_counters(folder: Path) -> dict[str, Path]:
    """Return the files to show to programs in place of the machine's counters, by path.

    The file for `STATISTICS` is a copy in `folder`, made by the first call; the others are empty.
    """
    statistics = folder / 'statistics'
    if not statistics.exists():
        statistics.write_bytes(read('stat'))
        statistics.chmod(0o644)
    replaced = dict.fromkeys(filter(os.path.exists, COUNTERS), Path(os.devnull))
    return {**replaced, STATISTICS: statistics}


def reset_device_timestamps() -> None:
    """Set the timestamps of devices to now, because a program may have left a message in them."""
    for name in DEVICES:
        with suppress(OSError):  # the machine may lack the device
            os.utime(name)
