"""Chooses the sandbox and its Python interpreter, and finds out what programs can still reach.

The kinds of sandbox are, from the strongest to the weakest, `bwrap` (bubblewrap), `user` and
`none`. `user` runs programs as another user, and works only if the grader is root; `none` only sets
limits. By default, the strongest working kind is chosen, but never `none`. Windows has no sandbox:
there, the grader runs only the user's own programs.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple, cast

from ..limits import Limits
from ..printable import printable
from .interpreter import interpreters, own_interpreter
from .program import (
    HAS_SANDBOX,
    SandboxError,
    search_path,
    words_in,
)
from .scratch import scratch_folder
from .view import SYSTEM, folder_above, tools_of

if HAS_SANDBOX:
    from .closed_folders import closed_to_others
    from .kinds import AsOtherUser, Bubblewrap, Sandbox
    from .probe import reachable
    from .trial import output

BUBBLEWRAP_REFUSED = (
    'bubblewrap is installed, but reports "{}"; allow it to create namespaces (see '
    'docs/security.md), or start the grader as root to use the "user" sandbox'
)


class Survey(NamedTuple):
    """The sandbox to use, and what programs in it can reach."""

    confine: str  # the kind of sandbox
    hidden: tuple[Path, ...]  # files and folders to hide from programs
    reach: tuple[str, ...]  # what programs can reach but should not
    places: int  # how many programs can run at once


def confine(
    kind: str, scratch: Path, hidden: Sequence[Path] = (), limits: Limits | None = None
) -> Sandbox:
    """Return a sandbox of the given kind, or for `auto`, the stronger of `bwrap` and `user`.

    The other arguments are those of `Sandbox`. Raises `SandboxError` if no such sandbox works here.
    """
    if not HAS_SANDBOX:  # an object with everything used on Windows
        return cast(
            'Sandbox',
            SimpleNamespace(
                kind='none',
                scratch=scratch,
                python=sys.executable,
                shares_limits=False,  # Windows does not kill programs when memory runs out
                has_room=lambda: False,
            ),
        )
    chosen, python = working_kind(kind)
    sandbox = chosen(scratch, hidden, limits)
    sandbox.python = python
    return sandbox


def discarding(sandbox: Sandbox, limits: Limits) -> Sandbox | None:
    """Return a sandbox that discards the changes of a run, or None if no such sandbox works here.

    The result is `sandbox` itself if possible. Otherwise, it has the given limits.
    """
    if not HAS_SANDBOX:
        return None
    if not sandbox.discards:
        try:
            sandbox = confine('auto', sandbox.scratch, sandbox.hidden, limits)
        except (SandboxError, OSError):
            return None
    return sandbox if sandbox.discards else None


@cache
def working_kind(kind: str) -> tuple[type[Sandbox], str]:
    """Return a working kind of sandbox, and an interpreter that works in it.

    `kind` is as in `confine`. A success is cached, and forked processes inherit the cache. Raises
    `SandboxError`.
    """
    if kind == 'none':
        return Sandbox, own_interpreter()
    cure = 'install bubblewrap (on Debian and Ubuntu: apt install bubblewrap)'
    for candidate in (Bubblewrap, AsOtherUser):
        if kind not in ('auto', candidate.kind):
            continue
        python, complaint = interpreter_in(candidate)
        if python:
            return candidate, python
        if candidate is Bubblewrap and complaint is not None and shutil.which('bwrap'):
            cure = BUBBLEWRAP_REFUSED.format(printable(complaint))
    fails = 'no sandbox works' if kind == 'auto' else f'the {kind} sandbox does not work'
    raise SandboxError(
        f'{fails} here, so nothing was run: {cure}; or add --confine none, but then '
        'these programs can read, change and send everything that you can. Your own '
        'program needs no sandbox: use --command "CMD" instead of the file name'
    )


def interpreter_in(kind: type[Sandbox]) -> tuple[str, str | None]:
    """Return the first interpreter that runs in a kind of sandbox, or '' if none does.

    If none does, also return the last line of what the last interpreter printed, or None if no
    interpreter could be tried.
    """
    source = 'import os; os.fork()'  # programs must be able to start processes
    complaint = None
    with suppress(OSError, SandboxError), scratch_folder() as scratch:
        sandbox = kind(scratch)
        for python in interpreters():
            sandbox.python = python
            status, printed = output(sandbox, [python, '-c', source])
            if status == 0:
                return python, None
            complaint = printed.decode(errors='replace').strip().rpartition('\n')[2]
    return '', complaint


@contextmanager
def surveyed(
    kind: str,
    command: str | None,
    submissions: Sequence[Path],
    others: Sequence[Path] = (),
    tools: Sequence[str] = (),
) -> Iterator[Survey]:
    """Yield a survey of the sandbox for submissions: its kind, and what programs can still reach.

    Unless the kind is `none`, programs see neither the folders of the submissions (see
    `folder_above`) nor `others`, such as the folder for the results. For the kind `user`, these
    folders are closed to other users until the block ends.

    `command`, if given, is the command line for starting the submissions. `tools` are the words of
    other command lines they need, such as their build command. Raises `SandboxError` if no sandbox
    works, or if the command does not exist.
    """
    with scratch_folder() as scratch:
        sandbox = confine(kind, scratch)
        words = words_in(command or '')
        needed = [scratch, *tools_of((sandbox.python, *words, *tools), search_path(sandbox.python))]
        hidden = [*dict.fromkeys([folder_above(path, needed) for path in submissions]), *others]
        sandbox.hidden += hidden
        with (
            closed_to_others(sandbox.hidden, [*SYSTEM, *needed], scratch)
            if sandbox.shares_folders
            else nullcontext()
        ):
            reach = reachable(sandbox, submissions)
            if words and '/' not in words[0]:
                status, _ = output(sandbox, ['sh', '-c', 'command -v "$0"', words[0]])
                if status != 0:
                    raise SandboxError(f'no such command: {words[0]}')
            yield Survey(sandbox.kind, tuple(hidden), tuple(reach), sandbox.places())
