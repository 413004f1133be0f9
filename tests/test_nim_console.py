"""Nim's console: recorded games, bad answers at every question, messages, files and terminals."""

import os
import re
import subprocess

import pytest
from models import recorded, transcript
from running import (
    ROOT,
    SECONDS,
    SETTINGS,
    finished,
    is_one_line,
    only_numerals,
    run,
    run_inside,
    start,
    start_in_terminal,
    terminal,
)

import nim_console
import nim_logic

CONSOLE = 'nim_console.py'
RECORDED = '12;3\n3;3;6\n0;3\n2;5\n1;3\n'
REPLAYED = recorded(RECORDED.splitlines()).encode()
INVALID = b'Invalid Game.\n'

# Transcripts of the games that a user plays: with and without prompts; in one, the user starts.
SESSIONS = {
    name: transcript(f'nim/{name}')
    for name in (
        'piles/worked_example',
        'piles/prompt_free',
        'stones/worked_example',
        'stones/prompt_free',
        'tlcw/with_prompts',
        'tlcw/user_first',
    )
}


def error_line(message):
    return f'{CONSOLE}: {message}\n'.encode()


def play(text, *words):
    """Play a game in this process; return (status, output, errors)."""
    return run_inside(nim_console, text, *words)


def text_of(session, count=None):
    return ''.join(line + '\n' for line in session.inputs[:count])


@pytest.mark.parametrize(
    'text',
    [
        RECORDED,
        RECORDED.rstrip('\n'),
        RECORDED.replace('\n', '\r\n'),
        '\ufeff' + RECORDED,
        RECORDED + '\n \n\t\n',
        RECORDED.replace(';', '\t; ').replace('\n', ' \n'),
        RECORDED.replace('3;3;6', '+3;03;6'),
    ],
)
def test_recorded(text):
    """Line ends, a byte order mark, spaces, signs, and empty lines at the end do not matter."""
    assert play(text) == (0, REPLAYED, b'')


@pytest.mark.parametrize('setting', SETTINGS)
def test_recorded_by_name_and_from_a_file(setting, tmp_path):
    path = tmp_path / 'game.txt'
    path.write_bytes(('\ufeff' + RECORDED.replace('\n', '\r\n')).encode())
    assert play(RECORDED, 'recorded') == play('', 'recorded', str(path)) == (0, REPLAYED, b'')
    assert run(CONSOLE, '', str(path), setting=setting) == (0, REPLAYED, b'')
    assert run(CONSOLE, path.read_bytes(), setting=setting) == (0, REPLAYED, b'')


INVALID_GAMES = [
    '',
    '\n',
    '1',
    '1;1',
    '1;1\n\n1\n',
    '12;3\n',
    '1;1\n1\n0;1\n',
    '0;0\n\n',
    '-1;1\n-1\n',
    '12;3;1\n3;3;6\n',
    '\n' + RECORDED,
    RECORDED.replace('0;3', '0;3;0'),
    RECORDED.replace('0;3', '0,3'),
    RECORDED.replace('0;3', '0;1_0'),
    RECORDED.replace('0;3', '0;\u0663'),
    RECORDED.replace('0;3', '-1;3'),
    RECORDED + '2;1\n',
    RECORDED.replace('0;3', '0;' + '9' * 4300),
    '9' * 4300 + ';1\n' + '9' * 4299 + '\n',
    '9' * 200_000 + ';1\n3\n',
    '\0' * 1000,
    RECORDED.replace('\n', '\r'),
    '3;1\n3\n0;2 x',
    '\ufeff\ufeff' + RECORDED,
    RECORDED.replace('0;3', '0;3\r\r'),
    RECORDED + '\x1c\n',
    *(RECORDED.replace('0;3', f'0;{char}3') for char in '\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2003'),
]


@pytest.mark.parametrize('text', INVALID_GAMES)
def test_invalid_recorded_games(text):
    """With --explain, standard output is the same; a line on standard error gives the reason."""
    assert play(text) == (0, INVALID, b'')
    status, output, errors = play(text, '--explain')
    assert (status, output) == (0, INVALID)
    assert is_one_line(errors, f'{CONSOLE}: line ', 200)


