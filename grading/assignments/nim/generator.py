"""Fresh games of Nim against the computer, which may choose a move only in lost positions.

The model of the game asks; each question has right and wrong answers. A fresh game answers at
random. A smaller game takes the answers that are left of another one; where none fits, it takes the
first right answer, which ends the game soonest.
"""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any, Callable, Iterable, Iterator, Sequence, Tuple

from nim_logic import NimGame

from ...sessions.transcript import Transcript
from ..game import Maker, Parts, lines_of
from .computer import AgainstComputer, Stones, Tlcw
from .model import Piles

NO_NUMBERS = ['many', '3.5', '2 1']
OFTEN = 5                               # how many times a winning move counts in a choice

Answers = Tuple[Sequence[Any], Sequence[Any]]       # right ones and wrong ones
Choose = Callable[[Sequence[Any]], Any]             # one of several answers

# The answers in Taking Stones, by how a question begins. A mystery value is random, so nobody asks
# for one unless a single stone is left.
OF_STONES: dict[str, Answers] = {
    'What is your name': (
        ['Tim', 'sALLY', 'o neill', 'somebody whose NAME has more than thirty letters'], ['']),
    'What is your MIT Student ID': (['MIT123456', '1', 'more than nine'], ['']),
    'How many stones (from 30 to 50)': (range(30, 51), [29, 51, -30, '', *NO_NUMBERS]),
    'How many stones (from 1 to 3)': ([3, 2, 1], [0, 4, -1, *NO_NUMBERS]),
    'How many stones (from 1 to 2)': ([2, 1], [0, 3, -1, *NO_NUMBERS]),
    'How many stones (from 1 to 1)': ([1, ''], [0, 2, -1, *NO_NUMBERS]),
    'Would you like to play again?': (['n', 'no', 'yeah', 'y', 'yes', 'YES'], [''])}


class NoSuchGame(Exception):
    """The answers lead to a position where the computer has a choice."""


def stones_answers(game: Stones) -> Answers:
    """Return the answers to the last question of Taking Stones."""
    return next(answers for question, answers in OF_STONES.items()
                if game.asked.startswith(question))


def tlcw_answers(game: Tlcw) -> Answers:
    """Return answers after which the computer can take all coins, or only one."""
    if not game.coins:
        return range(2, 21), [1, 0, -5]
    if not game.limit:
        return [*range(1, game.coins), 1, 1, 1], [0, -1, game.coins, game.coins + 1]
    if game.asked.startswith('Who starts'):
        return ['U', 'u', 'C', 'c'][:4 if game.limit == 1 else 2], []
    most = min(game.coins, game.limit)
    right = [count for count in range(most, 0, -1)
             if game.limit == 1 or game.coins - count <= game.limit]
    return right * 8 + [0, -1, most + 1, 99], []    # not often: cheating ends the game


def piles_answers(game: Piles) -> Answers:
    """Return answers after which the computer has one winning move, or often a lost position.

    Raises `NoSuchGame`.
    """
    if game.asked.startswith('How many piles'):
        return range(1, 7), [0, -1]
    if game.asked.startswith('How many in pile'):
        return range(1, 16), [0, -1]
    nim = NimGame(game.sizes)
    moves = [move for move in nim.legal_moves() if len(winning_moves_after(nim, move)) <= 1]
    if not moves:
        raise NoSuchGame
    wins = nim.winning_moves() * OFTEN
    if game.asked == 'How many? ':
        return ([count for pile, count in [*moves[::-1], *wins] if pile == game.pile],
                [0, -1, game.sizes[game.pile] + 1])
    empty = [pile for pile, size in enumerate(game.sizes) if not size]
    return ([*sorted({pile for pile, _ in moves}), *(pile for pile, _ in wins)],
            [-1, len(game.sizes), *empty])


def winning_moves_after(game: NimGame, move: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the winning moves after a move; the game itself does not change."""
    game = game.copy()
    game.make_move(*move)
    return [] if game.is_over() else game.winning_moves()


def maker(model: type[AgainstComputer], answers: Callable[[Any], Answers],
          arguments: Sequence[str] = ()) -> Maker:
    """Return the maker of one game; it makes sessions smaller by simpler or fewer answers."""
    def played(choose: Choose) -> list[str] | None:
        """Return the lines of a game, None if the computer gets a choice. One in five is wrong."""
        def lines() -> Iterator[str]:
            while True:
                right, wrong = answers(game)
                yield str(choose([*right] * (1 + 4 * len(wrong) // len(right)) + [*wrong]))

        game = model(lines(), arguments)
        with suppress(NoSuchGame):
            game.play()
            return game.typed
        return None

    def make(rng: Random) -> list[str]:
        while True:
            lines = played(rng.choice)
            if lines is not None:
                return lines

    def fewer_answers(transcript: Transcript, step: int) -> Parts:
        lines = lines_of(transcript, step)
        return Parts(lines.parts, lambda left_out: played(
            following(lines.without(left_out) or [])))

    def simpler_answers(transcript: Transcript, step: int) -> Parts:
        return Parts(range(len(transcript.inputs)), lambda left_out: played(following(
            None if number in left_out else line
            for number, line in enumerate(transcript.inputs))))

    return Maker(make, (fewer_answers, simpler_answers), arguments=arguments)


def following(lines: Iterable[str | None]) -> Choose:
    """Return a function that chooses the next of the given answers that fits, or the first answer.

    None stands for the first answer.
    """
    waiting = [*lines]

    def choose(answers: Sequence[Any]) -> Any:
        texts = [str(answer) for answer in answers]
        for number, line in enumerate(waiting):
            if line is None or line in texts:
                del waiting[:number + 1]
                return texts[0] if line is None else line
        return texts[0]
    return choose
