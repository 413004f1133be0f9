"""The installed project, foreign modules on its path, other systems, and older Pythons."""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from contextlib import closing
from importlib import metadata
from pathlib import Path, PureWindowsPath

import pytest
from graders import (
    RIGHT,
    keep_compiled,
    make_small_project,
    run_command,
    run_grader_here,
)
from programs import changed, write_files
from running import SECONDS
from sandboxes import skip_unless_confined
from test_layout import tracked

from grading import OLDEST_PYTHON
from grading.installation import ROOT, name_and_version
from grading.sandbox.program import Program, words_on_windows
from grading.sessions import transcript
from grading.sessions.run import ThreadedRun

NAME = name_and_version().replace(' ', '-').replace('console-', 'console_')
# The files a build adds to an sdist, and to a wheel.
OF_SDIST = {
    'PKG-INFO',
    'setup.cfg',
    *(
        f'console_grader.egg-info/{name}'
        for name in (
            'PKG-INFO',
            'SOURCES.txt',
            'dependency_links.txt',
            'entry_points.txt',
            'requires.txt',
            'top_level.txt',
        )
    ),
}
OF_WHEEL = {
    f'{NAME}.dist-info/{name}'
    for name in (
        'licenses/LICENSE',
        'METADATA',
        'RECORD',
        'WHEEL',
        'entry_points.txt',
        'top_level.txt',
    )
}
# This program builds an sdist of the current folder, and a wheel from it, without the network.
BUILD = """
import os, sys, tarfile, setuptools.build_meta as backend
folder, name = sys.argv[1:]
with tarfile.open(os.path.join(folder, backend.build_sdist(folder))) as archive:
    archive.extraction_filter = getattr(tarfile, 'data_filter', None)
    archive.extractall(folder)
os.chdir(os.path.join(folder, name))
backend.build_wheel(folder)
"""
# The files in `grading/bundled` of the package from the root folder of a checkout.
GAMES = (
    'LICENSE',
    'nim_console.py',
    'nim_logic.py',
    'othello_console.py',
    'othello_logic.py',
    'pyproject.toml',
)
SCENARIO = '4\n4\nB\n>\nB B B B\nW W W W\nB B B B\nB W B W\n'
RECORDED = (
    'mine.txt: recorded 8 typed lines and 7 printed lines; to grade a program with this session, run: '
    '{} grade mine.txt --command "CMD"\n'
)
THIEF = """
import glob, sys
print(len(glob.glob({!r}, recursive=True)))
"""


AS_AN_OLD_PYTHON = """
import runpy, sys
sys.version_info = (3, 7, 17, 'final', 0)
runpy.run_path(sys.argv[1], run_name='__main__')
"""
OLD_PYTHONS = ['python2.7', 'python3.6', 'python3.7']


def needed(python):
    """Return the error message of the grader in an older Python."""
    oldest = '.'.join(map(str, OLDEST_PYTHON))
    return f'grading: needs Python {oldest} or later; this is {python}\n'


def test_an_older_python_is_named():
    assert run_command([sys.executable, '-c', AS_AN_OLD_PYTHON, ROOT / 'grading'], ROOT) == (
        3,
        '',
        needed('Python 3.7'),
    )
    (oldest,) = re.findall(
        r'^requires-python = ">=(\d+)\.(\d+)"$',
        (ROOT / 'pyproject.toml').read_text(encoding='utf-8'),
        re.MULTILINE,
    )
    assert (*map(int, oldest),) == OLDEST_PYTHON


@pytest.mark.parametrize('name', ['__init__.py', '__main__.py'])
def test_an_older_python_can_parse_the_first_modules(name):
    """Even Python 2 can parse these modules: they have no annotations and no f-strings."""
    tree = ast.parse((ROOT / 'grading' / name).read_bytes(), feature_version=(3, 7))
    new = ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.AsyncFunctionDef
    assert not [
        node
        for node in ast.walk(tree)
        if isinstance(node, new)
        or getattr(node, 'annotation', None)
        or getattr(node, 'returns', None)
    ]


