"""The grader from the command line: what it says of programs, right and wrong."""

import json

import pytest
from assigned import transcripts_for
from graders import BLOCK, FAST, FEW, RIGHT, check_format, run_grader_here, submission
from independent import OTHELLO, write_files, write_modules, wrong_pair, zipped
from tables import each

from grading.assignments.games import GAMES, assignment_named, game_of
from grading.grader import FLAKY
from grading.installation import ROOT

COUNT = len(transcripts_for('othello'))
SINGLE_NIM_GAMES = [game.name for game in GAMES.values() if game.program == 'nim']


def graded(path, *words):
    """Grade by few transcripts into a results file; return (status, what the file says)."""
    status, output, errors = run_grader_here(
        'grade', *words, *FAST, '--results', path, few=True)
    assert 'Traceback' not in output + errors, output + errors
    return status, json.loads(path.read_text())


def test_wrong_program(tmp_path):
    status, report = graded(tmp_path / 'results.json', 'othello', wrong_pair(tmp_path / 'wrong'))
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
        'column 3')
    details = first['extra_data']['example']
    assert (details['kind'], details['line'], details['typed']) == ('differs', 19, '2 4')
    assert details['expected_text'].startswith('VALID\nB: ')
    assert details['printed_text'].startswith('INVALID\nB: ')


def test_a_program_that_answers_differently_each_time_is_called_that(tmp_path):
    source = OTHELLO.replace("print('FULL', flush=True)",
                             "import os; print('FULL', os.urandom(9), flush=True)")
    path = tmp_path / 'results.json'
    _, output, _ = run_grader_here(
        'grade', 'othello', write_modules(tmp_path / 'flaky', othello=source), *FAST,
        '--fresh', 3, '--seed', 1, '--results', path, few=True)
    assert json.loads(path.read_text())['tests'][-1]['output'].splitlines().count(FLAKY) == 1
    assert FLAKY in output.splitlines()


def test_a_fresh_game_that_fails_is_wrong_though_it_is_worth_nothing(tmp_path, monkeypatch):
    """The program fails where there are two piles, as in none of the few sessions."""
    monkeypatch.setattr('grading.fresh.SHRINKING_RUNS', 0)
    begin = 'while True:\n    print'
    folder = submission(tmp_path, 'two', RIGHT.replace(begin, 'assert len(piles) != 2\n' + begin))
    status, report = graded(tmp_path / 'results.json', 'piles', folder, '--prompts',
                            '--fresh', 20, '--seed', 1)
    _, *recorded, fresh = report['tests']
    assert {test['status'] for test in recorded} == {'passed'}
    assert (fresh['status'], fresh['max_score']) == ('failed', 0)
    assert status == 1


def test_transcripts_in_the_order_of_learning():
    for game, example in [('othello', 'othello/worked_example'),
                          ('recorded', 'nim/recorded/worked_example'),
                          ('piles', 'nim/piles/prompt_free')]:
        transcripts = transcripts_for(game)
        assert transcripts[0].name == f'transcripts/{example}.txt'
        sizes = [len(transcript.lines) for transcript in transcripts[1:]]
        assert sizes == sorted(sizes)


@pytest.mark.parametrize(('game', 'words'), [
    *((game, '') for game in SINGLE_NIM_GAMES),
    *((game, '--prompts') for game in SINGLE_NIM_GAMES[1:])])
def test_nim_games_are_assignments_of_their_own(game, words, tmp_path):
    """Without arguments, with prompts or without."""
    logic, console = ((ROOT / f'nim_{part}.py').read_text(encoding='utf-8')
                      for part in ('logic', 'console'))
    console = console.replace('import sys\n', 'import sys\nassert len(sys.argv) == 1\n'
                              f'sys.argv += {[game, *words.split()]}\n', 1)
    folder = write_modules(tmp_path / 'nim', nim_logic=logic, nim_console=console)
    status, report = graded(tmp_path / 'results.json', game, folder, *words.split())
    assert status == 0, report['tests']
    assert len(report['tests']) == FEW


@pytest.mark.parametrize('words', [
    'othello SUBMISSION --timeout 3', 'othello --timeout 3 SUBMISSION',
    '--timeout 3 othello SUBMISSION', 'othello --timeout 3 -- SUBMISSION'])
def test_options_stand_anywhere(words, tmp_path):
    write_modules(tmp_path / 'empty')
    status, output, errors = run_grader_here('grade', *FAST, *(
        tmp_path / 'empty' if word == 'SUBMISSION' else word for word in words.split()))
    assert (status, output.splitlines()[-1].split(',')[0]) == (1, 'empty: othello'), errors


