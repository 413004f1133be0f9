"""Finds the faults of printing that may explain a difference, in known games and other assignments.

If the program printed a line other than the expected line, there may be several reasons:

    expected "VALID", printed "move 4 4"    the program prints an extra line, and then "VALID";
                                            or it leaves out "VALID";
                                            or it prints "move 4 4" instead of "VALID"

Each of these is a `Reading` of the difference. With a model of the game, the search tries every
reading: only with the right reading does the rest of the output match the model. Without a model, a
reading counts only if the two lines by themselves prove it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..differences import NUMBER, difference_of
from .observed import ObservedSession
from .pairs import likeness
from .protocol import (
    NAME,
    ROW,
    VALUE,
    Form,
    Wording,
    differ_only_between_words,
    filled,
    prompts_in,
    shape_of,
    signs_in,
    wording_of,
)
from .style import (
    EXTRA_LINES,
    LONGEST,
    MISSING_LINES,
    NO_NEWLINE,
    PROMPTS,
    SEPARATORS,
    TRAILING_SPACES,
    TWICE,
    WORDS,
    Style,
)

LONGEST_END = 3  # maximum number of characters after the text of a prompt, or on each side of a row
SEPARATOR = re.compile(r'[^\w\n]{1,3}')  # text printed between two lines in place of a newline
WORD = re.compile(r'[^\W\d_]+')
SPACING = 'spaces', 'missing spaces'  # kinds of differences within a line
ALIKE = 0.6  # the likeness above which a line may be the expected line with misspelled words


class Spot(NamedTuple):
    """The expected and the printed line at one place.

    Each of them is a line with its newline, a prompt, or `''` for nothing.
    """

    expected: str
    printed: str
    last: str = ''  # the previous printed line, without its newline
    following: str = ''  # what was printed next if the expected line is missing


class Reading(NamedTuple):
    """One way to explain a difference: a fault of printing, and what it implies for the style."""

    fault: str  # the id of the fault
    learned: Mapping[Any, Wording]  # the keys of the rule, with their examples (see `Style`)
    is_proved: bool = False  # whether the two lines by themselves prove the reading


def readings(spot: Spot, style: Style) -> Iterator[Reading]:
    """Yield the readings of a difference: the faults of printing that may explain it.

    `style` contains the lines of the assignment, and the rules of printing found so far.
    """
    if not spot.printed:
        yield from readings_of_missing_line(spot, style)
    elif not spot.expected:
        yield from readings_of_extra_line(spot, style)
    else:
        yield from readings_of_other_line(spot, style)


def proved_reading(spot: Spot, style: Style) -> Reading | None:
    """Return the reading that the two lines by themselves prove, or None if there is none.

    Without a model, nothing proves that a program uses the same words and spaces in similar lines,
    so such a reading covers only these lines.
    """
    lines = Wording(spot.expected.removesuffix('\n'), spot.printed)
    is_prompt = bool(lines.expected) and not spot.expected.endswith('\n')
    if is_prompt and spot.printed and not style.protocol.has(spot.printed.removesuffix('\n')):
        return Reading(PROMPTS, {lines: lines}, True)
    proved = next((reading for reading in readings(spot, style) if reading.is_proved), None)
    whole = lines._replace(printed=spot.printed.removesuffix('\n'))
    if proved:
        is_whole = proved.fault == SEPARATORS
        return proved._replace(learned={whole: whole}) if is_whole else proved
    if not spot.printed:  # a missing prompt
        return Reading(MISSING_LINES, {lines: lines}, True)
    if not spot.expected:
        return None
    if difference_of(spot.expected, spot.printed).kind in SPACING:
        return Reading(SEPARATORS, {whole: whole}, True)
    return Reading(WORDS, {whole: whole}, True) if are_words_wrong(spot, style) else None


def prompting(texts: Iterable[str]) -> Reading:
    """Return the reading in which these texts are the program's own prompts.

    >>> [*prompting(['First? Second: ']).learned]
    ['First? ', 'Second: ']
    """
    prompts = [prompt for text in texts for prompt in prompts_in(text)]
    return Reading(PROMPTS, {prompt: Wording('', prompt) for prompt in prompts}, bool(prompts))


def readings_of_missing_line(spot: Spot, style: Style) -> Iterator[Reading]:
    line = spot.expected.removesuffix('\n')
    kind = style.protocol.kind_of(line) or line
    if line and spot.following.startswith(line):  # the next line follows without a newline
        yield Reading(NO_NEWLINE, {kind: Wording(line, line)}, True)
    if spot.expected.endswith('\n'):
        yield Reading(MISSING_LINES, {kind: Wording(line, '')}, True)
    else:
        yield Reading(PROMPTS, {'': Wording(line, '')})


def readings_of_extra_line(spot: Spot, style: Style) -> Iterator[Reading]:
    line = spot.printed.removesuffix('\n')
    if line == spot.printed:
        yield prompting([line])
        return
    if line == spot.last:
        for known in style.lines_printed_as(line):
            yield Reading(TWICE, {style.protocol.kind_of(known): Wording(known, line)}, True)
    if not style.protocol.has(line):
        yield Reading(EXTRA_LINES, {shape_of(line): Wording('', line)}, True)


def reading_of_open_line(text: str, style: Style) -> Reading | None:
    """Return the reading in which `text` is an expected line without its newline, or None.

    In place of its newline, the line may end like a prompt, for example with a colon.
    """
    for size in range(len(text), max(0, len(text) - LONGEST_END - 1), -1):
        line, end = text[:size], text[size:]
        kind = style.protocol.bare.kind_of(line)
        if kind and not end.strip(' :>?'):
            return Reading(NO_NEWLINE, {kind: Wording(line, text)})
    return None


def readings_of_other_line(spot: Spot, style: Style) -> Iterator[Reading]:
    difference = difference_of(spot.expected, spot.printed)
    expected, own = spot.expected.removesuffix('\n'), spot.printed.removesuffix('\n')
    if difference.kind == 'missing newline':
        yield Reading(
            NO_NEWLINE,
            {style.protocol.kind_of(expected) or expected: Wording(expected, expected)},
            True,
        )
        return
    if difference.prefix:
        # A single colon may belong to a label; several colons, or another sign, prove a prompt.
        is_asking = bool(re.search(r'\w.*[^\w\s:] *$', difference.prefix))
        reading = prompting([difference.prefix])
        yield reading._replace(is_proved=is_asking or len(reading.learned) > 1)
    if style.protocol.has(own):
        return
    if own.rstrip(' ') != own:
        is_proved = difference.kind == 'trailing spaces'
        yield Reading(TRAILING_SPACES, {'': Wording(expected, own)}, is_proved)
    if len(own) > LONGEST:
        return
    kind = style.protocol.kind_of(expected)
    if kind in style.protocol.forms:
        yield from readings_of_row(kind, expected, own, style)
    elif kind is not None and own.strip():
        yield from readings_of_words(spot, kind, style)


def readings_of_row(kind: str, expected: str, own: str, style: Style) -> Iterator[Reading]:
    """Yield the readings in which a row has other signs in its cells, or other text between them.

    `kind` is the kind of the `expected` row, and `own` is the printed row.
    """
    protocol = style.protocol
    form, found, cells = (
        protocol.forms[kind],
        protocol.form_of(own),
        protocol.cells_of(kind, expected),
    )
    cell_between = own[1:2] if kind == ROW and own[1:2] in protocol.cells else ''
    if cell_between and Form(ROW, '', cell_between, '').row_of(cells) == own:
        yield Reading(
            SEPARATORS, {Form(ROW, '', cell_between, ''): Wording(expected, own)}, is_proved=True
        )
    if kind == ROW:
        for other in forms_with_spaces(own, cells):
            if other._replace(as_space='') == form:
                yield Reading(WORDS, {other: Wording(other.as_space, ' ')}, True)
            else:
                yield Reading(SEPARATORS, {other: Wording(expected, own)}, True)
    if found and found.kind == kind:
        few = sorted(protocol.cells)[:3] if kind == ROW else ['3', '5', '7']
        example = Wording(form.row_of(few), found.row_of(few))
        yield Reading(SEPARATORS, {found: example}, protocol.cells_of(kind, own) == cells)
    elif kind == ROW and len(signs_in(own)) == len(cells):
        others = {
            cell: Wording(cell, sign)
            for cell, sign in zip(cells, signs_in(own), strict=True)
            if sign not in protocol.cells
        }
        yield Reading(WORDS, others)


def readings_of_words(spot: Spot, kind: str, style: Style) -> Iterator[Reading]:
    """Yield the readings in which a line lacks its newline, or has other words or spaces."""
    expected, own = spot.expected.removesuffix('\n'), spot.printed.removesuffix('\n')
    if own.startswith(expected):
        separator = SEPARATOR.match(own, len(expected))
        yield Reading(
            NO_NEWLINE, {kind: Wording(expected, expected + (separator[0] if separator else ''))}
        )
    wording = wording_of(expected, own)
    # A program does not print the same line for expected lines of different kinds.
    if not wording or any(
        wording.printed == other.printed and wording != other for other in style.wordings(WORDS)
    ):
        return
    filled_in = filled(wording.expected, VALUE.findall(own))  # with the values that are printed
    example = Wording(filled_in, own)
    if differ_only_between_words(filled_in, own):
        is_proved = difference_of(spot.expected, spot.printed).kind in SPACING
        yield Reading(SEPARATORS, {wording: example}, is_proved)
    else:
        is_proved = filled_in == expected and are_words_wrong(spot, style)
        yield Reading(WORDS, {wording: example}, is_proved)


def are_words_wrong(spot: Spot, style: Style) -> bool:
    """Return whether only words, and perhaps punctuation, are wrong in a line.

    Such a line has the expected numbers. It also has words in common with the expected line, or
    similar words, or words next to its numbers; or each of the two lines is a single word. The
    printed line must not be a line of the assignment.
    """
    difference = difference_of(spot.expected, spot.printed)
    expected, own = spot.expected.removesuffix('\n'), spot.printed.removesuffix('\n')
    if difference.kind == 'indentation' or any(map(str.isalpha, difference.prefix)):
        return False
    if style.protocol.has(own) or NUMBER.findall(own) != NUMBER.findall(expected):
        return False
    if {*WORD.findall(own.lower())} & {*WORD.findall(expected.lower())}:
        return True
    if expected.isalpha() and own.isalpha():
        return True
    has_words, has_numbers = bool(WORD.search(own)), bool(NUMBER.search(own))
    return has_words and (has_numbers or likeness(expected, own) > ALIKE)


def forms_with_spaces(own: str, cells: Sequence[str]) -> Iterator[Form]:
    """Yield the forms in which a line has the expected cells, with one sign printed as a space.

    >>> [form.as_space for form in forms_with_spaces('B|W| ', ['B', 'W', '.'])]
    ['.']
    """
    for size in range(LONGEST_END):
        inner = own[size : len(own) - size]
        gap = (len(inner) - len(cells)) // max(1, len(cells) - 1)
        if gap < 0 or ' ' not in inner[:: gap + 1]:
            continue
        for cell in {*cells}:
            form = Form(ROW, own[:size], inner[1 : 1 + gap], own[len(own) - size :], cell)
            if form.row_of(cells) == own:
                yield form


def suggestions(
    style: Style,
    observed: ObservedSession,
    at: int,
    step: int,
    text: str,
    written: Collection[str | None],
) -> Iterator[Style]:
    """Yield styles with one more rule, which may explain why a program departs from a model.

    The program departs at the index `at` of its output, where the model prints `text` in the step
    with the index `step`. `written` contains the kinds of lines that the program prints as
    expected.
    """
    turn_end = observed.turn_ends.get(step, len(observed.text))
    at, _ = style.find('', observed, at, turn_end)
    own, newline, _ = observed.text[at:turn_end].partition('\n')
    line = text.partition('\n')[0]
    if style.protocol.differ_in_typed_words(line, own):  # a typed word is not a matter of style
        return
    expected = text[: len(line) + 1]
    if expected and may_be_missing(style, observed, step, expected, own + newline, written):
        for reading in readings(Spot(expected, ''), style):
            yield style.with_rule(reading.fault, reading.learned)
    if own and not newline:
        reading = reading_of_open_line(own, style) or prompting(tails_of(observed, style))
        yield style.with_rule(reading.fault, reading.learned)
    elif newline:
        last = observed.text[:at].removesuffix('\n').rpartition('\n')[2]
        if style.of(TRAILING_SPACES):
            own, last = own.rstrip(' '), last.rstrip(' ')
        for reading in readings_of_line(style, observed, expected, own, last):
            yield style.with_rule(reading.fault, reading.learned)


def may_be_missing(
    style: Style,
    observed: ObservedSession,
    step: int,
    expected: str,
    printed: str,
    written: Collection[str | None],
) -> bool:
    """Return whether it is possible that a program never prints a line, or prints no prompts.

    After an early end or a crash, no line counts as left out. Otherwise the search would explain
    the end by faults that do not exist; the claims, which would reveal that, are checked only after
    the search.
    """
    is_last = observed.is_joined or step >= len(observed.turns) - 1
    is_over = observed.is_joined or (
        len(observed.turns) >= len(observed.transcript.steps) and bool(observed.turns[-1])
    )
    # The program may have been stopped, or may have ended, before it could print the line.
    if not printed and is_last and not (observed.has_ended and is_over):
        return False
    kind = style.protocol.kind_of(expected.removesuffix('\n'))
    named = {NAME.sub('?', kind) for kind in written if kind}
    if kind is None or kind in style.protocol.forms or NAME.sub('?', kind) in named:
        return False
    prompts = style.lines.prompts
    return expected.endswith('\n') or not any(
        style.protocol.kind_of(prompt) in written for prompt in prompts
    )


def tails_of(observed: ObservedSession, style: Style) -> list[str]:
    """Return the incomplete lines at the ends of all turns but the last.

    These may be the program's own prompts. Lines and prompts of the assignment do not count.
    """
    turns = observed.turns[: len(observed.transcript.steps) - 1]
    tails = [turn.rpartition('\n')[2] for turn in turns]
    return [tail for tail in tails if 0 < len(tail) <= LONGEST and not style.lines.has(tail)]


def readings_of_line(
    style: Style, observed: ObservedSession, expected: str, own: str, last: str
) -> Iterator[Reading]:
    """Yield the readings of a printed line, as an extra line or in place of the expected line."""
    signs = signs_in(own)
    many_cells = 2 * sum(sign in style.protocol.cells for sign in signs) > len(signs)
    is_row_expected = style.protocol.kind_of(expected.removesuffix('\n')) == ROW
    for reading in readings(Spot('', f'{own}\n', last), style):
        # A wrong row consists mostly of cells. A row of numbers may be a heading above the board.
        if not (reading.fault == EXTRA_LINES and is_row_expected and many_cells):
            yield reading
    if not expected:
        return
    for reading in readings(Spot(expected, f'{own}\n'), style):
        # A prompt is at the end of its turn, unless it is unknown where the turns end.
        if reading.fault != PROMPTS or observed.is_joined:
            yield reading
