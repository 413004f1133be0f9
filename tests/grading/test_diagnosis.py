"""Faults named by their models: each by a program that has it, none where no model fits."""

import functools
import os
import random
import sys
import time
from dataclasses import replace

import pytest
import wrong_nim
import wrong_othello
from observing import departure_in_turns, findings, message_on, observe, run, seen_so_far
from running import PYTHON, SECONDS, short_patience

import grading.diagnosis.diagnose
from grading.assignments.games import GAMES, game_of
from grading.assignments.nim.computer import AgainstComputer
from grading.batch.grade import Task, grade_task
from grading.diagnosis.common_faults import PRINTING
from grading.diagnosis.crash import crash_at, crash_of
from grading.diagnosis.diagnose import COSTS_NOTHING, diagnose, grouped
from grading.diagnosis.fault_models import Known
from grading.diagnosis.follow import AHEAD, follow
from grading.diagnosis.program_output import LITTLE_HEARD, Heard, Reading
from grading.diagnosis.protocol import Protocol
from grading.diagnosis.simulation import Explanation, variant
from grading.diagnosis.style import Style
from grading.installation import ROOT, all_transcripts
from grading.reports.messages import title
from grading.sandbox.kinds import Sandbox
from grading.sandbox.program import Program
from grading.sessions.difference import Difference, Observation, departure
from grading.sessions.play import MOST_UNEXPECTED
from grading.sessions.run import PIPES
from grading.sessions.running import running
from grading.sessions.transcript import Transcript
from grading.settings import Settings

SAMPLES = ROOT / 'tests' / 'grading' / 'samples'
WRONG = {'othello': wrong_othello.WRONG, **wrong_nim.WRONG}
NAMED = [(game, name) for game, faults in WRONG.items() for name in faults]
WORKED_EXAMPLE = Transcript.read(ROOT / 'transcripts' / 'othello' / 'worked_example.txt')
IS_WHOLE = os.environ.get('DIAGNOSES') == 'whole'       # `make diagnoses` tries more
LONG = 10 ** 6 if IS_WHOLE else 110     # lines: with so many, each set that is tried takes long
# Longer ones that are played all the same: some faults show only there.
NEEDED = ('size_4x6.txt', 'size_4x16.txt', 'invalid_moves.txt', 'fewest_discs_win.txt',
          'few_left_with_prompts.txt')
PAIRS = [
    ('no-flush', 'one-blank'), ('no-flush', 'never-passes'), ('no-full', 'counts-swapped'),
    ('words', 'turn-missing'), ('words', 'late-pass'), ('no-full', 'rows-columns-swapped'),
    ('rows-columns-swapped', 'from-zero'), ('reads-on', 'one-blank'),
    ('wins-swapped', 'no-tie'),
]
MORE_PAIRS = [
    ('one-blank', 'no-edges'), ('trailing-blanks', 'direction-missing'), ('prompts', 'from-zero'),
    ('no-full', 'no-tie'), ('turn-last', 'wins-ignored'), ('winner-missing', 'never-passes'),
    ('board-after-invalid', 'stuck-start'), ('first-player', 'square'),
    ('stuck-start', 'no-edges'), ('full-board-only', 'one-blank'),
    ('off-board-crash', 'turn-missing'), ('turns-nothing', 'first-player'),
    ('prompts', 'wins-ignored'), ('wraps', 'no-tie'),
]


UNHURRIED = 600                         # seconds: what is found must not depend on the machine
SHORT = 40                              # lines
# What an assignment leaves open, and some programs do otherwise than ours: no points are lost.
LEFT_OPEN = ('stuck_first_player.txt', 'lowest_numbered_pile.txt',
             'lowest_numbered_pile_with_prompts.txt')
SHOWN_BEYOND = ('stuck-start', 'highest-pile')


