"""Rules of the diagnosis not shown by any golden: limits, failures, groups, no false names."""

import ast
import functools
import os
import random
import re
import resource
import subprocess
import sys
import time
from contextlib import suppress
from itertools import product
from pathlib import Path

import internals
import pytest
from assigned import settings_for, transcripts_for
from graders import BUFFERED, diagnosed, graded
from models import Othello, Position
from mutation import mutants
from pages import played_wrong
from programs import changed, read_sample, write_files
from running import PYTHON, rest_long
from wrong_othello import RARE, RARE_IDS, WRONG
from wrong_programs import PROGRAMS, Program, of_sample, sessions_for
from wrong_styles import GAME, OTHERS, PRINTING, STYLES

from grading.diagnosis import hints, printing
from grading.diagnosis.apart import explain_apart
from grading.diagnosis.crash import crash_in_other_language, crash_of
from grading.diagnosis.diagnose import Diagnosis, add_beyond, diagnose
from grading.diagnosis.finding import Fault, group_faults, key_of_failure
from grading.diagnosis.hints import WAITS
from grading.diagnosis.languages import for_language
from grading.diagnosis.manners import MANNERS
from grading.diagnosis.match import AHEAD, follow
from grading.diagnosis.observed import LITTLE_FOLLOWED, ObservedSession
from grading.diagnosis.protocol import Protocol
from grading.diagnosis.style import Style
from grading.games import GAMES, game_of
from grading.games.known_faults import GameFaults, KnownFault, faults_of
from grading.games.model import variant
from grading.installation import TRANSCRIPTS_FOLDER
from grading.results import Crash
from grading.sessions.session import at_once
from grading.sessions.transcript import parse, read_session
from grading.sessions.verdict import Dialogue, PlayedSession, failure_in
from grading.workers.task import Task, grade_task


@pytest.mark.long
def test_each_game_has_its_own_time_limit(monkeypatch):
    clock = 0.0

    def passes(session):
        nonlocal clock
        clock += 100
        return ()

    monkeypatch.setattr(time, 'process_time', lambda: clock)
    slow = GameFaults(faults_of(GAMES['tlcw']).model, [KnownFault('slow', 'is slow', '', passes)])
    _, failed, passed = diagnosed(PROGRAMS['nim/tlcw: cheat-wins'], 0)
    _, others, _ = diagnosed(PROGRAMS['nim/piles: piles-from-one'], 0)
    monkeypatch.setattr(
        internals.FAULTS_OF,
        lambda game: slow if game is GAMES['tlcw'] else faults_of(game),
    )
    faults = diagnose(game_of, [failed[0], others[0]], passed, seconds=6).faults
    assert [fault.id for fault in faults if fault.id] == ['piles-from-one']
    assert clock >= 100


def test_free_text_may_be_read_a_turn_later():
    """The grader may read the free text after an input line one turn late.

    If no output is expected, it types the next line at once.
    """
    session = read_session(TRANSCRIPTS_FOLDER / 'nim/piles/lost_with_two_piles.txt')
    printed = ['', '', '', 'pile 0 = 4\npile 1 = 2\nYour turn ...\n', '', *['INVALID\n'] * 2]
    dialogue = Dialogue.printing([*printed, 'pile 0 = 4\npile 1 = 0\npile 0 = 0\npile 1 = 0\n'])
    played = PlayedSession(session, dialogue, failure_in(session, dialogue))
    faults = faults_of(GAMES['piles'])
    [variants] = [known.variants(None) for known in faults.known if known.id == 'from-one']
    observed = ObservedSession.from_played(played)
    match = follow(faults.model, tuple(variants), observed, Style(Protocol.of([session])))
    assert match.is_whole


# Advice about Python: its name, except in the player's name "The Python", or its syntax.
OF_PYTHON = re.compile(r'(?<!The )\bPython\b|\b(print|input|int|list|len|range)\(|\.\w+\(|\bNone\b')


@pytest.mark.parametrize('language', ['C', 'Java', 'Node.js'])
def test_no_advice_for_another_language_is_about_python(language):
    known = [
        *printing.WAYS,
        *MANNERS,
        *(fault for game in GAMES.values() for fault in faults_of(game).known),
    ]
    advice = [fault.advice for fault in known]
    advice += [printing.PRINTS_LIST, printing.READS_MORE, printing.EXACT_PROMPTS]
    texts = [for_language(text, language) for text in advice] + [hints.FLUSH, *hints.HINTS.values()]
    assert [text for text in texts if OF_PYTHON.search(text) or not text] == []
    assert [text for text in advice if OF_PYTHON.search(for_language(text, 'Python'))]


