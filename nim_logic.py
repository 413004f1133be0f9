"""Nim: the rules and the state of one game, and what four assignments make of it; silent.

A move takes tokens from one pile. Who takes the last token wins; in misère play the game ends
when a single token is left, and the player to move, who is left with it, loses. Piles count
from 0, players from 1. (C. L. Bouton, *Nim, a game with a complete mathematical theory*, 1901.)
"""

from __future__ import annotations

TYPE_CHECKING = False                   # as in `typing`, which is too slow to import for it
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from random import Random

LONGEST_NUMBER = 100_000                # digits; a longer one is no number
LINES_AT_ONCE = 1000                    # of a recorded game, which are checked together
BLANKS = ' \t'


class NimError(Exception):
    """The base of every error of this module."""


class InvalidGameError(NimError, ValueError):
    """Piles, a rule or a record that no game of Nim has."""


class InvalidMoveError(NimError, ValueError):
    """A move that the rules refuse: `player` takes `count` from `pile`, which fails by `reason`."""

    def __init__(self, pile: object, count: object, player: int, reason: str) -> None:
        super().__init__(pile, count, player, reason)
        self.pile, self.count, self.player, self.reason = pile, count, player, reason

    def __str__(self) -> str:
        return (f'player {self.player} cannot take {_show(self.count)} '
                f'from pile {_show(self.pile)}: {self.reason}')


class GameOverError(NimError):
    """A move after the end of the game, or its winner asked for before."""