@functools.lru_cache(maxsize=None)
def transcripts(game, prompts=True, is_open=False):
    """Return the transcripts of a game's protocol: not too long, and nothing is left to chance.

    With what is left open, too, if `is_open`.
    """
    return [transcript for transcript in map(Transcript.read, all_transcripts())
            if game_of(transcript).name == game
            and (len(transcript.lines) < LONG or transcript.name.endswith(NEEDED))
            and (not transcript.is_beyond or (is_open and transcript.name.endswith(LEFT_OPEN)))
            and '--seed' not in transcript.arguments
            and (('--prompts' in transcript.arguments) == prompts
                 or game in ('othello', 'recorded'))]


def short_transcripts():
    """Return the transcripts of Othello that take little time."""
    return [transcript for transcript in transcripts('othello') if len(transcript.lines) < SHORT]


def program(game, *changes):
    """Return a sample program, changed."""
    source = (SAMPLES / f'{game}.py').read_text(encoding='utf-8')
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    return compile(source, f'/tmp/submission/{game}.py', 'exec')


def examine(code, of_game, most_lines=None):
    """Return what is said of a program that is run with some transcripts."""
    observed = [(transcript, observe(code, transcript, most_lines)) for transcript in of_game]
    return diagnose(game_of, [what for _, what in observed if what],
                    [transcript for transcript, what in observed if not what], UNHURRIED)


@functools.lru_cache(maxsize=None)
def diagnosis_of(game, name):
    """Return what is said of a wrong program."""
    return examine(program(game, *WRONG[game][name]),
                   transcripts(game, is_open=name in SHOWN_BEYOND))


def faults_of(code, of_game):
    return [fault.id for fault in examine(code, of_game).faults]


@pytest.mark.parametrize('game', GAMES)
def test_the_session_of_each_game_is_right(game):
    for transcript in transcripts(game, is_open=True) + transcripts(game, prompts=False):
        session = GAMES[game].model(transcript.inputs, transcript.arguments)
        session.play()
        assert session.texts == [step.output for step in transcript.steps], transcript.name


def test_a_session_of_chance_can_be_seeded():
    path = ROOT / 'transcripts' / 'nim' / 'tlcw' / 'with_prompts.txt'
    transcript = Transcript.read(path)
    session = GAMES['tlcw'].model(transcript.inputs, transcript.arguments)
    assert isinstance(session, AgainstComputer)
    session.rng.seed(int(transcript.command[-1]))
    session.play()
    assert ''.join(session.texts) == transcript.output


@pytest.mark.parametrize('game', GAMES)
def test_right_program_has_no_fault(game):
    assert all(observe(program(game), transcript) is None for transcript in transcripts(game))
    assert faults_of(program(game), transcripts(game)) == []


@pytest.mark.parametrize(('game', 'name'), NAMED)
def test_single_fault_is_named_and_no_other(game, name):
    diagnosis = diagnosis_of(game, name)
    [fault] = diagnosis.faults
    assert fault.id == name
    assert len({transcript.name for transcript in fault.transcripts}) == len(fault.transcripts) > 0
    assert fault.place.transcript in fault.transcripts
    assert all(diagnosis.of(transcript) == [fault] for transcript in fault.transcripts)


@pytest.mark.parametrize(('game', 'beside', 'name'), [
    ('othello', 'one-blank', 'stuck-start'), ('piles', 'piles-from-one', 'highest-pile')])
def test_what_shows_only_beyond_the_assignment_is_told_last_and_costs_nothing(game, beside, name):
    code = program(game, *WRONG[game][name], *WRONG[game][beside])
    fault, free = examine(code, transcripts(game, is_open=True)).faults
    assert (fault.id, free.id) == (beside, name)
    assert all(transcript.is_beyond for transcript in free.transcripts)
    assert any(transcript.is_beyond for transcript in fault.transcripts)
    assert free.advice.endswith(COSTS_NOTHING)
    assert not fault.advice.endswith(COSTS_NOTHING)


def test_what_happens_only_beyond_the_assignment_costs_nothing():
    crash = "if first != game.turn and not game.is_over():\n        {}[0]\n    "
    code = program('othello', *WRONG['othello']['one-blank'],
                   ('    while not game.is_over', f'    {crash}while not game.is_over'))
    diagnosis = examine(code, transcripts('othello', is_open=True))
    [group] = diagnosis.groups
    assert group.is_beyond
    assert crash_at(group.place).type == 'KeyError'
    assert findings(diagnosis)[-1].advice == COSTS_NOTHING


