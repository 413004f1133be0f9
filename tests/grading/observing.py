"""Programs run in this process, for speed, and what a replay line by line would see of them."""

import contextlib
import io
import sys
import traceback
from dataclasses import replace
from unittest import mock

from grading.assignments.games import game_of
from grading.diagnosis.diagnose import diagnose
from grading.diagnosis.example import explained_example
from grading.reports.text import describe
from grading.sessions.dialogue import Dialogue, LeftFile, Turn
from grading.sessions.transcript import Transcript
from grading.sessions.verdict import Played, judged

STATUS_OF_CRASH = 1
FOLDER = '/tmp/submission'            # where programs are compiled as if they stood there


def message_on(played):
    """Return the message on a session for the author of a program that fails it."""
    return describe(explained_example(played, game_of(played.session)))


def played_wrong(session, number, kind, printed=b'', *, late=b'', seconds=0, **facts):
    """Return a session that is right up to one turn, in which something is printed instead."""
    turns = [Turn(step.output.encode()) for step in session.steps[:number]]
    dialogue = Dialogue([*turns, Turn(printed), *[Turn(late)] * bool(late)], 'silence', **facts)
    files = {file.path: LeftFile() for file in session.files}
    return Played(session, replace(dialogue, files=files),
                  replace(judged(session, dialogue, number), kind=kind), seconds=seconds)


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
    past_end = session.reads_past_end and not transcript.reads_all_first
    shown = [*session.shown[:-1], *[session.shown_at_end] * past_end, len(session.output)]
    turns = [Turn(session.output[start:end].encode(), was_waiting=True)
             for start, end in zip([0, *shown], shown)]
    for turn, line in zip(turns[:len(session.texts) - 1], transcript.inputs):
        turn.typed = line.encode() + b'\n'
    dialogue = Dialogue(turns, 'silence' if status is None else 'exit', status,
                        errors=errors.encode(), folder=FOLDER)
    wrong = judged(transcript, dialogue)
    left = transcript.inputs[len(session.texts) - 1:]
    if wrong and left and wrong.turn == len(turns) - 1 and wrong.lines == len(
            transcript.steps[wrong.turn].printed):      # the next line is typed before it is seen
        turns[-1].typed, turns[-1].was_waiting = left[0].encode() + b'\n', False
        turns.append(Turn())
        wrong = judged(transcript, dialogue)
    return wrong and Played(transcript, dialogue, wrong, seconds=5)


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
