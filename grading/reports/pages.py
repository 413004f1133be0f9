"""Pages: about one submission, about a class, about one session; and what they draw and compare.

Each page is one file that loads nothing, made from results alone. Jinja escapes all text from
submissions, which was also spelled out when it was recorded.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from difflib import SequenceMatcher
from itertools import pairwise, zip_longest
from math import ceil
from pathlib import Path
from statistics import mean, median
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from .. import assignments
from ..assignments.games import GAMES, game_of
from ..diagnosis.example import HAPPENS
from ..game import Cell, Find, Game, Position
from ..printable import counted, list_names, printable, quoted_line
from ..results import FRESH, Example, Place, Results
from ..sessions.transcript import Step, Transcript
from .results import HIDDEN, for_students
from .text import (
    UNCONFINED,
    describe,
    entries,
    fail_alike,
    note_on,
    notes_on,
    reasons,
    short,
    where_to_look,
)

TEMPLATES = Path(__file__).parent / 'templates'
SCRIPT = TEMPLATES / 'table.js'
NOT_AT_ALL = 'could not be run'
MOST_BINS = 10  # of the histogram
MOST_FAULTS = 10  # of a class; of more, those of one program are folded
MOST_COLUMNS = 33  # of text beside a picture; a wide board and a mark
MOST_DIFFERING = 6  # cells that differ, in a sentence

TextPair = tuple[str | None, str | None]  # of lines
# A line of a text, whether it differs from that of another text, and whether both have the same
# words.
ComparedLine = tuple[str, bool, bool]
# What was printed first, lines that were typed, what was printed then, and the position in it.
Scene = tuple[str, list[str], str, Markup | None]


def page_of(number: int) -> str:
    """Return the file name of the page about the session with an index."""
    return f'session-{number + 1}.html'


def link_to(name: str) -> str:
    """Return the address of a submission's report, relative to the index; it shows a way back."""
    return f'./{quote(name, safe="")}/report.html#class'


def columns_of(scenes: Iterable[Scene]) -> int:
    """Return how many columns the text of each scene gets beside its picture."""
    lines = [
        length
        for first, typed, printed, _ in scenes
        for length in [
            *map(len, f'{first}{printed}'.split('\n')),
            *(1 + len(line) for line in typed),
        ]
    ]
    return min(MOST_COLUMNS, max(lines, default=0))


