"""The page about a submission: a single HTML file that loads no other files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..in_words import HAPPENS
from ..results import FRESH, Place, Results
from ..sessions.session import Session
from ..sessions.transcript import parse
from .examples import describe, reasons
from .findings import entries, failures_by_cause
from .interruptions import all_notes, in_words
from .messages import message_about, message_on_submission
from .names import where_to_look
from .not_run import reasons_not_run
from .pictures import figure_of, playthrough_of
from .rendering import render
from .side_by_side import compare_texts
from .students import HIDDEN, for_students


def report_page(results: Results, class_page: str = '', transcripts: Iterable[Session] = ()) -> str:
    """Return the page about one submission.

    `class_page` is the address of the page about the class, or `''` if there is none. `transcripts`
    are the sessions to show move by move.
    """
    results = for_students(results)
    sessions = {session.name: session for session in transcripts}
    if results.smallest:
        sessions[FRESH] = parse(results.smallest, FRESH)
    return render(
        'report.html',
        results=results,
        entries=entries(results),
        failures=failures_by_cause(results),
        kinds=HAPPENS,
        hidden=HIDDEN,
        ended=results.ended and in_words(results.ended),
        notes=all_notes(results),
        class_page=class_page,
        messages=[*filter(None, [message_on_submission(results)]), *reasons_not_run(results)],
        message_about=message_about,
        right=[test for test in results.tests if test.has_passed],
        not_run=[test for test in results.tests if test.is_not_run],
        numbers={test.name: number for number, test in enumerate(results.tests, 1)},
        playthroughs={
            test.name: playthrough_of(
                sessions[test.name], test.example.step if test.example else None
            )
            for test in results.tests
            if test.name in sessions and not test.is_not_run and not sessions[test.name].is_hidden
        },
        titles={test.name: test.title for test in results.tests},
        describe=describe,
        reasons=reasons,
        figure_of=figure_of,
        compare_texts=compare_texts,
        excerpts_of=excerpts_of,
    )


def excerpts_of(places: Sequence[Place]) -> list[tuple[str, list[tuple[int, str, bool]]]]:
    """Return excerpts from the program: the lines around some places, grouped by reason and file.

    An excerpt is a heading and a list of lines. Each line is a tuple: its number, its text, and
    whether the reader should look at it.
    """
    groups: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        groups.setdefault((place.why, place.file), []).append(place)
    excerpts = []
    for group in groups.values():
        texts = {
            number: text
            for place in group
            for number, text in enumerate(place.context.split('\n'), place.start)
        }
        excerpts.append(
            (
                where_to_look(group),
                [
                    (number, text, any(place.first <= number <= place.last for place in group))
                    for number, text in sorted(texts.items())
                ],
            )
        )
    return excerpts
