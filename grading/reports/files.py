"""The files of results: those of --out, grades.csv, JUnit XML, Gradescope's; and its autograder.

https://github.com/testmoapp/junitxml has the format that GitHub, GitLab and Jenkins read,
https://gradescope-autograders.readthedocs.io/en/latest/specs/ that of Gradescope. An autograder is
the grader, the sessions of one assignment, and two scripts. A machine of Gradescope has little more
than Python; this module knows which packages to add.
"""

from __future__ import annotations

import io
import itertools
import re
import shlex
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..installation import ROOT, grader_files
from ..printable import counted, printable
from ..results import BEYOND, Results, without_grade
from ..sessions.transcript import Transcript
from ..settings import DataFile
from .results import Json, for_students, hidden_example, read_results, to_json, write_whole
from .text import (
    describe,
    end_note,
    ended_by,
    entries,
    list_sessions,
    note_on,
    short,
    where_to_look,
)

REPORT = 'report.html'
GENERATOR = b'<meta name="generator" content="console-grader">'  # in each page
INTERRUPTED = 'the grading was interrupted; start it again'
COLUMNS = (
    'submission',
    'score',
    'max_score',
    'passed',
    'failed',
    'late',
    'faults',
    'seconds',
    'note',
    'score_if_printing_were_right',
    'id',
    'email',
)
LATE_IN_WORDS = {True: 'yes', False: 'no', None: ''}
# What a spreadsheet takes for a formula, at the start of a cell and after each separator: in some
# languages it splits cells at semicolons.
FORMULA = re.compile(r'(^|[,;|])([ "\']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])')
TO_FIX = 'What to fix'  # the name of the first test on Gradescope
SCRIPTS = Path(__file__).parent / 'autograder'
WORDS_HERE = '@WORDS@'  # where run_autograder has its game and options
EXECUTABLE_MODE, PLAIN_MODE = 0o100755, 0o100644
# Packages of Debian and Ubuntu, by the commands that they have.
PACKAGES = {
    **dict.fromkeys(('java', 'javac', 'jar'), 'default-jdk-headless'),
    **dict.fromkeys(('gcc', 'g++', 'cc', 'c++', 'make'), 'build-essential'),
    **dict.fromkeys(('ghc', 'runghc'), 'ghc'),
    'node': 'nodejs',
    'clang': 'clang',
    'go': 'golang-go',
    'rustc': 'rustc',
    'cargo': 'cargo',
    'ruby': 'ruby',
    'php': 'php-cli',
    'lua': 'lua5.4',
}
# Commands for builds that every machine of Gradescope has.
THERE = (
    'bash',
    'cat',
    'cd',
    'chmod',
    'cp',
    'echo',
    'env',
    'exec',
    'export',
    'find',
    'ln',
    'ls',
    'mkdir',
    'mv',
    'perl',
    'python3',
    'rm',
    'sed',
    'sh',
    'test',
    'true',
)
COMMAND_SEPARATORS = {*'();|&'}  # of commands


def summary(results: Results) -> Results:
    """Return the part of the results that reports of a class need.

    If the grading did not come to its end, the summary has no grade.
    """
    if results.score is None:
        return results
    if not results.complete:
        return without_grade(results.submission, ': '.join([*ended_by(results), INTERRUPTED]))
    return replace(
        results,
        output='',
        smallest='',
        findings=[
            replace(
                finding,
                places=[],
                example=replace(hidden_example(finding.example), crash=finding.example.crash),
            )
            for finding in results.findings
        ],
        tests=[
            replace(
                test,
                output=test.output if test.is_not_run else '',
                example=test.example and hidden_example(test.example),
            )
            for test in results.tests
        ],
    )


def write_pages(folder: Path, results: Results, transcripts: Iterable[Transcript]) -> None:
    """Write report.html, and the smallest of the fresh games that fail. Raises `OSError`.

    Do nothing if the page is newer than the results, which are of `transcripts`.
    """
    page, path = folder / REPORT, folder / 'results.json'
    if path.exists() and page.exists() and page.stat().st_mtime_ns >= path.stat().st_mtime_ns:
        return
    from .pages import report_page  # jinja2 takes long to import

    write_whole(page, report_page(results, '../index.html', transcripts))
    if results.smallest:
        write_whole(folder / 'smallest.txt', results.smallest)
    else:  # the program may have been fixed
        (folder / 'smallest.txt').unlink(missing_ok=True)


