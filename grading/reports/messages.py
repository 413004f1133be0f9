"""Describes an example: a point in a session where a program goes wrong.

The description says where the example is and what is wrong there, and shows the expected line above
the printed line. It is the main part of the message about a failed session.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..printable import CUT, common_length, shorten, status_in_words, with_visible_end
from ..results import FRESH, HAPPENS, Example, LineComparison, Results, SessionResult
from ..sessions.directives import LINE_RULES
from .students import HIDDEN
from .wording import end_note, place_of, why_not_run

WIDTH = 100  # maximum characters in a line of input or source code
ROOM = 68  # maximum characters in a row with the expected or the printed line
MAX_PIECES = 3  # maximum rows for an expected line too long for one row: see `compare`
PROSE = ('hint', 'killed', 'input')  # labels of rows whose text is prose
# Labels of rows that quote a command, input or output; '' is the label of the row with the caret.
QUOTED = ('run', 'typed', 'expected', 'printed', CUT, '')
AT_ONCE = 'with all its input at once'
NOT_EXPECTED = 'not the expected output'
HEADLINES = {  # what is wrong, by kind of failure; for 'silent', see `what_is_wrong`
    'differs': NOT_EXPECTED,
    'ended': 'the program ended too early, with {status}',
    'trickles': 'the expected output was still incomplete after {seconds:g} s',
    'not ended': 'the program was still running {seconds:g} s after its last line of output',
    'status': 'the program ended with {status} instead of {expected}',
    'not asking': 'the program should ask for more input here, but it neither asks nor ends',
    'file': '{file}: {complaint}',
}
FLAKY = 'The program does not always fail this game in the same way.'


class Fact(NamedTuple):
    """One fact about an example: a label and its text."""

    label: str
    text: str

    def __str__(self) -> str:
        if self.label in PROSE:
            return f'  {self.label}: {self.text}'
        return f'  {self.label:9}|{self.text}' if self.label else f'{" " * 12}{self.text}'


def describe(example: Example) -> str:
    """Return the message about an example: a headline, and a line for each of its `rows`."""
    return '\n'.join([' '.join(headline(example)), *map(str, rows(example))])


def headline(example: Example) -> tuple[str, str]:
    """Return where an example is, such as `sum.txt:3:`, and what is wrong there."""
    if example.is_hidden:
        return f'{example.session}:', f'the program {HAPPENS[example.kind]}. {HIDDEN}'
    compared = comparison_in_words(example.comparison) if example.comparison else ''
    way = AT_ONCE if example.is_at_once else ''
    how = ', '.join(filter(None, [way, compared]))
    return (
        f'{example.answers or example.session}:{example.line}:',
        what_is_wrong(example) + (how and f' ({how})'),
    )


def comparison_in_words(comparison: LineComparison) -> str:
    """Describe how a printed line is compared with the expected line.

    >>> comparison_in_words(LineComparison(ignored=['case'], tolerance=0.01))
    'ignoring case, numbers within 0.01'
    """
    words = [LINE_RULES[comparison.rule].description]
    if comparison.ignored:
        words.append('ignoring ' + ' and '.join(comparison.ignored))
    if comparison.tolerance is not None:
        words.append(f'numbers within {comparison.tolerance:g}')
    if comparison.skips:
        words.append('possibly after other lines')
    return ', '.join(filter(None, words))


def what_is_wrong(example: Example) -> str:
    """Return a short phrase that says what is wrong."""
    if example.late:
        return f'this took {example.late:.1f} s to appear; the limit is {example.seconds:g} s'
    if example.kind == 'silent':
        more = ' more' if example.printed_text else ''
        for_some_time = f' for {example.seconds:g} s' if example.seconds else ''
        return f'the program printed nothing{more}{for_some_time}'
    if example.kind == 'ended' and example.difference.kind == 'missing newline':
        return NOT_EXPECTED
    if example.kind == 'not ended' and not example.seconds:
        return 'the program was still waiting for input after its last line of output'
    return HEADLINES[example.kind].format(
        status='no exit status' if example.status is None else status_in_words(example.status),
        expected=example.expected_status,
        seconds=example.seconds,
        file=example.file,
        complaint=example.complaint or NOT_EXPECTED,
    )


def rows(example: Example) -> Iterator[Fact]:
    """Yield the rows to show below an example's headline."""
    if example.is_hidden:
        return
    if example.excess:
        yield Fact('killed', f'the program and its child processes used {example.excess}')
    if example.command:
        yield Fact('run', example.command)
    if example.typed is not None:
        yield Fact('typed', f'{show_line(example.typed)}    (line {example.typed_line})')
    elif example.answers:  # it is unknown which input line the output answers
        yield Fact('input', f'all of {example.session}')
    if example.kind not in ('not ended', 'status'):
        yield from compare(example.expected, example.printed)
    yield from reasons(example)


