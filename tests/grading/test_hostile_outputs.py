"""A program that prints what may end the grader has the points that it has earned all the same."""

import hostile_outputs


def test_hostile_program_has_its_points(tmp_path):
    """One of very many: `make hostile` has hundreds."""
    hostile_outputs.check(0, tmp_path)
