"""Starts a run, in a sandbox if the system has one, and at the end kills all its processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from typing import TYPE_CHECKING

from ..sandbox.program import HAS_SANDBOX, Program
from .run import Run

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox


@contextmanager
def running(
    program: Program,
    sandbox: Sandbox,
    seconds: float,
    in_folder: Callable[[int], AbstractContextManager[None]] | None = None,
) -> Iterator[Run]:
    """Start a program; at the end, kill all processes it started.

    `seconds` is the time limit of the run. For `in_folder`, see `Sandbox.started`; on a system
    without a sandbox, `in_folder` is called with -1. Raises `StartError`.
    """
    if not HAS_SANDBOX:
        from .threaded_run import ThreadedRun

        with (
            in_folder(-1) if in_folder else nullcontext(),
            closing(ThreadedRun(program, seconds)) as run,
        ):
            yield run
        return
    with ExitStack() as stack:
        pipes = []  # the end for reading and the end for writing of each pipe
        for _ in range(3):
            reading, writing = os.pipe()
            pipes.append(
                (
                    stack.enter_context(open(reading, 'rb', buffering=0)),
                    stack.enter_context(open(writing, 'wb', buffering=0)),
                )
            )
        (stdin, inlet), (outlet, stdout), (error_outlet, stderr) = pipes
        streams = stdin.fileno(), stdout.fileno(), stderr.fileno()
        if program.folder and sandbox.user_number is not None:
            for descriptor in streams:  # only a pipe's owner can open it by name: /dev/stdin
                os.fchown(descriptor, sandbox.user_number, -1)
        process, watch = stack.enter_context(sandbox.started(program, streams, in_folder))
        for stream in (stdin, stdout, stderr):  # the program has its own copies
            stream.close()
        yield Run(process, watch, seconds, (inlet, outlet, error_outlet))
