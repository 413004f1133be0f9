"""What no known fault explains: the sessions that show it, grouped by what happens there."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Iterable, Sequence

from ..sessions.difference import Difference, Kind
from ..sessions.transcript import Printed, Step, Transcript
from .crash import crash_at
from .finding import Crash
from .follow import Heard, Match
from .protocol import shape_of

MOST_LINES = 40                         # of what a program printed where the explanation ends
COSTS_NOTHING = 'It costs no points: only what is beyond the assignment shows it.'


@dataclass(frozen=True)
class Shown:
    """A session that shows something, and the index of the step in which it does."""

    transcript: Transcript
    step: int


@dataclass
class Group:
    """Sessions in which the same happens that no known fault explains."""

    place: Difference                   # the shortest, against the game with the named faults
    sessions: list[Shown]               # the shortest first
    crash: Crash | None                 # what happens, if it is a crash

    @property
    def is_beyond(self) -> bool:
        """Whether only what is beyond the assignment shows it."""
        return all(transcript.is_beyond for transcript in self.transcripts)

    @property
    def advice(self) -> str:
        """What its author is told of it beside."""
        return COSTS_NOTHING if self.is_beyond else ''

    @property
    def transcripts(self) -> list[Transcript]:
        """The transcripts that show it."""
        return [shown.transcript for shown in self.sessions]


def grouped(differences: Iterable[Difference]) -> list[Group]:
    """Return differences in groups, the largest first; they come the shortest first."""
    groups: dict[object, Group] = {}
    for difference in differences:
        shown = Shown(difference.transcript, difference.step)
        group = groups.setdefault(what_is_alike(difference), Group(
            difference, [], crash_at(difference)))
        group.sessions.append(shown)
    return sorted(groups.values(), key=lambda group: -len(group.sessions))


def what_is_alike(difference: Difference) -> object:
    """Return what differences share that belong in one group."""
    crash = crash_at(difference)
    if crash:
        return crash.file, crash.line, crash.type
    if difference.kind != 'differs':
        return difference.kind, difference.status, difference.errors[-200:]
    line = difference.line
    matched = sum(len(str(due)) for due in difference.expected.printed[
        :difference.expected.printed.index(line) if line else None])
    printed = difference.printed.decode(errors='backslashreplace')[matched:]
    due = shape_of(line.text) if line else ''
    return due, shape_of(printed.partition('\n')[0][:200])


def next_difference(heard: Heard, match: Match) -> Difference:
    """Return where a program departs from the game with the named faults.

    What the program printed line by line is known of its first difference from the transcript;
    behind that, the lines that follow what is explained stand for it.
    """
    first = heard.difference
    assert first
    session = match.session
    transcript = heard.transcript
    texts = session.due_texts()
    if match.is_whole or (
            match.step <= first.step and transcript.output.startswith(''.join(texts))
            and transcript.steps[match.step].output.startswith(texts[-1] + session.due)):
        return first
    rest = session.upcoming()
    due = session.texts[-1] + session.due
    lines = (session.texts[-1] + rest).splitlines(keepends=True)[:match.line + MOST_LINES]
    kind: Kind = 'differs'
    if not rest or session.due.startswith(rest):
        kind = 'silent' if heard.status is None else 'ended' if session.due else 'status'
    return replace(
        first, transcript=as_played(heard.transcript, session.texts[:-1], due), step=match.step,
        kind=kind, printed=''.join(lines).encode(), late=b'', status=heard.status,
        errors=heard.observed.errors if heard.observed else b'', is_derived=True,
        is_open=True)


def as_played(transcript: Transcript, texts: Sequence[str], due: str) -> Transcript:
    """Return a transcript as the game prints it with some faults, up to what is due."""
    played = copy.copy(transcript)
    played.steps = [*map(step_of, transcript.steps, [*texts, due]),
                    *transcript.steps[len(texts) + 1:]]
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
