"""Finds the assignment named by GAME: a game, a session, a folder or a file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from ..games.registry import GAMES, NAMES, PROGRAMS, game_of
from ..installation import TRANSCRIPTS_FOLDER, all_transcripts
from ..printable import did_you_mean
from ..sessions.parse import read_session
from ..sessions.session import Session
from ..sessions.transcript import TranscriptError
from ..settings import Assignment
from .folder import INPUT, check_recorded, read_assignment
from .order import EXAMPLES

NAMES_EXPLAINED = f"""\
GAME is one of these:

  {', '.join(GAMES)}: for a program that plays only that game, without arguments
  {', '.join(PROGRAMS)}: for a program that takes the same arguments as {PROGRAMS[0]}_console.py
  a folder: the sessions (*.txt) in the folder and its subfolders
  a file, or a name such as {NAMES[0]}/{EXAMPLES[0][:-4]}: only this session

"""


def assignment_named(word: str) -> Assignment:
    """Return the assignment named by GAME on the command line.

    `word` is the name of a game, the path of a folder or a session, or the name of a built-in
    session, as reports print it. For a game, the assignment contains the sessions of all games:
    `choose_sessions` chooses among them. Raises `TranscriptError`.
    """
    if word in NAMES:
        return Assignment(word, [*read_transcripts()], word, has_arguments=word not in GAMES)
    path = session_at(word)
    if not path.exists():
        ours = {
            transcript.relative_to(TRANSCRIPTS_FOLDER).with_suffix('').as_posix(): transcript
            for transcript in all_transcripts()
        }
        wanted = re.sub(r'^transcripts/|\.txt$', '', word)
        found = [name for name in ours if f'/{name}'.endswith(f'/{wanted}')]
        if len(found) > 1:
            raise TranscriptError(f'{word}: several sessions have this name: {", ".join(found)}')
        if not found:
            raise TranscriptError(
                f'{word}: not a game ({", ".join(NAMES)}), folder or file'
                + did_you_mean(wanted, [*NAMES, *ours, *(Path(name).name for name in ours)])
            )
        path = ours[found[0]]
    return read_assignment(path)


def session_at(word: str) -> Path:
    """Return the path of a folder or a session; a session may lack its suffix, as in reports."""
    paths = [Path(word + suffix) for suffix in ('', '.txt', INPUT)]
    return next(filter(Path.exists, paths), paths[0])


@cache
def read_transcripts() -> list[Session]:
    """Return all built-in sessions. Their files are read only once.

    Raises `TranscriptError` if a session belongs to no game, or has no recorded output.
    """
    paths = all_transcripts()
    transcripts = [read_session(path) for path in paths]
    for path, session in zip(paths, transcripts, strict=True):
        if not game_of(session):
            raise TranscriptError(
                f'{session.name}: '
                + (
                    f'"$ {" ".join(session.command)}" names no built-in game'
                    if session.command
                    else 'a $ line must name the game'
                )
            )
        check_recorded(session, path)
    return transcripts
