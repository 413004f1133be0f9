"""What is written beside results: the pages of a submission, and what a class has come to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterable, Mapping

from ..reports.files import write_whole
from ..reports.grades import write_grades


def write_pages(folder: Path, results: Mapping[str, Any]) -> None:
    """Write report.html, and the smallest of the fresh games that fail. Raises `OSError`.

    But not if this has been done since the results were written.
    """
    page, path = folder / 'report.html', folder / 'results.json'
    if path.exists() and page.exists() and page.stat().st_mtime_ns >= path.stat().st_mtime_ns:
        return
    from ..reports.html import report_page  # jinja2 takes long to import

    write_whole(page, report_page(results))
    if 'smallest' in results['extra_data']:
        write_whole(folder / 'smallest.txt', results['extra_data']['smallest'])


def write_overview(out: Path, all_graded: Iterable[Mapping[str, Any]]) -> None:
    """Write what a class has come to: grades.csv and index.html. Raises `OSError`."""
    from ..reports.html import index_page

    results = list(all_graded)
    write_grades(out / 'grades.csv', results)
    write_whole(out / 'index.html', index_page(results))
