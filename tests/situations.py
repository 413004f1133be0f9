"""What happens in a session, and the situations of Othello that some session must show."""

from models import Othello, Position, states_of

from nim_logic import NimGame

DIRECTIONS = {(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)} - {(0, 0)}


class Session(Othello):
    """An Othello transcript, played by the model.

    `states` has, at the start and after each move: the board, whose turn it is, the answer to the
    move (VALID or INVALID), and its cell, counted from 0. `directions` has, for each legal move,
    the directions in which it flips discs.
    """

    def __init__(self, transcript):
        self.inputs = transcript.inputs
        super().__init__(self.inputs)
        self.states, self.directions = [], []
        self.play()
        self.boards = [''.join(map(''.join, board)) for board, *_ in self.states]
        self.turns = [turn for _, turn, *_ in self.states]
        self.black, self.white = self.count('B'), self.count('W')

    def start(self):
        self.first, self.setup = self.turn, self.inputs[: len(self.texts) - 1]
        super().start()
        self.note(None, None)

    def read_move(self):
        self.cell = super().read_move()
        return self.cell

    def hand_over(self, color):
        super().hand_over(color)
        if self.moved:
            self.directions.append(set(self.flipped))
            self.note('VALID', self.cell)

    def refuse(self):
        super().refuse()
        self.note('INVALID', self.cell)

    def note(self, answer, cell):
        self.states.append(([list(row) for row in self.board], self.turn, answer, cell))

    @property
    def skips(self):
        """How often a player moves twice in a row, because the opponent has to pass."""
        return sum(
            answer == 'VALID' and turn is not None and turn == before
            for before, (_, turn, answer, _) in zip(self.turns, self.states[1:], strict=False)
        )

    @property
    def refused(self):
        """The lines that are answered INVALID."""
        moves = zip(self.inputs[len(self.setup) :], self.states[1:], strict=False)
        return [line for line, (_, _, answer, _) in moves if answer == 'INVALID']

    @property
    def refused_cells(self):
        """The cells that refused lines name: rows and columns, counted from 0."""
        return [cell for _, _, answer, cell in self.states if answer == 'INVALID' and cell]

    @property
    def refused_discs(self):
        """For each refused cell on the board: what it contains, and whose turn it is."""
        return [
            (board[cell[0]][cell[1]], turn)
            for board, turn, answer, cell in self.states
            if answer == 'INVALID' and cell and self.has(*cell)
        ]

    def refuses_like(self, other):
        """Return whether a refused cell is off the board, but `other(row, column)` is legal.

        `other` returns the cell that a wrong program takes instead.
        """
        return any(
            answer == 'INVALID'
            and cell
            and not self.has(*cell)
            and other(*cell) in Position(board).moves(turn)
            for board, turn, answer, cell in self.states
        )

    @property
    def empty_at_start(self):
        """How many cells are empty at the start."""
        return self.boards[0].count('.')

    @property
    def discs_at_start(self):
        """How many discs are on the board at the start."""
        return self.boards[0].count('B') + self.boards[0].count('W')


def lasts(session, moves=1):
    """Return whether a session has at least `moves` moves, legal or not."""
    return len(session.turns) > moves


def by_python_index(index, length):
    """Return the index, from 0, of the item that `index` selects from a list of this length."""
    return index + length if index < 0 else index


