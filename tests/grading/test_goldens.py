"""The grader's reports about the wrong programs equal the goldens, and the tools of `make` run."""

import importlib
import re

import faults_page
import hostile_outputs
import measure_places
import mutation
import pictures
import pytest
import unseen_programs
from goldens import FOLDER, MAX_SESSIONS, faults_in, golden, hangs_in, read, sessions_in
from graders import explained_here
from running import IS_PYPY
from sandboxes import skip_unless_discarded
from wrong_programs import PROGRAMS

from grading.diagnosis.manners import MANNERS
from grading.diagnosis.printing import WAYS
from grading.games import GAMES
from grading.games.known_faults import faults_of
from grading.installation import ROOT, TRANSCRIPTS_FOLDER

GOLDENS = read(FOLDER)
# The goldens that differ if PyPy runs the programs, and why.
NOT_ON_PYPY = {
    'own/greeting: a-crash': 'its TypeError has another text, which does not say so much',
    'nameless/othello: a cell and a direction change places': 'an endless loop has filled the memory before its time is over',
}
TOGETHER = 6  # number of programs in a group
EACH = 6  # `make test` runs one group in this many; `make test-long` runs the others


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
    reports = {
        name: golden(
            PROGRAMS[name], sessions_in(before), PROGRAMS[name].is_traced, hangs_in(before)
        )
        for name in names
        for before in [GOLDENS[name]]
    }
    assert reports == {name: as_here(GOLDENS[name]) for name in names}


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


# The tools of `make`.

WORKED = {
    name: TRANSCRIPTS_FOLDER / path / 'worked_example.txt'
    for name, path in {'sample piles': 'nim/piles', 'othello console': 'othello'}.items()
}


def test_each_tool_can_be_imported():
    names = re.findall(r'\$\(call main_of,(\w+)', (ROOT / 'Makefile').read_text(encoding='utf-8'))
    assert len(names) > 5
    assert [name for name in names if not callable(importlib.import_module(name).main)] == []


def test_places_are_measured_in_correct_programs():
    """A program passes before it is changed, and the place of a change is reported.

    One program of each kind is checked, since the others are made in the same way.
    """
    skip_unless_discarded()
    for name, path in WORKED.items():
        run, text = next(iter(measure_places.program(name)[1].items()))
        session = {'sessions': ((path.name, path.read_text(encoding='utf-8')),)}
        assert measure_places.grade_change((name, run, [], text), **session) is None
        assert measure_places.grade_change((name, run, [1], '1 / 0\n'), **session)['named']
    assert all(
        max(lines) <= len(text.split('\n')) for *_, lines, text in measure_places.beginners()
    )


def test_the_files_of_mutated_programs_exist():
    files = [file for files in mutation.FILES.values() for file in files]
    assert [file for file in files if not (ROOT / file).is_file()] == []


def test_faults_that_are_pictured_are_known():
    for faults in pictures.CLASS.values():
        pictures.with_faults(faults)


def test_the_page_of_faults_is_up_to_date():
    assert faults_page.PAGE.read_text(encoding='utf-8') == faults_page.page()


def test_a_hostile_program_gets_its_points(tmp_path):
    """This checks one hostile program; `make hostile` checks hundreds."""
    with explained_here():
        hostile_outputs.check(0, tmp_path)


def test_each_unseen_program_has_its_faults_report_and_verdict():
    names = [name for name, *_ in unseen_programs.programs()]
    assert len(names) == 60
    assert sorted(unseen_programs.reports_by_name()) == names
    verdicts = (unseen_programs.FOLDER / 'VERDICTS.md').read_text(encoding='utf-8')
    assert sorted(re.findall(r'^\| ([abc]\d\d) \|', verdicts, re.MULTILINE)) == names
    for name, folder, _ in unseen_programs.programs():
        faults = (folder.parent / 'FAULTS.txt').read_text(encoding='utf-8')
        assert re.search(rf'^{folder.name}  ', faults, re.MULTILINE), name
