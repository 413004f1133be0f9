"""Counts, limits and removes System V shared memory, queues and semaphores.

They belong to no process, so they hold memory even if no process uses them. The kernel lists those
of the machine, with their owners. A run with its own IPC namespace has its own list, which the
grader cannot read; but root can limit such a namespace when it is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .kernel import LIBRARY, TRIAL_SECONDS, call, read, succeeds_in_new_process

REMOVE = 0  # IPC_RMID
SEMAPHORE = 128  # bytes of kernel memory for a semaphore; some kernels need less
MESSAGE = 64  # bytes of kernel memory for a message, besides its text
NEW_IPC = 0x8000000  # CLONE_NEWIPC
# The limits of a namespace for one run: 256 MB of shared memory (in pages of 4 KB), 64 queues (of
# at most 16 KB), and 128 sets with 32,000 semaphores in all.
LIMITS = {'shmall': '65536', 'msgmni': '64', 'sem': '32000 32000 500 128'}


class Item(NamedTuple):
    """A shared memory, a queue, or a set of semaphores."""

    kind: str  # its list in /proc/sysvipc: 'shm', 'msg' or 'sem'
    number: int
    owners: frozenset[int]  # the IDs of the users who made it and who own it
    size: int  # bytes of memory in use

    def remove(self) -> None:
        """Remove this, if this process is one of the owners."""
        numbers = (self.number, 0) if self.kind == 'sem' else (self.number,)
        getattr(LIBRARY, f'{self.kind}ctl')(*numbers, REMOVE, None)


def items() -> Iterator[Item]:
    """Yield everything in the IPC namespace of the grader."""
    for kind in ('shm', 'msg', 'sem'):
        titles, *lines = [line.split() for line in read(f'sysvipc/{kind}').splitlines()] or [[]]
        for line in lines:
            values = dict(zip(titles, map(int, line), strict=False))
            yield Item(
                kind,
                int(line[1]),
                frozenset((values[b'uid'], values[b'cuid'])),
                # The first two are of shared memory, the next two of a queue.
                values.get(b'rss', 0)
                + values.get(b'swap', 0)
                + values.get(b'cbytes', 0)
                + MESSAGE * values.get(b'qnum', 0)
                + SEMAPHORE * values.get(b'nsems', 0),
            )


def enter_limited_namespace() -> None:
    """Move this process into its own IPC namespace, with `LIMITS`. Raises `OSError`."""
    call('unshare', NEW_IPC)
    for name, value in LIMITS.items():
        Path('/proc/sys/kernel', name).write_text(value, encoding='ascii')


@cache
def can_limit() -> bool:
    """Return whether this process may make such a namespace: only root may, outside containers."""
    return succeeds_in_new_process(enter_limited_namespace, TRIAL_SECONDS)
