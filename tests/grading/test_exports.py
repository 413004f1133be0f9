"""Exports of learning platforms: who has handed in what, and what no export may do."""

import json
import os
import shutil
import stat
import tempfile
import zipfile
from functools import partial
from pathlib import Path

import pytest
from graders import FAST, run_grader_here
from hypothesis import given, settings
from hypothesis import strategies as st
from independent import as_zip, write_files, zipped
from tables import each

from grading.submissions import exports
from grading.submissions.copy import Bounds, Copy
from grading.submissions.exports import ExportError, owners, read_export
from grading.submissions.identity import folder_name, submission_names

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
    """Return all files in a folder by name, as texts; zips as bytes."""
    return {str(path.relative_to(folder)):
            path.read_bytes() if zipfile.is_zipfile(path) else path.read_text()
            for path in sorted(folder.rglob('*')) if path.is_file()}


@pytest.fixture(params=['folder', 'zip'])
def export(request, tmp_path):
    """Make an export of files, be it a folder or a zip, in a folder of its own."""
    def make(files):
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        if request.param == 'zip':
            return zipped(folder / 'export.zip', files)
        return write_files(folder / 'export', files)
    return make


def handed_in(path, kind):
    """Read an export; return what was handed in, in order of name."""
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
# As this student is called, with a number that could be one of Canvas's.
OF_ALICE = 'alice_111_50000_x_222_90002_evil.py'
TWO_WAYS = f'{OF_ALICE}: its name can be read as that of alice_111, or of alice_111_50000_x_222'
OF_ANN = 'Ann_1_assignsubmission_file_Ben_2_assignsubmission_file_x.py'
OF_TWO = (f'{OF_ANN}: its name can be read as that of Ann_1, or of '
          'Ann_1_assignsubmission_file_Ben_2')
CY = {'Cy_3_assignsubmission_file_c.py': 'c'}
OF_GITHUB = {'othello-ann/.git/config': 'secret', 'othello-ann/src/othello.py': 'a',
             'othello-ben/.git/config': 'secret', 'othello-ben/__pycache__/x.pyc': 'x',
             'othello-ben/othello.py': 'b'}
