"""Assignments of one's own: a folder of sessions, or one session, and what is wrong with one."""

import json
import os
import zipfile

import pytest
from graders import FAST, run_grader_here
from independent import write_files
from running import PYTHON

from grading.assignments.folder import LARGEST_ASSIGNMENT, read_assignment, write_assignment
from grading.assignments.games import assignment_named, choose_sessions
from grading.installation import ROOT
from grading.sessions.transcript import TranscriptError

SUM = '|First?\n3\n|Second?\n4\n|7\n'
SESSIONS = {
    'sum.txt': SUM,
    'more/large.txt': '# points: 2\n|First?\n30\n|Second?\n40\n# on the sum\n|70\n',
    'more/words.txt': '# beyond the assignment\n|First?\nthree\n|No number.\n',
    'more/small.txt': '|First?\n0\n|Second?\n0\n|0\n', 'README.md': 'no session', '.draft.txt': ''}
RIGHT = '''import sys
print('First?', flush=True)
first = int(input())
print('Second?', flush=True)
print(first + int(input()))
'''
WRONG = RIGHT.replace('first + int(input())', 'int(input()) * 2')


@pytest.fixture
def course(tmp_path):
    return write_files(tmp_path / 'sums', SESSIONS)


def program(tmp_path, text):
    return write_files(tmp_path / 'handed_in', {'sums.py': text})


def grade(folder, *words):
    return run_grader_here('grade', folder, *words, *FAST, '--command',
                           f'{PYTHON} sums.py')


def test_a_folder_of_sessions_is_an_assignment(course, tmp_path):
    path = tmp_path / 'results.json'
    status, output, _ = grade(course, program(tmp_path, RIGHT), '--results', path)
    report = json.loads(path.read_text(encoding='utf-8'))
    assert status == 0, output
    assert [(test['name'], test['score']) for test in report['tests']] == [
        ('more/small.txt', 1), ('sum.txt', 1), ('more/large.txt', 2)]
    assert report['extra_data']['game'] == 'sums'


def test_a_wrong_program_has_its_report(course, tmp_path):
    status, output, _ = grade(course, program(tmp_path, WRONG))
    assert status == 1
    assert 'handed_in: sums, 1 of 4 points' in output
    assert ('sum.txt:5: not the expected output\n'
            '  typed    |4    (line 4)\n  expected |7\n  printed  |8\n') in output


def test_what_is_beyond_the_assignment_is_for_no_points(course, tmp_path):
    status, output, _ = grade(course, program(tmp_path, RIGHT), '--beyond')
    assert status == 0
    assert 'handed_in: sums, 4 of 4 points' in output
    assert ('FAILED  1 session: crashes at sums.py, line 3 (ValueError)\n        more/words\n'
            in output)
    assert 'This costs no points: only sessions beyond the assignment show it.' in output


def test_one_session_is_an_assignment(course, tmp_path):
    for name, points in (('more/large', 2), ('more/words', 0)):
        _, output, _ = grade(course / f'{name}.txt', program(tmp_path, RIGHT))
        assert f'handed_in: {name[5:]}, {points} of {points} points' in output


def test_the_smallest_game_that_fails_is_played_alone(tmp_path):
    """By a student, with `--command`; it is known to be a game of Othello."""
    write_files(tmp_path, {'smallest.txt': '$ othello_console.py\n|FULL\n4\n4\nB\n>\n'
                           + '. . . .\n' * 4 + '|B: 0  W: 0\n' + '|. . . .\n' * 4
                           + '|WINNER: NONE\n'})
    console = (ROOT / 'othello_console.py').read_text(encoding='utf-8').replace('FULL', 'EMPTY')
    write_files(tmp_path, {'console.py': console, 'othello_logic.py': (
        ROOT / 'othello_logic.py').read_bytes()})
    status, output, errors = run_grader_here(
        'grade', tmp_path / 'smallest.txt', '--command',
        f'{PYTHON} {tmp_path / "console.py"}')
    assert (status, errors) == (1, '')
    assert '1. The program prints wrong words: "EMPTY" instead of "FULL".\n' in output


def test_a_thousand_sessions_in_a_stable_order(tmp_path):
    write_files(tmp_path / 'many', {
        f'{number % 7}/{number}.txt': f'{number}\n|{number}\n' for number in range(1000)})
    own = assignment_named(str(tmp_path / 'many'))
    transcripts = choose_sessions(own).transcripts
    assert len(transcripts) == 1000
    assert [one.name for one in transcripts] == sorted(file.name for file in own.files)
    write_assignment(tmp_path / 'again', own.files)
    assert read_assignment(tmp_path / 'again').files == own.files


BAD = {
    'no session': ({'notes.md': SUM},
                   ': the folder has no session, neither *.txt nor *.in with *.ans'),
    'no outputs': ({'a.txt': '3\n4\n'},
                   'a.txt: no output is recorded yet: grading record --command "CMD" '),
    'CRLF': ({'a.txt': SUM.replace('\n', '\r\n')}, r'a.txt:1: lines end with \r\n'),
    'a byte order mark': ({'a.txt': b'\xef\xbb\xbf' + SUM.encode()},
                          'a.txt:1: the file begins with a byte order mark'),
    'UTF-16': ({'a.txt': SUM.encode('utf-16')}, 'a.txt: not UTF-8: UTF-16'),
    'points': ({'a.txt': '# points: 2,5\n' + SUM},
               "a.txt:1: points are a number such as 2 or 2.5, not '2,5'"),
    'names that differ by case': ({'a/X.txt': SUM, 'a/x.txt': SUM},
                                  'x.txt: its name differs from a/X.txt in capital letters only'),
}


