"""The pages: about one submission, about a class, and about one session."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date
from math import ceil
from statistics import mean, median
from typing import Iterable, Sequence
from urllib.parse import quote

from markupsafe import Markup

from ...diagnosis.example import HAPPENS
from ...sessions.transcript import Transcript
from ..messages import UNCONFINED, describe, entries, notes_on, reasons
from ..results import HIDDEN, Results, for_students
from ..scorebook import FRESH
from . import environment, render
from .examples import excerpts_of, figure_of, lines_of, playthrough_of

SCRIPT = 'table.js'
OTHERWISE = 'fails in a way that no known fault explains'
NOT_KNOWN = 'The reason is not known.'
NOT_AT_ALL = 'could not be run'
MOST_BINS = 10                          # of the histogram
MOST_FAULTS = 10                        # of a class; of more, those of one program are folded


def report_page(results: Results, class_page: str = '',
                transcripts: Iterable[Transcript] = ()) -> str:
    """Return the page about one submission.

    `class_page` is the address of the class's page, '' if there is none; `transcripts` are the
    sessions that are shown move by move.
    """
    results = for_students(results)
    tests = results.tests
    sessions = {transcript.name: transcript for transcript in transcripts}
    if results.smallest:
        sessions[FRESH] = Transcript(FRESH, results.smallest)
    return render(
        'report.html', results=results, entries=entries(results), failures=results.failures,
        kinds=HAPPENS, hidden=HIDDEN, class_page=class_page,
        messages=[*filter(None, [results.output]), *results.reasons_not_run],
        right=[test for test in tests if test.has_passed],
        not_run=[test for test in tests if test.is_not_run],
        numbers={test.name: number for number, test in enumerate(tests, 1)},
        playthroughs={
            test.name: playthrough_of(
                sessions[test.name], test.example.step if test.example else None)
            for test in tests if test.name in sessions and not test.is_not_run
            and not sessions[test.name].is_hidden},
        titles={test.name: test.title for test in tests},
        describe=describe, reasons=reasons, figure_of=figure_of,
        lines_of=lines_of, excerpts_of=excerpts_of)


def index_page(all_results: Sequence[Results], pages: Sequence[str] = ()) -> str:
    """Return the page about a class; it links to `NAME/report.html` for each submission.

    Results with the score None have no grade; their `output` says why. `pages` are the names of the
    sessions that have pages. The page's policy allows only its own script, by its hash.
    """
    graded = [results for results in all_results if results.score is not None]
    graded.sort(key=lambda results: (-(results.score or 0), results.submission.casefold()))
    faults, failures, twins = shares_of(graded), failures_of(graded), twins_of(graded)
    remarks = {results.submission: [
        *dict.fromkeys(finding.sentence for finding in results.findings),
        *['late'] * bool(results.late), *twins.get(results.submission, []), *notes_on(results)]
        for results in graded}
    return render(
        'index.html', graded=graded, number=len(all_results), link_to=link_to,
        assignment=', '.join(dict.fromkeys(filter(None, (one.game for one in all_results)))),
        day=f'{date.today():%d %B %Y}'.lstrip('0'), remarks=remarks,
        script=source_of(SCRIPT), policy=policy_for(SCRIPT),
        all_results=all_results, most_faults=MOST_FAULTS,
        has_passed=any((results.passed, len(results.tests)) != (results.score, results.max_score)
                       for results in graded),
        full=sum((results.score or 0) >= results.max_score for results in graded),
        scores=Scores.of(graded) if graded else None, faults=faults, failures=failures,
        unconfined=sum(UNCONFINED in notes_on(results) for results in graded),
        pages={name: page_of(number) for number, name in enumerate(pages)},
        keys={name: ' '.join(share.key for share in [*faults, *failures] if name in share.names)
              for name in remarks})


def session_page(transcript: Transcript, all_results: Sequence[Results]) -> str:
    """Return the page about one session: its moves, and the programs that fail it."""
    causes: dict[str, list[str]] = {}
    for results in sorted(all_results, key=lambda results: results.submission.casefold()):
        for test in results.tests:
            if test.name == transcript.name and not test.has_passed:
                shown = [f'The program {one.sentence}.' for one in results.findings
                         if transcript.name in one.sessions]
                why = ' '.join(dict.fromkeys(shown)) or test.output or NOT_KNOWN
                causes.setdefault(why, []).append(results.submission)
    return render('session.html', transcript=transcript, link_to=link_to,
                  course_of=playthrough_of(transcript, None).before, number=len(all_results),
                  causes=sorted(causes.items(), key=lambda cause: -len(cause[1])))


def page_of(number: int) -> str:
    """Return the file name of the page about the session with an index."""
    return f'session-{number + 1}.html'


def link_to(name: str) -> str:
    """Return the address of a submission's report, relative to the index; it shows a way back."""
    return f'./{quote(name, safe="")}/report.html#class'


