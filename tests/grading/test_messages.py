"""Messages in a terminal: crashes are shown with a line of the program, and hints are certain."""

import sys
from dataclasses import replace
from unittest import mock

import pytest
from graders import FAST, run_grader_here, submission
from pages import PASSED, example, failed, finding, not_run, played_wrong, results_of
from programs import changed, read_sample
from running import rest_long
from sandboxes import bounded

from grading.cli.grade_command import progress
from grading.diagnosis.crash import crash_at
from grading.diagnosis.hints import LOOPS, SLOW, explained_example
from grading.diagnosis.printing import WAYS, fitting_first
from grading.diagnosis.protocol import Protocol
from grading.diagnosis.what_happens import what_happens
from grading.games import game_of
from grading.games.nim.hints import why_invalid
from grading.installation import ROOT
from grading.printable import status_in_words
from grading.reports.messages import Fact, compare, describe
from grading.reports.text import TERMINAL_COLUMNS, fit, line, report, wrap
from grading.results import Crash, Place
from grading.sessions.transcript import parse, read_session

TEXT = """$ othello_console.py
|FULL
4
|B: 2  W: 2
|. B W .
|TURN: B
1 1
|INVALID
"""
TRANSCRIPT = parse(TEXT, 'a.txt')
TRACEBACK = """Traceback (most recent call last):
  File "/tmp/submission/othello_console.py", line 9, in <module>
    play()
  File "/tmp/submission/pieces/board.py", line 31, in flips
    return self.cells[row][column]
           ~~~~~~~~~~^^^^^
  File "/usr/lib/python3.11/enum.py", line 5, in get
    raise KeyError(name)
IndexError: list index out of range
"""


def message_on(played):
    """Return the message for the author of a program that fails a session."""
    return describe(explained_example(played, game_of(played.session)))


def message(step, kind, printed=b'', **facts):
    return message_on(
        played_wrong(TRANSCRIPT, step, kind, printed, **{'folder': '/tmp/submission', **facts})
    ).splitlines()


def hint_of(text, step, printed, kind='differs', **facts):
    """Return the hint at the end of the message about a failed session, or ''."""
    shown = message_on(played_wrong(parse(text, 'a.txt'), step, kind, printed.encode(), **facts))
    return shown.partition('  hint: ')[2]


CELL = '  in       |pieces/board.py, line 31: return self.cells[row][column]'
OUT_OF_RANGE = ['  crash    |IndexError: list index out of range', CELL]
CALL = '  File "/tmp/submission/a.py", line 7, in turn\n    turn()\n'
CRASHES = {  # for each standard error: the lines about the crash
    "the author's last line": (TRACEBACK, OUT_OF_RANGE),
    'a relative path': (TRACEBACK.replace('/tmp/submission/', ''), OUT_OF_RANGE),
    'a syntax error': (
        '  File "/tmp/submission/othello.py", line 3\n    while True\n              ^\n'
        "SyntaxError: expected ':'\n",
        ["  crash    |SyntaxError: expected ':'", '  in       |othello.py, line 3: while True'],
    ),
    'a function that calls itself without end': (
        f'Traceback (most recent call last):\n{CALL * 3}  File "/tmp/submission/a.py", line 3, in '
        'has\n    for row in rows:\nRecursionError: too deep\n',
        ['  crash    |RecursionError: too deep', '  in       |a.py, line 7: turn()'],
    ),
    'nothing': ('', []),
    'no traceback': ('Killed\n', []),
    "none of the author's lines": (TRACEBACK.replace('/tmp/submission', '/opt'), []),
    'bytes': ('\xff\0\n' * 9, []),
    'no error': ('  File "/tmp/submission/a.py", line 3\n', []),
}


@pytest.mark.parametrize(('errors', 'shown'), CRASHES.values())
def test_a_crash_is_shown_by_the_last_line_of_the_program(errors, shown):
    lines = message(2, 'ended', status=1, errors=errors.encode())
    assert [line for line in lines if line.startswith(('  crash', '  in'))] == shown


MANY = 1 << 15


