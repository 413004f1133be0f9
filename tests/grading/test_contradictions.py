"""What a trace contradicts: caught exceptions and early reading, which look like other faults."""

import pytest
from running import short_patience
from test_diagnosis import SAMPLES, WORKED_EXAMPLE, transcripts
from test_places import TEXTS, changed, graded
from tracing_here import diagnosed

from grading.settings import Limits

ASKING = """            if game.is_valid(row, col):
                break
            print('INVALID')
"""
# Othello programs that catch exceptions: what they are made of, and the faults with a name, or the
# line and the type of the exception that is the reason of all that is wrong.
CATCHING = {
    'all moves are refused': ([(ASKING, """            try:
                if game.is_valid(row, col, game.turn):
                    break
            except:
                pass
            print('INVALID')
""")], (101, 'TypeError')),
    'nothing is turned over': ([("""        for r, c in self.all_flips(row, col):
            self.board[r][c] = self.turn
""", """        try:
            for r, c in self.all_flips(row, col):
                self.bord[r][c] = self.turn
        except Exception:
            pass
""")], (52, 'AttributeError')),
    'no move is found': ([('        return len(self.all_flips(row, col)) > 0', """        try:
            return len(self.all_flips(row, col)) > 0
        except:
            return False"""), ('+= self.line(', '+= line(')], (32, 'NameError')),
    'an end that nobody wins': ([("return 'NONE'", 'return NONE'), (
        "    print('WINNER: ' + game.winner())", """    try:
        print('WINNER: ' + game.winner())
    except:
        print('WINNER: B')""")], (72, 'NameError')),
    'columns without a letter': ([(ASKING, """            try:
                if game.is_valid(row, col):
                    move = 'abc'[col] + str(row)
                    break
                print('INVALID')
            except IndexError:
                print('INVALID')
""")], (102, 'IndexError')),
    # What is raised on purpose, or happens where all is right, too, is no reason.
    'an attempt at the start': ([('+= self.line(', '= flips or self.line('), (
        "    print('FULL')\n", """    print('FULL')
    try:
        raw_input
    except NameError:
        pass
""")], ['one-run']),
    'the end of a board': ([('+= self.line(', '= flips or self.line('), (
        '        while self.is_on_board(row, col):\n', """        while row >= 0 and col >= 0:
            try:
                self.board[row][col]
            except IndexError:
                return []
""")], ['one-run']),
    'a question to a value': ([("""        if black == white:
            return 'NONE'
""", """        try:
            len(black)
        except TypeError:
            pass
""")], ['no-tie']),
    'an exception on purpose': ([("""        if self.board[row][col] != '.':
            return False
""", ''), (ASKING, """            try:
                if not game.is_valid(row, col):
                    raise TypeError
                break
            except TypeError:
                print('INVALID')
""")], ['occupied']),
}


def test_an_exception_that_is_caught_is_the_reason_of_what_seems_decided(tmp_path):
    chosen = sorted(transcripts('othello'), key=lambda transcript: len(transcript.lines))[:16]
    right = (SAMPLES / 'othello.py').read_text(encoding='utf-8')
    for name, (replacements, expected) in CATCHING.items():
        wrong = right
        for old, new in replacements:
            assert old in wrong, name
            wrong = wrong.replace(old, new)
        diagnosis, found = diagnosed(tmp_path, wrong, chosen)
        reasons = {(places[0].first, fault.sentence.split()[2]) for fault, places in zip(
            [*diagnosis.faults, *diagnosis.groups], found) if fault.sentence.startswith('raises')}
        if isinstance(expected, tuple):
            assert reasons == {expected}, name
        else:
            assert [fault.id for fault in diagnosis.faults] == expected, name
            assert not reasons, name


def test_an_exception_that_is_caught(tmp_path):
    """It is told once, whatever the program does for it."""
    source = changed("        total = add(total, int(words[1]))\n", """        try:
            total = add(total, words[1])
        except TypeError:
            pass
""")
    finding, = graded(tmp_path, source, TEXTS)['extra_data']['findings']
    assert finding['sentence'] == (
        'raises a TypeError in main.py, line 7, and catches it: '
        '"\'<\' not supported between instances of \'str\' and \'int\'"')
    assert finding['advice'] == (
        'One value is a text, the other is an integer: int(text) makes an integer of a text. '
        'Fix this line. The except clause hides such mistakes: let it catch only what wrong input '
        'raises.')
    assert (finding['id'], len(finding['sessions'])) == ('', 6)
    assert [(place['why'], place['first']) for place in finding['places'][:2]] == [
        ('raised by', 7), ('printed by', 4)]


# Ways to read without a flush: what the program does at its start, for each line, and its fault.
READING = [
    ('', 'sys.stdin.readline()', 'no-flush'),
    ('lines = iter([*iter(sys.stdin.readline, "")])', 'next(lines)', 'reads-first'),
    ('lines = [sys.stdin.readline()]', '(lines.append(sys.stdin.readline()) or lines.pop(0))',
     'reads-early'),
]


@pytest.mark.parametrize(('start', 'line', 'expected'), READING)
def test_what_reads_early_need_not_flush(start, line, expected, tmp_path):
    source = (SAMPLES / 'othello.py').read_text(encoding='utf-8').replace('input()', line)
    source = f'import sys\n{start}\n{source}'
    diagnosis, _ = diagnosed(tmp_path, source, [WORKED_EXAMPLE])
    assert [fault.id for fault in diagnosis.faults] == [expected]


def test_what_reads_all_at_once_need_not_flush(tmp_path):
    source = changed('total = 0\nshow', 'import sys\nlines = sys.stdin.read().splitlines()\n'
                     'total = 0\nshow').replace('input()', 'lines.pop(0)').replace(
                         ', flush=True', '')
    results = graded(tmp_path, source, timeout=short_patience(), limits=Limits(alone=0))
    assert results['extra_data']['faults'] == ['reads-first']
