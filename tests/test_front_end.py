"""The example of a graphical front end; a mock of tkinter replaces its window."""

import importlib
import random
import sys
from types import SimpleNamespace
from unittest import mock

import pytest

from othello_logic import OthelloGame


@pytest.fixture
def example():
    """The module of the example; its window makes delayed calls at once."""
    tkinter = mock.MagicMock()
    tkinter.Tk.return_value.after.side_effect = lambda _, call: call()
    with mock.patch.dict(sys.modules, tkinter=tkinter):
        module = importlib.import_module('docs.examples.front_end')
        module.DEPTH = 2
        yield module


def click_on(example, row, column):
    """Click in the middle of a cell."""
    x, y = (int((place - 0.5) * example.CELL) for place in (column, row))
    example.board.click(SimpleNamespace(x=x, y=y))


def fills(example):
    """Return the colors of everything that has been drawn since the canvas was last cleared."""
    calls = example.board.canvas.mock_calls
    start = max(number for number, call in enumerate(calls) if call == mock.call.delete('all'))
    return [call.kwargs['fill'] for call in calls[start + 1 :]]


def label(example):
    return example.board.label.__setitem__.call_args.args[1]


def test_the_window_first_shows_the_standard_start(example):
    assert example.board.window.mainloop.called
    assert example.board.positions == [OthelloGame()]
    assert sorted(filter(None, fills(example))) == ['black'] * (2 + 4) + ['white'] * 2
    assert label(example) == 'black 2, white 2: black moves'


def test_after_a_click_the_computer_moves_and_u_takes_both_moves_back(example):
    for cell in ((1, 1), (4, 4)):  # These are not legal moves.
        click_on(example, *cell)
    assert len(example.board.positions) == 1
    click_on(example, 3, 4)
    first, second, third = example.board.positions
    assert [game.turn for game in (first, second, third)] == ['B', 'W', 'B']
    assert second.disc_at(3, 4) == 'B'
    assert label(example) == 'black 3, white 3: black moves'
    for _ in range(2):  # The second time, there is no move to take back.
        example.board.undo(None)
        assert example.board.positions == [OthelloGame()]


def test_a_hint_is_shown_until_the_next_move(example):
    example.board.hint(None)
    assert fills(example).count('gold') == 1
    click_on(example, 3, 4)
    assert 'gold' not in fills(example)


@pytest.mark.parametrize(
    ('last_row', 'text'),
    [
        ('B W . . . . . .', 'black 5, white 1: black moves, white passes'),
        ('. . . . . . . .', 'black 4, white 0: black wins'),
    ],
    ids=['passes', 'wins'],
)
def test_who_passes_and_who_wins_is_shown(last_row, text, example):
    rows = ['B W W . . . . .', *['. . . . . . . .'] * 6, last_row]
    example.board.positions = [OthelloGame.from_text('\n'.join(rows))]
    click_on(example, 1, 4)
    assert label(example) == text


def minimax(example, game, depth):
    """Return the value of a position by a search that tries every move."""
    if depth == 0 or game.is_over():
        return example.value_of(game)
    best = max if game.turn == 'B' else min
    return best(
        minimax(example, example.position_after(game, move), depth - 1)
        for move in game.legal_moves()
    )


@pytest.mark.parametrize('seed', range(10))
def test_the_search_of_the_example_finds_the_minimax_value(seed, example):
    rng = random.Random(seed)
    game = OthelloGame(4, 6, rng.choice('BW'))
    for _ in range(rng.randrange(22)):
        if not game.is_over():
            game.make_move(*rng.choice(game.legal_moves()))
    value, move = example.search(game, 4)
    assert value == minimax(example, game, 4)
    if not game.is_over():
        assert value == minimax(example, example.position_after(game, move), 3)