@pytest.mark.parametrize(
    'errors',
    rest_long(
        [
            'Exception in thread "x" ' + 'a.' * MANY,
            'Exception in thread "x" E\n' * MANY,
            'Exception in thread "x" E\n' + '\tat java.x(y)\n' * MANY,
            'panic: x\n' * MANY,
            'a.js:1\nx\nx\n' * MANY,
            'panicked at x.rs:1' * MANY,
            'x.c:1: ' * MANY,
            'a.' * MANY,
            'Error: x\n' + '    at /x.js:1' * MANY,
            'Error: x\n' * MANY + '    at x\n',
            '==1==ERROR: AddressSanitizer: ' + ' on address' * MANY,
            '==1==ERROR: AddressSanitizer: x\n' + ' #1 x in ' + ' /x:1' * MANY,
            '  File "a.py", line 1\n' * MANY + 'RecursionError',
        ],
        5,
    ),
)
def test_the_time_for_a_crash_is_linear_in_its_length(errors):
    """If the time grew with the square of the length, this test would never end."""
    with bounded():
        crash_at(played_wrong(parse('|x\n', 'a'), 0, 'ended', status=1, errors=errors.encode()))


@pytest.mark.parametrize('kind', ['differs', 'silent', 'not ended', 'trickles'])
def test_a_crash_that_did_not_cause_the_failure_is_not_shown(kind):
    assert 'IndexError' not in '\n'.join(message(2, kind, b'VALID\n', errors=TRACEBACK.encode()))


HINTS = {
    (0, 'differs', b'FULL\r\n'): r'the program ends lines with \r\n instead of \n',
    (0, 'differs', b'FULL  \n'): '2 spaces too many at the end of the line',
    (0, 'differs', b'Full\n'): 'only the capitalization differs',
    (0, 'differs', b'\nFULL\n'): '1 empty line too many',
    (0, 'ended', b'FULL'): 'the newline is missing at the end of the line',
    (
        0,
        'differs',
        b'FULL\nRows: ',
    ): 'the program prints a prompt, "Rows: "; no prompt is expected here',
    (1, 'differs', b'B: 2 W: 2\n'): 'only the spaces differ',
    (1, 'differs', b'B: 2  W: 2\nTURN: B\n'): '1 line missing here',
    (1, 'differs', b'Black!\nB: 2  W: 2\n. B W .\nTURN: B\n'): '1 line too many here',
    (2, 'differs', b'VALID\n'): 'this move is not legal here',
    (2, 'differs', b'Move? INVALID\n'): '"Move? " is printed before the line; print only the line',
    (
        2,
        'differs',
        b'INVALID\nB: 2  W: 2\n',
    ): 'print nothing after INVALID: the next line of input is the next move',
    (
        2,
        'differs',
        b'INVALID\nBye\n',
    ): 'this comes after the last expected line: print nothing more',
}


@pytest.mark.parametrize(('step', 'kind', 'printed'), HINTS)
def test_hint(step, kind, printed):
    assert message(step, kind, printed)[-1] == '  hint: ' + HINTS[step, kind, printed]


def test_a_free_prompt_with_two_lines_gets_a_hint_about_its_lines():
    """A free prompt may have any words, so the hint is only about its number of lines."""
    printed = 'Two numbers.\nNumbers? '
    hint = 'a prompt can have any wording, but must be a single line'
    assert hint_of('# prompts: free\n3 4\n|7\n', 0, printed) == hint


@pytest.mark.parametrize(
    ('step', 'kind', 'printed'),
    [
        (0, 'differs', b'ready\n'),
        (1, 'differs', b'B: 3  W: 1\n. B W .\nTURN: B\n'),
        (1, 'differs', b'B: 2  W: 2\n. W B .\nTURN: B\n'),
        (2, 'ended', b''),
        (1, 'differs', b'B: 2  W: 2\nTURN: W\n'),
        (1, 'silent', b'B: 2  W: 2\n'),
    ],
)
def test_hints_that_are_not_certain_are_not_given(step, kind, printed):
    assert not any('hint' in line for line in message(step, kind, printed, status=0))


@pytest.mark.parametrize(
    ('kind', 'printed', 'hint'),
    [('silent', b'', True), ('silent', b'B: 2  W: 2\n', True), ('ended', b'', False)],
)
def test_an_endless_loop_gets_a_hint(kind, printed, hint):
    assert any(SLOW in line for line in message(1, kind, printed)) is hint


def test_the_hint_names_the_end_of_input_only_if_input_has_ended():
    played = played_wrong(TRANSCRIPT, 1, 'silent')
    assert explained_example(played).hint == SLOW
    played.dialogue.turns[-1].ends_input = True
    assert explained_example(played).hint == LOOPS