@pytest.mark.long
@pytest.mark.parametrize('python', OLD_PYTHONS)
def test_an_old_python_names_the_needed_version(python):
    beside = [*Path.home().glob(f'.pyenv/versions/*/bin/{python}')]
    path = beside[0] if beside else shutil.which(python)
    if not path:
        pytest.skip(f'there is no {python}')
    for words in ['-m', 'grading'], [ROOT / 'grading']:
        assert run_command([path, '-B', *words, '--help'], ROOT) == (
            3,
            '',
            needed(python.replace('python', 'Python ')),
        )


def has(package, *oldest):
    """Return whether a package is installed, in this version or a later one."""
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return [int(number) for number in version.split('.')[:2]] >= [*oldest]


@pytest.fixture(scope='module')
def distributions(tmp_path_factory):
    """Return an sdist of the files tracked by git, and a wheel from it."""
    folder = tmp_path_factory.mktemp('distributions')
    project = write_files(
        folder / 'project',
        {
            'grading/__pycache__/litter.pyc': '',
            **{name: (ROOT / name).read_bytes() for name in tracked()},
        },
    )
    status, _, errors = run_command([sys.executable, '-c', BUILD, folder, NAME], project)
    assert status == 0, errors
    (sdist,), (wheel,) = folder.glob('*.tar.gz'), folder.glob('*.whl')
    return sdist, wheel


@pytest.fixture(scope='module')
def installed(distributions, tmp_path_factory):
    """Return an environment with the installed wheel and the libraries of this environment."""
    folder = tmp_path_factory.mktemp('environment')
    venv.create(folder, symlinks=True)
    status, _, errors = run_command(
        [
            folder / 'bin' / 'python',
            metadata.distribution('pip').locate_file('pip'),
            'install',
            '--quiet',
            '--no-compile',
            '--no-deps',
            '--no-index',
            distributions[1],
        ],
        folder,
    )
    assert status == 0, errors
    (packages,) = folder.glob('lib/*/site-packages')
    assert {path.name for path in packages.iterdir()} == {'grading', f'{NAME}.dist-info'}
    (keep_compiled(packages) / 'borrowed.pth').write_text(sysconfig.get_path('purelib'))
    return folder


