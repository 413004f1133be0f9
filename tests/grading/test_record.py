"""Recording sessions with our programs and with others, and the recorded text."""

import os
import re

import internals
import pytest
from graders import BLOCK, run_grader_here
from programs import files_in, write_files
from running import PYTHON, rest_long, short_patience

import grading.sessions.record
import grading.sessions.waiting
from grading.games.consoles import outputs_of, play, recorded
from grading.games.consoles import record as record_file
from grading.installation import all_transcripts
from grading.sessions.record import ADD_STILL_ASKS, recorded_with, written
from grading.sessions.transcript import TranscriptError, parse, read_session
from grading.sessions.verdict import Dialogue, LeftFile, Turn

SCENARIO = '# A sum.\n$ sum.py --of 2\n3\n# and\n4\n'
SOLUTION = """import sys, time
assert sys.argv[1:] == ['--of', '2']
print('Sum')
print('First? ', end='', flush=True)
first = int(sys.stdin.readline())
time.sleep(0.1)                 # it thinks, and does not wait
print('Thank you.')
print('Second? ', end='')
time.sleep(0.1)
print(first + int(input()))
"""
RECORDED = (
    '# A sum.\n$ sum.py --of 2\n|Sum\n|First? \\\n3\n|Thank you.\n|Second? \\\n# and\n4\n|7\n'
)


@pytest.fixture
def record(tmp_path):
    """Return a function that records a scenario with a program.

    It returns the exit status, the output without the file's name, the errors, and the new text.
    """

    def record(source, scenario=SCENARIO):
        path = write_files(tmp_path, {'a.txt': scenario, 'sum.py': source}) / 'a.txt'
        status, printed, errors = run_grader_here(
            'record', path, '--command', f'python3 {path.with_name("sum.py")}', folder=tmp_path
        )
        return status, printed.removeprefix(f'{path}: '), errors, path.read_text(encoding='utf-8')

    return record


REPORTED = 'recorded 2 typed lines and 5 printed lines\n'


def test_output_before_an_input_is_recorded_before_it(record):
    assert record(SOLUTION) == (0, REPORTED, '', RECORDED)
    assert record(SOLUTION, RECORDED) == (0, REPORTED, '', RECORDED)


def test_a_silent_program_counts_as_waiting_if_the_grader_cannot_look(record, monkeypatch):
    monkeypatch.setattr(grading.sessions.waiting, 'waits_for_input', lambda *args: None)
    assert record(SOLUTION) == (0, REPORTED, '', RECORDED)


@pytest.mark.parametrize(
    ('source', 'recorded'),
    rest_long(
        [
            ('print(sum(map(int, sys.stdin)))', '3\n4\n# end of input\n|7\n'),
            (
                'print("Numbers:", flush=True)\nprint(sum(map(int, sys.stdin)))',
                '|Numbers:\n3\n4\n# end of input\n|7\n',
            ),
            (
                'for line in sys.stdin: print(line.strip(), flush=True)\nprint(7)',
                '3\n|3\n4\n|4\n# end of input\n|7\n',
            ),
            ('sys.stdin.read()', '# prints nothing\n3\n4\n# end of input\n'),
        ],
        2,
    ),
)
def test_input_ends_for_a_program_that_reads_all_of_it(source, recorded, record):
    for scenario in ('3\n4\n', recorded):
        status, _, errors, text = record(f'import sys\n{source}\n', scenario)
        assert (status, errors, text) == (0, '', recorded)


LATE = 'the program printed nothing before it read the last line; if it should answer line by line'


