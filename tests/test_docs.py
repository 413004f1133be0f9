"""What the documents show is what happens."""

import doctest
import importlib
import os
import re
import shutil
import subprocess

import pytest
from graders import environment_with_command
from programs import changed, read_sample, write_files
from running import BARE, finished, run
from sandboxes import skip_unless_confined
from wrong_othello import WRONG

from grading.command_line.parser import make_parser
from grading.installation import ROOT, name_and_version

README = (ROOT / 'README.md').read_text(encoding='utf-8')
WITH_PROMPTS = ['README.md', 'docs/games.md']  # of Python
MOST_LINES = 280  # of the README, which says first what there is
MODULES = ['othello_logic', 'othello_console', 'nim_logic', 'nim_console']
WITH_EXAMPLES = [
    'othello_logic',
    'nim_logic',
    *(
        '.'.join(path.relative_to(ROOT).with_suffix('').parts)
        for path in sorted((ROOT / 'grading').rglob('*.py'))
        if '>>> ' in path.read_text(encoding='utf-8')
    ),
]
SESSIONS = re.findall(r'^```console\n(.*?)^```$', README, re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r'^(homework|course|)\$ ', re.MULTILINE)
# What these print depends on the sandbox of the machine.
OF_A_CLASS = next(session for session in SESSIONS if session.startswith('course$ '))
# What a wheel gives is tested where one is installed; that takes no network.
INSTALLS = [
    "sudo apt install bubblewrap pipx\npipx install '.[grader]'\n",
    "python3 -m venv .venv\n.venv/bin/pip install --editable '.[grader,test]'\n.venv/bin/pytest\n",
]


@pytest.mark.parametrize('name', WITH_EXAMPLES)
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert (result.failed, result.attempted > 0) == (0, True)


TYPED = """
from __future__ import annotations

from collections.abc import Iterator
from random import Random

from nim_logic import NimGame, RecordedGame, optimal_move, random_move
from othello_logic import InvalidMoveError, OthelloGame


class Number:
    def __index__(self) -> int:
        return 4


game = OthelloGame(Number(), Number())
game.make_move(1, 2)
again: OthelloGame = OthelloGame.from_text(str(game), game.turn, game.wins)
try:
    again.check_move(Number(), Number())
except InvalidMoveError as error:
    print(error.reason)
nim = NimGame([Number(), 3], max_take=Number(), players=2)
moves: Iterator[tuple[int, int]] = nim.legal_moves()
for move in (next(moves), optimal_move(nim), random_move(nim, Random(1))):
    print(nim.is_legal(*move))
record = RecordedGame(['4;2', '3;1', '0;3'])
loser: int = record.loser
record.start.make_move(*next(record.moves()))
"""


def test_a_project_that_imports_a_copy_passes_a_strict_type_checker(tmp_path):
    for name in ('othello_logic.py', 'nim_logic.py'):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / 'front_end.py').write_text(TYPED)
    api = pytest.importorskip('mypy.api')
    printed, errors, status = api.run(
        [
            '--strict',
            '--config-file=',
            f'--cache-dir={os.devnull}',
            *map(str, sorted(tmp_path.glob('*.py'))),
        ]
    )
    assert (status, errors) == (0, ''), printed
    assert finished([BARE, 'front_end.py'], cwd=tmp_path)[::2] == (0, b'')


@pytest.mark.parametrize('name', WITH_PROMPTS)
def test_documents_at_the_python_prompt(name):
    result = doctest.testfile(str(ROOT / name), module_relative=False)
    assert (result.failed, result.attempted > 0) == (0, True)


def test_readme_begins_with_the_games():
    lines = README.splitlines()
    assert len(lines) <= MOST_LINES
    assert next(line for line in lines if line.startswith(('$', 'homework$', 'course$'))).endswith(
        '| python3 othello_console.py | tail -6'
    )
    (paste,) = re.findall(r'^```text\n(.*?)^```$', README, re.MULTILINE | re.DOTALL)
    status, output, _ = run('othello_console.py', paste)
    assert (status, output.decode().splitlines()[-7:]) == (
        1,
        ['VALID', 'B: 4  W: 1', '. B . .', '. B B .', '. B W .', '. . . .', 'TURN: W'],
    )


def test_links_lead_somewhere():
    for name in [
        'README.md',
        'CONTRIBUTING.md',
        *(path.relative_to(ROOT).as_posix() for path in (ROOT / 'docs').rglob('*.md')),
    ]:
        text = (ROOT / name).read_text(encoding='utf-8')
        for target in re.findall(r'\]\((?!https?:)([^)]+)\)', text):
            path, _, anchor = target.partition('#')
            place = (ROOT / name).parent / path if path else ROOT / name
            assert place.exists(), f'{name}: {target}'
            assert not anchor or anchor in anchors(place), f'{name}: {target}'


