"""assignment.ini, files/ and pairs: what a folder may hold besides recorded sessions."""

import importlib.util
import json
import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path
from unittest import mock

import pytest
from graders import BLOCK, FAST, results_by, run_grader_here
from independent import write_files, zipped
from running import PYTHON
from sandboxes import ALL_KINDS, KINDS
from tables import each

from grading.assignments.folder import read_assignment, write_assignment
from grading.assignments.games import choose_sessions
from grading.installation import grader_version
from grading.sessions.transcript import TranscriptError
from grading.settings import Language, Settings

READINGS = {'readings.csv': '1\n2\n3\n', 'lists/words.txt': 'one\n'}
COUNT = {'count.txt': '|3 one\n', **{f'files/{name}': text for name, text in READINGS.items()}}
PROGRAM = '''
with open('readings.csv') as readings, open('lists/words.txt') as words:
    print(len(readings.readlines()), words.read().strip())
'''


def settings_of(folder, **settings):
    """Return the settings for an assignment's folder."""
    return Settings(choose_sessions(read_assignment(folder)), no_where=True, **{
        'confine': 'none', **settings})


def output_of(source, settings):
    """Return what is said of the only session of a submission, '' if it passes."""
    test, = results_by(settings, source)['tests']
    return test['output']


@pytest.fixture
def count(tmp_path):
    """Yield an assignment with files, and a submission of it."""
    return (write_files(tmp_path / 'count', COUNT),
            write_files(tmp_path / 'one', {'count.py': PROGRAM}))


# ------------------------------------------------------------------------------ assignment.ini

WHOLE = '''
; what a teacher has to say
title = The Caesar
        cipher
timeout = 2
At-Once: yes
no-where = off
points = 2
exit status = any

[*.c]
build = cc -o main *.c
command = ./main
[*.tar.gz]
command = tar xf %s
'''


def test_all_that_an_assignment_can_say(tmp_path):
    folder = write_files(tmp_path / 'caesar', {'a.txt': '|3\n', 'assignment.ini': WHOLE})
    assignment = settings_of(folder).assignment
    session, = assignment.transcripts
    assert (assignment.name, assignment.title, session.points, session.status) == (
        'caesar', 'The Caesar cipher', 2, 'any')
    assert assignment.languages == (
        Language('.c', './main', 'cc -o main *.c'), Language('.tar.gz', 'tar xf %s', ''))
    assert settings_of(folder, command='./a', build='b').languages == (
        Language('', './a', 'b'),)


def test_without_it_an_assignment_has_the_name_of_its_folder(tmp_path):
    folder = write_files(tmp_path / 'sums', {'a.txt': '|3\n'})
    assert settings_of(folder).assignment.title == 'sums'
    write_files(folder, {'assignment.ini': 'command = python3 -u sums.py\n'})
    assert settings_of(folder).languages == (
        Language('', 'python3 -u sums.py', ''),)


BAD = {
    'titel = x\n': '1: no such key: titel; the keys are title, timeout, at-once, beyond, '
                   'no-where, visibility, points, exit status, ignore, tolerance, '
                   'prompts, build, command',
    '# x\n\n[*.c]\nbuild = x\ntimeout = 2\n': '5: no such key: timeout; the keys are build, '
                                               'command',
    'timeout = soon\n': '1: timeout is a number of seconds, not "soon"',
    'timeout = 0\n': '1: timeout is a number of seconds, not "0"',
    '\nat-once = perhaps\n': '2: at-once is yes or no, not "perhaps"',
    'visibility = never\n': '1: visibility is one of visible, hidden, after_due_date, '
                            'after_published, not "never"',
    'confine = none\n': '1: no such key: confine; ',
    'title = a\nTitle = b\n': '2: title appears twice',
    '[*.c]\ncommand = a\n[*.c]\ncommand = b\n': '3: [*.c] appears twice',
    'title\n': '1: neither "key = value" nor "[*.suffix]"',
    '[*.c\n': '1: neither "key = value" nor "[*.suffix]"',
    'title = x\n[c]\ncommand = x\n': '2: [c]: a section is for the files with one suffix, as [*.c]',
    'command =\n': '1: command: the command line is empty',
    '[*.c]\nbuild = cc "x\n': '2: build: No closing quotation',
    'title = x\npoints = 2,5\n': "2: points are a number such as 2 or 2.5, not '2,5'",
    'ignore = colour\n': '1: "# ignore:" takes ',
    b'title = \xff\n': ' not UTF-8: invalid start byte',
}


