"""The command line of the grader: usage errors, and the first message about wrong programs."""

import glob
import json
import os
import re
import shlex
import shutil
import subprocess
from argparse import Namespace

import internals
import pytest
from assigned import transcripts_for
from graders import BLOCK, FAST, FEW, RIGHT, check_format, run_grader_here, submission
from programs import OTHELLO, our_pair, write_files, zipped
from running import PYTHON, rest_long, short_patience

from grading.assignments.choice import assignment_named
from grading.cli.parser import CommandLineParser, make_parser
from grading.games import GAMES, game_of
from grading.reports.messages import FLAKY

SINGLE_NIM_GAMES = [game.name for game in GAMES.values() if game.program == 'nim']


def graded(path, *words):
    """Grade with few transcripts; return the exit status and the contents of the results file."""
    status, output, errors = run_grader_here('grade', *words, *FAST, '--results', path, few=True)
    assert 'Traceback' not in output + errors, output + errors
    return status, json.loads(path.read_text())


def test_wrong_program(tmp_path):
    folder = write_files(
        tmp_path / 'wrong', our_pair('othello', [("print('VALID', ", "print('INVALID', ")])
    )
    status, report = graded(tmp_path / 'results.json', 'othello', folder)
    assert status == 1
    check_format(report)
    assert 0 < report['score'] < len(report['tests'][1:]) == FEW
    first = report['tests'][1]
    assert first['name'] == 'transcripts/othello/worked_example.txt'
    assert first['output'] == (
        'transcripts/othello/worked_example.txt:19: not the expected output\n'
        '  typed    |2 4    (line 18)\n'
        '  expected |VALID\n'
        '  printed  |INVALID\n'
        '            ^\n'
        '  hint: this move is legal here: B at row 2, column 4 flips the disc at row 2, '
        'column 3'
    )
    details = first['extra_data']['example']
    assert (details['kind'], details['line'], details['typed']) == ('differs', 19, '2 4')
    assert details['expected_text'].startswith('VALID\nB: ')
    assert details['printed_text'].startswith('INVALID\nB: ')


def test_a_program_whose_output_varies_is_reported_as_such(tmp_path):
    source = OTHELLO.replace(
        "print('FULL', flush=True)", "import os; print('FULL', os.urandom(9), flush=True)"
    )
    path = tmp_path / 'results.json'
    _, output, _ = run_grader_here(
        'grade',
        'othello',
        write_files(tmp_path / 'flaky', {'othello.py': source}),
        *FAST,
        '--fresh',
        3,
        '--seed',
        1,
        '--results',
        path,
        few=True,
    )
    assert json.loads(path.read_text())['tests'][-1]['output'].splitlines().count(FLAKY) == 1
    assert FLAKY in output.splitlines()


def test_a_fresh_game_that_is_worth_nothing_can_fail(tmp_path, monkeypatch):
    """If a fresh game fails, so does the program, even if fresh games are worth no points.

    The program fails only with two piles; the few transcripts have no such game.
    """
    monkeypatch.setattr(internals.SHRINKING_RUNS, 0)
    begin = 'while True:\n    print'
    folder = submission(tmp_path, 'two', RIGHT.replace(begin, 'assert len(piles) != 2\n' + begin))
    status, report = graded(
        tmp_path / 'results.json', 'piles', folder, '--prompts', '--fresh', 20, '--seed', 1
    )
    _, *recorded, fresh = report['tests']
    assert {test['status'] for test in recorded} == {'passed'}
    assert (fresh['status'], fresh['max_score']) == ('failed', 0)
    assert status == 1


def test_transcripts_in_the_order_of_learning():
    for game, example in [
        ('othello', 'othello/worked_example'),
        ('recorded', 'nim/recorded/worked_example'),
        ('piles', 'nim/piles/prompt_free'),
    ]:
        transcripts = transcripts_for(game)
        assert transcripts[0].name == f'transcripts/{example}.txt'
        sizes = [len(transcript.lines) for transcript in transcripts[1:]]
        assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    ('game', 'words'),
    [
        *((game, '') for game in SINGLE_NIM_GAMES),
        *((game, '--prompts') for game in SINGLE_NIM_GAMES[1:]),
    ],
)
def test_each_game_of_nim_is_an_assignment(game, words, tmp_path):
    """Each game of Nim is graded by itself, with a program without arguments."""
    folder = write_files(
        tmp_path / 'nim',
        our_pair(
            'nim',
            [
                (
                    'import sys\n',
                    'import sys\nassert len(sys.argv) == 1\n'
                    f'sys.argv += {[game, *words.split()]}\n',
                )
            ],
        ),
    )
    status, report = graded(tmp_path / 'results.json', game, folder, *words.split())
    assert status == 0, report['tests']
    assert len(report['tests']) == FEW


@pytest.mark.parametrize(
    'words',
    [
        'othello SUBMISSION --timeout 3',
        'othello --timeout 3 SUBMISSION',
        '--timeout 3 othello SUBMISSION',
        'othello --timeout 3 -- SUBMISSION',
    ],
)
def test_options_may_be_anywhere(words, tmp_path):
    (tmp_path / 'empty').mkdir()
    status, output, errors = run_grader_here(
        'grade',
        *FAST,
        *(tmp_path / 'empty' if word == 'SUBMISSION' else word for word in words.split()),
    )
    assert (status, output.splitlines()[-1].split(',')[0]) == (1, 'empty: othello'), errors


