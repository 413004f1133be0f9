"""Chooses the sessions of an assignment to play, and their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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

    For a single game, `prompts` chooses the sessions with prompts instead of those without.
    `beyond` adds the sessions beyond the assignment; a custom assignment's only session is always
    played.

    If `at_once` is set, all input will be typed at the start. In a game, sessions that cannot be
    played in this way are left out; in a custom assignment, they raise `TranscriptError`.
    """
    if assignment.path is None:
        sessions = [*built_in_sessions(assignment, prompts, at_once)]
    else:
        sessions = [*map(leave_choices_open, assignment.transcripts)]
        beyond = beyond or len(sessions) == 1
        if at_once:
            check_at_once(sessions)

    def in_order_of_learning(session: Session) -> tuple[object, ...]:
        """Return a sort key: examples first, then by length; `is_beyond` sessions last."""
        is_example = session.name.endswith(EXAMPLES)
        return session.is_beyond, not is_example, len(session.lines), session.name

    played = [session for session in sessions if beyond or not session.is_beyond]
    return replace(assignment, transcripts=sorted(played, key=in_order_of_learning))


def built_in_sessions(assignment: Assignment, prompts: bool, at_once: bool) -> Iterator[Session]:
    """Yield the playable sessions of a built-in game or program: see `choose_sessions`.

    A program that plays several games gets the sessions with prompts and those without.
    """
    games, is_single_game = games_of(assignment.name), assignment.name in GAMES
    for transcript in assignment.transcripts:
        if game_of(transcript) not in games:
            continue
        if is_single_game and ('--prompts' in transcript.arguments) != prompts:
            continue
        session = leave_choices_open(transcript)
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
