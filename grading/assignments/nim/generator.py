"""Fresh games of Nim against the computer, which may choose a move only in lost positions.

A game is a dialogue: each question has right and wrong answers. A fresh game answers at random. A
smaller game takes the answers that are left of another one; where none fits, it takes the first
right answer, which ends the game soonest.
"""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any, Callable, Iterable, Sequence

from nim_logic import NimGame, StonesMatch, optimal_move, python_move

from ...sessions.transcript import Transcript
from ..game import Maker, Parts, lines_of

PLAYER_NAMES = ['Tim', 'sALLY', 'o neill', 'somebody whose NAME has more than thirty letters']
IDS = ['MIT123456', '1', 'more than nine']
NO_NUMBERS = ['', 'many', '3.5', '2 1']
OFTEN = 5                               # how many times a winning move counts in a choice
GO_ON = ['y', 'yes', 'YES']
LEAVE_OFF = ['n', 'no', 'yeah']
SEED = 1                                # of our computer's moves in lost positions

Choose = Callable[[Sequence[Any]], Any]     # one of several answers
PlayDialogue = Callable[['Dialogue'], None]


class NoSuchGame(Exception):
    """The answers lead to a position where the computer has a choice."""


class Dialogue:
    """A game while it is typed: its `lines`, each chosen by a function."""

    def __init__(self, choose: Choose) -> None:
        self.lines: list[str] = []
        self._choose = choose

    def ask(self, right: Sequence[Any], wrong: Sequence[Any]) -> Any:
        """Type answers, one in five of them wrong, up to the first that is right; return that."""
        answers = [*right] * (1 + 4 * len(wrong) // len(right)) + [*wrong]
        while True:
            answer = self._choose(answers)
            self.lines.append(str(answer))
            if answer in right:
                return answer


def stones(game: Dialogue) -> None:
    """Play rounds of Taking Stones; ask for a mystery value only when one stone is left."""
    for _ in range(2):
        game.ask(PLAYER_NAMES, [''])
        game.ask(IDS, [''])
    goes_on = True
    while goes_on:
        size = game.ask(StonesMatch.STONES, [29, 51, -30, *NO_NUMBERS])
        pile = NimGame([size], max_take=3, players=StonesMatch.PYTHON)
        while pile.turn:
            if pile.turn == StonesMatch.PYTHON:
                _, count = python_move(pile, Random())
            else:
                most = pile.most(0)
                right = [*range(most, 0, -1), *[''] * (most == 1)]
                count = game.ask(right, [0, most + 1, -1, *NO_NUMBERS[1:]]) or 1
            pile.make_move(0, count)
        goes_on = game.ask(LEAVE_OFF + GO_ON, ['']) in GO_ON


def piles(game: Dialogue) -> None:
    """Play classic Nim so that the computer has one winning move, or often a lost position."""
    rng = Random(SEED)
    number = game.ask(range(1, 7), [0, -1])
    nim = NimGame([game.ask(range(1, 16), [0, -1]) for _ in range(number)])
    while nim.turn:
        if nim.turn == 1:
            moves = [move for move in nim.legal_moves()
                     if len(winning_moves_after(nim, move)) <= 1]
            if not moves:
                raise NoSuchGame
            wins = nim.winning_moves() * OFTEN
            empty = [pile for pile, size in enumerate(nim.piles) if not size]
            pile = game.ask([*sorted({pile for pile, _ in moves}), *(pile for pile, _ in wins)],
                            [-1, number, *empty])
            count = game.ask([count for each, count in [*moves[::-1], *wins] if each == pile],
                             [0, -1, nim.piles[pile] + 1])
        else:
            pile, count = optimal_move(nim, rng)
        nim.make_move(pile, count)


def winning_moves_after(game: NimGame, move: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the winning moves after a move; the game itself does not change."""
    game = game.copy()
    game.make_move(*move)
    return [] if game.is_over() else game.winning_moves()


def tlcw(game: Dialogue) -> None:
    """Play Take the Last Coin so that the computer can take all coins, or only one."""
    coins = game.ask(range(2, 21), [1, 0, -5])
    limit = game.ask([*range(1, coins), 1, 1, 1], [0, -1, coins, coins + 1])
    is_computer = game.ask(['U', 'u', 'C', 'c'][:4 if limit == 1 else 2], []) in 'Cc'
    while coins:
        most = min(coins, limit)
        count = most
        if not is_computer:
            right = [count for count in range(most, 0, -1) if limit == 1 or coins - count <= limit]
            wrong = [0, -1, most + 1, 99]               # cheating ends the game
            count = game.ask(right * 8 + wrong, [])
            if count in wrong:
                return
        coins -= count
        is_computer = not is_computer


def maker(play: PlayDialogue, arguments: Sequence[str] = ()) -> Maker:
    """Return the maker of one game; it makes sessions smaller by simpler or fewer answers."""
    def make(rng: Random) -> list[str]:
        while True:
            with suppress(NoSuchGame):
                return played(play, rng.choice)

    def remade(lines: Iterable[str | None]) -> list[str] | None:
        with suppress(NoSuchGame):
            return played(play, following(lines))
        return None

    def answers(transcript: Transcript, step: int) -> Parts:
        lines = lines_of(transcript, step)
        return Parts(lines.count, lambda left_out: remade(lines.without(left_out) or []))

    def choices(transcript: Transcript, step: int) -> Parts:
        return Parts(len(transcript.inputs), lambda left_out: remade(
            None if number in left_out else line
            for number, line in enumerate(transcript.inputs)))

    return Maker(make, (answers, choices), arguments=arguments)


def played(play: PlayDialogue, choose: Choose) -> list[str]:
    """Return the lines of a dialogue. Raises `NoSuchGame`."""
    game = Dialogue(choose)
    play(game)
    return game.lines


def following(lines: Iterable[str | None]) -> Choose:
    """Return a function that chooses the next of the given answers that fits, or the first answer.

    None stands for the first answer.
    """
    waiting = [*lines]

    def choose(answers: Sequence[Any]) -> Any:
        by_line = {str(answer): answer for answer in reversed(answers)}
        for number, line in enumerate(waiting):
            if line is None or line in by_line:
                del waiting[:number + 1]
                return answers[0] if line is None else by_line[line]
        return answers[0]
    return choose
