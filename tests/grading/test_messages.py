"""Messages: a crash by the author's own line, hints that are certain, nothing that is not shown."""

from observing import message_on
from tables import each

from grading.assignments.nim import why_invalid
from grading.diagnosis.example import explained_example, what_happens
from grading.installation import ROOT
from grading.reports.messages import compare
from grading.reports.text import COLUMNS
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
    return message_on(difference).splitlines()


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


@each('errors', ['', 'Killed\n', TRACEBACK.replace('/tmp/submission', '/opt'),
                                    '\xff\0\n' * 9, '  File "/tmp/submission/a.py", line 3\n'])
def test_no_crash_is_made_up(errors):
    assert crash_of(errors) == []


@each('kind', ['differs', 'silent', 'runs on', 'trickles'])
def test_crash_that_did_not_end_what_is_shown_is_not_told(kind):
    lines = message(2, kind, b'VALID\n', errors=TRACEBACK.encode())
    assert not any('IndexError' in line for line in lines)


def test_end_of_standard_error_is_shown_where_the_program_ends():
    lines = message(2, 'ended', status=3, errors=b'one\ntwo\n\x1b[2Jthree\nno row -1\n')
    assert lines[-3:] == ['  stderr   |two', '  stderr   |\\x1b[2Jthree', '  stderr   |no row -1']


HINTS = {
    (0, 'differs', b'FULL\r\n'): r'the program ends lines with \r\n; the assignment has \n alone',
    (0, 'differs', b'FULL  \n'): '2 blanks too many at the end of the line',
    (0, 'differs', b'Full\n'): 'only uppercase and lowercase letters differ',
    (0, 'differs', b'\nFULL\n'): 'an empty line too many',
    (0, 'ended', b'FULL'): 'the newline is missing at the end of the line',
    (0, 'differs', b'FULL\nRows: '):
        'the program prints a prompt, "Rows: "; no prompt is expected here',
    (1, 'differs', b'B: 2 W: 2\n'): 'only the blanks differ',
    (1, 'differs', b'B: 2  W: 2\nTURN: B\n'): '1 line missing here',
    (1, 'differs', b'Black!\nB: 2  W: 2\n. B W .\nTURN: B\n'): '1 line too many here',
    (2, 'differs', b'VALID\n'): 'this move is not legal here',
    (2, 'differs', b'Move? INVALID\n'):
        '"Move? " is printed before the line; print the line alone',
    (2, 'differs', b'INVALID\nB: 2  W: 2\n'):
        'print nothing after INVALID: the next line of input is the next move',
    (2, 'differs', b'INVALID\nBye\n'):
        'output after the end: nothing may follow the last line',
}


@each('step, kind, printed', HINTS)
def test_hint(step, kind, printed):
    assert message(step, kind, printed)[-1] == '  hint: ' + HINTS[step, kind, printed]


@each('step, kind, printed', [
    (0, 'differs', b'ready\n'), (1, 'differs', b'B: 3  W: 1\n. B W .\nTURN: B\n'),
    (1, 'differs', b'B: 2  W: 2\n. W B .\nTURN: B\n'), (2, 'ended', b''),
    (1, 'differs', b'B: 2  W: 2\nTURN: W\n'), (1, 'silent', b'B: 2  W: 2\n')])
def test_what_is_not_certain_is_not_guessed(step, kind, printed):
    assert not any('hint' in line for line in message(step, kind, printed, status=0))


@each('kind, printed, hint', [
    ('silent', b'', True), ('silent', b'B: 2  W: 2\n', True), ('ended', b'', False)])
def test_a_loop_without_end_is_told(kind, printed, hint):
    assert any('look for a loop that never ends' in line
               for line in message(1, kind, printed)) is hint


def test_winner_that_is_spelled_out_is_not_called_wrong():
    transcript = Transcript('a.txt', '$ othello_console.py\n|WINNER: B\n')
    told = message_on(Difference(transcript, 0, 'differs', b'WINNER: Black\n'))
    assert 'hint' not in told


