"""Combines a command line with the assignment it names."""

from __future__ import annotations

import argparse
import os
import shlex

from ..api import with_options
from ..assignments.names import assignment_named
from ..installation import PYTHON, command_name
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


def settings_from(arguments: argparse.Namespace) -> tuple[Assignment, Options]:
    """Return the assignment and the options of a command line.

    The assignment can also set options; the command line overrides these. Add the assignment to
    `arguments`, and the seed from the environment if fresh games need one. Raises `UsageError`, or
    `TranscriptError` if the assignment cannot be read.
    """
    command = (
        shlex.join([PYTHON, arguments.game]) if arguments.game.endswith(('.py', '.pyc')) else 'CMD'
    )
    refuse(
        arguments.game.endswith(ENDINGS) and os.path.isfile(arguments.game),
        f'{arguments.game} is a program; run: {command_name()} {arguments.name} GAME '
        f'--command "{command}"',
    )
    arguments.assignment = assignment_named(arguments.game)
    seed = os.environ.get(SEED_VARIABLE) if arguments.fresh and arguments.seed is None else None
    if seed:
        try:
            arguments.seed = read_seed(seed)
        except ValueError as error:
            raise UsageError(printable(f'{SEED_VARIABLE} {error}')) from None
    check_submissions(arguments)
    check_class(arguments)
    check_results(arguments)
    check_system(arguments)
    check_command(arguments)
    check_options(arguments)
    words = {name: getattr(arguments, name) for name in OPTIONS}
    given = {name: value for name, value in words.items() if value is not None}
    assignment, options = with_options(arguments.assignment, given)
    if not assignment.transcripts:
        refuse(arguments.prompts, f'no session of {assignment.name} has prompts')
        raise UsageError(
            f'all sessions of {assignment.name} go beyond the assignment: add --beyond to play them'
        )
    return assignment, options
