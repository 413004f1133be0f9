"""Hints about a difference: what a program waits for, and how two lines differ.

A hint says only what is certain.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Callable, Protocol, Sequence

from ..printable import decoded, printable
from ..sessions.dialogue import MOST_UNEXPECTED
from ..sessions.verdict import AT_END, AT_ONCE, Played, WrongLine
from .crash import crash_at
from .protocol import NUMBER, shape_of

END_WITH_0 = 'end the program with exit status 0 after the last line'
WIDTH = 60                              # characters that are shown of a line
FEW = 9                                 # characters that can be counted at a glance
WAITS = 'the program waits for a line of input here, but must print first'
NOTHING_CAME = 'the program printed nothing, even after the end of its input'
LOOPS = ('the program neither prints nor ends, even after the end of its input: look for a loop '
         'that never ends')
PRINT_FIRST = 'print it before you read the next line'
FLUSH = ('flush before each read (in Python: print(..., flush=True)), and read no line too early')


class GameText(Protocol):
    """The parts of a game that hints and examples use."""

    @property
    def name(self) -> str:
        """The game's name."""

    @property
    def hint(self) -> Callable[[WrongLine], str]:
        """Return how two lines differ in meaning, `''` if that is not known."""

    @property
    def positions(self) -> Callable[[str], Sequence[object]]:
        """Return the positions that a text shows."""


def hint_for(played: Played, game: GameText | None, is_named: bool = False) -> str:
    """Return a hint about what is wrong in a session of a game, `''` if nothing is certain.

    A fault that `is_named` has its advice already.
    """
    wrong, place = played.wrong, played.place
    assert wrong
    due, printed = len(place.expected_text.encode()), len(place.printed_text.encode())
    if printed >= MOST_UNEXPECTED + due:
        return f'the program printed {printed:,} bytes or more; {due:,} are expected'
    if wrong.kind in AT_END:
        return hint_for_end(played, wrong.kind)
    if place.printed and place.expected == place.printed + '\n':
        return 'the newline is missing at the end of the line'
    if wrong.kind == 'silent' and wrong.comes_late and is_named and not wrong.pair:
        return when_it_came(wrong.read_early)
    hints = [hint_for_errors(played)]
    if wrong.kind == 'silent' and not wrong.pair:
        hints.append(hint_for_silence(played))
        if game and hints == ['', LOOPS]:
            return '; '.join(filter(None, [game.hint(place), LOOPS]))
    elif wrong.pair or wrong.kind == 'differs':
        hints.append(hint_for_line(place))
        hints.append(game.hint(place) if game and not place.session.is_derived else '')
        if not wrong.pair:
            hints += [hint_for_place(place), '' if is_named else hint_for_input(place)]
    else:
        return ''
    return next(filter(None, hints), '')


def hint_for_end(played: Played, kind: str) -> str:
    """Return a hint about a program that prints all that is due, and does not end as it should."""
    if kind == 'status':
        return END_WITH_0 if played.session.status == 0 else ''
    return '' if played.status is None else (
        'the program waits for more input after the end; it ended when its input was closed')


def hint_for_silence(played: Played) -> str:
    """Return a hint about a program that prints nothing: does it wait, or not flush?"""
    wrong, place = played.wrong, played.place
    assert wrong
    if place.printed and place.expected.rstrip(' ') == place.printed:
        return 'the blank at the end of the prompt is missing'
    if wrong.comes_late:
        return f'{when_it_came(wrong.read_early)}: {PRINT_FIRST if wrong.read_early else FLUSH}'
    crash = crash_at(played)
    if crash and crash.type != 'EOFError':
        return f'{WAITS}; it crashed only when it got the rest of the input'
    if crash or any(turn.printed for turn in played.dialogue.turns[wrong.turn + 1:]):
        return WAITS
    if played.status is None and played.way != AT_ONCE:
        return LOOPS
    return '' if place.printed_text else NOTHING_CAME


