"""The four games of Nim, for the grader: piles in texts, hints, and choices that are left open.

Programs choose their words; and in a lost position the computer may make any move. Then the user
has a winning move, and makes it.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Iterator, Mapping, Sequence

from ...sessions.comparison import words_of
from ...sessions.transcript import Transcript, as_typed
from ...sessions.verdict import Dialogue, WrongLine
from ..game import Cell, Game
from . import faults, fresh
from .model import STATE, Piles, Recorded, Stones, Tlcw, legal_moves, optimal_moves

INVALID = 'Invalid Game.\n'
PILE = re.compile(r'\bpile (\d{1,3}) = (\d{1,9})$', re.ASCII)
STATE_LINE = re.compile(r'[ \t]*\d{1,9}(?:[ \t]+\d{1,9})*[ \t]*', re.ASCII)
MOVE = re.compile(r'^I remove (\d+) from pile (\d+)$', re.MULTILINE)
# The only pile of Taking Stones, and that of take the last coin to win.
SINGLE = re.compile(r'\bThere are (\d{1,9}) stones|\bCOINS: *(\d{1,9})', re.ASCII)
MOST_PILES = 26                         # of a position that is drawn
MOST_TOKENS = 60                        # of a pile that is drawn


# Piles in texts

@dataclass(frozen=True)
class PilePosition:
    """Nim piles: the printed number of each (`''` for a single pile), and its size.

    The cells of the position are these numbers.
    """

    sizes: tuple[tuple[str, int], ...]

    missing = 'No piles were printed.'
    template = 'nim/piles.svg'
    caption = ''

    @property
    def cells(self) -> Mapping[Cell, int]:
        """The number of tokens in each pile."""
        return dict(self.sizes)

    @property
    def is_small(self) -> bool:
        """Whether the piles are small enough for a picture."""
        return (len(self.sizes) <= MOST_PILES
                and all(size <= MOST_TOKENS for _, size in self.sizes))

    def name_of(self, cell: Cell) -> str:
        """Return the name of a pile."""
        return f'pile {cell}' if cell else ''


def find_piles(text: str) -> Sequence[PilePosition]:
    """Return all positions of one kind in a text, in their order."""
    lines = text.split('\n')
    numbered = [PilePosition(tuple((pile[1], int(pile[2])) for pile in piles if pile))
                for is_pile, piles in groupby(map(PILE.search, lines), bool) if is_pile]
    single = [PilePosition((('', int(pile[1] or pile[2])),))
              for pile in map(SINGLE.search, lines) if pile]
    states = [PilePosition(tuple((str(number), int(size))
                                 for number, size in enumerate(line.split(), 1)))
              for line in lines if STATE_LINE.fullmatch(line)]
    return numbered or single or states


# Hints

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


# What classic Nim leaves to a program

class WithMoves(Piles):
    """A game in which the computer makes given `moves`, and after them the first right one."""

    moves: Iterator[tuple[int, int]]

    def choose(self, wins: list[tuple[int, int]]) -> tuple[int, int]:
        return next(self.moves, (wins or legal_moves(self.sizes))[0])


def leave_open(transcript: Transcript) -> Transcript:
    """Return a session for others' programs, with the choices that the assignment leaves them."""
    session = copy.deepcopy(transcript)
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
                      if any(not optimal_moves(sizes) for _, sizes, _, _ in moves_of(session))
                      else None)
    return session


def with_other_moves(transcript: Transcript, number: int) -> Iterator[Transcript]:
    """Yield a session for each legal move of the computer, if its position in a step is lost."""
    before = []
    for step, sizes, pile, taken in moves_of(transcript):
        if step < number:
            before.append((pile, taken))
        elif step == number and not optimal_moves(sizes):
            for other in legal_moves(sizes):
                yield with_moves(transcript, number, [*before, other])


def with_moves(transcript: Transcript, number: int, moves: Sequence[tuple[int, int]]) -> Transcript:
    """Return a session with given moves of the computer, and the same answers up to a step.

    After these answers the user makes winning moves.
    """
    def answers() -> Iterator[str]:
        yield from transcript.inputs[:number]
        while True:
            yield from map(str, optimal_moves(session.sizes)[0])

    from ...sessions.record import head_of, recorded_with  # which take long to import

    session = WithMoves(answers(), transcript.arguments)
    session.moves = iter(moves)
    session.play()
    _, head = head_of(transcript, Dialogue())
    scenario = Transcript(transcript.name, '\n'.join([*head, *map(as_typed, session.typed)]))
    text = recorded_with(scenario, Dialogue.printing(session.texts))
    return leave_open(Transcript(transcript.name, text, transcript.directives))


def moves_of(transcript: Transcript) -> Iterator[tuple[int, list[int], int, int]]:
    """Yield the computer's moves in a session: the step, the piles before it, pile and number."""
    for number, step in enumerate(transcript.steps):
        move = MOVE.search(step.output)
        if move:
            yield (number, [*map(int, STATE.findall(step.output, 0, move.start()))],
                   int(move[2]), int(move[1]))


GAMES = (
    Game('recorded', ('nim_console.py', 'recorded'), Recorded, faults.RECORDED, hint, find_piles,
         fresh.RECORDED),
    Game('stones', ('nim_console.py', 'stones'), Stones, faults.STONES, hint, find_piles,
         fresh.maker(Stones, fresh.stones_answers), has_prompts=True),
    Game('tlcw', ('nim_console.py', 'tlcw'), Tlcw, faults.TLCW, hint, find_piles,
         fresh.maker(Tlcw, fresh.tlcw_answers), has_prompts=True),
    Game('piles', ('nim_console.py', 'piles'), Piles, faults.PILES, hint, find_piles,
         fresh.maker(Piles, fresh.piles_answers, ['--seed', '1']), has_prompts=True,
         left_open=leave_open))