class NimGame:
    """One game of Nim: the piles, the rules, and whose turn it is.

    `piles` are sizes from 0, one at least above 0; `max_take` is the most that a turn may take,
    `None` for any number; there are two `players` or more, in a `misere` game two. Raises
    `InvalidGameError`.

    >>> game = NimGame([3, 4, 5])
    >>> game.nim_sum(), game.winning_moves()
    (2, [(0, 2)])
    >>> game.make_move(0, 2)
    >>> game.turn, game.piles
    (2, (1, 4, 5))
    >>> game
    <NimGame 1 4 5, player 2 to move, the last token wins>
    """

    __slots__ = ('_left', '_next', '_piles', 'max_take', 'misere', 'players')

    def __init__(self, piles: Iterable[int], *, max_take: int | None = None, players: int = 2,
                 misere: bool = False) -> None:
        is_ordered = not isinstance(piles, (bytes, bytearray, memoryview, dict, set, frozenset))
        try:
            self._piles = list(piles) if is_ordered else []
        except TypeError:
            self._piles = []
        if not (all(_is_integer(size, 0) for size in self._piles) and any(self._piles)):
            raise InvalidGameError('piles must be integers from 0, at least one of them above 0')
        if not (max_take is None or _is_integer(max_take, 1)):
            raise InvalidGameError(f'max_take must be an integer from 1, not {_show(max_take)}')
        if not isinstance(misere, bool):
            raise InvalidGameError(f'misere must be True or False, not {_show(misere)}')
        if not _is_integer(players, 2) or (misere and players > 2):
            raise InvalidGameError('there must be two players, or more unless in misère play, '
                                   f'not {_show(players)}')
        self.max_take = max_take
        self.players = players
        self.misere = misere
        self._left = sum(self._piles)
        self._next = 1

    @property
    def piles(self) -> tuple[int, ...]:
        """The sizes of all piles, pile 0 first."""
        return tuple(self._piles)

    @property
    def turn(self) -> int | None:
        """The player to move, `None` once the game is over."""
        return None if self.is_over() else self._next

    def most(self, pile: int) -> int:
        """Return how many tokens a move may take from a pile at most, or raise `InvalidMoveError`.

        >>> NimGame([3, 0, 5], max_take=4).most(2)
        4
        """
        if type(pile) is not int or not 0 <= pile < len(self._piles):
            raise InvalidMoveError(pile, 1, self._next, self._reason_against(pile, 1))
        most = min(self._piles[pile], self._left - self.misere)     # the last token of all stays
        return most if self.max_take is None else min(most, self.max_take)

    def legal_moves(self) -> list[tuple[int, int]]:
        """Return all moves `(pile, count)`: without a limit about as many as there are tokens.

        >>> NimGame([2, 0, 1]).legal_moves()
        [(0, 1), (0, 2), (2, 1)]
        """
        return [(pile, count) for pile in range(len(self._piles))
                for count in range(1, self.most(pile) + 1)]

    def make_move(self, pile: int, count: int) -> None:
        """Take `count` tokens from a pile, and pass the turn.

        Raises `InvalidMoveError` if the move is not legal and `GameOverError` once the game
        is over; either leaves the game as it was.

        >>> NimGame([3, 5]).make_move(0, 4)
        Traceback (most recent call last):
        nim_logic.InvalidMoveError: player 1 cannot take 4 from pile 0: pile 0 holds 3
        """
        # The usual case first, and without any call: recorded games have millions of moves.
        if not (type(pile) is type(count) is int and 0 <= pile < len(self._piles)
                and 0 < count <= self._piles[pile] and count <= self._left - self.misere
                and (self.max_take is None or count <= self.max_take)):
            self.check_move(pile, count)
        self._piles[pile] -= count
        self._left -= count
        self._next = self._next % self.players + 1

    def check_move(self, pile: int, count: int) -> None:
        """Raise the error that `make_move` would raise, if any, and leave the game as it is."""
        if self.is_over():
            raise GameOverError('the game is over')
        reason = self._reason_against(pile, count)
        if reason:
            raise InvalidMoveError(pile, count, self._next, reason)

    def is_over(self) -> bool:
        """Return whether the last token is taken, in misère play whether it alone is left."""
        return self._left == self.misere

    def winner(self) -> int:
        """Return the player who took the last token, in misère play who left it to the other.

        Raises `GameOverError` while the game runs; so does `loser`.

        >>> game = NimGame([0, 1], misere=True)
        >>> game.winner(), game.loser()
        (2, 1)
        """
        if not self.is_over():
            raise GameOverError(f'the game is not over: player {self._next} is to move')
        return (self._next - 2) % self.players + 1

    def loser(self) -> int | None:
        """Return the other one of two players, `None` where there are more."""
        winner = self.winner()
        return 3 - winner if self.players == 2 else None

    def nim_sum(self) -> int:
        """Return the exclusive or of the sizes of all piles."""
        return _exclusive_or(self._piles)

    def winning_moves(self) -> list[tuple[int, int]]:
        """Return every move `(pile, count)` that wins against any defence; no pile has two.

        Under a limit m a pile is worth its size modulo m + 1, otherwise its size. Who is to move
        loses if the exclusive or of these values is 0; but in misère play, once all of them are
        0 or 1, if the ones are odd in number (Bouton). Raises `NimError` unless two are playing.

        >>> NimGame([10, 6], max_take=3).winning_moves()
        []
        """
        if self.players != 2:
            raise NimError(f'who wins by force is known for two players, not {_show(self.players)}')
        modulus = self.max_take and self.max_take + 1
        values = [size % modulus for size in self._piles] if modulus else self._piles
        total = _exclusive_or(values)
        large = sum(value > 1 for value in values)
        moves = []
        for pile, value in enumerate(values):
            target = total ^ value                  # makes the exclusive or of all values 0
            if self.misere and large - (value > 1) == 0:
                target ^= 1                         # makes the ones odd in number
            count = value - target
            if modulus and target < modulus:
                count %= modulus
            if 0 < count <= self.most(pile):
                moves.append((pile, count))
        return moves

    def copy(self) -> NimGame:
        """Return a game that is equal to this one and changes independently of it."""
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

    def __repr__(self) -> str:
        sizes = ' '.join(map(_show, self._piles[:20])) + (' ...' if len(self._piles) > 20 else '')
        limit = f', at most {_show(self.max_take)} a turn' if self.max_take else ''
        state = f'player {self.turn} to move' if self.turn else 'over'
        return (f'<NimGame {sizes}{limit}, {state}, '
                f'the last token {"loses" if self.misere else "wins"}>')

    def _reason_against(self, pile: int, count: int) -> str:
        """Say why a move is not legal; `''` if it is."""
        if type(pile) is not int:
            return 'a pile is an integer'
        if not 0 <= pile < len(self._piles):
            return f'there is no pile {_show(pile)}'
        if not _is_integer(count, 1):
            return 'the count must be an integer from 1'
        if count > self._piles[pile]:
            return f'pile {pile} holds {_show(self._piles[pile])}'
        if self.max_take is not None and count > self.max_take:
            return f'a turn takes {_show(self.max_take)} at most'
        return 'the last token of all stays' if count > self.most(pile) else ''


def optimal_move(game: NimGame, rng: Random) -> tuple[int, int]:
    """Return the winning move of the lowest-numbered pile; a random legal move if none wins.

    Like all strategies it raises `GameOverError` once the game is over.

    >>> optimal_move(NimGame([3, 4, 5]), rng=None)
    (0, 2)
    """
    _check_type(game, NimGame, 'a game of Nim')
    winning = game.winning_moves()
    if winning:
        return winning[0]
    if game.is_over():
        raise GameOverError('the game is over')
    pile = rng.choice([pile for pile in range(len(game.piles)) if game.most(pile)])
    return pile, rng.randint(1, game.most(pile))