@pytest.mark.parametrize('text', BAD)
def test_what_is_wrong_is_named_with_its_line(text, tmp_path):
    folder = write_files(tmp_path / 'course', {'a.txt': '|3\n', 'assignment.ini': text})
    status, output, errors = run_grader_here(
        'grade', folder, write_files(tmp_path / 'one', {'a.py': 'print(3)'}), *FAST)
    assert (status, output, errors.count('\n')) == (2, '', 1), errors
    assert f'assignment.ini:{BAD[text]}' in errors


SAYS_THREE = 'timeout = 2\nvisibility = hidden\nat-once = yes\n'


@each('says, words, packed', [
    (SAYS_THREE, [], []),
    (SAYS_THREE, ['--timeout', '5', '--visibility', 'visible'],
     ['--timeout=5.0', '--visibility=visible']),
    (SAYS_THREE, ['--no-at-once'], ['--no-at-once']),
    *((f'{key} = yes\n', words, words)
      for key, off in [('at-once', '--no-at-once'), ('beyond', '--no-beyond'),
                       ('no-where', '--where')]
      for words in ([], [off]))])
def test_the_command_line_wins(says, words, packed, tmp_path):
    """Also over there, where an autograder reads assignment.ini again."""
    folder = write_files(tmp_path / 'sums', {'a.txt': '|3\n', 'assignment.ini': says})
    assert run_grader_here('pack', folder, tmp_path / 'a.zip', *words)[0] == 0
    with zipfile.ZipFile(tmp_path / 'a.zip') as archive:
        script = archive.read('run_autograder').decode()
    assert script.partition(' grade ')[2].partition(' --results ')[0].split() == [
        *packed, 'sessions/sums']


def test_what_an_autograder_has_of_an_assignment(tmp_path):
    folder = write_files(tmp_path / 'sums', {
        **COUNT, 'assignment.ini': '[*.java]\nbuild = javac *.java\ncommand = java Sums\n',
        'a.in': '1\n', 'a.ans': '2\n', 'README.md': '', 'files/more/tool': b'\xff\0'})
    (folder / 'files' / 'more' / 'tool').chmod(0o755)
    own = read_assignment(folder)
    assert [file.name for file in own.files][:4] == [
        'a.ans', 'a.in', 'assignment.ini', 'count.txt']
    assert [(file.name, file.is_executable) for file in own.data] == [
        ('lists/words.txt', False), ('more/tool', True), ('readings.csv', False)]
    _, output, _ = run_grader_here('pack', folder, tmp_path / 'a.zip')
    assert 'a machine of Gradescope has no java, javac: pack again with --install' in output
    with zipfile.ZipFile(tmp_path / 'a.zip') as archive:
        archive.extractall(tmp_path / 'unpacked')
        assert archive.getinfo('sessions/sums/files/more/tool').external_attr >> 16 == 0o100755
    packed = read_assignment(tmp_path / 'unpacked' / 'sessions' / 'sums')
    assert [one[:2] for one in packed.files] == [one[:2] for one in own.files]
    write_assignment(tmp_path / 'again', own.files)
    assert read_assignment(tmp_path / 'again').files == own.files


def test_a_worker_of_a_cluster_has_the_whole_assignment(tmp_path, monkeypatch):
    """Without a cluster: what is sent to one is graded here."""
    if not importlib.util.find_spec('distributed'):
        monkeypatch.setitem(sys.modules, 'distributed', mock.Mock())
    cluster = importlib.import_module('grading.cluster')
    folder = write_files(tmp_path / 'count', {
        **COUNT, 'assignment.ini': 'title = Count\nignore = case\n[*.sh]\ncommand = sh run.sh\n',
        'count.txt': '|3 ONE\n# file: left.txt\n|LEFT\n'})
    source = write_files(tmp_path / 'one', {
        'run.sh': 'echo $(grep -c . readings.csv) $(cat lists/words.txt)\necho left > left.txt'})
    settings = settings_of(folder)
    results = cluster.grade_sent(
        cluster.packed(source), FAST, None, settings.assignment.name,
        settings.assignment.files, grader_version())
    assert (results.score, results.game) == (1, 'Count')