# Late output and the last errors show what a program waited for

LATE_CRASH = TRACEBACK.replace('IndexError: list index out of range', "ValueError: bad: 'B'")
END_OF_INPUT = TRACEBACK.replace('IndexError: list index out of range', 'EOFError: no line')


@pytest.mark.parametrize(
    ('step', 'kind', 'printed', 'facts', 'last'),
    [
        (
            2,
            'ended',
            b'',
            {'status': 3, 'errors': b'one\ntwo\n\x1b[2Jthree\nno row -1\n'},
            ['  stderr   |two', '  stderr   |\\x1b[2Jthree', '  stderr   |no row -1'],
        ),
        (
            2,
            'differs',
            b'\n',
            {'errors': b'INVALID\n'},
            ['  hint: this line was printed to standard error, not to standard output'],
        ),
        (
            2,
            'ended',
            b'',
            {'status': 0, 'errors': b'INVALID\n'},
            [
                '  stderr   |INVALID',
                '  hint: this line was printed to standard error, not to standard output',
            ],
        ),
        (
            1,
            'silent',
            b'',
            {'late': b'Hm\n'},
            [
                '  hint: the program is waiting for a line of input here, but should print something first'
            ],
        ),
        (
            0,
            'silent',
            b'',
            {'status': 1, 'errors': LATE_CRASH.encode()},
            [
                "  crash    |ValueError: bad: 'B'",
                CELL,
                '  hint: the program is waiting for a line of input here, but should print something first; it crashed '
                'only when it got the rest of the input',
            ],
        ),
    ],
)
def test_standard_error_and_late_output_are_shown(step, kind, printed, facts, last):
    assert message(step, kind, printed, **facts)[-len(last) :] == last


@pytest.mark.parametrize(
    ('step', 'kind', 'is_shown'),
    [(2, 'not ended', True), (2, 'silent', True), (0, 'silent', False)],
)
def test_an_eoferror_is_shown_if_it_explains_the_failure(step, kind, is_shown):
    lines = message(step, kind, status=1, errors=END_OF_INPUT.encode())
    assert (
        lines[-3:-1] == ['  crash    |EOFError: no line', CELL.replace('in      ', 'reads in')]
    ) is is_shown
    assert ('EOFError' in '\n'.join(lines)) is is_shown


LONG = 'How many stones (from 1 to 2) will you remove, Sally? (or press Enter for a mystery value)'


@pytest.mark.parametrize(
    ('expected', 'printed'),
    [
        ('TURN: B', 'TURN: W'),
        ('VALID', ''),
        ('B: 2  W: 2', 'B: 2 W: 2'),
        ('INVALID', 'INVALID  '),
        (LONG, LONG.replace('2', '3')),
        (LONG, LONG.replace('value', 'number')),
        (LONG, LONG + ':'),
        (LONG, LONG + '  '),
        (LONG + ': ', LONG + ':'),
        (LONG, 'INVALID'),
        (LONG * 3, LONG * 2),
        ('*' * 68, '*' * 67),
        ('*' * 69, '*' * 70),
    ],
)
def test_the_caret_is_below_the_first_difference_and_fits_into_a_terminal(expected, printed):
    rows = compare(f'{expected}\n', f'{printed}\n' if printed else '')
    first, *more, other, caret = map(str, rows)
    column = len(caret) - 1
    assert max(map(len, (first, *more, other, caret))) <= TERMINAL_COLUMNS
    assert first[column : column + 1] != other[column : column + 1]
    assert first[12:column] == other[12:column]


# Hints from the expected and the printed lines

BOARD = """$ othello_console.py
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
"""
SEEN = BOARD.split('2 4\n')[1].replace('\n|', '\n')[1:]


def with_move(typed):
    """Return the session with another illegal move instead of 1 4."""
    return BOARD.replace('1 4', typed)


