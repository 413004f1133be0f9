"""Hostile zips: nothing is written elsewhere, unpacked for ever, or ends more than itself."""

import lzma
import struct
import subprocess
import zipfile
from unittest import mock

import pytest
from independent import files_in, write_files, zipped
from tables import each

from grading.submissions.copy import HANDED_IN
from grading.submissions.exports import read_export
from grading.submissions.identity import fingerprint
from grading.submissions.submission import SubmissionError, copy_submission

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
HOSTILE = {
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


@pytest.mark.parametrize('what', HOSTILE)
def test_an_entry_that_cannot_be_read(what, tmp_path):
    path = tmp_path / 'x.zip'
    path.write_bytes(written([(b'good.py', 0, b'', 0, None), HOSTILE[what]]))
    [note] = copy_submission(path, tmp_path / 'copy')
    assert (note[:10], files_in(tmp_path / 'copy')) == ('left out: ', ['good.py'])


@pytest.mark.parametrize('what', HOSTILE)
@pytest.mark.parametrize('kind', ['canvas', 'github'])
def test_a_class_goes_on_without_it(what, kind, tmp_path):
    """Be the zip the export, or in it."""
    inner = written([HOSTILE[what]])
    evil, bad, good = {
        'canvas': (b'evil_1_22_', b'bad_2_33_x.zip', b'good_3_44_a.py'),
        'github': (b'evil/', b'bad.zip', b'good/a.py')}[kind]
    name, *facts = HOSTILE[what]
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
