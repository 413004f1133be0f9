"""Custom assignments: folders of sessions, assignment.ini, games in packages, and the examples."""

import json
import os
import pickle
import re
import shlex
import shutil
import subprocess
import tempfile
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from textwrap import indent
from unittest import mock

import internals
import pytest
from assigned import Settings, settings_for
from graders import (
    BLOCK,
    FAST,
    grades_in,
    make_small_project,
    results_by,
    run_grader,
    run_grader_here,
)
from programs import write_files, zipped
from running import PYTHON, rest_long, short_patience
from sandboxes import ALL_KINDS, KINDS, skip_unless_discarded

from grading.assignments.choice import assignment_named, choose_sessions
from grading.assignments.folder import LARGEST_ASSIGNMENT, read_assignment
from grading.installation import ROOT, grader_version
from grading.sessions.transcript import TranscriptError
from grading.settings import DataFile, Language, Options
from grading.submissions.building import put_files
from grading.workers import cluster
from grading.workers.task import Task

SUM = '|First?\n3\n|Second?\n4\n|7\n'
SESSIONS = {
    'sum.txt': SUM,
    'more/large.txt': '# points: 2\n|First?\n30\n|Second?\n40\n# on the sum\n|70\n',
    'more/words.txt': '# beyond the assignment\n|First?\nthree\n|No number.\n',
    'more/small.txt': '|First?\n0\n|Second?\n0\n|0\n',
    'README.md': 'no session',
    '.draft.txt': '',
}
RIGHT = """import sys
print('First?', flush=True)
first = int(input())
print('Second?', flush=True)
print(first + int(input()))
"""
WRONG = RIGHT.replace('first + int(input())', 'int(input()) * 2')


@pytest.fixture
def course(tmp_path):
    return write_files(tmp_path / 'sums', SESSIONS)


def program(tmp_path, text):
    return write_files(tmp_path / 'submitted', {'sums.py': text})


def grade(folder, *words):
    return run_grader_here('grade', folder, *words, *FAST, '--command', f'{PYTHON} sums.py')


def test_a_folder_of_sessions_is_an_assignment(course, tmp_path):
    path = tmp_path / 'results.json'
    status, output, _ = grade(course, program(tmp_path, RIGHT), '--results', path)
    report = json.loads(path.read_text(encoding='utf-8'))
    assert status == 0, output
    assert [(test['name'], test['score']) for test in report['tests']] == [
        ('more/small.txt', 1),
        ('sum.txt', 1),
        ('more/large.txt', 2),
    ]
    assert report['extra_data']['game'] == 'sums'


def test_a_wrong_program_gets_a_report(course, tmp_path):
    status, output, _ = grade(course, program(tmp_path, WRONG))
    assert status == 1
    assert 'submitted: sums, 1 of 4 points' in output
    assert (
        'sum.txt:5: not the expected output\n'
        '  typed    |4    (line 4)\n  expected |7\n  printed  |8\n'
    ) in output


def test_sessions_beyond_the_assignment_are_worth_no_points(course, tmp_path):
    status, output, _ = grade(course, program(tmp_path, RIGHT), '--beyond')
    assert status == 0
    assert 'submitted: sums, 4 of 4 points' in output
    assert (
        'FAILED  1 session: crashes at sums.py, line 3 (ValueError)\n        more/words\n' in output
    )
    assert 'This costs no points: only sessions beyond the assignment show it.' in output


def test_one_session_is_an_assignment(course, tmp_path):
    for name, points in (('more/large', 2), ('more/words', 0)):
        _, output, _ = grade(course / f'{name}.txt', program(tmp_path, RIGHT))
        assert f'submitted: {name[5:]}, {points} of {points} points' in output


def test_the_smallest_game_that_fails_is_played_alone(tmp_path):
    """The smallest failing game can be graded on its own, and the report recognizes the game."""
    write_files(
        tmp_path,
        {
            'smallest.txt': '$ othello_console.py\n|FULL\n4\n4\nB\n>\n'
            + '. . . .\n' * 4
            + '|B: 0  W: 0\n'
            + '|. . . .\n' * 4
            + '|WINNER: NONE\n'
        },
    )
    console = (ROOT / 'othello_console.py').read_text(encoding='utf-8').replace('FULL', 'EMPTY')
    write_files(
        tmp_path,
        {'console.py': console, 'othello_logic.py': (ROOT / 'othello_logic.py').read_bytes()},
    )
    status, output, errors = run_grader_here(
        'grade', tmp_path / 'smallest.txt', '--command', f'{PYTHON} {tmp_path / "console.py"}'
    )
    assert (status, errors) == (1, '')
    assert '1. The program prints the wrong words: "EMPTY" instead of "FULL".\n' in output


def test_hundreds_of_sessions_in_a_stable_order(tmp_path):
    write_files(
        tmp_path / 'many',
        {f'{number % 7}/{number}.txt': f'{number}\n|{number}\n' for number in range(300)},
    )
    own = assignment_named(str(tmp_path / 'many'))
    transcripts = choose_sessions(own).sessions
    assert len(transcripts) == 300
    assert [session.name for session in transcripts] == sorted(file.name for file in own.files)
    put_files(own.files, tmp_path / 'again')
    assert read_assignment(tmp_path / 'again').files == own.files


BAD = {  # files of an assignment, and the message about what is wrong with them
    'no session': (
        {'notes.md': SUM},
        ': this folder has no sessions; it needs *.txt files, or *.in files with *.ans files',
    ),
    'no outputs': (
        {'a.txt': '3\n4\n'},
        'a.txt: no output has been recorded yet; run: grading record --command "CMD" ',
    ),
    'CRLF': ({'a.txt': SUM.replace('\n', '\r\n')}, r'a.txt:1: lines end with \r\n'),
    'a byte order mark': (
        {'a.txt': b'\xef\xbb\xbf' + SUM.encode()},
        'a.txt:1: the file begins with a byte order mark; save it without one',
    ),
    'Latin-1': (
        {'a.txt': SUM.encode() + b'|na\xefve\n'},
        'a.txt:6: not UTF-8: invalid continuation byte; save the file as UTF-8',
    ),
    'UTF-16': ({'a.txt': SUM.encode('utf-16')}, 'a.txt: not UTF-8: it looks like UTF-16'),
    'points': (
        {'a.txt': '# points: 2,5\n' + SUM},
        "a.txt:1: points must be a number such as 2 or 2.5, not '2,5'",
    ),
    'names that differ by case': (
        {'a/X.txt': SUM, 'a/x.txt': SUM},
        'x.txt: the name differs from a/X.txt only in case',
    ),
}


@pytest.mark.parametrize('kind', BAD)
def test_a_bad_session_is_reported_in_one_line_and_nothing_is_graded(kind, tmp_path):
    files, message = BAD[kind]
    folder = write_files(tmp_path / 'course', files)
    if sum(path.is_file() for path in folder.rglob('*')) < len(files):
        pytest.skip('to this file system these names are the same')
    check_refused(folder, message, tmp_path)


