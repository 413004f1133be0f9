"""The page about a class."""

import re

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
    not_run,
    results_of,
)
from tables import each

from grading.reports.html.pages import Scores, index_page, session_page
from grading.sessions.transcript import Transcript


def test_a_class_by_score_and_by_fault():
    page = index_page([
        results_of(PASSED, failed(), submission='b', score=1, late=True,
                   findings=[finding('a', id='rare'), finding('a', id='common')]),
        results_of(PASSED, failed(), submission='a', score=1,
                   findings=[finding('a', id='common')]),
        results_of(PASSED, PASSED, submission='best', score=2),
        {**results_of(submission='lost', output='no permission'), 'score': None}])
    links = re.findall(r'href="\./(\w+)/report\.html#class"', page)
    assert links == ['best', 'a', 'b', 'a', 'b', 'b', 'a', 'b']
    text = ' '.join(Reader(page).text.split())
    for part in ('othello: 4 submissions', 'Full marks1', 'Not graded1', 'Median1 points',
                 'Mean1.33 of 2 points',
                 '2 programs turns over discs in one direction only Show only these in the table: '
                 'common ab common 2 points back 1 program',
                 'rare 1 point back', 'lost: no permission', '2 / 2'):
        assert part in text, part


def test_what_was_not_run_may_give_more_back():
    page = index_page([results_of(failed(), not_run(), findings=[finding('a', id='slow')])])
    assert 'slow at least 1 point back' in ' '.join(Reader(page).text.split())


@each('name', ['../x', 'javascript:alert(1)', '//fetched.example', 'a b#c?d', '%2e'])
def test_links_lead_into_the_folder_of_results(name):
    page = index_page([results_of(PASSED, submission=name)])
    assert re.search(r'href="(?!\./grades\.csv")\./[\w%.~-]+/report\.html#class"', page)
    assert_harmless(page)


def test_an_empty_class():
    assert '0 submissions' in index_page([])


def test_a_class_says_what_its_programs_do():
    text = ' '.join(Reader(a_class()).text.split())
    assert '1 program turns over discs in one direction only Show only these' in text
    assert 'roe 0 / 1 crashes at a.py, line 3 (KeyError); left out: x' in text
    assert ('1 program fails in a way that no known fault explains Show only these in the table: '
            'fails in a way that no known fault explains roe 1 point back') in text
    assert 'href="./grades.csv"' in a_class()


def test_no_column_of_a_class_is_empty():
    assert '>Remarks<' in a_class()
    page = index_page([results_of(PASSED, score=1)])
    assert not re.search('>Remarks<|>Not graded<|By fault', page)
    page = index_page([results_of(not_run(), late=True)])
    assert '>could not be run</summary>' in page
    assert '>late; a message<' in page


def test_remarks_are_sentences_each_once():
    """Ids are found by the search, but not shown."""
    twice = [finding('a', id='', sentence='prints something else') for _ in range(2)]
    page = index_page([results_of(failed(), findings=[finding('a'), *twice])])
    assert '>turns over discs in one direction only; prints something else<' in page
    assert 'data-ids="one-run"' in page


def test_programs_that_are_the_same_are_noted():
    page = index_page([results_of(PASSED, submission=name, digest=digest) for name, digest in (
        ('ann', 'x'), ('bob', ''), ('cleo', 'x'), ('dan', 'y'), ('eve', ''), ('fay', 'x'))])
    assert re.findall('the same program as ([^<]*)<', page) == [
        'cleo, fay', 'ann, fay', 'ann, cleo']


def test_what_ran_without_a_sandbox_is_said_at_the_top():
    assert 'without a sandbox' not in a_class()
    page = index_page([results_of(PASSED, submission=name, confinement=kind)
                       for name, kind in (('a', 'none'), ('b', 'bwrap'), ('c', 'none'))])
    text = ' '.join(Reader(page).text.split())
    assert '3 submissions 2 programs ran without a sandbox: they could read and change' in text
    assert page.count('>ran without a sandbox<') == 2


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
    bins = Scores.of([results_of({**PASSED, 'max_score': most}, score=most)]).bins
    assert [least for (least, _), _ in bins] + [bins[-1][0][1]] == edges
    assert [count for _, count in bins] == [0] * (len(bins) - 1) + [1]


def test_many_faults_of_one_program_each_are_folded():
    """Behind those of several, and the table of submissions comes first."""
    page = index_page([results_of(
        failed(), submission=f'{number}', findings=[finding('a', id='common', sentence='is one'),
                                                    finding('a', id=f'f{number}')])
                       for number in range(10)])
    text = ' '.join(Reader(page).text.split())
    assert text.index('Remarks') < text.index('is one Show') < text.index(
        '10 faults of one program each') < text.index('f3 1 point back')
    assert re.findall('class="within".*</nav>', page)[0].count('href="#by-') == 3


def test_passed_sessions_have_a_column_only_where_they_are_not_the_score():
    assert '>Passed<' not in a_class()
    assert '>Passed<' in index_page([results_of(PASSED, PASSED, score=1)])


def test_each_session_says_how_many_fail_it():
    names = [f'transcripts/othello/{name}.txt' for name in 'ab']
    page = index_page([
        results_of(failed(names[0]), failed(names[1]), submission='x'),
        results_of(failed(names[0]), a_test(names[1], 'passed', score=1), submission='y'),
        results_of(not_run(names[0]), not_run(names[1]), submission='z')], names[1:])
    text = ' '.join(Reader(page).text.split())
    assert '2 sessions that somebody fails 2 programs a Show' in text
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
    text = ' '.join(Reader(page).text.split())
    assert text.index('The session 4') < text.index('Programs that fail it')
    assert ('Programs that fail it The program turns over discs in one direction only. '
            '2 programs Anndoe a message 1 program old The program crashes. 1 program roe') in text
    assert page.count('<svg class="sketch"') == 1
    assert_harmless(page)
    assert 'None of 1 program.' in session_page(session, [results_of(PASSED)])


def test_hostile_texts_on_the_page_of_a_session():
    session = Transcript(HOSTILE, f'$ othello_console.py\n|{HOSTILE}\n{HOSTILE}\n')
    page = session_page(session, [results_of(
        failed(HOSTILE), submission=HOSTILE, findings=[finding(HOSTILE, sentence=HOSTILE)])])
    assert_harmless(page)
    assert Reader(page).text.count(HOSTILE) == 6
