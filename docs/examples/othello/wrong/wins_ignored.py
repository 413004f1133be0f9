"""Othello as a student may write it; the tests make wrong programs of it by small changes."""


class Game:
    def __init__(self, rows, columns, turn, wins, board):
        self.rows = rows
        self.columns = columns
        self.turn = turn
        self.wins = wins
        self.board = board
        self.last = turn

    def is_on_board(self, row, col):
        return 0 <= row < self.rows and 0 <= col < self.columns

    def line(self, row, col, y, x):
        """Discs between a cell and the next own disc in one direction."""
        found = []
        row, col = row + y, col + x
        while self.is_on_board(row, col):
            if self.board[row][col] == '.':
                return []
            if self.board[row][col] == self.turn:
                return found
            found.append((row, col))
            row, col = row + y, col + x
        return []

    def all_flips(self, row, col):
        flips = []
        for y, x in [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]:
            flips += self.line(row, col, y, x)
        return flips

    def is_valid(self, row, col):
        if not self.is_on_board(row, col):
            return False
        if self.board[row][col] != '.':
            return False
        return len(self.all_flips(row, col)) > 0

    def can_move(self):
        return any(self.is_valid(row, col)
                   for row in range(self.rows) for col in range(self.columns))

    def switch(self):
        self.turn = 'W' if self.turn == 'B' else 'B'

    def move(self, row, col):
        for r, c in self.all_flips(row, col):
            self.board[r][c] = self.turn
        self.board[row][col] = self.turn
        self.switch()

    def pass_if_stuck(self):
        if not self.can_move():
            self.switch()

    def is_over(self):
        mine = self.can_move()
        self.switch()
        theirs = self.can_move()
        self.switch()
        return not mine and not theirs

    def count(self, color):
        return sum(row.count(color) for row in self.board)

    def winner(self):
        black, white = self.count('B'), self.count('W')
        if black == white:
            return 'NONE'
        if True:
            return 'B' if black > white else 'W'
        return 'B' if black < white else 'W'


def show(game):
    print('B: ' + str(game.count('B')) + '  W: ' + str(game.count('W')))
    for row in game.board:
        print(' '.join(row))


def play():
    print('FULL')
    rows = int(input())
    columns = int(input())
    first = input()
    wins = input()
    board = []
    for _ in range(rows):
        board.append(input().split())
    game = Game(rows, columns, first, wins, board)
    game.pass_if_stuck()
    show(game)
    while not game.is_over():
        print('TURN: ' + game.turn)
        while True:
            row, col = (int(word) - 1 for word in input().split())
            if game.is_valid(row, col):
                break
            print('INVALID')
        print('VALID')
        game.move(row, col)
        game.pass_if_stuck()
        show(game)
    print('WINNER: ' + game.winner())


play()
