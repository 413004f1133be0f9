"""Findings: which output shows what, hostile text in findings, and reading saved results."""

import itertools
import json
from dataclasses import replace
from functools import reduce
from operator import getitem
from unittest import mock

import internals
import pages
import pytest
from graders import check_format
from pages import (
    CHARACTERS,
    HOSTILE,
    Reader,
    assert_harmless,
    example,
    failed,
    finding,
    missing_in,
    played_wrong,
    results_of,
    session_result,
    words_of,
)
from random_cases import for_any

from grading import results as findings
from grading.diagnosis.diagnose import Diagnosis
from grading.diagnosis.finding import Fault
from grading.diagnosis.hints import explained_example
from grading.engine.example import example_of
from grading.installation import grader_version
from grading.printable import LONGEST_LINE, LONGEST_TEXT, clean
from grading.reports.grades_csv import write_grades
from grading.reports.gradescope import TO_FIX, for_gradescope
from grading.reports.junit import junit_xml
from grading.reports.out_folder import write_overview
from grading.reports.pages import index_page, report_page
from grading.reports.results_json import OTHER_VERSION, read_results, to_json, write_results
from grading.reports.text import line, report
from grading.reports.wording import INCOMPLETE, note_on
from grading.results import (
    HAPPENS,
    Crash,
    Example,
    Interruption,
    Place,
    Results,
    SessionResult,
    without_grade,
)
from grading.sessions.transcript import parse
from grading.workers.saved_results import SavedResults

ESC = '\x1b]0;owned\x07\x1b[2J\u202e\u2066\x9b31m'
FOLDER = '/tmp/submission'
SESSION = parse('|one\n2\n|three\n', 'a.txt')


def crashed(name, error, number='3'):
    """Return a session of a program that prints a forged traceback."""
    errors = (
        f'Traceback (most recent call last):\n  File "{FOLDER}/{name}", line {number}, in x\n'
        f'    {ESC}{HOSTILE}\n{error}: {ESC}{HOSTILE}\n'
    )
    return played_wrong(
        SESSION,
        1,
        'ended',
        f'{ESC}{HOSTILE}\n'.encode(),
        status=1,
        errors=errors.encode(),
        folder=FOLDER,
    )


def all_outputs(attack, folder):
    """Return every output, by kind, about a program failing one session with a forged crash."""
    difference = crashed(*ATTACKS[attack])
    group = Fault(difference)
    results = results_of(
        failed(
            SESSION.name,
            **{
                key: getattr(explained_example(difference), key)
                for key in ('crash', 'hint', 'errors')
            },
        ),
        findings=Diagnosis([group]).findings(lambda session: 1, lambda session: None),
    )
    write_grades(folder / 'grades.csv', [results])
    return {
        'report': '\n'.join(report(results)),
        'line': line(results),
        'page': report_page(results),
        'index': index_page([results]),
        'gradescope': for_gradescope(results)['tests'][0]['output'],
        'grades.csv': (folder / 'grades.csv').read_text(encoding='utf-8-sig'),
        'results.json': json.dumps(to_json(results), ensure_ascii=False),
    }


ATTACKS = {
    'a name': (f'{ESC}.py', 'KeyError'),
    'an error': ('a.py', f'Key{ESC}Error'),
    'both': (f'{ESC}{HOSTILE.replace(chr(34), "")}.py', f'K{ESC}{HOSTILE}'),
}


@pytest.mark.parametrize('attack', ATTACKS)
def test_no_output_contains_control_characters(attack, tmp_path):
    shown = all_outputs(attack, tmp_path)
    assert [
        (where, c)
        for where, text in shown.items()
        for c in text
        if not c.isprintable() and c not in '\n\xa0'
    ] == []
    assert_harmless(shown['page'])
    assert_harmless(shown['index'])


@pytest.mark.parametrize('mark', ['\u0301', '\u0336', '\u20dd', '\u0e49'])
def test_marks_cannot_cover_the_lines_around_them(mark):
    assert clean(f'a{mark * 5}b{mark * 4}') == f'a{mark * 4}\\u{ord(mark):04x}b{mark * 4}'


def test_control_characters_would_be_found(tmp_path):
    """Without `clean`, control characters reach the outputs, so the test above can fail."""
    with mock.patch.object(findings, 'clean', lambda text, has_lines=False: text):
        shown = all_outputs('both', tmp_path)
    assert [where for where, text in shown.items() if '\x1b' in text] == [
        'report',
        'line',
        'page',
        'index',
        'gradescope',
    ]


