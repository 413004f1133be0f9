"""What is right in a terminal is right in every sandbox, at home, and when it is recorded."""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from graders import FAST, graded, run_command, run_grader_here
from programs import write_files
from running import SECONDS
from sandboxes import ALL_KINDS, PLACES, works

from grading.installation import ROOT
from grading.sessions import run

if not sys.platform.startswith('linux'):
    pytest.skip('uses the tools and folders of Linux', allow_module_level=True)

AS_ON_WINDOWS = sys.executable, Path(__file__).with_name('as_on_windows.py'), ROOT
ADD = '3\n4\n|7\n'
ADD_ALL = '3\n4\n# end of input\n|7\n'


class Row(NamedTuple):
    """A program, and a session that it passes."""

    source: str
    session: str
    command: str = 'python3 program'
    build: str = ''
    seconds: float = SECONDS  # of silence that the program is allowed


STREAMS = {
    'python reads /dev/stdin': Row('print(sum(map(int, open("/dev/stdin"))))', ADD_ALL),
    'python prints to /dev/stdout': Row('print(7, file=open("/dev/stdout", "w"))', '|7\n'),
    'python prints to /dev/stderr': Row(
        'print("!", file=open("/dev/stderr", "w"), flush=True)\nprint(7)', '|7\n'
    ),
    'python prints to /proc/self/fd/1': Row('print(7, file=open("/proc/self/fd/1", "w"))', '|7\n'),
    'bash': Row('read a\nread b < /dev/stdin\necho $((a + b)) > /dev/stdout', ADD, 'bash program'),
    'node': Row(
        'const words = require("fs").readFileSync("/dev/stdin", "utf8").split("\\n");\n'
        'console.log(Number(words[0]) + Number(words[1]));\n',
        ADD_ALL,
        'node program',
    ),
    'c': Row(
        '#include <stdio.h>\nint main(void) {\n    int a, b;\n'
        '    if (!freopen("/dev/stdin", "r", stdin) || !freopen("/dev/stdout", "w", stdout))\n'
        '        return 1;\n    scanf("%d%d", &a, &b);\n    printf("%d\\n", a + b);\n}\n',
        ADD,
        './sum',
        'gcc -x c -o sum program',
    ),
    'the name of the user': Row('import getpass\nprint(getpass.getuser() != "")', '|True\n'),
    'the entry of the user': Row(
        'import os, pwd\nprint(pwd.getpwuid(os.getuid()).pw_name != "")', '|True\n'
    ),
}


EXCEPTIONS = {
    ('the entry of the user', 'user'): 'the user is not in the list of users, as the manual says',
    **{
        ('as many processes as it can start', place): 'there is no small limit on processes'
        for place in ('none', 'own', 'windows', 'record')
    },
    ('a signal for all, which it ignores', 'windows'): 'Windows has no groups of processes',
}


def failures(name, row, place, folder, monkeypatch):
    """Return what is wrong with a program, or `''`."""
    if (name, place) in EXCEPTIONS:
        pytest.skip(EXCEPTIONS[name, place])
    tool = (row.build or row.command).split()[0]
    if not shutil.which(tool):
        pytest.skip(f'there is no {tool}')
    if place in ALL_KINDS:
        if not works(place):
            pytest.skip(f'programs cannot be confined by {place} here')
        results = graded(
            write_files(folder / 'one', {'program': row.source}),
            transcripts=None,
            game='many',
            sessions=[('a.txt', row.session)],
            command=row.command,
            build=row.build or None,
            confine=place,
            trusts_looks=False,
            timeout=row.seconds,
        )
        return ''.join(test['output'] for test in results['tests'])
    write_files(folder, {'program': row.source, 'a.txt': row.session})
    if row.build:
        monkeypatch.chdir(folder)
        subprocess.run(row.build, shell=True, check=True)
    words = ['record' if place == 'record' else 'grade', 'a.txt', '--command', row.command]
    words += [] if place == 'record' else ['--timeout', str(row.seconds)]
    if place == 'windows':
        status, printed, errors = run_command([*AS_ON_WINDOWS, *words], folder)
    else:
        status, printed, errors = run_grader_here(*words, folder=folder)
    recorded = (folder / 'a.txt').read_text(encoding='utf-8')
    return '' if status == 0 and recorded == row.session else printed + errors + recorded