# Situations that both transcripts and fresh games must show.
SITUATIONS = {
    'tie': lambda s: s.black == s.white and lasts(s),
    'most discs win': lambda s: s.wins == '>' and s.black != s.white,
    'fewest discs win': lambda s: s.wins == '<' and s.black != s.white and lasts(s),
    'standard start': lambda s: s.boards[0].replace('.', '') in ('WBBW', 'BWWB') and lasts(s),
    'white first': lambda s: s.first == s.turns[0] == 'W',
    'skipped turn': lambda s: s.skips == 1,
    'two skipped turns': lambda s: s.skips == 2,
    'over at the start, full': lambda s: s.turns == [None] and '.' not in s.boards[0],
    'over at the start, empty': lambda s: s.turns == [None] and set(s.boards[0]) == {'.'},
    'over at the start, but for runs that are not straight': lambda s: (
        s.turns == [None] and '.' in s.boards[0] and {'B', 'W'} <= set(s.boards[0])
    ),
    'over at the start, one color': lambda s: (
        s.turns == [None] and len(set(s.boards[0]) - {'.'}) == 1
    ),
    'empty cells at the end': lambda s: lasts(s) and '.' in s.boards[-1] and s.black and s.white,
    'full at the end': lambda s: lasts(s) and '.' not in s.boards[-1],
    'wipe-out': lambda s: lasts(s) and not (s.black and s.white),
    'off the board above': lambda s: any(row < 0 for row, _ in s.refused_cells),
    'off the board below': lambda s: any(row >= s.rows for row, _ in s.refused_cells),
    'off the board to the left': lambda s: any(column < 0 for _, column in s.refused_cells),
    'off the board to the right': lambda s: any(
        column >= s.columns for _, column in s.refused_cells
    ),
    'occupied by the mover': lambda s: any(disc == turn for disc, turn in s.refused_discs),
    'occupied by the opponent': lambda s: any(
        disc not in ('.', turn) for disc, turn in s.refused_discs
    ),
    'flips no disc': lambda s: any(disc == '.' for disc, turn in s.refused_discs),
    "legal by Python's negative indices": lambda s: s.refuses_like(
        lambda row, column: (by_python_index(row, s.rows), by_python_index(column, s.columns))
    ),
    'legal if all cells are counted in a row': lambda s: s.refuses_like(
        lambda row, column: divmod(row * s.columns + column, s.columns)
    ),
}
# More situations that transcripts must show: malformed lines, whole games on large boards.
OF_THE_CORPUS = {
    **{
        f'tie under {wins}': lambda s, wins=wins: s.wins == wins and s.black == s.white and lasts(s)
        for wins in '><'
    },
    '4x6': lambda s: (s.rows, s.columns) == (4, 6) and lasts(s),
    '6x4': lambda s: (s.rows, s.columns) == (6, 4) and lasts(s),
    'stuck first player': lambda s: s.turns[0] not in (None, s.first),
    'eight directions': lambda s: DIRECTIONS in s.directions,
    '4x16 to the end': lambda s: (
        (s.rows, s.columns) == (4, 16) and lasts(s, 20) and '.' not in s.boards[-1]
    ),
    '16x16 to the end': lambda s: (
        (s.rows, s.columns) == (16, 16) and lasts(s, 20) and '.' not in s.boards[-1]
    ),
    'whole 8x8 game': lambda s: (s.rows, s.columns) == (8, 8) and len(s.turns) == 61,
    'not two integers': lambda s: any(len(line.split()) != 2 for line in s.refused),
    'two words that are no integers': lambda s: 'x y' in s.refused,
}
# More situations that fresh games must show: boards of all kinds, and cells far off the board.
OF_FRESH_GAMES = {
    **{
        f'won by {color} under {wins}': lambda s, color=color, wins=wins: (
            s.wins == wins and lasts(s) and s.winner() == color
        )
        for color in 'BW'
        for wins in '><'
    },
    'nearly full': lambda s: 0 < s.empty_at_start < 9 and lasts(s),
    'dense': lambda s: 9 < s.empty_at_start < s.discs_at_start,
    'sparse': lambda s: 4 * s.discs_at_start < s.empty_at_start and lasts(s, 20),
    'far above': lambda s: any(row < -s.rows for row, _ in s.refused_cells),
    'far below': lambda s: any(row > 2 * s.rows for row, _ in s.refused_cells),
    'far to the left': lambda s: any(column < -s.columns for _, column in s.refused_cells),
    'far to the right': lambda s: any(column > 2 * s.columns for _, column in s.refused_cells),
    'legal with columns before rows': lambda s: s.refuses_like(lambda row, column: (column, row)),
}


def optimal_moves(transcript):
    """Return how many optimal moves the computer has at each of its moves in classic Nim."""
    return [len(NimGame(sizes).winning_moves()) for sizes in states_of(transcript)]


def missing(situations, sessions):
    """Return the names of the situations that no session shows."""
    return [name for name, is_shown_by in situations.items() if not any(map(is_shown_by, sessions))]