@pytest.mark.parametrize(
    ('name', 'number'), [('a\0b.py', '3'), ('a.py', '9' * 5000), ('a.py', '1' * 10), ('a.py', '-1')]
)
def test_an_impossible_traceback_is_not_a_crash(name, number):
    made = explained_example(crashed(name, 'KeyError', number))
    assert (made.crash, made.kind) == (None, 'ended')


BYTES = [
    b'',
    b'\0',
    b'\xff\xfe' * 9,
    b'\r\n' * 999,
    b'one',
    b'\xed\xa0\x80\n',
    ESC.encode() * 99,
    b'x' * 30_000,
    b'\n' * 30_000,
    'é\u2028\x85'.encode() * 9,
]


@pytest.mark.long
@pytest.mark.parametrize(('kind', 'step', 'printed'), [*itertools.product(HAPPENS, [0, 1], BYTES)])
def test_any_bytes_make_an_example(kind, step, printed):
    difference = played_wrong(
        SESSION, step, kind, printed, status=1, errors=printed, folder=FOLDER, late=printed
    )
    for made in (example_of(difference), explained_example(difference)):
        assert made == replace(made)  # cleaning the text again changes nothing
        assert len(made.expected) <= LONGEST_LINE + 4
        assert len(made.printed_text) <= LONGEST_TEXT + 4
        assert made.printed_text.count('\n') <= 61


def example_of_lines(lines, printed):
    """Return the example of a session with the expected `lines` and the `printed` lines."""
    session = parse(''.join(f'|{line}\n' for line in lines), 'a')
    return example_of(played_wrong(session, 0, 'differs', '\n'.join([*printed, '']).encode()))


def test_a_late_difference_is_shown():
    """A difference at the end of a long line or a long text is not cut off."""
    made = example_of_lines(['x' * 1000 + 'y'], ['x' * 1000 + 'z'])
    assert (made.expected[-2:], made.printed[-2:]) == ('y\n', 'z\n')
    lines = [*map(str, range(500))]
    made = example_of_lines(lines, [*lines[:400], '4OO', *lines[401:]])
    assert made.expected_text.startswith('...\n380\n')
    assert '\n400\n' in made.expected_text
    assert '\n4OO\n' in made.printed_text


@pytest.mark.parametrize(
    ('steps', 'cut', 'expected'),
    [
        ((0, 0), '', [('ab', 97, 'a', ''), ('bc', 99, 'c', '')]),
        (
            (1, 0),
            '',
            [('bc', 99, 'c', ''), ('ab', 97, 'a', '')],
        ),  # the fault of b and c is the first fault in both sessions
        ((0, 0), 'ab', [('ab', 0, '', 'ab'), ('bc', 99, 'c', 'b')]),
        ((0, 0), 'c', [('ab', 97, 'a', ''), ('bc', 0, '', 'c')]),
    ],
)
def test_a_session_is_clean_if_it_shows_nothing_else_and_is_seen_to_its_end(steps, cut, expected):
    sessions = [parse('1\n|x\n', name) for name in 'abc']
    failed = {
        (session, step): played_wrong(session, step, 'differs')
        for session in sessions
        for step in (0, 1)
    }
    groups = [
        Fault(failed[shown[0], 0], [failed[session, step] for session in shown])
        for shown, step in zip((sessions[:2], sessions[1:]), steps, strict=False)
    ]
    diagnosis = Diagnosis(groups, {*cut})
    diagnosis.sort()
    made = diagnosis.findings(lambda session: ord(session.name), lambda session: None)
    assert [
        (''.join(found.sessions), found.clean_points, ''.join(found.clean), ''.join(found.cut))
        for found in made
    ] == expected


def test_findings_are_read_back_as_they_were(path):
    whole = finding(
        'a',
        places=[Place('x.py', 1, 2, 'x\ny', 'ran', ['a'], 1, 'x\ny')],
        example=example('a', crash=Crash('KeyError', 'x.py', 3, 'x'), errors=['one']),
    )
    results = results_of(failed(), findings=[whole])
    write_results(path, results)
    read = read_results(path)
    assert (read.findings, read.tests) == ([whole], results.tests)


