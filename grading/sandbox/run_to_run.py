"""What could carry a number from one run to the next: counters of the machine, times of devices."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from .kernel import read

# What counts all that happens on the machine: a run could leave a number there for the next.
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
STATISTICS = '/proc/stat'  # counts, too, but says what processors there are
DEVICES = tuple(f'/dev/{name}' for name in ('null', 'zero', 'full', 'random', 'urandom', 'tty'))


def replaced_counters(folder: Path) -> dict[str, Path]:
    """Return what programs see instead of what counts all that happens on the machine.

    That is nothing, or what it was when it was written into a folder.
    """
    statistics = folder / 'statistics'
    if not statistics.exists():
        statistics.write_bytes(read('stat'))
        statistics.chmod(0o644)
    replaced = dict.fromkeys(filter(os.path.exists, COUNTERS), Path(os.devnull))
    return {**replaced, STATISTICS: statistics}


def forget_times_of_devices() -> None:
    """Set the times of devices, in which a program may have left a number for its next run."""
    for name in DEVICES:
        with suppress(OSError):  # this machine may lack it
            os.utime(name)
