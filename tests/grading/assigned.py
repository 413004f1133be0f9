"""What to grade by, made without a command line."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import NamedTuple

from grading.assignments.folder import assignment_from
from grading.assignments.names import assignment_named
from grading.assignments.order import choose_sessions
from grading.engine.grade import Machine
from grading.settings import Assignment, DataFile, Options


class Settings(NamedTuple):
    """All that a submission is graded by, in the order of `Task`."""

    assignment: Assignment
    options: Options
    machine: Machine = Machine()

    def but(self, **changes):
        """Return the same with other options, or other facts of the machine, by their names."""
        of_machine = {one.name for one in fields(Machine)}
        return self._replace(
            options=replace(
                self.options, **{key: changes[key] for key in changes.keys() - of_machine}
            ),
            machine=replace(
                self.machine, **{key: changes[key] for key in changes.keys() & of_machine}
            ),
        )


def settings_for(game='othello', sessions=(), data=(), **options):
    """Return settings for a game of ours, or for sessions of one's own, by their names and texts.

    `data` are files for every run.
    """
    files = [
        *(DataFile(name, text.encode()) for name, text in sessions),
        *(file._replace(name=f'files/{file.name}') for file in data),
    ]
    assignment = assignment_from(Path(game), files) if files else assignment_named(game)
    return Settings(
        choose_sessions(
            assignment,
            **{name: options.get(name, False) for name in ('prompts', 'beyond', 'at_once')},
        ),
        Options(),
    ).but(**options)


def by(transcripts, settings):
    """Return settings with other sessions."""
    return settings._replace(assignment=replace(settings.assignment, transcripts=transcripts))


def transcripts_for(game, prompts=False, beyond=False):
    """Return the sessions of a game by which others' programs are graded, in order."""
    return choose_sessions(assignment_named(game), prompts, beyond).transcripts
