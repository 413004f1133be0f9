"""Programs that are wrong in one small way: each must fail some transcript.

They are the naive implementations with one thing changed, and play whole sessions in this process;
`make mutants` tries all small changes to all programs, as programs.
"""

from __future__ import annotations

import ast
import functools
import re
import types

import naive_nim
import naive_othello
import pytest

from grading.project import ROOT, all_transcripts
from grading.sessions.transcript import Transcript

BEYOND = '# beyond the assignment'


@functools.lru_cache(maxsize=None)
def transcripts(game):
    return [transcript for transcript in map(Transcript.read, all_transcripts())
            if transcript.command[0].startswith(game)]


def failed(program):
    """Return the transcripts that a program, a naive implementation as a module, fails."""
    game = program.__name__.partition('_')[2]
    words = {'othello': lambda _: [], 'nim': lambda transcript: [transcript.command[1:]]}[game]
    return [transcript for transcript in transcripts(game)
            if outputs(program, *words(transcript), transcript.inputs)
            != [step.output for step in transcript.steps]]


def outputs(program, *arguments):
    """Return what a program prints, the name of the error if it crashes."""
    try:
        return program.outputs(*arguments)
    except Exception as error:
        return type(error).__name__


def is_promised(transcript):
    return BEYOND not in transcript.lines


def pair(words):
    """Return two words as a cell, None if they are more or fewer."""
    return [int(word) for word in words] if len(words) == 2 else None


