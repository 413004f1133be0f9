"""The rules of Othello and its class; what the logic modules of both games have in common."""

import copy
import pickle
import random
from functools import partial

import pytest
from models import Position
from refusals import INTEGERS, Number, refusal, snapshot

import nim_logic
import othello_logic
from nim_logic import NimGame
from othello_logic import (
    OPPONENT,
    SIZES,
    GameNotOverError,
    GameOverError,
    InvalidBoardError,
    InvalidMoveError,
    OthelloGame,
    split_words,
)

# The published numbers of games of 0, 1, 2, ... moves from the standard start.
PERFT = [1, 4, 12, 56, 244, 1396, 8200, 55092]

OVER = 'B W B W\nW B W B\nB B B B\nW W W B'


def random_game(rng, rows, columns):
    """Return a game on a random board, which may be sparse or nearly full."""
    cells = '.' * rng.randint(1, 6) + 'BW'
    board = '\n'.join(' '.join(rng.choice(cells) for _ in range(columns)) for _ in range(rows))
    return OthelloGame.from_text(board, rng.choice('BW'), rng.choice('<>'))


def perft(game, depth):
    """Return how many games of `depth` moves go on from a position."""
    if depth == 0:
        return 1
    count = 0
    for move in game.legal_moves():
        after = game.copy()
        after.make_move(*move)
        count += perft(after, depth - 1)
    return count


@pytest.mark.parametrize('depth', range(8))
def test_perft(depth):
    assert perft(OthelloGame(), depth) == PERFT[depth]


def test_4x4_is_won_by_white_3_to_11():
    known = {}

    def final_counts(game):
        if game.is_over():
            return game.count('B'), game.count('W')
        key = str(game), game.turn
        if key not in known:
            results = []
            for move in game.legal_moves():
                child = game.copy()
                child.make_move(*move)
                results.append(final_counts(child))
            best = max if game.turn == 'B' else min
            known[key] = best(results, key=lambda counts: counts[0] - counts[1])
        return known[key]

    game = OthelloGame(4, 4)
    game.make_move(*game.legal_moves()[0])  # By symmetry all four first moves are equivalent.
    assert final_counts(game) == (3, 11)


@pytest.mark.parametrize('rows', SIZES)
def test_random_boards_agree_with_the_model(rows):
    rng = random.Random(rows)
    for columns in [*SIZES] * 2:
        game = random_game(rng, rows, columns)
        while True:
            board = [line.split() for line in str(game).splitlines()]
            position = Position(board)
            moves = position.moves(game.turn) if game.turn else []
            assert game.legal_moves() == [(r + 1, c + 1) for r, c in moves]
            assert game.legal_moves() == [
                (r, c) for r in range(rows + 2) for c in range(columns + 2) if game.is_legal(r, c)
            ]
            if not moves:
                break
            row, column = rng.choice(moves)
            flips = position.flips(row, column, game.turn)
            assert game.flips(row + 1, column + 1) == sorted((r + 1, c + 1) for r, c in flips)
            position.make_move(row, column, game.turn)
            opponent = OPPONENT[game.turn]
            turn = position.next_turn(opponent)
            assert game.make_move(row + 1, column + 1) == sorted((r + 1, c + 1) for r, c in flips)
            assert str(game) == '\n'.join(' '.join(line) for line in board)
            passed = opponent if turn and turn != opponent else None
            assert (game.turn, game.passed) == (turn, passed)
            if rng.random() < rows * columns / 400:
                break  # On a large board a few moves are enough.


def test_legal_moves_of_a_color():
    """The legal moves of a color do not depend on whose turn it is, or whether the game is over."""
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


def test_standard_start():
    game = OthelloGame(6, 4)
    assert str(game) == '. . . .\n. . . .\n. W B .\n. B W .\n. . . .\n. . . .'
    assert (game.rows, game.columns, game.turn, game.wins) == (6, 4, 'B', '>')


@pytest.mark.parametrize('rows', SIZES)
def test_text_and_disc_at_agree(rows):
    rng = random.Random(rows)
    for columns in SIZES:
        game = random_game(rng, rows, columns)
        lines = str(game).splitlines()
        assert len(lines) == rows
        for row, line in enumerate(lines, 1):
            cells = [game.disc_at(row, column) or '.' for column in range(1, columns + 1)]
            assert line == ' '.join(cells)
        assert [game.count(color) for color in 'BW'] == [str(game).count(color) for color in 'BW']
        assert OthelloGame.from_text(str(game), game.turn, game.wins) == game


