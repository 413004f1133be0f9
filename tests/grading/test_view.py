"""A run sees the files it needs, and no other files of the machine."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import internals
import pytest
from programs import write_files
from sandboxes import KINDS, works

from grading.sandbox.choose import confine, output
from grading.sandbox.program import is_inside
from grading.sandbox.scratch import scratch_folder
from grading.sandbox.view import SYSTEM, folder_above, view

PATH = '{0}/jdk/bin:{0}/tools'
FILES = {
    'jdk-17/bin/java': '',
    'jdk-17/lib/rt': '',
    'tools/judge': '',
    'tools/answers': '',
    'tools/script': '#!/usr/bin/env judge\n',
    'home/bin/python3': '',
    'home/.cargo/bin/rustc': '',
    'class/ann/run': '',
    'class/ben/run': '',
    'jdk-17/class/ann/run': '',
}
LINKS = {
    'jdk': 'jdk-17',
    'tools/link': 'more/link',
    'tools/more': '../jdk-17/lib',
    'jdk-17/lib/link': '../../tools/judge',
}

# A command line, the hidden paths, and the shown paths; '-' precedes a path hidden within a shown
# folder.
SEEN = {
    'nothing': ('./game python9', '', ''),
    'a runtime': ('java Game', '', 'jdk jdk-17'),
    'another tool': ('judge --all', '', 'tools/judge'),
    'a file': ('sh {0}/tools/answers', '', 'tools/answers'),
    'what a shell runs': ('sh -c (java;judge)>x', '', 'jdk jdk-17 tools/judge'),
    'what another program gets': ('printf -c (java;judge)>x', '', ''),
    'the interpreter of a script': ('script', '', 'tools/judge tools/script'),
    'links': ('link', '', 'tools/judge tools/link tools/more/link'),
    'a home folder': ('{0}/home/bin/python3', '', 'home/bin/python3'),
    'tools of a home folder': ('{0}/home/.cargo/bin/rustc', '', 'home/.cargo/bin/rustc'),
    'what is not in sight': ('java', 'class', 'jdk jdk-17'),
    'what is in a folder that is seen': (
        'java',
        'jdk-17/class',
        'jdk jdk-17 -jdk/class -jdk-17/class',
    ),
    'what is needed in what is hidden': (
        'java {0}/jdk-17/class/ann/run',
        'jdk-17/class',
        'jdk jdk-17 -jdk/class -jdk-17/class jdk-17/class/ann/run',
    ),
    'what is gone': ('java', 'jdk-17/gone', 'jdk jdk-17'),
}


@pytest.mark.parametrize('name', SEEN)
def test_visible_files(name, tmp_path, monkeypatch):
    words, hidden, seen = SEEN[name]
    write_files(tmp_path, FILES)
    for path in tmp_path.rglob('*/*'):
        path.chmod(0o644 if path.name == 'answers' else 0o755)
    for link, target in LINKS.items():
        (tmp_path / link).symlink_to(target)
    monkeypatch.setenv('HOME', str(tmp_path / 'home'))
    parts = view(
        tuple(word.format(tmp_path) for word in words.split()),
        PATH.format(tmp_path),
        hidden=tuple(tmp_path / path for path in hidden.split()),
    )
    own = [
        (str(part.path.relative_to(tmp_path)), part.is_shown)
        for part in parts
        if tmp_path in part.path.parents
    ]
    assert own == sorted(own, key=lambda part: part[0].count('/'))
    assert {path if is_shown else f'-{path}' for path, is_shown in own} == {*seen.split()}


def test_shared_folders_are_never_shown_as_a_whole(tmp_path):
    """No shared folder is shown as a whole, even if it is a Python's `sys.prefix`."""
    needs = tuple(map(Path, ('/', '/usr', '/usr/local', '/opt', '/home', '/home/ann', tmp_path)))
    assert [part.path for part in view((), '', needs) if str(part.path) not in SYSTEM] == [tmp_path]


def test_the_folder_above_a_submission(tmp_path):
    """Only the submission is hidden if others need the folder above it, or all may write there."""
    (tmp_path / 'all').mkdir()
    (tmp_path / 'all').chmod(0o1777)
    for path, needed, above in (
        ('/srv/class/ann', [], '/srv/class'),
        ('/ann', [], '/ann'),
        ('/srv/ann', [], '/srv/ann'),
        ('/usr/lib/ann', [], '/usr/lib/ann'),
        ('/usr/local/ann', [], '/usr/local/ann'),
        ('/usr/class/ann', [], '/usr/class'),
        ('/class/ann', [], '/class'),
        ('/class/ann', ['/class/judge'], '/class/ann'),
        ('/class/ann', ['/class-2/judge'], '/class'),
        (f'{tmp_path}/all/ann', [], f'{tmp_path}/all/ann'),
    ):
        assert str(folder_above(Path(path), [*map(Path, needed)])) == above


@pytest.mark.parametrize(
    'python',
    [
        sys.executable,
        '/usr/bin/python3',
        *(str(path) for path in Path.home().glob('.pyenv/versions/3.1[23]*/bin/python3')),
    ],
)
@pytest.mark.parametrize('kind', KINDS)
def test_a_virtual_environment_runs(kind, python):
    """A virtual environment runs wherever it is, and so does the Python that created it.

    In the kind `user`, every user must be able to run this Python.
    """
    if kind == 'user' and is_inside(Path(python).resolve(), [Path.home()]):
        pytest.skip('only its owner can run this Python')
    folder = Path(tempfile.mkdtemp(dir='/opt' if os.access('/opt', os.W_OK) else None))
    try:
        folder.chmod(0o755)
        subprocess.run([python, '-m', 'venv', '--without-pip', str(folder / 'own')], check=True)
        words = [str(folder / 'own/bin/python'), '-c', 'import sys, json; print(sys.prefix)']
        with scratch_folder() as scratch:
            assert output(confine(kind, scratch), words) == (0, f'{folder}/own\n'.encode())
    finally:
        shutil.rmtree(folder)


@pytest.mark.skipif(not works('bwrap'), reason='bubblewrap does not work here')
def test_a_tool_in_the_project_shows_nothing_else_of_it(tmp_path, monkeypatch):
    """The project is hidden like the class, except for a file named on the command line."""
    write_files(
        tmp_path, {'project/tool': '#!/bin/sh\necho seen $(ls ${0%/*})\n', 'project/answers': ''}
    )
    (tmp_path / 'project' / 'tool').chmod(0o755)
    monkeypatch.setattr(internals.PROJECT_FOLDER, tmp_path / 'project')
    with scratch_folder() as scratch:
        assert output(confine('bwrap', scratch), [str(tmp_path / 'project' / 'tool')]) == (
            0,
            b'seen tool\n',
        )
