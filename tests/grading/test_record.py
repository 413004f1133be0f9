"""Recording by a program that is not ours, in lock step."""

import os

import pytest
from graders import Forked, run_grader_here
from independent import write_files
from running import PYTHON, SECONDS, short_patience
from tables import each

import grading.sessions.record
import grading.sessions.run
import grading.solution

SCENARIO = '# A sum.\n$ sum.py --of 2\n3\n# and\n4\n'
SOLUTION = '''import sys, time
assert sys.argv[1:] == ['--of', '2']
print('Sum')
print('First? ', end='', flush=True)
first = int(sys.stdin.readline())
time.sleep(0.1)                 # it thinks, and does not wait
print('Thank you.')
print('Second? ', end='')
time.sleep(0.1)
print(first + int(input()))
'''
RECORDED = ('# A sum.\n$ sum.py --of 2\n|Sum\n|First? \\\n3\n|Thank you.\n|Second? \\\n# and\n4\n'
            '|7\n')


@pytest.fixture
def record(tmp_path, monkeypatch):
    """Record a scenario by a program; return (what the command says, what the file holds)."""
    monkeypatch.setattr(grading.solution, 'confine', lambda *_: Forked(tmp_path))

    def record(source, scenario=SCENARIO):
        path = write_files(tmp_path, {'a.txt': scenario, 'sum.py': source}) / 'a.txt'
        return (*run_grader_here('record', path, '--command', f'python3 {path.with_name("sum.py")}',
                                 folder=tmp_path),
                path.read_text(encoding='utf-8'))
    return record


def test_what_is_printed_before_an_input_stands_before_it(record):
    assert record(SOLUTION) == (0, '', '', RECORDED)
    assert record(SOLUTION, RECORDED) == (0, '', '', RECORDED)


def test_where_nobody_can_look_a_program_that_is_silent_waits(record, monkeypatch):
    monkeypatch.setattr(grading.sessions.run, 'waits_for_input', lambda *args: None)
    assert record(SOLUTION) == (0, '', '', RECORDED)


@pytest.mark.parametrize(('source', 'recorded'), [
    ('print(sum(map(int, sys.stdin)))', '3\n4\n# end of input\n|7\n'),
    ('print("Numbers:", flush=True)\nprint(sum(map(int, sys.stdin)))',
     '|Numbers:\n3\n4\n# end of input\n|7\n'),
    ('for line in sys.stdin: print(line.strip(), flush=True)\nprint(7)',
     '3\n|3\n4\n|4\n# end of input\n|7\n'),
    ('sys.stdin.read()', '# prints nothing\n3\n4\n# end of input\n')])
def test_a_program_that_reads_to_the_end_has_its_input_ended(source, recorded, record):
    for scenario in ('3\n4\n', recorded):
        assert record(f'import sys\n{source}\n', scenario) == (0, '', '', recorded)


LATE = 'the program printed nothing before it had read the last line: if it answers line by line'


