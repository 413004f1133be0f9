"""Othello's console: what the assignment leaves open, bad input, messages and terminals."""

import itertools
import os
import signal
import subprocess

import pexpect
import pytest
from models import transcript
from running import (
    ROOT,
    SECONDS,
    SETTINGS,
    command_of,
    finished,
    is_one_line,
    only_numerals,
    paste_once,
    run,
    run_inside,
    start,
    start_in_terminal,
    terminal,
)

import othello_console

CONSOLE = 'othello_console.py'
WORKED = transcript('othello/worked_example')
GAME = ''.join(line + '\n' for line in WORKED.inputs)
OUTPUT = WORKED.output
SETUP = '4\n4\nB\n>\n. . . .\n. B W .\n. W B .\n. . . .\n'
STATE = 'B: 2  W: 2\n. . . .\n. B W .\n. W B .\n. . . .\nTURN: B\n'
MOVED = 'VALID\nB: 4  W: 1\n. . . .\n. B B B\n. W B .\n. . . .\nTURN: W\n'
ROWS = 'the number of rows, an even integer from 4 to 16'
COLUMNS = 'the number of columns, an even integer from 4 to 16'
TURN = 'who moves first, B or W'
WINS = 'how the game is won, > or <'
ROW = 'row {} of the board (4 cells, each B, W or ., with spaces between them)'
MOVE_OF_B = "B's move, a row and a column"


def error_line(message):
    return f'{CONSOLE}: {message}\n'.encode()


def play(text, *options):
    """Play a game in this process; return (status, output, errors)."""
    return run_inside(othello_console, text, *options)


@pytest.mark.parametrize(
    'text',
    [
        GAME,
        GAME.replace('\n', '\r\n'),
        GAME.rstrip('\n'),
        '\ufeff' + GAME,
        '\ufeff' + GAME.replace('\n', '\r\n'),
        GAME.replace('\n', ' \t\n').replace(' ', ' \t  '),
        '\n \n' + SETUP[:-1].replace('\n', '\n\n\t\n') + GAME[len(SETUP) - 1 :],
        GAME.replace('4\n4\nB', '+4\n04\nB'),
        GAME + 'these lines\nare never read\n',
    ],
)
def test_the_spelling_of_the_input_does_not_matter(text):
    """Line ends, spaces, a byte order mark, and empty lines in the setup do not change the output.

    Neither do lines after the end of the game.
    """
    assert play(text) == (0, OUTPUT.encode(), b'')


INVALID_LINES = [
    '',
    ' ',
    '2',
    '2 4 1',
    'x y',
    '1_0 2',
    '2_0 4',
    '\u0662 \u0664',
    '\xb2 4',
    '2\xa04',
    '2.0 4',
    '2,4',
    '+-2 4',
    '2- 4',
    '+ 4',
    '0 1',
    '5 1',
    '1 0',
    '1 5',
    '-2 4',
    '1 4',
    '2 2',
    '2 4\0',
    '9' * 500 + ' 4',
    '2 4' + ' ' * 2000 + 'x',
    '0' * 1000 + '2 4',
    '0' * 5000 + '2 4',
    '2\x1c4',
    '2\u20034',
    '\x0b2 4',
    '2 4\x1f',
    '2\r4',
    '2 4\r\r',
    '\ufeff2 4',
    '2 4\u2028',
]


@pytest.mark.parametrize('setting', SETTINGS)
def test_invalid_moves(setting):
    text = SETUP + ''.join(line + '\n' for line in INVALID_LINES) + '2 4\n'
    assert run(CONSOLE, text, setting=setting) == (
        1,
        ('FULL\n' + STATE + 'INVALID\n' * len(INVALID_LINES) + MOVED).encode(),
        error_line(
            f'the input ended after line {9 + len(INVALID_LINES)}: '
            "expected W's move, a row and a column"
        ),
    )


@pytest.mark.parametrize('setting', SETTINGS)
def test_undecodable_moves(setting):
    assert run(CONSOLE, SETUP.encode() + b'\xff\xfe 4\n\x80\n2 4\n', setting=setting)[:2] == (
        1,
        ('FULL\n' + STATE + 'INVALID\n' * 2 + MOVED).encode(),
    )


