"""Chooses which sessions of an assignment to play, and in which order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..games.registry import GAMES, game_of, games_of, leave_choices_open
from ..sessions.session import Session
from ..sessions.transcript import TranscriptError
from ..settings import Assignment

# The examples of the built-in games, which are played first.
EXAMPLES = ('worked_example.txt', 'prompt_free.txt')


def choose_sessions(
    assignment: Assignment, prompts: bool = False, beyond: bool = False, at_once: bool = False
) -> Assignment:
    """Return an assignment with the sessions to play, in order.

    `prompts` chooses a game's sessions with prompts instead of those without. `beyond` adds the
    sessions beyond the assignment; a custom assignment's only session is always played.

    If `at_once` is set, all input will be typed at the start: a game's sessions that cannot be
    played in this way are left out. Raises `TranscriptError` if a custom assignment has such a
    session.
    """

    def can_be_played(session: Session) -> bool:
        # A session with `others` follows the program's choices. It needs no seed, but its input
        # depends on the program's output, so it cannot be typed at once. Any other session with a
        # seed expects Python's random numbers, which other languages lack.
        return not at_once if session.others else '--seed' not in session.arguments

    sessions = [*assignment.transcripts]
    if assignment.path is None:  # a built-in game, which may also be played with prompts
        games, is_alone = games_of(assignment.name), assignment.name in GAMES
        sessions = [
            leave_choices_open(session)
            for session in sessions
            if game_of(session) in games
            and not (is_alone and ('--prompts' in session.arguments) != prompts)
        ]
        sessions = [*filter(can_be_played, sessions)]
    else:
        sessions = [*map(leave_choices_open, sessions)]
        beyond = beyond or len(sessions) == 1
        if at_once:
            check_at_once(sessions)

    def in_order_of_learning(session: Session) -> tuple[object, ...]:
        """Return a sort key: examples first, then by length; `is_beyond` sessions last."""
        is_example = session.name.endswith(EXAMPLES)
        return session.is_beyond, not is_example, len(session.lines), session.name

    played = [session for session in sessions if beyond or not session.is_beyond]
    return replace(assignment, transcripts=sorted(played, key=in_order_of_learning))


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