@pytest.mark.parametrize('setting', SETTINGS)
def test_undecodable_recorded_game(setting):
    assert run(CONSOLE, b'\xff\xfe1;1\n1\n', setting=setting) == (0, INVALID, b'')


@pytest.mark.parametrize(
    ('game', 'text', 'end'),
    [
        (
            'recorded',
            f'3;1\n{"3":0>4300}\n0;{"2":0>4300}\n',
            'Starting State:\n3\nPlayer 1 takes 2 tokens from the pile 1.\nState:\n1\nPlayer 2 loses.\n',
        ),
        ('recorded', f'3;1\n{"3":0>4301}\n0;{"2":0>4301}\n', 'Invalid Game.\n'),
        ('piles', f'1\n{"1":0>4300}\n', 'pile 0 = 1\nYour turn ...\n'),
        ('piles', f'1\n{"1":0>4301}\n', 'INVALID\n'),
        ('piles', f'1\n{"9" * 4300}\n', f'pile 0 = {"9" * 4300}\nYour turn ...\n'),
    ],
)
def test_limit_of_a_number_is_exact(game, text, end):
    assert play(text, game)[1].endswith(end.encode())


@pytest.mark.parametrize(
    'path', ['no_such_file.txt', '/', '', *filter(os.path.exists, ['/proc/self/mem'])]
)
def test_unreadable_file(path):
    """A file that cannot be opened is an error, and so is a file that cannot be read."""
    status, output, errors = play('', 'recorded', path)
    assert (status, output) == (2, b'')
    assert is_one_line(errors, f'{CONSOLE}: cannot read {path!r}: ')


def test_a_word_that_is_neither_a_game_nor_a_file():
    assert len(play('', 'x' * 100_000)[2]) < 400
    assert play('', 'chess') == (
        2,
        b'',
        error_line(
            "cannot read 'chess': No such file or directory; the games are recorded, stones, tlcw, "
            'piles'
        ),
    )


@pytest.mark.parametrize('session', SESSIONS.values())
def test_spaces_and_line_ends_and_lines_after_the_end_do_not_matter(session):
    for text in ('\ufeff' + text_of(session).replace('\n', ' \t\r\n'), text_of(session) + 'y\n3\n'):
        assert play(text, *session.arguments) == (0, session.output.encode(), b'')


@pytest.mark.parametrize(
    'name',
    ['piles/worked_example', 'stones/worked_example', 'tlcw/with_prompts', 'tlcw/user_first'],
)
def test_input_that_ends_early(name):
    """The error message names the unanswered question; all output before it is printed."""
    session = SESSIONS[name]
    counts = range(len(session.inputs))
    for count in [*counts[:6], *counts[6::8]]:
        status, output, errors = play(text_of(session, count), *session.arguments)
        printed = ''.join(step.output for step in session.steps[: count + 1])
        assert (status, output.decode()) == (1, printed)
        end = f'ended after line {count}' if count else 'is empty'
        question = (
            '[^"]+'
            if '--prompts' not in session.command
            else re.escape(session.steps[count].expected[-1].text.strip())
        )
        assert re.fullmatch(
            f'{CONSOLE}: the input {end}: expected the answer to "{question}"\n', errors.decode()
        )


MALFORMED_NUMBERS = [
    '',
    ' ',
    'x',
    '1_0',
    '\u0663',
    '\xb2',
    '3.0',
    '3 4',
    '+-3',
    '3;',
    '\0',
    '9' * 4301,
    '9' * 200_000,
]


@pytest.mark.parametrize('name', ['piles/prompt_free', 'tlcw/user_first'])
def test_malformed_numbers_are_refused_at_every_question(name):
    session = SESSIONS[name]
    bad = ''.join(answer + '\n' for answer in MALFORMED_NUMBERS)
    text = ''.join(f'{bad}{line}\n' for line in session.inputs)
    refused = 'INVALID\n' * len(MALFORMED_NUMBERS)
    printed = refused.join(step.output for step in session.steps)
    assert play(text, *session.arguments) == (0, printed.encode(), b'')


