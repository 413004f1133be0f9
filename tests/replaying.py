"""Replay of a transcript through a program as it stands, for tests of the replay itself."""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from running import SECONDS

import grading.sessions.replay
from grading.assignments.games import game_of
from grading.diagnosis.example import explained_example
from grading.project import ROOT
from grading.reports.messages import describe
from grading.sandbox.kinds import Sandbox
from grading.sandbox.program import Program
from grading.sandbox.start import READY, Launch
from grading.sessions.run import PIPES, TERMINAL
from grading.sessions.running import running


def replay(transcript, command, seconds=SECONDS, sandbox=None):
    """Replay a transcript through a program, both ways; return (message for its author, errors).

    The message is '' if all is right.
    """
    program = Program([*map(str, command), *transcript.command[1:]])
    sandbox = sandbox or Sandbox(Path())
    for way in (PIPES, TERMINAL):
        with running(program, sandbox, way, 2 * SECONDS) as run:
            difference = grading.sessions.replay.replay(transcript, run, seconds)
            errors = run.errors
        if difference:
            return describe(explained_example(difference, game_of(transcript))), errors
        if errors:
            break
    return '', errors


class Forked(Sandbox):
    """Runs a console in a fork of this process: all is real but the start of an interpreter."""

    @contextmanager
    def _launch(self, program):
        name, *arguments = program.words
        code = code_of(name[:-len('.py')])
        yield Launch([], {}, str(ROOT), lambda: become_console(code, name, *arguments))


@lru_cache(maxsize=None)
def code_of(name):
    """Return the code of a console, all that it needs being imported."""
    return importlib.import_module(name).__loader__.get_code(name)


def become_console(code, *arguments):
    """Run a console on the standard streams, after what a start says; see `start.START`."""
    os.write(2, READY)
    os.read(2, 1)
    os.dup2(3, 2)
    os.close(3)
    sys.argv = [*arguments]
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, closefd=False) for number, mode in enumerate('rww'))
    exec(code, {'__name__': '__main__'})
