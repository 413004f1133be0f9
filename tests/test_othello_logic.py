"""The rules of Othello and the class that knows them."""

import copy
import functools
import pickle
import random
import subprocess
import sys

import pytest
from hostile_values import INTEGERS, VALUES, Number, refusal
from models import Position
from running import SECONDS
from tables import each

import othello_logic
from grading.installation import ROOT
from othello_logic import (
    OPPONENT,
    SIZES,
    GameNotOverError,
    GameOverError,
    InvalidBoardError,
    InvalidMoveError,
    OthelloError,
    OthelloGame,
    split_at_blanks,
)

# Games of so many moves from the standard start, as widely published.
PERFT = [1, 4, 12, 56, 244, 1396, 8200, 55092]

OVER = 'B W B W\nW B W B\nB B B B\nW W W B'


def perft(game, depth):
    if depth == 0:
        return 1
    if depth == 1:
        return len(game.legal_moves())
    count = 0
    for move in game.legal_moves():
        child = game.copy()
        child.make_move(*move)
        count += perft(child, depth - 1)
    return count


def random_game(rng, rows, columns):
    """Return a game on a board that is filled at random, more or less densely."""
    cells = '.' * rng.randint(1, 6) + 'BW'
    board = '\n'.join(' '.join(rng.choice(cells) for _ in range(columns)) for _ in range(rows))
    return OthelloGame.from_text(board, rng.choice('BW'), rng.choice('<>'))


def snapshot(game):
    return str(game), repr(game), game.turn, game.passed, game.legal_moves()


@each('depth', range(8))
def test_perft(depth):
    assert perft(OthelloGame(), depth) == PERFT[depth]


def test_4x4_is_won_by_white_3_to_11():
    @functools.lru_cache(maxsize=None)
    def final_counts(board, turn):
        game = OthelloGame.from_text(board, turn)
        if game.is_over():
            return game.count('B'), game.count('W')
        results = []
        for move in game.legal_moves():
            child = game.copy()
            child.make_move(*move)
            results.append(final_counts(str(child), child.turn or 'B'))
        best = max if game.turn == 'B' else min
        return best(results, key=lambda counts: counts[0] - counts[1])

    game = OthelloGame(4, 4)
    game.make_move(*game.legal_moves()[0])      # By symmetry all four first moves are one.
    assert final_counts(str(game), game.turn) == (3, 11)


@each('rows', SIZES)
def test_random_boards_agree_with_the_model(rows):
    rng = random.Random(rows)
    for columns in [*SIZES] * 3:
        game = random_game(rng, rows, columns)
        while True:
            board = [line.split() for line in str(game).splitlines()]
            position = Position(board)
            moves = position.moves(game.turn) if game.turn else []
            assert game.legal_moves() == [(r + 1, c + 1) for r, c in moves]
            assert game.legal_moves() == [
                (r, c) for r in range(rows + 2) for c in range(columns + 2) if game.is_legal(r, c)]
            if not moves:
                break
            row, column = rng.choice(moves)
            flips = position.flips(row, column, game.turn)
            assert game.flips(row + 1, column + 1) == sorted((r + 1, c + 1) for r, c in flips)
            position.make_move(row, column, game.turn)
            due = OPPONENT[game.turn]
            turn = position.next_turn(due)
            assert game.make_move(row + 1, column + 1) == sorted((r + 1, c + 1) for r, c in flips)
            assert str(game) == '\n'.join(' '.join(line) for line in board)
            assert (game.turn, game.passed) == (turn, due if turn and turn != due else None)
            if rng.random() < rows * columns / 400:
                break                   # A few moves tell enough of a large board.


