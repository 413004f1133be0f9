"""The page about a class."""

from __future__ import annotations

import re

import pytest
from pages import (
    PASSED,
    Reader,
    a_class,
    assert_harmless,
    failed,
    finding,
    not_run,
    results_of,
)

from grading.reports.html.index import index_page


def test_a_class_by_score_and_by_fault():
    page = index_page([
        results_of(PASSED, failed(), submission='b', score=1, late=True,
                   findings=[finding('a', id='rare'), finding('a', id='common')]),
        results_of(PASSED, failed(), submission='a', score=1,
                   findings=[finding('a', id='common')]),
        results_of(PASSED, PASSED, submission='best', score=2),
        {**results_of(submission='lost', output='no permission'), 'score': None}])
    links = re.findall(r'href="\./(\w+)/report\.html"', page)
    assert links == ['a', 'b', 'b', 'best', 'a', 'b']
    text = ' '.join(Reader(page).text.split())
    for part in ('othello: 4 submissions', 'Full marks1', 'Not graded1', 'Median1 points',
                 'common in 2 programs', 'rare in 1 program', 'lost: no permission', '2 / 2'):
        assert part in text, part


@pytest.mark.parametrize(
    'name', ['../x', 'javascript:alert(1)', '//fetched.example', 'a b#c?d', '%2e'])
def test_links_lead_into_the_folder_of_results(name):
    page = index_page([results_of(PASSED, submission=name)])
    assert re.search(r'href="(?!\./grades\.csv")\./[\w%.~-]+/report\.html"', page)
    assert_harmless(page)


def test_an_empty_class():
    assert '0 submissions' in index_page([])


def test_a_class_says_what_its_programs_do():
    text = ' '.join(Reader(a_class()).text.split())
    assert 'The program turns over one run only. one-run in 1 program' in text
    assert 'roe 0 / 1 0 / 1 crashes at a.py, line 3 (KeyError); left out: x' in text
    assert 'The program goes wrong, but has no fault that is known. 1 program roe' in text
    assert 'href="./grades.csv"' in a_class()


def test_no_column_of_a_class_is_empty():
    assert '>Remarks<' in a_class()
    page = index_page([results_of(PASSED, score=1)])
    assert not re.search('>Remarks<|>Not graded<|By fault', page)
    page = index_page([results_of(not_run(), late=True)])
    assert 'The program could not be run. <span' in page
    assert '>late; a message<' in page
