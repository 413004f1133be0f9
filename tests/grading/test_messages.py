"""Messages: a crash by the author's own line, hints that are certain, nothing that is not shown."""

from __future__ import annotations

import pytest

from grading.reports.messages import describe, why_hanging
from grading.sessions.difference import Difference
from grading.sessions.transcript import Transcript

TEXT = '''$ othello_console.py
|FULL
4
|B: 2  W: 2
|. B W .
|TURN: B
1 1
|INVALID
'''
TRANSCRIPT = Transcript('a.txt', TEXT)
TRACEBACK = '''Traceback (most recent call last):
  File "/tmp/submission/othello_console.py", line 9, in <module>
    play()
  File "/tmp/submission/pieces/board.py", line 31, in flips
    return self.cells[row][column]
           ~~~~~~~~~~^^^^^
  File "/usr/lib/python3.11/enum.py", line 5, in get
    raise KeyError(name)
IndexError: list index out of range
'''


def message(step, kind, printed=b'', **facts):
    difference = Difference(TRANSCRIPT, step, kind, printed, **{
        'folder': '/tmp/submission', **facts})
    return describe(difference).splitlines()


def crash_of(errors, **facts):
    return [line for line in message(2, 'ended', status=1, errors=errors.encode(), **facts)
            if line.startswith(('  crash', '  in'))]


def test_crash_is_told_by_the_last_line_that_is_the_author_s():
    assert crash_of(TRACEBACK) == [
        '  crash    |IndexError: list index out of range',
        '  in       |pieces/board.py, line 31: return self.cells[row][column]']


def test_path_that_is_relative_is_the_author_s():
    errors = TRACEBACK.replace('/tmp/submission/', '')
    assert crash_of(errors)[1].startswith('  in       |pieces/board.py, line 31:')


def test_error_of_the_syntax_is_told():
    errors = ('  File "/tmp/submission/othello.py", line 3\n    while True\n              ^\n'
              "SyntaxError: expected ':'\n")
    assert crash_of(errors) == ["  crash    |SyntaxError: expected ':'",
                                '  in       |othello.py, line 3: while True']


@pytest.mark.parametrize('errors', ['', 'Killed\n', TRACEBACK.replace('/tmp/submission', '/opt'),
                                    '\xff\0\n' * 9, '  File "/tmp/submission/a.py", line 3\n'])
def test_no_crash_is_made_up(errors):
    assert crash_of(errors) == []


@pytest.mark.parametrize('kind', ['differs', 'silent', 'runs on', 'trickles'])
def test_crash_that_did_not_end_what_is_shown_is_not_told(kind):
    lines = message(2, kind, b'VALID\n', errors=TRACEBACK.encode())
    assert not any('IndexError' in line for line in lines)


def test_end_of_standard_error_is_shown_where_the_program_ends():
    lines = message(2, 'ended', status=3, errors=b'one\ntwo\n\x1b[2Jthree\nno row -1\n')
    assert lines[-3:] == ['  stderr   |two', '  stderr   |\\x1b[2Jthree', '  stderr   |no row -1']


HINTS = {
    (0, 'differs', b'FULL\r\n'): r'it ends lines with \r\n; the protocol has \n alone',
    (0, 'differs', b'FULL  \n'): 'trailing blanks: 2 after the end of the line',
    (0, 'differs', b'Full\n'): 'only capital and small letters differ',
    (0, 'differs', b'\nFULL\n'): 'an empty line too many',
    (0, 'ended', b'FULL'): 'the newline is missing at the end of the line',
    (0, 'differs', b'FULL\nRows: '):
        '"Rows: " is printed without a newline, as a prompt is; no prompt is due here',
    (1, 'differs', b'B: 2 W: 2\n'): 'only the blanks differ',
    (1, 'differs', b'B: 2  W: 2\nTURN: B\n'): '1 line missing here',
    (1, 'differs', b'Black!\nB: 2  W: 2\n. B W .\nTURN: B\n'): '1 line too many here',
    (2, 'differs', b'VALID\n'): 'this move is not legal here',
    (2, 'differs', b'Move? INVALID\n'):
        '"Move? " stands before the line; nothing is due there',
    (2, 'differs', b'INVALID\nB: 2  W: 2\n'):
        'nothing follows INVALID: the next line is read, and is the next move',
    (2, 'differs', b'INVALID\nBye\n'):
        'output after the end: nothing may follow the last line',
}