@pytest.mark.long
def test_no_more_rules_are_tried_after_the_time_limit(monkeypatch):
    _, failed, passed = diagnosed(PROGRAMS['othello/othello: words'], 0)
    tried = []
    monkeypatch.setattr(internals.SUGGESTIONS, lambda *about: tried.append(about) or iter(()))
    diagnosis = diagnose(game_of, failed, passed, seconds=0)
    assert diagnosis.is_cut_short
    assert not tried
    few = diagnose(lambda transcript: None, failed, passed, seconds=0)
    assert few.is_cut_short
    assert len(failed) > 1
    assert len({played.session.name for fault in few.faults for played in fault.sessions}) == 1


@pytest.mark.long
def test_a_search_ends_after_a_number_of_steps(monkeypatch):
    """The number of steps limits a search, so a busy machine names the same faults."""
    _, failed, passed = diagnosed(PROGRAMS['othello/othello: words'], 0)
    assert [fault.id for fault in diagnose(game_of, failed, passed).faults] == ['words']
    monkeypatch.setattr(time, 'process_time', lambda: 0)
    monkeypatch.setattr(internals.MAX_STEPS, 0)
    diagnosis = diagnose(game_of, failed, passed)
    assert diagnosis.is_cut_short
    assert [fault.id for fault in diagnosis.faults] != ['words']


def test_a_flood_of_output_is_examined_only_in_part():
    session = parse(
        PROGRAMS['othello/othello: words'].sessions['othello/tie_of_fewest_discs.txt'], 'flood.txt'
    )
    observed = ObservedSession.from_played(played_wrong(session, 0, 'differs', b'FULL\n' * 200_000))
    assert len(''.join(observed.turns)) == LITTLE_FOLLOWED + 3 * len(session.output)
    style = Style(Protocol.of([session]))
    match = follow(faults_of(GAMES['othello']).model, (), observed, style)
    assert len(match.output.upcoming()) == AHEAD


@pytest.mark.long
def test_after_many_wrong_lines_right_ones_are_not_reported():
    """In very long output, lines are compared by position, and right lines are not reported."""
    lines = [
        f'{"Twice" if number % 3 else "Once"}: {number} {"x" * 300}\n' for number in range(300)
    ]
    session = at_once(parse(''.join(f'1\n|{line}' for line in lines), 'long.txt'))
    printed = ''.join(line.replace('Once:', 'no') for line in lines)
    played = played_wrong(session, 1, 'differs', printed.encode())
    findings = diagnose(lambda transcript: None, [played], []).findings(
        lambda transcript: 1, game_of
    )
    assert [finding.sentence for finding in findings] == [
        'prints the wrong words: "no" instead of "Once:"'
    ]
    assert not findings[0].example.hint  # the program prints no extra lines


@pytest.mark.parametrize(
    ('errors', 'sentence'),
    [
        (
            b'  File "/s/a.py", line 1\n    (\nSyntaxError: no\n',
            'crashes at a.py, line 1 (SyntaxError)',
        ),
        (b'', 'prints nothing'),
    ],
)
def test_a_program_that_prints_nothing_omits_no_prompts(errors, sentence):
    """A program without output is not reported as leaving out prompts or lines.

    It has a syntax error, or it never calls its main function.
    """
    failed = [
        played_wrong(session, 0, 'ended', status=int(bool(errors)), errors=errors, folder='/s')
        for session in transcripts_for('piles', prompts=True)
    ]
    diagnosis = diagnose(game_of, failed)
    assert [finding.sentence for finding in diagnosis.findings(lambda session: 1, game_of)] == [
        sentence
    ]


@pytest.mark.long
def test_wrong_words_do_not_hide_that_another_line_is_expected():
    """A line with wrong words does not hide that another line is expected.

    If a turn has none of its expected lines, the example compares the first of them.
    """
    changes = [
        ("print('TURN: ' + game.turn)", "print('TURN: ' + game.turn.lower())"),
        ("print('INVALID')", "show(game)\n            print('VALID')"),
    ]
    diagnosis, *_ = diagnosed(of_sample('', 'othello', [], changes))
    found = diagnosis.findings(lambda session: 1, game_of)
    assert [(finding.sentence, finding.example.expected) for finding in found] == [
        ('prints the wrong words: "w" instead of "W", "b" instead of "B"', 'TURN: W\n'),
        ('for example, prints "B: 6  W: 2" instead of "INVALID"', 'INVALID\n'),
    ]