def test_nim_is_graded_by_its_whole_command_line():
    transcripts = transcripts_for('nim')
    assert {game_of(transcript).name for transcript in transcripts} == set(SINGLE_NIM_GAMES)
    assert {'--prompts' in transcript.arguments for transcript in transcripts} == {False, True}
    assert not any(
        '--seed' in transcript.arguments for transcript in transcripts if not transcript.others
    )  # sessions with `others` follow the program's random moves
    assert assignment_named('nim').has_arguments
    assert not any(
        assignment_named(game_of(transcript).name).has_arguments for transcript in transcripts
    )


@pytest.mark.parametrize(
    ('files', 'message'),
    [
        ({'othello_console.py': '', 'othello_logic.py': ''}, 'no executable module: '),
        (
            {'a.py': BLOCK, 'b.py': BLOCK},
            'more than one executable module: a.py, b.py; each contains',
        ),
        ({'.git/x.py': BLOCK}, 'the submission has no files'),
        (
            {'a.py': '# ' + BLOCK, 'b.py': BLOCK},
            'more than one executable module: a.py, b.py; each contains',
        ),
    ],
)
def test_submission_that_cannot_be_run(files, message, tmp_path):
    folder = write_files(tmp_path / 'submission', files)
    status, report = graded(tmp_path / 'results.json', 'othello', folder)
    check_format(report)
    assert (status, report['score']) == (1, 0)
    assert len(report['tests']) == FEW
    assert all(message in test['output'] for test in report['tests'])


@pytest.mark.parametrize(
    ('words', 'message'),
    [
        (['grade', 'othello', 'no_such_folder'], 'no such file or folder: no_such_folder'),
        (
            ['grade', 'othello'],
            'add a SUBMISSION, or add --command "CMD" to grade your own program',
        ),
        (['grade', 'chess', '.'], 'chess: not a game (othello, '),
        (
            ['grade', 'othello', 'tests', 'grading', '--results', 'x.json'],
            '--results needs a single',
        ),
        (['grade', 'othello', 'tests', '--command', '"'], '--command: No closing quotation'),
        (['grade', 'othello', '--command', '"'], '--command: No closing quotation'),
        (['grade', 'othello', '--command', ''], 'the command is empty'),
        (
            ['grade', 'othello', 'tests', '--timeout', '-1'],
            'grading: --timeout must be a number of seconds up to 3600, not -1\n',
        ),
        (
            ['grade', 'othello', 'tests', '--timeout', 'nan'],
            '--timeout must be a number of seconds',
        ),
        (
            ['grade', 'othello', 'tests', '--fresh', '2.5'],
            'grading: --fresh must be a whole number, not 2.5\n',
        ),
        (
            ['grade', 'othello', 'tests', '--seed', 'x\33'],
            'grading: --seed must be a whole number from 0 to 999999999, not x\\x1b\n',
        ),
        (
            ['grade', 'othello', 'tests', '--fresh', '1', '--fresh-points', '2,5'],
            'grading: --fresh-points must be a number such as 2 or 2.5, not 2,5\n',
        ),
        (
            ['grade', 'othello', 'tests', '--confine', 'x'],
            'grading: --confine must be one of auto, bwrap, user, none, not x\n',
        ),
        (
            ['grade', 'othello', 'tests', '--visibility', 'x'],
            '--visibility must be one of visible, ',
        ),
        (['grade', 'othello', 'tests', '--export', 'x'], '--export must be one of canvas, '),
        (
            ['pack', 'othello', 'x.zip', '--install', '$'],
            '--install must be names of Ubuntu packages, not $',
        ),
        (['grade', 'othello', 'tests', '--fresh'], 'grading: --fresh: expected one argument\n'),
        (['grade', 'othello', 'tests', '--time', '1'], 'unrecognized arguments: --time'),
        (['grade', 'recorded', 'tests', '--prompts'], 'no session of recorded has prompts'),
        (['grade', 'othello', 'tests', '--results', '/no/such/folder/results.json'], '--results: '),
        (['grade', 'othello', 'tests', '--results', '/'], '--results: '),
        (['grade', 'othello', 'tests', '--out', 'README.md'], '--out: '),
        (['grade', 'othello', 'tests', '--seed', '1'], '--seed and --fresh-points need --fresh'),
        (['grade', 'othello', 'tests', '--again'], '--again needs --out'),
        (['grade', 'othello', '--command', 'no-such-tool x'], 'no such command: no-such-tool'),
        (
            ['grade', 'othello', '--command', 'python3 -u othelo_console.py'],
            'no such file: othelo_console.py; did you mean othello_console.py?',
        ),
        (['grade', 'othello', '--command', 'python3 no/such.py x'], 'no such file: no/such.py\n'),
        (['grade', 'othello', '--command', 'python3 no such.py'], 'no such file: no\n'),
        (
            ['grade', 'othello', '--command', 'python3', 'othello_console.py'],
            'are quotes missing? Type --command "python3 othello_console.py"\n',
        ),
        (
            ['grade', 'othello', 'python3', 'x.py'],
            'folder: python3; to grade your own program, type --command "python3 x.py"\n',
        ),
        (
            ['grade', 'othello', '--command', 'python3', '-u', 'x.py'],
            'arguments: -u; are quotes missing? Type --command "python3 -u x.py"\n',
        ),
        (
            ['pack', 'othello', 'x.zip', '--command', 'java', 'Othello'],
            'arguments: Othello; are quotes missing? Type --command "java Othello"\n',
        ),
        (
            ['record', '--command', 'python3', '-u', 'x.py', 'y.txt'],
            'arguments: -u; are quotes missing? Type --command "python3 -u x.py"\n',
        ),
        *(
            (
                ['grade', name],
                f'grading: {name} is a program; run: grading grade GAME --command "{command}"\n',
            )
            for name, command in {
                'othello_console.py': 'python3 othello_console.py',
                'grading/reports/autograder/setup.sh': 'CMD',
            }.items()
        ),
        (
            ['grade', 'othello', '--command', 'othello_console.py'],
            'use Python to start a Python module: --command "python3 othello_console.py"\n',
        ),
        (
            ['grade', 'othello', '--command', './othello_console.py --explain'],
            'use Python to start a Python module: --command "python3 ./othello_console.py --explain"\n',
        ),
        (
            ['grade', 'othello', 'tests', '--command', 'othello.py'],
            '--command "python3 othello.py"\n',
        ),
        (['grade', 'otello', 'tests'], 'folder or file; did you mean othello?\n'),
        (
            ['grade', 'othello/fewest_discs_wins', 'tests'],
            'did you mean othello/fewest_discs_win?\n',
        ),
        (
            ['grade', 'worked_example', 'tests'],
            'several sessions have this name: nim/piles/worked_example, nim/r',
        ),
        (['grade', 'othello', 'test'], 'no such file or folder: test; did you mean tests?\n'),
        (
            ['grade', 'othello', 'tests/conftst.py'],
            'tests/conftst.py; did you mean tests/conftest.py?',
        ),
        (
            ['grad', 'othello', 'tests'],
            'no such command: grad; did you mean grade? (the commands are grade, ',
        ),
        (['grade', 'othello', '--comand', 'x'], 'arguments: --comand; did you mean --command?\n'),
        (['record', '--comand=x', 'y'], 'arguments: --comand=x; did you mean --command?\n'),
        (['record', 'no_such_file.txt'], 'no such file: no_such_file.txt'),
        (['record'], 'FILE'),
        ([], 'COMMAND'),
        (['grade'], 'required: GAME\n'),
    ],
)
def test_usage_errors(words, message):
    status, output, errors = run_grader_here(*words)
    assert (status, output) == (2, '')
    assert message in errors
    assert 'Traceback' not in errors
    # Only a user typing no arguments wants to see the usage.
    assert ('usage:' in errors) == (not words)


