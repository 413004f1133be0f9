"""The page about one submission: what it shows, and what no submission can make of it."""

from __future__ import annotations

import html
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from pages import (
    BOARD,
    FAULT,
    HOSTILE,
    OTHER,
    PASSED,
    Reader,
    assert_harmless,
    failed,
    results_of,
    told,
)

from grading.reports.html.index import index_page
from grading.reports.html.lines import lines_of
from grading.reports.html.page import report_page
from grading.reports.results import FRESH
from grading.sessions.transcript import Transcript

BOARD_LINES = '\n'.join(f'|{line}' for line in BOARD.splitlines())


def test_a_report_says_everything():
    page = report_page(results_of(
        failed(), PASSED, failed('transcripts/othello/c.txt', kind='not run'),
        submission='doejane_12345', output='the faults', late=True, seed=17, score=1,
        reach=['the network'], notes=['left out: x: a link'], ended='the time limit of 240 s'))
    text = Reader(page).text
    for part in ('doejane_12345', '1 of 3 points', 'the faults', 'the network', 'x: a link', 'late',
                 '17', 'the time limit of 240 s', '1 of 3 passed', 'a message', 'not run',
                 'prints something else, line 12'):
        assert part in ' '.join(text.split()), part
    assert page.count('<details') == 3         # one that failed, those not run, those that passed
    assert_harmless(page)


def test_texts_beside_the_pictures():
    reader = Reader(report_page(results_of(failed(typed='2 4'))))
    assert BOARD in reader.text
    assert OTHER in reader.text
    assert 'Typed 2 4' in reader.text
    assert 'Typed' not in Reader(report_page(results_of(failed(typed=None)))).text
    assert 'Typed an empty line' in Reader(report_page(results_of(failed(typed='')))).text


def test_lines_that_differ_are_marked():
    page = report_page(results_of(failed(printed=BOARD.replace('  W', ' W').rstrip('\n'))))
    assert page.count('class="row differs"') == 4
    assert page.count('no newline') == 1
    assert BOARD in Reader(page).text.replace(' no newline', '\n')
    assert page.count('<span class="blank"> </span>') == 4 + 3 + 1 + 1


def test_a_line_too_many_marks_no_other():
    differing = [line.text for line in lines_of('INVALID\n' + BOARD, BOARD) if line.differs]
    assert differing == ['INVALID']
    assert not any(line.differs for line in lines_of(BOARD, 'INVALID\n' + BOARD))


def test_a_cause_is_told_once_and_its_sessions_stand_together():
    tests = [failed(f'transcripts/othello/{i}.txt', faults=[FAULT]) for i in range(3)]
    tests.insert(1, failed())
    beside = {**told(tests[1]['name'], name=''), 'advice': '',
              'sentence': 'crashes at a.py, line 3 (KeyError)'}
    page = report_page(results_of(
        *tests, told=[told(tests[0]['name'], *(test['name'] for test in tests[2:])), beside]))
    text = ' '.join(Reader(page).text.split())
    for part in ('1. The program turns over one run only', 'Look in all directions.',
                 'in 3 sessions', '2. These aside, the program crashes at a.py, line 3',
                 '3 sessions failed: one-run', '1 session failed: crashes at a.py'):
        assert part in text, part
    assert text.count('Look in all directions.') == 1
    assert re.findall('href="#(.*?)"', page) == ['test-1', 'test-2']
    assert sorted(re.findall('id="(.*?)"', page)) == ['test-1', 'test-2', 'test-3', 'test-4']
    assert page.index('What to mend') < page.index('<svg') < page.index('Sessions</h2>')


def test_a_place_in_the_program_stands_with_its_cause():
    place = {'entry': 1, 'file': 'game.py', 'why': 'ran', 'sessions': ['a']}
    where = [{**place, 'first': 7, 'last': 8, 'start': 6, 'context': 'x = 1\nif x:\n    y()\nz()'},
             {**place, 'first': 5, 'last': 5, 'start': 4, 'context': 'a\nb\nx = 1'},
             {**place, 'first': 1, 'last': 1, 'start': 1, 'context': 'import x'}]
    causes = [told('a'), {**told('b'), 'id': 'other'}]
    causes[0]['place']['message'] = 'a:3: ...\n  printed  |hint: no\n  hint: look\n  stderr   |<b>'
    page = report_page(results_of(failed(), told=causes, where=where))
    text = ' '.join(Reader(page).text.split())
    assert text.count('Ran where it goes wrong, and seldom elsewhere: game.py, lines 1, 5, 7 to 8 '
                      '1 import x 4 a 5 b 6 x = 1 7 if x: 8 y() 9 z()') == 1
    assert page.count('<span class="row told">') == 4
    assert page.count('class="source"') == 2            # in two pieces
    assert text.index('game.py') < text.index('other')
    assert text.index('Hint: look Stderr: <b>') < text.index('game.py')
    assert text.count('Hint: ') == 1


