"""The page about one submission: what it shows, and what no submission can make of it."""

import html
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from pages import (
    BOARD,
    HOSTILE,
    OTHER,
    PASSED,
    Reader,
    assert_harmless,
    example,
    failed,
    finding,
    not_run,
    results_of,
)

from grading.diagnosis.finding import Crash, Place
from grading.reports.html.examples import lines_of
from grading.reports.html.pages import index_page, report_page
from grading.reports.results import FRESH
from grading.sessions.transcript import Transcript

BOARD_LINES = '\n'.join(f'|{line}' for line in BOARD.splitlines())


def test_a_report_says_everything():
    page = report_page(results_of(
        failed(), PASSED, not_run(),
        submission='doejane_12345', output='why it is not whole', late=True, seed=17, score=1,
        reach=['the network'], notes=['left out: x: a link'], ended='the time limit of 240 s'))
    text = Reader(page).text
    for part in ('doejane_12345', '1 of 3 points', 'why it is not whole', 'the network',
                 'x: a link', 'late', 'the time limit of 240 s', '1 of 3 passed', 'a message',
                 'not run', 'does not print the expected output, line 12'):
        assert part in ' '.join(text.split()), part
    assert '17' not in text             # which is a secret of the teacher's
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


def test_a_finding_stands_once_and_its_sessions_together():
    tests = [failed(f'transcripts/othello/{i}.txt') for i in range(3)]
    tests.insert(1, failed())
    names = [test['name'] for test in tests]
    page = report_page(results_of(*tests, findings=[
        finding(names[0], *names[2:], points=3),
        finding(names[1], id='', advice='', points=0, is_end=True,
                sentence='crashes at a.py, line 3 (KeyError)')]))
    text = ' '.join(Reader(page).text.split())
    for part in ('1. The program turns over discs in one direction only. one-run in 3 sessions. '
                 'Fixing this alone gives 3 of 4 lost points back. Look in all directions.',
                 '2. Also, the program crashes at a.py, line 3 (KeyError). in 1 session. '
                 'Every session ends here; what comes after it cannot be seen yet.',
                 '3 sessions failed: one-run', '1 session failed: crashes at a.py'):
        assert part in text, part
    assert text.count('Look in all directions.') == 1
    assert re.findall('href="#(.*?)"', page) == ['test-1', 'test-2']
    assert sorted(re.findall('id="(.*?)"', page)) == ['test-1', 'test-2', 'test-3', 'test-4']
    assert page.index('What to fix') < page.index('<svg') < page.index('Sessions</h2>')


def test_a_place_in_the_program_stands_with_its_finding():
    places = [Place('game.py', first, last, '', 'ran', ['a'], start, context)
              for first, last, start, context in (
                  (7, 8, 6, 'x = 1\nif x:\n    y()\nz()'), (5, 5, 4, 'a\nb\nx = 1'),
                  (1, 1, 1, 'import x'))]
    shows = example('a', hint='look', errors=['<b>'], printed='hint: no')
    page = report_page(results_of(failed(), findings=[
        finding('a', places=places, example=shows), finding('b', id='other')]))
    text = ' '.join(Reader(page).text.split())
    assert text.count('Ran where the output is wrong, and seldom elsewhere: game.py, lines 1, 5, '
                      '7 to 8 1 import x 4 a 5 b 6 x = 1 7 if x: 8 y() 9 z()') == 1
    assert page.count('<span class="row told">') == 4
    assert page.count('class="source"') == 2            # in two pieces
    assert text.index('game.py') < text.index('other')
    assert text.index('Stderr: <b> Hint: look') < text.index('game.py')
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
    text = ' '.join(Reader(re.sub('<text.*?</text>', '', page)).text.split())
    whole, before, after = (
        ' '.join(' '.join(line.lstrip('|') for line in lines).split())
        for lines in (SESSION.lines[1:], SESSION.lines[1:11], SESSION.lines[19:]))
    wrong, right = text.split('1 session passed')
    assert whole in right
    assert f'Right up to here {before} Typed 2 4' in wrong
    assert f'How the session should go on {after}' in wrong
    assert page.count('<svg class="sketch"') == 2 + 3
    assert page.count('class="last"') == 1 + 2
    assert_harmless(page)


def test_a_session_that_was_not_run_has_no_course():
    page = report_page(results_of(not_run('a')), '', [SESSION])
    assert 'class="course"' not in page


def test_the_smallest_game_is_shown():
    game = '$ othello_console.py\n|FULL\n4\n'
    page = report_page(results_of({**failed(FRESH, step=1), 'output': game}, smallest=game))
    assert game in Reader(page).text
    assert 'Right up to here FULL Typed 2 4' in ' '.join(Reader(page).text.split())


def test_why_nothing_was_run():
    tests = [not_run(reason='no executable module')] * 3
    assert report_page(results_of(*tests)).count('no executable module') == 1


def test_no_grade():
    page = report_page({**results_of(), 'score': None, 'output': 'it cannot be read'})
    assert 'not graded' in page
    assert 'it cannot be read' in page


def test_hostile_names_and_outputs_are_text():
    session = Transcript(HOSTILE, f'$ othello_console.py\n{HOSTILE}\n|{HOSTILE}\n{HOSTILE}\n')
    texts = {key: HOSTILE for key in ('typed', 'expected', 'printed', 'before', 'hint', 'way')}
    shows = example(HOSTILE, errors=[HOSTILE], crash=Crash(HOSTILE, HOSTILE, 1, HOSTILE), **texts)
    place = Place(HOSTILE, 1, 1, HOSTILE, HOSTILE, [HOSTILE], 1, HOSTILE)
    page = report_page(results_of(
        {**failed(HOSTILE, **texts), 'output': HOSTILE}, findings=[
            finding(HOSTILE, id=HOSTILE, sentence=HOSTILE, advice=HOSTILE, example=shows,
                    places=[place])],
        submission=HOSTILE, output=HOSTILE, notes=[HOSTILE], ended=HOSTILE, reach=[HOSTILE],
        confinement=HOSTILE), '', [session])
    assert_harmless(page)
    assert Reader(page).text.count(HOSTILE) == 30
    assert HOSTILE[:20] in html.unescape(re.search('<title>(.*?)</title>', page)[1])
    index = index_page([
        results_of(PASSED, submission=HOSTILE, ended=HOSTILE,
                   findings=[finding(HOSTILE, id=HOSTILE, sentence=HOSTILE)]),
        {**results_of(submission=HOSTILE, output=HOSTILE), 'score': None}])
    assert_harmless(index)
    assert HOSTILE in Reader(index).text


@settings(max_examples=40)
@given(st.text(alphabet='BW. \t\n0123456789pile=INVALIDCOS:', max_size=200), st.text(max_size=9))
def test_any_output_makes_a_page(printed, typed):
    test = failed(printed=printed, before=printed, expected=BOARD, typed=typed)
    page = report_page(results_of(test))
    assert_harmless(page)
    text = Reader(page).text
    for line in lines_of(example(printed=printed).printed_text, BOARD):
        assert line.text in text
