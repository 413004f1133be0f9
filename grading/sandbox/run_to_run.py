"""Closes ways to carry a number from one run to the next: counters of the machine, device times."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from .kernel import read

# Counters of everything that happens on the machine: a run could leave a number there for the next.
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
STATISTICS = '/proc/stat'  # has counters, but also lists the processors
DEVICES = tuple(f'/dev/{name}' for name in ('null', 'zero', 'full', 'random', 'urandom', 'tty'))


def replaced_counters(folder: Path) -> dict[str, Path]:
    """Return the files that programs see instead of the machine's counters, by path.

    They are empty, or copies that were made in a folder.
    """
    statistics = folder / 'statistics'
    if not statistics.exists():
        statistics.write_bytes(read('stat'))
        statistics.chmod(0o644)
    replaced = dict.fromkeys(filter(os.path.exists, COUNTERS), Path(os.devnull))
    return {**replaced, STATISTICS: statistics}


def forget_times_of_devices() -> None:
    """Reset the times of devices, where a program may have left a number for its next run."""
    for name in DEVICES:
        with suppress(OSError):  # the machine may lack the device
            os.utime(name)
