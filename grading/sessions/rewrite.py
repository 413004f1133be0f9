"""Writes new output into the transcript of a session.

Inputs stay as they are. Each comment and each directive stays before its line, in the same order;
so does a regular expression that matches the new output. A step with "# any lines" stays as it is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from operator import itemgetter
from typing import NamedTuple

from ..printable import counted
from ..sandbox.program import status_in_shell
from .comparison import Alignment
from .directives import DIRECTIVES, LINE_RULES, directive_in
from .items import Item
from .session import ExpectedLine, Session, Step
from .transcript import TranscriptError, lines_in, marked, parse
from .verdict import Dialogue, LeftFile

END = '# end of input'
NOT_ASKING = 'the program ends instead of asking for more input'
ADD_STILL_ASKS = '; if the session should end here, make "# still asks" its last line'
NEVER = math.inf  # the cost of a forbidden change
SHIFT = 1e-6  # the cost of a line's move by one line: less than that of any change


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
    session: Session,
    step: Step,
    indices: range,
    output: str,
    left: Mapping[str, LeftFile],
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


class OldLine(NamedTuple):
    """A printed line of the transcript, and the comments and directives before it."""

    expected: ExpectedLine
    position: int  # among the printed lines of the step
    comments: list[str]


def with_output(session: Session, step: Step, indices: Iterable[int], output: str) -> list[str]:
    """Return the session's lines at some indices, with new output for the step.

    Each comment or directive stays before its line, which `places_of` finds in the new output. If
    the line is gone, they go before the next line that stays, or to the end. A step with
    "# any lines" stays as it is: these lines show only what must be printed. Raises
    `TranscriptError` if its lines or directives do not allow the output.
    """
    old_lines = [(index, session.lines[index]) for index in indices]
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
    position = 0  # among the printed lines of the step
    for index, line in old_lines:
        expected = printed.get(index + 1)
        if expected:
            if comments or not expected.is_text:  # it does not matter where the other lines were
                old.append(OldLine(expected, position, comments))
            position += 1
            comments = []
        elif not line.startswith(('|', '$')) and directive_in(line)[0] != 'backslash':
            comments.append(line)
    texts = lines_in(output)
    lines: list[str] = []
    waiting: list[str] = []  # comments whose line is gone
    done = 0  # how many of `texts` are recorded
    for (expected, _, before), place in zip(old, places_of(session, step, old, texts), strict=True):
        waiting += before
        if place is not None:
            lines += [*written(session, ''.join(texts[done:place])), *waiting]
            is_pattern = LINE_RULES[expected.rule].is_pattern
            lines.append(marked(expected) if is_pattern else written(session, texts[place])[0])
            waiting, done = [], place + 1
    return [*lines, *written(session, ''.join(texts[done:])), *waiting, *comments]


def places_of(
    session: Session, step: Step, old: Sequence[OldLine], texts: Sequence[str]
) -> list[int | None]:
    """Return the index of each old line among the new lines `texts`, or None if it is gone.

    The lines keep their order, and as few of them as possible change. A changed line stays at its
    position, or is gone. Raises `TranscriptError` if a line with a directive is gone.
    """
    # The cost of the cheapest places for `old[row:]` in `texts[column:]`, by row and column.
    costs = [[0.0] * (len(texts) + 1) for _ in range(len(old) + 1)]

    def moves(row: int, column: int) -> Iterator[tuple[float, int, int]]:
        """Yield the cost after each possible move from here, and where the move leads."""
        if row < len(old) and column < len(texts):
            cost = cost_of_change(session, old[row].expected, texts[column])
            shift = SHIFT * abs(column - old[row].position)
            yield cost + shift + costs[row + 1][column + 1], row + 1, column + 1
        if row < len(old):  # a changed line stays if it need not move
            cost = 1 + SHIFT / 2 if old[row].expected.is_text else NEVER
            yield cost + costs[row + 1][column], row + 1, column
        if column < len(texts):
            yield costs[row][column + 1], row, column + 1

    for row in reversed(range(len(old) + 1)):
        for column in reversed(range(len(texts) + 1)):
            costs[row][column] = min((cost for cost, *_ in moves(row, column)), default=0)
    if costs[0][0] == NEVER:
        raise not_allowed(session, step, ''.join(texts))
    places: list[int | None] = []
    row = column = 0
    while row < len(old):
        _, next_row, next_column = min(moves(row, column), key=itemgetter(0))
        if next_row > row:
            places.append(column if next_column > column else None)
        row, column = next_row, next_column
    return places


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
