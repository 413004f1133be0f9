"""The scenario files are played as students play them: redirected, or pasted into a terminal."""

import shlex

import pexpect
import pytest
from running import PYTHON, ROOT, SECONDS, environment_of, finished, run

SCENARIOS = {  # for each file: the command, what is printed first in a terminal, and the last line
    'othello': ('othello_console.py', 'FULL', 'WINNER: NONE'),
    'recorded': ('nim_console.py recorded', 'nim_console.py: ', 'Player 2 loses.'),
    'stones': ('nim_console.py stones', 'Welcome', 'Goodbye, and thank you for playing PyNIM!!!'),
    'tlcw': (
        'nim_console.py tlcw',
        'nim_console.py: ',
        'The computer wins. Thank you for playing!',
    ),
    'piles': ('nim_console.py piles', 'nim_console.py: ', 'I win ... AGAIN'),
}


def scenario(name):
    """Return the text of a scenario file."""
    return (ROOT / 'scenarios' / f'{name}.txt').read_text(encoding='utf-8')


def test_each_scenario_is_listed():
    assert sorted(f'{name}.txt' for name in SCENARIOS) == sorted(
        path.name for path in (ROOT / 'scenarios').iterdir()
    )


@pytest.mark.parametrize('name', SCENARIOS)
def test_redirected(name):
    command, _, last = SCENARIOS[name]
    script = f'{PYTHON} {command} < scenarios/{name}.txt'
    status, output, errors = finished(['sh', '-c', script], cwd=ROOT)
    assert (status, output.decode().splitlines()[-1], errors) == (0, last, b'')


@pytest.mark.parametrize('name', SCENARIOS)
def test_nothing_that_follows_a_pasted_game_reaches_the_shell(name):
    command, first, last = SCENARIOS[name]
    ctrl_d = '\x04' if name == 'recorded' else ''
    with pexpect.spawn(
        'sh',
        ['-i'],
        cwd=str(ROOT),
        env={**environment_of(), 'PS1': 'ready> ', 'ENV': ''},
        encoding='utf-8',
        timeout=SECONDS,
    ) as shell:
        shell.expect_exact('ready> ')
        shell.sendline(f'{PYTHON} {command}')
        shell.expect_exact(f'\r\n{first}')
        shell.send(f'{scenario(name)}{ctrl_d}echo $((6 * 7))\n')
        shell.expect_exact(f'\r\n{last}\r\n')
        shell.expect_exact('ready> ')
        shell.sendline('exit $?')
        shell.expect(pexpect.EOF)
        assert '42' not in shell.before
    assert shell.exitstatus == 0


@pytest.mark.parametrize('name', SCENARIOS)
def test_the_help_has_the_same_session(name):
    program, *words = SCENARIOS[name][0].split()
    _, output, _ = run(program, '', *words, '--help')
    session = output.decode().partition("printf '%s\\n' ")[2].replace('\\\n', ' ')
    typed, _, command = session.rpartition('|')
    assert shlex.split(typed) == scenario(name).splitlines()
    assert command.split() == ['python3', *SCENARIOS[name][0].split()]
