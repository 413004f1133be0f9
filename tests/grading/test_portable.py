"""One's own program is graded with nothing but Python, where what Windows lacks is missing."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest
from graders import run_grader, run_grader_here, said
from running import SECONDS
from tables import each

from grading.installation import ROOT
from grading.sandbox.program import Program, words_on_windows
from grading.sessions import transcript
from grading.sessions.run import running_here

AS_ON_WINDOWS = Path(__file__).with_name('as_on_windows.py')
GREETING = "name = input()\nprint('Hello,', name, flush=True)\nprint(input()[::-1])\n"
SESSION = '# by hand\nAda\n|Hello, Ada\nabc\n|cba\n'
LINES_AS_ON_WINDOWS = "import sys\nsys.stdout.reconfigure(newline='\\r\\n')\n"


def grader(project, *words, folder=None):
    """Run the grader without libraries and without what Windows lacks; return the same."""
    return said([sys.executable, '-S', '-I', AS_ON_WINDOWS, project, *words], folder or project)


def command(path):
    """Return a command line, as Windows has them, that runs a Python file."""
    return subprocess.list2cmdline([sys.executable, str(path)])


@pytest.fixture
def own(tmp_path):
    """A folder, with a blank in its name, for a program and sessions of one's own."""
    folder = tmp_path / 'my files'
    folder.mkdir()
    (folder / 'greeting.py').write_text(GREETING, encoding='utf-8')
    (folder / 'sessions').mkdir()
    for name in ('first', 'second'):
        (folder / 'sessions' / f'{name}.txt').write_text(SESSION, encoding='utf-8')
    return folder


def own_othello(folder, *changes, start=''):
    """Write a program of one's own that plays Othello; return its path."""
    text = (ROOT / 'othello_console.py').read_text(encoding='utf-8')
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    future = 'from __future__ import annotations\n'
    (folder / 'my_othello.py').write_text(text.replace(future, future + start), encoding='utf-8')
    shutil.copy(ROOT / 'othello_logic.py', folder)
    return folder / 'my_othello.py'


def test_a_right_program(small_project, own):
    """Its results are written without what pages need; fresh games need no library."""
    path, results = own_othello(own), own / 'results.json'
    status, output, errors = grader(small_project, 'grade', 'othello', '--command', command(path),
                                    '--results', results, '--fresh', '2')
    assert (status, errors) == (0, '')
    assert 'passed' in output
    assert '"passed"' in results.read_text(encoding='utf-8')


def test_a_program_in_text_mode_there(small_project, own):
    """Its line ends are not a fault there; they are one where no text mode makes them."""
    (own / 'greeting.py').write_text(LINES_AS_ON_WINDOWS + GREETING, encoding='utf-8')
    words = ('grade', own / 'sessions', '--command', command(own / 'greeting.py'))
    assert grader(small_project, *words)[0] == 0
    assert run_grader(*words[:3], shlex.join([sys.executable, str(own / 'greeting.py')]),
                      '--no-where', project=small_project)[0] == 1


def test_sessions_of_ones_own(small_project, own):
    words = ('grade', own / 'sessions', '--command', command('greeting.py'))
    assert grader(small_project, *words, folder=own)[0] == 0
    (own / 'greeting.py').write_text(GREETING.replace('Hello', 'Hullo'), encoding='utf-8')
    status, output, errors = grader(small_project, *words, folder=own)
    assert (status, errors) == (1, '')
    assert 'printed  |Hullo, Ada' in output


def test_a_crash_shows_the_line_of_a_program_that_stands_elsewhere(small_project, own):
    (own / 'greeting.py').write_text("print('Hello,', input(), flush=True)\n{}['x']\n")
    _, output, _ = grader(small_project, 'grade', own / 'sessions' / 'first.txt', '--command',
                          command(own / 'greeting.py'))
    assert "  in       |greeting.py, line 2: {}['x']" in output.splitlines()