def write_overview(
    out: Path, ungraded: Iterable[Results] = (), transcripts: Sequence[Transcript] = ()
) -> None:
    """Write grades.csv, index.html and a page for each session, about all results in a folder.

    Submissions in `ungraded` have no grade, even if the folder has older results. Raises `OSError`.
    """
    from .pages import index_page, page_of, session_page

    summaries = {
        results.submission: results for results in [*map(summary, results_below(out)), *ungraded]
    }
    everything = [*summaries.values()]
    write_grades(out / 'grades.csv', everything)
    kept = {out / name / REPORT for name, one in summaries.items() if one.score is not None}
    for number, transcript in enumerate(transcripts):
        kept.add(out / page_of(number))
        write_whole(out / page_of(number), session_page(transcript, everything))
    write_whole(out / 'index.html', index_page(everything, [one.name for one in transcripts]))
    for page in [*out.glob('session-*.html'), *out.glob(f'*/{REPORT}')]:
        # Of a session or a grade that is there no more.
        if page not in kept and page.is_file() and GENERATOR in page.read_bytes():
            page.unlink()


def results_below(out: Path) -> Iterator[Results]:
    """Yield all results that stand in a folder of results."""
    yield from filter(None, map(read_results, sorted(out.glob('*/results.json'))))


def write_grades(path: Path, all_results: Iterable[Results]) -> None:
    """Write grades.csv, whole, in order of name. Raises `OSError`."""
    import csv  # which is needed for --out alone

    table = io.StringIO()
    writer = csv.DictWriter(table, COLUMNS, lineterminator='\n')
    writer.writeheader()
    writer.writerows(
        map(
            row_of,
            sorted(
                all_results, key=lambda results: (results.submission.casefold(), results.submission)
            ),
        )
    )
    # Without a byte order mark Excel does not read UTF-8.
    write_whole(path, '\ufeff' + table.getvalue())


def row_of(results: Results) -> dict[str, object]:
    """Return the row of one submission; its score is empty if it has no grade."""
    row: dict[str, object] = {
        'submission': as_text(results.submission),
        'late': LATE_IN_WORDS[results.late],
        'note': as_text(note_on(results)),
        'id': as_text(results.id),
        'email': as_text(results.email),
    }
    if results.score is not None:
        row.update(
            score=f'{results.score:g}',
            max_score=f'{results.max_score:g}',
            passed=results.passed,
            failed=len(results.tests) - results.passed,
            faults=as_text('; '.join(results.faults)),
            seconds=results.execution_time,
            score_if_printing_were_right=score_without_printing(results),
        )
    return row


def score_without_printing(results: Results) -> str:
    """Return the points that a submission would have if it printed everything right.

    A session counts as passed if all its findings are faults of printing. Return '' where not all
    of the program can be seen.
    """
    points = float(results.score or 0)
    if results.findings and (
        results.reasons_not_run or any(finding.is_end for finding in results.findings)
    ):
        return ''
    for test in results.tests:
        shown = [finding for finding in results.findings if test.name in finding.sessions]
        if shown and all(finding.is_printing for finding in shown):
            if test.name in shown[0].unseen:
                return ''
            points += test.max_score - test.score
    return f'{points:g}'


def as_text(cell: str) -> str:
    """Return a cell, on one line, that no spreadsheet reads as a formula.

    >>> as_text('=1+1'), as_text('a;-b'), as_text('doe-jane')
    ("'=1+1", "a;'-b", 'doe-jane')
    """
    return FORMULA.sub(r"\1\2'", printable(cell))


def junit_xml(results: Results) -> str:
    """Return the results of one submission as JUnit XML.

    A session beyond the assignment that fails is skipped, because it costs no points.
    """
    from xml.etree import ElementTree  # which is needed for --junit alone

    results = for_students(results)
    suites = ElementTree.Element('testsuites')
    suite = ElementTree.SubElement(
        suites, 'testsuite', {'name': results.submission, 'tests': str(len(results.tests))}
    )
    if results.execution_time is not None:
        suite.set('time', f'{results.execution_time:g}')
    told = entries(results)
    for test in results.tests:
        case = ElementTree.SubElement(
            suite, 'testcase', {'name': short(test.name), 'classname': results.game}
        )
        if test.has_passed:
            continue
        kind = 'skipped' if BEYOND in test.tags else 'error' if test.is_not_run else 'failure'
        shown = [entry for entry in told if test.name in entry.finding.sessions]
        advice = [
            '\n'.join(filter(None, [entry.title, entry.finding.advice, entry.gain]))
            for entry in shown
        ]
        ElementTree.SubElement(
            case,
            kind,
            {
                'message': ' '.join(entry.title for entry in shown)
                or test.output.partition('\n')[0],
            },
        ).text = '\n\n'.join([test.output, *advice])
    sums = {
        name: str(len(suite.findall(f'testcase/{kind}')))
        for name, kind in (('failures', 'failure'), ('errors', 'error'), ('skipped', 'skipped'))
    }
    suites.attrib.update(sums)
    suite.attrib.update(sums)
    return ElementTree.tostring(suites, encoding='unicode', xml_declaration=True) + '\n'


