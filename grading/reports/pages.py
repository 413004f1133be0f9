"""What is written beside results: the pages of a submission, and what a class has come to."""

from __future__ import annotations

from pathlib import Path
from typing import Iterable, Sequence

from ..sessions.transcript import Transcript
from .grades import summary, write_grades
from .results_json import SavedResults, name_of, read_results, write_whole


def write_pages(folder: Path, results: SavedResults, transcripts: Iterable[Transcript]) -> None:
    """Write report.html, and the smallest of the fresh games that fail. Raises `OSError`.

    Do nothing if the page is newer than the results, which are of `transcripts`.
    """
    page, path = folder / 'report.html', folder / 'results.json'
    if path.exists() and page.exists() and page.stat().st_mtime_ns >= path.stat().st_mtime_ns:
        return
    from .html.page import report_page  # jinja2 takes long to import

    write_whole(page, report_page(results, '../index.html', transcripts))
    smallest = folder / 'smallest.txt'
    if 'smallest' in results['extra_data']:
        write_whole(smallest, results['extra_data']['smallest'])
    elif smallest.exists():             # of a program that has been fixed
        smallest.unlink()


def write_overview(out: Path, ungraded: Iterable[SavedResults] = (),
                   transcripts: Sequence[Transcript] = ()) -> None:
    """Write what all results in a folder come to: grades.csv, index.html, a page for each session.

    Those `ungraded` have no grade, whatever stands there from an earlier time. Raises `OSError`.
    """
    from .html.class_page import index_page, page_of, session_page

    found = {path.parent.name: read_results(path) for path in out.glob('*/results.json')}
    summaries = {name: summary(results) for name, results in found.items() if results}
    summaries.update((name_of(results), results) for results in ungraded)
    write_grades(out / 'grades.csv', summaries.values())
    everything = list(summaries.values())
    for number, transcript in enumerate(transcripts):
        write_whole(out / page_of(number), session_page(transcript, everything))
    write_whole(out / 'index.html', index_page(everything, [one.name for one in transcripts]))