@pytest.mark.parametrize(
    ('lines', 'number', 'expected', 'found'),
    [
        (['5'], 1, ROWS, '5'),
        (['2'], 1, ROWS, '2'),
        (['18'], 1, ROWS, '18'),
        (['-4'], 1, ROWS, '-4'),
        (['four'], 1, ROWS, 'four'),
        (['4 4'], 1, ROWS, '4 4'),
        (['4.0'], 1, ROWS, '4.0'),
        (['1_0'], 1, ROWS, '1_0'),
        (['\u0664'], 1, ROWS, '\u0664'),
        (['9' * 1000], 1, ROWS, '9' * 40 + '...'),
        (['', '', ' x '], 3, ROWS, 'x'),
        (['4', '7'], 2, COLUMNS, '7'),
        (['4', '4', 'b'], 3, TURN, 'b'),
        (['4', '4', 'BW'], 3, TURN, 'BW'),
        (['4', '4', 'B', '='], 4, WINS, '='),
        (['4', '4', 'B', '><'], 4, WINS, '><'),
        (['4', '4', 'B', '>', '. . .'], 5, ROW.format(1), '. . .'),
        (['4', '4', 'B', '>', '. . . . .'], 5, ROW.format(1), '. . . . .'),
        (['4', '4', 'B', '>', '....'], 5, ROW.format(1), '....'),
        (['4', '4', 'B', '>', '. . . .', '', '. B w .'], 7, ROW.format(2), '. B w .'),
        (['4', '4', 'B', '>', '. . . .', '.\xa0B W .'], 6, ROW.format(2), '.\xa0B W .'),
        *(
            (['4', '4', 'B', '>', f'. .{char}. .'], 5, ROW.format(1), f'. .{char}. .')
            for char in '\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2003\u2028'
        ),
        (['\x0b4'], 1, ROWS, '\x0b4'),
        (['4\x1c'], 1, ROWS, '4\x1c'),
        (['\ufeff\ufeff4'], 1, ROWS, '\ufeff4'),
        (['4', '4', 'B\x85'], 3, TURN, 'B\x85'),
        (['4', '4', 'B', '\x1e>'], 4, WINS, '\x1e>'),
    ],
)
def test_wrong_setup(lines, number, expected, found):
    assert play('\n'.join([*lines, SETUP])) == (
        2,
        b'FULL\n',
        error_line(f'line {number}: expected {expected}, found {found!r}'),
    )


def test_a_vertical_tab_is_not_a_line_end():
    """As line ends, the vertical tabs would turn 8 rows of 8 cells into 16 rows of 4."""
    rows = '. . . .\x0b. . . .\n' * 8
    assert play(f'8\n8\nB\n>\n{rows}1 1\n') == (
        2,
        b'FULL\n',
        error_line(
            'line 5: expected row 1 of the board (8 cells, each B, W or ., '
            "with spaces between them), found '. . . .\\x0b. . . .'"
        ),
    )


@pytest.mark.parametrize(('mark', 'end'), [*itertools.product(['', '\ufeff'], ['', '\n', '\r\n'])])
def test_limit_of_a_line_is_exact(mark, end):
    """A line may have 1,000 characters, not counting a byte order mark and its line end."""
    assert b'after line 1' in play(f'{mark}{"4":0>1000}{end}')[2]
    assert play(f'{mark}{"4":0>1001}{end}')[2] == error_line(
        'line 1: it is longer than 1,000 characters'
    )


@pytest.mark.parametrize('setting', SETTINGS)
def test_undecodable_setup(setting):
    status, output, errors = run(CONSOLE, b'\xff\xfe4\n4\n', setting=setting)
    assert (status, output) == (2, b'FULL\n')
    assert is_one_line(errors, f'{CONSOLE}: line 1: expected {ROWS}, found ')


@pytest.mark.parametrize('count', range(len(WORKED.inputs)))
def test_input_that_ends_early(count):
    text = ''.join(line + '\n' for line in WORKED.inputs[:count])
    printed = ''.join(step.output for step in WORKED.steps[: count + 1])
    setup = [ROWS, COLUMNS, TURN, WINS, *(ROW.format(row) for row in range(1, 5))]
    if count < len(setup):
        expected = setup[count]
    else:
        mover = printed.rpartition('TURN: ')[2][0]
        expected = f"{mover}'s move, a row and a column"
    end = f'ended after line {count}' if count else 'is empty'
    assert play(text) == (1, printed.encode(), error_line(f'the input {end}: expected {expected}'))


@pytest.mark.parametrize('text', ['', '\ufeff4\r\n4\r\n'], ids=['without mark', 'with mark'])
@pytest.mark.parametrize('encoding', ['utf-16-le', 'utf-16-be', 'utf-32'])
def test_other_encodings_are_named(text, encoding):
    """PowerShell's `>` writes UTF-16; the message names it."""
    assert play(('4\r\n' + text).encode(encoding)) == (
        2,
        b'FULL\n',
        error_line('line 1 looks like UTF-16; save it as UTF-8'),
    )


def test_a_byte_order_mark_alone_is_an_empty_input():
    assert play('\ufeff')[2].startswith(error_line('the input ')[:-1])