ENDED = {
    'a child goes on': Row('sleep 300 &\necho 7\n', '|7\n', 'sh program'),
    'a child prints': Row('(echo 7; exec sleep 300) &\n', '|7\n', 'sh program'),
    'a child that prints too late': Row('(sleep 2; echo 8) &\necho 7\n', '|7\n', 'sh program'),
    'a child has only standard error': Row('sleep 300 >&- &\necho 7\n', '|7\n', 'sh program'),
    'a status': Row('sleep 300 &\nexit 3\n', '# exit status: 3\n# prints nothing\n', 'sh program'),
    'as many processes as it can start': Row(
        'import os, time\n'
        'try:\n'
        '    while True:\n'
        '        if not os.fork():\n'
        '            time.sleep(300)\n'
        'except OSError:\n'
        '    os._exit(3)\n',
        '# exit status: 3\n# prints nothing\n',
    ),
    'a signal for all, which it ignores': Row(
        'import os, signal, subprocess\n'
        'child = subprocess.Popen(["sleep", "300"])\n'
        'signal.signal(signal.SIGTERM, signal.SIG_IGN)\n'
        'os.kill(0, signal.SIGTERM)\n'
        'print(-child.wait())\n',
        '|15\n',
    ),
    'a status that a shell gives to a signal': Row(
        'kill -USR1 $$', '# exit status: 138\n# prints nothing\n', 'sh program'
    ),
}
VALUES = {'TERM': 'dumb', 'LANG': 'C.UTF-8', 'JAVA_TOOL_OPTIONS': '-Xms16m'}  # in each run
# What may change what programs print, as a user may have set it.
OF_USER = {
    'TERM': 'xterm-256color',
    'LANG': 'de_DE.UTF-8',
    'LC_ALL': 'de_DE.UTF-8',
    'LANGUAGE': 'de',
    'TZ': 'Asia/Tokyo',
    'COLUMNS': '20',
    'CLICOLOR_FORCE': '1',
    'NO_COLOR': '1',
    'PAGER': 'less',
    'JAVA_TOOL_OPTIONS': '-Duser.language=de -Duser.country=DE',
    'NODE_OPTIONS': '--no-such',
    'PYTHONOPTIMIZE': '1',
}
ENVIRONMENT = {
    'variables': Row(
        'import os\n'
        f'for name in {[*OF_USER]}:\n'
        '    print(name, (os.environ.get(name) or "none").split()[0])\n',
        ''.join(f'|{name} {VALUES.get(name, "none")}\n' for name in OF_USER),
    ),
    'clear': Row('clear 2> /dev/null\necho 7\n', '|7\n', 'sh program'),
    'java': Row(
        'class A { public static void main(String[] a) { System.out.printf("%.2f%n", 12.57); } }',
        '|12.57\n',
        'java A',
        'cp program A.java && javac A.java',
        SECONDS,
    ),
}
SUM = 'print("Sum:", sum(map(int, input().split())))'
WHITESPACE = {
    'one newline more': Row(SUM, '# ignore: whitespace\n3 4\n|Sum: 7\\\n'),
    'an empty line, too': Row(f'{SUM}\nprint()', '# ignore: whitespace\n3 4\n|Sum: 7\\\n'),
    'one newline less': Row(
        SUM.replace('split()))', 'split())), end=""'), '# ignore: whitespace\n3 4\n|Sum: 7\n'
    ),
    'at the end of a file': Row(
        'open("a.csv", "w").write("7\\n")',
        '# ignore: whitespace\n# prints nothing\n# file: a.csv\n|7\\\n',
    ),
}
SIGNALS = {
    'segmentation fault': Row(
        'kill -SEGV $$', '# prints nothing\n# exit status: not 0\n', 'sh program'
    ),
    'kill': Row('kill -KILL $$', '# prints nothing\n# exit status: not 0\n', 'sh program'),
    'of a child of a shell': Row(
        'sh -c "kill -SEGV \\$\\$"', '# prints nothing\n# exit status: not 0\n', 'sh program'
    ),
}


@pytest.mark.parametrize('place', PLACES)
@pytest.mark.parametrize('name', STREAMS)
def test_names_of_the_standard_streams(name, place, tmp_path, monkeypatch):
    assert failures(name, STREAMS[name], place, tmp_path, monkeypatch) == ''


@pytest.mark.parametrize('place', PLACES)
@pytest.mark.parametrize('name', ENDED)
def test_a_program_ends_when_its_first_process_ends(name, place, tmp_path, monkeypatch):
    monkeypatch.setattr(run, 'LAST_SECONDS', 2 * SECONDS)
    begin = time.monotonic()
    assert failures(name, ENDED[name], place, tmp_path, monkeypatch) == ''
    assert time.monotonic() < begin + SECONDS


@pytest.mark.parametrize('place', [place for place in PLACES if place != 'record'])
@pytest.mark.parametrize('name', WHITESPACE)
def test_a_final_newline_is_whitespace(name, place, tmp_path, monkeypatch):
    assert failures(name, WHITESPACE[name], place, tmp_path, monkeypatch) == ''


ALL_WRONG = {  # a line that two programs print, and the warning to the teacher
    'a final newline': (
        ['"Sum: 7"', '"Sum:", 7'],
        'No newline is expected at the end of line 1 of s.ans, but all programs print one.',
    ),
    'another line': (
        ['"Sum: 8", end=""', '"Sum:", 8, end=""'],
        'All programs print "Sum: 8" instead of line 1 of s.ans: "Sum: 7".',
    ),
    'different lines': (['"Sum: 8"', '"Sum: 9"'], ''),
}


