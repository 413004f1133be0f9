"""The names of files in the folder of --out, and links to pages."""

from __future__ import annotations

from urllib.parse import quote

RESULTS = 'results.json'
REPORT = 'report.html'
SMALLEST = 'smallest.txt'
GRADES = 'grades.csv'
CLASS_PAGE = 'index.html'


def page_of(number: int) -> str:
    """Return the file name of the page about the session with an index."""
    return f'session-{number + 1}.html'


def link_to(name: str) -> str:
    """Return the address of a submission's report, relative to the page about the class.

    The report opens at its link back to that page.
    """
    return f'./{quote(name, safe="")}/{REPORT}#class'
