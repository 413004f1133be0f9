"""Records a session: runs a program on its input, and writes the output into the session's file.

The program runs twice, to check that its output is the same each time. Inputs stay as they are.
Each comment and each directive stays before its line, in the same order; so does a regular
expression that matches the new output. A step with "# any lines" stays as it is.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from ..limits import MAX_IN_FILE, MAX_RECORDED, RECORD_SECONDS
from ..printable import counted, decoded, printable, quoted, status_in_words
from ..sandbox.calls import REPORT, reported
from ..sandbox.program import Program, StartError, status_in_shell
from ..sandbox.scratch import in_fresh_folder
from .comparison import Alignment
from .directives import DIRECTIVES, LINE_RULES, directive_in
from .items import Item
from .play import Experience, LiveSession, look_for_files, play
from .run import running
from .session import ExpectedLine, Session, Step
from .transcript import TranscriptError, lines_in, marked, parse, read_session
from .verdict import Dialogue, LeftFile, PlayedSession, Turn, wrong_files

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox
    from .run import Run

END = '# end of input'
NOT_ASKING = 'the program ends instead of asking for more input'
ADD_STILL_ASKS = '; if the session should end here, make "# still asks" its last line'
NEVER = math.inf  # the cost of a forbidden change
SHIFT = 1e-6  # the cost of a line's move by one line: less than that of any change
# Matches a line with the name of an error, in most programming languages.
ERROR = re.compile(r'\S.*(Error|Exception|error:)')
# Seconds of silence before a program counts as waiting, if the system does not show what it is
# doing.
WAITING_SILENCE = 1.0


def record_by(
    program: Program,
    sandbox: Sandbox,
    directives: Sequence[str],
    provided: Sequence[str],
    confined: Callable[[], tuple[Program, Sandbox] | None],
    path: Path,
) -> str:
    """Record a session in its file, and return a one-line summary.

    The program gets the arguments of the session's `$` line. `directives` are those of the
    assignment, and `provided` are the paths of the assignment's files in the program's folder.
    `confined` returns a copy of the program, and the sandbox in which it would run as a submission,
    or None if there is none.
    Raises `TranscriptError` if the session cannot be recorded; the file is then unchanged.
    """
    session = read_session(path, directives)
    dialogue = Recorder(session, program, sandbox, provided).record()
    recorded = recorded_with(session, dialogue)
    path.write_bytes(recorded.text.encode())
    notes = [what_is_recorded(session, recorded), note_on(session, dialogue)]
    found = confined()
    if found:
        notes.append(Recorder(recorded, *found, provided).note_on_sandbox())
    return '; '.join(filter(None, notes))


def note_on(session: Session, dialogue: Dialogue) -> str:
    """Return a warning if something in a recording may surprise its author, or else ''."""
    *before, last = [turn.printed for turn in dialogue.turns]
    asked_for_more = len(dialogue.turns) > len(session.steps)  # after the last line
    input_was_ended = any(turn.ends_input for turn in dialogue.turns)
    if dialogue.status and not session.end.accepts(dialogue.status):
        return how_it_ended(dialogue, dialogue.status)
    if asked_for_more and any(before) and not last:
        return (
            f'the program was waiting for more input after the last line, so "{END}" was added; '
            'check that no line is missing'
        )
    if len(session.inputs) > 1 and last and not any(before) and not input_was_ended:
        return (
            'the program printed nothing before it read the last line; if it should answer line '
            'by line, it must flush its output'
        )
    return ''


@dataclass(frozen=True)
class Recorder:
    """Runs a program in a session, and records what the program does."""

    session: Session
    program: Program
    sandbox: Sandbox
    provided: Sequence[str]  # paths of the assignment's files in the program's folder

    def record(self) -> Dialogue:
        """Return what the program does in the session.

        Raises `TranscriptError` if the program does not end, does not read exactly the session's
        input, prints something other than text, or answers differently the second time.
        """
        dialogue = self.dialogue()
        check_dialogue(self.session, dialogue)
        check_files(self.session, dialogue.files)
        # The program may have ended before it read the end of its input. Add the missing turns.
        dialogue.turns += [Turn() for _ in self.session.steps[len(dialogue.turns) :]]
        self.replay(dialogue)
        return dialogue

    def dialogue(self) -> Dialogue:
        """Run the program, and type each line when the program is waiting."""
        with self.started() as (run, files):
            live = LiveSession(self.session, run, Experience(RECORD_SECONDS))
            live.type_rest(
                until=time.monotonic() + RECORD_SECONDS,
                grace=RECORD_SECONDS,
                size=MAX_RECORDED,
                turns=len(self.session.steps) + 1,
                silence=WAITING_SILENCE,
            )
            dialogue = live.end()
        dialogue.files = files
        return dialogue

    def replay(self, dialogue: Dialogue) -> None:
        """Play the recorded session as in grading; raise `TranscriptError` if it does not pass."""
        experience = Experience(RECORD_SECONDS)
        experience.looks_are_reliable = True
        recorded = recorded_with(self.session, dialogue)
        with self.started() as (run, files):
            again = play(recorded, run, experience)
        again.dialogue.files = files
        wrong = again.failure_found or next(wrong_files(again.session, again.dialogue), None)
        if wrong:
            again.failure_found = wrong
            what = differences_in_words(again)
            raise error(
                self.session,
                wrong.turn,
                f'the program answered differently the second time{what}, perhaps because it uses '
                'random numbers',
            )

    def note_on_sandbox(self) -> str:
        """Play the recorded session in the sandbox; return a warning if it does not pass there."""
        reporting = self.sandbox.reporting(self.program)
        recorder = replace(self, program=reporting[0], sandbox=reporting[1]) if reporting else self
        with recorder.started() as (run, files):
            again = play(self.session, run, Experience(RECORD_SECONDS), types_on=False)
        again.dialogue.files = files
        if not again.failure_found and not next(wrong_files(self.session, again.dialogue), None):
            return ''
        errors = again.dialogue.errors_begin
        refused = [*reported(errors), *again.dialogue.refused]
        how = again.dialogue.excess and f'it used {again.dialogue.excess}'
        reason = how or error_line(REPORT.sub(b'', errors)) or 'it prints something else'
        why = f', which refuses {", ".join(refused)}' if refused else ''
        return f'WARNING: the program fails in the sandbox of submissions{why}: {reason}'

    @contextmanager
    def started(self) -> Iterator[tuple[Run, dict[str, LeftFile]]]:
        """Start the program; yield its run, and a dictionary for the files it leaves.

        At the end of the block, end all processes of the program, and fill the dictionary: the keys
        are the paths of the expected files.
        """
        session, program = self.session, self.program
        program = replace(program, words=[*program.words, *session.arguments])
        files: dict[str, LeftFile] = {}
        in_folder = partial(
            look_for_files, session, files, program.below, self.provided, MAX_IN_FILE
        )
        try:
            with (
                nullcontext() if program.folder else in_fresh_folder(self.sandbox.scratch),
                running(program, self.sandbox, RECORD_SECONDS, in_folder) as run,
            ):
                yield run, files
        except StartError as failure:
            raise TranscriptError(f'{session.name}: {failure}') from None


def differences_in_words(again: PlayedSession) -> str:
    """Return how the second run of a program differed from the first, or ''."""
    file, wrong = again.failure.file, again.wrong_line
    name = f'{file.path}: ' if file else ''
    if wrong.expected == wrong.printed:
        return ''
    first, second = (
        quoted(line.rstrip('\n')) if line else 'nothing' for line in (wrong.expected, wrong.printed)
    )
    return f' ({name}first {first}, then {second})'


def check_dialogue(session: Session, dialogue: Dialogue) -> None:
    """Raise `TranscriptError` if a dialogue cannot be recorded."""
    turns, steps, status = dialogue.turns, session.steps, dialogue.status
    last = len(turns) - 1
    if last == len(steps) and (dialogue.end != 'exit' or status):
        raise error(
            session,
            last - 2,  # the step with the last input line
            'an input line is missing after this one: the program is waiting for more'
            + ADD_STILL_ASKS
            if len(steps) > 1
            else 'an input line is missing: the program is waiting for one',
        )
    if dialogue.end == 'output':
        raise error(session, last, 'the program never stops printing')
    if dialogue.end in ('silence', 'time', 'cut'):
        raise error(session, last, f'the session was not over after {RECORD_SECONDS:g} s')
    if last < len(steps) - 1 and steps[last].input is not None:
        raise error(session, last, why_unread(steps[last], dialogue))
    if session.end.still_asks and dialogue.end == 'exit':
        raise error(session, last, NOT_ASKING)
    for number, turn in enumerate(turns):
        if not is_text(turn.printed):
            raise error(session, number, 'the program prints bytes that are not UTF-8')


def check_files(session: Session, files: Mapping[str, LeftFile]) -> None:
    """Raise `TranscriptError` if a file left by a program cannot be recorded."""
    for file in session.end.files:
        left = files[file.path]
        complaint = left.complaint
        if len(left.content) > MAX_IN_FILE:
            complaint = f'more than {MAX_IN_FILE >> 20} MB'
        elif not is_text(left.content):
            complaint = 'not UTF-8'
        if complaint:
            raise TranscriptError(f'{session.name}:{file.number}: {file.path}: {complaint}')


def is_text(content: bytes) -> bool:
    """Return whether bytes are UTF-8."""
    return decoded(content).encode() == content


def why_unread(step: Step, dialogue: Dialogue) -> str:
    """Return why a program did not read a line, for an error message."""
    status = dialogue.status or 0
    if status or error_line(dialogue.errors):
        return how_it_ended(dialogue, status, f' before it read line {step.number}')
    return f'the program does not read this line: {step.input!r}'


def how_it_ended(dialogue: Dialogue, status: int, when: str = '') -> str:
    """Return how a program ended, with the error that it printed, if any."""
    how = f'the program ended with {status_in_words(status)}{when}'
    return ': '.join(filter(None, [how, error_line(dialogue.errors)]))


def error_line(errors: bytes) -> str:
    """Return the last line of standard error that names an error, or else the last line.

    >>> error_line(b'Exception in thread "main" java.lang.Error\\n\\tat Main.main(Main.java)\\n')
    'Exception in thread "main" java.lang.Error'
    """
    lines = [line for line in decoded(errors).split('\n') if line.strip()]
    naming_errors = [line for line in lines if ERROR.match(line)]
    *_, last = naming_errors or lines or ['']
    return printable(last.strip())


def error(session: Session, number: int, message: str) -> TranscriptError:
    """Return an error about the input line at the end of the step with index `number`."""
    step = session.steps[max(0, min(number, len(session.steps) - 1))]
    line = step.number or len(session.lines)
    place = f'{session.name}:{line}' if line else session.name
    return TranscriptError(f'{place}: {printable(message)}')


def what_is_recorded(session: Session, recorded: Session) -> str:
    """Describe in words what was recorded, and which directives were added.

    >>> scenario = parse('Ann\\n')
    >>> what_is_recorded(scenario, recorded_with(scenario, Dialogue.printing(['Name?\\n', ''])))
    'recorded 1 typed line and 1 printed line'
    """
    printed = [line for line in recorded.lines if line.startswith('|')]
    new = Counter(map(directive_in, recorded.lines)) - Counter(map(directive_in, session.lines))
    added = [f'"# {name}: {value}"' if value else f'"# {name}"' for name, value in new if name]
    return (
        f'recorded {counted(len(recorded.inputs), "typed line")} and '
        f'{counted(len(printed), "printed line")}'
        + (f', and added {", ".join(added)}' if added else '')
    )


def recorded_with(session: Session, recorded: Dialogue) -> Session:
    """Return a session with the output of a program and the files it wrote.

    Raises `TranscriptError` if the format cannot express the output, or a directive does not allow
    it.
    """
    outputs = [turn.printed.decode() for turn in recorded.turns]
    outputs += [''] * (len(session.steps) - len(outputs))
    asked_for_more = len(outputs) > len(session.steps)
    start, lines = head_of(session, recorded)
    for step, output in zip(session.steps, outputs, strict=False):
        # The index of the step's input line; the last step has none.
        end = step.number - 1 if step.number else len(session.lines)
        if asked_for_more and not step.number:
            lines += [*written(session, output), END]
            output = outputs[-1]  # what the program printed after the end of its input
        lines += with_output_and_files(session, step, range(start, end), output, recorded.files)
        lines += session.lines[end : end + 1]
        start = end + 1
    return parse('\n'.join([*lines, '']), session.name, session.directives)


def head_of(session: Session, recorded: Dialogue) -> tuple[int, list[str]]:
    """Return how many comments a session begins with, and its new first lines.

    The new lines are the comments, new directives about the exit status and about the lack of
    output, and the `$` line.
    """
    comments = [*takewhile(is_in_head, session.lines)]
    new = []
    replaced = ['prints nothing']  # names of directives to leave out, or to write anew
    if not recorded.output and not any(step.is_open for step in session.steps):
        new.append('# prints nothing')
    if recorded.status is not None and not session.end.accepts(recorded.status):
        replaced.append('exit status')
        if recorded.status:
            new.append(f'# exit status: {status_in_shell(recorded.status)}')
    if session.command:
        command_lines = [line for line in session.lines if line.startswith('$')]
        new += command_lines or ['$ ' + ' '.join(session.command)]
    kept = [line for line in comments if directive_in(line)[0] not in replaced]
    return len(comments), [*kept, *new]


def is_in_head(line: str) -> bool:
    """Return whether a line is a comment for people, or a directive about the whole session."""
    if not line.startswith('#'):
        return False
    name, _ = directive_in(line)
    return not name or DIRECTIVES[name].scope == 'session'


def with_output_and_files(
    session: Session, step: Step, indices: range, output: str, left: Mapping[str, LeftFile]
) -> list[str]:
    """Return the transcript's lines for a step, with new output and the files `left` by a program.

    The old lines of the step are those of the session at these indices. Files follow the output.
    """
    lines_of_files: list[str] = []
    indices_of_files: set[int] = set()
    for file in session.end.files:
        directive = file.number - 1  # the index of the line with the file's name
        if directive in indices:
            content = left.get(file.path, LeftFile()).content.decode()
            old = range(directive + 1, file.last)
            lines_of_files += [
                session.lines[directive],
                *with_output(session, file.content, old, content),
            ]
            indices_of_files |= {directive, *old}
    others = [index for index in indices if index not in indices_of_files]
    return [*with_output(session, step, others, output), *lines_of_files]


# A printed line, its position among those of the step, and the comments and directives before it.
OldLine = tuple[ExpectedLine, int, list[str]]
# The index of an old line among the new ones, or None if it is gone, and those of later lines.
Indexes = tuple[int | None, 'Indexes'] | None


def with_output(session: Session, step: Step, indices: Iterable[int], output: str) -> list[str]:
    """Return the session's lines at some indices, with new output for the step.

    Each comment or directive stays before its line, which `indexes_of` finds in the new output. If
    the line is gone, they go before the next line that stays, or to the end. A step with
    "# any lines" stays as it is: these lines show only what must be printed. Raises
    `TranscriptError` if its lines or directives do not allow the output.
    """
    old_lines = [(index + 1, session.lines[index]) for index in indices]
    if step.is_open or any(line.skips for line in step.expected):
        alignment = Alignment(session, [step])
        alignment.take(output.encode())
        alignment.end()
        if not alignment.is_whole:
            raise not_allowed(session, step, output)
        return [line for _, line in old_lines if not line.startswith('$')]
    printed = {line.number: line for line in step.expected}
    old: list[OldLine] = []
    comments: list[str] = []
    position = 0
    for number, line in old_lines:
        expected = printed.get(number)
        if expected:
            if comments or not expected.is_text:  # it does not matter where the other lines were
                old.append((expected, position, comments))
            position += 1
            comments = []
        elif not line.startswith(('|', '$')) and directive_in(line)[0] != 'backslash':
            comments.append(line)
    texts = lines_in(output)
    lines: list[str] = []
    waiting: list[str] = []  # comments whose line is gone
    done = 0  # how many of `texts` are recorded
    indexes = indexes_of(session, step, old, texts)
    for (expected, _, before), index in zip(old, indexes, strict=True):
        waiting += before
        if index is not None:
            lines += [*written(session, ''.join(texts[done:index])), *waiting]
            is_pattern = LINE_RULES[expected.rule].is_pattern
            lines.append(marked(expected) if is_pattern else written(session, texts[index])[0])
            waiting, done = [], index + 1
    return [*lines, *written(session, ''.join(texts[done:])), *waiting, *comments]


def indexes_of(
    session: Session, step: Step, old: Sequence[OldLine], texts: Sequence[str]
) -> list[int | None]:
    """Return the index of each old line among the new lines `texts`, or None if it is gone.

    The lines keep their order, and as few of them as possible change. A changed line stays at its
    position, or is gone. Raises `TranscriptError` if a line with a directive is gone.
    """
    # For each `index`: what it costs at least to find the old lines seen so far,
    # from the last line on, among `texts[index:]`; and their indexes there.
    best: list[tuple[float, Indexes]] = [(0, None)] * (len(texts) + 1)
    for line, position, _ in reversed(old):
        # A changed line stays if it need not move.
        cost_if_gone = 1 + SHIFT / 2 if line.is_text else NEVER
        after, best = best, best[:]
        for index in reversed(range(len(texts) + 1)):
            cost, indexes = after[index]
            ways: list[tuple[float, Indexes]] = [(cost_if_gone + cost, (None, indexes))]
            if index < len(texts):
                cost, indexes = after[index + 1]
                cost += cost_of_change(session, line, texts[index])
                cost += SHIFT * abs(index - position)
                ways = [(cost, (index, indexes)), *ways, best[index + 1]]  # here, gone, or later
            best[index] = min(ways, key=itemgetter(0))
    cost, indexes = best[0]
    if cost == NEVER:
        raise not_allowed(session, step, ''.join(texts))
    found = []
    while indexes:
        first, indexes = indexes
        found.append(first)
    return found


def cost_of_change(session: Session, line: ExpectedLine, text: str) -> float:
    """Return the cost of replacing a line with text, or `NEVER` if this is forbidden."""
    is_pattern = LINE_RULES[line.rule].is_pattern
    if str(line) == text and not is_pattern:
        return 0
    if line.is_text:
        return 1
    is_allowed = Item([line], session.rules).matches(text.removesuffix('\n'))
    if line.has_newline != text.endswith('\n') or not is_allowed:
        return NEVER
    # Prefer a matching pattern to a line that matches anything, and such a line to a changed line.
    return 0 if is_pattern else 0.5


def not_allowed(session: Session, step: Step, output: str) -> TranscriptError:
    """Return the error for output that the directives of a step do not allow."""
    first = next((line for line in step.expected if not line.is_text or line.skips), None)
    number = first.number if first else step.number or len(session.lines)
    if first and LINE_RULES[first.rule].allows_anything:
        why = f'"# {first.rule}" is no longer followed by an output line'
    else:
        why = f'the directives here do not allow what the program prints: {output!r}'
    return TranscriptError(f'{session.name}:{number}: {why}')


def written(session: Session, output: str) -> list[str]:
    """Return output as the `|` lines of a transcript. Raises `TranscriptError`."""
    *lines, last = output.split('\n')
    for line in [*lines, last]:
        if '\r' in line or '\0' in line:
            raise TranscriptError(
                f'{session.name}: a session cannot contain \\r or NUL, but the program prints '
                f'{line!r}'
            )
    return [
        *(marked(ExpectedLine(0, line, True)) for line in lines),
        *([marked(ExpectedLine(0, last, False))] if last else []),
    ]
