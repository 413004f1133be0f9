"""Writes the files in the --out folder, about each submission and about the whole class.

NAME/results.json               see `results_json`
NAME/report.html                the page about a submission
NAME/smallest.txt               the smallest fresh game the program fails, if any
grades.csv                      see `grades_csv`
index.html                      the page about the class
session-1.html, ...             a page about each session
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..installation import grader_version
from ..results import Results
from ..sessions.session import Session, digest_of_sessions
from ..settings import Assignment
from .grades_csv import write_grades
from .results_json import read_results, write_results, write_whole
from .students import summary
from .wording import CLASS_PAGE, GRADES, REPORT, RESULTS, SMALLEST, page_of

# Every page written by the grader contains this line.
GENERATOR = b'<meta name="generator" content="console-grader">'


def publish(results: Results, out: str | Path, assignment: Assignment) -> None:
    """Write the results of a submission into a folder, and update the pages there.

    `NAME/results.json` and `NAME/report.html` are about the submission. `grades.csv`, `index.html`
    and a page for each session are about all results in the folder. Raises `OSError`.
    """
    folder = Path(out) / results.submission
    folder.mkdir(parents=True, exist_ok=True)
    if read_results(folder / RESULTS) != replace(results, version=grader_version()):
        write_results(folder / RESULTS, results)
    write_pages(folder, results, assignment.sessions)
    write_overview(Path(out), (), assignment.sessions)


def write_pages(folder: Path, results: Results, sessions: Iterable[Session]) -> None:
    """Write the page about a submission, and the smallest fresh game it fails, if any.

    Do nothing if the page is at least as new as results.json. `sessions` are the assignment's
    sessions. Raises `OSError`.
    """
    page, path = folder / REPORT, folder / RESULTS
    if path.exists() and page.exists() and page.stat().st_mtime_ns >= path.stat().st_mtime_ns:
        return
    from .pages import report_page  # jinja2 takes a long time to import

    write_whole(page, report_page(results, f'../{CLASS_PAGE}', sessions))
    if results.smallest:
        write_whole(folder / SMALLEST, results.smallest)
    else:  # an earlier run may have written this file
        (folder / SMALLEST).unlink(missing_ok=True)


def write_overview(
    out: Path, ungraded: Iterable[Results] = (), sessions: Sequence[Session] = ()
) -> None:
    """Write grades.csv, index.html and a page for each session, from all results in a folder.

    Submissions in `ungraded` have no grade, even if the folder has older results for them. Remove
    the pages about sessions that no longer exist, and about submissions without a grade. Raises
    `OSError`.
    """
    from .pages import index_page, session_page

    summaries = {
        results.submission: results for results in [*map(summary, results_below(out)), *ungraded]
    }
    all_results = [*summaries.values()]
    for results in all_results:
        results.is_outdated = bool(sessions) and results.sessions not in (
            '',
            digest_of_sessions(sessions),
        )
    write_grades(out / GRADES, all_results)
    kept = {out / name / REPORT for name, results in summaries.items() if results.score is not None}
    for number, session in enumerate(sessions):
        kept.add(out / page_of(number))
        write_whole(out / page_of(number), session_page(session, all_results))
    names = [session.name for session in sessions]
    write_whole(out / CLASS_PAGE, index_page(all_results, names))
    for page in [*out.glob('session-*.html'), *out.glob(f'*/{REPORT}')]:
        if page not in kept and page.is_file() and GENERATOR in page.read_bytes():
            page.unlink()


def results_below(out: Path) -> Iterator[Results]:
    """Yield the results of all submissions in the --out folder, sorted by name."""
    yield from filter(None, map(read_results, sorted(out.glob(f'*/{RESULTS}'))))
