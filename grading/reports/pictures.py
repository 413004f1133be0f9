"""Makes what pages show from templates: pictures of positions, and texts side by side.

The pictures show the positions in one example, or all those in a session, move by move. Jinja
escapes text for HTML. `results.Record` has already escaped the unprintable characters in text from
submissions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from .. import games
from ..differences import DifferenceKind, difference_of
from ..games import GAMES, game_of
from ..games.game import Cell, Find, Game, Position
from ..printable import counted, list_names, printable, quoted_line
from ..results import Example
from ..sessions.session import Session, Step
from .wording import as_points, link_to, note_on, short

TEMPLATES = Path(__file__).parent / 'templates'
MAX_COLUMNS = 33  # maximum columns for the text beside a picture: enough for a wide board
# A part of a session: output before its first input line (or ''), input lines, the output after
# these lines, and a picture of the last position in this output (or None).
Scene = tuple[str, list[str], str, Markup | None]
# Finds the templates of pages in this package, and the templates of pictures in the games.
ENVIRONMENT = Environment(
    loader=FileSystemLoader([TEMPLATES, Path(games.__file__).parent]),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
SPACES_DIFFER = 'The spaces in {expected} differ.'
NOTES: dict[DifferenceKind, str] = {  # by the kind of difference between two lines
    'extra line': '{printed} was printed, but is not expected.',
    'missing line': '{expected} is expected, but was not printed.',
    'missing newline': 'The newline at the end is missing.',
    'extra newline': 'No newline is expected at the end.',
    'trailing spaces': SPACES_DIFFER,
    'missing spaces': SPACES_DIFFER,
    'indentation': SPACES_DIFFER,
    'spaces': SPACES_DIFFER,
    'other': '{expected} is expected, but {printed} was printed.',
}
TextPair = tuple[str | None, str | None]  # an expected and a printed line; None means missing
# A line, whether it differs from the line beside it, and whether it differs only in whitespace.
ComparedLine = tuple[str, bool, bool]
MAX_DIFFERING = 6  # maximum number of differing cells to name in a sentence


def columns_of(scenes: Iterable[Scene]) -> int:
    """Return the width, in columns, of the text beside the pictures of some scenes."""
    lines = [
        length
        for first, typed, printed, _ in scenes
        for length in [
            *map(len, f'{first}{printed}'.split('\n')),
            *(1 + len(line) for line in typed),
        ]
    ]
    return min(MAX_COLUMNS, max(lines, default=0))


ENVIRONMENT.globals.update(note_on=note_on, link_to=link_to)
ENVIRONMENT.filters.update(
    points=as_points, number='{:g}'.format, counted=counted, short=short, columns=columns_of
)


def render(template: str, **values: object) -> str:
    """Return the page or the picture made from a template and these values."""
    return ENVIRONMENT.get_template(template).render(**values)


def line_pairs(expected: str, printed: str) -> list[TextPair]:
    """Return the lines of two texts in pairs, with None where a text has no line to match."""
    left, right = expected.splitlines(keepends=True), printed.splitlines(keepends=True)
    spans = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return [
        pair
        for _, start, end, right_start, right_end in spans
        for pair in zip_longest(left[start:end], right[right_start:right_end])
    ]


def compare_texts(expected: str, printed: str) -> tuple[list[ComparedLine], list[ComparedLine]]:
    """Return the lines of two texts, each compared with the line beside it in the other text.

    If one of the texts is empty, mark no line as different.
    """
    both_have_text = bool(expected and printed)

    def compared(pairs: Iterable[TextPair]) -> list[ComparedLine]:
        lines = []
        for line, other in pairs:
            if line is not None:
                differs = both_have_text and line != other
                only_whitespace = differs and difference_of(line, other or '').is_whitespace
                lines.append((line, differs, only_whitespace))
        return lines

    pairs = line_pairs(expected, printed)
    return compared(pairs), compared((right, left) for left, right in pairs)


def describe_difference(expected: str, printed: str) -> str:
    """Return a sentence about the first difference between two texts, or `''` if there is none.

    >>> describe_difference('B .\\nTURN: B\\n', 'B .\\nTURN: W\\n')
    '"TURN: B" is expected, but "TURN: W" was printed.'
    >>> describe_difference('WINNER: B\\n', '')
    '"WINNER: B" is expected, but was not printed.'
    """
    pairs = [pair for pair in line_pairs(expected, printed) if pair[0] != pair[1]]
    if not pairs:
        return ''
    difference = difference_of(*(line or '' for line in pairs[0]))
    sentence = NOTES.get(difference.kind, NOTES['other']).format(
        expected=quoted_line(difference.expected.rstrip('\n')),
        printed=quoted_line(difference.printed.rstrip('\n')),
    )
    return sentence[:1].upper() + sentence[1:]


def figure_of(example: Example) -> tuple[list[tuple[str, Markup, str]], str] | None:
    """Return an example's pictures, and a sentence about them.

    Each picture has a heading, and a caption: the text printed around the cells. Return None if the
    example has no positions of a game, or if one of them is too large to draw.
    """
    game = GAMES.get(example.game)
    if not game:
        return None
    before, expected, printed = positions_to_compare(
        game.positions, example.before, example.expected_text, example.printed_text
    )
    positions = [position for position in (before, expected, printed) if position]
    if not positions or not all(position.is_small for position in positions):
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
    pictures = []
    for heading, position in panels.items():
        if position:
            cells = () if heading == 'Before' else differing
            picture = draw(position, heading, example.typed or '', before, cells)
            pictures.append((heading, picture, position.caption))
    return pictures, note


def positions_to_compare(
    find: Find, before: str, expected: str, printed: str
) -> Sequence[Position | None]:
    """Return three positions: the previous, the expected, and the printed position.

    The expected and the printed position are the first pair that differs, or the last pair if none
    differs. The previous position is the last position before this pair in the expected text. If
    there is none, it is the last position in `before`, the earlier output. A missing position is
    None.
    """
    in_expected = find(expected)
    pairs = [*zip_longest(in_expected, find(printed))] or [(None, None)]
    differs = [not left or not right or left.cells != right.cells for left, right in pairs]
    index = differs.index(True) if any(differs) else len(pairs) - 1
    earlier = [*find(before), *in_expected[:index]]
    return earlier[-1] if earlier else None, *pairs[index]


def differing_cells(left: Position | None, right: Position | None) -> list[Cell]:
    """Return the cells where two positions differ, or `[]` if a position is missing."""
    if not left or not right:
        return []
    cells = {**left.cells, **right.cells}
    return [cell for cell in cells if left.cells.get(cell) != right.cells.get(cell)]


def describe_cells(position: Position, differing: Collection[Cell]) -> str:
    """Return a sentence about the differing cells, or `''` if none differ.

    The sentence names the cells if all of them have names.
    """
    names = [position.name_of(cell) for cell in differing]
    if not all(names):
        return 'Differs.'
    return f'Different: {list_names(names, MAX_DIFFERING, "; ")}.' if names else ''


def draw(
    position: Position,
    title: str = '',
    typed: str = '',
    before: Position | None = None,
    differing: Collection[Cell] = (),
) -> Markup:
    """Return a picture of the position after the input line `typed`.

    A picture without a title is small. `before` is the position before the input line. `differing`
    are the cells to mark.
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


def playthrough_of(session: Session, wrong: int | None) -> tuple[list[Scene], list[Scene]]:
    """Return a session's scenes before the wrong step, and those after it: see `Scene`.

    `wrong` is the index of the wrong step, from 0, or None if no step is wrong. If it is None, all
    scenes are in the first list.
    """
    game, steps = game_of(session), session.steps
    turns = [*zip([None, *(step.input for step in steps)], steps, strict=False)]
    return (
        [*scenes(turns[:wrong], game)],
        [] if wrong is None else [*scenes(turns[wrong + 1 :], game)],
    )


def scenes(turns: Iterable[tuple[str | None, Step]], game: Game | None) -> Iterator[Scene]:
    """Yield the scenes of `turns`: steps, each paired with the line typed before it, or with None.

    Output before the first input line belongs to the scene of that line, unless it shows a
    position.
    """
    first = ''
    lines: list[str] = []
    for line, step in turns:
        if line is not None:
            lines.append(printable(line))
        if step.expected:
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