FIRST = BOARD.split('4\n', 1)[1].split('1 4')[0].replace('|', '')
HERE = 'this move is not legal here: '
TWO_INTEGERS = 'a move must be two integers with a space between them'
WIPED = """$ othello_console.py
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
"""
AFTER_PASS = """$ othello_console.py
|TURN: W
1 1
|VALID
|B: 5  W: 3
|W W W .
|. B B .
|. B B B
|. . . .
|TURN: W
3 1
|VALID
|B: 4  W: 5
|W W W .
|. W B .
|W B B B
|. . . .
|TURN: B
"""
STUCK = WIPED.replace('W .', 'W . W .').replace('. . .', '. . . . .')
LAST = WIPED.split('1 3\n')[1].replace('|', '')  # the expected output after the last move
INVALID = '$ nim_console.py recorded\n3;2\n1;2\n|Invalid Game.\n'
STARTING = 'Starting State:\n1  2\n'
LEFT = 'this recorded game is invalid: 3 tokens are left at the end; exactly 1 must be left'
OF_STONES = '$ nim_console.py stones\n|Hello\nTim\n12\nTom\n|Welcome.\n'


@pytest.mark.parametrize(
    ('text', 'step', 'printed', 'hint'),
    [
        # Why a move is not legal.
        (with_move('3 5'), 2, 'VALID\n', f'{HERE}there is no column 5'),
        (with_move('-1 9'), 2, 'VALID\n', f'{HERE}there is no row -1'),
        (with_move('2 2'), 2, 'VALID\n', f'{HERE}row 2, column 2 is not empty'),
        (with_move('2'), 2, 'VALID\n', HERE + TWO_INTEGERS),
        (with_move('b 3'), 2, 'VALID\n', HERE + TWO_INTEGERS),
        # Whose turn it is.
        (
            BOARD,
            1,
            FIRST.replace('TURN: B', 'TURN: W'),
            "it is B's turn: B can move to row 1, column 3",
        ),
        (
            BOARD,
            1,
            FIRST.replace('TURN: B', 'WINNER: B'),
            'the game is not over: B can move to row 1, column 3',
        ),
        (
            BOARD,
            3,
            SEEN.replace('TURN: W', 'TURN: B'),
            "it is W's turn: W can move to row 1, column 3",
        ),
        (
            AFTER_PASS,
            2,
            AFTER_PASS.split('3 1\n')[1].replace('|', '').replace('TURN: B', 'TURN: W'),
            "it is B's turn: B can move to row 2, column 1; "
            'B had to pass on the previous turn, but not on this one',
        ),
        # Which discs should be flipped.
        (
            BOARD,
            3,
            SEEN.replace('B: 5  W: 1', 'B: 6  W: 0').replace('W B . .', 'B B . .'),
            'do not flip the disc at row 1, column 1: it is not in line with the move',
        ),
        (
            BOARD,
            3,
            SEEN.replace('W B . .', 'B W . .').replace('. B B B', '. B W B'),
            'do not flip the disc at row 1, column 1: it is not in line with the move; '
            'do not flip the disc at row 1, column 2: it is not in line with the move; '
            'flip the disc at row 2, column 3',
        ),
        (
            BOARD,
            3,
            SEEN.replace('. B B B', '. B B .').replace('. . . .', '. . . B'),
            'the new B disc must be at row 2, column 4; row 4, column 4 must be empty',
        ),
        (BOARD, 3, SEEN.replace('W B . .', 'W . . .'), 'the B disc at row 1, column 2 is missing'),
        # The board in the input.
        (
            BOARD,
            1,
            FIRST.replace('W B . .', '. B B .'),
            'the input has W at row 1, column 1, but your board has an empty cell; '
            'the input has an empty cell at row 1, column 3, but your board has B',
        ),
        (
            BOARD,
            1,
            FIRST.replace('. B W .', '. B B B').replace('B: 3  W: 2', 'B: 5  W: 1'),
            'the board shows one extra move, B to row 2, column 4; looking for moves must not change the board',
        ),
        (BOARD, 1, FIRST.replace('B: 3  W: 2', 'VALID'), ''),
        # The effect of a legal move.
        *(
            (text, step, 'INVALID\n', f'this move is legal here{hint}')
            for text, step, hint in [
                (BOARD, 3, ': B at row 2, column 4 flips the disc at row 2, column 3'),
                (
                    BOARD.replace('. B W .', 'B W W .'),
                    3,
                    ': B at row 2, column 4 flips 2 discs (one at row 2, column 3)',
                ),
                (
                    STUCK.replace('WINNER', 'TURN'),
                    2,
                    ': B at row 1, column 3 flips the disc at row 1, '
                    'column 2; after that, W has no legal move',
                ),
                (
                    WIPED,
                    2,
                    ': B at row 1, column 3 flips the disc at row 1, column 2; '
                    'after that, neither player can move: the game is over',
                ),
                (BOARD.replace('2 4', '4 4'), 3, ''),
                (BOARD.replace('2 4', '9 9'), 3, ''),
            ]
        ),
        # Who has won.
        (
            WIPED,
            2,
            LAST.replace('WINNER: B', 'WINNER: W'),
            'B has 3 discs and W has 0; in this session the player with more discs wins (>)',
        ),
        (
            WIPED.replace('WINNER: B', 'WINNER: W'),
            2,
            LAST.replace('WINNER: B', 'WINNER: NONE'),
            'B has 3 discs and W has 0; in this session the player with fewer discs wins (<)',
        ),
        ('$ othello_console.py\n|WINNER: B\n', 0, 'WINNER: Black\n', ''),
        # Which input line is answered.
        (
            OF_STONES,
            3,
            'INVALID\n',
            'no output is expected between line 3 and line 5: check that the program prints nothing there',
        ),
        (
            OF_STONES,
            1,
            'INVALID\n',
            '1 line too many in the output: here, the program must read the next line of input',
        ),
        # A program that prints before it checks.
        (INVALID, 2, STARTING, LEFT),
        (
            INVALID,
            2,
            f'{STARTING}Invalid Game.\n',
            f'{LEFT}; print only "Invalid Game.", without the starting state',
        ),
        # The first line differs not only in its spaces, but also in its digits.
        ('$ nim_console.py recorded\n3\n|1  12\n', 1, '11  2\n', ''),
        ('$ nim_console.py recorded\n3\n|1  12\n', 1, '1 12\n', 'only the spaces differ'),
    ],
)
def test_hint_about_the_expected_output(text, step, printed, hint):
    assert hint_of(text, step, printed) == hint


