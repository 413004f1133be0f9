"""Folders and zips that are handed in: what is wrong is said, nothing is written elsewhere."""

import errno
import json
import lzma
import os
import re
import shutil
import struct
import subprocess
import tempfile
import zipfile
from pathlib import Path
from unittest import mock

import pytest
from assigned import by, settings_for
from graders import BLOCK, FAST, grades_in, results_by, run_grader_here
from independent import files_in, write_files, zipped
from sandboxes import KINDS
from tables import each

from grading.grader import Scorebook
from grading.player import Shortage
from grading.printable import UNSEEN
from grading.sandbox import untrusted_files
from grading.sandbox.untrusted_files import LONGEST_PATH
from grading.submissions import copy as copying
from grading.submissions.copy import BUILT, HANDED_IN, Bounds
from grading.submissions.exports import read_export
from grading.submissions.identity import fingerprint
from grading.submissions.submission import BLOCK as BLOCK_NAMED
from grading.submissions.submission import (
    SubmissionError,
    copy_submission,
    enclosing_package,
    program_of_command,
    program_of_module,
)

EVIL = 'a\nb\x1b[2J\r\u202e\u200b<b>"\''


def test_too_many_files(tmp_path):
    path = zipped(tmp_path / 'a.zip', {f'{number}': '' for number in range(9)})
    os.makedirs(tmp_path / 'folder' / 'a' / 'b' / 'c' / 'd' / 'e' / 'f')
    for source in (path, tmp_path / 'folder'):
        assert copy_submission(
            source, tmp_path / f'copy of {source.name}', HANDED_IN._replace(files=5)) == [
            'left out: the rest: more than 5 files in all']


def test_sparse_file_and_deep_folder(tmp_path):
    folder = tmp_path / 'one'
    os.makedirs(folder / ('a/' * 200))
    with open(folder / 'big', 'wb') as stream:
        stream.truncate(1 << 40)
    assert copy_submission(folder, tmp_path / 'copy') == [
        'left out: big: more than 64 MB in all',
        f'left out: {"/".join("a" * 51)}: more than 50 folders deep']


def test_files_in_memory_take_whole_blocks(tmp_path):
    """As those that a build leaves: a sparse file takes no room there, and its copy does."""
    folder = write_files(tmp_path / 'one', {'a': 'x', 'b': 'x', 'c': 'x'})
    assert copy_submission(folder, tmp_path / 'copy', Bounds(9, 3 * BUILT.block - 1, BUILT.block)
                           ) == ['left out: c: more than 0 MB in all']


def test_links_to_links(tmp_path):
    """They are kept, whatever their names, unless they lead round in a circle, or nowhere."""
    folder = write_files(tmp_path / 'one', {'z.py': 'print(3)'})
    for name, target in {'a': 'b', 'b': 'z.py', 'x': 'y', 'y': 'x', 'w': '../one/z.py', 'v': 'w',
                         'u': 'u'}.items():
        (folder / name).symlink_to(target)
    assert sorted(copy_submission(folder, tmp_path / 'copy')) == [
        f'left out: {name}: a link to nothing in the folder' for name in 'uvwxy']
    assert {path.name: os.readlink(path) for path in (tmp_path / 'copy').iterdir()
            if path.is_symlink()} == {'a': 'b', 'b': 'z.py'}
    assert program_of_module(tmp_path / 'copy', 'python3').words == ['python3', './z.py']
    assert fingerprint(tmp_path / 'copy', ())


def test_source_that_takes_long_to_search(tmp_path):
    (tmp_path / '__init__.py').write_text('')
    module = tmp_path / 'game.py'
    module.write_text('\n' * (1 << 22) + 'if' + ' ' * (1 << 22))
    assert enclosing_package(module) is None
    with pytest.raises(SubmissionError, match='no executable module'):
        program_of_module(tmp_path, 'python3')


@pytest.mark.parametrize('make', [
    os.mkfifo, lambda path: path.symlink_to('/dev/zero'), lambda path: path.symlink_to(__file__),
    lambda path: path.symlink_to(path), lambda path: path.write_bytes(b'{"tests": \xff'),
    lambda path: path.write_text('[' * 100000)])
