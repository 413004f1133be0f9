"""Runs one command in a sandbox, to see whether it works there and what it prints."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from .kernel import TRIAL_SECONDS
from .kinds import Sandbox
from .program import Program, StartError


def output(sandbox: Sandbox, words: list[str]) -> tuple[int | None, bytes]:
    """Run a command in a sandbox, without input; return its exit status and output.

    The output includes the standard error. If the command took too long, the status is None. If the
    command could not start, the status is None, and the output says why.
    """
    with (
        tempfile.TemporaryDirectory(dir=sandbox.scratch) as folder,
        tempfile.TemporaryFile() as printed,
        open(os.devnull, 'rb') as nothing,
    ):
        os.chmod(folder, 0o755)
        streams = nothing.fileno(), printed.fileno(), printed.fileno()
        try:
            with sandbox.started(Program(words, Path(folder)), streams) as (process, _):
                status = process.status(TRIAL_SECONDS)
        except StartError as error:
            return None, str(error).encode()
        printed.seek(0)
        return status, printed.read()
