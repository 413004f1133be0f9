"""The games by name, and which of them a session is of."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

from ..sessions.transcript import Transcript
from .game import Game, Maker
from .nim import PILES, RECORDED, STONES, TLCW
from .othello import OTHELLO

GAMES = {game.name: game for game in (OTHELLO, RECORDED, STONES, TLCW, PILES)}
ALL_NIM = 'nim'                         # our own Nim console's whole command line
NAMES = (*GAMES, ALL_NIM)


def game_of(transcript: Transcript) -> Game | None:
    """Return the game that a session is of, None where it is of none of these."""
    if transcript.command == ['nim_console.py']:
        return RECORDED
    return next((game for game in GAMES.values()
                 if tuple(transcript.command[:len(game.command)]) == game.command), None)


def is_of(transcript: Transcript, name: str, prompts: bool) -> bool:
    """Return whether a transcript is of a game, and has prompts or not, as wanted."""
    game = game_of(transcript)
    if name == ALL_NIM:
        return game is not OTHELLO
    return game is GAMES[name] and ('--prompts' in transcript.arguments) == prompts


def maker_for(name: str) -> Maker:
    """Return the module that makes fresh games."""
    maker: Any = import_module((PILES if name == ALL_NIM else GAMES[name]).fresh)
    return cast(Maker, maker)
