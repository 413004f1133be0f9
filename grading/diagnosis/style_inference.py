"""The rules of style that may explain a place where a program's output departs from a game."""

from __future__ import annotations

from typing import Collection, Iterator

from .program_output import Reading
from .protocol import (
    ROW,
    Form,
    Protocol,
    cells_of,
    filled,
    is_spaced,
    prompts_in,
    shape_of,
    target_of,
    template_of,
)
from .simulation import Match
from .style import (
    EXTRA_LINES,
    LONGEST,
    MISSING_LINES,
    NO_NEWLINE,
    PROMPTS,
    SEPARATORS,
    TRAILING_BLANKS,
    TWICE,
    WORDS,
    Style,
    Translation,
)

LONGEST_END = 3                         # characters behind a line that is a prompt


def changes(style: Style, match: Match, written: Collection[str | None]) -> Iterator[Style]:
    """Yield styles with one more rule that may explain the place where a program departs.

    `written` are the kinds of lines that the program prints as they are due.
    """
    session, protocol = match.session, style.protocol
    heard = session.reading.heard
    turn, piece = session.reading.place_of(session.at)
    is_last = heard.is_joined or match.step == len(heard.turns) - 1
    goes_on = bool(piece) or heard.has_ended or not is_last
    if turn > match.step and not heard.is_joined:
        piece = None                    # nothing more was printed in that turn
    due = session.due.partition('\n')[0]
    kind = protocol.kind_of(due) if session.due else None
    if kind is not None and kind not in written and kind not in protocol.forms and goes_on:
        if session.due.endswith('\n'):
            yield style.having(MISSING_LINES, kind, due)
        elif piece is None:
            yield style.having(PROMPTS, '')
    if not piece:
        return
    own = piece.text
    own_kind = protocol.kind_of(own)
    if not piece.ends:
        yield from with_tail(style, piece.raw, session.reading)
    elif own_kind is not None:
        before = session.texts[-1].rstrip('\n').rpartition('\n')[2]
        if own == before and own_kind not in protocol.forms:
            yield style.having(TWICE, own_kind, own_kind)
    elif len(own) <= LONGEST + len(due):
        yield style.having(EXTRA_LINES, shape_of(own), own)
        if kind is not None and own.strip():
            yield from with_line(style, kind, due, own, written)


def with_tail(style: Style, tail: str, reading: Reading) -> Iterator[Style]:
    """Yield the style in which a text at the end of a turn is a line and what ends it, or a prompt.

    Then the ends of all turns are prompts, but for the last one.
    """
    for size in range(len(tail), max(0, len(tail) - LONGEST_END - 1), -1):
        kind = style.protocol.bare.kind_of(style.written(tail[:size])[0])
        if kind and not tail[size:].strip(' :>?'):
            yield style.having(NO_NEWLINE, kind, tail[size:])
            return
    tails = [pieces[-1].raw for pieces in reading.turns[:len(reading.heard.transcript.steps) - 1]
             if pieces and not pieces[-1].ends]
    own = [tail for tail in tails if len(tail) <= LONGEST and not style.lines.has(tail)]
    if tail in own:
        for prompt in [prompt for tail in own for prompt in prompts_in(tail)]:
            style = style.having(PROMPTS, prompt)
        yield style


def with_line(style: Style, kind: str, due: str, own: str,
              written: Collection[str | None]) -> Iterator[Style]:
    """Yield styles in which a line stands for one of a kind that is due."""
    protocol = style.protocol
    if own.rstrip(' ') != own:
        yield style.having(TRAILING_BLANKS, '')
    if kind in protocol.forms:
        found = protocol.form_of(own)
        if found and found[0] == kind:
            yield style.having(SEPARATORS, found, Translation(
                '', spaced(protocol, kind, protocol.forms[kind]), spaced(protocol, *found)))
        elif kind == ROW:
            cells, right = cells_of(own), protocol.cells_of(ROW, due)
            if len(cells) == len(right) and not any(map(str.isdigit, cells)):
                for one, other in zip(cells, right):
                    if one not in protocol.cells and one.strip():
                        style = style.having(WORDS, one, Translation(other, other, one))
                yield style
        return
    if own.startswith(due):
        yield style.having(NO_NEWLINE, kind)
    target = target_of(due, own)
    if target is not None:
        translation = Translation(target, filled(target, own), own)
        if not is_spaced(translation.due, own):
            yield style.having(WORDS, template_of(own), translation)
        elif template_of(translation.due) not in written:
            yield style.having(SEPARATORS, template_of(own), translation)


def spaced(protocol: Protocol, kind: str, form: Form) -> str:
    """Return a few cells in a form."""
    cells = sorted(protocol.cells)[:3] if kind == ROW else ['3', '5', '7']
    return form.lead + form.gap.join(cells) + form.trail