# What an export holds; what was handed in, and whether late; and the notes, if there are any. What
# ends in a slash stands for the folder, which may be there or not, around all the rest.
READ = [
    ('canvas', CANVAS, {
        'doejane_12345': (False, {'othello_logic.py': 'logic', 'othello_console.py': 'console'}),
        'roebob_777': (True, {'2_x.py': 'x'}),
        'old-name_888': (True, {'nim_logic.py': 'nim'}),
        'anon_8xGrE': (False, {'a.py': 'anonymous'}),
        'anon_ab0cd': (True, {'a.py': 'anonymous, late'}),
        'textonly_999': (False, {'text.html': '<p>sorry</p>'}),
        'zipper_55': (False, {'othello/othello-1.py': 'inner', 'othello/b.py': 'b'})},
        {'roebob_777': ['roebob_LATE_777_1_2_x.py: its name can be read as that of roebob_777, or '
                        'of roebob_LATE_777_1']}),
    ('moodle', {
        'download/': '',
        'Ann Example_123_assignsubmission_file_/othello.py': 'a',
        'Ann Example_123_assignsubmission_file_/sub/b-1.py': 'b',
        'Ann Example_123_assignsubmission_onlinetext_/onlinetext.html': 'text',
        'Ben_124_assignsubmission_file/c.py': 'c',
        'Participant_7_assignsubmission_file_d_e.py': 'd'}, {
        'Ann Example_123': (
            None, {'othello.py': 'a', 'sub/b-1.py': 'b', 'onlinetext.html': 'text'}),
        'Ben_124': (None, {'c.py': 'c'}),
        'Participant_7': (None, {'d_e.py': 'd'})}),
    ('gradescope', {
        'assignment_8046601_export/': '',
        'submission_metadata.yml': METADATA,
        'submission_409194023/src/othello.py': 'a',
        'submission_500000001.zip': as_zip({'othello.py': 'b'}),
        'submission_600000002/c.py': 'c',
        '.DS_Store': ''}, {
        'Ann Example_100': (None, {'src/othello.py': 'a'}),
        'Zoë Sample_111+O\'\'Neil_b@example.org': (None, {'othello.py': 'b'}),
        'submission_600000002': (None, {'c.py': 'c'})}),
    # Without its metadata.
    ('gradescope', {'x/submission_1/a.py': 'a', 'x/submission_2/b.py': 'b'}, {
        'submission_1': (None, {'a.py': 'a'}), 'submission_2': (None, {'b.py': 'b'})}),
    # Who is only in the metadata.
    ('gradescope', {'submission_metadata.yml': METADATA, 'submission_409194023/a.py': 'a'}, {
        'Ann Example_100': (None, {'a.py': 'a'}),
        'Zoë Sample_111+O\'\'Neil_b@example.org': (None, {})}),
    # Metadata that a student hands in come first in a zip, as deep as those of an export with a
    # folder around it: beside those of the export, and without them.
    ('gradescope', {'assignment_8046601_export/': '',
                    'submission_409194023/submission_metadata.yml': FALSE,
                    'submission_409194023/src/a.py': 'evil',
                    'submission_500000001/src/b.py': 'b', 'submission_metadata.yml': METADATA}, {
        'Ann Example_100': (None, {'submission_metadata.yml': FALSE, 'src/a.py': 'evil'}),
        'Zoë Sample_111+O\'\'Neil_b@example.org': (None, {'src/b.py': 'b'})}),
    ('gradescope', {'assignment_8046601_export/': '',
                    'submission_409194023/submission_metadata.yml': FALSE,
                    'submission_409194023/src/a.py': 'evil',
                    'submission_500000001/src/b.py': 'b'}, {
        'submission_409194023': (None, {'submission_metadata.yml': FALSE, 'src/a.py': 'evil'}),
        'submission_500000001': (None, {'src/b.py': 'b'})}),
    *(('github', {around: '', **OF_GITHUB}, {
        'othello-ann': (None, {'src/othello.py': 'a'}), 'othello-ben': (None, {'othello.py': 'b'})})
      for around in ('othello-submissions/', 'a/b/')),
    # Zips in a zip.
    ('github', {'a.zip': as_zip({'othello.py': 'a'})}, {'a': (None, {'othello.py': 'a'})}),
    ('github', {'class/': '', 'a.zip': as_zip({'othello.py': 'a'}),
                'B.ZIP': as_zip({'othello.py': 'b'})}, {
        'a': (None, {'othello.py': 'a'}), 'B': (None, {'othello.py': 'b'})}),
    # One repository of folders alone.
    ('github', {'hw/ann/.git/config': '', 'hw/ann/src/a.py': 'a'}, {
        'ann': (None, {'src/a.py': 'a'})}),
    # The same people twice.
    ('github', {'x/Ann/a.py': '1', 'x/ann/a.py': '2'}, {
        'Ann': (None, {'a.py': '1'}), 'ann-2': (None, {'a.py': '2'})}),
    # Folders and modules beside other files.
    ('github', {'ann/a.py': 'a', 'ben.py': 'b', 'README.md': 'read me', 'list.csv': ''}, {
        'ann': (None, {'a.py': 'a'}), 'ben': (None, {'ben.py': 'b'})}),
    # An archive that is not unpacked is handed in.
    ('github', {'ann.zip': as_zip({'a.py': 'a'}), 'ben.7z': '7z', 'cy.c': 'c'}, {
        'ann': (None, {'a.py': 'a'}), 'ben': (None, {'ben.7z': '7z'}),
        'cy': (None, {'cy.c': 'c'})}),
    # A name that puts a file into another's hand-in; and one of which that is said where it hurts
    # nobody.
    ('canvas', {**CERTAIN, OF_ALICE: 'evil'}, {
        'alice_111': (False, {'othello.py': 'a'}), 'bob_112': (False, {'othello.py': 'b'})},
        {'alice_111': [f'left out: {TWO_WAYS}']}),
    ('canvas', {OF_ALICE: 'y'}, {'alice_111': (False, {'x_222_90002_evil.py': 'y'})},
     {'alice_111': [TWO_WAYS]}),
    # Numbers that cannot be ones of Canvas: so a file may be called `1_2_x.py`, and a student
    # `alice_111_5_x`.
    ('canvas', {**CERTAIN, 'alice_111_90003_1_2_x.py': '1', 'bob_112_90004_3_x.py': '3',
                'alice_111_5_x_222_90002_y.py': 'not evil'}, {
        'alice_111': (False, {'othello.py': 'a', '1_2_x.py': '1'}),
        'bob_112': (False, {'othello.py': 'b', '3_x.py': '3'}),
        'alice_111_5_x_222': (False, {'y.py': 'not evil'})}),
    # Numbers of so many digits are none: Python reads no number of 5,000.
    ('canvas', {**CERTAIN, f'eve_{"1" * 120}_{"2" * 120}_x.py': ''}, {
        'alice_111': (False, {'othello.py': 'a'}), 'bob_112': (False, {'othello.py': 'b'}),
        f'eve_{"1" * 116}': (False, {'x.py': ''})}),
    # A file of Moodle that is named like another's: no row is made of it; where Ann has handed in
    # more, it is left out.
    ('moodle', {OF_ANN: 'x', **CY}, {
        'Ann_1': (None, {'Ben_2_assignsubmission_file_x.py': 'x'}),
        'Cy_3': (None, {'c.py': 'c'})}, {'Ann_1': [OF_TWO]}),
    ('moodle', {'Ann_1_assignsubmission_file_a.py': 'a', OF_ANN: 'x', **CY}, {
        'Ann_1': (None, {'a.py': 'a'}), 'Cy_3': (None, {'c.py': 'c'})},
        {'Ann_1': [f'left out: {OF_TWO}']}),
    # A folder of Moodle can be read in one way.
    ('moodle', {'Ann_1_assignsubmission_file_/a.py': 'a',
                'Ann_1_assignsubmission_file_x_2_assignsubmission_file_/b.py': 'b',
                'Ann_1_assignsubmission_file_/Ben_2_assignsubmission_file_/c.py': 'c'}, {
        'Ann_1': (None, {'a.py': 'a', 'Ben_2_assignsubmission_file_/c.py': 'c'}),
        'Ann_1_assignsubmission_file_x_2': (None, {'b.py': 'b'})}),
    # A zip beside other files.
    ('canvas', {'ann_1_22_a.py': 'a', 'ann_1_23_more.zip': MORE}, {
        'ann_1': (False, {'a.py': 'a', 'more.zip': MORE})}, {
        'ann_1': ['more.zip: not unpacked, because other files were handed in beside it']}),
    ('github', {'x/ann/a.py': 'a', 'x/ben/notes.zip': MORE, 'x/ben/b.py': 'b'}, {
        'ann': (None, {'a.py': 'a'}), 'ben': (None, {'b.py': 'b', 'notes.zip': MORE})}, {
        'ben': ['notes.zip: not unpacked, because other files were handed in beside it']}),
]