# All templates: the pages' own, and those of games' positions.
ENVIRONMENT = Environment(
    loader=FileSystemLoader([TEMPLATES, Path(assignments.__file__).parent]),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
ENVIRONMENT.globals.update(note_on=note_on, link_to=link_to)
ENVIRONMENT.filters.update(
    points='{:g}'.format, number='{:g}'.format, counted=counted, short=short, columns=columns_of
)


def render(template: str, **values: object) -> str:
    """Return the page, or the picture, that a template makes of values."""
    return ENVIRONMENT.get_template(template).render(**values)


def report_page(
    results: Results, class_page: str = '', transcripts: Iterable[Transcript] = ()
) -> str:
    """Return the page about one submission.

    `class_page` is the address of the class's page, '' if there is none; `transcripts` are the
    sessions that are shown move by move.
    """
    results = for_students(results)
    sessions = {transcript.name: transcript for transcript in transcripts}
    if results.smallest:
        sessions[FRESH] = Transcript(FRESH, results.smallest)
    return render(
        'report.html',
        results=results,
        entries=entries(results),
        failures=results.failures,
        kinds=HAPPENS,
        hidden=HIDDEN,
        class_page=class_page,
        messages=[*filter(None, [results.output]), *results.reasons_not_run],
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


def index_page(all_results: Sequence[Results], pages: Sequence[str] = ()) -> str:
    """Return the page about a class; it links to `NAME/report.html` for each submission.

    Results with the score None have no grade; their `output` says why. `pages` are the names of the
    sessions that have pages. The page's policy allows only its own script, by its hash.
    """
    graded = sorted(
        (results for results in all_results if results.score is not None),
        key=lambda results: (-(results.score or 0), results.submission.casefold()),
    )
    faults, failures, twins = faults_of(graded), failures_of(graded), twins_of(graded)
    remarks = {
        results.submission: [
            *dict.fromkeys(finding.sentence for finding in results.findings),
            *['late'] * bool(results.late),
            *twins.get(results.submission, []),
            *notes_on(results),
        ]
        for results in graded
    }
    script = SCRIPT.read_text(encoding='utf-8')
    script_hash = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return render(
        'index.html',
        graded=graded,
        number=len(all_results),
        assignment=', '.join(dict.fromkeys(filter(None, (one.game for one in all_results)))),
        day=f'{date.today():%d %B %Y}'.lstrip('0'),
        remarks=remarks,
        script=Markup(script),
        policy=f"script-src 'sha256-{script_hash}'; ",
        all_results=all_results,
        most_faults=MOST_FAULTS,
        alike=fail_alike(all_results),
        has_passed=any(
            (results.passed, len(results.tests)) != (results.score, results.max_score)
            for results in graded
        ),
        full=sum((results.score or 0) >= results.max_score for results in graded),
        scores=scores_of(graded) if graded else None,
        faults=faults,
        failures=failures,
        unconfined=sum(UNCONFINED in notes_on(results) for results in graded),
        pages={name: page_of(number) for number, name in enumerate(pages)},
        keys={
            name: ' '.join(share.key for share in [*faults, *failures] if name in share.names)
            for name in remarks
        },
    )


def session_page(transcript: Transcript, all_results: Sequence[Results]) -> str:
    """Return the page about one session: its moves, and the programs that fail it."""
    causes: dict[str, list[str]] = {}
    for results in sorted(all_results, key=lambda results: results.submission.casefold()):
        for test in results.tests:
            if test.name == transcript.name and not test.has_passed:
                why = ' '.join(
                    dict.fromkeys(
                        f'The {one.subject} {one.sentence}.'
                        for one in results.findings
                        if transcript.name in one.sessions
                    )
                ) or (test.output or 'The reason is not known.')
                causes.setdefault(why, []).append(results.submission)
    return render(
        'session.html',
        transcript=transcript,
        number=len(all_results),
        course_of=playthrough_of(transcript, None)[0],
        causes=sorted(causes.items(), key=lambda cause: -len(cause[1])),
    )


# ------------------------------------------------------------------------------------ of a class


@dataclass
class ClassShare:
    """The programs that have a fault, or fail a session."""

    key: str  # marks the rows of the table
    id: str  # of a fault, or a session's name
    sentence: str
    names: list[str] = field(default_factory=list)
    points: float = 0  # that fixing it alone gives back, in all programs together
    is_least: bool = False  # whether it may be more: some sessions were not run


def faults_of(graded: Sequence[Results]) -> list[ClassShare]:
    """Return the programs with each known fault, the most frequent first, then all others."""
    shares: dict[str, ClassShare] = {}
    for results in graded:
        causes = [(one.id, one.sentence, one.points) for one in results.findings if one.id]
        if results.passed < len(results.tests) and not causes:
            is_run = not all(test.is_not_run for test in results.tests)
            causes = [
                (
                    '',
                    'fails in a way that no known fault explains' if is_run else NOT_AT_ALL,
                    sum(finding.points for finding in results.findings),
                )
            ]
        for name, sentence, points in causes:
            share = shares.setdefault(
                name or sentence, ClassShare(f'f{len(shares)}', name, sentence)
            )
            share.names.append(results.submission)
            share.points += points
            share.is_least |= bool(results.reasons_not_run)
    return sorted(
        shares.values(),
        key=lambda share: (share.sentence == NOT_AT_ALL, not share.id, -len(share.names), share.id),
    )


def failures_of(graded: Sequence[Results]) -> list[ClassShare]:
    """Return the programs that fail each session, in the order of sessions."""
    sessions: dict[str, list[str]] = defaultdict(list)
    for results in graded:
        for test in results.tests:
            sessions[test.name] += [results.submission] * (
                test.example is not None and not test.has_passed
            )
    return [
        ClassShare(f's{number}', name, '', names)
        for number, (name, names) in enumerate(sessions.items())
        if names
    ]


def twins_of(graded: Sequence[Results]) -> dict[str, list[str]]:
    """Return remarks on programs that differ from others only in names, blanks and comments."""
    groups = defaultdict(list)
    for results in graded:
        if results.digest:
            groups[results.digest].append(results.submission)
    return {
        name: [f'the same program as {", ".join(other for other in names if other != name)}']
        for names in groups.values()
        if len(names) > 1
        for name in names
    }


def scores_of(graded: Sequence[Results]) -> dict[str, object]:
    """Return the mean, the median and the highest possible score, and how many have which scores.

    There is at least one submission. The `bins` are ranges of scores, each with a number.
    """
    scores = [float(results.score or 0) for results in graded]
    most = max(*(results.max_score for results in graded), *scores, 1)
    width = ceil(most / MOST_BINS)  # whole points
    edges = [*map(float, range(0, ceil(most), width)), most]
    counts = Counter(max(0, min(int(score // width), len(edges) - 2)) for score in scores)
    return {
        'mean': mean(scores),
        'median': median(scores),
        'most': most,
        'bins': [(range_, counts[number]) for number, range_ in enumerate(pairwise(edges))],
    }


# -------------------------------------------------------------------------- pictures of positions


def figure_of(example: Example) -> tuple[list[tuple[str, Markup, str]], str] | None:
    """Return the pictures of an example, and a sentence about them; None if it has no positions.

    Each picture stands between its heading and what was printed beside its cells.
    """
    game = GAMES.get(example.game)
    if not game:
        return None
    before, expected, printed = compare_positions(
        game.positions, example.before, example.expected_text, example.printed_text
    )
    there = [position for position in (before, expected, printed) if position]
    if not there or not all(position.is_small for position in there):
        return None
    differing = differing_cells(expected, printed)
    panels = {'Before': before, 'Expected': expected, 'Printed': printed}
    note = describe_difference(example.expected_text, example.printed_text)
    if not expected:
        panels = {'Before': before, 'Printed, but not expected': printed}
    elif not printed:
        note = expected.missing
    elif differing:
        note = describe_cells(expected, differing)
    else:
        note = f'The pictures are the same. {note}'
        if expected.caption.split() == printed.caption.split():
            panels = {'Before': before, 'Expected and printed': expected}
    return [
        (
            heading,
            draw(
                position,
                heading,
                example.typed or '',
                before,
                () if heading == 'Before' else differing,
            ),
            position.caption,
        )
        for heading, position in panels.items()
        if position
    ], note


def compare_positions(
    find: Find, before: str, expected: str, printed: str
) -> Sequence[Position | None]:
    """Return the first two positions that differ in two texts, or else the last ones.

    The position from which they came is the first of the three; `before` is the text with it. None
    stands where there is none.
    """
    due = find(expected)
    pairs = [*zip_longest(due, find(printed))] or [(None, None)]
    place = next(
        (
            number
            for number, (one, other) in enumerate(pairs)
            if not one or not other or one.cells != other.cells
        ),
        len(pairs) - 1,
    )
    return [None, *find(before), *due[:place]][-1], *pairs[place]


def differing_cells(one: Position | None, other: Position | None) -> list[Cell]:
    """Return the cells in which two positions differ; none if a position is missing."""
    return (
        [
            cell
            for cell in {**one.cells, **other.cells}
            if one.cells.get(cell) != other.cells.get(cell)
        ]
        if one and other
        else []
    )


def describe_cells(position: Position, differing: Collection[Cell]) -> str:
    """Return a sentence about the cells of a position that differ."""
    names = [position.name_of(cell) for cell in differing]
    if not all(names):
        return 'Differs.'
    return f'Different: {list_names(names, MOST_DIFFERING, "; ")}.' if names else ''


def draw(
    position: Position,
    title: str = '',
    typed: str = '',
    before: Position | None = None,
    differing: Collection[Cell] = (),
) -> Markup:
    """Return a picture of a position after the line `typed`; without a title, a small one.

    `before` is the position before that line, `differing` are the cells to mark.
    """
    return Markup(
        render(
            position.template,
            position=position,
            title=title,
            typed=typed,
            before=before,
            differing=differing,
            different=describe_cells(position, differing),
        )
    )


def playthrough_of(transcript: Transcript, wrong: int | None) -> tuple[list[Scene], list[Scene]]:
    """Return the scenes of a session before the step that goes wrong, and after it.

    `wrong` is the index of that step, or None.
    """
    game, steps = game_of(transcript), transcript.steps
    turns = [*zip([None, *(step.input for step in steps)], steps, strict=False)]
    return (
        [*scenes(turns[:wrong], game)],
        [] if wrong is None else [*scenes(turns[wrong + 1 :], game)],
    )


def scenes(turns: Iterable[tuple[str | None, Step]], game: Game | None) -> Iterator[Scene]:
    """Yield the scenes of steps, each with the line that was typed before it.

    What is printed first without a position has no scene of its own.
    """
    first = ''
    lines: list[str] = []
    for line, step in turns:
        lines += [] if line is None else [printable(line)]
        if step.printed:
            printed = printable(step.output, keep='\n')
            positions = game.positions(step.output) if game else ()
            picture = (
                draw(positions[-1], typed=lines[-1] if lines else '')
                if positions and positions[-1].is_small
                else None
            )
            if lines or first or picture:
                yield first, lines, printed, picture
                first, lines = '', []
            else:
                first = printed
    if lines or first:
        yield first, lines, '', None


# ---------------------------------------------------------------------- two texts; lines of files


def line_pairs(expected: str, printed: str) -> list[TextPair]:
    """Return the lines of two texts side by side; None stands where one text has no such line."""
    due, own = expected.splitlines(keepends=True), printed.splitlines(keepends=True)
    spans = SequenceMatcher(None, due, own, autojunk=False).get_opcodes()
    return [
        pair
        for _, start, end, own_start, own_end in spans
        for pair in zip_longest(due[start:end], own[own_start:own_end])
    ]


def compare_texts(expected: str, printed: str) -> tuple[list[ComparedLine], list[ComparedLine]]:
    """Return the lines of two texts, each compared with the other text.

    If one text is empty, no line is marked.
    """

    def compared(pairs: Iterable[TextPair]) -> list[ComparedLine]:
        return [
            (line, are_both and line != other, other is not None and line.split() == other.split())
            for line, other in pairs
            if line is not None
        ]

    pairs, are_both = line_pairs(expected, printed), bool(expected and printed)
    return compared(pairs), compared((own, due) for due, own in pairs)


def describe_difference(expected: str, printed: str) -> str:
    """Return a sentence about the first lines that differ in two texts, `''` if none does.

    >>> describe_difference('B .\\nTURN: B\\n', 'B .\\nTURN: W\\n')
    '"TURN: B" is expected, "TURN: W" was printed.'
    >>> describe_difference('WINNER: B\\n', '')
    '"WINNER: B" is expected, but was not printed.'
    """
    due, own = next(
        ((one, other) for one, other in line_pairs(expected, printed) if one != other), ('', '')
    )
    one, other = ((line or '').rstrip('\n') for line in (due, own))
    told = next(
        told
        for is_so, told in [
            (due is None, f'{quoted_line(other)} was printed, but is not expected.'),
            (own is None, f'{quoted_line(one)} is expected, but was not printed.'),
            (due == own, ''),
            (one == other, 'The newline at the end is missing.'),
            (one.split() == other.split(), f'The blanks of {quoted_line(one)} differ.'),
            (True, f'{quoted_line(one)} is expected, {quoted_line(other)} was printed.'),
        ]
        if is_so
    )
    return told[:1].upper() + told[1:]


def excerpts_of(places: Sequence[Place]) -> list[tuple[str, list[tuple[int, str, bool]]]]:
    """Return the lines to look at for one reason in one file, and those around, under a heading.

    Each line has its number, its text, and whether to look at it.
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
