"""A game: what the grader knows about it, and what our own console prints in it.

Our consoles run in this process. The grader also grades sessions that belong to no game.
"""

from __future__ import annotations

import io
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from random import Random
from typing import Any, Callable, Collection, Hashable, Sequence, Tuple

from ..diagnosis.fault_models import GameModel, Known
from ..installation import own_module
from ..sessions.dialogue import Dialogue
from ..sessions.recorded_text import recorded_with
from ..sessions.transcript import Transcript, TranscriptError
from ..sessions.verdict import WrongLine
from .positions import Position


@dataclass(frozen=True)
class Parts:
    """Parts of a session that can be left out.

    `without` returns the input lines of the session without some of the parts, None if there is no
    such session.
    """

    parts: Sequence[Hashable]
    without: Callable[[Collection[Any]], list[str] | None]


PartsOf = Callable[[Transcript, int], Parts]    # of a session that a program fails in a step
Size = Callable[[Transcript, int], Tuple[object, ...]]


def lines_of(transcript: Transcript, step: int) -> Parts:
    """Return the input lines of a session as its parts."""
    lines = transcript.inputs
    return Parts(range(len(lines)), lambda left_out: [
        line for number, line in enumerate(lines) if number not in left_out])


def typed_size(transcript: Transcript, step: int) -> tuple[object, ...]:
    """Return a key that orders sessions by size: input lines, then characters."""
    lines = transcript.inputs
    return step, len(lines), sum(map(len, lines)), lines


@dataclass(frozen=True)
class Maker:
    """Makes fresh games: sessions that nobody has seen.

    `make` gets a generator of random numbers, on which everything depends, and returns all input
    lines of a session. To make a failed session smaller, the grader leaves out its `parts`, one
    kind after the other; `size` says which of two sessions is smaller. Our own console, whose
    output is due, gets the `arguments`.
    """

    make: Callable[[Random], list[str]]
    parts: Sequence[PartsOf] = (lines_of,)
    size: Size = typed_size
    arguments: Sequence[str] = ()


@dataclass(frozen=True, eq=False)       # a game is only like itself
class Game:
    """A game: what the grader knows about it besides recorded sessions.

    `command` is the command line of our own console. `model` implements the game once more, with a
    method for each decision, so that `faults`, the known faults, can replace single ones; the
    simplest fault comes first. `hint` returns in words how two lines differ in meaning, `''` if
    unknown. `positions` finds the positions in a text. `left_open` returns a session for others'
    programs, with the choices that the assignment leaves to them.
    """

    name: str
    command: tuple[str, ...]
    model: type[GameModel]
    faults: Sequence[Known] = ()
    hint: Callable[[WrongLine], str] = lambda place: ''
    positions: Callable[[str], Sequence[Position]] = lambda text: ()
    maker: Maker | None = None          # of fresh games, None if the game has none
    has_prompts: bool = False           # whether it is also played with prompts
    left_open: Callable[[Transcript], Transcript] = lambda transcript: transcript
    is_default: bool = False            # whether its console plays it if no game is named
    begins: str = ''                    # a pattern of first input lines that no other game has

    @property
    def program(self) -> str:
        """The name of the program that plays the game; a console may play several games."""
        return self.command[0].partition('_console')[0]

    def is_played_by(self, command: Sequence[str]) -> bool:
        """Return whether a command line of our own console plays this game."""
        return (tuple(command[:len(self.command)]) == self.command
                or (self.is_default and tuple(command) == self.command[:1]))


@dataclass
class ConsoleRun:
    """What our own console did with some input lines."""

    outputs: list[str]                  # before each line that it read, and after the last
    status: int                         # its exit status
    errors: str                         # what it printed on standard error


class Typed(io.StringIO):
    """Input lines; `marks` has how much was printed when the console read each of them."""

    def __init__(self, inputs: list[str], output: io.StringIO) -> None:
        super().__init__(''.join(line + '\n' for line in inputs))
        self._output = output
        self.marks: list[int] = []

    def readline(self, size: int | None = -1) -> str:       # type: ignore[override]
        line = super().readline(-1 if size is None else size)
        if line.endswith('\n'):
            self.marks.append(self._output.tell())
        return line


def play(command: list[str], inputs: list[str]) -> ConsoleRun:
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
    if status == 130:                   # our console took Ctrl-C for the end of the game
        raise KeyboardInterrupt
    printed = output.getvalue()
    cuts = [0, *typed.marks, len(printed)]
    return ConsoleRun([printed[start:end] for start, end in zip(cuts, cuts[1:])],
                   status, errors.getvalue())


def outputs_of(transcript: Transcript) -> list[str]:
    """Return what our console prints before each input line of a transcript, and after the last.

    Raises `TranscriptError` where the session fails, or leaves input unread.
    """
    inputs = transcript.inputs
    session = play(transcript.command, inputs)
    if session.status or session.errors:
        raise TranscriptError(complaint(transcript, session))
    outputs = session.outputs
    if not any(outputs[:-1]):           # it read all its input before it printed
        outputs = [''] * len(inputs) + outputs[-1:]
    if len(outputs) <= len(inputs):
        unread = transcript.steps[len(outputs) - 1]
        raise TranscriptError(f'{transcript.name}:{unread.number}: the program does not read this '
                              f'line: {unread.input!r}')
    ends = [number for number, step in enumerate(transcript.steps) if step.ends_input]
    for number in ends:                 # all output comes after the end of input
        outputs.insert(number, '')
    return outputs


def complaint(transcript: Transcript, session: ConsoleRun) -> str:
    """Return our console's message about a session, with line numbers of the transcript."""
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
    """Return the text of a transcript with what our console prints; see `recorded_with`."""
    return recorded_with(transcript, Dialogue.printing(outputs_of(transcript)))
