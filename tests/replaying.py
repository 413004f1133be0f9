"""Replay of a transcript through a program as it stands, for tests of the replay itself."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path

from running import SECONDS

import grading.sessions.replay
from grading.assignments.games import game_of
from grading.diagnosis.example import explained_example
from grading.installation import ROOT
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
    """Runs a program in a fork of this process: all is real but the start of an interpreter.

    The program's first word is a console, the path of a file, or a source of several lines.
    """

    @contextmanager
    def _launch(self, program):
        code = code_of(program.words[0])
        yield Launch([], {}, str(ROOT), lambda: become_program(code, *program.words))


def code_of(word):
    """Return the code of a program; all that a console needs is imported."""
    if word.endswith('_console.py'):
        importlib.import_module(Path(word).stem)
    return compiled(word if '\n' in word else (ROOT / word).read_text(encoding='utf-8'), word)


compiled = lru_cache(maxsize=100)(partial(compile, mode='exec'))


def become_program(code, *arguments):
    """Run a program on the standard streams, after what a start says; see `start.START`."""
    os.write(2, READY)
    os.read(2, 1)
    os.dup2(3, 2)
    os.close(3)
    sys.argv = [*arguments]
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, closefd=False) for number, mode in enumerate('rww'))
    status = 0
    try:
        exec(code, {'__name__': '__main__'})
    except SystemExit as error:
        status = error.code
        if isinstance(status, str):
            print(status, file=sys.stderr, flush=True)
            status = 1
    except Exception:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    os._exit(status)
