"""Records a session: runs a program on its input, and writes down what the program prints.

Inputs, comments and directives stay as they are. So does a regular expression that matches the new
output.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from ..in_words import status_in_words
from ..printable import counted, decoded, printable
from ..sandbox.program import Program, StartError
from .comments import directive_in
from .comparison import Alignment
from .directives import DIRECTIVES, LINE_RULES, Scope
from .items import Item
from .parse import parse, read_session
from .play import Experience, LiveSession, look_for_files, play
from .session import ExpectedLine, Session, Step
from .start import running
from .transcript import TranscriptError, lines_in, marked
from .verdict import Dialogue, LeftFile, Turn, wrong_files

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox
    from .run import Run

END = '# end of input'
ERROR = re.compile(r'\S.*(Error|Exception|error:)')  # matches error messages in most languages
WAITING_SILENCE = 1.0  # seconds after which a silent program counts as waiting
SESSION_SECONDS = 30.0  # the time limit of a session
MOST_PRINTED = 1 << 24  # bytes of output that can be recorded
MOST_IN_FILE = 1 << 20  # bytes that can be recorded of a file that the program writes


def record_by(
    program: Program,
    sandbox: Sandbox,
    directives: Sequence[str],
    provided: Sequence[str],
    path: Path,
) -> str:
    """Record a session in its file, and return a one-line summary.

    The program gets the arguments of the session's `$` line. `directives` are those of the
    assignment, and `provided` are the assignment's files in the program's folder. Raises
    `TranscriptError` without changing the file.
    """
    session = read_session(path, directives)
    dialogue = recorded_by(session, program, sandbox, provided)
    recorded = recorded_with(session, dialogue)
    path.write_bytes(recorded.text.encode())
    return '; '.join(
        filter(None, [what_is_recorded(session, recorded), note_on(session, dialogue)])
    )


def what_is_recorded(session: Session, recorded: Session) -> str:
    """Describe in words what was recorded, and which directives were added.

    >>> scenario = parse('Ann\\n')
    >>> what_is_recorded(scenario, recorded_with(scenario, Dialogue.printing(['Name?\\n', ''])))
    'recorded 1 typed line and 1 printed line'
    """
    printed = [line for line in recorded.lines if line.startswith('|')]
    new = Counter(map(directive_in, recorded.lines)) - Counter(map(directive_in, session.lines))
    names = [f'"# {name}{value and ": "}{value}"' for name, value in new if name]
    return (
        f'recorded {counted(len(recorded.inputs), "typed line")} and '
        f'{counted(len(printed), "printed line")}' + (f', with {", ".join(names)}' if names else '')
    )


def note_on(session: Session, dialogue: Dialogue) -> str:
    """Return a warning about a recording that may surprise the author, or ''."""
    *before, last = [turn.printed for turn in dialogue.turns]
    has_ended = any(turn.ends_input for turn in dialogue.turns)
    if dialogue.status and not session.end.accepts(dialogue.status):
        errors = error_line(dialogue.errors)
        return f'the program ended with {status_in_words(dialogue.status)}' + (
            errors and f': {errors}'
        )
    if len(dialogue.turns) > len(session.steps) and any(before) and not last:
        return (
            'the program is waiting for more input after the last line: '
            f'"{END}" was written, in case no line is missing'
        )
    if len(session.inputs) > 1 and last and not any(before) and not has_ended:
        return (
            'the program printed nothing before it had read the last line: '
            'if it answers line by line, it has to flush'
        )
    return ''


def recorded_by(
    session: Session, program: Program, sandbox: Sandbox, provided: Sequence[str]
) -> Dialogue:
    """Return what a program does in a session.

    The first run types each line when the program is waiting. A second run plays the recorded
    session as in grading. Raises `TranscriptError` if the program fails, does not end, leaves input
    unread, or answers differently the second time.
    """
    program = replace(program, words=[*program.words, *session.arguments])
    files: dict[str, LeftFile] = {}

    @contextmanager
    def started() -> Iterator[Run]:
        files.clear()
        in_folder = partial(look_for_files, session, files, program.below, provided, MOST_IN_FILE)
        try:
            with running(program, sandbox, SESSION_SECONDS, in_folder) as run:
                yield run
        except StartError as failure:
            raise TranscriptError(f'{session.name}: {failure}') from None

    with started() as run:
        live = LiveSession(session, run, Experience(SESSION_SECONDS))
        live.type_rest(
            time.monotonic() + SESSION_SECONDS,
            SESSION_SECONDS,
            MOST_PRINTED,
            len(session.steps) + 1,
            WAITING_SILENCE,
        )
        dialogue = live.end()
    dialogue.files = dict(files)
    check_dialogue(session, dialogue)
    check_files(session, dialogue.files)
    # The program may have ended before it read the end of its input.
    dialogue.turns += [Turn() for _ in session.steps[len(dialogue.turns) :]]

    experience = Experience(SESSION_SECONDS)
    experience.looks_are_reliable = True
    with started() as run:
        again = play(recorded_with(session, dialogue), run, experience, types_on=False)
    again.dialogue.files = dict(files)
    wrong = again.failure_found or next(wrong_files(again.session, again.dialogue), None)
    if wrong:
        raise error(
            session,
            wrong.turn,
            'the program answers differently the second time, as '
            'programs do that use random numbers',
        )
    return dialogue


def check_dialogue(session: Session, dialogue: Dialogue) -> None:
    """Raise `TranscriptError` if a dialogue cannot be recorded."""
    turns, steps, status = dialogue.turns, session.steps, dialogue.status
    last = len(turns) - 1
    if last == len(steps) and (dialogue.end != 'exit' or status):
        raise error(
            session,
            last - 2,
            'an input line is missing after this one: the program is waiting for more'
            if len(steps) > 1
            else 'an input line is missing: the program is waiting for one',
        )
    if dialogue.end == 'output':
        raise error(session, last, 'the program prints without end')
    if dialogue.end in ('silence', 'time', 'cut'):
        raise error(session, last, f'the session is not over after {SESSION_SECONDS:g} s')
    if last < len(steps) - 1 and steps[last].input is not None:
        raise error(session, last, why_unread(steps[last], dialogue))
    if session.end.still_asks and dialogue.end == 'exit':
        raise error(session, last, 'the program ends instead of asking for more input')
    for number, turn in enumerate(turns):
        if not is_text(turn.printed):
            raise error(session, number, 'the program prints bytes that are not UTF-8')


def check_files(session: Session, files: Mapping[str, LeftFile]) -> None:
    """Raise `TranscriptError` if a file that a program left cannot be recorded."""
    for file in session.end.files:
        left = files[file.path]
        complaint = left.complaint
        if len(left.content) > MOST_IN_FILE:
            complaint = f'more than {MOST_IN_FILE >> 20} MB'
        elif not is_text(left.content):
            complaint = 'not UTF-8'
        if complaint:
            raise TranscriptError(f'{session.name}:{file.number}: {file.path}: {complaint}')


def is_text(content: bytes) -> bool:
    """Return whether bytes are UTF-8."""
    return decoded(content).encode() == content


def why_unread(step: Step, dialogue: Dialogue) -> str:
    """Return why a program did not read a line, for an error message."""
    status, reason = dialogue.status or 0, error_line(dialogue.errors)
    if not status and not reason:
        return f'the program does not read this line: {step.input!r}'
    return f'the program ended with {status_in_words(status)} before it read line {step.number}' + (
        reason and f': {reason}'
    )


def error_line(errors: bytes) -> str:
    """Return the last line of standard error that names an error, or else the last line.

    >>> error_line(b'Exception in thread "main" java.lang.Error\\n\\tat Main.main(Main.java)\\n')
    'Exception in thread "main" java.lang.Error'
    """
    lines = [line for line in decoded(errors).split('\n') if line.strip()]
    return printable(([*filter(ERROR.match, lines)] or lines or [''])[-1].strip())


def error(session: Session, number: int, message: str) -> TranscriptError:
    """Return an error about the input line at the end of the step with index `number`."""
    step = session.steps[max(0, min(number, len(session.steps) - 1))]
    line = step.number or len(session.lines)
    place = f'{session.name}:{line}' if line else session.name
    return TranscriptError(f'{place}: {printable(message)}')


def recorded_with(session: Session, recorded: Dialogue) -> Session:
    """Return a session with a program's output and the files that it wrote.

    Raises `TranscriptError` if the format cannot express the output, or a directive forbids it.
    """
    steps, outputs = session.steps, [turn.printed.decode() for turn in recorded.turns]
    outputs += [''] * (len(steps) - len(outputs))
    start, lines = head_of(session, recorded)
    for step, output in zip(steps, outputs, strict=False):
        end = step.number - 1 if step.number else len(session.lines)
        if not step.number and len(outputs) > len(steps):
            lines += [*written(session, output), END]
            output = outputs[-1]
        lines += step_with(session, step, start, end, output, recorded.files)
        lines += session.lines[end : end + 1]  # what is typed
        start = end + 1
    return parse('\n'.join([*lines, '']), session.name, session.directives)


def step_with(
    session: Session,
    step: Step,
    start: int,
    end: int,
    output: str,
    left: Mapping[str, LeftFile],
) -> list[str]:
    """Return the transcript's lines for a step, with new output and the files `left` by a program.

    The old lines of the step are `session.lines[start:end]`.
    """
    files: list[str] = []
    others = [*range(start, end)]
    for file in session.end.files:
        if start < file.number <= end:
            content = left.get(file.path, LeftFile()).content.decode()
            files += [
                session.lines[file.number - 1],
                *filled(session, file.content, range(file.number, file.last), content),
            ]
            others = [index for index in others if not file.number - 1 <= index < file.last]
    return [*filled(session, step, others, output), *files]


def filled(session: Session, step: Step, indices: Iterable[int], output: str) -> list[str]:
    """Return the session's lines at some indices, with new output for the step."""
    printed = {line.number: line for line in step.printed}
    own: list[ExpectedLine | str] = []  # printed lines and comments
    for index in indices:
        line = session.lines[index]
        if index + 1 in printed:
            own.append(printed[index + 1])
        elif not line.startswith(('|', '$')) and directive_in(line)[0] != 'backslash':
            own.append(line)
    if step.is_open or any(line.skips for line in step.printed):
        kept = kept_lines(session, step, output)
        return [line if isinstance(line, str) else next(kept) for line in own]
    if not all(line.is_text for line in step.printed):
        return [*with_lines_around(session, step, own, output)]
    return commented(own, written(session, output))


