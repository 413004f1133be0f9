"""A program that prints what may end the grader has the points that it has earned all the same."""

from __future__ import annotations

import hostile_outputs
import pytest


@pytest.mark.parametrize('seed', range(2))
def test_hostile_program_has_its_points(seed, tmp_path):
    hostile_outputs.check(seed, tmp_path)