@pytest.mark.long
@pytest.mark.skipif(
    not (has('setuptools', 77) and has('pip', 22, 3)),
    reason='no setuptools that makes wheels, no pip that installs them',
)
class TestInstalled:
    """The tests are in one class, so one process builds and installs the project once."""

    def test_an_sdist_is_complete_and_contains_nothing_else(self, distributions):
        with tarfile.open(distributions[0]) as archive:
            names = {
                name.partition('/')[2]
                for name in archive.getnames()
                if archive.getmember(name).isfile()
            }
        assert names == OF_SDIST | {name for name in tracked() if not name.startswith('.')}

    def test_a_wheel_is_complete_and_contains_nothing_else(self, distributions):
        with zipfile.ZipFile(distributions[1]) as archive:
            names = set(archive.namelist())
        assert names == OF_WHEEL | {
            *(name for name in tracked() if name.startswith('grading/')),
            *(
                f'grading/bundled/{name}'
                for name in tracked()
                if name.startswith('transcripts/') or name in GAMES
            ),
        }

    def test_a_custom_program_is_graded(self, installed, tmp_path):
        """Grading needs no libraries; if an option needs a library, the message names it."""
        write_files(tmp_path, {'piles.py': RIGHT})
        session = ROOT / 'transcripts' / 'nim' / 'piles' / 'worked_example.txt'
        bare = [installed / 'bin' / 'python', '-S', '-m', 'grading']
        only = {'PYTHONPATH': str(*installed.glob('lib/*/site-packages'))}
        words = ['grade', session, '--command', f'{shlex.quote(sys.executable)} piles.py']
        assert run_command([*bare, *words], tmp_path, **only) == (
            0,
            'passed  1 session\n\npiles: worked_example, 1 of 1 points\n',
            '',
        )
        status, _, errors = run_command([*bare, *words, '--out', 'results'], tmp_path, **only)
        assert (status, errors.splitlines()[-1]) == (
            2,
            f'grading: --out needs jinja2: run "{installed}/bin/python -m pip install jinja2"',
        )
        for started in (bare, [installed / 'bin' / 'grading']):
            assert run_command([*started, '--version'], tmp_path, **only) == (
                0,
                f'{name_and_version()}\n',
                '',
            )

    def test_the_help_names_the_modules_with_the_rules(self, installed, tmp_path):
        status, output, _ = run_command([installed / 'bin' / 'grading', '--help'], tmp_path)
        named = [Path(line.strip()) for line in output.splitlines() if line.endswith('_logic.py')]
        assert (status, [path.name for path in named]) == (0, ['nim_logic.py', 'othello_logic.py'])
        for path in named:
            assert installed in path.parents
            assert path.read_bytes() == (ROOT / path.name).read_bytes()

    def test_submissions_get_pages_and_do_not_find_the_answers(self, installed, tmp_path):
        skip_unless_confined()
        (answers,) = installed.glob('lib/*/site-packages/grading')
        write_files(
            tmp_path,
            {'right/piles.py': RIGHT, 'thief/piles.py': THIEF.format(f'{answers}/**/*.txt')},
        )
        session = answers / 'bundled/transcripts/nim/piles/worked_example.txt'
        for kind in ('auto', 'none'):
            run_command(
                [
                    installed / 'bin' / 'grading',
                    'grade',
                    session,
                    'right',
                    'thief',
                    '--no-where',
                    '--confine',
                    kind,
                    '--out',
                    kind,
                ],
                tmp_path,
            )
            right, thief = (
                json.loads((tmp_path / kind / name / 'results.json').read_text())
                for name in ('right', 'thief')
            )
            assert (right['score'], (tmp_path / kind / 'index.html').exists()) == (1, True)
            found = thief['tests'][-1]['extra_data']['example']['printed_text']
            if kind == 'auto':
                assert found == '0\n'
            else:
                assert int(found) > 100

    def test_a_scenario_is_recorded_by_our_consoles(self, installed, tmp_path):
        (tmp_path / 'mine.txt').write_text(SCENARIO)
        status, output, errors = run_command(
            [installed / 'bin' / 'grading', 'record', 'mine.txt'], tmp_path
        )
        assert (status, output, errors) == (0, RECORDED.format('grading'), '')
        assert '|WINNER: ' in (tmp_path / 'mine.txt').read_text()

    def test_an_autograder_equals_that_of_a_checkout(self, installed, tmp_path):
        assert (
            run_command([installed / 'bin' / 'grading', 'pack', 'piles', 'there.zip'], tmp_path)[0]
            == 0
        )
        assert run_grader_here('pack', 'piles', tmp_path / 'here.zip')[0] == 0
        assert (tmp_path / 'there.zip').read_bytes() == (tmp_path / 'here.zip').read_bytes()


@pytest.mark.long
def test_the_grader_is_named_as_it_was_started(small_project, tmp_path):
    for started, name in [
        ([small_project / 'grading'], f'python3 {small_project}/grading'),
        ([small_project / 'grading' / '__main__.py'], f'python3 {small_project}/grading'),
        (['-m', 'grading'], 'python3 -m grading'),
    ]:
        errors = run_command([sys.executable, *started], tmp_path, PYTHONPATH=str(small_project))[2]
        assert f'\n  {name} grade othello --command "python3 my_othello.py"\n' in errors
    assert '\n  grading grade othello --command "python3 my_othello.py"\n' in run_grader_here()[2]


