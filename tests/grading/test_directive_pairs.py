"""Each possible pair of directives: right programs pass, wrong ones fail."""

import re
from unittest import mock

import internals
import pytest
from directive_pairs import (
    PROGRAM,
    all_cases,
    as_files,
    as_session,
    cases_of_files,
    file_names,
    line_in_output,
)
from graders import graded
from programs import write_files
from running import rest_long

from grading.limits import Limits
from grading.settings import DataFile

PARTS = 24  # the number of tests sharing the table; all of it takes most of a minute


def wrong_lines(folder, sessions, **settings):
    """Grade sessions; return the number of the wrong line in each, from 1, or 0 if it passes."""
    write_files(folder, {'README': '', **({} if 'data' in settings else {'main.sh': PROGRAM})})
    with mock.patch(internals.GRACE_SECONDS, 0.1):
        tests = graded(
            folder,
            None,
            None,
            **{
                'game': 'many',
                'sessions': tuple(sessions),
                'command': 'sh main.sh',
                'here': True,
                'beyond': True,
                'limits': Limits(alone=0, hanging=10_000, search=0),
                **settings,
            },
        )['tests']
    return [
        int(re.search(r':(\d+): ', test['output'] or ':0: ')[1])
        for test in sorted(tests, key=lambda test: test['name'])
    ]


@pytest.mark.parametrize('part', rest_long(range(PARTS)))
@pytest.mark.parametrize('way', ['in turns', 'free prompts', 'at once', 'files'])
def test_pairs_of_directives(way, part, tmp_path):
    cases = [*all_cases(way == 'free prompts')][part::PARTS]
    at_once = way == 'at once'
    settings = {'at_once': at_once}
    if way == 'files':  # the program is in files/: a few sessions are enough to test this
        cases = cases[part::PARTS]
        settings['data'] = [DataFile('main.sh', PROGRAM.encode())]
    found = wrong_lines(
        tmp_path,
        ((f'{number:04}.txt', as_session(case)) for number, case in enumerate(cases)),
        **settings,
    )
    wrong = [case.wrong_at_once if at_once else case.wrong for case in cases]
    names = [case.name for case in cases]
    # A case does not count the $ line.
    assert dict(zip(names, found, strict=False)) == dict(
        zip(names, [line + 1 if line else 0 for line in wrong], strict=False)
    )


@pytest.mark.parametrize(
    ('ini', 'cases'),
    [*cases_of_files()],
    ids=lambda value: value.replace('\n', ' ') if isinstance(value, str) else '',
)
def test_pairs_of_directives_for_pairs_of_files(ini, cases, tmp_path):
    sessions = {
        name: text
        for number, case in enumerate(cases)
        for name, text in zip(file_names(number), as_files(case), strict=False)
    }
    found = wrong_lines(tmp_path, {'assignment.ini': ini, **sessions}.items())
    names = [case.name for case in cases]
    assert dict(zip(names, found, strict=False)) == dict(
        zip(names, map(line_in_output, cases), strict=False)
    )
