"""Programs run in this process, for speed, and what a replay line by line would see of them."""

import contextlib
import io
import sys
import traceback
from itertools import zip_longest
from unittest import mock

from running import SECONDS

from grading.assignments.games import game_of
from grading.diagnosis.diagnose import diagnose
from grading.diagnosis.example import explained_example
from grading.reports.messages import describe
from grading.sessions.dialogue import Dialogue, Turn
from grading.sessions.difference import Difference, Observation, difference_from
from grading.sessions.play import Experience, play
from grading.sessions.transcript import Transcript

STATUS_OF_CRASH = 1
FOLDER = '/tmp/submission'            # where programs are compiled as if they stood there


def message_on(difference):
    """Return the message on a difference for the author of a program."""
    return describe(explained_example(difference, game_of(difference.transcript)))


def departure_in_turns(transcript, run, seconds=SECONDS):
    """Return where a program departs from a session, line by line, None if nowhere."""
    return difference_from(play(transcript, run, Experience(seconds)), seconds)


class Streams:
    """A program's standard streams: what it has printed before each line that it reads."""

    def __init__(self, inputs):
        self.inputs = iter(inputs)
        self.texts = ['']               # printed before each read and after the last
        self.shown = [0]                # how many characters of all were flushed by then
        self.reads_past_end = False
        self.shown_at_end = 0           # how many were flushed when it first read past the end

    @property
    def output(self):
        return ''.join(self.texts)

    def write(self, text):
        self.texts[-1] += text

    def flush(self):
        self.shown[-1] = len(self.output)

    def read_before_more_is_shown(self, number):
        """Return how many lines are read from a step on, 0 if nothing is shown at a read."""
        reads = range(number + 1, len(self.texts) - (not self.reads_past_end))
        shown = [*self.shown[:-1], self.shown_at_end]
        return next((read - number for read in reads if shown[read] > shown[number]), 0)

    def readline(self):
        line = next(self.inputs, None)
        if line is None:
            if not self.reads_past_end:
                self.shown_at_end = self.shown[-1]
            self.reads_past_end = True
            return ''
        self.shown.append(self.shown[-1])
        self.texts.append('')
        return line + '\n'

    def read(self):
        return ''.join(iter(self.readline, ''))

    def input(self, prompt=''):
        self.write(prompt)
        self.flush()
        line = self.readline()
        if not line:
            raise EOFError('EOF when reading a line')
        return line.rstrip('\n')


class Endless(BaseException):
    """The program has run too many lines."""


def counting(most_lines):
    """Return a trace function that ends a program, and only that, after so many lines."""
    left = most_lines

    def trace(frame, event, argument):
        nonlocal left
        if '__name__' not in frame.f_globals or frame.f_globals['__name__'] != 'program':
            return None
        left -= 1
        if left < 0:
            raise Endless
        return trace
    return trace


def run(source, inputs, most_lines=None):
    """Run a program on input lines; return (session, exit status, standard error).

    With `most_lines` it is ended after so many, as a replay ends one that hangs: status None.
    """
    session = Streams(inputs)
    errors = io.StringIO()
    program = {'__name__': 'program', 'input': session.input}
    status = 0
    with mock.patch.object(sys, 'stdin', session), contextlib.redirect_stdout(session), \
            contextlib.redirect_stderr(errors):
        try:
            sys.settrace(most_lines and counting(most_lines))
            exec(source, program)
        except SystemExit as end:
            status = end.code or 0
        except Exception:
            sys.settrace(None)
            traceback.print_exc()
            status = STATUS_OF_CRASH
        except Endless:
            status = None
        finally:
            sys.settrace(None)
    return session, status, errors.getvalue()


def observe(source, transcript, most_lines=None):
    """Return what a replay sees of a program that fails a transcript, None if it passes."""
    session, status, errors = run(source, transcript.inputs, most_lines)
    difference = difference_of(session, status, errors, transcript)
    if difference:
        difference.folder = FOLDER
        typed = [line.encode() + b'\n' for line in transcript.inputs]
        turns = [Turn(text.encode(), line) for text, line in zip_longest(
            session.texts, typed[:len(session.texts) - 1], fillvalue=b'')]
        past_end = session.reads_past_end and not transcript.reads_all_first
        difference.dialogue = Dialogue(
            [*turns, *[Turn()] * past_end], 'silence' if status is None else 'exit', status,
            errors=errors.encode(), folder=FOLDER)
    return difference and Observation(transcript, difference, session.output.encode(), status,
                                   errors.encode())


def observed_in(program, most_lines=None):
    """Return what a replay sees of a wrong program, and the sessions that it passes.

    It is played with sessions that are not too long.
    """
    code = compile(program.source, f'{FOLDER}/main.py', 'exec')
    observed = [(transcript, observe(code, transcript, most_lines))
                for transcript in (Transcript(*text) for text in program.short.items())]
    return ([what for _, what in observed if what],
            [transcript for transcript, what in observed if not what])


def diagnosed(program, most_lines=None):
    """Return the diagnosis of a program that is run in this process."""
    return diagnose(game_of, *observed_in(program, most_lines), seconds=600)


def seen_so_far(difference, output=None, status=None):
    """Return what is known of a program in a session up to its first difference, or all of it."""
    is_cut = output is None
    if is_cut:
        steps = difference.transcript.steps[:difference.step + (difference.kind == 'status')]
        output = ''.join(step.output for step in steps).encode() + difference.printed
    return Observation(difference.transcript, difference, output, status, is_cut=is_cut)


def difference_of(session, status, errors, transcript):
    """Return how a program first departs from a transcript, played line by line."""
    before = 0
    for number, step in enumerate(transcript.steps):
        reads = len(session.texts) > number + 1 or (
            session.reads_past_end and not transcript.reads_all_first)
        end = before + len(session.texts[number])
        shown = session.output[before:session.shown[number] if reads else end]
        due = step.output
        if shown != due:
            if not due.startswith(shown):
                return Difference(transcript, number, 'differs', shown.encode(),
                                  errors=errors.encode())
            if reads:
                late = session.output[before + len(shown):]
                return Difference(transcript, number, 'silent', shown.encode(), late.encode(),
                                  status, errors.encode(), seconds=5,
                                  read_early=session.read_before_more_is_shown(number))
            kind = 'silent' if status is None else 'ended'
            return Difference(transcript, number, kind, shown.encode(), status=status,
                              errors=errors.encode())
        if number + 1 == len(session.texts) and number + 1 < len(transcript.steps):
            kind = 'silent' if status is None else 'ended'
            return Difference(transcript, number + 1, kind, b'', status=status,
                              errors=errors.encode())
        before = end
    last = len(transcript.steps) - 1
    if session.reads_past_end and not transcript.reads_all_first:
        return Difference(transcript, last, 'runs on', b'', status=status, seconds=5)
    if status is None:
        return Difference(transcript, last, 'runs on', b'')
    if status:
        return Difference(transcript, last, 'status', b'', status=status, errors=errors.encode())
    return None
