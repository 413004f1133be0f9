"""What the logic modules of both games have in common: their names, errors, copies, attributes."""

import copy
import pickle

from hostile_values import refusal, snapshot
from tables import each

import nim_logic
import othello_logic
from nim_logic import NimGame
from othello_logic import OthelloGame

NAMES = {
    nim_logic: {
        'BLANKS', 'LONGEST_NUMBER', 'GameNotOverError', 'GameOverError', 'InvalidGameError',
        'InvalidMoveError', 'NimError', 'NimGame', 'RecordedGame', 'StonesMatch', 'optimal_move',
        'ordinary_move', 'parse_integers', 'python_move', 'random_move'},
    othello_logic: {
        'COLORS', 'OPPONENT', 'SIZES', 'WINS', 'GameNotOverError', 'GameOverError',
        'InvalidBoardError', 'InvalidMoveError', 'OthelloError', 'OthelloGame'}}


@each('logic', NAMES)
def test_public_names(logic):
    names = {}
    exec(f'from {logic.__name__} import *', names)
    assert names.keys() - {'__builtins__'} == NAMES[logic]
    assert dir(logic) == sorted(logic.__all__) == sorted(NAMES[logic])


@each('logic, base, wrong', [
    (nim_logic, nim_logic.NimError, nim_logic.InvalidGameError),
    (othello_logic, othello_logic.OthelloError, othello_logic.InvalidBoardError)])
def test_errors_are_of_one_family(logic, base, wrong):
    for error in (wrong, logic.InvalidMoveError, logic.GameOverError, logic.GameNotOverError):
        assert issubclass(error, base)
    assert issubclass(wrong, ValueError)
    assert issubclass(logic.InvalidMoveError, ValueError)
    assert not issubclass(logic.GameNotOverError, logic.GameOverError)


@each('game', [NimGame([3, 4, 5], max_take=3, misere=True), OthelloGame()])
def test_copies_are_equal_and_independent(game):
    for twin in (game.copy(), copy.copy(game), copy.deepcopy(game),
                 pickle.loads(pickle.dumps(game))):
        assert twin == game
        before = snapshot(game)
        twin.make_move(*twin.legal_moves()[0])
        assert twin != game
        assert snapshot(game) == before


BLANK = '. . . .\n' * 6


@each('game, same, others', [
    (NimGame([3, 4]), NimGame((3, 4)), [
        NimGame([4, 3]), NimGame([3, 4], max_take=4), NimGame([3, 4], players=3),
        NimGame([3, 4], misere=True), (3, 4)]),
    (OthelloGame(4, 6), OthelloGame(4, 6), [
        OthelloGame(6, 4), OthelloGame(4, 6, turn='W'), OthelloGame(4, 6, wins='<'),
        str(OthelloGame(4, 6))]),
    (OthelloGame.from_text(BLANK), OthelloGame.from_text(BLANK), [
        OthelloGame.from_text('. . . . . .\n' * 4)]),
])
def test_equality(game, same, others):
    assert game == same
    assert all(game != other for other in others)
    refusal(TypeError, hash, game)


@each('game, name, value', [
    *((NimGame([3], max_take=2), name, 5) for name in (
        'max_take', 'players', 'misere', 'piles', 'turn')),
    *((OthelloGame(), name, value) for name, value in [
        ('turn', 'white'), ('turn', 'W'), ('passed', 'W'), ('rows', 4), ('columns', 4),
        ('wins', 'x'), ('wins', '<')]),
])
def test_attributes_are_to_be_read(game, name, value):
    before = snapshot(game)
    refusal(AttributeError, setattr, game, name, value)
    assert snapshot(game) == before
