"""bubblewrap: a run has processes, folders and a network of its own, most folders read-only."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Sequence

from ..settings import Limits
from .base import Kind, Sandbox, command
from .cleanup import descendants
from .limits import (
    counts_by_namespace,
    die_first,
    filter_instructions,
    leave_keyring,
    set_limits,
)
from .other_user import OtherUser
from .program import SYSTEM, Program, clean_environment, in_sight, tool_folders
from .start import FILTER_DESCRIPTOR, Launch

MOST_PROGRAMS = 64                      # of one user at once, each with all its processes
HANDED_IN, COPY = '/handed-in', '/tmp/submission'


class Bubblewrap(Sandbox):
    """A sandbox of namespaces; of another user, too, where the grader may make one."""

    kind: Kind = 'bwrap'

    def __init__(self, scratch: Path, hidden: Sequence[Path] = (),
                 limits: Limits | None = None) -> None:
        super().__init__(scratch, hidden, limits)
        self._size = str(self._limits.disk // 2)    # bytes that each folder in memory may hold
        self._user = OtherUser() if os.geteuid() == 0 else None
        self._processes = (str(self._limits.processes)
                           if counts_by_namespace() and not self._user else '')

    @contextmanager
    def _launch(self, program: Program) -> Iterator[Launch]:
        # The copy is made in memory, where no file of the machine can be filled.
        begin = command(HANDED_IN, COPY, program, self._processes)
        if self._user:
            begin = [*self._user.command, *begin]
        passed = filter_instructions()
        seccomp = ['--seccomp', str(FILTER_DESCRIPTOR)] if passed else []
        yield Launch(['bwrap', *self._namespaces(), *self._in_memory('/tmp'),
                      *self._visible(program), '--ro-bind', str(program.folder), HANDED_IN,
                      '--remount-ro', '/', *seccomp, '--', *begin],
                     clean_environment('/tmp', self.python), COPY, self._prepare, passed)

    def _prepare(self) -> None:
        most = self._limits.processes
        set_limits(most if self._user else self._running + most * MOST_PROGRAMS)
        die_first()
        leave_keyring()

    def _seen_from_here(self, folder: str, process: int) -> str:
        return f'/proc/{descendants(process)[-1]}/root{folder}'

    def _namespaces(self) -> list[str]:
        names = ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts',
                 '--unshare-cgroup-try'] if self._user else ['--unshare-all']
        return [*names, '--die-with-parent', '--proc', '/proc', '--remount-ro', '/proc',
                '--dev', '/dev', *self._in_memory('/dev/shm'), '--remount-ro', '/dev']

    def _in_memory(self, folder: str) -> list[str]:
        return ['--perms', '1777', '--size', self._size, '--tmpfs', folder]

    def _visible(self, program: Program) -> list[str]:
        """Return what makes the system's folders and the tools visible, but not what is hidden."""
        words = []
        for folder in SYSTEM:
            words += ['--ro-bind-try', folder, folder]
        tools = tool_folders([self.python, *program.words], self.python)
        for tool in tools:
            for parent in [*tool.parents][-2::-1]:
                words += ['--perms', '0755', '--dir', str(parent)]
            words += ['--ro-bind', str(tool), str(tool)]
        for path in in_sight(self.hidden, tools):
            if path.is_dir():
                words += ['--tmpfs', str(path), '--remount-ro', str(path)]
            elif path.exists():
                words += ['--ro-bind', os.devnull, str(path)]
        return words
