"""Programs in four styles, with faults of printing and of the game: each is named, no other.

`make diagnoses` tries two hundred, `make test` a few.
"""

import random

import pytest
import wrong_nim
from observing import findings, observe, run, seen_so_far
from test_diagnosis import (
    IS_WHOLE,
    SAMPLES,
    examine,
    faults_of,
    short_transcripts,
    transcripts,
)
from wrong_styles import GAME, OTHERS, PRINTING, STYLES

from grading.assignments.games import GAMES, game_of, transcripts_for
from grading.diagnosis.diagnose import diagnose
from grading.installation import ROOT
from grading.sessions.difference import departure
from grading.sessions.transcript import Transcript

PROGRAMS, MORE_PROGRAMS = (200, 60) if IS_WHOLE else (8, 4)
MOST_LINES = 300_000                    # of its own that a program may run; some run for ever
# What says the same of a program.
SAME = {'no-full': {'missing-lines'}, 'turn-missing': {'missing-lines'},
        'winner-missing': {'missing-lines'}, 'one-blank': {'separators'},
        'no-newline': {'board-after-invalid'}}      # TURN, as a prompt


def program(style, names=(), changes=()):
    """Return a program of a style with some faults, and other changes, None if they do not go
    together."""
    source = (SAMPLES / f'{style}.py').read_text(encoding='utf-8')
    parts = {**STYLES, **OTHERS}[style]
    faults = {**parts[PRINTING], **parts[GAME]}
    for old, new in [*(change for name in names for change in faults[name]), *changes]:
        if old not in source:
            return None
        source = source.replace(old, new)
    try:
        return compile(source, '/tmp/submission/program.py', 'exec')
    except SyntaxError:
        return None


def combinations(styles):
    """Yield styles and names of one to three faults, the same each time."""
    rng = random.Random(1)
    while True:
        style = rng.choice(sorted(styles))
        printing, game = sorted(styles[style][PRINTING]), sorted(styles[style][GAME])
        number = rng.choice([1, 2, 2, 3])
        few = rng.randint(0, 1) if number == 1 else rng.choice([1, number - 1])
        few = few if game else number
        yield style, [*rng.sample(printing, few), *rng.sample(game, number - few)]


def sessions_of(style):
    """Return the sessions that a program of a style is played with."""
    if style == 'sums':
        return [sums('', *numbers) for numbers in ([1, 2], [4], [7, 8, 9], [20, 30], [])]
    return transcripts('othello') if style in STYLES else transcripts(style, is_open=True)


@pytest.mark.parametrize('style', STYLES)
def test_right_programs_of_every_style_have_no_fault(style):
    diagnosis = examine(program(style), transcripts('othello'))
    assert (diagnosis.faults, diagnosis.groups) == ([], [])


@pytest.mark.parametrize(('styles', 'programs'), [(STYLES, PROGRAMS), (OTHERS, MORE_PROGRAMS)],
                         ids=['othello', 'other games'])
def test_faults_of_printing_and_of_the_game_are_named(styles, programs, capsys):
    tried = told = possible = 0
    false = []
    for style, names in combinations(styles):
        code = program(style, names)
        if not code:
            continue
        if tried == programs:
            break
        tried += 1
        found = {fault.id for fault in examine(code, sessions_of(style), MOST_LINES).faults}
        possible, told = possible + len(names), told + len(found & set(names))
        wrong = found - set(names) - {other for name in names for other in SAME.get(name, ())}
        if 'extra-lines' in names and {'no-full', 'missing-lines'} & {*names}:
            wrong -= {'words'}          # one line in the place of another
        false += [(style, names, wrong)] if wrong else []
    with capsys.disabled():
        print(f'\n{tried} programs in {len(styles)} styles: {told} of {possible} faults told, '
              f'{len(false)} programs with a false name')
    assert told >= 0.9 * possible
    assert not false, false


