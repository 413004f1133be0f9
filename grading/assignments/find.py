"""The sessions by which a program is graded, in their order: those of a game, or of a folder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Iterable, Mapping

from ..installation import all_transcripts
from ..sessions.transcript import Transcript, TranscriptError
from ..settings import Settings
from ..submissions.executable import Language
from ..submissions.submission import Recipe
from .configuration import configuration_in
from .folder import Contents, check_name, check_recorded, read_assignment, transcripts_in
from .games import NAMES, for_others, game_of, is_of, is_whole_program

EXAMPLES = ('worked_example.txt', 'prompt_free.txt')    # the assignments' own, which come first


@dataclass(frozen=True)
class Assignment:
    """The sessions by which programs are graded, in the order of learning."""

    name: str
    title: str
    transcripts: tuple[Transcript, ...]
    recipe: Recipe                      # how its programs are made
    has_arguments: bool                 # whether programs get those of a transcript's `$` line

    def arguments_for(self, transcript: Transcript) -> list[str]:
        """Return the words on a program's command line."""
        return transcript.arguments if self.has_arguments else []


def find(settings: Settings) -> Assignment:
    """Return the assignment in some settings. Raises `TranscriptError`."""
    return assignment(replace(settings, seed=None))     # which is another one for each submission


@lru_cache(maxsize=None)
def assignment(settings: Settings) -> Assignment:
    """Return the assignment in some settings; read its sessions once.

    Raises `TranscriptError`.
    """
    name = settings.game
    texts = dict(settings.sessions)
    configuration = configuration_in(texts)
    languages = configuration.languages
    if settings.command or settings.build:          # the command line wins
        languages = (Language('', settings.command or '', settings.build or ''),)
    recipe = Recipe(languages, settings.data, settings.limits.build)
    if not texts:
        transcripts = [transcript for transcript in transcripts_for(
            name, settings.prompts, settings.beyond)
            if not (settings.at_once and transcript.others)]    # what to type is not known yet
        return Assignment(name, name, tuple(transcripts), recipe,
                          has_arguments=is_whole_program(name))
    own = [*map(for_others, transcripts_in(texts, configuration.directives))]
    for transcript in own if settings.at_once else ():
        if transcript.has_free_prompts:
            raise TranscriptError(f'{transcript.name}: "# prompts: free" cannot be played with '
                                  '--at-once: nobody sees where a prompt ends')
    return Assignment(name, configuration.title or name, tuple(in_order(
        transcript for transcript in own
        if settings.beyond or not transcript.is_beyond or len(own) == 1)), recipe,
        has_arguments=True)


def named(word: str) -> tuple[str, Contents]:
    """Return the name of an assignment, and its files if it is a folder.

    `word` is the name of a game, or the path of a folder of sessions or of one session. Raises
    `TranscriptError`.
    """
    if word in NAMES:
        return word, Contents((), ())
    path = Path(word)
    if not path.exists():
        raise TranscriptError(f'{word}: no game ({", ".join(NAMES)}), and no folder or file')
    name = path.resolve().stem if path.is_file() else path.resolve().name
    check_name(path, name, {})
    return name, read_assignment(path)


def preset(contents: Contents) -> Mapping[str, object]:
    """Return the options of `grade` that an assignment sets, as `Settings` names them.

    Raises `TranscriptError`.
    """
    return configuration_in(dict(contents.texts)).options


def transcripts_for(name: str, prompts: bool = False, beyond: bool = False) -> list[Transcript]:
    """Return the sessions of a game by which others' programs are graded, in the order of learning.

    Sessions beyond the assignment are there only with `beyond`; `prompts` chooses the sessions with
    prompts. Sessions with Python's own random numbers are for our consoles alone, unless the
    session follows the program. Raises `TranscriptError`.
    """
    chosen = [for_others(transcript) for transcript in read_transcripts()
              if is_of(transcript, name, prompts) and (beyond or not transcript.is_beyond)]
    return in_order(transcript for transcript in chosen
                    if transcript.others or '--seed' not in transcript.arguments)


@lru_cache(maxsize=None)
def read_transcripts() -> list[Transcript]:
    """Return all transcripts of the project, read once. Raises `TranscriptError`."""
    transcripts = [Transcript.read(path) for path in all_transcripts()]
    for transcript in transcripts:
        check(transcript)
    return transcripts


def check(transcript: Transcript) -> None:
    """Raise `TranscriptError` if no program can be graded by a session of the project."""
    if not game_of(transcript):
        command = ' '.join(transcript.command)
        raise TranscriptError(f'{transcript.name}: "$ {command}" is none of our games' if command
                              else f'{transcript.name}: a $ line must name the game')
    check_recorded(transcript, transcript.name, 'record')


def in_order(transcripts: Iterable[Transcript]) -> list[Transcript]:
    """Return sessions in the order of learning: examples first, small before large.

    Sessions beyond the assignment come last.
    """
    return sorted(transcripts, key=lambda transcript: (
        transcript.is_beyond, not transcript.name.endswith(EXAMPLES), len(transcript.lines),
        transcript.name))