def test_stuck_first_player_is_passed_over_at_the_start():
    game = OthelloGame.from_text('B W . .\n' + '. . . .\n' * 3, turn='W')
    assert (game.turn, game.passed) == ('B', 'W')
    assert OthelloGame.from_text(str(game), turn='B').passed is None
    assert game.make_move(1, 3) == [(1, 2)]
    assert (game.turn, game.passed) == (None, None)  # Nobody passes when the game is over.


def test_skipped_turn():
    game = OthelloGame.from_text('B W W .\n. . . .\n. . . .\nB W . .', turn='B')
    game.make_move(1, 4)
    assert (game.turn, game.passed, game.copy().passed) == ('B', 'W', 'W')
    game.make_move(4, 3)
    assert game.passed is None


@pytest.mark.parametrize(
    ('row', 'wins', 'winner'),
    [
        ('B B B W\n', '>', 'B'),
        ('B B B W\n', '<', 'W'),
        ('B W B W\n', '>', None),
        ('B W B W\n', '<', None),
    ],
)
def test_winner(row, wins, winner):
    assert OthelloGame.from_text(row * 4, wins=wins).winner() == winner


def test_only_a_game_that_is_over_may_have_no_turn():
    """The turn may be None if nobody can move, so every game can be made again from its text."""
    game = OthelloGame.from_text(OVER, None)
    assert OthelloGame.from_text(str(game), game.turn, game.wins) == game
    assert game == OthelloGame.from_text(OVER, 'W')
    for board in (OthelloGame(), OthelloGame.from_text('B W . .\n' + '. . . .\n' * 3)):
        assert str(refusal(InvalidBoardError, OthelloGame.from_text, str(board), None)) == (
            'turn must be B or W, not None: the game is not over'
        )


def test_over_at_the_start():
    game = OthelloGame.from_text(OVER)
    assert game.is_over()
    assert game.legal_moves() == game.flips(1, 1) == []
    assert not any(game.is_legal(row, column) for row in range(6) for column in range(6))
    assert (game.turn, game.passed) == (None, None)
    for call in (game.make_move, game.check_move):
        assert str(refusal(GameOverError, call, 1, 1)) == 'the game is over: nobody can move'


def test_repr():
    assert repr(OthelloGame()) == '<OthelloGame 8x8, B: 2, W: 2, B to move, most discs win>'
    over = OthelloGame.from_text('B W B B\n' * 4, wins='<')
    assert repr(over) == '<OthelloGame 4x4, B: 12, W: 4, over, fewest discs win>'


NO_CELL = 'there is no such cell on a board with 4 rows and 4 columns'


@pytest.mark.parametrize(
    ('row', 'column', 'reason'),
    [
        (1, 4, 'it flips no discs'),
        (2, 2, 'the cell is occupied'),
        (0, 2, NO_CELL),
        (5, 2, NO_CELL),
        (2, 0, NO_CELL),
        (2, 5, NO_CELL),
        (-1, -1, NO_CELL),
    ],
)
def test_refused_moves_say_why_and_change_nothing(row, column, reason):
    game = OthelloGame(4, 4)
    before = snapshot(game)
    for call in (game.check_move, game.make_move):
        error = refusal(InvalidMoveError, call, row, column)
        assert str(error) == f'B cannot move to row {row}, column {column}: {reason}'
        assert (error.row, error.column, error.color, error.reason) == (row, column, 'B', reason)
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert (game.flips(row, column), game.is_legal(row, column)) == ([], False)
    assert snapshot(game) == before


@pytest.mark.parametrize('cell', [('2', 4), (2, 4.0), (None, 1), (2, [4]), (2, '4')])
def test_cells_are_integers(cell):
    game = OthelloGame()
    before = snapshot(game)
    for call in (game.make_move, game.check_move, game.flips, game.is_legal, game.disc_at):
        assert 'both must be integers' in str(refusal(InvalidMoveError, call, *cell))
    assert snapshot(game) == before


def test_objects_with_an_index_are_accepted_as_integers():
    """Numbers like numpy's and members of an `IntEnum` are integers, though of another type."""
    game = OthelloGame(Number(4), Number(6))
    assert [(type(size), size) for size in (game.rows, game.columns)] == [(int, 4), (int, 6)]
    for one, two, three in INTEGERS:
        game = OthelloGame(4, 4)
        assert game.disc_at(two, three) == 'B'
        assert [game.is_legal(one, two), game.is_legal(one, one)] == [True, False]
        assert game.check_move(one, two) is None
        assert game.flips(one, two) == game.make_move(one, two) == [(2, 2)]
        assert str(game) == '. B . .\n. B B .\n. B W .\n. . . .'
        assert refusal(InvalidMoveError, game.make_move, one, two).reason == 'the cell is occupied'
        assert 'rows must be an even integer from 4 to 16' in str(
            refusal(InvalidBoardError, OthelloGame, rows=three)
        )


