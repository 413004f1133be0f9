"""The grader's desk: other people's programs, the results file, and the recorder."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from replay import child_environment
from submission import SubmissionError, executable_module
from transcript import FOLDER, ROOT, Transcript, TranscriptError, all_transcripts

OTHELLO_COUNT = len(list((FOLDER / 'othello').glob('*.txt')))

# A console of its own kind, on the naive rules.
INDEPENDENT = f'''
import sys
sys.path.insert(0, {str(ROOT / 'tests')!r})
from naive_othello import OTHER, flipped, next_turn

def say(*lines):
    print(*lines, sep="\\n", flush=True)

def show():
    discs = "".join(map("".join, board))
    black, white = discs.count("B"), discs.count("W")
    winner = "NONE" if black == white else "BW"[(black < white) == (wins == ">")]
    say(f"B: {{black}}  W: {{white}}", *map(" ".join, board),
        f"TURN: {{turn}}" if turn else f"WINNER: {{winner}}")

say("FULL")
rows, columns, first, wins = int(input()), int(input()), input(), input()
board = [input().split() for _ in range(rows)]
turn = next_turn(board, first)
show()
while turn:
    words = input().split()
    cells = []
    if len(words) == 2 and all(w.lstrip("+-").isascii() and (w[1:] if w[0] in "+-" else w).isdigit()
                               for w in words):
        row, column = (int(w) - 1 for w in words)
        cells = flipped(board, turn, row, column)
    if not cells:
        say("INVALID")
        continue
    for r, c in [*cells, (row, column)]:
        board[r][c] = turn
    turn = next_turn(board, OTHER[turn])
    say("VALID")
    show()
'''


def run_pytest(*words, folder=ROOT, **variables):
    """Run pytest as a grader does; return (status, output)."""
    environment = {name: value for name, value in child_environment().items() if name != 'CI'}
    result = subprocess.run(
        [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', *words], cwd=folder,
        env={**environment, **variables}, check=False, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return result.returncode, result.stdout.decode()


def grade(*words, only='over_at_start or worked_example'):
    return run_pytest('tests/test_transcripts.py', *words, '-k', only)


def command_of(path):
    return f'"{sys.executable}" "{path}"'


def broken_pair(folder):
    """Write a pair that prints INVALID where it should print VALID."""
    for name in ('othello_logic.py', 'othello_console.py'):
        text = (ROOT / name).read_text(encoding='utf-8')
        text = text.replace("print('VALID', ", "print('INVALID', ")
        (folder / name).write_text(text, encoding='utf-8')


def test_independent_program_passes_everything(tmp_path):
    """And only replay runs, though the whole suite is named: our own tests say nothing of it."""
    program = tmp_path / 'my othello.py'
    program.write_text(INDEPENDENT)
    results = tmp_path / 'results.json'
    status, output = run_pytest('tests', '--othello', command_of(program),
                                '--gradescope', str(results))
    assert status == 0, output
    assert f'{OTHELLO_COUNT} passed' in output
    report = json.loads(results.read_text())
    check_format(report)
    assert report['score'] == len(report['tests']) == OTHELLO_COUNT


def test_failure_in_terminal_results_and_junit(tmp_path):
    broken_pair(tmp_path)
    results, junit = tmp_path / 'results.json', tmp_path / 'junit.xml'
    status, output = grade('--submission', str(tmp_path), '--gradescope', str(results),
                           f'--junitxml={junit}')
    assert status == 1
    message = ('transcripts/othello/worked_example.txt:19: not what the transcript says '
               '(over pipes)\n'
               '  typed    |2 4    (line 18)\n'
               '  expected |VALID\n'
               '  printed  |INVALID\n'
               '            ^\n'
               '  hint: refuses a move that is legal')
    assert message in output
    assert 'Traceback' not in output
    assert 'refuses a move that is legal' in junit.read_text()
    report = json.loads(results.read_text())
    assert [test for test in report['tests'] if test['status'] == 'failed'] == [{
        'name': 'transcripts/othello/worked_example.txt', 'score': 0, 'max_score': 1,
        'status': 'failed', 'output': message, 'visibility': 'visible'}]
    assert (report['score'], len(report['tests'])) == (3, 4)


def check_format(report):
    """Check a report against what Gradescope documents of results.json."""
    assert set(report) <= {'score', 'execution_time', 'output', 'output_format', 'visibility',
                           'stdout_visibility', 'extra_data', 'tests', 'leaderboard'}
    assert isinstance(report['score'], (int, float))
    for test in report['tests']:
        assert set(test) <= {'score', 'max_score', 'status', 'name', 'name_format', 'number',
                             'output', 'output_format', 'tags', 'visibility', 'extra_data'}
        assert 0 <= test['score'] <= test['max_score']
        assert test['status'] in ('passed', 'failed')
        assert test['visibility'] in ('hidden', 'after_due_date', 'after_published', 'visible')
        assert isinstance(test['name'], str)
        assert isinstance(test['output'], str)


BLOCK = 'if __name__ == ' + '"__main__": pass'


@pytest.mark.parametrize(('files', 'words', 'message'), [
    ({'othello_console.py': '', 'othello_logic.py': ''}, [], 'no executable module: '),
    ({'a.py': BLOCK, 'b.py': BLOCK}, [],
     'more than one executable module: a.py, b.py; each has the text'),
    (None, [], 'no such folder'),
    ({}, ['--othello', 'no_such_program x'], 'no_such_program x cannot be run: '),
    ({}, ['--othello', '"'], 'No closing quotation'),
])
def test_submission_that_cannot_be_run(files, words, message, tmp_path):
    folder = tmp_path / 'submission'
    if files is not None:
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
    results = tmp_path / 'results.json'
    status, output = grade('--submission', str(folder), *words, '--gradescope', str(results))
    assert status == 1, output
    assert message in output
    assert 'Traceback' not in output
    report = json.loads(results.read_text())
    check_format(report)
    assert report['score'] == 0
    assert len(report['tests']) == 4
    assert all(message in test['output'] for test in report['tests'])


def test_from_a_typed_scenario_to_a_weighted_result(tmp_path):
    """The student's way and the grader's, in a copy of the project: type, record, replay, grade."""
    project = tmp_path / 'project'
    shutil.copytree(ROOT, project, ignore=shutil.ignore_patterns('.*', '__pycache__'))
    worked = project / 'transcripts' / 'othello' / 'worked_example.txt'
    scenario = worked.with_name('scenario.txt')
    scenario.write_text('# points: 2.5\n' + '\n'.join(Transcript(worked).inputs) + '\n')
    status, output = run_pytest('--record', str(scenario), folder=project)
    assert status == 0, output
    recorded = scenario.read_text().splitlines()
    assert recorded == ['# points: 2.5', *worked.read_text().splitlines()[1:]]
    broken_pair(tmp_path)
    results = tmp_path / 'results.json'
    for program, score in [(project / 'othello_console.py', 3.5),
                           (tmp_path / 'othello_console.py', 0)]:
        run_pytest('tests/test_transcripts.py', '--othello', command_of(program),
                   '--gradescope', str(results), '-k', 'scenario or worked_example', folder=project)
        report = json.loads(results.read_text())
        check_format(report)
        assert report['score'] == score
        assert sorted(test['max_score'] for test in report['tests']) == [1, 2.5]


@pytest.mark.parametrize('words', [
    ['--othello'], ['--transcript-timeout', '-1'],
    ['--gradescope', '/no/such/folder/results.json'],
    ['--gradescope', '/'], ['--record']])
def test_usage_errors(words):
    status, output = run_pytest('tests/test_transcripts.py', *words) if words != ['--record'] \
        else run_pytest('--record')
    assert status == 4
    assert output.startswith('ERROR: --')


def test_recording_never_runs_in_ci():
    transcript = all_transcripts()[0]
    before = transcript.read_bytes()
    status, output = run_pytest('--record', str(transcript), CI='true')
    assert (status, transcript.read_bytes()) == (4, before)
    assert 'transcripts are not recorded in CI' in output


@pytest.mark.parametrize('path', all_transcripts()[::9], ids=lambda path: path.name)
def test_recording_again_changes_nothing(path, tmp_path):
    from recorder import record
    (tmp_path / path.parent.name).mkdir()
    copy = tmp_path / path.parent.name / path.name
    shutil.copy(path, copy)
    record(copy)
    assert copy.read_bytes() == path.read_bytes()


SETUP = '4\n4\nB\n>\n. . . .\n. W B .\n. B W .\n. . . .\n'


@pytest.mark.parametrize(('text', 'message'), [
    (SETUP, 'exit status 1: othello_console.py: the input ended after line 8'),
    ('5\n', "exit status 2: othello_console.py: line 1: expected the number of rows"),
    (SETUP.replace('. W B .', 'B B B B').replace('. B W .', 'B B B B') + '1 1\n2 2\n',
     "scenario.txt:9: not read any more: '1 1'"),
    ('$ othello_console.py\n$ nim_console.py\n', 'scenario.txt:2: one $ line, before all others'),
    ('4\n$ othello_console.py\n', 'scenario.txt:2: one $ line, before all others'),
    ('$ python3\n4\n', 'scenario.txt:1: $ othello_console.py or $ nim_console.py'),
    ('$ nim_console.py stones --seed 1\nback\\slash\n1\nlast\\\n2\n',
     r"exit status 1: nim_console.py: the input ended after line 4"),
    ('$ nim_console.py recorded no_such_file.txt\n', 'exit status 2: nim_console.py: '),
    ('$ othello_console.py "\n', 'scenario.txt:1: No closing quotation'),
    (b'\xff\xfe\n', "codec can't decode"),
])
def test_what_cannot_be_recorded(text, message, tmp_path):
    from recorder import record
    path = tmp_path / 'scenario.txt'
    content = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(content)
    with pytest.raises(TranscriptError) as caught:
        record(path)
    assert message in str(caught.value)
    assert path.read_bytes() == content


def test_output_that_the_format_cannot_hold():
    from recorder import marked
    transcript = Transcript(FOLDER / 'othello' / 'worked_example.txt')
    for output in ('a line\\\n', 'a prompt\\', 'a\rb\n'):
        with pytest.raises(TranscriptError, match='a transcript cannot hold'):
            marked(transcript, output)


def test_executable_module_in_a_folder_below(tmp_path):
    (tmp_path / 'src').mkdir()
    (tmp_path / 'src' / 'main.py').write_text('if  __name__' + '=="__main__" : pass')
    assert executable_module(tmp_path).name == 'main.py'
    (tmp_path / 'notes.py').write_text('# ' + 'if __name__ == ' + "'__main__':")
    with pytest.raises(SubmissionError, match=r'notes.py, src.main.py'):
        executable_module(tmp_path)
