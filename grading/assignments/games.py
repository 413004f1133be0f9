"""The games that can be graded, and the transcripts that grade each."""

from __future__ import annotations

from functools import lru_cache

from ..sessions.transcript import Transcript, all_transcripts

SINGLE_NIM_GAMES = ('recorded', 'stones', 'tlcw', 'piles')
GAMES = ('othello', *SINGLE_NIM_GAMES, 'nim')       # nim: our own console's whole command line
EXAMPLES = ('worked_example.txt', 'prompt_free.txt')


def transcripts_for(game: str, prompts: bool = False, beyond: bool = False) -> list[Transcript]:
    """Return the transcripts that grade somebody's program for a game, in the order of learning.

    The assignment's own example comes first, then small before large; what is beyond the
    assignment comes last, if it is wanted. `prompts` chooses the transcripts that have prompts.
    Those that need Python's own random numbers are for our consoles alone. Raises
    `TranscriptError`.
    """
    chosen = [transcript for transcript in read_transcripts()
              if is_of(transcript, game, prompts) and not transcript.has_chance
              and (beyond or not transcript.is_beyond)]
    return sorted(chosen, key=lambda transcript: (
        transcript.is_beyond, not transcript.name.endswith(EXAMPLES), len(transcript.lines),
        transcript.name))


@lru_cache(maxsize=None)
def read_transcripts() -> list[Transcript]:
    """Return all transcripts of the project, read once."""
    return [Transcript.read(path) for path in all_transcripts()]


def is_of(transcript: Transcript, game: str, prompts: bool) -> bool:
    """Return whether a transcript is of a game, and has prompts or not, as wanted."""
    if game == 'nim':
        return transcript.game in SINGLE_NIM_GAMES
    return transcript.game == game and transcript.has_prompts == prompts


def arguments_for(game: str, transcript: Transcript) -> list[str]:
    """Return the words that a program gets on its command line."""
    return transcript.command[1:] if game == 'nim' else []
