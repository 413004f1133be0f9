"""What is done once, before a submission's program is run: build it."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..printable import decoded, printable
from ..sandbox.program import Program
from ..sessions.run import PIPES
from ..sessions.running import running
from .copy import Copy
from .find import SubmissionError

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox

BUILD_SECONDS = 60.0
MOST_SHOWN = 4000                       # bytes of what a compiler says


def build(program: Program, sandbox: Sandbox) -> Path:
    """Run a build command, confined; return a copy of its folder as it is then.

    Raises `SubmissionError` with what the compiler says.
    """
    folder, status, said = run_once(program, sandbox)
    if status != 0:
        said = '\n'.join(f'  build    |{line}' for line in said.split('\n'))   # not the report's
        ending = (f'still running after {BUILD_SECONDS:g} s' if status is None
                  else f'exit status {status}')
        raise SubmissionError(f'the build failed, {ending}:\n{said}')
    return folder


def run_once(program: Program, sandbox: Sandbox) -> tuple[Path, int | None, str]:
    """Run a command in a copy; return a copy of what it leaves, its exit status, what it says."""
    left = Path(tempfile.mkdtemp(prefix='built-', dir=sandbox.scratch))
    left.chmod(0o755)

    def keep(folder: int) -> None:
        Copy(left).add_folder(folder)

    with running(program, sandbox, PIPES, BUILD_SECONDS, keep) as run:
        run.end_input()
        said = b''
        until = time.monotonic() + BUILD_SECONDS
        piece = run.read(BUILD_SECONDS)
        while piece and time.monotonic() < until:
            said = (said + piece)[-MOST_SHOWN:]
            piece = run.read(BUILD_SECONDS)
        status = run.status(max(0, until - time.monotonic()))
        said += run.errors[-MOST_SHOWN:]
    return left, status, printable(decoded(said), keep='\n').strip()