@pytest.mark.parametrize('number', ['0', '-1', '9' * 4300, '-' + '9' * 4300])
def test_wrong_numbers_are_refused_at_every_question(number):
    session = SESSIONS['piles/prompt_free']
    # Where the session has 0, 1 or 2, the number 0 may be a right answer: type -7 there.
    answers = ['-7' if number == '0' and line in '012' else number for line in session.inputs]
    # The first four questions ask for piles and coins, where a large number is right: type x there.
    if len(number) > 2 and number[0] == '9':
        answers[:4] = ['x'] * 4
    text = ''.join(f'{answer}\n{line}\n' for answer, line in zip(answers, session.inputs))
    printed = 'INVALID\n'.join(step.output for step in session.steps)
    assert play(text, *session.arguments)[1].decode() == printed


@pytest.mark.parametrize('count', ['4', '0', '-1', '9' * 4300, '-' + '9' * 4300])
def test_cheating(count):
    assert play(f'10\n3\nU\n{count}\n1\n', 'tlcw')[1] == (
        b'COINS: 10  TURN: U\nYou are cheating!\nThe computer wins. Thank you for playing!\n'
    )


def test_huge_numbers_and_long_names_in_stones():
    text = f'{"x" * 5000}\n{"1" * 5000}\nB\n2\n{"3" * 4300}\n30\n{"1" * 4300}\n'
    status, output, _ = play(text, 'stones')
    name = 'X' + 'x' * 29
    assert status == 1
    assert output.decode().splitlines()[-5:] == [
        'INVALID',
        f'You have selected 30 stones, {name}. A fine choice!',
        '',
        'There are 30 stones remaining...',
        f'You MUST enter a number from 1 to 3! Can you even count, {name}?',
    ]


NO_ID = 'ended after line 1: expected the answer to "What is your MIT Student ID, {}?"'


@pytest.mark.parametrize(
    ('game', 'text', 'end'),
    [
        ('tlcw', '', 'is empty: expected the answer to "How many coins are there to begin with?"'),
        ('stones', 'tim', NO_ID.format('Tim')),
        ('stones', 'é', NO_ID.format('É')),
        ('stones', ' SALLY ANN\t', NO_ID.format('Sally ann')),
        ('stones', '\x1c', NO_ID.format('\\x1c')),
        ('stones', 'x' * 40, NO_ID.format('X' + 'x' * 29)),
    ],
)
def test_the_question_is_named_where_the_input_ends(game, text, end):
    """In the question, the name of a player is spelled as the game prints it."""
    typed = f'{text}\n' if text else ''
    assert play(typed, game)[2] == error_line(f'the input {end}')


@pytest.mark.parametrize(
    ('text', 'identity'),
    [('MIT123456', 'MIT123456'), (' mit1234567\t', 'mit123456'), ('  \n1', '1')],
)
def test_ids(text, identity):
    output = play('\n'.join(['Tim', text, 'Sally', '2', '30', *'333333213', 'n']), 'stones')[1]
    assert f'*     Your MIT Student ID is: {identity} ' in output.decode()


@pytest.mark.parametrize('setting', SETTINGS)
def test_undecodable_names(setting):
    status, output, errors = run(CONSOLE, b'\xffa\n1\nB\n2\n', 'stones', setting=setting)
    assert status == 1
    assert 'Welcome, \ufffda and B to the game' in output.decode()
    assert errors.count(b'\n') == 1


def test_random_choices_differ_without_a_seed():
    assert len({play('1000000000\n999999999\nC\n', 'tlcw')[1] for _ in range(3)}) == 3


@pytest.mark.parametrize(
    ('game', 'head'), [('piles', ''), ('stones', 'Tim\n1\nSally\n2\n'), ('tlcw', '')]
)
def test_int_is_given_only_numerals(game, head, monkeypatch):
    monkeypatch.setattr(nim_logic, 'int', only_numerals, raising=False)
    text = head + ''.join(answer + '\n' for answer in MALFORMED_NUMBERS if len(answer) < 100)
    assert play(text, game)[0] == 1


