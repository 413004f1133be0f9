"""The page about one submission: what it shows, and what no submission can make of it."""

import html
import re
from dataclasses import replace

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
    missing_in,
    not_run,
    results_of,
    words_of,
)
from tables import each

from grading.diagnosis.finding import Crash, Place
from grading.reports.pages import compare_texts, index_page, playthrough_of, report_page
from grading.reports.results import FRESH
from grading.sessions.transcript import Transcript

BOARD_LINES = '\n'.join(f'|{line}' for line in BOARD.splitlines())


GAME = '$ othello_console.py\n|FULL\n4\n'
PAGES = {                               # what they say, and what they do not
    'what is typed': (report_page(results_of(failed(typed='2 4'))), ['Typed 2 4'], []),
    'nothing is typed': (report_page(results_of(failed(typed=None))), [], ['Typed']),
    'an empty line': (report_page(results_of(failed(typed=''))), ['Typed an empty line'], []),
    'alone': (report_page(results_of(PASSED)), [], ['index.html']),
    'of a class': (report_page(results_of(PASSED), '../index.html'),
                   ['href="../index.html"'], []),
    'all right': (report_page(results_of(PASSED, score=1)), ['All is right'], []),
    'not all': (report_page(results_of(PASSED, failed(), score=1)), [], ['All is right']),
    'no grade': (report_page(replace(results_of(), score=None, output='it cannot be read')),
                 ['not graded', 'it cannot be read'], []),
    'the smallest game': (
        report_page(results_of(replace(failed(FRESH, step=1), output=GAME), smallest=GAME)),
        ['Right up to here FULL Typed 2 4'], []),
}


@each('page, parts, others', PAGES.values())
def test_what_a_report_says(page, parts, others):
    assert missing_in(page, parts) == []
    assert [part for part in others if part in page] == []


def test_a_report_says_everything():
    page = report_page(results_of(
        failed(), PASSED, not_run(),
        submission='doejane_12345', output='why it is not whole', late=True, seed=17, score=1,
        reach=['the network'], notes=['left out: x: a link'], ended='the time limit of 240 s'))
    assert missing_in(page, [
        'doejane_12345', '1 of 3 points', 'why it is not whole', 'the network', 'x: a link', 'late',
        'the time limit of 240 s', '1 of 3 passed', 'a message', 'not run',
        'does not print the expected output, line 12']) == []
    assert '17' not in words_of(page)           # which is a secret of the teacher's
    assert page.count('<details') == 3         # one that failed, those not run, those that passed
    assert_harmless(page)


@each('text, wrong, typed', [
    ('|? \\\n# end of input\n|\n|a\n', 1, [[]]),    # nothing was typed before what is wrong
    ('1\n# end of input\n|a\n', 2, [['1']]), ('|?\n1\n|a\n', 1, [[]])])
def test_what_was_typed_before_the_wrong_output(text, wrong, typed):
    before = playthrough_of(Transcript('a', text), wrong)[0]
    assert [scene.typed for scene in before] == typed


@each('page, text', [
    (PAGES['what is typed'][0], BOARD), (PAGES['what is typed'][0], OTHER),
    (PAGES['the smallest game'][0], GAME)])
def test_texts_stand_there_as_they_are(page, text):
    assert text in Reader(page).text


def test_lines_that_differ_are_marked():
    page = report_page(results_of(failed(printed=BOARD.replace('  W', ' W').rstrip('\n'))))
    counts = {'class="row differs"': 4, 'no newline': 1, '<span class="blank"> </span>': 4 + 3 + 2}
    assert {part: page.count(part) for part in counts} == counts
    assert BOARD in Reader(page).text.replace(' no newline', '\n')


@each('lines, others, differing', [
    ('INVALID\n' + BOARD, BOARD, ['INVALID']), (BOARD, 'INVALID\n' + BOARD, [])])
def test_a_line_too_many_marks_no_other(lines, others, differing):
    assert [line.text for line in compare_texts(lines, others)[0] if line.differs] == differing


