"""The data passed between the stages of grading: results, findings and their parts.

The engine makes `Results`, the diagnosis adds findings, and the reports read both. All of it is
plain data. A `Record` escapes its text, so that no untrusted control character reaches a terminal
or a page, and shortens what programs print, so that it floods neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from .differences import Difference, difference_of
from .printable import clean, printable

FailureKind = Literal[  # what a program does wrong
    'differs',  # it prints the wrong thing
    'ended',  # it ends while more is expected
    'silent',  # it prints nothing where output is expected
    'trickles',  # it keeps printing, but takes too long in total
    'not ended',  # it does not end
    'status',  # it ends with the wrong exit status
    'not asking',  # it should ask for more input, but neither asks nor ends
    'file',  # a file it should write is wrong or missing
]
FOR_EXAMPLE = 'for example, '  # begins what a program does wrong if sessions show it differently
# What a program does wrong, by kind of failure.
HAPPENS: dict[FailureKind, str] = {
    'differs': 'does not print the expected output',
    'ended': 'ends too early',
    'silent': 'prints nothing where output is expected',
    'trickles': 'takes too long',
    'not ended': 'does not end',
    'status': 'ends with the wrong exit status',
    'not asking': 'does not ask for more input',
    'file': 'does not write the expected file',
}
State = Literal[  # the state of a test
    'waiting',
    'passed',
    'failed',
    'not run',  # `reason` says why
]
NotRun = Literal[  # why a test was not run, or not completed
    '',  # it has passed or failed, or is still waiting
    'no program',  # `detail` says why there is none
    'hung',  # the program hung in every earlier session
    'hung or used too much',
    'hung or printed without end',
    'ended',  # grading ended early: `Results.ended` says why
    'late',  # the program prints its answers only after more input
    'late, but right at once',  # 'late', but with all input at once it prints what is expected
    'cut',  # time ran out after some fresh games, all of which passed: `detail` is '3 of 10'
]
Reason = Literal[  # why grading, or an explanation, ended before it was complete
    'time limit',  # `detail` is the number of seconds
    'signal',  # `detail` is the name of the signal
    'failure',  # the grader failed: `detail` is the error
    'explanation',  # the explanation failed or exceeded a limit: `detail` says how
    'full disk',
    'no more files',  # the disk cannot hold more files
    'too little memory',
    'no start',  # the program did not start: `detail` is the error
    'no programs',  # the system cannot start any program: `detail` is the error
]
# The grader's exit statuses; for the status after a signal, see `signals.ended_by_signals`.
RIGHT = 0  # all programs pass all sessions of the assignment
WRONG = 1  # a program fails a session, or a session was not played
WRONG_USAGE = 2  # the command line or a session is invalid
UNGRADED = 3  # something could not be graded
FRESH = 'fresh games'  # the name of the test for all fresh games
BEYOND = 'beyond the assignment'  # the tag of a test that does not affect the score
# The metadata of a field whose text may have several lines. Other text is shortened to one line.
LINES = {'text': 'lines'}  # text that is shortened
WHOLE = {'text': 'whole'}  # text that is not shortened, because the grader wrote it


class Record:
    """Data whose text is escaped and shortened when an object is created."""

    def __post_init__(self) -> None:
        for field_ in fields(self):  # type: ignore[arg-type]  # each subclass is a dataclass
            value: Any = getattr(self, field_.name)
            if isinstance(value, str) and field_.metadata == WHOLE:
                object.__setattr__(self, field_.name, printable(value, keep='\n'))
            elif isinstance(value, str):
                object.__setattr__(self, field_.name, clean(value, field_.metadata == LINES))
            elif isinstance(value, (list, tuple)) and all(isinstance(text, str) for text in value):
                object.__setattr__(self, field_.name, [*map(clean, value)])


@dataclass(frozen=True)
class Crash(Record):
    """An uncaught exception, and the innermost line of its traceback in the author's own files."""

    error: str  # the traceback's last line: `IndexError: list index out of range`
    file: str  # the path of the file, relative to the author's folder, or '' if it is unknown
    line: int  # from 1
    source: str = field(metadata=LINES)  # the text of the line, or '' if it is unknown

    @property
    def type(self) -> str:
        """The exception's name, or the whole error if it does not begin with a name."""
        name = self.error.partition(':')[0]
        return name if re.fullmatch(r'[a-z.]*[A-Z][\w.]*|\w+\.\w+', name) else self.error


