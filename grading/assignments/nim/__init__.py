"""The four games of Nim, for the grader: hints, and the choices that classic Nim leaves open.

Programs choose their words; and in a lost position the computer may make any move. Then the user
has a winning move, and makes it.
"""

from __future__ import annotations

import copy
from functools import partial, reduce
from operator import xor
from typing import Iterator, NamedTuple, Sequence

from ...sessions.comparison import words_of
from ...sessions.dialogue import Dialogue
from ...sessions.recorded_text import head_and_body, recorded_with
from ...sessions.steps import as_typed
from ...sessions.transcript import Transcript
from ...sessions.verdict import WrongLine
from ..game import Game
from . import faults, generator, record_generator
from .computer import Stones, Tlcw
from .model import STATE, Piles, Recorded
from .positions import find_piles

INVALID = 'Invalid Game.\n'


def hint(place: WrongLine) -> str:
    """Return a hint about a line that differs in meaning, `''` if nothing is certain."""
    if place.expected == INVALID:
        why = why_invalid([step.input or '' for step in place.session.steps[:place.step]])
        is_told = INVALID in (place.printed, *place.printed_next)
        return (f'this recorded game is invalid{why and ": "}{why}'
                + '; print this line alone, not even the starting state' * is_told)
    if place.printed == INVALID:
        return 'this recorded game is valid'
    return ''


def why_invalid(lines: list[str]) -> str:
    """Return why a recorded game is invalid, `''` if it is valid."""
    game = Recorded(lines)
    game.play()
    return game.why_invalid


class Moved(NamedTuple):
    """A move of the computer: its step, the piles before it, and the move."""

    step: int
    sizes: Sequence[int]
    pile: int
    taken: int

    @property
    def is_lost(self) -> bool:
        """Whether the computer was in a lost position."""
        return reduce(xor, self.sizes) == 0


class WithMoves(Piles):
    """A game in which the computer makes given `moves`, and after them the first right one."""

    moves: Iterator[tuple[int, int]]

    def choose(self, wins: list[tuple[int, int]]) -> tuple[int, int]:
        return next(self.moves, (wins or self.legal_moves())[0])


def as_left_open(transcript: Transcript) -> Transcript:
    """Return a session for others' programs, with the choices that the assignment leaves them."""
    free = copy.deepcopy(transcript)
    leave_open(free)
    return free


def leave_open(session: Transcript) -> None:
    """Leave the choices in a session that the assignment leaves to a program."""
    asked = ''
    for step in session.steps:
        question = step.printed[-1] if step.printed else None
        if step.output in (asked, 'INVALID\n') and question:
            question.rule = 'question'
        asked = step.output.rpartition('\n')[2]
        for line in step.printed:
            if not line.is_own and Piles.is_left_free(line.text):
                line.rule = 'words'
    session.due_words = {words_of(line.text) for step in session.steps for line in step.printed
                         if not line.is_own}
    session.others = (partial(with_other_moves, session)
                      if any(moved.is_lost for moved in moves_of(session)) else None)


def with_other_moves(transcript: Transcript, number: int) -> Iterator[Transcript]:
    """Yield a session for each legal move of the computer, if its position in a step is lost."""
    moves = [*moves_of(transcript)]
    before = [(moved.pile, moved.taken) for moved in moves if moved.step < number]
    for moved in moves:
        if moved.step == number and moved.is_lost:
            for pile, size in enumerate(moved.sizes):
                for taken in range(1, size + 1):
                    yield with_moves(transcript, number, [*before, (pile, taken)])


def with_moves(transcript: Transcript, number: int, moves: Sequence[tuple[int, int]]) -> Transcript:
    """Return a session with given moves of the computer, and the same answers up to a step.

    After these answers the user makes winning moves.
    """
    def answers() -> Iterator[str]:
        yield from transcript.inputs[:number]
        while True:
            pile, count = session.winning_moves()[0]
            yield str(pile)
            yield str(count)

    session = WithMoves(answers(), transcript.arguments)
    session.moves = iter(moves)
    session.play()
    head, _ = head_and_body(transcript)
    scenario = Transcript(transcript.name, '\n'.join([*head, *map(as_typed, session.typed)]))
    played = Transcript(transcript.name, recorded_with(scenario, Dialogue.printing(session.texts)))
    other = copy.copy(transcript)
    other.lines, other.steps = played.lines, played.steps
    leave_open(other)
    return other


def moves_of(transcript: Transcript) -> Iterator[Moved]:
    """Yield the computer's moves in a session."""
    for number, step in enumerate(transcript.steps):
        sizes = [int(size) for size in STATE.findall(step.output)]
        before, behind = sizes[:len(sizes) // 2], sizes[len(sizes) // 2:]
        if step.output.count('pile 0 = ') == 2:
            for pile, (old, new) in enumerate(zip(before, behind)):
                if old != new:
                    yield Moved(number, before, pile, old - new)


RECORDED = Game('recorded', ('nim_console.py', 'recorded'), Recorded, faults.RECORDED, hint,
                find_piles, record_generator.MAKER, is_default=True)
STONES = Game('stones', ('nim_console.py', 'stones'), Stones, faults.STONES, hint, find_piles,
              generator.maker(Stones, generator.stones_answers), has_prompts=True)
TLCW = Game('tlcw', ('nim_console.py', 'tlcw'), Tlcw, faults.TLCW, hint, find_piles,
            generator.maker(Tlcw, generator.tlcw_answers), has_prompts=True)
PILES = Game('piles', ('nim_console.py', 'piles'), Piles, faults.PILES, hint, find_piles,
             generator.maker(Piles, generator.piles_answers, ['--seed', '1']), has_prompts=True,
             left_open=as_left_open)
GAMES = RECORDED, STONES, TLCW, PILES
