"""What reports say about the smallest programs that go wrong in one way: the reason, in words.

One table has a session, what the program does in it, and the lines of the report that say why it is
wrong and what to change.
"""

from dataclasses import replace

import pytest

from grading.diagnosis.diagnose import diagnose
from grading.reports.examples import describe
from grading.sessions.transcript import parse
from grading.sessions.verdict import Dialogue, PlayedSession, failure_in

LOOK_ALIKE = 'hint: the lines look alike, but their characters differ: copy the expected line'
PLAIN_TEXT = 'hint: print plain text, without codes for the terminal'


def line(expected, printed, *shown):
    """Return a case: a session of one line, what a program prints instead, and the report."""
    return f'|{expected}\n', [f'{printed}\n'], {}, shown


CASES = {
    # Characters that look alike.
    'a Cyrillic letter': line(
        'Hello',
        'H\u0435llo',
        'prints "H\u0435llo" (with U+0435 CYRILLIC SMALL LETTER IE) instead of "Hello"',
        LOOK_ALIKE,
    ),
    'a Cyrillic letter beside another word': line(
        'Hello Bob',
        'H\u0435llo Tom',
        'prints the wrong words: "H\u0435llo" (with U+0435 CYRILLIC SMALL LETTER IE) '
        'instead of "Hello", "Tom" instead of "Bob"',
    ),
    'an accent of its own': line(
        'Caf\xe9',
        'Cafe\u0301',
        'prints "Cafe\u0301" (with U+0301 COMBINING ACUTE ACCENT) '
        'instead of "Caf\xe9" (with U+00E9 LATIN SMALL LETTER E WITH ACUTE)',
        LOOK_ALIKE,
    ),
    'a full-width letter': line(
        'Sum 3',
        '\uff33um 3',
        'prints "\uff33um 3" (with U+FF33 FULLWIDTH LATIN CAPITAL LETTER S) instead of "Sum 3"',
        LOOK_ALIKE,
    ),
    'a curly quotation mark': line(
        "It's",
        'It\u2019s',
        'prints "It\u2019s" (with U+2019 RIGHT SINGLE QUOTATION MARK) instead of "It\'s"',
        LOOK_ALIKE,
    ),
    'a straight quotation mark': line(
        'It\u2019s',
        "It's",
        'prints "It\'s" instead of "It\u2019s" (with U+2019 RIGHT SINGLE QUOTATION MARK)',
        LOOK_ALIKE,
    ),
    'a minus sign': line(
        '-3', '\u22123', 'prints "\u22123" (with U+2212 MINUS SIGN) instead of "-3"', LOOK_ALIKE
    ),
    'a no-break space': line(
        'B: 3',
        'B:\xa03',
        r'prints "B:\xa03" (with U+00A0 NO-BREAK SPACE) instead of "B: 3"',
        LOOK_ALIKE,
    ),
    'a zero-width space': line(
        'Hello',
        'Hel\u200blo',
        r'prints "Hel\u200blo" (with U+200B ZERO WIDTH SPACE) instead of "Hello"',
        LOOK_ALIKE,
    ),
    'characters that do not look alike': line('Caf\xe9', 'Cafe', 'wrong words: "Cafe" instead of'),
    # The caret is below the character as a terminal draws it.
    'wide characters': line(
        '\u4f60\u597d 3', '\u4f60\u597d 4', '  printed  |\u4f60\u597d 4\n' + ' ' * 17 + '^'
    ),
    'an emoji': line('\U0001f600 3', '\U0001f600 4', f'|\U0001f600 4\n{" " * 15}^'),
    'an accent before the difference': line('e\u0301 3', 'e\u0301 4', f'|e\u0301 4\n{" " * 14}^'),
    # Codes for the terminal.
    'a color': line(
        'Hello',
        '\x1b[31mHello\x1b[0m',
        r'prints a color code, "\x1b[31m", with "Hello"',
        PLAIN_TEXT,
    ),
    'a cleared screen': line(
        'Hello',
        '\x1b[H\x1b[2JHello',
        r'prints a code that clears the screen, "\x1b[2J", with "Hello"',
        PLAIN_TEXT,
    ),
    'a moved cursor': line(
        'Hello', '\x1b[1;1HHello', r'prints an escape sequence, "\x1b[1;1H", with "Hello"'
    ),
}


def report_on(text, printed, **facts):
    """Return what a report says about a program that does this in a session."""
    session = parse(text, 'a.txt')
    dialogue = replace(Dialogue.printing(printed), **facts)
    played = PlayedSession(session, dialogue, failure_in(session, dialogue))
    findings = diagnose(lambda session: None, [played]).findings(
        lambda session: 1, lambda session: None
    )
    return '\n'.join(f'{found.sentence}\n{describe(found.example)}' for found in findings)


@pytest.mark.parametrize(('text', 'printed', 'facts', 'shown'), CASES.values(), ids=CASES)
def test_reasons(text, printed, facts, shown):
    report = report_on(text, printed, **facts)
    assert [words for words in shown if words not in report] == [], report
