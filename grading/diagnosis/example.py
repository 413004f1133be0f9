"""Examples of differences, as reports show them: facts, and hints from what the program said."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Sequence

from ..printable import LONGEST_LINE, LONGEST_TEXT, MOST_LINES
from ..sandbox.program import status_in_words
from ..sessions.directives import Rules
from ..sessions.transcript import Printed, Transcript, lines_in
from ..sessions.verdict import HANGING, Played
from .crash import crash_at, hint_for_crash, is_end_of_input, lines_of_errors
from .finding import Crash, Example
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


def example_of(played: Played, game: GameText | None = None) -> Example:
    """Return the facts of what is wrong in a session of a game, whatever the program printed."""
    wrong, place, steps = played.wrong, played.place, played.place.session.steps
    assert wrong
    is_compared = wrong.kind not in ('runs on', 'status')
    expected, printed = around(place.expected, place.printed)
    expected_text, printed_text = around_lines(place.expected_text, place.printed_text)
    texts = [step.output for step in steps[:place.step]]
    return Example(
        played.session.name, place.number, place.step, wrong.kind,
        answers=played.session.answers, way=played.way, game=game.name if game else '',
        typed=place.typed, typed_line=steps[place.step - 1].number if place.step else 0,
        expected=expected if is_compared else '', printed=printed if is_compared else '',
        expected_text=expected_text, printed_text=printed_text,
        before=next(filter(game.positions, reversed(texts)), '') if game else '',
        status=played.status, seconds=played.seconds, excess=played.dialogue.excess,
        rule=rule_of(place.line, played.session.rules) if place.line else '',
        due_status=str(played.session.status), file=wrong.file.path if wrong.file else '',
        complaint=played.dialogue.files[wrong.file.path].complaint if wrong.file else '')


def explained_example(played: Played, game: GameText | None = None,
                      is_named: bool = False) -> Example:
    """Return the example of what is wrong in a session, with its crash, errors and hint.

    A fault that `is_named` has its advice already.
    """
    wrong, crash = played.wrong, crash_at(played)
    assert wrong
    errors = []
    if not crash and (wrong.kind in ('ended', 'status') or (wrong.pair and not game)):
        errors = lines_of_errors(played.dialogue.errors)[-MOST_ERRORS:]
        if wrong.kind == 'differs' and errors and errors[-1].startswith('EOFError'):
            errors = []                 # the grader had ended its input
    hint = ''
    if crash and wrong.kind not in HANGING:
        hint = hint_for_crash(crash)
    elif wrong.kind in HANGING or wrong.pair or not errors:
        hint = hint_for(played, game, is_named)
    return replace(example_of(played, game), crash=crash, errors=errors, hint=hint)


def rule_of(line: Printed, rules: Rules) -> str:
    """Return in words the rules by which a line is compared, '' for byte by byte.

    >>> rule_of(Printed(1, '2.50', True), Rules(ignores_case=True, tolerance=0.01))
    'ignoring case, numbers within 0.01'
    """
    names = [name for name, is_ignored in (('case', rules.ignores_case),
                                           ('blanks', rules.ignores_blanks)) if is_ignored]
    words = [{'text': '', 'free': 'any line', 'regex': 'a regular expression',
              'words': 'own words', 'question': 'own words'}[line.rule],
             'ignoring ' + ' and '.join(names) if names and line.rule in ('text', 'regex') else '',
             f'numbers within {rules.tolerance:g}'
             if rules.tolerance is not None and line.rule == 'text' else '',
             'after any lines' if line.skips else '']
    return ', '.join(filter(None, words))


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
    if example.kind == 'differs' and example.printed.strip() and not example.rule:
        printed, expected = where_they_differ(example.printed.rstrip(), example.expected.rstrip())
        return f'prints {quoted(printed)} ' + (
            f'instead of {quoted(expected)}' if expected else 'where no output is expected')
    return HAPPENS[example.kind]


def crash_in_words(crash: Crash, example: Example) -> str:
    """Return what a program does that ends with a crash, or with the end of its input."""
    due = example.expected.rstrip()
    if is_end_of_input(crash) and example.kind == 'silent' and due:
        return (f'waits for input at {crash.file}, line {crash.line}, where {quoted(due)} is '
                'expected')
    if is_end_of_input(crash):
        return f'reads more input than there is at {crash.file}, line {crash.line}'
    return (f'crashes at {crash.file}, line {crash.line} ({crash.type})' if crash.file else
            f'crashes: {crash.error}')


def where_they_differ(one: str, other: str) -> tuple[str, str]:
    """Return two texts without the words that both begin with, if they differ far behind.

    >>> where_they_differ('1 ' * 40 + '2', '1 ' * 40 + '3')
    ('...2', '...3')
    """
    start = one.rfind(' ', 0, first_difference(one, other)) + 1
    return (one, other) if start < ASIDE // 2 else (CUT + one[start:], CUT + other[start:])


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
