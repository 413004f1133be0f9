"""Nim's console: bad input at every question, and whatever else real input and output do."""

from __future__ import annotations

import os
import random
import signal

import naive_nim
import pytest
from running import (
    SECONDS,
    SETTINGS,
    run,
    run_inside,
    run_with_shell,
    start,
    start_in_little_memory,
    start_in_terminal,
)
from transcript import FOLDER, Transcript

import nim_console

CONSOLE = 'nim_console.py'
FULL_DISK = '/dev/full'
needs_full_disk = pytest.mark.skipif(not os.path.exists(FULL_DISK), reason='no ' + FULL_DISK)
RECORDED = '12;3\n3;3;6\n0;3\n2;5\n1;3\n'
REPLAYED = naive_nim.recorded(RECORDED.splitlines()).encode()
INVALID = b'Invalid Game.\n'

# A whole session of each played game: its words on the command line, and its input lines.
SESSIONS = {
    name: Transcript(FOLDER / 'nim' / f'{name}.txt')
    for name in ('piles_worked_example', 'piles_prompt_free', 'stones_worked_example',
                 'stones_prompt_free', 'tlcw_with_prompts', 'tlcw_user_first')}


def error_line(message):
    return f'{CONSOLE}: {message}\n'.encode()


def text_of(transcript, count=None):
    return ''.join(line + '\n' for line in transcript.inputs[:count])


@pytest.fixture(params=SETTINGS)
def setting(request):
    return request.param


@pytest.fixture(params=SESSIONS)
def session(request):
    return SESSIONS[request.param]


@pytest.mark.parametrize('text', [
    RECORDED, RECORDED.rstrip('\n'), RECORDED.replace('\n', '\r\n'), '\ufeff' + RECORDED,
    RECORDED + '\n \n\t\n', RECORDED.replace(';', '\t; ').replace('\n', ' \n'),
    RECORDED.replace('3;3;6', '+3;03;6'),
], ids=['plain', 'no last newline', 'CRLF', 'BOM', 'blank lines at the end', 'blanks', 'signs'])
def test_recorded(text, setting):
    assert run(CONSOLE, text, setting=setting) == (0, REPLAYED, b'')


def test_recorded_by_name_and_from_a_file(setting, tmp_path):
    path = tmp_path / 'game.txt'
    path.write_bytes(('\ufeff' + RECORDED.replace('\n', '\r\n')).encode())
    assert run(CONSOLE, RECORDED, 'recorded', setting=setting) == (0, REPLAYED, b'')
    assert run(CONSOLE, '', 'recorded', str(path), setting=setting) == (0, REPLAYED, b'')
    assert run(CONSOLE, '', str(path), setting=setting) == (0, REPLAYED, b'')


INVALID_GAMES = [
    '', '\n', '1', '1;1', '1;1\n\n1\n', '12;3\n', '1;1\n1\n0;1\n', '0;0\n\n', '-1;1\n-1\n',
    '12;3;1\n3;3;6\n', '\n' + RECORDED, RECORDED.replace('0;3', '0;3;0'),
    RECORDED.replace('0;3', '0,3'), RECORDED.replace('0;3', '0;1_0'),
    RECORDED.replace('0;3', '0;\u0663'), RECORDED.replace('0;3', '-1;3'), RECORDED + '2;1\n',
    RECORDED.replace('0;3', '0;' + '9' * 5000), '9' * 5000 + ';1\n' + '9' * 4999 + '\n',
    '9' * 200_000 + ';1\n3\n', '\0' * 1000, RECORDED.replace('\n', '\r'), '3;1\n3\n0;2 x',
]


@pytest.mark.parametrize('text', INVALID_GAMES, ids=range(len(INVALID_GAMES)))
def test_invalid_recorded_games(text):
    assert run(CONSOLE, text) == (0, INVALID, b'')


def test_undecodable_recorded_game(setting):
    assert run(CONSOLE, b'\xff\xfe1;1\n1\n', setting=setting) == (0, INVALID, b'')


def test_recorded_game_of_huge_numbers():
    number = '1' + '0' * 4999
    status, output, errors = run(CONSOLE, f'{number};1\n{number}\n0;{"9" * 4999}\n')
    assert (status, errors) == (0, b'')
    assert output.decode() == (
        f'Starting State:\n{number}\nPlayer 1 takes {"9" * 4999} tokens from the pile 1.\n'
        'State:\n1\nPlayer 2 loses.\n')


