"""The games. Everything about a single game is in the folder of its console.

A `Game` gives the engine fresh games, and makes sessions accept the choices left to programs by the
assignment. The diagnosis loads the game's known faults, and report pages draw its positions.

- A fresh game is a randomly generated session that no program has seen before.
- A model is a second implementation of a game. It can play like a program with faults.
- A decision is a replaceable method or attribute of a model.
- A variant replaces the decisions a program with a certain fault makes differently.
- A known fault has variants, and texts for students. Its kind says what to change in the program.

game            defines a game, makers of fresh games, and positions to draw
model           plays a session in this process, correctly or with faults
known_faults    defines known faults; only the diagnosis loads this module
fault_kinds     defines kinds of faults: what the author of a program has to change, and where
traced_program  represents a traced program: its statements, and which of them ran
consoles        plays the built-in consoles, and records their output
othello, nim    each contains the games of one console
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ..sessions.session import Session
from .game import Game

# Each folder beside this file contains the games of one console. The folder with the fewest
# games is first.
GAMES: dict[str, Game] = {
    game.name: game
    for games in sorted(
        (
            import_module(f'.{path.parent.name}', __name__).GAMES
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
