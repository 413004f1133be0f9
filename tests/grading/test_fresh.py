"""Fresh games: what they contain, their secret seeds, and how a failing game is made smaller."""

import fcntl
import functools
import json
import os
import re
import stat
import subprocess
import sys
import threading
import zipfile
from itertools import islice
from operator import methodcaller
from random import Random
from types import SimpleNamespace
from unittest import mock

import internals
import pytest
from graders import FULL, RIGHT, TRAILING_SPACES, few_transcripts, run_grader_here, submission
from models import outputs
from programs import write_files
from running import SECONDS
from situations import OF_FRESH_GAMES, SITUATIONS, Session, missing, optimal_moves

from grading.engine import fresh
from grading.engine.fresh import fresh_games, recorded_session
from grading.games import game_of
from grading.games.consoles import play, record
from grading.games.nim.hints import why_invalid
from grading.games.othello.fresh import Scenario
from grading.installation import ROOT
from grading.sessions import verdict
from grading.sessions.transcript import parse, read_session
from grading.sessions.verdict import Dialogue, PlayedSession
from grading.settings import SECRET, seed_of
from othello_logic import SIZES, InvalidMoveError, OthelloGame

# With this seed, this many games of each kind contain everything the tests look for.
GAMES = {'othello': 40, 'recorded': 80, 'stones': 60, 'tlcw': 50, 'piles': 30, 'nim': 40}
SEED = 20
FEW = 10
INVALID = 'Invalid Game.\n'
MAKE_MOVE, WINNER = OthelloGame.make_move, OthelloGame.winner


def played(transcript, outputs):
    """Return the session of a program printing `outputs`; missing outputs are empty."""
    printed = [*outputs, *[''] * (len(transcript.steps) - len(outputs))]
    wrong = next(
        (number for number, step in enumerate(transcript.steps) if printed[number] != step.output),
        None,
    )
    return PlayedSession(
        transcript,
        Dialogue.printing(printed),
        None if wrong is None else verdict.Failure('differs', wrong),
    )


def played_wrong(transcript, number, printed):
    """Return a session with `printed` as output `number`; the later outputs are empty.

    If `printed` is None, all outputs are right.
    """
    outputs = [step.output for step in transcript.steps]
    return played(transcript, outputs if printed is None else [*outputs[:number], printed])


@functools.cache
def games_of(game):
    """Return the transcripts of a game, shared by many tests."""
    return make_games(game, GAMES[game])


def make_games(game, count, seed=SEED, prompts=False):
    """Return the transcripts of `count` fresh games, as a correct program gets them."""
    games = []

    def right(transcript):
        games.append(transcript)
        return PlayedSession(transcript, Dialogue())

    result = fresh.play_fresh(game, count, right, seed=seed, prompts=prompts)
    assert (result, len(games)) == (fresh.FreshResult(games_played=count), count)
    return games


class Wrong:
    """Our own program with a fault: methods of its logic are replaced, or its output is changed."""

    def __init__(self, change=str, **methods):
        self.change = change
        self.methods = {'winner': WINNER, **methods}
        self.runs = 0

    def __call__(self, transcript):
        self.runs += 1
        with mock.patch.multiple(OthelloGame, **self.methods):
            outputs, _, _ = play(transcript.command, transcript.inputs)
        if len(outputs) == 1:
            outputs = [''] * len(transcript.inputs) + outputs
        return played(transcript, [self.change(output) for output in outputs])