@pytest.mark.parametrize('order', [['x.py', '-u'], ['-u', 'x.py']])
def test_a_suggestion_has_the_words_as_they_were_typed(order, monkeypatch):
    """The suggestion keeps the typed order of the words, in every version of Python.

    Since Python 3.13, argparse returns unknown words in another order.
    """
    parsed = Namespace(
        name='grade', command='python3', submissions=[], files=[], parser=make_parser()
    )
    monkeypatch.setattr(CommandLineParser, 'parse_known_args', lambda *args: (parsed, order))
    _, _, errors = run_grader_here('grade', 'othello', '--command', 'python3', '-u', 'x.py')
    assert errors.endswith('are quotes missing? Type --command "python3 -u x.py"\n')


CLASS = {
    f'class/{who}/{name}': text
    for who in ('ann', 'ben')
    for name, text in {'a.py': BLOCK, 'b.txt': ''}.items()
}


@pytest.mark.parametrize(
    ('game', 'words'), [('othello', []), ('othello', ['--command', 'python3 a.py']), ('course', [])]
)
def test_a_folder_of_submissions_is_not_graded_as_one(game, words, tmp_path):
    write_files(
        tmp_path, {'course/a.txt': '|1\n', 'course/assignment.ini': 'command = ./a\n', **CLASS}
    )
    assert run_grader_here('grade', game, 'class', *words, *FAST, folder=tmp_path) == (
        2,
        '',
        'grading: class looks like a folder of submissions; run: '
        f'{" ".join(["grading grade", game, "class/*", *map(shlex.quote, words)])} '
        '(if it is a single submission, add --results FILE)\n',
    )


@pytest.mark.parametrize(
    ('files', 'words'),
    [
        (CLASS, ['class', '--results', 'results.json']),
        (CLASS, ['class/ann']),
        (CLASS, ['class', '--command', 'python3 ben/a.py']),
        ({**CLASS, 'class/notes.txt': ''}, ['class']),
        ({'one/src/a.py': BLOCK, 'one/test/b.py': ''}, ['one']),
    ],
)
def test_one_submission_may_consist_of_folders(files, words, tmp_path):
    status, output, errors = run_grader_here(
        'grade', 'over_at_start_empty_board', *words, *FAST, folder=write_files(tmp_path, files)
    )
    assert (status, output.splitlines()[-1].partition(':')[0]) == (1, words[0].split('/')[-1]), (
        errors
    )