def test_a_finding_stands_once_and_its_sessions_together():
    names = [f'transcripts/othello/{name}.txt' for name in '0a12']
    page = report_page(results_of(*map(failed, names), findings=[
        finding(names[0], *names[2:], points=3),
        finding(names[1], id='', advice='', points=0, is_end=True,
                sentence='crashes at a.py, line 3 (KeyError)')]))
    assert missing_in(page, [
        '1. The program flips discs in one direction only. one-run in 3 sessions. '
        'Fixing this alone gives 3 of 4 lost points back. Look in all directions.',
        '2. Also, the program crashes at a.py, line 3 (KeyError). in 1 session. '
        'Every session ends here; what comes after it cannot be seen yet.',
        '3 sessions failed: one-run', '1 session failed: crashes at a.py']) == []
    assert words_of(page).count('Look in all directions.') == 1
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
    text = words_of(page)
    assert text.count('Ran where the output is wrong, and seldom elsewhere: game.py, lines 1, 5, '
                      '7 to 8 1 import x 4 a 5 b 6 x = 1 7 if x: 8 y() 9 z()') == 1
    assert page.count('<span class="row told">') == 4
    assert page.count('class="source"') == 2            # in two pieces
    parts = ['Stderr: <b> Hint: look', 'game.py', 'other']
    assert sorted(parts, key=text.index) == parts
    assert text.count('Hint: ') == 1


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
    page = report_page(results_of(failed('a', step=3), replace(PASSED, name='b')), '',
                       [SESSION, Transcript('b', '\n'.join(SESSION.lines))])
    wrong, right = words_of(re.sub('<text.*?</text>', '', page)).split('1 session passed')
    whole, before, after = (
        ' '.join(' '.join(line.lstrip('|') for line in lines).split())
        for lines in (SESSION.lines[1:], SESSION.lines[1:11], SESSION.lines[19:]))
    assert whole in right
    assert f'Right up to here {before} Typed 2 4' in wrong
    assert f'How the session should go on {after}' in wrong
    assert page.count('<svg class="sketch"') == 2 + 3
    assert page.count('class="last"') == 1 + 2
    assert_harmless(page)


@each('page, part, count', [
    (report_page(results_of(not_run('a')), '', [SESSION]), 'class="course"', 0),
    (report_page(results_of(*[not_run(reason='no executable module')] * 3)),
     'no executable module', 1)])
def test_what_was_not_run_has_no_course_and_one_reason(page, part, count):
    assert page.count(part) == count


def test_hostile_names_and_outputs_are_text():
    session = Transcript(HOSTILE, f'$ othello_console.py\n{HOSTILE}\n|{HOSTILE}\n{HOSTILE}\n')
    texts = {key: HOSTILE for key in ('typed', 'expected', 'printed', 'before', 'hint', 'way')}
    shows = example(HOSTILE, errors=[HOSTILE], crash=Crash(HOSTILE, HOSTILE, 1, HOSTILE), **texts)
    place = Place(HOSTILE, 1, 1, HOSTILE, HOSTILE, [HOSTILE], 1, HOSTILE)
    page = report_page(results_of(
        replace(failed(HOSTILE, **texts), output=HOSTILE), findings=[
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
        replace(results_of(submission=HOSTILE, output=HOSTILE), score=None)])
    assert_harmless(index)
    assert HOSTILE in Reader(index).text


@settings(max_examples=20)
@given(st.text(alphabet='BW. \t\n0123456789pile=INVALIDCOS:', max_size=200), st.text(max_size=9))
def test_any_output_makes_a_page(printed, typed):
    test = failed(printed=printed, before=printed, expected=BOARD, typed=typed)
    page = report_page(results_of(test))
    assert_harmless(page)
    text = Reader(page).text
    for line in compare_texts(example(printed=printed).printed_text, BOARD)[0]:
        assert line.text in text
