"""Recording: what a program prints is taken down between the inputs of a transcript."""

from __future__ import annotations

from itertools import takewhile
from typing import Collection, Iterator, Sequence

from .transcript import Transcript, TranscriptError

FREE = '# free'


def recorded_with(transcript: Transcript, outputs: Sequence[str],
                  free: Collection[str] = ()) -> str:
    """Return the text of a transcript, its inputs and comments kept, with these outputs.

    There is one before each input line and one after the last. Lines that are `free` get the
    comment that says so. Raises `TranscriptError` where the format cannot hold it.
    """
    about = list(takewhile(lambda line: line.startswith('#'), transcript.lines))
    rest = transcript.lines[len(about):]
    if rest[:1] and rest[0].startswith('$'):
        about.append(rest.pop(0))
    elif transcript.command:
        about.append('$ ' + ' '.join(transcript.command))
    lines = about
    remaining = iter(outputs)
    step: list[str] = []
    for line in [*rest, '']:
        if line.startswith(('#', '|')):
            step.append(line)
        else:
            lines += step_with(step, marked(transcript, next(remaining)), free)
            lines.append(line)
            step = []
    text = '\n'.join(lines)
    Transcript(transcript.name, text)
    return text


def step_with(step: Sequence[str], printed: Sequence[str], free: Collection[str]) -> Iterator[str]:
    """Yield the lines of a step with what is printed now, each comment where it was.

    That is before the same line, else the line at that place; else last.
    """
    before: dict[int, list[str]] = {}
    place = 0
    comments: list[str] = []
    for line in step:
        if line.startswith('#'):
            comments.append(line)
            continue
        at = min(place, len(printed))
        if line in printed and printed[at:at + 1] != [line]:
            at = printed.index(line)
        before.setdefault(at, []).extend(comments)
        comments = []
        place += 1
    for at, line in enumerate(printed):
        own = before.get(at, [])
        yield from own
        if line[1:] in free and FREE not in own:
            yield FREE
        yield line
    yield from [*before.get(len(printed), []), *comments]


def marked(transcript: Transcript, output: str) -> list[str]:
    """Return the lines of a transcript that say what was printed."""
    lines = output.split('\n')
    for line in lines:
        if line.endswith('\\') or '\r' in line:
            raise TranscriptError(f'{transcript.name}: a transcript cannot hold {line!r}')
    last = lines.pop()
    return [f'|{line}' for line in lines] + ([f'|{last}\\'] if last else [])