# What is easily told otherwise: a style, faults of it, other changes, and what is told.
TURN = '        print("TURN: " + who, flush=True)\n'
MOVE = 'r, c = input().split()'
ALIKE = [
    ('> everywhere', 'othello_loop', ['prompts'], [], ['prompts']),
    ('>>> at moves', 'othello_loop', [], [(MOVE, 'r, c = input(">>> ").split()')], ['prompts']),
    ('? and one blank', 'othello_functions', ['prompts', 'one-blank'], [],
     ['prompts', 'one-blank']),
    ('> and blanks at the end', 'othello_loop', ['prompts', 'trailing-blanks'], [],
     ['prompts', 'trailing-blanks']),
    ('> and from zero', 'othello_loop', ['prompts', 'from-zero'], [], ['prompts', 'from-zero']),
    ('? and no FULL', 'othello_functions', ['prompts', 'no-full'], [], ['prompts', 'no-full']),
    ('> and one run', 'othello_loop', ['prompts', 'one-run'], [], ['prompts', 'one-run']),
    ('> and no pass', 'othello_loop', ['prompts'],
     [('        if not moves[who]:\n            who = other\n',
       '        if not moves[other] and not moves[who]:\n            who = other\n')],
     ['prompts', 'ends-instead-of-passing']),
    ('a prompt and the state after INVALID', 'othello_exceptions',
     ['prompts', 'board-after-invalid'], [], ['prompts', 'board-after-invalid']),
    ('>>> at the setup', 'othello_loop', [],
     [('n = int(input())', 'n = int(input(">>> "))'),
      ('m = int(input())', 'm = int(input(">>> "))')], ['prompts']),
    ('prompts at the setup', 'othello_loop', [],
     [('n = int(input())', 'n = int(input("Rows: "))'),
      ('m = int(input())', 'm = int(input("Columns: "))'),
      ('grid.append(input()', 'grid.append(input("Row %d: " % (i + 1))')], ['prompts']),
    ('the turn as a prompt', 'othello_exceptions', [],
     [("print('TURN: ' + state.turn())\n        while True:\n            try:\n"
       "                words = input()", "turn = state.turn()\n        while True:\n"
       "            try:\n                words = input('TURN: ' + turn)")],
     ['no-newline', 'board-after-invalid']),
    ('a question before each move', 'othello_loop', ['extra-lines', 'from-zero'], [],
     ['extra-lines', 'from-zero']),
    ('two blanks', 'othello_loop', ['separators'], [], ['separators']),
    ('FULL after the setup', 'othello_loop', [],
     [('print("FULL", flush=True)\n', ''),
      ('state = "start"', 'print("FULL", flush=True)\nstate = "start"')], ['reads-early']),
    ('own words for INVALID', 'othello_loop', ['words'], [], ['words']),
    ('WINNER without its newline', 'othello_loop', ['no-newline'], [], ['no-newline']),
    ('sizes swapped', 'othello_loop', [],
     [('n = int(input())\nm = int(input())', 'm = int(input())\nn = int(input())')],
     ['columns-before-rows']),
    ('never looks at the last row and column', 'othello_loop', [],
     [('for i in range(n):\n                for j in range(m)',
       'for i in range(n - 1):\n                for j in range(m - 1)')], ['edges-unseen']),
    ('never looks at the first row and column', 'othello_loop', [],
     [('for i in range(n):\n                for j in range(m)',
       'for i in range(1, n):\n                for j in range(1, m)')], ['edges-unseen']),
    ('own disc not placed', 'othello_functions', ['own-disc-missing'], [], ['own-disc-missing']),
    ('runs leave the board', 'othello_exceptions', ['no-bracket'], [], ['no-bracket']),
    ('runs leave the board and go over gaps', 'othello_loop', [],
     [('grid[a][b] == enemy:', 'grid[a][b] != side:'),
      ('if run and 0 <= a < n and 0 <= b < m and grid[a][b] == side:', 'if run:')],
     ['over-all']),
    ('runs no longer than there are rows', 'othello_loop', [],
     [('if run and 0 <=', 'if run and len(run) + 1 < n and 0 <=')], ['short-runs']),
    ('moves computed once', 'othello_loop', [],
     [('    if state != "invalid":\n        moves = {}\n        for side in ["B", "W"]:\n',
       '    if state != "invalid":\n        moves = moves if state == "valid" else {}\n'
       '        for side in ["B", "W"] if state == "start" else []:\n')], ['moves-of-start']),
    ('ends at the first INVALID', 'othello_exceptions', ['ends-at-invalid'], [],
     ['ends-at-invalid']),
    ('reads the column first, and crashes off the board', 'othello_functions', [],
     [('        if in_bounds(board, r, c):\n',
       '        if in_bounds(board, r, c):\n            r, c = c, r\n')], ['rows-columns-swapped']),
    ('sizes swapped, and rows as wide as they are', 'othello_functions', [],
     [('num_rows = int(input())\nnum_cols = int(input())',
       'num_cols = int(input())\nnum_rows = int(input())')], ['columns-before-rows']),
    ('the second number twice', 'othello_functions', [],
     [('int(move[0]) - 1', 'int(move[1]) - 1')], ['first-number']),
    ('crashes only on boards that are not square', 'othello_functions', [],
     [('player = next_player(board, player)\nprint_state', '[0][abs(num_rows - num_cols)]\n'
       'player = next_player(board, player)\nprint_state')], ['not-square-crash']),
]


