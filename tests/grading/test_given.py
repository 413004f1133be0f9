"""The teacher's mistakes (in files/, a judge or a command) are not reported as the student's."""

from html import unescape

import pytest
from graders import explained_here, run_grader_here
from programs import write_files
from running import rest_long
from sandboxes import skip_unless_discarded

from grading.diagnosis.crash import crash_in_other_language, crash_of

SESSIONS = {'a.txt': '1 2\n|3\n', 'b.txt': '2 2\n|4\n'}
DRIVER = """import main
try:
    print(main.Adder().add(*map(int, input().split())))
except AttributeError:
    print('no Adder')
"""
JUDGE = 'import main\nnumbers = [int(word) for word in input().split()]\nprint({})\n'
ADDER = 'class Adder:\n    def add(self, one, other):\n        return {}\n'


@pytest.fixture
def report_on(tmp_path):
    """Return a function that grades programs with a driver in files/ and returns all reports."""

    def report_on(driver, *programs, **settings):
        course = write_files(
            tmp_path / 'sums',
            {
                **SESSIONS,
                'files/run.py': driver,
                'assignment.ini': '\n'.join(
                    f'{name} = {value}'
                    for name, value in {'command': 'python3 run.py', **settings}.items()
                ),
            },
        )
        names = [
            write_files(tmp_path / f'student{number}', {'main.py': program})
            for number, program in enumerate(programs)
        ]
        with explained_here():
            status, *printed = run_grader_here(
                'grade', course, *names, '--confine', 'none', '--out', tmp_path / 'out'
            )
        assert status == 1
        pages = sorted((tmp_path / 'out').rglob('*.html'))
        texts = [path.read_text(encoding='utf-8') for path in pages]
        return unescape('\n'.join([*printed, *texts]))

    return report_on


@pytest.mark.parametrize(
    ('driver', 'program', 'expected'),
    rest_long(
        [
            # The driver raises an exception, caught or not: the report shows no line of the driver.
            (
                DRIVER,
                'class Add: pass\n',
                'For example, the assignment\'s run.py prints "no Adder"',
            ),
            (
                DRIVER.replace('AttributeError', 'OSError'),
                'class Add: pass\n',
                "AttributeError: module 'main' has no attribute 'Adder'",
            ),
            # The judge's verdict is reported as its output, not as the program's.
            (
                JUDGE.format('"wrong" if main.add(*numbers) != 3 else 3'),
                'def add(one, other): return 0\n',
                'For example, the assignment\'s run.py prints "wrong" instead of',
            ),
            ('numbers = input()[9]\n', 'x = 1\n', 'ends too early'),
        ],
        2,
    ),
    ids=['caught', 'uncaught', 'judge', 'broken'],
)
def test_no_line_of_the_teacher_is_reported_as_a_mistake(driver, program, expected, report_on):
    shown = report_on(driver, program)
    assert expected in shown
    assert 'run.py, line' not in shown
    assert 'Fix this line' not in shown


def test_a_line_of_the_student_that_a_driver_runs_is_reported(report_on):
    assert 'The program crashes at main.py, line 3 (ZeroDivisionError)' in report_on(
        DRIVER, ADDER.format('one // 0')
    )


def test_a_line_of_the_student_whose_exception_a_driver_catches_is_reported(report_on):
    skip_unless_discarded()  # the exception is found by tracing
    assert 'The program raises an AttributeError in main.py, line 3' in report_on(
        DRIVER, ADDER.format('self.one')
    )


ALIKE = 'No submission passes any session, and all fail in the same way: '


@pytest.mark.parametrize(
    ('settings', 'why'),
    [
        (
            {'command': 'python3 nothing.py'},
            'for example, ends too early, with exit status 2: "3" is missing.',
        ),
        ({'build': 'false'}, 'the build failed with exit status 1.'),
    ],
    ids=['command', 'build'],
)
def test_a_failure_of_all_submissions_is_reported_first(settings, why, report_on):
    """The terminal and the top of the class's page report a failure shared by all programs."""
    programs = ['class Adder: pass\n', 'class Other: pass\n']
    assert report_on(DRIVER, *programs, **settings).count(f'{ALIKE}{why}') == 2


@pytest.mark.parametrize(
    'programs',
    rest_long(
        [
            [ADDER.format('one // 0')],
            [ADDER.format('one // 0'), ADDER.format('one + other')],
            [ADDER.format('one // 0'), ADDER.format('self.one')],
        ]
    ),
    ids=['one', 'one right', 'unlike'],
)
def test_other_failures_are_the_students(programs, report_on):
    assert ALIKE not in report_on(DRIVER, *programs)


def test_a_crash_is_not_located_in_a_file_of_the_teacher():
    """In any language, a crash is located in the last frame in a student's file."""
    frame = '  File "/s/{}.py", line 3, in x\n    y\n'
    errors = f'Traceback:\n{frame.format("main")}{frame.format("run")}KeyError: 1\n'.encode()
    assert crash_of(errors, '/s', {'run.py'}).file == 'main.py'
    assert crash_of(errors, '/s', {'run.py', 'main.py'}) is None
    script = b'run.sh: line 3: x: command not found\nmain.sh: line 4: y: command not found\n'
    assert crash_in_other_language(script, '/s', {'run.sh'}).file == 'main.sh'
    assert crash_in_other_language(script, '/s', {'run.sh', 'main.sh'}) is None
