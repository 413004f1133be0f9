"""Chosen combinations of directives: right programs pass, wrong ones fail.

`make directive-pairs` plays each possible pair.
"""

import re
from unittest import mock

import internals
import pytest
from directive_cases import (
    PROGRAM,
    as_files,
    as_session,
    cases_of_files,
    cases_of_session,
    file_names,
    line_in_output,
)
from graders import graded
from programs import write_files

from grading.limits import Limits
from grading.settings import DataFile

# Each entry of the tables in `directive_cases.py` is in one of these sessions.
SESSIONS = [
    (('hidden',), 'free, backslash', 'typed', 'any lines', 'end of input, read'),
    (('status',), 'any lines, regex', 'end of input', 'any lines, free', 'file'),
    (('points',), 'any lines, none', 'twice', 'nothing', 'file, backslash'),
    (('tolerance',), 'any lines, regex prompt', 'type', 'any lines, none', 'file, free'),
    (('none',), 'text', 'typed', 'backslash', 'file, any lines follow'),
    (('beyond',), 'prompt', 'twice', 'any lines, regex', 'file, regex'),
    (('whitespace',), 'regex', 'twice', 'regex', 'file, any lines'),
    (('case',), 'nothing', 'twice', 'free', 'prompt, still asks'),
    (('none',), 'any lines, prompt', 'type', 'any text follows', 'file with CRLF'),
    (('tolerance',), 'any lines', 'typed', 'any lines, backslash', 'end of input, not read'),
    (('hidden',), 'any lines follow', 'type', 'free, backslash', 'still asks'),
    (('points',), 'free prompt', 'typed', 'any lines follow', 'end'),
    (('beyond',), 'regex prompt', 'type', 'regex, backslash', 'end of input, line'),
    (('beyond',), 'free', 'typed', 'text', 'file with CRLF'),
    (
        ('whitespace',),
        'any lines, backslash',
        'end of input',
        'any text follows',
        'file, any lines follow',
    ),
    (('tolerance',), 'backslash', 'twice', 'regex, backslash', 'end of input, read'),
    (('points',), 'any lines, free', 'type', 'any lines, free', 'file, any lines follow'),
    (('whitespace',), 'regex, backslash', 'type', 'text', 'end of input, not read'),
    (('tolerance',), 'any text follows', 'end of input', 'any lines', 'file with CRLF'),
    (('case',), 'any lines, backslash', 'type', 'any lines follow', 'file, any lines'),
    (('whitespace',), 'any lines, regex', 'typed', 'free', 'still asks'),
    (('hidden',), 'regex prompt', 'end of input', 'any lines, regex', 'file, backslash'),
    (('case', 'whitespace'), 'text', 'typed', 'text', 'end'),
    (('case', 'tolerance'), 'text', 'typed', 'text', 'end'),
    (('whitespace', 'tolerance'), 'text', 'typed', 'text', 'end'),
]
# For pairs of files: the directives in assignment.ini.
TOPS_OF_FILES = [
    ('points',),
    ('status',),
    ('case', 'whitespace'),
    ('case', 'tolerance'),
    ('whitespace', 'tolerance'),
]


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


@pytest.mark.long
@pytest.mark.parametrize('way', ['in turns', 'free prompts', 'at once', 'files'])
def test_combinations_of_directives(way, tmp_path):
    cases = [
        case for session in SESSIONS for case in cases_of_session(session, way == 'free prompts')
    ]
    at_once = way == 'at once'
    settings = {'at_once': at_once}
    if way == 'files':  # the program is in files/
        settings['data'] = [DataFile('main.sh', PROGRAM.encode())]
    found = wrong_lines(
        tmp_path,
        ((f'{number:04}.txt', as_session(case)) for number, case in enumerate(cases)),
        **settings,
    )
    wrong = [case.wrong_at_once if at_once else case.wrong for case in cases]
    names = [case.name for case in cases]
    # A case does not count the $ line.
    assert dict(zip(names, found, strict=True)) == dict(
        zip(names, [line + 1 if line else 0 for line in wrong], strict=True)
    )


@pytest.mark.parametrize('tops', TOPS_OF_FILES, ids='+'.join)
def test_directives_for_pairs_of_files(tops, tmp_path):
    ini, cases = cases_of_files(tops)
    sessions = {
        name: text
        for number, case in enumerate(cases)
        for name, text in zip(file_names(number), as_files(case), strict=True)
    }
    found = wrong_lines(tmp_path, {'assignment.ini': ini, **sessions}.items())
    names = [case.name for case in cases]
    assert dict(zip(names, found, strict=True)) == dict(
        zip(names, map(line_in_output, cases), strict=True)
    )
