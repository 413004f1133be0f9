"""Hidden sessions: students see their names, titles and results, and nothing else."""

import fcntl
import json
import os
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from graders import explained_here, run_grader_here
from programs import write_files
from running import PYTHON, rest_long
from sandboxes import KINDS

from grading.reports.results_json import from_json
from grading.reports.students import for_students
from grading.results import Results

# The hidden session is the shorter one; sorted by length alone, it would be played first.
SESSIONS = {
    'a.txt': '# hidden\n11\n|x\n',
    'b.txt': '# Greets Ann and Bob\nAnn\n|Hello, Ann\nBob\n|Hello, Bob\n',
}


def outputs_for_students(folder, sessions, source, kind='none'):
    """Grade a program; return the outputs for students, by name, and the teacher's results."""
    course = write_files(folder / 'greeting', sessions)
    submitted = write_files(folder / 'ann', {'greet.py': source})
    out, junit, gradescope = (folder / name for name in ('out', 'junit.xml', 'results.json'))
    status, report, errors = run_grader_here(
        'grade',
        course,
        submitted,
        '--command',
        f'{PYTHON} greet.py',
        '--confine',
        kind,
        '--out',
        out,
        '--junit',
        junit,
        '--results',
        gradescope,
    )
    assert status in (0, 1), errors
    return {
        'report': report,
        **{
            path.name: path.read_text(encoding='utf-8')
            for path in (out / 'ann' / 'report.html', junit, gradescope)
        },
    }, from_json(Results, json.loads((out / 'ann' / 'results.json').read_text(encoding='utf-8')))


@pytest.fixture
def students_see(tmp_path):
    def students_see(sessions, source, name=''):
        with explained_here():
            return outputs_for_students(tmp_path / name, sessions, source)

    return students_see


# ------------------------------------------------- what a hidden run leaves behind is not seen

REMEMBERS = """
from pathlib import Path
typed, notes = input(), Path({notes!r})
with notes.open('a') as file:
    file.write(f'[{{typed}}]')
print('Bye', notes.read_text())
"""


def test_what_a_hidden_run_leaves_is_in_no_output(students_see, tmp_path):
    shown, results = students_see(SESSIONS, REMEMBERS.format(notes=str(tmp_path / 'notes')))
    assert (tmp_path / 'notes').read_text(encoding='utf-8').endswith('[11]')
    assert [test.name for test in results.tests] == [*SESSIONS]
    for where, text in shown.items():
        assert '[Ann]' in text, where
        assert '[11]' not in text, where


# In a hidden run, the program stores the bits of a number in the page cache of a file all runs can
# read.
STEP, BITS = 1 << 18, 4  # bytes between two bits: the kernel does not read ahead that far
OTHER = 0b0100  # has no bit in common with the typed 11
IN_CACHE = """
import os
file = os.open({path!r}, os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)

def is_there(bit):
    try:
        return bool(os.preadv(file, [bytearray(1)], {step} * bit, os.RWF_NOWAIT))
    except BlockingIOError:
        return False

def note(number):
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    for bit in range({bits}):
        if number >> bit & 1:
            os.pread(file, 1, {step} * bit)

def noted():
    return sum(is_there(bit) << bit for bit in range({bits}))
"""
REVEALS = (
    IN_CACHE
    + """
typed = input()
print(note(int(typed)) if typed.isdigit() else f'<{{noted()}}>')
"""
)