def test_legal_moves_of_a_color():
    """What a color could do if it were its turn, also when it is not, and once the game is over."""
    rng = random.Random(1)
    for _ in range(100):
        game = random_game(rng, rng.choice(SIZES), rng.choice(SIZES))
        board = [line.split() for line in str(game).splitlines()]
        before = snapshot(game)
        for color in 'BW':
            moves = Position(board).moves(color)
            assert game.legal_moves(color) == [(r + 1, c + 1) for r, c in moves]
        assert game.legal_moves(game.turn) == game.legal_moves()
        assert snapshot(game) == before
    assert OthelloGame.from_text(OVER).legal_moves('B') == []
    with pytest.raises(InvalidBoardError, match="color must be B or W, not 'b'"):
        game.legal_moves('b')


def test_standard_start():
    game = OthelloGame(6, 4)
    assert str(game) == '. . . .\n. . . .\n. W B .\n. B W .\n. . . .\n. . . .'
    assert (game.rows, game.columns, game.turn, game.wins) == (6, 4, 'B', '>')


@each('rows', SIZES)
def test_text_and_discs_say_the_same(rows):
    rng = random.Random(rows)
    for columns in SIZES:
        game = random_game(rng, rows, columns)
        lines = str(game).splitlines()
        assert len(lines) == rows
        for row, line in enumerate(lines, 1):
            cells = [game.disc_at(row, column) or '.' for column in range(1, columns + 1)]
            assert line == ' '.join(cells)
        assert game.count('B') == str(game).count('B')
        assert game.count('W') == str(game).count('W')
        assert OthelloGame.from_text(str(game), game.turn or 'B', game.wins) == game


def test_stuck_first_player_is_passed_over_at_the_start():
    game = OthelloGame.from_text('B W . .\n' + '. . . .\n' * 3, turn='W')
    assert (game.turn, game.passed) == ('B', 'W')
    assert OthelloGame.from_text(str(game), turn='B').passed is None
    assert game.make_move(1, 3) == [(1, 2)]
    assert (game.turn, game.passed) == (None, None)     # Nobody sits out once the game is over.


def test_skipped_turn():
    game = OthelloGame.from_text('B W W .\n. . . .\n. . . .\nB W . .', turn='B')
    game.make_move(1, 4)
    assert (game.turn, game.passed, game.copy().passed) == ('B', 'W', 'W')
    game.make_move(4, 3)
    assert game.passed is None


@each('wins, winner', [('>', 'B'), ('<', 'W')])
def test_winner(wins, winner):
    assert OthelloGame.from_text('B B B W\n' * 4, wins=wins).winner() == winner


@each('wins', '<>')
def test_tie(wins):
    assert OthelloGame.from_text('B W B W\n' * 4, wins=wins).winner() is None


def test_winner_of_a_running_game_is_an_error():
    with pytest.raises(GameNotOverError, match='the game is not over: B is to move'):
        OthelloGame().winner()


def test_over_at_the_start():
    game = OthelloGame.from_text(OVER)
    assert game.is_over()
    assert game.legal_moves() == []
    assert game.flips(1, 1) == []
    assert not any(game.is_legal(row, column) for row in range(6) for column in range(6))
    assert (game.turn, game.passed) == (None, None)
    for call in (game.make_move, game.check_move):
        with pytest.raises(GameOverError, match='the game is over: nobody can move'):
            call(1, 1)


def test_copy_is_equal_and_independent():
    game = OthelloGame()
    for twin in (game.copy(), copy.copy(game), copy.deepcopy(game),
                 pickle.loads(pickle.dumps(game))):
        assert twin == game
        before = snapshot(game)
        twin.make_move(*twin.legal_moves()[0])
        assert twin != game
        assert snapshot(game) == before


def test_equality():
    game = OthelloGame(4, 6)
    assert game == OthelloGame(4, 6)
    assert game != OthelloGame(6, 4)
    assert game != OthelloGame(4, 6, turn='W')
    assert game != OthelloGame(4, 6, wins='<')
    assert game != str(game)
    blank = '. . . .\n' * 6
    assert OthelloGame.from_text(blank) != OthelloGame.from_text('. . . . . .\n' * 4)
    with pytest.raises(TypeError):
        hash(game)


