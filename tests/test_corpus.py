"""The transcripts themselves: right by an independent implementation, and leaving nothing out."""

from __future__ import annotations

import functools

import naive_othello
import pytest
from transcript import FOLDER, Transcript, all_transcripts, display_name

OTHELLO = sorted((FOLDER / 'othello').glob('*.txt'))
DIRECTIONS = {(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)} - {(0, 0)}


class Session:
    """An Othello transcript, seen by what happens in it."""

    def __init__(self, path):
        self.lines = Transcript(path).inputs
        self.rows, self.columns = int(self.lines[0]), int(self.lines[1])
        self.first, self.wins = self.lines[2:4]
        self.states = list(naive_othello.states(self.lines))
        self.boards = [''.join(map(''.join, board)) for board, *_ in self.states]
        self.turns = [turn for _, turn, *_ in self.states]
        self.black, self.white = self.boards[-1].count('B'), self.boards[-1].count('W')
        self.more = 'B' if self.black > self.white else 'W'

    @property
    def skips(self):
        """How often in mid-game the turn comes back to the mover."""
        return sum(answer == 'VALID' and turn is not None and turn == before
                   for before, (_, turn, answer, _, _) in zip(self.turns, self.states[1:]))

    @property
    def refused(self):
        """The refused lines, each with the cell they name (from 0) and the board they meet."""
        setup = 4 + self.rows
        return [(line, self.states[i][3], self.states[i][0], self.states[i - 1][1])
                for i, line in enumerate(self.lines[setup:], 1) if self.states[i][2] == 'INVALID']

    def refuses(self, is_kind):
        """Whether it refuses two integers that name such a cell."""
        return any(is_kind(row, column) for line, (row, column), _, _ in self.refused
                   if len(line.split()) == 2 and line.isascii() and (row, column) != (-1, -1))

    def refuses_cell(self, content):
        """Whether it refuses an existing cell that is empty, or not."""
        return any(0 <= row < self.rows and 0 <= column < self.columns
                   and (board[row][column] in content)
                   for _, (row, column), board, _ in self.refused)

    def directions(self):
        """The directions of the runs that one move turns over, for every move."""
        for *_, move, cells in self.states[1:]:
            yield {(sign(r - move[0]), sign(c - move[1])) for r, c in cells}


def sign(number):
    return (number > 0) - (number < 0)


SITUATIONS = {
    'tie': lambda s: s.black == s.white and len(s.turns) > 1,
    'most discs win': lambda s: s.wins == '>' and s.black != s.white,
    'fewest discs win': lambda s: s.wins == '<' and s.black != s.white and len(s.turns) > 1,
    'white first': lambda s: s.first == s.turns[0] == 'W',
    'skipped turn': lambda s: s.skips == 1,
    'two skipped turns': lambda s: s.skips == 2,
    'stuck first player': lambda s: s.turns[0] not in (None, s.first),
    'over at the start, full': lambda s: s.turns == [None] and '.' not in s.boards[0],
    'over at the start, empty': lambda s: s.turns == [None] and set(s.boards[0]) == {'.'},
    'over at the start, one color':
        lambda s: s.turns == [None] and len(set(s.boards[0]) - {'.'}) == 1,
    'empty cells at the end':
        lambda s: len(s.turns) > 1 and '.' in s.boards[-1] and s.black and s.white,
    'wipe-out': lambda s: len(s.turns) > 1 and not (s.black and s.white),
    'eight directions': lambda s: DIRECTIONS in s.directions(),
    '4x6': lambda s: (s.rows, s.columns) == (4, 6) and len(s.turns) > 1,
    '6x4': lambda s: (s.rows, s.columns) == (6, 4) and len(s.turns) > 1,
    '4x16': lambda s: (s.rows, s.columns) == (4, 16) and len(s.turns) > 1,
    '16x16 to the end': lambda s: (s.rows, s.columns) == (16, 16) and len(s.turns) > 200,
    'whole 8x8 game': lambda s: (s.rows, s.columns) == (8, 8) and len(s.turns) == 61,
    'off the board above': lambda s: s.refuses(lambda row, column: row < 0),
    'off the board below': lambda s: s.refuses(lambda row, column: row >= s.rows),
    'off the board to the left': lambda s: s.refuses(lambda row, column: column < 0),
    'off the board to the right': lambda s: s.refuses(lambda row, column: column >= s.columns),
    'occupied': lambda s: s.refuses_cell('BW'),
    'turns nothing over': lambda s: s.refuses_cell('.'),
    'not two integers': lambda s: any(len(line.split()) != 2 for line, *_ in s.refused),
    'two words that are no integers': lambda s: any(line == 'x y' for line, *_ in s.refused),
}


@functools.lru_cache(maxsize=None)
def sessions():
    return [Session(path) for path in OTHELLO]


def test_there_are_transcripts():
    assert len(OTHELLO) >= 15
    assert set(OTHELLO) <= set(all_transcripts())


@pytest.mark.parametrize('situation', SITUATIONS)
def test_othello_situation_is_shown(situation):
    assert any(SITUATIONS[situation](session) for session in sessions())


def test_fewest_discs_win_reverses_a_game_of_most():
    shown = {wins: {(*session.lines[:3], *session.lines[4:])
                    for session in sessions() if session.wins == wins and len(session.turns) > 1}
             for wins in '<>'}
    assert shown['<'] & shown['>']


@pytest.mark.parametrize('path', OTHELLO, ids=display_name)
def test_othello_outputs_by_the_naive_implementation(path):
    transcript = Transcript(path)
    assert [step.output for step in transcript.steps] == naive_othello.outputs(transcript.inputs)