def test_answer_on_standard_error_is_named():
    assert message(2, 'differs', b'\n', errors=b'INVALID\n')[-1] == (
        '  hint: this line was printed on standard error, not on standard output')


# Programs that wait: what came late, and what they said at last, tell for what.

LATE_CRASH = TRACEBACK.replace('IndexError: list index out of range', "ValueError: bad: 'B'")
END_OF_INPUT = TRACEBACK.replace('IndexError: list index out of range', 'EOFError: no line')


def test_program_that_waits_for_a_line_and_then_raises():
    lines = message(0, 'silent', status=1, errors=LATE_CRASH.encode())
    assert lines[-3:] == [
        "  crash    |ValueError: bad: 'B'",
        '  in       |pieces/board.py, line 31: return self.cells[row][column]',
        '  hint: the program waits for a line of input here, but must print first; it crashed '
        'only when it got the rest of the input']


def test_program_whose_prompt_lacks_its_blank():
    transcript = Transcript('a.txt', '$ nim_console.py piles --prompts\n|Which pile? \\\n1\n|End\n')
    difference = Difference(transcript, 0, 'silent', b'Which pile?', late=b'End\n')
    hint = 'the blank at the end of the prompt is missing'
    assert message_on(difference).splitlines()[-1] == f'  hint: {hint}'


def test_program_that_waits_without_a_word():
    assert message(1, 'silent', late=b'Hm\n')[-1] == (
        '  hint: the program waits for a line of input here, but must print first')


def test_end_of_input_is_told_where_it_tells_for_what_a_program_waits():
    told = ['  crash    |EOFError: no line',
            '  reads in |pieces/board.py, line 31: return self.cells[row][column]']
    errors = END_OF_INPUT.encode()
    assert message(2, 'runs on', status=1, errors=errors)[-3:-1] == told
    assert message(2, 'silent', status=1, errors=errors)[-3:-1] == told
    assert not any('EOFError' in line for line in message(0, 'silent', status=1, errors=errors))


def test_blanks_that_stand_between_other_digits_are_not_only_blanks():
    transcript = Transcript('a.txt', '$ nim_console.py recorded\n3\n|1  12\n')
    told = message_on(Difference(transcript, 1, 'differs', b'11  2\n'))
    assert 'hint' not in told
    assert 'only the blanks differ' in message_on(Difference(transcript, 1, 'differs', b'1 12\n'))


LONG = 'How many stones (from 1 to 2) will you remove, Sally? (or press Enter for a mystery value)'


@each('expected, printed', [
    ('TURN: B', 'TURN: W'), ('VALID', ''), ('B: 2  W: 2', 'B: 2 W: 2'), ('INVALID', 'INVALID  '),
    (LONG, LONG.replace('2', '3')), (LONG, LONG.replace('value', 'number')), (LONG, LONG + ':'),
    (LONG, LONG + '  '), (LONG + ': ', LONG + ':'), (LONG, 'INVALID'), (LONG * 3, LONG * 2),
    ('*' * 68, '*' * 67), ('*' * 69, '*' * 70)])
def test_the_caret_is_below_the_first_difference_and_fits_into_a_terminal(expected, printed):
    one, other, caret = map(str, compare(expected + '\n', printed + '\n' * bool(printed)))
    column = len(caret) - 1
    assert max(map(len, (one, other, caret))) <= COLUMNS
    assert one[column:column + 1] != other[column:column + 1]
    assert one[12:column] == other[12:column]


# What a board tells.

BOARD = '''$ othello_console.py
|FULL
4
|B: 3  W: 2
|W B . .
|. B W .
|. W B .
|. . . .
|TURN: B
1 4
|INVALID
2 4
|VALID
|B: 5  W: 1
|W B . .
|. B B B
|. W B .
|. . . .
|TURN: W
'''
SEEN = BOARD.split('2 4\n')[1].replace('\n|', '\n')[1:]