@pytest.mark.parametrize(('style', 'names', 'changes', 'expected'), [one[1:] for one in ALIKE],
                         ids=[one[0] for one in ALIKE])
def test_what_is_easily_told_otherwise(style, names, changes, expected):
    code = program(style, names, changes)
    assert code
    assert faults_of(code, transcripts('othello')) == expected


def test_all_input_is_read_first():
    """FULL is flushed, and then nothing is printed before the end of input."""
    changes = [('n = int(input())', 'import sys\nread = sys.stdin.read().splitlines()\n'
                'input = lambda: read.pop(0)\nn = int(input())')]
    code = program('othello_loop', (), changes)
    assert faults_of(code, transcripts('othello')) == ['reads-first']


def test_asking_to_play_again_is_one_entry():
    changes = [('print("WINNER: " + best)', 'print("WINNER: " + best)\n'
                'if input("Play again? ") != "y":\n    pass')]
    diagnosis = examine(program('othello_loop', (), changes), transcripts('othello'))
    assert ([fault.id for fault in diagnosis.faults], diagnosis.groups) == (['reads-on'], [])


def test_an_endless_loop_after_the_end_is_one_entry():
    changes = [('print("WINNER: " + best)', 'print("WINNER: " + best)\nwhile True:\n    pass')]
    diagnosis = examine(program('othello_loop', (), changes), short_transcripts(), 50_000)
    assert ([fault.id for fault in diagnosis.faults], diagnosis.groups) == (['endless'], [])


def test_a_segmentation_fault_is_told_as_that():
    changes = [('print("WINNER: " + best)', 'raise SystemExit(-11)')]
    diagnosis = examine(program('othello_loop', (), changes), transcripts('othello'))
    assert [finding.sentence for finding in findings(diagnosis)] == [
        'ends too early, with signal 11 (SIGSEGV)']


@pytest.mark.parametrize('prompt', ['Which pile', 'Which pile?'])
def test_a_prompt_that_begins_the_one_that_is_due_has_been_flushed(prompt):
    code = program('piles', (), [("'Which pile? '", repr(prompt))])
    assert faults_of(code, transcripts('piles')) == ['prompts']


# What a directive allows is no fault, whatever else is wrong.

ALLOWED = {
    'ignore: case': [('Welcome to', 'WELCOME TO'), ('Half', 'HALF')],
    'ignore: blanks': [('Welcome to', 'Welcome   to'), ("'Half more:'", "' Half more:\\t'"),
                       ("print('All", "print()\nprint('All")],
    'tolerance: 0.01': [('* 1.5', '* 1.5 + 0.001')],
    'prompts: free': [('iter(input', "iter(lambda: input('Next: ')")],
    'free': [('Welcome to Sums', 'Hi!')],
    'regex': [('Welcome to Sums', 'Welcome, whoever you are')],
    'any lines': [('total = 0', "total = 0\nprint('Enter numbers')\nprint()")],
}
WRONG = [([], []), ([("print('All in all:', total)", '')], ['missing-lines']),
         ([('    total +=', "    print('debug', line)\n    total +=")], ['extra-lines']),
         ([('* 1.5', '* 2.5')], [])]


def sums(directive, *numbers):
    """Return a session of an assignment of one's own; a directive is about all, or its greeting."""
    before = f'# {directive}\n' if directive else ''
    before, after = ('', before) if directive == 'any lines' else (before, '')
    greeting = 'Welcome.*' if directive == 'regex' else 'Welcome to Sums'
    lines = ''.join(f'{number}\n|Half more: {number * 1.5}\n' for number in numbers)
    return Transcript(f'{numbers}', f'{before}|{greeting}\n{after}{lines}stop\n'
                                    f'|All in all: {sum(numbers)}\n')


def diagnosed_at_once(source, of_game, game):
    """Return the ids of what is told of a program that gets all input at once."""
    code = compile(source, '/tmp/submission/program.py', 'exec')
    failed, passed = [], []
    for transcript in of_game:
        output = run(code, transcript.inputs)[0].output.encode()
        difference = departure(transcript, output, has_ended=True, status=0)
        if difference:
            difference.whole, difference.status = output, 0
            failed.append(seen_so_far(difference, output, 0))
        else:
            passed.append(transcript)
    return [fault.id for fault in diagnose(lambda transcript: game, failed, passed).faults]


@pytest.mark.parametrize('directive', ALLOWED)
def test_what_a_directive_allows_is_no_fault(directive):
    of_game = [sums(directive, *numbers) for numbers in ([1, 2], [4], [7, 8, 9])]
    for changes, names in WRONG:
        source = (SAMPLES / 'sums.py').read_text(encoding='utf-8')
        for old, new in [*ALLOWED[directive], *changes]:
            assert old in source
            source = source.replace(old, new)
        told = diagnosed_at_once(source, of_game, None)
        # Where any lines may come, nobody knows which is too many.
        assert told == names or (directive == 'any lines' and told == []), changes


