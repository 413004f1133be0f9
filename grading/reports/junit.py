"""The results of a submission as JUnit XML.

GitHub, GitLab and Jenkins read this format: https://github.com/testmoapp/junitxml
"""

from __future__ import annotations

from ..results import BEYOND, Results, SessionResult
from .messages import headline, message_about
from .students import for_students
from .wording import entries, first_line, short, why_not_run


def junit_xml(results: Results) -> str:
    """Return the results of one submission as JUnit XML.

    A session beyond the assignment costs no points, so it is reported as skipped if it does not
    pass.
    """
    from xml.etree import ElementTree  # needed only for --junit

    results = for_students(results)
    suites = ElementTree.Element('testsuites')
    suite = ElementTree.SubElement(
        suites, 'testsuite', {'name': results.submission, 'tests': str(len(results.tests))}
    )
    if results.execution_time is not None:
        suite.set('time', f'{results.execution_time:g}')
    every = entries(results)
    for test in results.tests:
        case = ElementTree.SubElement(
            suite, 'testcase', {'name': short(test.name), 'classname': results.game}
        )
        if test.has_passed:
            continue
        kind = kind_of(test)
        shown = [entry for entry in every if test.name in entry.finding.sessions]
        if shown:
            message = ' '.join(entry.title for entry in shown)
        elif test.example:
            message = ' '.join(headline(test.example))
        else:
            message = first_line(why_not_run(test, results))
        advice = [
            '\n'.join(filter(None, [entry.title, entry.finding.advice, entry.clean]))
            for entry in shown
        ]
        element = ElementTree.SubElement(case, kind, {'message': message})
        element.text = '\n\n'.join([message_about(test, results), *advice])
    sums = {
        name: str(len(suite.findall(f'testcase/{kind}')))
        for name, kind in (('failures', 'failure'), ('errors', 'error'), ('skipped', 'skipped'))
    }
    suites.attrib.update(sums)
    suite.attrib.update(sums)
    return ElementTree.tostring(suites, encoding='unicode', xml_declaration=True) + '\n'


def kind_of(test: SessionResult) -> str:
    """Return the name of the JUnit element for a test that did not pass."""
    if BEYOND in test.tags:
        return 'skipped'
    return 'error' if test.is_not_run else 'failure'