def test_nim_is_graded_by_its_whole_command_line():
    transcripts = transcripts_for('nim')
    assert {game_of(transcript).name for transcript in transcripts} == set(SINGLE_NIM_GAMES)
    assert {'--prompts' in transcript.arguments for transcript in transcripts} == {False, True}
    assert not any('--seed' in transcript.arguments for transcript in transcripts
                   if not transcript.others)      # which follow the program, whatever it draws
    for transcript in transcripts:
        assert assignment_named('nim').arguments_for(transcript) == transcript.command[1:]
        name = game_of(transcript).name
        assert assignment_named(name).arguments_for(transcript) == []


@pytest.mark.parametrize(('files', 'message'), [
    ({'othello_console': '', 'othello_logic': ''}, 'no executable module: '),
    ({'a': BLOCK, 'b': BLOCK}, 'more than one executable module: a.py, b.py; each has the text'),
    ({}, 'the submission has no files'),
    ({'a': '# ' + BLOCK, 'b': BLOCK}, 'more than one executable module: a.py, b.py; each has'),
])
def test_submission_that_cannot_be_run(files, message, tmp_path):
    folder = write_modules(tmp_path / 'submission', **files)
    path = tmp_path / 'results.json'
    assert run_grader_here('grade', 'othello', folder, *FAST, '--results', path)[0] == 1
    report = json.loads(path.read_text())
    check_format(report)
    assert report['score'] == 0
    assert len(report['tests']) == COUNT
    assert all(message in test['output'] for test in report['tests'])


@each('words, message', [
    (['grade', 'othello', 'no_such_folder'], 'no such file or folder: no_such_folder'),
    (['grade', 'othello'], 'add a SUBMISSION, or --command for your own program'),
    (['grade', 'chess', '.'], 'chess: no game (othello, '),
    (['grade', 'othello', 'tests', 'grading', '--results', 'x.json'], '--results needs a single'),
    (['grade', 'othello', 'tests', '--command', '"'], '--command: No closing quotation'),
    (['grade', 'othello', '--command', '"'], '--command: No closing quotation'),
    (['grade', 'othello', '--command', ''], 'the command line is empty'),
    (['grade', 'othello', 'tests', '--timeout', '-1'], 'argument --timeout: '),
    (['grade', 'othello', 'tests', '--timeout', 'nan'], 'argument --timeout: '),
    (['grade', 'othello', 'tests', '--time', '1'], 'unrecognized arguments: --time'),
    (['grade', 'recorded', 'tests', '--prompts'], 'no session of recorded has prompts'),
    (['grade', 'othello', 'tests', '--results', '/no/such/folder/results.json'], '--results: '),
    (['grade', 'othello', 'tests', '--results', '/'], '--results: '),
    (['grade', 'othello', 'tests', '--out', 'README.md'], '--out: '),
    (['grade', 'othello', 'tests', '--seed', '1'], '--seed and --fresh-points need --fresh'),
    (['grade', 'othello', 'tests', '--again'], '--again needs --out'),
    (['grade', 'othello', '--command', 'no-such-tool x'], 'no such command: no-such-tool'),
    (['grade', 'othello', '--command', 'python3 -u othelo_console.py'],
     'no such file: othelo_console.py; did you mean othello_console.py?'),
    (['grade', 'othello', '--command', 'python3 no/such.py x'], 'no such file: no/such.py\n'),
    (['grade', 'othello', '--command', 'python3 no such.py'], 'no such file: no\n'),
    (['grade', 'othello', '--command', 'python3', 'othello_console.py'],
     'quotes missing? --command "python3 othello_console.py"\n'),
    (['grade', 'othello', '--command', 'python3', '-u', 'x.py'],
     'arguments: -u x.py; quotes missing? --command "python3 -u x.py"\n'),
    (['pack', 'othello', 'x.zip', '--command', 'java', 'Othello'],
     'arguments: Othello; quotes missing? --command "java Othello"\n'),
    (['record', '--command', 'python3', '-u', 'x.py', 'y.txt'],
     'arguments: -u; quotes missing? --command "python3 -u x.py"\n'),
    *((['grade', name], f'error: {name} is a program: grade GAME --command "{command}"\n')
      for name, command in {'othello_console.py': 'python3 othello_console.py',
                            'grading/reports/autograder/setup.sh': 'CMD'}.items()),
    (['grade', 'othello', '--command', 'othello_console.py'],
     'Python starts a module: --command "python3 othello_console.py"\n'),
    (['grade', 'othello', '--command', './othello_console.py --explain'],
     'Python starts a module: --command "python3 ./othello_console.py --explain"\n'),
    (['grade', 'othello', 'tests', '--command', 'othello.py'], '--command "python3 othello.py"\n'),
    (['grade', 'otello', 'tests'], 'and no folder or file; did you mean othello?\n'),
    (['grade', 'othello/fewest_discs_wins', 'tests'], 'did you mean othello/fewest_discs_win?\n'),
    (['grade', 'worked_example', 'tests'], 'which session? nim/piles/worked_example, nim/r'),
    (['grade', 'othello', 'test'], 'no such file or folder: test; did you mean tests?\n'),
    (['grade', 'othello', 'tests/conftst.py'], 'tests/conftst.py; did you mean tests/conftest.py?'),
    (['grad', 'othello', 'tests'], 'no such command: grad; did you mean grade? (there are grade, '),
    (['grade', 'othello', '--comand', 'x'], 'arguments: --comand x; did you mean --command?\n'),
    (['record', '--comand=x', 'y'], 'arguments: --comand=x; did you mean --command?\n'),
    (['record', 'no_such_file.txt'], 'no such file: no_such_file.txt'),
    (['record'], 'FILE'), ([], 'COMMAND'), (['grade'], 'required: GAME\n'),
])
def test_usage_errors(words, message):
    status, output, errors = run_grader_here(*words)
    assert (status, output) == (2, '')
    assert message in errors
    assert 'Traceback' not in errors


