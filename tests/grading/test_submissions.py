"""Submissions: folders, zips, exports and builds; nothing is written outside their folders."""

import errno
import gzip
import json
import lzma
import os
import re
import shutil
import struct
import subprocess
import tarfile
import tempfile
import zipfile
from functools import partial
from pathlib import Path
from unittest import mock

import internals
import pytest
from assigned import settings_for, transcripts_for, with_transcripts
from graders import (
    BLOCK,
    FAST,
    command_of_grader,
    grades_in,
    results_by,
    run_command,
    run_grader_here,
)
from programs import as_zip, files_in, our_pair, read_sample, tarred, write_files, zipped
from random_cases import for_any
from running import SECONDS, rest_long
from sandboxes import ALL_KINDS, KINDS, probed_for, skip_unless_confined

from grading.engine.retries import Shortage
from grading.installation import ROOT
from grading.limits import LONGEST_PATH
from grading.printable import UNSEEN
from grading.results import Results
from grading.sandbox.untrusted_files import SubmissionError
from grading.submissions import copying, entries, exports, tars
from grading.submissions.building import BUILD_BOUNDS
from grading.submissions.copying import (
    SUBMISSION_BOUNDS,
    Bounds,
    Copy,
    copy_submission,
    distinct_names,
    submission_names,
    valid_name,
)
from grading.submissions.digests import fingerprint
from grading.submissions.exports import PLATFORMS, original_names, owners, read_export
from grading.submissions.which_program import BLOCK as BLOCK_NAMED
from grading.submissions.which_program import program_of_command, program_of_module
from grading.workers.saved_results import SavedResults

EVIL = 'a\nb\x1b[2J\r\u202e\u200b<b>"\''


def test_too_many_files(tmp_path):
    path = zipped(tmp_path / 'a.zip', {f'{number}': '' for number in range(9)})
    os.makedirs(tmp_path / 'folder' / 'a' / 'b' / 'c' / 'd' / 'e' / 'f')
    for source in (path, tmp_path / 'folder'):
        assert copy_submission(
            source, tmp_path / f'copy of {source.name}', SUBMISSION_BOUNDS._replace(files=5)
        ) == ['left out: the rest: more than 5 files in total']


@pytest.mark.parametrize(
    ('extra', 'notes'), [(0, []), (1, ['left out: the rest: more than 2,000 files in total'])]
)
@pytest.mark.parametrize(
    'kind', ['zip', *(pytest.param(kind, marks=pytest.mark.long) for kind in ('folder', 'export'))]
)
def test_as_many_files_as_the_limit_allows(kind, extra, notes, tmp_path):
    """A copy of exactly 2,000 files leaves nothing out. Ignored files do not count."""
    names = [f'ann_1_{number}_{number}.py' for number in range(2000 + extra)]
    contents = dict.fromkeys([*names, *(f'._{name}' for name in names)], '')
    path, copy = tmp_path / 'one', tmp_path / 'copy'
    if kind == 'zip':
        path = zipped(tmp_path / 'one.zip', contents)
    else:
        write_files(path, contents)
    if kind == 'export':
        [share], _ = read_export(path, 'canvas', copy)
        found = share.notes
    else:
        found = copy_submission(path, copy)
    assert (found, len(files_in(copy))) == (notes, 2000)


def test_sparse_file_and_deep_folder(tmp_path):
    folder = tmp_path / 'one'
    os.makedirs(folder / ('a/' * 200))
    with open(folder / 'big', 'wb') as stream:
        stream.truncate(1 << 40)
    assert copy_submission(folder, tmp_path / 'copy') == [
        'left out: big: more than 64 MB in total',
        f'left out: {"/".join("a" * 51)}: more than 50 folders deep',
    ]


def test_files_in_memory_take_whole_blocks(tmp_path):
    """Files left in memory by a build count in whole blocks.

    A sparse file takes no room in memory, but its copy does.
    """
    folder = write_files(tmp_path / 'one', {'a': 'x', 'b': 'x', 'c': 'x'})
    assert copy_submission(
        folder, tmp_path / 'copy', Bounds(9, 3 * BUILD_BOUNDS.block - 1, BUILD_BOUNDS.block)
    ) == ['left out: c: more than 0 MB in total']


def test_links_to_links(tmp_path):
    """Links are kept unless they are broken, form a circle, or lead out of the folder."""
    folder = write_files(tmp_path / 'one', {'z.py': 'print(3)'})
    for name, target in {
        'a': 'b',
        'b': 'z.py',
        'x': 'y',
        'y': 'x',
        'w': '../one/z.py',
        'v': 'w',
        'u': 'u',
    }.items():
        (folder / name).symlink_to(target)
    assert sorted(copy_submission(folder, tmp_path / 'copy')) == [
        f'left out: {name}: a link that is broken or leads out of the folder' for name in 'uvwxy'
    ]
    assert {
        path.name: os.readlink(path) for path in (tmp_path / 'copy').iterdir() if path.is_symlink()
    } == {'a': 'b', 'b': 'z.py'}
    assert program_of_module(tmp_path / 'copy', 'python3')[0].words == ['python3', './z.py']
    assert fingerprint(tmp_path / 'copy', ())


def test_source_that_takes_long_to_search(tmp_path):
    (tmp_path / '__init__.py').write_text('')
    (tmp_path / 'game.py').write_text('\n' * (1 << 20) + 'if' + ' ' * (1 << 20))
    with pytest.raises(SubmissionError, match='no executable module'):
        program_of_module(tmp_path, 'python3')
    (tmp_path / '__init__.py').unlink()
    assert program_of_module(tmp_path, 'python3')[0].words == ['python3', './game.py']


@pytest.mark.parametrize(
    'make',
    [
        os.mkfifo,
        lambda path: path.symlink_to('/dev/zero'),
        lambda path: path.symlink_to(__file__),
        lambda path: path.symlink_to(path),
        lambda path: path.write_bytes(b'{"tests": \xff'),
        lambda path: path.write_text('[' * 100000),
    ],
)
def test_results_replace_whatever_is_in_their_place(make, tmp_path):
    path = tmp_path / 'results.json'
    make(path)
    SavedResults(tmp_path, None).write(Results('one'))
    assert json.loads(path.read_text())['tests'] == []
    assert not path.is_symlink()
    assert files_in(tmp_path) == ['results.json']
    with open(__file__, encoding='utf-8') as ours:
        assert ours.read(3) == '"""'


HOSTILE = f"""
import sys
print({EVIL!r})
sys.stdout.flush()
sys.stderr.write({EVIL!r} + "\\n")
raise ValueError({EVIL!r})
{BLOCK}
"""


def test_output_and_names_are_escaped(tmp_path):
    """Text is escaped in the output and in results, for a folder, a zip and a mistyped path."""
    folder = tmp_path / EVIL
    folder.mkdir()
    (folder / f'{EVIL}.py').write_text(HOSTILE)
    os.mkfifo(folder / f'{EVIL}.fifo')
    archive = zipped(tmp_path / f'{EVIL}.zip', {f'{EVIL}.py': HOSTILE, f'../{EVIL}.py': HOSTILE})
    broken = tmp_path / f'{EVIL}2.zip'
    broken.write_bytes(b'PK')
    for words in ([folder, archive, broken], [f'{folder}x']):
        status, output, errors = run_grader_here(
            'grade', 'stones', *words, '--confine', 'none', '--out', tmp_path / 'out', few=True
        )
        assert status == (1 if len(words) > 1 else 2)
        check_escaped(output)
        check_escaped(errors)
    found = list((tmp_path / 'out').rglob('results.json'))
    assert len(found) == 3
    for path in found:
        check_escaped(str(path.relative_to(tmp_path)))
        results = json.loads(path.read_text())
        assert results['score'] == 0
        texts = [results]
        while texts:
            text = texts.pop()
            if isinstance(text, (dict, list)):
                texts += text.values() if isinstance(text, dict) else text
            elif isinstance(text, str):
                check_escaped(text)


def check_escaped(text):
    assert not re.search('[^\n\x20-\x7e]', text.replace('\u2026', '')) or (
        text.replace('\n', '').isprintable() and not UNSEEN.search(text)
    ), repr(text)


