"""Closes channels from one run to the next: the machine's counters, and times of devices."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from .kernel import read

# Counters of events on the whole machine: a run could leave a message there for the next run.
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

    They are empty, or copies in the given folder.
    """
    statistics = folder / 'statistics'
    if not statistics.exists():
        statistics.write_bytes(read('stat'))
        statistics.chmod(0o644)
    replaced = dict.fromkeys(filter(os.path.exists, COUNTERS), Path(os.devnull))
    return {**replaced, STATISTICS: statistics}


def forget_times_of_devices() -> None:
    """Reset the times of devices, where a program may have left a message for its next run."""
    for name in DEVICES:
        with suppress(OSError):  # the machine may lack the device
            os.utime(name)