def cell_of_number(number):
    """Return a cell of a board of 4 columns, where cells are counted from 0."""
    return [number // 4 + 1, number % 4 + 1]


# Ways to read a move, each of which takes something for a cell that is none.
MOVES = {
    'the first two words': lambda line: pair(line.split()[:2]),
    'the last two words': lambda line: pair(line.split()[-2:]),
    'the first and the last word': lambda line: pair([line.split()[0], line.split()[-1]]),
    'any numbers': lambda line: [int(float(word)) for word in pair_of_words(line)],
    'digits, whatever is between': lambda line: pair(re.findall('-?[0-9]+', line)),
    'the first two numbers': lambda line: pair(re.findall('-?[0-9]+', line)[:2]),
    'a comma for a blank': lambda line: pair(line.replace(',', ' ').split()),
    'a semicolon for a blank': lambda line: pair(line.replace(';', ' ').split()),
    'a tuple': lambda line: pair(ast.literal_eval(line) if '(' in line else line.split()),
    'whatever `int` takes': lambda line: pair(line.split()),
    'underscores': lambda line: pair(line.replace('_', '').split()) if line.isascii() else None,
    'foreign digits': lambda line: pair(line.split()) if '_' not in line else None,
    'any white space':
        lambda line: pair(line.split()) if re.fullmatch(r'[-+\s0-9]*', line) else None,
    'hexadecimal': lambda line: [int(word, 0) for word in pair_of_words(line)],
    'a digit for each': lambda line: pair(line.replace(' ', '')),
    'a letter for the column': lambda line: [int(line[1]), 'abcd'.index(line[0].lower()) + 1],
    'a number for a cell, from 0': lambda line: cell_of_number(int(line)),
    'a number for a cell, from 1': lambda line: cell_of_number(int(line) - 1),
}
# Ways to read a move that make another cell of it.
CELLS = {
    'no signs': lambda line: pair(re.findall('[0-9]+', line)),
    'the absolute value': lambda line: [abs(int(word)) for word in pair_of_words(line)],
    'from the other end': lambda line: [(int(word) - 1) % 4 + 1 for word in pair_of_words(line)],
}


def pair_of_words(line):
    """Return the two words of a line."""
    first, second = line.split()
    return first, second


def refusing(parse):
    """Return a way to read a line that refuses what makes another one fail."""
    def parse_or_refuse(line):
        try:
            return parse(line)
        except (ValueError, IndexError, SyntaxError, TypeError):
            return None
    return parse_or_refuse


@pytest.mark.parametrize('way', MOVES)
def test_sloppy_reading_of_what_is_no_move(way, monkeypatch):
    right, sloppy = naive_othello.parse_move, refusing(MOVES[way])
    monkeypatch.setattr(naive_othello, 'parse_move', lambda line: right(line) or sloppy(line))
    assert failed(naive_othello)


@pytest.mark.parametrize('way', CELLS)
def test_sloppy_reading_of_a_cell(way, monkeypatch):
    monkeypatch.setattr(naive_othello, 'parse_move', refusing(CELLS[way]))
    assert any(map(is_promised, failed(naive_othello)))


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
@pytest.mark.parametrize('game', ['recorded', 'piles', 'stones', 'tlcw'])
def test_sloppy_reading_of_an_integer(way, game, monkeypatch):
    right, sloppy = naive_nim.parse_integer, refusing(INTEGERS[way])
    monkeypatch.setattr(naive_nim, 'parse_integer',
                        lambda text: sloppy(text) if right(text) is None else right(text))
    assert any(transcript.command[1:2] == [game] for transcript in failed(naive_nim))


ON_BOARD = '0 <= row < len(board) and 0 <= column < len(board[0]) and '
EMPTY = "board[row][column] == '.':"
LEGAL = ON_BOARD + EMPTY
OTHELLO = {                             # what is wrong: the code, the change
    'a tie under < is won': ('black == white else', "black == white and wins == '>' else"),
    'a tie of none is won': ('black == white else', 'black == white > 0 else'),
    'onto discs of the opponent': (EMPTY, "board[row][column] != color:"),
    'onto discs of the mover': (EMPTY, "board[row][column] != OTHER[color]:"),
    'above the board': (LEGAL, f'row == -1 or {LEGAL}'),
    'below the board': (LEGAL, f'row == len(board) or {LEGAL}'),
    'left of the board': (LEGAL, f'column == -1 or {LEGAL}'),
    'right of the board': (LEGAL, f'column == len(board[0]) or {LEGAL}'),
    'rows from below': ('if 0 <= row < len(board)', 'if -len(board) <= row < len(board)'),
    'columns from the right':
        ('0 <= column < len(board[0]) and ', '-len(board[0]) <= column < len(board[0]) and '),
    'rows run on': ('    cells = []\n', '    row, column = divmod(row * len(board[0]) + column, '
                    'len(board[0]))\n    cells = []\n'),
    'rows run on, with a guard between':
        ('    cells = []\n', '    row, column = divmod(row * (len(board[0]) + 1) + column, '
         'len(board[0]) + 1)\n    cells = []\n'),
    'no move yet, when the first line is none':
        ('        move = (cell[0] - 1, cell[1] - 1) if cell else (-1, -1)\n',
         '        if cell:\n            move = (cell[0] - 1, cell[1] - 1)\n'),
    'moves like a knight': ('in DIRECTIONS:', 'in [*DIRECTIONS, (1, 2), (2, -1)]:'),
    'runs of every other cell': ('in DIRECTIONS:', 'in [*DIRECTIONS, (0, 2), (2, 0)]:'),
}

NIM = {
    'a pile below 0': ('if min(sizes) < 0:', 'if False:'),
    'more than line 1 says': ('sum(sizes) != counters', 'sum(sizes) < counters'),
    'less than line 1 says': ('sum(sizes) != counters', 'sum(sizes) > counters'),
    'pile -1': ('0 <= pile < count', '-1 <= pile < count'),
    'pile -2': ('0 <= pile < count', '-2 <= pile < count and pile != -1'),
    'taking one too many': ('1 <= taken <= sizes[pile] or', '1 <= taken <= sizes[pile] + 1 or'),
    'a move of one integer': ('in rows[2:]', 'in ((*row, 1)[:2] if len(row) == 1 else row '
                              'for row in rows[2:])'),
    'a move of three integers': ('for pile, taken in', 'for pile, taken, *_ in'),
    'the last two of three integers': ('in rows[2:]', 'in (row[-2:] for row in rows[2:])'),
    'a move of one integer is none': ('in rows[2:]', 'in (row for row in rows[2:] if row[1:])'),
    'a blank first line': (".lstrip('\\ufeff')", ".lstrip('\\ufeff \\n')"),
    'a word after the end': ('raise ValueError(line)', 'break'),
    'no GAME is no recorded game': ("words[0] if words else 'recorded'",
                                    "words[0] if words else 'piles'"),
    '32 piles at most': ("'  '.join(map(str, sizes))", "'  '.join(map(str, sizes[:32]))"),
    'a byte order mark': (".lstrip('\\ufeff')", ''),
    'The Python leads one human': ('wins[2] > wins[0] and wins[2] > wins[1]', 'wins[2] > wins[0]'),
    'The Python leads the other': ('wins[2] > wins[0] and wins[2] > wins[1]', 'wins[2] > wins[1]'),
}


@pytest.mark.parametrize(('file', 'change'), [
    *(('naive_othello', change) for change in OTHELLO.values()),
    *(('naive_nim', change) for change in NIM.values())], ids=[*OTHELLO, *NIM])
def test_changed_program(file, change):
    old, new = change
    source = (ROOT / 'tests' / f'{file}.py').read_text(encoding='utf-8')
    assert old in source
    program = types.ModuleType(file)
    exec(source.replace(old, new), program.__dict__)
    assert failed(program)