def test_recorded_game_of_many_piles_and_moves():
    rng = random.Random(1)
    moves = [(rng.randrange(100), rng.randint(1, 9)) for _ in range(2000)]
    sizes = [0] * 99 + [1]
    for pile, count in moves:
        sizes[pile] += count
    lines = [f'{sum(sizes)};100', ';'.join(map(str, sizes)),
             *(f'{pile};{count}' for pile, count in moves)]
    status, output, errors = run(CONSOLE, '\n'.join(lines))
    assert (status, errors) == (0, b'')
    assert output.decode() == naive_nim.recorded(lines)


def test_huge_lines_of_a_recorded_game_are_never_held():
    with start_in_little_memory(CONSOLE) as process:
        try:
            for _ in range(300):
                process.stdin.write(b'2' * (1 << 20))
        except BrokenPipeError:
            pass                        # It has seen enough.
        output, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, output, errors) == (0, INVALID, b'')


def test_long_lines_count_as_one():
    """A line that is read in pieces must not become two good ones."""
    sizes = ';'.join(['1'] * 1_000_000)
    assert run(CONSOLE, f'1;1\n1\n{" " * 1_100_000}\n') == (0, INVALID, b'')
    assert run(CONSOLE, f'1000000;1000000\n{sizes}\n') == (0, INVALID, b'')


@pytest.mark.parametrize('path', ['no_such_file.txt', '/', ''])
def test_unreadable_file(path, setting):
    status, output, errors = run(CONSOLE, '', 'recorded', path, setting=setting)
    assert (status, output) == (2, b'')
    assert errors.startswith(error_line(f'{path!r} cannot be read: ').rstrip())
    assert errors.count(b'\n') == 1


def test_file_that_fails_while_it_is_read():
    path = '/proc/self/mem'
    if not os.path.exists(path):
        pytest.skip('no ' + path)
    status, output, errors = run(CONSOLE, '', path)
    assert (status, output) == (2, b'')
    assert errors.startswith(error_line(f'{path!r} cannot be read: ').rstrip())


def test_crlf_bom_and_blanks(session, setting):
    text = '\ufeff' + text_of(session).replace('\n', ' \t\r\n')
    assert run(CONSOLE, text, *session.command[1:], setting=setting) == (
        0, session.output.encode(), b'')


def test_what_follows_the_end_is_not_read(session):
    assert run(CONSOLE, text_of(session) + 'y\n3\n', *session.command[1:]) == (
        0, session.output.encode(), b'')


@pytest.mark.parametrize('name', ['piles_worked_example', 'stones_worked_example',
                                  'tlcw_with_prompts', 'tlcw_user_first'])
def test_input_that_ends_early(name):
    """At a number of questions: what was printed stays, and the question is named."""
    session = SESSIONS[name]
    for count in [*range(len(session.inputs))[:6], *range(len(session.inputs))[6::8]]:
        status, output, errors = run(CONSOLE, text_of(session, count), *session.command[1:])
        printed = ''.join(step.output for step in session.steps[:count + 1])
        assert (status, output.decode()) == (1, printed)
        start = f'the input ended after line {count}: expected the answer to "'
        assert errors.startswith(error_line(start).rstrip())
        assert errors.endswith(b'"\n')
        if '--prompts' in session.command:
            question = session.steps[count].printed[-1].text.strip()
            assert errors == error_line(f'{start}{question}"')


NO_NUMBERS = ['', ' ', 'x', '1_0', '\u0663', '\xb2', '3.0', '3 4', '+-3', '3;', '\0',
              '9' * 200_000, ' ' * 2_000_000 + '3']


@pytest.mark.parametrize('name', ['piles_prompt_free', 'tlcw_user_first'])
def test_no_number_is_refused_at_every_question(name):
    transcript = SESSIONS[name]
    bad = ''.join(answer + '\n' for answer in NO_NUMBERS)
    text = ''.join(f'{bad}{line}\n' for line in transcript.inputs)
    status, output, errors = run(CONSOLE, text, *transcript.command[1:])
    refused = 'INVALID\n' * len(NO_NUMBERS)
    assert (status, errors) == (0, b'')
    assert output.decode() == ''.join(
        step.output + refused for step in transcript.steps[:-1]) + transcript.steps[-1].output