@pytest.mark.parametrize('kind', ['github', 'gradescope'])
def test_a_folder_in_an_export_is_not_the_export(kind, tmp_path):
    write_files(tmp_path, {f'all/{who}/a.py': '' for who in ('ann', 'ben')})
    message = (
        f'grading: all/ann is one submission; --export {kind} needs the folder of all '
        f'submissions; run: grading grade othello all --export {kind} --out out\n'
    )
    words = ['--export', kind, '--out', 'out', *FAST]
    assert run_grader_here('grade', 'othello', 'all/ann', 'all/ben', *words, folder=tmp_path) == (
        2,
        '',
        message,
    )
    write_files(tmp_path, {'all/ann/.git/config': ''})
    assert run_grader_here('grade', 'othello', 'all/ann', *words, folder=tmp_path) == (
        2,
        '',
        message,
    )
    assert not (tmp_path / 'out').exists()


def test_points_of_fresh_games_need_not_be_whole(tmp_path):
    folder = write_files(tmp_path / 'right', {'othello.py': OTHELLO})
    _, report = graded(
        tmp_path / 'results.json',
        'othello',
        folder,
        '--fresh',
        1,
        '--seed',
        1,
        '--fresh-points',
        '2.5',
    )
    assert report['tests'][-1]['score'] == report['tests'][-1]['max_score'] == 2.5


def test_paths_with_spaces_need_quotation_marks(tmp_path):
    write_files(tmp_path, {'my programs/my othello.py': '', 'othello.py': '#!/bin/sh\n'})
    (tmp_path / 'othello.py').chmod(0o755)
    for words, message in [
        ('python3 my programs/my othello.py', '"python3 \'my programs/my othello.py\'"\n'),
        (
            'python3 -X dev my programs/my othello.py x.txt',
            '"python3 -X dev \'my programs/my othello.py\' x.txt"\n',
        ),
    ]:
        status, _, errors = run_grader_here('grade', 'othello', '--command', words, folder=tmp_path)
        assert status == 2
        assert errors.endswith(f'no such file: my; are quotes missing? Type --command {message}')
    # A module with a `#!` line is a command.
    assert (
        run_grader_here(
            'grade', 'over_at_start_empty_board', '--command', './othello.py', folder=tmp_path
        )[0]
        == 1
    )


@pytest.mark.parametrize(
    'name',
    [
        'transcripts/othello/over_at_start_empty_board.txt',
        'over_at_start_empty_board',
        'othello/over_at_start_empty_board',
        'othello/over_at_start_empty_board.txt',
    ],
)
def test_sessions_that_a_report_names_are_found_from_any_folder(name, tmp_path):
    folder = write_files(tmp_path / 'right', {'othello.py': OTHELLO})
    status, output, errors = run_grader_here('grade', name, folder, *FAST, folder=tmp_path)
    assert (status, output.splitlines()) == (
        0,
        ['passed  1 session', '', 'right: over_at_start_empty_board, 1 of 1 points'],
    ), errors


@pytest.mark.parametrize(
    ('files', 'kind'),
    [
        ({'ann_1_12345_othello.py': '', 'ben_2_12346_othello.py': ''}, 'canvas'),
        ({f'{who}_assignsubmission_file_/x.py': '' for who in ('Ann_1', 'Ben_2')}, 'moodle'),
        ({'x/submission_metadata.yml': '', 'x/submission_1/x.py': ''}, 'gradescope'),
        ({'ann_1_12345_othello.py': ''}, ''),
        ({'othello_console.py': '', 'a/x_1_2_y.py': ''}, ''),
    ],
)
def test_one_zip_that_is_an_export(files, kind, tmp_path):
    path = zipped(tmp_path / 'class.zip', files)
    status, _, errors = run_grader_here('grade', 'over_at_start_empty_board', path, *FAST)
    assert (
        status,
        errors.endswith(
            f'class.zip looks like an export of many submissions: add --export {kind}, '
            'and --out for the results\n'
        ),
    ) == ((2, True) if kind else (1, False))
    path.unlink()


MAIN = 'def main():\n    print(1)\n\n'


@pytest.mark.parametrize(
    ('source', 'sentence'),
    [
        (MAIN, 'prints nothing: main() is defined, but never called.'),
        (f'{MAIN}# main()\n', 'prints nothing: main() is defined, but never called.'),
        ('', 'prints nothing: there is no code in game.py.'),
        ('\n# Later.\n', 'prints nothing: there is no code in game.py.'),
        (f'{MAIN}if __name__ == "main":\n    main()\n', 'prints nothing.'),
        (f'{MAIN}import sys\nsys.exit(0 if main else 1)\n', 'prints nothing.'),
    ],
)
def test_why_a_program_prints_nothing(source, sentence, tmp_path):
    path = tmp_path / 'game.py'
    path.write_text(source)
    _, output, _ = run_grader_here('grade', 'over_at_start_empty_board', path, *FAST)
    assert f'1. The program {sentence}' in output.splitlines()