class Clock:
    """A clock advanced only by runs of programs, a second each."""

    now = 0.0  # not later than the real clock: it starts with the machine

    def runs(self, program):
        def run(transcript):
            self.now += 1
            return program(transcript)

        return run


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Replace the clock, so shrinking does not depend on the speed of this machine."""
    clock = Clock()
    monkeypatch.setattr(fresh, 'time', SimpleNamespace(monotonic=lambda: clock.now))
    return clock


# The contents of the games


def test_every_situation_occurs_in_games_of_othello():
    """Each game is played to its end, and each move is two integers with one space between."""
    sessions = [Session(transcript) for transcript in games_of('othello')]
    assert missing({**SITUATIONS, **OF_FRESH_GAMES}, sessions) == []
    assert all(session.turns[0] in (None, session.first) for session in sessions)
    boards = {(session.rows, session.columns) for session in sessions}
    assert {rows for rows, _ in boards} == {columns for _, columns in boards} == set(SIZES)
    assert len(boards) > 2 * len(SIZES)
    for transcript in games_of('othello'):
        rows = int(transcript.inputs[0])
        assert all(
            re.fullmatch(r'-?[0-9]+ -?[0-9]+', line) for line in transcript.inputs[4 + rows :]
        )
        assert 'WINNER' in transcript.steps[-1].output


def test_half_of_the_recorded_games_are_invalid_for_many_reasons():
    games = games_of('recorded')
    invalid = [transcript for transcript in games if transcript.output == INVALID]
    assert len(games) / 4 < len(invalid) < 3 * len(games) / 4
    assert not any(' 1 tokens' in transcript.output for transcript in games)
    reasons = {re.sub(r'-?[0-9]+', '#', why_invalid(transcript.inputs)) for transcript in invalid}
    assert len(reasons) > 10  # of 12 reasons


@pytest.mark.parametrize(
    ('game', 'texts'),
    [
        (
            'stones',
            [
                'hissing',
                'Evidently',
                'Get ready for round 2',
                'INVALID',
                'from 1 to 1!',
                'This is not even a number!',
                'from 1 to 2!',
                'Somebody whose name has more t',
                'Goodbye',
            ],
        ),
        (
            'tlcw',
            [
                'C\n',
                'You win.',
                'The computer wins.',
                'You are cheating!',
                'INVALID',
                'The computer takes all',
                'The computer takes 1 coin.',
                'You take 1 coin.',
            ],
        ),
        ('piles', ['You win ... this time', 'I win ... AGAIN', 'INVALID', 'pile 4']),
    ],
)
def test_every_answer_occurs_in_games_of_nim(game, texts):
    printed = [transcript.output for transcript in games_of(game)]
    assert [text for text in texts if not any(text in output for output in printed)] == []


@pytest.mark.parametrize('game', ['stones', 'tlcw', 'piles'])
def test_the_computer_has_no_free_choice(game):
    """The computer's moves do not depend on the seed, unless the session follows its choices."""
    for transcript in games_of(game)[:20]:
        for seed in () if transcript.others else ('1', '2', '3'):
            words = [*transcript.command, '--seed', seed]
            assert play(words, transcript.inputs)[0] == [step.output for step in transcript.steps]


def test_the_computer_has_at_most_one_optimal_move():
    """No position has several optimal moves, since programs could choose any of them."""
    numbers = [number for transcript in games_of('piles') for number in optimal_moves(transcript)]
    assert len(numbers) > 50
    assert {*numbers} == {0, 1}
    lost = [bool(transcript.others) for transcript in games_of('piles')]
    assert len(lost) / 4 < sum(lost) < len(lost) * 3 / 4


def test_games_of_piles_differ_and_leave_text_free():
    """No game is played twice, and lines not defined by the assignment are free text."""
    games = games_of('piles')
    assert len({tuple(transcript.lines) for transcript in games}) == len(games)
    lines = [line for transcript in games for step in transcript.steps for line in step.expected]
    assert any(line.is_free_text for line in lines)
    assert all(line.is_free_text != line.text.startswith(('pile ', 'Your turn')) for line in lines)


def has_prompts(transcript):
    return '--prompts' in transcript.arguments


def test_prompts():
    """The fresh games of nim are its four games, with prompts and without."""
    kinds = {(game_of(transcript).name, has_prompts(transcript)) for transcript in games_of('nim')}
    assert kinds == {
        ('recorded', False),
        *((game, prompts) for game in ('stones', 'tlcw', 'piles') for prompts in (False, True)),
    }
    for game in ('stones', 'tlcw', 'piles'):
        assert all(
            game_of(transcript).name == game
            and has_prompts(transcript)
            and '? ' in transcript.output
            for transcript in make_games(game, FEW, prompts=True)
        )
        assert not any(has_prompts(transcript) for transcript in make_games(game, FEW))


# Our own consoles and the models


@pytest.mark.parametrize('game', [game for game in GAMES if game != 'nim'])
def test_our_consoles_and_the_models_agree(game):
    """The models print the same as our consoles, so correct programs by others also pass."""
    for transcript in games_of(game):
        printed = outputs(game_of(transcript).name, transcript.inputs, transcript.arguments)
        assert not played(transcript, printed).failure_found