def check_refused(folder, message, tmp_path):
    status, output, errors = grade(
        folder, program(tmp_path, 'open("ran", "w")\n'), '--out', tmp_path / 'results'
    )
    assert (status, output, errors.count('\n')) == (2, '', 1), errors
    assert message in errors
    assert not list((tmp_path / 'results').glob('*'))


@pytest.mark.parametrize(
    ('make', 'message'),
    [
        (lambda path: path.symlink_to(ROOT / 'README.md'), 'a.txt: symbolic links are not allowed'),
        (os.mkfifo, 'a.txt: not a regular file'),
        (lambda path: path.with_suffix('').symlink_to(ROOT), 'a: symbolic links are not allowed'),
        (
            lambda path: os.truncate(
                os.open(path, os.O_CREAT | os.O_WRONLY), LARGEST_ASSIGNMENT + 1
            ),
            'a.txt: the assignment has more than 64 MB',
        ),
    ],
)
def test_a_file_that_cannot_be_a_session_is_named(make, message, tmp_path):
    folder = write_files(tmp_path / 'course', {'sum.txt': SUM})
    make(folder / 'a.txt')
    check_refused(folder, message, tmp_path)


def test_more_lines_than_can_be_read_are_refused(tmp_path):
    folder = write_files(tmp_path / 'long', {f'{i}.txt': '|1\n' * 200_000 for i in range(6)})
    check_refused(folder, '5.txt: the assignment has more than 1,000,000 lines', tmp_path)


def test_an_unreadable_session_is_named(course, monkeypatch):
    monkeypatch.setattr(
        'pathlib.Path.read_bytes',
        mock.Mock(  # file modes would not stop root
            side_effect=PermissionError(13, 'Permission denied')
        ),
    )
    with pytest.raises(TranscriptError, match=r'large\.txt: Permission denied'):
        read_assignment(course)


@pytest.mark.parametrize(
    ('path', 'command'),
    [
        (path, command)
        for path in (b'course', b'course/\xff.txt', b'\xff', b'course/files/\xff')
        for command in ('grade', 'pack')
    ],
)
def test_a_name_with_undecodable_bytes_is_reported(path, command, tmp_path):
    write_files(tmp_path, {'course/sum.txt': SUM, 'a.zip': ''})
    undecodable = tmp_path / os.fsdecode(path if b'\xff' in path else b'course/\xff.txt')
    write_files(
        undecodable.parent,
        {undecodable.name: SUM} if undecodable.name != '\udcff' else {'\udcff/sum.txt': SUM},
    )
    status, output, errors = run_grader_here(
        command, tmp_path / os.fsdecode(path), tmp_path / 'a.zip', '--command', 'true'
    )
    assert (status, output) == (2, '')
    assert errors.endswith(': the file name has unprintable characters: rename the file\n')
    assert '\\udcff' in errors


@pytest.mark.parametrize(
    ('words', 'message'),
    [
        (['no_such_thing'], 'no_such_thing: not a game (othello, '),
        (['sums', '--fresh', '3'], '--fresh: sums has no fresh games'),
        (['sums', '--prompts'], '--prompts works only with stones, tlcw, piles, nim\n'),
    ],
)
def test_usage(words, message, course, tmp_path):
    words[:1] = [course if words[0] == 'sums' else words[0]]
    status, output, errors = grade(*words, program(tmp_path, RIGHT))
    assert (status, output) == (2, '')
    assert message in errors


def test_a_name_wins_over_a_folder(tmp_path):
    write_files(tmp_path / 'piles', SESSIONS)
    _, output, errors = run_grader_here('grade', 'piles', '--command', 'true', folder=tmp_path)
    assert (
        errors == 'grading: piles means the built-in game; for the folder or file, type ./piles\n'
    )
    assert output.splitlines()[-1].startswith('true: piles, 0 of ')


def test_an_autograder_contains_the_sessions(course, tmp_path):
    status, output, errors = run_grader_here(
        'pack', course, tmp_path / 'autograder.zip', '--command', 'python3 sums.py'
    )
    assert (status, errors) == (0, '')
    assert 'sums, 3 sessions; on Gradescope, enter 4 autograder points' in output
    with zipfile.ZipFile(tmp_path / 'autograder.zip') as archive:
        archive.extractall(tmp_path / 'unpacked')
    script = (tmp_path / 'unpacked' / 'run_autograder').read_text(encoding='utf-8')
    assert ' sessions/sums --results ' in script
    assert (
        read_assignment(tmp_path / 'unpacked' / 'sessions' / 'sums').files
        == read_assignment(course).files
    )
    assert not (tmp_path / 'unpacked' / 'transcripts').exists()


# A game added as a package.

HERE = Path(__file__).parent / 'third_game'
# Two students' programs. The first is right, and the second forgets the hundreds of a sum.
RIGHT_SUMS = """total = 0
while True:
    number = int(input())
    if number == 0:
        print('In all', total)
        break
    total = total + number
    print('Now', total, flush=True)
"""
WRONG_SUMS = RIGHT_SUMS.replace('total + number', '(total + number) % 100')


@pytest.fixture(scope='module')
def project(tmp_path_factory):
    """Return a copy of the project with the game and one session, recorded there."""
    project = make_small_project(tmp_path_factory.mktemp('third') / 'project')
    shutil.copytree(HERE / 'sums', project / 'grading' / 'games' / 'sums')
    shutil.copy(HERE / 'sums_console.py', project)
    session = project / 'transcripts' / 'sums' / 'two_numbers.txt'
    session.parent.mkdir()
    session.write_text('# adds two numbers\n$ sums_console.py\n3\n4\n0\n', encoding='utf-8')
    assert run_grader('record', session, project=project)[::2] == (0, '')
    assert session.read_text(encoding='utf-8') == (
        '# adds two numbers\n$ sums_console.py\n3\n|Now 3\n4\n|Now 7\n0\n|In all 7\n'
    )
    return project


def graded(project, folder, source, *words):
    """Grade a program of one module; return the exit status and the content of results.json."""
    (folder / 'sums.py').write_text(source, encoding='utf-8')
    path = folder.parent / f'{folder.name}.json'
    status, _, errors = run_grader(
        'grade', 'sums', folder, '--results', path, *words, project=project
    )
    assert 'Traceback' not in errors
    return status, json.loads(path.read_text(encoding='utf-8'))


def test_a_right_program(project, tmp_path):
    status, results = graded(
        project, tmp_path, RIGHT_SUMS, *FAST, '--fresh', '2', '--fresh-points', '2'
    )
    assert (status, results['score']) == (0, 3)


