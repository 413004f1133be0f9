"""The kinds of differences between lines, and their sentences in reports."""

from typing import get_args

import pytest

from grading.diagnosis.hints import HINTS
from grading.differences import DifferenceKind, difference_of
from grading.reports.pictures import describe_difference

# For each kind of difference: an expected line, a printed line, and the sentence below the pictures
# of the two positions in reports.
KINDS = {
    'missing line': ('sum 8\n', '', '"sum 8" is expected, but was not printed.'),
    'extra line': ('', 'sum 8\n', '"sum 8" was printed, but is not expected.'),
    'missing newline': ('sum 8\n', 'sum 8', 'The newline at the end is missing.'),
    'extra newline': ('Sum? ', 'Sum? \n', 'No newline is expected at the end.'),
    'look-alike': (
        'sum 8\n',
        '\u0455um 8\n',
        '"sum 8" is expected, but "\u0455um 8" was printed.',
    ),
    'escape sequence': (
        'sum 8\n',
        '\x1b[1msum 8\x1b[0m\n',
        r'"sum 8" is expected, but "\x1b[1msum 8\x1b[0m" was printed.',
    ),
    'carriage return': (
        'sum 8\n',
        'sum 8\r\n',
        r'"sum 8" is expected, but "sum 8\r" was printed.',
    ),
    'trailing spaces': ('sum 8\n', 'sum 8  \n', 'The spaces in "sum 8" differ.'),
    'missing spaces': ('sum 8 \n', 'sum 8\n', 'The spaces in "sum 8 " differ.'),
    'indentation': ('  sum 8\n', ' sum 8\n', 'The spaces in "  sum 8" differ.'),
    'spaces': ('sum 8\n', 'sum  8\n', 'The spaces in "sum 8" differ.'),
    'cut': ('sum 8\n', 'sum', '"sum 8" is expected, but "sum" was printed.'),
    'case': ('sum 8\n', 'Sum 8\n', '"sum 8" is expected, but "Sum 8" was printed.'),
    'prefix': ('sum 8\n', 'The sum 8\n', '"sum 8" is expected, but "The sum 8" was printed.'),
    'other': ('sum 8\n', 'sum 9\n', '"sum 8" is expected, but "sum 9" was printed.'),
}


@pytest.mark.parametrize('kind', KINDS)
def test_kinds_of_differences(kind):
    expected, printed, sentence = KINDS[kind]
    assert difference_of(expected, printed).kind == kind
    assert describe_difference(expected, printed) == sentence


def test_every_kind_of_difference_is_tested():
    assert [*KINDS] == [*get_args(DifferenceKind)]
    assert {*HINTS} < {*KINDS}


@pytest.mark.parametrize(
    ('expected', 'printed', 'kind'),
    [
        ('W .\n', 'W . ', 'trailing spaces'),  # the newline is also missing
        ('W . \n', 'W .', 'missing spaces'),
        ('a \n', 'a\t\n', 'spaces'),  # a tab instead of a space
        ('12\n', '1 2\n', 'other'),  # the numbers differ, not only the spaces
        ('\n', '  \n', 'trailing spaces'),
        ('\n', '', 'missing line'),
        ('legal\n', 'illegal\n', 'other'),  # "il" is part of another word, not a prefix of the line
        ('legal\n', '(legal\n', 'prefix'),
    ],
)
def test_kinds_that_are_easily_mixed_up(expected, printed, kind):
    assert difference_of(expected, printed).kind == kind
