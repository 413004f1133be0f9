"""The page about one submission: first what to fix, then its sessions."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Iterable, List, Sequence, Tuple

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from ...diagnosis.example import HAPPENS
from ...diagnosis.finding import Finding
from ...sessions.transcript import Transcript
from ..messages import counted, describe, gain, note_on, reasons, short, title
from ..results import FRESH
from ..results_json import (
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
        kinds=HAPPENS, examples=examples, class_page=class_page, messages=messages,
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