@pytest.mark.long
def test_an_extra_line_is_the_example_only_of_the_fault_that_prints_it():
    """A refused game prints more lines only because of its bad move.

    Other games show the faults in how lines are printed.
    """
    names = ['one-space', 'piles-from-zero', 'negative-pile']
    changes = [("'Starting State:'", "'Starting state:'"), ("'State:'", "'state:'")]
    diagnosis, *_ = diagnosed(of_sample('', 'recorded', names, changes))
    found = diagnosis.findings(lambda session: 1, game_of)
    assert {
        finding.id: (finding.example.expected, finding.example.printed) for finding in found
    } == {
        'words': ('Starting State:\n', 'Starting state:\n'),
        'one-space': ('0  0  3\n', '0 0 3\n'),
        'piles-from-zero': (
            'Player 1 takes 2 tokens from the pile 3.\n',
            'Player 1 takes 2 tokens from the pile 2.\n',
        ),
        'negative-pile': ('Invalid Game.\n', 'Starting state:\n'),
    }


@pytest.mark.long
def test_sessions_that_pass_with_all_input_at_once_are_evidence():
    """Sessions that pass with all input at once also count as evidence.

    Without a flush, only a few sessions are played in turns. These alone would suggest that the
    program confuses `<` and `>`.
    """
    names = ['a margin of three', 'no-flush', 'stuck-start']
    diagnosis, *_ = diagnosed(of_sample('', 'othello', names))
    assert [fault.id for fault in diagnosis.faults if fault.id] == ['no-flush']


@pytest.mark.long
@pytest.mark.parametrize(
    ('sample', 'names', 'changes'),
    rest_long(
        [
            # The unknown fault appears first, and shows the same symptom as the known faults.
            (
                'recorded',
                ['negative-pile', 'sum-unchecked'],
                [("pile, taken = line.split(';')", "pile, taken = line.split(';')[:2]")],
            ),
            # The unknown fault shows in more sessions, before the program prints the winner.
            (
                'othello',
                ['no-tie'],
                [
                    (
                        '    while not game.is_over():\n        print',
                        '    if game.is_over():\n        return\n'
                        '    while not game.is_over():\n        print',
                    )
                ],
            ),
        ]
    ),
)
def test_a_known_fault_keeps_its_name_beside_an_unknown_one(sample, names, changes):
    diagnosis, *_ = diagnosed(of_sample('', sample, names, changes))
    assert sorted(fault.id for fault in diagnosis.faults) == ['', *sorted(names)]


@pytest.mark.long
@pytest.mark.parametrize(
    ('sample', 'names', 'changes', 'named'),
    rest_long(
        [
            # The program ignores the discs of one color, so the winner is wrong not only in ties.
            ('othello_functions', [], [('b = score(board, "B")', 'b = score("B", board)')], []),
            (
                'othello_dictionary',
                [],
                [("self.count('B') - self.count('W')", "self.count('B')")],
                [],
            ),
            # The program skips a line, and its answer to the next line would fit the skipped line.
            (
                'othello',
                ['a count of seven', 'twice', 'turns-elsewhere', 'negative-numbers'],
                [],
                ['twice'],
            ),
        ]
    ),
)
def test_a_fault_that_only_seems_to_be_there_is_not_named(sample, names, changes, named):
    diagnosis, *_ = diagnosed(of_sample('', sample, names, changes))
    assert {fault.id for fault in diagnosis.faults} == {'', *named}


def test_a_crash_that_shows_on_each_board_is_not_one_of_boards_that_are_not_square():
    """A fault that explains a crash is not named if the same crash also shows elsewhere."""
    changes = [("self.count('B'), self.count('W')", "self, self.count('W')")]
    diagnosis, *_ = diagnosed(of_sample('', 'othello', [], changes))
    assert {fault.id for fault in diagnosis.faults} == {''}


TWO_MOVES = """
def show(piles):
    print('  '.join(map(str, piles)))

length = int(input().split(';')[1])
piles = [int(size) for size in input().split(';')]
print('Starting State:')
show(piles)
for player in (1, 2):
    pile, taken = (int(number) for number in input().split(';'))
    piles[pile] -= taken
    print(f'Player {player} takes {taken} tokens from the pile {pile + 1}.')
    print('State:')
    show(piles)
"""


