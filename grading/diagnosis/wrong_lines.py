"""Finds the faults of a program in its dialogues, for assignments other than known games.

Each row of a wrong line gets the name of a fault and a key, and all rows with the same key are
reported as one finding. A crash or an early end is also a finding, unless an earlier wrong line
could have caused it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from ..games.known_faults import KnownFault
from ..printable import decoded, quoted
from ..results import Crash
from ..sessions.rows import rows_of_file
from ..sessions.verdict import PlayedSession
from .claims import keep_true, with_plain_differences, with_plain_key
from .crash import crash_at, crash_later, is_end_of_input
from .failed_session import FailedSession, at_the_end, begins_unlike_flood, flood_in, text_around
from .finding import Fault, group_faults, key_of_failure
from .hints import explained_example
from .manners import reason_for
from .observed import may_be_any, ran_to_end
from .printing import NO_NEWLINE, SEPARATORS, TRAILING_SPACES, WAY_OF, WORDS
from .protocol import Protocol, shape_of
from .style import Style
from .what_happens import what_happens
from .wrong_row import (
    CRLF,
    INDENT,
    WRONG,
    in_one_sentence,
    key_and_sentence,
    mismatch_of,
    named,
    with_sentences,
)

MAX_LINES = 40_000  # maximum total number of lines, printed or expected, in the examined sessions
# An earlier wrong line cannot have caused these faults.
CERTAIN = (NO_NEWLINE, TRAILING_SPACES, WORDS, SEPARATORS, CRLF, INDENT)


def wrong_lines(failed: Sequence[PlayedSession], until: float) -> tuple[list[Fault], set[str]]:
    """Return the faults of a program, and the names of the sessions that may hide more faults.

    The shortest sessions are examined first. Once a fault has been found, no further session is
    examined after `MAX_LINES` lines, or when `time.process_time()` reaches `until`.
    """
    found: list[Fault] = []
    cut: set[str] = set()
    lines = 0
    style = Style(Protocol.of([played.session for played in failed]))
    is_silent = not any(
        played.dialogue.output.strip() or played.dialogue.errors.strip() for played in failed
    )
    late = reason_for([played for played in failed if played.failure.comes_late])
    for played in sorted(failed, key=lambda played: len(played.session.lines)):
        if found and (lines > MAX_LINES or time.process_time() >= until):
            break
        session = FailedSession(played)
        lines += max(played.dialogue.output.count(b'\n'), len(played.session.lines))
        faults, may_have_more = faults_in(session, style, late, is_silent)
        found += faults
        if may_have_more or session.has_other_wrong_files or not ran_to_end(played):
            cut.add(played.session.name)
    faults, unnamed = keep_true(found, failed)
    faults += map(as_it_is, unnamed)
    faults = group_faults(fault if fault.id else with_plain_key(fault) for fault in faults)
    return with_sentences([*map(with_plain_differences, faults)]), cut


def as_it_is(played: PlayedSession) -> Fault:
    """Return the fault of a session that shows none of the faults found, as it is."""
    row = played.failure.row
    if row and row.printed:
        after = text_around(row, played.dialogue)[2]
        key, examples = key_and_sentence(row, mismatch_of(row, after))
        return Fault(played, key=key, examples=examples)
    example = explained_example(played)
    return Fault(played, key=key_of_failure(played), examples=[what_happens(played, example)])


def faults_in(
    session: FailedSession, style: Style, late: KnownFault, is_silent: bool
) -> tuple[list[Fault], bool]:
    """Return the faults in a session, in the order of their occurrence.

    Also return whether more may be wrong than these faults say. `late` is the fault to report for
    late output. `is_silent` is True if the program prints neither output nor errors in any session.
    """
    played, wrong = session.played, session.played.failure
    if wrong.kind == 'file':
        return [in_file(played, style)], False
    step = played.session.steps[wrong.turn]
    if wrong.kind == 'silent' and not wrong.comes_late and may_be_any(step):
        sentence = 'waits for input where a line of output is expected'
        return [Fault(played, key='any line', examples=[sentence])], True
    faults = [Fault(played, id=late.id, examples=[late.sentence])] if wrong.comes_late else []
    end = session.at('ended', session.missing[0]) if session.missing else session.at('status')
    crash = crash_at(end) if session.has_ended else None
    if played.dialogue.end == 'output' and not begins_unlike_flood(session):
        faults.append(flood_in(session))
    elif session.wrong and not crash and session.ends_at_a_line:
        row = session.wrong[0]
        printed = next(row.printed for row in session.wrong if row.printed).rstrip('\n')
        expected = quoted(row.expected.rstrip())
        faults.append(
            Fault(
                session.at('differs', row),
                key=('ends', shape_of(printed)),
                examples=[f'prints {quoted(printed)} and then ends; {expected} is expected'],
            )
        )
    elif session.wrong or crash:
        of_lines, may_have_more = wrong_lines_in(session, style, end, crash)
        # The wrong line comes before an endless output.
        return faults + of_lines[: 1 if played.dialogue.end == 'output' else None], may_have_more
    elif not wrong.comes_late:
        faults.append(at_the_end(session, is_silent))
    return faults, wrong.kind == 'silent' and not wrong.comes_late


def wrong_lines_in(
    session: FailedSession, style: Style, end: PlayedSession, crash: Crash | None
) -> tuple[list[Fault], bool]:
    """Return a fault for each wrong line of a session, and for a crash if they do not explain it.

    Also return whether more may be wrong. `end` is the played session, with the way it ended as its
    failure.
    """
    faults: list[Fault] = []
    was_wrong = may_have_more = False
    # If the program crashed or asked for more input, missing lines are not a separate fault.
    rows = session.wrong if crash or session.has_closed_input else session.rows
    for number, row in enumerate(rows):
        name, key, examples = named(row, style, *text_around(row, session.played.dialogue))
        if may_have_more and name not in CERTAIN:
            continue
        place, then = session.at('differs', row), ''
        if name == WRONG:  # later failures may be consequences of this line
            was_wrong, then = True, crash_later(place)
            may_have_more |= len(session.rows) > number + 1
        known = name if name in WAY_OF else ''
        faults.append(Fault(place, id=known, key=key, examples=examples, then=then))
    # A crash may be due to a wrong line, or to reading one line too many.
    if crash and not was_wrong and not (session.wrong and is_end_of_input(crash)):
        faults.append(Fault(end, key=key_of_failure(end)))
    return faults, may_have_more


def in_file(played: PlayedSession, style: Style) -> Fault:
    """Return the fault of a session that fails because of a file."""
    failure = played.failure
    assert failure.file
    path = failure.file.path
    left = played.dialogue.files[path]
    if left.complaint:
        sentence = f'does not write a readable file {path}: {left.complaint}'
        if left.complaint.startswith('No such file'):
            sentence = f'does not write the file {path}'
        return Fault(played, key=(path, left.complaint), examples=[sentence])
    content = decoded(left.content)
    rows = rows_of_file(played.session, failure.file, left.content)
    row = next(row for row in rows if row.is_wrong)
    name, key, examples = named(row, style, '', content[: row.start], content[row.start :])
    place = replace(played, failure_found=replace(failure, row=row))
    sentence = in_one_sentence(Fault(place, id=name, key=key, examples=examples), ())
    examples = [f'{sentence.replace("prints ", "writes ", 1)} (in the file {path})']
    return Fault(place, key=(path, key), examples=examples)