def test_what_stands_where_the_results_go(make, tmp_path):
    path = tmp_path / 'results.json'
    make(path)
    Scorebook(by([], settings_for('othello')), 'one', path).save()
    assert json.loads(path.read_text())['tests'] == []
    assert not path.is_symlink()
    assert files_in(tmp_path) == ['results.json']
    with open(__file__, encoding='utf-8') as ours:
        assert ours.read(3) == '"""'


HOSTILE = f'''
import sys
print({EVIL!r})
sys.stdout.flush()
sys.stderr.write({EVIL!r} + "\\n")
raise ValueError({EVIL!r})
{BLOCK}
'''


def test_what_is_printed_or_called_comes_out_escaped(tmp_path):
    """On standard output and error, and in the results, for a folder, a zip and a mistyped path."""
    folder = tmp_path / EVIL
    folder.mkdir()
    (folder / f'{EVIL}.py').write_text(HOSTILE)
    os.mkfifo(folder / f'{EVIL}.fifo')
    archive = zipped(tmp_path / f'{EVIL}.zip', {f'{EVIL}.py': HOSTILE, f'../{EVIL}.py': HOSTILE})
    broken = tmp_path / f'{EVIL}2.zip'
    broken.write_bytes(b'PK')
    for words in ([folder, archive, broken], [f'{folder}x']):
        status, output, errors = run_grader_here(
            'grade', 'stones', *words, '--confine', 'none', '--out', tmp_path / 'out', few=True)
        assert status == (1 if len(words) > 1 else 2)
        check_shown(output)
        check_shown(errors)
    found = list((tmp_path / 'out').rglob('results.json'))
    assert len(found) == 3
    for path in found:
        check_shown(str(path.relative_to(tmp_path)))
        results = json.loads(path.read_text())
        assert results['score'] == 0
        texts = [results]
        while texts:
            text = texts.pop()
            if isinstance(text, (dict, list)):
                texts += text.values() if isinstance(text, dict) else text
            elif isinstance(text, str):
                check_shown(text)


def check_shown(text):
    assert not re.search('[^\n\x20-\x7e]', text.replace('\u2026', '')) or (
        text.replace('\n', '').isprintable() and not UNSEEN.search(text)), repr(text)


def as_long_as_fits(folder):
    """Return the longest path for a file that can be written below a folder."""
    length = os.pathconf(folder, 'PC_PATH_MAX') - 2 - len(os.fsencode(folder))
    return path_of(length)


