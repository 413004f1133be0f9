"""What all processes of a run hold together is bounded, though each holds what it may."""

from __future__ import annotations

import pytest
from sandboxes import ALL_KINDS, bounded

import grading.sandbox.bubblewrap
import grading.sandbox.watch
from grading.assignments.find import transcripts_for
from grading.grader import grade
from grading.reports.results import Results
from grading.sandbox.cleanup import scratch_folder
from grading.sandbox.kinds import confine
from grading.sandbox.limits import MEGABYTE
from grading.sandbox.program import Program
from grading.sandbox.watch import OUT_OF_DISK, OUT_OF_MEMORY
from grading.sessions.run import PIPES, running
from grading.settings import Settings
from grading.submissions.handed_in import opened

LITTLE = 64 * MEGABYTE                  # more than which these hold
# Four processes of 50 MB each.
MEMORY = '''
import os, time
reader, writer = os.pipe()
for _ in range(4):
    if not os.fork():
        os.close(1)
        held = b"x" * (50 << 20)
        os.write(writer, b".")
        time.sleep(600)
for _ in range(4):
    os.read(reader, 1)
print("held", flush=True)
time.sleep(1)
print("still held", flush=True)
'''
# The same memory in twenty processes.
SHARED = '''
import mmap, os, time
with open("shared", "wb+") as file:
    file.truncate(15 << 20)
    shared = mmap.mmap(file.fileno(), 15 << 20)
for _ in range(20):
    if not os.fork():
        os.close(1)
        for place in range(0, 15 << 20, 4096):
            shared[place]
        time.sleep(600)
time.sleep(1)
print("held", flush=True)
'''
DISK = '''
import os, time
for number in range(20):
    with open(f"{FOLDER}/{number}", "wb") as file:
        file.write(bytes(5 << 20))
print("held", flush=True)
time.sleep(1)
print("still held", flush=True)
'''
REMOVED = '''
import os, time
files = []
for number in range(20):
    files.append(open("removed", "wb"))
    os.remove("removed")
    files[-1].write(bytes(5 << 20))
print("held", flush=True)
time.sleep(1)
print("still held", flush=True)
'''
FILES = [DISK.replace('{FOLDER}', '.'), DISK.replace('{FOLDER}', '..'), REMOVED]


def endless(source):
    """Return a program that holds what it has until it is ended."""
    assert source.count('time.sleep(1)') == 1
    return source.replace('time.sleep(1)', 'time.sleep(600)')


def excess_of(kind, source):
    """Run a program; return what it held too much of, and all that it printed."""
    with bounded(), scratch_folder() as scratch:
        sandbox = confine(kind, scratch)
        folder = scratch / 'one'
        folder.mkdir()
        (folder / 'program.py').write_text(source)
        with running(Program([sandbox.python, 'program.py'], folder), sandbox, PIPES, 60) as run:
            printed = b''
            while piece := run.read(60):
                printed += piece
            assert run.status(60) is not None
            assert not run.was_killed_by_system
            return run.excess, printed


@pytest.mark.parametrize('kind', ALL_KINDS)
def test_memory_of_all_processes_is_bounded(kind, monkeypatch):
    monkeypatch.setattr(grading.sandbox.watch, 'MOST_MEMORY', LITTLE)
    excess, printed = excess_of(kind, endless(MEMORY))
    assert excess == OUT_OF_MEMORY
    assert b'still' not in printed


@pytest.mark.parametrize('kind', ALL_KINDS)
def test_memory_within_the_bound_is_held(kind):
    assert excess_of(kind, MEMORY) == ('', b'held\nstill held\n')


@pytest.mark.parametrize('kind', ALL_KINDS)
def test_what_is_shared_counts_once(kind, monkeypatch):
    monkeypatch.setattr(grading.sandbox.watch, 'MOST_MEMORY', 250 * MEGABYTE)
    assert excess_of(kind, SHARED) == ('', b'held\n')


@pytest.mark.parametrize('source', FILES, ids=['in its folder', 'above it', 'removed'])
@pytest.mark.parametrize('kind', ALL_KINDS)
def test_files_on_the_disk_are_bounded(kind, source, monkeypatch):
    monkeypatch.setattr(grading.sandbox.bubblewrap, 'SIZE', str(LITTLE))
    monkeypatch.setattr(grading.sandbox.watch, 'MOST_DISK', LITTLE)
    excess, printed = excess_of(kind, endless(source))
    assert excess == ('' if kind == 'bwrap' else OUT_OF_DISK)      # its disk is small
    assert b'still' not in printed


@pytest.mark.parametrize('source', FILES, ids=['in its folder', 'above it', 'removed'])
@pytest.mark.parametrize('kind', ALL_KINDS)
def test_files_within_the_bound_are_held(kind, source):
    assert excess_of(kind, source) == ('', b'held\nstill held\n')


def test_report_says_that_it_was_too_much(tmp_path, monkeypatch):
    monkeypatch.setattr(grading.sandbox.watch, 'MOST_MEMORY', LITTLE)
    (tmp_path / 'one').mkdir()
    (tmp_path / 'one' / 'othello.py').write_text(endless(MEMORY))
    settings = Settings('othello', confine='none', timeout=60, no_where=True)
    results = Results(transcripts_for('othello')[:1], settings, 'one')
    with bounded(), opened(tmp_path / 'one') as handed_in:
        grade(handed_in, settings, results)
    output = results.to_dict()['tests'][0]['output']
    assert f'it and all that it had started held {OUT_OF_MEMORY}: it was ended' in output
