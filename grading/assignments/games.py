"""What GAME on the command line names: a game, a folder or a file; and its sessions in order."""

from __future__ import annotations

import io
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from ..installation import TRANSCRIPTS_FOLDER, all_transcripts, own_module
from ..printable import did_you_mean
from ..sessions.transcript import Transcript, TranscriptError
from ..sessions.verdict import Dialogue
from ..settings import Assignment
from .folder import check_recorded, read_assignment
from .game import Game

# Each folder beside this module has the games that one console plays; the fewest come first.
GAMES: dict[str, Game] = {game.name: game for games in sorted((
    import_module(f'.{path.parent.name}', __package__).GAMES
    for path in sorted(Path(__file__).parent.glob('*/__init__.py'))), key=len) for game in games}
# What can be graded: each game, and each program that plays several.
NAMES = tuple(dict.fromkeys([*GAMES, *(game.program for game in GAMES.values())]))
PROGRAMS = NAMES[len(GAMES):]
NAMES_EXPLAINED = f"""\
GAME is {', '.join(GAMES)}, for a program that plays this game alone and
takes no arguments; or {', '.join(PROGRAMS)}, for a program with the command line of our console.
GAME can also be a folder of sessions (*.txt in it and below), or the file of one session.

"""
EXAMPLES = ('worked_example.txt', 'prompt_free.txt')    # the assignments' own, which come first


def game_of(transcript: Transcript) -> Game | None:
    """Return the game of a session, None if it is none of ours."""
    words = tuple(transcript.command)   # without a game, they name the first of the console
    return next((game for game in GAMES.values()
                 if words[:len(game.command)] == game.command or words == game.command[:1]), None)


def for_others(transcript: Transcript) -> Transcript:
    """Return a session for others' programs, with the choices that its assignment leaves them."""
    game = game_of(transcript)
    return game.left_open(transcript) if game and game.left_open else transcript


def games_of(name: str) -> list[Game]:
    """Return the game with a name, or all games of a program with this name."""
    return [GAMES[name]] if name in GAMES else [
        game for game in GAMES.values() if game.program == name]


def assignment_named(word: str) -> Assignment:
    """Return the assignment with all sessions that GAME on the command line names.

    `word` is the name of a game, the path of a folder of sessions or of one session, or what a
    report calls a session of ours. Raises `TranscriptError`.
    """
    if word in NAMES:
        return Assignment(word, [*read_transcripts()], word, has_arguments=word not in GAMES)
    path = Path(word)
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
    return read_assignment(path)


def choose_sessions(assignment: Assignment, prompts: bool = False, beyond: bool = False,
                    at_once: bool = False) -> Assignment:
    """Return an assignment with the sessions by which others' programs are graded, in order.

    `prompts` chooses the sessions of a game with prompts; `beyond` adds sessions beyond the
    assignment; with `at_once` all input is known before the program starts. Raises
    `TranscriptError`.
    """
    sessions = [*assignment.transcripts]
    if assignment.path is None:         # a program plays its games with and without prompts
        games, is_alone = games_of(assignment.name), assignment.name in GAMES
        sessions = [for_others(one) for one in sessions if game_of(one) in games and not (
            is_alone and ('--prompts' in one.arguments) != prompts)]
        # Nobody else can draw Python's random numbers, unless the session follows the program; then
        # what to type depends on answers.
        sessions = [one for one in sessions if (
            not at_once if one.others else '--seed' not in one.arguments)]
    else:
        sessions = [*map(for_others, sessions)]
        beyond = beyond or len(sessions) == 1
        for one in sessions if at_once else ():
            if one.has_free_prompts:
                raise TranscriptError(f'{one.name}: "# prompts: free" cannot be played with '
                                      '--at-once: nobody sees where a prompt ends')
            if one.others:
                raise TranscriptError(f'{one.name}: cannot be played with --at-once: what to '
                                      'type depends on what the program prints')
    # The order of learning: examples first, small before large; beyond the assignment last.
    return replace(assignment, transcripts=sorted(
        (one for one in sessions if beyond or not one.is_beyond), key=lambda one: (
            one.is_beyond, not one.name.endswith(EXAMPLES), len(one.lines), one.name)))