def test_repr():
    assert repr(OthelloGame()) == '<OthelloGame 8x8, B: 2, W: 2, B to move, most discs win>'
    over = OthelloGame.from_text('B W B B\n' * 4, wins='<')
    assert repr(over) == '<OthelloGame 4x4, B: 12, W: 4, over, fewest discs win>'


def test_refused_moves_say_why_and_change_nothing():
    game = OthelloGame(4, 4)
    no_cell = 'there is no such cell on a board of 4 rows, 4 columns'
    for row, column, reason in [
            (1, 4, 'it turns over no disc'), (2, 2, 'the cell is occupied'),
            (0, 2, no_cell), (5, 2, no_cell), (2, 0, no_cell), (2, 5, no_cell), (-1, -1, no_cell)]:
        before = snapshot(game)
        with pytest.raises(InvalidMoveError) as checked:
            game.check_move(row, column)
        with pytest.raises(InvalidMoveError) as caught:
            game.make_move(row, column)
        error = caught.value
        assert checked.value.args == error.args
        assert str(error) == f'B cannot move to row {row}, column {column}: {reason}'
        assert (error.row, error.column, error.color, error.reason) == (row, column, 'B', reason)
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
        assert game.flips(row, column) == []
        assert game.is_legal(row, column) is False
        assert snapshot(game) == before


@each('cell', [('2', 4), (2, 4.0), (True, 2), (None, 1), (2, [4]), (2, '4')])
def test_cells_are_integers(cell):
    game = OthelloGame()
    before = snapshot(game)
    for call in (game.make_move, game.check_move, game.flips, game.is_legal, game.disc_at):
        with pytest.raises(InvalidMoveError, match='both must be integers'):
            call(*cell)
    assert snapshot(game) == before


def test_whatever_has_an_index_is_an_integer():
    """As numpy's numbers have, and members of an `IntEnum`; but `True` is not."""
    game = OthelloGame(Number(4), Number(6))
    assert (game.rows, game.columns) == (4, 6)
    assert {type(game.rows), type(game.columns)} == {int}
    for one, two, three in INTEGERS:
        game = OthelloGame(4, 4)
        assert game.disc_at(two, three) == 'B'
        assert game.flips(one, two) == [(2, 2)]
        assert game.is_legal(one, two)
        assert not game.is_legal(one, one)
        assert game.check_move(one, two) is None
        assert game.make_move(one, two) == [(2, 2)]
        assert str(game) == '. B . .\n. B B .\n. B W .\n. . . .'
        with pytest.raises(InvalidMoveError, match='the cell is occupied$'):
            game.make_move(one, two)
        with pytest.raises(InvalidBoardError, match='rows must be an even integer from 4 to 16'):
            OthelloGame(rows=three)


def test_huge_numbers_in_messages():
    with pytest.raises(InvalidMoveError, match='row \\(an integer of 33220 bits\\), column 1: '):
        OthelloGame().make_move(10 ** 10000, 1)
    with pytest.raises(InvalidBoardError, match='not \\(an integer of 33220 bits\\)'):
        OthelloGame(10 ** 10000)


def test_disc_at_no_cell():
    with pytest.raises(InvalidMoveError) as caught:
        OthelloGame(4, 6).disc_at(5, 1)
    assert str(caught.value) == (
        'row 5, column 1: there is no such cell on a board of 4 rows, 6 columns')


