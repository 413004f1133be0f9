"""Othello in a window, on `othello_logic` as it is: you play black, the computer plays white.

Click on a dot to move. Type `u` to take your last move back, `h` to see a good move.
"""

import tkinter

from othello_logic import OthelloGame

CELL = 60  # pixels
DEPTH = 4  # how many moves the computer looks ahead
NAMES = {'B': 'black', 'W': 'white', None: 'nobody'}


def position_after(game, move):
    """Return the game after a move; the game itself does not change."""
    copy = game.copy()
    copy.make_move(*move)
    return copy


def value_of(game):
    """Return how good a position is for black: its lead in moves, or in discs at the end."""
    if game.is_over():
        return 1000 * (game.count('B') - game.count('W'))
    return len(game.legal_moves('B')) - len(game.legal_moves('W'))


def search(game, depth, low=float('-inf'), high=float('inf')):
    """Return the value of a position, and the best move, by alpha-beta search.

    Black wants a high value and is sure of `low` elsewhere; white is sure of `high`. Once a
    position is outside of these, one of the two avoids it, and its other moves do not matter.
    """
    if depth == 0 or game.is_over():
        return value_of(game), None
    best = None
    for move in game.legal_moves():
        value, _ = search(position_after(game, move), depth - 1, low, high)
        if game.turn == 'B' and value > low:
            low, best = value, move
        if game.turn == 'W' and value < high:
            high, best = value, move
        if low >= high:
            break
    return (low if game.turn == 'B' else high), best


class Board:
    """The window and the positions of a game, the first to the last, which it shows."""

    def __init__(self, window):
        self.window, self.positions = window, [OthelloGame()]
        self.canvas = tkinter.Canvas(window, width=8 * CELL, height=8 * CELL, background='#175')
        self.canvas.pack()
        self.label = tkinter.Label(window, font=('', 14))
        self.label.pack()
        self.canvas.bind('<Button-1>', self.click)
        window.bind('u', self.undo)
        window.bind('h', self.hint)
        self.show()

    def click(self, event):
        move = event.y // CELL + 1, event.x // CELL + 1
        if self.positions[-1].turn == 'B' and self.positions[-1].is_legal(*move):
            self.play(move)

    def play(self, move):
        self.positions.append(position_after(self.positions[-1], move))
        self.show()
        self.window.after(500, self.answer)

    def answer(self):
        if self.positions[-1].turn == 'W':
            self.play(search(self.positions[-1], DEPTH)[1])

    def undo(self, _):
        if len(self.positions) > 1:
            self.positions.pop()
            while self.positions[-1].turn != 'B':
                self.positions.pop()
            self.show()

    def hint(self, _):
        self.show(search(self.positions[-1], DEPTH)[1])

    def show(self, hint=None):
        game = self.positions[-1]
        self.canvas.delete('all')
        for row in range(1, 9):
            for column in range(1, 9):
                x, y = (column - 1) * CELL, (row - 1) * CELL
                color = 'gold' if (row, column) == hint else ''
                self.canvas.create_rectangle(x, y, x + CELL, y + CELL, fill=color)
                if disc := game.disc_at(row, column):
                    self.canvas.create_oval(x + 5, y + 5, x + 55, y + 55, fill=NAMES[disc])
                elif game.turn == 'B' and game.is_legal(row, column):
                    self.canvas.create_oval(x + 26, y + 26, x + 34, y + 34, fill='black')
        state = (
            f'{NAMES[game.winner()]} wins'
            if game.is_over()
            else f'{NAMES[game.turn]} moves' + f', {NAMES[game.passed]} passes' * bool(game.passed)
        )
        self.label['text'] = f'black {game.count("B")}, white {game.count("W")}: {state}'


board = Board(tkinter.Tk(className='Othello'))
board.window.mainloop()
