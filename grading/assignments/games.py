"""What GAME can be on the command line, a game, a folder or a file, and its sessions in order."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Iterable, Mapping, Sequence

from ..installation import TRANSCRIPTS_FOLDER, all_transcripts
from ..printable import did_you_mean
from ..sessions.transcript import Transcript, TranscriptError
from ..settings import Settings
from ..submissions.executable import Language
from ..submissions.submission import Recipe
from .configuration import configuration_in
from .folder import Contents, check_name, check_recorded, read_assignment, transcripts_in
from .game import Game, recorded

# Each folder beside this module has the games that one console plays; the fewest come first.
FOLDERS = sorted(Path(__file__).parent.glob('*/__init__.py'))
CONSOLE_GAMES = [import_module(f'.{path.parent.name}', __package__).GAMES for path in FOLDERS]
GAMES: dict[str, Game] = {game.name: game for games in sorted(CONSOLE_GAMES, key=len)
                          for game in games}
# What can be graded: each game, and each program that plays several.
NAMES = tuple(dict.fromkeys([*GAMES, *(game.program for game in GAMES.values())]))
PROGRAMS = [name for name in NAMES if name not in GAMES]
NAMES_EXPLAINED = f"""\
GAME is {', '.join(GAMES)}, for a program that plays this game alone and
takes no arguments; or {', '.join(PROGRAMS)}, for a program with the command line of our console.
GAME can also be a folder of sessions (*.txt in it and below), or the file of one session.

"""
CONSOLES = list(dict.fromkeys(game.command[0] for game in GAMES.values()))
EXAMPLES = ('worked_example.txt', 'prompt_free.txt')    # the assignments' own, which come first


def game_of(transcript: Transcript) -> Game | None:
    """Return the game of a session, None if it is none of ours."""
    return next((game for game in GAMES.values() if game.is_played_by(transcript.command)), None)


def for_others(transcript: Transcript) -> Transcript:
    """Return a session for others' programs, with the choices that its assignment leaves them."""
    game = game_of(transcript)
    return game.left_open(transcript) if game else transcript


def games_of(name: str) -> list[Game]:
    """Return the game with a name, or all games of a program with this name."""
    return [GAMES[name]] if name in GAMES else [
        game for game in GAMES.values() if game.program == name]


def is_whole_program(name: str) -> bool:
    """Return whether a name is that of a program that gets the game on its command line."""
    return name not in GAMES


def is_of(transcript: Transcript, name: str, prompts: bool) -> bool:
    """Return whether a session belongs to a game, or to the games of a program.

    A program plays its games with and without prompts, a single game only as `prompts` says.
    """
    return game_of(transcript) in games_of(name) and (
        is_whole_program(name) or ('--prompts' in transcript.arguments) == prompts)


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
    return assignment(replace(settings, seed=None))     # each submission may have its own seed


@lru_cache(maxsize=None)
def assignment(settings: Settings) -> Assignment:
    """Return the assignment in some settings; read its sessions once. Raises `TranscriptError`."""
    name = settings.game
    configuration = configuration_in(dict(settings.sessions))
    languages = configuration.languages
    if settings.command or settings.build:          # the command line wins
        languages = (Language('', settings.command or '', settings.build or ''),)
    recipe = Recipe(languages, settings.data, settings.limits.build)
    if settings.sessions:
        own = own_sessions(settings, configuration.directives)
        return Assignment(name, configuration.title or name, tuple(own), recipe, True)
    transcripts = [transcript for transcript in transcripts_for(
        name, settings.prompts, settings.beyond)
        if not (settings.at_once and transcript.others)]    # what to type depends on answers
    return Assignment(name, name, tuple(transcripts), recipe, is_whole_program(name))


def own_sessions(settings: Settings, directives: Sequence[str]) -> list[Transcript]:
    """Return the sessions of an assignment of one's own. Raises `TranscriptError`."""
    own = [*map(for_others, transcripts_in(dict(settings.sessions), directives))]
    for transcript in own if settings.at_once else ():
        if transcript.has_free_prompts:
            raise TranscriptError(f'{transcript.name}: "# prompts: free" cannot be played with '
                                  '--at-once: nobody sees where a prompt ends')
        if transcript.others:
            raise TranscriptError(f'{transcript.name}: cannot be played with --at-once: what to '
                                  'type depends on what the program prints')
    return in_order(transcript for transcript in own
                    if settings.beyond or not transcript.is_beyond or len(own) == 1)


def named(word: str) -> tuple[str, Contents, Path]:
    """Return the name of an assignment, its files, and its path, if it is none of our games.

    `word` is the name of a game, the path of a folder of sessions or of one session, or what a
    report calls a session of ours. Raises `TranscriptError`.
    """
    path = Path(word)
    if word in NAMES:
        return word, Contents((), ()), path
    if not path.exists():
        ours = {one.relative_to(TRANSCRIPTS_FOLDER).with_suffix('').as_posix(): one
                for one in all_transcripts()}
        wanted = re.sub(r'^transcripts/|\.txt$', '', word)
        found = [name for name in ours if f'/{name}'.endswith(f'/{wanted}')]
        if len(found) > 1:
            raise TranscriptError(f'{word}: which session? {", ".join(found)}')
        if not found:
            raise TranscriptError(
                f'{word}: no game ({", ".join(NAMES)}), and no folder or file'
                + did_you_mean(wanted, [*NAMES, *ours, *(Path(name).name for name in ours)]))
        path = ours[found[0]]
    name = path.resolve().stem if path.is_file() else path.resolve().name
    check_name(path, name, {})
    return name, read_assignment(path), path


def preset(contents: Contents) -> Mapping[str, object]:
    """Return the options of `grade` that an assignment sets, as `Settings` names them.

    Raises `TranscriptError`.
    """
    return configuration_in(dict(contents.texts)).options


@lru_cache(maxsize=None)
def transcripts_for(name: str, prompts: bool = False, beyond: bool = False) -> list[Transcript]:
    """Return the sessions of a game by which others' programs are graded, in the order of learning.

    They are made once. `beyond` adds sessions beyond the assignment; `prompts` chooses the sessions
    with prompts. Sessions with Python's own random numbers are for our consoles alone, unless the
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


def record(path: Path) -> None:
    """Record a session in its file. Raises `TranscriptError`, and then leaves the file as it is."""
    transcript = Transcript.read(path)
    transcript.command = transcript.command or command_for(path)
    path.write_bytes(recorded(transcript).encode())


def is_of_ours(path: Path) -> bool:
    """Return whether the session in a file belongs to one of our games. Raises `TranscriptError`.

    Its `$` line says so, or its folder, or it begins like a game of Othello.
    """
    transcript = Transcript.read(path)
    if transcript.command:
        return transcript.command[0] in CONSOLES
    setup = '\n'.join(transcript.inputs[:4])
    return path.resolve().parent.name in GAMES or bool(
        re.fullmatch(r'\d+\n\d+\n[BW]\n[<>]', setup))


def command_for(path: Path) -> list[str]:
    """Return the command line for a file without a `$` line: its folder's game, or Othello."""
    game = GAMES.get(path.resolve().parent.name, GAMES['othello'])
    return list(game.command)