# A wrong program: the line to change is far from the lines with `print`.
LONG_SUMS = f"""\
def plus(first, second):
    digits = str(first + second)
    last, last_but_one = digits[-1:], digits[-2:-1]
    digits = [last_but_one, last]
    return int(''.join(digits))


{''.join(f'NAME_{number} = {number}{chr(10)}' for number in range(20))}

total = 0
while True:
    number = int(input())
    if number == 0:
        break
    total = plus(total, number)
    line = 'Now'
    line = f'{{line}} {{total}}'
    print(line, flush=True)
line = 'In all'
line = f'{{line}} {{total}}'
print(line)
"""


def test_a_fault_that_the_package_defines(project, tmp_path):
    """The report names a fault defined only in the game's package, and finds its place."""
    skip_unless_discarded()
    session = project / 'transcripts' / 'sums' / 'large_numbers.txt'
    session.write_text('$ sums_console.py\n60\n70\n5\n0\n', encoding='utf-8')
    assert run_grader('record', session, project=project)[::2] == (0, '')
    try:
        _, results = graded(project, tmp_path, LONG_SUMS, '--confine', 'none')
    finally:
        session.unlink()
    [finding] = results['extra_data']['findings']
    assert (finding['id'], finding['sentence']) == ('two-digits', 'forgets the hundreds of a sum')
    first = next(place for place in finding['places'] if place['why'] == 'ran')
    assert first['first'] <= 2 <= first['last']


def test_a_wrong_program_gets_its_smallest_fresh_game(project, tmp_path):
    status, results = graded(project, tmp_path, WRONG_SUMS, *FAST, '--fresh', '5', '--seed', '1')
    assert (status, results['score']) == (1, 1)
    fresh = results['tests'][-1]['output']
    assert '# The smallest failing fresh game found.' in fresh
    *_, first, _, second, _, end, last = fresh.strip().splitlines()
    assert int(first) + int(second) > 99
    assert (end, last) == ('0', f'|In all {int(first) + int(second)}')


def test_an_unknown_game_gets_a_list_with_the_added_game(project):
    status, _, errors = run_grader('grade', 'chess', '--command', 'true', project=project)
    assert status == 2
    assert 'chess: not a game (othello, sums, recorded, stones, tlcw, piles, nim)' in errors


# The files of an assignment.

READINGS = {'readings.csv': '1\n2\n3\n', 'lists/words.txt': 'one\n'}
COUNT = {'count.txt': '|3 one\n', **{f'files/{name}': text for name, text in READINGS.items()}}
PROGRAM = """
with open('readings.csv') as readings, open('lists/words.txt') as words:
    print(len(readings.readlines()), words.read().strip())
"""


def settings_of(folder, **settings):
    """Return the settings to grade with the assignment in a folder."""
    return Settings(choose_sessions(read_assignment(folder)), Options()).with_changes(
        where=False, **{'confine': 'none', **settings}
    )


def languages_by(settings):
    """Return the languages of the settings, with the ways to build and run programs."""
    return settings.options.languages_of(settings.assignment)


def output_of(source, settings):
    """Grade a submission in the only session; return the report on it, or '' if it passes."""
    (test,) = results_by(settings, source)['tests']
    return test['output']


@pytest.fixture
def count(tmp_path):
    """Return the folders of an assignment with `files/` and of a right submission."""
    return (
        write_files(tmp_path / 'count', COUNT),
        write_files(tmp_path / 'one', {'count.py': PROGRAM}),
    )


# ------------------------------------------------------------------------------ assignment.ini

WHOLE = """
; what a teacher has to say
title = The Caesar
        cipher
timeout = 2
At-Once: yes
where = on
points = 2
exit status = any

[*.c]
build = cc -o main *.c
command = ./main
[*.tar.gz]
command = tar xf %s
"""


def test_every_key_of_an_assignment(tmp_path):
    folder = write_files(tmp_path / 'caesar', {'a.txt': '|3\n', 'assignment.ini': WHOLE})
    assignment = settings_of(folder).assignment
    (session,) = assignment.sessions
    assert (assignment.name, assignment.title, session.points, session.end.status) == (
        'caesar',
        'The Caesar cipher',
        2,
        'any',
    )
    assert assignment.languages == (
        Language('.c', './main', 'cc -o main *.c'),
        Language('.tar.gz', 'tar xf %s', ''),
    )
    assert languages_by(settings_of(folder, command='./a', build='b')) == (
        Language('', './a', 'b'),
    )


def test_an_assignment_without_a_title_has_the_name_of_its_folder(tmp_path):
    folder = write_files(tmp_path / 'sums', {'a.txt': '|3\n'})
    assert settings_of(folder).assignment.title == 'sums'
    write_files(folder, {'assignment.ini': 'command = python3 -u sums.py\n'})
    assert languages_by(settings_of(folder)) == (Language('', 'python3 -u sums.py', ''),)


BAD_FILES = {  # the contents of assignment.ini, and the message, beginning with the line
    'titel = x\n': '1: no such key: titel; the keys are title, flush, beyond, at-once, timeout, '
    'where, visibility, points, exit status, ignore, tolerance, '
    'prompts, build, command',
    '# x\n\n[*.c]\nbuild = x\ntimeout = 2\n': '5: no such key: timeout; the keys are build, '
    'command',
    'timeout = soon\n': '1: timeout must be a number of seconds up to 3600, not "soon"',
    'timeout = 0\n': '1: timeout must be a number of seconds up to 3600, not "0"',
    '\nat-once = perhaps\n': '2: at-once must be yes or no, not "perhaps"',
    'visibility = never\n': '1: visibility must be one of visible, hidden, after_due_date, '
    'after_published, not "never"',
    'confine = none\n': '1: no such key: confine; ',
    'title = a\nTitle = b\n': '2: title appears twice',
    '[*.c]\ncommand = a\n[*.c]\ncommand = b\n': '3: [*.c] appears twice',
    'title\n': '1: expected "key = value" or "[*.suffix]"',
    '[*.c\n': '1: expected "key = value" or "[*.suffix]"',
    'title = x\n[c]\ncommand = x\n': '2: [c]: a section must be named after a file suffix, such as [*.c]',
    'command =\n': '1: command: the command is empty',
    '[*.c]\nbuild = cc "x\n': '2: build: No closing quotation',
    'title = x\npoints = 2,5\n': "2: points must be a number such as 2 or 2.5, not '2,5'",
    'ignore = colour\n': '1: "# ignore:" takes ',
    b'title = \xff\n': '1: not UTF-8: invalid start byte',
}


@pytest.mark.parametrize('text', BAD_FILES)
def test_a_mistake_in_assignment_ini_is_reported_with_its_line(text, tmp_path):
    folder = write_files(tmp_path / 'course', {'a.txt': '|3\n', 'assignment.ini': text})
    status, output, errors = run_grader_here(
        'grade', folder, write_files(tmp_path / 'one', {'a.py': 'print(3)'}), *FAST
    )
    assert (status, output, errors.count('\n')) == (2, '', 1), errors
    assert f'assignment.ini:{BAD_FILES[text]}' in errors