@pytest.mark.parametrize(('source', 'scenario', 'recorded', 'note'), [
    ('print(input())', '3\n', '3\n|3\n', ''), ('print(3)', '', '|3\n', ''),
    ('print(int(input()) + int(input()))', '3\n4\n', '3\n4\n|7\n', LATE),
    ('input()', '3\n', '# prints nothing\n3\n', ''),
    ('input()', '# T\n# prints nothing\n3\n', '# T\n# prints nothing\n3\n', ''),
    ('print(input())', '# T\n# prints nothing\n3\n', '# T\n3\n|3\n', ''),
    ('print(input())\nexit("no")', '# T\n3\n', '# T\n# exit status: 1\n3\n|3\n',
     'recorded with exit status 1: no'),
    ('print(input())\nexit(3)', '# exit status: not 0\n3\n',
     '# exit status: not 0\n3\n|3\n', ''),
    ('print(input())\nexit(3)', '# exit status: 1\n$ p\n3\n',
     '# exit status: 3\n$ p\n3\n|3\n', 'recorded with exit status 3'),
    ('print(input())', '# exit status: 1\n3\n', '3\n|3\n', ''),
    ('print(input())\ninput()', '3\n# still asks\n', '3\n|3\n# still asks\n', ''),
    ('import sys\nprint(input(), flush=True)\nsys.stdin.readline()', '3\n',
     '3\n|3\n# end of input\n',
     'waits for more input after the last line: "# end of input" was written, in case no line'),
    ('print("a")\nprint("x1", flush=True)\nprint(input("b? "))',
     '# any lines\n# regex\n|(?i)X[0-9]\n# free\n|q? \\\n3\n|\n',
     '# any lines\n# regex\n|(?i)X[0-9]\n# free\n|b? \\\n3\n|3\n', ''),
    ('open("a.csv", "w").write("1\\n2")\nprint(input())', '3\n# file: a.csv\n|old\n# More.\n',
     '3\n|3\n# More.\n# file: a.csv\n|1\n|2\\\n', ''),
    ('print("p", end="")\nprint(input())', '# prompts: free\n# points: 2\n# ignore: case\n3\n',
     '# prompts: free\n# points: 2\n# ignore: case\n|p\\\n3\n|3\n', ''),
], ids=['one line', 'no line', 'late', 'nothing', 'nothing again', 'something now', 'status',
        'status allowed', 'other status', 'status 0', 'still asks', 'reads on', 'open', 'file',
        'kept'])
def test_what_is_recorded(source, scenario, recorded, note, record):
    for text in (scenario, recorded):
        status, _, errors, found = record(source + '\n', text)
        assert (status, found) == (0, recorded)
        if text == scenario:
            assert note in errors if note else not errors


@pytest.mark.parametrize(('source', 'message'), [
    (SOLUTION + 'input()\n', 'a.txt:5: an input line is missing after this one'),
    (SOLUTION.replace('int(input())', '9'), "a.txt:5: the program does not read this line: '4'"),
    (SOLUTION.replace('first +', 'time.time_ns() +'),
     'a.txt:5: the program answers differently the second time'),
    (SOLUTION + 'while True: print("x" * 1000)\n', 'a.txt:5: the program prints without end'),
    (SOLUTION + 'time.sleep(600)\n', 'a.txt:5: the program neither waits for input nor ends'),
    (SOLUTION + 'sys.stdout.buffer.write(b"\\xff")\n', 'a.txt:5: the program prints bytes that'),
    (SOLUTION + 'print("a\\r")\n', "a.txt: a session cannot hold 'a\\r'"),
    ('input()\ninput()\ninput()\n', 'a.txt:5: an input line is missing after this one'),
], ids=['unfinished', 'unread', 'chance', 'flood', 'hangs', 'bytes', 'format', 'silent'])
def test_what_is_refused(source, message, record, monkeypatch):
    if 'sleep(600)' in source:
        monkeypatch.setattr(grading.sessions.record, 'LINE_SECONDS', 2 * short_patience())
        monkeypatch.setattr(grading.sessions.record, 'SESSION_SECONDS', 10 * SECONDS)
    status, output, errors, text = record(source)
    assert (status, output, text) == (2, '', SCENARIO)
    assert message in errors
    assert errors.count('\n') == 1


@each('source, happened', {
    '1 +* 2': 'exit status 1 before it read line 3: SyntaxError: invalid syntax',
    'import no_such':
        "exit status 1 before it read line 3: ModuleNotFoundError: No module named 'no_such'",
    'input()\n1 / 0': 'exit status 1 before it read line 5: ZeroDivisionError: division by zero',
    'input()\nexit(3)': 'exit status 3 before it read line 5',
    'import os\nos.kill(os.getpid(), 11)': 'signal 11 (SIGSEGV) before it read line 3',
    'import sys\nprint("java.lang.Error: no\\n\\tat Sum.main", file=sys.stderr)':
        'exit status 0 before it read line 3: java.lang.Error: no'}.items())
