"""Says why sessions were not run."""

from __future__ import annotations

from ..results import NotRun, Results, SessionResult
from .interruptions import in_words

NOT_LINE_BY_LINE = (
    'not run line by line, because the program prints its answers only after further input'
)
REASONS: dict[NotRun, str] = {
    '': 'not run yet',
    'no program': '{detail}',
    'hung': 'not run: the program hung in every earlier session',
    'hung or used too much': (
        'not run: the program hung, or exceeded a limit, in every earlier session'
    ),
    'hung or printed without end': (
        'not run: the program hung or printed far too much in every earlier session'
    ),
    'ended': 'not run, because grading ended early: {ended}',
    'late': NOT_LINE_BY_LINE,
    'late, but right at once': (
        f'{NOT_LINE_BY_LINE}. In these sessions, the program prints the expected output when it '
        'gets all its input at once.'
    ),
    'cut': 'not finished: {ended} after {detail} games, all of which passed',
}


def why_not_run(test: SessionResult, results: Results) -> str:
    """Return why a session was not run, or `''` if it was run.

    >>> from grading.results import Interruption
    >>> ended = Results('ann', ended=Interruption('time limit', '240'))
    >>> why_not_run(SessionResult('sum.txt', 1, state='not run', reason='ended'), ended)
    'not run, because grading ended early: the time limit of 240 s was reached'
    """
    if not test.is_not_run:
        return ''
    ended = in_words(results.ended) if results.ended else ''
    return REASONS[test.reason].format(detail=test.detail, ended=ended)


def reasons_not_run(results: Results) -> list[str]:
    """Return the reasons why sessions were not run, without duplicates."""
    reasons = [why_not_run(test, results) for test in results.tests if test.is_not_run]
    return list(dict.fromkeys(reasons))


def first_line(reason: str) -> str:
    """Return the first line of a reason, without the colon that introduces compiler output.

    >>> first_line('the build failed:\\n  build    |main.c:1: error')
    'the build failed'
    """
    return reason.partition('\n')[0].removesuffix(':')