def test_prompt_without_its_space():
    text = '$ nim_console.py piles --prompts\n|Which pile? \\\n1\n|End\n'
    assert hint_of(text, 0, 'Which pile?', 'silent', late=b'End\n') == (
        '1 space missing at the end of the line'
    )


def test_a_loop_at_the_end_of_the_game_gets_its_own_hint():
    played = played_wrong(parse(WIPED, 'a.txt'), 2, 'silent', b'VALID\n')
    assert what_happens(played, explained_example(played)) == (
        'hangs where output is expected: it neither prints nor ends'
    )
    assert hint_of(WIPED, 2, 'VALID\n', 'silent').startswith(
        'neither player can move: the game is over; the program neither prints'
    )


def test_an_end_before_the_answer_to_a_move_is_not_the_end_of_the_game():
    assert hint_of(WIPED, 2, '', 'ended') == ''


def test_a_headline_quotes_the_line_of_its_example():
    """The headline does not quote a later wrong line, even if that line has words."""
    session = parse('$ a.py\n3\n|. .\n|WINNER: NONE\n', 'a.txt')
    played = played_wrong(session, 1, 'differs', b'. . \nTurn:  W\n')
    assert what_happens(played, explained_example(played)) == 'prints ". .\xb7" instead of ". ."'


def test_a_headline_says_what_is_missing():
    played = played_wrong(parse('$ a.py\n3\n|One\n|Two\n', 'a.txt'), 1, 'differs', b'One\n')
    assert (
        what_happens(played, explained_example(played)) == 'prints nothing where "Two" is expected'
    )


WORDS, LEFT_OUT = (
    next(known for known in WAYS if known.id == name) for name in ('words', 'missing-lines')
)


@pytest.mark.parametrize(
    ('known', 'examples', 'fitting'),
    [
        (
            WORDS,
            ['"Score" instead of "COUNT"', '"Turn" instead of "TURN"'],
            ['"Turn" instead of "TURN"', '"Score" instead of "COUNT"'],
        ),
        (WORDS, ['"Score" instead of "COUNT"'], ['"Turn" instead of "TURN"']),
        (LEFT_OUT, ['FULL\n', 'TURN: B\n'], ['TURN: B\n', 'FULL\n']),
    ],
)
def test_a_headline_begins_with_what_its_example_shows(known, examples, fitting):
    """Words in the example come before other words, or replace them."""
    session = parse('$ a.py\n3\n|TURN: B\n', 'a.txt')
    played = played_wrong(session, 1, 'differs', b'Turn: B\n')
    protocol = Protocol.of([session])
    assert fitting_first(known, examples, played.wrong_line, protocol) == fitting


