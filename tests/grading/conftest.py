"""What the tests of the grader share."""

from __future__ import annotations

import pytest
from graders import make_small_project


@pytest.fixture(scope='session')
def small_project(tmp_path_factory):
    """A copy of the project that has few transcripts."""
    return make_small_project(tmp_path_factory.mktemp('small') / 'project')
