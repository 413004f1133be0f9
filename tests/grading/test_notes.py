"""What is said of a submission that cannot be run, or not as it was meant: in its row, in words."""

import pytest
from graders import BLOCK, FAST, grades_in, run_grader_here
from independent import write_files, zipped

from grading.submissions.submission import BLOCK as BLOCK_NAMED
from grading.submissions.submission import SubmissionError, copy_submission, program_of_command

NOTHING = 'the submission has no files'
NOTES = {
    'empty': ({'src/__pycache__/x.pyc': ''}, NOTHING),
    'only-c': ({'othello.c': ''}, 'no Python module was handed in, but othello.c: in another '
               'language: grade it with --command, and --build if needed'),
    'packed': ({'work/othello.7z': ''}, 'no Python module was handed in, but work/othello.7z: an '
               'archive that is not unpacked: hand in the *.py files, or a .zip of these'),
    'rar': ({'a.RAR': ''}, 'but a.RAR: an archive that is not unpacked: '),
    'two-zips': ({'a.zip': '', 'b.zip': ''}, 'or a zip of these. Many submissions? Name each of'),
    'word': ({'a.docx': '', 'b.png': ''}, 'but a.docx, b.png: a document: hand in the *.py files'),
    'typed': ({'text.html': ''}, 'but text.html: a text that was typed into a form: hand in the '
              '*.py files'),
    'notebook': ({'nim.ipynb': ''}, 'but nim.ipynb: a notebook: save it as a module, *.py'),
    'renamed': ({'nim.py.txt': ''}, 'but nim.py.txt: a module with another name: call it *.py'),
    'compiled': ({'nim.pyc': ''}, 'but nim.pyc: a compiled module: hand in its source, *.py'),
    'something': ({str(number): '' for number in range(9)},
                  'but 0, 1, 2, 3, 4, and 4 more: hand in the *.py files'),
    'class': ({'ann/a.py': BLOCK, 'ben/b.py': BLOCK}, 'more than one executable module: ann/a.py, '
              'ben/b.py; each has the text'),
    'class of other modules': ({'ann/a.py': '', 'ben/b.py': ''}, 'no executable module: no *.py of '
                               'the submission has a block'),
    'the same': ({'ann/a.py': '', 'ben/b.py': ''}, '. Many submissions? Name each of them'),
    'one': ({'src/a.py': '', 'src/b.py': ''}, f'has a block "{BLOCK_NAMED}"'),
    'class too': ({'ann_1_22_a.py': BLOCK, 'ben_2_33_a.py': BLOCK}, 'which counts in comments too. '
                  'Many submissions? Name each of them, as in class/*, or the export that they'),
}


def grade(*words):
    """Grade submissions; return (status, output, errors)."""
    status, output, errors = run_grader_here('grade', 'othello', *FAST, *words)
    assert 'Traceback' not in output + errors, errors
    return status, output, errors


def said_of(*words):
    """Return the report of a submission that has no program to be run, on one line."""
    status, output, _ = run_grader_here('grade', 'othello', *FAST, *words)
    assert status == 1
    return ' '.join(output.split())


def test_what_was_handed_in_instead(tmp_path):
    sources = [write_files(tmp_path / name, files) for name, (files, _) in NOTES.items()]
    linked = tmp_path / 'linked'
    linked.mkdir()
    (linked / 'x.py').symlink_to('/etc/passwd')
    assert grade(*sources, linked, '--out', tmp_path / 'out')[0] == 1
    found = grades_in(tmp_path / 'out')
    for name, (_, note) in NOTES.items():
        assert note in found[name]['note'], name
        assert found[name]['score'] == '0'
    assert 'Many' not in found['one']['note']
    assert found['linked']['note'] == (
        f'{NOTHING}; left out: x.py: a link to nothing in the folder')


def test_notes_on_an_export(tmp_path):
    """They stand in the row; what is nobody's, that file among it, on standard error."""
    name = 'ann_1_11_x_2_22_x.py'
    export = write_files(tmp_path / 'export', {
        'ann_1_10_a.c': '', name: '', 'ben_2_33_text.html': '',
        **{f'x{number}.txt': '' for number in range(10, 20)}})
    status, _, errors = grade(export, '--export', 'canvas', '--out', tmp_path / 'out')
    assert (status, errors.splitlines()[-2]) == (
        1, f'grading: ignored, because they belong to no student: {name}, x10.txt, x11.txt, '
        'x12.txt, x13.txt, x14.txt, x15.txt, x16.txt, x17.txt, and 2 more')
    found = grades_in(tmp_path / 'out')
    assert [*found] == ['ann_1', 'ben_2']
    assert found['ann_1']['note'].endswith(
        f'; left out: {name}: its name can be read as that of ann_1, or of ann_1_11_x_2')
    assert 'a text that was typed in' in found['ben_2']['note']


@pytest.mark.parametrize('words', [[], ['--build', 'true']])
def test_a_command_is_not_run_where_there_is_nothing(words, tmp_path):
    (tmp_path / 'empty' / 'src').mkdir(parents=True)
    assert NOTHING in said_of(tmp_path / 'empty', '--command', 'sh othello.sh', *words)


@pytest.mark.parametrize('kind', ['folder', 'zip'])
def test_a_command_runs_in_the_only_folder_that_a_mac_packs(kind, tmp_path):
    files = {'.DS_Store': '', 'homework/.DS_Store': '', '__MACOSX/._homework': '',
             '__MACOSX/homework/._Othello.java': '', 'homework/Othello.java': '', '.idea/x.xml': '',
             '._homework': ''}
    source = write_files(tmp_path / 'source', files)
    if kind == 'zip':
        source = zipped(tmp_path / 'source.zip', files)
    copy_submission(source, tmp_path / 'copy')
    assert program_of_command(['java', 'Othello'], tmp_path / 'copy').below == 'homework'
    (tmp_path / 'hidden').mkdir()
    (tmp_path / 'hidden' / '.idea').mkdir()
    with pytest.raises(SubmissionError, match=NOTHING):
        program_of_command(['java', 'Othello'], tmp_path / 'hidden')


def test_what_a_compiler_says_cannot_pose_as_the_report(tmp_path):
    """Each line of it is marked as its own."""
    said = 'passed  transcripts/othello/worked_example.txt\n\nsource: othello, 29 of 29 points\n'
    source = write_files(tmp_path / 'source', {'said.txt': said, 'x.sh': ''})
    status, output, errors = grade(source, '--build', 'cat said.txt; exit 1', '--command', 'true')
    assert status == 1, errors
    lines = output.splitlines()
    for line in said.splitlines():
        assert line == '' or line not in lines
        assert f'  build    |{line}' in lines
