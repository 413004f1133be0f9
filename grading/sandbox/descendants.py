"""Finds all processes of a run, and kills them."""

from __future__ import annotations

import os
import signal
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress

from .kernel import ADOPT_ORPHANS, PROCESSES, call, read, stat_fields
from .program import ENDING_SECONDS

# Whether this kernel lists the children of a thread.
HAS_CHILDREN = os.path.exists(f'/proc/self/task/{os.getpid()}/children')


class Descendants:
    """The descendants this process acquires after the object is created.

    This process adopts orphans, so a process remains a descendant when its parent ends. `kill_all`,
    if given, kills all processes of the program's user in one step.
    """

    def __init__(self, kill_all: Callable[[], None] | None = None) -> None:
        self._kill_all = kill_all
        call('prctl', *ADOPT_ORPHANS)
        self._bystanders = frozenset(descendants(os.getpid()))

    @property
    def numbers(self) -> list[int]:
        """The process IDs of these descendants, parents before children."""
        return [number for number in descendants(os.getpid()) if number not in self._bystanders]

    def close(self) -> None:
        """Kill these descendants, and reap them; give up after `ENDING_SECONDS`."""
        deadline = time.monotonic() + ENDING_SECONDS
        # If a process starts a child while it is being killed, this process adopts the child, and
        # the next round of the loop finds it.
        while time.monotonic() < deadline and (found := self.numbers):
            with suppress(OSError):  # the machine may be out of processes: the loop tries again
                if self._kill_all:
                    self._kill_all()
            # Parents are killed before their children. Otherwise a parent could reap a child, and
            # the child's process ID could be reused before the kill.
            for number in found:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            for number in found:
                with suppress(ChildProcessError):
                    os.waitpid(number, os.WNOHANG)


def descendants(parent: int) -> list[int]:
    """Return the process IDs of all descendants of a process, parents before children."""
    found = [parent]
    children = defaultdict(list)
    if not HAS_CHILDREN:  # slow if the machine has many processes
        for name in filter(str.isdigit, names_in('')):
            fields = stat_fields(name)
            if fields:  # otherwise, the process has ended
                children[int(fields[1])].append(int(name))
    for process in found:
        found += children[process]
        for thread in threads_of(process) if HAS_CHILDREN else ():
            found += map(int, read(f'{process}/task/{thread}/children').split())
    return found[1:]


def threads_of(process: int) -> list[int]:
    """Return the IDs of a process's threads, or an empty list if the process has ended."""
    return [*map(int, names_in(f'{process}/task'))]


def names_in(path: str) -> list[str]:
    """Return the names in a folder in /proc, or an empty list if it is unreadable or gone."""
    with suppress(OSError):
        return os.listdir(os.path.join(PROCESSES, path))
    return []