# Seeds


def text_of(game, seed=SEED):
    """Return the text of a few fresh games."""
    return '\n'.join(
        line for transcript in make_games(game, FEW, seed) for line in transcript.lines
    )


@pytest.mark.long
def test_a_seed_makes_the_same_games_everywhere():
    """A seed makes the same games in another process, where strings have other hash values."""
    code = 'from test_fresh import text_of; print(text_of("othello"), text_of("nim"))'
    path = os.pathsep.join(map(str, [ROOT, ROOT / 'tests', ROOT / 'tests' / 'grading']))
    there = subprocess.run(
        [sys.executable, '-c', code],
        check=True,
        stdout=subprocess.PIPE,
        timeout=SECONDS,
        env={**os.environ, 'PYTHONPATH': path, 'PYTHONHASHSEED': '1'},
    ).stdout.decode()
    assert there == f'{text_of("othello")} {text_of("nim")}\n'
    assert text_of('othello') != text_of('othello', SEED + 1)


# The smallest game


def refusing(is_refused):
    """Return a `make_move` that refuses a legal move if `is_refused` returns True.

    The arguments of `is_refused` are the game, the row, the column, and the flipped cells.
    """

    def make_move(game, row, column):
        turned = game.flips(row, column)
        if turned and is_refused(game, row, column, turned):
            raise InvalidMoveError(row, column, game.turn, 'a fault')
        MAKE_MOVE(game, row, column)

    return make_move


def is_corner_of_two_runs(game, row, column, turned):
    directions = {((r > row) - (r < row), (c > column) - (c < column)) for r, c in turned}
    return row in (1, game.rows) and column in (1, game.columns) and len(directions) > 1


def wrong_for_a_margin_of_three(game):
    if game.wins == '<' and abs(game.count('B') - game.count('W')) == 3:
        return 'W' if WINNER(game) == 'B' else 'B'
    return WINNER(game)


# For each fault: the wrong methods; a seed that finds the fault soon; and the numbers of cells,
# discs and moves in the smallest game.
RARE = {
    '12 columns and a corner': (
        {
            'make_move': refusing(
                lambda game, row, column, turned: (row, column, game.columns) == (game.rows, 12, 12)
            )
        },
        12,
        (48, 2, 1),
    ),
    '< and a margin of three': ({'winner': wrong_for_a_margin_of_three}, 6, (16, 3, 0)),
    'two runs that reach a corner': ({'make_move': refusing(is_corner_of_two_runs)}, 5, (16, 4, 1)),
}


@pytest.mark.long
@pytest.mark.parametrize('fault', RARE)
def test_a_small_game_shows_a_rare_fault(fault, tmp_path):
    methods, seed, smallest_size = RARE[fault]
    program = Wrong(**methods)
    result = fresh.play_fresh('othello', 300, program, seed=seed)
    session, wrong = result.smallest.session, result.smallest.failure_found
    smallest = Scenario.of(session, wrong.turn)
    assert len(session.lines) <= 45
    assert (
        len(smallest.board) * len(smallest.board[0]),
        sum(cell != '.' for row in smallest.board for cell in row),
        len(smallest.moves),
    ) == smallest_size
    assert program(session).failure_found == wrong
    assert (result.is_flaky, 'seed' in session.text) == (False, False)
    assert program.runs <= result.games_played + 403
    assert program(recorded_again(result, tmp_path)).failure_found == wrong


def recorded_again(result, folder):
    """Record the smallest game again, which must not change it; return the transcript."""
    path = folder / 'smallest.txt'
    path.write_text(result.smallest.session.text, encoding='utf-8')
    record(path)
    assert path.read_text(encoding='utf-8') == result.smallest.session.text
    return read_session(path)


@pytest.mark.parametrize('change', [lambda text: '', methodcaller('replace', 'NONE', 'B')])
def test_a_program_that_is_wrong_everywhere(change):
    smallest = fresh.play_fresh('othello', 300, Wrong(change), seed=5).smallest.session
    assert smallest.inputs[:2] + smallest.inputs[4:] == ['4', '4', *['. . . .'] * 4]


