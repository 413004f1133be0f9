"""The engine grades without the other stages, and a correct program loads none of them."""

import json
import shutil
import sys

import pytest
from assigned import settings_for, transcripts_for, with_transcripts
from graders import graded
from programs import read_sample, write_files
from running import finished, rest_long

from grading.engine.grade import grade
from grading.submissions.copying import open_submission

# This program grades a folder with the sessions of a game, and prints the points of each session
# and the names of all loaded modules.
BY_ENGINE = """
import json, sys
from pathlib import Path
from grading.assignments.choice import assignment_named
from grading.assignments.choice import choose_sessions
from grading.engine.grade import grade
from grading.settings import Options
from grading.submissions.copying import open_submission

game, folder, prompts = sys.argv[1], Path(sys.argv[2]), sys.argv[3] == 'prompts'
assignment = choose_sessions(assignment_named(game), prompts=prompts)
with open_submission(folder, 'one') as submission:
    results = grade(assignment, submission, Options(prompts=prompts, confine='none'))
print(json.dumps([{test.name: test.score for test in results.tests}, [*sys.modules]]))
"""
# This program runs the command `grading`, and prints its status and the names of all loaded
# modules.
BY_COMMAND = """
import json, sys
from grading import main

status = main()
print(json.dumps([status, [*sys.modules]]))
"""
OTHELLO, PILES = read_sample('othello'), read_sample('piles')
# For each submission: the game, 'prompts' or '', and the source.
PROGRAMS = {
    'a right Othello': ('othello', '', OTHELLO),
    'a wrong Othello': ('othello', '', OTHELLO.replace("'FULL'", "'Full'")),
    'a right piles': ('piles', 'prompts', PILES),
    'a wrong piles': (
        'piles',
        'prompts',
        PILES.replace('piles[pile] -= count', 'piles[pile] -= 1'),
    ),
}


@pytest.fixture(scope='module')
def engine_alone(small_project, tmp_path_factory):
    """Return a copy of the project without the other stages and the known faults of the games."""
    project = tmp_path_factory.mktemp('engine') / 'project'
    shutil.copytree(small_project, project)
    for name in ('cli', 'diagnosis', 'reports', 'workers'):
        shutil.rmtree(project / 'grading' / name)
    for path in [*(project / 'grading' / 'games').rglob('*')]:
        if 'faults' in path.name:
            path.unlink()
    return project


def run(source, project, *words):
    """Run a program in a project; return the last line of its output, read as JSON."""
    command = [sys.executable, '-c', source, *map(str, words)]
    status, output, errors = finished(command, cwd=project)
    assert status == 0, errors.decode()
    return json.loads(output.splitlines()[-1])


@pytest.mark.parametrize('name', rest_long(PROGRAMS, 2))
def test_the_engine_alone_gives_all_points(name, engine_alone, tmp_path):
    game, prompts, source = PROGRAMS[name]
    folder = write_files(tmp_path / 'one', {'main.py': source})
    points, _ = run(BY_ENGINE, engine_alone, game, folder, prompts)
    chosen = [
        transcript
        for transcript in transcripts_for(game, bool(prompts))
        if transcript.name in points
    ]
    whole = graded(folder, transcripts=chosen, game=game, prompts=bool(prompts), here=True)
    assert points == {test['name']: test['score'] for test in whole['tests']}
    assert points
    assert all(points.values()) == name.startswith('a right')


def is_of_another_stage(module):
    """Return whether a module belongs to the diagnosis or defines known faults."""
    return module.startswith('grading.diagnosis') or 'faults' in module


@pytest.mark.parametrize('name', ['a right Othello', 'a right piles'])
def test_a_right_program_loads_neither_the_diagnosis_nor_faults(name, small_project, tmp_path):
    game, prompts, source = PROGRAMS[name]
    folder = write_files(tmp_path / 'one', {'main.py': source})
    words = ['grade', game, folder, '--confine', 'none']
    if prompts:
        words.append('--prompts')
    status, modules = run(BY_COMMAND, small_project, *words)
    assert (status, [*filter(is_of_another_stage, modules)]) == (0, [])


def test_points_are_reported_before_they_are_explained(tmp_path):
    """The points are reported before the explanation, so they are saved even if it is killed."""
    folder = write_files(tmp_path / 'one', {'main.py': OTHELLO.replace("'FULL'", "'Full'")})
    assignment, options, _ = with_transcripts(
        transcripts_for('othello')[:1], settings_for(confine='none')
    )
    events = []

    def explain(played, results, options, earlier):
        events.append('explained')

    with open_submission(folder) as submission:
        grade(
            assignment,
            submission,
            options,
            on_progress=lambda results: events.append(results.complete),
            explain=explain,
        )
    assert events[-2:] == [True, 'explained']


def test_results_of_a_failed_build_are_complete_and_have_a_time(tmp_path):
    folder = write_files(tmp_path / 'one', {'main.py': OTHELLO})
    results = graded(folder, build='exit 1', command='python3 main.py', here=True)
    assert (results['score'], results['extra_data']['complete']) == (0, True)
    assert results['execution_time'] > 0
    assert {test['extra_data']['reason'] for test in results['tests']} == {'no program'}
