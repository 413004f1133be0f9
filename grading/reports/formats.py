"""Results for other programs: Gradescope's page of a submission, and JUnit XML.

https://gradescope-autograders.readthedocs.io/en/latest/specs/ explains Gradescope's format, and
https://github.com/testmoapp/junitxml the XML that GitHub, GitLab and Jenkins read.
"""

from __future__ import annotations

from html import escape
from typing import Iterator, Sequence
from xml.etree import ElementTree

from ..diagnosis.finding import Finding, Place
from .messages import counted, describe, gain, lines_in_words, named, reason, short, title
from .results_json import (
    BEYOND,
    SavedResults,
    causes_of,
    findings_in,
    for_students,
    is_not_run,
    name_of,
    why_not_whole,
)

TO_FIX = 'What to fix'                  # the name of that test
SECRET = ('digest',)                    # facts for the teacher alone


def for_gradescope(results: SavedResults) -> SavedResults:
    """Return results for Gradescope: what to fix is a test of its own, for no points.

    That test is as visible as all others. The text above all tests is always visible, and so it
    quotes no test.
    """
    results = for_students(results)
    facts, findings = results['extra_data'], findings_in(results)
    faults = [finding for finding in findings if finding.id]
    about = [why_not_whole(facts), *(f'note: {note}' for note in facts['notes'])]
    tests = [{**test, 'tags': [*test['tags'], *causes_of(test['name'], faults)]}
             for test in results['tests']]
    if findings:
        tests.insert(0, {
            'name': TO_FIX, 'score': 0, 'max_score': 0, 'status': 'failed',
            'output': '\n'.join(to_fix(results)), 'output_format': 'html',
            'tags': [*facts['faults']], 'visibility': results['visibility'], 'extra_data': {}})
    facts = {name: fact for name, fact in facts.items() if name not in SECRET}
    return {**results, 'output': '\n\n'.join(filter(None, about)), 'tests': tests,
            'extra_data': facts}


def to_fix(results: SavedResults) -> Iterator[str]:
    """Yield the lines of what to fix, as HTML: each finding, and where to look in the program."""
    findings = findings_in(results)
    for number, finding in enumerate(findings, 1):
        yield f'<h4>{prose(title(number, findings))}</h4>'
        yield from (f'<p>{prose(text)}</p>' for text in (
            finding.advice, gain(finding, results)) if text)
        yield f'<pre>{escape(describe(finding.example))}</pre>'
        yield from map(place_shown, finding.places)
        yield (f'<p>Seen in {counted(len(finding.sessions))}: '
               f'{escape(named(finding.sessions))}.</p>')


def place_shown(place: Place) -> str:
    """Return a place in a program as HTML, with its lines."""
    return (f'<p>{escape(reason(place.why))}: {escape(place.file)}, '
            f'{lines_in_words([place])}</p>\n<pre>{escape(place.source)}</pre>')


def prose(text: str) -> str:
    """Return a text as HTML in which two blanks stay two."""
    return escape(text).replace('  ', ' &nbsp;')


def junit_xml(results: SavedResults) -> str:
    """Return the results of one submission as JUnit XML.

    A session beyond the assignment that fails is skipped, because it costs no points.
    """
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
