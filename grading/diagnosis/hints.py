"""Makes the example of a fault: one of its failures, with crash, errors and a hint.

A hint says only what is certain.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from ..differences import ESCAPE_SEQUENCE, DifferenceKind, difference_of
from ..engine.example import example_of
from ..games.game import Game
from ..games.known_faults import faults_of
from ..limits import MAX_UNEXPECTED
from ..printable import counted, quoted
from ..results import Example
from ..sessions.verdict import HANGING, PlayedSession, WrongLine
from .crash import (
    crash_at,
    hint_for_crash,
    is_end_of_input,
    lines_of_errors,
    meaning_of,
    reason_in,
)
from .exchange import Exchange
from .protocol import shape_of

WORD = re.compile(r'[^\W\d_]{2}')
AT_END_OF_INPUT = re.compile(r'EOFError|.*\.NoSuchElementException')  # errors of a closed input
DECIMAL_COMMA = re.compile(r'(?<=\d),(?=\d)')
ASKS_ON = (
    'the program was still waiting for input after the session was over; it ended only when its '
    'input was closed'
)
WAITS = 'the program is waiting for a line of input here, but should print something first'
SLEEPS = (
    'the program is sleeping here, or waiting for input with a time limit; it should print '
    'something first'
)
PRINTED_NOTHING = 'the program printed nothing, even after the end of its input'
LOOPS = (
    'the program neither prints nor ends, even after the end of its input: look for a loop '
    'that never ends'
)
SLOW = 'the program neither prints nor waits for input here: it is too slow, or in an endless loop'
HINTS: dict[DifferenceKind, str] = {  # by the kind of difference between two lines
    'missing newline': 'the newline is missing at the end of the line',
    'extra newline': 'no newline is expected at the end of the line',
    'look-alike': 'the lines look alike, but their characters differ: copy the expected line',
    'carriage return': r'the program ends lines with \r\n instead of \n',
    'indentation': 'only the spaces at the beginning of the line differ',
    'spaces': 'only the spaces differ',
    'case': 'only the capitalization differs',
}
PLAIN_TEXT = 'print plain text, without codes for the terminal'
FLUSH = 'print it and flush the output before you read the next line'
AT_THE_END = 'end the program with exit status 0 after the last line of output'


def hint_for(played: PlayedSession, game: Game | None, is_named: bool) -> str:
    """Return a hint about the failure in a session, or `''` if nothing is certain.

    A named fault (`is_named`) already comes with advice; the hint does not repeat it.
    """
    wrong, place = played.failure, played.wrong_line
    flood = hint_for_flood(played)
    if flood:
        return flood
    if wrong.kind == 'status':
        return AT_THE_END if played.session.end.status == 0 else ''
    if wrong.kind == 'not ended':
        return '' if played.status is None else ASKS_ON
    hint = hint_for_errors(played) or hint_for_line(place)
    if hint or wrong.kind not in ('differs', 'silent'):
        return hint
    of_game = hint_of_game(place, game)
    if wrong.kind == 'silent':
        silence = hint_for_silence(played, is_named)
        return f'{of_game}; {silence}' if of_game and silence in (LOOPS, SLOW) else silence
    if of_game or wrong.row:
        return of_game
    return hint_for_rows(played) or ('' if is_named else hint_for_input(place))


def hint_for_flood(played: PlayedSession) -> str:
    """Return a hint if a program prints far too much, or `''` if it does not."""
    place = played.wrong_line
    # If the program gets all its input at once, the place has only part of the expected output.
    in_turn = played.session.steps[played.failure.turn].output
    expected = max(len(place.expected_text.encode()), len(in_turn.encode()))
    printed = len(place.printed_text.encode())
    if printed < MAX_UNEXPECTED + expected:
        return ''
    return f'the program printed at least {printed:,} bytes instead of {expected:,}'


def hint_of_game(place: WrongLine, game: Game | None) -> str:
    """Return what the difference between two lines means in a game, or `''` if unknown."""
    faults = faults_of(game) if game and not place.session.is_derived else None
    return faults.hint(place) if faults and faults.hint else ''


def hint_for_silence(played: PlayedSession, is_named: bool) -> str:
    """Return a hint about a program's silence where output is expected.

    The program may be waiting, slow, or in an endless loop, or it may have printed the output too
    late. For a fault with a name (`is_named`), a hint about late output gives no advice. The result
    is `''` if nothing is certain.
    """
    wrong, place = played.failure, played.wrong_line
    if played.silence:
        return ''
    if wrong.comes_late:
        more = f'{counted(wrong.read_early, "more line")} of ' if wrong.read_early else 'more '
        came = f'the program printed this too late, after {more}input'
        advice = 'print it before you read the next line' if wrong.read_early else FLUSH
        return came if is_named else f'{came}: {advice}'
    crash = crash_at(played)
    if crash and not is_end_of_input(crash):
        return f'{WAITS}; it crashed only when it got the rest of the input'
    if crash or any(turn.printed for turn in played.dialogue.turns[wrong.turn + 1 :]):
        return SLEEPS if played.polls else WAITS
    if played.status is None and not played.session.at_once_from:
        return LOOPS if any(turn.ends_input for turn in played.dialogue.turns) else SLOW
    return '' if place.printed_text else PRINTED_NOTHING


def hint_for_errors(played: PlayedSession) -> str:
    """Return a hint if the expected line was printed to standard error, else `''`."""
    line = played.wrong_line.expected.rstrip()
    is_there = line and line in map(str.rstrip, lines_of_errors(played.dialogue.errors))
    return 'this line was printed to standard error, not to standard output' if is_there else ''


def hint_for_line(place: WrongLine) -> str:
    """Return a hint about codes, spaces or case, or if only the end of the line is missing.

    Otherwise, return `''`.
    """
    if ESCAPE_SEQUENCE.search(place.printed) and not ESCAPE_SEQUENCE.search(place.expected):
        return PLAIN_TEXT
    if not place.expected or not place.printed:
        return ''
    difference = difference_of(place.expected, place.printed)
    if difference.kind == 'trailing spaces':
        extra = Counter(place.printed.rstrip('\n')) - Counter(place.expected.rstrip('\n'))
        names = [counted(extra[c], name) for c, name in ((' ', 'space'), ('\t', 'tab')) if extra[c]]
        names += [r'\r'] if extra['\r'] else []
        return f'{" and ".join(names)} too many at the end of the line' if names else ''
    if difference.kind == 'missing spaces':
        many = len(place.expected.rstrip('\n')) - len(place.printed.rstrip('\n'))
        return f'{counted(many, "space")} missing at the end of the line'
    if difference.kind == 'cut':
        return f'{quoted(place.expected[len(place.printed) :])} missing at the end of the line'
    if DECIMAL_COMMA.sub('.', place.printed) == place.expected:
        return 'numbers have a decimal point here, not a comma'
    return HINTS.get(difference.kind, '')


def hint_for_rows(played: PlayedSession) -> str:
    """Return a hint if the only mistake in a turn is missing lines, extra lines or a prefix.

    Otherwise, return `''`.
    """
    turn = Exchange(played).rows
    unprinted = [row for row in turn if not row.printed]
    rows = [
        row._replace(printed='') if any(other.is_printed_in(row) for other in unprinted) else row
        for row in turn
        if row.is_wrong
    ]
    if not rows and played.session.has_free_prompts:  # each row may be the prompt
        return 'a prompt can have any wording, but must be a single line'
    if len(rows) == 1 and rows[0].expected and rows[0].printed:
        prefix = difference_of(rows[0].expected, rows[0].printed).prefix
        return f'{quoted(prefix)} is printed before the line; print only the line' if prefix else ''
    printed = [row.printed for row in rows]
    are_neighbors = rows and rows[-1].start - rows[0].start == len(''.join(printed[:-1]))
    if are_neighbors and not any(row.expected for row in rows):
        return hint_for_extra_lines(played.wrong_line, printed)
    if are_neighbors and not any(printed):
        return hint_for_missing_lines([row.expected for row in rows])
    return ''


def hint_for_missing_lines(lines: Sequence[str]) -> str:
    r"""Return the hint that these lines are missing; quote the first and last line with words.

    >>> hint_for_missing_lines(['Score:\n', 'Tim: 1\n', '\n'])
    '3 lines missing here, from "Score:" to "Tim: 1"'
    """
    missing = f'{counted(len(lines), "line")} missing here'
    shown = [line.rstrip('\n') for line in lines if WORD.search(line)]
    if len(shown) < 2:
        return missing
    return f'{missing}, from {quoted(shown[0])} to {quoted(shown[-1])}'


def hint_for_extra_lines(place: WrongLine, extra: Sequence[str]) -> str:
    """Return a hint about extra lines."""
    is_more_expected = bool(place.expected or place.expected_next)
    if not is_more_expected and place.step == len(place.session.steps) - 1:
        return 'this comes after the last expected line: print nothing more'
    if not ''.join(extra).strip():
        return f'{counted(len(extra), "empty line")} too many'
    if is_more_expected:
        return f'{counted(len(extra), "line")} too many here'
    if not place.printed_text.endswith('\n'):
        return f'the program prints a prompt, {quoted(extra[-1])}; no prompt is expected here'
    return (
        f'{counted(len(extra), "line")} too many in the output: here, the program must read the '
        f'next line of input'
    )


def hint_for_input(place: WrongLine) -> str:
    """Return a hint to look for output after earlier input lines, where none is expected, or `''`.

    This is possible if no output was expected between the input line and this place, and if the
    printed line and the expected line have different shapes.
    """
    steps = place.session.steps[: place.step]
    silent = [*takewhile(lambda step: not step.expected, reversed(steps[1:]))]
    has_same_shape = shape_of(place.expected).split() == shape_of(place.printed).split()
    if has_same_shape or not silent or steps[-1].input is None:
        return ''
    first, last = steps[-len(silent) - 1], steps[-1]
    return (
        f'no output is expected between line {first.number} and line {last.number}: '
        'check that the program prints nothing there'
    )


def explained_example(
    played: PlayedSession, game: Game | None = None, is_named: bool = False
) -> Example:
    """Return the example of the failure in a session, with its crash, errors and hint.

    If the fault has a name (`is_named`), the report gives advice, and the hint does not repeat it.
    """
    wrong, crash = played.failure, crash_at(played)
    errors = []
    is_by_signal = bool(crash and crash.error.startswith('signal'))
    if (not crash or is_by_signal) and (
        wrong.kind in ('ended', 'status') or (wrong.row and not game)
    ):
        errors = reason_in(played.dialogue.errors, played.dialogue.folder)
        if wrong.kind == 'differs' and any(map(AT_END_OF_INPUT.match, errors)):
            errors = []  # the grader had closed the input
    hint = hint_for_errors(played)
    if crash and wrong.kind not in HANGING:
        hint = hint_for_crash(crash, played.dialogue.names, played.dialogue.python)
    elif wrong.kind in HANGING or wrong.row or not errors:
        hint = hint_for(played, game, is_named)
    hint = hint or next(filter(None, map(meaning_of, errors)), '')
    if played.dialogue.refused:
        hint = f'before this, the sandbox refused: {", ".join(played.dialogue.refused)}'
    return replace(example_of(played, game), crash=crash, errors=errors, hint=hint)