def random_count(game: NimGame, rng: Random) -> int:
    """Return a random legal count for the only pile."""
    return rng.randint(1, _most_of_only_pile(game))


def ordinary_count(game: NimGame, rng: Random) -> int:
    """Return how many to take from the only pile: all if that is legal, else a random count.

    >>> ordinary_count(NimGame([3], max_take=5), rng=None)
    3
    """
    most = _most_of_only_pile(game)
    return most if most == game.piles[0] else random_count(game, rng)


def python_count(game: NimGame) -> int:
    """Return what The Python takes: all that is left if legal, else 2 of a multiple of 3, or 1.

    >>> [python_count(NimGame([stones], max_take=3)) for stones in (2, 3, 4, 6)]
    [2, 3, 1, 2]
    """
    most = _most_of_only_pile(game)
    if most == game.piles[0]:
        return most
    return 1 if game.piles[0] % 3 else 2


def _most_of_only_pile(game: NimGame) -> int:
    _check_type(game, NimGame, 'a game of Nim')
    if len(game.piles) != 1:
        raise InvalidGameError(f'this strategy is for one pile, not {len(game.piles)}')
    if game.is_over():
        raise GameOverError('the game is over')
    return game.most(0)


class StonesMatch:
    """Rounds of Taking Stones between two humans and The Python, players 1, 2 and 3.

    `humans` are `(name, id)` each. `names` and `scores` (rounds won) are of all players, `ids` of
    the humans; `round` counts from 1.

    >>> match = StonesMatch([('Tim', 'MIT123456'), ('Sally', 'MIT555555')])
    >>> match.start_round(30)
    <NimGame 30, at most 3 a turn, player 1 to move, the last token wins>
    """

    STONES = range(30, 51)              # with which a round may begin
    PYTHON = 3

    def __init__(self, humans: Sequence[tuple[str, str]]) -> None:
        # Texts are no pairs, though they have items that are texts.
        if not (isinstance(humans, (list, tuple)) and len(humans) == 2 and all(
                isinstance(human, (list, tuple)) and [*map(type, human)] == [str, str]
                for human in humans)):
            raise InvalidGameError('a match is between two humans, a name and an ID each')
        self.names = [*(name for name, _ in humans), 'The Python']
        self.ids = [identity for _, identity in humans]
        self.scores = [0] * self.PYTHON
        self.round = 0

    def start_round(self, stones: int) -> NimGame:
        """Return the game of the next round, with 30 to 50 stones; or raise `InvalidGameError`."""
        if not _is_integer(stones, 30) or stones not in self.STONES:
            raise InvalidGameError(f'a round begins with 30 to 50 stones, not {_show(stones)}')
        self.round += 1
        return NimGame([stones], max_take=3, players=self.PYTHON)

    def end_round(self, game: NimGame) -> int:
        """Score a game that is over for its winner, who is returned; or raise `GameOverError`."""
        _check_type(game, NimGame, 'a game of Nim')
        winner = game.winner()
        self.scores[winner - 1] += 1
        return winner

    def python_leads(self) -> bool:
        """Return whether The Python has won more rounds than either human."""
        return self.scores[-1] > max(self.scores[:-1])


def tidy_name(text: str) -> str:
    """Return a name as the match shows it, at most 30 characters; `''` if it is blank.

    >>> tidy_name(' sALLY ')
    'Sally'
    """
    _check_type(text, str, 'a name')
    return text.strip(BLANKS).capitalize()[:30]


def tidy_id(text: str) -> str:
    """Return an ID as the match shows it, at most 9 characters; `''` if it is blank."""
    _check_type(text, str, 'an ID')
    return text.strip(BLANKS)[:9]


