"""JUnit XML, which GitHub, GitLab and Jenkins show: a test for each session.

https://github.com/testmoapp/junitxml says which elements and attributes they read.
"""

from __future__ import annotations

from typing import Sequence
from xml.etree import ElementTree

from ..diagnosis.finding import Finding
from .messages import gain, short, title
from .results_json import BEYOND, SavedResults, findings_in, is_not_run, name_of


def junit_xml(results: SavedResults) -> str:
    """Return the results of one submission as a suite of tests.

    What fails beyond the assignment is skipped: it costs no points.
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
    """Return what to do about each finding that a session shows."""
    return ['\n'.join(filter(None, [title(number, findings), finding.advice,
                                    gain(finding, results)]))
            for number, finding in enumerate(findings, 1) if name in finding.sessions]
