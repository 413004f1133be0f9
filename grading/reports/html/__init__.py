"""Pages for people: the report of one submission, and an overview of a class.

Each is one file without scripts that fetches nothing, made from results alone. All that comes
from a submission is escaped by jinja, on top of being spelled out where it was recorded.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from statistics import median
from typing import Sequence
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from ...assignments.find import GAMES
from ...assignments.positions import Comparison, Position, compare_positions, describe
from ..files import SavedResults
from ..grades import most_points, name_of, note_on, passed, why_not_run
from ..results import TestKind

KINDS: dict[TestKind, str] = {
    'differs': 'prints something else',
    'ended': 'ended too early',
    'silent': 'printed nothing when something was due',
    'trickles': 'took too long in all',
    'runs on': 'was still running after the end',
    'status': 'ended with the wrong exit status',
    'not run': 'was not run',
}


@dataclass(frozen=True)
class Panel:
    """One picture of a figure, under its heading, with what was printed beside the cells."""

    heading: str
    picture: Markup
    caption: str


@dataclass(frozen=True)
class Figure:
    """Pictures side by side, and a sentence about them."""

    panels: list[Panel]
    note: str


@dataclass(frozen=True)
class Line:
    """A line of text to be shown, beside its twin in another text."""

    text: str
    differs: bool
    blanks_differ: bool                 # and nothing else but newlines
    is_open: bool                       # whether no newline ends it


def report_page(results: SavedResults) -> str:
    """Return the page about one submission; `results` is what its results.json holds."""
    return render('report.html', results=results, about=results['extra_data'],
                  groups=groups_of_failures(results['tests']), kinds=KINDS,
                  messages=[*filter(None, [results['output']]), *why_not_run(results)])


def index_page(all_results: Sequence[SavedResults]) -> str:
    """Return the page about a class; it links to `NAME/report.html` for each submission.

    Where `score` is None no grade could be given; `output` says why.
    """
    graded = [results for results in all_results if results['score'] is not None]
    graded.sort(key=lambda results: (-results['score'], name_of(results).casefold()))
    faults = defaultdict(list)
    for results in graded:
        for fault in results['extra_data']['faults']:
            faults[fault].append(name_of(results))
    return render(
        'index.html', graded=graded, number=len(all_results),
        missing=[results for results in all_results if results['score'] is None],
        full=sum(results['score'] >= most_points(results) for results in graded),
        median=median([results['score'] for results in graded]) if graded else None,
        faults=sorted(faults.items(), key=lambda item: (-len(item[1]), item[0])))


def groups_of_failures(tests: Sequence[SavedResults]) -> list[list[tuple[int, SavedResults]]]:
    """Return the tests that failed, each with its number from 1, by the faults that they share."""
    groups: dict[object, list[tuple[int, SavedResults]]] = {}
    for number, test in enumerate(tests, 1):
        about = test['extra_data']
        if test['status'] == 'failed' and about.get('kind') != 'not run':
            groups.setdefault(tuple(about.get('faults', ())), []).append((number, test))
    return list(groups.values())


def figure_of(test: SavedResults) -> Figure | None:
    """Return the pictures of what was expected and printed in a test, if it is of positions."""
    about = test['extra_data']
    game = GAMES.get(about.get('game', ''))
    if not game:
        return None
    expected, printed = about.get('expected') or '', about.get('printed') or ''
    comparison = compare_positions(game.positions, about.get('before') or '',
                                   about.get('typed') or '', expected, printed)
    positions = (comparison.before, comparison.expected, comparison.printed)
    if not all(position.is_small for position in positions if position):
        return None
    return figure_of_two(comparison) if all(positions[1:]) else figure_of_one(comparison)


def figure_of_two(comparison: Comparison) -> Figure:
    """Return the pictures of what was expected and printed; one will do where they are the same."""
    expected, printed = comparison.expected, comparison.printed
    is_same = expected and printed and expected.caption.split() == printed.caption.split()
    if not expected or (not comparison.differing and is_same):
        return Figure([panel('Expected and printed', 'expected', comparison)],
                      'Both are the same here: the difference is in the text.')
    return Figure([panel('Expected', 'expected', comparison),
                   panel('Printed', 'printed', comparison)],
                  describe(expected, comparison.differing)
                  or 'The cells are the same; what stands around them differs.')


def figure_of_one(comparison: Comparison) -> Figure | None:
    """Return the pictures where no position was printed, or none was due: what there is."""
    headings = {'before': 'Before', 'expected': 'Expected', 'printed': 'Printed, though not due'}
    panels = [panel(heading, which, comparison) for which, heading in headings.items()
              if getattr(comparison, which)]
    note = comparison.expected.missing if comparison.expected else ''
    return Figure(panels, note) if panels else None


def panel(heading: str, which: str, comparison: Comparison) -> Panel:
    """Return the picture of one position of a comparison, with what was printed beside it."""
    position: Position = getattr(comparison, which)
    return Panel(heading, Markup(position.draw(heading, comparison)), position.caption)


def lines_of(text: str, other: str) -> list[Line]:
    """Return the lines of a text; those differ that another text has not in their place.

    Beside an empty text nothing is worth a mark.
    """
    own, others = text.splitlines(keepends=True), other.splitlines(keepends=True)
    lines = []
    matcher = SequenceMatcher(None, own, others, autojunk=False)
    for _, start, end, other_start, other_end in matcher.get_opcodes():
        for line, twin in zip_longest(own[start:end], others[other_start:other_end]):
            if line is not None:
                differs = bool(other) and line != twin
                blanks_differ = differs and twin is not None and line.split() == twin.split()
                lines.append(Line(line.rstrip('\n'), differs, blanks_differ,
                                  not line.endswith('\n')))
    return lines


def link_to(name: str) -> str:
    """Return the address of a submission's report, whatever its name, relative to the index."""
    return f'./{quote(name, safe="")}/report.html'


def short(name: str) -> str:
    """Return the name of a transcript without its folder and ending.

    >>> short('transcripts/greeter/two_names.txt')
    'two_names'
    """
    name = name.rpartition('/')[2]
    return name[:-4] if name.endswith('.txt') else name


def render(template: str, **values: object) -> str:
    """Return a page made from a template."""
    return environment().get_template(template).render(**values)


@lru_cache(maxsize=None)
def environment() -> Environment:
    """Return the templates, and what they may call; made once."""
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent / 'templates'), autoescape=True,
        trim_blocks=True, lstrip_blocks=True)
    templates.globals.update(figure_of=figure_of, lines_of=lines_of, link_to=link_to,
                             name_of=name_of, most_points=most_points, note_on=note_on,
                             passed=passed)
    templates.filters.update(points='{:g}'.format, short=short)
    return templates