@pytest.mark.parametrize(
    ('source', 'scenario', 'recorded', 'note'),
    rest_long(
        [
            ('print(input())', '3\n', '3\n|3\n', ''),
            ('print(3)', '', '|3\n', ''),
            ('print(int(input()) + int(input()))', '3\n4\n', '3\n4\n|7\n', LATE),
            ('input()', '3\n', '# prints nothing\n3\n', ''),
            ('input()', '# T\n# prints nothing\n3\n', '# T\n# prints nothing\n3\n', ''),
            ('print(input())', '# T\n# prints nothing\n3\n', '# T\n3\n|3\n', ''),
            (
                'print(input())\nexit("no")',
                '# T\n3\n',
                '# T\n# exit status: 1\n3\n|3\n',
                ', and added "# exit status: 1"; the program ended with exit status 1: no',
            ),
            (
                'print(input())\nexit(3)',
                '# exit status: not 0\n3\n',
                '# exit status: not 0\n3\n|3\n',
                '',
            ),
            (
                'print(input())\nexit(3)',
                '# exit status: 1\n$ p\n3\n',
                '# exit status: 3\n$ p\n3\n|3\n',
                ', and added "# exit status: 3"; the program ended with exit status 3',
            ),
            ('print(input())', '# exit status: 1\n3\n', '3\n|3\n', ''),
            ('print(input())\ninput()', '3\n# still asks\n', '3\n|3\n# still asks\n', ''),
            (
                'import sys\nprint(input(), flush=True)\nsys.stdin.readline()',
                '3\n',
                '3\n|3\n# end of input\n',
                ', and added "# end of input"; the program was waiting for more input after the last line, '
                'so "# end of input" was added; check that no line',
            ),
            (
                'print("a")\nprint("x1", flush=True)\nprint(input("b? "))',
                '# any lines\n# regex\n|(?i)X[0-9]\n# free\n|q? \\\n3\n|\n',
                '# any lines\n# regex\n|(?i)X[0-9]\n# free\n|q? \\\n3\n|3\n',
                '',
            ),
            (
                'open("a.csv", "w").write("1\\n2")\nprint(input())',
                '3\n# file: a.csv\n|old\n# More.\n',
                '3\n|3\n# More.\n# file: a.csv\n|1\n|2\\\n',
                '',
            ),
            (
                'print("p", end="")\nprint(input())',
                '# prompts: free\n# points: 2\n# ignore: case\n3\n',
                '# prompts: free\n# points: 2\n# ignore: case\n|p\\\n3\n|3\n',
                '',
            ),
        ],
        quick=4,
    ),
)
def test_recorded_text(source, scenario, recorded, note, record):
    for text in (scenario, recorded):
        status, printed, errors, found = record(source + '\n', text)
        assert (status, errors, found) == (0, '', recorded)
        if text == scenario:
            assert note in printed
            assert (';' in printed) == bool(note)


@pytest.mark.parametrize(
    ('source', 'message'),
    [
        (SOLUTION + 'input()\n', 'a.txt:5: an input line is missing after this one'),
        (
            SOLUTION.replace('int(input())', '9'),
            "a.txt:5: the program does not read this line: '4'",
        ),
        (
            SOLUTION.replace('first +', 'time.time_ns() +'),
            'a.txt:5: the program answered differently the second time',
        ),
        (SOLUTION + 'while True: print("x" * 1000)\n', 'a.txt:5: the program never stops printing'),
        (SOLUTION + 'time.sleep(600)\n', 'a.txt:5: the session was not over after '),
        (
            SOLUTION + 'sys.stdout.buffer.write(b"\\xff")\n',
            'a.txt:5: the program prints bytes that',
        ),
        (
            SOLUTION + 'print("a\\r")\n',
            "a.txt: a session cannot contain \\r or NUL, but the program prints 'a\\r'",
        ),
        ('input()\ninput()\ninput()\n', 'a.txt:5: an input line is missing after this one'),
    ],
    ids=['unfinished', 'unread', 'chance', 'flood', 'hangs', 'bytes', 'format', 'silent'],
)
def test_recordings_that_are_refused(source, message, record, monkeypatch):
    if 'sleep(600)' in source:
        monkeypatch.setattr(grading.sessions.record, 'RECORD_SECONDS', 2 * short_patience())
    monkeypatch.setattr(grading.sessions.record, 'MAX_RECORDED', 1 << 20)
    status, output, errors, text = record(source)
    assert (status, output, text) == (2, '', SCENARIO)
    assert message in errors
    assert errors.count('\n') == 1


@pytest.mark.parametrize(
    ('source', 'happened'),
    {
        '1 +* 2': 'exit status 1 before it read line 3: SyntaxError: invalid syntax',
        'import no_such': "exit status 1 before it read line 3: ModuleNotFoundError: No module named 'no_such'",
        'input()\n1 / 0': 'exit status 1 before it read line 5: ZeroDivisionError: division by zero',
        'input()\nexit(3)': 'exit status 3 before it read line 5',
        'import os\nos.kill(os.getpid(), 11)': 'signal 11 (SIGSEGV) before it read line 3',
        'import sys\nprint("java.lang.Error: no\\n\\tat Sum.main", file=sys.stderr)': 'exit status 0 before it read line 3: java.lang.Error: no',
    }.items(),
)
def test_the_end_of_a_program_that_does_not_read_is_reported(source, happened, tmp_path):
    path = write_files(tmp_path, {'a.txt': SCENARIO, 'sum.py': source}) / 'a.txt'
    status, _, errors = run_grader_here(
        'record', path, '--command', f'{PYTHON} {path.with_name("sum.py")}', folder=tmp_path
    )
    assert (status, errors) == (
        2,
        f'grading: {path}: the program ended with {happened}\n'.replace(
            f'{path}:', f'{path}:{happened.partition("line ")[2][0]}:'
        ),
    )
    assert path.read_text(encoding='utf-8') == SCENARIO