def test_no_folder_is_made_before_a_usage_error(tmp_path):
    assert run_grader_here('grade', 'chess', 'tests', '--out', tmp_path / 'out')[0] == 2
    assert not (tmp_path / 'out').exists()


def test_a_missing_command_costs_no_points(tmp_path):
    folder = write_files(tmp_path / 'right', {'othello.py': OTHELLO})
    status, output, errors = run_grader_here(
        'grade', 'othello', folder, '--command', 'no-such-tool x', '--confine', 'none'
    )
    assert (status, output, errors) == (3, '', 'grading: no such command: no-such-tool\n')


def test_recording_never_runs_in_ci():
    status, _, errors = run_grader_here(
        'record', 'transcripts/othello/worked_example.txt', CI='true'
    )
    assert status == 2
    assert 'sessions cannot be recorded in CI (the environment variable CI is set)' in errors


# The first message about a wrong program.

TWICE = '# prompts: free\n4\n|8\n'
NAMES = '# prompts: free\nAnn\n# end of input\n|Adieu, adieu, to Ann\n'
EXACT = '|Name: \\\nAnn\n|Name: \\\n# end of input\n|Adieu, adieu, to Ann\n'
GRADE = 'One fish.\n# any lines\n|Grade 3\n'
ASKS = '# prompts: free\n-1\n|No.\n# still asks\n'
FILE = '3\n|done\n# file: after.csv\n|a,3\n'
BOUGHT = '# prompts: free\nmilk\n1.20\n# end of input\n|\n|You bought 1 items for 1.20\n'
BUYS = """open("bought.csv", "w").write("milk\\n")
try:
    while True: item = input("Item: "); price = float(input("Price: "))
except EOFError: {}
print("You bought {} items for 1.20")
"""
BOUGHT_FILE = BOUGHT + '# file: bought.csv\n|milk\n'
SEVEN = 'prints "You bought 7 items for 1.20" instead of "You bought 1 items for 1.20"'
LEFT_OUT = 'leaves out lines: "b"'
ON_THE_LINE = (
    'prints "You bought {} items for 1.20" on the same line as "Item: "; an empty '
    'line is missing between them'
).format
TABLE = '3\n|1 x 3 = 3\n|2 x 3 = 6\n'
ADIEU = """names = []
try:
    while True: names.append(input("Name: "))
except EOFError: {}
print("Adieu, adieu to", *names)
"""
C = (
    '#include <stdio.h>\n#include <unistd.h>\n'
    'int main(void) {{ int n = 0; setvbuf(stdout, NULL, _IONBF, 0); {} '
    'return 0; }}\n'
).format
COMMANDS = {
    'py': [PYTHON, 'm.py'],
    'sh': ['bash', 'm.sh'],
    'js': ['node', 'm.js'],
    'c': ['./main'],
    'java': ['java', 'Main.java'],
}
COMMA = 'prints the wrong words: "adieu" instead of "adieu,"'
DOTS = '\N{MIDDLE DOT}'
FIRST = [  # each row: a session, a language, a program, and the first message about it
    (TWICE, 'py', 'print(3 * int(input("Number? ")))', 'prints "12" instead of "8"'),
    (
        '2\n| #\n|##\n',
        'py',
        'n = int(input())\nfor i in (1, 2): print("#" * i)',
        'begins lines with the wrong number of spaces: "#" instead of " #"',
    ),
    (
        '|W: \\\n3\n|H: \\\n4\n|12\n',
        'py',
        'def ask(what):\n    return int(input(what + "? "))\nprint(ask("W") * ask("H"))',
        'prints wrong prompts: "W?\N{MIDDLE DOT}" instead of "W:\N{MIDDLE DOT}", '
        '"H?\N{MIDDLE DOT}" instead of "H:\N{MIDDLE DOT}"',
    ),
    (
        '3\n|9\n4\n|16\n2.5\n|6.25\n',
        'py',
        'while True:\n    n = input()\n    n = int(n)\n    print(n + n)',
        'prints "6" instead of "9", and then crashes at m.py, line 3',
    ),
    (
        TWICE,
        'c',
        C('printf("Number: "); scanf("%d", &n); printf("%d\\n", 3 * n);'),
        'prints "12" instead of "8"',
    ),
    (
        '# prompts: free\n1\n|########\n',
        'sh',
        'read -p "" n; echo "Height: *******#"',
        'prints "*******#" instead of "########"',
    ),
    (NAMES, 'py', ADIEU.format('pass'), COMMA),
    (NAMES, 'py', ADIEU.format('print()'), COMMA),
    (EXACT, 'py', ADIEU.format('print()'), COMMA),
    (
        EXACT,
        'sh',
        'printf "Name: "; read a; printf "Name: "; read b\necho; echo "Adieu, adieu to $a"',
        COMMA,
    ),
    (
        GRADE,
        'py',
        'input()\nprint("Welcome")\nprint("Grade 4")\nprint("Bye")',
        'prints "Grade 4" instead of "Grade 3"',
    ),
    (GRADE, 'sh', 'read t; echo Welcome; echo Grade 4', 'prints "Grade 4" instead of "Grade 3"'),
    (
        ASKS,
        'py',
        'while int(input("N? ")) < 0: print("Nope.")',
        'prints the wrong words: "Nope" instead of "No"',
    ),
    (
        ASKS,
        'c',
        C('do scanf("%d", &n); while (n < 0);'),
        'waits for input instead of printing "No."',
    ),
    (FILE, 'py', 'input()\nprint("done")', 'does not write the file after.csv'),
    (
        FILE,
        'sh',
        'read n; printf "a,$n\\r\\n" > after.csv; printf "done\\r\\n"',
        r'ends lines with \r\n instead of \n',
    ),
    (TWICE, 'c', C('scanf("%d", (int *)0); printf("%d", n);'), 'crashes: signal 11 (SIGSEGV)'),
    (TWICE, 'py', 'n = 1\n  print(n)', 'crashes at m.py, line 2 (IndentationError)'),
    (TWICE, 'js', 'const n = 2;\nconsole.log(m * 2);', 'crashes at m.js, line 2 (ReferenceError)'),
    (TWICE, 'sh', 'read n\nprintn $n', 'crashes at m.sh, line 2 (printn: command not found)'),
    (
        TWICE,
        'java',
        'class Main { public static void main(String[] a) {\nSystem.out.println(a[3]); } }',
        'crashes at Main.java, line 2 (ArrayIndexOutOfBoundsException)',
    ),
    (
        '# regex\n|[A-Z][a-z]+ \\d\n',
        'py',
        'print("Ann 3", end="")',
        'prints lines without a newline at the end: "Ann 3"',
    ),
    (
        '# exit status: 1\n# prompts: free\n# free\n|Usage: m N\n',
        'sh',
        'printf "Number: "; read n || exit 1',
        f'prints the prompt "Number:{DOTS}" where a line is expected',
    ),
    (
        EXACT,
        'py',
        'input("Name:\\n")',
        f'prints the prompt "Name:" and a newline instead of "Name:{DOTS}"',
    ),
    (
        EXACT,
        'sh',
        'printf "name: "; read a',
        f'prints the prompt "name:{DOTS}" instead of "Name:{DOTS}"',
    ),
    (
        TABLE,
        'py',
        'n = int(input())\nfor i in 1, 2: print(i, "x", n, "=", i * n, "")',
        f'prints spaces at the end of lines: "1 x 3 = 3{DOTS}"',
    ),
    (
        TABLE,
        'sh',
        'read n; printf "1 x 3 =\\t3\\n2 x 3 = 6\\n"',
        r'prints the wrong separators between the parts of a line: "1 x 3 =\t3" instead of "1 x 3 = 3"',
    ),
    (
        TABLE,
        'py',
        'import time\nn = input()\ntime.sleep(600)',
        'is too slow, or in an endless loop: "1 x 3 = 3" is missing',
    ),
    (
        TABLE,
        'c',
        C('scanf("%d", &n); while (n) sleep(1); printf("1");'),
        'is too slow, or in an endless loop: "1 x 3 = 3" is missing',
    ),
    # The prompt is an extra line.
    (
        '# prompts: free\n3\n|9\n4\n|16\n',
        'py',
        'import time\nprint(int(input("N\\n")) ** 2, flush=True)\ninput()\ntime.sleep(600)',
        'is too slow, or in an endless loop: "16" is missing',
    ),
    (BOUGHT, 'py', BUYS.format('print()', 7), SEVEN),
    (BOUGHT_FILE, 'py', BUYS.format('print()', 7), SEVEN),
    (BOUGHT, 'py', BUYS.format('pass', 1), ON_THE_LINE(1)),
    (BOUGHT_FILE, 'py', BUYS.format('pass', 7), ON_THE_LINE(7)),
    # All output arrives at the end, as from a C program without a flush.
    (
        BOUGHT,
        'sh',
        'cat >/dev/null; echo "Item: Price: Item: You bought 1 items for 1.20"',
        ON_THE_LINE(1),
    ),
    (
        BOUGHT,
        'sh',
        'cat >/dev/null; echo "Item: Price: Item: You bought 7 items for 1.20"',
        ON_THE_LINE(7),
    ),
    (
        BOUGHT,
        'c',
        C(
            'printf("Item: Price: Item: "); while (getchar() != EOF); '
            'puts("You bought 1 items for 1.20");'
        ),
        ON_THE_LINE(1),
    ),
    ('3\n|a\n|b\n|c\n', 'py', 'input()\nprint("a\\nc")', LEFT_OUT),
]
NO_NEWLINE = 'prints lines without a newline at the end: "ok"'
MISSING = 'the newline is missing at the end of the line'
ONE_MORE = 'prints "ok" followed by a newline; no newline is expected there'
NEWLINES = [  # each row: the files, options, a program, the message about it, and the hint
    ({'a.txt': '|ok\n'}, ['--at-once'], 'print("ok", end="")', NO_NEWLINE, MISSING),
    ({'a.txt': '|ok\n'}, [], 'print("ok", end="")', NO_NEWLINE, MISSING),
    ({'a.txt': '2\n|ok\n'}, ['--at-once'], 'input()\nprint("ok", end="")', NO_NEWLINE, MISSING),
    (
        {'a.txt': '|ok\n'},
        ['--at-once'],
        'print("ko")',
        'prints the wrong words: "ko" instead of "ok"',
        '',
    ),
    (
        {'a.txt': FILE},
        ['--at-once'],
        'input()\nprint("done")\nopen("after.csv", "w").write("4\\n")',
        'writes "4" instead of "a,3" (in the file after.csv)',
        '',
    ),
    ({'a.in': '2', 'a.ans': 'ok\n'}, [], 'input()\nprint("ok", end="")', NO_NEWLINE, MISSING),
    (
        {'a.in': '2', 'a.ans': 'ok'},
        [],
        'input()\nprint("ok")',
        ONE_MORE,
        'no newline is expected at the end of the line',
    ),
    (
        {'a.in': '2', 'a.ans': 'ok'},
        ['--at-once'],
        'input()\nprint("ok")',
        ONE_MORE,
        'no newline is expected at the end of the line',
    ),
]