def test_the_first_wrong_line_is_the_one_that_is_explained():
    text = '4;2\nx\n9\n\0\n'
    assert play(text, '--explain') == (
        0,
        INVALID,
        error_line(
            'line 2: it must list the pile sizes; according to line 1, the number of piles is 2 and the sum is 4'
        ),
    )


@pytest.mark.parametrize(('line', 'count'), [('x', 10_000), ('1;1\0', 100_000)])
def test_an_invalid_record_is_read_to_its_end(line, count):
    """The writer gets no broken pipe, and the rest of a paste does not reach the shell."""
    with start(CONSOLE) as process:
        process.stdin.write(f'{line}\n'.encode())
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        assert process.communicate(b'0;1\n' * count, timeout=SECONDS) == (INVALID, b'')


NO_GAME = 'a recorded game, and then for Ctrl-D; --help lists the other games'


@pytest.mark.parametrize(
    ('words', 'text', 'waits_for'),
    [
        ([], RECORDED + '\4', NO_GAME),
        (['recorded'], RECORDED + '\4', NO_GAME),
        # One Ctrl-D is enough for an invalid game, too, although a terminal accepts more input.
        (['recorded'], '4;2\n3;1\n\4', NO_GAME),
        *(
            (
                [game, *options],
                answers + '\n',
                None if options else f'the answer to "{question}"; --prompts prints each question',
            )
            for game, answers, question in [
                (
                    'stones',
                    'Ann\n1\nBen\n2\n30\n3\n3\n3\n3\n3\n3\n3\n3\nn',
                    'What is your name, Player One?',
                ),
                ('tlcw', 'x\n5\n3\nU\n2', 'How many coins are there to begin with?'),
                ('piles', '1\n3\n0\n3', 'How many piles do you want to play with?'),
            ]
            for options in ([], ['--prompts'])
        ),
    ],
)
def test_a_hint_in_a_terminal_says_what_the_console_waits_for(words, text, waits_for):
    """The hint is printed once, before the first input, unless the game has prompts.

    No hint is printed if only the input is a terminal.
    """
    hint = error_line(f'waiting for {waits_for}') if waits_for else b''
    child = start_in_terminal(CONSOLE, *words)
    before = b''
    if waits_for:
        child.expect_exact(hint.replace(b'\n', b'\r\n'))
        before = child.before
    child.send(text)
    printed = before + child.read()
    child.close()
    assert child.exitstatus == 0
    with terminal() as (leader, follower), start(CONSOLE, *words, stdin=follower) as process:
        os.write(leader, text.encode())
        assert process.communicate(timeout=SECONDS) == (printed.replace(b'\r\n', b'\n'), b'')


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('4;2\n3;1\n0;4\n', 'line 3: player 1 cannot take 4 from pile 0: pile 0 holds 3'),
        ('4;2\n3;1\n0;3\n1;1\n', 'line 4: the game is over'),
        ('4;2\n3;1\n0;2\n', 'line 3: more than one counter is left'),
        ('4;2\n3;1\n\n0;3\n', 'line 3: a move must be two integers, pile;count'),
    ],
)
def test_explained_reasons(text, reason, tmp_path):
    path = tmp_path / 'game.txt'
    path.write_text(text)
    assert play(text, '--explain') == (0, INVALID, error_line(reason))
    for words in (['recorded', '--explain', str(path)], ['--explain', str(path)]):
        assert play('', *words) == (0, INVALID, error_line(reason))
    assert play(RECORDED, '--explain') == (0, REPLAYED, b'')