def test_true_is_1():
    assert OthelloGame(4, 4).make_move(True, 2) == OthelloGame(4, 4).make_move(1, 2) == [(2, 2)]


@pytest.mark.parametrize(
    ('call', 'message'),
    [
        (partial(OthelloGame, rows=5), 'rows must be an even integer from 4 to 16, not 5'),
        (partial(OthelloGame, rows=2), 'rows must be an even integer from 4 to 16, not 2'),
        (partial(OthelloGame, columns=18), 'columns must be an even integer from 4 to 16, not 18'),
        (
            partial(OthelloGame, columns='8'),
            "columns must be an even integer from 4 to 16, not '8'",
        ),
        (partial(OthelloGame, rows=8.0), 'rows must be an even integer from 4 to 16, not 8.0'),
        (
            partial(OthelloGame, rows=int),
            "rows must be an even integer from 4 to 16, not <class 'int'>",
        ),
        (partial(OthelloGame, rows=True), 'rows must be an even integer from 4 to 16, not True'),
        (
            partial(OthelloGame, columns=[8] * 1000),
            f'columns must be an even integer from 4 to 16, not [{"8, " * 25}8...',
        ),
        (partial(OthelloGame, turn='X'), "turn must be B or W, not 'X'"),
        (partial(OthelloGame, turn=None), 'turn must be B or W, not None'),
        (partial(OthelloGame, turn=[]), 'turn must be B or W, not []'),
        (partial(OthelloGame, wins='='), "wins must be > or <, not '='"),
        (
            partial(OthelloGame, 10**10000),
            'rows must be an even integer from 4 to 16, not (an integer of 33220 bits)',
        ),
        (partial(OthelloGame, turn='one\ntwo'), "turn must be B or W, not 'one\\ntwo'"),
        (partial(OthelloGame().legal_moves, 'b'), "color must be B or W, not 'b'"),
        *(
            (partial(OthelloGame().count, color), f'color must be B or W, not {color!r}')
            for color in ('X', '', None, ['B'], 1)
        ),
    ],
)
def test_values_that_no_board_has_are_refused(call, message):
    assert str(refusal(InvalidBoardError, call)) == message


@pytest.mark.parametrize(
    ('error', 'message', 'call'),
    [
        (GameNotOverError, 'the game is not over: B is to move', OthelloGame().winner),
        (
            InvalidMoveError,
            'row 5, column 1: there is no such cell on a board with 4 rows and 6 columns',
            partial(OthelloGame(4, 6).disc_at, 5, 1),
        ),
        (
            InvalidMoveError,
            'B cannot move to row (an integer of 33220 bits), column 1: there is no '
            'such cell on a board with 8 rows and 8 columns',
            partial(OthelloGame().make_move, 10**10000, 1),
        ),
    ],
)
def test_refusals(error, message, call):
    assert str(refusal(error, call)) == message


CELLS = 'expected cells B, W or . with spaces between them'


@pytest.mark.parametrize(
    ('board', 'message'),
    [
        ('', 'rows must be an even integer from 4 to 16, not 0'),
        ('. . . .\n' * 3, 'rows must be an even integer from 4 to 16, not 3'),
        ('. . .\n' * 4, 'columns must be an even integer from 4 to 16, not 3'),
        ('. . . .\n. . .\n. . . .\n. . . .', 'row 2 has 3 cells, but row 1 has 4'),
        ('. . . .\n. . b .\n. . . .\n. . . .', f"row 2: {CELLS}, not 'b'"),
        ('. . . .\n. BW . .\n. . . .\n. . . .', f"row 2: {CELLS}, not 'BW'"),
        ('....\n' * 4, f"row 1: {CELLS}, not '....'"),
        ('. . . .\n. B W .\n.WB.\n. . . .', f"row 3: {CELLS}, not '.WB.'"),
        ('....x\n' * 4, f"row 1: {CELLS}, not '....x'"),
        ('.' * 1000, f"row 1: {CELLS}, not '{'.' * 76}..."),
        ('.', 'rows must be an even integer from 4 to 16, not 1'),
        *(
            (f'. . . .\n. .{char}. .\n. . . .\n. . . .', None)
            for char in '\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u2003\u2028\0'
        ),
        ('. . . .\x0b' * 4, None),
        # A vertical tab is not a line end.
        ('. . . .\x0b. . . .\n' * 8, f"row 1: {CELLS}, not '.\\x0b.'"),
    ],
)
def test_wrong_boards(board, message):
    error = refusal(InvalidBoardError, OthelloGame.from_text, board)
    assert message in (None, str(error))


