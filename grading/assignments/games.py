"""The table of the games, and which of them a session is of."""

from __future__ import annotations

from ..sessions.transcript import Transcript
from .game import Game
from .nim import PILES, RECORDED, STONES, TLCW
from .othello import OTHELLO

GAMES = {game.name: game for game in (OTHELLO, RECORDED, STONES, TLCW, PILES)}
# What can be graded: each game, and each program that plays several.
NAMES = tuple(dict.fromkeys([*GAMES, *(game.program for game in GAMES.values())]))


def game_of(transcript: Transcript) -> Game | None:
    """Return the game that a session is of, None where it is of none of these."""
    return next((game for game in GAMES.values() if game.is_played_by(transcript.command)), None)


def games_of(name: str) -> list[Game]:
    """Return the game of a name, or all games that the program of this name plays."""
    return [GAMES[name]] if name in GAMES else [
        game for game in GAMES.values() if game.program == name]


def is_whole_program(name: str) -> bool:
    """Return whether a name is that of a program, which is told the game on its command line."""
    return name not in GAMES


def is_of(transcript: Transcript, name: str, prompts: bool) -> bool:
    """Return whether a transcript is of a game, or of a program's games, and so to be played.

    A program's games are played with prompts and without, a single game only as `prompts` says.
    """
    return game_of(transcript) in games_of(name) and (
        is_whole_program(name) or ('--prompts' in transcript.arguments) == prompts)