def test_a_fault_that_needs_earlier_moves():
    """If a program refuses every legal move from the third on, the smallest game has three."""

    def play_two(transcript):
        steps = [
            number
            for number, step in enumerate(transcript.steps)
            if step.output.startswith('VALID')
        ]
        if len(steps) < 3:
            return played_wrong(transcript, 0, None)
        return played_wrong(transcript, steps[2], 'INVALID\n')

    result = fresh.play_fresh('othello', 300, play_two, seed=6)
    smallest = Scenario.of(result.smallest.session, result.smallest.failure_found.turn)
    assert (len(smallest.board), len(smallest.board[0]), len(smallest.moves)) == (4, 4, 3)


def test_parts_of_a_game_can_be_left_out():
    """Whichever parts are left out, the rest can be recorded, even if nothing is left."""
    for game in GAMES:
        for transcript in games_of(game)[:FEW]:
            step = len(transcript.steps) // 2
            maker = game_of(transcript).maker
            for parts_of, without in maker.parts:
                scenario = maker.read(transcript, step)
                parts = parts_of(scenario)
                for share in range(1, min(3, len(parts) + 1)):
                    inputs = maker.lines(without(scenario, {*parts[::share]}))
                    assert (
                        inputs is None
                        or fresh.recorded_session(
                            fresh.input_text(transcript.command, inputs)
                        ).output
                    )


# For each game: the right text, the wrong text, and the maximum number of input lines in the
# smallest game.
NIM_FAULTS = {
    'recorded': ('Player 1 loses', 'Player 2 loses', 2),
    'stones': ('!!!', '!', 18),
    'tlcw': ('cheating', 'wrong', 4),
    'piles': ('I remove 3', 'I remove 2', 8),
    'nim': ('Player 1 loses', 'Player 2 loses', 2),
}


@pytest.mark.parametrize('game', NIM_FAULTS)
def test_the_smallest_game_of_nim(game, tmp_path):
    right, wrong, lines = NIM_FAULTS[game]
    result = fresh.play_fresh(game, 300, Wrong(methodcaller('replace', right, wrong)), seed=7)
    assert len(result.smallest.session.inputs) <= lines
    recorded_again(result, tmp_path)


# Limits, and programs that answer differently each time


# The first outputs of the runs (None if right), a seed, the number of games played, and the number
# of outputs left over.
@pytest.mark.parametrize(
    ('printed', 'seed', 'played', 'left'),
    [
        # The first game is played twice; nothing is shrunk.
        ([f'{number}\n' for number in range(400)], 9, 1, 398),
        ([None] * 5 + ['x'] + [None] * 400, 10, 6, 399),
    ],
)
def test_a_program_that_answers_differently_each_time(printed, seed, played, left):
    runs = iter(printed)

    def different(transcript):
        return played_wrong(transcript, 0, next(runs))

    result = fresh.play_fresh('othello', 100, different, seed=seed)
    assert (result.is_flaky, result.games_played) == (True, played)
    assert len([*runs]) == left


def test_a_program_that_passes_the_smallest_game_is_flaky():
    program = Wrong(str.lower)

    def tired(transcript):
        return (
            program(transcript)
            if transcript.name != 'smallest.txt'
            else PlayedSession(transcript, Dialogue())
        )

    assert fresh.play_fresh('tlcw', 10, tired, seed=10).is_flaky


def test_printing_more_or_less_after_the_fault_is_not_flaky():
    pieces = iter(['a\nb\n', 'a\n'] * 500)
    result = fresh.play_fresh(
        'othello', 10, lambda transcript: played_wrong(transcript, 0, next(pieces)), seed=11
    )
    assert not result.is_flaky


def test_shrinking_takes_at_most_twenty_seconds(clock):
    program = Wrong(make_move=refusing(lambda game, row, column, turned: len(turned) == 4))
    result = fresh.play_fresh('othello', 300, clock.runs(program), seed=12)
    assert program.runs == result.games_played + 22  # the last run repeats the smallest game
    assert result.smallest


