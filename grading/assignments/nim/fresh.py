"""Fresh games of Nim: recorded ones, valid or with one fault, and played ones without chance.

No game is made whose output an assignment leaves open: the computer never has a choice of moves,
and no recorded move takes a single token ("1 tokens"). The first of the choices is the one that
Hypothesis finds simplest: many tokens at once, since that ends a game.
"""

from __future__ import annotations

from random import Random
from typing import Any, Iterator, Sequence

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from nim_logic import NimGame, StonesMatch, python_move

from ...sessions.transcript import Transcript

PLAYED = ('stones', 'tlcw', 'piles')
NAMES = ['Tim', 'sALLY', 'o neill', 'somebody whose NAME has more than thirty letters']
IDS = ['MIT123456', '1', 'more than nine']
NO_NUMBERS = ['', 'many', '3.5', '2 1']
GO_ON = ['y', 'yes', 'YES']
LEAVE_OFF = ['n', 'no', 'yeah']
PARTS = ()                              # Hypothesis shrinks these games by itself


def games(game: str, prompts: bool) -> SearchStrategy[list[str]]:
    """Make the lines of a game: of `recorded`, `stones`, `tlcw`, `piles`, or `nim`: any of them.

    `prompts` says whether the program prints prompts; one for `nim` does both.
    """
    if game == 'nim':
        return st.one_of(games('recorded', False), *(
            games(each, prompts) for each in PLAYED for prompts in (False, True)))
    inputs = {'recorded': recorded, 'stones': stones, 'tlcw': tlcw, 'piles': piles}[game]()
    command = f'$ nim_console.py {game}' + ' --prompts' * (prompts and game in PLAYED)
    return inputs.map(lambda lines: [command, *lines])


def size(transcript: Transcript, _: int) -> tuple[object, ...]:
    """Return what orders games by size: typed lines, then characters."""
    return len(transcript.inputs), sum(map(len, transcript.inputs)), transcript.inputs


@st.composite
def recorded(draw: st.DrawFn) -> list[str]:
    """Make a recorded game; in every second one a single thing is wrong."""
    is_wrong = draw(st.booleans())
    sizes = draw(st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(ends_by_twos))
    game = NimGame(sizes, misere=True)
    states = [game.piles]
    rows: list[list[Any]] = [[sum(sizes), len(sizes)], sizes]
    while not game.is_over():
        moves = [move for move in game.legal_moves()[::-1]
                 if move[1] > 1 and ends_by_twos(after(game, move).piles)]
        rows.append(list(draw(st.sampled_from(moves))))
        game.make_move(*rows[-1])
        states.append(game.piles)
    if is_wrong:
        line = draw(st.integers(0, len(rows) - 1))
        rows = draw(st.sampled_from(list(faulty(rows, states, line))))
    return [';'.join(map(str, row)) for row in rows]


def ends_by_twos(piles: Sequence[int]) -> bool:
    """Return whether a game can end, with one token left, by moves of two tokens and more."""
    return any(size not in (0, 2) and 1 not in (*piles[:i], *piles[i + 1:])
               for i, size in enumerate(piles))


def after(game: NimGame, move: tuple[int, int]) -> NimGame:
    """Return what a move makes of a game, which stays as it is."""
    game = game.copy()
    game.make_move(*move)
    return game


def faulty(rows: list[list[Any]], states: list[tuple[int, ...]],
           line: int) -> Iterator[list[list[Any]]]:
    """Yield a recorded game with each single fault, some of them in a certain line, from 0.

    `states` are the piles before each move and after the last.
    """
    (counters, number), sizes, *moves = rows
    row = rows[line]

    def instead(line: int, row: list[Any]) -> list[list[Any]]:
        return [*rows[:line], row, *rows[line + 1:]]

    for wrong in ([counters + 1, number], [counters - 1, number], [counters, number + 1],
                  [counters, number - 1], [counters], [counters, number, 0]):
        yield instead(0, wrong)
    yield instead(1, [*sizes, 0])
    yield [[0, number], [0] * number]
    yield [[counters, number + 1], [sizes[0] + 1, *sizes[1:], -1], *moves]
    for wrong in ([*row[:-1], 'x'], [*row[:-1], '1.5'], [*row, ''], [*row, 0]):
        yield instead(line, wrong)
    for separator in (',', ' ') if len(row) > 1 else ():
        yield instead(line, [separator.join(map(str, row))])
    yield rows[:0]
    yield rows[:1]
    yield [*rows, ['x']]
    yield [*rows, [states[-1].index(1), 1]]             # takes the last token
    if moves:
        line = max(line, 2)
        pile, count = rows[line]
        for wrong in ([pile - number, count], [pile + number, count], [pile]):
            yield instead(line, wrong)
        yield rows[:-1]
        pile, count = rows[-1]
        yield [*rows[:-1], [pile, count + 1]]
    for move, piles in enumerate(states):
        for pile, held in enumerate(piles):
            if sum(piles) - held == 2:                  # one more than it holds: one is left in all
                yield [*rows[:2 + move], [pile, held + 1]]