def test_a_headline_quotes_the_words_inside_a_frame():
    framed = '$ a.py\n3\n|***\n|*a*\n|***\n'
    played = played_wrong(parse(framed, 'a.txt'), 1, 'differs', b'****\n*bc*\n****\n')
    assert what_happens(played, explained_example(played)) == 'prints "*bc*" instead of "*a*"'


# Hints about recorded games


def test_each_recorded_game_that_is_invalid_has_a_reason():
    for path in sorted((ROOT / 'transcripts' / 'nim' / 'recorded').glob('*.txt')):
        transcript = read_session(path)
        is_invalid = transcript.output == 'Invalid Game.\n'
        assert bool(why_invalid(transcript.inputs)) is is_invalid, path


@pytest.mark.parametrize(
    ('lines', 'why'),
    [
        ('3;2 1;2 0;1 1;1', ''),
        ('3;2', 'line 2, with the piles, is missing'),
        ('3 1;2', 'line 1 of the input must be two integers with ; between them'),
        ('3;2 1;x', 'line 2 of the input must be integers with ; between them'),
        ('0;2 0;0', 'both numbers in line 1 of the input must be at least 1'),
        ('3;3 1;2', 'the number of piles is 3 in input line 1, but 2 in line 2'),
        ('3;2 4;-1', 'no pile may have fewer than 0 tokens'),
        ('4;2 1;2', 'the number of tokens is 4 in input line 1, but 3 in line 2'),
        ('3;2 1;2 0;1;1', 'line 3 of the input must be two integers with ; between them'),
        ('3;2 1;2 2;1', 'there is no pile 2 (line 3 of the input)'),
        ('3;2 1;2 0;1 1;0', 'a player must take at least 1 token (line 4 of the input)'),
        ('3;2 1;2 0;1 1;3', 'pile 1 has only 2 tokens (line 4 of the input)'),
        ('3;2 1;2 0;1 1;2', 'no tokens would be left (line 4 of the input)'),
        ('3;2 1;2', '3 tokens are left at the end; exactly 1 must be left'),
    ],
)
def test_hint_says_why_a_recorded_game_is_invalid(lines, why):
    assert why_invalid(lines.split()) == why


# Hints about the error of a crash


@pytest.mark.parametrize(
    ('error', 'meaning'),
    [
        ('IndexError: list index out of range', 'there is nothing at this index'),
        ('IndexError: list assignment index out of range', 'there is nothing at this index'),
        ("TypeError: 'NoneType' object is not iterable", 'a value is None here'),
        ("TypeError: object of type 'NoneType' has no len()", 'a value is None here'),
        ("AttributeError: 'NoneType' object has no attribute 'row'", 'a value is None here'),
        (
            "TypeError: unsupported operand type(s) for -: 'str' and 'int'",
            'a string and an integer cannot be combined or compared',
        ),
        (
            "TypeError: '<' not supported between instances of 'int' and 'str'",
            'a string and an integer cannot be combined or compared',
        ),
        (
            "TypeError: can't multiply sequence by non-int of type 'str'",
            'a list or string cannot be multiplied',
        ),
        (
            'TypeError: can only concatenate str (not "int") to str',
            'only strings can be added',
        ),
        ("TypeError: 'int' object is not iterable", 'the value is a number here'),
        (
            "TypeError: 'str' object does not support item assignment",
            'the characters of a string cannot be changed',
        ),
        (
            'TypeError: f() takes 1 positional argument but 2 were given',
            'the call has more arguments',
        ),
        (
            "TypeError: f() missing 1 required positional argument: 'x'",
            'the call has fewer arguments',
        ),
        ("NameError: name 'x' is not defined", 'no variable or function has this name'),
        ("ModuleNotFoundError: No module named 'numpy'", 'this module was not found'),
        ('TypeError: list indices must be integers or slices, not str', 'the index is a string'),
        (
            "ValueError: invalid literal for int() with base 10: 'x'",
            'the string passed to int() here is not an integer',
        ),
        (
            'ValueError: not enough values to unpack (expected 2, got 1)',
            'the number of values differs',
        ),
        (
            "UnboundLocalError: local variable 'turn' referenced before assignment",
            'this variable has no',
        ),
        (
            'RecursionError: maximum recursion depth exceeded',
            'a function calls itself too many times',
        ),
        ("KeyError: 'x'", ''),
        ('IndexError: pop from empty list', ''),
    ],
)
def test_the_meaning_of_an_error(error, meaning):
    shown = message(
        2,
        'ended',
        status=1,
        errors=TRACEBACK.replace('IndexError: list index out of range', error).encode(),
    )[-1]
    assert shown.startswith(f'  hint: {meaning}' if meaning else '  in ')


