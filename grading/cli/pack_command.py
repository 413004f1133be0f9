"""The command `pack`: writes an autograder for Gradescope."""

from __future__ import annotations

import argparse

from ..engine.grade import points_of
from ..printable import counted, printable
from ..reports.pack import note_on_missing_packages, pack
from ..reports.wording import as_points
from ..results import RIGHT
from .grade_command import settings_from
from .mistakes import UsageError


def run(arguments: argparse.Namespace) -> int:
    """Write an autograder for Gradescope; return the exit status."""
    assignment, options = settings_from(arguments)
    zipped = printable(str(arguments.zip))
    name = f'sessions/{assignment.name}' if assignment.files else assignment.name
    try:
        arguments.zip.write_bytes(
            pack(
                [*options.words_for(assignment), name],
                () if assignment.files else assignment.sessions,
                arguments.install,
                assignment.files,
                options.seed,
            )
        )
    except OSError as error:
        raise UsageError(f'{zipped}: {error.strerror}') from None
    points = sum(map(points_of, assignment.sessions)) + options.fresh_points
    print(
        f'{zipped}: {assignment.name}, {counted(len(assignment.sessions))}; '
        f'on Gradescope, enter {as_points(points)} autograder points'
    )
    note = note_on_missing_packages(
        *(
            command
            for language in options.languages_of(assignment)
            for command in (language.command, language.build)
        )
    )
    if note and not arguments.install:
        print(f'{zipped}: {printable(note)}')
    return RIGHT