def test_free_words_are_no_fault():
    """A program that says something else there has its other faults, and no more."""
    changes = [('You win ... this time', 'Congratulations'), *wrong_nim.PILES['piles-from-one']]
    assert faults_of(program('piles', *changes), transcripts('piles')) == ['piles-from-one']
    assert faults_of(program('piles', *changes), transcripts('piles', prompts=False))


@pytest.mark.parametrize(('name', 'session', 'typed', 'printed'), [
    ('occupied', 'occupied_by_the_mover', '3 3', 'VALID\n'),
    ('no-bracket', 'tie_of_fewest_discs', '4 4', 'B: 5  W: 11\n'),
    ('no-tie', 'tie_of_fewest_discs', '4 4', 'WINNER: B\n'),
    ('wins-ignored', 'over_at_start_one_color', '. . . . . .', 'WINNER: W\n')])
def test_a_fault_of_the_game_is_shown_by_an_answer_to_a_move(name, session, typed, printed):
    example = findings(diagnosis_of('othello', name))[0].example
    assert (example.session, example.typed, example.printed) == (
        f'transcripts/othello/{session}.txt', typed, printed)


def test_a_move_may_be_printed_before_it_is_checked():
    changes = [*wrong_nim.RECORDED['prints-before-checking'],
               ('    if taken == sum(sizes):\n        raise ValueError\n', ''),
               ('        player = 2 if', '        if sum(sizes) == 0:\n'
                '            raise ValueError\n        player = 2 if')]
    diagnosis = examine(program('recorded', *changes), transcripts('recorded'))
    assert ([fault.id for fault in diagnosis.faults], diagnosis.groups) == (
        ['prints-before-checking'], [])


@pytest.mark.parametrize(('game', 'name', 'advice'), [
    ('tlcw', 'prompts', 'Print each prompt exactly as it stands under "expected".'),
    ('othello', 'prompts', 'Print only the prompts of the assignment. In Python, input() without '
                           'a text prints no prompt.')])
def test_advice_about_prompts_is_as_the_assignment_has_them(game, name, advice):
    assert findings(diagnosis_of(game, name))[0].advice == advice


def test_every_model_has_its_wrong_program():
    for game, known in GAMES.items():
        assert {model.id for model in known.faults} <= set(WRONG[game])
    common = {model.id for model in PRINTING} | {'no-flush', 'reads-on'}
    assert common <= set(WRONG['othello'])


@pytest.mark.parametrize(('first', 'second'), PAIRS + MORE_PAIRS * IS_WHOLE)
def test_pair_is_named(first, second):
    changes = WRONG['othello'][first] + WRONG['othello'][second]
    of_game = transcripts('othello', is_open='stuck-start' in (first, second))
    diagnosis = examine(program('othello', *changes), of_game)
    assert {fault.id for fault in diagnosis.faults} == {first, second}


MANY = [
    ['one-blank', 'rows-columns-swapped', 'wins-ignored'],
    ['words', 'late-pass', 'counts-swapped', 'board-after-invalid', 'wins-swapped'],
    ['one-blank', 'words', 'from-zero', 'turn-last', 'no-tie', 'no-edges'],
]
MORE = [
    ['one-blank', 'trailing-blanks', 'words', 'no-full', 'wins-ignored', 'board-after-invalid',
     'first-player', 'rows-columns-swapped', 'occupied', 'late-pass', 'no-edges', 'no-tie'],
    ['one-blank', 'wins-swapped', 'trailing-blanks', 'stuck-start', 'late-pass'],
    ['never-passes', 'direction-missing', 'off-board-crash', 'wins-swapped', 'prompts'],
    ['one-blank', 'trailing-blanks', 'words', 'prompts', 'no-full', 'turn-last', 'wins-swapped',
     'no-tie', 'board-after-invalid', 'off-board-crash', 'turns-nothing', 'direction-missing'],
]


@pytest.mark.parametrize('names', MANY + MORE * IS_WHOLE,
                         ids=lambda names: f'{len(names)}, {names[1]} among them')
