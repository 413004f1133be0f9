"""Describes a failure as plain data: what was expected, and what was printed."""

from __future__ import annotations

from ..games.game import Game
from ..printable import CUT, LONGEST_LINE, LONGEST_TEXT, MAX_LINES, common_length, without_start
from ..results import Example, LineComparison
from ..sessions.directives import LINE_RULES
from ..sessions.session import ExpectedLine, Rules
from ..sessions.transcript import lines_in
from ..sessions.verdict import AT_END, HANGING, PlayedSession

LINES_BEFORE = 20  # lines to show before a difference in long text
CHARACTERS_BEFORE = 60  # characters to show before a difference in a long line


def example_of(played: PlayedSession, game: Game | None = None) -> Example:
    """Return the facts about a session's failure; `game` is the session's game, if any."""
    failure, wrong, steps = played.failure, played.wrong_line, played.wrong_line.session.steps
    is_compared = failure.kind not in AT_END
    # If the program printed an extra line, show the next expected line.
    line = wrong.expected or ''.join(wrong.expected_next[:1])
    expected, printed = near_difference(line, wrong.printed)
    expected_text, printed_text = lines_near_difference(wrong.expected_text, wrong.printed_text)
    texts = [step.output for step in steps[: wrong.step]]
    return Example(
        played.session.name,
        wrong.number,
        wrong.step,
        failure.kind,
        answers=played.session.answers,
        is_at_once=bool(played.session.at_once_from),
        game=game.name if game else '',
        command=played.dialogue.command,
        typed=wrong.typed,
        typed_line=steps[wrong.step - 1].number if wrong.step else 0,
        expected=expected if is_compared else '',
        printed=printed if is_compared else '',
        expected_text=expected_text,
        printed_text=printed_text,
        before=next(filter(game.positions, reversed(texts)), '') if game else '',
        status=played.status,
        seconds=played.seconds if failure.kind in HANGING and not played.was_seen_waiting else 0,
        late=played.silence,
        excess=played.dialogue.excess,
        comparison=comparison_of(wrong.line, played.session.rules) if wrong.line else None,
        expected_status=str(played.session.end.status),
        file=failure.file.path if failure.file else '',
        complaint=played.dialogue.files[failure.file.path].complaint if failure.file else '',
    )


def comparison_of(line: ExpectedLine, rules: Rules) -> LineComparison | None:
    """Return how a line is compared, or None if it is compared byte for byte.

    >>> line = ExpectedLine(1, '2.50', True)
    >>> comparison_of(line, Rules(ignores_case=True, tolerance=0.01))
    LineComparison(rule='text', ignored=['case'], tolerance=0.01, skips=False)
    """
    obeyed = LINE_RULES[line.rule].obeys
    ignored = []
    if 'ignore' in obeyed and rules.ignores_case:
        ignored.append('case')
    if 'ignore' in obeyed and rules.ignores_whitespace:
        ignored.append('whitespace')
    comparison = LineComparison(
        line.rule,
        ignored,
        rules.tolerance if 'tolerance' in obeyed else None,
        bool(line.skips),
    )
    return None if comparison == LineComparison() else comparison


def near_difference(expected: str, printed: str) -> tuple[str, str]:
    """Return two lines; if one of them is long, leave out most of their common start.

    >>> near_difference('x' * 500 + 'y', 'x' * 500)[1][:6], near_difference('B', 'W')
    ('...xxx', ('B', 'W'))
    """
    start = common_length(expected, printed) - CHARACTERS_BEFORE
    if start <= 0 or max(len(expected), len(printed)) <= LONGEST_LINE:
        return expected, printed
    return without_start(expected, start), without_start(printed, start)


def lines_near_difference(expected: str, printed: str) -> tuple[str, str]:
    """Return two strings; if one is long, leave out most of their common first lines."""
    one, other = lines_in(expected), lines_in(printed)
    start = common_length(one, other) - LINES_BEFORE
    has_many_lines = max(len(one), len(other)) > MAX_LINES
    is_long = max(len(expected), len(printed)) > LONGEST_TEXT
    if start <= 0 or not (has_many_lines or is_long):
        return expected, printed
    return f'{CUT}\n' + ''.join(one[start:]), f'{CUT}\n' + ''.join(other[start:])
