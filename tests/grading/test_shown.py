"""What Gradescope shows of a submission: what to fix as a test on top, and no markup of others."""

import json
from dataclasses import replace

import pages
from assigned import by, settings_for
from graders import check_format
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import Reader, a_test, example, finding, missing_in

from grading.diagnosis.finding import Place
from grading.grader import Scorebook
from grading.printable import clean
from grading.reports.gradescope import TO_FIX, for_gradescope
from grading.reports.results import NOT_WHOLE, read_results

MARKUP = '</pre><script>alert(1)</script>"\'&amp;<b onclick=x> ``` **a** [b](javascript:c)'


def results_of(said='one', visibility='visible', findings=2, **facts):
    """Return results of two sessions; whatever a program has a share in is `said`."""
    shows = example(said, lines=(said, said), hint=said)
    place = Place(said, 3, 4, said, 'printed by', [said], 1, said)
    causes = [finding(*[said] * 8, id=id_, sentence=f'turns {said}', advice=advice, example=shows,
                      places=places, points=2 - 2 * number)
              for number, (id_, advice, places) in enumerate([
                  ('one-run', said, []), ('', '', [place])][:findings])]
    tests = [replace(a_test(said, status, said, points, **about), max_score=2,
                     visibility=visibility)
             for points, status, about in ((0, 'failed', {'example': shows}), (2, 'passed', {}))]
    tests[1].name += 'more'
    return pages.results_of(*tests, submission=said, output=said, score=2, findings=causes,
                            visibility=visibility, **facts)


def test_what_to_fix_is_a_test_on_top_that_costs_nothing():
    results = results_of()
    shown = for_gradescope(results)
    check_format(shown)
    first, *tests = shown['tests']
    assert {key: first[key] for key in ('name', 'score', 'max_score', 'status', 'output_format',
                                        'tags')} == {
        'name': TO_FIX, 'score': 0, 'max_score': 0, 'status': 'failed', 'output_format': 'html',
        'tags': ['one-run']}
    assert [test['tags'] for test in tests] == [['one-run'], []]
    assert shown['score'] == sum(test['score'] for test in shown['tests']) == 2
    assert sum(test['max_score'] for test in shown['tests']) == 4
    assert results.tests[0].tags == []                  # what it was made from is as it was
    assert missing_in(first['output'], [
        '1. The program turns one.', '2. Also, the program turns one.',
        'Printed by: one, lines 3 to 4', 'Fixing this alone gives 2 of 2 lost points back.',
        'Fixing this alone gives no points back: the same sessions show other faults, too.',
        'Seen in 8 sessions: one, one, one, one, one, one, and 2 more.']) == []


def test_nothing_to_fix_is_no_test():
    assert len(for_gradescope(results_of(findings=0))['tests']) == 2


def test_the_text_on_the_whole_quotes_no_test():
    assert for_gradescope(results_of())['output'] == ''
    shown = for_gradescope(results_of('said', 'hidden', ended='SIGTERM', complete=False,
                                      notes=['left out: x']))
    assert shown['output'] == f'ended by SIGTERM\n\n{NOT_WHOLE}\n\nnote: left out: x'
    assert {test['visibility'] for test in shown['tests']} == {'hidden'}


@settings(max_examples=20)
@given(st.one_of(st.just(MARKUP), st.text()))
def test_whatever_is_said_stays_text(said):
    shown = for_gradescope(results_of(said))
    first, *tests = shown['tests']
    read, escaped = Reader(first['output']), clean(said).rstrip('\n')
    assert {(tag, *facts) for tag, facts in read.elements} <= {('h4',), ('p',), ('pre',)}
    assert escaped.isprintable()
    assert read.text.replace('\xa0', ' ').count(escaped) >= 5
    # And so is the rest.
    assert not [one for one in (shown, *tests) if 'output_format' in one]


def test_markup_would_be_seen():
    assert [tag for tag, _ in Reader(MARKUP).elements] == ['script', 'b']


def test_results_are_saved_both_ways(tmp_path):
    book = Scorebook(by([], settings_for('othello')), 'one', tmp_path / 'own',
                     tmp_path / 'gradescope')
    book.results.findings = results_of().findings
    book.complete()
    book.save()
    own, shown = (json.loads((tmp_path / name).read_text()) for name in ('own', 'gradescope'))
    assert (own['output'], own['tests']) == ('', [])
    assert shown == for_gradescope(read_results(tmp_path / 'own'))
    assert (shown['output'], len(shown['tests'])) == ('', 1)


def test_while_sessions_are_played_results_are_saved_once_a_second(tmp_path, monkeypatch):
    now = [5.0]
    monkeypatch.setattr('time.monotonic', lambda: now[0])
    path = tmp_path / 'own'
    book = Scorebook(by([], settings_for('othello')), 'one', path)
    for seconds, is_needed, is_saved in [
            (0, False, True), (0.9, False, False), (0.2, False, True), (0.5, False, False),
            (0.1, True, True), (0.8, False, False)]:
        now[0] += seconds
        book.save(is_needed)
        assert path.exists() == is_saved, (now, is_needed)
        path.unlink(missing_ok=True)