@pytest.mark.parametrize('setting', SETTINGS)
def test_reader_goes_away_in_mid_game(setting):
    with start(CONSOLE, setting=setting) as process:
        assert process.stdout.read(5) == b'FULL\n'
        process.stdout.close()
        process.stdin.write(GAME.encode())
        assert process.wait(SECONDS) == 1
        assert process.stderr.read() == b''


def test_streams_in_memory():
    """Streams may have a buffer and no descriptor, as in notebooks and with pytest's `capsys`."""
    assert run_inside(othello_console, b'\xef\xbb\xbf5\r\n', has_bytes=True) == (
        2,
        b'FULL\n',
        error_line(f"line 1: expected {ROWS}, found '5'"),
    )


def test_int_is_given_only_numerals(monkeypatch):
    monkeypatch.setattr(othello_console, 'int', only_numerals, raising=False)
    text = SETUP + ''.join(line + '\n' for line in INVALID_LINES)
    assert play(text)[1].endswith(b'INVALID\n' * len(INVALID_LINES))


def test_interrupt_in_a_terminal():
    child = start_in_terminal(CONSOLE)
    child.expect_exact('FULL\r\n')
    child.sendintr()
    # If a Ctrl-C arrives just as a read begins, Python may notice it only after the read.
    while child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=1):
        child.sendintr()
    assert child.before.replace(b'^C', b'') == b'\r\n'
    child.close()
    assert child.signalstatus == signal.SIGINT


def test_pasted_into_a_terminal():
    """A whole session that is pasted at once is played to its end."""
    child = start_in_terminal(CONSOLE)
    child.send(GAME)
    assert child.read().decode() == OUTPUT.replace('\n', '\r\n')
    child.close()
    assert child.exitstatus == 0


def test_the_console_ends_although_a_paste_goes_on():
    assert paste_once(CONSOLE, [GAME, *['x\n'] * 2_000], [], gap=0.002)[0][0] == 0


def test_the_terminal_is_left_as_it_was():
    termios = pytest.importorskip('termios')
    with terminal() as (leader, follower):
        before = termios.tcgetattr(follower)
        with start(CONSOLE, stdin=follower) as process:
            os.write(leader, (GAME + 'more\n').encode())
            process.communicate(timeout=SECONDS)
        assert termios.tcgetattr(follower) == before


def test_session_in_the_help_works():
    """It is the assignment's own example."""
    _, _, command = play('', '--help')[1].decode().partition('paste into a shell:\n\n')
    assert finished(['sh', '-c', command], cwd=ROOT) == (0, OUTPUT.encode(), b'')


def test_a_file_name_is_refused_with_advice():
    assert play(GAME, 'game.txt')[2] == error_line(
        "it reads only standard input; to read a file, type < 'game.txt' (see --help)"
    )
    assert play(GAME, '--x')[2] == error_line("no such option: '--x' (see --help)")


@pytest.mark.parametrize('setting', SETTINGS)
def test_explain(setting):
    """For each INVALID, a line on standard error gives the reason, in the words of the logic."""
    reasons = {
        '1 1': 'B cannot move to row 1, column 1: it flips no discs',
        '': f"expected {MOVE_OF_B}, found ''",
        'x y': f"expected {MOVE_OF_B}, found 'x y'",
        '2 2': 'B cannot move to row 2, column 2: the cell is occupied',
        '0 9': 'B cannot move to row 0, column 9: there is no such cell on a board '
        'with 4 rows and 4 columns',
        '9' * 2000: 'it is longer than 1,000 characters',
        '\x1b[2J\r': f"expected {MOVE_OF_B}, found '\\x1b[2J'",
    }
    text = SETUP + ''.join(f'{line}\n' for line in reasons)
    messages = [f'line {number}: {reason}' for number, reason in enumerate(reasons.values(), 9)]
    messages.append(f'the input ended after line 15: expected {MOVE_OF_B}')
    assert run(CONSOLE, text, '--explain', setting=setting) == (
        1,
        ('FULL\n' + STATE + 'INVALID\n' * len(reasons)).encode(),
        b''.join(map(error_line, messages)),
    )


def test_explanations_follow_what_they_explain():
    text = GAME.replace('\n1 ', '\n7 7\n1 ')
    _, output, _ = run(CONSOLE, text, '--explain', stderr=subprocess.STDOUT)
    parts = output.decode().split('INVALID\n')[1:]
    assert parts
    assert all(part.startswith(f'{CONSOLE}: line ') for part in parts)


def test_the_console_imports_only_our_modules():
    """Starting Python takes longer than playing a session, so the console imports nothing else."""
    code = (
        f'import __future__, sys; sys.path.append({str(ROOT)!r}); before = set(sys.modules); '
        'import othello_console; print(*sorted(set(sys.modules) - before))'
    )
    assert finished([*command_of(CONSOLE)[:1], '-I', '-c', code]) == (
        0,
        b'othello_console othello_logic\n',
        b'',
    )
