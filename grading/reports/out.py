"""The folder of --out: which files it holds, of each submission and of the class."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Iterable, Iterator, Sequence

from ..diagnosis.finding import Example
from ..sessions.transcript import Transcript
from .grades import write_grades
from .messages import ended_by
from .results import Results, read_results, without_grade, write_whole

REPORT = 'report.html'
GENERATOR = '<meta name="generator" content="console-grader">'      # in each page
MOST_OF_HEAD = 1000                     # bytes of a page, up to there
INTERRUPTED = 'the grading was interrupted; start it again'


def summary(results: Results) -> Results:
    """Return the part of the results that reports of a class need.

    If the grading did not come to its end, the summary has no grade.
    """
    if results.score is None:
        return results
    if not results.complete:
        return without_grade(results.submission, ': '.join([*ended_by(results), INTERRUPTED]))
    findings = [replace(finding, places=[], example=without_texts(finding.example))
                for finding in results.findings]
    tests = [replace(test, output=test.output if test.is_not_run else '',
                     example=test.example and without_texts(test.example))
             for test in results.tests]
    return replace(results, findings=findings, tests=tests, output='', smallest='')


def without_texts(example: Example) -> Example:
    """Return an example without the texts that were typed and printed."""
    return replace(example, typed=None, expected='', printed='', expected_text='', printed_text='',
                   before='', errors=[], hint='')


def write_pages(folder: Path, results: Results, transcripts: Iterable[Transcript]) -> None:
    """Write report.html, and the smallest of the fresh games that fail. Raises `OSError`.

    Do nothing if the page is newer than the results, which are of `transcripts`.
    """
    page, path = folder / REPORT, folder / 'results.json'
    if path.exists() and page.exists() and page.stat().st_mtime_ns >= path.stat().st_mtime_ns:
        return
    from .pages import report_page  # jinja2 takes long to import

    write_whole(page, report_page(results, '../index.html', transcripts))
    smallest = folder / 'smallest.txt'
    if results.smallest:
        write_whole(smallest, results.smallest)
    elif smallest.exists():             # the program has been fixed
        smallest.unlink()


def write_overview(out: Path, ungraded: Iterable[Results] = (),
                   transcripts: Sequence[Transcript] = ()) -> None:
    """Write grades.csv, index.html and a page for each session, about all results in a folder.

    Submissions in `ungraded` have no grade, even if the folder has older results. Raises `OSError`.
    """
    from .pages import index_page, page_of, session_page

    summaries = {results.submission: summary(results) for results in results_below(out)}
    summaries.update((results.submission, results) for results in ungraded)
    write_grades(out / 'grades.csv', summaries.values())
    everything = list(summaries.values())
    pages = {out / page_of(number): transcript for number, transcript in enumerate(transcripts)}
    for page, transcript in pages.items():
        write_whole(page, session_page(transcript, everything))
    write_whole(out / 'index.html', index_page(everything, [one.name for one in transcripts]))
    reports = {out / name / REPORT for name, one in summaries.items() if one.score is not None}
    for page in [*out.glob('session-*.html'), *out.glob(f'*/{REPORT}')]:
        if page not in pages and page not in reports and is_our_page(page):
            page.unlink()               # of a session or a grade that is there no more


def results_below(out: Path) -> Iterator[Results]:
    """Yield all results that stand in a folder of results."""
    yield from filter(None, map(read_results, sorted(out.glob('*/results.json'))))


def is_our_page(path: Path) -> bool:
    """Return whether a file is a page that the grader wrote."""
    if not path.is_file():
        return False
    with path.open('rb') as page:
        return GENERATOR.encode() in page.read(MOST_OF_HEAD)
