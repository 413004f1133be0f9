"""The exit status of the grader: what its results ask for."""

from __future__ import annotations

from .files import SavedResults
from .results import BEYOND

RIGHT, WRONG, WRONG_USAGE, UNGRADED = range(4)


def status_of(results: SavedResults) -> int:
    """Return the exit status that the results of a submission ask for.

    Tests beyond the assignment do not count; all others do, even for no points.
    """
    if results['score'] is None:
        return UNGRADED
    is_right = all(test['status'] == 'passed' or BEYOND in test['tags']
                   for test in results['tests'])
    return RIGHT if is_right else WRONG
