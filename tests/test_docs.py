"""The documents are right: tests run their commands and examples, and check links and names."""

import doctest
import importlib
import os
import re
import shlex
import shutil
import subprocess

import pytest
from graders import environment_with_command
from programs import read_sample, write_files, zipped
from running import BARE, finished, rest_long
from sandboxes import skip_unless_confined, skip_unless_discarded
from test_transcripts import TRANSCRIPTS

from grading.command_line.parser import make_parser
from grading.installation import ROOT, name_and_version
from grading.sandbox.calls import filter_of_calls

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
LONGEST = 600  # seconds for a command, which may grade a class
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
FENCE = re.compile(r'^( *)```(\w+)\n(.*?)^\1```$', re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r'^(homework|course|)\$ (.* <<END\n(?:.*\n)*?END|.*)\n', re.MULTILINE)
INSTALL = "sudo apt install bubblewrap pipx\npipx install '.[grader]'\npipx ensurepath\n"
# Blocks that no test runs, because they install or start something; `bash -n` checks their syntax.
NOT_RUN = {
    'README.md': [
        'sudo apt install make python3-venv\n'
        'make test\n'
        '.venv/bin/pytest tests/test_transcripts.py\n'
        '.venv/bin/pytest tests/test_transcripts.py -k othello/worked_example\n',
        "python3 -m venv .venv\n.venv/bin/pip install --editable '.[grader,test]'\n"
        '.venv/bin/pytest -n auto\n',
        INSTALL,
    ],
    'grading/README.md': [INSTALL],
    'docs/games.md': ['python3 -m docs.examples.front_end\n'],
    'docs/security.md': [
        "printf '%s\\n' 'abi <abi/4.0>,' 'include <tunables/global>' \\\n"
        "    'profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }' |\n"
        '    sudo tee /etc/apparmor.d/bwrap && sudo systemctl reload apparmor\n',
        'systemd-run --user --scope -p Delegate=yes grading grade othello class/* --out results\n',
    ],
    'docs/teachers.md': [
        INSTALL,
        'python3 -m venv grading-venv\n'
        'grading-venv/bin/pip install --no-index --find-links wheels '
        "'console-grader[grader]'\n",
        'grading grade othello class/* --out results --cluster tcp://scheduler:8786\n',
    ],
}
IN_C = """
#include <stdio.h>
int main(void) {
    long n;
    printf("How far? ");
    scanf("%ld", &n);
    printf("%ld", n);
    while (n > 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        printf(" %ld", n);
    }
    puts("");
}
"""
COLLATZ = '# The shortest way.\n|How far? \\\n6\n|6 3 10 5 16 8 4 2 1\n'
ROBOT = """answer = input('How many steps? ')
while not answer.isdigit():
    print('Type a number.')
    answer = input('How many steps? ')
for step in range(int(answer)):
    print('step', step + 1)
"""


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


WITH_COMMANDS = [name for name in PAGES if blocks(name, 'console')]
AT_THE_PYTHON_PROMPT = [name for name in PAGES if blocks(name, 'python')]


@pytest.mark.parametrize('name', WITH_EXAMPLES)
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


@pytest.mark.parametrize('name', AT_THE_PYTHON_PROMPT)
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


@pytest.fixture
def folders(tmp_path):
    """The folders where a page's commands run, by prompt, and an environment that has `grading`."""
    folder = tmp_path / 'My Übungen'
    right = read_sample('othello')
    wrong = (ROOT / 'docs/examples/othello/wrong/wins_ignored.py').read_text(encoding='utf-8')
    write_files(
        folder,
        {
            'homework/my_othello.py': wrong,
            'course/class/ann/othello.py': right,
            'course/class/ben/notes.txt': '',
            'course/collatz/six.txt': COLLATZ,
            'course/c_class/ann/collatz.c': IN_C,
            'course/c_class/ben/collatz.c': IN_C.replace('3 *', '2 *'),
            'course/robot.py': ROBOT,
            'course/robot_class/ann/robot.py': ROBOT.replace('Type', 'Please type'),
            'course/robot_class/ben/robot.py': ROBOT.replace('step + 1', 'step'),
        },
    )
    zipped(folder / 'course/class/eva.zip', {'othello.py': wrong})
    zipped(
        folder / 'course/submissions.zip',
        {'ann_1001_20001_othello.py': right, 'eva_LATE_1002_20002_othello.py': wrong},
    )
    project = folder / 'console-grader'
    shutil.copytree(ROOT / 'docs', project / 'docs')  # a copy, because commands may write here
    for path in [
        *ROOT.glob('*_logic.py'),
        *ROOT.glob('*_console.py'),
        ROOT / 'grading',
        ROOT / 'scenarios',
    ]:
        (project / path.name).symlink_to(path)
    # With one more session than the project has: pages may not say how many there are.
    shutil.copytree(ROOT / 'transcripts', project / 'transcripts')
    session = project / 'transcripts/othello/worked_example.txt'
    shutil.copy(session, session.with_name('played_again.txt'))
    places = {'homework': folder / 'homework', 'course': folder / 'course', '': project}
    return places, environment_with_command(tmp_path / 'bin')


