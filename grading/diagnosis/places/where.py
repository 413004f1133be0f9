"""Where in a program to look: what printed the first wrong line, what read, what ran then."""

from __future__ import annotations

import os.path
from binascii import crc32
from typing import Iterable, Iterator, Sequence

from ...sessions.alignment import alignment_at_once
from ...sessions.difference import HANGING, Difference
from ...sessions.transcript import Transcript
from ..finding import Place
from ..hints import crash_at
from .run import Traced
from .sources import Sources, Statement
from .suspicion import AROUND, needed_by, ochiai, places_of, ranked, statements_of
from .trace import Line, Lines, Step, Trace, Write

PRINTED, CALLED, READ, RAN = 'printed by', 'called by', 'read by', 'ran'
MOST_LINES = 10                         # that are told


class Failed:
    """A session that shows what goes wrong, in a step, and how the program ran in it.

    `difference` is where the session first departs, None if that has another cause.
    """

    def __init__(self, name: str, step: int, difference: Difference | None,
                 traced: Traced) -> None:
        self.name = name
        self._step = max(0, step)
        self._hangs = difference is not None and difference.kind in HANGING
        self._trace = traced.trace
        self.is_whole = traced.trace.is_whole
        is_printed = difference and (difference.kind == 'differs' or difference.comes_late)
        self.write = write_at(wrong_byte(difference, traced), traced) if (
            difference and is_printed) else None
        last = self._trace.step_of(step)
        if self.write:
            last = next(number for number, one in enumerate(self._trace.steps)
                        if self.write.start < one.end)
        self.steps = self._trace.steps[:last + 1]       # up to the one that goes wrong

    @property
    def readers(self) -> Lines:
        """What waits for a line where nothing comes, or else read the last one; its callers."""
        readers = self._trace.readers[:self._step + self._hangs]
        return readers[-1] if readers else ()

    @property
    def ran_so_far(self) -> set[Line]:
        """The lines that ran up to the step that goes wrong."""
        return {line for step in self.steps for line in step.lines}

    @property
    def ran(self) -> Iterator[Line]:
        """The lines that ran in the step that goes wrong, before what is wrong was printed."""
        for line, printed in self.steps[-1].lines.items():
            if not self.write or printed <= self.write.start:
                yield line


def wrong_byte(difference: Difference, traced: Traced) -> int:
    """Return how many bytes a program has printed before what is wrong."""
    transcript, number = difference.transcript, difference.step
    if difference.comes_late:
        return len(''.join(step.output for step in transcript.steps[:number]).encode()) + len(
            difference.printed)
    if difference.is_derived and not difference.is_open:
        # What is before is wrong for other reasons: it is counted from the step on, in lines.
        due = [str(line) for line in difference.expected.printed]
        line = difference.line
        matched = difference.expected.printed.index(line) if line else len(due)
        start = traced.trace.printed[number - 1] if 0 < number <= len(traced.trace.printed) else 0
        lines = traced.output[start:].split(b'\n')[:matched]
        return start + sum(len(line) + 1 for line in lines)
    return right_bytes(transcript, traced.output)


def right_bytes(transcript: Transcript, output: bytes) -> int:
    """Return how many bytes of all that a program printed are right."""
    alignment = alignment_at_once(transcript)
    alignment.take(output)
    accepted = alignment.accepted()
    right = sum(map(len, accepted))
    due = [str(line).encode() for line in alignment.lines[len(accepted):]]
    return right + len(os.path.commonprefix([b''.join(due), output[right:]]))


def write_at(position: int, traced: Traced) -> Write | None:
    """Return what printed a byte of the output, if it is certain."""
    writes = (write for step in traced.trace.steps for write in step.writes)
    write = next((write for write in writes if write.start <= position < write.end), None)
    is_certain = write and crc32(traced.output[write.start:write.end]) == write.sum
    return write if is_certain else None


def where(place: Difference, failed: Sequence[Failed], passed: Sequence[Trace],
          sources: Sources) -> list[Place]:
    """Return where to look for what shows in some sessions and not in others.

    `place` is the shortest that shows it, the first of those that failed.
    """
    named = list(named_statements(place, failed[0], sources))
    told = [statement for _, statement in named]
    told += filter(None, map(sources.statement, crash_line(place)))
    most = MOST_LINES - sum(one.last - one.first + 1 for one in dict.fromkeys(told))
    places = [(why, [statement]) for why, statement in named]
    whole = [session for session in failed if session.is_whole]
    if whole and not place.comes_late:
        suspicions = suspicions_of(whole, [trace for trace in passed if trace.is_whole], sources)
        ran = set(filter(None, map(sources.statement, failed[0].ran_so_far)))
        statements = ranked(suspicions, needed_by(told, ran), told)
        places += [(RAN, place) for place in places_of(statements, most)]
    return [place_of(why, statements, failed, sources) for why, statements in places]


def named_statements(place: Difference, session: Failed,
                     sources: Sources) -> Iterator[tuple[str, Statement]]:
    """Yield what printed the first wrong line, and what called it; or else what read."""
    if session.write:
        named = list(zip((PRINTED, CALLED), session.write.lines))
    else:                               # a crash says more
        named = [(READ, line) for line in session.readers[:1] if not crash_at(place)]
    for why, line in named:
        statement = sources.statement(line)
        if statement:
            yield why, statement


def crash_line(difference: Difference) -> Iterator[Line]:
    """Yield the line that a program has crashed in, which is told with the crash."""
    crash = crash_at(difference)
    if crash:
        yield Line(crash.file, crash.line)


def suspicions_of(failed: Sequence[Failed], passed: Sequence[Trace],
                  sources: Sources) -> dict[Statement, float]:
    """Return how suspicious the statements are that ran where it goes wrong."""
    wrong: list[set[Statement]] = []
    right: list[set[Statement]] = []
    for session in failed:
        *before, last = statements_of([*lines_of(session.steps[:-1]), list(session.ran)], sources)
        wrong.append(last)
        right += before
    for trace in passed:
        right += statements_of(lines_of(trace.steps), sources)
    return ochiai(wrong, right)


def lines_of(steps: Iterable[Step]) -> list[list[Line]]:
    """Return the lines that ran in each step."""
    return [list(step.lines) for step in steps]


def place_of(why: str, statements: Sequence[Statement], failed: Sequence[Failed],
             sources: Sources) -> Place:
    """Return a place, and the sessions in which it was seen."""
    file, first, last = statements[0].file, statements[0].first, statements[-1].last
    seen = [session.name for session in failed if any(
        line.file == file and first <= line.number <= last for line in seen_in(session, why))]
    start = max(1, first - AROUND)
    return Place(file, first, last, sources.text(file, first, last), why, tuple(seen), start,
                 sources.text(file, start, last + AROUND))


def seen_in(session: Failed, why: str) -> Iterable[Line]:
    """Return the lines of a session that are seen for some reason."""
    if why == RAN:                      # what was set at the start ran there
        return session.ran_so_far
    if why == READ:
        return session.readers[:1]
    return session.write.lines if session.write else ()