@pytest.mark.parametrize(
    ('session', 'language', 'source', 'message'),
    [pytest.param(*row, marks=[] if row[1] in ('py', 'sh') else pytest.mark.long) for row in FIRST],
)
def test_the_first_message_is_true_and_helps(
    session, language, source, message, tmp_path, monkeypatch
):
    words = COMMANDS[language]
    tool = 'cc' if language == 'c' else words[0]
    if not shutil.which(tool):
        pytest.skip(f'there is no {tool}')
    name = 'Main.java' if language == 'java' else f'm.{language}'
    write_files(tmp_path, {'course/a.txt': session, f'submitted/{name}': source + '\n'})
    options = ['--build', 'cc -o main m.c'] if language == 'c' else []
    monkeypatch.setattr(internals.GRACE_SECONDS, 0.1)
    if message.startswith(('is too slow', 'waits')):
        options += ['--timeout', short_patience()]
    finding = first_finding(tmp_path, words, *options)
    assert finding['sentence'] == message
    # With these messages, nothing follows the difference, so it cannot hide anything else.
    assert not finding['cut'] or message not in (SEVEN, LEFT_OUT, *map(ON_THE_LINE, (1, 7)))


@pytest.mark.parametrize(('files', 'options', 'source', 'message', 'hint'), NEWLINES)
def test_a_wrong_newline_at_the_end_is_described(files, options, source, message, hint, tmp_path):
    write_files(
        tmp_path,
        {'submitted/m.py': source, **{f'course/{name}': text for name, text in files.items()}},
    )
    finding = first_finding(tmp_path, COMMANDS['py'], *options)
    assert (finding['sentence'], finding['example']['hint'], finding['clean_points']) == (
        message,
        hint,
        1,
    )