def test_a_solution_is_built_and_run_in_a_copy_with_the_files_of_the_assignment(tmp_path):
    """Each run starts with the original files, and the solution's folder does not change."""
    source = 'print(input() + open("data/n").read())\nopen("data/n", "a").write("2")\n'
    write_files(
        tmp_path,
        {
            'course/assignment.ini': '[*.src]\nbuild = cp sum.src sum.py && cat data/n\n'
            'command = python3 sum.py\n',
            'course/files/data/n': '1',
            'course/a.txt': '3\n# file: data/n\n',
            'course/b.txt': '4\n',
            'own/sum.src': source,
        },
    )
    own = tmp_path / 'own'
    words = 'record', '../course/a.txt', '../course/b.txt'
    assert run_grader_here(*words, folder=own) == (
        0,
        '../course/a.txt: recorded 1 typed line and 2 printed lines\n'
        '../course/b.txt: recorded 1 typed line and 1 printed line\n',
        '',
    )
    assert (tmp_path / 'course/a.txt').read_text() == '3\n|31\n# file: data/n\n|12\\\n'
    assert (tmp_path / 'course/b.txt').read_text() == '4\n|41\n'
    write_files(tmp_path, {'own/sum.py': 'print(input() + "!")\n'})
    command = '--command', f'{PYTHON} ../own/sum.py'  # replaces the assignment's command
    assert run_grader_here(*words[::2], *command, folder=own)[::2] == (0, '')
    assert (tmp_path / 'course/b.txt').read_text() == '4\n|4!\n'
    assert sorted(path.name for path in own.iterdir()) == ['sum.py', 'sum.src']
    assert (tmp_path / 'course/files/data/n').read_text() == '1'
    for name, reason in {
        'sum.src': 'the build failed with exit status 1:\n  build    |',
        'sum.c': 'no *.src file was submitted, only sum.c',
    }.items():
        write_files(tmp_path, {'course/assignment.ini': '[*.src]\nbuild = false\ncommand = x\n'})
        for path in own.iterdir():
            path.unlink()
        write_files(own, {name: ''})
        status, _, errors = run_grader_here(*words, folder=own)
        assert status == 2
        assert errors.startswith(f'grading: {own}: {reason}')
        assert errors.count('the build failed') <= 1
        assert '"record" looks for the program in solution/, or else in the current' in errors


@pytest.mark.parametrize(
    ('scenario', 'printed', 'recorded'),
    rest_long(
        [
            ('# regex\n|[0-9]+\n', 'Hello\n12\nBye\n', '|Hello\n# regex\n|[0-9]+\n|Bye\n'),
            ('# T\n# free\n|Bye\n', 'Hello\n12\nBye\n', '# T\n|Hello\n|12\n# free\n|Bye\n'),
            ('|Who\n# regex\n|.*\n', 'Hello\n12\n', '|Hello\n# regex\n|.*\n'),
            (
                '# free\n|x\\\n3\n# regex\n|[0-9]+\n',
                'A\nB? |4\n5\n',
                '|A\n# free\n|B? \\\n3\n# regex\n|[0-9]+\n|5\n',
            ),
            (
                '|Hi\n# file: a\n# A number\n# regex\n|[0-9]+\n# free\n|x\n',
                'Hi\n|1\n2\n3\n',
                '|Hi\n# file: a\n# A number\n# regex\n|[0-9]+\n# free\n|2\n|3\n',
            ),
        ],
        2,
    ),
)
def test_lines_are_inserted_around_patterns_and_free_lines(scenario, printed, recorded, record):
    first, _, then = printed.partition('|')
    source = f'print({first!r}, end="", flush=True)\n'
    if '# file' in scenario:
        source += f'open("a", "w").write({then!r})\n'
    elif then:
        source += f'input()\nprint({then!r}, end="")\n'
    for text in (scenario, recorded):
        status, _, errors, found = record(source, text)
        assert (status, found) == (0, recorded), errors


PASSES_ON = """import os, select, subprocess, sys
pipe = subprocess.PIPE
inner = subprocess.Popen([sys.executable, 'sum.py'], stdin=pipe, stdout=pipe)
open_files = {0: inner.stdin.fileno(), inner.stdout.fileno(): 1}
while inner.stdout.fileno() in open_files:
    for file in select.select([*open_files], [], [])[0]:
        text = os.read(file, 1000)
        if text:
            os.write(open_files[file], text)
        else:
            del open_files[file]
"""


