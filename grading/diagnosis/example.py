"""Examples of differences, as reports show them: facts, and hints from what the program said."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Sequence

from ..printable import LONGEST_LINE, LONGEST_TEXT, MOST_LINES, decoded
from ..sandbox.program import status_in_words
from ..sessions.difference import Difference, situation_of
from ..sessions.steps import lines_in
from ..sessions.transcript import Transcript
from ..sessions.verdict import HANGING
from .crash import crash_at, hint_for_crash, is_end_of_input, lines_of_errors
from .finding import Example
from .hints import LOOPS, GameText, hint_for, quoted

MOST_ERRORS = 3                         # lines of standard error that are shown
BEFORE = 20                             # lines that are shown before a difference in a long text
ASIDE = 60                              # characters, of a long line
CUT = '...'

HAPPENS = {                             # by the kind of a difference
    'differs': 'does not print the expected output',
    'ended': 'ends too early',
    'silent': 'prints nothing where output is expected',
    'trickles': 'takes too long',
    'runs on': 'does not end',
    'status': 'ends with the wrong exit status',
    'goes on': 'does not ask for more input',
    'file': 'does not leave the expected file',
}

NOTHING = 'prints nothing'
GameOf = Callable[[Transcript], 'GameText | None']


def example_of(difference: Difference, game: GameText | None = None) -> Example:
    """Return the facts of a difference in a session of a game, whatever the program printed."""
    situation = situation_of(difference)
    steps = difference.transcript.steps
    is_compared = difference.kind not in ('runs on', 'status')
    expected, printed = around(situation.expected, situation.printed)
    expected_text, printed_text = around_lines(''.join(difference.due),
                                               decoded(difference.printed))
    return Example(
        difference.transcript.name, situation.number, difference.step, difference.kind,
        answers=difference.transcript.answers,
        way=difference.way,
        game=game.name if game else '',
        typed=difference.typed,
        typed_line=steps[difference.step - 1].number if difference.step else 0,
        expected=expected if is_compared else '', printed=printed if is_compared else '',
        expected_text=expected_text, printed_text=printed_text,
        before=text_before(difference, game) if game else '',
        status=difference.status,
        seconds=0 if difference.is_open else difference.seconds,
        excess=difference.excess, rule=difference.rule,
        due_status=str(difference.transcript.status),
        file=difference.file.path if difference.file else '', complaint=difference.complaint)


def explained_example(difference: Difference, game: GameText | None = None,
                      is_named: bool = False) -> Example:
    """Return the example of a difference, with its crash, errors and hint.

    A fault that `is_named` has its advice already.
    """
    example = example_of(difference, game)
    crash = crash_at(difference)
    errors = []
    if not crash and (difference.kind in ('ended', 'status') or difference.pair):
        errors = lines_of_errors(difference.errors)[-MOST_ERRORS:]
    hint = ''
    if difference.kind in HANGING or difference.pair or not (crash or errors):
        hint = hint_for(difference, situation_of(difference), game, is_named)
    elif crash:
        hint = hint_for_crash(crash)
    return replace(example, crash=crash, errors=errors, hint=hint)


def what_happens(example: Example) -> str:
    """Return what a program does, in a few words: `crashes at game.py, line 3 (KeyError)`."""
    crash = example.crash
    if crash and is_end_of_input(crash):
        return f'reads more input than there is at {crash.file}, line {crash.line}'
    if crash:
        return (f'crashes at {crash.file}, line {crash.line} ({crash.type})' if crash.file else
                f'crashes: {crash.error}')
    if not example.printed_text.strip() and example.step == 0 and example.kind != 'status':
        return NOTHING
    if LOOPS in example.hint:
        return 'neither prints nor ends where output is expected'
    if example.kind == 'ended' and example.status is not None:
        return f'{HAPPENS["ended"]}, with {status_in_words(example.status)}'
    if example.kind == 'differs' and example.printed.strip() and not example.rule:
        printed, expected = where_they_differ(example.printed.rstrip(), example.expected.rstrip())
        return f'prints {quoted(printed)} ' + (
            f'instead of {quoted(expected)}' if expected else 'where no output is expected')
    return HAPPENS[example.kind]


def where_they_differ(one: str, other: str) -> tuple[str, str]:
    """Return two texts without the words that both begin with, if they differ far behind.

    >>> where_they_differ('1 ' * 40 + '2', '1 ' * 40 + '3')
    ('...2', '...3')
    """
    start = one.rfind(' ', 0, first_difference(one, other)) + 1
    return (one, other) if start < ASIDE // 2 else (CUT + one[start:], CUT + other[start:])


def text_before(difference: Difference, game: GameText) -> str:
    """Return the last text before a step that shows a position."""
    texts = [step.output for step in difference.transcript.steps[:difference.step]]
    return next(filter(game.positions, reversed(texts)), '')


def around(expected: str, printed: str) -> tuple[str, str]:
    """Return two lines, cut at the front if they are long and differ far behind.

    >>> around('x' * 500 + 'y', 'x' * 500)[1][:6], around('B', 'W')
    ('...xxx', ('B', 'W'))
    """
    start = first_difference(expected, printed) - ASIDE
    if start <= 0 or max(len(expected), len(printed)) <= LONGEST_LINE:
        return expected, printed
    return CUT + expected[start:], CUT + printed[start:]


def around_lines(expected: str, printed: str) -> tuple[str, str]:
    """Return two texts, cut at the front if they are long and differ far behind."""
    lines, own = lines_in(expected), lines_in(printed)
    start = first_difference(lines, own) - BEFORE
    is_long = (max(len(lines), len(own)) > MOST_LINES
               or max(len(expected), len(printed)) > LONGEST_TEXT)
    if start <= 0 or not is_long:
        return expected, printed
    return f'{CUT}\n' + ''.join(lines[start:]), f'{CUT}\n' + ''.join(own[start:])


def first_difference(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the first index at which two sequences differ, or where the shorter one ends."""
    return next((index for index, (a, b) in enumerate(zip(one, other)) if a != b),
                min(len(one), len(other)))