@dataclass
class ClassShare:
    """The programs that have a fault, or fail a session."""

    key: str                            # marks the rows of the table
    id: str                             # of a fault, or a session's name
    sentence: str
    names: list[str] = field(default_factory=list)
    points: float = 0                   # that fixing it alone gives back, in all programs together
    is_least: bool = False              # whether it may be more: some sessions were not run

    def add(self, results: Results, points: float) -> None:
        """Add a program, to which fixing this alone gives some points back."""
        self.names.append(results.submission)
        self.points += points
        self.is_least |= bool(results.reasons_not_run)


def shares_of(graded: Sequence[Results]) -> list[ClassShare]:
    """Return the programs with each known fault, the most frequent first, then all others."""
    faults: dict[str, ClassShare] = {}
    others = [ClassShare('o', '', OTHERWISE), ClassShare('n', '', NOT_AT_ALL)]
    for results in graded:
        for finding in results.findings:
            if finding.id:
                faults.setdefault(finding.id, ClassShare(
                    f'f{len(faults)}', finding.id, finding.sentence)).add(results, finding.points)
        if results.passed < len(results.tests) and not results.faults:
            is_run = not all(test.is_not_run for test in results.tests)
            others[not is_run].add(results, sum(finding.points for finding in results.findings))
    return sorted(faults.values(), key=lambda share: (-len(share.names), share.id)) + [
        share for share in others if share.names]


def failures_of(graded: Sequence[Results]) -> list[ClassShare]:
    """Return the programs that fail each session, in the order of sessions."""
    sessions: dict[str, ClassShare] = {}
    for results in graded:
        for test in results.tests:
            share = sessions.setdefault(test.name, ClassShare(f's{len(sessions)}', test.name, ''))
            if not test.has_passed and not test.is_not_run:
                share.names.append(results.submission)
    return [share for share in sessions.values() if share.names]


def twins_of(graded: Sequence[Results]) -> dict[str, list[str]]:
    """Return remarks on programs that differ from others only in names, blanks and comments."""
    groups = defaultdict(list)
    for results in graded:
        if results.digest:
            groups[results.digest].append(results.submission)
    return {name: [f'the same program as {", ".join(other for other in names if other != name)}']
            for names in groups.values() if len(names) > 1 for name in names}


@dataclass(frozen=True)
class Scores:
    """The scores of a class."""

    mean: float
    median: float
    most: float                         # the highest possible score
    bins: list[tuple[tuple[float, float], int]]     # ranges of scores, and how many have them

    @classmethod
    def of(cls, graded: Sequence[Results]) -> Scores:
        """Return the scores of some submissions, of which there is at least one."""
        scores = [float(results.score or 0) for results in graded]
        most = max(*(results.max_score for results in graded), *scores, 1)
        width = ceil(most / MOST_BINS)      # whole points
        edges = [*map(float, range(0, ceil(most), width)), most]
        counts = Counter(max(0, min(int(score // width), len(edges) - 2)) for score in scores)
        return cls(mean(scores), median(scores), most, [
            (range_, counts[number]) for number, range_ in enumerate(zip(edges, edges[1:]))])


def source_of(name: str) -> Markup:
    """Return the text of a file of the templates."""
    loader = environment().loader
    assert loader
    return Markup(loader.get_source(environment(), name)[0])


def policy_for(script: str) -> str:
    """Return the part of a page's policy that allows one script by its hash."""
    digest = hashlib.sha256(source_of(script).encode()).digest()
    return f"script-src 'sha256-{base64.b64encode(digest).decode()}'; "
