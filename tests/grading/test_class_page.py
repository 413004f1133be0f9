"""The page about a class."""

import re
from dataclasses import replace

from pages import (
    HOSTILE,
    PASSED,
    SESSION,
    Reader,
    a_class,
    a_test,
    assert_harmless,
    failed,
    finding,
    missing_in,
    not_run,
    results_of,
    words_of,
)
from tables import each

from grading.reports.pages import Scores, index_page, session_page
from grading.sessions.transcript import Transcript

SUNDRY = index_page([
    results_of(PASSED, failed(), submission='b', score=1, late=True,
               findings=[finding('a', id='rare'), finding('a', id='common')]),
    results_of(PASSED, failed(), submission='a', score=1, findings=[finding('a', id='common')]),
    results_of(PASSED, PASSED, submission='best', score=2),
    replace(results_of(submission='lost', output='no permission'), score=None)])
ELSE = finding('a', id='', sentence='prints something else')
UNCONFINED = index_page([results_of(PASSED, submission=name, confinement=kind)
                         for name, kind in (('a', 'none'), ('b', 'bwrap'), ('c', 'none'))])
PAGES = {                               # what they say, and what they do not
    'by score and by fault': (SUNDRY, [
        'othello: 4 submissions', 'Full marks1', 'Not graded1', 'Median1 points',
        'Mean1.33 of 2 points',
        '2 programs flips discs in one direction only Show only these in the table: '
        'common ab common 2 points back 1 program', 'rare 1 point back', 'lost: no permission',
        '2 / 2'], []),
    'what was not run may give more back': (
        index_page([results_of(failed(), not_run(), findings=[finding('a', id='slow')])]),
        ['slow at least 1 point back'], []),
    'an empty class': (index_page([]), ['0 submissions'], []),
    'what its programs do': (a_class(), [
        '1 program flips discs in one direction only Show only these',
        'roe 0 / 1 crashes at a.py, line 3 (KeyError); left out: x',
        '1 program fails in a way that no known fault explains Show only these in the table: '
        'fails in a way that no known fault explains roe 1 point back',
        'href="./grades.csv"', '>Remarks<'], ['without a sandbox', '>Passed<']),
    'no column is empty': (index_page([results_of(PASSED, score=1)]), [],
                           ['>Remarks<', '>Not graded<', 'By fault']),
    'nothing was run': (index_page([results_of(not_run(), late=True)]),
                        ['>could not be run</summary>', '>late; a message<'], []),
    'remarks are sentences, each once; ids are found, not shown': (
        index_page([results_of(failed(), findings=[finding('a'), ELSE, ELSE])]),
        ['>flips discs in one direction only; prints something else<', 'data-ids="one-run"'],
        []),
    'no sandbox': (UNCONFINED, [
        '3 submissions 2 programs ran without a sandbox: they could read and change'], []),
    'passed sessions, where they are not the score': (
        index_page([results_of(PASSED, PASSED, score=1)]), ['>Passed<'], []),
}


@each('page, parts, others', PAGES.values())
def test_what_the_page_of_a_class_says(page, parts, others):
    assert missing_in(page, parts) == []
    assert [part for part in others if part in page] == []


@each('page, pattern, found', [
    (SUNDRY, r'href="\./(\w+)/report\.html#class"', ['best', 'a', 'b', 'a', 'b', 'b', 'a', 'b']),
    (UNCONFINED, '>ran without a sandbox<', ['>ran without a sandbox<'] * 2),
    (index_page([results_of(PASSED, submission=name, digest=digest) for name, digest in (
        ('ann', 'x'), ('bob', ''), ('cleo', 'x'), ('dan', 'y'), ('eve', ''), ('fay', 'x'))]),
     'the same program as ([^<]*)<', ['cleo, fay', 'ann, fay', 'ann, cleo'])])
def test_how_often_the_page_of_a_class_says_it(page, pattern, found):
    assert re.findall(pattern, page) == found


