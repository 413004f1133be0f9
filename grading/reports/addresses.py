"""The names of pages in the folder of --out, and links to them."""

from __future__ import annotations

from urllib.parse import quote

REPORT = 'report.html'


def page_of(number: int) -> str:
    """Return the file name of the page about the session with an index."""
    return f'session-{number + 1}.html'


def link_to(name: str) -> str:
    """Return the address of a submission's report, relative to the index; it shows a way back."""
    return f'./{quote(name, safe="")}/report.html#class'
