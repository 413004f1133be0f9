"""The assignments by name: the games, and the transcripts that grade each."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any, cast

from ..project import all_transcripts
from ..sessions.transcript import Transcript, TranscriptError
from .game import Game, Maker
from .nim import PILES, RECORDED, STONES, TLCW
from .othello import OTHELLO

GAMES = {game.name: game for game in (OTHELLO, RECORDED, STONES, TLCW, PILES)}
ALL_NIM = 'nim'                         # our own Nim console's whole command line
NAMES = (*GAMES, ALL_NIM)
EXAMPLES = ('worked_example.txt', 'prompt_free.txt')


def transcripts_for(name: str, prompts: bool = False, beyond: bool = False) -> list[Transcript]:
    """Return the transcripts that grade somebody's program, in the order of learning.

    The assignment's own example comes first, then small before large; what is beyond the
    assignment comes last, if it is wanted. `prompts` chooses the transcripts that have prompts.
    Those that need Python's own random numbers are for our consoles alone. Raises
    `TranscriptError`.
    """
    chosen = [transcript for transcript in read_transcripts()
              if is_of(transcript, name, prompts) and '--seed' not in transcript.arguments
              and (beyond or not transcript.is_beyond)]
    return sorted(chosen, key=lambda transcript: (
        transcript.is_beyond, not transcript.name.endswith(EXAMPLES), len(transcript.lines),
        transcript.name))


@lru_cache(maxsize=None)
def read_transcripts() -> list[Transcript]:
    """Return all transcripts of the project, read once. Raises `TranscriptError`."""
    transcripts = [Transcript.read(path) for path in all_transcripts()]
    for transcript in transcripts:
        check(transcript)
    return transcripts


def check(transcript: Transcript) -> None:
    """Raise `TranscriptError` if nobody could be graded by a transcript of the project."""
    if not game_of(transcript):
        command = ' '.join(transcript.command)
        raise TranscriptError(f'{transcript.name}: no game is played by "$ {command}"' if command
                              else f'{transcript.name}: a $ line must say which game it is of')
    if not transcript.output:
        raise TranscriptError(f'{transcript.name}: no output is recorded yet: '
                              f'python -m grading record {transcript.name}')


def is_of(transcript: Transcript, name: str, prompts: bool) -> bool:
    """Return whether a transcript is of a game, and has prompts or not, as wanted."""
    game = game_of(transcript)
    if name == ALL_NIM:
        return game is not OTHELLO
    return game is GAMES[name] and ('--prompts' in transcript.arguments) == prompts


def game_of(transcript: Transcript) -> Game | None:
    """Return the game that a session is of, None where it is of none of these."""
    if transcript.command == ['nim_console.py']:
        return RECORDED
    return next((game for game in GAMES.values()
                 if tuple(transcript.command[:len(game.command)]) == game.command), None)


def maker_for(name: str) -> Maker:
    """Return the module that makes fresh games."""
    maker: Any = import_module((PILES if name == ALL_NIM else GAMES[name]).fresh)
    return cast(Maker, maker)


def arguments_for(name: str, transcript: Transcript) -> list[str]:
    """Return the words that a program gets on its command line."""
    return transcript.arguments if name == ALL_NIM else []