def test_paths_with_blanks_need_quotation_marks(tmp_path):
    write_files(tmp_path, {'my programs/my othello.py': '', 'othello.py': '#!/bin/sh\n'})
    (tmp_path / 'othello.py').chmod(0o755)
    for words, message in [
            ('python3 my programs/my othello.py', '"python3 \'my programs/my othello.py\'"\n'),
            ('python3 -X dev my programs/my othello.py x.txt',
             '"python3 -X dev \'my programs/my othello.py\' x.txt"\n')]:
        status, _, errors = run_grader_here('grade', 'othello', '--command', words, folder=tmp_path)
        assert status == 2
        assert errors.endswith(f'no such file: my; quotes missing? --command {message}')
    # A module that names its interpreter is a command.
    assert run_grader_here('grade', 'over_at_start_empty_board', '--command', './othello.py',
                           folder=tmp_path)[0] == 1


@each('name', ['transcripts/othello/over_at_start_empty_board.txt', 'over_at_start_empty_board',
               'othello/over_at_start_empty_board', 'othello/over_at_start_empty_board.txt'])
def test_sessions_that_a_report_names_are_found_from_any_folder(name, tmp_path):
    folder = write_modules(tmp_path / 'right', othello=OTHELLO)
    status, output, errors = run_grader_here('grade', name, folder, *FAST, folder=tmp_path)
    assert (status, output.splitlines()) == (
        0, ['passed  1 session', '', 'right: over_at_start_empty_board, 1 of 1 points']), errors


@each('files, kind', [
    ({'ann_1_12345_othello.py': '', 'ben_2_12346_othello.py': ''}, 'canvas'),
    ({f'{who}_assignsubmission_file_/x.py': '' for who in ('Ann_1', 'Ben_2')}, 'moodle'),
    ({'x/submission_metadata.yml': '', 'x/submission_1/x.py': ''}, 'gradescope'),
    ({'ann_1_12345_othello.py': ''}, ''), ({'othello_console.py': '', 'a/x_1_2_y.py': ''}, '')])
def test_one_zip_that_is_an_export(files, kind, tmp_path):
    path = zipped(tmp_path / 'class.zip', files)
    status, _, errors = run_grader_here('grade', 'over_at_start_empty_board', path, *FAST)
    assert (status, errors.endswith(f'class.zip looks like an export of many: add --export {kind}, '
                                    'and --out for the results\n')) == (
        (2, True) if kind else (1, False))
    path.unlink()


MAIN = 'def main():\n    print(1)\n\n'


@each('source, sentence', [
    (MAIN, 'prints nothing: it defines main(), but never calls it.'),
    (f'{MAIN}# main()\n', 'prints nothing: it defines main(), but never calls it.'),
    ('', 'prints nothing: there is no code in game.py.'),
    ('\n# Later.\n', 'prints nothing: there is no code in game.py.'),
    (f'{MAIN}if __name__ == "main":\n    main()\n', 'prints nothing.'),
    (f'{MAIN}import sys\nsys.exit(0 if main else 1)\n', 'prints nothing.')])
def test_why_a_program_prints_nothing(source, sentence, tmp_path):
    path = tmp_path / 'game.py'
    path.write_text(source)
    _, output, _ = run_grader_here('grade', 'over_at_start_empty_board', path, *FAST)
    assert f'1. The program {sentence}' in output.splitlines()


def test_nothing_is_made_before_all_words_are_understood(tmp_path):
    assert run_grader_here('grade', 'chess', 'tests', '--out', tmp_path / 'out')[0] == 2
    assert not (tmp_path / 'out').exists()


def test_a_tool_that_is_missing_costs_nobody_a_point(tmp_path):
    folder = write_modules(tmp_path / 'right', othello=OTHELLO)
    status, output, errors = run_grader_here(
        'grade', 'othello', folder, '--command', 'no-such-tool x', '--confine', 'none')
    assert (status, output, errors) == (3, '', 'grading: no such command: no-such-tool\n')


def test_recording_never_runs_in_ci():
    status, _, errors = run_grader_here(
        'record', 'transcripts/othello/worked_example.txt', CI='true')
    assert status == 2
    assert 'sessions are not recorded in CI' in errors