@pytest.mark.parametrize('number', ['0', '-1', '9' * 5000, '-' + '9' * 5000])
def test_wrong_numbers_are_refused_at_every_question(number):
    transcript = SESSIONS['piles_prompt_free']
    answers = [number if not (number == '0' and line in '012') else '-7'
               for line in transcript.inputs]
    # Any number of piles, and of coins in a pile, may be played.
    if len(number) > 2 and number[0] == '9':
        answers[:4] = ['x'] * 4
    text = ''.join(f'{answer}\n{line}\n' for answer, line in zip(answers, transcript.inputs))
    output = run(CONSOLE, text, *transcript.command[1:])[1].decode()
    assert output == transcript.steps[0].output + ''.join(
        'INVALID\n' + step.output for step in transcript.steps[1:])


def test_piles_of_huge_numbers():
    number = '9' * 5000
    status, output, errors = run(CONSOLE, f'1\n{number}\n0\n{number}\n', 'piles')
    assert (status, errors) == (0, b'')
    assert output.decode().splitlines()[1:] == [
        f'pile 0 = {number}', 'Your turn ...', 'pile 0 = 0', 'You win ... this time']


@pytest.mark.parametrize('count', ['4', '0', '-1', '9' * 5000, '-' + '9' * 5000])
def test_cheating(count):
    output = run(CONSOLE, f'10\n3\nU\n{count}\n1\n', 'tlcw')[1]
    assert output.decode() == ('COINS: 10  TURN: U\nYou are cheating!\n'
                               'The computer wins. Thank you for playing!\n')


def test_stones_of_huge_numbers_and_names():
    text = f'{"x" * 5000}\n{"1" * 5000}\nB\n2\n{"3" * 5000}\n30\n{"1" * 5000}\n'
    status, output, _ = run(CONSOLE, text, 'stones')
    name = 'X' + 'x' * 29
    assert status == 1
    assert output.decode().splitlines()[-5:] == [
        'INVALID', f'You have selected 30 stones, {name}. A fine choice!', '',
        'There are 30 stones remaining...',
        f'You MUST enter a number from 1 to 3! Can you even count, {name}?']


def test_undecodable_names(setting):
    status, output, errors = run(CONSOLE, b'\xffa\n1\nB\n2\n', 'stones', setting=setting)
    assert status == 1
    assert 'Welcome, \ufffda and B to the game' in output.decode()
    assert errors.count(b'\n') == 1


def test_random_choices_differ_without_a_seed():
    outputs = {run(CONSOLE, '1000000000\n999999999\nC\n', 'tlcw')[1] for _ in range(3)}
    assert len(outputs) == 3


@pytest.mark.parametrize('word', ['recorded', 'stones'])
def test_closed_streams(word, setting):
    status, _, errors = run_with_shell('exec "$@" <&-', CONSOLE, word, setting=setting)
    assert status == (0 if word == 'recorded' else 1)
    assert errors.count(b'\n') == (0 if word == 'recorded' else 1)
    assert run_with_shell('exec "$@" >&-', CONSOLE, word, setting=setting) == (1, b'', b'')
    assert run_with_shell('exec "$@" <&- >&- 2>&-', CONSOLE, word, setting=setting) == (1, b'', b'')


@pytest.mark.parametrize('words', [
    ['recorded'], ['stones'], ['tlcw', '--prompts'], ['--help']])
def test_unwritable_output(words, setting):
    text = RECORDED if words == ['recorded'] else '10\n3\nC\n'
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, 'wb') as pipe:
        status, _, errors = run(CONSOLE, text, *words, setting=setting, stdout=pipe)
    assert (status, errors) == (1, b'')
    if os.path.exists(FULL_DISK):
        with open(FULL_DISK, 'wb') as disk:
            status, _, errors = run(CONSOLE, text, *words, setting=setting, stdout=disk)
        assert (status, errors) == (1, error_line(
            'standard output cannot be written: No space left on device'))


@pytest.mark.parametrize('word', ['recorded', 'piles', 'stones', 'tlcw'])
def test_interrupt(word, setting):
    prompts = [] if word == 'recorded' else ['--prompts']
    with start(CONSOLE, word, *prompts, setting=setting) as process:
        if prompts:
            assert process.stdout.read(10)
        else:
            wait_until_reading(process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, errors) == (130, b'')