SAYS_THREE = 'timeout = 2\nvisibility = hidden\nat-once = yes\n'


@pytest.mark.parametrize(
    ('says', 'words', 'packed'),
    [
        (SAYS_THREE, [], []),
        (
            SAYS_THREE,
            ['--timeout', '5', '--visibility', 'visible'],
            ['--timeout=5.0', '--visibility=visible'],
        ),
        (SAYS_THREE, ['--no-at-once'], ['--no-at-once']),
        *(
            (text, words, words)
            for text, option in [
                ('at-once = yes\n', '--no-at-once'),
                ('beyond = yes\n', '--no-beyond'),
                ('where = no\n', '--where'),
                ('', '--no-where'),
            ]
            for words in ([], [option])
        ),
    ],
)
def test_the_command_line_wins(says, words, packed, tmp_path):
    """Options override assignment.ini.

    A packed autograder reads assignment.ini again, so it needs only the options that differ.
    """
    folder = write_files(tmp_path / 'sums', {'a.txt': '|3\n', 'assignment.ini': says})
    assert run_grader_here('pack', folder, tmp_path / 'a.zip', *words)[0] == 0
    with zipfile.ZipFile(tmp_path / 'a.zip') as archive:
        script = archive.read('run_autograder').decode()
    assert script.partition(' grade ')[2].partition(' --results ')[0].split() == [
        *packed,
        'sessions/sums',
    ]


def test_an_autograder_contains_the_files_of_an_assignment(tmp_path):
    folder = write_files(
        tmp_path / 'sums',
        {
            **COUNT,
            'assignment.ini': '[*.java]\nbuild = javac *.java\ncommand = java Sums\n',
            'a.in': '1\n',
            'a.ans': '2\n',
            'README.md': '',
            'files/more/tool': b'\xff\0',
        },
    )
    (folder / 'files' / 'more' / 'tool').chmod(0o755)
    own = read_assignment(folder)
    assert [file.name for file in own.files][:4] == ['a.ans', 'a.in', 'assignment.ini', 'count.txt']
    assert [(file.name, file.is_executable) for file in own.data] == [
        ('lists/words.txt', False),
        ('more/tool', True),
        ('readings.csv', False),
    ]
    _, output, _ = run_grader_here('pack', folder, tmp_path / 'a.zip')
    assert "Gradescope's machines lack java, javac: pack again with --install" in output
    with zipfile.ZipFile(tmp_path / 'a.zip') as archive:
        archive.extractall(tmp_path / 'unpacked')
        assert archive.getinfo('sessions/sums/files/more/tool').external_attr >> 16 == 0o100755
    packed = read_assignment(tmp_path / 'unpacked' / 'sessions' / 'sums')
    assert [file[:2] for file in packed.files] == [file[:2] for file in own.files]
    put_files(own.files, tmp_path / 'again')
    assert read_assignment(tmp_path / 'again').files == own.files


def test_a_worker_of_a_cluster_has_the_whole_assignment(tmp_path):
    """A worker of a cluster can grade with the files sent to it.

    This process takes the place of the worker.
    """
    folder = write_files(
        tmp_path / 'count',
        {
            **COUNT,
            'assignment.ini': 'title = Count\nignore = case\n[*.sh]\ncommand = sh run.sh\n',
            'count.txt': '|3 ONE\n# file: left.txt\n|LEFT\n',
        },
    )
    source = write_files(
        tmp_path / 'one',
        {'run.sh': 'echo $(grep -c . readings.csv) $(cat lists/words.txt)\necho left > left.txt'},
    )
    settings = settings_of(folder)
    task = Task('one', None, *settings)
    results = cluster.grade_sent(
        cluster.pack_folder(source), pickle.dumps((task, 'slow')), grader_version()
    )
    assert (results.score, results.game) == (1, 'Count')


@pytest.mark.parametrize('kind', KINDS)
def test_one_session_hides_all_files_of_its_assignment(kind, tmp_path):
    """When one session is graded, programs cannot read the other files of its assignment.

    That includes the answers beside the input.
    """
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)  # so that only the grader can prevent reading
        course = write_files(Path(name) / 'sums', {'a.in': '1\n', 'a.ans': '2\n'})
        source = write_files(tmp_path / 'one', {'one.py': f'print(open("{course}/a.ans").read())'})
        status, output, errors = run_grader_here(
            'grade', course / 'a.in', source, '--confine', kind
        )
    assert (status, 'Error' in output) == (1, True), output + errors


# ----------------------------------------------------------------------------------- languages

LANGUAGES = '[*.sh]\ncommand = sh main.sh\n[*.txt]\nbuild = mv main.txt main\ncommand = sh main\n'


def test_a_class_in_several_languages(tmp_path):
    folder = write_files(
        tmp_path / 'three', {'a.txt': '|3\n', 'assignment.ini': 'title = Three\n' + LANGUAGES}
    )
    submissions = [
        write_files(tmp_path / name, files)
        for name, files in {
            'shell': {'main.sh': 'echo 3'},
            'built': {'main.txt': 'echo 3'},
            'both': {'main.txt': 'exit 1', 'main.sh': 'echo 3'},
            'python': {'game.py': f'print(3)\n{BLOCK}', 'other.py': ''},
            'none': {'main.rs': '', 'cargo.toml': ''},
        }.items()
    ]
    status, _, _ = run_grader_here('grade', folder, *submissions, *FAST, '--out', tmp_path / 'out')
    assert status == 1
    results = {
        path.parent.name: json.loads(path.read_text(encoding='utf-8'))
        for path in (tmp_path / 'out').glob('*/results.json')
    }
    assert {
        name: (report['extra_data']['game'], report['tests'][0]['score'])
        for name, report in results.items()
    } == {**dict.fromkeys(['shell', 'built', 'both', 'python'], ('Three', 1)), 'none': ('Three', 0)}
    assert results['none']['tests'][0]['output'] == (
        'no *.sh or *.txt file was submitted, only cargo.toml, main.rs'
    )


# -------------------------------------------------------------------------------------- files/

FORGED = [
    ('', {'readings.csv': '1\n', 'lists/words.txt': 'forged'}),
    ('homework/', {'readings.csv': '1\n', 'lists/words.txt': 'forged'}),
    # A folder in place of a file, and a file in place of a folder.
    ('', {'readings.csv/x': '', 'lists/words.txt/x': ''}),
    ('homework/', {'lists': ''}),
]


@pytest.mark.parametrize(('around', 'forged'), FORGED)
def test_no_submitted_file_replaces_a_file_of_the_assignment(around, forged, tmp_path):
    folder = write_files(tmp_path / 'count', COUNT)
    source = zipped(
        tmp_path / 'one.zip',
        {around + name: text for name, text in {'count.py': PROGRAM, **forged}.items()},
    )
    assert output_of(source, settings_of(folder, command='python3 count.py')) == ''
    assert output_of(source, settings_of(folder)) == ''
    with mock.patch(internals.PUT):
        assert output_of(source, settings_of(folder)) != ''


