"""The grader's reports about the wrong programs equal the goldens, and `tools/` fits the project."""

import importlib
import re

import faults_page
import mutation
import pytest
from goldens import FOLDER, MAX_SESSIONS, faults_in, golden, hangs_in, read, sessions_in
from running import IS_PYPY
from wrong_programs import PROGRAMS

from grading.diagnosis.manners import MANNERS
from grading.diagnosis.printing import WAYS
from grading.games import GAMES
from grading.games.known_faults import faults_of
from grading.installation import ROOT

GOLDENS = read(FOLDER)
# The goldens that differ if PyPy runs the programs, and why.
NOT_ON_PYPY = {
    'own/greeting: a-crash': 'its TypeError has another text, which does not say so much',
    'nameless/othello: a cell and a direction change places': 'an endless loop has filled the memory before its time is over',
}
TOGETHER = 6  # number of programs in a group
EACH = 36  # `make test` runs one group in this many; `make test-long` runs the others


def groups():
    """Yield the names of programs in groups, because each test takes some time to start.

    Hanging programs come first; otherwise the suite would wait for one of them at its end.
    """
    names = sorted(PROGRAMS, key=lambda name: not hangs_in(GOLDENS.get(name, '')))
    for number, first in enumerate(range(0, len(names), TOGETHER)):
        marks = pytest.mark.long if number % EACH else ()
        yield pytest.param(names[first : first + TOGETHER], marks=marks, id=names[first])


@pytest.mark.parametrize('names', [*groups()])
def test_goldens(names):
    """The reports equal the goldens.

    If a new report is right, `make goldens` writes it into the golden; see CONTRIBUTING.md.
    """
    names = [name for name in names if not (IS_PYPY and name in NOT_ON_PYPY)]
    assert [name for name in names if name not in GOLDENS] == [], 'make goldens ONLY=...'
    expected = {name: as_here(GOLDENS[name]) for name in names}
    reports = {name: report_on(name) for name in names}
    # A prompt that nobody expects is read before or after the next line is typed. On a busy machine
    # this may be another turn than usual, so a report that differs is made once more.
    again = [name for name in names if reports[name] != expected[name]]
    reports.update({name: report_on(name) for name in again})
    assert reports == expected


def report_on(name):
    program, before = PROGRAMS[name], GOLDENS[name]
    return golden(program, sessions_in(before), program.is_traced, hangs_in(before))


def as_here(text):
    """Return a golden as this Python words it: PyPy's EOFError has no message."""
    return text.replace('EOFError: EOF when reading a line', 'EOFError') if IS_PYPY else text


def test_each_golden_has_its_program_and_few_sessions():
    assert [*GOLDENS] == sorted(PROGRAMS)
    assert all(1 <= len(sessions_in(text)) <= MAX_SESSIONS for text in GOLDENS.values())


def test_each_known_fault_is_named_in_a_golden():
    known = [
        *WAYS,
        *MANNERS,
        *(fault for game in GAMES.values() for fault in faults_of(game).known),
    ]
    named = {name for text in GOLDENS.values() for name in faults_in(text)}
    assert {fault.id for fault in known} - named == set()


# For these programs, the grader names too few faults or wrong ones: their prompts, spaces or
# letters hide other faults, or four sessions cannot show all of their faults.
NOT_ALL_NAMED = {
    'othello/othello: fifth-setup-line',
    'manners/loop: FULL after the setup',
    *(
        name
        for name, program in PROGRAMS.items()
        if name.startswith('several/') and len(program.faults or ()) > 5
    ),
    'several/othello: never-passes + direction-missing + off-board-crash + wins-swapped + prompts',
}


def test_goldens_name_the_faults_of_the_programs():
    """For most programs, the goldens name the faults listed in the tables of wrong programs."""
    for name, program in PROGRAMS.items():
        if program.faults is not None:
            found = [fault for fault in faults_in(GOLDENS[name]) if fault]
            all_are_named = sorted(found) == sorted(program.faults)
            assert all_are_named == (name not in NOT_ALL_NAMED), name
            if name.startswith('several/'):
                assert {*found} <= {*program.faults}, name


# What `tools/` works with.


def test_each_tool_can_be_imported():
    names = re.findall(r'\$\(call main_of,(\w+)', (ROOT / 'Makefile').read_text(encoding='utf-8'))
    assert len(names) > 5
    assert [name for name in names if not callable(importlib.import_module(name).main)] == []


def test_the_files_of_mutated_programs_exist():
    files = [file for files in mutation.FILES.values() for file in files]
    assert [file for file in files if not (ROOT / file).is_file()] == []


def test_the_page_of_faults_is_up_to_date():
    assert faults_page.PAGE.read_text(encoding='utf-8') == faults_page.page()


def test_each_unseen_program_has_its_faults_report_and_verdict():
    unseen = ROOT / 'tests' / 'grading' / 'unseen'
    verdicts = (unseen / 'VERDICTS.md').read_text(encoding='utf-8')
    programs = []
    for author in 'abc':
        names = sorted(folder.name for folder in (unseen / author).glob('*/'))
        for file, row in (
            ('FAULTS.txt', r'^(\d\d)  '),
            ('REPORTS.txt', rf'^=== {author}(\d\d) ===$'),
        ):
            text = (unseen / author / file).read_text(encoding='utf-8')
            assert sorted({*re.findall(row, text, re.MULTILINE)}) == names, (author, file)
        programs += [f'{author}{name}' for name in names]
    assert len(programs) == 60
    assert sorted(re.findall(r'^\| ([abc]\d\d) \|', verdicts, re.MULTILINE)) == programs