def test_an_error_that_the_program_raises_itself_gets_no_hint():
    errors = TRACEBACK.replace(
        'return self.cells[row][column]', 'raise IndexError("list index out of range")'
    )
    assert message(2, 'ended', status=1, errors=errors.encode())[-1].startswith('  in ')


# The report in a terminal

CRASH = 'crashes at x.py, line 3 (KeyError)'


def name(number):
    return f'transcripts/othello/s{number}.txt'


def shows(number, **about):
    """Return an example of a program printing W instead of B."""
    return example(name(number), **{'typed': None, 'lines': ('B\n', 'W\n'), **about})


def crash(*numbers, **about):
    return finding(
        *map(name, numbers),
        id='',
        sentence=CRASH,
        advice='',
        **{'example': shows(numbers[0]), **about},
    )


def lines_of(*tests, **about):
    return list(report(results_of(*tests, submission='doe', **about)))


def test_a_report_ends_with_what_to_fix_first_and_the_score():
    tests = [replace(PASSED, name=name(number)) for number in range(3)]
    tests += [failed(name(number)) for number in range(3, 30)]
    place = Place('x.py', 3, 4, 'print(1)\nprint(2)', 'printed by', ['s3'], 1, '')
    lines = lines_of(
        *tests,
        score=3,
        notes=['a note'],
        findings=[
            finding(
                name(3),
                name(4),
                points=2,
                places=[place],
                example=shows(3, typed='2 4', typed_line=11, lines=('B\n', 'W  \n'), hint='look'),
            ),
            crash(
                *range(5, 30),
                points=25,
                example=shows(
                    5,
                    kind='ended',
                    status=1,
                    lines=('B\n', ''),
                    crash=Crash('KeyError: 3', 'x.py', 3, 'y'),
                ),
            ),
        ],
    )
    assert lines == [
        'passed  3 sessions',
        'FAILED  2 sessions: one-run',
        '        s3, s4',
        'FAILED  25 sessions: crashes at x.py, line 3 (KeyError)',
        '        s5, s6, s7, s8, s9, s10, and 19 more',
        'note: a note',
        '',
        '2. The program crashes at x.py, line 3 (KeyError).',
        '   Seen in 25 sessions. Nothing else is wrong in these sessions (25 points).',
        '',
        'transcripts/othello/s5.txt:12: the program ended too early, with exit status 1',
        '  expected |B',
        '  printed  |    (nothing)',
        '            ^',
        '  crash    |KeyError: 3',
        '  in       |x.py, line 3: y',
        '',
        '1. The program flips discs in one direction only.',
        '   Look in all directions.',
        '   Seen in 2 sessions. Nothing else is wrong in these sessions (2 points).',
        '',
        'transcripts/othello/s3.txt:12: not the expected output',
        '  typed    |2 4    (line 11)',
        '  expected |B',
        '  printed  |W\N{MIDDLE DOT}\N{MIDDLE DOT}',
        '            ^',
        '  hint: look',
        '  printed by |x.py, lines 3 to 4: print(1)',
        '',
        'doe: othello, 3 of 30 points',
    ]


def test_names_of_sessions_fit_in_a_terminal():
    names = [f'transcripts/othello/{"long" * 9}-{number}.txt' for number in range(6)]
    lines = lines_of(
        replace(failed(names[0]), hidden=True), *map(failed, names[1:]), findings=[finding(*names)]
    )
    assert max(map(len, lines)) <= TERMINAL_COLUMNS
    assert '    session are hidden.' in lines


LONG_LINE = 'more and ' * 12


@pytest.mark.parametrize(('first', 'indent'), [('   Print', 3), ('12. The program', 4)])
def test_a_long_line_goes_on_below_its_beginning(first, indent):
    lines = wrap(f'{first} {LONG_LINE}', indent)
    assert max(map(len, lines)) <= TERMINAL_COLUMNS
    assert lines[0].startswith(f'{first} more')
    assert lines[1].startswith(f'{" " * indent}more')
    assert ' '.join(' '.join(lines).split()) == ' '.join(f'{first} {LONG_LINE}'.split())


