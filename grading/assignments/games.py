"""The table of the games: which of them a session is of, and fresh games of each."""

from __future__ import annotations

from random import Random
from typing import Iterator, Sequence

from ..sessions.transcript import Transcript
from .game import Game, Maker
from .nim import PILES, RECORDED, STONES, TLCW
from .othello import OTHELLO

GAMES = {game.name: game for game in (OTHELLO, RECORDED, STONES, TLCW, PILES)}
# What can be graded: each game, and each program that plays several.
NAMES = tuple(dict.fromkeys([*GAMES, *(game.program for game in GAMES.values())]))
NAMES_EXPLAINED = """\
GAME is othello; recorded, stones, tlcw or piles, for a program that plays one game of Nim and takes
no arguments; or nim, for one with the command line of nim_console.py. It is also a folder of
sessions (*.txt in it and below) or one session: an assignment of your own, or what went wrong.

"""
MOST_REPEATS = 100                      # games in a row that are not new: then there are no more


def game_of(transcript: Transcript) -> Game | None:
    """Return the game that a session is of, None where it is of none of these."""
    return next((game for game in GAMES.values() if game.is_played_by(transcript.command)), None)


def for_others(transcript: Transcript) -> Transcript:
    """Return a session for others' programs, with all that its assignment leaves to them."""
    game = game_of(transcript)
    return game.left_open(transcript) if game else transcript


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


def fresh_games(name: str, prompts: bool, rng: Random) -> Iterator[str]:
    """Yield scenarios of a game, or of a program's games, none twice, until there are no more."""
    kinds = [(game, way) for game in games_of(name) for way in (
        (False, True)[:1 + game.has_prompts] if is_whole_program(name) else [prompts])]
    made: set[str] = set()
    repeats = 0
    while repeats < MOST_REPEATS:
        game, way = rng.choice(kinds)
        maker = maker_of(game)
        text = scenario([*game.command, *['--prompts'] * way, *maker.arguments], maker.make(rng))
        repeats = repeats + 1 if text in made else 0
        if not repeats:
            made.add(text)
            yield text


def maker_of(game: Game | None) -> Maker:
    """Return the maker of a game that has one."""
    assert game
    assert game.maker
    return game.maker


def scenario(command: Sequence[str], inputs: Sequence[str]) -> str:
    """Return the text of a transcript in which nothing is recorded yet."""
    return '\n'.join(['$ ' + ' '.join(command), *inputs])
