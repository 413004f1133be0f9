"""Assignments and settings to grade by, made without a command line."""

from dataclasses import replace
from pathlib import Path

from grading.assignments.folder import assignment_from
from grading.assignments.names import assignment_named
from grading.assignments.order import choose_sessions
from grading.settings import DataFile, Settings


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
        **options,
    )


def by(transcripts, settings):
    """Return settings with other sessions."""
    return replace(settings, assignment=replace(settings.assignment, transcripts=transcripts))


def transcripts_for(game, prompts=False, beyond=False):
    """Return the sessions of a game by which others' programs are graded, in order."""
    return choose_sessions(assignment_named(game), prompts, beyond).transcripts