@pytest.mark.long
def test_lines_that_a_program_does_not_reach_are_not_left_out():
    """A program is not reported as leaving out lines it did not reach.

    This one always reads two moves, prints no loser, and checks nothing.
    """
    diagnosis, *_ = diagnosed(Program('', TWO_MOVES, sessions_for('recorded')))
    found = diagnosis.findings(lambda session: 1, game_of)
    assert [(finding.id, finding.sentence, len(finding.sessions)) for finding in found] == [
        (
            '',
            'prints "Starting State:" instead of "Invalid Game."; in other sessions, it later '
            'crashes at main.py, line 10',
            27,
        ),
        ('missing-lines', 'leaves out lines: "Player 1 loses."', 4),
        ('', 'for example, tries to read past the end of the input, at main.py, line 5', 4),
        ('count-unchecked', 'does not check the number of piles', 2),
        (
            '',
            'for example, ends too early, with exit status 0: "Player 1 takes 3 tokens from the '
            'pile 2." is missing',
            3,
        ),
        ('', 'crashes at main.py, line 6 (ValueError)', 1),
        ('', 'crashes at main.py, line 5 (IndexError)', 1),
    ]


HALVES = """
while True:
    line = input()
    if line == 'stop':
        break
    print('Half:', int(line) / 2)
print('Sum: 3')
"""
AFTER = '3\n|Half: 1.5\nstop\n|Sum: 3\n'
LOOPS = """
print('Half:', int(input()))
while True:
    try:
        print('got', input())
    except EOFError:
        print('try again')
"""
ASKS_MORE = "print('Sum:', int(input('a: ')) + int(input('b: ')))\ninput('More: ')\n"


@pytest.mark.parametrize(
    ('text', 'source', 'sentence'),
    [
        # A wrong line where any lines are allowed.
        (
            '4\n# any lines\n# regex\n|\\D*8\\D*\n# any lines\n',
            "print('Hello')\nprint('Twice:', 3 * int(input()))\nprint('Bye')\n",
            'prints "Twice: 12"; a line that matches "\\D*8\\D*" is expected',
        ),
        (
            '# any lines\n|Sum: 8\n',
            "print('reading')\nprint('Too few arguments')\nraise SystemExit(1)\n",
            'prints "Too few arguments" and then ends; "Sum: 8" is expected',
        ),
        # The program ends without reading.
        (
            '# free\n|Welcome\n' + AFTER,
            'print(0)\n',
            'prints "0" and then ends; "Half: 1.5" is expected',
        ),
        # The program reads where it should print or end.
        (
            '$ main.py x\n|usage: main.py N\n# exit status: 1\n',
            "print(2 * int(input('Number? ')))\n",
            'prints the prompt "Number? " where "usage: main.py N" is expected',
        ),
        (
            '# prompts: free\n3\n4\n|Sum: 7\n',
            ASKS_MORE,
            'prints a prompt where none is expected: "More: "',
        ),
        # The program prints nothing where a free line is expected, and a flush would not help.
        (
            '# free\n|Welcome\n' + AFTER,
            HALVES,
            'does not print "Welcome" until it gets more input',
        ),
        # The output after a wrong line is only its consequence.
        (AFTER, LOOPS, 'prints "Half: 3" instead of "Half: 1.5"'),
        # Printed numbers are quoted as they are.
        (
            '# tolerance: 0.01\n3\n|Half: 1.5 of 3\n',
            "n = int(input())\nprint('Half:', n / 2 + 0.00001, 'of', 2 * n)\n",
            'prints "Half: 1.50001 of 6" instead of "Half: 1.5 of 3"',
        ),
        (
            '3\n# file: out.txt\n|6\n',
            '# to do\n',
            'prints nothing: there is no code in main.py',
        ),
    ],
)
def test_findings_in_assignments_without_a_game(text, source, sentence, tmp_path):
    write_files(tmp_path, {'main.py': source})
    sessions = (('a.txt', text), BUFFERED)
    results = graded(tmp_path, None, None, game='sessions', sessions=sessions, here=True)
    assert [finding['sentence'] for finding in results['extra_data']['findings']] == [sentence]


def test_a_missing_flush_is_named_with_free_text():
    """A missing flush is named even if the program words its messages freely.

    Its greeting is optional, and arrives late, together with the first expected line.
    """
    reading = [
        ('input(question)', 'sys.stdin.readline()'),
        ('\n\n\ndef ask', '\nimport sys\ndef ask'),
    ]
    diagnosis, failed, _ = diagnosed(of_sample('', 'piles', (), reading, prompts=False))
    assert [(fault.id, len(fault.sessions)) for fault in diagnosis.faults] == [
        ('no-flush', len(failed))
    ]