LINKS = [
    ('.', 'lists', ''),  # the grader would write the file elsewhere in the folder
    ('count.py', 'readings.csv', ''),  # the grader would overwrite the program
    ('/tmp', 'lists', ''),
    ('count.py', 'readings.csv', 'ln -sf count.py readings.csv'),
    ('', '', 'rm -rf readings.csv lists && mkdir readings.csv && ln -s . lists'),
    ('', '', 'mkdir new && mv readings.csv new && : > readings.csv'),
]


@pytest.mark.parametrize(
    ('kind', 'target', 'name', 'build'),
    [(kind, *link) for kind in ALL_KINDS for link in (LINKS if kind == 'bwrap' else LINKS[1::3])],
)
def test_no_link_and_no_build_replaces_a_file_of_the_assignment(kind, target, name, build, count):
    folder, source = count
    if name:
        os.symlink(target, source / name)
    settings = settings_of(folder, confine=kind, build=build or None, command='python3 count.py')
    assert output_of(source, settings) == ''
    assert (source / 'count.py').read_text(encoding='utf-8') == PROGRAM
    assert not os.path.lexists('/tmp/words.txt')


def test_writing_through_links_would_overwrite_the_program(count):
    """If the grader copied files as `cp -R` does, a link would make it overwrite the program."""
    folder, source = count
    os.symlink('count.py', source / 'readings.csv')

    def copy(files, place):
        shutil.copytree(folder / 'files', place, dirs_exist_ok=True)
        return []

    with mock.patch(internals.PUT, copy):
        assert output_of(source, settings_of(folder)) != ''


CHECKED = {
    'a.txt': '|right\n',
    'files/checks.py': 'import rules.more\nprint("right")\n',
    'files/rules/more.py': '',
    'files/names/list.txt': '',
}
EVIL = 'import os\nprint("evil")\nos._exit(0)\n'
# Compiles the hostile module so that Python does not check the result against its source.
COMPILE = f"""{PYTHON} -c 'from py_compile import compile, PycInvalidationMode as mode
compile("evil.py", "{{}}", invalidation_mode=mode.UNCHECKED_HASH)'"""
TAG = subprocess.run(
    [PYTHON, '-c', 'import sys; print(sys.implementation.cache_tag)'],
    text=True,
    stdout=subprocess.PIPE,
    check=True,
).stdout.strip()
CACHED = f'__pycache__/checks.{TAG}.pyc'
# Names of libraries in C. CPython, but not PyPy, also imports a library without a version in its
# name.
LIBRARY = f'checks{EXTENSION_SUFFIXES[0]}'
PACKAGE = f'checks/__init__{EXTENSION_SUFFIXES[-1]}'
AROUND = f'rules/__init__{EXTENSION_SUFFIXES[0]}'
# For each way to make Python import a module other than the assignment's: files, links, a build
# command, and the path left out by the grader.
RIVALS = {
    'a package': ({'checks/__init__.py': EVIL}, {}, '', 'checks/__init__.py'),
    'a package that is compiled': (
        {},
        {},
        COMPILE.format('checks/__init__.pyc'),
        'checks/__init__.pyc',
    ),
    'a library': ({LIBRARY: 'evil'}, {}, '', LIBRARY),
    'a package that is a library': ({PACKAGE: ''}, {}, '', PACKAGE),
    'what a build compiles': ({}, {}, COMPILE.format(CACHED), CACHED),
    'a link to what a build compiles': (
        {},
        {},
        'ln -s cache __pycache__; ' + COMPILE.format(CACHED.replace('__pycache__', 'cache')),
        '__pycache__',
    ),
    'a package that is built': (
        {},
        {},
        'mkdir checks; cp evil.py checks/__init__.py',
        'checks/__init__.py',
    ),
    'a link to a package': ({'evil/__init__.py': EVIL}, {'checks': 'evil'}, '', 'checks'),
    'the package around a module': ({'rules/__init__.py': EVIL}, {}, '', 'rules/__init__.py'),
    'a library around a module': ({AROUND: ''}, {}, '', AROUND),
    'a module of the name of a package': ({'rules.py': EVIL}, {}, '', 'rules.py'),
    'a package in a package': ({'rules/more/__init__.py': EVIL}, {}, '', 'rules/more/__init__.py'),
}


def rival(folder, name):
    """Write a submission with a rival of a module in `files/`; return the folder and the build."""
    files, links, build, _ = RIVALS[name]
    write_files(
        folder,
        {
            f'one/{path}': text
            for path, text in {'main.py': 'import checks\n', 'evil.py': EVIL, **files}.items()
        },
    )
    for link, target in links.items():
        (folder / 'one' / target).mkdir(exist_ok=True)
        (folder / 'one' / link).symlink_to(target)
    return folder / 'one', build


@pytest.mark.parametrize(
    ('name', 'kind'),
    [*((name, 'none') for name in RIVALS), *(('what a build compiles', kind) for kind in KINDS)],
)
def test_no_module_of_a_submission_is_imported_instead_of_the_assignments(name, kind, tmp_path):
    folder = write_files(tmp_path / 'checked', CHECKED)
    source, build = rival(tmp_path, name)
    settings = settings_of(folder, confine=kind, build=build or None, command=f'{PYTHON} main.py')
    results = results_by(settings, source)
    assert (results['score'], results['extra_data']['notes']) == (
        1,
        [
            f'{"after the build: " if build else ""}left out: {RIVALS[name][3]}: '
            'the assignment has a module with this name'
        ],
    )


@pytest.mark.parametrize('name', rest_long(RIVALS, 4))
def test_each_rival_is_imported_if_only_files_are_replaced(name, tmp_path):
    """Without the check, Python imports each of the rivals: replacing files is not enough."""
    folder = write_files(tmp_path / 'checked', CHECKED)
    source, build = rival(tmp_path, name)
    settings = settings_of(folder, build=build or None, command=f'{PYTHON} main.py')
    with mock.patch(internals.MODULES_OF, return_value=set()):
        assert results_by(settings, source)['score'] == 0


def test_other_files_of_the_submission_stay(tmp_path):
    """Files of the submission stay if they cannot replace a module.

    They may be in a folder with the name of a module, or be modules with the name of a data
    folder.
    """
    made = {
        'checks/data.txt': '',
        'checks/test.py': '',
        'names.py': '',
        'rules/own.py': '',
        'checks.txt': '',
        'checks2.py': '',
        'check.so': '',
    }
    write_files(tmp_path, made)
    assert (
        put_files(
            [DataFile(name[len('files/') :], b'') for name in CHECKED if '/' in name], tmp_path
        )
        == []
    )
    assert all((tmp_path / name).is_file() for name in made)