def test_a_long_line_of_source_is_cut_but_output_is_not():
    for label in ('printed by ', 'ran        ', 'in'):
        (line,) = fit(Fact(label, f'othello.py, line 3: print({LONG_LINE})'))
        assert (len(line), line[-3:]) == (TERMINAL_COLUMNS, '...')
    for label in ('expected', 'printed', 'typed'):
        assert fit(Fact(label, LONG_LINE)) == [f'  {label:9}|{LONG_LINE}']
    assert fit(Fact('', f'{" " * 99}^')) == [f'{" " * 111}^']
    assert [part[:14] for part in fit(Fact('hint', LONG_LINE))] == [
        '  hint: more a',
        '        more a',
    ]
    assert [part[:14] for part in fit(Fact('crash', LONG_LINE))] == [
        '  crash    |mo',
        '            an',
    ]


@pytest.mark.parametrize(
    ('lines', 'expected'),
    [  # a report, and the lines it must contain
        (
            lines_of(replace(failed(name(0)), max_score=0), findings=[crash(0, points=0)]),
            ['   Seen in 1 session.'],
        ),
        (
            lines_of(failed(name(0)), findings=[crash(0, points=0), finding(name(0), points=0)]),
            ['   Seen in 1 session. Other faults show in this session, too.'] * 2,
        ),
        (
            lines_of(failed(name(0)), not_run(name(1)), findings=[crash(0, points=1)]),
            ['   Seen in 1 session. Nothing else is wrong in this session (1 point).'],
        ),
        # A session shown in no finding has a line of its own.
        (
            lines_of(failed(name(0)), failed(name(1))),
            [f'FAILED  {name(number)}:12: not the expected output' for number in range(2)],
        ),
        (
            lines_of(not_run(reason=f'the build failed:\n  build    |{LONG_LINE}')),
            [f'  build    |{LONG_LINE}'],
        ),
        (
            lines_of(*(not_run(name(number)) for number in range(9))),
            ['not run 9 sessions', 'a message'],
        ),
    ],
)
def test_lines_of_reports(lines, expected):
    assert [text for text in lines if text in expected] == expected, lines


@pytest.mark.parametrize(
    ('test', 'findings', 'expected'),
    [
        (failed(name(0)), [finding(name(0)), crash(0)], 'one-run'),
        (failed(name(0)), [crash(0)], CRASH),
        (
            failed(name(0)),
            [finding(name(0), id='', sentence='for example, prints "6"'), crash(0)],
            f'prints "6" (for example), {CRASH}',
        ),
        (not_run(reason='no program:\n  b'), [], 'no program'),
    ],
)
def test_the_line_for_a_submission_names_the_failure_or_why_nothing_ran(test, findings, expected):
    results = results_of(test, submission='doe', findings=findings)
    assert line(results) == f'doe: 0 of 1 points  {expected}'


@pytest.mark.parametrize(
    ('status', 'words'),
    [
        (0, 'exit status 0'),
        (3, 'exit status 3'),
        (128, 'exit status 128'),
        (-9, 'signal 9 (SIGKILL)'),
        (255, 'exit status 255'),
    ],
)
def test_a_signal_has_its_name(status, words):
    assert status_in_words(status) == words


@pytest.mark.parametrize(
    ('is_terminal', 'shown'),
    [(False, ''), (True, '\r\33[K1 of 28 sessions\r\33[K28 of 28 sessions\r\33[K')],
)
def test_progress_is_a_line_on_a_terminal(is_terminal, shown, capsys):
    with (
        mock.patch.object(sys.stderr, 'isatty', return_value=is_terminal),
        progress('sessions') as line,
    ):
        line.show(1, 28)
        line.show(28, 28)
    assert capsys.readouterr().err == shown


@pytest.mark.parametrize('prompts', ['as in the original', 'others'])
def test_prompts_of_the_original_assignment_have_an_option(prompts, tmp_path):
    """The report names --prompts only if the program prints exactly these prompts."""
    source = read_sample('piles')
    if prompts == 'others':
        source = changed(source, [('Which pile? ', 'Pile: ')])
    _, output, _ = run_grader_here(
        'grade', 'piles/prompt_free', submission(tmp_path, 'one', source), *FAST
    )
    output = ' '.join(output.split())
    assert 'prints prompts where none are expected: ' in output
    assert ('to grade with them, add --prompts' in output) == (prompts == 'as in the original')
