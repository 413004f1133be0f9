"""Finds the assignment named by GAME, and chooses its sessions to play, and their order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from ..games import GAMES, NAMES, PROGRAMS, game_of, games_of, leave_choices_open
from ..installation import TRANSCRIPTS_FOLDER, all_transcripts
from ..printable import did_you_mean
from ..sessions.session import Session
from ..sessions.transcript import TranscriptError, read_session
from ..settings import Assignment
from .folder import INPUT, check_recorded, read_assignment

# The examples of the built-in games, which are played first.
EXAMPLES = ('worked_example.txt', 'prompt_free.txt')
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
        return Assignment(word, [*read_sessions()], word, has_arguments=word not in GAMES)
    # In reports, the name of a session lacks its suffix.
    paths = [Path(word + suffix) for suffix in ('', '.txt', INPUT)]
    path = next(filter(Path.exists, paths), paths[0])
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


@cache
def read_sessions() -> list[Session]:
    """Return all built-in sessions. Their files are read only once.

    Raises `TranscriptError` if a session has no recorded output.
    """
    paths = all_transcripts()
    sessions = [read_session(path) for path in paths]
    for path, session in zip(paths, sessions, strict=True):
        check_recorded(session, path)
    return sessions


def choose_sessions(
    assignment: Assignment, prompts: bool = False, beyond: bool = False, at_once: bool = False
) -> Assignment:
    """Return an assignment with the sessions to play, in order.

    For a single game, `prompts` chooses the sessions with prompts instead of those without.
    `beyond` adds the sessions beyond the assignment; a custom assignment's only session is always
    played.

    If `at_once` is set, all input will be typed at the start. In a game, sessions that cannot be
    played in this way are left out; in a custom assignment, they raise `TranscriptError`.
    """
    if assignment.path is None:
        sessions = [*built_in_sessions(assignment, prompts, at_once)]
    else:
        sessions = [*map(leave_choices_open, assignment.sessions)]
        beyond = beyond or len(sessions) == 1
        if at_once:
            check_at_once(sessions)

    def in_order_of_learning(session: Session) -> tuple[object, ...]:
        """Return a sort key: examples first, then by length; `is_beyond` sessions last."""
        is_example = session.name.endswith(EXAMPLES)
        return session.is_beyond, not is_example, len(session.lines), session.name

    played = [session for session in sessions if beyond or not session.is_beyond]
    return replace(assignment, sessions=sorted(played, key=in_order_of_learning))


def built_in_sessions(assignment: Assignment, prompts: bool, at_once: bool) -> Iterator[Session]:
    """Yield the playable sessions of a built-in game or program: see `choose_sessions`.

    A program that plays several games gets the sessions with prompts and those without.
    """
    games, is_single_game = games_of(assignment.name), assignment.name in GAMES
    for recorded in assignment.sessions:
        if game_of(recorded) not in games:
            continue
        if is_single_game and ('--prompts' in recorded.arguments) != prompts:
            continue
        session = leave_choices_open(recorded)
        # A session with `others` follows the program's choices. It needs no seed, but its input
        # depends on the program's output, so it cannot be typed at once. Any other session with a
        # seed expects Python's random numbers, which other languages lack, so it cannot be played.
        can_be_played = not at_once if session.others else '--seed' not in session.arguments
        if can_be_played:
            yield session


def check_at_once(sessions: Iterable[Session]) -> None:
    """Raise `TranscriptError` if a session cannot be played with all input at once."""
    for session in sessions:
        if session.has_free_prompts:
            raise TranscriptError(
                f'{session.name}: "# prompts: free" cannot be used with '
                '--at-once: there is no way to tell where a prompt ends'
            )
        if session.others:
            raise TranscriptError(
                f'{session.name}: cannot be played with --at-once: its '
                'input depends on what the program prints'
            )
