"""Hostile folders and names: nothing is written elsewhere, read for ever, or shown raw."""

import errno
import json
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from assigned import by, settings_for
from graders import results_by, run_grader_here
from independent import files_in, write_files, zipped
from sandboxes import KINDS

from grading.grader import Scorebook
from grading.player import Shortage
from grading.printable import UNSEEN
from grading.sandbox import untrusted_files
from grading.sandbox.untrusted_files import LONGEST_PATH
from grading.submissions import copy as copying
from grading.submissions.copy import BUILT, HANDED_IN, Bounds
from grading.submissions.identity import fingerprint
from grading.submissions.submission import (
    SubmissionError,
    copy_submission,
    enclosing_package,
    program_of_module,
)

BLOCK = 'if __name__ == ' + "'__main__':"
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
{BLOCK} pass
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