# -------------------------------------------------------------------------------------- Gradescope


def for_gradescope(results: Results) -> Json:
    """Return results as Gradescope reads them: what to fix is a test of its own, for no points.

    This test is as visible as the others. The text above all tests is always visible, so it quotes
    no test.
    """
    results = for_students(results)
    shown = to_json(results)
    shown['output'] = '\n\n'.join(
        filter(None, [end_note(results), *(f'note: {note}' for note in results.notes)])
    )
    for test in shown['tests']:
        test['tags'] += [
            finding.id
            for finding in results.findings
            if finding.id and test['name'] in finding.sessions
        ]
    if results.findings:
        shown['tests'].insert(
            0,
            {
                'name': TO_FIX,
                'score': 0,
                'max_score': 0,
                'status': 'failed',
                'output': '\n'.join(to_fix(results)),
                'output_format': 'html',
                'tags': results.faults,
                'visibility': results.visibility,
                'extra_data': {},
            },
        )
    return shown


def to_fix(results: Results) -> Iterator[str]:
    """Yield the lines of what to fix, as HTML: each finding, and where to look in the program."""
    from html import escape  # which is for Gradescope alone

    for entry in entries(results):
        finding = entry.finding
        # Two blanks stay two.
        title, *more = [
            escape(text).replace('  ', ' &nbsp;')
            for text in (entry.title, finding.advice, entry.gain)
            if text
        ]
        yield f'<h4>{title}</h4>'
        yield from (f'<p>{text}</p>' for text in more)
        yield f'<pre>{escape(describe(finding.example))}</pre>'
        for place in finding.places:
            yield f'<p>{escape(where_to_look([place]))}</p>\n<pre>{escape(place.source)}</pre>'
        yield (
            f'<p>Seen in {counted(len(finding.sessions))}: '
            f'{escape(list_sessions(finding.sessions))}.</p>'
        )


def pack(
    words: Sequence[str],
    transcripts: Sequence[Transcript],
    packages: Sequence[str] = (),
    own: Sequence[DataFile] = (),
    seed: int | None = None,
) -> bytes:
    """Return a zip that grades as `grade` does; the same arguments give the same bytes.

    `words` are the options and the game, `transcripts` the sessions of the project that they need,
    `packages` what Ubuntu has to install, `own` the files of an assignment of one's own,
    `seed` that of the fresh games.
    """
    known = {
        WORDS_HERE: shlex.join(words),
        '@SEED@': '' if seed is None else str(seed),
        '@PACKAGES@': shlex.join(['python3-venv', *packages]),
    }
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, 'w') as archive:
        for name in ('setup.sh', 'run_autograder'):
            script = (SCRIPTS / name).read_text(encoding='utf-8')
            for place, text in known.items():
                script = script.replace(place, text)
            add(archive, name, script.encode(), EXECUTABLE_MODE)
        names = sorted(transcript.name for transcript in transcripts)
        for name, path in {**grader_files(), **{name: ROOT / name for name in names}}.items():
            add(archive, name, path.read_bytes(), PLAIN_MODE)
        for file in own:
            add(
                archive,
                f'{words[-1]}/{file.name}',
                file.content,
                EXECUTABLE_MODE if file.is_executable else PLAIN_MODE,
            )
    return zipped.getvalue()


def add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    """Add a file to a zip."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the first time that a zip can hold
    entry.create_system = 3  # Unix, whose modes a zip holds
    entry.external_attr = mode << 16
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def missing_packages(*commands: str) -> str:
    """Return which commands a machine of Gradescope lacks, in words, '' for none.

    >>> missing_packages('java Game', 'cd src && javac *.java')
    'a machine of Gradescope has no java, javac: pack again with --install "default-jdk-headless"'
    >>> missing_packages('python3 game.py', './build.sh')
    ''
    """
    words = shlex.shlex('\n; '.join(commands), posix=True, punctuation_chars=True)
    words.whitespace_split = True
    every = [';', *words]
    # The first word of each command.
    tools = dict.fromkeys(
        tool
        for before, tool in itertools.pairwise(every)
        if {*before} <= COMMAND_SEPARATORS
        and not {*tool} <= COMMAND_SEPARATORS
        and tool not in THERE
        and '/' not in tool
        and '=' not in tool
    )
    if not tools:
        return ''
    packages = dict.fromkeys(PACKAGES.get(tool, f'PACKAGE-OF-{tool}') for tool in tools)
    return (
        f'a machine of Gradescope has no {", ".join(tools)}: '
        f'pack again with --install "{" ".join(packages)}"'
    )