@each('arguments, message', [
    ({'rows': 5}, 'rows must be an even integer from 4 to 16, not 5'),
    ({'rows': 2}, 'rows must be an even integer from 4 to 16, not 2'),
    ({'columns': 18}, 'columns must be an even integer from 4 to 16, not 18'),
    ({'columns': '8'}, "columns must be an even integer from 4 to 16, not '8'"),
    ({'rows': 8.0}, 'rows must be an even integer from 4 to 16, not 8.0'),
    ({'rows': True}, 'rows must be an even integer from 4 to 16, not True'),
    ({'turn': 'X'}, "turn must be B or W, not 'X'"),
    ({'turn': None}, 'turn must be B or W, not None'),
    ({'turn': []}, 'turn must be B or W, not []'),
    ({'wins': '='}, "wins must be > or <, not '='"),
])
def test_wrong_games(arguments, message):
    with pytest.raises(InvalidBoardError) as caught:
        OthelloGame(**arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(('board', 'message'), [
    ('', 'rows must be an even integer from 4 to 16, not 0'),
    ('. . . .\n' * 3, 'rows must be an even integer from 4 to 16, not 3'),
    ('. . .\n' * 4, 'columns must be an even integer from 4 to 16, not 3'),
    ('. . . .\n. . .\n. . . .\n. . . .', 'row 2 has 3 cells, row 1 has 4'),
    ('. . . .\n. . b .\n. . . .\n. . . .', "row 2: a cell is B, W or ., not 'b'"),
    ('. . . .\n. BW . .\n. . . .\n. . . .', "row 2: a cell is B, W or ., not 'BW'"),
    ('....\n' * 4, "row 1: 4 cells with blanks between them, not '....'"),
    ('. . . .\n. B W .\n.WB.\n. . . .', "row 3: 4 cells with blanks between them, not '.WB.'"),
    ('....x\n' * 4, "row 1: a cell is B, W or ., not '....x'"),
    ('.' * 1000, f"row 1: 1000 cells with blanks between them, not '{'.' * 76}..."),
    ('.', 'rows must be an even integer from 4 to 16, not 1'),
    (b'. . . .\n' * 4, None),
    (None, 'a board must be text, not None'),
    pytest.param(10 ** 5000, 'a board must be text, not (an integer of 16610 bits)', id='huge'),
    *((f'. . . .\n. .{char}. .\n. . . .\n. . . .', None)
      for char in '\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u2003\u2028\0'),
    ('. . . .\x0b' * 4, None),
])
def test_wrong_boards(board, message):
    with pytest.raises(InvalidBoardError) as caught:
        OthelloGame.from_text(board)
    if message:
        assert str(caught.value) == message


def test_vertical_tabs_do_not_make_another_board():
    with pytest.raises(InvalidBoardError, match='row 1: a cell is B, W or ., not '):
        OthelloGame.from_text('. . . .\x0b. . . .\n' * 8)


def test_text_may_have_tabs_and_crlf():
    board = '. . . .\r\n.\tW B .\r\n. B  W .\r\n. . . .\r\n'
    assert OthelloGame.from_text(board) == OthelloGame(4, 4)


@each('line, words', [
    ('', []), (' \t ', []), ('B', ['B']), ('\t1  2 ', ['1', '2']), ('1\x0b2\r', ['1\x0b2\r']),
    ('\u20031\xa0', ['\u20031\xa0'])])
def test_blanks_are_spaces_and_tabs(line, words):
    assert split_at_blanks(line) == words


@each('name, value', [
    ('turn', 'white'), ('turn', 'W'), ('passed', 'W'), ('rows', 4), ('columns', 4), ('wins', 'x'),
    ('wins', '<')])
def test_attributes_are_to_be_read(name, value):
    game = OthelloGame()
    before = snapshot(game)
    with pytest.raises(AttributeError):
        setattr(game, name, value)
    assert snapshot(game) == before


def test_dir_shows_what_is_public():
    assert dir(othello_logic) == sorted(othello_logic.__all__)


def test_import_star_brings_the_public_names():
    names = {}
    exec('from othello_logic import *', names)
    names.pop('__builtins__')
    assert set(names) == {
        'COLORS', 'OPPONENT', 'SIZES', 'WINS', 'GameNotOverError', 'GameOverError',
        'InvalidBoardError', 'InvalidMoveError', 'OthelloError', 'OthelloGame'}
    assert sorted(names) == sorted(othello_logic.__all__)


@each('name', VALUES)
def test_hostile_values_raise_errors_of_the_module(name):
    value = VALUES[name]                # as an argument it would fail within pytest
    game = OthelloGame()
    for call in (lambda: OthelloGame(rows=value), lambda: OthelloGame(columns=value),
                 lambda: OthelloGame(turn=value), lambda: OthelloGame(wins=value),
                 lambda: OthelloGame.from_text(value), lambda: game.count(value),
                 lambda: OthelloGame.from_text(str(game), value),
                 lambda: OthelloGame.from_text(str(game), wins=value),
                 lambda: game.disc_at(value, 1), lambda: game.disc_at(1, value),
                 lambda: game.make_move(value, 4), lambda: game.make_move(3, value),
                 lambda: game.check_move(value, 4)):
        refusal(call, OthelloError)
    if value is not None:
        refusal(lambda: game.legal_moves(value), OthelloError)
    if type(value) is not int:
        refusal(lambda: game.flips(value, 4), OthelloError)
        refusal(lambda: game.is_legal(4, value), OthelloError)
    assert game == OthelloGame()


def test_values_stand_in_messages_on_one_line():
    assert refusal(lambda: OthelloGame(rows=VALUES['Repr']), InvalidBoardError) == (
        'rows must be an even integer from 4 to 16, not '
        'one\\n\\x1b[2Jtwo\\u202e\\u2028three')
    assert "not 'one\\ntwo'" in refusal(lambda: OthelloGame(turn='one\ntwo'), InvalidBoardError)


class Array:
    """Compared as numpy's arrays are: to no single truth value."""

    def __eq__(self, other):
        return self

    def __bool__(self):
        raise ValueError('the truth value is ambiguous')

    __hash__ = None


@each('value', [Array(), b'B', [10 ** 5000]])
def test_odd_arguments_raise_errors_of_the_module(value):
    game = OthelloGame()
    for call in (lambda: OthelloGame(rows=value), lambda: OthelloGame(columns=value),
                 lambda: OthelloGame(turn=value), lambda: OthelloGame(wins=value),
                 lambda: OthelloGame.from_text(value), lambda: OthelloGame.from_text('', value),
                 lambda: game.count(value), lambda: game.disc_at(value, 1),
                 lambda: game.flips(1, value), lambda: game.make_move(value, value)):
        with pytest.raises(OthelloError) as caught:
            call()
        assert len(str(caught.value)) < 300


def test_bytes_are_refused_where_comparing_them_is_an_error():
    code = 'import othello_logic as logic\n'
    for call in ('OthelloGame(turn=b"B")', 'OthelloGame(wins=b">")', 'OthelloGame().count(b"B")'):
        code += f'try: logic.{call}\nexcept logic.OthelloError: print("refused")\n'
    result = subprocess.run([sys.executable, '-bb', '-c', code], cwd=ROOT, capture_output=True,
                            check=True, timeout=SECONDS)
    assert result.stdout.split() == [b'refused'] * 3


def test_text_may_be_indented():
    assert OthelloGame.from_text("""
        . . . .
        . W B .
        . B W .
        . . . .
        """) == OthelloGame(4, 4)


@each('color', ['X', '', None, ['B'], 1])
def test_count_of_no_color(color):
    with pytest.raises(OthelloError, match='color must be B or W'):
        OthelloGame().count(color)


def test_errors_are_of_one_family():
    assert issubclass(InvalidBoardError, OthelloError)
    assert issubclass(InvalidMoveError, OthelloError)
    assert issubclass(GameOverError, OthelloError)
    assert issubclass(GameNotOverError, OthelloError)
    assert not issubclass(GameNotOverError, GameOverError)
    assert issubclass(InvalidBoardError, ValueError)
    assert issubclass(InvalidMoveError, ValueError)