def test_many_at_once(names):
    changes = [change for name in names for change in WRONG['othello'][name]]
    of_game = transcripts('othello', is_open='stuck-start' in names)
    diagnosis = examine(program('othello', *changes), of_game)
    assert {fault.id for fault in diagnosis.faults} == set(names)


def test_a_crash_beside_another_fault_is_shown_as_a_crash():
    changes = WRONG['othello']['limits-swapped'] + WRONG['othello']['fifth-setup-line']
    *_, crash = findings(examine(program('othello', *changes), transcripts('othello')))
    assert (crash.id, crash.example.kind, crash.example.crash.type) == (
        'not-square-crash', 'ended', 'IndexError')


@pytest.mark.parametrize('game', ['piles', 'tlcw', 'stones'])
def test_prompts_where_none_are_due(game):
    assert faults_of(program(game), transcripts(game, prompts=False)) == ['prompts']


def sentence(game, *changes):
    [fault] = examine(program(game, *changes), transcripts(game)).faults
    return fault.sentence


def sentence_of(game, name):
    [fault] = diagnosis_of(game, name).faults
    return fault.sentence


def test_details_are_what_the_program_does():
    assert sentence_of('othello', 'direction-missing').endswith(
        ': up and left, up and right, down and left, down and right')
    one = [('(0, 1), (1, 1), (1, 0)', '(0, 1), (1, 0)')]
    assert sentence('othello', *one).endswith(': down and right')
    colors = [("'B: '", "'Black: '"), ("'  W: '", "'  White: '"), ("print('TURN: ' + game.turn)",
              "print('TURN: ' + {'B': 'Black', 'W': 'White'}[game.turn])")]
    assert sentence('othello', *colors) == (
        'prints wrong words: "Black" instead of "B", "White" instead of "W"')
    assert sentence('othello', ("'TURN: '", "'Turn = '")).endswith(
        '"Turn =" instead of "TURN:"')
    assert sentence('othello', ("print('INVALID')", "print('INVALID MOVE')")).endswith(
        '"INVALID MOVE" instead of "INVALID"')
    assert sentence_of('stones', 'words').endswith('"hisses" instead of "is hissing"')
    assert sentence_of('othello', 'prompts') == (
        'prints a prompt, "Your move: "; this assignment has no prompts')


@pytest.mark.parametrize(('change', 'names'), [
    (('return steps - 1', 'return steps'), ['turns-nothing']),
    (('len(board) - 1 or c > len(board[0]) - 1', 'len(board) - 2 or c > len(board[0]) - 2'),
     ['no-edges']),
    (('print("VALID")', 'print("INVALID")'), []),       # and then it shows what the move has made
    (('board[r][c] = player', 'pass'), ['own-disc-missing']),
])
def test_faults_of_a_program_of_another_style(change, names):
    assert faults_of(program('othello_functions', change), transcripts('othello')) == names


def test_numbers_of_rows_and_columns():
    code = program('othello', ("    for row in game.board:\n        print(' '.join(row))",
                               "    print('  ', *range(game.columns))\n"
                               '    for number, row in enumerate(game.board):\n'
                               "        print('%2d' % number, ' '.join(row))"))
    header, numbers = examine(code, transcripts('othello')).faults
    assert (header.id, numbers.id) == ('extra-lines', 'row-numbers')
    assert header.sentence.endswith(': "   0 1 2 3"')


def test_other_winner_is_no_other_word():
    swapped = program('tlcw', ("if last == 'U' and not cheated", "if last != 'U' or cheated"))
    assert faults_of(swapped, transcripts('tlcw')) == ['cheat-wins']


def test_lines_that_come_elsewhere_are_not_left_out():
    code = program('piles', ('10 ** 6))\nshow(piles)', '10 ** 6))'))
    assert faults_of(code, transcripts('piles')) == []


def test_words_in_small_letters_are_no_lines_too_many():
    code = program('othello', ("print('TURN: ' + game.turn)", "print('debug', rows)\n"
                               "        print('turn: ' + game.turn)"))
    assert faults_of(code, transcripts('othello')) == ['words', 'extra-lines']


