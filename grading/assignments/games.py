"""The table of games, the game of a session, and our own consoles, which say what is due.

Our consoles run in this process.
"""

from __future__ import annotations

import io
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from ..installation import own_module
from ..sessions.recorded_text import Recording, recorded_with
from ..sessions.transcript import Transcript, TranscriptError
from .game import Game
from .nim import PILES, RECORDED, STONES, TLCW
from .othello import OTHELLO

GAMES = {game.name: game for game in (OTHELLO, RECORDED, STONES, TLCW, PILES)}
# What can be graded: each game, and each program that plays several.
NAMES = tuple(dict.fromkeys([*GAMES, *(game.program for game in GAMES.values())]))
NAMES_EXPLAINED = """\
GAME is othello; or recorded, stones, tlcw or piles, for a program that plays one game of Nim and
takes no arguments; or nim, for a program with the command line of nim_console.py. GAME can also be
a folder of sessions (*.txt in it and below), or the file of one session.

"""
CONSOLES = list(dict.fromkeys(game.command[0] for game in GAMES.values()))


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


@dataclass
class Played:
    """What our own console did with some input lines."""

    outputs: list[str]                  # what it printed before each line it read, and at last
    status: int                         # its exit status
    errors: str                         # what it said on standard error


class Typed(io.StringIO):
    """Input lines that note how much was printed before each of them was read."""

    def __init__(self, inputs: list[str], output: io.StringIO) -> None:
        super().__init__(''.join(line + '\n' for line in inputs))
        self._output = output
        self.marks: list[int] = []

    def readline(self, size: int | None = -1) -> str:       # type: ignore[override]
        line = super().readline(-1 if size is None else size)
        if line.endswith('\n'):
            self.marks.append(self._output.tell())
        return line


def play(command: list[str], inputs: list[str]) -> Played:
    """Play input lines through our own console in this process.

    `command` is its name and its arguments, as on a `$` line. If the console prints only after all
    input, every output but the last is empty. The console uses the standard streams of this
    process, so no other thread may print meanwhile.
    """
    output, errors = io.StringIO(), io.StringIO()
    typed = Typed(inputs, output)
    before = sys.argv, sys.stdin
    sys.argv, sys.stdin = command, typed
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            status = own_module(command[0][:-len('.py')]).main()
    finally:
        sys.argv, sys.stdin = before
    if status == 130:                   # to our console, Ctrl-C was the end of a game
        raise KeyboardInterrupt
    printed = output.getvalue()
    cuts = [0, *typed.marks, len(printed)]
    return Played([printed[start:end] for start, end in zip(cuts, cuts[1:])],
                   status, errors.getvalue())


def outputs_of(transcript: Transcript) -> list[str]:
    """Return what our console prints before each input line of a transcript, and after the last.

    Raises `TranscriptError` where the session fails, or leaves input unread.
    """
    inputs = transcript.inputs
    if transcript.command[0] not in CONSOLES:
        raise TranscriptError(f'{transcript.name}: recorded by {" or ".join(CONSOLES)}, not by '
                              f'{transcript.command[0]}')
    session = play(transcript.command, inputs)
    if session.status or session.errors:
        raise TranscriptError(complaint(transcript, session))
    outputs = session.outputs
    if not any(outputs[:-1]):           # it reads all before it prints, or what it has to read
        outputs = [''] * len(inputs) + outputs[-1:]
    if len(outputs) <= len(inputs):
        unread = transcript.steps[len(outputs) - 1]
        raise TranscriptError(f'{transcript.name}:{unread.number}: the program does not read this '
                              f'line: {unread.input!r}')
    ends = [number for number, step in enumerate(transcript.steps) if step.ends_input]
    for number in ends:                 # what is printed then comes after it
        outputs.insert(number, '')
    return outputs


def complaint(transcript: Transcript, session: Played) -> str:
    """Return our console's error about a session, with the lines of the transcript."""
    numbers = [step.number for step in transcript.steps]
    error = session.errors.strip().partition(': ')[2]
    place = re.match(r'(the input ended after )?line (\d+): (.*)|the input is empty', error)
    if place and not transcript.inputs:
        return f'{transcript.name}: the file has no input line yet'
    if not place or not place[2]:
        return f'{transcript.name}: exit status {session.status}: {session.errors.strip()}'
    ended, number, reason = place.groups()
    return (f'{transcript.name}:{numbers[int(number) - 1]}: '
            + ('an input line is missing after this one: ' if ended else '') + reason)


def recorded(transcript: Transcript) -> str:
    """Return the text of a transcript with what our console prints today; see `recorded_with`."""
    return recorded_with(transcript, Recording(outputs_of(transcript)))


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
