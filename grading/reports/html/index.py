"""The page about a class: its faults, and all submissions by score."""

from __future__ import annotations

import base64
import hashlib
from collections import defaultdict
from datetime import date
from statistics import median
from typing import Sequence
from urllib.parse import quote

from markupsafe import Markup

from ..grades import note_on
from ..results_json import SavedResults, findings_in, is_not_run, most_points, name_of, passed
from .render import environment, render

OTHERWISE = 'goes wrong, but has no fault that is known'
NOT_AT_ALL = 'could not be run'


def index_page(all_results: Sequence[SavedResults]) -> str:
    """Return the page about a class; it links to `NAME/report.html` for each submission.

    Where `score` is None no grade could be given; `output` says why. The only script is the
    page's own: the policy names it by its hash.
    """
    graded = [results for results in all_results if results['score'] is not None]
    graded.sort(key=lambda results: (-results['score'], name_of(results).casefold()))
    script = source_of('search.js')
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return render(
        'index.html', graded=graded, number=len(all_results), assignment=assignment_of(all_results),
        day=f'{date.today():%d %B %Y}'.lstrip('0'), link_to=link_to, remarks_on=remarks_on,
        script=Markup(script), policy=f"script-src 'sha256-{digest}'; ",
        missing=[results for results in all_results if results['score'] is None],
        full=sum(results['score'] >= most_points(results) for results in graded),
        median=median([results['score'] for results in graded]) if graded else None,
        has_seeds=any(results['extra_data'].get('seed') is not None for results in graded),
        has_remarks=any(map(remarks_on, graded)), faults=faults_of(graded))


def source_of(name: str) -> str:
    """Return a file of the templates as it stands."""
    loader = environment().loader
    assert loader
    return loader.get_source(environment(), name)[0]


def assignment_of(all_results: Sequence[SavedResults]) -> str:
    """Return the name of the assignment, of all of them where there are several."""
    names = [results['extra_data'].get('game') for results in all_results]
    return ', '.join(dict.fromkeys(filter(None, names)))


def faults_of(graded: Sequence[SavedResults]) -> list[tuple[str, str, list[str]]]:
    """Return each known fault: its id, its sentence, and who has it; the commonest first.

    Who goes wrong without any stands at the end.
    """
    names = defaultdict(list)
    sentences: dict[str, str] = {}
    others: dict[str, list[str]] = {OTHERWISE: [], NOT_AT_ALL: []}
    for results in graded:
        for finding in findings_in(results):
            if finding.id:
                names[finding.id].append(name_of(results))
                sentences.setdefault(finding.id, finding.sentence)
        if not results['extra_data']['faults'] and passed(results) < len(results['tests']):
            is_run = any(not is_not_run(test) for test in results['tests'])
            others[OTHERWISE if is_run else NOT_AT_ALL].append(name_of(results))
    return [(fault, sentences.get(fault, ''), those) for fault, those in sorted(
        names.items(), key=lambda item: (-len(item[1]), item[0]))] + [
        ('', sentence, those) for sentence, those in others.items() if those]


def remarks_on(results: SavedResults) -> list[str]:
    """Return what is wrong with a submission in a few words each, and what is noted of it."""
    about = results['extra_data']
    late = 'late' if about.get('late') else ''
    return [*(finding.id or finding.sentence for finding in findings_in(results)),
            *filter(None, [late, note_on(results)])]


def link_to(name: str) -> str:
    """Return the address of a submission's report, whatever its name, relative to the index."""
    return f'./{quote(name, safe="")}/report.html'