@each('kind, files, found, noted', [(*row, {})[:4] for row in READ])
def test_what_is_read(kind, files, found, noted, export):
    arounds = [name for name in files if name.endswith('/')]
    for around in ['', *arounds]:
        handed = handed_in(export({around + name: content for name, content in files.items()
                                   if name not in arounds}), kind)
        assert {one.folder.name: (one.late, contents(one.folder)) for one in handed} == found
        assert {one.folder.name: one.notes for one in handed if one.notes} == noted


@each('names, originals', [
    (['a-1.py', 'b.py'], ['a.py', 'b.py']),
    (['a-1.py', 'a.py'], ['a-1.py', 'a.py']),
    (['a-1.py', 'a-2.py'], ['a-1.py', 'a-2.py']),
    (['a-1-1.py'], ['a.py']),
    (['a-b.py', '-1.py', 'a-1', 'a-1234.py', '1-1.py'],
     ['a-b.py', '-1.py', 'a-1', 'a-1234.py', '1-1.py']),
    (['Othello-3.java'], ['Othello.java']),
])
def test_resubmitted_names(names, originals):
    assert list(exports.original_names(names).values()) == originals


@pytest.mark.parametrize(('kind', 'files', 'people'), [
    ('canvas', CANVAS, {
        'doejane_12345': ('12345', ''), 'roebob_777': ('777', ''), 'old-name_888': ('888', ''),
        'anon_8xGrE': ('8xGrE', ''), 'anon_ab0cd': ('ab0cd', ''), 'textonly_999': ('999', ''),
        'zipper_55': ('55', '')}),
    ('moodle', {'Ann_123_assignsubmission_file_/a.py': '', 'Ben_7_assignsubmission_file_b.py': ''},
     {'Ann_123': ('123', ''), 'Ben_7': ('7', '')}),
    ('gradescope', {'submission_metadata.yml': METADATA.replace('ann@', '\x1b[2Jann@'),
                    'submission_409194023/a.py': '', 'submission_600000002/b.py': ''}, {
        'Ann Example_100': ('100', '\\x1b[2Jann@example.org'), 'submission_600000002': ('', ''),
        "Zoë Sample_111+O''Neil_b@example.org": ('111', 'b@example.org')}),
    ('github', {'x/ann/a.py': '', 'x/ben/b.py': ''}, {'ann': ('', ''), 'ben': ('', '')}),
])
def test_numbers_and_addresses(kind, files, people, export, tmp_path):
    """Those of Gradescope show that they come to results.json, escaped."""
    path = export(files)
    assert {one.folder.name: (one.id, one.email) for one in handed_in(path, kind)} == people
    if kind != 'gradescope' or path.is_dir():
        return
    run_grader_here('grade', 'stones', path, '--export', kind, *FAST, '--out', tmp_path / 'out',
                    few=True)
    facts = [json.loads(path.read_text(encoding='utf-8'))['extra_data']
             for path in (tmp_path / 'out').glob('*/results.json')]
    assert {one['submission']: (one['id'], one['email']) for one in facts} == people