@pytest.mark.parametrize(('step', 'kind', 'printed'), HINTS)
def test_hint(step, kind, printed):
    assert message(step, kind, printed)[-1] == '  hint: ' + HINTS[step, kind, printed]


@pytest.mark.parametrize(('step', 'kind', 'printed'), [
    (0, 'differs', b'ready\n'), (1, 'differs', b'B: 3  W: 1\n. B W .\nTURN: B\n'),
    (1, 'differs', b'B: 2  W: 2\n. W B .\nTURN: B\n'), (2, 'ended', b''),
    (1, 'differs', b'B: 2  W: 2\nTURN: W\n'), (1, 'silent', b'B: 2  W: 2\n')])
def test_what_is_not_certain_is_not_guessed(step, kind, printed):
    assert not any('hint' in line for line in message(step, kind, printed))


def test_winner_that_is_spelled_out_is_not_called_wrong():
    transcript = Transcript('a.txt', '$ othello_console.py\n|WINNER: B\n')
    told = describe(Difference(transcript, 0, 'differs', b'WINNER: Black\n'))
    assert 'hint' not in told


def test_answer_on_standard_error_is_named():
    assert message(2, 'differs', b'\n', errors=b'INVALID\n')[-1] == (
        '  hint: this line was printed on standard error')


# Programs that wait: what came late, and what they said at last, tell for what.

LATE_CRASH = TRACEBACK.replace('IndexError: list index out of range', "ValueError: bad: 'B'")
END_OF_INPUT = TRACEBACK.replace('IndexError: list index out of range', 'EOFError: no line')


def test_program_that_waits_for_a_line_and_then_raises():
    lines = message(0, 'silent', status=1, errors=LATE_CRASH.encode())
    assert lines[-3:] == [
        "  crash    |ValueError: bad: 'B'",
        '  in       |pieces/board.py, line 31: return self.cells[row][column]',
        '  hint: it waits for a line here, where none is due; the crash came only once it had got '
        'the rest of the input']


def test_program_whose_prompt_lacks_its_blank():
    transcript = Transcript('a.txt', '$ nim_console.py piles --prompts\n|Which pile? \\\n1\n|End\n')
    difference = Difference(transcript, 0, 'silent', b'Which pile?', late=b'End\n')
    hint = 'the blank at the end of the prompt is missing'
    assert describe(difference).splitlines()[-1] == f'  hint: {hint}'
    assert why_hanging(difference) == f'the program has not gone on whenever it was run; {hint}'


def test_program_that_waits_without_a_word():
    assert message(1, 'silent', late=b'Hm\n')[-1] == (
        '  hint: it waits for a line here, where none is due')
    sleeping = Difference(TRANSCRIPT, 0, 'silent', b'')
    assert why_hanging(sleeping) == 'the program has hung whenever it was run'


def test_end_of_input_is_told_where_it_tells_for_what_a_program_waits():
    told = ['  crash    |EOFError: no line',
            '  reads in |pieces/board.py, line 31: return self.cells[row][column]']
    errors = END_OF_INPUT.encode()
    assert message(2, 'runs on', status=1, errors=errors)[-3:-1] == told
    assert message(2, 'silent', status=1, errors=errors)[-3:-1] == told
    assert not any('EOFError' in line for line in message(0, 'silent', status=1, errors=errors))


def test_blanks_that_stand_between_other_digits_are_not_only_blanks():
    transcript = Transcript('a.txt', '$ nim_console.py recorded\n3\n|1  12\n')
    told = describe(Difference(transcript, 1, 'differs', b'11  2\n'))
    assert 'hint' not in told
    assert 'only the blanks differ' in describe(Difference(transcript, 1, 'differs', b'1 12\n'))
