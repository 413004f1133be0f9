"""Nim games, computer players, matches and recorded games, without input and output.

A move takes one or more tokens from one pile. Whoever takes the last token wins. In misère play,
the game ends when one token is left: the player to move would have to take it, and loses. Piles are
numbered from 0, players from 1. (C. L. Bouton, *Nim, a game with a complete mathematical theory*,
1901.)

All errors are subclasses of `NimError`: `InvalidGameError`, `InvalidMoveError`, `GameOverError` and
`GameNotOverError`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # like `typing.TYPE_CHECKING`, but `typing` is slow to import
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from random import Random

__all__ = [
    'GameNotOverError',
    'GameOverError',
    'InvalidGameError',
    'InvalidMoveError',
    'NimError',
    'NimGame',
    'RecordedGame',
    'StonesMatch',
    'TlcwMatch',
    'optimal_move',
    'ordinary_move',
    'python_move',
    'random_move',
]

SPACES = ' \t'  # characters that may surround a number
LONGEST_NUMBER = 4300  # digits; by default, `int` takes no more since Python 3.11


class NimError(Exception):
    """The base class of all errors in this module."""


class InvalidGameError(NimError, ValueError):
    """Raised for invalid piles, rules, players or records."""


class InvalidMoveError(NimError, ValueError):
    """Raised for an illegal move, or a pile that does not exist.

    `player` cannot take `count` tokens from `pile`; `reason` says why. `player` is `None` if nobody
    tried to move, or if `pile` or `count` is not an integer.
    """

    def __init__(self, pile: object, count: object, player: int | None, reason: str) -> None:
        super().__init__(pile, count, player, reason)
        self.pile, self.count, self.player, self.reason = pile, count, player, reason

    def __str__(self) -> str:
        if self.player is None:
            return self.reason
        move = f'take {_show(self.count)} from pile {_show(self.pile)}'
        return f'player {self.player} cannot {move}: {self.reason}'


class GameOverError(NimError):
    """Raised for a move after the end of a game, or by `end_round` between rounds."""


class GameNotOverError(NimError):
    """Raised by `winner`, `loser` and `end_round` before the end of a game.

    Also raised by `start_round` during a round.
    """


class NimGame:
    """A Nim game: the piles, the rules, and whose turn it is.

    `piles` are the sizes of the piles, at least one of them above 0. `max_take` is the most tokens
    that a move may take, or `None` for no limit. `players` is the number of players: at least two,
    and exactly two in a `misere` game. These attributes are read-only. Raises `InvalidGameError`.

    >>> game = NimGame([3, 4, 5])
    >>> game.nim_sum(), game.winning_moves()
    (2, [(0, 2)])
    >>> game.make_move(0, 2)
    >>> print(game)
    pile 0 = 1
    pile 1 = 4
    pile 2 = 5
    >>> game
    <NimGame 1 4 5, player 2 to move, the last token wins>
    """

    __slots__ = ('_max_take', '_misere', '_next', '_piles', '_players', '_takeable')

    def __init__(
        self,
        piles: Iterable[int],
        *,
        max_take: int | None = None,
        players: int = 2,
        misere: bool = False,
    ) -> None:
        self._piles = [_at_least(0, size, 'a pile') for size in piles]
        if not any(self._piles):
            raise InvalidGameError('at least one pile must be above 0')
        self._max_take = None if max_take is None else _at_least(1, max_take, 'max_take')
        self._players = _at_least(2, players, 'players')
        self._misere = misere
        if misere and self._players > 2:
            raise InvalidGameError(f'misère play needs exactly 2 players, not {_show(players)}')
        total = sum(self._piles)
        self._takeable = total - 1 if misere else total  # in misère play, one token must be left
        self._next = 1

    @property
    def piles(self) -> tuple[int, ...]:
        """The sizes of all piles, starting with pile 0."""
        return tuple(self._piles)

    @property
    def max_take(self) -> int | None:
        """The most tokens that a move may take, or `None` for no limit."""
        return self._max_take

    @property
    def players(self) -> int:
        """The number of players."""
        return self._players

    @property
    def misere(self) -> bool:
        """Whether the player who must take the last token loses."""
        return self._misere

    @property
    def turn(self) -> int | None:
        """The player to move, or `None` if the game is over."""
        return None if self.is_over() else self._next

    def most(self, pile: int) -> int:
        """Return the most tokens that a move may take from a pile.

        Raises `InvalidMoveError` if there is no such pile.
        """
        number = _index(pile)
        if number is None or not 0 <= number < len(self._piles):
            raise InvalidMoveError(pile, None, None, f'there is no pile {_show(pile)}')
        most = min(self._piles[number], self._takeable)
        return most if self._max_take is None else min(most, self._max_take)

    def legal_moves(self) -> Iterator[tuple[int, int]]:
        """Return an iterator over all legal moves `(pile, count)`, ordered by pile and count.

        This is no list because, without a limit, there are about as many moves as tokens. The
        iterator belongs to the current position: later moves do not change what it yields.

        >>> list(NimGame([1, 2]).legal_moves())
        [(0, 1), (1, 1), (1, 2)]
        """
        limits = [self.most(pile) for pile in range(len(self._piles))]
        return ((pile, count) for pile, most in enumerate(limits) for count in range(1, most + 1))

    def make_move(self, pile: int, count: int) -> None:
        """Take `count` tokens from a pile; it is then the next player's turn.

        Raises `InvalidMoveError` if the move is illegal, and `GameOverError` if the game is over;
        in both cases the game does not change.

        >>> NimGame([3, 5]).make_move(0, 4)
        Traceback (most recent call last):
        nim_logic.InvalidMoveError: player 1 cannot take 4 from pile 0: pile 0 holds 3
        """
        _check_running(self)
        number, taken = _integers(pile, count)
        reason = self._why_illegal(number, taken)
        if reason:
            raise InvalidMoveError(pile, count, self._next, reason)
        self._piles[number] -= taken
        self._takeable -= taken
        self._next = self._next % self._players + 1

    def is_legal(self, pile: int, count: int) -> bool:
        """Return whether a move is legal.

        Raises `InvalidMoveError` unless both arguments are integers.
        """
        return not self._why_illegal(*_integers(pile, count))

    def check_move(self, pile: int, count: int) -> None:
        """Raise the error that `make_move` would raise, if any; the game does not change."""
        self.copy().make_move(pile, count)

    def _why_illegal(self, pile: int, count: int) -> str:
        """Return why a move is illegal, or an empty string if it is legal."""
        if not 0 <= pile < len(self._piles):
            return f'there is no pile {_show(pile)}'
        if count < 1:
            return 'the count must be at least 1'
        if count > self._piles[pile]:
            return f'pile {pile} holds {_show(self._piles[pile])}'
        if self._max_take and count > self._max_take:
            return f'a turn takes at most {_show(self._max_take)}'
        if count > self._takeable:
            return 'at least one token must be left'
        return ''

    def is_over(self) -> bool:
        """Return whether the game is over: no token is left or, in misère play, only one."""
        return not self._takeable

    def winner(self) -> int:
        """Return the player who took the last token or, in misère play, left it to the opponent.

        Raises `GameNotOverError`.
        """
        if not self.is_over():
            raise GameNotOverError(f'the game is not over: player {self._next} is to move')
        return (self._next - 2) % self._players + 1

    def loser(self) -> int | None:
        """Return the loser, or `None` if there are more than two players.

        Raises `GameNotOverError`.
        """
        winner = self.winner()
        return 3 - winner if self._players == 2 else None

    def nim_sum(self) -> int:
        """Return the exclusive or of the sizes of all piles."""
        return _exclusive_or(self._piles)

    def winning_moves(self) -> list[tuple[int, int]]:
        """Return all moves `(pile, count)` that win against any defense, at most one per pile.

        The value of a pile is its size or, with a limit m, its size modulo m + 1 (Berlekamp,
        Conway, Guy, *Winning Ways*: subtraction games). The player to move loses if the exclusive
        or of all values is 0. But if all values are 0 or 1 in misère play, the player to move loses
        if the number of ones is odd (Bouton). Raises `NimError` unless there are two players.

        >>> NimGame([10, 6], max_take=3).winning_moves()
        []
        """
        if self._players != 2:
            raise NimError(f'winning moves are known only for two players, not {self._players}')
        modulus = self._max_take and self._max_take + 1
        values = [size % modulus for size in self._piles] if modulus else self._piles
        total = _exclusive_or(values)
        large = sum(value > 1 for value in values)
        moves: list[tuple[int, int]] = []
        for pile, value in enumerate(values):
            target = total ^ value  # makes the exclusive or of all values 0
            large_others = large - 1 if value > 1 else large
            if self._misere and not large_others:
                target ^= 1  # makes the number of ones odd
            count = value - target
            if modulus and target < modulus:
                count %= modulus
            if 0 < count <= self.most(pile):
                moves.append((pile, count))
        return moves

    def copy(self) -> NimGame:
        """Return an independent copy of this game."""
        game = object.__new__(type(self))
        for name in NimGame.__slots__:
            setattr(game, name, getattr(self, name))
        game._piles = self._piles.copy()
        return game

    __copy__ = copy

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NimGame):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in NimGame.__slots__)

    def __str__(self) -> str:
        return '\n'.join([f'pile {pile} = {size}' for pile, size in enumerate(self._piles)])

    def __repr__(self) -> str:
        sizes = ' '.join(map(_show, self._piles[:20])) + (' ...' if len(self._piles) > 20 else '')
        limit = f', at most {_show(self._max_take)} a turn' if self._max_take else ''
        state = 'over' if self.is_over() else f'player {self._next} to move'
        return (
            f'<NimGame {sizes}{limit}, {state}, '
            f'the last token {"loses" if self._misere else "wins"}>'
        )


# Each computer player takes a game and a `random.Random`, and returns a move `(pile, count)`. It
# raises `GameOverError` if the game is over, or another `NimError` if it cannot play the game.


def optimal_move(game: NimGame, rng: Random | None = None) -> tuple[int, int]:
    """Return the first winning move or, if there is none, a random legal move.

    Without `rng`, take one token from the first pile that is not empty instead of moving at random.
    """
    _check_running(game)
    best = game.winning_moves()
    if best:
        return best[0]
    return next(game.legal_moves()) if rng is None else random_move(game, rng)


def random_move(game: NimGame, rng: Random) -> tuple[int, int]:
    """Return a move that takes a random number of tokens from a random pile."""
    _check_running(game)
    piles = [pile for pile in range(len(game.piles)) if game.most(pile)]
    pile = piles[rng.randint(0, len(piles) - 1) if len(piles) > 1 else 0]
    return pile, rng.randint(1, game.most(pile))


def ordinary_move(game: NimGame, rng: Random) -> tuple[int, int]:
    """Return a move that takes the only pile or, if that is illegal, a random number of tokens."""
    most = _most_of_only_pile(game)
    return (0, most) if most == game.piles[0] else random_move(game, rng)


def python_move(game: NimGame, rng: Random) -> tuple[int, int]:
    """Return a move that takes the only pile if that is legal.

    Otherwise, the move takes 1 token, or 2 if the size of the pile is a multiple of 3 and the limit
    is not 1.
    """
    most = _most_of_only_pile(game)
    size = game.piles[0]
    return 0, most if most == size else min(most, 2 if size % 3 == 0 else 1)


def _check_running(game: NimGame) -> None:
    if game.is_over():
        raise GameOverError('the game is over')


def _most_of_only_pile(game: NimGame) -> int:
    _check_running(game)
    if len(game.piles) != 1:
        raise InvalidGameError(f'this player needs exactly one pile, not {len(game.piles)}')
    return game.most(0)


class StonesMatch:
    """A match of Taking Stones: rounds between two humans and The Python, players 1, 2 and 3.

    `humans` are two pairs `(name, id)`. `names` and `scores` (rounds won) list all players, `ids`
    only the humans: names are capitalized and have at most 30 characters, IDs at most 9. `round` is
    the number of the last round that has begun, or 0. `game` is the game of that round, or `None`
    between rounds. Raises `InvalidGameError`.
    """

    STONES = range(30, 51)  # the numbers of stones with which a round may begin
    PYTHON = 3

    def __init__(self, humans: Sequence[tuple[str, str]]) -> None:
        if len(humans) != 2 or not all(name and identity for name, identity in humans):
            raise InvalidGameError('a match needs two humans, each with a name and an ID')
        self.names = [*(self.name_of(name) for name, _ in humans), 'The Python']
        self.ids = [identity[:9] for _, identity in humans]
        self.scores = [0] * self.PYTHON
        self.round = 0
        self.game: NimGame | None = None

    @staticmethod
    def name_of(text: str) -> str:
        """Return a name as a match spells it: capitalized, with at most 30 characters."""
        return text.capitalize()[:30]

    def start_round(self, stones: int) -> NimGame:
        """Begin a round, and return its game.

        Raises `GameNotOverError` during a round, and `InvalidGameError` unless there are 30 to 50
        stones.
        """
        if self.game:
            raise GameNotOverError(
                f'round {self.round} has not been scored yet: call end_round() when it is over'
            )
        if _index(stones) not in self.STONES:
            raise InvalidGameError(f'a round begins with 30 to 50 stones, not {_show(stones)}')
        self.round += 1
        self.game = NimGame([stones], max_take=3, players=self.PYTHON)
        return self.game

    def end_round(self) -> int:
        """Add the round to the scores, and return its winner.

        Raises `GameNotOverError` if stones are left, and `GameOverError` between rounds.
        """
        if not self.game:
            raise GameOverError('no round is being played')
        winner = self.game.winner()
        self.scores[winner - 1] += 1
        self.game = None
        return winner

    def python_leads(self) -> bool:
        """Return whether The Python has won more rounds than either human."""
        return self.scores[-1] > max(self.scores[:-1])

    def __repr__(self) -> str:
        scores = ', '.join(map('{}: {}'.format, map(repr, self.names), self.scores))
        state = f'in round {self.round}' if self.game else f'round {self.round}'
        return f'<StonesMatch {scores}, {state}>'


class TlcwMatch:
    """Take the last coin to win: a user `'U'` and the computer `'C'` take coins from one pile.

    There are at least 2 `coins`, the `limit` for a turn is at least 1 and less than `coins`, and
    `first` moves first. `game` is the game of Nim. `cheating` says why the last number was illegal,
    or is `None`. Raises `InvalidGameError`.

    >>> match = TlcwMatch(10, 3, 'U')
    >>> match.take(4)
    >>> match.cheating, match.turn, match.winner()
    ('a turn takes at most 3', None, 'C')
    """

    def __init__(self, coins: int, limit: int = 1, first: str = 'U') -> None:
        coins = _at_least(2, coins, 'coins')
        limit = _at_least(1, limit, 'the limit')
        if limit >= coins:
            raise InvalidGameError(f'the limit must be less than {_show(coins)} coins')
        if first not in ('C', 'U'):
            raise InvalidGameError(f'the first player must be C or U, not {_show(first)}')
        self.limit = limit
        self.game = NimGame([coins], max_take=limit)
        self.cheating: str | None = None
        self._players = 'CU' if first == 'C' else 'UC'

    @property
    def coins(self) -> int:
        """The number of coins that are left."""
        return self.game.piles[0]

    @property
    def turn(self) -> str | None:
        """The player to move, or `None` if the game is over."""
        number = self.game.turn
        return self._players[number - 1] if number and not self.cheating else None

    def take(self, count: int) -> None:
        """Take coins for the player to move, who loses at once if the number is illegal.

        Raises `GameOverError`.
        """
        if not self.turn:
            raise GameOverError('the game is over')
        try:
            self.game.make_move(0, count)
        except InvalidMoveError as error:
            self.cheating = error.reason

    def winner(self) -> str:
        """Return the player who made the last legal move: took the last coin, or did not cheat.

        Raises `GameNotOverError`.
        """
        if self.turn:
            raise GameNotOverError(f'the game is not over: {self.turn} is to move')
        return self._players[self.game._next % 2]

    def __repr__(self) -> str:
        state = f'{self.turn} to move' if self.turn else f'{self.winner()} wins'
        return f'<TlcwMatch {_show(self.coins)}, at most {_show(self.limit)} a turn, {state}>'


class RecordedGame:
    """A valid recorded misère game: its `start`, its `moves()` and its `loser()`; immutable.

    `lines` are strings, or one string to split into lines. The first line is `counters;piles`, the
    second the sizes of the piles, and each other line a move, `pile;count`. Empty lines at the end
    are ignored. Raises `InvalidGameError`, which names the line, if a line or a move is wrong, or
    if the game is not over after the last line.

    >>> record = RecordedGame(['3;2', '1;2', '1;1', '0;1'])
    >>> record.start.piles, list(record.moves()), record.loser()
    ((1, 2), [(1, 1), (0, 1)], 1)
    """

    __slots__ = ('_loser', '_moves', '_start')

    def __init__(self, lines: Iterable[str]) -> None:
        if isinstance(lines, str):
            lines = lines.replace('\r\n', '\n').split('\n')
        rest = iter(lines)
        self._moves: list[tuple[int, int]] = []
        number = 1
        try:
            head = parse_integers(next(rest, ''))
            if len(head) != 2:
                raise InvalidGameError('it must be two integers, counters;piles')
            number = 2
            sizes = parse_integers(next(rest, ''))
            if [sum(sizes), len(sizes)] != head:
                raise InvalidGameError(
                    'it must list the pile sizes; according to line 1, the number of piles '
                    f'is {_show(head[1])} and the sum is {_show(head[0])}'
                )
            self._start = NimGame(sizes, misere=True)
            game = self.start
            for line in rest:
                number += 1
                move = parse_integers(line)
                if len(move) != 2:
                    if any(_line(text).strip(SPACES) for text in (line, *rest)):
                        raise InvalidGameError('a move must be two integers, pile;count')
                    number -= 1
                    break  # only empty lines are left
                game.make_move(*move)
                self._moves.append((move[0], move[1]))
            if not game.is_over():
                raise InvalidGameError('more than one counter is left')
        except NimError as error:
            raise InvalidGameError(f'line {number}: {error}') from None
        self._loser = 3 - game.winner()

    @property
    def start(self) -> NimGame:
        """The game before its first move, as a new copy each time."""
        return self._start.copy()

    def moves(self) -> Iterator[tuple[int, int]]:
        """Return an iterator over the moves `(pile, count)`, from the first to the last."""
        return iter(self._moves)

    def loser(self) -> int:
        """Return the player who is left with the last token."""
        return self._loser

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RecordedGame):
            return NotImplemented
        return self._start == other._start and self._moves == other._moves

    def __hash__(self) -> int:
        return hash((self._start.piles, *self._moves))

    def __repr__(self) -> str:
        moves = '1 move' if len(self._moves) == 1 else f'{len(self._moves)} moves'
        return f'<RecordedGame {self._start!r}, {moves}, player {self._loser} loses>'


def parse_integers(text: str) -> list[int]:
    """Return the integers in a line, which are separated by `;`.

    The list is empty if the line contains anything else. An integer has at most 4,300 ASCII digits
    and an optional sign; spaces and tabs may surround it.

    >>> parse_integers('2; +05'), parse_integers('2;1_0')
    ([2, 5], [])
    """
    integers = []
    for cell in _line(text).split(';'):
        cell = cell.strip(SPACES)
        digits = cell[1:] if cell[:1] in ('+', '-') else cell
        if not (digits.isdigit() and digits.isascii() and len(digits) <= LONGEST_NUMBER):
            return []
        integers.append(int(cell))
    return integers


def _line(text: str) -> str:
    """Return a line without its line end."""
    return text.replace('\r\n', '\n').rstrip('\n')


def _exclusive_or(values: Iterable[int]) -> int:
    total = 0
    for value in values:
        total ^= value
    return total


def _integers(pile: int, count: int) -> tuple[int, int]:
    """Return the numbers of a move as two `int`. Raises `InvalidMoveError`."""
    number, taken = _index(pile), _index(count)
    if number is None or taken is None:
        wrong = f'pile {_show(pile)}' if number is None else f'count {_show(count)}'
        raise InvalidMoveError(pile, count, None, f'the {wrong} is not an integer')
    return number, taken


def _at_least(least: int, value: int, name: str) -> int:
    """Return a number as an `int`. Raises `InvalidGameError` if it is too small, or no integer."""
    number = _index(value)
    if number is None or number < least:
        raise InvalidGameError(f'{name} must be an integer of at least {least}, not {_show(value)}')
    return number


def _index(value: int) -> int | None:
    """Return an integer of any type, such as NumPy's, as an `int`; for other values `None`."""
    try:  # like `operator.index`, without the import
        return value.__index__()
    except (AttributeError, TypeError):  # the latter for a class, such as `int`
        return None


def _show(value: object) -> str:
    """Return the `repr` of a value, shortened for a message."""
    if isinstance(value, int) and value.bit_length() > 200:  # `repr` may refuse to show it
        return f'(an integer of {value.bit_length()} bits)'
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + '...'