def test_empty_folders(export):
    """Who has handed in nothing has a row."""
    path = export({'x/ann/a.py': 'a'})
    if path.is_dir():
        (path / 'x' / 'ben').mkdir()
        (path / 'x' / 'cy' / '__pycache__').mkdir(parents=True)
    else:
        with zipfile.ZipFile(path, 'a') as archive:
            for name in ('x/', 'x/ann/', 'x/ben/', 'x/cy/', 'x/cy/__pycache__/'):
                archive.writestr(name, '')
    assert {one.folder.name: contents(one.folder) for one in handed_in(path, 'github')} == {
        'ann': {'a.py': 'a'}, 'ben': {}, 'cy': {}}


def test_files_that_are_nobodys(export, tmp_path):
    path = export({'ann_1_22_a.py': 'a', 'grades.csv': '', '.hidden': '', 'x/notes.txt': ''})
    assert read_export(path, 'canvas', tmp_path / 'out')[1] == ['grades.csv', 'x/notes.txt']


# ------------------------------------------------------------------------------------ metadata

def test_what_programs_print_is_not_taken_for_metadata():
    assert owners(METADATA) == {
        'submission_409194023': ('Ann Example_100', '100', 'ann@example.org'),
        'submission_500000001': ("Zoë Sample_111+O''Neil_b@example.org", '111', 'b@example.org')}