def test_a_program_that_passes_input_on_is_seen_to_wait(tmp_path, monkeypatch):
    monkeypatch.setattr(grading.sessions.record, 'WAITING_SILENCE', float('inf'))
    write_files(
        tmp_path,
        {
            'course/a.txt': '3\n4\n',
            'course/assignment.ini': 'command = python3 passes_on.py\n',
            'course/files/passes_on.py': PASSES_ON,
            'own/sum.py': 'a = int(input("A? "))\nb = int(input("B? "))\nprint(a + b)\n',
        },
    )
    assert run_grader_here('record', '../course/a.txt', folder=tmp_path / 'own')[::2] == (0, '')
    assert (tmp_path / 'course/a.txt').read_text() == '|A? \\\n3\n|B? \\\n4\n|7\n'


@pytest.mark.parametrize(
    ('files', 'folder', 'printed'),
    rest_long(
        [
            ({'solution/tasks.c': '', 'class/carl/tasks.py': ''}, '.', 'c'),
            ({'tasks/solution/tasks.c': '', 'tasks.py': ''}, '.', 'c'),
            ({'tasks/solution/tasks.c': ''}, 'tasks/solution', 'c'),
            ({'class/carl/tasks.c': '', 'tasks.py': 'print("py")'}, '.', 'py'),
            ({'tasks/class/carl/tasks.c': '', 'tasks/tasks.py': 'print("py")'}, 'tasks', 'py'),
            ({'own/src/tasks.c': ''}, 'own', 'c'),
            ({'class/carl/tasks.c': '', 'class/carl/tasks.py': ''}, '.', ''),
        ],
        3,
    ),
)
def test_a_solution_is_not_looked_for_in_submissions(files, folder, printed, tmp_path):
    """It is in solution/ or in the current folder; in a course's folder, not in its subfolders."""
    write_files(
        tmp_path,
        {
            'tasks/assignment.ini': '[*.c]\ncommand = echo c\n',
            'tasks/a.txt': '',
            'tasks/solution/notes.txt': 'This is no session.',
            **files,
        },
    )
    if 'tasks/solution/tasks.c' not in files:
        (tmp_path / 'tasks/solution/notes.txt').unlink()
        (tmp_path / 'tasks/solution').rmdir()
    status, _, errors = run_grader_here(
        'record', tmp_path / 'tasks/a.txt', folder=tmp_path / folder
    )
    assert (tmp_path / 'tasks/a.txt').read_text() == (f'|{printed}\n' if printed else '')
    assert status == (0 if printed else 2)
    assert (
        printed or '"record" looks for the program in solution/, or else in the current' in errors
    )
    words = 'grade', tmp_path / 'tasks', '--command', f'echo {printed}'
    assert not printed or run_grader_here(*words)[0] == 0


def test_without_a_command_the_executable_module_is_recorded(tmp_path):
    write_files(
        tmp_path,
        {
            'course/assignment.ini': '[*.c]\ncommand = ./main\n',
            'course/a.txt': '3\n',
            'course/files/n': '4',
            'own/read.py': 'def n(): return open("n").read()\n',
            'own/sum.py': f'import read\n{BLOCK}\nprint(input() + read.n())\n',
        },
    )
    assert run_grader_here('record', '../course/a.txt', folder=tmp_path / 'own')[::2] == (0, '')
    assert (tmp_path / 'course/a.txt').read_text() == '3\n|34\n'


@pytest.mark.parametrize(
    ('scenario', 'line', 'is_recorded'),
    rest_long(
        [
            ('# regex\n|at [0-9]+\n', 'at 1', True),
            ('# tolerance: 1\n', '0.5', True),
            ('# tolerance: 1e-9\n', '0.5', False),
            ('# ignore: whitespace\n', '', True),
            ('# free\n|x\n', 'at 1', True),
            ('', '0.5', False),
        ],
        3,
    ),
)
def test_output_may_vary_where_directives_allow_it(scenario, line, is_recorded, record):
    source = (
        'import os\nold = os.path.join(os.path.dirname(__file__), "old")\n'
        'second = os.path.exists(old)\n'
        '(os.remove if second else os.mknod)(old)\n'
        f'print({line!r} + (second * ("2" if {line!r} else " ")))\n'
    )
    status, _, errors, _ = record(source, scenario)
    assert (status == 0, 'the second time' in errors) == (is_recorded, not is_recorded)


SHOPPING_LIST = """import os
if os.path.exists('todo.txt'):
    print(open('todo.txt').read(), end='')
with open('todo.txt', 'a') as file:
    file.write(input() + '\\n')
"""