def test_there_are_few_notes_on_files_that_are_left_out(tmp_path):
    write_files(tmp_path, {f'__pycache__/checks.{number}\x1b.pyc': '' for number in range(30)})
    notes = put_files([DataFile('checks.py', b'')], tmp_path)
    assert (len(notes), notes[-1], '\x1b' in ''.join(notes)) == (21, '...', False)
    assert [*(tmp_path / '__pycache__').iterdir()] == []


def test_a_command_finds_the_files_in_its_own_folder(count):
    """A command without a submission must find the assignment's files in its own folder.

    The grader writes nothing there.
    """
    folder, source = count
    write_files(source, {'lists/words.txt': 'one\n'})
    command = ['--command', f"sh -c 'cd {source}; {PYTHON} count.py'"]
    assert run_grader_here('grade', folder, *command)[::2] == (
        1,
        ''.join(
            f"grading: the assignment's {name} is missing from this folder, where the command runs\n"
            for name in ('lists/words.txt', 'readings.csv')
        ),
    )
    write_files(source, {'readings.csv': '1\n2\n3\n'})
    assert run_grader_here('grade', folder, *command)[0] == 0


# --------------------------------------------------------------------------------------- pairs

PAIR = {'more/1.in': '1\n2\n', 'more/1.ans': '1\n\n2\n', 'more/a.out': b'\x7fELF\0'}
ECHO = f'{PYTHON} -c "import sys; print(*sys.stdin, sep=chr(10), end=str())"'


def test_a_pair_is_a_session(tmp_path):
    folder = write_files(tmp_path / 'echo', PAIR)
    source = write_files(tmp_path / 'one', {'x': ''})
    settings = settings_of(folder, command=ECHO)
    assert [session.name for session in settings.assignment.sessions] == ['more/1.in']
    assert output_of(source, settings) == ''
    (folder / 'more' / '1.ans').rename(folder / 'more' / '1.out')
    assert output_of(source, settings_of(folder, command=ECHO)) == ''
    assert 'more/1.in' in output_of(source, settings_of(folder, command='cat'))


@pytest.mark.parametrize('at_once', [False, True])
def test_the_input_of_a_pair_is_not_changed(at_once, tmp_path):
    """The input of a pair is not changed: a missing newline at its end stays missing."""
    texts = {'a': '3\n4', 'b': '3\n4\n', 'c': '', 'd': '\n\n'}
    folder = write_files(
        tmp_path / 'echo',
        {
            **{f'{name}.in': text for name, text in texts.items()},
            **{f'{name}.out': f'{text!r}\n' for name, text in texts.items()},
        },
    )
    source = write_files(tmp_path / 'one', {'echo.py': 'print(repr(open(0).read()))'})
    status, output, _ = run_grader_here(
        'grade', folder, source, *FAST, '--command', f'{PYTHON} echo.py', *['--at-once'] * at_once
    )
    assert (status, '4 of 4 points' in output) == (0, True), output


def test_lines_of_a_pair_are_counted_in_its_files(tmp_path):
    folder = write_files(tmp_path / 'sums', {'a.in': '3\n4\n', 'a.ans': 'Sum:\n7\n'})
    source = write_files(tmp_path / 'one', {'x': ''})
    for ends, report in (
        (
            'echo 8',
            'a.ans:2: not the expected output\n  input: all of a.in\n'
            '  expected |7\n  printed  |8\n            ^',
        ),
        (
            'echo 7; exit 1',
            'a.ans:2: the program ended with exit status 1 instead of 0\n'
            '  input: all of a.in\n'
            '  hint: end the program with exit status 0 after the last line of output\n'
            '  explained by exit-status',
        ),
    ):
        settings = settings_of(folder, command=f"sh -c 'echo Sum:; {ends}'")
        assert output_of(source, settings) == report


@pytest.mark.parametrize(
    ('files', 'message'),
    [
        ({'more/1.ans': None}, r'^more/1\.in: neither 1\.ans nor 1\.out exists$'),
        ({'more/1.out': '1\n'}, r'^more/1\.in: both 1\.ans and 1\.out exist$'),
        ({'2.ans': ''}, r'^2\.ans: the file 2\.in is missing$'),
        (COUNT, 'echo/files: more than 0 MB: every run'),
    ],
)
def test_incomplete_pairs_and_large_files_are_refused(files, message, tmp_path, monkeypatch):
    monkeypatch.setattr(internals.LARGEST_DATA, 9)
    folder = write_files(
        tmp_path / 'echo',
        {name: text for name, text in {**PAIR, **files}.items() if text is not None},
    )
    with pytest.raises(TranscriptError, match=message):
        read_assignment(folder)


def test_one_session_is_graded_with_the_files_of_its_assignment(tmp_path):
    """A single session is graded with the assignment.ini and the `files/` of its folder.

    Without an assignment.ini, the folder may be any folder, so nothing else in it is read.
    """
    folder = write_files(tmp_path / 'count', {**PAIR, **COUNT, 'b.in': '', 'b.ans': '1\n'})
    assert read_assignment(folder / 'count.txt').files == [('count.txt', b'|3 one\n', False)]
    write_files(folder, {'assignment.ini': 'title = Count\n'})
    for name, names in {
        'count.txt': ['count.txt', 'assignment.ini'],
        'b.in': ['b.in', 'b.ans', 'assignment.ini'],
    }.items():
        own = read_assignment(folder / name)
        assert (
            [file.name for file in own.files][: len(names)],
            [file.name for file in own.data],
        ) == (names, sorted(READINGS))


JUDGE = """
import subprocess, sys
print('judged:', subprocess.run([sys.executable, 'main.py', *sys.argv[1:]], check=True, text=True,
                                stdout=subprocess.PIPE).stdout, end='')
"""


def test_a_judge_among_the_files_runs_the_submission(tmp_path):
    """A judge in `files/` gets the words of the `$` line and runs the submission.

    Files of the assignment, here judge.py and x.csv, do not decide the submission's language.
    """
    folder = write_files(
        tmp_path / 'judged',
        {
            'a.txt': '$ judge.py --twice\n|judged: --twice\n',
            'files/judge.py': JUDGE,
            'files/x.csv': '',
            'assignment.ini': 'command = python3 judge.py\n[*.csv]\ncommand = none\n',
        },
    )
    submitted = write_files(tmp_path / 'ann', {'main.py': 'import sys\nprint(*sys.argv[1:])\n'})
    assert output_of(submitted, settings_of(folder)) == ''


@pytest.mark.parametrize(('options', 'score'), [(' -I', 0), ('', 1)])
def test_an_isolated_judge_imports_no_module_of_the_submission(options, score, tmp_path):
    """Python's option -I keeps a judge from importing modules of the submission.

    Without it, a submission can replace a module imported by the judge, and print the verdict
    itself.
    """
    folder = write_files(
        tmp_path / 'judged',
        {
            'a.txt': '|judged: 7\n',
            'files/judge.py': JUDGE,
            'assignment.ini': f'command = python3{options} judge.py\n',
        },
    )
    source = write_files(
        tmp_path / 'ann',
        {
            'main.py': 'print(8)\n',
            'subprocess.py': 'import os, sys\nprint("judged: 7")\n'
            'sys.stdout.flush()\nos._exit(0)\n',
        },
    )
    assert results_by(settings_of(folder), source)['score'] == score
    write_files(source, {'main.py': 'print(7)\n'})
    assert results_by(settings_of(folder), source)['score'] == 1