@settings(max_examples=30)
@given(st.text(alphabet='a: \n-\'":\\submiters', max_size=200))
def test_any_metadata_can_be_read(text):
    found = owners(f'{text}\n{METADATA}')
    assert all(key and owner[0] for key, owner in found.items())
    assert found['submission_409194023'][0] == 'Ann Example_100'


# --------------------------------------------------------------------------------------- names

@pytest.mark.parametrize('name', [
    '../x', '..', '.', '', ' ', '/etc/passwd', 'C:\\x', 'con', 'NUL.txt', 'x' * 300, 'é' * 300,
    '\U0001f600' * 99, 'a\nb', '\x1b[2J', '\u202eevil', 'grades.csv', 'Index.html', '.hidden',
    'end. ', 'a\0b', '<script>', 'a|b', '~', '-rf'])
def test_any_name_is_a_folder_here(name, tmp_path):
    taken = set()
    for _ in range(3):
        safe = folder_name(name, taken)
        (tmp_path / safe).mkdir()
        assert safe.isprintable()
        assert len(safe.encode()) < 200
        assert not {*safe} & {*'/\\:*?"<>|'}
        assert safe.strip('. ') == safe
        assert safe.casefold() not in {'con', 'nul.txt', 'grades.csv', 'index.html'}
    assert len(list(tmp_path.iterdir())) == len(taken) == 3


# Names that are often the same, but for their case, what is not allowed in them, or their ends.
NAMES = st.builds(str.__mul__, st.sampled_from(['a', 'A', 'a-2', 'a/', '.', 'ß', 'ss', 'é', '']),
                  st.sampled_from([1, 2, 149, 150, 300]))


@given(st.lists(NAMES, max_size=9))
def test_no_two_names_are_the_same_anywhere(names):
    taken = set()
    safe = [folder_name(name, taken) for name in names]
    assert len({name.casefold() for name in safe}) == len(names)


def test_names_of_submissions(tmp_path):
    """Without the ending of a file, unless another has the same name; a folder has none."""
    write_files(tmp_path, {name: '' for name in (
        'doe.py', 'roe.py', 'roe.zip', 'Lee.ZIP', 'lee/x', 'x.py/x', 'Main.java', 'notes.txt',
        'again/doe.py')})
    sources = [tmp_path / name for name in (
        'doe.py', 'roe.py', 'roe.zip', 'Lee.ZIP', 'lee', 'x.py', 'Main.java', 'notes.txt')]
    assert submission_names(sources) == [
        'doe', 'roe.py', 'roe.zip', 'Lee.ZIP', 'lee', 'x.py', 'Main', 'notes.txt']
    assert submission_names([tmp_path / 'doe.py', tmp_path / 'again' / 'doe.py']) == [
        'doe.py', 'doe.py-2']


def test_hostile_names_in_an_export(tmp_path):
    path = zipped(tmp_path / 'x.zip', {f'{name}_{i}_2_a.py': 'a' for i, name in enumerate(
        ['con', '\x1b[2J', '\u202e', 'x' * 300, 'Ann', 'ANN'])})
    assert [(contents(one.folder), one.folder.name.isprintable())
            for one in handed_in(path, 'canvas')] == [({'a.py': 'a'}, True)] * 6


# ------------------------------------------------------------------------------------- attacks

@pytest.mark.parametrize('name', ['d_1_2_..', 'd_1_2_../../../evil.py', '../d_1_2_evil.py',
                                  '/d_1_2_evil.py', 'd_1_2_C:evil.py', 'd_1_2_..\\evil.py'])
def test_no_file_leaves_its_folder(name, tmp_path):
    path = zipped(tmp_path / 'x.zip', {name: 'evil', 'd_1_3_good.py': 'good'})
    [handed] = [one for one in handed_in(path, 'canvas') if one.folder.name == 'd_1']
    assert 'good.py' in contents(handed.folder)
    assert all(handed.folder in path.parents for path in tmp_path.rglob('*evil*'))


