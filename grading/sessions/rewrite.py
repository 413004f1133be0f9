"""Writes new output into the transcript of a session.

Inputs and comments stay as they are. So do most directives, and a regular expression if it matches
the new output.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from operator import attrgetter
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

OldLine = ExpectedLine | str  # a printed line of a transcript, or a comment, perhaps a directive


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


def with_output(session: Session, step: Step, indices: Iterable[int], output: str) -> Iterable[str]:
    """Return the session's lines at some indices, with new output for the step."""
    printed = {line.number: line for line in step.printed}
    old: list[OldLine] = []
    for index in indices:
        line = session.lines[index]
        if index + 1 in printed:
            old.append(printed[index + 1])
        elif not line.startswith(('|', '$')) and directive_in(line)[0] != 'backslash':
            old.append(line)
    if step.is_open or any(line.skips for line in step.printed):
        return with_any_lines(session, step, old, output)
    if not all(line.is_text for line in step.printed):
        return with_directives(session, step, old, output)
    return with_comments(old, written(session, output))


def with_any_lines(session: Session, step: Step, old: Sequence[OldLine], output: str) -> list[str]:
    """Return a step's lines with new output, if the step has a directive "# any lines".

    Output allowed only by this directive is not recorded. Optional lines stay as they are. Raises
    `TranscriptError` if the output does not match the expected lines.
    """
    alignment, texts = Alignment(session, [step]), lines_in(output)
    matched: list[str] = []  # for each expected line, the matching printed line
    for text in texts:
        alignment.take(text.encode())
        matched += [text] * (alignment.accepted()[0] - len(matched))
    alignment.end()
    if not alignment.is_whole:
        numbers = [*(line.number for line in step.printed), step.number]
        raise not_allowed(session, numbers[len(matched)], output)
    last = texts[-1] if texts else ''  # it may match more lines, now that the output has ended
    matched += [last] * (len(step.printed) - len(matched))
    new = {}
    for line, text in zip(step.printed, matched, strict=True):
        may_be_missing = not text or Item([line], session.rules).may_be_missing
        new[line] = marked(line) if may_be_missing else new_line(session, line, text)
    return [line if isinstance(line, str) else new[line] for line in old]


def with_directives(
    session: Session, step: Step, old: Sequence[OldLine], output: str
) -> Iterator[str]:
    """Yield a step's lines with new output, if the step has directives for single lines.

    Each directive stays before its line. Raises `TranscriptError` if such a line matches no output.
    """
    texts = lines_in(output)
    places = places_of(session, step.printed, texts)
    done = 0  # how many of `texts` have been written
    comments: list[str] = []
    for line in old:
        if isinstance(line, str):
            comments.append(line)
            continue
        place = places[line.number]
        new = []
        if place is not None:
            yield from written(session, ''.join(texts[done:place]))
            new = [new_line(session, line, texts[place])]
            done = place + 1
        yield from [*comments, *new]
        comments = []
    yield from written(session, ''.join(texts[done:]))
    yield from comments


def new_line(session: Session, line: ExpectedLine, text: str) -> str:
    """Return an expected line as the transcript has it, with new text unless it is a pattern."""
    return marked(line) if LINE_RULES[line.rule].is_pattern else written(session, text)[0]


class Way(NamedTuple):
    """The cheapest way to align the rest of the expected lines with the rest of the new ones.

    It has only the first move; the next way in the table of `ways_to_align` has the next move.
    """

    cost: float = 0  # of all moves
    lines: int = 0  # how many expected lines the first move uses: 0 or 1
    texts: int = 0  # how many new lines the first move uses: 0 or 1


def places_of(
    session: Session, lines: Sequence[ExpectedLine], texts: Sequence[str]
) -> dict[int, int | None]:
    """Align expected lines with new lines; return a dict from line numbers to indices in `texts`.

    The index is None if an expected line has no counterpart. The alignment adds, removes and
    changes as few lines as possible. Raises `TranscriptError` if a line with a directive has no
    counterpart.
    """
    ways = ways_to_align(session, lines, texts)
    if ways[0][0].cost == NEVER:
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
        way = ways[row][column]
        if way.lines:
            places[lines[row].number] = column if way.texts else None
        row, column = row + way.lines, column + way.texts
    return places


def ways_to_align(
    session: Session, lines: Sequence[ExpectedLine], texts: Sequence[str]
) -> list[list[Way]]:
    """Return the cheapest ways to align `lines[row:]` with `texts[column:]`, by row and column.

    Adding or removing a line costs 1. For the cost of a change, see `cost_of_change`.
    """
    ways = [[Way()] * (len(texts) + 1) for _ in range(len(lines) + 1)]
    for row in range(len(lines), -1, -1):
        for column in range(len(texts), -1, -1):
            choices = []  # the first of the cheapest counts
            if row < len(lines) and column < len(texts):
                change = cost_of_change(session, lines[row], texts[column])
                choices.append(Way(change + ways[row + 1][column + 1].cost, 1, 1))
            if row < len(lines):
                removal = 1 if lines[row].is_text else NEVER
                choices.append(Way(removal + ways[row + 1][column].cost, 1, 0))
            if column < len(texts):
                choices.append(Way(1 + ways[row][column + 1].cost, 0, 1))
            ways[row][column] = min(choices, key=attrgetter('cost'), default=Way())
    return ways


def cost_of_change(session: Session, line: ExpectedLine, text: str) -> float:
    """Return the cost of replacing a line with text, or `NEVER` if this is forbidden."""
    is_pattern = LINE_RULES[line.rule].is_pattern
    if str(line) == text and not is_pattern:
        return 0
    if line.is_text:
        return 1
    matches = line.has_newline == text.endswith('\n') and Item([line], session.rules).matches(
        text.removesuffix('\n')
    )
    if not matches:
        return NEVER
    # Prefer a matching pattern to a line that matches anything, and such a line to a changed line.
    return 0 if is_pattern else 0.5


def not_allowed(session: Session, number: int, output: str) -> TranscriptError:
    """Return the error for output not allowed by a line's directives."""
    return TranscriptError(
        f'{session.name}:{number or len(session.lines)}: the directives here do not allow what '
        f'the program prints: {output!r}'
    )


def with_comments(old: Sequence[OldLine], printed: Sequence[str]) -> list[str]:
    """Return the new output of a step, with the step's comments.

    A comment stays before the same line if the program still prints the line. Otherwise it stays at
    the same position, or goes to the end.
    """
    old_printed = [marked(line) for line in old if not isinstance(line, str)]
    comments: dict[int, list[str]] = defaultdict(list)  # by the index of the next line
    position = 0
    for line in old:
        if isinstance(line, str):
            comments[place_before(old_printed[position:], position, printed)].append(line)
        else:
            position += 1
    lines: list[str] = []
    for index, text in enumerate(printed):
        lines += [*comments[index], text]
    return lines + comments[len(printed)]


def place_before(following: Sequence[str], position: int, printed: Sequence[str]) -> int:
    """Return where to put a comment in the new lines, given its position in the old lines.

    `following` are the old lines after the comment.

    >>> place_before(['a', 'b'], 1, ['x', 'y', 'a']), place_before(['a'], 1, ['x', 'y', 'z'])
    (2, 1)
    """
    if not following:
        return len(printed)
    is_there = printed[position : position + 1] == [following[0]]
    if following[0] in printed and not is_there:
        return printed.index(following[0])
    return min(position, len(printed))


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
