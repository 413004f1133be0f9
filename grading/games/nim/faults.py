"""The known faults of Nim programs: which decisions they change, the simplest fault first.

Each game has a dictionary from the ids of faults to their variants and kinds. The sentence and the
advice for each fault are in the ini file of the game.

Most functions below replace decisions of a game. Each takes the model of the game, the replaced
decision, and the arguments of the decision.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import partial
from pathlib import Path

from ..fault_kinds import (
    CHECK,
    COPY,
    COUNTING,
    COUNTING_TEXT,
    RANGE_CHECK,
    READING,
    READING_AGAIN,
    START,
    TEXT,
    TURN,
    WINNER,
)
from ..known_faults import Change, GameFaults, fixed, known_faults, printed_as
from ..model import Method, variant
from .hints import hint
from .model import SHOWN, Piles, RecordedGame, Stones, Tlcw, legal_moves
from .places_of_faults import CHOICE

FOLDER = Path(__file__).parent
WIDTH = re.compile(r'(?<=\*)\*+$| +(?=\*$)')  # the part of a box line affected by its width
ANNOUNCED = re.compile(r'I remove (\d{1,9}) from pile (\d{1,9})', re.IGNORECASE)
MOST = 10**9  # larger than any number people type


# Recorded games

# These variants print states before they have checked all moves. Before they print anything, they
# check the form of all lines, the setup, both, or neither. Half of the variants print a state
# without tokens before they find the game invalid.
PRINTING_BEFORE = [
    variant(*bases, holds=False, first_check=first_check, begins_unchecked=begins_unchecked)
    for bases in ((), (variant(least=0, prints_empty=True),))
    for begins_unchecked in (False, True)
    for first_check in ('integers', 'pairs', '')
]
RECORDED = {
    'one-space': printed_as(
        lambda way, expected, printed: (
            way == 'separators'
            and expected.replace(' ', '').isdigit()
            and printed == ' '.join(expected.split())
        )
    ),
    'piles-from-zero': Change(fixed(variant(first_pile=0)), COUNTING_TEXT),
    'prints-before-checking': Change(fixed(*PRINTING_BEFORE), CHECK),
    'last-move-unchecked': Change(
        fixed(
            variant(checks_last=False),
            variant(checks_last=False, left_at_end=range(-MOST, MOST)),
            variant(checks_last=False, left_at_end=range(-MOST, 2)),
        ),
        CHECK,
    ),
    'count-unchecked': Change(fixed(variant(checks_count=False)), CHECK),
    'moves-after-end': Change(
        fixed(variant(stops_at_one=True), variant(stops_at_one=True, first_check='pairs')), CHECK
    ),
    'sum-unchecked': Change(fixed(variant(checks_sum=False)), CHECK),
    'empties-all': Change(
        fixed(
            variant(least=0, left_at_end=(0, 1)),
            variant(least=0, left_at_end=(0, 1), mover_loses=(0,)),
        ),
        CHECK,
    ),
    'empty-refused': Change(fixed(variant(smallest=1)), CHECK),
    'negative-size': Change(fixed(variant(smallest=-MOST)), RANGE_CHECK),
    'negative-pile': Change(fixed(variant(lowest=-MOST)), RANGE_CHECK),
    'moves-refused': Change(fixed(variant(lowest=MOST)), CHECK),
    'pile-0-refused': Change(fixed(variant(lowest=1)), CHECK),
    'too-many-taken': Change(
        fixed(variant(spared=-MOST), variant(spared=-MOST, left_at_end=range(-MOST, MOST))), CHECK
    ),
    'emptying-refused': Change(fixed(variant(spared=1)), CHECK),
    'ends-unchecked': Change(
        fixed(
            variant(left_at_end=range(1, MOST)),
            *(
                variant(is_ended=lambda game, is_ended, rest=rest: rest(game.sizes) == 1)
                for rest in (lambda sizes: sum(map(bool, sizes)), max)
            ),
        ),
        CHECK,
    ),
    # Every state but the first is the same list, which contains the final piles when it is printed.
    'one-state': Change(
        fixed(variant(piles_now=lambda game, piles: game.sizes if game.held[1:] else piles()))
    ),
    # The check of the game has changed the list of piles, and the moves are then made again in this
    # list. So a printed size is as far below the final size, `last`, as it should be below `first`.
    'shared-piles': Change(
        fixed(
            variant(
                print_now=lambda game, print_now, line: print_now(
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
    'normal-play': Change(fixed(variant(mover_loses=range(-MOST, MOST))), WINNER),
    'one-player': Change(
        fixed(variant(following={1: 1}), variant(following={1: 1}, mover_loses=(1,))), TURN
    ),
}


# Classic Nim


def ask_pile_again(game: Piles, ask_taken: Method, *, least: int) -> int:
    """After a wrong number, ask for the pile again; below `least`, ask only for the number."""
    taken = game.ask_integer('How many? ', range(least, MOST))
    while not 1 <= taken <= game.sizes[game.pile]:
        game.refuse()
        game.pile = game.ask_pile(game.nonempty_piles())
        taken = game.ask_integer('How many? ', range(least, MOST))
    return taken


def take_none(game: Piles, choose: Method, wins: list[tuple[int, int]]) -> tuple[int, int]:
    """Take nothing if the program prints unchanged piles; otherwise move as usual."""
    shown = SHOWN.findall(game.upcoming())[: len(game.sizes)]
    return (0, 0) if [*map(int, shown)] == game.sizes else choose(wins)


def show_before_taking(
    game: Piles, take: Method, player: str, pile: int, taken: int, *, of: str
) -> None:
    """Print the piles before taking tokens, in the moves `of` the user, the computer, or both."""
    if of in (player, 'both'):
        game.show()
        game.sizes[pile] -= taken
    else:
        take(player, pile, taken)


def choose_as_announced(
    game: Piles, choose: Method, wins: list[tuple[int, int]]
) -> tuple[int, int]:
    """In a lost position, make the move just announced by the program if it is legal.

    The program prints the piles before it takes the tokens, so they do not show this move yet.
    """
    announced = [(int(pile), int(taken)) for taken, pile in ANNOUNCED.findall(game.texts[-1])[-1:]]
    legal = [] if wins else [move for move in announced if move in legal_moves(game.sizes)]
    move: tuple[int, int] = legal[0] if legal else choose(wins)
    return move


class ChoicesAtFirst:
    """A container: the first lookup finds only these numbers, and later lookups any number."""

    def __init__(self, choices: Container[int]) -> None:
        self._choices = choices
        self._is_second_try = False

    def __contains__(self, number: int) -> bool:
        is_accepted = self._is_second_try or number in self._choices
        self._is_second_try = True
        return is_accepted


def refuse_once(
    game: Piles | Tlcw,
    ask_integer: Method,
    prompt: str,
    choices: Container[int] | None = None,
    *,
    of: str,
) -> int:
    """If a question begins with `of`, refuse a wrong number only once; then accept any number."""
    answer: int = ask_integer(
        prompt, ChoicesAtFirst(choices) if choices and prompt.startswith(of) else choices
    )
    return answer


def refusing_once(*questions: str) -> Change:
    return Change(
        fixed(*(variant(ask_integer=partial(refuse_once, of=of)) for of in questions)),
        READING_AGAIN,
    )


# Numbers to refuse, each with a variant that accepts them.
ANY_PILE = [
    ('the number of an empty pile', variant(choices='any')),
    ('a pile number below 0', variant(choices='from the end')),
]
ANY_NUMBER = [
    ('0 coins', variant(least=0)),
    ('more coins than a pile has', variant(most=MOST, any_below_zero=True)),
    ('more coins than a pile has', variant(most=MOST, stops_at_zero=True)),
    ('any number of coins', variant(least=-MOST, most=MOST, any_below_zero=True)),
]
ACCEPTED = [
    *ANY_PILE,
    *ANY_NUMBER,
    ('a pile of 0 coins at the start', variant(start_sizes=range(MOST))),
    ('any number of coins at the start', variant(start_sizes=None)),
    ('any number at the start', variant(counts=None, start_sizes=None)),
    ('any number of piles', variant(counts=None)),
    *(
        (f'{numbers} and {others}', variant(any_pile, any_number))
        for numbers, any_pile in ANY_PILE
        for others, any_number in ANY_NUMBER
    ),
]

PILES = {
    'accepts-refused': Change(
        fixed(*(variant(accepting, detail=f': {numbers}') for numbers, accepting in ACCEPTED)),
        CHECK,
    ),
    'refuses-once': refusing_once('', 'Which', 'How many?', 'How many piles', 'How many in'),
    'asks-pile-again': Change(
        fixed(*(variant(ask_taken=partial(ask_pile_again, least=least)) for least in (-MOST, 1))),
        READING_AGAIN,
    ),
    'last-state-missing': Change(
        fixed(variant(show=lambda game, show: game.is_over() or show())), TURN
    ),
    'prints-before-taking': Change(
        fixed(
            *(
                variant(take=partial(show_before_taking, of=of), choose=choose_as_announced)
                for of in ('computer', 'user', 'both')
            )
        ),
        TEXT,
    ),
    'ends-early': Change(
        fixed(
            variant(is_over=lambda game, is_over: not game.sizes[0]),
            variant(is_over=lambda game, is_over: not game.sizes[game.pile]),
        ),
        TURN,
    ),
    'piles-from-one': Change(
        fixed(
            *(
                variant(first_pile=1, first_announced=announced, first_typed=typed)
                for typed in (0, 1)
                for announced in (0, 1)
            )
        ),
        COUNTING,
    ),
    'from-one': Change(fixed(variant(first_typed=1)), COUNTING),
    'highest-pile': Change(fixed(variant(any_optimal=True)), CHOICE),
    'leaves-what-to-take': Change(
        fixed(
            variant(
                choose=lambda game, choose, wins: choose(
                    [(pile, game.sizes[pile] - taken) for pile, taken in wins]
                )
            )
        ),
        CHOICE,
    ),
    'not-optimal': Change(fixed(variant(any_legal=True)), CHOICE),
    'removes-nothing': Change(
        fixed(*(variant(choose=take_none, any_legal=any_legal) for any_legal in (False, True))),
        CHOICE,
    ),
}


# TLCW and Taking Stones


def ask_again(game: Tlcw, refuse: Method) -> None:
    """Refuse an answer with the next line of the program, if it looks like a refusal.

    A refusal has letters, and is neither INVALID nor the prompt.
    """
    line, newline, _ = game.upcoming().partition('\n')
    if (
        newline
        and line != 'INVALID'
        and any(map(str.isalpha, line))
        and not (game.has_prompts and line.startswith(game.asked))
    ):
        game.say(line)
    else:
        refuse()


def share_score(game: Stones, show_winner: Method, winner: int) -> None:
    """If both humans have the same name, give both the larger of their numbers of won rounds."""
    if len({*game.names}) < 2:
        game.wins[:2] = [max(game.wins[:2])] * 2
    show_winner(winner)


def draw_any_width(game: Stones, draw: Method, line: str) -> None:
    """Draw a line of the box as wide as the program draws it."""
    shown = game.upcoming().partition('\n')[0]
    draw(shown if WIDTH.sub('', shown) == WIDTH.sub('', line) else line)


def number_shown(game: Tlcw | Stones, choose: Method, most: int) -> int:
    """Take as many coins or stones as the program announces."""
    shown = re.match(r'The (?:Python has removed|computer takes) (\d{1,9}) ', game.upcoming())
    return int(shown[1]) if shown else choose(most)


TLCW = {
    'asks-again': Change(fixed(variant(refuse=ask_again)), TEXT),
    'one-space': printed_as(
        lambda way, expected, printed: (
            way == 'separators'
            and expected.startswith('COINS: ')
            and printed == ' '.join(expected.split())
        )
    ),
    'always-coins': Change(
        fixed(
            variant(one_coin='coins'),
            *(
                variant(
                    print_line=lambda game, print_line, line, of=of: print_line(
                        re.sub(f'^({of} 1 coin)[.]', r'\1s.', line)
                    )
                )
                for of in ('You take', 'The computer takes( all)?')
            ),
        ),
        TEXT,
    ),
    'all-missing': printed_as(
        lambda way, expected, printed: (
            way == 'words' and 'all ' in expected and printed == expected.replace('all ', '')
        )
    ),
    'takes-no-limit': Change(fixed(variant(short=1, choose=number_shown)), CHOICE, is_learned=True),
    'accepts-refused': Change(
        fixed(
            *(
                variant(fewest=fewest, margin=margin)
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
    'refuses-once': refusing_once('', 'How many coins', 'How many may'),
    'cheat-unseen': Change(fixed(variant(least=-MOST, choose=number_shown)), CHECK),
    'cheat-wins': Change(fixed(variant(cheated='U')), WINNER),
}
STONES = {
    'box-width': Change(fixed(variant(draw=draw_any_width)), TEXT),
    'plays-on': Change(fixed(variant(plays_on=True)), CHECK),
    'wrong-start': Change(
        fixed(
            variant(first_player=lambda game, first: game.player),
            variant(
                first_player=lambda game, first: (
                    (game.player + 1) % 3 if any(game.wins) else game.player
                )
            ),
        ),
        TURN,
    ),
    'wrong-number': Change(fixed(variant(choose=number_shown)), CHOICE, is_learned=True),
    'fixed-bound': Change(
        fixed(variant(bound=3), variant(bound=3, most=3), variant(bound=3, most=3, over=(0,))),
        START,
    ),
    'always-concedes': Change(fixed(variant(concedes=True)), WINNER),
    'wrong-mockery': Change(
        fixed(variant(leads=lambda game, leads: game.upcoming().startswith('Evidently'))),
        WINNER,
        is_learned=True,
    ),
    'score-forgotten': Change(fixed(variant(forgets_score=True)), START),
    'score-by-name': Change(fixed(variant(show_winner=share_score)), START),
}

FAULTS = {
    'recorded': GameFaults(
        RecordedGame,
        known_faults(FOLDER / 'recorded_faults.ini', RECORDED),
        hint,
        {
            ('Invalid', 'Starting'): CHECK,
            ('Starting', 'Invalid'): READING,
            ('Player', 'Player'): TURN,
        },
    ),
    'stones': GameFaults(Stones, known_faults(FOLDER / 'stones_faults.ini', STONES), hint),
    'tlcw': GameFaults(Tlcw, known_faults(FOLDER / 'tlcw_faults.ini', TLCW), hint),
    'piles': GameFaults(
        Piles, known_faults(FOLDER / 'piles_faults.ini', PILES), hint, {('pile', 'pile'): CHOICE}
    ),
}
