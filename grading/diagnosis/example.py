"""Examples of what is wrong: facts, and a hint that says only what is certain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from ..differences import (
    DifferenceKind,
    difference_of,
    difference_of_lines,
)
from ..engine.example import ASIDE, example_of
from ..games.game import Game
from ..games.known_faults import faults_of
from ..printable import CUT, common_length, counted, quoted, quoted_line
from ..results import HAPPENS, Crash, Example
from ..sandbox.program import status_in_words
from ..sessions.transcript import lines_in
from ..sessions.verdict import HANGING, MOST_UNEXPECTED, Played, WrongLine
from .crash import crash_at, hint_for_crash, is_end_of_input, lines_of_errors
from .protocol import shape_of

WORD = re.compile(r'[^\W_]')
MOST_ERRORS = 3  # lines of standard error that are shown
INSTEAD = ' instead of '

NOTHING = 'prints nothing'
ASKS_ON = 'the program waits for more input after the end; it ended when its input was closed'
WAITS = 'the program waits for a line of input here, but must print first'
NOTHING_CAME = 'the program printed nothing, even after the end of its input'
LOOPS = (
    'the program neither prints nor ends, even after the end of its input: look for a loop '
    'that never ends'
)
HINTS: dict[DifferenceKind, str] = {  # by what differs in a line
    'missing newline': 'the newline is missing at the end of the line',
    'extra newline': 'no newline is expected at the end of the line',
    'carriage return': r'the program ends lines with \r\n; the assignment has \n alone',
    'indentation': 'only the blanks at the beginning of the line differ',
    'spaces': 'only the blanks differ',
    'case': 'only uppercase and lowercase letters differ',
}
FLUSH = 'flush before each read (in Python: print(..., flush=True)), and read no line too early'


def explained_example(played: Played, game: Game | None = None, is_named: bool = False) -> Example:
    """Return the example of what is wrong in a session, with its crash, errors and hint.

    A fault that `is_named` has its advice already.
    """
    wrong, crash = played.failure, crash_at(played)
    errors = []
    if not crash and (wrong.kind in ('ended', 'status') or (wrong.pair and not game)):
        errors = lines_of_errors(played.dialogue.errors)[-MOST_ERRORS:]
        if wrong.kind == 'differs' and errors and errors[-1].startswith('EOFError'):
            errors = []  # the grader had ended its input
    hint = hint_for_errors(played)
    if crash and wrong.kind not in HANGING:
        hint = hint_for_crash(crash)
    elif wrong.kind in HANGING or wrong.pair or not errors:
        hint = hint_for(played, game, is_named)
    return replace(example_of(played, game), crash=crash, errors=errors, hint=hint)


def hint_for(played: Played, game: Game | None, is_named: bool) -> str:
    """Return a hint about what is wrong in a session of a game, `''` if nothing is certain.

    A fault that `is_named` has its advice already.
    """
    wrong, place = played.failure, played.place
    # Where all input came at once, all that is due stands beside the place.
    due = max(
        len(place.expected_text.encode()), len(played.session.steps[wrong.turn].output.encode())
    )
    printed = len(place.printed_text.encode())
    of_game = ''
    if game and not place.session.is_derived:
        faults = faults_of(game)
        of_game = faults.hint(place) if faults and faults.hint else ''
    hints = [hint_for_errors(played), hint_for_line(place)]
    if printed >= MOST_UNEXPECTED + due:
        hints = [f'the program printed {printed:,} bytes or more; {due:,} are expected']
    elif wrong.kind == 'status':
        hints = [
            'end the program with exit status 0 after the last line'
            if played.session.end.status == 0
            else ''
        ]
    elif wrong.kind == 'not ended':
        hints = [ASKS_ON * (played.status is not None)]
    elif wrong.pair:
        hints.append(of_game)
    elif wrong.kind == 'differs':
        hints += [of_game, hint_for_place(place), '' if is_named else hint_for_input(place)]
    elif wrong.kind == 'silent':
        silence = hint_for_silence(played, is_named)
        hints.append(f'{of_game}; {silence}' if of_game and silence == LOOPS else silence)
    return next(filter(None, hints), '')


def hint_for_silence(played: Played, is_named: bool) -> str:
    """Return a hint about a program that prints nothing: does it wait, or not flush?

    Of a fault that `is_named`, it says only when the output came.
    """
    wrong, place = played.failure, played.place
    if wrong.comes_late:
        read = f'it had read {counted(wrong.read_early, "more line")} of input'
        came = f'the program printed this only after {read if wrong.read_early else "more input"}'
        advice = 'print it before you read the next line' if wrong.read_early else FLUSH
        return came if is_named else f'{came}: {advice}'
    crash = crash_at(played)
    return next(
        (
            hint
            for is_so, hint in [
                (
                    crash and not is_end_of_input(crash),
                    f'{WAITS}; it crashed only when it got the rest of the input',
                ),
                (
                    crash or any(turn.printed for turn in played.dialogue.turns[wrong.turn + 1 :]),
                    WAITS,
                ),
                (played.status is None and not played.session.in_turns, LOOPS),
                (not place.printed_text, NOTHING_CAME),
            ]
            if is_so
        ),
        '',
    )


def hint_for_errors(played: Played) -> str:
    """Return a hint if the line was printed on standard error."""
    due = played.place.expected.rstrip()
    is_there = due and due in map(str.rstrip, lines_of_errors(played.dialogue.errors))
    return 'this line was printed on standard error, not on standard output' if is_there else ''


def hint_for_line(place: WrongLine) -> str:
    """Return a hint about two lines that say the same in different characters."""
    if not place.expected or not place.printed:
        return ''
    difference = difference_of(place.expected, place.printed)
    if difference.kind == 'trailing spaces':
        many = len(place.printed.rstrip('\n')) - len(place.expected.rstrip('\n'))
        return f'{counted(many, "blank")} too many at the end of the line'
    if difference.kind == 'missing spaces':
        many = len(place.expected.rstrip('\n')) - len(place.printed.rstrip('\n'))
        return f'{counted(many, "blank")} missing at the end of the line'
    if difference.kind == 'cut':
        return f'{quoted(place.expected[len(place.printed) :])} missing at the end of the line'
    return HINTS.get(difference.kind, '')


def hint_for_place(place: WrongLine) -> str:
    """Return a hint about missing or extra lines, if the rest of the step is right."""
    due = [*filter(None, [place.expected, *place.expected_next])]
    printed = [*filter(None, [place.printed, *place.printed_next])]
    difference = difference_of_lines(due, printed)
    if not difference:
        return ''
    if difference.kind == 'extra line':
        return hint_for_extra_lines(place, lines_in(difference.printed))
    if difference.kind == 'missing line':
        return f'{counted(len(lines_in(difference.expected)), "line")} missing here'
    if difference.kind == 'prefix':
        return f'{quoted(difference.prefix)} is printed before the line; print the line alone'
    return ''


def hint_for_extra_lines(place: WrongLine, extra: Sequence[str]) -> str:
    """Return a hint about lines that are not expected, and that are all that is wrong."""
    is_other_expected = bool(place.expected or place.expected_next)
    if not is_other_expected and place.step == len(place.session.steps) - 1:
        return 'output after the end: nothing may follow the last line'
    if not ''.join(extra).strip():
        return 'an empty line too many'
    if is_other_expected:
        return f'{counted(len(extra), "line")} too many here'
    if not extra[-1].endswith('\n'):
        return f'the program prints a prompt, {quoted(extra[-1])}; no prompt is expected here'
    return (
        f'{counted(len(extra), "line")} too many: the program must read the next line of input here'
    )


def hint_for_input(place: WrongLine) -> str:
    """Return which lines were typed before an answer, if it may be the answer to an earlier one."""
    steps = place.session.steps[: place.step]
    typed = [*takewhile(lambda step: not step.printed, reversed(steps[1:]))]
    is_kind = shape_of(place.expected).split() == shape_of(place.printed).split()
    if is_kind or not typed or typed[0].input is None:
        return ''
    first = steps[len(steps) - len(typed) - 1].number
    return f'this may be the answer to any of the input lines {first} to {typed[0].number}'


def what_happens(example: Example) -> str:
    """Return what a program does, in a few words: `crashes at game.py, line 3 (KeyError)`."""
    if example.crash:
        return crash_in_words(example.crash, example)
    if not example.printed_text.strip() and example.step == 0 and example.kind != 'status':
        return NOTHING
    if LOOPS in example.hint:
        return 'neither prints nor ends where output is expected'
    if example.kind == 'ended' and example.status is not None:
        return f'{HAPPENS["ended"]}, with {status_in_words(example.status)}'
    if example.kind == 'differs' and example.printed and not example.rule:
        printed, expected = where_they_differ(*telling_lines(example))
        if expected and difference_of(expected, printed).is_whitespace:
            return f'prints {instead_of(expected, printed)}'
        return f'prints {quoted_line(printed)} ' + (
            f'instead of {quoted(expected)}' if expected else 'where no output is expected'
        )
    return HAPPENS[example.kind]


def with_blanks(text: str) -> str:
    """Return a text in quotes, with blanks at its end and tabs to be seen, and a newline in words.

    >>> with_blanks('W . '), with_blanks('Number:\\n')
    ('"W .\\xb7"', '"Number:" and a newline')
    """
    bare = text.rstrip('\n')
    shown = bare.rstrip(' ') + '\N{MIDDLE DOT}' * (len(bare) - len(bare.rstrip(' ')))
    return quoted(shown) + ' and a newline' * (bare != text)


def instead_of(due: str, printed: str) -> str:
    """Return in words that a text is printed in place of one that is due; blanks can be seen."""
    return with_blanks(printed) + INSTEAD + with_blanks(due)


def telling_lines(example: Example) -> tuple[str, str]:
    """Return the first lines that differ, printed and due, behind lines without any words.

    The width of a frame depends on the words in it. Lines that differ only in spaces tell enough.
    """
    bare = example.printed.rstrip('\n'), example.expected.rstrip('\n')
    if all(bare) and example.difference.is_whitespace:
        return bare
    lines = [
        (printed.rstrip(), due.rstrip())
        for printed, due in zip(
            lines_in(example.printed_text), lines_in(example.expected_text), strict=False
        )
        if printed != due
    ]
    first = example.printed.rstrip(), example.expected.rstrip()
    if all(first) and not any(map(WORD.search, first)):
        return next((pair for pair in lines if all(map(WORD.search, pair))), first)
    return first


def crash_in_words(crash: Crash, example: Example) -> str:
    """Return what a program does that ends with a crash, or with the end of its input."""
    due, place = example.expected.rstrip(), f'at {crash.file}, line {crash.line}'
    return next(
        told
        for is_so, told in [
            (
                is_end_of_input(crash) and example.kind == 'silent' and due,
                f'waits for input {place}, where {quoted(due)} is expected',
            ),
            (is_end_of_input(crash), f'reads more input than there is {place}'),
            (crash.file, f'crashes {place} ({crash.type})'),
            (True, f'crashes: {crash.error}'),
        ]
        if is_so
    )


def where_they_differ(one: str, other: str) -> tuple[str, str]:
    """Return two texts without the words that both begin with, if they differ far behind.

    >>> where_they_differ('1 ' * 40 + '2', '1 ' * 40 + '3')
    ('...2', '...3')
    """
    start = one.rfind(' ', 0, common_length(one, other)) + 1
    return (one, other) if start < ASIDE * 2 // 3 else (CUT + one[start:], CUT + other[start:])