def test_what_happened_to_a_program_that_does_not_read_is_told(source, happened, tmp_path):
    path = write_files(tmp_path, {'a.txt': SCENARIO, 'sum.py': source}) / 'a.txt'
    status, _, errors = run_grader_here('record', path, '--command',
                                        f'{PYTHON} {path.with_name("sum.py")}', folder=tmp_path)
    assert (status, errors) == (2, f'grading: {path}: the program ended with {happened}\n'.replace(
        f'{path}:', f'{path}:{happened.partition("line ")[2][0]}:'))
    assert path.read_text(encoding='utf-8') == SCENARIO


def test_a_solution_is_built_and_run_in_a_copy_with_the_files_of_the_assignment(tmp_path):
    """In each run they are as they were; where the solution lies nothing changes."""
    source = 'print(input() + open("data/n").read())\nopen("data/n", "a").write("2")\n'
    write_files(tmp_path, {
        'course/assignment.ini': '[*.src]\nbuild = cp sum.src sum.py && cat data/n\n'
                                 'command = python3 sum.py\n',
        'course/files/data/n': '1', 'course/a.txt': '3\n# file: data/n\n',
        'course/b.txt': '4\n', 'own/sum.src': source})
    own = tmp_path / 'own'
    words = 'record', '../course/a.txt', '../course/b.txt'
    assert run_grader_here(*words, folder=own) == (0, '', '')
    assert (tmp_path / 'course/a.txt').read_text() == '3\n|31\n# file: data/n\n|12\\\n'
    assert (tmp_path / 'course/b.txt').read_text() == '4\n|41\n'
    write_files(tmp_path, {'own/sum.py': 'print(input() + "!")\n'})
    command = '--command', f'{PYTHON} ../own/sum.py'        # which replaces the other one
    assert run_grader_here(*words[::2], *command, folder=own) == (0, '', '')
    assert (tmp_path / 'course/b.txt').read_text() == '4\n|4!\n'
    assert sorted(path.name for path in own.iterdir()) == ['sum.py', 'sum.src']
    assert (tmp_path / 'course/files/data/n').read_text() == '1'
    for name, reason in {'sum.src': 'the build failed, exit status 1:\n  build    |', 'sum.src.py':
                         'no command fits the files here'}.items():
        write_files(tmp_path, {'course/assignment.ini': '[*.src]\nbuild = false\ncommand = x\n'})
        for path in own.iterdir():
            path.unlink()
        write_files(own, {name: ''})
        status, _, errors = run_grader_here(*words, folder=own)
        assert status == 2
        assert errors.startswith(f'grading: {own}: {reason}')
        assert errors.count('the build failed') <= 1
        assert 'record makes the program from the files in this folder' in errors


@each('scenario, line, is_recorded', [
    ('# regex\n|at [0-9]+\n', 'at 1', True), ('# tolerance: 1\n', '0.5', True),
    ('# tolerance: 1e-9\n', '0.5', False), ('# ignore: blanks\n', '', True),
    ('# free\n|x\n', 'at 1', True), ('', '0.5', False)])
def test_output_may_vary_where_directives_allow_it(scenario, line, is_recorded, record, tmp_path):
    source = ('import os\nsecond = os.path.exists("old")\nopen("old", "w").close()\n'
              f'print({line!r} + (second * ("2" if {line!r} else " ")))\n')
    (tmp_path / 'old').unlink(missing_ok=True)
    status, _, errors, _ = record(source, scenario)
    assert (status == 0, 'the second time' in errors) == (is_recorded, not is_recorded)


def test_a_file_that_was_there_before_is_not_recorded(record, tmp_path):
    scenario = '3\n# file: a.csv\n'
    write_files(tmp_path, {'a.csv': 'old\n'})
    status, _, errors, text = record('print(input())\n', scenario)
    assert (status, text) == (2, scenario)
    assert errors.endswith('a.txt:2: a.csv: the program did not write it; it was there before\n')
    write_files(tmp_path, {'files/a.csv': 'old\n'})
    assert record('print(input())\n', scenario)[3] == '3\n|3\n# file: a.csv\n|old\n'


NO_COMMAND = ('a.txt: not a session of our games; add --command "CMD", or a command in '
              'assignment.ini, to record your own program')
