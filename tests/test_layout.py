"""The rules for the modules of the games: what each may import, and what both pairs share."""

import ast
import functools
import importlib
import inspect
import re
import shutil
import subprocess
import sys

import pytest
from models import transcripts
from running import BARE, ROOT, finished

PAIRS = sorted(path.name[: -len('_logic.py')] for path in ROOT.glob('*_logic.py'))
TYPE_CHECKING = ast.dump(ast.parse('TYPE_CHECKING', mode='eval').body)
LOUD_CALLS = {'print', 'input', 'open', 'exec', 'eval', 'exit', 'quit', '__import__', 'breakpoint'}
EXECUTABLE = re.compile(rb'if\s+__name__\s*==\s*([\'"])__main__\1\s*:')


@functools.cache
def tracked():
    """Return the names of the files that git tracks.

    In a folder without a repository, or without git, return all files that are not hidden.
    """
    if (ROOT / '.git').exists() and shutil.which('git'):
        git = subprocess.run(['git', 'ls-files', '-z'], cwd=ROOT, check=True, capture_output=True)
        names = git.stdout.decode().split('\0')
    else:
        names = [
            path.relative_to(ROOT).as_posix()
            for path in ROOT.rglob('*')
            if not any(
                part.startswith(('.', '__pycache__')) or part.endswith('.egg-info')
                for part in path.relative_to(ROOT).parts
            )
        ]
    return [name for name in sorted(names) if (ROOT / name).is_file()]


def sources():
    """Return the paths of the project's Python files."""
    return [ROOT / name for name in tracked() if name.endswith('.py')]


@functools.cache
def imports_in(path):
    """Return the imports of a source file in two lists: under TYPE_CHECKING, and all others."""
    of_types, others = [], []
    waiting = [(ast.parse(path.read_text(encoding='utf-8')), others)]
    while waiting:
        node, found = waiting.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append(node)
        if isinstance(node, ast.If) and ast.dump(node.test) == TYPE_CHECKING:
            found = of_types
        waiting += [
            (part, found)
            for part in ast.iter_child_nodes(node)
            if isinstance(part, (ast.stmt, ast.excepthandler))
        ]
    return of_types, others


def imports_of(path):
    """Return the names of the modules that a source file imports, except under TYPE_CHECKING."""
    return {
        name
        for node in imports_in(path)[1]
        for name in (
            [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module]
        )
    }


def test_executable_modules():
    """No file but the consoles has the text that makes it executable, not even in a comment."""
    executable = [path.name for path in sources() if EXECUTABLE.search(path.read_bytes())]
    assert executable == sorted(f'{pair}_console.py' for pair in PAIRS)


@pytest.mark.long
@pytest.mark.parametrize('pair', PAIRS)
def test_a_pair_runs_alone(pair, tmp_path):
    """A copy of a pair in an empty folder plays all its transcripts, over pipes."""
    for kind in ('logic', 'console'):
        shutil.copy(ROOT / f'{pair}_{kind}.py', tmp_path)
    own = [each for each in transcripts() if each.command[0] == f'{pair}_console.py']
    assert len(own) > 20
    for transcript in own:
        text = ''.join(line + '\n' for line in transcript.inputs)
        assert finished([BARE, *transcript.command], text, cwd=tmp_path) == (
            0,
            transcript.output.encode(),
            b'',
        ), transcript.name


@pytest.mark.parametrize('pair', PAIRS)
def test_logic_is_silent_and_imports_are_few(pair):
    """A logic module prints nothing. It has no `assert`, because Python's option -O removes it."""
    logic, console = (ROOT / f'{pair}_{kind}.py' for kind in ('logic', 'console'))
    nodes = [*ast.walk(ast.parse(logic.read_text(encoding='utf-8')))]
    assert imports_of(logic) == {'__future__'}
    assert not any(isinstance(node, ast.Assert) for node in nodes)
    assert not LOUD_CALLS & {
        node.func.id
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert imports_of(console) <= {
        '__future__',
        'argparse',
        'os',
        'random',
        'select',
        'signal',
        'sys',
        'termios',
        'time',
        'tty',
        f'{pair}_logic',
    }


@pytest.mark.parametrize(
    ('kind', 'name'),
    [
        ('console', 'Input'),
        ('console', 'prepare_streams'),
        ('console', 'discard_pending_input'),
        ('console', 'fail'),
        ('console', 'leave'),
        ('logic', '_index'),
        ('logic', '_show'),
    ],
)
def test_code_that_both_pairs_need_is_the_same(kind, name):
    """Each pair is submitted alone, so both contain this code, word for word."""
    first, second = (
        inspect.getsource(getattr(importlib.import_module(f'{pair}_{kind}'), name))
        for pair in PAIRS
    )
    assert first == second


@pytest.mark.parametrize('pair', PAIRS)
def test_modules_can_be_imported_without_running(pair):
    assert finished([sys.executable, '-c', f'import {pair}_logic, {pair}_console'], cwd=ROOT) == (
        0,
        b'',
        b'',
    )


def test_the_tests_of_the_games_do_not_need_the_grader():
    """Of these modules, only `models.py` imports the grader; none imports the grader's tests."""
    folder = ROOT / 'tests'
    graders = {'grading'} | {path.stem for path in (folder / 'grading').glob('*.py')}
    found = [
        path.name
        for path in sorted(folder.glob('*.py'))
        if graders & {name.partition('.')[0] for name in imports_of(path)}
    ]
    assert found == ['models.py']
