"""Which games there are, and to which of them a session belongs."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ..sessions.session import Session
from .game import Game

# Each folder beside this module has the games that one console plays; the fewest come first.
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
# What can be graded: each game, and each program that plays several.
NAMES = tuple(dict.fromkeys([*GAMES, *(game.program for game in GAMES.values())]))
PROGRAMS = NAMES[len(GAMES) :]


def game_of(session: Session) -> Game | None:
    """Return the game of a session, None if it is none of ours."""
    words = tuple(session.command)  # without a game, they name the first of the console
    return next(
        (
            game
            for game in GAMES.values()
            if words[: len(game.command)] == game.command or words == game.command[:1]
        ),
        None,
    )


def for_others(session: Session) -> Session:
    """Return a session for others' programs, with the choices that its assignment leaves them."""
    game = game_of(session)
    return game.left_open(session) if game and game.left_open else session


def games_of(name: str) -> list[Game]:
    """Return the game with a name, or all games of a program with this name."""
    return (
        [GAMES[name]]
        if name in GAMES
        else [game for game in GAMES.values() if game.program == name]
    )
