"""Where a program departs from the game with its named faults: what is left to explain."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Sequence

from ..printable import decoded
from ..sessions.difference import Difference
from ..sessions.steps import Printed, Step
from ..sessions.transcript import Transcript
from ..sessions.verdict import Kind
from .follow import Match
from .program_output import Heard

MOST_LINES = 40                         # of what a program printed where the explanation ends


def line_of(match: Match) -> int:
    """Return the index, among the lines of the step, of the first that is not explained."""
    style = match.session.reading.style
    steps = match.session.reading.heard.transcript.steps
    left = match.line
    for number, line in enumerate(steps[match.step].printed if match.step < len(steps) else []):
        if not style.omits(line.text):
            if not left:
                return number
            left -= 1
    return match.line


def line_of_first(first: Difference) -> int:
    """Return the index, among the lines of its step, of the line where a program departs."""
    lines = first.expected.printed
    return lines.index(first.line) if first.line else len(lines)


def next_difference(heard: Heard, match: Match, due: Sequence[str]) -> Difference:
    """Return where a program departs from the game with the named faults.

    What the program printed line by line is known of its first difference from the transcript;
    behind that, the lines that follow what is explained stand for it. `due` is what the game prints
    in each step with the faults of the game, but none of printing.
    """
    first = heard.difference
    assert first
    session = match.session
    transcript = heard.transcript
    texts = session.due_texts()
    is_unbent = (transcript.output.startswith(''.join(texts))
                 and transcript.steps[match.step].output.startswith(texts[-1] + session.due))
    if match.is_whole or (is_unbent and match.step <= first.step
                          and not is_beyond(match, first)):
        return first
    rest = session.upcoming()
    right, texts = explained_lines(match, due)
    most = match.line + MOST_LINES
    if is_unbent:
        most = max(len(transcript.steps[match.step].printed), match.line + 1)
    lines = (right + rest).splitlines(keepends=True)[:most]
    kind: Kind = 'differs'
    if not rest or session.due.startswith(rest):
        kind = 'silent' if heard.status is None else 'ended' if session.due else 'status'
    return replace(
        first, step=match.step, kind=kind,
        transcript=transcript if is_unbent else as_played(transcript, texts),
        printed=''.join(lines).encode(), late=b'', status=heard.status,
        position=heard.position(session.reading.start_of(session.at)),
        errors=heard.observed.errors if heard.observed else b'',
        is_open=not is_unbent)


def is_beyond(match: Match, first: Difference) -> bool:
    """Return whether rules of style explain the first difference of a step, and not the next."""
    if match.step != first.step:
        return False
    text = decoded(first.printed)[sum(map(len, first.accepted)):].partition('\n')[0]
    return line_of(match) > line_of_first(first) or (
        first.kind == 'differs' and bool(match.upcoming) and text != match.upcoming)


def explained_lines(match: Match, due: Sequence[str]) -> tuple[str, list[str]]:
    """Return what is right in the last step of a match, and what is due in each step up to there.

    That is as the assignment has it, where this has a line for each line of the program.
    """
    session = match.session
    played = [*session.texts[:-1], session.texts[-1] + session.due]
    lines = ''.join(due[match.step:match.step + 1]).splitlines(keepends=True)
    number = len(played[-1].splitlines())
    texts = [*due[:match.step], ''.join(lines[:number])]
    if session.own_lines or [len(text.splitlines()) for text in texts] != [
            len(text.splitlines()) for text in played]:
        return session.texts[-1], played
    return ''.join(lines[:match.line]), texts


def as_played(transcript: Transcript, texts: Sequence[str]) -> Transcript:
    """Return a transcript with what is due in its first steps."""
    played = copy.copy(transcript)
    played.steps = [*map(step_of, transcript.steps, texts), *transcript.steps[len(texts):]]
    return played


def step_of(step: Step, text: str) -> Step:
    """Return a step with another text; its lines have the numbers of those in their place."""
    made = Step()
    made.input, made.number = step.input, step.number
    for place, line in enumerate(text.splitlines(keepends=True)):
        number = step.printed[min(place, len(step.printed) - 1)].number if step.printed else (
            step.number)
        made.printed.append(Printed(number, line.rstrip('\n'), line.endswith('\n')))
    return made
