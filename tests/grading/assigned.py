"""Settings for grading, made without a command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from grading.assignments.choice import assignment_named, choose_sessions
from grading.assignments.folder import assignment_from
from grading.sandbox.choose import Machine
from grading.settings import Assignment, DataFile, Options


class Settings(NamedTuple):
    """What a submission is graded by: the third to fifth arguments of `Task`, in this order."""

    assignment: Assignment
    options: Options
    machine: Machine = Machine()

    def with_changes(self, **changes):
        """Return a copy with other values for some fields of the options or of the machine."""
        of_machine = {*Machine._fields} - {'confine'}  # which is an option, too
        return self._replace(
            options=replace(
                self.options, **{key: changes[key] for key in changes.keys() - of_machine}
            ),
            machine=self.machine._replace(
                **{key: changes[key] for key in changes.keys() & of_machine}
            ),
        )


def settings_for(game='othello', sessions=(), data=(), **options):
    """Return settings for a built-in game, or for custom sessions, given as pairs (name, text).

    `data` are files readable by every run. `options` are fields of the options or of the
    machine; some of them also choose the sessions.
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
    ).with_changes(**options)


def with_transcripts(transcripts, settings):
    """Return the settings with other sessions."""
    return settings._replace(assignment=replace(settings.assignment, sessions=transcripts))


def transcripts_for(game, prompts=False, beyond=False):
    """Return the sessions of a game for grading submissions, in order."""
    return choose_sessions(assignment_named(game), prompts, beyond).sessions
