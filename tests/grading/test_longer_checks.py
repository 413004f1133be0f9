"""The checks that `make` runs and the suite does not: each finds all that it needs."""

import importlib
import re

import faults_page
import hostile_outputs
import measure_places
import mutants
import pictures

from grading.installation import ROOT, TRANSCRIPTS_FOLDER

WORKED = {name: TRANSCRIPTS_FOLDER / path / 'worked_example.txt'
          for name, path in {'sample piles': 'nim/piles', 'othello console': 'othello'}.items()}


def test_each_can_be_imported():
    names = re.findall(r'\$\(call main_of,(\w+)', (ROOT / 'Makefile').read_text(encoding='utf-8'))
    assert len(names) > 5
    assert [name for name in names if not callable(importlib.import_module(name).main)] == []


def test_what_is_changed_is_right_before():
    """A program in which places are measured; the others of its kind are made alike."""
    for name, path in WORKED.items():
        run, text = next(iter(measure_places.PROGRAMS[name][1].items()))
        session = {'sessions': ((path.name, path.read_text(encoding='utf-8')),)}
        assert measure_places.told_of((name, run, 0, text), **session) is None
        assert measure_places.told_of((name, run, 1, '1 / 0\n'), **session)['told']


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
    hostile_outputs.check(0, tmp_path)