def test_a_program_that_keeps_a_file_is_recorded_in_a_fresh_folder_each_time(tmp_path):
    """Neither run sees what the other has left, and the current folder stays as it is."""
    write_files(
        tmp_path,
        {
            'todo/a.txt': 'milk\n# file: todo.txt\n',
            'todo.py': SHOPPING_LIST,
            'lib/words.py': '',
            'large/x': b'',
        },
    )
    with open(tmp_path / 'large/x', 'wb') as stream:
        stream.truncate(1 << 30)
    before = files_in(tmp_path)
    words = 'record', 'todo/a.txt', '--command', f'{PYTHON} todo.py'
    assert run_grader_here(*words, folder=tmp_path)[::2] == (0, '')
    assert (
        tmp_path / 'todo/a.txt'
    ).read_text() == '# prints nothing\nmilk\n# file: todo.txt\n|milk\n'
    assert files_in(tmp_path) == before
    write_files(tmp_path, {'todo.txt': 'bread\n'})  # each run finds it
    assert run_grader_here(*words, folder=tmp_path)[::2] == (0, '')
    text = (tmp_path / 'todo/a.txt').read_text()
    assert text == '|bread\nmilk\n# file: todo.txt\n|bread\n|milk\n'
    assert (tmp_path / 'todo.txt').read_text() == 'bread\n'
    words = 'record', 'a.txt', '--command', f'{PYTHON} ../todo.py'
    assert run_grader_here(*words, folder=tmp_path / 'todo')[::2] == (0, '')  # from another folder


@pytest.mark.parametrize(
    ('source', 'scenario', 'what'),
    [
        ('print(os.getpid(), input())', '3\n', '(first "[0-9]+ 3", then "[0-9]+ 3")'),
        (
            'open("a", "w").write(str(os.getpid()))',
            '# file: a\n',
            '(a: first "[0-9]+", then "[0-9]+")',
        ),
    ],
)
def test_what_two_runs_differ_in_is_shown(source, scenario, what, record):
    _, _, errors, text = record(f'import os\n{source}\n', scenario)
    pattern = re.escape('differently the second time ') + re.escape(what).replace(
        r'\[0\-9\]\+', '[0-9]+'
    )
    assert re.search(pattern, errors), errors
    assert text == scenario


def test_a_file_that_was_there_before_is_not_recorded(record, tmp_path):
    scenario = '3\n# file: a.csv\n'
    write_files(tmp_path, {'a.csv': 'old\n'})
    status, _, errors, text = record('print(input())\n', scenario)
    assert (status, text) == (2, scenario)
    assert errors.endswith(
        'a.txt:2: a.csv: the file existed before the run, and the program did not write to it\n'
    )
    write_files(tmp_path, {'files/a.csv': 'old\n'})
    assert record('print(input())\n', scenario)[3] == '3\n|3\n# file: a.csv\n|old\n'


NO_COMMAND = (
    'a.txt: not a session of a built-in game; to record your own program, use --command "CMD", '
    'or set a command in assignment.ini'
)
NO_SESSION = 'session file names must end in .txt, because "record" overwrites these files\n'


@pytest.mark.parametrize(
    ('text', 'words', 'reason'),
    [
        (SCENARIO, ['a.txt', '--command', 'no_such_program'], 'no such command: no_such_program'),
        (SCENARIO, ['a.txt', '--command', f'{PYTHON} no_such.py'], 'no such file: no_such.py'),
        *((text, ['a.txt'], NO_COMMAND) for text in ('3\n4\n', 'Ann\n', '', SCENARIO)),
        *(
            ('3\n', [f'{name}.txt', *words], reason)
            for words in ([], ['--command', 'true'])
            for name, reason in {
                'fifo': 'not a regular file',
                'zero': 'is a symbolic link: give the path of the file itself',
                'nul': 'NUL bytes',
                'folder': 'folder.txt is a folder; list the sessions in it instead: folder.txt/*.txt\n',
            }.items()
        ),
        *(
            ('3\n', [*words, '--command', *command], reason)
            for words, command, reason in [
                (
                    [],
                    [PYTHON, 'p.py', 'a.txt'],
                    f'grading: are quotes missing? Type --command "{PYTHON} p.py"\n',
                ),
                (['a.txt', 'p.py'], [f'{PYTHON} p.py'], f'grading: p.py: {NO_SESSION}'),
                (['a.in'], ['cat'], f'grading: a.in: {NO_SESSION}'),
            ]
        ),
        (
            '3\n',
            [*['a.txt'] * 1001, '--command', 'true'],
            'grading: record at most 1,000 sessions at once',
        ),
    ],
)
def test_commands_that_are_refused_before_anything_runs(text, words, reason, tmp_path):
    programs = dict.fromkeys(('p.py', 'a.in'), 'print(input())\n')
    write_files(tmp_path, {'a.txt': text, 'nul.txt': '3\0\n', **programs})
    (tmp_path / 'folder.txt').mkdir()
    os.mkfifo(tmp_path / 'fifo.txt')
    (tmp_path / 'zero.txt').symlink_to('/dev/zero')
    status, _, errors = run_grader_here('record', *words, folder=tmp_path)
    assert (status, (tmp_path / 'a.txt').read_text()) == (2, text)
    assert {name: (tmp_path / name).read_text() for name in programs} == programs
    assert reason in errors