def test_one_prompt_may_be_missing_where_others_are_printed():
    diagnosis, *_ = diagnosed(
        of_sample(
            '',
            'piles',
            (),
            [
                ("piles.append(ask('How many in pile %d? ' % number, 1, 10 ** 6))", 'break'),
                ('while True:\n    print', "print('I win ... AGAIN')\nwhile piles:\n    print"),
            ],
        )
    )
    assert 'prompts' not in [fault.id for fault in diagnosis.faults]


def test_each_variant_changes_decisions_of_its_game():
    for game in GAMES.values():
        faults = faults_of(game)
        for made in (made for known in faults.known for made in fixed_variants(known)):
            assert made.names <= faults.model([], variants=[made]).decisions()
            assert made.names
    with pytest.raises(AttributeError, match=r'^Othello has no decision named can_walk$'):
        Othello([], variants=[variant(can_walk=True)])


def test_cached_legal_moves_are_right_for_each_variant():
    """The cached legal moves of a board follow its variant of the rules."""
    rng, few_directions = random.Random(1), variant(searched=((0, 1),))
    variants = [
        few_directions,
        *(
            made
            for known in faults_of(GAMES['othello']).known
            for made in fixed_variants(known)
            if 'can_move' not in made.names
        ),
    ]
    for made, _ in product(variants, range(6)):
        board = [rng.choices('BW.', [1, 1, 9], k=6) for _ in range(4)]
        game, cells = Position(board, [made]), product(range(4), range(6))
        with suppress(LookupError):
            assert game.can_move('B') == any(game.is_legal(*cell, 'B') for cell in cells), made


def test_the_rules_depend_only_on_the_board():
    """The rules depend only on the board, so their results can be cached for each board."""
    game = Position(
        [['B', 'W', '.']], [variant(is_legal=lambda game, is_legal, *move: game.moved is None)]
    )
    with pytest.raises(AttributeError, match="'BoardRules' object has no attribute 'moved'"):
        game.can_move('B')


@pytest.mark.parametrize('name', ['main.py', 'link/main.py', 'game/main.py'])
def test_a_crash_is_reported_by_the_line_in_the_program(name, tmp_path):
    """A crash is reported with its file and line, even if a command names the program by a path.

    The path may lead through a link.
    """
    (tmp_path / 'mine' / 'game').mkdir(parents=True)
    (tmp_path / 'link').symlink_to(tmp_path / 'mine')
    path = tmp_path / ('link' if name.startswith('link') else 'mine') / name.rpartition('link/')[2]
    path.write_text('import rules\n\nrules.start()\n', encoding='utf-8')
    (path.parent / 'rules.py').write_text('def start():\n    [][7]\n', encoding='utf-8')
    results = grade_task(
        Task(
            'mine',
            None,
            *settings_for(
                'mine',
                (('one.txt', '|7\n'),),
                confine='none',
                where=False,
                command=f'{PYTHON} {path}',
            ),
        )
    )
    [finding] = results.findings
    assert finding.sentence == 'crashes at rules.py, line 2 (IndexError)'


def test_no_path_in_a_traceback_is_looked_up(tmp_path):
    """The paths in a traceback are compared as text: links on this machine do not matter."""
    (tmp_path / 'link').symlink_to(tmp_path / 'submission')
    for path, file in (
        ('submission/a.py', 'a.py'),
        ('submission/b/../a.py', 'a.py'),
        ('link/a.py', ''),
        ('submission/../link/a.py', ''),
        ('a.py', ''),
    ):
        error = f'  File "{tmp_path}/{path}", line 1, in <module>\n    x\nNameError: x\n'
        crash = crash_of(error.encode(), str(tmp_path / 'submission'))
        assert (crash.file if crash else '') == file, path


def test_failures_that_differ_in_length_or_name_are_one_group():
    failed = [
        played_wrong(
            parse(f'$ othello_console.py\n|{expected}\n', str(printed)), 0, 'differs', printed
        )
        for expected, printed in [
            ('*' * 47, b'****\n'),
            ('*' * 49, b'******\n'),
            ('WINNER: B', b'TURN: W\n'),
            ('WINNER: NONE', b'TURN: B\n'),
            ('WINNER: B', b'TURN: w\n'),
            ('WINNER: B', b'WINNER: NONE\n'),
        ]
    ]
    groups = group_faults(Fault(played, key=key_of_failure(played)) for played in failed)
    assert [len(group.sessions) for group in groups] == [2, 3, 1]