def head_of(session: Session, recorded: Dialogue) -> tuple[int, list[str]]:
    """Return how many comments a session begins with, and its new first lines.

    These are the comments, new directives on the exit status and on missing output, and the `$`
    line.
    """
    size = next(
        (
            number
            for number, line in enumerate(session.lines)
            if not line.startswith('#') or scope_of(line) in ('line', 'place')
        ),
        len(session.lines),
    )
    facts, old = [], ['prints nothing']
    if not recorded.output and not any(step.is_open for step in session.steps):
        facts.append('# prints nothing')
    if recorded.status is not None and not session.end.accepts(recorded.status):
        if recorded.status:
            facts.append(f'# exit status: {recorded.status}')
        old.append('exit status')
    lines = [line for line in session.lines[:size] if directive_in(line)[0] not in old]
    if session.command:
        command_lines = [line for line in session.lines if line.startswith('$')]
        facts += command_lines or ['$ ' + ' '.join(session.command)]
    return size, lines + facts


def scope_of(comment: str) -> Scope | None:
    """Return the scope of the directive in a comment, or None if it has none."""
    name, _ = directive_in(comment)
    return DIRECTIVES[name].scope if name else None


def kept_lines(session: Session, step: Step, output: str) -> Iterator[str]:
    """Yield the `|` lines of a step that has a directive "# any lines", with their new output.

    Raises `TranscriptError` if the output does not match them.
    """
    alignment = Alignment(session, [step])
    pieces: list[str] = []  # the output for each expected line
    for text in lines_in(output):
        alignment.take(text.encode())
        pieces += [text] * (alignment.accepted()[0] - len(pieces))
    alignment.end()
    if not alignment.is_whole:
        numbers = [*(line.number for line in step.printed), step.number]
        raise not_allowed(session, numbers[len(pieces)], output)
    pieces += lines_in(output)[-1:] * (len(step.printed) - len(pieces))
    for line, text in zip(step.printed, pieces, strict=False):
        yield filled_line(session, line, text)