def read_recorded_game(
        lines: Iterable[str]) -> tuple[NimGame, Iterator[tuple[int, int, int, int]], int | None]:
    """Return a recorded misère game, once all of it is checked: its start, its moves, its loser.

    The first of the `lines` (a single text is taken for its lines) is `counters;piles`, the second
    the piles' sizes, each other one a move. A move is returned as `(player, pile, count, left)`,
    where `left` is what it leaves of the pile. Raises `InvalidGameError`, which names the line, if
    a line or a move is wrong, or the game is not over after the last.

    >>> list(read_recorded_game(['3;2', '1;2', '1;1', '0;1'])[1])
    [(1, 1, 1, 1), (2, 0, 1, 0)]
    """
    try:
        rest = iter(lines.replace('\r\n', '\n').split('\n') if isinstance(lines, str) else lines)
    except TypeError:
        raise InvalidGameError(f'{_show(lines)} is not lines of text') from None
    head, sizes = parse_integers(next(rest, '')), parse_integers(next(rest, ''))
    if len(head) != 2:
        raise InvalidGameError('line 1: it must be two integers, counters;piles')
    if [sum(sizes), len(sizes)] != head:
        raise InvalidGameError('line 2: it does not have the counters and piles of line 1')
    try:
        start = NimGame(sizes, misere=True)
    except InvalidGameError as error:
        raise InvalidGameError(f'line 2: {error}') from None
    game = start.copy()
    return start, _replay(start, _play(game, rest)), game.loser()


def _play(game: NimGame, lines: Iterator[str]) -> list[str]:
    """Play the moves on the lines from line 3 to the end; return them as text, many in each."""
    texts = []                          # a tenth of what tuples would take
    block: list[str] = []
    number = 3
    for line in lines:
        # The usual case first, and without any call: recorded games have millions of moves.
        first, _, second = line.partition(';') if isinstance(line, str) else ('', '', '')
        if first.isdigit() and second.isdigit() and len(line) < 40 and line.isascii():
            pile, count = int(first), int(second)
        else:
            move = parse_integers(line)
            if len(move) != 2:
                if _is_blank(line) and all(map(_is_blank, lines)):
                    break
                raise InvalidGameError(f'line {number}: a move is two integers, pile;count')
            pile, count = move
        try:
            game.make_move(pile, count)
        except NimError as error:
            raise InvalidGameError(f'line {number}: {error}') from error
        number += 1
        block.append(line)
        if len(block) == LINES_AT_ONCE:
            texts.append(';'.join(block))
            block.clear()
    if not game.is_over():
        raise InvalidGameError(f'line {number - 1}: more than one counter is left')
    return [*texts, ';'.join(block)]


def _replay(start: NimGame, texts: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the moves in checked texts, with their players and what is left of the pile."""
    piles = list(start.piles)
    player = 2
    for text in filter(None, texts):    # the last may be empty
        numbers = map(int, text.split(';'))
        for pile, count in zip(numbers, numbers):
            player = 3 - player
            piles[pile] -= count
            yield player, pile, count, piles[pile]


def parse_integers(text: str) -> list[int]:
    """Return the integers in a text with `;` between them; none if anything else is there.

    An integer is at most 100,000 ASCII digits, perhaps with a sign, and with blanks (spaces and
    tabs) around. Raises `InvalidGameError` for what is no text.

    >>> parse_integers('2; +05'), parse_integers('2;1_0')
    ([2, 5], [])
    """
    cells = [cell.strip(BLANKS) for cell in _without_end(text).split(';')]
    numerals = [cell[1:] if cell[:1] in ('+', '-') else cell for cell in cells]
    try:
        if (text.isascii() and all(map(str.isdigit, numerals))
                and max(map(len, numerals)) <= LONGEST_NUMBER):
            return list(map(int, cells))
    except ValueError:                  # more digits than the interpreter is set to take
        pass
    return []


def parse_integer(text: str) -> int | None:
    """Return the integer that a text is, `None` for any other text.

    >>> parse_integer(' 7 '), parse_integer('7;')
    (7, None)
    """
    numbers = parse_integers(text)
    return numbers[0] if len(numbers) == 1 else None


def _without_end(line: str) -> str:
    _check_type(line, str, 'a line of text')
    return line[:-2] if line.endswith('\r\n') else line[:-1] if line.endswith('\n') else line


def _is_blank(line: str) -> bool:
    return not _without_end(line).strip(BLANKS)


def _is_integer(value: object, least: int) -> bool:
    return type(value) is int and value >= least        # which True is not


def _check_type(value: object, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise InvalidGameError(f'{_show(value)} is not {what}')


def _exclusive_or(numbers: Iterable[int]) -> int:
    total = 0
    for number in numbers:
        total ^= number
    return total


def _show(value: object) -> str:
    """Return the `repr` of a value, or what can be said of it in one short line."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f'(an integer of {value.bit_length()} bits)'
    try:
        text = repr(value)
    except Exception:                   # a list of such integers; whatever others' classes do
        text = f'(a value of type {type(value).__name__})'
    return text if len(text) <= 80 else text[:77] + '...'