def anchors(path):
    """Return the anchors of the headings of a document, as GitHub makes them."""
    headings = re.findall(r'^#+ (.+)$', path.read_text(encoding='utf-8'), re.MULTILINE)
    return {re.sub(r'[^\w -]', '', heading.lower()).replace(' ', '-') for heading in headings}


@pytest.fixture(scope='module')
def folders(tmp_path_factory):
    """The folders in which the commands are typed, and the environment; `grading` is installed."""
    folder = tmp_path_factory.mktemp('readme')
    right = read_sample('othello')
    write_files(
        folder,
        {
            'homework/my_othello.py': changed(right, WRONG['wins-ignored']),
            'course/class/ann/othello.py': right,
            'course/class/ben/none.txt': '',
        },
    )
    (folder / 'console-grader').symlink_to(ROOT)
    places = {'homework': folder / 'homework', 'course': folder / 'course', '': ROOT}
    return places, environment_with_command(folder / 'bin')


@pytest.mark.long
@pytest.mark.parametrize('session', [one for one in SESSIONS if one is not OF_A_CLASS])
def test_readme_in_the_shell(session, folders):
    """Every command behind a prompt prints just the lines that follow it."""
    places, environment = folders
    parts = PROMPT.split(session)[1:]
    assert parts
    for place, part in zip(parts[::2], parts[1::2], strict=False):
        command, _, output = part.partition('\n')
        assert (
            finished(
                ['bash', '-c', command],
                cwd=places[place],
                env=environment,
                stderr=subprocess.STDOUT,
            )[1].decode()
            == output
        )


@pytest.mark.long
def test_readme_of_a_class(folders):
    skip_unless_confined()
    places, environment = folders
    results = [
        finished(['bash', '-c', command], cwd=places['course'], env=environment)
        for command in PROMPT.sub('', OF_A_CLASS).splitlines()
    ]
    assert [status for status, *_ in results] == [1, 0], results
    made = {
        path.relative_to(places['course']).as_posix()
        for path in places['course'].rglob('*')
        if path.is_file()
    }
    assert made >= {
        'autograder.zip',
        'results/grades.csv',
        'results/index.html',
        'results/ann/report.html',
        'results/ben/report.html',
    }


def test_readme_installs_what_there_is():
    assert re.findall(r'^```sh\n(.*?)^```$', README, re.MULTILINE | re.DOTALL) == INSTALLS
    assert README.startswith(f'# {name_and_version().partition(" ")[0]}: ')
    for name in ('grader', 'cluster', 'test'):
        assert f'\n{name} = [' in (ROOT / 'pyproject.toml').read_text(encoding='utf-8')


def test_documents_name_files_that_there_are():
    named = re.findall(
        r'`((?:grading|tests|docs)/[\w./*]+)`',
        README + (ROOT / 'CONTRIBUTING.md').read_text(encoding='utf-8'),
    )
    assert named
    made = {'tests/goldens/whole/'}  # by a longer check
    assert {name for name in named if not any(ROOT.glob(name))} - made == {
        'grading/games',
        'grading/assignments/NAME/',
    }


def test_documents_name_github_classroom_as_what_has_ended():
    manual = ' '.join((ROOT / 'docs' / 'grading.md').read_text(encoding='utf-8').split())
    assert 'GitHub Classroom, which made such downloads, ended in August 2026' in manual
    assert (manual.count('GitHub Classroom'), README.count('Classroom')) == (1, 0)


def test_manual_has_every_option(capsys):
    manual = (ROOT / 'docs' / 'grading.md').read_text(encoding='utf-8')
    for command in ('grade', 'pack', 'record'):
        with pytest.raises(SystemExit):
            make_parser().parse_args([command, '--help'])
        options = {*re.findall(r' (--[a-z-]+)', capsys.readouterr().out)} - {'--help'}
        assert {option for option in options if f'`{option}' not in manual} == set()


@pytest.mark.parametrize('name', MODULES)
def test_every_public_name_has_a_docstring(name):
    module = importlib.import_module(name)
    own = {
        key: value
        for key, value in vars(module).items()
        if not key.startswith('_') and getattr(value, '__module__', None) == name
    }
    for key, value in own.items():
        assert value.__doc__, key
        for method in vars(value) if isinstance(value, type) else ():
            if not method.startswith('_') and callable(getattr(value, method)):
                assert getattr(value, method).__doc__, f'{key}.{method}'