def with_lines_around(
    session: Session, step: Step, own: Sequence[ExpectedLine | str], output: str
) -> Iterator[str]:
    """Yield the lines of a step with new output, keeping lines with a directive where they match.

    Raises `TranscriptError` if such a line matches no output.
    """
    texts = lines_in(output)
    places = places_of(session, step, texts)
    done, comments = 0, []
    for line in own:
        if isinstance(line, str):
            comments.append(line)
            continue
        place = places[line.number]
        if place is not None:
            yield from written(session, ''.join(texts[done:place]))
            done = place + 1
        yield from comments
        comments = []
        if place is not None:
            yield filled_line(session, line, texts[place])
    yield from written(session, ''.join(texts[done:]))
    yield from comments


def filled_line(session: Session, line: ExpectedLine, text: str) -> str:
    """Return a line of the transcript with new output, or unchanged if the line is a pattern."""
    return marked(line) if LINE_RULES[line.rule].is_pattern else written(session, text)[0]


def places_of(session: Session, step: Step, texts: Sequence[str]) -> dict[int, int | None]:
    """Align expected lines with new texts; return the index of each line's text, by line number.

    The index is None if a line has no text. The alignment adds, removes and changes as few lines as
    possible. Raises `TranscriptError` if a line with a directive has no text.
    """
    lines, never = step.printed, float('inf')
    # For each line and text, the cheapest way to align the rest: its cost, and how many lines and
    # texts its first step uses up (0 or 1 of each).
    rest = [[(0.0, 0, 0)] * (len(texts) + 1) for _ in range(len(lines) + 1)]
    for row in range(len(lines), -1, -1):
        for column in range(len(texts), -1, -1):
            ways = []
            if row < len(lines) and column < len(texts):
                ways.append((change_of(lines[row], texts[column], session), 1, 1))
            if row < len(lines):
                ways.append((1 if lines[row].is_text else never, 1, 0))
            if column < len(texts):
                ways.append((1, 0, 1))
            if ways:
                rest[row][column] = min(
                    (
                        (cost + rest[row + down][column + right][0], down, right)
                        for cost, down, right in ways
                    ),
                    key=lambda way: (way[0], -way[1] - way[2]),
                )
    if rest[0][0][0] == never:
        first = next(line for line in lines if not line.is_text)
        if LINE_RULES[first.rule].allows_anything:
            raise TranscriptError(
                f'{session.name}:{first.number}: '
                f'"# {first.rule}" is no longer followed by an output line'
            )
        raise not_allowed(session, first.number, ''.join(texts))
    places: dict[int, int | None] = {}
    row = column = 0
    while row < len(lines):
        _, down, right = rest[row][column]
        if down:
            places[lines[row].number] = column if right else None
        row, column = row + down, column + right
    return places