def test_prompts_for_everything():
    changes = [('rows = int(input())', "rows = int(input('Rows? '))"),
               ('columns = int(input())', "columns = int(input('Columns? '))"),
               ('board.append(input()', "board.append(input('Row: ')"),
               *WRONG['othello']['prompts']]
    assert sentence('othello', *changes).startswith('prints a prompt, "Rows? "')


# Faults that no model has.

def of_12_columns():
    """Return sessions on boards of 4 rows and 12 columns, as the right program plays them."""
    found = []
    for seed in range(3):
        rng = random.Random(seed)
        lines = ['4', '12', 'B', '>'] + [' '.join(rng.choices('BW.', k=12)) for _ in range(4)]
        lines += [f'{row} {column}' for row in range(1, 5) for column in range(1, 13)] * 20
        found.append(as_transcript(f'{seed}', lines))
    return found


def as_transcript(name, lines):
    session = GAMES['othello'].model(lines)
    session.play()
    steps = zip(session.texts, [*lines[:len(session.texts) - 1], None])
    return Transcript(name, ''.join(
        ''.join(f'|{line}\n' for line in text.splitlines()) + ('' if line is None else line + '\n')
        for text, line in steps))


RARE = {
    'a count of seven': [("str(game.count('B'))", "str(game.count('B') + (game.count('B') == 7))")],
    'an edge of 12 columns': [
        ('            if self.board[row][col] == self.turn:\n',
         '            if self.columns == 12 and col == 11:\n                return []\n'
         '            if self.board[row][col] == self.turn:\n')],
    'a corner': [('        if self.board[row][col] != \'.\':\n            return False\n',
                  '        if self.board[row][col] != \'.\' or row == col == 0:\n'
                  '            return False\n')],
    'a margin of three': [("return 'B' if black > white else 'W'",
                           "return 'B' if black > white + 3 else 'W'")],
    'a crash at the tenth disc': [("        self.switch()\n\n    def pass",
                                   "        self.switch()\n        1 / (self.count('B') - 10)\n\n"
                                   "    def pass")],
    'one blank, but not always': [("'  W: '", "('  W: ' if game.count('B') % 2 else ' W: ')")],
}


@pytest.mark.parametrize('name', RARE)
def test_fault_without_a_model_is_given_no_name(name):
    of_game = transcripts('othello') + of_12_columns() * ('12' in name)
    code = program('othello', *RARE[name])
    assert any(observe(code, transcript) for transcript in of_game)
    assert faults_of(code, of_game) == []


def test_known_fault_beside_a_crash_is_named_and_the_crash_is_not_explained():
    changes = RARE['a crash at the tenth disc'] + WRONG['othello']['no-tie']
    diagnosis = examine(program('othello', *changes), transcripts('othello'))
    assert [fault.id for fault in diagnosis.faults] == ['no-tie']
    assert diagnosis.of(WORKED_EXAMPLE) == []


@pytest.mark.parametrize('name', ['from-zero', 'missing-lines', 'rows-columns-swapped'])
def test_with_all_input_at_once_nobody_knows_what_came_before_a_line_was_read(name):
    observed = []
    for transcript in transcripts('othello'):
        output = run(program('othello', *WRONG['othello'][name]), transcript.inputs)[0].output
        difference = departure(transcript, output.encode(), has_ended=True, status=0)
        if difference:
            difference.whole = output.encode()
            observed.append(seen_so_far(difference, output.encode()))
    assert [fault.id for fault in diagnose(game_of, observed).faults] == [name]


def test_exit_status_alone_is_told_once():
    failed = [seen_so_far(Difference(transcript, len(transcript.steps) - 1, 'status', b'',
                                     status=3), transcript.output.encode(), 3)
              for transcript in transcripts('othello')[:3]]
    fault, = diagnose(game_of, failed).faults
    assert (fault.id, len(fault.transcripts)) == ('exit-status', 3)


