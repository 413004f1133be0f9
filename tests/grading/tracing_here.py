"""Programs traced in this process by the tracer itself, for speed, and where to look in them."""

from __future__ import annotations

import ast
import difflib
import json
import os
import sys
import threading
from unittest import mock

import observing

from grading.diagnosis.crash import crash_at
from grading.diagnosis.diagnose import Diagnosis, Fault, Shown
from grading.diagnosis.places.sources import STATEMENTS
from grading.diagnosis.places.trace import Trace, Traced
from grading.diagnosis.places.traced_runs import TRACER, Tracing

FAILED, PASSED = 2, 5                   # as many sessions suffice
SAYING = {'__name__': 'statements'}
exec(compile(STATEMENTS.rpartition('\nrun(')[0], 'statements', 'exec'), SAYING)
TRACED = {'__name__': 'tracer'}
exec(compile(TRACER.rpartition('\nrun(')[0], 'tracer', 'exec'), TRACED)
TRACED['monitoring'] = None             # it would notice what runs in other tests, too


def changed_lines(right, wrong):
    """Return the numbers of the lines of a program that a right one does not have.

    Where lines are only left out, those around them count.
    """
    matcher = difflib.SequenceMatcher(None, right.split('\n'), wrong.split('\n'), False)
    return {number for tag, _, _, start, end in matcher.get_opcodes() if tag != 'equal'
            for number in (range(start + 1, end + 1) if start < end else (start, start + 1))}


def traced_run(code, folder, inputs):
    """Run a program in a folder; return as `observing.run` does, and what the tracer says."""
    said = []
    nothing = dict.fromkeys(['dup2', 'open', 'close'], lambda *_: 0)
    with mock.patch.multiple(os, **nothing):
        tracer = TRACED['Tracer'](str(folder))

    class Streams(observing.Streams):
        def write(self, text):
            tracer.printed(text.encode(), sys._getframe().f_back)
            super().write(text)

        def readline(self):
            tracer.wants_input(sys._getframe().f_back)
            return super().readline()

    def starting(_):
        tracer.start()
        threading.settrace(None)
        return sys.gettrace()

    with mock.patch.object(os, 'write', lambda _, line: said.append(line)), \
            mock.patch.multiple(observing, Streams=Streams, counting=starting):
        return (*observing.run(code, inputs, True), b''.join(said))


def places(folder, source, transcripts):
    """Return where to look in a program for what is wrong in a few sessions, as one thing.

    With it the line in which it crashes, or None.
    """
    path = folder / 'main.py'
    path.write_text(source, encoding='utf-8')
    code = compile(source, str(path), 'exec')
    failed, passed, traces = [], [], {}
    for transcript in transcripts:
        plain = observing.observe(code, transcript)
        chosen, most = (failed, FAILED) if plain else (passed, PASSED)
        if len(chosen) < most:
            session, status, _, said = traced_run(code, folder, transcript.inputs)
            traces[transcript.name] = Traced(Trace.read(said), session.output.encode(), status)
            chosen.append(plain or transcript)
        if len(traces) == FAILED + PASSED:
            break
    for one in failed:
        one.difference.folder = str(folder)
    place = failed[0].difference
    group = Fault(place, [Shown(one.transcript, one.difference.step) for one in failed])
    said = json.dumps(['main.py', SAYING['Statements'](ast.parse(source)).all]).encode()
    tracing = Tracing(lambda transcript, words, *_: (
        traces[transcript.name] if TRACER in words else Traced(Trace(), said, 0)),
        folder, float('inf'))
    found, = tracing.where(Diagnosis(groups=[group]), failed, passed)
    crash = crash_at(place)
    return found, crash and crash.line