def test_no_folder_leaves_the_target(tmp_path):
    path = zipped(tmp_path / 'x.zip', {
        '../../evil/a.py': 'a', '/etc/b.py': 'b', 'x/../../../c.py': 'c', 'good/d.py': 'd'})
    handed_in(path, 'github')
    out = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob('*') if path.is_file()}
    assert {name for name in out if not name.startswith('submissions/')} == {'x.zip'}


def test_links_and_devices_are_left_out(tmp_path):
    """In a zip, and in a folder."""
    link = zipfile.ZipInfo('d_1_2_link.py')
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = zipped(tmp_path / 'x.zip', {'d_1_3_good.py': 'good'})
    with zipfile.ZipFile(path, 'a') as archive:
        archive.writestr(link, '/etc/passwd')
    folder = write_files(tmp_path / 'x', {'d_1_3_good.py': 'good'})
    (folder / 'd_1_4_link.py').symlink_to('/etc/passwd')
    (folder / 'd_1_5_outside').symlink_to('/etc')
    os.mkfifo(folder / 'd_1_6_fifo.py')
    for place, left_out in ((path, 1), (folder, 3)):
        shutil.rmtree(tmp_path / 'submissions', ignore_errors=True)
        [handed] = handed_in(place, 'canvas')
        assert (contents(handed.folder), len(handed.notes)) == ({'good.py': 'good'}, left_out)
        assert place == folder or handed.notes == ['left out: link.py: a link']


def test_what_is_too_large_hurts_nobody_else(tmp_path, monkeypatch):
    monkeypatch.setattr(exports, 'Copy', partial(Copy, bounds=Bounds(files=5, size=1000)))
    bomb = as_zip({f'{i}.py': '0' * 400 for i in range(9)})
    path = zipped(tmp_path / 'x.zip', {
        'a_1_2_large.py': '0' * 2000, 'a_1_3_small.py': 'a', 'b_2_3_bomb.zip': bomb,
        'c_3_4_fine.py': 'c', **{f'd_4_{i}_{i}.py': 'd' for i in range(9)}})
    handed = handed_in(path, 'canvas')
    files = {one.folder.name: contents(one.folder) for one in handed}
    notes = {one.folder.name: ' '.join(one.notes) for one in handed}
    assert (files['a_1'], files['c_3']) == ({'small.py': 'a'}, {'fine.py': 'c'})
    assert (len(files['b_2']) < 4, len(files['d_4'])) == (True, 5)
    assert notes['b_2']
    assert 'large.py' in notes['a_1']
    assert 'more than 5 files' in notes['d_4']


@each('files, left, note', [
    # A zip that is none stays where it is.
    ({'a_1_2_broken.zip': 'no zip'}, {'broken.zip': 'no zip'}, 'broken.zip: not a zip file'),
    # Two files of one name.
    ({'a_1_2_x.py': 'first', 'a_1_3_x.py': 'second'}, {'x.py': 'first'}, '')])
def test_what_is_left_of_a_hand_in(files, left, note, export):
    [handed] = handed_in(export(files), 'canvas')
    assert (contents(handed.folder), len(handed.notes)) == (left, 1)
    assert note in handed.notes[0]


@pytest.mark.parametrize('kind', ['canvas', 'moodle', 'gradescope', 'github'])
def test_an_export_of_nothing(kind, tmp_path):
    broken = tmp_path / 'broken.zip'
    broken.write_bytes(b'PK\3\4 no zip')
    for path in (zipped(tmp_path / 'a\x1b.zip', {'x.txt': ''}), tmp_path / 'missing.zip', broken):
        with pytest.raises(ExportError) as error:
            read_export(path, kind, tmp_path / 'out')
        assert str(error.value).isprintable()