@pytest.mark.parametrize('kind', KINDS)
def test_one_session_hides_all_files_of_its_assignment(kind, tmp_path):
    """Also those that nobody names, as the answers beside the input."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)           # so that only the grader can be in the way
        course = write_files(Path(name) / 'sums', {'a.in': '1\n', 'a.ans': '2\n'})
        source = write_files(tmp_path / 'one', {'one.py': f'print(open("{course}/a.ans").read())'})
        status, output, errors = run_grader_here('grade', course / 'a.in', source, '--confine',
                                                 kind)
    assert (status, 'Error' in output) == (1, True), output + errors


# ----------------------------------------------------------------------------------- languages

LANGUAGES = '[*.sh]\ncommand = sh main.sh\n[*.txt]\nbuild = mv main.txt main\ncommand = sh main\n'


def test_a_class_in_several_languages(tmp_path):
    folder = write_files(tmp_path / 'three', {
        'a.txt': '|3\n', 'assignment.ini': 'title = Three\n' + LANGUAGES})
    submissions = [write_files(tmp_path / name, files) for name, files in {
        'shell': {'main.sh': 'echo 3'}, 'built': {'main.txt': 'echo 3'},
        'both': {'main.txt': 'exit 1', 'main.sh': 'echo 3'},
        'python': {'game.py': f'print(3)\n{BLOCK}', 'other.py': ''},
        'none': {'main.rs': '', 'cargo.toml': ''}}.items()]
    status, _, _ = run_grader_here('grade', folder, *submissions, *FAST, '--out', tmp_path / 'out')
    assert status == 1
    results = {path.parent.name: json.loads(path.read_text(encoding='utf-8'))
               for path in (tmp_path / 'out').glob('*/results.json')}
    assert {name: (one['extra_data']['game'], one['tests'][0]['score'])
            for name, one in results.items()} == {
        **dict.fromkeys(['shell', 'built', 'both', 'python'], ('Three', 1)), 'none': ('Three', 0)}
    assert results['none']['tests'][0]['output'] == (
        'no *.sh, *.txt was handed in, but cargo.toml, main.rs')


# -------------------------------------------------------------------------------------- files/

FORGED = [
    ('', {'readings.csv': '1\n', 'lists/words.txt': 'forged'}),
    ('homework/', {'readings.csv': '1\n', 'lists/words.txt': 'forged'}),
    # Folders of their names, and a file where a folder is to be.
    ('', {'readings.csv/x': '', 'lists/words.txt/x': ''}),
    ('homework/', {'lists': ''}),
]


@pytest.mark.parametrize(('around', 'forged'), FORGED)
def test_nothing_that_is_handed_in_replaces_them(around, forged, tmp_path):
    folder = write_files(tmp_path / 'count', COUNT)
    source = zipped(tmp_path / 'one.zip', {
        around + name: text for name, text in {'count.py': PROGRAM, **forged}.items()})
    assert output_of(source, settings_of(folder, command='python3 count.py')) == ''
    assert output_of(source, settings_of(folder)) == ''
    with mock.patch('grading.submissions.submission.put'):
        assert output_of(source, settings_of(folder)) != ''


LINKS = [
    ('.', 'lists', ''),                 # the file would be written elsewhere in the folder
    ('count.py', 'readings.csv', ''),   # and here over the program
    ('/tmp', 'lists', ''),
    ('count.py', 'readings.csv', 'ln -sf count.py readings.csv'),
    ('', '', 'rm -rf readings.csv lists && mkdir readings.csv && ln -s . lists'),
    ('', '', 'mkdir new && mv readings.csv new && : > readings.csv'),
]


@pytest.mark.parametrize(('kind', 'target', 'name', 'build'), [
    (kind, *link) for kind in ALL_KINDS for link in (LINKS if kind == 'bwrap' else LINKS[1::3])])
def test_no_link_and_no_build_replaces_them(kind, target, name, build, count, tried_once):
    folder, source = count
    if name:
        os.symlink(target, source / name)
    settings = settings_of(folder, confine=kind, build=build or None,
                           command='python3 count.py')
    assert output_of(source, settings) == ''
    assert (source / 'count.py').read_text(encoding='utf-8') == PROGRAM
    assert not os.path.lexists('/tmp/words.txt')


def test_whoever_writes_through_links_loses_the_program(count):
    """The attack succeeds where files are copied as `cp -R` does."""
    folder, source = count
    os.symlink('count.py', source / 'readings.csv')
    with mock.patch('grading.submissions.submission.put', lambda files, place: shutil.copytree(
            folder / 'files', place, dirs_exist_ok=True)):
        assert output_of(source, settings_of(folder)) != ''


def test_a_command_as_it_stands_finds_what_is_in_its_own_folder(count):
    """Nothing is written there."""
    folder, source = count
    write_files(source, {'lists/words.txt': 'one\n'})
    command = ['--command', f"sh -c 'cd {source}; {PYTHON} count.py'"]
    assert run_grader_here('grade', folder, *command)[::2] == (1, ''.join(
        f'grading: {name} of the assignment is missing in this folder, where the command runs\n'
        for name in ('lists/words.txt', 'readings.csv')))
    write_files(source, {'readings.csv': '1\n2\n3\n'})
    assert run_grader_here('grade', folder, *command)[0] == 0


# --------------------------------------------------------------------------------------- pairs

PAIR = {'more/1.in': '1\n2\n', 'more/1.ans': '1\n\n2\n', 'more/a.out': b'\x7fELF\0'}
ECHO = f'{PYTHON} -c "import sys; print(*sys.stdin, sep=chr(10), end=str())"'


def test_a_pair_is_a_session(tmp_path):
    folder = write_files(tmp_path / 'echo', PAIR)
    source = write_files(tmp_path / 'one', {'x': ''})
    settings = settings_of(folder, command=ECHO)
    assert [one.name for one in settings.assignment.transcripts] == ['more/1.in']
    assert output_of(source, settings) == ''
    (folder / 'more' / '1.ans').rename(folder / 'more' / '1.out')
    assert output_of(source, settings_of(folder, command=ECHO)) == ''
    assert 'more/1.in' in output_of(source, settings_of(folder, command='cat'))


@pytest.mark.parametrize('at_once', [False, True])
def test_the_input_of_a_pair_is_given_as_it_stands(at_once, tmp_path):
    """A program that reads to the end sees whether the last line has a newline."""
    texts = {'a': '3\n4', 'b': '3\n4\n', 'c': '', 'd': '\n\n'}
    folder = write_files(tmp_path / 'echo', {
        **{f'{name}.in': text for name, text in texts.items()},
        **{f'{name}.out': f'{text!r}\n' for name, text in texts.items()}})
    source = write_files(tmp_path / 'one', {'echo.py': 'print(repr(open(0).read()))'})
    status, output, _ = run_grader_here('grade', folder, source, *FAST, '--command',
                                        f'{PYTHON} echo.py', *['--at-once'] * at_once)
    assert (status, '4 of 4 points' in output) == (0, True), output


def test_lines_of_a_pair_are_counted_in_its_files(tmp_path):
    folder = write_files(tmp_path / 'sums', {'a.in': '3\n4\n', 'a.ans': 'Sum:\n7\n'})
    source = write_files(tmp_path / 'one', {'x': ''})
    for ends, said in (
            ('echo 8', 'a.ans:2: not the expected output\n  input: all of a.in\n'
                       '  expected |7\n  printed  |8\n            ^'),
            ('echo 7; exit 1', 'a.ans:2: the program ended with exit status 1 instead of 0\n'
                               '  input: all of a.in\n'
                               '  hint: end the program with exit status 0 after the last line\n'
                               '  explained by exit-status')):
        settings = settings_of(folder, command=f"sh -c 'echo Sum:; {ends}'")
        assert output_of(source, settings) == said


@pytest.mark.parametrize(('files', 'message'), [
    ({'more/1.ans': None}, r'^more/1\.in: there is neither 1\.ans nor 1\.out$'),
    ({'more/1.out': '1\n'}, r'^more/1\.in: there is both 1\.ans and 1\.out$'),
    ({'2.ans': ''}, r'^2\.ans: the file 2\.in is missing$'),
    (COUNT, 'echo/files: more than 0 MB, which every run')])
def test_half_a_pair_or_too_much(files, message, tmp_path, monkeypatch):
    monkeypatch.setattr('grading.assignments.folder.LARGEST_DATA', 9)
    folder = write_files(tmp_path / 'echo', {
        name: text for name, text in {**PAIR, **files}.items() if text is not None})
    with pytest.raises(TranscriptError, match=message):
        read_assignment(folder)


def test_one_session_has_what_its_assignment_says(tmp_path):
    """And only what is known to belong to one: there may be anything else in a folder."""
    folder = write_files(tmp_path / 'count', {**PAIR, **COUNT, 'b.in': '', 'b.ans': '1\n'})
    assert read_assignment(folder / 'count.txt').files == [('count.txt', b'|3 one\n', False)]
    write_files(folder, {'assignment.ini': 'title = Count\n'})
    for name, names in {'count.txt': ['count.txt', 'assignment.ini'],
                        'b.in': ['b.in', 'b.ans', 'assignment.ini']}.items():
        own = read_assignment(folder / name)
        assert ([file.name for file in own.files][:len(names)],
                [file.name for file in own.data]) == (names, sorted(READINGS))


JUDGE = '''
import subprocess, sys
print('judged:', subprocess.run([sys.executable, 'main.py', *sys.argv[1:]], check=True, text=True,
                                stdout=subprocess.PIPE).stdout, end='')
'''


def test_a_judge_among_the_files_runs_the_submission(tmp_path):
    """It gets the words of the `$` line. Its suffix, and that of x.csv, were not handed in."""
    folder = write_files(tmp_path / 'judged', {
        'a.txt': '$ judge.py --twice\n|judged: --twice\n', 'files/judge.py': JUDGE,
        'files/x.csv': '',
        'assignment.ini': 'command = python3 judge.py\n[*.csv]\ncommand = none\n'})
    handed_in = write_files(tmp_path / 'ann', {'main.py': 'import sys\nprint(*sys.argv[1:])\n'})
    assert output_of(handed_in, settings_of(folder)) == ''
