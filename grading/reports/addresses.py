"""The names of the files in the --out folder, and links to its pages."""

from __future__ import annotations

from urllib.parse import quote

RESULTS = 'results.json'
REPORT = 'report.html'
SMALLEST = 'smallest.txt'
GRADES = 'grades.csv'
CLASS_PAGE = 'index.html'


def page_of(number: int) -> str:
    """Return the file name of a session's page; `number` is the session's index, from 0.

    >>> page_of(0)
    'session-1.html'
    """
    return f'session-{number + 1}.html'


def link_to(name: str) -> str:
    """Return the address of a submission's report, relative to the class page.

    `name` is the submission's name. The address ends with `#class`, so the report shows its link
    back to the class page.
    """
    return f'./{quote(name, safe="")}/{REPORT}#class'