@pytest.mark.parametrize('what', ALL_WRONG)
def test_a_line_that_all_programs_print_otherwise_is_reported_to_the_teacher(what, tmp_path):
    printed, warning = ALL_WRONG[what]
    files = {
        'sums/s.in': '3 4\n',
        'sums/s.ans': 'Sum: 7',
        'sums/right.txt': '# prints nothing\n$ sums nothing\n',
    }
    for number, words in enumerate(printed):
        source = f'import sys\nif not sys.argv[1:]:\n    print({words})\n'
        files[f'class/{number}/main.py'] = source
    folders = [write_files(tmp_path, files) / 'class' / str(number) for number in (0, 1)]
    _, _, errors = run_grader_here('grade', 'sums', *folders, *FAST, folder=tmp_path)
    assert 'Traceback' not in errors
    assert warning in errors
    assert ('ll programs' in errors) == bool(warning)


@pytest.mark.parametrize('place', PLACES)
@pytest.mark.parametrize('name', SIGNALS)
def test_a_signal_is_no_exit_status(name, place, tmp_path, monkeypatch):
    assert 'signal' in failures(name, SIGNALS[name], place, tmp_path, monkeypatch)


@pytest.mark.parametrize('place', PLACES)
@pytest.mark.parametrize(
    'name', ['variables', 'clear', pytest.param('java', marks=pytest.mark.long)]
)
def test_one_environment_everywhere(name, place, tmp_path, monkeypatch):
    row = ENVIRONMENT[name]
    if place == 'windows' and not sys.executable.isascii():
        pytest.skip('without a locale, Python cannot start from a path that is not ASCII')
    for variable, value in OF_USER.items():
        monkeypatch.setenv(variable, value)
    assert failures(name, row, place, tmp_path, monkeypatch) == ''


SAID = {  # programs that are wrong, and what their reports say, and do not say
    'scanf reads on': (
        Row(
            '#include <stdio.h>\n'
            'int main(void) { int n; puts("7"); fflush(stdout); scanf("%d\\n", &n); }\n',
            '|7\n3\n',
            './x',
            'gcc -x c -o x program',
            seconds=6,
        ),
        'the program was still waiting for input after its last line of output',
        'still running',
    ),
    'a thread goes on': (
        Row(
            'import threading\nthreading.Thread(target=threading.Event().wait).start()\nprint(7)',
            '|7\n',
            seconds=6,
        ),
        'because one of its threads goes on',
        'sys.exit',
    ),
    'many empty lines': (
        Row('print("\\n" * 300_000)', '|7\n'),
        'prints an empty line again and again, until the grader stops it',
        'never',
    ),
}


@pytest.mark.parametrize(
    ('name', 'place'),
    [
        *(('scanf reads on', place) for place in PLACES if place != 'record'),
        ('a thread goes on', 'own'),
        ('many empty lines', 'own'),
        ('many empty lines', 'windows'),
    ],
)
def test_what_a_report_says(name, place, tmp_path, monkeypatch):
    row, said, not_said = SAID[name]
    report = ' '.join(failures(name, row, place, tmp_path, monkeypatch).split())
    assert said in report
    assert not_said not in report


BUILDS = {
    'gcc': (
        'gcc -fdiagnostics-color=always -x c -o x program',
        'int main(void) { return x; }',
        "program:1:25: error: 'x' undeclared",
    ),
    'javac': ('cp program A.java && javac A.java', 'class A { int a = x; }', 'A.java:1: error: '),
}


@pytest.mark.parametrize('tool', ['gcc', pytest.param('javac', marks=pytest.mark.long)])
@pytest.mark.parametrize('kind', ALL_KINDS)
def test_a_report_quotes_only_what_a_compiler_says_about_the_program(kind, tool, tmp_path):
    if not shutil.which(tool):
        pytest.skip(f'there is no {tool}')
    build, source, expected = BUILDS[tool]
    report = failures('', Row(source, '|7\n', './x', build), kind, tmp_path, None)
    assert expected in report.replace('\u2018', "'").replace('\u2019', "'")
    assert not re.search('Picked up|x1b', report)


@pytest.mark.long
@pytest.mark.skipif(not shutil.which('java'), reason='there is no java')
@pytest.mark.parametrize('place', ['none', 'own', 'record'])
def test_the_setting_of_java_is_in_no_report(place, tmp_path, monkeypatch):
    row = Row(
        'class A { public static void main(String[] a) { System.exit(1); } }',
        '|7\n',
        'java A',
        'cp program A.java && javac A.java',
        SECONDS,
    )
    report = failures('', row, place, tmp_path, monkeypatch)
    assert 'exit status 1' in report
    assert 'Picked up' not in report
