"""The pages: about one submission, about a class, and about one session."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from math import ceil
from pathlib import Path
from statistics import mean, median
from typing import Iterable, List, Sequence, Tuple
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from ...diagnosis.example import HAPPENS
from ...diagnosis.finding import Finding
from ...sessions.transcript import Transcript
from ..messages import UNCONFINED, counted, describe, gain, note_on, notes_on, reasons, short, title
from ..results import FRESH
from ..results_json import (
    HIDDEN,
    SavedResults,
    causes_of,
    example_in,
    findings_in,
    for_students,
    is_not_run,
    most_points,
    name_of,
    passed,
    why_not_run,
)
from .examples import excerpts_of, figure_of, lines_of, playthrough_of

SCRIPT = 'table.js'
OTHERWISE = 'fails in a way that no known fault explains'
NOT_KNOWN = 'The reason is not known.'
NOT_AT_ALL = 'could not be run'
MOST_BINS = 10                          # of the histogram
MOST_FAULTS = 10                        # of a class; of more, those of one program are folded

Numbered = List[Tuple[int, SavedResults]]       # tests, each with its place from 1


def report_page(results: SavedResults, class_page: str = '',
                transcripts: Iterable[Transcript] = ()) -> str:
    """Return the page about one submission; `results` is what its results.json holds.

    `class_page` is the address of the class's page, '' if there is none; `transcripts` are the
    sessions that are shown move by move.
    """
    results = for_students(results)
    about, tests = results['extra_data'], results['tests']
    findings = findings_in(results)
    examples = {test['name']: example_in(test) for test in tests}
    groups = groups_of_failures(tests, findings)
    run = {test['name'] for test in tests if not is_not_run(test)}
    messages = [*filter(None, [results['output']]), *why_not_run(results)]
    sessions = {transcript.name: transcript for transcript in transcripts}
    if 'smallest' in about:
        sessions[FRESH] = Transcript(FRESH, about['smallest'])
    return render(
        'report.html', results=results, about=about, findings=findings, groups=groups,
        kinds=HAPPENS, hidden=HIDDEN, examples=examples, class_page=class_page, messages=messages,
        right=[test for test in tests if test['status'] == 'passed'],
        not_run=[test for test in tests if is_not_run(test)],
        numbers={test['name']: number for _, group in groups for number, test in group},
        playthroughs={
            name: playthrough_of(sessions[name], example.step if example else None)
            for name, example in examples.items()
            if name in sessions and name in run and not sessions[name].is_hidden},
        titles={test['name']: test['extra_data'].get('title', '') for test in tests},
        title=title, gain=gain, describe=describe, reasons=reasons, figure_of=figure_of,
        lines_of=lines_of, excerpts_of=excerpts_of)


def groups_of_failures(tests: Sequence[SavedResults],
                       findings: Sequence[Finding]) -> list[tuple[str, Numbered]]:
    """Return the tests that failed, numbered from 1, in groups with the same causes."""
    groups: dict[str, Numbered] = {}
    for number, test in enumerate(tests, 1):
        if test['status'] == 'failed' and not is_not_run(test):
            groups.setdefault(', '.join(causes_of(test['name'], findings)), []).append(
                (number, test))
    return list(groups.items())


def index_page(all_results: Sequence[SavedResults], pages: Sequence[str] = ()) -> str:
    """Return the page about a class; it links to `NAME/report.html` for each submission.

    Results with the score None have no grade; their `output` says why. `pages` are the names of the
    sessions that have pages. The page's policy allows only its own script, by its hash.
    """
    graded = [results for results in all_results if results['score'] is not None]
    graded.sort(key=lambda results: (-results['score'], name_of(results).casefold()))
    faults, failures, twins = shares_of(graded), failures_of(graded), twins_of(graded)
    remarks = {name_of(results): remarks_on(results, twins.get(name_of(results), []))
               for results in graded}
    return render(
        'index.html', graded=graded, number=len(all_results), assignment=assignment_of(all_results),
        day=f'{date.today():%d %B %Y}'.lstrip('0'), link_to=link_to, remarks=remarks,
        script=source_of(SCRIPT), policy=policy_for(SCRIPT),
        missing=[results for results in all_results if results['score'] is None],
        most_faults=MOST_FAULTS,
        has_passed=any((passed(results), len(results['tests'])) != (
            results['score'], most_points(results)) for results in graded),
        full=sum(results['score'] >= most_points(results) for results in graded),
        scores=Scores.of(graded) if graded else None, faults=faults, failures=failures,
        unconfined=sum(UNCONFINED in notes_on(results) for results in graded),
        has_seeds=any(results['extra_data'].get('seed') is not None for results in graded),
        pages={name: page_of(number) for number, name in enumerate(pages)},
        keys={name: ' '.join(share.key for share in [*faults, *failures] if name in share.names)
              for name in remarks})


def session_page(transcript: Transcript, all_results: Sequence[SavedResults]) -> str:
    """Return the page about one session: its moves, and the programs that fail it."""
    causes: dict[str, list[str]] = {}
    for results in sorted(all_results, key=lambda results: name_of(results).casefold()):
        for test in results['tests']:
            if test['name'] == transcript.name and test['status'] == 'failed':
                shown = [f'The program {one.sentence}.' for one in findings_in(results)
                         if transcript.name in one.sessions]
                why = ' '.join(dict.fromkeys(shown)) or test['output'] or NOT_KNOWN
                causes.setdefault(why, []).append(name_of(results))
    return render('session.html', transcript=transcript, link_to=link_to,
                  course_of=playthrough_of(transcript, None).before, number=len(all_results),
                  causes=sorted(causes.items(), key=lambda cause: -len(cause[1])))


def page_of(number: int) -> str:
    """Return the file name of the page about the session with an index."""
    return f'session-{number + 1}.html'


def assignment_of(all_results: Sequence[SavedResults]) -> str:
    """Return the name of the assignment, or of several."""
    names = [results['extra_data'].get('game') for results in all_results]
    return ', '.join(dict.fromkeys(filter(None, names)))


def remarks_on(results: SavedResults, twins: Sequence[str]) -> list[str]:
    """Return the remarks on a submission: its findings, then notes."""
    about = results['extra_data']
    late = 'late' if about.get('late') else ''
    same = f'the same program as {", ".join(twins)}' if twins else ''
    return [*dict.fromkeys(finding.sentence for finding in findings_in(results)),
            *filter(None, [late, same, *notes_on(results)])]


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

    def add(self, results: SavedResults, points: float) -> None:
        """Add a program, to which fixing this alone gives some points back."""
        self.names.append(name_of(results))
        self.points += points
        self.is_least |= any(map(is_not_run, results['tests']))


def shares_of(graded: Sequence[SavedResults]) -> list[ClassShare]:
    """Return the programs with each known fault, the most frequent first, then all others."""
    faults: dict[str, ClassShare] = {}
    others = [ClassShare('o', '', OTHERWISE), ClassShare('n', '', NOT_AT_ALL)]
    for results in graded:
        findings = findings_in(results)
        for finding in findings:
            if finding.id:
                faults.setdefault(finding.id, ClassShare(
                    f'f{len(faults)}', finding.id, finding.sentence)).add(results, finding.points)
        if passed(results) < len(results['tests']) and not any(one.id for one in findings):
            is_run = any(not is_not_run(test) for test in results['tests'])
            others[not is_run].add(results, sum(finding.points for finding in findings))
    return sorted(faults.values(), key=lambda share: (-len(share.names), share.id)) + [
        share for share in others if share.names]


def failures_of(graded: Sequence[SavedResults]) -> list[ClassShare]:
    """Return the programs that fail each session, in the order of sessions."""
    sessions: dict[str, ClassShare] = {}
    for results in graded:
        for test in results['tests']:
            share = sessions.setdefault(test['name'], ClassShare(
                f's{len(sessions)}', test['name'], ''))
            if test['status'] == 'failed' and not is_not_run(test):
                share.names.append(name_of(results))
    return [share for share in sessions.values() if share.names]


def twins_of(graded: Sequence[SavedResults]) -> dict[str, list[str]]:
    """Return for each program those that differ from it only in names, blanks and comments."""
    groups = defaultdict(list)
    for results in graded:
        if results['extra_data'].get('digest'):
            groups[results['extra_data']['digest']].append(name_of(results))
    return {name: [other for other in names if other != name]
            for names in groups.values() if len(names) > 1 for name in names}


@dataclass(frozen=True)
class Scores:
    """The scores of a class."""

    mean: float
    median: float
    most: float                         # the highest possible score
    bins: list[tuple[tuple[float, float], int]]     # ranges of scores, and how many have them

    @classmethod
    def of(cls, graded: Sequence[SavedResults]) -> Scores:
        """Return the scores of some submissions, of which there is at least one."""
        scores = [float(results['score']) for results in graded]
        most = max(max(map(most_points, graded)), *scores, 1)
        width = ceil(most / MOST_BINS)      # whole points
        edges = [*map(float, range(0, ceil(most), width)), most]
        counts = Counter(max(0, min(int(score // width), len(edges) - 2)) for score in scores)
        return cls(mean(scores), median(scores), most, [
            (range_, counts[number]) for number, range_ in enumerate(zip(edges, edges[1:]))])


def render(template: str, **values: object) -> str:
    """Return the page that a template makes of values."""
    return environment().get_template(template).render(**values)


@lru_cache(maxsize=None)
def environment() -> Environment:
    """Return the environment of all templates."""
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent / 'templates'), autoescape=True,
        trim_blocks=True, lstrip_blocks=True)
    templates.globals.update(name_of=name_of, most_points=most_points, note_on=note_on,
                             passed=passed)
    templates.filters.update(points='{:g}'.format, counted=counted, short=short)
    return templates


def source_of(name: str) -> Markup:
    """Return the text of a file of the templates."""
    loader = environment().loader
    assert loader
    return Markup(loader.get_source(environment(), name)[0])


def policy_for(script: str) -> str:
    """Return the part of a page's policy that allows one script by its hash."""
    digest = hashlib.sha256(source_of(script).encode()).digest()
    return f"script-src 'sha256-{base64.b64encode(digest).decode()}'; "