# The examples of the manual.

EXAMPLES = ROOT / 'docs' / 'examples'
EXAMPLE = EXAMPLES / 'bulls_and_cows'
SOLUTION = f'python3 {shlex.quote(str(EXAMPLE / "solution.py"))}'
IN_REPORT = {  # for each wrong program, some of the text of its report
    'no_flush': ['Flush all output before you read each line, and read one line at a time. In'],
    'trailing_spaces': ['1 space too many at the end of the line'],
    'crashes': [
        "  crash    |ValueError: invalid literal for int() with base 10: 'abcd'",
        'bulls.py, line 4: while int(number) < 0 or len(number) != 4:',
    ],
    'reads_on': [
        'the program was still waiting for input after the session was over',
        'bulls.py, line 22: input()',
    ],
    'counts_twice': ['  expected |2 bulls, 0 cows\n  printed  |2 bulls, 2 cows\n'],
}
POINTS = {'crashes': 4, 'counts_twice': 5}  # of 6; the other programs fail every session


def test_the_solution_has_all_points():
    status, output, _ = run_grader_here('grade', EXAMPLE, '--command', SOLUTION, '--beyond')
    assert status == 0
    assert ': bulls_and_cows, 6 of 6 points\n' in output


@pytest.mark.parametrize('name', rest_long(IN_REPORT, 2))
def test_the_report_on_a_wrong_example(name):
    sessions, result = (
        (EXAMPLE, f'bulls_and_cows, {POINTS[name]} of 6 points')
        if name in POINTS
        else (EXAMPLE / 'first_guess.txt', 'first_guess, 0 of 1 points')
    )
    status, output, _ = run_grader_here(
        'grade',
        sessions,
        EXAMPLE / 'wrong' / name,
        '--command',
        'python3 bulls.py',
        '--confine',
        'none',
        '--timeout',
        short_patience(),
        *(['--no-where'] if name != 'reads_on' else []),
    )
    assert status == 1
    assert output.splitlines()[-1] == f'{name}: {result}'
    assert not [text for text in IN_REPORT[name] if text not in output], output
    assert not re.search('othello|nim', output, re.I)


def test_a_program_that_does_not_flush_passes_with_all_input_at_once():
    status, output, _ = run_grader_here(
        'grade',
        EXAMPLE,
        EXAMPLE / 'wrong' / 'no_flush',
        '--command',
        'python3 bulls.py',
        *FAST,
        '--at-once',
    )
    assert (status, output.splitlines()[-1]) == (
        0,
        'no_flush: bulls_and_cows, 6 of 6 points (with all its input at once)',
    )


def test_the_commands_of_all_pages_can_be_typed_in_a_row():
    """The commands of all pages can be typed one after the other.

    Each page has its own folder of results, since such a folder is for one assignment. Git ignores
    everything the commands make.
    """
    pages = sorted(EXAMPLES.glob('*/README.md'))
    text = ''.join(page.read_text(encoding='utf-8') for page in pages)
    folders = re.findall(r'--out (\S+)', text)
    assert len({*folders}) == len(folders) == len(pages) > 0
    made = {
        name.split('/')[0]
        for name in [*folders, *re.findall(r'mkdir (\S+)', text), *re.findall(r'\w+\.zip', text)]
    }
    ignored = (ROOT / '.gitignore').read_text(encoding='utf-8').splitlines()
    assert {name for name in made if not {f'/{name}', f'/{name}/'} & {*ignored}} == set()


@pytest.mark.parametrize('example', ['caesar', 'divisors', 'readings'])
def test_a_page_shows_its_assignment_ini(example):
    about = (EXAMPLES / example / 'assignment.ini').read_text(encoding='utf-8')
    assert indent(about, '    ') in (EXAMPLES / example / 'README.md').read_text(encoding='utf-8')


IN_C = pytest.mark.skipif(not shutil.which('cc'), reason='there is no cc')
ANEW = r'(?m)^\|.*?(\\?)$', r'|?\1'  # replaces each output line with a question mark


@pytest.mark.parametrize(
    ('example', 'change'),
    [
        ('bulls_and_cows', (r'(?m)^\|.*\n', '')),  # without any output lines
        pytest.param('caesar', ANEW, marks=[IN_C, pytest.mark.long]),
        ('readings', ANEW),
    ],
)
def test_sessions_are_what_the_solution_prints(example, change, tmp_path):
    """Recording the solution restores the outputs of the sessions, and keeps the directives."""
    folder = tmp_path / example
    shutil.copytree(EXAMPLES / example, folder)
    sessions = {path: path.read_text(encoding='utf-8') for path in sorted(folder.glob('*.txt'))}
    for path, text in sessions.items():
        path.write_text(re.sub(*change, text), encoding='utf-8')
    command = [] if example == 'caesar' else ['--command', 'python3 solution.py']
    where = folder / 'solution' if example == 'caesar' else folder
    status, output, errors = run_grader_here('record', *sessions, *command, folder=where)
    assert (status, output.count('recorded'), errors) == (0, len(sessions), '')
    assert {path: path.read_text(encoding='utf-8') for path in sessions} == sessions


@pytest.mark.parametrize(
    ('example', 'text'),
    [
        ('readings', "print('mean: 7.33' if name == 'march.csv' else 'mean: 13')"),
        ('readings', "print('mean: 7.3425' if name == 'march.csv' else 'mean: 13.0099')"),
    ],
)
def test_a_mean_within_the_tolerance_is_right(example, text, tmp_path):
    (tmp_path / 'mean.py').write_text(
        f"""
from os.path import exists
while not exists(name := input('Table: ')):
    print('There is no such table.')
print('readings:', len(open(name).readlines()) - 1)
if name != 'may.csv':
    {text}
""",
        encoding='utf-8',
    )
    status, output, _ = run_grader_here(
        'grade', EXAMPLES / example, tmp_path / 'mean.py', '--confine', 'none'
    )
    assert (status, output.splitlines()[-1]) == (0, 'mean: The mean of a table, 4 of 4 points')


# Each row: the session, how the program is started, and the command line in the report.
ARGUMENTS = {
    'a module': ("$ tasks add 'two words' 3\n|5\n", [], "python3 tasks.py add 'two words' 3"),
    'a command': (
        '$ tasks guess 37\n3\n|5\n',
        ['--command', 'python3 -u tasks.py'],
        'python3 -u tasks.py guess 37',
    ),
    'no arguments': ('$ tasks\n|5\n', [], ''),
}