LIBRARY = ('signal', 'argparse', 'select', 'random', 'settings', 'project')
OURS = ('othello_logic', 'othello_console', 'nim_logic', 'nim_console')
MARK = "open({!r}, 'a').write({!r})\n"


def litter(folder, names, mark):
    """Write a session, and modules that write to `mark` when imported; return the folder."""
    return write_files(
        folder,
        {'mine.txt': SCENARIO, **{f'{name}.py': MARK.format(str(mark), name) for name in names}},
    )


@pytest.mark.long
def test_nothing_is_imported_from_the_folder_where_the_grader_is_started(small_project, tmp_path):
    mark = tmp_path / 'mark'
    folder = litter(tmp_path / 'homework', LIBRARY + OURS, mark)
    by_path = f'python3 {small_project}/grading'
    for words, path, name in [
        ([small_project / 'grading'], '', by_path),
        ([small_project / 'grading' / '__main__.py'], '', by_path),
        (['-m', 'grading'], small_project, 'python3 -m grading'),
        (['-m', 'grading'], f'{small_project}{os.pathsep}', 'python3 -m grading'),
    ]:
        status, output, errors = run_command(
            [sys.executable, *words, 'record', 'mine.txt'],
            folder,
            **{'PYTHONPATH': str(path)} if path else {},
        )
        assert (status, output, errors) == (0, RECORDED.format(name), '')
        assert (folder / 'mine.txt').read_text().endswith('|WINNER: B\n')
        assert not mark.exists(), mark.read_text()


@pytest.mark.long
def test_nothing_but_ours_is_imported_from_the_root_of_a_checkout(tmp_path):
    project, mark = make_small_project(tmp_path / 'project'), tmp_path / 'mark'
    litter(project, (*LIBRARY, 'chess_logic', 'chess_console'), mark)
    assert run_command([sys.executable, '-m', 'grading', 'record', 'mine.txt'], project)[0] == 0
    assert not mark.exists(), mark.read_text()


@pytest.mark.long
def test_without_protection_all_of_these_modules_are_imported(tmp_path):
    project, mark = make_small_project(tmp_path / 'project'), tmp_path / 'mark'
    for file, old, new in [
        ('__main__.py', 'sys.path[:] = trusted', 'sys.path[:] = [*first, *trusted]'),
        ('__main__.py', 'sys.path[:] = [os', 'first = sys.path[:1]\nsys.path[:] = [os'),
        ('installation.py', 'module_from_spec(spec)', '__import__(name)'),
        ('installation.py', 'spec.loader.exec_module(sys.modules[name])', 'pass'),
    ]:
        path = project / 'grading' / file
        path.write_text(changed(path.read_text(encoding='utf-8'), [(old, new)]), encoding='utf-8')
    for names, words, imported in [
        (LIBRARY[1:2], ['--version'], 'argparse'),
        (OURS, ['record', 'mine.txt'], 'othello_logicothello_console'),
        (LIBRARY[:1], ['--version'], 'signal'),
    ]:
        folder = litter(tmp_path / imported, names, mark)
        run_command([sys.executable, '-m', 'grading', *words], folder, PYTHONPATH=str(project))
        assert mark.read_text() == imported
        mark.unlink()


@pytest.mark.long
def test_our_modules_are_not_replaced_by_others_on_the_path(small_project, tmp_path):
    mark = tmp_path / 'mark'
    folder = litter(tmp_path / 'path', OURS, mark)
    assert (
        run_command(
            [sys.executable, small_project / 'grading', 'record', folder / 'mine.txt'],
            tmp_path,
            PYTHONPATH=str(folder),
        )[0]
        == 0
    )
    assert not mark.exists(), mark.read_text()


# Other systems, and older Pythons.