@pytest.mark.parametrize(('status', 'sizes'), [(None, [2]), (1, [1, 1])])
def test_endless_loops_are_one_group_wherever_they_begin(status, sizes):
    failed = [
        played_wrong(parse(f'$ othello_console.py\n|{line}\n', line), 0, 'silent', status=status)
        for line in ('VALID', 'WINNER: B')
    ]
    groups = group_faults(Fault(played, key=key_of_failure(played)) for played in failed)
    assert [len(group.sessions) for group in groups] == sizes


def test_a_diagnosis_gains_no_sessions_of_the_assignment_from_those_beyond():
    one, two, beyond = (
        played_wrong(
            parse(f'{directive}$ othello_console.py\n|VALID\n', name), 0, 'differs', b'no\n'
        )
        for name, directive in (('one', ''), ('two', ''), ('far', '# beyond the assignment\n'))
    )
    diagnosis = Diagnosis([Fault(one, key='a'), Fault(one, key='b')])
    add_beyond(diagnosis, Diagnosis([Fault(two, key='a'), Fault(two, [two, beyond], key='b')]))
    assert [(fault.key, fault.names) for fault in diagnosis.faults] == [
        ('a', ['one']),
        ('b', ['one', 'far']),
    ]


def test_a_crash_in_java_is_reported_by_its_cause():
    errors = (
        b'Exception in thread "main" java.lang.RuntimeException: no\n\tat Main.main(Main.java:5)\n'
        b'Caused by: java.lang.IllegalStateException: why\n\tat java.util.List.of(List.java:1)\n'
        b'\tat Main.turn(Main.java:9)\n\t... 1 more\n'
    )
    assert crash_in_other_language(errors, '/s') == Crash(
        'IllegalStateException: why', 'Main.java', 9, ''
    )


# An explanation may fail in any way, but the findings made so far are kept.

MEMORY = 512 << 20


def explaining(source):
    """Return an explanation that makes one finding, and then executes `source`."""

    def explain():
        yield 'this'
        exec(source, {**globals(), 'kept': []})

    return explain


def test_the_last_piece_is_the_explanation():
    assert explain_apart(lambda: iter([{'findings': []}, {'findings': ['one']}]), 20, MEMORY) == (
        {'findings': ['one']},
        '',
    )


def test_an_explanation_has_a_limit_of_processor_time():
    assert explain_apart(
        lambda: iter([resource.getrlimit(resource.RLIMIT_CPU)[0]]), 20, MEMORY
    ) == (
        21,
        '',
    )


# For each source: the reason why the explanation ends early.
ENDS = {
    'raise ZeroDivisionError("a text that somebody else wrote")': 'ZeroDivisionError',
    'def recurse(): recurse()\nrecurse()': 'RecursionError',
    'os._exit(0)': 'its process was killed',
    'os.kill(os.getpid(), 9)': 'its process was killed',
    'while True: pass': 'it took more than 0.5 s',
    'import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)': 'it took more than 0.5 s',
    'while True: kept.append(bytes(1 << 20))': 'it used more than 256 MB of memory',
}


@pytest.mark.parametrize('source', ENDS)
def test_the_reason_why_an_explanation_ends_is_reported(source):
    reason = ENDS[source]
    assert explain_apart(
        explaining(source),
        0.5 if 'took' in reason else 60,
        256 << 20 if 'memory' in reason else MEMORY,
    ) == ('this', reason)


