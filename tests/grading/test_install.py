"""The project installed, in an environment that has nothing else; and no file taken for its own."""

import json
import os
import shlex
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib import metadata

import pytest
from graders import RIGHT, make_small_project, run_grader_here, said
from independent import write_files
from sandboxes import skip_unless_confined
from test_layout import tracked

from grading.installation import ROOT, name_and_version

NAME = name_and_version().replace(' ', '-').replace('console-', 'console_')
# What a build adds of its own.
OF_SDIST = {'PKG-INFO', 'setup.cfg', *(f'console_grader.egg-info/{name}' for name in (
    'PKG-INFO', 'SOURCES.txt', 'dependency_links.txt', 'entry_points.txt', 'requires.txt',
    'top_level.txt'))}
OF_WHEEL = {f'{NAME}.dist-info/{name}' for name in (
    'LICENSE', 'METADATA', 'RECORD', 'WHEEL', 'entry_points.txt', 'top_level.txt')}
BUILD = 'import sys, setuptools.build_meta as backend; backend.build_{}(sys.argv[1])'
# In `games` of the package: what stands at the top of a checkout.
GAMES = ('LICENSE', 'README.md', 'nim_console.py', 'nim_logic.py', 'othello_console.py',
         'othello_logic.py', 'pyproject.toml')
SCENARIO = '4\n4\nB\n>\nB B B B\nW W W W\nB B B B\nB W B W\n'
THIEF = '''
import glob, sys
print(len(glob.glob({!r}, recursive=True)))
'''


def has(package, *version):
    """Return whether a package is here, in a version or a later one."""
    here = [one.version for one in metadata.distributions(name=package)]
    return [int(number) for one in here for number in one.split('.')[:2]] >= [*version]


def built(kind, source, folder):
    """Build an sdist or a wheel of a folder, without the network; return its path."""
    status, _, errors = said([sys.executable, '-c', BUILD.format(kind), folder], source)
    assert status == 0, errors
    path, = folder.glob('*.tar.gz' if kind == 'sdist' else '*.whl')
    return path


@pytest.fixture(scope='module')
def distributions(tmp_path_factory):
    """An sdist of what git tracks, and a wheel of that sdist."""
    folder = tmp_path_factory.mktemp('distributions')
    project = write_files(folder / 'project', {
        'grading/__pycache__/litter.pyc': '',
        **{name: (ROOT / name).read_bytes() for name in tracked()}})
    sdist = built('sdist', project, folder)
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, 'data_filter', None)
        archive.extractall(folder)
    return sdist, built('wheel', folder / NAME, folder)


@pytest.fixture(scope='module')
def installed(distributions, tmp_path_factory):
    """The environment into which the wheel is installed; it borrows the libraries."""
    folder = tmp_path_factory.mktemp('environment')
    venv.create(folder, symlinks=True)
    status, _, errors = said(
        [sys.executable, '-m', 'pip', '--python', folder / 'bin' / 'python', 'install', '--quiet',
         '--no-compile', '--no-deps', '--no-index', distributions[1]], folder)
    assert status == 0, errors
    packages, = folder.glob('lib/*/site-packages')
    assert {path.name for path in packages.iterdir()} == {'grading', f'{NAME}.dist-info'}
    (packages / 'borrowed.pth').write_text(sysconfig.get_path('purelib'))
    return folder


@pytest.mark.skipif(not (has('setuptools', 70, 1) and has('pip', 22, 3)),
                    reason='no setuptools that makes wheels, no pip that installs elsewhere')
class TestInstalled:
    """All in one place, so that one process builds and installs it once."""

    def test_an_sdist_is_complete_and_holds_nothing_else(self, distributions):
        with tarfile.open(distributions[0]) as archive:
            names = {name.partition('/')[2] for name in archive.getnames()
                     if archive.getmember(name).isfile()}
        assert names == OF_SDIST | {name for name in tracked() if not name.startswith('.')}

    def test_a_wheel_is_complete_and_holds_nothing_else(self, distributions):
        with zipfile.ZipFile(distributions[1]) as archive:
            names = set(archive.namelist())
        assert names == OF_WHEEL | {
            *(name for name in tracked() if name.startswith('grading/')),
            *(f'grading/games/{name}' for name in tracked()
              if name.startswith('transcripts/') or name in GAMES)}

    def test_one_s_own_program_is_graded(self, installed, tmp_path):
        """With nothing but Python: what was borrowed is not needed, or named."""
        write_files(tmp_path, {'piles.py': RIGHT})
        session = ROOT / 'transcripts' / 'nim' / 'piles' / 'worked_example.txt'
        bare = [installed / 'bin' / 'python', '-S', '-m', 'grading']
        only = {'PYTHONPATH': str(*installed.glob('lib/*/site-packages'))}
        words = ['grade', session, '--command', f'{shlex.quote(sys.executable)} piles.py']
        assert said([*bare, *words], tmp_path, **only) == (
            0, 'passed  1 session\n\npiles: worked_example, 1 of 1 points\n', '')
        status, _, errors = said([*bare, *words, '--out', 'results'], tmp_path, **only)
        assert (status, errors.splitlines()[-1]) == (
            2, 'python3 -m grading: error: --out needs jinja2: '
            f'run "{installed}/bin/python -m pip install jinja2"')
        for started in (bare, [installed / 'bin' / 'grading']):
            assert said([*started, '--version'], tmp_path, **only) == (
                0, f'{name_and_version()}\n', '')

    def test_submissions_get_pages_and_do_not_find_the_answers(self, installed, tmp_path):
        skip_unless_confined()
        answers, = installed.glob('lib/*/site-packages/grading')
        write_files(tmp_path, {'right/piles.py': RIGHT,
                               'thief/piles.py': THIEF.format(f'{answers}/**/*.txt')})
        session = answers / 'games/transcripts/nim/piles/worked_example.txt'
        for kind in ('auto', 'none'):
            said([installed / 'bin' / 'grading', 'grade', session, 'right', 'thief', '--no-where',
                  '--confine', kind, '--out', kind], tmp_path)
            right, thief = (json.loads((tmp_path / kind / name / 'results.json').read_text())
                            for name in ('right', 'thief'))
            assert (right['score'], (tmp_path / kind / 'index.html').exists()) == (1, True)
            found = thief['tests'][-1]['extra_data']['example']['printed_text']
            assert found == '0\n' if kind == 'auto' else int(found) > 100

    def test_a_scenario_is_recorded_by_our_consoles(self, installed, tmp_path):
        (tmp_path / 'mine.txt').write_text(SCENARIO)
        assert said([installed / 'bin' / 'grading', 'record', 'mine.txt'], tmp_path)[:2] == (0, '')
        assert '|WINNER: ' in (tmp_path / 'mine.txt').read_text()

    def test_an_autograder_is_the_one_that_a_checkout_packs(self, installed, tmp_path):
        assert said([installed / 'bin' / 'grading', 'pack', 'piles', 'there.zip'],
                    tmp_path)[0] == 0
        assert run_grader_here('pack', 'piles', tmp_path / 'here.zip')[0] == 0
        assert (tmp_path / 'there.zip').read_bytes() == (tmp_path / 'here.zip').read_bytes()