def test_each_game_has_time_of_its_own(monkeypatch):
    clock = 0.0

    def passes(place):
        nonlocal clock
        clock += 100
        return ()

    monkeypatch.setattr(time, 'process_time', lambda: clock)
    slow = replace(GAMES['tlcw'], faults=[Known('slow', 'is slow', '', passes)])
    cheating = next(one for one in transcripts('tlcw') if 'cheating' in one.name)
    observed = [observe(program('tlcw', *WRONG['tlcw']['cheat-wins']), cheating),
                observe(program('piles', *WRONG['piles']['piles-from-one']),
                        transcripts('piles')[0])]
    faults = diagnose(lambda transcript: slow if game_of(transcript) is GAMES['tlcw']
                      else game_of(transcript), observed,
                      [one for one in transcripts('tlcw') if 'cheating' not in one.name],
                      seconds=6).faults
    assert [fault.id for fault in faults] == ['piles-from-one']
    assert clock >= 100


@pytest.mark.parametrize('frame', [b'  File "/tmp/submission/\0.py", line 3',
                                   b'  File "a.py", line ' + b'9' * 5000,
                                   b'  File "' + b'a/' * 10**5 + b'", line 3'])
def test_no_crash_is_where_no_file_or_line_can_be(frame):
    errors = b'Traceback (most recent call last):\n' + frame + b'\nValueError: no\n'
    assert crash_of(errors, '/tmp/submission') is None


def test_a_fault_that_only_sessions_that_pass_show_is_not_told(monkeypatch):
    class Found:
        def __init__(self, playing, found):
            [one_blank] = GAMES['othello'].faults[0].variants(None)
            self.explanation = Explanation(found.style, {'one-blank': one_blank})
            self.matches = playing.matches(self.explanation)
            self.without = {'one-blank': self.matches}
            self.shown = lambda name: []
            self.due = lambda sessions: playing.played(found, sessions)

    monkeypatch.setattr(grading.diagnosis.diagnose, 'Evidence', Found)
    observed = observe(program('othello', *WRONG['othello']['one-blank']), WORKED_EXAMPLE)
    assert diagnose(game_of, [observed]).faults == []


# Hostile output, and programs that are run as they are.

HOSTILE = {
    'nothing': b'', 'a NUL': b'\0', 'no UTF-8': b'\xff\xfe\x80' * 5000,
    'a flood': b'FULL\n' * 200_000, 'empty lines': b'\n' * 100_000,
    'a number': b'9' * 1_000_000, 'a count': b'FULL\nB: ' + b'9' * 100_000,
    'escapes': b'\x1b[2J\xe2\x80\xae', 'a word': b'FULL\n' + b'B' * 500_000 + b': '}


def test_of_a_flood_only_so_much_is_looked_at():
    difference = Difference(WORKED_EXAMPLE, 0, 'differs', b'x' * MOST_UNEXPECTED)
    heard = Heard.from_observed(Observation(WORKED_EXAMPLE, difference, b'FULL\n' * 200_000, 0))
    assert len(heard.output) == LITTLE_HEARD + 3 * len(WORKED_EXAMPLE.output)
    reading = Reading(heard, Style(Protocol([WORKED_EXAMPLE])))
    match = follow(variant(GAMES['othello'].model, ()), reading)
    assert len(match.session.upcoming()) == AHEAD


@pytest.mark.parametrize('output', HOSTILE.values(), ids=HOSTILE)
def test_hostile_output_has_no_name(output):
    difference = Difference(WORKED_EXAMPLE, 0, 'differs', output[:1 << 16] or b'x')
    for status in (0, 1, None):
        observed = Observation(WORKED_EXAMPLE, difference, output, status, b'\xff' * 1000)
        assert diagnose(game_of, [observed]).faults == [], status


@pytest.mark.parametrize('name', ['one-blank', 'no-flush', 'reads-on'])
def test_program_that_is_run(name, tmp_path):
    source = (SAMPLES / 'othello.py').read_text(encoding='utf-8')
    for old, new in WRONG['othello'][name]:
        source = source.replace(old, new)
    path = tmp_path / 'wrong.py'
    path.write_text(source, encoding='utf-8')
    command = Program([sys.executable, str(path)])
    observed, patience = [], short_patience()
    for transcript in transcripts('othello')[:2]:
        with running(command, Sandbox(tmp_path), PIPES, SECONDS) as process:
            difference = departure_in_turns(transcript, process, patience)
        if difference:
            observed.append(Observation.of(difference))
    assert [fault.id for fault in diagnose(game_of, observed).faults] == [name]