def board_hint(step, printed, typed=None):
    text = BOARD if typed is None else BOARD.replace('1 4', typed)
    return message_on(Difference(Transcript('a.txt', text), step, 'differs', printed.encode())
                    ).splitlines()[-1]


@each('typed, reason', [
    ('0 3', 'there is no row 0'), ('3 5', 'there is no column 5'), ('-1 9', 'there is no row -1'),
    ('2 2', 'row 2, column 2 is not empty'), ('4 4', 'B turns over no disc there'),
    ('2', 'a move is two integers with a blank between them'),
    ('b 3', 'a move is two integers with a blank between them')])
def test_hint_says_why_a_move_is_not_legal(typed, reason):
    assert board_hint(2, 'VALID\n', typed) == f'  hint: this move is not legal here: {reason}'


def test_hint_says_whose_turn_it_is():
    turn = BOARD.split('2 4')[0].split('4\n', 1)[1].replace('|', '').rpartition('1 4')[0]
    black, white = (f'  hint: {color} can move to row 1, column 3' for color in 'BW')
    assert board_hint(1, turn.replace('TURN: B', 'TURN: W')) == black
    assert board_hint(1, turn.replace('TURN: B', 'WINNER: B')) == black
    assert board_hint(3, SEEN.replace('TURN: W', 'TURN: B')) == white


def test_hint_says_that_a_player_has_no_move():
    transcript = Transcript('a.txt', '$ othello_console.py\n3\n|B W .\n|B W .\n|TURN: B\n')
    told = message_on(Difference(transcript, 1, 'differs', b'B W .\nB W .\nTURN: W\n'))
    assert told.splitlines()[-1] == '  hint: W has no legal move here'


def test_hint_says_which_discs_should_be_turned_over():
    fewer = SEEN.replace('B: 5  W: 1', 'B: 4  W: 2').replace('. B B B', '. B W B')
    assert board_hint(3, fewer) == '  hint: turn over the disc at row 2, column 3'
    more = SEEN.replace('B: 5  W: 1', 'B: 6  W: 0').replace('W B . .', 'B B . .')
    assert board_hint(3, more) == '  hint: do not turn over the disc at row 1, column 1'
    both = SEEN.replace('W B . .', 'B W . .').replace('. B B B', '. B W B')
    assert board_hint(3, both).endswith(
        'do not turn over the disc at row 1, column 1; '
        'do not turn over the disc at row 1, column 2; turn over the disc at row 2, column 3')
    elsewhere = SEEN.replace('. B B B', '. B B .').replace('. . . .', '. . . B')
    assert board_hint(3, elsewhere) == ('  hint: the disc of the move, B, must be at row 2, '
                                        'column 4; row 4, column 4 must be empty')
    lost = SEEN.replace('W B . .', 'W . . .')
    assert board_hint(3, lost) == '  hint: the disc B at row 1, column 2 is missing'


def test_hint_says_what_the_board_of_the_input_is():
    first = BOARD.split('4\n', 1)[1].split('1 4')[0].replace('|', '')
    wrong = first.replace('W B . .', '. B B .')
    assert board_hint(1, wrong) == (
        '  hint: the input has W at row 1, column 1, not an empty cell; '
        'the input has an empty cell at row 1, column 3, not B')
    assert board_hint(1, first.replace('B: 3', 'B: 2')) == (
        '  hint: the board is right, but its discs are counted wrongly')
    assert 'hint' not in board_hint(1, first.replace('B: 3  W: 2', 'VALID'))


WIPED = '''$ othello_console.py
>
|B: 1  W: 1
|B W .
|. . .
|TURN: B
1 3
|VALID
|B: 3  W: 0
|B B B
|. . .
|WINNER: B
'''
STUCK = WIPED.replace('W .', 'W . W .').replace('. . .', '. . . . .')