def test_several_files_are_recorded_or_refused_one_by_one(tmp_path):
    write_files(tmp_path, {'a.txt': '3\n', 'b.txt': '', 'c.txt': '4\n', 'p.py': 'print(input())\n'})
    status, output, errors = run_grader_here(
        'record',
        *(tmp_path / name for name in ('a.txt', 'b.txt', 'c.txt')),
        '--command',
        f'{PYTHON} {tmp_path}/p.py',
        folder=tmp_path,
    )
    assert (status, output) == (
        2,
        ''.join(
            f'{tmp_path}/{name}: recorded 1 typed line and 1 printed line\n'
            for name in ('a.txt', 'c.txt')
        ),
    )
    assert errors == (
        f'grading: {tmp_path}/b.txt: an input line is missing: the program is waiting for one\n'
    )
    assert [(tmp_path / name).read_text() for name in ('a.txt', 'b.txt', 'c.txt')] == [
        '3\n|3\n',
        '',
        '4\n|4\n',
    ]


def test_recording_follows_the_directives_of_the_assignment(record, tmp_path):
    write_files(tmp_path, {'assignment.ini': 'exit status = any\n'})
    assert record('print(input())\nexit(3)\n', '3\n') == (
        0,
        'recorded 1 typed line and 1 printed line\n',
        '',
        '3\n|3\n',
    )


def test_more_sessions_than_can_be_played_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(internals.MAX_SESSIONS, 10)
    write_files(tmp_path, {f'{number}.txt': '|1\n' for number in range(11)})
    status, _, errors = run_grader_here('grade', tmp_path, '--command', 'true')
    assert (status, errors) == (2, f'grading: {tmp_path}: more than 10 sessions\n')


def test_a_session_that_does_not_end_in_time_is_refused(record, monkeypatch):
    monkeypatch.setattr(grading.sessions.record, 'RECORD_SECONDS', 2 * short_patience())
    source = 'import time\nwhile True:\n    print(input(), flush=True)\n    time.sleep(0.05)\n'
    scenario = '1\n' * 1000
    status, _, errors, text = record(source, scenario)
    assert (status, text) == (2, scenario)
    assert ': the session was not over after ' in errors


# The recorded text

SETUP = '4\n4\nB\n>\n. . . .\n. W B .\n. B W .\n. . . .\n'


def test_recording_again_changes_nothing(tmp_path):
    for path in all_transcripts():
        name = f'{path.parent.name}/{path.name}'
        copy = write_files(tmp_path, {name: path.read_bytes()}) / name
        record_file(copy)
        assert copy.read_bytes() == path.read_bytes(), path.name


def test_a_scenario_of_inputs_alone_becomes_a_transcript(tmp_path):
    text = '# A full board.\n4\n4\nB\n>\n' + 'B B W B\n' * 4
    path = write_files(tmp_path, {'scenario.txt': text}) / 'scenario.txt'
    record_file(path)
    assert path.read_text(encoding='utf-8') == (
        '# A full board.\n$ othello_console.py\n|FULL\n4\n4\nB\n>\n'
        + 'B B W B\n' * 4
        + '|B: 12  W: 4\n'
        + '|B B W B\n' * 4
        + '|WINNER: B\n'
    )