FINDING = ('extra_data', 'findings', 0)
TEST = ('tests', 0)
NOT_OURS = [
    (('extra_data', 'version'), 'older'),
    (('extra_data',), []),
    (('tests',), [1]),
    (('tests',), {}),
    (('tests',), None),
    (('score',), 'x'),
    (('score',), float('nan')),
    (('score',), 10**30),
    (('score',), True),
    (('output',), None),
    ((*TEST, 'tags'), [1]),
    ((*TEST, 'name'), 7),
    ((*TEST, 'extra_data', 'state'), '<b>'),
    ((*TEST, 'max_score'), None),
    ((*TEST, 'extra_data'), []),
    ((*TEST, 'extra_data', 'example'), [1]),
    ((*TEST, 'extra_data', 'example', 'kind'), 'x'),
    ((*TEST, 'extra_data', 'example', 'line'), '<b>'),
    ((*TEST, 'extra_data', 'example', 'surprise'), 1),
    (('extra_data', 'findings'), {'a': 1}),
    ((*FINDING, 'sentence'), 5),
    ((*FINDING, 'clean_points'), []),
    ((*FINDING, 'sessions'), [1]),
    ((*FINDING, 'places'), [{}]),
    ((*FINDING, 'example'), None),
    (('extra_data', 'notes'), 'x'),
    (('extra_data', 'late'), 'x'),
    (('extra_data', 'game'), []),
]


@pytest.fixture
def path(tmp_path):
    """Return a path for the results of a submission; its folder exists."""
    (tmp_path / 'one').mkdir()
    return tmp_path / 'one' / 'results.json'


@pytest.mark.parametrize(('way', 'value'), NOT_OURS)
def test_invalid_results_give_no_grade(way, value, path):
    """Anybody may have written the file, so an invalid file must not stop a class."""
    results = results_of(failed(), findings=[finding('a')])
    write_results(path, results)
    saved = json.loads(path.read_text(encoding='utf-8'))
    reduce(getitem, way[:-1], saved)[way[-1]] = value
    path.write_text(json.dumps(saved), encoding='utf-8')
    assert read_results(path) == (
        None if way == ('extra_data',) else without_grade('one', OTHER_VERSION)
    )
    write_overview(path.parent.parent)


def test_results_without_the_optional_fields_are_shown(path, tmp_path):
    path.write_text(
        json.dumps({'score': 1, 'extra_data': {'submission': 'one', 'version': grader_version()}})
    )
    results = read_results(path)
    write_overview(tmp_path)
    assert 'one' in (tmp_path / 'grades.csv').read_text(encoding='utf-8')
    assert 'one: ' in '\n'.join(report(results))
    assert all(show(results) for show in (report_page, for_gradescope, line))


# Reports about a submission

MARKUP = '</pre><script>alert(1)</script>"\'&amp;<b onclick=x> ``` **a** [b](javascript:c)'


def results_quoting(quoted='one', visibility='visible', findings=2, **facts):
    """Return results of two sessions; all text a program can influence is `quoted`."""
    shows = example(quoted, lines=(quoted, quoted), hint=quoted)
    place = Place(quoted, 3, 4, quoted, 'printed by', [quoted], 1, quoted)
    causes = [
        finding(
            *[quoted] * 8,
            id=id_,
            sentence=f'turns {quoted}',
            advice=advice,
            example=shows,
            places=places,
            points=2 - 2 * number,
        )
        for number, (id_, advice, places) in enumerate(
            [('one-run', quoted, []), ('', '', [place])][:findings]
        )
    ]
    tests = [
        replace(
            session_result(quoted, status, points, detail=quoted, **about),
            max_score=2,
            visibility=visibility,
        )
        for points, status, about in ((0, 'failed', {'example': shows}), (2, 'passed', {}))
    ]
    tests[1].name += 'more'
    return pages.results_of(
        *tests,
        submission=quoted,
        score=2,
        findings=causes,
        visibility=visibility,
        **facts,
    )


def test_faults_are_a_first_test_that_costs_no_points():
    results = results_quoting()
    shown = for_gradescope(results)
    check_format(shown)
    first, *tests = shown['tests']
    assert {
        key: first[key] for key in ('name', 'score', 'max_score', 'status', 'output_format', 'tags')
    } == {
        'name': TO_FIX,
        'score': 0,
        'max_score': 0,
        'status': 'failed',
        'output_format': 'html',
        'tags': ['one-run'],
    }
    assert [test['tags'] for test in tests] == [['one-run'], []]
    assert shown['score'] == sum(test['score'] for test in shown['tests']) == 2
    assert sum(test['max_score'] for test in shown['tests']) == 4
    assert results.tests[0].tags == []  # the results themselves do not change
    assert (
        missing_in(
            first['output'],
            [
                '1. The program turns one.',
                '2. The program turns one.',
                'Printed by: one, lines 3 to 4',
                'Nothing else is wrong in these sessions (2 points).',
                'Other faults show in these sessions, too.',
                'Seen in 8 sessions: one, one, one, one, one, one, and 2 more.',
            ],
        )
        == []
    )