AS_ON_WINDOWS = Path(__file__).with_name('as_on_windows.py')
GREETING = "name = input()\nprint('Hello,', name, flush=True)\nprint(input()[::-1])\n"
SESSION = '# by hand\nAda\n|Hello, Ada\nabc\n|cba\n'
LINES_AS_ON_WINDOWS = "import sys\nsys.stdout.reconfigure(newline='\\r\\n')\n"


def grader(project, *words, folder=None):
    """Run the grader without libraries and what Windows lacks; return as `run_command` does."""
    return run_command(
        [sys.executable, '-S', '-I', AS_ON_WINDOWS, project, *words], folder or project
    )


def command(path):
    """Return a command line to run a Python file, quoted for Windows."""
    return subprocess.list2cmdline([sys.executable, str(path)])


@pytest.fixture
def own(tmp_path):
    """Return a folder with a custom program and its sessions; the folder's name has a space."""
    folder = tmp_path / 'my files'
    folder.mkdir()
    (folder / 'greeting.py').write_text(GREETING, encoding='utf-8')
    (folder / 'sessions').mkdir()
    for name in ('first', 'second'):
        (folder / 'sessions' / f'{name}.txt').write_text(SESSION, encoding='utf-8')
    return folder


def test_a_correct_program_on_windows(small_project, own):
    """Writing results.json and playing fresh games need no library."""
    path, results = own / 'my_othello.py', own / 'results.json'
    shutil.copy(ROOT / 'othello_console.py', path)
    shutil.copy(ROOT / 'othello_logic.py', own)
    status, output, errors = grader(
        small_project,
        'grade',
        'othello',
        '--command',
        command(path),
        '--results',
        results,
        '--fresh',
        '2',
    )
    assert (status, errors) == (0, '')
    assert 'passed' in output
    assert '"passed"' in results.read_text(encoding='utf-8')


@pytest.mark.long
def test_crlf_is_not_a_fault_on_windows(small_project, own):
    """CRLF is a fault, except on Windows, where text mode prints it."""
    (own / 'greeting.py').write_text(LINES_AS_ON_WINDOWS + GREETING, encoding='utf-8')
    words = ('grade', own / 'sessions', '--command', command(own / 'greeting.py'))
    assert grader(small_project, *words)[0] == 0
    assert (
        run_grader_here(
            *words[:3], shlex.join([sys.executable, str(own / 'greeting.py')]), '--no-where'
        )[0]
        == 1
    )


@pytest.mark.long
def test_custom_sessions_on_windows(small_project, own):
    """The program runs only in its sessions, since Windows has no sandbox."""
    wrong = GREETING.replace('Hello', 'Hullo')
    (own / 'greeting.py').write_text(f"print('ran', file=open('log', 'a'))\n{wrong}")
    status, output, errors = grader(
        small_project, 'grade', own / 'sessions', '--command', command('greeting.py'), folder=own
    )
    assert (status, errors) == (1, '')
    assert 'printed  |Hullo, Ada' in output
    assert (own / 'log').read_text() == 'ran\n' * 2


@pytest.mark.long
def test_a_crash_shows_the_line_of_a_program_in_another_folder(small_project, own):
    (own / 'greeting.py').write_text("print('Hello,', input(), flush=True)\n{}['x']\n")
    _, output, _ = grader(
        small_project,
        'grade',
        own / 'sessions' / 'first.txt',
        '--command',
        command(own / 'greeting.py'),
    )
    assert "  in       |greeting.py, line 2: {}['x']" in output.splitlines()


def test_a_custom_program_records_a_session_on_windows(small_project, own):
    session = own / 'sessions' / 'first.txt'
    session.write_text('# by hand\nAda\nabc\n', encoding='utf-8')
    assert (
        grader(small_project, 'record', session, '--command', command('greeting.py'), folder=own)[0]
        == 0
    )
    assert session.read_text(encoding='utf-8') == SESSION


