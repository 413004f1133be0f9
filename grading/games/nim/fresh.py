"""Makes fresh Nim games, and makes failed games smaller."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from random import Random
from typing import Any

from ...sessions.session import Session
from ..game import LINES, Maker, indexes, without
from .model import (
    AgainstComputer,
    Piles,
    RecordedGame,
    Stones,
    Tlcw,
    legal_moves,
    optimal_moves,
)

RECORD_ROW = re.compile(r'-?[0-9]+(;-?[0-9]+)*')
# A move of fewer than 1 token; the assignment does not say what a program should do then.
UNDEFINED = re.compile(r'[0-9]+;(0|-[0-9]+)')
NO_NUMBERS = ['many', '3.5', '2 1']
OFTEN = 5  # how many times each winning move appears among the answers to choose from
Row = list[Any]  # a line of a recorded game: its integers, or the whole line if it is malformed
Answers = tuple[Sequence[Any], Sequence[Any]]  # valid answers, and invalid answers
Choose = Callable[[Sequence[Any]], Any]  # returns one of the answers
# The valid and the invalid answers in Taking Stones, by the beginning of the question. An empty
# answer makes the program take a random number of stones, so this answer is used only if a single
# stone is left.
ANSWERS_IN_STONES: dict[str, Answers] = {
    'What is your name': (
        ['Tim', 'sALLY', 'o neill', 'somebody whose NAME has more than thirty letters'],
        [''],
    ),
    'What is your MIT Student ID': (['MIT123456', '1', 'more than nine'], ['']),
    'How many stones (from 30 to 50)': (range(30, 51), [29, 51, -30, '', *NO_NUMBERS]),
    'How many stones (from 1 to 3)': ([3, 2, 1], [0, 4, -1, *NO_NUMBERS]),
    'How many stones (from 1 to 2)': ([2, 1], [0, 3, -1, *NO_NUMBERS]),
    'How many stones (from 1 to 1)': ([1, ''], [0, 2, -1, *NO_NUMBERS]),
    'Would you like to play again?': (['n', 'no', 'yeah', 'y', 'yes', 'YES'], ['']),
}


# ------------------------------------------------------------------------------------ fresh games

# About half of the recorded games are valid; each of the other games has a single fault. In a valid
# game, no move takes exactly one token, because the assignment does not say whether to print "1
# tokens".
#
# In a game against the computer, the model of the game asks questions, and each question has valid
# and invalid answers. A valid answer leaves the computer a single correct move, or a lost position.
# In a fresh game, the answers are random. When a game is made smaller, some answers of the larger
# game are kept. If none of these fits a question, the first valid answer is used, which ends the
# game soonest.


def make_recorded(rng: Random) -> list[str]:
    """Return the lines of a recorded game; about half of the games have one fault."""
    sizes = [rng.randint(0, 9) for _ in range(rng.randint(1, 5))]
    states = [sizes]
    rows: list[Row] = [[sum(sizes), len(sizes)], sizes]
    while max(states[-1]) > 1:  # no move takes exactly one token
        rows.append([*rng.choice([move for move in legal_moves(states[-1]) if move[1] > 1])])
        states.append(after(states[-1], *rows[-1]))
    if sum(states[-1]) != 1:
        return make_recorded(rng)  # try again
    if rng.random() < 0.5:
        rows = rng.choice(faulty(rows, states, rng.randrange(len(rows))))
    return [';'.join(map(str, row)) for row in rows]


def after(sizes: Sequence[int], pile: int, count: int) -> list[int]:
    """Return the sizes of the piles after a move."""
    left = [*sizes]
    left[pile] -= count
    return left


def faulty(rows: list[Row], states: list[list[int]], line: int) -> list[list[Row]]:
    """Return copies of a recorded game, each with one fault, often in row `line` (from 0).

    `states` contains the piles before each move, and after the last move.
    """
    (counters, number), sizes, *moves = rows
    row = rows[line]

    def instead(index: int, *wrong_rows: Row) -> list[list[Row]]:
        return [[*rows[:index], wrong, *rows[index + 1 :]] for wrong in wrong_rows]

    with_separators = [[separator.join(map(str, row))] for separator in (',', ' ')]

    games = [
        *instead(
            0,
            [counters + 1, number],
            [counters - 1, number],
            [counters, number + 1],
            [counters, number - 1],
            [counters],
            [counters, number, 0],
        ),
        *instead(1, [*sizes, 0]),
        [[0, number], [0] * number],
        [[counters, number + 1], [sizes[0] + 1, *sizes[1:], -1], *moves],
        *instead(line, [*row[:-1], 'x'], [*row[:-1], '1.5'], [*row, ''], [*row, 0]),
        *(instead(line, *with_separators) if len(row) > 1 else []),
        rows[:0],
        rows[:1],
        [*rows, ['x']],
        [*rows, [states[-1].index(1), 1]],  # takes the last token
    ]
    if moves:
        move_line = max(line, 2)
        pile, count = rows[move_line]
        last_pile, last_count = rows[-1]
        games += [
            *instead(move_line, [pile - number, count], [pile + number, count], [pile]),
            rows[:-1],
            [*rows[:-1], [last_pile, last_count + 1]],
        ]
    # Games where the last move takes one token too many from its pile: the piles then add up to 1.
    return games + [
        [*rows[: 2 + move], [pile, held + 1]]
        for move, piles in enumerate(states)
        for pile, held in enumerate(piles)
        if sum(piles) - held == 2
    ]


def rows_of(session: Session, step: int) -> list[Row]:
    """Return the lines of a recorded game as lists of integers; for a malformed line, `[line]`."""
    return [
        [*map(int, line.split(';'))] if RECORD_ROW.fullmatch(line) else [line]
        for line in session.inputs
    ]


def lines_of(rows: list[Row]) -> list[str] | None:
    """Return the lines of a recorded game, or None if the assignment does not define the output."""
    lines = [';'.join(map(str, row)) for row in rows]
    record = RecordedGame(lines)
    record.play()
    is_clear = ' 1 tokens' not in record.texts[-1] and not any(map(UNDEFINED.fullmatch, lines[2:]))
    return lines if is_clear else None


def has_setup(rows: list[Row]) -> bool:
    """Return whether the first two lines of a recorded game are well-formed."""
    return len(rows) >= 2 and all(isinstance(row[0], int) for row in rows[:2])


def moves(rows: list[Row]) -> Sequence[int]:
    """Return the indexes of a recorded game's moves."""
    return range(len(rows[2:]) if has_setup(rows) else 0)