@contextmanager
def held(folder):
    """Hold the lock of a folder, shared by all processes of the machine."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def file_in_cache():
    """Return a system file whose page cache can store a number, now 0, or None."""
    for path in sorted(Path('/usr/share').rglob('*')):
        if path.is_file() and not path.is_symlink() and path.stat().st_size > STEP * (BITS + 1):
            found = {}
            exec(IN_CACHE.format(path=str(path), step=STEP, bits=BITS), found)
            try:
                # The remains of this number cannot be mistaken for the typed number.
                found['note'](OTHER)
                is_kept = found['noted']() == OTHER
                found['note'](0)
                if is_kept and not found['noted']():
                    return path
            except (AttributeError, OSError):  # PyPy has no os.preadv
                return None
            finally:
                os.close(found['file'])
    return None


@pytest.mark.long  # it tests the machine, where other processes also use the cache
@pytest.mark.parametrize('kind', KINDS)
def test_the_page_cache_reveals_nothing(kind, tmp_path):
    with held('/usr'):  # other tests might use the same file at the same time
        path = file_in_cache()
        if not path:
            pytest.skip('no file whose cache holds a number')
        shown, _ = outputs_for_students(
            tmp_path, SESSIONS, REVEALS.format(path=str(path), step=STEP, bits=BITS), kind
        )
    for where, text in shown.items():
        assert '&lt;11&gt;' not in text, where
        assert '<11>' not in text, where


def test_students_see_no_times(students_see):
    """Only the teacher's results contain times."""
    shown, results = students_see(SESSIONS, 'print("Hello,", input())')
    assert results.execution_time > 0
    assert 'execution_time' not in shown['results.json']
    assert 'time=' not in shown['junit.xml']
    assert 'Time' not in shown['report.html']


# --------------------------------------------------------- the reports about other sessions

FINDINGS = {  # programs, and a hidden session that might change their findings
    'words': (
        'for _ in range(2): print("Hi,", name) if len(name := input()) < 9 else print("Yo")',
        '# hidden\nMaximilian\n|Hello\nMaximilian\n|Hello\n',
    ),
    'an exception': (
        'for _ in range(2): print("Hello,", input()[2])',
        '# hidden\nX\n|Hello, X\nX\n|Hello, X\n',
    ),
    'a prompt': (
        'for _ in range(2): print("Hello,", input("Name? "))',
        '# hidden\nSue\n|Hello, Sue\nTim\n|Hello, Tim!\n',
    ),
    'spaces': (
        'for _ in range(2): print("Hello,  ", input(), end=" \\n")',
        '# hidden\nSue Lee\n|Hello, Sue Lee\nTim\n|Hello, Tim\n',
    ),
    'nothing': ('', '# hidden\n|x\n'),
}


@pytest.mark.parametrize('name', rest_long(FINDINGS))
def test_a_hidden_session_changes_no_finding_of_others(name, students_see):
    """A hidden session changes no sentence, quotation, advice or place in other findings.

    In the list of a finding's sessions, the hidden session comes last.
    """
    source, hidden = FINDINGS[name]
    visible = {name: text for name, text in SESSIONS.items() if name == 'b.txt'}
    alone, beside = (
        students_see(sessions, source, folder)[1]
        for folder, sessions in (('alone', visible), ('beside', {**visible, 'a.txt': hidden}))
    )
    assert alone.findings
    for finding, other in zip(alone.findings, beside.findings, strict=False):
        assert other.sessions[: len(finding.sessions)] == finding.sessions
        assert replace(other, sessions=[], clean_points=0, clean=[], cut=[]) == replace(
            finding, sessions=[], clean_points=0, clean=[], cut=[]
        )
    shown = for_students(beside).findings
    assert [finding.sentence for finding in shown[: len(alone.findings)]] == [
        finding.sentence for finding in alone.findings
    ]


def test_findings_of_hidden_sessions_quote_nothing(students_see):
    """Findings shown by visible sessions still quote the program."""
    hidden = '# hidden\nSECRET\n|Hello\n|SECRETS\n'
    shown, results = students_see(
        {**SESSIONS, 'a.txt': hidden},
        (
            'print("Hallo," if (name := input()) == "Ann" else "Hello,", name)\n'
            'name.isupper() or print("Hello,", input())\n'
        ),
    )
    first, *others = [finding.sessions for finding in results.findings]
    assert (first, {*map(tuple, others)}) == (['b.txt'], {('a.txt',)})
    assert 'Hallo' in for_students(results).findings[0].sentence
    for where, text in shown.items():
        assert 'Hallo' in text, where
        assert 'SECRET' not in text, where