NO_SESSION = 'is not a session, whose name ends in .txt: record would overwrite it\n'


@each('text, words, reason', [
    (SCENARIO, ['a.txt', '--command', 'no_such_program'], 'no such command: no_such_program'),
    (SCENARIO, ['a.txt', '--command', f'{PYTHON} no_such.py'], 'no such file: no_such.py'),
    *((text, ['a.txt'], NO_COMMAND) for text in ('3\n4\n', 'Ann\n', '', SCENARIO)),
    *(('3\n', [f'{name}.txt', *words], reason) for words in ([], ['--command', 'true'])
      for name, reason in {'fifo': 'not a plain file', 'zero': 'not a plain file',
                           'nul': 'NUL bytes',
                           'folder': 'folder.txt is a folder: name its sessions, folder.txt/*.txt\n'
                           }.items()),
    *(('3\n', [*words, '--command', *command], reason) for words, command, reason in [
        ([], [PYTHON, 'p.py', 'a.txt'], f'error: quotes missing? --command "{PYTHON} p.py"\n'),
        (['a.txt', 'p.py'], [f'{PYTHON} p.py'], f'error: p.py {NO_SESSION}'),
        (['a.in'], ['cat'], f'error: a.in {NO_SESSION}')]),
    ('3\n', [*['a.txt'] * 1001, '--command', 'true'], 'error: more than 1,000 sessions')])
def test_what_is_refused_before_anything_runs(text, words, reason, tmp_path):
    programs = {name: 'print(input())\n' for name in ('p.py', 'a.in')}
    write_files(tmp_path, {'a.txt': text, 'nul.txt': '3\0\n', **programs})
    (tmp_path / 'folder.txt').mkdir(exist_ok=True)
    if not (tmp_path / 'fifo.txt').exists():
        os.mkfifo(tmp_path / 'fifo.txt')
        (tmp_path / 'zero.txt').symlink_to('/dev/zero')
    status, _, errors = run_grader_here('record', *words, folder=tmp_path)
    assert (status, (tmp_path / 'a.txt').read_text()) == (2, text)
    assert {name: (tmp_path / name).read_text() for name in programs} == programs
    assert reason in errors


def test_several_files_are_recorded_or_refused_one_by_one(tmp_path):
    write_files(tmp_path, {'a.txt': '3\n', 'b.txt': '', 'c.txt': '4\n',
                           'p.py': 'print(input())\n'})
    status, output, errors = run_grader_here(
        'record', *(tmp_path / name for name in ('a.txt', 'b.txt', 'c.txt')),
        '--command', f'{PYTHON} {tmp_path}/p.py', folder=tmp_path)
    assert (status, output) == (2, '')
    assert errors == (f'grading: {tmp_path}/b.txt: an input line is missing: the program waits for '
                      'one\n')
    assert [(tmp_path / name).read_text() for name in ('a.txt', 'b.txt', 'c.txt')] == [
        '3\n|3\n', '', '4\n|4\n']


def test_the_directives_of_an_assignment_hold_where_it_is_recorded(record, tmp_path):
    write_files(tmp_path, {'assignment.ini': 'exit status = any\n'})
    assert record('print(input())\nexit(3)\n', '3\n') == (0, '', '', '3\n|3\n')


def test_more_sessions_than_can_be_played_are_refused(tmp_path):
    write_files(tmp_path, {f'{number}.txt': '|1\n' for number in range(1001)})
    status, _, errors = run_grader_here('grade', tmp_path, '--command', 'true')
    assert (status, errors) == (2, f'grading: {tmp_path}: more than 1,000 sessions\n')


def test_a_session_that_does_not_end_in_time_is_refused(record, monkeypatch):
    monkeypatch.setattr(grading.sessions.record, 'SESSION_SECONDS', 2 * short_patience())
    source = 'import time\nwhile True:\n    print(input(), flush=True)\n    time.sleep(0.05)\n'
    scenario = '1\n' * 10_000
    status, _, errors, text = record(source, scenario)
    assert (status, text) == (2, scenario)
    assert ': the session is not over after ' in errors
