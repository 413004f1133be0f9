"""What is written beside results.json: grades.csv for a gradebook, JUnit XML, and pages."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Iterable, Iterator, Sequence
from xml.etree import ElementTree

from ..diagnosis.finding import Example, Finding
from ..printable import printable
from ..sessions.transcript import Transcript
from .messages import gain, note_on, short, title
from .results_json import (
    BEYOND,
    SavedResults,
    example_in,
    findings_in,
    for_students,
    is_not_run,
    most_points,
    name_of,
    passed,
    read_results,
    without_grade,
    write_whole,
)

COLUMNS = ('submission', 'score', 'max_score', 'passed', 'failed', 'late', 'faults', 'seconds',
           'note', 'score_if_printing_were_right', 'id', 'email')
# The facts in a summary.
KEPT = ('submission', 'game', 'faults', 'late', 'notes', 'ended', 'confinement', 'digest', 'seed',
        'id', 'email')
REPORT = 'report.html'
GENERATOR = '<meta name="generator" content="console-grader">'      # in each page
MOST_OF_HEAD = 1000                     # bytes of a page, up to there
BYTE_ORDER_MARK = '\ufeff'             # without which Excel does not read UTF-8
INTERRUPTED = 'the grading was interrupted; start it again'
LATE_IN_WORDS = {True: 'yes', False: 'no', None: ''}
# What a spreadsheet takes for a formula, at the start of a cell and after each separator: in some
# languages it splits cells at semicolons.
FORMULA = re.compile(r'(^|[,;|])([ "\']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])')


def summary(results: SavedResults) -> SavedResults:
    """Return the part of the results that reports of a class need.

    If the grading did not come to its end, the summary has no grade.
    """
    if results['score'] is None:
        return results
    facts = results['extra_data']
    if not facts.get('complete'):
        return without_grade(facts['submission'], ' '.join(filter(None, [
            facts['ended'] and f'ended by {facts["ended"]}:', INTERRUPTED])))
    about = {name: facts.get(name) for name in KEPT}
    about['findings'] = [
        replace(finding, places=[], example=without_texts(finding.example)).to_dict()
        for finding in findings_in(results)]
    tests = []
    for test in results['tests']:
        example = example_in(test)
        tests.append({**test, 'output': test['output'] if is_not_run(test) else '', 'extra_data': {
            'example': asdict(without_texts(example))} if example else {}})
    return {'score': results['score'], 'output': '', 'execution_time': results['execution_time'],
            'extra_data': about, 'tests': tests}


def without_texts(example: Example) -> Example:
    """Return an example without the texts that were typed and printed."""
    return replace(example, typed=None, expected='', printed='', expected_text='', printed_text='',
                   before='', errors=[], hint='')


def write_grades(path: Path, all_results: Iterable[SavedResults]) -> None:
    """Write grades.csv, whole, in order of name. Raises `OSError`."""
    table = io.StringIO()
    writer = csv.DictWriter(table, COLUMNS, lineterminator='\n')
    writer.writeheader()
    for results in sorted(all_results, key=lambda results: (name_of(results).casefold(),
                                                            name_of(results))):
        writer.writerow(row_of(results))
    write_whole(path, BYTE_ORDER_MARK + table.getvalue())


def row_of(results: SavedResults) -> dict[str, object]:
    """Return the row of one submission; its score is empty if it has no grade."""
    about = results['extra_data']
    row: dict[str, object] = {
        'submission': as_text(name_of(results)),
        'late': LATE_IN_WORDS[about.get('late')],
        'note': as_text(note_on(results)),
        'id': as_text(about.get('id') or ''),
        'email': as_text(about.get('email') or ''),
    }
    if results['score'] is not None:
        row.update(score=f'{results["score"]:g}', max_score=f'{most_points(results):g}',
                   passed=passed(results), failed=len(results['tests']) - passed(results),
                   faults=as_text('; '.join(about['faults'])), seconds=results['execution_time'],
                   score_if_printing_were_right=score_without_printing(results))
    return row


def score_without_printing(results: SavedResults) -> str:
    """Return the points that a submission would have if it printed everything right.

    A session counts as passed if all its findings are faults of printing. Return '' where not all
    of the program can be seen.
    """
    findings = findings_in(results)
    points = float(results['score'])
    if (findings and any(map(is_not_run, results['tests']))) or any(
            finding.is_end for finding in findings):
        return ''
    for test in results['tests']:
        shown = [finding for finding in findings if test['name'] in finding.sessions]
        if shown and all(finding.is_printing for finding in shown):
            if test['name'] in shown[0].unseen:
                return ''
            points += test['max_score'] - test['score']
    return f'{points:g}'


def as_text(cell: str) -> str:
    """Return a cell, on one line, that no spreadsheet reads as a formula.

    >>> as_text('=1+1'), as_text('a;-b'), as_text('doe-jane')
    ("'=1+1", "a;'-b", 'doe-jane')
    """
    return FORMULA.sub(r"\1\2'", printable(cell))


def junit_xml(results: SavedResults) -> str:
    """Return the results of one submission as JUnit XML.

    GitHub, GitLab and Jenkins read it: https://github.com/testmoapp/junitxml has its format. A
    session beyond the assignment that fails is skipped, because it costs no points.
    """
    results = for_students(results)
    findings = findings_in(results)
    tests = results['tests']
    suites = ElementTree.Element('testsuites')
    suite = ElementTree.SubElement(suites, 'testsuite', {
        'name': name_of(results), 'tests': str(len(tests)),
        'time': f'{results["execution_time"]:g}'})
    counts = {'failures': 0, 'errors': 0, 'skipped': 0}
    for test in tests:
        case = ElementTree.SubElement(suite, 'testcase', {
            'name': short(test['name']), 'classname': results['extra_data']['game']})
        if test['status'] == 'passed':
            continue
        shown = [title(number, findings) for number, finding in enumerate(findings, 1)
                 if test['name'] in finding.sessions]
        kind, count = 'failure', 'failures'
        if is_not_run(test):
            kind, count = 'error', 'errors'
        if BEYOND in test['tags']:
            kind, count = 'skipped', 'skipped'
        counts[count] += 1
        one = ElementTree.SubElement(case, kind, {
            'message': ' '.join(shown) or test['output'].partition('\n')[0]})
        one.text = '\n\n'.join([test['output'], *advice_on(test['name'], findings, results)])
    for sums in (suites, suite):
        sums.attrib.update({name: str(count) for name, count in counts.items()})
    return ElementTree.tostring(suites, encoding='unicode', xml_declaration=True) + '\n'


def advice_on(name: str, findings: Sequence[Finding], results: SavedResults) -> list[str]:
    """Return the advice on each finding that a session shows."""
    return ['\n'.join(filter(None, [title(number, findings), finding.advice,
                                    gain(finding, results)]))
            for number, finding in enumerate(findings, 1) if name in finding.sessions]


def write_pages(folder: Path, results: SavedResults, transcripts: Iterable[Transcript]) -> None:
    """Write report.html, and the smallest of the fresh games that fail. Raises `OSError`.

    Do nothing if the page is newer than the results, which are of `transcripts`.
    """
    page, path = folder / REPORT, folder / 'results.json'
    if path.exists() and page.exists() and page.stat().st_mtime_ns >= path.stat().st_mtime_ns:
        return
    from .html.pages import report_page  # jinja2 takes long to import

    write_whole(page, report_page(results, '../index.html', transcripts))
    smallest = folder / 'smallest.txt'
    if 'smallest' in results['extra_data']:
        write_whole(smallest, results['extra_data']['smallest'])
    elif smallest.exists():             # the program has been fixed
        smallest.unlink()


def write_overview(out: Path, ungraded: Iterable[SavedResults] = (),
                   transcripts: Sequence[Transcript] = ()) -> None:
    """Write grades.csv, index.html and a page for each session, about all results in a folder.

    Submissions in `ungraded` have no grade, even if the folder has older results. Raises `OSError`.
    """
    from .html.pages import index_page, page_of, session_page

    summaries = {name_of(results): summary(results) for results in results_below(out)}
    summaries.update((name_of(results), results) for results in ungraded)
    write_grades(out / 'grades.csv', summaries.values())
    everything = list(summaries.values())
    pages = {out / page_of(number): transcript for number, transcript in enumerate(transcripts)}
    for page, transcript in pages.items():
        write_whole(page, session_page(transcript, everything))
    write_whole(out / 'index.html', index_page(everything, [one.name for one in transcripts]))
    reports = {out / name / REPORT for name, one in summaries.items() if one['score'] is not None}
    for page in [*out.glob('session-*.html'), *out.glob(f'*/{REPORT}')]:
        if page not in pages and page not in reports and is_our_page(page):
            page.unlink()               # of a session or a grade that is there no more


def results_below(out: Path) -> Iterator[SavedResults]:
    """Yield all results that stand in a folder of results."""
    yield from filter(None, map(read_results, sorted(out.glob('*/results.json'))))


def is_our_page(path: Path) -> bool:
    """Return whether a file is a page that the grader wrote."""
    if not path.is_file():
        return False
    with path.open('rb') as page:
        return GENERATOR.encode() in page.read(MOST_OF_HEAD)
