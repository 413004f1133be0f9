"""By which sessions of an assignment programs are graded, and in which order."""

from __future__ import annotations

from dataclasses import replace

from ..games.registry import GAMES, for_others, game_of, games_of
from ..sessions.transcript import TranscriptError
from ..settings import Assignment

EXAMPLES = ('worked_example.txt', 'prompt_free.txt')  # the assignments' own, which come first


def choose_sessions(
    assignment: Assignment, prompts: bool = False, beyond: bool = False, at_once: bool = False
) -> Assignment:
    """Return an assignment with the sessions by which others' programs are graded, in order.

    `prompts` chooses the sessions of a game with prompts; `beyond` adds sessions beyond the
    assignment; with `at_once` all input is known before the program starts. Raises
    `TranscriptError`.
    """
    sessions = [*assignment.transcripts]
    if assignment.path is None:  # a program plays its games with and without prompts
        games, is_alone = games_of(assignment.name), assignment.name in GAMES
        sessions = [
            for_others(one)
            for one in sessions
            if game_of(one) in games
            and not (is_alone and ('--prompts' in one.arguments) != prompts)
        ]
        # Nobody else can draw Python's random numbers, unless the session follows the program; then
        # what to type depends on answers.
        sessions = [
            one
            for one in sessions
            if (not at_once if one.others else '--seed' not in one.arguments)
        ]
    else:
        sessions = [*map(for_others, sessions)]
        beyond = beyond or len(sessions) == 1
        for one in sessions if at_once else ():
            if one.has_free_prompts:
                raise TranscriptError(
                    f'{one.name}: "# prompts: free" cannot be played with '
                    '--at-once: nobody sees where a prompt ends'
                )
            if one.others:
                raise TranscriptError(
                    f'{one.name}: cannot be played with --at-once: what to '
                    'type depends on what the program prints'
                )
    # The order of learning: examples first, small before large; beyond the assignment last.
    return replace(
        assignment,
        transcripts=sorted(
            (one for one in sessions if beyond or not one.is_beyond),
            key=lambda one: (
                one.is_beyond,
                not one.name.endswith(EXAMPLES),
                len(one.lines),
                one.name,
            ),
        ),
    )
