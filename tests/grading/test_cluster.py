"""A class graded by a dask.distributed scheduler and two workers, all on this machine."""

import importlib.util
import json
import os
import signal
import subprocess
import sys

import pytest
from graders import FULL, RIGHT, TRAILING_SPACES, Grader, submission
from running import SECONDS, wait_for

from grading.sandbox.kernel import descendants

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec('distributed'), reason='the extra "cluster" is not installed'
)


@pytest.fixture(scope='module')
def cluster(tmp_path_factory, small_project):
    """Start a scheduler and two workers; yield the scheduler's address and the workers."""
    folder = tmp_path_factory.mktemp('cluster')
    path = folder / 'scheduler.json'
    common = ['--scheduler-file', str(path), '--host', '127.0.0.1']
    with open(folder / 'log', 'wb') as log:

        def start(module, *words):
            return subprocess.Popen(
                [sys.executable, '-m', f'distributed.cli.{module}', *common, *words],
                cwd=small_project,
                stdout=log,
                stderr=log,
            )

        processes = [start('dask_scheduler', '--port', '0', '--no-dashboard')]
        try:
            wait_for(lambda: path.exists() and path.read_text().endswith('}'))
            processes += [
                start(
                    'dask_worker',
                    '--nthreads',
                    '1',
                    '--no-dashboard',
                    '--local-directory',
                    str(folder / str(number)),
                )
                for number in range(2)
            ]
            wait_for(lambda: (folder / 'log').read_text().count('Registered to') == 2)
            yield json.loads(path.read_text())['address'], processes[1:]
        finally:
            for process in reversed(processes):
                process.terminate()
            for process in processes:
                process.wait(20)


def scores(grader):
    return {name: (row['score'], row['faults']) for name, row in grader.grades().items()}


def below(process, word):
    """Return the descendants of a process with `word` in their command lines."""
    return [number for number in descendants(process.pid) if word in words_of(number)]


def words_of(number):
    """Return the command line of a process, or '' if it has ended."""
    try:
        with open(f'/proc/{number}/cmdline', encoding='utf-8') as stream:
            return stream.read()
    except OSError:
        return ''


def without_times(results):
    """Return results without the facts that differ in each run."""
    return {
        **results,
        'execution_time': 0,
        'extra_data': {
            name: fact for name, fact in results['extra_data'].items() if name != 'fingerprint'
        },
    }


def test_a_cluster_gives_the_same_results_as_this_machine(cluster, small_project, tmp_path):
    """A cluster gives the same results as this machine, and grades nothing twice.

    Places in the programs are left out: how many are found depends on the time available. There is
    nothing beside the submissions, because on a worker there is not, and results say what a program
    can reach.
    """
    folder = tmp_path / 'submissions'
    sources = [
        submission(folder, name, source)
        for name, source in (('right', RIGHT), ('spaces', TRAILING_SPACES), ('none', ''))
    ]
    sources.append(folder / 'broken.zip')
    sources[-1].write_text('not a zip')
    (sources[0] / 'link.py').symlink_to('piles.py')
    graders = []
    for name, words in (('here', []), ('there', ['--cluster', cluster[0]])):
        (tmp_path / name).mkdir()
        graders.append(Grader(tmp_path / name, small_project))
        assert graders[-1].grade(*sources, '--no-where', *words)[0] == 1
    here, there = graders
    assert scores(here) == scores(there)
    assert scores(there)['spaces'] == ('0', 'trailing-spaces')
    for source in ('right', 'spaces', 'none'):
        results_here, results_there = (
            json.loads((grader.out / source / 'results.json').read_text()) for grader in graders
        )
        assert without_times(results_here) == without_times(results_there)
    times = there.times()
    assert there.grade(*sources, '--no-where', '--cluster', cluster[0])[0] == 1
    assert there.times() == times


def test_a_worker_that_is_killed_is_replaced(cluster, small_project, tmp_path):
    """A killed worker's submission is graded again, and the program it had started ends."""
    address, nannies = cluster
    gate = tmp_path / 'gate'
    waits = f'import os, time\nwhile not os.path.exists({str(gate)!r}):\n    time.sleep(0.05)\n'
    sources = [submission(tmp_path, f'waits-{number}', waits + RIGHT) for number in range(3)]
    grader = Grader(tmp_path, small_project)
    with grader.start(*sources, '--cluster', address, '--timeout', '50') as process:
        wait_for(lambda: all(below(nanny, 'piles.py') for nanny in nannies))
        orphan = below(nannies[0], 'piles.py')[0]
        os.kill(below(nannies[0], 'spawn_main')[0], signal.SIGKILL)
        wait_for(lambda: not words_of(orphan))
        gate.touch()
        output, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, output + errors
    assert set(scores(grader).values()) == {(str(FULL), '')}
