"""Finds all games, and the game of a session."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ..sessions.session import Session
from .game import Game

# Each folder next to this module contains the games of one console. The folder with the fewest
# games is first.
GAMES: dict[str, Game] = {
    game.name: game
    for games in sorted(
        (
            import_module(f'.{path.parent.name}', __package__).GAMES
            for path in sorted(Path(__file__).parent.glob('*/__init__.py'))
        ),
        key=len,
    )
    for game in games
}
# The names of everything to grade: each game, then each program for several games.
NAMES = tuple(dict.fromkeys([*GAMES, *(game.program for game in GAMES.values())]))
PROGRAMS = NAMES[len(GAMES) :]  # the programs that play several games


def game_of(session: Session) -> Game | None:
    """Return the built-in game of a session, or None if the session belongs to no built-in game.

    A console without arguments stands for its first game.
    """
    words = tuple(session.command)
    return next(
        (
            game
            for game in GAMES.values()
            if words[: len(game.command)] == game.command or words == game.command[:1]
        ),
        None,
    )


def leave_choices_open(session: Session) -> Session:
    """Return a session that accepts any choice the assignment leaves to programs."""
    game = game_of(session)
    return game.leave_open(session) if game and game.leave_open else session


def games_of(name: str) -> list[Game]:
    """Return the game with this name, or all games of the program with this name."""
    return (
        [GAMES[name]]
        if name in GAMES
        else [game for game in GAMES.values() if game.program == name]
    )
