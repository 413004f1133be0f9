"""The text of a recorded session: what a program printed, written into its transcript.

Inputs, comments and directives stay as they are. So do printed lines with a directive that allows
other output.
"""

from __future__ import annotations

from itertools import chain, repeat
from typing import Iterator, Sequence

from .dialogue import Dialogue, LeftFile
from .directives import PLACED, directive_in
from .expected_output import Alignment
from .steps import Printed, Step, lines_in, marked
from .transcript import Transcript, TranscriptError

END = '# end of input'
PRINTS_NOTHING = '# prints nothing'


def recorded_with(transcript: Transcript, recorded: Dialogue) -> str:
    """Return the text of a transcript with what a program printed, and left in files.

    Raises `TranscriptError` if the format cannot hold it, or directives do not allow it.
    """
    head, body = head_and_body(transcript)
    lines = with_facts(head, transcript, recorded)
    steps, step = iter(transcript.steps[1:]), transcript.steps[0]
    outputs = chain((turn.printed.decode() for turn in recorded.turns), repeat(''))
    printed = {line.number: line for step in transcript.steps for line in step.printed}
    own: list[str] = []                 # of a step: its lines as `marked` returns them, comments
    files: list[str] = []
    in_file = False
    for number, line in [*body, (0, '')]:
        name, value = directive_in(line)
        if name == 'file':
            content = recorded.files.get(value, LeftFile()).content.decode()
            files += [line, *written(transcript, content)]
        in_file = name == 'file' or (in_file and name in ('', 'backslash'))
        if name in ('file', 'backslash') or (in_file and line.startswith('|')):
            continue
        if number != step.number:       # what is typed ends a step
            own.append(marked(printed[number]) if line.startswith('|') else line)
            continue
        if step is transcript.steps[-1] and len(recorded.turns) > len(transcript.steps):
            lines += [*written(transcript, next(outputs)), END]
        lines += step_with(transcript, step, own, next(outputs))
        lines += [*files, line]
        own, files, in_file, step = [], [], False, next(steps, step)
    text = '\n'.join(lines)
    Transcript(transcript.name, text)
    return text


def head_and_body(transcript: Transcript) -> tuple[list[str], list[tuple[int, str]]]:
    """Return the comments at the top, with the `$` line, and all other lines with their numbers."""
    body = [*enumerate(transcript.lines, 1)]
    head: list[str] = []
    while body and body[0][1].startswith('#') and (
            directive_in(body[0][1])[0] not in PLACED):
        head.append(body.pop(0)[1])
    if transcript.command:
        head.append(next((line for _, line in body if line.startswith('$')),
                         '$ ' + ' '.join(transcript.command)))
    return head, [(number, line) for number, line in body if not line.startswith('$')]


def with_facts(head: Sequence[str], transcript: Transcript, recorded: Dialogue) -> list[str]:
    """Return the lines at the top with directives for the exit status and for no output."""
    lines = [line for line in head if directive_in(line)[0] != 'prints nothing']
    facts = []
    if not recorded.output and not any(step.is_open for step in transcript.steps):
        facts.append(PRINTS_NOTHING)
    if recorded.status is not None and not transcript.accepts_status(recorded.status):
        lines = [line for line in lines if directive_in(line)[0] != 'exit status']
        facts += [f'# exit status: {recorded.status}'] if recorded.status else []
    at = len(lines) - bool(lines and lines[-1].startswith('$'))
    return [*lines[:at], *facts, *lines[at:]]


def step_with(transcript: Transcript, step: Step, lines: Sequence[str],
              output: str) -> list[str]:
    """Return the lines of a step with its new output."""
    if not step.is_open and not any(line.skips or line.rule == 'regex' for line in step.printed):
        return [*commented(lines, written(transcript, output))]
    kept = iter(kept_lines(transcript, step, output))
    return [next(kept) if is_printed(line) else line for line in lines]


def kept_lines(transcript: Transcript, step: Step, output: str) -> Iterator[str]:
    """Yield the printed lines of a step with expressions, or with any lines before them.

    Raises `TranscriptError` if the output does not match them.
    """
    allowed = Step()
    allowed.is_open, allowed.input = step.is_open, step.input
    is_anchor = step.is_open or any(line.skips for line in step.printed)
    allowed.printed = [line if is_anchor or line.rule != 'text' else
                       Printed(line.number, line.text, line.ends, 'free') for line in step.printed]
    alignment = Alignment(transcript, [allowed])
    alignment.take(output.encode())
    alignment.end()
    if not alignment.is_whole:
        line = [*step.printed, None][len(alignment.accepted())]
        raise TranscriptError(
            f'{transcript.name}:{line.number if line else step.number or len(transcript.lines)}: '
            f'the program does not print what the directives here allow, but {output!r}')
    for line, piece in zip(step.printed, alignment.accepted()):
        last = lines_in(piece.decode())[-1]
        yield marked(line) if line.rule == 'regex' else written(transcript, last)[0]


def commented(step: Sequence[str], printed: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a step with its new output, and each comment where it was.

    This is before the same line, or else at the same number, or else at the end.
    """
    before: dict[int, list[str]] = {}
    place = 0
    comments: list[str] = []
    for line in step:
        if not is_printed(line):
            comments.append(line)
            continue
        at = min(place, len(printed))
        if line in printed and printed[at:at + 1] != [line]:
            at = printed.index(line)
        before.setdefault(at, []).extend(comments)
        comments = []
        place += 1
    for at, line in enumerate(printed):
        yield from before.get(at, [])
        yield line
    yield from [*before.get(len(printed), []), *comments]


def is_printed(line: str) -> bool:
    """Return whether a line, as `marked` returns it, was printed."""
    return line.rpartition('\n')[2].startswith('|')


def written(transcript: Transcript, output: str) -> list[str]:
    """Return some output as the `|` lines of a transcript. Raises `TranscriptError`."""
    *lines, last = output.split('\n')
    for line in [*lines, last]:
        if '\r' in line or '\0' in line:
            raise TranscriptError(f'{transcript.name}: a session cannot hold {line!r}')
    return [*(marked(Printed(0, line, True)) for line in lines),
            *([marked(Printed(0, last, False))] if last else [])]
