"""The page about one submission: what to mend, told as a lesson, then its sessions."""

from __future__ import annotations

import re
from typing import Iterable, List, Sequence, Tuple

from ...sessions.transcript import Transcript
from ..files import SavedResults
from ..grades import NOT_WHOLE, is_not_run, why_not_run
from ..messages import HAPPENS
from ..results import FRESH
from ..told import causes_of
from .excerpts import excerpts_of
from .figures import figure_of
from .lines import lines_of
from .playthrough import playthrough_of
from .render import render

SAID = re.compile(r'^  (hint|crash|in|reads in|stderr) *[:|] ?(.*)$', re.MULTILINE)

Numbered = List[Tuple[int, SavedResults]]       # tests, each with its place from 1


def report_page(results: SavedResults, class_page: str = '',
                transcripts: Iterable[Transcript] = ()) -> str:
    """Return the page about one submission; `results` is what its results.json holds.

    `class_page` is the address of the class's page, '' if there is none; `transcripts` are the
    sessions that are shown move by move.
    """
    about, tests = results['extra_data'], results['tests']
    told = about.get('told') or []
    groups = groups_of_failures(tests, about)
    messages = [*filter(None, [] if told else [results['output']]), *why_not_run(results)]
    sessions = {transcript.name: transcript for transcript in transcripts}
    if 'smallest' in about:
        sessions[FRESH] = Transcript(FRESH, about['smallest'])
    return render(
        'report.html', results=results, about=about, told=told, groups=groups, kinds=HAPPENS,
        class_page=class_page, not_whole=NOT_WHOLE if about.get('ended') else '',
        messages=messages, right=[test for test in tests if test['status'] == 'passed'],
        not_run=[test for test in tests if is_not_run(test)],
        numbers={test['name']: number for _, group in groups for number, test in group},
        playthroughs={
            test['name']: playthrough_of(sessions[test['name']], test['extra_data'].get('step'))
            for test in tests if test['name'] in sessions and not is_not_run(test)},
        figure_of=figure_of, said_in=said_in, lines_of=lines_of, excerpts_of=excerpts_of)


def said_in(message: str) -> list[tuple[str, str]]:
    """Return what a message says beside the lines that differ: labels, and what stands there.

    >>> said_in('a.txt:3: ...\\n  expected |B\\n  crash    |KeyError: 3\\n  hint: look here')
    [('Crash', 'KeyError: 3'), ('Hint', 'look here')]
    """
    return [(label.strip().capitalize(), text) for label, text in SAID.findall(message)]


def groups_of_failures(tests: Sequence[SavedResults],
                       about: SavedResults) -> list[tuple[str, Numbered]]:
    """Return the tests that failed, each with its number from 1, by what is behind them."""
    groups: dict[str, Numbered] = {}
    for number, test in enumerate(tests, 1):
        if test['status'] == 'failed' and not is_not_run(test):
            groups.setdefault(', '.join(causes_of(test, about)), []).append((number, test))
    return list(groups.items())