def test_a_crash_in_another_session_is_reported_as_such(tmp_path):
    write_files(
        tmp_path,
        {
            'course/a.txt': '2\n|4\n',
            'course/b.txt': '3\n|6\n',
            'submitted/m.py': 'n = int(input())\nprint(n * 3)\n[0][n - 2]\n',
        },
    )
    assert first_finding(tmp_path, COMMANDS['py'])['sentence'] == (
        'for example, prints "6" instead of "4"; in other sessions, it later crashes at m.py, line 3'
    )


@pytest.mark.parametrize(
    ('language', 'source', 'advice'),
    [
        (
            'py',
            'input()\nprint("8 ")',
            'Do not print a space after the last item on a line. In Python, '
            'print(*items) puts spaces only between items.',
        ),
        ('sh', 'read -r n\necho "8 "', 'Do not print a space after the last item on a line.'),
    ],
)
def test_advice_about_python_is_for_python(language, source, advice, tmp_path):
    write_files(tmp_path, {'course/a.txt': '4\n|8\n', f'submitted/m.{language}': source + '\n'})
    assert first_finding(tmp_path, COMMANDS[language])['advice'] == advice


def first_finding(folder, words, *options):
    """Grade a submission; return the first finding."""
    run_grader_here(
        'grade',
        folder / 'course',
        folder / 'submitted',
        *FAST,
        '--command',
        ' '.join(map(str, words)),
        *options,
        '--results',
        folder / 'results.json',
    )
    return json.loads((folder / 'results.json').read_text())['extra_data']['findings'][0]


