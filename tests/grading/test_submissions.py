"""Hostile folders and names: nothing is written elsewhere, read for ever, or shown raw."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from pathlib import Path

import pytest
from graders import run_grader_here
from independent import files_in, zipped

from grading.printable import UNSEEN
from grading.reports.results import Results
from grading.settings import Settings
from grading.submissions import copy as copying
from grading.submissions.executable import SubmissionError, enclosing_package, find_program
from grading.submissions.submission import copy_submission

BLOCK = 'if __name__ == ' + "'__main__':"
EVIL = 'a\nb\x1b[2J\r\u202e\u200b<b>"\''


def test_too_many_files(tmp_path, monkeypatch):
    monkeypatch.setattr(copying, 'MOST_FILES', 5)
    path = zipped(tmp_path / 'a.zip', {f'{number}': '' for number in range(9)})
    os.makedirs(tmp_path / 'folder' / 'a' / 'b' / 'c' / 'd' / 'e' / 'f')
    for source in (path, tmp_path / 'folder'):
        assert copy_submission(source, tmp_path / f'copy of {source.name}') == [
            'left out: the rest: more than 5 files in all']


def test_sparse_file_and_deep_folder(tmp_path):
    folder = tmp_path / 'one'
    os.makedirs(folder / ('a/' * 200))
    with open(folder / 'big', 'wb') as stream:
        stream.truncate(1 << 40)
    assert copy_submission(folder, tmp_path / 'copy') == [
        'left out: big: more than 64 MB in all',
        f'left out: {"/".join("a" * 51)}: more than 50 folders deep']


def test_source_that_takes_long_to_search(tmp_path):
    (tmp_path / '__init__.py').write_text('')
    module = tmp_path / 'game.py'
    module.write_text('\n' * (1 << 22) + 'if' + ' ' * (1 << 22))
    assert enclosing_package(module) is None
    with pytest.raises(SubmissionError, match='no executable module'):
        find_program(tmp_path, 'python3')


@pytest.mark.parametrize('make', [
    os.mkfifo, lambda path: path.symlink_to('/dev/zero'), lambda path: path.symlink_to(__file__),
    lambda path: path.symlink_to(path), lambda path: path.write_bytes(b'{"tests": \xff'),
    lambda path: path.write_text('[' * 100000)])
def test_what_stands_where_the_results_go(make, tmp_path):
    path = tmp_path / 'results.json'
    make(path)
    Results([], Settings('othello'), 'one', path).save()
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