def change_of(line: ExpectedLine, text: str, session: Session) -> float:
    """Return the cost of replacing a line with text, or infinity if that is not allowed."""
    is_pattern = LINE_RULES[line.rule].is_pattern
    if str(line) == text and not is_pattern:
        return 0
    if line.is_text:
        return 1
    if line.has_newline != text.endswith('\n') or not Item([line], session.rules).matches(
        text.removesuffix('\n')
    ):
        return float('inf')
    return 0 if is_pattern else 0.5


def not_allowed(session: Session, number: int, output: str) -> TranscriptError:
    """Return the error for output that a line's directives do not allow."""
    return TranscriptError(
        f'{session.name}:{number or len(session.lines)}: the program does '
        f'not print what the directives here allow, but {output!r}'
    )


def commented(step: Sequence[ExpectedLine | str], printed: Sequence[str]) -> list[str]:
    """Return the new output of a step, with each comment where it was.

    A comment stays before the same line if the program still prints that line. Otherwise it stays
    at the same position, or goes to the end.
    """
    olds = [marked(line) for line in step if not isinstance(line, str)]
    lines, place = [(at, True, line) for at, line in enumerate(printed)], 0
    for line in step:
        if not isinstance(line, str):
            place += 1
            continue
        at = min(place if olds[place:] else len(printed), len(printed))
        if olds[place:] and olds[place] in printed and olds[place] not in printed[at : at + 1]:
            at = printed.index(olds[place])
        lines.append((at, False, line))
    return [line for *_, line in sorted(lines, key=itemgetter(0, 1))]


def written(session: Session, output: str) -> list[str]:
    """Return output as the `|` lines of a transcript. Raises `TranscriptError`."""
    *lines, last = output.split('\n')
    for line in [*lines, last]:
        if '\r' in line or '\0' in line:
            raise TranscriptError(f'{session.name}: a session cannot contain {line!r}')
    return [
        *(marked(ExpectedLine(0, line, True)) for line in lines),
        *([marked(ExpectedLine(0, last, False))] if last else []),
    ]
