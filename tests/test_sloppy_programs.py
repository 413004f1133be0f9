"""Programs that are wrong in one small way: each must fail some transcript.

They are the grader's models with one change, and play whole sessions in this process. `make
mutants` tries all small changes, to the consoles too, and over pipes.
"""

import ast
import importlib
import re
import types
from pathlib import Path

import pytest
from models import MODELS, MODULE_OF_NIM, Othello, transcripts


def failed_transcripts(game, model):
    """Return the transcripts of a game that a model fails; none if it fails all of them.

    A model that fails all of them is broken in some other way than intended.
    """
    every = transcripts(game)
    failed = [
        transcript
        for transcript in every
        if texts(model, transcript) != [step.output for step in transcript.steps]
    ]
    return failed if len(failed) < len(every) else []


def texts(model, transcript):
    """Return what a model prints, or the name of its exception."""
    try:
        session = model(transcript.inputs, transcript.arguments)
        session.play()
        return session.texts
    except Exception as error:
        return type(error).__name__


def cell_of(words):
    """Return two words as a cell; None if there are more or fewer words."""
    return [int(word) for word in words] if len(words) == 2 else None


def cell_of_number(number):
    """Return the cell with this number, from 0, on a board of 4 columns."""
    return [number // 4 + 1, number % 4 + 1]


# Ways to read a move that accept some lines that are not moves.
MOVES = {
    'the first two words': lambda line: cell_of(line.split()[:2]),
    'the last two words': lambda line: cell_of(line.split()[-2:]),
    'the first and the last word': lambda line: cell_of([line.split()[0], line.split()[-1]]),
    'any numbers': lambda line: [int(float(word)) for word in pair_of_words(line)],
    'digits, whatever is between': lambda line: cell_of(re.findall('-?[0-9]+', line)),
    'the first two numbers': lambda line: cell_of(re.findall('-?[0-9]+', line)[:2]),
    'a comma for a space': lambda line: cell_of(line.replace(',', ' ').split()),
    'a semicolon for a space': lambda line: cell_of(line.replace(';', ' ').split()),
    'a tuple': lambda line: cell_of(ast.literal_eval(line) if '(' in line else line.split()),
    'whatever `int` takes': lambda line: cell_of(line.split()),
    'underscores': lambda line: cell_of(line.replace('_', '').split()) if line.isascii() else None,
    'foreign digits': lambda line: cell_of(line.split()) if '_' not in line else None,
    'any white space': lambda line: (
        cell_of(line.split()) if re.fullmatch(r'[-+\s0-9]*', line) else None
    ),
    'hexadecimal': lambda line: [int(word, 0) for word in pair_of_words(line)],
    'a digit for each': lambda line: cell_of(line.replace(' ', '')),
    'a letter for the column': lambda line: [int(line[1]), 'abcd'.index(line[0].lower()) + 1],
    'a number for a cell, from 0': lambda line: cell_of_number(int(line)),
    'a number for a cell, from 1': lambda line: cell_of_number(int(line) - 1),
}
# Ways to read a move that turn some moves into others.
CELLS = {
    'no signs': lambda line: cell_of(re.findall('[0-9]+', line)),
    'the absolute value': lambda line: [abs(int(word)) for word in pair_of_words(line)],
    'from the other end': lambda line: [(int(word) - 1) % 4 + 1 for word in pair_of_words(line)],
}


def pair_of_words(line):
    """Return the two words of a line; raise ValueError if it has more or fewer."""
    first, second = line.split()
    return first, second


def refusing(parse):
    """Return a function that parses a line, but returns None where `parse` fails."""

    def parse_or_refuse(line):
        try:
            return parse(line)
        except (ValueError, IndexError, SyntaxError, TypeError):
            return None

    return parse_or_refuse


def reading(parse, keeps_moves=False):
    """Return a model that reads lines with `parse`.

    With `keeps_moves`, it reads moves correctly, and only other lines with `parse`.
    """
    sloppy = refusing(parse)

    class Sloppy(Othello):
        def cell_on(self, line):
            if keeps_moves:
                right = super().cell_on(line)
                if right is not None:
                    return right
            cell = sloppy(line)
            return (cell[0] - 1, cell[1] - 1) if cell else None

    return Sloppy


def test_sloppy_reading_of_lines_that_are_no_moves():
    for way, parse in MOVES.items():
        assert failed_transcripts('othello', reading(parse, keeps_moves=True)), way


def test_sloppy_reading_of_a_cell():
    for way, parse in CELLS.items():
        failed = failed_transcripts('othello', reading(parse))
        assert not all(transcript.is_beyond for transcript in failed), way


INTEGERS = {
    'the first word': lambda text: int(text.split()[0]),
    'the last word': lambda text: int(text.split()[-1]),
    'any number': lambda text: int(float(text)),
    'digits, whatever is between': lambda text: int(re.sub('[^0-9]', '', text)),
    'the first digits': lambda text: int(re.search('[0-9]+', text)[0]),
    'whatever `int` takes': int,
    'underscores': lambda text: int(text.replace('_', '')) if text.isascii() else None,
    'foreign digits': lambda text: int(text) if '_' not in text else None,
    'hexadecimal': lambda text: int(text, 0),
    'nothing for 0': lambda text: int(text or 0),
}


@pytest.mark.parametrize('way', INTEGERS)
def test_sloppy_reading_of_an_integer(way, monkeypatch):
    right, sloppy = MODULE_OF_NIM.INTEGER, refusing(INTEGERS[way])

    def read(text):
        return int(text) if right.fullmatch(text) else sloppy(text)

    monkeypatch.setattr(MODULE_OF_NIM, 'int', read, raising=False)
    monkeypatch.setattr(
        MODULE_OF_NIM,
        'INTEGER',
        types.SimpleNamespace(fullmatch=lambda text: read(text) is not None),
    )
    assert all(
        failed_transcripts(game, MODELS[game]) for game in ('recorded', 'piles', 'stones', 'tlcw')
    )


EMPTY = "self.board[row][column] == '.'"
ENTERED = 'return self.has(row, column) and '
NAMED = '(move[0] - 1, move[1] - 1)'
ON_BOARD = 'of a move is on the board."""\n        return 0 <= row < self.rows and 0 <= column'
# For each fault: the right code, the wrong code.
OTHELLO = {
    'a tie under < is won': ('black == white:', "black == white and self.wins == '>':"),
    'a tie of none is won': ('black == white:', 'black == white > 0:'),
    'onto discs of the opponent': (EMPTY, 'self.board[row][column] != color'),
    'onto discs of the mover': (EMPTY, 'self.board[row][column] != OTHER[color]'),
    'above the board': (ENTERED, 'return row == -1 or self.has(row, column) and '),
    'below the board': (ENTERED, 'return row == self.rows or self.has(row, column) and '),
    'left of the board': (ENTERED, 'return column == -1 or self.has(row, column) and '),
    'right of the board': (ENTERED, 'return column == self.columns or self.has(row, column) and '),
    'rows from below': (ON_BOARD, ON_BOARD.replace('0 <= row', '-self.rows <= row')),
    'columns from the right': (ON_BOARD, ON_BOARD.replace('0 <= col', '-self.columns <= col')),
    'columns run on into the next row': (
        NAMED,
        '((move[0] - 1 + (move[1] - 1) // self.columns), (move[1] - 1) % self.columns)',
    ),
    'columns run on into the next row, after a guard column': (
        NAMED,
        '((move[0] - 1 + (move[1] - 1) // (self.columns + 1)), (move[1] - 1) % (self.columns + 1))',
    ),
    'a malformed line repeats the move before it': (
        'cell = self.read_move()',
        'cell = self.read_move() or cell',
    ),
    'moves like a knight': ('if down or right]', 'if down or right] + [(1, 2), (2, -1)]'),
    'runs of every other cell': ('if down or right]', 'if down or right] + [(0, 2), (2, 0)]'),
}

LOWEST = 'max(self.lowest, -len(self.sizes))'
MOVE = 'pile, taken = self.integers(row, number)'
ROWS = 'enumerate(rows[2:], 3)'
CHECK = 'for number, row in enumerate(rows if '
MARK = r".lstrip('\ufeff')"
RECORDED = {
    'a pile below 0': ('min(self.sizes) < self.smallest', 'False'),
    'more than line 1 says': ('tokens != real_tokens', 'real_tokens < tokens'),
    'less than line 1 says': ('tokens != real_tokens', 'real_tokens > tokens'),
    'pile -1': (LOWEST, '-1'),
    'pile -2': (LOWEST, 'pile != -1 and -2'),
    'taking one too many': ('taken > size', 'taken > size + 1'),
    'a move of one integer': (MOVE, 'pile, taken = (*map(int, row), 1)[:max(2, len(row))]'),
    'a move of three integers': (MOVE, 'pile, taken, *_ = map(int, row)'),
    'the last two of three integers': (MOVE, 'pile, taken = map(int, row[-2:])'),
    'a line of one integer is skipped': (
        ROWS,
        'enumerate([row for row in rows[2:] if row[1:]], 3)',
    ),
    'an empty first line': (MARK, r".lstrip('\ufeff \n')"),
    'a word after the end': (
        CHECK,
        f'while not all(map(INTEGER.fullmatch, rows[-1])): rows.pop()\n        {CHECK}',
    ),
    '32 piles at most': ('map(str, line))', 'map(str, line[:32]))'),
    'a byte order mark': (MARK, ''),
    'one token is left in each of two piles': (
        'sum(self.sizes) in self.left_at_end',
        'max(self.sizes) in self.left_at_end',
    ),
}

LEADS = 'self.wins[2] > self.wins[0] and self.wins[2] > self.wins[1]'
STONES = {
    'The Python leads one human': (LEADS, 'self.wins[2] > self.wins[0]'),
    'The Python leads the other': (LEADS, 'self.wins[2] > self.wins[1]'),
}


@pytest.mark.parametrize(
    ('game', 'change'),
    [
        pytest.param(game, change, id=f'{game}: {fault}')
        for game, changes in [('othello', OTHELLO), ('recorded', RECORDED), ('stones', STONES)]
        for fault, change in changes.items()
    ],
)
def test_changed_program(game, change):
    old, new = change
    right = MODELS[game]
    original = importlib.import_module(right.__module__)
    source = Path(original.__file__).read_text(encoding='utf-8')
    assert source.count(old) == 1
    program = types.ModuleType(original.__name__)
    program.__package__ = original.__package__
    exec(source.replace(old, new), program.__dict__)
    assert failed_transcripts(game, getattr(program, right.__name__))
