"""Replay of a transcript through a program as it stands, for tests of the replay itself."""

from __future__ import annotations

from pathlib import Path

from running import SECONDS

import grading.sessions.replay
from grading.reports.messages import describe
from grading.sandbox.kinds import Sandbox
from grading.sandbox.program import Program
from grading.sessions.run import PIPES, TERMINAL, running


def replay(transcript, command, seconds=SECONDS):
    """Replay a transcript through a program, both ways; return (message for its author, errors).

    The message is '' if all is right.
    """
    program = Program([*command, *transcript.command[1:]])
    for way in (PIPES, TERMINAL):
        with running(program, Sandbox(Path()), way, 2 * SECONDS) as run:
            difference = grading.sessions.replay.replay(transcript, run, seconds)
            errors = run.errors
        if difference:
            return describe(difference), errors
        if errors:
            break
    return '', errors
