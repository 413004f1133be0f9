"""JUnit XML, which GitHub, GitLab and Jenkins read.

https://github.com/testmoapp/junitxml has its format.
"""

from __future__ import annotations

from xml.etree import ElementTree

from .messages import entries, short
from .results import BEYOND, Results, for_students


def junit_xml(results: Results) -> str:
    """Return the results of one submission as JUnit XML.

    A session beyond the assignment that fails is skipped, because it costs no points.
    """
    results = for_students(results)
    suites = ElementTree.Element('testsuites')
    suite = ElementTree.SubElement(suites, 'testsuite', {
        'name': results.submission, 'tests': str(len(results.tests)),
        'time': f'{results.execution_time:g}'})
    counts = {'failures': 0, 'errors': 0, 'skipped': 0}
    for test in results.tests:
        case = ElementTree.SubElement(suite, 'testcase', {
            'name': short(test.name), 'classname': results.game})
        if test.has_passed:
            continue
        kind, count = 'failure', 'failures'
        if test.is_not_run:
            kind, count = 'error', 'errors'
        if BEYOND in test.tags:
            kind, count = 'skipped', 'skipped'
        counts[count] += 1
        shown = [entry for entry in entries(results) if test.name in entry.finding.sessions]
        ElementTree.SubElement(case, kind, {
            'message': ' '.join(entry.title for entry in shown) or test.output.partition('\n')[0],
        }).text = '\n\n'.join([test.output, *(entry.text for entry in shown)])
    for sums in (suites, suite):
        sums.attrib.update({name: str(count) for name, count in counts.items()})
    return ElementTree.tostring(suites, encoding='unicode', xml_declaration=True) + '\n'
