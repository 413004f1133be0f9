"""Combines a command line with the assignment that it names."""

from __future__ import annotations

import argparse
import os
import shlex

from ..api import with_options
from ..assignments.names import assignment_named
from ..installation import PYTHON
from ..printable import printable
from ..sandbox.program import ENDINGS
from ..seeds import SEED_VARIABLE, read_seed
from ..settings import OPTIONS, Assignment, Options
from .checks import (
    check_class,
    check_command,
    check_options,
    check_results,
    check_submissions,
    check_system,
)
from .usage import UsageError, refuse


def settings_from(asked: argparse.Namespace) -> tuple[Assignment, Options]:
    """Return the assignment and the options of a command line. Raises `UsageError`.

    The assignment can also set options, which the command line overrides.
    """
    command = shlex.join([PYTHON, asked.game]) if asked.game.endswith(('.py', '.pyc')) else 'CMD'
    refuse(
        asked.game.endswith(ENDINGS) and os.path.isfile(asked.game),
        f'{asked.game} is a program; type {asked.name} GAME --command "{command}"',
    )
    asked.assignment = assignment_named(asked.game)
    seed = os.environ.get(SEED_VARIABLE) if asked.fresh and asked.seed is None else None
    if seed:
        try:
            asked.seed = read_seed(seed)
        except ValueError as error:
            raise UsageError(printable(f'{SEED_VARIABLE} {error}')) from None
    check_submissions(asked)
    check_class(asked)
    check_results(asked)
    check_system(asked)
    check_command(asked)
    check_options(asked)
    words = {name: getattr(asked, name) for name in OPTIONS}
    given = {name: value for name, value in words.items() if value is not None}
    assignment, options = with_options(asked.assignment, given)
    if not assignment.transcripts:
        refuse(asked.prompts, f'no session of {assignment.name} has prompts')
        raise UsageError(
            f'all sessions of {assignment.name} are beyond the assignment: add --beyond to play '
            'them'
        )
    return assignment, options
