"""Fixtures of the grader's tests."""

import fcntl
import os
from contextlib import nullcontext
from functools import lru_cache
from unittest import mock

import internals
import pytest
from graders import Grader, make_small_project
from sandboxes import ALL_KINDS, KINDS, PLACES, probes, without_search, works

from grading.sandbox.choose import confine, working_kind
from grading.sandbox.control_groups import tree_for_runs
from grading.sandbox.program import SandboxError
from grading.sandbox.scratch import scratch_folder
from grading.submissions.digests import tokens_of


@pytest.fixture(scope='session', autouse=True)
def control_groups():
    """Call `tree_for_runs` before any fork.

    One process makes the grader's folder. It also removes the control group of the same name, but
    only if it has called the function itself.
    """
    tree_for_runs()


@pytest.fixture(scope='session', autouse=True)
def computed_once():
    """Compute only once what many tests need: they submit the same few programs."""
    with (
        without_search(),
        mock.patch(internals.TOKENS_OF, lru_cache(maxsize=None)(tokens_of)),
    ):
        yield


@pytest.fixture(scope='session', autouse=True)
def graders_do_not_wait():
    """Let graders close folders at the same time, because tests run at the same time."""
    with mock.patch(internals.ONE_AT_A_TIME, nullcontext):
        yield


@pytest.fixture(autouse=True)
def enough_processes(request, tmp_path_factory):
    """Run a test alone if it uses up all processes: without root, all programs share one limit."""
    if os.geteuid() == 0:
        yield
        return
    folder = tmp_path_factory.getbasetemp().parent  # shared by all workers
    with open(folder / 'running', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if 'fork' in request.node.name else fcntl.LOCK_SH)
        yield


@pytest.fixture(scope='module', autouse=True)
def probes_end():
    """After each module, reopen the folders closed to other users by its probes."""
    with probes:
        yield


@pytest.fixture(scope='module', params=ALL_KINDS)
def kind(request):
    """Each kind of sandbox."""
    return request.param


@pytest.fixture(scope='module')
def sandbox(kind):
    """A sandbox of each kind, if the kind works here."""
    with scratch_folder() as scratch:
        yield confine(kind, scratch)


@pytest.fixture
def best_sandbox(monkeypatch):
    """Return a function that makes a kind of sandbox the strongest one of this machine.

    The function returns whether the sandbox discards programs' changes.
    """

    def choose(kind):
        if not works(kind):
            pytest.skip(f'the sandbox {kind} does not work here')

        def best_working_kind(asked):
            if (asked == 'auto' and kind == 'none') or (asked == 'bwrap' and kind != 'bwrap'):
                raise SandboxError('no sandbox works here')
            return working_kind(kind if asked == 'auto' else asked)

        monkeypatch.setattr(internals.WORKING_KIND, best_working_kind)
        return kind == 'bwrap'

    return choose


@pytest.fixture
def grader(tmp_path, small_project):
    """The grader, started as a user starts it, with its own folder for temporary files."""
    return Grader(tmp_path, small_project)


@pytest.fixture(scope='session')
def small_project(tmp_path_factory):
    """A copy of the project with few transcripts."""
    return make_small_project(tmp_path_factory.mktemp('small') / 'project')


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Let the quick tests run programs in one kind of sandbox only: the first that works here."""
    others = {*PLACES} - {next(filter(works, ALL_KINDS))}
    for item in items:
        params = item.callspec.params if hasattr(item, 'callspec') else {}
        kinds = {str(params.get(name)) for name in ('kind', 'place', 'best')}
        if kinds & others and not item.get_closest_marker('alone'):
            item.add_marker(pytest.mark.long)


def pytest_runtest_setup(item):
    """Skip a test if its kind of sandbox does not work here."""
    kind = item.callspec.params.get('kind') if hasattr(item, 'callspec') else None
    if kind in KINDS and not works(kind):
        pytest.skip(f'programs cannot be confined by {kind} here')