@pytest.mark.parametrize('kind', BAD)
def test_what_is_wrong_is_one_line_and_nothing_is_graded(kind, tmp_path):
    files, message = BAD[kind]
    folder = write_files(tmp_path / 'course', files)
    if len(list(folder.rglob('*.*'))) < len(files):
        pytest.skip('to this file system these names are the same')
    check_refused(folder, message, tmp_path)


def check_refused(folder, message, tmp_path):
    status, output, errors = grade(folder, program(tmp_path, 'open("ran", "w")\n'),
                                   '--out', tmp_path / 'results')
    assert (status, output, errors.count('\n')) == (2, '', 1), errors
    assert message in errors
    assert not list((tmp_path / 'results').glob('*'))


@pytest.mark.parametrize(('make', 'message'), [
    (lambda path: path.symlink_to(ROOT / 'README.md'), 'a.txt: a link'),
    (os.mkfifo, 'a.txt: not a plain file'),
    (lambda path: path.with_suffix('').symlink_to(ROOT), 'a: a link'),
    (lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), LARGEST_ASSIGNMENT + 1),
     'a.txt: the assignment holds more than 64 MB'),
], ids=['link', 'FIFO', 'linked folder', 'huge'])
def test_what_is_no_session_is_named(make, message, tmp_path):
    folder = write_files(tmp_path / 'course', {'sum.txt': SUM})
    make(folder / 'a.txt')
    check_refused(folder, message, tmp_path)


def test_more_lines_than_can_be_read_are_refused(tmp_path):
    folder = write_files(tmp_path / 'long', {f'{i}.txt': '|1\n' * 200_000 for i in range(6)})
    check_refused(folder, '5.txt: the assignment holds more than 1,000,000 lines', tmp_path)


def test_an_unreadable_session_is_named(course, monkeypatch):
    def refuse(path):
        raise PermissionError(13, 'Permission denied', str(path))
    monkeypatch.setattr('pathlib.Path.read_bytes', refuse)      # root may read all
    with pytest.raises(TranscriptError, match=r'large\.txt: Permission denied'):
        read_assignment(course)


@pytest.mark.parametrize('command', ['grade', 'pack'])
@pytest.mark.parametrize('path', [b'course', b'course/\xff.txt', b'\xff', b'course/files/\xff'])
def test_a_name_that_is_no_text(path, command, tmp_path):
    write_files(tmp_path, {'course/sum.txt': SUM, 'a.zip': ''})
    undecodable = tmp_path / os.fsdecode(path if b'\xff' in path else b'course/\xff.txt')
    write_files(undecodable.parent, {undecodable.name: SUM} if undecodable.name != '\udcff' else {
        '\udcff/sum.txt': SUM})
    status, output, errors = run_grader_here(
        command, tmp_path / os.fsdecode(path), tmp_path / 'a.zip', '--command', 'true')
    assert (status, output) == (2, '')
    assert errors.endswith(': its name has characters that cannot be shown: rename the file\n')
    assert '\\udcff' in errors


@pytest.mark.parametrize(('words', 'message'), [
    (['no_such_thing'], 'no_such_thing: no game (othello, '),
    (['sums', '--fresh', '3'], '--fresh: sums has no generator of fresh games'),
    (['sums', '--prompts'], '--prompts works only with othello, ')])
def test_usage(words, message, course, monkeypatch, tmp_path):
    words[:1] = [course if words[0] == 'sums' else words[0]]
    status, output, errors = grade(*words, program(tmp_path, RIGHT))
    assert (status, output) == (2, '')
    assert message in errors


def test_a_name_wins_over_a_folder(tmp_path):
    write_files(tmp_path / 'piles', SESSIONS)
    _, output, errors = run_grader_here('grade', 'piles', '--command', 'true', folder=tmp_path)
    assert errors == 'grading: piles is the game; for the folder or file here, type ./piles\n'
    assert output.splitlines()[-1].startswith('true: piles, 0 of ')


def test_an_autograder_holds_the_sessions(course, tmp_path):
    status, output, errors = run_grader_here('pack', course, tmp_path / 'autograder.zip',
                                             '--command', 'python3 sums.py')
    assert (status, errors) == (0, '')
    assert 'sums, 3 sessions; on Gradescope, enter 4 autograder points' in output
    with zipfile.ZipFile(tmp_path / 'autograder.zip') as archive:
        archive.extractall(tmp_path / 'unpacked')
    script = (tmp_path / 'unpacked' / 'run_autograder').read_text(encoding='utf-8')
    assert ' sessions/sums --results ' in script
    assert read_assignment(
        tmp_path / 'unpacked' / 'sessions' / 'sums').files == read_assignment(course).files
    assert not (tmp_path / 'unpacked' / 'transcripts').exists()