@pytest.mark.long
def test_our_consoles_record_a_session_on_windows(small_project):
    session = next((small_project / 'transcripts' / 'othello').glob('worked*.txt'))
    before = session.read_bytes()
    session.write_bytes(
        b''.join(line for line in before.splitlines(keepends=True) if not line.startswith(b'|'))
    )
    assert grader(small_project, 'record', session)[0] == 0
    assert session.read_bytes() == before


@pytest.mark.long
def test_a_program_that_hangs_is_ended_on_windows(small_project, own):
    source = (
        "import os, time\nopen('number', 'w').write(str(os.getpid()))\n"
        "print('Hello,', input(), flush=True)\ntime.sleep(600)\n"
    )
    (own / 'greeting.py').write_text(source, encoding='utf-8')
    status, _, errors = grader(
        small_project,
        'grade',
        own / 'sessions' / 'first.txt',
        '--timeout',
        '0.5',
        '--command',
        command('greeting.py'),
        '--results',
        'results.json',
        folder=own,
    )
    assert (status, errors) == (1, '')
    test = json.loads((own / 'results.json').read_text(encoding='utf-8'))['tests'][-1]
    example = test['extra_data']['example']
    assert (test['status'], example['kind'], example['line']) == ('failed', 'silent', 5)
    with pytest.raises(ProcessLookupError):
        os.kill(int((own / 'number').read_text()), 0)


GRADE = 'grade', 'othello', '--command'


@pytest.mark.parametrize(
    ('words', 'message'),
    [
        (
            [*GRADE, command('greeting.py'), '--out', 'results'],
            '--out needs jinja2: run "python -m pip install jinja2"',
        ),
        ([*GRADE, 'x', '.'], 'runs in a sandbox, which needs Linux or macOS'),
        (['pack', 'othello', 'autograder.zip'], 'pack needs Linux or macOS'),
        ([], ' python -m grading grade othello --command "python my'),
    ],
)
@pytest.mark.long
def test_missing_requirements_are_reported(small_project, words, message):
    status, output, errors = grader(small_project, *words)
    assert (status, output) == (2, '')
    assert message in errors
    assert 'Traceback' not in errors


@pytest.mark.parametrize(
    'words',
    [
        ['py', 'my othello.py'],
        ['py', ''],
        ['a\\b', 'c:\\my files\\'],
        ['say "hi"', '\\"', 'a\\\\"b'],
        ['tab\there', '\\\\server\\share\\x.py', '"'],
    ],
)
def test_a_command_line_is_split_as_it_is_on_windows(words):
    """Python's `list2cmdline` joins words so that Windows splits them into the same words."""
    assert words_on_windows(subprocess.list2cmdline(words)) == words


class WindowsPath(PureWindowsPath):
    """A Windows path, already absolute, so `resolve` returns it."""

    def resolve(self):
        return self


@pytest.mark.parametrize(
    ('path', 'name'),
    [
        ('C:/project/transcripts/sums/two.txt', 'transcripts/sums/two.txt'),
        ('C:/homework/two.txt', 'C:\\homework\\two.txt'),
    ],
)
def test_a_session_has_the_same_name_on_windows(path, name, monkeypatch):
    monkeypatch.setattr(transcript, 'ROOT', PureWindowsPath('C:/project'))
    assert transcript.display_name(WindowsPath(path)) == name


def test_a_program_waits_while_its_output_is_not_read():
    source = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    with closing(ThreadedRun(Program([sys.executable, '-c', source]), SECONDS)) as run:
        assert run.read(SECONDS).startswith(b'x')
        assert run.status(0) is None
    assert run.status(0) is not None


def test_standard_error_may_end_after_the_output():
    """The grader waits for the end of standard error to get the message of a crash."""
    source = "import os, sys, time\nos.close(1)\ntime.sleep(0.3)\nsys.exit('wrong')"
    with closing(ThreadedRun(Program([sys.executable, '-c', source]), SECONDS)) as run:
        assert run.read(SECONDS) == b''
        assert run.read_errors() == b'wrong\n'