@pytest.mark.long
@pytest.mark.parametrize('name', WITH_COMMANDS)
def test_commands_print_what_a_page_shows(name, folders):
    """Run the commands in the order of the page; `...` in the page stands for any output."""
    in_c = any('cc -o' in command or 'caesar' in command for _, command, _ in commands(name))
    if in_c and not shutil.which('cc'):
        pytest.skip('there is no cc')
    if any('--out' in command for _, command, _ in commands(name)):
        skip_unless_confined()
    if any('printed by' in printed for _, _, printed in commands(name)):
        skip_unless_discarded()
    if (
        any('grading grade' in command for _, command, _ in commands(name))
        and not filter_of_calls()
    ):
        pytest.skip('the grader says that there is no filter of system calls')
    places, environment = folders
    checker = doctest.OutputChecker()
    for place, command, printed in commands(name):
        result = subprocess.run(
            ['bash', '-c', command],
            cwd=places[place],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=LONGEST,
        )
        assert checker.check_output(printed, result.stdout, doctest.ELLIPSIS), (
            f'{command}\n{result.stdout}'
        )
        assert result.returncode <= 1, command


def test_commands_of_the_grader_can_be_parsed():
    """The parser accepts all `grading` commands in the documents, even those that no test runs."""
    lines = [command for name in WITH_COMMANDS for _, command, _ in commands(name)]
    lines += [line for found in NOT_RUN.values() for block in found for line in block.split('\n')]
    arguments = [
        shlex.split(words)
        for line in lines
        for words in re.findall(r'(?:^|; |yes |/|python3 )grading ((?:grade|pack|record) .*)', line)
    ]
    assert len(arguments) > 20
    for words in arguments:
        make_parser().parse_args(words)


@pytest.mark.parametrize('name', PAGES)
def test_blocks_that_are_not_run_are_listed(name):
    found = blocks(name, 'sh')
    assert found == NOT_RUN.get(name, [])
    for block in found:
        assert finished(['bash', '-n', '-c', block])[0] == 0


def test_the_grader_has_the_name_and_the_extras_of_the_package():
    title = f'# {name_and_version().partition(" ")[0]}\n'
    assert PAGES['grading/README.md'].startswith(title)
    for name in ('grader', 'cluster', 'test'):
        assert f'\n{name} = [' in (ROOT / 'pyproject.toml').read_text(encoding='utf-8')


def test_files_that_documents_name_exist():
    named = re.findall(
        r'`((?:grading|tests|docs)/[\w./*]+)`',
        README + (ROOT / 'CONTRIBUTING.md').read_text(encoding='utf-8'),
    )
    assert named
    made = {'tests/goldens/whole/'}  # written by `make goldens-whole`
    assert {name for name in named if not any(ROOT.glob(name))} - made == {'grading/games/NAME/'}


def test_documents_say_that_github_classroom_was_shut_down():
    manual = ' '.join(PAGES['docs/teachers.md'].split())
    assert 'GitHub Classroom, which offered such downloads, was shut down in August 2026' in manual
    assert [name for name, text in PAGES.items() if 'Classroom' in text] == ['docs/teachers.md']


def test_reference_has_every_option(capsys):
    manual = PAGES['docs/reference.md']
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