def test_the_class_is_linked_to_only_if_there_is_one():
    assert 'index.html' not in report_page(results_of(PASSED))
    assert 'href="../index.html"' in report_page(results_of(PASSED), '../index.html')


def test_all_right():
    assert 'All is right' in report_page(results_of(PASSED, score=1))
    assert 'All is right' not in report_page(results_of(PASSED, failed(), score=1))


SESSION = Transcript('a', f"""$ othello_console.py
|FULL
4
B
{BOARD_LINES}
2 4
{BOARD_LINES}
9 9
|INVALID
1 1
{BOARD_LINES}
""")


def test_a_session_unfolds_to_its_whole_course():
    """Before what goes wrong as it went, and then as it should go on; boards are drawn."""
    page = report_page(results_of(failed('a', step=3), {**PASSED, 'name': 'b'}), '',
                       [SESSION, Transcript('b', '\n'.join(SESSION.lines))])
    text = ' '.join(Reader(page).text.split())
    whole, before, after = (
        ' '.join(' '.join(line.lstrip('|') for line in lines).split())
        for lines in (SESSION.lines[1:], SESSION.lines[1:11], SESSION.lines[19:]))
    wrong, right = text.split('1 session passed')
    assert whole in right
    assert f'All went well so far {before} Typed 2 4' in wrong
    assert f'How it should go on {after}' in wrong
    assert page.count('<svg class="sketch"') == 2 + 3
    assert page.count('class="last"') == 1 + 2
    assert_harmless(page)


def test_a_session_that_was_not_run_has_no_course():
    page = report_page(results_of(failed('a', kind='not run')), '', [SESSION])
    assert 'class="course"' not in page


def test_the_smallest_game_is_shown():
    game = '$ othello_console.py\n|FULL\n4\n'
    page = report_page(results_of({**failed(FRESH, step=1), 'output': game}, smallest=game))
    assert game in Reader(page).text
    assert 'All went well so far FULL Typed 2 4' in ' '.join(Reader(page).text.split())


def test_why_nothing_was_run():
    tests = [{**failed(kind='not run'), 'output': 'no executable module'}] * 3
    assert report_page(results_of(*tests)).count('no executable module') == 1


def test_no_grade():
    page = report_page({**results_of(), 'score': None, 'output': 'it cannot be read'})
    assert 'not graded' in page
    assert 'it cannot be read' in page


def test_hostile_names_and_outputs_are_text():
    session = Transcript(HOSTILE, f'$ othello_console.py\n{HOSTILE}\n|{HOSTILE}\n{HOSTILE}\n')
    about = {key: HOSTILE for key in ('typed', 'expected', 'printed', 'before', 'kind')}
    page = report_page(results_of(
        {**failed(HOSTILE, **about, step=1, faults=[HOSTILE]), 'output': HOSTILE},
        submission=HOSTILE, output=HOSTILE, notes=[HOSTILE], ended=HOSTILE, reach=[HOSTILE],
        confinement=HOSTILE), '', [session])
    assert_harmless(page)
    assert Reader(page).text.count(HOSTILE) > 12
    assert HOSTILE[:20] in html.unescape(re.search('<title>(.*?)</title>', page)[1])
    index = index_page([
        results_of(PASSED, submission=HOSTILE, faults=[HOSTILE], ended=HOSTILE),
        {**results_of(submission=HOSTILE, output=HOSTILE), 'score': None}])
    assert_harmless(index)
    assert HOSTILE in Reader(index).text


@settings(max_examples=60)
@given(st.text(alphabet='BW. \t\n0123456789pile=INVALIDCOS:', max_size=200), st.text(max_size=9))
def test_any_output_makes_a_page(printed, typed):
    test = failed(printed=printed, before=printed, expected=BOARD, typed=typed)
    assert_harmless(report_page(results_of(test)))
    assert lines_of(printed, BOARD) is not None