@pytest.mark.parametrize('name', ['main.py', 'link/main.py', 'game/main.py'])
def test_crash_of_a_program_elsewhere_is_told_by_its_authors_line(name, tmp_path):
    """Its command names it by its whole path, which may be one behind a link."""
    (tmp_path / 'mine' / 'game').mkdir(parents=True)
    (tmp_path / 'link').symlink_to(tmp_path / 'mine')
    path = tmp_path / ('link' if name.startswith('link') else 'mine') / name.rpartition('link/')[2]
    path.write_text('import rules\n\nrules.start()\n', encoding='utf-8')
    (path.parent / 'rules.py').write_text('def start():\n    [][7]\n', encoding='utf-8')
    results = grade_task(Task('mine', None, Settings(
        'mine', (('one.txt', '|7\n'),), confine='none', no_where=True,
        command=f'{PYTHON} {path}')))
    [told] = results['extra_data']['findings']
    assert told['sentence'] == 'crashes at rules.py, line 2 (IndexError)'


# What students have who have just begun, and the names that are true of it.
BEGUN = [
    ("print('B: 2 W: 2')\n", []),
    ("print(f'B: {black}  W: {white}')\nfor row in board:\n    print(' '.join(row))\n",
     ['winner-missing'])]


@pytest.mark.parametrize(('rest', 'names'), BEGUN, ids=['counts', 'a board'])
def test_what_is_not_there_yet_is_no_fault_of_what_is(rest, names):
    """Of all that nothing is printed for only one reason is told, if any."""
    begin = ("print('FULL')\nrows, columns, turn, wins = (input() for _ in range(4))\n"
             "board = [input().split() for _ in range(int(rows))]\n"
             "black, white = (sum(row.count(color) for row in board) for color in 'BW')\n")
    assert faults_of(begin + rest, transcripts('othello')) == names


def test_place_of_a_fault_that_another_hides():
    changes = WRONG['othello']['one-blank'] + WRONG['othello']['no-tie']
    of_game = [WORKED_EXAMPLE]
    blank, tie = examine(program('othello', *changes), of_game).faults
    assert message_on(blank.place).splitlines()[1:4] == [
        '  typed    |. . . .    (line 11)', '  expected |B: 2  W: 2', '  printed  |B: 2 W: 2']
    assert message_on(tie.place).splitlines()[1:5] == [
        '  typed    |4 3    (line 108)', '  expected |WINNER: NONE', '  printed  |WINNER: B',
        '                    ^']


def test_program_that_reads_a_line_too_many_is_not_told_to_flush():
    code = program('othello', ("    game = Game(rows", "    input()\n    game = Game(rows"))
    assert faults_of(code, short_transcripts()[2:10]) == []


def test_flush_is_missing_beside_an_unknown_fault():
    code = program('othello', *RARE['a count of seven'], *WRONG['othello']['no-flush'])
    assert faults_of(code, short_transcripts()) == ['no-flush']


# What no known fault explains: what comes next, in groups.

CRASH = RARE['a crash at the tenth disc']


def test_crash_stays_visible_beside_faults_of_printing():
    names = ['one-blank', 'trailing-blanks']
    changes = [*CRASH, *(change for name in names for change in WRONG['othello'][name])]
    diagnosis = examine(program('othello', *changes), transcripts('othello'))
    assert [fault.id for fault in diagnosis.faults] == ['trailing-blanks', 'one-blank']
    [group] = diagnosis.groups
    assert crash_at(group.place).type == 'ZeroDivisionError'
    assert len(group.sessions) > 5
    assert title(3, findings(diagnosis)) == (
        '3. Also, the program crashes at othello.py, line 54 (ZeroDivisionError).')