@pytest.mark.parametrize(
    ('words', 'text', 'reasons'),
    [
        (
            ['piles'],
            '0\nx\n2\n3\n1\n2\n1.5\n0\n4\n0\n',
            [
                'line 1: it is less than 1',
                'line 2: it is not an integer',
                'line 6: there is no pile 2',
                'line 7: it is not an integer',
                'line 9: pile 0 holds 3',
                'line 10: the count must be at least 1',
            ],
        ),
        (
            ['tlcw'],
            '1\n9\n9\n3\nX\nU\n\n',
            [
                'line 1: coins must be an integer of at least 2, not 1',
                'line 3: the limit must be less than 9 coins',
                "line 5: the first player must be C or U, not 'X'",
                'line 7: it is not an integer',
            ],
        ),
        (
            ['stones', '--prompts'],
            ' \nTim\n\n1\nSally\n2\n\n7\n30\n4\nx\n',
            [
                'line 1: it is empty',
                'line 3: it is empty',
                'line 7: it is not an integer',
                'line 8: a round begins with 30 to 50 stones, not 7',
                'line 10: a turn takes at most 3',
                'line 11: it is not an integer',
            ],
        ),
    ],
)
def test_explained_answers(words, text, reasons):
    plain = play(text, *words)
    status, output, errors = play(text, *words, '--explain')
    assert (status, output) == plain[:2]
    assert errors == b''.join(map(error_line, reasons)) + plain[2]


@pytest.mark.parametrize(
    ('count', 'reason'),
    [
        ('4', 'a turn takes at most 3'),
        ('9' * 4300, 'pile 0 holds 10'),
        ('0', 'the count must be at least 1'),
    ],
)
def test_explained_cheating(count, reason):
    """With --explain, standard output is the same, and standard error gives the reason."""
    text = f'10\n3\nU\n{count}\n'
    assert play(text, 'tlcw', '--explain') == (
        0,
        play(text, 'tlcw')[1],
        error_line(f'line 4: {reason}'),
    )


@pytest.mark.parametrize('encoding', ['utf-16', 'utf-16-le', 'utf-16-be'])
def test_other_encodings_are_named(encoding):
    """PowerShell's `>` writes UTF-16; the message names it."""
    reason = error_line('line 1 looks like UTF-16; save it as UTF-8')
    assert play(RECORDED.encode(encoding), '--explain') == (0, INVALID, reason)
    assert play('1\n'.encode(encoding), 'piles', '--explain')[2].startswith(reason)


@pytest.mark.parametrize('name', ['\x1b[2J', 'a\rb', '\u202e', '\u2028'])
def test_control_characters_are_spelled_out(name):
    errors = play(f'{name}\n', 'stones')[2]
    assert is_one_line(errors, CONSOLE)
    assert ascii(name.capitalize())[1:-1].encode() in errors


def test_prompts_go_to_standard_output_when_only_input_is_a_terminal():
    session = SESSIONS['tlcw/with_prompts']
    with terminal() as (leader, follower), start(
        CONSOLE, *session.arguments, stdin=follower
    ) as process:
        os.write(leader, text_of(session).encode())
        assert process.communicate(timeout=SECONDS) == (session.output.encode(), b'')
    assert process.returncode == 0


@pytest.mark.parametrize(
    ('game', 'end'),
    [
        ('recorded', REPLAYED),
        ('stones', b'\nGoodbye, and thank you for playing PyNIM!!!\n'),
        ('tlcw', b'\nThe computer wins. Thank you for playing!\n'),
        ('piles', b'\nI win ... AGAIN\n'),
    ],
)
def test_session_in_the_help_of_a_game_works(game, end):
    command = play('', game, '--help')[1].decode().splitlines()[-1]
    status, output, errors = finished(['sh', '-c', command], cwd=ROOT)
    assert (status, output[-len(end) :], errors) == (0, end, b'')
    assert game in command


@pytest.mark.parametrize('seed', ['7', '+7', ' 07 ', '-7', '7' * 4000])
def test_seeds(seed):
    """A seed is any integer; its spelling does not matter."""
    first, second = (play('99\n98\nC\n', 'tlcw', '--seed', text) for text in (seed, str(int(seed))))
    assert first == second
    assert b'The computer takes ' in first[1]