def test_a_session_recorded_by_ones_own_program(small_project, own):
    session = own / 'sessions' / 'first.txt'
    session.write_text('# by hand\nAda\nabc\n', encoding='utf-8')
    assert grader(small_project, 'record', session, '--command', command('greeting.py'),
                  folder=own)[0] == 0
    assert session.read_text(encoding='utf-8') == SESSION


def test_a_session_recorded_by_our_consoles(small_project):
    session = next((small_project / 'transcripts' / 'othello').glob('worked*.txt'))
    before = session.read_bytes()
    session.write_bytes(b''.join(line for line in before.splitlines(keepends=True)
                                 if not line.startswith(b'|')))
    assert grader(small_project, 'record', session)[0] == 0
    assert session.read_bytes() == before


def test_a_program_that_hangs_is_ended(small_project, own):
    source = ("import os, time\nopen('number', 'w').write(str(os.getpid()))\n"
              "print('Hello,', input(), flush=True)\ntime.sleep(600)\n")
    (own / 'greeting.py').write_text(source, encoding='utf-8')
    status, _, errors = grader(
        small_project, 'grade', own / 'sessions' / 'first.txt', '--timeout', '0.5',
        '--command', command('greeting.py'), '--results', 'results.json', folder=own)
    assert (status, errors) == (1, '')
    test = json.loads((own / 'results.json').read_text(encoding='utf-8'))['tests'][-1]
    example = test['extra_data']['example']
    assert (test['status'], example['kind'], example['line']) == ('failed', 'silent', 5)
    with pytest.raises(ProcessLookupError):
        os.kill(int((own / 'number').read_text()), 0)


GRADE = 'grade', 'othello', '--command'


@pytest.mark.parametrize(('words', 'said'), [
    ([*GRADE, command('greeting.py'), '--out', 'results'],
     '--out needs jinja2: run "python -m pip install jinja2"'),
    ([*GRADE, 'x', '.'], 'runs in a sandbox, which needs Linux or macOS'),
    (['pack', 'othello', 'autograder.zip'], 'pack needs Linux or macOS'),
])
def test_what_is_missing_is_said(small_project, words, said):
    status, output, errors = grader(small_project, *words)
    assert (status, output) == (2, '')
    assert said in errors
    assert 'Traceback' not in errors


def test_without_words_the_grader_says_what_to_type(small_project):
    status, output, errors = grader(small_project)
    assert (status, output) == (2, '')
    assert ' python -m grading grade othello --command "python my' in errors
    assert '\n  grading grade othello --command "python3 my' in run_grader_here()[2]


@pytest.mark.parametrize('words', [
    ['py', 'my othello.py'], ['py', ''], ['a\\b', 'c:\\my files\\'], ['say "hi"', '\\"', 'a\\\\"b'],
    ['tab\there', '\\\\server\\share\\x.py', '"']])
def test_a_command_line_is_split_as_it_is_on_windows(words):
    """The library joins words as Windows splits them."""
    assert words_on_windows(subprocess.list2cmdline(words)) == words


class WindowsPath(PureWindowsPath):
    """A path of Windows, which is whole."""

    def resolve(self):
        return self


@each('path, name', [
    ('C:/project/transcripts/sums/two.txt', 'transcripts/sums/two.txt'),
    ('C:/homework/two.txt', 'C:\\homework\\two.txt')])
def test_a_session_has_the_same_name_there(path, name, monkeypatch):
    monkeypatch.setattr(transcript, 'ROOT', PureWindowsPath('C:/project'))
    assert transcript.display_name(WindowsPath(path)) == name


def test_a_flood_that_is_not_read_waits():
    source = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    with running_here(Program([sys.executable, '-c', source]), SECONDS) as run:
        assert run.read(SECONDS).startswith(b'x')
        assert run.status(0) is None
    assert run.status(0) is not None


def test_standard_error_may_end_after_the_output():
    """It is waited for: what a crash says is in it."""
    source = "import os, sys, time\nos.close(1)\ntime.sleep(0.3)\nsys.exit('wrong')"
    with running_here(Program([sys.executable, '-c', source]), SECONDS) as run:
        assert run.read(SECONDS) == b''
        assert run.errors == b'wrong\n'
