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

from ..files import SavedResults
from ..grades import most_points, name_of, note_on, passed
from .render import environment, render


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
        day=f'{date.today():%d %B %Y}'.lstrip('0'), link_to=link_to, wrong_with=wrong_with,
        script=Markup(script), policy=f"script-src 'sha256-{digest}'; ",
        missing=[results for results in all_results if results['score'] is None],
        full=sum(results['score'] >= most_points(results) for results in graded),
        median=median([results['score'] for results in graded]) if graded else None,
        has_notes=any(note_on(results) or results['extra_data'].get('late') for results in graded),
        has_faults=any(passed(results) < len(results['tests']) for results in graded),
        faults=faults_of(graded))


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
    """Return each known fault: its id, its sentence, and who has it; the commonest first."""
    names = defaultdict(list)
    sentences: dict[str, str] = {}
    for results in graded:
        for fault in results['extra_data']['faults']:
            names[fault].append(name_of(results))
        for told in results['extra_data'].get('told') or []:
            sentences.setdefault(told['id'], told['sentence'])
    return [(fault, sentences.get(fault, ''), those) for fault, those in sorted(
        names.items(), key=lambda item: (-len(item[1]), item[0]))]


def wrong_with(results: SavedResults) -> list[str]:
    """Return what is wrong with a submission in a few words each: faults, and what is beside."""
    about = results['extra_data']
    beside = [told['sentence'] for told in about.get('told') or [] if not told['id']]
    return [*about['faults'], *beside]


def link_to(name: str) -> str:
    """Return the address of a submission's report, whatever its name, relative to the index."""
    return f'./{quote(name, safe="")}/report.html'