def test_no_process_of_an_explanation_goes_on():
    def starts_another():
        child = subprocess.Popen(
            [sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True
        )
        yield child.pid
        time.sleep(600)

    number, _ = explain_apart(starts_another, 2, MEMORY)
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


# No false names: neither for random mutants, nor for known faults beside an unknown one. A name is
# false if the program does not have the named fault. The diagnosis has no say in this: the faults
# are planted, or a person has found them in a mutant (`mutants_named.txt`). `make diagnoses` tries
# all programs, `make test-long` one of each kind; the goldens also show that the named faults are
# there.

IS_WHOLE = os.environ.get('DIAGNOSES') == 'whole'  # `make diagnoses` tries more
MUTANTS = 200 if IS_WHOLE else 1
SAMPLES = ['othello', 'othello_functions', 'othello_dictionary']
NAMED = Path(__file__).with_name('mutants_named.txt')
# For each fault: other faults that may rightly be named for the same program.
IMPLIED = {
    'one space, but not always': {'one-space'},  # in short games, there may always be one space
    'over-all': {'over-empty', 'no-bracket'},
    'never-passes': {'stuck-start'},
    'limits-swapped': {'not-square-crash'},
    'fifth-setup-line': {'own-start'},  # the program crashes before a move distinguishes these
    'one-winner': {'no-tie', 'wrong-fewest'},
    'wrong-fewest': {'wins-ignored'},  # if only one game with < is played to its end
    'wins-ignored': {'wrong-fewest'},
    'a margin of three': {'wins-ignored', 'wins-swapped'},  # if only one or two such games are
    'last-run': {'one-run'},
    'turn-missing': {'missing-lines'},
    'winner-missing': {'missing-lines'},
    'no-full': {'missing-lines'},
    'one-space': {'separators'},
    'no-newline': {'board-after-invalid'},  # TURN is printed as a prompt
}


# Names that reports give to mutants falsely: the output looks like the fault, but it is not there.
MISNAMED = {
    'othello 96 play: while not game.is_over(): ... -> while game.is_over(): ...': {'no-runs'},
    'othello_functions 19 flips_in_direction: cell = board[r + dr * steps][c + dc * steps] -> '
    'cell = board[r + dr * steps][c - dc * steps]': {'direction-missing'},
    'othello_functions 82 module: num_cols = int(input()) -> pass': {'extra-lines'},
    "othello_functions 90 module: while player != '': ... -> while True: ...": {
        'one-winner',
        'words',
    },
    'othello_dictionary 14 Othello.__init__: for y in range(1, self.height + 1): ... -> pass': {
        'own-start',
        'rows-alike',
    },
    'othello_dictionary 52 Othello.__str__: for y in range(1, self.height + 1): ... -> '
    'for y in range(1, self.height + 2): ...': {'twice'},
    'othello_dictionary 81 module: while True: ... -> pass': {'no-runs'},
    'othello_dictionary 86 module: if game.is_over(): ... -> if game: ...': {'no-runs'},
}


@functools.cache
def faults_of_mutants():
    """Return the known faults of some mutants: pairs of a pattern for the change, and fault ids."""
    found, ids = [], []
    for line in NAMED.read_text(encoding='utf-8').splitlines():
        if line.startswith(' '):
            pieces = map(re.escape, line.strip().split('*'))
            found.append((re.compile('.*'.join(pieces)), ids))
        else:
            ids = line.split()
    return found


def fixed_variants(known):
    """Return the variants of a fault, or none if they are learned from a program."""
    try:
        return list(known.variants(None))
    except AttributeError:
        return []


def implied_by(names):
    """Return the faults that may also be named for programs with these faults."""
    return {other for name in names for other in IMPLIED.get(name, ())}


def test_faults_of_mutants_are_known_and_their_mutants_exist():
    changes = [
        f'{name} {mutant.line} {mutant}'
        for name in SAMPLES
        for mutant in mutants(read_sample(name))
    ]
    known = {fault.id for fault in [*printing.WAYS, *MANNERS, *faults_of(GAMES['othello']).known]}
    rows = faults_of_mutants()
    assert {name for _, ids in rows for name in ids} <= known
    assert [row for row, _ in rows if not any(map(row.fullmatch, changes))] == []
    assert {*MISNAMED} <= {*changes}


@pytest.mark.long
def test_no_mutant_has_a_false_name(capsys):
    """Programs with one random change get no false names, except those in `MISNAMED`."""
    sources = [(name, read_sample(name)) for name in SAMPLES]
    numbers = [(name, number) for name, right in sources for number, _ in enumerate(mutants(right))]
    chosen = random.Random(1 if IS_WHOLE else 4).sample(numbers, MUTANTS)
    tried = {
        f'{name} {mutant.line} {mutant}': ast.unparse(mutant.tree)
        for name, right in sources
        for number, mutant in enumerate(mutants(right))
        if (name, number) in chosen
    }
    failed, named, false = 0, 0, {}
    for change, source in tried.items():
        diagnosis, wrongly, _ = diagnosed(Program(change, source, sessions_for('othello')))
        failed += bool(wrongly)
        found = {fault.id for fault in diagnosis.faults if fault.id}
        named += bool(found)
        planted = {
            name for row, ids in faults_of_mutants() if row.fullmatch(change) for name in ids
        }
        wrong = found - planted - implied_by(planted)
        if wrong:
            false[change] = wrong
    with capsys.disabled():
        print(f'\n{MUTANTS} mutants, {failed} fail, {named} with names, {len(false)} false')
    assert named > MUTANTS // 10
    assert false == {change: names for change, names in MISNAMED.items() if change in tried}


def of_styles(styles):
    """Endlessly yield the style of a sample program, and one to three faults for it."""
    rng = random.Random(1)
    while True:
        style = rng.choice(sorted(styles))
        printing, game = sorted(styles[style][PRINTING]), sorted(styles[style][GAME])
        number = rng.choice([1, 2, 2, 3])
        few = rng.randint(0, 1) if number == 1 else rng.choice([1, number - 1])
        few = few if game else number
        yield style, [*rng.sample(printing, few), *rng.sample(game, number - few)]


def with_a_rare_fault():
    """Endlessly yield a sample program, and two or three known faults beside an unknown one."""
    rng = random.Random(3)
    while True:
        names = rng.sample(sorted(WRONG), rng.choice([2, 3]))
        yield 'othello', [rng.choice(sorted(RARE)), *names]


@pytest.mark.long
@pytest.mark.parametrize(
    ('programs', 'count', 'least'),
    [
        (of_styles(STYLES), (1, 200), 0.9),
        (of_styles(OTHERS), (1, 60), 0.9),
        (with_a_rare_fault(), (6, 100), 0.5),
    ],
    ids=['othello', 'other games', 'rare'],
)
def test_only_faults_that_are_there_are_named(programs, count, least, capsys):
    tried = reported = possible = 0
    false = []
    while tried < count[IS_WHOLE]:
        sample, names = next(programs)
        try:
            program = of_sample('', sample, names)
            compile(program.source, '', 'exec')
        except (AssertionError, SyntaxError):  # these faults cannot be combined
            continue
        tried += 1
        diagnosis, *_ = diagnosed(program)
        found = {fault.id for fault in diagnosis.faults if fault.id}
        known = {*names} - {*RARE} | {other for name in names for other in RARE_IDS.get(name, ())}
        possible, reported = possible + len(known), reported + len(found & known)
        wrong = found - known - implied_by(names)
        if 'extra-lines' in names and {'no-full', 'missing-lines'} & {*names}:
            wrong -= {'words'}  # an extra line takes the place of a missing one
        if {'over-empty', 'no-bracket'} <= {*names}:  # together, they amount to this fault
            wrong -= {'over-all'}
        if {'direction-missing', 'turns-nothing'} <= {*names}:  # so do these
            wrong -= {'flips-missing'}
        false += [(sample, names, wrong)] if wrong else []
    with capsys.disabled():
        print(
            f'\n{tried} programs: {reported} of {possible} known faults reported, '
            f'{len(false)} programs with a false name'
        )
    assert reported >= least * possible
    assert not false, false


def test_late_output_must_be_fixed_first(tmp_path):
    """While output arrives late, no session is clean.

    The other fault shows in sessions played with all input at once.
    """
    source = changed(read_sample('othello'), WRONG['no-tie'])
    reads_all = 'import io, sys\nsys.stdin = io.StringIO(sys.stdin.read())\n'
    results = graded(tmp_path / 'one', reads_all + source, transcripts_for('othello'), timeout=0.5)
    late, no_tie = results['extra_data']['findings']
    assert (late['id'], no_tie['id'], no_tie['clean_points']) == ('no-flush', 'no-tie', 0)


# Refuses a limit only once. Without prompts, the program prints nothing after the second limit.
LENIENT = """
def say(text):
    print(text, flush=True)
def coins(number):
    return '1 coin' if number == 1 else f'{number} coins'
def ask(choices):
    answer = input().upper()
    while answer not in choices:
        say('INVALID')
        answer = input().upper()
    return answer
left = int(ask([str(number) for number in range(2, 1000)]))
most = int(input())
if not 1 <= most < left:
    say('INVALID')
    most = int(input())
turn = ask('CU')
while left:
    say(f'COINS: {left}  TURN: {turn}')
    taken = min(left, most) if turn == 'C' else int(input())
    if not 1 <= taken <= min(left, most):
        say('You are cheating!')
        break
    left -= taken
    say(f"The computer takes {'' if left else 'all '}{coins(taken)}." if turn == 'C' else
        f'You take {coins(taken)}.')
    turn = 'U' if turn == 'C' else 'C'
say('You win. Congratulations, and thank you for playing!' if not left and turn == 'C' else
    'The computer wins. Thank you for playing!')
"""


def test_an_answer_to_another_line_is_not_late(tmp_path):
    results = graded(tmp_path, LENIENT, None, game='tlcw', timeout=1)
    assert [
        (finding['id'], finding['example']['hint']) for finding in results['extra_data']['findings']
    ] == [('refuses-once', WAITS)]