def test_output_belongs_to_the_input_that_follows_it():
    transcript = parse('$ nim_console.py tlcw --prompts\n2\n1\nu\n9\n', 'a')
    assert outputs_of(transcript) == [
        'How many coins are there to begin with? ',
        'How many may be taken on each turn? ',
        'Who starts, the computer (C) or you (U)? ',
        'COINS: 2  TURN: U\nHow many coins do you take? ',
        'You are cheating!\nThe computer wins. Thank you for playing!\n',
    ]


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        (SETUP, "scenario.txt:8: an input line is missing after this one: expected B's move"),
        (
            '# Lines are\n# those of the file.\n\n' + SETUP + '# The end.\n\n',
            "scenario.txt:13: an input line is missing after this one: expected B's move, a row",
        ),
        ('# An odd board.\n5\n', 'scenario.txt:2: expected the number of rows'),
        ('', 'scenario.txt: the file has no input lines yet'),
        (
            SETUP.replace('. W B .', 'B B B B').replace('. B W .', 'B B B B') + '1 1\n2 2\n',
            "scenario.txt:9: the program does not read this line: '1 1'",
        ),
        (
            '$ othello_console.py\n$ nim_console.py\n',
            'scenario.txt:2: only one $ line is allowed, and it must come before any typed or printed line',
        ),
        (
            '4\n$ othello_console.py\n',
            'scenario.txt:2: only one $ line is allowed, and it must come before any typed or printed line',
        ),
        (
            '$ nim_console.py stones --seed 1\nback\\slash\n1\nlast\\\n2\n',
            'scenario.txt:5: an input line is missing after this one: expected the answer to "How many',
        ),
        ('$ nim_console.py recorded no_such_file.txt\n', 'exit status 2: nim_console.py: '),
        ('$ othello_console.py "\n', 'scenario.txt:1: No closing quotation'),
        (b'\xff\xfe\n', 'not UTF-8: it looks like UTF-16'),
        (SETUP.encode('utf-16-le'), 'not UTF-8: it contains NUL bytes, so it may be UTF-16'),
        (
            SETUP.encode('utf-8-sig'),
            'scenario.txt:1: the file begins with a byte order mark; save it without one',
        ),
        (
            SETUP.replace('\n', '\r\n'),
            r'scenario.txt:1: lines end with \r\n; a session must use \n',
        ),
        (
            '4\n# four\r\n4\r\n',
            r'scenario.txt:2: the line ends with \r\n; a session must use \n alone',
        ),
        (
            '# points: 2,5\n4\n',
            "scenario.txt:1: points must be a number such as 2 or 2.5, not '2,5'",
        ),
    ],
)
def test_scenarios_that_cannot_be_recorded(text, message, tmp_path):
    path = write_files(tmp_path, {'othello/scenario.txt': text}) / 'othello' / 'scenario.txt'
    content = path.read_bytes()
    with pytest.raises(TranscriptError) as caught:
        record_file(path)
    assert message in str(caught.value)
    assert path.read_bytes() == content


@pytest.mark.parametrize('output', ['a\rb\n', 'a\0'])
def test_output_that_a_session_cannot_contain(output):
    with pytest.raises(TranscriptError, match='a session cannot contain'):
        written(parse('4\n', 'a'), output)


BACKSLASHES = (
    '# ASCII art\n# backslash\n|/\\\n# What is typed.\n# type: #3 x \n# free\n'
    '# backslash\n|\\\\\n|> \\\\\n# type: |\n# type: $ 1\n|end\n'
    '# file: a\n# backslash\n|a\\\n|b\n'
)


def with_file(texts, path, content):
    dialogue = Dialogue.printing(texts)
    dialogue.files[path] = LeftFile(content)
    return dialogue


DIALOGUE = with_file(['/\\\n', '\\\\\n> \\', '', 'end\n'], 'a', b'a\\\nb\n')


@pytest.mark.parametrize(
    'text',
    [
        BACKSLASHES,
        '# type: #3 x \n# free\n|y\n# type: |\n# type: $ 1\n# file: a\n|a\n',
        BACKSLASHES.replace('|/', '|old /'),
        BACKSLASHES.replace('# backslash\n', ''),
    ],
)
def test_a_session_can_contain_any_input_and_output(text):
    """Inputs may begin with marks of the format, and outputs may end with backslashes."""
    again = recorded_with(parse(text, 'a'), DIALOGUE).text
    transcript = parse(again, 'a')
    assert transcript.inputs == ['#3 x ', '|', '$ 1']
    assert [step.output.encode() for step in transcript.steps] == [
        turn.printed for turn in DIALOGUE.turns
    ]
    assert transcript.end.files[0].content.output.encode() == DIALOGUE.files['a'].content
    assert recorded_with(transcript, DIALOGUE).text == again
    assert (again == text) is (text == BACKSLASHES)


def test_ctrl_c_ends_the_recording(monkeypatch):
    monkeypatch.setattr('othello_console.main', lambda: 130)
    with pytest.raises(KeyboardInterrupt):
        play(['othello_console.py'], [])


def test_a_missing_free_line_is_reported():
    with pytest.raises(TranscriptError, match='"# free" is no longer followed by an output line'):
        recorded_with(parse('1\n# free\n|end\n', 'a'), Dialogue([Turn(), Turn()]))


def test_output_that_differs_in_a_step_with_any_lines_is_reported():
    with pytest.raises(TranscriptError, match=r"a:2: the directives here do not allow .*: 'b\\n'"):
        recorded_with(parse('# any lines\n|a\n', 'a'), Dialogue.printing(['b\n']))