def wait_until_reading(process):
    """Wait until a program that prints nothing first has taken what is in its pipe."""
    fcntl = pytest.importorskip('fcntl')
    termios = pytest.importorskip('termios')
    process.stdin.write(b'1;1\n')
    process.stdin.flush()
    waiting = 1
    while waiting:
        waiting = int.from_bytes(fcntl.ioctl(process.stdin, termios.FIONREAD, b'\0' * 4), 'little')


def test_prompts_go_to_standard_output_when_only_input_is_a_terminal():
    transcript = SESSIONS['tlcw_with_prompts']
    leader, follower = os.openpty()
    with start(CONSOLE, *transcript.command[1:], stdin=follower) as process:
        os.close(follower)
        os.write(leader, text_of(transcript).encode())
        output, errors = process.communicate(timeout=SECONDS)
        os.close(leader)
    assert (process.returncode, output.decode(), errors) == (0, transcript.output, b'')


def test_recorded_game_typed_in_a_terminal():
    child = start_in_terminal(CONSOLE)
    child.send(RECORDED)
    child.sendeof()
    assert child.read() == REPLAYED.replace(b'\n', b'\r\n')
    child.close()
    assert child.exitstatus == 0


@pytest.mark.parametrize('words', [['-h'], ['--help']])
def test_help(words, setting):
    status, output, errors = run(CONSOLE, '', *words, setting=setting)
    assert (status, errors) == (0, b'')
    lines = output.decode().splitlines()
    assert lines[0].startswith(f'usage: {CONSOLE} [-h] GAME')
    assert len(lines) < 45
    assert max(map(len, lines)) <= 100


def test_recorded_game_in_the_help_works():
    lines = run(CONSOLE, '', '--help')[1].decode().splitlines()
    game = lines[lines.index('12;3'):][:5]
    assert run(CONSOLE, '\n'.join(game)) == (0, REPLAYED, b'')


@pytest.mark.parametrize('words', [
    ['--prompts'], ['--seed', '1'], ['recorded', '--prompts'], ['recorded', '--seed', '1'],
    ['recorded', 'a', 'b'], ['piles', 'x'], ['piles', '--seed'], ['piles', '--seed', 'x'], ['--'],
    ['stones', '--no-such-option']])
def test_usage_errors(words):
    status, output, errors = run(CONSOLE, '', *words)
    assert (status, output) == (2, b'')
    assert errors.startswith(b'usage: nim_console.py')
    assert b'error: ' in errors
    assert b'Traceback' not in errors


@pytest.mark.parametrize('game', ['recorded', 'piles', 'stones', 'tlcw'])
def test_random_sessions_agree_with_the_naive_implementation(game):
    for seed in range(200):
        rng = random.Random(seed)
        if game == 'recorded':
            words, lines = ['recorded'], random_record(rng)
        else:
            words = [game, '--seed', str(rng.randint(-9, 99)), *rng.choice([[], ['--prompts']])]
            lines = random_answers(rng, words)
        text = ''.join(line + '\n' for line in lines)
        expected = ''.join(naive_nim.outputs(words, lines))
        assert run_inside(nim_console, text, *words) == (0, expected, ''), seed


def random_record(rng):
    """Return the lines of a recorded game, in half of the cases with something changed."""
    sizes = [rng.randint(0, 6) for _ in range(rng.randint(1, 5))]
    sizes[rng.randrange(len(sizes))] += 1
    lines = [f'{sum(sizes)};{len(sizes)}', ';'.join(map(str, sizes))]
    while sum(sizes) > 1:
        pile = rng.randrange(len(sizes))
        most = sizes[pile] - (sizes[pile] == sum(sizes))
        if most:
            count = rng.randint(1, most)
            sizes[pile] -= count
            lines.append(f'{pile};{count}')
    if rng.random() < 0.5:
        number = rng.randrange(len(lines))
        change = rng.choice([lambda line: line[:-1], lambda line: line.replace(';', ','),
                             lambda line: line + '0', lambda line: ' ' + line, lambda line: ''])
        lines[number] = change(lines[number])
    return lines


def random_answers(rng, words):
    """Return answers, right and wrong, at random, of a session to its end."""
    lines = []
    choices = ['0', '1', '1', '2', '2', '3', '3', '4', 'x', '', '-1']
    if words[0] != 'piles':
        choices += ['tim', 'sal ly', 'n', '30', '33', 'u', 'C', '9']

    def answers():
        while True:
            lines.append(rng.choice(choices))
            yield lines[-1]

    naive_nim.outputs(words, answers())
    return lines
