"""The faults of Nim programs that are known, in order of simplicity.

A fault is a row: id, sentence, advice, what a program that has it decides differently, and the kind
of thing that its author has to change. A decision is a function: it gets the game, the decision as
it stands, and what the decision gets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from functools import partial

from ..kinds import (
    CHECK,
    COPY,
    COUNTING,
    RANGE_CHECK,
    READING,
    READING_AGAIN,
    START,
    TEXT,
    TURN,
    WINNER,
)
from ..known_faults import Decision, GameFaults, KnownFault, fixed, mixed, varied
from ..model import GameModel
from .hints import hint
from .kinds import CHOICE
from .model import SHOWN, Piles, Recorded, Stones, Tlcw

MOST = 10**9  # more than anybody types

recorded, piles, tlcw, stones = (partial(varied, game) for game in (Recorded, Piles, Tlcw, Stones))


# Recorded games

# These print states before they have checked all moves. They check first the form of all lines and
# the setup, or less; half of them see only afterwards that a move has left no token.
PRINTING_BEFORE = [
    recorded(holds=False, first_check=first_check, begins_unchecked=begins_unchecked, **rules)
    for rules in ({}, {'least': 0, 'tells_empty': True})
    for begins_unchecked in (False, True)
    for first_check in ('integers', 'pairs', '')
]
RECORDED = [
    KnownFault(
        'one-blank',
        'prints only one blank between the piles',
        'Print two blanks between piles.',
        fixed(recorded(between=' ')),
        TEXT,
    ),
    KnownFault(
        'piles-from-zero',
        'prints numbers of piles that start at 0',
        'Add 1 to the number of a pile before you print it.',
        fixed(recorded(first_pile=0)),
        COUNTING,
    ),
    KnownFault(
        'prints-before-checking',
        'prints states before it has checked the whole game',
        'Check all lines before you print anything. If a line is wrong, print only "Invalid Game."',
        fixed(*PRINTING_BEFORE),
        CHECK,
    ),
    KnownFault(
        'last-move-unchecked',
        'does not check the last move',
        'Check the last move like the other moves.',
        fixed(
            recorded(checks_last=False),
            recorded(checks_last=False, ends=range(-MOST, MOST)),
            recorded(checks_last=False, ends=range(-MOST, 2)),
        ),
        CHECK,
    ),
    KnownFault(
        'count-unchecked',
        'does not check how many piles there are',
        'The second number of the file must be the number of piles in line 2.',
        fixed(recorded(checks_count=False)),
        CHECK,
    ),
    KnownFault(
        'moves-after-end',
        'ignores lines that follow when one token is left',
        'When one token is left, the game is over. A line that follows makes it invalid.',
        fixed(recorded(stops_at_one=True), recorded(stops_at_one=True, first_check='pairs')),
        CHECK,
    ),
    KnownFault(
        'sum-unchecked',
        'does not check how many tokens the piles have in all',
        'The first number of the file must be the number of tokens in all piles together.',
        fixed(recorded(checks_sum=False)),
        CHECK,
    ),
    KnownFault(
        'empties-all',
        'allows a move that empties all piles',
        'A move that leaves no token makes the game invalid.',
        fixed(recorded(least=0, ends=(0, 1)), recorded(least=0, ends=(0, 1), mover_loses=(0,))),
        CHECK,
    ),
    KnownFault(
        'empty-refused',
        'refuses a game in which a pile is empty at the start',
        'A pile may have 0 tokens at the start: only a number below 0 is wrong.',
        fixed(recorded(smallest=1)),
        CHECK,
    ),
    KnownFault(
        'negative-pile',
        'takes a negative number of a pile, and counts it from the last one',
        'Check that the number of a pile is not below 0. In Python a negative index counts from '
        'the end.',
        fixed(recorded(lowest=-MOST)),
        RANGE_CHECK,
    ),
    KnownFault(
        'moves-refused',
        'refuses every game in which a player moves',
        'Go through one such game by hand, move by move, and see which check refuses it.',
        fixed(recorded(lowest=MOST)),
        CHECK,
    ),
    KnownFault(
        'pile-0-refused',
        'refuses moves that take from pile 0',
        'The first pile has the number 0. Accept it like others: in Python a condition takes 0 '
        'for false.',
        fixed(recorded(lowest=1)),
        CHECK,
    ),
    KnownFault(
        'too-many-taken',
        'allows a move that takes more than its pile holds',
        'Compare the number that is taken with the size of its pile.',
        fixed(recorded(spared=-MOST), recorded(spared=-MOST, ends=range(-MOST, MOST))),
        CHECK,
    ),
    KnownFault(
        'emptying-refused',
        'refuses moves that take all tokens of a pile',
        'A move may empty its pile. It is wrong only if no token is left in all piles together.',
        fixed(recorded(spared=1)),
        CHECK,
    ),
    KnownFault(
        'ends-unchecked',
        'allows a game that ends with more than one token',
        'When the moves are over, exactly one token must be left in all piles together.',
        fixed(
            recorded(ends=range(1, MOST)),
            *(
                recorded(is_ended=lambda game, is_ended, one=one: one(game.sizes) == 1)
                for one in (lambda sizes: sum(map(bool, sizes)), max)
            ),
        ),
        CHECK,
    ),
    KnownFault(
        'one-state',
        'prints the piles of the last state in all states after a move',
        'Remember a copy of the piles for each state, in Python list(piles): the list itself '
        'changes with the next moves.',
        fixed(recorded(piles_now=lambda game, piles: game.sizes if game.held[1:] else piles())),
    ),
    KnownFault(
        'shared-piles',
        'prints the piles as they are after the whole game, and takes again',
        'Check the game with a copy of the piles, in Python list(piles): another name for the '
        'same list is no copy.',
        fixed(
            recorded(
                write_down=lambda game, write_down, line: write_down(
                    line
                    if isinstance(line, str)
                    else [
                        size - first + last
                        for size, first, last in zip(line, game.held[1], game.sizes, strict=False)
                    ]
                )
            )
        ),
        COPY,
    ),
    KnownFault(
        'normal-play',
        'names the wrong loser',
        'When one token is left, the player whose turn it is loses.',
        fixed(recorded(mover_loses=range(-MOST, MOST))),
        WINNER,
    ),
    KnownFault(
        'one-player',
        'has one player make all moves',
        'After each move it is the turn of the other player.',
        fixed(recorded(following={1: 1}), recorded(following={1: 1}, mover_loses=(1,))),
        TURN,
    ),
]


# Classic Nim


def ask_pile_again(game: Piles, ask_taken: Decision, *, least: int) -> int:
    """Ask for the pile once more when a number is refused, unless it is below the least one."""
    taken = game.ask_integer('How many? ', range(least, MOST))
    while not 1 <= taken <= game.sizes[game.pile]:
        game.refuse()
        game.pile = game.ask_integer('Which pile? ', game.standing())
        taken = game.ask_integer('How many? ', range(least, MOST))
    return taken


def take_none(game: Piles, choose: Decision, wins: list[tuple[int, int]]) -> tuple[int, int]:
    """Take what the program shows that the computer takes, perhaps nothing."""
    shown = SHOWN.findall(game.upcoming())[: len(game.sizes)]
    return (0, 0) if [*map(int, shown)] == game.sizes else choose(wins)


class Lenient:
    """Numbers to choose from, besides which the second one that is tried is taken in any case."""

    def __init__(self, choices: Container[int]) -> None:
        self._choices = choices
        self._is_tried = False

    def __contains__(self, number: int) -> bool:
        is_taken = self._is_tried or number in self._choices
        self._is_tried = True
        return is_taken


def refuse_once(
    game: Piles | Tlcw,
    ask_integer: Decision,
    prompt: str,
    choices: Container[int] | None = None,
    *,
    of: str,
) -> int:
    """Refuse the first wrong number only, where a question begins with some words."""
    answer: int = ask_integer(
        prompt, Lenient(choices) if choices and prompt.startswith(of) else choices
    )
    return answer


def refusing_once(made: Callable[..., type[GameModel]], *questions: str) -> KnownFault:
    return KnownFault(
        'refuses-once',
        'refuses a wrong number once, and takes the next one as it comes',
        'Ask again until the number is right: in a loop (while), not only once (if).',
        fixed(*(made(ask_integer=partial(refuse_once, of=of)) for of in questions)),
        READING_AGAIN,
    )


ANY_PILE = [piles(choices='any'), piles(choices='from the end')]
ANY_NUMBER = [
    piles(least=0),
    piles(most=MOST, any_below_zero=True),
    piles(most=MOST, stops_at_zero=True),
    piles(least=-MOST, most=MOST, any_below_zero=True),
]

PILES = [
    KnownFault(
        'accepts-refused',
        'accepts numbers that it must refuse',
        'Ask again until the user names a pile that is not empty, and then a number from 1 to '
        'the size of that pile.',
        fixed(
            *ANY_PILE,
            *ANY_NUMBER,
            piles(setup=None),
            *(mixed(pile, number) for pile in ANY_PILE for number in ANY_NUMBER),
        ),
        CHECK,
    ),
    refusing_once(piles, '', 'Which', 'How many?', 'How many piles', 'How many in'),
    KnownFault(
        'asks-pile-again',
        'asks for the pile again when it refuses a number',
        'Keep the pile: ask again only for the number.',
        fixed(*(piles(ask_taken=partial(ask_pile_again, least=least)) for least in (-MOST, 1))),
        READING_AGAIN,
    ),
    KnownFault(
        'last-state-missing',
        'does not print the piles when the game is over',
        'Print the piles after every move, also after the last one.',
        fixed(piles(show=lambda game, show: game.is_over() or show())),
        TURN,
    ),
    KnownFault(
        'ends-early',
        'ends the game before all piles are empty',
        'The game is over when no pile has anything left: look at all piles.',
        fixed(
            piles(is_over=lambda game, is_over: not game.sizes[0]),
            piles(is_over=lambda game, is_over: not game.sizes[game.pile]),
        ),
        TURN,
    ),
    KnownFault(
        'piles-from-one',
        'prints numbers of piles that start at 1',
        'Print the number of a pile as the user types it: the first pile is pile 0.',
        fixed(piles(first_pile=1), piles(first_pile=1, first_announced=1)),
        COUNTING,
    ),
    KnownFault(
        'highest-pile',
        'makes an optimal move, but not in the pile with the lowest number',
        'If several piles have an optimal move, take the pile with the lowest number.',
        fixed(piles(any_optimal=True)),
        CHOICE,
    ),
    KnownFault(
        'leaves-what-to-take',
        'removes as many as it should leave',
        'Remove the size of the pile minus what should be left of it.',
        fixed(
            piles(
                choose=lambda game, choose, wins: choose(
                    [(pile, game.sizes[pile] - taken) for pile, taken in wins]
                )
            )
        ),
        CHOICE,
    ),
    KnownFault(
        'not-optimal',
        'makes moves that are not optimal',
        'The nim-sum is the XOR of all piles as they are now. Where the size of a pile XOR the '
        'nim-sum is less than the size, reduce the pile to it.',
        fixed(piles(any_legal=True)),
        CHOICE,
    ),
    KnownFault(
        'removes-nothing',
        'removes nothing in some moves of the computer',
        'The computer takes at least one coin. Follow one of these moves by hand: how many coins '
        'it takes, from which pile, and where the pile becomes smaller.',
        fixed(*(piles(choose=take_none, any_legal=any_legal) for any_legal in (False, True))),
        CHOICE,
    ),
]


# TLCW and Taking Stones


def ask_again(game: Tlcw, refuse: Decision) -> None:
    """Refuse an answer in the program's words."""
    line, newline, _ = game.upcoming().partition('\n')
    if (
        newline
        and line != 'INVALID'
        and any(map(str.isalpha, line))
        and not (game.prompts and line.startswith(game.asked))
    ):
        game.say(line)
    else:
        refuse()