def without_moves(rows: list[Row], left_out: Collection[int]) -> list[Row]:
    """Return a recorded game without some moves and the tokens taken by them."""
    sizes = [*rows[1]]
    for row in [rows[2 + number] for number in left_out]:
        if len(row) > 1 and 0 <= row[0] < len(sizes):
            sizes[row[0]] -= row[1]
    return with_piles(rows, sizes, without(rows[2:], left_out))


def piles(rows: list[Row]) -> Sequence[int]:
    """Return the indexes of a recorded game's piles."""
    return range(len(rows[1]) if has_setup(rows) else 0)


def without_piles(rows: list[Row], left_out: Collection[int]) -> list[Row]:
    """Return a recorded game without some piles and the moves in them; renumber the other piles."""
    kept = without(piles(rows), left_out)
    others = [row for row in rows[2:] if row[0] not in left_out]
    for number, (pile, *rest) in enumerate(others):
        if isinstance(pile, int):  # a nonexistent pile must stay nonexistent
            beyond = pile - len(left_out) if pile > 0 else pile + len(left_out)
            others[number] = [kept.index(pile) if pile in kept else beyond, *rest]
    return with_piles(rows, without(rows[1], left_out), others)


def with_piles(rows: list[Row], sizes: Row, moves: list[Row]) -> list[Row]:
    """Return a recorded game with other piles and moves. If line 1 is wrong, it stays wrong."""
    # How much less each number of line 1 must be; a third number is a fault, and stays.
    less = sum(rows[1]) - sum(sizes), len(rows[1]) - len(sizes), 0
    head = [number - difference for number, difference in zip(rows[0], less, strict=False)]
    return [head, sizes, *moves]


# Against the computer


class NoSuchGame(Exception):
    """After any valid answer, the computer would have several correct moves."""


