"""The pages about a submission, a class and a session: each is a single HTML file."""

from __future__ import annotations

import base64
import hashlib
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from math import ceil
from statistics import mean, median

from markupsafe import Markup

from ..games import game_of
from ..results import FRESH, HAPPENS, Place, Results, SessionResult
from ..sessions.session import Session
from ..sessions.transcript import parse
from .messages import describe, message_about, message_on_submission, reasons
from .pictures import TEMPLATES, compare_texts, figure_of, playthrough_of, render
from .students import HIDDEN, for_students
from .wording import (
    all_notes,
    common_failure_warning,
    entries,
    failures_by_cause,
    in_words,
    notes_on,
    page_of,
    ran_unconfined,
    reasons_not_run,
    sentence_of,
    shown_findings,
    where_to_look,
    why_not_run,
)

SCRIPT = TEMPLATES / 'table.js'
UNEXPLAINED = 'fails in a way that no known fault explains'
NOT_RUN = 'could not be run'
MAX_BINS = 10  # maximum number of bars in the histogram of scores
MAX_FAULTS = 10  # if there are more, the page folds up the faults of single programs


def report_page(results: Results, class_page: str = '', sessions: Iterable[Session] = ()) -> str:
    """Return the page about one submission.

    `class_page` is the address of the page about the class, or `''` if there is none. `sessions`
    are the sessions to show move by move.
    """
    results = for_students(results)
    by_name = {session.name: session for session in sessions}
    if results.smallest:
        by_name[FRESH] = parse(results.smallest, FRESH)
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
                by_name[test.name], test.example.step if test.example else None
            )
            for test in results.tests
            if test.name in by_name and not test.is_not_run and not by_name[test.name].is_hidden
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


def index_page(all_results: Sequence[Results], pages: Sequence[str] = ()) -> str:
    """Return the page about a class, with links to each submission's `NAME/report.html`.

    `pages` are the names of the sessions with pages; the page of the first is `session-1.html`. The
    class page's content security policy allows only the page's own script, by its hash.
    """
    graded = sorted(
        (results for results in all_results if results.score is not None),
        key=lambda results: (-(results.score or 0), results.submission.casefold()),
    )
    current = [results for results in graded if not results.is_outdated]
    faults, failures, twins = faults_of(graded), failures_of(graded), twins_of(graded)
    remarks = {
        results.submission: remarks_on(results, twins.get(results.submission, []))
        for results in graded
    }
    script = SCRIPT.read_text(encoding='utf-8')
    script_hash = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return render(
        'index.html',
        graded=graded,
        number=len(all_results),
        assignment=', '.join(
            dict.fromkeys(filter(None, (results.game for results in all_results)))
        ),
        day=f'{date.today():%d %B %Y}'.lstrip('0'),
        remarks=remarks,
        script=Markup(script),
        policy=f"script-src 'sha256-{script_hash}'; ",
        all_results=all_results,
        most_faults=MAX_FAULTS,
        warning=common_failure_warning(all_results),
        # If each session is worth 1 point, the scores already say how many sessions passed.
        shows_passed=any(
            (results.passed, len(results.tests)) != (results.score, results.max_score)
            for results in graded
        ),
        full_marks=sum((results.score or 0) >= results.max_score for results in current),
        scores=scores_of(current) if current else None,
        outdated=len(graded) - len(current),
        faults=faults,
        failures=failures,
        unconfined=sum(map(ran_unconfined, graded)),
        pages={name: page_of(number) for number, name in enumerate(pages)},
        keys={
            name: ' '.join(group.key for group in [*faults, *failures] if name in group.names)
            for name in remarks
        },
    )


def remarks_on(results: Results, twins: Sequence[str]) -> list[str]:
    """Return remarks on a submission; `twins` names the submissions with the same program."""
    remarks = [*dict.fromkeys(finding.sentence for finding in shown_findings(results))]
    if results.late:
        remarks.append('late')
    if twins:
        remarks.append(f'the same program as {", ".join(twins)}')
    return [*remarks, *notes_on(results)]