def deep_folder(folder, depth):
    """Nest folders so deeply that the path of the innermost is too long for the system."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir('d', dir_fd=here)
        inner = os.open('d', os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


@pytest.mark.parametrize('what', ['deep', 'large'])
def test_the_search_for_submissions_in_a_folder_is_bounded(what, tmp_path):
    """The grader looks for submissions in a folder only up to a certain depth and size."""
    write_files(tmp_path, {'ann/one/a.py': 'print(1)', 'ann/two/b.py': 'print(1)', 'a.txt': '|1\n'})
    if what == 'deep':
        deep_folder(tmp_path / 'ann' / 'two', 1200)
    else:
        os.truncate(tmp_path / 'ann' / 'two' / 'b.py', 8 << 30)
    status, _, errors = run_grader_here('grade', tmp_path / 'a.txt', tmp_path / 'ann')
    assert status == 2
    assert 'looks like a folder of submissions' in errors
    if what == 'deep':
        subprocess.run(['rm', '-r', tmp_path / 'ann'], check=True)


FOREIGN = {
    'a thesis': (['pack', 'othello', 'thesis.docx'], 'thesis.docx'),
    'a table': (['grade', 'othello', 'ann', '--results', 'grades.csv'], 'grades.csv'),
    'a module': (['grade', 'othello', 'ann', '--junit', 'logic.py'], 'logic.py'),
    'a page': (['grade', 'othello', 'ann', '--out', 'site'], 'site/index.html'),
}


@pytest.mark.parametrize('what', FOREIGN)
def test_no_file_of_the_user_is_overwritten(what, tmp_path):
    words, file = FOREIGN[what]
    write_files(tmp_path, {file: 'mine', 'ann/othello.py': 'print(1)'})
    status, _, errors = run_grader_here(
        *words[:2], *(word if word[0] == '-' else tmp_path / word for word in words[2:])
    )
    assert (status, (tmp_path / file).read_text()) == (2, 'mine')
    assert f'{tmp_path / file} was not written by the grader; choose another' in errors


@pytest.mark.parametrize(
    ('submissions', 'out', 'why'),
    [
        (['class/ann/hw1', 'class/ben/hw1'], 'class', 'contains the submissions'),
        (['class/ann', 'class/ben'], 'class', 'contains the submissions'),
        (['class/ann'], 'class/ann/results', 'is part of the submission '),
    ],
)
def test_results_are_not_written_where_students_submit(submissions, out, why, tmp_path):
    write_files(tmp_path, {f'class/{name}/hw1/o.py': 'print(1)' for name in ('ann', 'ben')})
    sources = [tmp_path / name for name in submissions]
    status, _, errors = run_grader_here('grade', 'othello', *sources, '--out', tmp_path / out)
    assert (status, errors.startswith(f'grading: --out: {tmp_path / out} {why}')) == (2, True)


def test_a_session_that_is_a_link_is_not_recorded(tmp_path):
    write_files(tmp_path, {'diary.txt': 'Dear diary\n'})
    (tmp_path / 's.txt').symlink_to('diary.txt')
    status, _, errors = run_grader_here('record', tmp_path / 's.txt', '--command', 'echo 1')
    assert (status, (tmp_path / 'diary.txt').read_text()) == (2, 'Dear diary\n')
    assert errors.endswith(
        f'{tmp_path / "s.txt"} is a symbolic link: give the path of the file itself\n'
    )


def test_a_session_is_named_as_in_reports(tmp_path):
    """A session of a folder is named without its suffix, as built-in sessions are."""
    write_files(
        tmp_path,
        {
            'week3/guess_won.txt': '|3\n',
            'week3/pair.in': '',
            'week3/pair.ans': '3\n',
            'a.py': 'print(3)\n',
        },
    )
    words = ['--command', 'python3 a.py']
    for name in ('guess_won', 'pair', 'guess_won.txt'):
        status, output, errors = run_grader_here('grade', f'week3/{name}', *words, folder=tmp_path)
        assert (status, output.splitlines()[0], errors) == (0, 'passed  1 session', '')
    status, _, errors = run_grader_here('grade', 'week3/guess_los', *words, folder=tmp_path)
    assert (status, 'week3/guess_los: not a game' in errors) == (2, True)


# Each row: files, and a command line whose message says what to run instead.
SAYS_WHAT_TO_RUN = {
    'a class': (CLASS, ['othello', 'class', *FAST]),
    'a class with a command': (CLASS, ['othello', 'class', '--command', 'python3 a.py']),
    'a class with a space': (
        {name.replace('class', 'my class'): text for name, text in CLASS.items()},
        ['othello', 'my class'],
    ),
    'part of an export': (
        {f'all/{who}/a.py': '' for who in ('ann', 'ben')},
        ['othello', 'all/ann', 'all/ben', '--export', 'github', '--out', 'out'],
    ),
    'nothing recorded': (
        {'my part.txt': '4\n4\nB\n>\n. . . .\n. W B .\n. B W .\n. . . .\n# still asks\n'},
        ['my part.txt', '--command', 'true'],
    ),
}


@pytest.mark.parametrize('case', rest_long(SAYS_WHAT_TO_RUN, 2))
def test_a_message_that_says_what_to_run_prints_a_command_that_runs(case, tmp_path):
    files, words = SAYS_WHAT_TO_RUN[case]
    write_files(tmp_path, {**files, 'a.py': BLOCK})
    status, _, errors = run_grader_here('grade', *words, folder=tmp_path)
    assert status == 2
    command = re.search(r'run: grading (.*?)( \(if .*)?\n', errors)[1]
    written = [
        name
        for word in shlex.split(command)
        for name in (glob.glob(word, root_dir=tmp_path) if word.endswith('*') else [word])
    ]
    status, _, errors = run_grader_here(*written, folder=tmp_path, few=True)
    if 'no sandbox works here' in errors:
        pytest.skip('programs of a class cannot be confined here')
    assert status in (0, 1), errors