def stones_answers(game: Stones) -> Answers:
    """Return answers to the question that Taking Stones has just asked."""
    return next(
        answers
        for question, answers in ANSWERS_IN_STONES.items()
        if game.asked.startswith(question)
    )


def tlcw_answers(game: Tlcw) -> Answers:
    """Return answers that force the computer to take all coins, or exactly one coin."""
    if not game.coins:
        return range(2, 21), [1, 0, -5]
    if not game.limit:
        return [*range(1, game.coins), 1, 1, 1], [0, -1, game.coins, game.coins + 1]
    if game.asked.startswith('Who starts'):
        return ['U', 'u', 'C', 'c'][: 4 if game.limit == 1 else 2], []
    most = min(game.coins, game.limit)
    right = [
        count for count in range(most, 0, -1) if game.limit == 1 or game.coins - count <= game.limit
    ]
    # A wrong number is cheating. It is a valid answer, but a rare one, because it ends the game.
    return right * 8 + [0, -1, most + 1, 99], []


def piles_answers(game: Piles) -> Answers:
    """Return answers that leave the computer one winning move or, often, a lost position.

    Raises `NoSuchGame` if the user has no such move.
    """
    if game.asked.startswith('How many piles'):
        return range(1, 7), [0, -1]
    if game.asked.startswith('How many in pile'):
        return range(1, 16), [0, -1]
    moves = [
        move
        for move in legal_moves(game.sizes)
        if len(optimal_moves(after(game.sizes, *move))) <= 1
    ]
    if not moves:
        raise NoSuchGame
    wins = optimal_moves(game.sizes) * OFTEN
    if game.asked == 'How many? ':
        return (
            [count for pile, count in [*moves[::-1], *wins] if pile == game.pile],
            [0, -1, game.sizes[game.pile] + 1],
        )
    empty = [pile for pile, size in enumerate(game.sizes) if not size]
    return (
        [*sorted({pile for pile, _ in moves}), *(pile for pile, _ in wins)],
        [-1, len(game.sizes), *empty],
    )


def maker(
    model: type[AgainstComputer], answers: Callable[[Any], Answers], arguments: Sequence[str] = ()
) -> Maker:
    """Return the maker of a game against the computer.

    The maker makes a session smaller by leaving out answers, or by replacing them with simpler
    ones.
    """

    def play(choose: Choose) -> list[str] | None:
        """Play a game with answers from `choose`; return them, or None if there is no such game."""

        def lines() -> Iterator[str]:
            while True:
                right, wrong = answers(game)
                repeats = 1 + 4 * len(wrong) // len(right)  # then less than a fifth are wrong
                yield str(choose([*right] * repeats + [*wrong]))

        game = model(lines(), arguments)
        with suppress(NoSuchGame):
            game.play()
            return game.typed
        return None

    def make(rng: Random) -> list[str]:
        while True:
            lines = play(rng.choice)
            if lines is not None:
                return lines

    return Maker(
        make,
        arguments,
        parts=(LINES, (indexes, simpler)),
        lines=lambda lines: play(answers_from(lines)),
    )


def simpler(lines: Sequence[str], left_out: Collection[int]) -> list[str | None]:
    """Return the answers, with None for each answer in `left_out`; see `answers_from`."""
    return [None if index in left_out else line for index, line in enumerate(lines)]


def answers_from(lines: Iterable[str | None]) -> Choose:
    """Return a function that chooses the first possible answer among these lines.

    The function uses up the lines in order, and skips lines that are no possible answers. None
    stands for the first possible answer, the simplest. Once all lines are used up, the function
    always chooses the simplest answer.
    """
    waiting = [*lines]

    def choose(answers: Sequence[Any]) -> Any:
        texts = [str(answer) for answer in answers]
        for number, line in enumerate(waiting):
            if line is None or line in texts:
                del waiting[: number + 1]
                return texts[0] if line is None else line
        return texts[0]

    return choose


MAKERS = {
    'recorded': Maker(
        make_recorded,
        read=rows_of,
        lines=lines_of,
        parts=(LINES, (moves, without_moves), (piles, without_piles)),
    ),
    'stones': maker(Stones, stones_answers),
    'tlcw': maker(Tlcw, tlcw_answers),
    'piles': maker(Piles, piles_answers, ['--seed', '1']),
}