@dataclass
class ProgramGroup:
    """Programs in a class that have the same fault, or fail the same session."""

    key: str  # marks these programs' rows in the table of submissions
    id: str  # the fault's id or the session's name, or '' if there is no known fault
    sentence: str  # what these programs do wrong, or '' if they only fail the same session
    names: list[str] = field(default_factory=list)  # the submissions' names
    points: float = 0  # of their sessions in which nothing else is wrong


def faults_of(graded: Sequence[Results]) -> list[ProgramGroup]:
    """Return a group for each known fault, the most frequent fault first.

    Up to two groups follow: failing programs without a known fault, and programs that could not be
    run.
    """
    groups: dict[str, ProgramGroup] = {}
    for results in graded:
        causes = [
            (finding.id, finding.sentence, finding.clean_points)
            for finding in results.findings
            if finding.id
        ]
        if results.passed < len(results.tests) and not causes:
            is_run = not all(test.is_not_run for test in results.tests)
            points = sum(finding.clean_points for finding in results.findings)
            causes = [('', UNEXPLAINED if is_run else NOT_RUN, points)]
        for name, sentence, points in causes:
            group = groups.setdefault(
                name or sentence, ProgramGroup(f'f{len(groups)}', name, sentence)
            )
            group.names.append(results.submission)
            group.points += points
    unnamed = [group for group in map(groups.get, (UNEXPLAINED, NOT_RUN)) if group]
    named = [group for group in groups.values() if group.id]
    return [*sorted(named, key=lambda group: (-len(group.names), group.id)), *unnamed]


def failures_of(graded: Sequence[Results]) -> list[ProgramGroup]:
    """Return a group for each session that any program fails, in the order of the sessions."""
    sessions: dict[str, list[str]] = defaultdict(list)
    for results in graded:
        for test in results.tests:
            names = sessions[test.name]  # add passed sessions as well, to keep the order
            if test.example and not test.has_passed:
                names.append(results.submission)
    return [
        ProgramGroup(f's{number}', name, '', names)
        for number, (name, names) in enumerate(sessions.items())
        if names
    ]


def twins_of(graded: Sequence[Results]) -> dict[str, list[str]]:
    """Map the name of each submission with twins to the names of its twins.

    Twins are programs with the same digest: see `digest_of_program`.
    """
    groups = defaultdict(list)
    for results in graded:
        if results.digest:
            groups[results.digest].append(results.submission)
    return {
        name: [other for other in names if other != name]
        for names in groups.values()
        if len(names) > 1
        for name in names
    }


def scores_of(graded: Sequence[Results]) -> dict[str, object]:
    """Return the mean, the median, the top of the scale and a histogram, for the page's template.

    `graded` must not be empty. Each of the histogram's `bins` is a pair: a range of scores, and the
    number of submissions in it.
    """
    scores = [float(results.score or 0) for results in graded]
    most = max(*(results.max_score for results in graded), *scores, 1)
    width = ceil(most / MAX_BINS)  # the width of a bin, in whole points
    edges = [*map(float, range(0, ceil(most), width)), most]
    counts = Counter(max(0, min(int(score // width), len(edges) - 2)) for score in scores)
    return {
        'mean': mean(scores),
        'median': median(scores),
        'most': most,
        'bins': [(range_, counts[number]) for number, range_ in enumerate(pairwise(edges))],
    }


def session_page(session: Session, all_results: Sequence[Results]) -> str:
    """Return the page about a session; the most frequent cause of failure comes first."""
    causes: dict[str, list[str]] = {}
    for results in sorted(all_results, key=lambda results: results.submission.casefold()):
        for test in results.tests:
            if test.name == session.name and not test.has_passed:
                causes.setdefault(cause_of(test, results), []).append(results.submission)
    return render(
        'session.html',
        session=session,
        # A program for one built-in game gets no arguments.
        arguments='' if game_of(session) else shlex.join(session.arguments),
        number=len(all_results),
        course_of=playthrough_of(session, None)[0],
        causes=sorted(causes.items(), key=lambda cause: -len(cause[1])),
    )


def cause_of(test: SessionResult, results: Results) -> str:
    """Return, in a few sentences, why a program fails a session, or why the session was not run."""
    if test.is_not_run:
        return why_not_run(test, results)
    findings = [finding for finding in shown_findings(results) if test.name in finding.sessions]
    return ' '.join(dict.fromkeys(map(sentence_of, findings))) or 'The reason is not known.'