@pytest.mark.parametrize(('directive', 'change'), [
    ('ignore: case', 'print(*(str(part).upper() for part in parts))'),
    ('ignore: blanks', 'print(*(str(part).replace(" ", "  ") for part in parts)); print()')])
def test_what_a_directive_allows_is_no_fault_of_a_game(directive, change):
    source = (SAMPLES / 'piles.py').read_text(encoding='utf-8').replace('print(', 'say(')
    for old, new in wrong_nim.PILES['piles-from-one']:
        source = source.replace(old.replace('print(', 'say('), new.replace('print(', 'say('))
    of_game = [Transcript.read(ROOT / one.name, [directive]) for one in transcripts('piles')]
    assert diagnosed_at_once(f'def say(*parts):\n    {change}\n{source}', of_game,
                             GAMES['piles']) == ['piles-from-one']


def test_a_session_that_is_known_only_to_its_first_difference_has_no_fault_of_its_own():
    """Where the computer has lost, a second run may go another way, so there is none."""
    code = program('piles', ['piles-from-one'])
    failed = [seen_so_far(observed.difference) if transcript.others else observed
              for transcript in transcripts_for('piles', prompts=False)
              for observed in [observe(code, transcript)]]
    assert any(observed.is_cut for observed in failed)
    diagnosis = diagnose(game_of, failed)
    assert [fault.id for fault in diagnosis.faults] == ['prompts', 'piles-from-one']
    assert diagnosis.groups == []


def test_the_samples_are_all_there():
    assert {path.stem for path in (ROOT / 'tests' / 'grading' / 'samples').glob('othello_*')} == {
        *STYLES}


# First messages about faults that have no name: true, each cause told once.
NAMELESS = [
    ('crashes on every board', 'othello_functions',
     [('print_state(board)\nwhile', 'print_state(None)\nwhile')],
     [('', 'crashes at program.py, line 50 (TypeError)',
       'a value is None here; a function gives None when it ends without return')]),
    ('prints PASS', 'othello_loop',
     [('        if not moves[who]:\n            who = other\n', ''),
      ('        if not moves[who]:\n            break\n        print("TURN: " + who, flush=True)\n',
       '        if not moves[who] and not moves[other]:\n            break\n'
       '        print("TURN: " + who, flush=True)\n        if not moves[who]:\n'
       '            print("PASS")\n            who = other\n            continue\n')],
     [('', 'prints "TURN: W" instead of "TURN: B"', 'W has no legal move here')]),
    ('the counts leave a variable changed', 'othello_loop',
     [('        print("B: {}  W: {}".format(black, white))\n',
       '        text = ""\n        for who in "BW":\n'
       '            text += who + ": " + str(sum(line.count(who) for line in grid)) + "  "\n'
       '        print(text)\n')],
     [('trailing-blanks', 'prints blanks at the end of lines',
       '2 blanks too many at the end of the line'),
      ('', 'prints "TURN: W" instead of "TURN: B"', 'B can move to row 1, column 2'),
      ('', 'prints "WINNER: W" instead of "TURN: B"', 'B can move to row 1, column 4')]),
    ('the other color is always W', 'othello_functions',
     [('def opponent(player):\n', 'def opponent(player):\n    if player == "B" or "b":\n'
       '        return "W"\n'), ('move = input()', 'move = input("> ")')],
     [('prompts', 'prints a prompt, "> "; this assignment has no prompts',
       'the program prints a prompt, "> "; no prompt is expected here'),
      ('', 'prints "WINNER: W" instead of "TURN: W"', 'W can move to row 4, column 4')]),
    ('one row many times', 'othello_loop',
     [('grid = []\nfor i in range(n):\n    grid.append(input().split())\n',
       'grid = [["."] * m] * n\nfor i in range(n):\n    grid[i][:] = input().split()\n')],
     [('', 'prints "B: 4  W: 12" instead of "B: 9  W: 7"',
       'every row is printed like the last one; in Python [row] * 3 holds the same row three '
       'times')]),
]


@pytest.mark.parametrize(('style', 'changes', 'expected'), [one[1:] for one in NAMELESS],
                         ids=[one[0] for one in NAMELESS])
def test_what_has_no_name_is_told_as_it_is(style, changes, expected):
    code = program(style, (), changes)
    assert code
    diagnosis = examine(code, transcripts('othello'), MOST_LINES)
    assert [(one.id, one.sentence, one.example.hint) for one in findings(diagnosis)] == expected