@dataclass(frozen=True)
class Place(Record):
    """Some lines of a program, and why its author should look there."""

    file: str
    first: int  # the number of the first line, from 1
    last: int  # the number of the last line
    source: str = field(metadata=LINES)  # the text of these lines
    why: str  # 'raised by', 'printed by', 'called by', 'decided by', ...
    sessions: Sequence[str]  # the names of failed sessions that ran these lines
    start: int  # the number of the first line in `context`
    context: str = field(metadata=LINES)  # the text of these lines and the lines around them
    function: str = ''  # if `why` is 'decided by', the function around these lines, otherwise ''


@dataclass(frozen=True)
class Interruption(Record):
    """Why grading, or an explanation, ended before it was complete."""

    reason: Reason
    detail: str = field(default='', metadata=WHOLE)  # see `Reason`


@dataclass(frozen=True)
class LineComparison(Record):
    """How a printed line is compared with the expected one, if not byte for byte."""

    rule: str = 'text'  # 'text', or the name of a directive, such as 'regex'
    ignored: Sequence[str] = ()  # what is ignored: 'case', 'whitespace'
    tolerance: float | None = None  # how far numbers may differ, or None if they are just text
    skips: bool = False  # whether any lines may precede the line


@dataclass(frozen=True)
class Example(Record):
    """A point in a session where the program fails."""

    session: str  # the session's name
    line: int  # the line number in the session's file, from 1, or 0 if it is hidden
    step: int  # the index of the step, from 0
    kind: FailureKind  # how the program fails
    answers: str = ''  # the file with this line if the session is a pair of files, otherwise ''
    is_at_once: bool = False  # whether the session was played with all input at once
    game: str = ''  # the name of the session's game, or '' if it has none
    command: str = ''  # the command line as one would type it, or '' if it has no arguments
    typed: str | None = None  # the preceding input line, or None before the first
    typed_line: int = 0  # the line number of `typed` in the file, from 1, or 0 without `typed`
    expected: str = ''  # the expected line where the output is wrong, or '' if there is none
    printed: str = ''  # the line printed there; a missing '\n' is a difference
    comparison: LineComparison | None = None  # how lines were compared, or None if byte for byte
    expected_text: str = field(default='', metadata=LINES)  # the expected output of the step
    printed_text: str = field(default='', metadata=LINES)  # the printed output of the step
    # The expected output of the last earlier step that shows a position of the game, or ''.
    before: str = field(default='', metadata=LINES)
    status: int | None = None  # the exit status (negative for a signal), or None if irrelevant
    expected_status: str = '0'  # the expected exit status: a number, 'any' or 'not 0'
    seconds: float = 0  # how long the program was allowed to be silent, or 0 if irrelevant
    late: float = 0  # seconds of silence before late output, or 0 if no output was late
    excess: str = ''  # the limit the program exceeded, if that is why it was killed
    errors: Sequence[str] = ()  # lines of standard error, if they show why it ended
    file: str = ''  # the compared file, or '' for output
    complaint: str = ''  # why the file cannot be read, or ''
    crash: Crash | None = None  # the exception that ended the program, or None if unknown
    hint: str = ''  # a sentence with another fact about the failure, or ''
    is_hidden: bool = False  # whether all fields but the session and the kind are left out

    @property
    def difference(self) -> Difference:
        """The difference in the first line that differs."""
        return difference_of(self.expected, self.printed)


@dataclass
class Finding(Record):
    """One thing wrong with a program."""

    id: str  # the known fault's id, or '' if it is not a known fault
    sentence: str  # what the program does: 'prints one space between ...'
    advice: str  # what to do about it, or ''
    sessions: list[str]  # the names of its sessions: visible before hidden, short before long
    clean_points: float  # the points of the sessions in `clean`
    example: Example  # the failure that shows it best
    plain: str = ''  # a sentence that quotes nothing from the program, or '' if there is none
    # The sessions that the program ran to their end, with nothing else wrong.
    clean: list[str] = field(default_factory=list)
    cut: list[str] = field(
        default_factory=list
    )  # sessions in which what follows cannot be seen yet
    is_printing: bool = False  # whether the program plays correctly but prints the wrong output
    places: list[Place] = field(default_factory=list)  # where in the program to look
    subject: str = 'program'  # the subject of the sentence, such as "assignment's run.py"

    def with_sessions_of(self, other: Finding) -> Finding:
        """Return this finding with the sessions of another finding added.

        The two findings must not have a session in common.
        """
        return replace(
            self,
            sessions=[*self.sessions, *other.sessions],
            clean_points=self.clean_points + other.clean_points,
            clean=[*self.clean, *other.clean],
            cut=[*self.cut, *other.cut],
        )