@pytest.mark.parametrize(
    'board',
    [
        '. . . .\r\n.\tW B .\r\n. B  W .\r\n. . . .\r\n',
        """
        . . . .
        . W B .
        . B W .
        . . . .
        """,
    ],
)
def test_text_may_have_tabs_and_crlf_and_be_indented(board):
    assert OthelloGame.from_text(board) == OthelloGame(4, 4)


@pytest.mark.parametrize(
    ('line', 'words'),
    [
        ('', []),
        (' \t ', []),
        ('B', ['B']),
        ('\t1  2 ', ['1', '2']),
        ('1\x0b2\r', ['1\x0b2\r']),
        ('\u20031\xa0', ['\u20031\xa0']),
    ],
)
def test_words_are_separated_by_spaces_and_tabs_only(line, words):
    assert split_words(line) == words


# What both logic modules have in common.

NAMES = {
    nim_logic: {
        'GameNotOverError',
        'GameOverError',
        'InvalidGameError',
        'InvalidMoveError',
        'NimError',
        'NimGame',
        'RecordedGame',
        'StonesMatch',
        'TlcwMatch',
        'optimal_move',
        'ordinary_move',
        'python_move',
        'random_move',
    },
    othello_logic: {
        'COLORS',
        'OPPONENT',
        'SIZES',
        'WINS',
        'GameNotOverError',
        'GameOverError',
        'InvalidBoardError',
        'InvalidMoveError',
        'OthelloError',
        'OthelloGame',
    },
}


@pytest.mark.parametrize('logic', NAMES)
def test_public_names(logic):
    names = {}
    exec(f'from {logic.__name__} import *', names)
    assert names.keys() - {'__builtins__'} == NAMES[logic]
    assert sorted(logic.__all__) == sorted(NAMES[logic])
    assert NAMES[logic] <= {*dir(logic)}  # the errors, too: completion shows them


@pytest.mark.parametrize(
    ('logic', 'base', 'wrong'),
    [
        (nim_logic, nim_logic.NimError, nim_logic.InvalidGameError),
        (othello_logic, othello_logic.OthelloError, othello_logic.InvalidBoardError),
    ],
)
def test_errors_have_a_common_base_class(logic, base, wrong):
    for error in (wrong, logic.InvalidMoveError, logic.GameOverError, logic.GameNotOverError):
        assert issubclass(error, base)
    assert issubclass(wrong, ValueError)
    assert issubclass(logic.InvalidMoveError, ValueError)
    assert not issubclass(logic.GameNotOverError, logic.GameOverError)


@pytest.mark.parametrize('game', [NimGame([3, 4, 5], max_take=3, misere=True), OthelloGame()])
def test_copies_are_equal_and_independent(game):
    for twin in (
        game.copy(),
        copy.copy(game),
        copy.deepcopy(game),
        pickle.loads(pickle.dumps(game)),
    ):
        assert twin == game
        before = snapshot(game)
        twin.make_move(*next(iter(twin.legal_moves())))
        assert twin != game
        assert snapshot(game) == before


EMPTY_BOARD = '. . . .\n' * 6


@pytest.mark.parametrize(
    ('game', 'same', 'others'),
    [
        (
            NimGame([3, 4]),
            NimGame((3, 4)),
            [
                NimGame([4, 3]),
                NimGame([3, 4], max_take=4),
                NimGame([3, 4], players=3),
                NimGame([3, 4], misere=True),
                (3, 4),
            ],
        ),
        (
            OthelloGame(4, 6),
            OthelloGame(4, 6),
            [
                OthelloGame(6, 4),
                OthelloGame(4, 6, turn='W'),
                OthelloGame(4, 6, wins='<'),
                str(OthelloGame(4, 6)),
            ],
        ),
        (
            OthelloGame.from_text(EMPTY_BOARD),
            OthelloGame.from_text(EMPTY_BOARD),
            [OthelloGame.from_text('. . . . . .\n' * 4)],
        ),
    ],
)
def test_equality(game, same, others):
    assert game == same
    assert all(game != other for other in others)
    refusal(TypeError, hash, game)


@pytest.mark.parametrize(
    ('game', 'name', 'value'),
    [
        *(
            (NimGame([3], max_take=2), name, 5)
            for name in ('max_take', 'players', 'misere', 'piles', 'turn')
        ),
        *(
            (OthelloGame(), name, value)
            for name, value in [
                ('turn', 'white'),
                ('turn', 'W'),
                ('passed', 'W'),
                ('rows', 4),
                ('columns', 4),
                ('wins', 'x'),
                ('wins', '<'),
            ]
        ),
    ],
)
def test_attributes_cannot_be_set(game, name, value):
    before = snapshot(game)
    refusal(AttributeError, setattr, game, name, value)
    assert snapshot(game) == before
