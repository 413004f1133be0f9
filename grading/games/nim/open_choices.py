"""Makes a session accept the choices the assignment of classic Nim leaves to programs.

A program may word its messages freely. In a lost position, it may make any legal move. Each of
these moves leads to a different session. From then on, the user makes winning moves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from ...sessions.comparison import words_of
from ...sessions.record import head_of, recorded_with
from ...sessions.session import Session
from ...sessions.transcript import as_typed, parse
from ...sessions.verdict import Dialogue
from ..model import Method, variant
from .model import STATE, Piles, legal_moves, optimal_moves

MOVE = re.compile(r'^I remove (\d+) from pile (\d+)$', re.MULTILINE)


def leave_open(session: Session) -> Session:
    """Return a session that accepts any choice the assignment leaves to programs."""
    steps = []
    prompt = ''
    for step in session.steps:
        # After a refused answer, only the same prompt is expected, or only INVALID.
        asks_again = step.output in (prompt, 'INVALID\n')
        prompt = step.output.rpartition('\n')[2]
        lines = [
            replace(line, rule='words') if Piles.is_left_free(line.text) else line
            for line in step.expected
        ]
        if asks_again and lines:
            lines[-1] = replace(lines[-1], rule='question')
        steps.append(replace(step, expected=tuple(lines)))
    is_ever_lost = any(not optimal_moves(sizes) for _, sizes, _, _ in moves_of(session))
    return replace(
        session,
        steps=steps,
        expected_words=frozenset(
            words_of(line.text) for step in steps for line in step.expected if not line.is_free_text
        ),
        others=with_other_moves if is_ever_lost else None,
    )


def with_other_moves(session: Session, number: int) -> Iterator[Session]:
    """If the computer's position in step `number` is lost, yield a session for each legal move.

    Up to this step, these sessions are the same as `session`.
    """
    before = []
    for step, sizes, pile, taken in moves_of(session):
        if step < number:
            before.append((pile, taken))
        elif step == number and not optimal_moves(sizes):
            for other in legal_moves(sizes):
                yield with_moves(session, number, (*before, other))


@lru_cache(maxsize=1 << 8)
def with_moves(session: Session, number: int, moves: tuple[tuple[int, int], ...]) -> Session:
    """Return a session with the same answers up to step `number`, and then with winning moves.

    The computer makes the given moves. After that, it makes winning moves or, in a lost position,
    the first legal move.
    """

    def answers() -> Iterator[str]:
        yield from session.inputs[:number]
        while True:
            yield from map(str, optimal_moves(game.sizes)[0])

    remaining = iter(moves)

    def choose(game: Piles, method: Method, wins: list[tuple[int, int]]) -> tuple[int, int]:
        return next(remaining, (wins or legal_moves(game.sizes))[0])

    game = Piles(answers(), session.arguments, [variant(choose=choose)])
    game.play()
    _, head = head_of(session, Dialogue())
    scenario = parse('\n'.join([*head, *map(as_typed, game.typed)]), session.name)
    text = recorded_with(scenario, Dialogue.printing(game.texts)).text
    return leave_open(parse(text, session.name, session.directives))


def moves_of(session: Session) -> Iterator[tuple[int, list[int], int, int]]:
    """Yield the computer's moves in a session.

    Each item contains the index of the step, the piles before the move, the index of the pile, and
    the number of tokens taken.
    """
    for number, step in enumerate(session.steps):
        move = MOVE.search(step.output)
        if move:
            taken, pile = map(int, move.groups())
            sizes = [*map(int, STATE.findall(step.output, 0, move.start()))]
            yield number, sizes, pile, taken


LEAVE_OPEN = {'piles': leave_open}