@dataclass
class SessionResult(Record):
    """The result of one session, or of all fresh games."""

    name: str
    max_score: float
    score: float = 0
    state: State = 'waiting'
    reason: NotRun = ''  # why it was not run, or not completed
    detail: str = field(default='', metadata=WHOLE)  # see `NotRun`
    tags: list[str] = field(default_factory=list)  # such as `BEYOND`
    visibility: str = 'visible'
    title: str = ''
    hidden: bool = False  # whether its input and output are hidden from students
    example: Example | None = None  # where it fails, or None if it has not failed

    @property
    def has_passed(self) -> bool:
        return self.state == 'passed'

    @property
    def is_not_run(self) -> bool:
        """Whether the session has neither passed nor failed."""
        return self.state in ('waiting', 'not run')


@dataclass
class Results(Record):
    """The results of one submission."""

    # Whether to grade the submission once more, alone: the machine ran short of something, or the
    # process that graded it was killed. This is not saved.
    is_short = False
    # Whether the points are for other sessions than those of the rest of the class. Not saved.
    is_outdated = False

    submission: str  # the submission's name
    score: float | None = 0  # the points so far, or None if it could not be graded
    output: str = field(default='', metadata=WHOLE)  # why it could not be graded, or ''
    execution_time: float | None = 0  # seconds, or None if students must not see it
    visibility: str = 'visible'  # when students see the tests on Gradescope
    tests: list[SessionResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)  # the first is the one to fix first
    assignment: str = ''  # see `Assignment.label`
    game: str = ''  # the assignment's title
    prompts: bool = False  # whether the sessions with prompts were played
    at_once: bool = False  # whether the sessions were to be played with all input at once
    confinement: str = ''  # the kind of sandbox
    reach: list[str] = field(default_factory=list)  # what the program could reach but should not
    notes: list[str] = field(default_factory=list)  # such as a note about files left out
    late: bool | None = None  # whether it was submitted late, or None if unknown
    id: str = ''  # the student's id, or '' if unknown
    email: str = ''  # the student's email address, or '' if unknown
    cut_short: list[str] = field(default_factory=list)  # parts of the explanation that ended early
    ended: Interruption | None = None  # why grading ended early, or None if it did not
    not_explained: list[Interruption] = field(default_factory=list)  # why explanations are missing
    complete: bool = False  # whether all points are known
    smallest: str = field(default='', metadata=WHOLE)  # the smallest failing fresh game, or ''
    flaky: bool = False  # whether that game fails differently from run to run
    seed: int | None = None  # the seed of the fresh games, or None if there are none
    digest: str = ''  # see `digest_of_program`; equal programs have equal digests
    sessions: str = ''  # see `digest_of_sessions`
    fingerprint: str = ''  # a digest of what the results depend on, or '' if they are not saved
    version: str = ''  # see `grader_version`; '' until the results are saved

    @property
    def faults(self) -> list[str]:
        """The ids of the known faults."""
        return [finding.id for finding in self.findings if finding.id]

    @property
    def max_score(self) -> float:
        """The points a submission can get."""
        return float(sum(test.max_score for test in self.tests))

    @property
    def passed(self) -> int:
        """How many tests the submission has passed."""
        return sum(test.has_passed for test in self.tests)

    @property
    def exit_status(self) -> int:
        """The grader's exit status; tests beyond the assignment do not count."""
        if self.score is None:
            return UNGRADED
        return (
            WRONG
            if any(not test.has_passed and BEYOND not in test.tags for test in self.tests)
            else RIGHT
        )


def without_grade(name: str, note: str) -> Results:
    """Return the results of a submission that could not be graded; `note` is the reason."""
    return Results(name, None, note)