@lru_cache(maxsize=None)
def read_transcripts() -> list[Transcript]:
    """Return all transcripts of the project, read once.

    Raises `TranscriptError` if no program can be graded by one of them.
    """
    transcripts = [Transcript.read(path) for path in all_transcripts()]
    for transcript in transcripts:
        if not game_of(transcript):
            command = ' '.join(transcript.command)
            raise TranscriptError(f'{transcript.name}: ' + (
                f'"$ {command}" is none of our games' if command
                else 'a $ line must name the game'))
        check_recorded(transcript, transcript.name, 'record')
    return transcripts


def console_for(path: Path) -> list[str]:
    """Return the command line of our console for the session in a file, [] if it is not of ours.

    Its `$` line says so, or its folder, or it begins as only one game does. Raises
    `TranscriptError`.
    """
    transcript = Transcript.read(path)
    if transcript.command:
        is_ours = transcript.command[0] in {game.command[0] for game in GAMES.values()}
        return transcript.command if is_ours else []
    folder, begin = path.resolve().parent.name, '\n'.join(transcript.inputs)
    return next((list(game.command) for game in GAMES.values() if game.name == folder or (
        game.begins and re.match(game.begins, begin))), [])


def play(command: list[str], inputs: list[str]) -> tuple[list[str], int, str]:
    """Play input lines through our own console in this process.

    Return what it printed before each line that it read, and after the last, its exit status, and
    what it printed on standard error.

    `command` is its name and its arguments, as on a `$` line. If the console prints only after all
    input, every output but the last is empty. The console uses the standard streams of this
    process, so no other thread may print meanwhile.
    """
    output, errors = io.StringIO(), io.StringIO()
    typed = io.StringIO(''.join(line + '\n' for line in inputs))
    cuts = [0]                          # how much was printed when each line was read

    def readline(size: int | None = -1) -> str:
        line = io.StringIO.readline(typed, -1 if size is None else size)
        if line.endswith('\n'):
            cuts.append(output.tell())
        return line

    typed.readline = readline           # type: ignore[method-assign]
    before = sys.argv, sys.stdin
    sys.argv, sys.stdin = command, typed
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            status = own_module(command[0][:-len('.py')]).main()
    finally:
        sys.argv, sys.stdin = before
    if status == 130:                   # our console took Ctrl-C for the end of the game
        raise KeyboardInterrupt
    printed = output.getvalue()
    outputs = [printed[start:end] for start, end in zip(cuts, [*cuts[1:], len(printed)])]
    return outputs, status, errors.getvalue()


def outputs_of(transcript: Transcript) -> list[str]:
    """Return what our console prints before each input line of a transcript, and after the last.

    Raises `TranscriptError` where the session fails, or leaves input unread.
    """
    inputs = transcript.inputs
    outputs, status, errors = play(transcript.command, inputs)
    if status or errors:
        raise TranscriptError(complaint(transcript, status, errors))
    if not any(outputs[:-1]):           # it read all its input before it printed
        outputs = [''] * len(inputs) + outputs[-1:]
    if len(outputs) <= len(inputs):
        unread = transcript.steps[len(outputs) - 1]
        raise TranscriptError(f'{transcript.name}:{unread.number}: the program does not read this '
                              f'line: {unread.input!r}')
    for number, step in enumerate(transcript.steps):
        if step.ends_input:             # all output comes after the end of input
            outputs.insert(number, '')
    return outputs


def complaint(transcript: Transcript, status: int, errors: str) -> str:
    """Return our console's message about a session, with line numbers of the transcript."""
    numbers = [step.number for step in transcript.steps]
    error = errors.strip().partition(': ')[2]
    place = re.match(r'(the input ended after )?line (\d+): (.*)|the input is empty', error)
    if place and not transcript.inputs:
        return f'{transcript.name}: the file has no input line yet'
    if not place or not place[2]:
        return f'{transcript.name}: exit status {status}: {errors.strip()}'
    ended, number, reason = place.groups()
    return (f'{transcript.name}:{numbers[int(number) - 1]}: '
            + ('an input line is missing after this one: ' if ended else '') + reason)


def recorded(transcript: Transcript) -> str:
    """Return the text of a transcript with what our console prints; see `recorded_with`."""
    from ..sessions.record import recorded_with  # which takes long to import

    return recorded_with(transcript, Dialogue.printing(outputs_of(transcript)))


def record(path: Path) -> None:
    """Record a session of ours in its file.

    Raises `TranscriptError`, and then leaves the file as it is.
    """
    transcript = Transcript.read(path)
    transcript.command = console_for(path)
    if not transcript.command:
        raise TranscriptError(f'{path}: a $ line must name the game')
    path.write_bytes(recorded(transcript).encode())