def path_of(length):
    """Return a path of `length` bytes."""
    folders = '/'.join(['d' * 200] * ((length - 1) // 201))
    return f'{folders}/{"f" * (length - len(folders) - 1)}'


def score_of(source, kind):
    """Return the score of a submission in one session, and the notes on it."""
    settings = settings_for('sums', (('sum.txt', '|3\n'),), confine=kind, where=False)
    results = results_by(settings, source)
    return results['score'], results['extra_data']['notes']


@pytest.mark.parametrize('kind', KINDS)
def test_a_path_that_is_too_long_for_a_run(kind, tmp_path, monkeypatch):
    """A path may fit into the grader's copy, but not into a run's copy with its longer path.

    A run has its own copy only if all runs share the file systems.
    """
    copy = f'{tempfile.gettempdir()}/grading.12345678/submission'
    path = path_of(os.pathconf('/', 'PC_PATH_MAX') - 2 - len(os.fsencode(copy)))
    program = {'sum.py': 'print(1 + 2)'}
    source = zipped(tmp_path / 'a.zip', {**program, path: ''})
    assert score_of(source, kind) == (
        1,
        [f'left out: {path[:400]}...: its path has more than 800 bytes'],
    )
    longest = path_of(LONGEST_PATH - 3)
    assert score_of(zipped(tmp_path / 'b.zip', {f'{longest}.py': 'print(3)'}), kind) == (1, [])
    monkeypatch.setattr(entries, 'LONGEST_PATH', 1 << 12)
    if kind == 'user':
        with pytest.raises(Shortage, match='File name too long'):
            score_of(source, kind)
    else:
        assert score_of(source, kind) == (1, [])


@pytest.mark.parametrize('kind', ['folder', 'zip'])
def test_a_full_disk_is_not_the_submissions_fault(kind, tmp_path, monkeypatch):
    """The grader fails; it does not grade an incomplete copy."""
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


# Notes on submissions that cannot be run as intended

NOTHING = 'the submission has no files'
NOTES = {
    'empty': ({'src/__pycache__/x.pyc': ''}, NOTHING),
    'only-c': (
        {'othello.c': ''},
        'no Python module was submitted, only othello.c (in another '
        'language): grade it with --command, and --build if needed',
    ),
    'packed': (
        {'work/othello.7z': ''},
        'no Python module was submitted, only work/othello.7z (an '
        'archive that the grader does not unpack): submit the *.py files, or a .zip of them',
    ),
    'rar': ({'a.RAR': ''}, 'only a.RAR (an archive that the grader does not unpack): '),
    'two-zips': (
        {'a.zip': '', 'b.zip': ''},
        'or a zip of them. To grade many submissions, name them',
    ),
    'word': ({'a.docx': '', 'b.png': ''}, 'only a.docx, b.png (a document): submit the *.py files'),
    'typed': (
        {'text.html': ''},
        'only text.html (text typed into a form): submit the *.py files',
    ),
    'notebook': ({'nim.ipynb': ''}, 'only nim.ipynb (a notebook): submit it as a module, *.py'),
    'renamed': (
        {'nim.py.txt': ''},
        'only nim.py.txt (a module with the wrong extension): rename it to *.py',
    ),
    'compiled': ({'nim.pyc': ''}, 'only nim.pyc (a compiled module): submit its source, *.py'),
    'something': (
        {str(number): '' for number in range(9)},
        'only 0, 1, 2, 3, 4, and 4 more: submit the *.py files',
    ),
    'class': (
        {'ann/a.py': BLOCK, 'ben/b.py': BLOCK},
        'more than one executable module: ann/a.py, ben/b.py; each contains',
    ),
    'class of other modules': (
        {'ann/a.py': '', 'ben/b.py': ''},
        'no executable module: none of the *.py files contains',
    ),
    'the same': ({'ann/a.py': '', 'ben/b.py': ''}, '. To grade many submissions, name them all'),
    'one': ({'src/a.py': '', 'src/b.py': ''}, f'contains "{BLOCK_NAMED}"'),
    'class too': (
        {'ann_1_22_a.py': BLOCK, 'ben_2_33_a.py': BLOCK},
        'which counts even in a comment. '
        'To grade many submissions, name them all, as in class/*, or add --export',
    ),
}


def grade(*words):
    """Grade submissions; return (status, output, errors)."""
    status, output, errors = run_grader_here('grade', 'over_at_start_empty_board', *FAST, *words)
    assert 'Traceback' not in output + errors, errors
    return status, output, errors


def test_notes_on_submissions(tmp_path):
    sources = [write_files(tmp_path / name, files) for name, (files, _) in NOTES.items()]
    linked = tmp_path / 'linked'
    linked.mkdir()
    (linked / 'x.py').symlink_to('/etc/passwd')
    assert grade(*sources, linked, '--out', tmp_path / 'out')[0] == 1
    found = grades_in(tmp_path / 'out')
    for name, (_, note) in NOTES.items():
        assert note in found[name]['note'], name
        assert found[name]['score'] == '0'
    assert 'many submissions' not in found['one']['note']
    assert found['linked']['note'] == (
        f'{NOTHING}; left out: x.py: a link that is broken or leads out of the folder'
    )


def test_notes_on_an_export(tmp_path):
    """Notes are in the student's row; standard error lists the files belonging to no student.

    A file with two possible owners is in both places.
    """
    name = 'ann_1_11_x_2_22_x.py'
    export = write_files(
        tmp_path / 'export',
        {
            'ann_1_10_a.c': '',
            name: '',
            'ben_2_33_text.html': '',
            **{f'x{number}.txt': '' for number in range(10, 20)},
        },
    )
    status, _, errors = grade(export, '--export', 'canvas', '--out', tmp_path / 'out')
    assert (status, errors.splitlines()[-2]) == (
        1,
        f'grading: ignored these files, which belong to no student: {name}, x10.txt, x11.txt, '
        'x12.txt, x13.txt, x14.txt, x15.txt, x16.txt, x17.txt, and 2 more',
    )
    found = grades_in(tmp_path / 'out')
    assert [*found] == ['ann_1', 'ben_2']
    assert found['ann_1']['note'].endswith(
        f'; left out: {name}: judging by its name, it could belong to ann_1 or ann_1_11_x_2'
    )
    assert 'text typed into a form' in found['ben_2']['note']


@pytest.mark.parametrize('words', [[], ['--build', 'true']])
def test_a_command_is_not_run_without_files(words, tmp_path):
    (tmp_path / 'empty' / 'src').mkdir(parents=True)
    status, output, _ = grade(tmp_path / 'empty', '--command', 'sh othello.sh', *words)
    assert (status, NOTHING in ' '.join(output.split())) == (1, True)


@pytest.mark.parametrize('kind', ['folder', 'zip'])
def test_a_command_runs_in_the_only_folder_that_a_mac_packs(kind, tmp_path):
    files = {
        '.DS_Store': '',
        'homework/.DS_Store': '',
        '__MACOSX/._homework': '',
        '__MACOSX/homework/._Othello.java': '',
        'homework/Othello.java': '',
        '.idea/x.xml': '',
        '._homework': '',
    }
    source = write_files(tmp_path / 'source', files)
    if kind == 'zip':
        source = zipped(tmp_path / 'source.zip', files)
    copy_submission(source, tmp_path / 'copy')
    assert program_of_command(['java', 'Othello'], tmp_path / 'copy').below == 'homework'
    (tmp_path / 'hidden').mkdir()
    (tmp_path / 'hidden' / '.idea').mkdir()
    with pytest.raises(SubmissionError, match=NOTHING):
        program_of_command(['java', 'Othello'], tmp_path / 'hidden')


def test_build_output_cannot_look_like_the_report(tmp_path):
    """Each line printed by a build is marked as the build's."""
    report = 'passed  transcripts/othello/worked_example.txt\n\nsource: othello, 29 of 29 points\n'
    source = write_files(tmp_path / 'source', {'report.txt': report, 'x.sh': ''})
    status, output, errors = grade(source, '--build', 'cat report.txt; exit 1', '--command', 'true')
    assert status == 1, errors
    lines = output.splitlines()
    for line in report.splitlines():
        assert line == '' or line not in lines
        assert f'  build    |{line}' in lines


# Zips

LINK = 0o120777 << 16
UNUSUAL = 'compressed with a method that the grader does not support'


@pytest.mark.parametrize(
    ('entry', 'why'),
    [
        (('../x.py', b'', 0), 'its path leads out of the folder'),
        (('a/../../x.py', b'', 0), 'its path leads out of the folder'),
        (('..\\x.py', b'', 0), 'its path leads out of the folder'),
        (('/tmp/x.py', b'', 0), 'its path leads out of the folder'),
        (('C:/x.py', b'', 0), 'its path leads out of the folder'),
        (('x.py', b'/etc/passwd', LINK), 'a link'),
        (('a/' * 60 + 'x.py', b'', 0), 'more than 50 folders deep'),
        (('x' * 300 + '.py', b'', 0), 'File name too long'),
        ((f'{"x" * 200}/' * 4 + 'x.py', b'', 0), 'its path has more than 800 bytes'),
        (('one.py', b'again', 0), 'File exists'),
        (('one.py/x.py', b'', 0), 'File exists'),
        (('bomb', bytes(1 << 20), 0), 'more than 0 MB in total'),
    ],
)
@pytest.mark.filterwarnings('ignore:Duplicate name')
def test_hostile_entry_of_a_zip(entry, why, tmp_path):
    path = zipped(tmp_path / 'a.zip', [('one.py', b'1', 0), entry, ('two.py', b'2', 0)])
    (tmp_path / 'below').mkdir()
    [note] = copy_submission(
        path, tmp_path / 'below' / 'copy', SUBMISSION_BOUNDS._replace(size=1 << 19)
    )
    shown = entry[0] if len(entry[0]) <= 400 else f'{entry[0][:400]}...'
    assert note == f'left out: {shown}: {why}'
    assert files_in(tmp_path) == ['a.zip', 'below/copy/one.py', 'below/copy/two.py']
    assert (tmp_path / 'below' / 'copy' / 'one.py').read_bytes() == b'1'


def test_an_entry_with_false_facts_is_left_out(tmp_path):
    """Nothing remains of an entry with a wrong checksum or a wrong size."""
    path = zipped(tmp_path / 'a.zip', [('one.py', bytes(5000), 0), ('two.py', b'2', 0)])
    content = path.read_bytes()
    entry = zipfile.ZipFile(path).getinfo('one.py')
    for number in (entry.CRC, entry.file_size):
        path.write_bytes(content.replace(number.to_bytes(4, 'little'), b'\1\1\0\0'))
        [note] = copy_submission(path, tmp_path / str(number))
        assert note.startswith('left out: one.py: ')
        assert files_in(tmp_path / str(number)) == ['two.py']


def test_bombs_are_not_unpacked(tmp_path, monkeypatch):
    """Bombs are not even read to learn their sizes, since there may be 2,000 of them."""
    monkeypatch.setattr(zipfile.ZipExtFile, 'read', None)
    path = zipped(tmp_path / 'a.zip', [(f'{number}', bytes(2000), 0) for number in range(30)])
    notes = copy_submission(path, tmp_path / 'copy', SUBMISSION_BOUNDS._replace(size=1 << 10))
    assert len(notes) == 21
    assert notes[-1] == '...'


@pytest.mark.parametrize(
    ('names', 'notes', 'files'),
    [
        (
            [f'{number}/a/b/c/d/e/f' for number in range(9)],
            ['left out: the rest: more than 20 files in total'],
            [f'{number}/a/b/c/d/e/f' for number in range(3)],
        ),
        (['hand in\\', 'hand in\\a.py'], [], ['hand in/a.py']),
    ],
)  # the second zip is like those made by Windows
def test_folders_count_and_may_have_backslashes(names, notes, files, tmp_path):
    path = zipped(tmp_path / f'{len(names)}.zip', [(name, b'', 0) for name in names])
    copy = path.with_suffix('')
    assert copy_submission(path, copy, SUBMISSION_BOUNDS._replace(files=20)) == notes
    assert files_in(copy) == files


@pytest.mark.parametrize('content', [b'', b'PK', b'PK\3\4' + bytes(99), bytes(range(256))])
def test_a_file_that_is_not_a_zip(content, tmp_path):
    (tmp_path / 'a.zip').write_bytes(content)
    with pytest.raises(SubmissionError, match='not a readable zip file'):
        copy_submission(tmp_path / 'a.zip', tmp_path / 'copy')


# ---------------------------------------------------------------- zips that zipfile cannot read


def zip_with_headers(entries):
    """Return a zip with these headers, true or false.

    An entry is a tuple: its name, method, packed content, stated size, and stated offset. None
    stands for the right offset. The checksums are those of empty content.
    """
    body, listed = bytearray(), bytearray()
    for name, method, packed, size, offset in entries:
        facts = struct.pack('<5H3L2H', 20, 0, method, 0, 0, 0, len(packed), size, len(name), 0)
        place = len(body) if offset is None else offset
        if offset is None:
            body += b'PK\3\4' + facts + name + packed
        listed += b'PK\1\2\x14\x03' + facts + struct.pack('<3H2L', 0, 0, 0, 0, place) + name
    count = min(len(entries), 0xFFFF)
    end = struct.pack('<4H2LH', 0, 0, count, count, len(listed), len(body), 0)
    return bytes(body + listed) + b'PK\5\6' + end


LZMA = lzma.compress(
    b'pass', lzma.FORMAT_RAW, filters=[{'id': lzma.FILTER_LZMA1, 'dict_size': 1 << 16}]
)  # a dictionary of the usual size takes long to set up
PROPERTIES = b'\x09\x04\x05\x00]\x00\x00\x80\x00'
HOSTILE_ZIPS = {
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


@pytest.mark.parametrize('what', HOSTILE_ZIPS)
def test_an_entry_that_cannot_be_read(what, tmp_path):
    path = tmp_path / 'x.zip'
    path.write_bytes(zip_with_headers([(b'good.py', 0, b'', 0, None), HOSTILE_ZIPS[what]]))
    [note] = copy_submission(path, tmp_path / 'copy')
    assert (note[:10], files_in(tmp_path / 'copy')) == ('left out: ', ['good.py'])


@pytest.mark.parametrize(
    ('what', 'kind'), [(what, kind) for what in HOSTILE_ZIPS for kind in ('canvas', 'github')]
)
def test_a_hostile_zip_does_not_stop_the_class(what, kind, tmp_path):
    """The export has a hostile entry, and so has a zip in the export."""
    inner = zip_with_headers([HOSTILE_ZIPS[what]])
    evil, bad, good = {
        'canvas': (b'evil_1_22_', b'bad_2_33_x.zip', b'good_3_44_a.py'),
        'github': (b'evil/', b'bad.zip', b'good/a.py'),
    }[kind]
    name, *facts = HOSTILE_ZIPS[what]
    path = tmp_path / 'x.zip'
    path.write_bytes(
        zip_with_headers(
            [
                (evil + b'x.py', 0, b'', 0, None),
                (evil + name, *facts),
                (bad, 0, inner, len(inner), None),
                (good, 0, b'', 0, None),
            ]
        )
    )
    found = {
        submission.folder.name[:3]: submission
        for submission in read_export(path, kind, tmp_path / 'out')[0]
    }
    assert files_in(found['goo'].folder) == ['a.py']
    assert found['bad'].notes
    assert {*found} == {'evi', 'bad', 'goo'}


@pytest.mark.parametrize('method', [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_entries_that_would_be_unpacked_at_once_are_left_out(method, tmp_path):
    """Unpacking a kilobyte may take megabytes of memory, so the grader does not open the entry."""
    path = tmp_path / 'x.zip'
    with zipfile.ZipFile(path, 'w') as archive:
        archive.writestr('bomb.py', bytes(1 << 20), method)
        archive.writestr('two.py', b'2')
    with mock.patch.object(
        zipfile.ZipFile, 'open', autospec=True, side_effect=zipfile.ZipFile.open
    ) as opened:
        assert copy_submission(path, tmp_path / 'copy') == [f'left out: bomb.py: {UNUSUAL}']
    assert [call.args[1].filename for call in opened.call_args_list] == ['two.py']


def test_too_many_entries(tmp_path, monkeypatch):
    """A zip with a virtual environment is read; the entries of a larger zip are not even listed."""
    made = []
    monkeypatch.setattr(zipfile.ZipInfo, '_decodeExtra', lambda *words: made.append(words))
    path = tmp_path / 'x.zip'
    many = [(b'.venv/lib/site-packages/%d' % number, 0, b'', 0, None) for number in range(9_000)]
    path.write_bytes(zip_with_headers([*many, (b'x.py', 0, b'', 0, None)]))
    assert copy_submission(path, tmp_path / 'copy') == []
    assert files_in(tmp_path / 'copy') == ['x.py']
    assert made
    made.clear()
    entry = zip_with_headers([(b'x', 0, b'', 0, 0)])[:-22]
    listed = entry * 100_000
    path.write_bytes(listed + struct.pack('<4s4H2LH', b'PK\5\6', 0, 0, 1, 1, len(listed), 0, 0))
    with pytest.raises(SubmissionError, match='it lists too many files'):
        copy_submission(path, tmp_path / 'second')
    assert not made


def test_unpacking_entries_without_data_is_limited(tmp_path, monkeypatch):
    """Many entries share one long stream without data, ending with an error."""
    reads = []
    read = zipfile.ZipExtFile.read
    monkeypatch.setattr(
        zipfile.ZipExtFile, 'read', lambda self, size: reads.append(size) or read(self, size)
    )
    packed = b'\0\0\0\xff\xff' * (1 << 16) + b'\xff'
    path = tmp_path / 'x.zip'
    path.write_bytes(
        zip_with_headers([(b'x', 8, packed, 1, None), *[(b'x', 8, packed, 1, 0)] * 99])
    )
    assert (
        len(copy_submission(path, tmp_path / 'copy', SUBMISSION_BOUNDS._replace(size=1 << 20)))
        == 21
    )
    assert 0 < len(reads) <= 2 * (1 << 20) // len(packed)


# --------------------------------------------------------------------------------------- depth


@pytest.fixture(params=['folder', 'zip'])
def deep(request, tmp_path, monkeypatch):
    """Yield a class with folders nested deeper than Python's stack, although the path is valid."""
    if request.param == 'zip':
        yield zipped(
            tmp_path / 'x.zip',
            [('ann/x.py', b'', 0), (f'ann/{"a/" * 1100}y.py', b'', 0), ('ben/z.py', b'', 0)],
        )
        return
    folder = write_files(tmp_path / 'class', {'ann/x.py': '', 'ben/z.py': ''})
    try:
        monkeypatch.chdir(folder / 'ann')
        for _ in range(1100):  # with whole paths, this would get slower and slower
            os.mkdir('a')
            os.chdir('a')
        os.chdir(tmp_path)
        yield folder
    finally:  # pytest's own cleanup would raise a RecursionError
        subprocess.run(['rm', '-rf', folder], check=True)


@pytest.mark.parametrize('export', [False, True])
def test_a_folder_1100_deep(deep, export, tmp_path):
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


# Exports of learning platforms, and files at the top of a folder

METADATA = """---
submission_409194023:
  :submitters:
  - :name: Ann Example
    :sid: '100'
    :email: ann@example.org
  :created_at: 2026-04-26 17:34:00.861687000 Z
  :score: 2.0
  :results:
    output: |-
      :submitters:
      - :name: Mallory
      submission_500000001:
        :submitters:
        - :name: Mallory
submission_500000001:
  :submitters:
  - :name: "Zo\\u00eb Sample"
    :sid: 111
  - :name: O''Neil
    :email: b@example.org
  :score: 10.0
submission_600000002:
  :submitters: []
"""


def contents(folder):
    """Return the contents of all files in a folder, by name: zips as bytes, others as strings."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        if zipfile.is_zipfile(path)
        else path.read_text()
        for path in sorted(folder.rglob('*'))
        if path.is_file()
    }


@pytest.fixture(params=['folder', 'zip'])
def export(request, tmp_path):
    """Return a function that makes an export from files: a folder or a zip."""

    def make(files):
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        if request.param == 'zip':
            return zipped(folder / 'export.zip', files)
        return write_files(folder / 'export', files)

    return make


def submissions_in(path, kind):
    """Return the submissions in an export, sorted by name."""
    return read_export(path, kind, path.parent / 'submissions')[0]


# ----------------------------------------------------------------------------------- platforms

MORE = as_zip({'b.py': 'b'})
CANVAS = {
    'doejane_12345_67890_othello_logic-1.py': 'logic',
    'doejane_12345_67891_othello_console.py': 'console',
    'roebob_LATE_777_1_2_x.py': 'x',
    'old-name-late_888_5_nim_logic-12.py': 'nim',
    'anon_8xGrE_67890_a.py': 'anonymous',
    'LATE_anon_ab0cd_67890_a.py': 'anonymous, late',
    'textonly_999_text.html': '<p>sorry</p>',
    'zipper_55_56_hand in-2.zip': as_zip({'othello/othello-1.py': 'inner', 'othello/b.py': 'b'}),
}

FALSE = METADATA.replace('Ann Example', 'Mallory').replace('submission_409194023', 'src')
CERTAIN = {'alice_111_90000_othello.py': 'a', 'bob_112_90001_othello.py': 'b'}
# This name begins like the names of Alice's files; Canvas might have assigned its numbers.
OF_ALICE = 'alice_111_50000_x_222_90002_evil.py'
TWO_WAYS = f'{OF_ALICE}: judging by its name, it could belong to alice_111 or alice_111_50000_x_222'
OF_ANN = 'Ann_1_assignsubmission_file_Ben_2_assignsubmission_file_x.py'
OF_TWO = (
    f'{OF_ANN}: judging by its name, it could belong to Ann_1 or Ann_1_assignsubmission_file_Ben_2'
)
CY = {'Cy_3_assignsubmission_file_c.py': 'c'}
OF_GITHUB = {
    'othello-ann/.git/config': 'secret',
    'othello-ann/src/othello.py': 'a',
    'othello-ben/.git/config': 'secret',
    'othello-ben/__pycache__/x.pyc': 'x',
    'othello-ben/othello.py': 'b',
}
# Each row: the platform, the files of an export, the submissions (whether late, and their files),
# and the notes, if any. A name ending in a slash is an optional folder around all other files.
READ = [
    (
        'canvas',
        CANVAS,
        {
            'doejane_12345': (
                False,
                {'othello_logic.py': 'logic', 'othello_console.py': 'console'},
            ),
            'roebob_777': (True, {'2_x.py': 'x'}),
            'old-name_888': (True, {'nim_logic.py': 'nim'}),
            'anon_8xGrE': (False, {'a.py': 'anonymous'}),
            'anon_ab0cd': (True, {'a.py': 'anonymous, late'}),
            'textonly_999': (False, {'text.html': '<p>sorry</p>'}),
            'zipper_55': (False, {'othello/othello-1.py': 'inner', 'othello/b.py': 'b'}),
        },
        {
            'roebob_777': [
                'roebob_LATE_777_1_2_x.py: judging by its name, it could belong to roebob_777 or roebob_LATE_777_1'
            ]
        },
    ),
    (
        'moodle',
        {
            'download/': '',
            'Ann Example_123_assignsubmission_file_/othello.py': 'a',
            'Ann Example_123_assignsubmission_file_/sub/b-1.py': 'b',
            'Ann Example_123_assignsubmission_onlinetext_/onlinetext.html': 'text',
            'Ben_124_assignsubmission_file/c.py': 'c',
            'Participant_7_assignsubmission_file_d_e.py': 'd',
        },
        {
            'Ann Example_123': (
                None,
                {'othello.py': 'a', 'sub/b-1.py': 'b', 'onlinetext.html': 'text'},
            ),
            'Ben_124': (None, {'c.py': 'c'}),
            'Participant_7': (None, {'d_e.py': 'd'}),
        },
    ),
    (
        'gradescope',
        {
            'assignment_8046601_export/': '',
            'submission_metadata.yml': METADATA,
            'submission_409194023/src/othello.py': 'a',
            'submission_500000001.zip': as_zip({'othello.py': 'b'}),
            'submission_600000002/c.py': 'c',
            '.DS_Store': '',
        },
        {
            'Ann Example_100': (None, {'src/othello.py': 'a'}),
            "Zoë Sample_111+O''Neil_b@example.org": (None, {'othello.py': 'b'}),
            'submission_600000002': (None, {'c.py': 'c'}),
        },
    ),
    # An export without its metadata.
    (
        'gradescope',
        {'x/submission_1/a.py': 'a', 'x/submission_2/b.py': 'b'},
        {'submission_1': (None, {'a.py': 'a'}), 'submission_2': (None, {'b.py': 'b'})},
    ),
    # A student mentioned only in the metadata.
    (
        'gradescope',
        {'submission_metadata.yml': METADATA, 'submission_409194023/a.py': 'a'},
        {
            'Ann Example_100': (None, {'a.py': 'a'}),
            "Zoë Sample_111+O''Neil_b@example.org": (None, {}),
        },
    ),
    # Metadata submitted by a student. In a zip, it comes first, and it is as deep as the metadata
    # of an export inside another folder. The first export has metadata of its own; the second has
    # none.
    (
        'gradescope',
        {
            'assignment_8046601_export/': '',
            'submission_409194023/submission_metadata.yml': FALSE,
            'submission_409194023/src/a.py': 'evil',
            'submission_500000001/src/b.py': 'b',
            'submission_metadata.yml': METADATA,
        },
        {
            'Ann Example_100': (None, {'submission_metadata.yml': FALSE, 'src/a.py': 'evil'}),
            "Zoë Sample_111+O''Neil_b@example.org": (None, {'src/b.py': 'b'}),
        },
    ),
    (
        'gradescope',
        {
            'assignment_8046601_export/': '',
            'submission_409194023/submission_metadata.yml': FALSE,
            'submission_409194023/src/a.py': 'evil',
            'submission_500000001/src/b.py': 'b',
        },
        {
            'submission_409194023': (None, {'submission_metadata.yml': FALSE, 'src/a.py': 'evil'}),
            'submission_500000001': (None, {'src/b.py': 'b'}),
        },
    ),
    *(
        (
            'github',
            {around: '', **OF_GITHUB},
            {
                'othello-ann': (None, {'src/othello.py': 'a'}),
                'othello-ben': (None, {'othello.py': 'b'}),
            },
        )
        for around in ('othello-submissions/', 'a/b/')
    ),
    # Zips in a zip.
    ('github', {'a.zip': as_zip({'othello.py': 'a'})}, {'a': (None, {'othello.py': 'a'})}),
    (
        'github',
        {'class/': '', 'a.zip': as_zip({'othello.py': 'a'}), 'B.ZIP': as_zip({'othello.py': 'b'})},
        {'a': (None, {'othello.py': 'a'}), 'B': (None, {'othello.py': 'b'})},
    ),
    # A single repository.
    (
        'github',
        {'hw/ann/.git/config': '', 'hw/ann/src/a.py': 'a'},
        {'ann': (None, {'src/a.py': 'a'})},
    ),
    # A repository in a repository, with the name of the outermost folder.
    (
        'github',
        {'hw/ann/a.py': 'a', 'hw/eve/hw/.git': '', 'hw/eve/e.py': 'e'},
        {'ann': (None, {'a.py': 'a'}), 'eve': (None, {'e.py': 'e'})},
    ),
    # Two submissions with the same name: neither gets this name, so neither gets the other's row.
    (
        'github',
        {'x/Ann/a.py': '1', 'x/ann/a.py': '2'},
        {'Ann-17239b6e': (None, {'a.py': '1'}), 'ann-49915e0d': (None, {'a.py': '2'})},
        {
            'Ann-17239b6e': ['there is another submission called Ann'],
            'ann-49915e0d': ['there is another submission called ann'],
        },
    ),
    (
        'github',
        {'ann.zip': as_zip({'a.py': 'a'}), 'ann.py': 'evil', 'ben/b.py': 'b'},
        {
            'ann.zip': (None, {'a.py': 'a'}),
            'ann.py': (None, {'ann.py': 'evil'}),
            'ben': (None, {'b.py': 'b'}),
        },
        {name: ['there is another submission called ann'] for name in ('ann.zip', 'ann.py')},
    ),
    (
        'gradescope',
        {
            'submission_metadata.yml': METADATA.replace(
                'submission_600000002:\n  :submitters: []\n',
                'submission_1:\n  :submitters:\n  - :name: Ann Example\n    :sid: 100\n',
            ),
            'submission_1/a.py': 'evil',
            'submission_409194023/a.py': 'a',
            'submission_500000001/b.py': 'b',
        },
        {
            'Ann Example_100-submission_1': (None, {'a.py': 'evil'}),
            'Ann Example_100-submission_409194023': (None, {'a.py': 'a'}),
            "Zoë Sample_111+O''Neil_b@example.org": (None, {'b.py': 'b'}),
        },
        {
            f'Ann Example_100-submission_{number}': [
                'there is another submission called Ann Example_100'
            ]
            for number in (1, 409194023)
        },
    ),
    # Folders and modules beside other files.
    (
        'github',
        {'ann/a.py': 'a', 'ben.py': 'b', 'README.md': 'read me', 'list.csv': ''},
        {'ann': (None, {'a.py': 'a'}), 'ben': (None, {'ben.py': 'b'})},
    ),
    # Only zips are unpacked; any other archive is a submission as it is.
    (
        'github',
        {'ann.zip': as_zip({'a.py': 'a'}), 'ben.7z': '7z', 'cy.c': 'c'},
        {
            'ann': (None, {'a.py': 'a'}),
            'ben': (None, {'ben.7z': '7z'}),
            'cy': (None, {'cy.c': 'c'}),
        },
    ),
    # A name that might put a file into another student's submission; and the same name in an export
    # where it harms nobody.
    (
        'canvas',
        {**CERTAIN, OF_ALICE: 'evil'},
        {'alice_111': (False, {'othello.py': 'a'}), 'bob_112': (False, {'othello.py': 'b'})},
        {'alice_111': [f'left out: {TWO_WAYS}']},
    ),
    (
        'canvas',
        {OF_ALICE: 'y'},
        {'alice_111': (False, {'x_222_90002_evil.py': 'y'})},
        {'alice_111': [TWO_WAYS]},
    ),
    # Canvas cannot have assigned these numbers. So `1_2_x.py` may be a file's name, and
    # `alice_111_5_x` may be a student's.
    (
        'canvas',
        {
            **CERTAIN,
            'alice_111_90003_1_2_x.py': '1',
            'bob_112_90004_3_x.py': '3',
            'alice_111_5_x_222_90002_y.py': 'not evil',
        },
        {
            'alice_111': (False, {'othello.py': 'a', '1_2_x.py': '1'}),
            'bob_112': (False, {'othello.py': 'b', '3_x.py': '3'}),
            'alice_111_5_x_222': (False, {'y.py': 'not evil'}),
        },
    ),
    # Very many digits are not read as a number, since Python refuses numbers with 5,000 digits.
    (
        'canvas',
        {**CERTAIN, f'eve_{"1" * 120}_{"2" * 120}_x.py': ''},
        {
            'alice_111': (False, {'othello.py': 'a'}),
            'bob_112': (False, {'othello.py': 'b'}),
            f'eve_{"1" * 116}': (False, {'x.py': ''}),
        },
    ),
    # In an export from Moodle, a file named like another student's file gets no row of its own. If
    # Ann has submitted another file, this one is left out.
    (
        'moodle',
        {OF_ANN: 'x', **CY},
        {'Ann_1': (None, {'Ben_2_assignsubmission_file_x.py': 'x'}), 'Cy_3': (None, {'c.py': 'c'})},
        {'Ann_1': [OF_TWO]},
    ),
    (
        'moodle',
        {'Ann_1_assignsubmission_file_a.py': 'a', OF_ANN: 'x', **CY},
        {'Ann_1': (None, {'a.py': 'a'}), 'Cy_3': (None, {'c.py': 'c'})},
        {'Ann_1': [f'left out: {OF_TWO}']},
    ),
    # The names of Moodle's folders are not ambiguous.
    (
        'moodle',
        {
            'Ann_1_assignsubmission_file_/a.py': 'a',
            'Ann_1_assignsubmission_file_x_2_assignsubmission_file_/b.py': 'b',
            'Ann_1_assignsubmission_file_/Ben_2_assignsubmission_file_/c.py': 'c',
        },
        {
            'Ann_1': (None, {'a.py': 'a', 'Ben_2_assignsubmission_file_/c.py': 'c'}),
            'Ann_1_assignsubmission_file_x_2': (None, {'b.py': 'b'}),
        },
    ),
    # A zip beside other files.
    (
        'canvas',
        {'ann_1_22_a.py': 'a', 'ann_1_23_more.zip': MORE},
        {'ann_1': (False, {'a.py': 'a', 'more.zip': MORE})},
        {'ann_1': ['more.zip: not unpacked, because other files were submitted with it']},
    ),
    # A folder with a name like that of a zip.
    (
        'moodle',
        {'Ann_1_assignsubmission_file_/x.zip/a.py': 'a', **CY},
        {'Ann_1': (None, {'x.zip/a.py': 'a'}), 'Cy_3': (None, {'c.py': 'c'})},
    ),
    (
        'github',
        {'x/ann/a.py': 'a', 'x/ben/notes.zip': MORE, 'x/ben/b.py': 'b'},
        {'ann': (None, {'a.py': 'a'}), 'ben': (None, {'b.py': 'b', 'notes.zip': MORE})},
        {'ben': ['notes.zip: not unpacked, because other files were submitted with it']},
    ),
]


@pytest.mark.parametrize(('kind', 'files', 'found', 'noted'), [(*row, {})[:4] for row in READ])
def test_submissions_in_exports(kind, files, found, noted, export):
    arounds = [name for name in files if name.endswith('/')]
    for around in ['', *arounds]:
        submitted = submissions_in(
            export(
                {around + name: content for name, content in files.items() if name not in arounds}
            ),
            kind,
        )
        assert {
            submission.folder.name: (submission.late, contents(submission.folder))
            for submission in submitted
        } == found
        assert {
            submission.folder.name: submission.notes for submission in submitted if submission.notes
        } == noted


@pytest.mark.parametrize(
    ('names', 'originals'),
    [
        (['a-1.py', 'b.py'], ['a.py', 'b.py']),
        (['a-1.py', 'a.py'], ['a-1.py', 'a.py']),
        (['a-1.py', 'a-2.py'], ['a-1.py', 'a-2.py']),
        (['a-1-1.py'], ['a.py']),
        (
            ['a-b.py', '-1.py', 'a-1', 'a-1234.py', '1-1.py'],
            ['a-b.py', '-1.py', 'a-1', 'a-1234.py', '1-1.py'],
        ),
        (['Othello-3.java'], ['Othello.java']),
    ],
)
def test_resubmitted_names(names, originals):
    assert list(original_names(names).values()) == originals


@pytest.mark.parametrize(
    ('kind', 'files', 'people'),
    [
        (
            'canvas',
            CANVAS,
            {
                'doejane_12345': ('12345', ''),
                'roebob_777': ('777', ''),
                'old-name_888': ('888', ''),
                'anon_8xGrE': ('8xGrE', ''),
                'anon_ab0cd': ('ab0cd', ''),
                'textonly_999': ('999', ''),
                'zipper_55': ('55', ''),
            },
        ),
        (
            'moodle',
            {'Ann_123_assignsubmission_file_/a.py': '', 'Ben_7_assignsubmission_file_b.py': ''},
            {'Ann_123': ('123', ''), 'Ben_7': ('7', '')},
        ),
        (
            'gradescope',
            {
                'submission_metadata.yml': METADATA.replace('ann@', '\x1b[2Jann@'),
                'submission_409194023/a.py': '',
                'submission_600000002/b.py': '',
            },
            {
                'Ann Example_100': ('100', '\\x1b[2Jann@example.org'),
                'submission_600000002': ('', ''),
                "Zoë Sample_111+O''Neil_b@example.org": ('111', 'b@example.org'),
            },
        ),
        ('github', {'x/ann/a.py': '', 'x/ben/b.py': ''}, {'ann': ('', ''), 'ben': ('', '')}),
    ],
)
def test_numbers_and_addresses(kind, files, people, export, tmp_path):
    """Students' numbers and addresses are escaped, in submissions and in results.json."""
    path = export(files)
    assert {
        submission.folder.name: (submission.id, submission.email)
        for submission in submissions_in(path, kind)
    } == people
    if kind != 'gradescope' or path.is_dir():
        return
    run_grader_here(
        'grade', 'stones', path, '--export', kind, *FAST, '--out', tmp_path / 'out', few=True
    )
    facts = [
        json.loads(path.read_text(encoding='utf-8'))['extra_data']
        for path in (tmp_path / 'out').glob('*/results.json')
    ]
    assert {data['submission']: (data['id'], data['email']) for data in facts} == people


def test_empty_folders(export):
    """A student without a submission has a row."""
    path = export({'x/ann/a.py': 'a'})
    if path.is_dir():
        (path / 'x' / 'ben').mkdir()
        (path / 'x' / 'cy' / '__pycache__').mkdir(parents=True)
    else:
        with zipfile.ZipFile(path, 'a') as archive:
            for name in ('x/', 'x/ann/', 'x/ben/', 'x/cy/', 'x/cy/__pycache__/'):
                archive.writestr(name, '')
    assert {
        submission.folder.name: contents(submission.folder)
        for submission in submissions_in(path, 'github')
    } == {
        'ann': {'a.py': 'a'},
        'ben': {},
        'cy': {},
    }


def test_files_that_belong_to_nobody(export, tmp_path):
    path = export({'ann_1_22_a.py': 'a', 'grades.csv': '', '.hidden': '', 'x/notes.txt': ''})
    assert read_export(path, 'canvas', tmp_path / 'out')[1] == ['grades.csv', 'x/notes.txt']


# ------------------------------------------------------------------------------------ metadata


@pytest.mark.parametrize('end', ['\n      ', *'\r\v\f\x1c\x1d\x1e\x85\u2028\u2029'])
def test_output_of_programs_is_not_read_as_metadata(end):
    printed = end.join(['', 'submission_409194023:', '  :submitters:', '  - :name: Mallory', ''])
    metadata = METADATA.replace('output: |-', f'output: |-\n      a{printed}')
    for text in (metadata, metadata.replace('\n', '\r\n')):
        assert owners(text) == {
            'submission_409194023': ('Ann Example_100', '100', 'ann@example.org'),
            'submission_500000001': (
                "Zoë Sample_111+O''Neil_b@example.org",
                '111',
                'b@example.org',
            ),
        }


@pytest.mark.long
@for_any(30, lambda of: [of.text('a: \n-\'":\\submiters', max_size=200)])
def test_any_metadata_can_be_read(text):
    found = owners(f'{text}\n{METADATA}')
    assert all(key and owner[0] for key, owner in found.items())
    assert found['submission_409194023'][0] == 'Ann Example_100'


# --------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    'name',
    [
        '../x',
        '..',
        '.',
        '',
        ' ',
        '/etc/passwd',
        'C:\\x',
        'con',
        'NUL.txt',
        'x' * 300,
        'é' * 300,
        '\U0001f600' * 99,
        'a\nb',
        '\x1b[2J',
        '\u202eevil',
        'grades.csv',
        'Index.html',
        '.hidden',
        'end. ',
        'a\0b',
        '<script>',
        'a|b',
        '~',
        '-rf',
    ],
)
def test_any_name_becomes_the_name_of_a_folder(name, tmp_path):
    found = distinct_names([[name]] * 3)
    assert [named.note for named in found] == [
        f'there is another submission called {valid_name(name)}'
    ] * 3
    for safe, _ in [*found, *distinct_names([[name]])]:
        (tmp_path / safe).mkdir()
        assert safe.isprintable()
        assert len(safe.encode()) < 200
        assert not {*safe} & {*'/\\:*?"<>|'}
        assert safe.strip('. ') == safe
        assert safe.casefold() not in {'con', 'nul.txt', 'grades.csv', 'index.html'}
    assert len(list(tmp_path.iterdir())) == 4


# These names often differ only in case, in forbidden characters, or at the end.
NAMES = [
    count * name
    for name in ('a', 'A', 'a-2', 'a/', '.', 'ß', 'ss', 'é', '')
    for count in (1, 2, 149, 150, 300)
]


@for_any(40, lambda of: [of.lists(of.sampled_from(NAMES), max_size=9)])
def test_no_two_names_are_the_same_anywhere(names):
    """If several submissions have the same name, none of them keeps it."""
    found = distinct_names([[name] for name in names])
    assert len({named.name.casefold() for named in found}) == len(names)
    plain = [valid_name(name).casefold() for name in names]
    for named, name in zip(found, plain, strict=True):
        is_unique = plain.count(name) == 1
        assert (named.name.casefold() == name) == is_unique
        assert (named.note == '') == is_unique


def test_names_of_submissions(tmp_path):
    """A file's name loses its suffix unless that makes two names equal; a folder keeps its name."""
    write_files(
        tmp_path,
        dict.fromkeys(
            (
                'doe.py',
                'roe.py',
                'roe.zip',
                'Lee.ZIP',
                'lee/x',
                'x.py/x',
                'Main.java',
                'notes.txt',
                'again/doe.py',
            ),
            '',
        ),
    )
    sources = [
        tmp_path / name
        for name in (
            'doe.py',
            'roe.py',
            'roe.zip',
            'Lee.ZIP',
            'lee',
            'x.py',
            'Main.java',
            'notes.txt',
        )
    ]
    lee = f'{tmp_path.name}-lee'
    assert [*submission_names(sources)] == [
        ('doe', ''),
        ('roe.py', 'there is another submission called roe'),
        ('roe.zip', 'there is another submission called roe'),
        ('Lee.ZIP', 'there is another submission called Lee'),
        (lee, 'there is another submission called lee'),
        ('x.py', ''),
        ('Main', ''),
        ('notes.txt', ''),
    ]
    again = submission_names([tmp_path / 'doe.py', tmp_path / 'again' / 'doe.py'])
    assert [named.name for named in again] == [f'{tmp_path.name}-doe.py', 'again-doe.py']


# Pairs of names: a victim's submission, and a submission that might get the victim's results.
TAKERS = [
    ('ann.zip', 'ann'),
    ('ann.py', 'ann'),
    ('ann', ' ann'),
    ('ann', 'Ann'),
    ('ann', 'ann.'),
    ('ann', '.ann'),
    ('x?', 'x*'),
    ('con', 'con_'),
    ('e\N{COMBINING ACUTE ACCENT}va', '\N{LATIN SMALL LETTER E WITH ACUTE}va'),
    (120 * 'a' + 'b', 120 * 'a' + 'a'),
]


@pytest.mark.parametrize(('victim', 'taker'), TAKERS)
def test_no_submission_takes_the_name_of_another(victim, taker, tmp_path):
    """The names do not depend on the order of the submissions."""
    write_files(tmp_path, {'ben/x.py': '', (victim if '.' in victim else f'{victim}/x'): ''})
    write_files(tmp_path, {f'{taker}/x.py': ''})
    alone, first, last = (
        {
            name: named.name
            for name, named in zip(
                names, submission_names([tmp_path / name for name in names]), strict=True
            )
        }
        for names in (['ben', victim], [victim, taker, 'ben'], [taker, 'ben', victim])
    )
    assert first == last
    assert alone['ben'] == first['ben'] == 'ben'
    assert first[taker].casefold() != alone[victim].casefold()
    assert len({name.casefold() for name in first.values()}) == 3


def test_hostile_names_in_an_export(tmp_path):
    path = zipped(
        tmp_path / 'x.zip',
        {
            f'{name}_{i}_2_a.py': 'a'
            for i, name in enumerate(['con', '\x1b[2J', '\u202e', 'x' * 300, 'Ann', 'ANN'])
        },
    )
    assert [
        (contents(submission.folder), submission.folder.name.isprintable())
        for submission in submissions_in(path, 'canvas')
    ] == [({'a.py': 'a'}, True)] * 6


# ------------------------------------------------------------------------------------- attacks


@pytest.mark.parametrize(
    'name',
    [
        'd_1_2_..',
        'd_1_2_../../../evil.py',
        '../d_1_2_evil.py',
        '/d_1_2_evil.py',
        'd_1_2_C:evil.py',
        'd_1_2_..\\evil.py',
    ],
)
def test_no_file_leaves_its_folder(name, tmp_path):
    path = zipped(tmp_path / 'x.zip', {name: 'evil', 'd_1_3_good.py': 'good'})
    [submitted] = [
        submission
        for submission in submissions_in(path, 'canvas')
        if submission.folder.name == 'd_1'
    ]
    assert 'good.py' in contents(submitted.folder)
    assert all(
        submitted.folder in path.parents for path in tmp_path.rglob('*') if 'evil' in path.name
    )


def test_no_folder_leaves_the_target(tmp_path):
    path = zipped(
        tmp_path / 'x.zip',
        {'../../evil/a.py': 'a', '/etc/b.py': 'b', 'x/../../../c.py': 'c', 'good/d.py': 'd'},
    )
    submissions_in(path, 'github')
    out = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob('*') if path.is_file()}
    assert {name for name in out if not name.startswith('submissions/')} == {'x.zip'}


def test_links_and_devices_are_left_out(tmp_path):
    """Links and devices are left out of zips and of folders."""
    path = zipped(
        tmp_path / 'x.zip', [('d_1_3_good.py', 'good'), ('d_1_2_link.py', '/etc/passwd', LINK)]
    )
    folder = write_files(tmp_path / 'x', {'d_1_3_good.py': 'good'})
    (folder / 'd_1_4_link.py').symlink_to('/etc/passwd')
    (folder / 'd_1_5_outside').symlink_to('/etc')
    os.mkfifo(folder / 'd_1_6_fifo.py')
    for place, left_out in ((path, 1), (folder, 3)):
        shutil.rmtree(tmp_path / 'submissions', ignore_errors=True)
        [submitted] = submissions_in(place, 'canvas')
        assert (contents(submitted.folder), len(submitted.notes)) == ({'good.py': 'good'}, left_out)
        assert place == folder or submitted.notes == ['left out: link.py: a link']


def test_a_large_submission_does_not_affect_others(tmp_path, monkeypatch):
    monkeypatch.setattr(exports, 'Copy', partial(Copy, bounds=Bounds(files=5, size=1000)))
    bomb = as_zip({f'{i}.py': '0' * 400 for i in range(9)})
    path = zipped(
        tmp_path / 'x.zip',
        {
            'a_1_2_large.py': '0' * 2000,
            'a_1_3_small.py': 'a',
            'b_2_3_bomb.zip': bomb,
            'c_3_4_fine.py': 'c',
            **{f'd_4_{i}_{i}.py': 'd' for i in range(9)},
        },
    )
    submitted = submissions_in(path, 'canvas')
    files = {submission.folder.name: contents(submission.folder) for submission in submitted}
    notes = {submission.folder.name: ' '.join(submission.notes) for submission in submitted}
    assert (files['a_1'], files['c_3']) == ({'small.py': 'a'}, {'fine.py': 'c'})
    assert (len(files['b_2']) < 4, len(files['d_4'])) == (True, 5)
    assert notes['b_2']
    assert 'large.py' in notes['a_1']
    assert 'more than 5 files' in notes['d_4']


@pytest.mark.parametrize(
    ('files', 'left', 'note'),
    [
        # A file that is not a zip stays as it is.
        (
            {'a_1_2_broken.zip': 'no zip'},
            {'broken.zip': 'no zip'},
            'broken.zip: not a readable zip file',
        ),
        # Two files with the same name.
        ({'a_1_2_x.py': 'first', 'a_1_3_x.py': 'second'}, {'x.py': 'first'}, ''),
    ],
)
def test_files_that_cannot_be_used_are_noted(files, left, note, export):
    [submitted] = submissions_in(export(files), 'canvas')
    assert (contents(submitted.folder), len(submitted.notes)) == (left, 1)
    assert note in submitted.notes[0]


@pytest.mark.parametrize('kind', PLATFORMS)
def test_exports_without_submissions_are_refused(kind, tmp_path):
    broken = tmp_path / 'broken.zip'
    broken.write_bytes(b'PK\3\4 no zip')
    for path in (zipped(tmp_path / 'a\x1b.zip', {'x.txt': ''}), tmp_path / 'missing.zip', broken):
        with pytest.raises(SubmissionError) as error:
            read_export(path, kind, tmp_path / 'out')
        assert str(error.value).isprintable()


# Builds, and programs in other languages

TRANSCRIPTS = transcripts_for('othello')[:1]
COMMAND = 'python3 othello_console.py'
SWAP = 'cd .. && mv submission gone && ln -s {alice} submission'
THEFTS = {
    'by its path': SWAP,
    'by the current folder of the copying process': SWAP.replace(
        '{alice}', '/proc/self/cwd/class/alice'
    ),
    'by a descriptor of the copying process': SWAP.replace(
        '{alice}', '/proc/self/fd/{folder}/alice'
    ),
    'in a new folder': 'cd .. && mv submission gone && mkdir submission && '
    'ln -s {alice}/*.py submission',
    'by links to files': 'ln -s {alice}/*.py .',
    'by a link to a folder': 'rm -rf src && ln -s {alice} src && ln -s src/*.py .',
}


@pytest.fixture(scope='module')
def alice():
    """Yield a correct submission; its class is in the current folder, readable by all users."""
    folder = Path(tempfile.mkdtemp(prefix='class-'))
    folder.chmod(0o755)
    alice = write_files(folder / 'class' / 'alice', our_pair('othello'))
    before = os.getcwd()
    os.chdir(folder)
    yield alice
    os.chdir(before)
    shutil.rmtree(folder)


@pytest.fixture
def thefts(alice):
    """Yield the commands of THEFTS with the paths of this test."""
    descriptor = os.open(alice.parent, os.O_RDONLY)
    yield {name: text.format(alice=alice, folder=descriptor) for name, text in THEFTS.items()}
    os.close(descriptor)


def score_and_notes(folder, kind, alice, build, command=COMMAND):
    """Build a submission and grade it; return its score, and the notes on it."""
    (folder / 'notes.txt').write_text('something is submitted')
    settings = probed_for(kind, alice).with_changes(timeout=SECONDS, build=build, command=command)
    results = results_by(with_transcripts(TRANSCRIPTS, settings), folder)
    (test,) = results['tests']
    assert 'is submitted' not in test['output']
    return test['score'], results['extra_data']['notes']


@pytest.mark.parametrize('name', rest_long(THEFTS))
@pytest.mark.parametrize('kind', KINDS)
def test_build_that_puts_a_classmates_files_in_its_place(kind, name, alice, thefts, tmp_path):
    (tmp_path / 'one' / 'src').mkdir(parents=True)
    assert score_and_notes(tmp_path / 'one', kind, alice, thefts[name])[0] == 0


@pytest.mark.parametrize('name', THEFTS)
def test_a_plain_copy_gets_a_classmates_files(name, thefts, tmp_path):
    """Each of these thefts would succeed if files were copied by their paths after a build."""
    (tmp_path / 'submission' / 'src').mkdir(parents=True)
    subprocess.run(['sh', '-c', thefts[name]], cwd=tmp_path / 'submission', check=True)
    shutil.copytree(tmp_path / 'submission', tmp_path / 'left')
    assert (tmp_path / 'left' / 'othello_console.py').read_text() == (
        ROOT / 'othello_console.py'
    ).read_text()


@pytest.mark.parametrize('kind', ALL_KINDS)
def test_confined_builds_cannot_read_a_classmates_files(kind, alice, tmp_path):
    (tmp_path / 'one').mkdir()
    build = f'cp {alice}/*.py . || true'
    assert score_and_notes(tmp_path / 'one', kind, alice, build)[0] == (kind == 'none')


@pytest.mark.parametrize('kind', ALL_KINDS)
def test_honest_build_keeps_its_links(kind, alice, tmp_path):
    folder = tmp_path / 'one'
    shutil.copytree(alice, folder / 'src')
    (folder / 'README').write_text('')
    build = (
        'mkdir bin && ln -s src lib && ln -s ../lib/othello_logic.py bin && '
        'mv src/othello_console.py bin'
    )
    assert score_and_notes(folder, kind, alice, build, 'python3 bin/othello_console.py')[0] == 1


@pytest.mark.long
@pytest.mark.parametrize('kind', ALL_KINDS)
def test_what_a_build_installs_is_kept(kind, alice, tmp_path):
    """Folders ignored in a submission are kept if the build makes them."""
    folder = shutil.copytree(alice, tmp_path / 'one')
    build = (
        'python3 -m venv --without-pip .venv && mkdir -p node_modules/a __pycache__ && '
        'mv othello_logic.py node_modules/a && touch __pycache__/kept'
    )
    run = (
        'test -e __pycache__/kept && PYTHONPATH=node_modules/a .venv/bin/python othello_console.py'
    )
    assert score_and_notes(folder, kind, alice, build, f"sh -c '{run}'") == (1, [])


def test_what_a_build_loses_is_noted(alice, tmp_path):
    """Links to a tool are kept, but not links that only begin with a tool's folder."""
    folder = shutil.copytree(alice, tmp_path / 'one')
    links = {'passwd': '/etc/passwd', 'up': '/usr/bin/..', 'bin': '/usr/bin/', 'sh': '/bin/sh'}
    made = [f'ln -s {target} {name}' for name, target in links.items()]
    lost = 'after the build: left out: {}: a link that is broken or leads out of the folder'
    assert score_and_notes(folder, 'none', alice, ' && '.join(made), COMMAND) == (
        1,
        [lost.format(name) for name in ('bin', 'passwd', 'up')],
    )
    with mock.patch(internals.BUILD_BOUNDS, BUILD_BOUNDS._replace(files=9)):
        assert score_and_notes(folder, 'none', alice, 'touch z1 z2 z3 z4 z5 z6 z7', COMMAND) == (
            1,
            ['after the build: left out: the rest: more than 9 files in total'],
        )


# Tars


def entry_in_tar(name, **facts):
    entry = tarfile.TarInfo(name)
    for fact, value in facts.items():
        setattr(entry, fact, value)
    return entry


@pytest.mark.parametrize('suffix', ['.tar', '.tar.gz', '.tgz'])
def test_a_tar_is_opened_like_a_zip(suffix, tmp_path):
    """It may be a submission, or a student's only file in an export."""
    files = {'./hw/p.py': 'print(3)', '__MACOSX/._p.py': '', 'hw/__pycache__/p.pyc': ''}
    path = tarred(tmp_path / f'ann{suffix}', files)
    write_files(tmp_path, {'three/a.txt': '|3\n'})
    status, output, errors = run_grader_here('grade', tmp_path / 'three', path, *FAST)
    assert (status, output.splitlines()[-1]) == (0, 'ann: three, 1 of 1 points'), errors
    export = write_files(tmp_path / 'export', {f'ann_1_22_hw{suffix}': path.read_bytes()})
    [share], _ = read_export(export, 'canvas', tmp_path / 'out')
    assert files_in(share.folder) == ['hw/p.py']
    export = write_files(tmp_path / 'all', {f'ann{suffix}': path.read_bytes()})
    [share], _ = read_export(export, 'github', tmp_path / 'other')
    assert files_in(share.folder) == ['hw/p.py']


HOSTILE_TARS = {
    'a way up': (entry_in_tar('../x.py'), b'', 'its path leads out of the folder'),
    'an absolute path': (entry_in_tar('/tmp/x.py'), b'', 'its path leads out of the folder'),
    'a link': (entry_in_tar('x.py', type=tarfile.SYMTYPE, linkname='/etc/passwd'), b'', 'a link'),
    'a hard link': (entry_in_tar('x.py', type=tarfile.LNKTYPE, linkname='one.py'), b'', 'a link'),
    'a device': (entry_in_tar('x', type=tarfile.CHRTYPE, devmajor=1), b'', 'not a regular file'),
    'a FIFO': (entry_in_tar('x', type=tarfile.FIFOTYPE), b'', 'not a regular file'),
    'twice': (entry_in_tar('one.py'), b'again', 'File exists'),
    'too large': (entry_in_tar('x'), bytes(1 << 20), 'more than 0 MB in total'),
    'no name': (entry_in_tar('.'), b'', 'its name is empty'),
}


@pytest.mark.parametrize('what', HOSTILE_TARS)
def test_hostile_entry_of_a_tar(what, tmp_path):
    entry, content, why = HOSTILE_TARS[what]
    path = tarred(tmp_path / 'a.tgz', [('one.py', b'1'), (entry, content), ('two.py', b'2')])
    (tmp_path / 'below').mkdir()
    [note] = copy_submission(
        path, tmp_path / 'below' / 'copy', SUBMISSION_BOUNDS._replace(size=1 << 19)
    )
    assert note == f'left out: {entry.name}: {why}'
    assert files_in(tmp_path) == ['a.tgz', 'below/copy/one.py', 'below/copy/two.py']
    assert (tmp_path / 'below' / 'copy' / 'one.py').read_bytes() == b'1'


def header_of(name, size, kind=b'0'):
    return entry_in_tar(name, size=size, type=kind).tobuf(tarfile.GNU_FORMAT)


def with_negative_size(header):
    """Return a header that makes `tarfile` go back, in the Pythons that do not refuse this."""
    header = header[:124] + b'\xff' * 11 + b'\0' + header[136:148] + b' ' * 8 + header[156:]
    return header[:148] + b'%06o\0 ' % sum(header) + header[156:]


# Tars that take much memory or time: how they begin, how many zeros follow, and what is said.
COSTLY_TARS = {
    'a name that is too long': (
        header_of('x', 1 << 30, tarfile.GNUTYPE_LONGNAME),
        1 << 20,
        'a header that is too long',
    ),
    'a long chain of names': (
        (header_of('x', 10, tarfile.GNUTYPE_LONGNAME) + bytes(512)) * 3000,
        1024,
        'recursion',
    ),
    'a negative size': (with_negative_size(header_of('x', 0)), 0, '(negative size|invalid offset)'),
    'many files': (header_of('x', 0) * 200, 0, 'it lists too many files'),
    'a bomb': (header_of('x', 1 << 33), 1 << 26, 'takes too long to unpack'),
    'text': (b'print(3)' * 99, 0, 'invalid header'),
    'nothing': (b'', 0, 'empty'),
}


@pytest.mark.parametrize('what', COSTLY_TARS)
def test_a_tar_that_costs_too_much_is_refused(what, tmp_path, monkeypatch):
    begin, zeros, why = COSTLY_TARS[what]
    monkeypatch.setattr(tars, 'MAX_IN_TAR', 100)
    monkeypatch.setattr(tars, 'TAR_SECONDS', 0.02 if what == 'a bomb' else 10)
    (tmp_path / 'a.tar.gz').write_bytes(gzip.compress(begin + bytes(zeros)))
    with pytest.raises(SubmissionError, match=f'not a readable tar file: .*{why}'):
        copy_submission(tmp_path / 'a.tar.gz', tmp_path / 'copy')


def test_names_of_thousands_of_folders_in_a_zip_take_little_memory(tmp_path):
    skip_unless_confined()
    deep = {f'{"a/" * 30_000}{number}': '' for number in range(20)}
    zipped(tmp_path / 'ann.zip', {'othello.py': read_sample('othello'), **deep})
    words = command_of_grader('grade', 'othello/wipe_out', str(tmp_path / 'ann.zip'))
    status, output, errors = run_command(
        ['sh', '-c', 'ulimit -v 2000000; exec "$@"', 'sh', *words], ROOT
    )
    assert (status, errors) == (0, '')
    assert output.endswith('ann: wipe_out, 1 of 1 points\n')


# Archives and notebooks with a command

ENCRYPTED = as_zip({'p.py': 'print(3)', 'q.py': ''}).replace(
    b'PK\1\2\x14\3\x14\0\0', b'PK\1\2\x14\3\x14\0\1'
)
SUBMIT = ": submit the program's files, or a .zip of them"
# Each row: the files, the command, and what the report says instead of running it.
PACKED = {
    'a zip in a zip': (
        {'hw.zip': ''},
        'python3 p.py',
        f'only hw.zip (a zip inside the submission){SUBMIT}',
    ),
    'a tar in a folder': (
        {'hw/hw.tar.gz': '', 'README.md': ''},
        './p',
        f'only README.md, hw.tar.gz (an archive inside the submission){SUBMIT}',
    ),
    'rar': (
        {'hw.rar': ''},
        './p',
        f'only hw.rar (an archive that the grader does not unpack){SUBMIT}',
    ),
    '7z': (
        {'hw.7z': '', 'report.pdf': ''},
        './p',
        f'only hw.7z, report.pdf (an archive that the grader does not unpack){SUBMIT}',
    ),
    'a notebook': ({'hw.ipynb': '{}'}, 'python3 p.py', f'only hw.ipynb (a notebook){SUBMIT}'),
    'a program with an archive': ({'hw.zip': '', 'p.sh': 'echo 3'}, 'sh p.sh', ''),
    'an archive as data': ({'hw.zip': ''}, "sh -c 'test -e hw.zip && echo 3'", ''),
}


@pytest.mark.parametrize('what', PACKED)
def test_a_command_is_not_run_on_an_archive_or_a_notebook(what, tmp_path):
    files, command, message = PACKED[what]
    source = write_files(tmp_path / 'one', files)
    write_files(tmp_path, {'three/a.txt': '|3\n'})
    status, output, _ = run_grader_here(
        'grade', tmp_path / 'three', source, '--command', command, *FAST
    )
    assert (status, message in ' '.join(output.split())) == (bool(message), True)
    assert not message or 'no program was submitted' in output


@pytest.mark.parametrize('words', [[], ['--command', 'python3 p.py']])
def test_an_encrypted_zip_is_named(words, tmp_path):
    (tmp_path / 'ann.zip').write_bytes(ENCRYPTED)
    write_files(tmp_path, {'three/a.txt': '|3\n'})
    status, output, _ = run_grader_here(
        'grade', tmp_path / 'three', tmp_path / 'ann.zip', *words, *FAST
    )
    assert status == 1
    assert 'the zip is encrypted: submit it without a password' in output