@pytest.mark.parametrize('seconds', [1, 2, 3, 30])
def test_a_run_that_is_cut_short_is_not_flaky(clock, seconds):
    """The time runs out while the first game is repeated, in a smaller game, or not at all."""
    program = clock.runs(Wrong(str.lower))
    stop_at = clock.now + seconds + 0.5

    def run(transcript):
        done = program(transcript)
        return (
            PlayedSession(transcript, Dialogue.printing(['']), verdict.Failure('trickles', 0))
            if clock.now > stop_at
            else done
        )

    result = fresh.play_fresh('othello', 10, run, seed=12, stop_at=stop_at)
    assert (result.is_flaky, result.is_cut, result.games_played) == (False, False, 1)
    assert result.smallest.failure_found.kind == 'differs'


def test_shrinking_takes_at_most_four_hundred_runs():
    program = Wrong(str.lower)
    boards = []

    def run(transcript):  # only games with as many rows as the first game fail
        done = program(transcript)
        boards.append(transcript.inputs[0])
        return done if boards[0] == boards[-1] else PlayedSession(transcript, Dialogue())

    fresh.play_fresh('othello', 300, run, seed=13)
    assert program.runs <= 1 + 400 + 1


def test_no_more_games_when_the_time_is_over(clock):
    result = fresh.play_fresh('othello', 300, clock.runs(Wrong()), seed=14, stop_at=10.5)
    assert (result.games_played, result.smallest) == (11, None)


@pytest.mark.parametrize('error', [OSError('no program'), SystemExit(143), KeyboardInterrupt()])
@pytest.mark.parametrize('before', [0, 5])
def test_an_exception_of_play_is_raised(error, before):
    """The exception is raised at once: the program is not started again."""
    right = PlayedSession(parse('', 'a'), Dialogue())
    play_one = mock.Mock(side_effect=[right] * before + [error])
    with pytest.raises(type(error)) as caught:
        fresh.play_fresh('othello', 100, play_one, seed=15)
    assert (caught.value, play_one.call_count) == (error, before + 1)


# The seeds of fresh games are secret; a changed submission gets a new seed.

COUNT, POINTS = 2, 5
FRESH = ['--fresh', COUNT, '--fresh-points', POINTS]
# This program knows no rules: it prints the stored answers of some games.
LEARNED_BY_HEART = """
answers = ANSWERS
typed = ''
while typed in answers:
    text, goes_on = answers[typed]
    print(text, end='', flush=True)
    if not goes_on:
        break
    typed += input() + '\\n'
"""


def learned_by_heart(transcripts):
    """Return a program that is right only in these sessions."""
    printed = {}
    for transcript in transcripts:
        typed = ''
        for step in transcript.steps:
            printed[typed] = step.output, step.input is not None
            typed += f'{step.input}\n'
    return LEARNED_BY_HEART.replace('ANSWERS', repr(printed))


def score_and_seed(grader, name='one'):
    results = json.loads((grader.out / name / 'results.json').read_text(encoding='utf-8'))
    return results['score'], results['extra_data']['seed']


def test_the_answers_of_a_former_seed_are_worth_nothing(grader, tmp_path, monkeypatch):
    monkeypatch.setattr(internals.SHRINKING_RUNS, 0)
    place = submission(tmp_path, 'one', RIGHT)
    grader.grade_here(place, *FRESH)
    score, seed = score_and_seed(grader)
    assert score == FULL + POINTS
    games = map(recorded_session, islice(fresh_games('piles', True, Random(seed)), COUNT))
    write_files(
        place, {'piles.py': learned_by_heart([*games, *few_transcripts('piles', prompts=True)])}
    )
    grader.grade_here(place, *FRESH)
    score, new_seed = score_and_seed(grader)
    assert (score, new_seed != seed) == (FULL, True)
    grader.grade_here(place, *FRESH, '--seed', seed)
    assert score_and_seed(grader)[0] == FULL + POINTS


def test_each_submission_keeps_its_own_seed(grader, tmp_path):
    words = [submission(tmp_path, name, RIGHT) for name in ('one', 'two')]
    grader.grade_here(*words, *FRESH)
    seeds = [score_and_seed(grader, name)[1] for name in ('one', 'two')]
    assert seeds[0] != seeds[1]
    times = grader.times()
    grader.grade_here(*words, *FRESH)
    assert grader.times() == times
    grader.grade_here(*words, *FRESH, '--again')
    assert grader.times() != times
    assert [score_and_seed(grader, name)[1] for name in ('one', 'two')] == seeds