def path_of(length):
    """Return a path of so many bytes."""
    folders = '/'.join(['d' * 200] * ((length - 1) // 201))
    return f'{folders}/{"f" * (length - len(folders) - 1)}'


def score_of(source, kind):
    """Return the score of a submission by one session, and the notes on it."""
    settings = settings_for('sums', (('sum.txt', '|3\n'),), confine=kind, no_where=True)
    results = results_by(settings, source)
    return results['score'], results['extra_data']['notes']


@pytest.mark.parametrize('kind', KINDS)
def test_a_path_that_is_too_long_for_a_run(kind, tmp_path, monkeypatch, tried_once):
    """It fits into the grader's copy, but not into that of a run, whose folder's name is longer."""
    path = as_long_as_fits(f'{tempfile.gettempdir()}/grading.12345678/submission')
    program = {'sum.py': 'print(1 + 2)'}
    source = zipped(tmp_path / 'a.zip', {**program, path: ''})
    assert score_of(source, kind) == (1, [
        f'left out: {path[:400]}...: a path of more than 800 bytes'])
    longest = path_of(LONGEST_PATH - 3)
    assert score_of(zipped(tmp_path / 'b.zip', {f'{longest}.py': 'print(3)'}), kind) == (1, [])
    monkeypatch.setattr(untrusted_files, 'LONGEST_PATH', 1 << 12)
    if kind == 'user':
        with pytest.raises(Shortage, match='File name too long'):
            score_of(source, kind)


@pytest.mark.parametrize('kind', ['folder', 'zip'])
def test_a_full_disk_is_not_the_submissions_fault(kind, tmp_path, monkeypatch):
    """Nothing is left out silently, and graded without it."""
    source = tmp_path / 'source'
    source.mkdir()
    (source / 'a.py').write_text('pass')
    if kind == 'zip':
        source = Path(shutil.make_archive(str(source), 'zip', source))

    def open_on_full_disk(path, mode='r', **options):
        if 'x' in mode:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return open(path, mode, **options)
    monkeypatch.setattr(copying, 'open', open_on_full_disk, raising=False)
    with pytest.raises(OSError, match='No space left'):
        copy_submission(source, tmp_path / 'copy')


# What is said of a submission that cannot be run, or not as it was meant.

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


# Zips.

LINK = 0o120777 << 16
UNUSUAL = 'packed by a method that the grader does not unpack'


@pytest.mark.parametrize(('entry', 'why'), [
    (('../x.py', b'', 0), 'its path leads out of the folder'),
    (('a/../../x.py', b'', 0), 'its path leads out of the folder'),
    (('..\\x.py', b'', 0), 'its path leads out of the folder'),
    (('/tmp/x.py', b'', 0), 'its path leads out of the folder'),
    (('C:/x.py', b'', 0), 'its path leads out of the folder'),
    (('x.py', b'/etc/passwd', LINK), 'a link'),
    (('a/' * 60 + 'x.py', b'', 0), 'more than 50 folders deep'),
    (('x' * 300 + '.py', b'', 0), 'File name too long'),
    ((f'{"x" * 200}/' * 4 + 'x.py', b'', 0), 'a path of more than 800 bytes'),
    (('one.py', b'again', 0), 'File exists'),
    (('one.py/x.py', b'', 0), 'File exists'),
    (('bomb', bytes(1 << 20), 0), 'more than 0 MB in all'),
])
@pytest.mark.filterwarnings('ignore:Duplicate name')
def test_hostile_entry_of_a_zip(entry, why, tmp_path):
    path = zipped(tmp_path / 'a.zip', [('one.py', b'1', 0), entry, ('two.py', b'2', 0)])
    (tmp_path / 'below').mkdir()
    [note] = copy_submission(path, tmp_path / 'below' / 'copy', HANDED_IN._replace(size=1 << 19))
    shown = entry[0] if len(entry[0]) <= 400 else f'{entry[0][:400]}...'
    assert note == f'left out: {shown}: {why}'
    assert files_in(tmp_path) == ['a.zip', 'below/copy/one.py', 'below/copy/two.py']
    assert (tmp_path / 'below' / 'copy' / 'one.py').read_bytes() == b'1'


def test_entry_that_is_not_what_it_says(tmp_path):
    """A false checksum, a false size: nothing of it stays."""
    path = zipped(tmp_path / 'a.zip', [('one.py', bytes(5000), 0), ('two.py', b'2', 0)])
    content = path.read_bytes()
    entry = zipfile.ZipFile(path).getinfo('one.py')
    for number in (entry.CRC, entry.file_size):
        path.write_bytes(content.replace(number.to_bytes(4, 'little'), b'\1\1\0\0'))
        [note] = copy_submission(path, tmp_path / str(number))
        assert note.startswith('left out: one.py: ')
        assert files_in(tmp_path / str(number)) == ['two.py']


def test_bombs_are_not_unpacked(tmp_path, monkeypatch):
    """Not even to see how big they are: there may be 2,000 of them."""
    monkeypatch.setattr(zipfile.ZipExtFile, 'read', None)
    path = zipped(tmp_path / 'a.zip', [(f'{number}', bytes(2000), 0) for number in range(30)])
    notes = copy_submission(path, tmp_path / 'copy', HANDED_IN._replace(size=1 << 10))
    assert len(notes) == 21
    assert notes[-1] == '...'


@each('names, notes, files', [
    ([f'{number}/a/b/c/d/e/f' for number in range(9)],
     ['left out: the rest: more than 20 files in all'],
     [f'{number}/a/b/c/d/e/f' for number in range(3)]),
    (['hand in\\', 'hand in\\a.py'], [], ['hand in/a.py'])])       # as Windows makes it
def test_folders_count_too_and_may_be_those_of_windows(names, notes, files, tmp_path):
    path = zipped(tmp_path / f'{len(names)}.zip', [(name, b'', 0) for name in names])
    copy = path.with_suffix('')
    assert copy_submission(path, copy, HANDED_IN._replace(files=20)) == notes
    assert files_in(copy) == files


@pytest.mark.parametrize('content', [b'', b'PK', b'PK\3\4' + bytes(99), bytes(range(256))])
def test_no_zip(content, tmp_path):
    (tmp_path / 'a.zip').write_bytes(content)
    with pytest.raises(SubmissionError, match='not a zip file that can be read'):
        copy_submission(tmp_path / 'a.zip', tmp_path / 'copy')


# ------------------------------------------------------------------------ what zipfile falls over

def written(entries):
    """Return a zip of (name, method, content as it is packed, size, offset) as it says, not is.

    An entry without an offset is where the others put it; the checksums are those of nothing.
    """
    body, listed = bytearray(), bytearray()
    for name, method, packed, size, offset in entries:
        facts = struct.pack('<5H3L2H', 20, 0, method, 0, 0, 0, len(packed), size, len(name), 0)
        place = len(body) if offset is None else offset
        if offset is None:
            body += b'PK\3\4' + facts + name + packed
        listed += b'PK\1\2\x14\x03' + facts + struct.pack('<3H2L', 0, 0, 0, 0, place) + name
    count = min(len(entries), 0xffff)
    end = struct.pack('<4H2LH', 0, 0, count, count, len(listed), len(body), 0)
    return bytes(body + listed) + b'PK\5\6' + end


LZMA = lzma.compress(b'pass', lzma.FORMAT_RAW, filters=[
    {'id': lzma.FILTER_LZMA1, 'dict_size': 1 << 16}])       # what is usual takes long to set up
PROPERTIES = b'\x09\x04\x05\x00]\x00\x00\x80\x00'
HOSTILE_OF_ZIPS = {
    'a corrupt LZMA stream': (b'x.py', 14, PROPERTIES + LZMA[:5] + bytes(99), 4, None),
    'LZMA properties': (b'x.py', 14, b'\x09\x04\x05\x00\xff\xff\xff\xff\xff' + LZMA, 4, None),
    'a bzip2 stream': (b'x.py', 12, b'BZh9' + bytes(99), 4, None),
    'an unknown method': (b'x.py', 99, b'x', 4, None),
    'a corrupt stream': (b'x.py', 8, b'\xff' * 99, 4, None),
    'a name that begins with NUL': (b'\0x.py', 0, b'', 0, None),
    'a name of NUL': (b'\0', 0, b'', 0, None),
    'nothing where it should be': (b'x.py', 0, b'', 4, 1 << 30),
    'half a header': (b'x.py', 0, b'', 4, 40),
    'a way up': (b'../', 0, b'', 0, None),
}


@pytest.mark.parametrize('what', HOSTILE_OF_ZIPS)
def test_an_entry_that_cannot_be_read(what, tmp_path):
    path = tmp_path / 'x.zip'
    path.write_bytes(written([(b'good.py', 0, b'', 0, None), HOSTILE_OF_ZIPS[what]]))
    [note] = copy_submission(path, tmp_path / 'copy')
    assert (note[:10], files_in(tmp_path / 'copy')) == ('left out: ', ['good.py'])


@pytest.mark.parametrize('what', HOSTILE_OF_ZIPS)
@pytest.mark.parametrize('kind', ['canvas', 'github'])
def test_a_class_goes_on_without_it(what, kind, tmp_path):
    """Be the zip the export, or in it."""
    inner = written([HOSTILE_OF_ZIPS[what]])
    evil, bad, good = {
        'canvas': (b'evil_1_22_', b'bad_2_33_x.zip', b'good_3_44_a.py'),
        'github': (b'evil/', b'bad.zip', b'good/a.py')}[kind]
    name, *facts = HOSTILE_OF_ZIPS[what]
    path = tmp_path / 'x.zip'
    path.write_bytes(written([(evil + b'x.py', 0, b'', 0, None), (evil + name, *facts),
                              (bad, 0, inner, len(inner), None), (good, 0, b'', 0, None)]))
    found = {one.folder.name[:3]: one for one in read_export(path, kind, tmp_path / 'out')[0]}
    assert files_in(found['goo'].folder) == ['a.py']
    assert found['bad'].notes
    assert {*found} == {'evi', 'bad', 'goo'}


@pytest.mark.parametrize('method', [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_is_unpacked_whole_is_left_out(method, tmp_path):
    """A kilobyte of it makes megabytes of memory, whatever size it says: it is not even opened."""
    path = tmp_path / 'x.zip'
    with zipfile.ZipFile(path, 'w') as archive:
        archive.writestr('bomb.py', bytes(1 << 20), method)
        archive.writestr('two.py', b'2')
    with mock.patch.object(zipfile.ZipFile, 'open', autospec=True,
                           side_effect=zipfile.ZipFile.open) as opened:
        assert copy_submission(path, tmp_path / 'copy') == [f'left out: bomb.py: {UNUSUAL}']
    assert [call.args[1].filename for call in opened.call_args_list] == ['two.py']


def test_too_many_entries(tmp_path, monkeypatch):
    """They are not even listed; those of a zip that has its virtual environment in it are."""
    made = []
    monkeypatch.setattr(zipfile.ZipInfo, '_decodeExtra', lambda *words: made.append(words))
    path = tmp_path / 'x.zip'
    many = [(b'.venv/lib/site-packages/%d' % number, 0, b'', 0, None)
            for number in range(9_000)]
    path.write_bytes(written([*many, (b'x.py', 0, b'', 0, None)]))
    assert copy_submission(path, tmp_path / 'copy') == []
    assert files_in(tmp_path / 'copy') == ['x.py']
    assert made
    made.clear()
    entry = written([(b'x', 0, b'', 0, 0)])[:-22]
    listed = entry * 100_000
    path.write_bytes(listed + struct.pack('<4s4H2LH', b'PK\5\6', 0, 0, 1, 1, len(listed), 0, 0))
    with pytest.raises(SubmissionError, match='a list of too many files'):
        copy_submission(path, tmp_path / 'second')
    assert not made


def test_unpacking_to_nothing_is_bounded(tmp_path, monkeypatch):
    """Many entries that share one long stream, of which nothing comes but an error at its end."""
    reads = []
    read = zipfile.ZipExtFile.read
    monkeypatch.setattr(zipfile.ZipExtFile, 'read',
                        lambda self, size: reads.append(size) or read(self, size))
    packed = b'\0\0\0\xff\xff' * (1 << 16) + b'\xff'
    path = tmp_path / 'x.zip'
    path.write_bytes(written([(b'x', 8, packed, 1, None), *[(b'x', 8, packed, 1, 0)] * 99]))
    assert len(copy_submission(path, tmp_path / 'copy', HANDED_IN._replace(size=1 << 20))) == 21
    assert 0 < len(reads) <= 2 * (1 << 20) // len(packed)


# --------------------------------------------------------------------------------------- depth

@pytest.fixture(params=['folder', 'zip'])
def deep(request, tmp_path):
    """Yield a class in which Ann's folder is deeper than Python's stack, and has a path still."""
    if request.param == 'zip':
        yield zipped(tmp_path / 'x.zip', [
            ('ann/x.py', b'', 0), (f'ann/{"a/" * 1500}y.py', b'', 0), ('ben/z.py', b'', 0)])
        return
    folder = write_files(tmp_path / 'class', {'ann/x.py': '', 'ben/z.py': ''})
    place = folder / 'ann'
    try:
        for _ in range(1500):
            place = place / 'a'
            place.mkdir()
        yield folder
    finally:                            # pytest's own way would end in a RecursionError
        subprocess.run(['rm', '-rf', folder], check=True)


@pytest.mark.parametrize('export', [False, True])
def test_a_folder_1500_deep(deep, export, tmp_path):
    if export:
        ann, ben = read_export(deep, 'github', tmp_path / 'out')[0]
        folder, notes = ann.folder, ann.notes
        assert ben.notes == []
        assert files_in(folder) == ['x.py']
    else:
        folder = tmp_path / 'out'
        notes = copy_submission(deep, folder)
        assert files_in(folder) == ['ann/x.py', 'ben/z.py']
    assert [note.rpartition(': ')[2] for note in notes] == ['more than 50 folders deep']
    assert fingerprint(folder, ())
