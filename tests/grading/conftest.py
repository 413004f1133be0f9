"""What the tests of the grader share."""

from __future__ import annotations

import pytest
from graders import make_small_project
from sandboxes import KINDS, works


@pytest.fixture(scope='session')
def small_project(tmp_path_factory):
    """A copy of the project that has few transcripts."""
    return make_small_project(tmp_path_factory.mktemp('small') / 'project')


def pytest_runtest_setup(item):
    """Skip what is tried in a sandbox of a kind that does not work here."""
    kind = item.callspec.params.get('kind') if hasattr(item, 'callspec') else None
    if kind in KINDS and not works(kind):
        pytest.skip(f'programs cannot be confined by {kind} here')