def reasons(example: Example) -> Iterator[Fact]:
    """Yield rows for the crash, the end of standard error and the hint, if there are any."""
    if example.crash:
        crash = example.crash
        yield Fact('crash', crash.error)
        if crash.file:
            yield Fact(
                'in' if crash.type != 'EOFError' else 'reads in',
                shorten(': '.join(filter(None, [place_of(crash), crash.source])), WIDTH),
            )
    for line in example.errors:
        yield Fact('stderr', line)
    if example.hint:
        yield Fact('hint', example.hint)


def compare(expected: str, printed: str) -> list[Fact]:
    r"""Return rows that show the two lines, and a caret below their first difference.

    Long lines are cut. But if the lines also differ beyond the cut, the expected line continues in
    the next rows.

    >>> for row in compare('Enter ' + '*' * 64 + '?', 'Enter:'):
    ...     print(row)
      expected |Enter **************************************************************
      ...      |**?
      printed  |Enter:
                     ^
    """
    difference = common_length(expected, printed)  # where the first difference is
    line, other = expected.rstrip('\n'), printed.rstrip('\n')
    is_long = max(len(line), len(other)) > ROOM
    start = max(0, difference - ROOM * 2 // 3) if is_long else 0
    caret = difference - start + len(CUT) if start else difference
    end = len(line) - common_length(line[::-1], other[::-1])  # where the last difference ends
    is_continued = end - start > ROOM - 2 * len(CUT)
    shown = show_line(expected, start, ROOM * MAX_PIECES if is_continued else ROOM)
    return [
        Fact('expected', shown[:ROOM]),
        *(Fact(CUT, shown[at : at + ROOM]) for at in range(ROOM, len(shown), ROOM)),
        Fact('printed', show_line(printed, start, ROOM)),
        Fact('', ' ' * columns(show_line(printed, start, ROOM)[:caret]) + '^'),
    ]


def columns(text: str) -> int:
    r"""Return the width of text in a terminal, in columns.

    >>> columns('Hello'), columns('\u4f60\u597d'), columns('e\u0301')
    (5, 4, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # seldom needed

    return sum(
        0 if combining(character) else 1 + (east_asian_width(character) in 'WF')
        for character in text
    )


def show_line(line: str, start: int = 0, most: int = WIDTH) -> str:
    """Return at most `most` characters of a line, starting at the index `start`.

    Make spaces at the end of the line visible. If the line is missing or empty, say so.

    >>> show_line('one two three', 4, 9), show_line('one two  '), show_line('one two three', 0, 9)
    ('...two...', 'one two\xb7\xb7', 'one tw...')
    """
    if not line.strip('\n'):
        return '    (an empty line)' if line else '    (nothing)'
    return shorten(with_visible_end(line), most, start)


def message_about(test: SessionResult, results: Results) -> str:
    """Return how a session failed and which faults explain this, or why the session was not run.

    Return `''` if the session passed. If the example is hidden, say only that.
    """
    if not test.example:
        return why_not_run(test, results)
    if test.example.is_hidden:
        return HIDDEN
    faults = [
        finding.id for finding in results.findings if finding.id and test.name in finding.sessions
    ]
    explained = f'\n  explained by {", ".join(faults)}' if faults else ''
    parts = [describe(test.example) + explained]
    if test.name == FRESH:
        parts.append(results.smallest)
        if results.flaky:
            parts.append(FLAKY)
    return '\n\n'.join(filter(None, parts))


def message_on_submission(results: Results) -> str:
    """Return why a submission has no grade, or the `end_note` about its grade."""
    return results.output if results.score is None else end_note(results)
