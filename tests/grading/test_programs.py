"""Which file of a submission is the program, and how it is started: a table of layouts."""

import re

import pytest
from graders import BLOCK, FAST, run_grader_here
from programs import write_files, zipped

from grading.sandbox.untrusted_files import SubmissionError
from grading.settings import Language
from grading.submissions.copying import SUBMISSION_BOUNDS, copy_submission
from grading.submissions.digests import digest_of_program
from grading.submissions.which_program import (
    language_of,
    looks_like_class,
    own_files,
    program_of_command,
    program_of_module,
)

SETUP = f'from setuptools import setup\n{BLOCK}\n'
ENVIRONMENT = {
    'pyvenv.cfg': '',
    'lib/python3.11/site-packages/pip/__main__.py': BLOCK,
    'lib/python3.11/site-packages/pip/main.py': BLOCK,
}


def environment(folder):
    return {f'{folder}/{name}': content for name, content in ENVIRONMENT.items()}


# Each row: a layout, the words that start its program after `python3`, the folder to start in, and
# whether there was a choice. Modules that are not named contain what the row says.
LAYOUTS = {
    'one module': ({'a.py': ''}, './a.py', '.', False),
    'a module with a block': ({'a.py': '', 'b.py': BLOCK}, './b.py', '.', False),
    'a virtual environment': ({'main.py': BLOCK, **environment('venv')}, './main.py', '.', False),
    'an environment with any name': ({'a.py': '', **environment('my env')}, './a.py', '.', False),
    'an environment in a folder': (
        {'hw/a.py': BLOCK, 'hw/b.py': '', **environment('hw/env')},
        './a.py',
        'hw',
        False,
    ),
    'libraries of a web page': (
        {'a.py': '', 'node_modules/gyp/gyp.py': BLOCK},
        './a.py',
        '.',
        False,
    ),
    'compiled files': ({'a.py': '', 'target/x.py': BLOCK}, './a.py', '.', False),
    'only in a folder with such a name': ({'target/a.py': ''}, './a.py', 'target', False),
    'only in such a folder, with a README': (
        {'README.md': '', 'target/a.py': ''},
        './a.py',
        'target',
        False,
    ),
    'only a folder of tests': (
        {'tests/a.py': BLOCK, 'tests/b.py': ''},
        './a.py',
        'tests',
        False,
    ),
    'a test with a block': (
        {'main.py': '', 'tests/test_main.py': BLOCK},
        './main.py',
        '.',
        True,
    ),
    'a test beside it': ({'game.py': '', 'test_game.py': BLOCK}, './game.py', '.', True),
    'both with a block': ({'game.py': BLOCK, 'game_test.py': BLOCK}, './game.py', '.', True),
    'a test helper': ({'a.py': BLOCK, 'conftest.py': BLOCK}, './a.py', '.', True),
    'only a test': ({'test_game.py': ''}, './test_game.py', '.', False),
    'a test is the only one with a block': (
        {'a.py': '', 'b.py': '', 'test_game.py': BLOCK},
        './test_game.py',
        '.',
        False,
    ),
    'set-up': ({'main.py': '', 'logic.py': '', 'setup.py': SETUP}, './main.py', '.', True),
    'a game that is set up': ({'board.py': '', 'setup.py': BLOCK}, './setup.py', '.', False),
    'main without a block': ({'main.py': '', 'logic.py': ''}, './main.py', '.', True),
    'a package that can be run': (
        {'pkg/__init__.py': '', 'pkg/__main__.py': 'from .game import run', 'pkg/game.py': ''},
        '-m pkg.__main__',
        '.',
        True,
    ),
    'a package without __init__': (
        {'pkg/__main__.py': 'from .game import run', 'pkg/game.py': ''},
        '-m pkg.__main__',
        '.',
        True,
    ),
    'a folder that can be run': (
        {'pkg/__main__.py': 'from game import run', 'pkg/game.py': ''},
        './__main__.py',
        'pkg',
        True,
    ),
    'imports by the name of the package': (
        {'pkg/__init__.py': '', 'pkg/a.py': f'from pkg.b import b\n{BLOCK}', 'pkg/b.py': ''},
        '-m pkg.a',
        '.',
        False,
    ),
    'imports from a package around the package': (
        {'game/ui/play.py': f'from ..logic import x\n{BLOCK}', 'game/logic.py': ''},
        '-m game.ui.play',
        '.',
        False,
    ),
    "imports as in PyCharm, from the project's folder": (
        {'hw/game/main.py': f'from game.logic import x\n{BLOCK}', 'hw/game/logic.py': ''},
        './main.py PYTHONPATH=..',
        'hw/game',
        False,
    ),
    'imports from a folder beside': (
        {'ui/play.py': f'import random\nimport logic.rules\n{BLOCK}', 'logic/rules.py': ''},
        './play.py PYTHONPATH=..',
        'ui',
        False,
    ),
    'imports a module with the name of its folder': (
        {'game/play.py': f'from game import x\n{BLOCK}', 'game/game.py': ''},
        './play.py',
        'game',
        False,
    ),
    'capitals': ({'PROG.PY': '', 'README.TXT': ''}, './PROG.PY', '.', False),
    'a module for Windows': ({'prog.pyw': ''}, './prog.pyw', '.', False),
    'two modules with a block': ({'a.py': BLOCK, 'b.py': BLOCK}, 'more than one ex', '', False),
    'two with a block, and main': (
        {'a.py': BLOCK, 'b.py': BLOCK, 'main.py': ''},
        'more than one executable module: a.py, b.py; ',
        '',
        False,
    ),
    'two modules named main': (
        {'a/main.py': '', 'b/main.py': ''},
        'no executable module',
        '',
        False,
    ),
    'a class': ({'a/x.py': BLOCK, 'b/x.py': BLOCK}, 'more than one executable module', '', False),
    'only an environment and C': (
        {'main.c': '', **environment('venv')},
        'no Python module was submitted, only main.c (in another language)',
        '',
        False,
    ),
}