def test_next_difference_is_against_the_game_with_the_named_faults():
    """What is expected has none of the faults of printing."""
    changes = WRONG['othello']['one-blank'] + RARE['a margin of three']
    diagnosis = examine(program('othello', *changes), transcripts('othello'))
    assert [fault.id for fault in diagnosis.faults] == ['one-blank']
    [group] = diagnosis.groups
    assert message_on(group.place).splitlines()[-3:] == [
        '  expected |WINNER: B', '  printed  |WINNER: W', '                    ^']
    [assigned] = [one for one in transcripts('othello') if one.name == group.place.transcript.name]
    assert [step.output for step in group.place.transcript.steps] == [
        step.output for step in assigned.steps]
    changes = WRONG['othello']['one-blank'] + RARE['a count of seven']
    [group] = examine(program('othello', *changes), transcripts('othello')).groups
    assert message_on(group.place).splitlines()[-3:] == [
        '  expected |B: 7  W: 4', '  printed  |B: 8 W: 4', '               ^']


def test_a_list_that_is_printed_has_its_own_advice():
    code = program('othello', ("print(' '.join(row))", 'print(row)'))
    [fault] = examine(code, short_transcripts()).faults
    assert (fault.id, fault.advice) == ('separators', (
        'Python prints a list with brackets, quotes and commas. print(*row) prints its items with '
        'blanks between them.'))


def test_what_no_known_fault_explains_says_how_two_lines_differ():
    changes = RARE['a margin of three'] + RARE['a count of seven']
    diagnosis = examine(program('othello', *changes), transcripts('othello'))
    assert [finding.sentence for finding in findings(diagnosis)] == [
        'prints "B: 8  W: 4" instead of "B: 7  W: 4"',
        'prints "WINNER: W" instead of "WINNER: B"']


def test_neither_the_length_of_a_frame_nor_a_name_makes_a_group():
    differences = [Difference(Transcript('a.txt', f'$ othello_console.py\n|{due}\n'), 0, 'differs',
                              printed) for due, printed in [
        ('*' * 47, b'****\n'), ('*' * 49, b'******\n'), ('WINNER: B', b'TURN: W\n'),
        ('WINNER: NONE', b'TURN: B\n'), ('WINNER: B', b'WINNER: NONE\n')]]
    assert [len(group.sessions) for group in grouped(differences)] == [2, 2, 1]


def test_groups_are_by_what_happens_the_largest_first():
    changes = [("            print('INVALID')\n",
                "            print('INVALID')\n            [][row]\n"),
               ("        return 'NONE'", "        return {}[black]")]
    diagnosis = examine(program('othello', *changes), short_transcripts()[:8])
    assert diagnosis.faults == []
    assert [crash_at(group.place).type for group in diagnosis.groups] == ['IndexError', 'KeyError']
    sizes = [len(group.sessions) for group in diagnosis.groups]
    assert sizes == sorted(sizes, reverse=True)
    assert len({shown.transcript.name for group in diagnosis.groups
                for shown in group.sessions}) == sum(sizes)


def test_session_of_no_game_has_the_faults_of_printing():
    for name in ('words', 'prompts', 'extra-lines', 'missing-lines', 'twice', 'trailing-blanks',
                 'separators'):
        code = program('othello', *WRONG['othello'][name])
        observed = [(transcript, observe(code, transcript))
                    for transcript in transcripts('othello')]
        diagnosis = diagnose(lambda transcript: None, [what for _, what in observed if what],
                             [transcript for transcript, what in observed if not what])
        assert ([fault.id for fault in diagnosis.faults], diagnosis.groups) == ([name], []), name


def test_a_program_that_prints_nothing_proves_nothing():
    """It crashes while it is imported, as some variants of the game would crash."""
    source = (SAMPLES / 'othello.py').read_text(encoding='utf-8')
    code = compile(source.replace('class Game', 'board = {}[0]\n\n\nclass Game'),
                   '/tmp/submission/othello.py', 'exec')
    diagnosis = examine(code, transcripts('othello'))
    assert diagnosis.faults == []
    assert [crash_at(group.place).type for group in diagnosis.groups] == ['KeyError']