@st.composite
def stones(draw: st.DrawFn) -> list[str]:
    """Make rounds of Taking Stones, in which a mystery value is asked for only of one stone."""
    lines: list[str] = []
    for _ in range(2):
        ask(draw, lines, NAMES, [''])
        ask(draw, lines, IDS, [''])
    goes_on = True
    while goes_on:
        game = NimGame([ask(draw, lines, StonesMatch.STONES, [29, 51, -30, *NO_NUMBERS])],
                       max_take=3, players=StonesMatch.PYTHON)
        while game.turn:
            if game.turn == StonesMatch.PYTHON:
                _, count = python_move(game, Random())
            else:
                most = game.most(0)
                right = [*range(most, 0, -1), *[''] * (most == 1)]
                count = ask(draw, lines, right, [0, most + 1, -1, *NO_NUMBERS[1:]]) or 1
            game.make_move(0, count)
        goes_on = ask(draw, lines, LEAVE_OFF + GO_ON, ['']) in GO_ON
    return lines


@st.composite
def piles(draw: st.DrawFn) -> list[str]:
    """Make a game of classic Nim in which the computer always has one winning move only."""
    lines: list[str] = []
    number = ask(draw, lines, range(1, 7), [0, -1])
    game = NimGame([ask(draw, lines, range(1, 16), [0, -1]) for _ in range(number)])
    while game.turn:
        if game.turn == 1:
            moves = [move for move in game.legal_moves() if move[1] == sum(game.piles)
                     or len(after(game, move).winning_moves()) == 1]
            assume(moves)
            empty = [pile for pile, size in enumerate(game.piles) if not size]
            pile = ask(draw, lines, sorted({pile for pile, _ in moves}), [-1, number, *empty])
            count = ask(draw, lines, [count for each, count in moves[::-1] if each == pile],
                        [0, -1, game.piles[pile] + 1])
        else:
            (pile, count), = game.winning_moves()
        game.make_move(pile, count)
    return lines


@st.composite
def tlcw(draw: st.DrawFn) -> list[str]:
    """Make a game for the last coin in which the computer can take all, or only one."""
    lines: list[str] = []
    coins = ask(draw, lines, range(2, 21), [1, 0, -5])
    limit = ask(draw, lines, [*range(1, coins), 1, 1, 1], [0, -1, coins, coins + 1])
    is_computer = ask(draw, lines, ['U', 'u', 'C', 'c'][:4 if limit == 1 else 2], []) in 'Cc'
    while coins:
        most = min(coins, limit)
        count = most
        if not is_computer:
            right = [count for count in range(most, 0, -1) if limit == 1 or coins - count <= limit]
            wrong = [0, -1, most + 1, 99]               # which is cheating, and the end
            count = draw(st.sampled_from(wrong + right * 8))
            lines.append(str(count))
            if count in wrong:
                break
        coins -= count
        is_computer = not is_computer
    return lines


def ask(draw: st.DrawFn, lines: list[str], right: Sequence[Any], wrong: Sequence[Any]) -> Any:
    """Type answers, one in five of them wrong, up to the first that is right; return that."""
    answers = [*right] * (1 + 4 * len(wrong) // len(right)) + [*wrong]
    while True:
        answer = draw(st.sampled_from(answers))
        lines.append(str(answer))
        if answer in right:
            return answer
