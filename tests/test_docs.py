"""The documents of the games are right: their examples, links and docstrings."""

import doctest
import importlib
import os
import re
import shutil

import pytest
from running import BARE, ROOT, finished, rest_long
from test_transcripts import TRANSCRIPTS

README = (ROOT / 'README.md').read_text(encoding='utf-8')
PAGES = {
    name: (ROOT / name).read_text(encoding='utf-8')
    for name in [
        'README.md',
        'grading/README.md',
        'CONTRIBUTING.md',
        'SECURITY.md',
        'CHANGELOG.md',
        *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / 'docs').rglob('*.md'))),
    ]
}
MAX_LINES = 170  # of the README
MODULES = ['othello_logic', 'othello_console', 'nim_logic', 'nim_console']
FENCE = re.compile(r'^( *)```(\w+)\n(.*?)^\1```$', re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r'^(homework|course|)\$ (.* <<END\n(?:.*\n)*?END|.*)\n', re.MULTILINE)


def blocks(name, language):
    """Return a page's code blocks in a language; blocks in lists lose their indentation."""
    return [
        re.sub(f'^{indent}', '', block, flags=re.MULTILINE)
        for indent, kind, block in FENCE.findall(PAGES[name])
        if kind == language
    ]


def commands(name):
    """Return, for each command on a page, the folder in the prompt, the command and its output."""
    found = []
    for block in blocks(name, 'console'):
        before, *parts = PROMPT.split(block)
        assert not before, 'each block begins with a prompt'
        found += zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return found


@pytest.mark.parametrize('name', ['othello_logic', 'nim_logic'])
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert (result.failed, result.attempted > 0) == (0, True)


TYPED = """
from __future__ import annotations

from collections.abc import Iterator
from random import Random

from nim_logic import NimGame, RecordedGame, TlcwMatch, optimal_move, ordinary_move, random_move
from othello_logic import InvalidMoveError, OthelloGame


game = OthelloGame(4, 4)
game.make_move(1, 2)
again: OthelloGame = OthelloGame.from_text(str(game), game.turn, game.wins)
try:
    again.check_move(4, 4)
except InvalidMoveError as error:
    print(error.reason)
nim = NimGame([4, 3], max_take=4, players=2)
moves: Iterator[tuple[int, int]] = nim.legal_moves()
for move in (next(moves), optimal_move(nim), random_move(nim, Random(1))):
    print(nim.is_legal(*move))
record = RecordedGame(['4;2', '3;1', '0;3'])
loser: int = record.loser()
record.start.make_move(*next(record.moves()))
match = TlcwMatch(9, 3, 'C')
match.take(ordinary_move(match.game, Random(1))[1])
"""


@pytest.mark.long
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


@pytest.mark.parametrize('name', ['README.md', 'docs/games.md'])
def test_documents_at_the_python_prompt(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(ROOT / name), module_relative=False)
    assert (result.failed, result.attempted > 0) == (0, True)


def test_readme_is_short_and_begins_with_a_game():
    assert len(README.splitlines()) <= MAX_LINES
    begin, command, played = README.partition(
        '$ python3 othello_console.py < scenarios/othello.txt\n'
    )
    assert command
    assert len((begin + command + played.partition('```')[0]).splitlines()) <= 25


@pytest.mark.parametrize('name', rest_long(['nim/piles/worked_example', *TRANSCRIPTS]), ids=str)
def test_readme_plays_any_transcript_through_a_pipe(name):
    (block,) = blocks('README.md', 'bash')
    first, second = block.splitlines()
    assert first == 't=transcripts/nim/piles/worked_example.txt'
    script = f't=transcripts/{name}.txt; {second}'
    assert finished(['bash', '-c', script], cwd=ROOT) == (0, b'', b'')


def test_links_lead_somewhere():
    for name, text in PAGES.items():
        for target in re.findall(r'\]\((?!https?:)([^)]+)\)', text):
            path, _, anchor = target.partition('#')
            place = (ROOT / name).parent / path if path else ROOT / name
            assert place.exists(), f'{name}: {target}'
            assert not anchor or anchor in anchors(place), f'{name}: {target}'


def anchors(path):
    """Return the anchors of the headings of a document, as GitHub makes them."""
    headings = re.findall(r'^#+ (.+)$', path.read_text(encoding='utf-8'), re.MULTILINE)
    return {re.sub(r'[^\w -]', '', heading.lower()).replace(' ', '-') for heading in headings}


def test_the_index_names_every_page():
    index = PAGES['docs/README.md']
    pages = [name for name in PAGES if re.fullmatch(r'docs/(?!README).*\.md', name)]
    assert [name for name in pages if f']({name[len("docs/") :]}' not in index] == []


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