def when_it_came(lines_read: int) -> str:
    """Return a sentence about output that came late: after how much input, 0 if not known."""
    if not lines_read:
        return 'the program printed this only after more input'
    lines = f'{lines_read} more line{"s" * (lines_read > 1)} of input'
    return f'the program printed this only after it had read {lines}'


def hint_for_errors(played: Played) -> str:
    """Return a hint if the line was printed on standard error."""
    due = played.place.expected.rstrip()
    errors = [line.rstrip() for line in decoded(played.dialogue.errors).splitlines()]
    is_there = due and due in errors
    return 'this line was printed on standard error, not on standard output' if is_there else ''


def hint_for_line(place: WrongLine) -> str:
    """Return a hint about two lines that say the same in different characters."""
    due, bare = place.expected.rstrip('\n'), place.printed.rstrip('\n')
    if not place.expected or not place.printed:
        return ''
    if place.printed.replace('\r', '') == place.expected:
        return r'the program ends lines with \r\n; the assignment has \n alone'
    if bare == due and place.printed == place.expected + '\n':
        return 'no newline is expected at the end of the line'
    if bare.rstrip() == due and bare != due:
        number = len(bare) - len(due)
        return f'{number} blank{"s" * (number > 1)} too many at the end of the line'
    is_same = ''.join(bare.split()) == ''.join(due.split())
    if is_same and NUMBER.findall(bare) == NUMBER.findall(due):
        return 'only the blanks differ'
    if bare.lower() == due.lower():
        return 'only uppercase and lowercase letters differ'
    return ''


def hint_for_place(place: WrongLine) -> str:
    """Return a hint about missing or extra lines, if the rest of the step is right."""
    due = [place.expected, *place.expected_next] if place.expected else []
    printed = [place.printed, *place.printed_next]
    missing, extra = len(due) - len(printed), len(printed) - len(due)
    if not due:
        if place.step == len(place.session.steps) - 1:
            return 'output after the end: nothing may follow the last line'
        if not place.printed.strip():
            return 'an empty line too many'
        if not printed[-1].endswith('\n'):
            return (f'the program prints a prompt, {quoted(printed[-1])}; '
                    'no prompt is expected here')
        return f'{lines(extra)} too many: the program must read the next line of input here'
    if missing > 0 and due[missing:] == printed:
        return f'{lines(missing)} missing here'
    if extra > 0 and printed[extra:] == due:
        return ('an empty line too many' if not ''.join(printed[:extra]).strip()
                else f'{lines(extra)} too many here')
    if extra == 0 and due[1:] == printed[1:] and due[0] and printed[0].endswith(due[0]):
        return (f'{quoted(printed[0][:-len(due[0])])} is printed before the line; '
                'print the line alone')
    return ''


def hint_for_input(place: WrongLine) -> str:
    """Return which lines were typed before an answer, if it may be the answer to an earlier one."""
    steps = place.session.steps[:place.step]
    typed = [*takewhile(lambda step: not step.printed, reversed(steps[1:]))]
    is_kind = shape_of(place.expected) == shape_of(place.printed)
    if is_kind or not typed or typed[0].input is None:
        return ''
    first = steps[len(steps) - len(typed) - 1].number
    return f'this may be the answer to any of lines {first} to {typed[0].number}'


def lines(number: int) -> str:
    """Return a number and the word line or lines."""
    return f'{number} line{"s" * (number > 1)}'


def quoted(text: str) -> str:
    """Return a text of unknown origin in quotes, shortened.

    >>> quoted('VALID'), quoted('*' * 50)
    ('"VALID"', '50 times "*"')
    """
    if len(text) > FEW and len(set(text)) == 1:
        return f'{len(text)} times "{printable(text[0])}"'
    return f'"{printable(text[:WIDTH])}{"..." * (len(text) > WIDTH)}"'
