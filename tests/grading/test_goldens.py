"""What the grader says of each wrong program, as the goldens have it; and longer checks."""

import importlib
import re

import faults_page
import hostile_outputs
import measure_places
import mutants
import pictures
import pytest
import unseen_programs
from goldens import FOLDER, MOST_SESSIONS, faults_in, golden, hangs_in, read, sessions_in
from graders import explained_here
from running import IS_PYPY
from sandboxes import skip_unless_discarded
from wrong_programs import PROGRAMS

from grading.diagnosis.common_faults import MANNERS, PRINTING
from grading.games.known_faults import faults_of
from grading.games.registry import GAMES
from grading.installation import ROOT, TRANSCRIPTS_FOLDER

GOLDENS = read(FOLDER)
# What is otherwise where PyPy runs the programs, and why.
NOT_ON_PYPY = {
    'own/greeting: a-crash': 'its TypeError has another text, which does not say so much',
    'nameless/othello: a cell and a direction change places': 'an endless loop has filled the memory before its time is over',
}
TOGETHER = 6  # programs
EACH = 6  # of so many groups, `make test` tries one; `make test-long` tries the others


def groups():
    """Yield groups of names of programs: a test takes time of its own.

    Those that hang begin first, or the suite would wait for one of them at its end.
    """
    names = sorted(PROGRAMS, key=lambda name: not hangs_in(GOLDENS.get(name, '')))
    for number, first in enumerate(range(0, len(names), TOGETHER)):
        marks = pytest.mark.long if number % EACH else ()
        yield pytest.param(names[first : first + TOGETHER], marks=marks, id=names[first])


@pytest.mark.parametrize('names', [*groups()])
def test_goldens(names):
    """If the grader should say something else now, `make goldens` writes it; see CONTRIBUTING."""
    names = [name for name in names if not (IS_PYPY and name in NOT_ON_PYPY)]
    assert [name for name in names if name not in GOLDENS] == [], 'make goldens ONLY=...'
    said = {
        name: golden(
            PROGRAMS[name], sessions_in(before), PROGRAMS[name].is_traced, hangs_in(before)
        )
        for name in names
        for before in [GOLDENS[name]]
    }
    assert said == {name: as_here(GOLDENS[name]) for name in names}


def as_here(text):
    """Return a golden as this Python words it: an EOFError of PyPy gives no reason."""
    return text.replace('EOFError: EOF when reading a line', 'EOFError') if IS_PYPY else text


def test_each_golden_has_its_program_and_few_sessions():
    assert [*GOLDENS] == sorted(PROGRAMS)
    assert all(1 <= len(sessions_in(text)) <= MOST_SESSIONS for text in GOLDENS.values())


def test_each_known_fault_is_named_in_a_golden():
    known = [
        *PRINTING,
        *MANNERS,
        *(one for game in GAMES.values() for one in faults_of(game).known),
    ]
    named = {name for text in GOLDENS.values() for name in faults_in(text)}
    assert {one.id for one in known} - named == set()


# Of these programs the grader names too few faults, or others: their prompts, spaces or letters
# hide the rest, or four sessions cannot show all of their faults.
UNTOLD = {
    'othello/othello: fifth-setup-line',
    'manners/loop: FULL after the setup',
    *(
        name
        for name, program in PROGRAMS.items()
        if name.startswith('several/') and len(program.faults or ()) > 5
    ),
    'several/othello: never-passes + direction-missing + off-board-crash + wins-swapped + prompts',
}


def test_what_a_golden_names_is_there_and_nothing_else():
    """However a golden may change: of most programs it is known what is wrong."""
    for name, program in PROGRAMS.items():
        if program.faults is not None:
            told = [fault for fault in faults_in(GOLDENS[name]) if fault]
            assert (sorted(told) == sorted(program.faults)) == (name not in UNTOLD), name
            assert {*told} <= {*program.faults} or not name.startswith('several/'), name


# What the longer checks use.

WORKED = {
    name: TRANSCRIPTS_FOLDER / path / 'worked_example.txt'
    for name, path in {'sample piles': 'nim/piles', 'othello console': 'othello'}.items()
}


def test_each_can_be_imported():
    names = re.findall(r'\$\(call main_of,(\w+)', (ROOT / 'Makefile').read_text(encoding='utf-8'))
    assert len(names) > 5
    assert [name for name in names if not callable(importlib.import_module(name).main)] == []


def test_what_is_changed_is_right_before():
    """A program in which places are measured; the others of its kind are made alike."""
    skip_unless_discarded()
    for name, path in WORKED.items():
        run, text = next(iter(measure_places.program(name)[1].items()))
        session = {'sessions': ((path.name, path.read_text(encoding='utf-8')),)}
        assert measure_places.told_of((name, run, [], text), **session) is None
        assert measure_places.told_of((name, run, [1], '1 / 0\n'), **session)['told']
    assert all(
        max(lines) <= len(text.split('\n')) for *_, lines, text in measure_places.beginners()
    )


def test_the_files_of_programs_that_are_changed_are_there():
    files = [file for files, _ in mutants.PROGRAMS.values() for file in files]
    assert [file for file in files if not (ROOT / file).is_file()] == []


def test_faults_that_are_pictured_are_known():
    for faults in pictures.CLASS.values():
        pictures.with_faults(faults)


def test_the_page_of_faults_is_in_step():
    assert faults_page.PAGE.read_text(encoding='utf-8') == faults_page.page()


def test_hostile_program_has_its_points(tmp_path):
    """One of very many: `make hostile` has hundreds."""
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