@pytest.mark.parametrize('layout', LAYOUTS)
def test_the_program_of_a_layout(layout, tmp_path):
    files, words, below, is_choice = LAYOUTS[layout]
    copy_submission(write_files(tmp_path / 'one', files), tmp_path / 'copy')
    if not below:
        with pytest.raises(SubmissionError, match=f'^{re.escape(words)}'):
            program_of_module(tmp_path / 'copy', 'python3')
        return
    program, notes = program_of_module(tmp_path / 'copy', 'python3')
    variables = [f'{name}={value}' for name, value in program.env.items()]
    assert (' '.join([*program.words[1:], *variables]), program.below) == (words, below)
    assert len(notes) == is_choice


# Each row: a layout, the command and the build, and the folder to run them in.
FOLDERS = {
    'one folder': (['hw/a.c'], './a', 'hw'),
    'folders in folders': (['x/y/a.c'], './a', 'x/y'),
    'a README beside it': (['README.md', 'hw/a.c'], 'cc -o a *.c; ./a', 'hw'),
    'documents beside it': (['report.pdf', 'LICENSE', 'readme.txt', 'hw/a.c'], './a', 'hw'),
    'a folder with the name of the program': (['README', 'a/a.c'], 'cc -o a *.c; ./a', 'a'),
    'data beside it': (['words.txt', 'hw/a.c'], './a', '.'),
    'a Makefile beside it': (['Makefile', 'hw/a.c'], './a', '.'),
    'two folders': (['README', 'src/a.c', 'doc/b'], './a', '.'),
    'a command that names the folder': (['README', 'src/a.c'], 'cc -o a src/*.c; ./a', '.'),
    'a build in the folder': (['README', 'src/a.c'], 'make -C src; ./a', '.'),
    'a module in the folder': (['README', 'src/a.py'], 'python3 -m src.a', '.'),
    'a folder of classes': (['README', 'src/A.class'], 'java -cp src A', '.'),
}


@pytest.mark.parametrize('layout', FOLDERS)
def test_the_folder_of_a_command(layout, tmp_path):
    names, commands, below = FOLDERS[layout]
    write_files(tmp_path, dict.fromkeys(names, ''))
    assert program_of_command(['./a'], tmp_path, commands).below == below


def test_folders_that_are_set_aside_choose_no_language(tmp_path):
    write_files(tmp_path, {'Main.java': '', 'node_modules/x.c': '', **environment('venv')})
    languages = [Language('.c', './a', ''), Language('.java', 'java Main', '')]
    assert language_of(own_files(tmp_path), languages).suffix == '.java'
    assert (
        looks_like_class(write_files(tmp_path / 'one', {'src/a.c': '', 'tests/b.c': ''}), '', True)
        is False
    )


@pytest.mark.parametrize('kind', ['folder', 'zip'])
@pytest.mark.parametrize(
    ('bounds', 'note'),
    [
        ({'files': 5}, 'left out: the rest of env: more than 5 files in total'),
        ({'size': 1 << 19}, 'left out: part of env: more than 0 MB in total'),
    ],
)
def test_folders_that_are_set_aside_are_copied_last(kind, bounds, note, tmp_path):
    """They are left out before anything else is, and a note says so."""
    large = dict.fromkeys((f'env/bin/{number}' for number in range(9)), bytes(1 << 20))
    files = {**environment('env'), **large, 'z/words.txt': 'w' * 1000, 'z/prog.py': 'print(3)'}
    source = write_files(tmp_path / 'one', files)
    if kind == 'zip':
        source = zipped(tmp_path / 'one.zip', files)
    notes = copy_submission(source, tmp_path / 'copy', SUBMISSION_BOUNDS._replace(**bounds))
    assert notes == [note]
    assert (tmp_path / 'copy/z/prog.py').read_text() == 'print(3)'


def test_equal_environments_are_no_copies(tmp_path):
    """Programs are compared without the libraries beside them."""
    digests = set()
    for name in 'ab':
        program = {'main.py': f'print("{name}", {", ".join(map(str, range(90)))})'}
        library = {'env/pyvenv.cfg': '', 'env/large.py': 'x = 1\n' * 30_000}
        digests.add(digest_of_program(write_files(tmp_path / name, {**program, **library})))
    assert len(digests) == 2


def test_a_report_says_which_module_ran(tmp_path):
    write_files(tmp_path / 'three', {'a.txt': '|3\n'})
    source = {'main.py': 'print(3)', 'tests/test_main.py': f'print(4)\n{BLOCK}'}
    one = write_files(tmp_path / 'one', source)
    status, output, _ = run_grader_here('grade', tmp_path / 'three', one, *FAST)
    assert (status, 'note: of several Python modules, the grader ran main.py\n' in output) == (
        0,
        True,
    )