def test_an_end_of_input_stays_where_it_is():
    text = '$ nim_console.py recorded\n1;1\n1\n# end of input\n'
    lines = recorded(parse(text, 'a')).text
    assert lines.startswith(text + '|Starting State:\n')
    assert recorded(parse(lines, 'a')).text == lines


@pytest.mark.parametrize(
    ('text', 'recording', 'written'),
    [
        ('1\n#end of input\n', Dialogue.printing(['', '', 'a\n']), '1\n#end of input\n|a\n'),
        (
            '|b\n1\n#  end of input\n# The end.\n|b\n',
            Dialogue.printing(['', '', 'a\n']),
            '1\n#  end of input\n# The end.\n|a\n',
        ),
        ('#prints nothing\n1\n', Dialogue.printing(['', 'a\n']), '1\n|a\n'),
        (
            '# T\n#file: b\n|old\n# Z\n$ p\n1\n',
            with_file(['', 'a\n'], 'b', b'new\n'),
            '# T\n$ p\n# Z\n#file: b\n|new\n1\n|a\n',
        ),
        (
            '# Title\n# free\n|Hello\n|first\n# free\n|same\n|same\n# on the input\n1\n|end\n# Z\n',
            Dialogue.printing(['Hello\nmore\nsame\nsame\n', 'other end\n']),
            '# Title\n# free\n|Hello\n|more\n# free\n|same\n|same\n# on the input\n1\n|other end\n# Z\n',
        ),
        (
            '$ p\n# One.\n|b\n# Two.\n|a\n# Three.\n|b\n',
            Dialogue.printing(['c\nb\na\nb\n']),
            '$ p\n|c\n# One.\n|b\n# Two.\n|a\n# Three.\n|b\n',
        ),
        (
            '# ignore: whitespace\n$ p\n|\n# any lines\n|Hello\n# Z\n|\n',
            Dialogue.printing(['more\nHello\n']),
            '# ignore: whitespace\n$ p\n|\n# any lines\n|Hello\n# Z\n|\n',
        ),
        (
            '# prompts: free\n$ p\n# any lines\n|Name? \\\nAnn\n',
            Dialogue.printing(['', 'Hello\n']),
            '# prompts: free\n$ p\n# any lines\n|Name? \\\nAnn\n|Hello\n',
        ),
    ],
)
def test_directives_and_comments_stay_where_the_parser_sees_them(text, recording, written):
    for scenario in (text, written):
        assert recorded_with(parse(scenario, 'a'), recording).text == written


def test_final_empty_lines_are_inputs(tmp_path):
    text = '$ nim_console.py recorded\n1;1\n1\n\n\n'
    path = write_files(tmp_path, {'recorded/scenario.txt': text}) / 'recorded/scenario.txt'
    record_file(path)
    transcript = read_session(path)
    assert transcript.inputs == ['1;1', '1', '', '']
    assert transcript.output.endswith('Player 1 loses.\n')


WHOLE = SETUP + '1 2\n1 3\n1 4\n1 1\n3 1\n4 4\n'


@pytest.mark.parametrize(
    ('text', 'status', 'printed', 'end'),
    [
        (
            SETUP + '1 2\n',
            2,
            "grading: {}:9: an input line is missing after this one: expected W's move, "
            f'a row and a column{ADD_STILL_ASKS}\n',
            SETUP + '1 2\n',
        ),
        (
            SETUP + '1 2\n# still asks\n',
            0,
            '{0}: recorded 9 typed lines and 14 printed lines; to grade a program with this session, run: '
            'grading grade {0} --command "CMD"\n',
            '|. B W .\n|. . . .\n|TURN: W\n# still asks\n',
        ),
        (
            SETUP + '1 2\n# end of input\n',
            2,
            "grading: {}:9: an input line is missing after this one: expected W's move, "
            f'a row and a column{ADD_STILL_ASKS}\n',
            '# end of input\n',
        ),
        (
            WHOLE + '# still asks\n',
            2,
            'grading: {}:15: the program ends instead of asking for more input\n',
            '# still asks\n',
        ),
        (
            WHOLE,
            0,
            '{0}: recorded 14 typed lines and 49 printed lines; to grade a program with this session, run: '
            'grading grade {0} --command "CMD"\n',
            'WINNER: B\n',
        ),
    ],
)
def test_a_student_records_a_scenario_anywhere(text, status, printed, end, tmp_path):
    path = write_files(tmp_path, {'mine.txt': text}) / 'mine.txt'
    printed = printed.format(path)
    output, errors = ('', printed) if status else (printed, '')
    assert run_grader_here('record', path) == (status, output, errors)
    assert path.read_text(encoding='utf-8').endswith(end)