@each('text, hint', [
    (BOARD, 'B at row 2, column 4 turns over the disc at row 2, column 3'),
    (BOARD.replace('. B W .', 'B W W .'),
     'B at row 2, column 4 turns over 2 discs, one at row 2, column 3'),
    (STUCK.replace('WINNER', 'TURN'), 'B at row 1, column 3 turns over the disc at row 1, column 2;'
                                      ' then W has no legal move'),
    (WIPED, 'B at row 1, column 3 turns over the disc at row 1, column 2; '
            'then neither player can move: the game is over'),
    (BOARD.replace('2 4', '4 4'), ''), (BOARD.replace('2 4', '9 9'), '')])
def test_hint_says_what_a_legal_move_does(text, hint):
    transcript = Transcript('a.txt', text)
    step = next(number for number, step in enumerate(transcript.steps)
                if step.printed and step.printed[0].text == 'VALID')
    told = message_on(Difference(transcript, step, 'differs', b'INVALID\n')).splitlines()[-1]
    assert told == '  hint: this move is legal here' + (hint and f': {hint}')


@each('due, printed, hint', [
    ('B', 'W', 'B has 3 discs, W has 0; in this session the player with the most discs wins (>)'),
    ('W', 'NONE',
     'B has 3 discs, W has 0; in this session the player with the fewest discs wins (<)')])
def test_hint_says_why_a_player_has_won(due, printed, hint):
    text = WIPED.replace('WINNER: B', f'WINNER: {due}')
    shown = text.split('1 3\n')[1].replace('|', '').replace(f'WINNER: {due}', f'WINNER: {printed}')
    told = message_on(Difference(Transcript('a.txt', text), 2, 'differs', shown.encode()))
    assert told.splitlines()[-1] == f'  hint: {hint}'


def test_hint_says_that_nobody_has_won():
    transcript = Transcript('a.txt', '$ othello_console.py\n4\n|B . .\n|W . .\n|WINNER: NONE\n')
    told = message_on(Difference(transcript, 1, 'differs', b'B . .\nW . .\nWINNER: B\n'))
    assert told.endswith('  hint: both players have 1 discs: there is no winner')


def test_a_loop_at_the_end_of_the_game_is_told_as_such():
    difference = Difference(Transcript('a.txt', WIPED), 2, 'silent', b'VALID\n')
    assert what_happens(explained_example(difference)) == (
        'neither prints nor ends where output is expected')
    told = message_on(difference)
    assert 'hint: neither player can move: the game is over; the program neither prints' in told
    shown = WIPED.split('1 3\n')[1].replace('|', '')
    told = message_on(Difference(Transcript('a.txt', WIPED), 2, 'differs', f'\n{shown}'.encode()))
    assert told.endswith('  hint: an empty line too many')


def test_an_answer_may_be_to_an_earlier_line():
    transcript = Transcript('a.txt', '$ nim_console.py stones\n|Hello\nTim\n12\nTom\n|Welcome.\n')
    told = message_on(Difference(transcript, 3, 'differs', b'INVALID\n'))
    assert told.endswith('  hint: this may be the answer to any of lines 3 to 5')
    assert 'any of' not in message_on(Difference(transcript, 1, 'differs', b'INVALID\n'))


# What a recorded game tells.

def test_each_recorded_game_that_is_invalid_has_a_reason():
    for path in sorted((ROOT / 'transcripts' / 'nim' / 'recorded').glob('*.txt')):
        transcript = Transcript.read(path)
        is_invalid = transcript.output == 'Invalid Game.\n'
        assert bool(why_invalid(transcript.inputs)) is is_invalid, path


