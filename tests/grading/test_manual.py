"""The documents are right: tests run their commands and the grader's examples, and check names."""

import doctest
import importlib
import re
import shlex
import shutil
import subprocess

import pytest
from graders import environment_with_command
from programs import read_sample, write_files, zipped
from running import finished
from sandboxes import skip_unless_confined, skip_unless_discarded
from test_docs import PAGES, README, blocks, commands

from grading.cli.parser import make_parser
from grading.installation import ROOT, name_and_version
from grading.sandbox.calls import filter_of_calls

LONGEST = 600  # seconds for a command, which may grade a class
WITH_EXAMPLES = [
    '.'.join(path.relative_to(ROOT).with_suffix('').parts)
    for path in sorted((ROOT / 'grading').rglob('*.py'))
    if '>>> ' in path.read_text(encoding='utf-8')
]
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


WITH_COMMANDS = [name for name in PAGES if blocks(name, 'console')]
OF_GAMES = ('README.md', 'docs/games.md')  # tested beside the games
AT_THE_PYTHON_PROMPT = [name for name in PAGES if blocks(name, 'python') and name not in OF_GAMES]


@pytest.mark.parametrize('name', WITH_EXAMPLES)
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert (result.failed, result.attempted > 0) == (0, True)


@pytest.mark.parametrize('name', AT_THE_PYTHON_PROMPT)
def test_documents_at_the_python_prompt(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(ROOT / name), module_relative=False)
    assert (result.failed, result.attempted > 0) == (0, True)


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
        r'`((?:grading|tests|docs|tools)/[\w./*]+)`',
        README + (ROOT / 'CONTRIBUTING.md').read_text(encoding='utf-8'),
    )
    assert named
    assert {name for name in named if not any(ROOT.glob(name))} == {'grading/games/NAME/'}


def test_reference_has_every_option(capsys):
    manual = PAGES['docs/reference.md']
    for command in ('grade', 'pack', 'record'):
        with pytest.raises(SystemExit):
            make_parser().parse_args([command, '--help'])
        options = {*re.findall(r' (--[a-z-]+)', capsys.readouterr().out)} - {'--help'}
        assert {option for option in options if f'`{option}' not in manual} == set()
