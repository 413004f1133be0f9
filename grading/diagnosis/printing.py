"""Finds possible faults of printing behind a difference, in known games and other assignments.

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
from ..sessions.rows import likeness
from .observed import ObservedSession
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

LONGEST_END = 3  # maximum number of characters, such as ': ', after a line without its newline
WIDEST_EDGE = 2  # maximum number of characters on each side of the cells of a row
SEPARATOR = re.compile(r'[^\w\n]{1,3}')  # text printed between two lines in place of a newline
WORD = re.compile(r'[^\W\d_]+')
SPACING = 'spaces', 'missing spaces'  # kinds of differences (see `Difference.kind`)
ALIKE = 0.6  # if lines are more alike, one may be the other with misspelled words


class Mismatch(NamedTuple):
    """An expected line, and what the program printed in its place.

    Each of them is a line with its newline, a prompt, or `''` for nothing.
    """

    expected: str
    printed: str
    previous: str = ''  # the previous printed line, without its newline
    following: str = ''  # what was printed next if the expected line is missing


class Reading(NamedTuple):
    """One way to explain a difference: a fault of printing, and what it implies for the style."""

    fault: str  # the id of the fault
    learned: Mapping[Any, Wording]  # the keys of the rule, with their examples (see `Style`)
    is_proved: bool = False  # whether the two lines by themselves prove the reading


def readings(mismatch: Mismatch, style: Style) -> Iterator[Reading]:
    """Yield the readings of a difference, that is, possible faults of printing behind it.

    `style` contains the lines of the assignment, and the rules of printing found so far.
    """
    if not mismatch.printed:
        yield from readings_of_missing_line(mismatch, style)
    elif not mismatch.expected:
        yield from readings_of_extra_line(mismatch, style)
    else:
        yield from readings_of_other_line(mismatch, style)


def proved_reading(mismatch: Mismatch, style: Style) -> Reading | None:
    """Return the reading proved by the two lines alone, or None if there is none.

    If separators are wrong, the example is the two lines as they are: without a model, nothing
    proves that the program prints the same separators in similar lines.
    """
    expected, printed = mismatch.expected.removesuffix('\n'), mismatch.printed.removesuffix('\n')
    lines = Wording(expected, printed)
    is_prompt = bool(expected) and not mismatch.expected.endswith('\n')
    if is_prompt and mismatch.printed and not style.protocol.has(printed):
        prompts = Wording(expected, mismatch.printed)  # with the newline, if one was printed
        return Reading(PROMPTS, {prompts: prompts}, True)
    proved = next((reading for reading in readings(mismatch, style) if reading.is_proved), None)
    if proved and proved.fault == SEPARATORS:
        return proved._replace(learned={lines: lines})
    if proved:
        return proved
    if not mismatch.printed:  # a missing prompt
        return Reading(MISSING_LINES, {lines: lines}, True)
    if not mismatch.expected:
        return None
    if difference_of(mismatch.expected, mismatch.printed).kind in SPACING:
        return Reading(SEPARATORS, {lines: lines}, True)
    return Reading(WORDS, {lines: lines}, True) if are_words_wrong(mismatch, style) else None


def prompting(texts: Iterable[str]) -> Reading:
    """Return the reading of these texts as the program's own prompts.

    >>> [*prompting(['First? Second: ']).learned]
    ['First? ', 'Second: ']
    """
    prompts = [prompt for text in texts for prompt in prompts_in(text)]
    return Reading(PROMPTS, {prompt: Wording('', prompt) for prompt in prompts}, bool(prompts))


def readings_of_missing_line(mismatch: Mismatch, style: Style) -> Iterator[Reading]:
    line = mismatch.expected.removesuffix('\n')
    kind = style.protocol.kind_of(line) or line
    if line and mismatch.following.startswith(line):  # only its newline is missing
        yield Reading(NO_NEWLINE, {kind: Wording(line, line)}, True)
    if mismatch.expected.endswith('\n'):
        yield Reading(MISSING_LINES, {kind: Wording(line, '')}, True)
    else:
        yield Reading(PROMPTS, {'': Wording(line, '')})


def readings_of_extra_line(mismatch: Mismatch, style: Style) -> Iterator[Reading]:
    line = mismatch.printed.removesuffix('\n')
    if line == mismatch.printed:  # without a newline
        yield prompting([line])
        return
    if line == mismatch.previous:
        for known in style.lines_printed_as(line):
            yield Reading(TWICE, {style.protocol.kind_of(known): Wording(known, line)}, True)
    if not style.protocol.has(line):
        yield Reading(EXTRA_LINES, {shape_of(line): Wording('', line)}, True)


def reading_of_open_line(text: str, style: Style) -> Reading | None:
    """Return the reading of `text` as an expected line without its newline, or None.

    In place of its newline, the line may end like a prompt, for example with a colon.
    """
    for size in range(min(LONGEST_END, len(text)) + 1):
        line, end = text[: len(text) - size], text[len(text) - size :]
        kind = style.protocol.bare.kind_of(line)
        if kind and not end.strip(' :>?'):
            return Reading(NO_NEWLINE, {kind: Wording(line, text)})
    return None


def readings_of_other_line(mismatch: Mismatch, style: Style) -> Iterator[Reading]:
    difference = difference_of(mismatch.expected, mismatch.printed)
    expected, printed = mismatch.expected.removesuffix('\n'), mismatch.printed.removesuffix('\n')
    if difference.kind == 'missing newline':
        yield Reading(
            NO_NEWLINE,
            {style.protocol.kind_of(expected) or expected: Wording(expected, expected)},
            True,
        )
        return
    if difference.prefix:
        # Text with a colon at its end may be a label, as in "Sum: 8". With another sign at its end,
        # or if it consists of several different prompts, it is certainly a prompt.
        is_asking = bool(re.search(r'\w.*[^\w\s:] *$', difference.prefix))
        reading = prompting([difference.prefix])
        yield reading._replace(is_proved=is_asking or len(reading.learned) > 1)
    if style.protocol.has(printed):
        return
    if printed.rstrip(' ') != printed:
        is_proved = difference.kind == 'trailing spaces'
        yield Reading(TRAILING_SPACES, {'': Wording(expected, printed)}, is_proved)
    if len(printed) > LONGEST:
        return
    kind = style.protocol.kind_of(expected)
    if kind in style.protocol.forms:
        yield from readings_of_row(kind, expected, printed, style)
    elif kind is not None and printed.strip():
        yield from readings_of_words(mismatch, kind, style)


def readings_of_row(kind: str, expected: str, printed: str, style: Style) -> Iterator[Reading]:
    """Yield the readings of a row with other signs in its cells, or other text around them.

    `kind` is the kind of the expected row.
    """
    protocol = style.protocol
    form, cells = protocol.forms[kind], protocol.cells_of(kind, expected)
    if kind == ROW:
        # The sign between the cells may itself be one of the cells, as in "B.W.B".
        form_with_cell = Form(ROW, '', printed[1:2], '')
        if printed[1:2] in protocol.cells and form_with_cell.row_of(cells) == printed:
            yield Reading(SEPARATORS, {form_with_cell: Wording(expected, printed)}, True)
        for other in forms_with_spaces(printed, cells):
            if other._replace(as_space='') == form:
                yield Reading(WORDS, {other: Wording(other.as_space, ' ')}, True)
            else:
                yield Reading(SEPARATORS, {other: Wording(expected, printed)}, True)
    printed_form = protocol.form_of(printed)
    if printed_form and printed_form.kind == kind:
        some_cells = sorted(protocol.cells)[:3] if kind == ROW else ['3', '5', '7']
        example = Wording(form.row_of(some_cells), printed_form.row_of(some_cells))
        is_proved = protocol.cells_of(kind, printed) == cells
        yield Reading(SEPARATORS, {printed_form: example}, is_proved)
    elif kind == ROW and len(signs_in(printed)) == len(cells):
        others = {
            cell: Wording(cell, sign)
            for cell, sign in zip(cells, signs_in(printed), strict=True)
            if sign not in protocol.cells
        }
        yield Reading(WORDS, others)


def readings_of_words(mismatch: Mismatch, kind: str, style: Style) -> Iterator[Reading]:
    """Yield the readings of a line without its newline, or with other words or spaces."""
    expected, printed = mismatch.expected.removesuffix('\n'), mismatch.printed.removesuffix('\n')
    if printed.startswith(expected):
        separator = SEPARATOR.match(printed, len(expected))
        yield Reading(
            NO_NEWLINE, {kind: Wording(expected, expected + (separator[0] if separator else ''))}
        )
    wording = wording_of(expected, printed)
    if not wording:
        return
    # Assume that a program does not print the same line for expected lines of different kinds.
    others = [other for other in style.wordings(WORDS) if other != wording]
    if wording.printed in [other.printed for other in others]:
        return
    filled_in = filled(wording.expected, VALUE.findall(printed))  # with the printed values
    example = Wording(filled_in, printed)
    if differ_only_between_words(filled_in, printed):
        is_proved = difference_of(mismatch.expected, mismatch.printed).kind in SPACING
        yield Reading(SEPARATORS, {wording: example}, is_proved)
    else:
        is_proved = filled_in == expected and are_words_wrong(mismatch, style)
        yield Reading(WORDS, {wording: example}, is_proved)


def are_words_wrong(mismatch: Mismatch, style: Style) -> bool:
    """Return whether only words, and perhaps punctuation, are wrong in a line.

    The printed line must have the expected numbers, and must not be a line of the assignment. Then
    any of these is enough:

    - The two lines have a word in common.
    - Each of them is a single word.
    - The printed line has words and numbers.
    - The printed line has words, and is spelled much like the expected line.

    Wrong indentation, and words before a correct line, are not wrong words.
    """
    difference = difference_of(mismatch.expected, mismatch.printed)
    expected, printed = mismatch.expected.removesuffix('\n'), mismatch.printed.removesuffix('\n')
    if difference.kind == 'indentation' or any(map(str.isalpha, difference.prefix)):
        return False
    if style.protocol.has(printed) or NUMBER.findall(printed) != NUMBER.findall(expected):
        return False
    if {*WORD.findall(printed.lower())} & {*WORD.findall(expected.lower())}:
        return True
    if expected.isalpha() and printed.isalpha():
        return True
    has_words, has_numbers = bool(WORD.search(printed)), bool(NUMBER.search(printed))
    return has_words and (has_numbers or likeness(expected, printed) > ALIKE)


def forms_with_spaces(printed: str, cells: Sequence[str]) -> Iterator[Form]:
    """Yield the forms of a line with the expected cells, and all cells of one kind as spaces.

    >>> [form.as_space for form in forms_with_spaces('B|W| ', ['B', 'W', '.'])]
    ['.']
    """
    for size in range(WIDEST_EDGE + 1):
        end = len(printed) - size
        before, inner, after = printed[:size], printed[size:end], printed[end:]
        gap = (len(inner) - len(cells)) // max(1, len(cells) - 1)
        if gap < 0 or ' ' not in inner[:: gap + 1]:
            continue
        for cell in {*cells}:
            form = Form(ROW, before, inner[1 : 1 + gap], after, cell)
            if form.row_of(cells) == printed:
                yield form


def suggestions(
    style: Style,
    observed: ObservedSession,
    at: int,
    step: int,
    text: str,
    written: Collection[str | None],
) -> Iterator[Style]:
    """Yield styles with one more rule, as possible explanations of a departure from a model.

    The program departs at the index `at` of its output. There, in the step with the index `step`,
    the model prints `text`. `written` contains the kinds of all lines printed by the program and
    the model, in any session.
    """
    turn_end = observed.turn_ends.get(step, len(observed.text))
    at, _ = style.find('', observed, at, turn_end)
    printed, newline, _ = observed.text[at:turn_end].partition('\n')
    line = text.partition('\n')[0]
    if style.protocol.differ_in_typed_words(line, printed):  # then it is not a matter of style
        return
    expected = text[: len(line) + 1]
    if expected and may_be_missing(style, observed, step, expected, printed + newline, written):
        for reading in readings(Mismatch(expected, ''), style):
            yield style.with_rule(reading.fault, reading.learned)
    if printed and not newline:
        reading = reading_of_open_line(printed, style) or prompting(tails_of(observed, style))
        yield style.with_rule(reading.fault, reading.learned)
    elif newline:
        previous = observed.text[:at].removesuffix('\n').rpartition('\n')[2]
        if style.of(TRAILING_SPACES):
            printed, previous = printed.rstrip(' '), previous.rstrip(' ')
        for reading in readings_of_line(style, observed, expected, printed, previous):
            yield style.with_rule(reading.fault, reading.learned)


def may_be_missing(
    style: Style,
    observed: ObservedSession,
    step: int,
    expected: str,
    printed: str,
    written: Collection[str | None],
) -> bool:
    """Return whether a program may never print an expected line, or may print no prompts.

    If the program printed nothing more because it ended early, crashed or was stopped, no line
    counts as left out. Otherwise, the search would explain the end by nonexistent faults. Checking
    the claims would reveal this, but comes only after the search.
    """
    turns, steps = observed.turns, observed.transcript.steps
    is_last_turn = observed.is_joined or step >= len(turns) - 1
    printed_to_end = observed.is_joined or (len(turns) >= len(steps) and bool(turns[-1]))
    if not printed and is_last_turn and not (observed.has_ended and printed_to_end):
        return False
    kind = style.protocol.kind_of(expected.removesuffix('\n'))
    if kind is None or kind in style.protocol.forms:
        return False
    if NAME.sub('?', kind) in [NAME.sub('?', other) for other in written if other]:
        return False  # the program prints such lines elsewhere
    if expected.endswith('\n'):
        return True
    kinds_of_prompts = map(style.protocol.kind_of, style.lines.prompts)
    return not any(other in written for other in kinds_of_prompts)


def tails_of(observed: ObservedSession, style: Style) -> list[str]:
    """Return the incomplete lines at the ends of turns, before the turn of the session's last step.

    These may be the program's own prompts. Lines and prompts of the assignment do not count.
    """
    turns = observed.turns[: len(observed.transcript.steps) - 1]
    tails = [turn.rpartition('\n')[2] for turn in turns]
    return [tail for tail in tails if 0 < len(tail) <= LONGEST and not style.lines.has(tail)]


def readings_of_line(
    style: Style, observed: ObservedSession, expected: str, printed: str, previous: str
) -> Iterator[Reading]:
    """Yield the readings of a printed line: as an extra line, then in place of the expected line.

    `previous` is the line printed before it.
    """
    signs = signs_in(printed)
    is_mostly_cells = 2 * sum(sign in style.protocol.cells for sign in signs) > len(signs)
    is_row_expected = style.protocol.kind_of(expected.removesuffix('\n')) == ROW
    for reading in readings(Mismatch('', f'{printed}\n', previous), style):
        # Where a row is expected, a line of mostly cells is a wrong row, not an extra line. A row
        # of numbers may be an extra line: a heading above the board.
        if not (reading.fault == EXTRA_LINES and is_row_expected and is_mostly_cells):
            yield reading
    if not expected:
        return
    for reading in readings(Mismatch(expected, f'{printed}\n'), style):
        # A line does not begin with a prompt, because a prompt is at the end of its turn. But if it
        # is unknown where the turns end, it may.
        if reading.fault != PROMPTS or observed.is_joined:
            yield reading