def test_the_grader_is_named_as_it_was_started(small_project, tmp_path):
    for started, name in [
            ([small_project / 'grading'], f'python3 {small_project}/grading'),
            ([small_project / 'grading' / '__main__.py'], f'python3 {small_project}/grading'),
            (['-m', 'grading'], 'python3 -m grading')]:
        errors = said([sys.executable, *started], tmp_path, PYTHONPATH=str(small_project))[2]
        assert f'\n  {name} grade othello --command "python3 my_othello.py"\n' in errors
    assert '\n  grading grade othello --command "python3 my_othello.py"\n' in run_grader_here()[2]


LIBRARY = ('signal', 'argparse', 'select', 'random', 'settings', 'project')
OURS = ('othello_logic', 'othello_console', 'nim_logic', 'nim_console')
MARK = "open({!r}, 'a').write({!r})\n"


def litter(folder, names, mark):
    """Write modules that leave a mark where they are imported, and a session; return the folder."""
    return write_files(folder, {'mine.txt': SCENARIO, **{
        f'{name}.py': MARK.format(str(mark), name) for name in names}})


def starts(project):
    """Return the ways to start the grader of a project in any folder, and what they need."""
    return [([sys.executable, project / 'grading'], {}),
            ([sys.executable, project / 'grading' / '__main__.py'], {}),
            ([sys.executable, '-m', 'grading'], {'PYTHONPATH': str(project)}),
            ([sys.executable, '-m', 'grading'], {'PYTHONPATH': f'{project}{os.pathsep}'})]


def test_nothing_is_imported_from_the_folder_where_the_grader_is_started(small_project, tmp_path):
    mark = tmp_path / 'mark'
    folder = litter(tmp_path / 'homework', LIBRARY + OURS, mark)
    for words, variables in starts(small_project):
        status, output, errors = said([*words, 'record', 'mine.txt'], folder, **variables)
        assert (status, output, errors.count('\n')) == (0, '', 1), errors
        assert (folder / 'mine.txt').read_text().endswith('|WINNER: B\n')
        assert not mark.exists(), mark.read_text()


def test_nothing_but_ours_is_imported_from_the_root_of_a_checkout(tmp_path):
    project, mark = make_small_project(tmp_path / 'project'), tmp_path / 'mark'
    litter(project, (*LIBRARY, 'chess_logic', 'chess_console'), mark)
    assert said([sys.executable, '-m', 'grading', 'record', 'mine.txt'], project)[0] == 0
    assert not mark.exists(), mark.read_text()


def test_without_protection_all_of_that_is_imported(tmp_path):
    project, mark = make_small_project(tmp_path / 'project'), tmp_path / 'mark'
    for file, old, new in [
            ('__main__.py', 'sys.path[:] = trusted', 'sys.path[:] = [*first, *trusted]'),
            ('__main__.py', 'sys.path[:] = [os', 'first = sys.path[:1]\nsys.path[:] = [os'),
            ('installation.py', 'module_from_spec(spec)', '__import__(name)'),
            ('installation.py', 'spec.loader.exec_module(sys.modules[name])', 'pass')]:
        source = (project / 'grading' / file).read_text(encoding='utf-8')
        assert old in source
        (project / 'grading' / file).write_text(source.replace(old, new), encoding='utf-8')
    for names, imported in [(LIBRARY[1:2], 'argparse'), (OURS, 'nim_logicothello_logic'),
                            (LIBRARY[:1], 'signal')]:
        folder = litter(tmp_path / imported, names, mark)
        said([sys.executable, '-m', 'grading', '--version'], folder, PYTHONPATH=str(project))
        assert mark.read_text() == imported
        mark.unlink()


def test_our_modules_are_not_replaced_by_others_on_the_path(small_project, tmp_path):
    mark = tmp_path / 'mark'
    folder = litter(tmp_path / 'path', OURS, mark)
    assert said([sys.executable, small_project / 'grading', 'record', folder / 'mine.txt'],
                tmp_path, PYTHONPATH=str(folder))[0] == 0
    assert not mark.exists(), mark.read_text()