def test_without_findings_there_is_no_test_for_faults():
    assert len(for_gradescope(results_quoting(findings=0))['tests']) == 2


def test_the_overall_output_quotes_no_test():
    ended = Interruption('signal', 'SIGTERM')
    assert for_gradescope(results_quoting())['output'] == ''
    shown = for_gradescope(
        results_quoting('quoted', 'hidden', ended=ended, complete=False, notes=['left out: x'])
    )
    assert (
        shown['output']
        == f'ended early: the grader received SIGTERM\n\n{INCOMPLETE}\n\nnote: left out: x'
    )
    assert {test['visibility'] for test in shown['tests']} == {'hidden'}


@pytest.mark.long
@for_any(20, lambda of: [of.one_of(of.just(MARKUP), of.text(CHARACTERS))])
def test_quoted_text_stays_text(quoted):
    shown = for_gradescope(results_quoting(quoted))
    first, *tests = shown['tests']
    read, escaped = Reader(first['output']), clean(quoted).rstrip('\n')
    assert {(tag, *facts) for tag, facts in read.elements} <= {('h4',), ('p',), ('pre',)}
    assert escaped.isprintable()
    assert read.text.replace('\xa0', ' ').count(escaped) >= 5
    # The other outputs are plain text.
    assert not [output for output in (shown, *tests) if 'output_format' in output]


def test_the_reader_would_find_markup():
    assert [tag for tag, _ in Reader(MARKUP).elements] == ['script', 'b']


def test_results_are_saved_for_the_grader_and_for_gradescope(tmp_path):
    results = Results('one', findings=results_quoting().findings, complete=True)
    SavedResults(tmp_path, tmp_path / 'gradescope').write(results)
    own, shown = (
        json.loads((tmp_path / name).read_text()) for name in ('results.json', 'gradescope')
    )
    assert (own['output'], own['tests']) == ('', [])
    assert shown == for_gradescope(read_results(tmp_path / 'results.json'))
    assert (shown['output'], len(shown['tests'])) == ('', 1)


def test_results_are_read_as_they_were_written(tmp_path):
    """An exit status is not confused with whether a test has passed."""
    example = Example('a', 1, 0, 'ended', status=0, expected_status='3')
    test = SessionResult('a', 1, state='failed', example=example)
    SavedResults(tmp_path, None).write(Results('one', tests=[test]))
    results = read_results(tmp_path / 'results.json')
    assert results.tests == [test]


def test_while_sessions_are_played_results_are_saved_once_a_second(tmp_path, monkeypatch):
    now = [5.0]
    monkeypatch.setattr('time.monotonic', lambda: now[0])
    path = tmp_path / 'results.json'
    files = SavedResults(tmp_path, None)
    for seconds, is_complete, is_saved in [
        (0, False, True),
        (0.9, False, False),
        (0.2, False, True),
        (0.5, False, False),
        (0.1, True, True),
        (0.8, False, False),
    ]:
        now[0] += seconds
        files.update(Results('one', complete=is_complete))
        assert path.exists() == is_saved, (now, is_complete)
        path.unlink(missing_ok=True)


@pytest.mark.parametrize(
    ('most', 'others'), [(3, ''), (2, '1 more finding not shown'), (1, '2 more findings not shown')]
)
def test_every_output_shows_the_same_number_of_findings(most, others, monkeypatch):
    """One constant limits the findings in all outputs.

    It does not limit the known faults in grades.csv and in the statistics of a class.
    """
    monkeypatch.setattr(internals.MAX_FINDINGS, most)
    sentences = [f'turns {number}' for number in 'abc']
    results = results_of(
        failed(),
        findings=[finding(failed().name, id='', sentence=sentence) for sentence in sentences],
    )
    outputs = {
        'text': '\n'.join(report(results)),
        'Gradescope': json.dumps(for_gradescope(results)['tests'][0]),
        'JUnit': junit_xml(results),
        'page': report_page(results),
        'class page': index_page([results]),
        'line': line(results),
        'grades.csv': note_on(results),
    }
    for name, output in outputs.items():
        shown = [sentence for sentence in sentences if sentence in output]
        assert shown == sentences[:most], name
    assert others in outputs['text']
    assert others in for_gradescope(results)['output']
    assert others in words_of(outputs['page'])
    assert ('not shown' in outputs['text']) == bool(others)