@each('lines, why', [
    ('3;2 1;2 0;1 1;1', ''),
    ('3;2', 'there is no line with the piles'),
    ('3 1;2', 'line 1 of the input must be two integers with ; between them'),
    ('3;2 1;x', 'line 2 of the input must be integers with ; between them'),
    ('0;2 0;0', 'both numbers in line 1 of the input must be 1 or more'),
    ('3;3 1;2', 'line 1 of the input says 3 piles, line 2 has 2'),
    ('3;2 4;-1', 'no pile may be below 0'),
    ('4;2 1;2', 'line 1 of the input says 4 tokens, the piles have 3'),
    ('3;2 1;2 0;1;1', 'line 3 of the input must be two integers with ; between them'),
    ('3;2 1;2 2;1', 'line 3 of the input: there is no pile 2'),
    ('3;2 1;2 0;1 1;0', 'line 4 of the input: a player takes at least 1 token'),
    ('3;2 1;2 0;1 1;3', 'line 4 of the input: pile 1 has only 2'),
    ('3;2 1;2 0;1 1;2', 'line 4 of the input: no token would be left'),
    ('3;2 1;2', '3 tokens are left at the end, not 1')])
def test_hint_says_why_a_recorded_game_is_invalid(lines, why):
    assert why_invalid(lines.split()) == why


def test_a_program_that_prints_before_it_checks_is_told_so():
    transcript = Transcript('a.txt', '$ nim_console.py recorded\n3;2\n1;2\n|Invalid Game.\n')
    why = 'this recorded game is invalid: 3 tokens are left at the end, not 1'
    for printed, hint in [('Starting State:\n1  2\n', why), (
            'Starting State:\n1  2\nInvalid Game.\n',
            f'{why}; print this line alone, not even the starting state')]:
        told = message_on(Difference(transcript, 2, 'differs', printed.encode()))
        assert told.splitlines()[-1] == f'  hint: {hint}'


# What the error of a crash means.

@each('error, meaning', [
    ('IndexError: list index out of range', 'there is nothing at this index'),
    ('IndexError: list assignment index out of range', 'there is nothing at this index'),
    ("TypeError: 'NoneType' object is not iterable", 'a value is None here'),
    ("TypeError: object of type 'NoneType' has no len()", 'a value is None here'),
    ("AttributeError: 'NoneType' object has no attribute 'row'", 'a value is None here'),
    ("TypeError: unsupported operand type(s) for -: 'str' and 'int'", 'one value is a text'),
    ("TypeError: '<' not supported between instances of 'int' and 'str'", 'one value is a text'),
    ('TypeError: list indices must be integers or slices, not str', 'the index is a text'),
    ("ValueError: invalid literal for int() with base 10: 'x'", 'int() gets a text'),
    ('ValueError: not enough values to unpack (expected 2, got 1)', 'there are not as many values'),
    ("UnboundLocalError: local variable 'turn' referenced before assignment", 'this name has no'),
    ('RecursionError: maximum recursion depth exceeded', 'a function calls itself too often'),
    ("KeyError: 'x'", ''), ('IndexError: pop from empty list', '')])
def test_the_meaning_of_an_error(error, meaning):
    told = message(2, 'ended', status=1, errors=TRACEBACK.replace(
        'IndexError: list index out of range', error).encode())[-1]
    assert told.startswith(f'  hint: {meaning}' if meaning else '  in ')


def test_an_error_that_the_author_raises_means_what_the_author_says():
    errors = TRACEBACK.replace('return self.cells[row][column]', 'raise IndexError("list index '
                               'out of range")')
    assert message(2, 'ended', status=1, errors=errors.encode())[-1].startswith('  in ')


def test_a_function_that_calls_itself_without_end_is_told_by_the_line_that_calls():
    call = '  File "/tmp/submission/a.py", line 7, in turn\n    turn()\n'
    deepest = '  File "/tmp/submission/a.py", line 3, in has\n    for row in rows:\n'
    errors = f'Traceback (most recent call last):\n{call * 3}{deepest}RecursionError: too deep\n'
    assert crash_of(errors) == ['  crash    |RecursionError: too deep',
                                '  in       |a.py, line 7: turn()']