def test_only_the_teacher_sees_the_seed(grader, tmp_path, monkeypatch):
    monkeypatch.setattr(internals.SHRINKING_RUNS, 0)
    place = submission(tmp_path, 'one', TRAILING_SPACES)
    _, lines, _ = grader.grade_here(place, *FRESH)
    seed = str(score_and_seed(grader)[1])
    assert [line for line in lines if seed in line] == [f'fresh games: --seed {seed}']
    _, lines, _ = grader.grade_here(place, *FRESH, '--results', tmp_path / 'gradescope.json')
    assert not any(seed in line for line in lines)  # Gradescope may show this output to students
    assert f'<td class="number extra" data-value="{seed}">{seed}</td>' in grader.index()
    page = (grader.out / 'one' / 'report.html').read_text(encoding='utf-8')
    assert 'The smallest failing fresh game' in page
    assert seed not in page + (tmp_path / 'gradescope.json').read_text(encoding='utf-8')


def test_the_seed_can_come_from_the_environment(grader, tmp_path, monkeypatch):
    """An autograder sets the seed in the environment, since its command line has none."""
    place = submission(tmp_path, 'one', RIGHT)
    monkeypatch.setenv('GRADING_SEED', '77')
    for words, seed in (([], 77), (['--seed', 78], 78)):
        _, lines, _ = grader.grade_here(place, *FRESH, *words)
        assert lines[0] == f'fresh games: --seed {seed}'
    assert grader.grade_here(place)[0] == 0  # the seed is ignored without fresh games
    monkeypatch.setenv('GRADING_SEED', 'x')
    status, _, errors = grader.grade_here(place, *FRESH)
    assert (status, 'GRADING_SEED must be a whole number' in errors) == (2, True)
    monkeypatch.delenv('GRADING_SEED')
    assert run_grader_here('pack', 'piles', tmp_path / 'a.zip', *FRESH, '--seed', 79)[0] == 0
    with zipfile.ZipFile(tmp_path / 'a.zip') as archive:
        script = archive.read('run_autograder').decode()
    assert ('export GRADING_SEED=79\n' in script, '--seed' in script) == (True, False)


def test_two_graders_of_a_class_use_the_same_secret(tmp_path):
    """The second grader waits until the first has written the secret.

    It does not matter if a killed grader of an earlier version left a temporary file.
    """
    path, seeds = tmp_path / SECRET, []
    path.with_name(f'{SECRET}.{os.getpid()}').touch()
    with path.open('wb') as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        other = threading.Thread(target=lambda: seeds.append(seed_of('a digest', tmp_path)))
        other.start()
        other.join(0.1)
        file.write(bytes(32))
    other.join(SECONDS)
    assert (path.read_bytes(), seeds) == (bytes(32), [seed_of('a digest', tmp_path)])


def test_the_secret_of_a_class(tmp_path):
    """Only its owner can read the secret; without a digest or a folder, each seed is new."""
    seed = seed_of('a digest', tmp_path)
    path = tmp_path / SECRET
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert seed_of('a digest', tmp_path) == seed != seed_of('another', tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [SECRET]
    path.write_bytes(b'')  # a full disk may leave an empty file
    assert seed_of('a digest', tmp_path) != seed
    assert (
        len(
            {
                seed_of('a digest', None),
                seed_of('a digest', None),
                seed_of('', tmp_path),
                seed_of('', tmp_path),
            }
        )
        == 4
    )


@pytest.mark.parametrize(
    'make',
    [
        lambda path: path.symlink_to('precious'),
        lambda path: path.symlink_to('nowhere'),
        lambda path: path.mkdir(),
        os.mkfifo,
        lambda path: path.write_bytes(b'x' * 33),
    ],
    ids=['a link', 'a link to nothing', 'a folder', 'a pipe', 'another file'],
)
def test_nothing_else_is_overwritten_by_the_secret(make, tmp_path):
    precious = tmp_path / 'precious'
    precious.write_bytes(b'precious')
    make(tmp_path / SECRET)
    with pytest.raises(
        FileExistsError, match='is not a valid class secret file; delete it and try again'
    ):
        seed_of('a digest', tmp_path)
    assert precious.read_bytes() == b'precious'
    assert not (tmp_path / 'nowhere').exists()