@each('name', ['../x', 'javascript:alert(1)', '//fetched.example', 'a b#c?d', '%2e'])
def test_links_lead_into_the_folder_of_results(name):
    page = index_page([results_of(PASSED, submission=name)])
    assert re.search(r'href="(?!\./grades\.csv")\./[\w%.~-]+/report\.html#class"', page)
    assert_harmless(page)


def test_scores_in_a_picture_and_in_words():
    graded = [results_of(PASSED, PASSED, PASSED, PASSED, score=score, submission=f'{score}')
              for score in (0, 0, 0.4, 3.99, 4)]
    scores = Scores.of(graded)
    assert (round(scores.mean, 3), scores.median, scores.most) == (1.678, 0.4, 4)
    assert scores.bins == [((0, 1), 3), ((1, 2), 0), ((2, 3), 0), ((3, 4), 2)]
    picture = re.search('<svg class="histogram".*?</svg>', index_page(graded), re.DOTALL)[0]
    heights = re.findall('height="([0-9.]+)"', picture)
    assert heights == ['120.0', '0.0', '0.0', '80.0']
    assert re.findall('>([^<]+)</text>', picture) == [
        'programs', '3', '0', '1', '2', '2', '3', '4', 'points']


@each('most, edges', [(28, [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28]), (2.5, [0, 1, 2, 2.5]),
                      (0, [0, 1]), (100, [*range(0, 101, 10)])])
def test_scores_are_in_ranges_of_whole_points(most, edges):
    bins = Scores.of([results_of(replace(PASSED, max_score=most), score=most)]).bins
    assert [least for (least, _), _ in bins] + [bins[-1][0][1]] == edges
    assert [count for _, count in bins] == [0] * (len(bins) - 1) + [1]


def test_many_faults_of_one_program_each_are_folded():
    """Behind those of several, and the table of submissions comes first."""
    page = index_page([results_of(
        failed(), submission=f'{number}', findings=[finding('a', id='common', sentence='is one'),
                                                    finding('a', id=f'f{number}')])
                       for number in range(10)])
    parts = ['Remarks', 'is one Show', '10 faults of one program each', 'f3 1 point back']
    assert sorted(parts, key=words_of(page).index) == parts
    assert re.findall('class="within".*</nav>', page)[0].count('href="#by-') == 3


def test_each_session_says_how_many_fail_it():
    names = [f'transcripts/othello/{name}.txt' for name in 'ab']
    page = index_page([
        results_of(failed(names[0]), failed(names[1]), submission='x'),
        results_of(failed(names[0]), a_test(names[1], 'passed', score=1), submission='y'),
        results_of(not_run(names[0]), not_run(names[1]), submission='z')], names[1:])
    assert '2 sessions that somebody fails 2 programs a Show' in words_of(page)
    assert re.findall('<a href="./(session-[0-9]+.html)"', page) == ['session-1.html']


def test_a_page_of_a_session():
    """Programs that fail it by which finding, the most frequent first; and its course."""
    session = Transcript('transcripts/othello/a.txt', SESSION)
    crash = finding(session.name, id='', sentence='crashes')
    page = session_page(session, [
        *(results_of(failed(), submission=name, findings=[finding(session.name)])
          for name in ('doe', 'Ann')),
        results_of(failed(), submission='roe', findings=[crash, finding('b')]),
        results_of(not_run(session.name), submission='old'),
        results_of(PASSED, submission='best')])
    parts = ['The session 4', 'Programs that fail it', 'Programs that fail it The program flips '
             'discs in one direction only. 2 programs Anndoe a message 1 program old '
             'The program crashes. 1 program roe']
    assert sorted(parts, key=words_of(page).index) == parts
    assert page.count('<svg class="sketch"') == 1
    assert_harmless(page)
    assert 'None of 1 program.' in session_page(session, [results_of(PASSED)])


def test_hostile_texts_on_the_page_of_a_session():
    session = Transcript(HOSTILE, f'$ othello_console.py\n|{HOSTILE}\n{HOSTILE}\n')
    page = session_page(session, [results_of(
        failed(HOSTILE), submission=HOSTILE, findings=[finding(HOSTILE, sentence=HOSTILE)])])
    assert_harmless(page)
    assert Reader(page).text.count(HOSTILE) == 6