def share_score(game: Stones, show_winner: Decision, winner: int) -> None:
    """Count the rounds of both players together if they have the same name."""
    if len({*game.names}) < 2:
        game.wins[:2] = [max(game.wins[:2])] * 2
    show_winner(winner)


def number_shown(game: Tlcw | Stones, choose: Decision, most: int) -> int:
    """Take as many coins or stones as the program says that it takes."""
    shown = re.match(r'The (?:Python has removed|computer takes) (\d{1,9}) ', game.upcoming())
    return int(shown[1]) if shown else choose(most)


TLCW = [
    KnownFault(
        'asks-again',
        'asks again in other words',
        'After a wrong answer print exactly what stands under "expected".',
        fixed(tlcw(refuse=ask_again)),
        TEXT,
    ),
    KnownFault(
        'one-blank',
        'prints only one blank before TURN',
        'Print two blanks before TURN.',
        fixed(tlcw(between=' ')),
        TEXT,
    ),
    KnownFault(
        'always-coins',
        'prints "coins" even for one coin',
        'Print "coin" for 1, and "coins" for other numbers.',
        fixed(
            tlcw(one_coin='coins'),
            *(
                tlcw(
                    say=lambda game, say, line, of=of: say(
                        re.sub(f'^({of} 1 coin)[.]', r'\1s.', line)
                    )
                )
                for of in ('You take', 'The computer takes( all)?')
            ),
        ),
        TEXT,
    ),
    KnownFault(
        'all-missing',
        'does not print "all" when the computer takes all coins',
        'When the computer takes the last coins, print "all" before their number.',
        fixed(tlcw(all_of_them='')),
        TEXT,
    ),
    KnownFault(
        'takes-no-limit',
        'does not take all coins when just the limit is left',
        'The computer takes all coins if there are at most as many as may be taken: compare with '
        '<=.',
        fixed(tlcw(short=1, choose=number_shown)),
        CHOICE,
        is_learned=True,
    ),
    KnownFault(
        'accepts-refused',
        'accepts numbers that it must refuse',
        'Ask again until there are at least 2 coins, and until the most per turn is at least 1 '
        'and less than the number of coins.',
        fixed(
            *(
                tlcw(fewest=fewest, margin=margin)
                for fewest, margin in (
                    (2, 0),
                    (1, 1),
                    (0, 1),
                    (-MOST, 1),
                    (2, -MOST),
                    (-MOST, -MOST),
                )
            )
        ),
        CHECK,
    ),
    refusing_once(tlcw, '', 'How many coins', 'How many may'),
    KnownFault(
        'cheat-unseen',
        'lets the user take less than one coin',
        'Who takes less than one coin cheats.',
        fixed(tlcw(least=-MOST, choose=number_shown)),
        CHECK,
    ),
    KnownFault(
        'cheat-wins',
        'lets a player who cheats win',
        'A player who cheats loses: the computer wins.',
        fixed(tlcw(cheated='U')),
        WINNER,
    ),
]
STONES = [
    KnownFault(
        'plays-on',
        'plays another round whatever the answer is',
        'Compare the answer with "y" and with "yes", each on its own.',
        fixed(stones(plays_on=True)),
        CHECK,
    ),
    KnownFault(
        'wrong-start',
        'does not start each round with the first player',
        'Set whose turn it is at the start of each round.',
        fixed(
            stones(first_player=lambda game, first: game.player),
            stones(first_player=lambda game, first: (game.player + any(game.wins)) % 3),
        ),
        TURN,
    ),
    KnownFault(
        'wrong-number',
        'lets The Python take a wrong number of stones',
        'The Python takes all stones if there are at most 3, else 2 if their number can be '
        'divided by 3, else 1.',
        fixed(stones(choose=number_shown)),
        CHOICE,
        is_learned=True,
    ),
    KnownFault(
        'fixed-bound',
        'says "from 1 to 3" where fewer stones are left',
        'When fewer than 3 stones are left, say "from 1 to 2", or "from 1 to 1". Find out before '
        'each question how many are left.',
        fixed(stones(bound=3), stones(bound=3, most=3), stones(bound=3, most=3, over=(0,))),
        START,
    ),
    KnownFault(
        'wrong-mockery',
        'mocks the humans at the wrong time, or does not when it should',
        'Print these lines only if The Python has won more rounds than the first player, and '
        'more than the second one.',
        fixed(stones(leads=lambda game, leads: game.upcoming().startswith('Evidently'))),
        WINNER,
        is_learned=True,
    ),
    KnownFault(
        'score-forgotten',
        'forgets the score of the rounds before',
        'Set the score to 0 before the first round only.',
        fixed(stones(forgets_score=True)),
        START,
    ),
    KnownFault(
        'score-by-name',
        'counts for both players together if they have the same name',
        'Keep a score for each player: two players may have the same name.',
        fixed(stones(show_winner=share_score)),
        START,
    ),
]

FAULTS = {
    'recorded': GameFaults(
        Recorded,
        RECORDED,
        hint,
        {
            ('Invalid', 'Starting'): CHECK,
            ('Starting', 'Invalid'): READING,
            ('Player', 'Player'): TURN,
        },
    ),
    'stones': GameFaults(Stones, STONES, hint),
    'tlcw': GameFaults(Tlcw, TLCW, hint),
    'piles': GameFaults(Piles, PILES, hint, {('pile', 'pile'): CHOICE}),
}
