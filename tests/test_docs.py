"""What the documents show is what happens."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess

import pytest
from running import SECONDS, child_environment

from grading.project import ROOT

README = (ROOT / 'README.md').read_text(encoding='utf-8')
MODULES = ['othello_logic', 'othello_console', 'nim_logic', 'nim_console']
WITH_EXAMPLES = ['othello_logic', 'nim_logic', *(
    '.'.join(path.relative_to(ROOT).with_suffix('').parts)
    for path in sorted((ROOT / 'grading').rglob('*.py'))
    if '>>> ' in path.read_text(encoding='utf-8'))]
SESSIONS = re.findall(r'^```console\n(.*?)^```$', README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize('name', WITH_EXAMPLES)
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert (result.failed, result.attempted > 0) == (0, True)


def test_readme_at_the_python_prompt():
    result = doctest.testfile(str(ROOT / 'README.md'), module_relative=False)
    assert result.failed == 0
    assert result.attempted > 0


def test_readme_has_sessions():
    assert SESSIONS


@pytest.mark.parametrize('session', SESSIONS)
def test_readme_in_the_shell(session):
    """Every command behind `$ ` prints just the lines that follow it."""
    if '.venv/' in session and not (ROOT / '.venv').exists():
        pytest.skip('not under make test')
    for part in re.split(r'^\$ ', session, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition('\n')
        result = subprocess.run(['bash', '-c', command], cwd=ROOT, env=child_environment(),
                                check=False, stdin=subprocess.DEVNULL, timeout=SECONDS,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert result.stdout.decode() == output


@pytest.mark.parametrize('name', MODULES)
def test_every_public_name_has_a_docstring(name):
    module = importlib.import_module(name)
    for key, value in vars(module).items():
        if key.startswith('_') or getattr(value, '__module__', None) != name:
            continue
        assert value.__doc__, key
        if isinstance(value, type):
            for method, member in vars(value).items():
                if not method.startswith('_') and callable(getattr(value, method)):
                    assert getattr(value, method).__doc__, f'{key}.{method} {member}'
