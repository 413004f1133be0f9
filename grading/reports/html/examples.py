"""Examples on pages: pictures of positions, two texts side by side, excerpts of programs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Iterable, Iterator, Sequence, Tuple

from markupsafe import Markup

from ...assignments.game import Comparison, Game, Position, compare_positions, describe
from ...assignments.games import GAMES, game_of
from ...diagnosis.finding import Example, Place
from ...printable import printable, shorten
from ...sessions.transcript import Step, Transcript
from ..messages import lines_in_words, reason
from . import render

MOST_QUOTED = 63                        # characters of a line

Row = Tuple[int, str, bool]             # the number of a line, its text, whether to look at it


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


def figure_of(example: Example) -> Figure | None:
    """Return the pictures of an example, None if it shows no positions."""
    game = GAMES.get(example.game)
    if not game:
        return None
    compared = compare_positions(game.positions, example.before, example.typed or '',
                                 example.expected_text, example.printed_text)
    before, expected, printed = compared.before, compared.expected, compared.printed
    there = [position for position in (before, expected, printed) if position]
    if not there or not all(position.is_small for position in there):
        return None
    unmarked = replace(compared, expected=None, printed=None)
    panels = [('Before', before, unmarked), ('Expected', expected, compared),
              ('Printed', printed, compared)]
    note = describe_difference(example.expected_text, example.printed_text)
    if not expected:
        panels[1:] = [('Printed, but not expected', printed, compared)]
    elif not printed:
        note = expected.missing
    elif compared.differing:
        note = describe(expected, compared.differing)
    else:
        note = f'The pictures are the same. {note}'
        if expected.caption.split() == printed.caption.split():
            panels[1:] = [('Expected and printed', expected, compared)]
    return Figure([Panel(heading, draw(position, heading, comparison), position.caption)
                   for heading, position, comparison in panels if position], note)


def draw(position: Position, title: str, comparison: Comparison) -> Markup:
    """Return a picture of a position in a comparison; without a title, a small one."""
    differing = comparison.differing
    return Markup(render(position.template, position=position, title=title, differing=differing,
                         different=describe(position, differing), before=comparison.before,
                         typed=comparison.typed))


@dataclass(frozen=True)
class Scene:
    """Lines that were typed, what was printed before and after them, and the position in it."""

    first: str
    typed: list[str]
    printed: str
    picture: Markup | None


@dataclass(frozen=True)
class Playthrough:
    """The scenes of a session before the step that went wrong, and after it."""

    before: list[Scene]
    after: list[Scene]


def playthrough_of(transcript: Transcript, wrong: int | None) -> Playthrough:
    """Return the scenes of a session; `wrong` is the index of the wrong step, or None."""
    game, steps = game_of(transcript), transcript.steps
    if wrong is None:
        return Playthrough([*scenes(steps, game)], [])
    before = [*scenes(steps[:wrong], game)]
    if before and not before[-1].printed and steps[wrong - 1].input is not None:
        before[-1].typed.pop()          # the page shows it with the wrong output
    return Playthrough([scene for scene in before if scene.first or scene.typed or scene.printed],
                       [*scenes(steps[wrong + 1:], game, inputs_of(steps[wrong:wrong + 1]))])


def scenes(steps: Iterable[Step], game: Game | None, typed: Sequence[str] = ()) -> Iterator[Scene]:
    """Yield the scenes of steps; `typed` are the lines typed before them.

    What is printed first without a position has no scene of its own.
    """
    lines, first = [*typed], ''
    for step in steps:
        if step.printed:
            printed = printable(step.output, keep='\n')
            picture = picture_of(step.output, lines[-1] if lines else '', game)
            if lines or first or picture:
                yield Scene(first, lines, printed, picture)
                first, lines = '', []
            else:
                first = printed
        lines = [*lines, *inputs_of([step])]
    if lines or first:
        yield Scene(first, lines, '', None)


def inputs_of(steps: Iterable[Step]) -> list[str]:
    """Return the lines that are typed after some steps."""
    return [printable(step.input) for step in steps if step.input is not None]


def picture_of(printed: str, typed: str, game: Game | None) -> Markup | None:
    """Return a small picture of the last position in a text, None if it shows none."""
    positions = game.positions(printed) if game else []
    if not positions or not positions[-1].is_small:
        return None
    return draw(positions[-1], '', Comparison(None, None, None, typed))


@dataclass(frozen=True)
class ComparedLine:
    """A line of text, compared with a line of another text."""

    text: str
    differs: bool
    blanks_differ: bool                 # and nothing else but newlines
    is_open: bool                       # whether no newline ends it


def lines_of(text: str, other: str) -> list[ComparedLine]:
    """Return the lines of a text, compared with those of another text.

    If the other text is empty, no line is marked.
    """
    own, others = text.splitlines(keepends=True), other.splitlines(keepends=True)
    lines = []
    matcher = SequenceMatcher(None, own, others, autojunk=False)
    for _, start, end, other_start, other_end in matcher.get_opcodes():
        for line, twin in zip_longest(own[start:end], others[other_start:other_end]):
            if line is not None:
                differs = bool(other) and line != twin
                blanks_differ = differs and twin is not None and line.split() == twin.split()
                lines.append(ComparedLine(line.rstrip('\n'), differs, blanks_differ,
                                  not line.endswith('\n')))
    return lines


def describe_difference(expected: str, printed: str) -> str:
    """Return a sentence about the first lines that differ in two texts, `''` if none does.

    >>> describe_difference('B .\\nTURN: B\\n', 'B .\\nTURN: W\\n')
    '"TURN: B" is expected, "TURN: W" was printed.'
    >>> describe_difference('WINNER: B\\n', '')
    '"WINNER: B" is expected, but was not printed.'
    """
    due, own = expected.splitlines(), printed.splitlines()
    for kind, start, _, own_start, _ in SequenceMatcher(
            None, due, own, autojunk=False).get_opcodes():
        if kind == 'equal':
            continue
        if kind == 'insert':
            return f'{quoted(own[own_start])} was printed, but is not expected.'
        if kind == 'delete':
            return f'{quoted(due[start])} is expected, but was not printed.'
        if due[start].split() == own[own_start].split():
            return f'The blanks of {quoted(due[start])} differ.'
        return f'{quoted(due[start])} is expected, {quoted(own[own_start])} was printed.'
    return '' if expected == printed else 'The newline at the end is missing.'


def quoted(line: str) -> str:
    """Return a line in quotes, shortened."""
    return f'"{shorten(line, MOST_QUOTED)}"' if line.strip() else 'An empty line'


@dataclass(frozen=True)
class Excerpt:
    """Lines of a file to look at for one reason, in pieces."""

    reason: str
    where: str
    pieces: list[list[Row]]


def excerpts_of(places: Sequence[Place]) -> list[Excerpt]:
    """Return one excerpt for each reason and file."""
    groups: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        groups.setdefault((place.why, place.file), []).append(place)
    return [Excerpt(reason(why), f'{file}, {lines_in_words(group)}', pieces_of(group))
            for (why, file), group in groups.items()]


def pieces_of(places: Sequence[Place]) -> list[list[Row]]:
    """Return the lines around some places of a file as pieces without gaps."""
    texts: dict[int, str] = {}
    for place in places:
        texts.update(enumerate(place.context.split('\n'), place.start))
    pieces: list[list[Row]] = []
    for line in sorted(texts):
        row = line, texts[line], any(place.first <= line <= place.last for place in places)
        if pieces and pieces[-1][-1][0] == line - 1:
            pieces[-1].append(row)
        else:
            pieces.append([row])
    return pieces