@pytest.mark.parametrize('case', ARGUMENTS)
def test_reports_show_the_command_line_of_a_run_with_arguments(case, tmp_path):
    """The terminal, the pages and the results show it, as one would type it."""
    session, words, command = ARGUMENTS[case]
    write_files(tmp_path, {'tasks/a.txt': session, 'one/tasks.py': 'print(4)\n'})
    out = tmp_path / 'out'
    status, output, _ = run_grader_here(
        'grade', tmp_path / 'tasks', tmp_path / 'one', *FAST, *words, '--out', out
    )
    assert status == 1
    assert (f'  run      |{command}\n' in output) == bool(command)
    page = (out / 'one/report.html').read_text(encoding='utf-8')
    assert ('Run <code>' + command.replace("'", '&#39;') + '</code>' in page) == bool(command)
    results = json.loads((out / 'one/results.json').read_text(encoding='utf-8'))
    assert results['extra_data']['findings'][0]['example']['command'] == command
    session_page = (out / 'session-1.html').read_text(encoding='utf-8')
    assert ('Run with the arguments <code>' in session_page) == bool(command)


APPENDS = """with open('todo.txt', 'a') as file:
    file.write(input() + '\\n')
"""
CHANGES = """with open('todo.txt', 'r+') as file:
    file.read()
    file.write(input() + '\\n')
"""
LEFT_OUT = 'left out: todo.txt: the program must write this file itself'
NEW = '# prints nothing\nmilk\n# file: todo.txt\n|milk\n'
OLD = '# prints nothing\nmilk\n# file: todo.txt\n|bread\n|milk\n'
# Each row: the program, what the session says, the files submitted with the program, whether it
# passes, and the notes.
LEFTOVERS = {
    'a leftover': (APPENDS, NEW, {'todo.txt': 'eggs\n'}, 1, [LEFT_OUT]),
    'a leftover in the only folder': (APPENDS, NEW, {'todo.txt': 'eggs\n'}, 1, [LEFT_OUT]),
    'none': (APPENDS, NEW, {}, 1, []),
    'a file that the program changes': (CHANGES, OLD, {'todo.txt': 'bread\n'}, 1, []),
    'a wrong program with a leftover': (
        APPENDS.replace('input()', '"tea"'),
        NEW,
        {'todo.txt': 'milk\n'},
        0,
        [LEFT_OUT],
    ),
}


@pytest.mark.parametrize('kind', ALL_KINDS)
@pytest.mark.parametrize('case', rest_long(LEFTOVERS))
def test_files_that_the_program_must_write_are_left_out(case, kind, tmp_path):
    """But they stay if the program passes only with them."""
    source, session, files, points, notes = LEFTOVERS[case]
    below = 'hw/' if 'folder' in case else ''
    files = {f'{below}{name}': text for name, text in {'p.py': source, **files}.items()}
    settings = settings_for(
        'todo', (('a.txt', session), ('b.txt', session)), confine=kind, where=False
    )
    results = results_by(settings, write_files(tmp_path / 'one', files))
    assert (results['score'], results['extra_data']['notes']) == (2 * points, notes)


def test_a_file_is_left_out_only_where_a_session_expects_it(tmp_path):
    """Another session may need the submitted file as it is."""
    source = f'import sys\nif sys.argv[1:]:\n    print(open("todo.txt").read(), end="")\nelse:\n{indent(APPENDS, "    ")}'
    sessions = ('a.txt', NEW), ('b.txt', '$ p.py show\n|eggs\n')
    settings = settings_for('todo', sessions, confine='none', where=False)
    files = {'p.py': source, 'todo.txt': 'eggs\n'}
    results = results_by(settings, write_files(tmp_path / 'one', files))
    assert (results['score'], results['extra_data']['notes']) == (2, [LEFT_OUT])


@pytest.mark.long
def test_rows_graded_with_other_sessions_say_so_and_do_not_count(tmp_path):
    """After a change of the assignment, only some submissions are graded again."""
    write_files(
        tmp_path,
        {
            'sums/a.txt': '|3\n',
            'sums/b.txt': '|3\n',
            **{f'class/{name}/p.py': 'print(3)\n' for name in ('ann', 'ben', 'eve')},
        },
    )
    words = 'grade', tmp_path / 'sums', *FAST, '--out', tmp_path / 'out'
    names = [tmp_path / 'class' / name for name in ('ann', 'ben', 'eve')]
    changes = {
        'more sessions': ({'sums/c.txt': '# points: 4\n|3\n'}, 6, True),
        'other points': ({'sums/c.txt': '# points: 2\n|3\n'}, 4, True),
        'other output': ({'sums/a.txt': '|3\n# Three.\n'}, 4, True),
        'another program': ({'class/ann/p.py': 'print(int(3))\n'}, 4, False),
    }
    for files, points, is_outdated in changes.values():
        assert run_grader_here(*words, *names)[0] == 0
        page = (tmp_path / 'out/index.html').read_text(encoding='utf-8')
        assert 'other sessions' not in page
        write_files(tmp_path, files)
        assert run_grader_here(*words, names[0])[0] == 0
        rows = grades_in(tmp_path / 'out')
        assert [name for name, row in rows.items() if 'with other sessions' in row['note']] == (
            ['ben', 'eve'] if is_outdated else []
        )
        page = (tmp_path / 'out/index.html').read_text(encoding='utf-8')
        assert ('2 submissions were graded with other sessions' in page) == is_outdated
        assert f'<dd>{points} of {points} points</dd>' in page
        assert f'<dt>Full marks</dt><dd>{1 if is_outdated else 3}</dd>' in page


# Each row: a script, and whether the system cannot start it because of its first line.
SCRIPTS = {
    'env': ('#!/usr/bin/env python3\r\nprint(4)\r\n', True),
    'a shell': ('#!/bin/sh\r\necho 4\r\n', True),
    'a right end of the line': ('#!/bin/sh\necho 4\n', False),
    'no such program': ('#!/bin/no_such_program\necho 4\n', False),
    'an exit status': ('#!/bin/sh -\necho 4; exit 127 \\\r\n', False),
}


@pytest.mark.parametrize('kind', [*ALL_KINDS, 'own'])
@pytest.mark.parametrize('name', rest_long(SCRIPTS))
def test_a_first_line_that_ends_with_a_carriage_return(name, kind, tmp_path):
    """The report says what to do."""
    script, is_named = SCRIPTS[name]
    write_files(tmp_path, {'three/a.txt': '|3\n', 'one/p': script})
    (tmp_path / 'one/p').chmod(0o755)
    words = [] if kind == 'own' else ['../one', '--confine', kind]
    status, output, _ = run_grader_here(
        'grade', '../three', *words, '--no-where', '--command', './p', folder=tmp_path / 'one'
    )
    note = 'note: the first line of ./p ends with \\r\\n, so the system does not find'
    assert (status, note in output) == (1, is_named)
