# The rules raise exceptions of their own, which the console below turns into answers.


class InvalidMoveError(Exception):
    pass


class GameOverError(Exception):
    pass


class OthelloState:
    def __init__(self, rows, columns, first, win_rule, cells):
        self._rows = rows
        self._columns = columns
        self._turn = first
        self._win_rule = win_rule
        self._cells = cells
        self._next_turn(first)

    def turn(self):
        return self._turn

    def cells(self):
        return self._cells

    def score(self, color):
        return len([cell for row in self._cells for cell in row if cell == color])

    def make_move(self, row, column):
        if self._turn is None:
            raise GameOverError()
        flipped = self._flipped(row, column, self._turn)
        if len(flipped) == 0:
            raise InvalidMoveError()
        self._cells[row][column] = self._turn
        for r, c in flipped:
            self._cells[r][c] = self._turn
        self._next_turn(self._opposite(self._turn))

    def winner(self):
        difference = self.score('B') - self.score('W')
        if difference == 0:
            return 'NONE'
        if self._win_rule == '<':
            difference = -difference
        return 'B' if difference > 0 else 'W'

    def _opposite(self, color):
        return {'B': 'W', 'W': 'B'}[color]

    def _next_turn(self, color):
        if self._has_moves(color):
            self._turn = color
        elif self._has_moves(self._opposite(color)):
            self._turn = self._opposite(color)
        else:
            self._turn = None

    def _has_moves(self, color):
        for row in range(self._rows):
            for column in range(self._columns):
                if self._flipped(row, column, color):
                    return True
        return False

    def _on_board(self, row, column):
        return row >= 0 and row < self._rows and column >= 0 and column < self._columns

    def _flipped(self, row, column, color):
        if not self._on_board(row, column):
            return []
        if self._cells[row][column] != '.':
            return []
        result = []
        for row_delta in (-1, 0, 1):
            for column_delta in (-1, 0, 1):
                if row_delta != 0 or column_delta != 0:
                    result += self._line(row, column, row_delta, column_delta, color)
        return result

    def _line(self, row, column, row_delta, column_delta, color):
        line = []
        while True:
            row += row_delta
            column += column_delta
            if not self._on_board(row, column) or self._cells[row][column] == '.':
                return []
            if self._cells[row][column] == color:
                return line
            line.append((row, column))


def read_state():
    rows = int(input())
    columns = int(input())
    first = input()
    win_rule = input()
    cells = [input().split() for _ in range(rows)]
    return OthelloState(rows, columns, first, win_rule, cells)


def print_score(state):
    print('B: ' + str(state.score('B')) + '  W: ' + str(state.score('W')))


def print_board(state):
    for row in state.cells():
        line = ''
        for cell in row:
            line += cell + ' '
        print(line[:-1])


def run():
    print('FULL')
    state = read_state()
    while True:
        print_score(state)
        print_board(state)
        if state.turn() is None:
            break
        print('TURN: ' + state.turn())
        while True:
            try:
                words = input().split()
                state.make_move(int(words[0]) - 1, int(words[1]) - 1)
                print('VALID')
                break
            except InvalidMoveError:
                print('INVALID')
    print('WINNER: ' + state.winner())


run()
