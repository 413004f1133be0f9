"""What the tests of the grader share."""

import os
from functools import lru_cache
from unittest import mock

import internals
import pytest
from graders import Grader, make_small_project
from sandboxes import ALL_KINDS, KINDS, surveys, without_search, works

from grading.engine.class_lock import ClassLock
from grading.sandbox.confine import confine, tried
from grading.sandbox.control_groups import tree_for_runs
from grading.sandbox.own_root import can_separate
from grading.sandbox.program import SandboxError
from grading.sandbox.scratch import scratch_folder
from grading.submissions.digests import tokens_of


@pytest.fixture(scope='session', autouse=True)
def control_groups():
    """Known before any fork: who makes a folder of the grader removes its group, too."""
    tree_for_runs()


@pytest.fixture(scope='session', autouse=True)
def computed_once():
    """What would be computed for many a test: tests submit few programs."""
    with (
        without_search(),
        mock.patch(internals.TOKENS_OF, lru_cache(maxsize=None)(tokens_of)),
    ):
        yield


@pytest.fixture(autouse=True)
def enough_processes(request, tmp_path_factory):
    """But for root all programs share one limit of processes: what uses it up is run alone."""
    if os.geteuid() == 0:
        yield
        return
    lock = ClassLock(tmp_path_factory.getbasetemp().parent)  # a folder of all workers
    with lock.alone() if 'fork' in request.node.name else lock.shared():
        yield


@pytest.fixture(scope='module', autouse=True)
def surveys_end():
    """Reopen what the tests of a module have closed."""
    with surveys:
        yield


@pytest.fixture(scope='module', params=ALL_KINDS)
def kind(request):
    """Each kind of sandbox."""
    return request.param


@pytest.fixture(scope='module')
def sandbox(kind):
    """A sandbox of each kind that works here."""
    with scratch_folder() as scratch:
        yield confine(kind, scratch)


@pytest.fixture
def best_sandbox(monkeypatch):
    """Return a function that makes a kind of sandbox the best one of this machine.

    That function returns whether the sandbox discards what programs do.
    """

    def choose(best):
        kind = 'user' if best == 'shared' else best
        if not works(kind):
            pytest.skip(f'the sandbox {kind} does not work here')

        def tried_at_best(asked):
            if asked == 'auto' and kind == 'none':
                raise SandboxError('no sandbox works here')
            return tried(kind if asked == 'auto' else asked)

        monkeypatch.setattr(internals.TRIED, tried_at_best)
        if best == 'shared':
            monkeypatch.setattr(internals.CAN_SEPARATE, lambda: False)
        return best in KINDS and (best == 'bwrap' or can_separate())

    return choose


@pytest.fixture
def grader(tmp_path, small_project):
    """The grader, which starts as a user starts it, with a folder for all that is temporary."""
    return Grader(tmp_path, small_project)


@pytest.fixture(scope='session')
def small_project(tmp_path_factory):
    """A copy of the project that has few transcripts."""
    return make_small_project(tmp_path_factory.mktemp('small') / 'project')


def pytest_runtest_setup(item):
    """Skip what is tried in a sandbox of a kind that does not work here."""
    kind = item.callspec.params.get('kind') if hasattr(item, 'callspec') else None
    if kind in KINDS and not works(kind):
        pytest.skip(f'programs cannot be confined by {kind} here')
