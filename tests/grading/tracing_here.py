"""Programs traced in this process by the tracer itself, for speed, and where to look in them."""

import difflib
import os
import sys
from unittest import mock

import observing

from grading.assignments.games import game_of
from grading.diagnosis.crash import crash_at
from grading.diagnosis.diagnose import Diagnosis, Fault, Shown, diagnose
from grading.diagnosis.places.trace import Trace, Traced
from grading.diagnosis.places.traced_runs import TRACER, Tracing

FAILED, PASSED = 2, 5                   # as many sessions suffice
TRACED = {'__name__': 'tracer'}
exec(compile(TRACER.rpartition('\nrun(')[0], 'tracer', 'exec'), TRACED)


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

    with mock.patch.object(os, 'write', lambda _, line: said.append(line)), \
            mock.patch.multiple(observing, Streams=Streams, counting=lambda _: tracer.called):
        return (*observing.run(code, inputs, True), b''.join(said))


def places(folder, source, transcripts):
    """Return where to look in a program for what is wrong in a few sessions, as one thing.

    With it the line in which it crashes, or None.
    """
    code = written(folder, source)
    failed, passed = [], []
    for transcript in transcripts:
        observed = observing.observe(code, transcript)
        chosen, most = (failed, FAILED) if observed else (passed, PASSED)
        if len(chosen) < most:
            chosen.append(observed or transcript)
        if len(failed) + len(passed) == FAILED + PASSED:
            break
    place = failed[0].difference
    group = Fault(place, [Shown(one.transcript, one.difference.step) for one in failed])
    _, (found,) = explained(folder, source, Diagnosis(groups=[group]), failed, passed)
    crash = crash_at(place)
    return found, crash and crash.line


def diagnosed(folder, source, transcripts):
    """Return the diagnosis of a program without what traces contradict, and the places."""
    code = written(folder, source)
    observed = {transcript: observing.observe(code, transcript) for transcript in transcripts}
    failed = [one for one in observed.values() if one]
    passed = [transcript for transcript, one in observed.items() if not one]
    return explained(folder, source, diagnose(game_of, failed, passed), failed, passed)


def written(folder, source):
    """Return the code of a program that stands in a folder."""
    path = folder / 'main.py'
    path.write_text(source, encoding='utf-8')
    return compile(source, str(path), 'exec')


def explained(folder, source, diagnosis, failed, passed):
    """Return what is made of a diagnosis by tracing a program that stands in a folder."""
    code = written(folder, source)
    for one in failed:
        one.difference.folder = str(folder)

    def play(transcript, *_):
        session, status, _, content = traced_run(code, folder, transcript.inputs)
        return Traced(Trace.read(content), session.output.encode(), status)
    return Tracing(play, folder, float('inf')).explain(diagnosis, failed, passed)
