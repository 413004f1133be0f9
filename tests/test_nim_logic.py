"""The rules of Nim, its theory, and the computer players of the four assignments."""

import copy
import itertools
import pickle
import random
from functools import lru_cache, partial

import pytest
from refusals import INTEGERS, Number, refusal, snapshot

from nim_logic import (
    GameNotOverError,
    GameOverError,
    InvalidGameError,
    InvalidMoveError,
    NimError,
    NimGame,
    RecordedGame,
    StonesMatch,
    TlcwMatch,
    optimal_move,
    ordinary_move,
    parse_integers,
    python_move,
    random_move,
)

# All positions of one to four piles; the fewer piles, the larger they may be.
POSITIONS = [
    position
    for count, largest in [(1, 40), (2, 12), (3, 6), (4, 4)]
    for position in itertools.product(range(largest + 1), repeat=count)
    if any(position)
]
HUMANS = [('Tim', 'A'), ('Sally', 'B')]
PLAYERS = [optimal_move, random_move, ordinary_move, python_move]


def take(position, pile, count):
    return (*position[:pile], position[pile] - count, *position[pile + 1 :])


def naive_moves(position, max_take, misere):
    """Return the legal moves; in misère play, no move may take the last token."""
    return [
        (pile, count)
        for pile, size in enumerate(position)
        for count in range(1, min(size, max_take or size) + 1)
        if not (misere and sum(position) == count)
    ]


def winning_by_force(max_take, misere):
    """Return a function that finds all winning moves by playing every game to its end."""

    @lru_cache(maxsize=None)
    def wins(position):
        return any(
            not wins(tuple(sorted(take(position, *move))))
            for move in naive_moves(position, max_take, misere)
        )

    return lambda position: [
        move
        for move in naive_moves(position, max_take, misere)
        if not wins(tuple(sorted(take(position, *move))))
    ]


@pytest.mark.parametrize(
    ('max_take', 'misere'), [*itertools.product([None, 1, 2, 3, 4, 5, 7], [False, True])]
)
def test_winning_moves_by_brute_force(max_take, misere):
    """The winning moves of all small positions, by Bouton's theorem, are those of brute force."""
    assert len(POSITIONS) > 1000
    brute_force = winning_by_force(max_take, misere)
    for position in POSITIONS:
        game = NimGame(position, max_take=max_take, misere=misere)
        assert game.winning_moves() == brute_force(position), position
        assert [*game.legal_moves()] == naive_moves(position, max_take, misere), position


def test_legal_moves_are_an_iterator():
    """`legal_moves` yields the moves that were legal at the call, even after another move."""
    moves = NimGame([1]).legal_moves()
    assert iter(moves) is moves  # A list of the next game's moves would not fit into memory.
    game = NimGame([2, 10**1000])
    moves = game.legal_moves()
    game.make_move(0, 2)
    assert [*itertools.islice(moves, 4)] == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert next(game.legal_moves()) == (1, 1)


def test_winning_moves_on_huge_piles_are_instant():
    rng = random.Random(1)
    for max_take, misere in itertools.product((None, 10**500), (False, True)):
        game = NimGame(
            [rng.randrange(10**1000) for _ in range(1000)], max_take=max_take, misere=misere
        )
        moves = game.winning_moves()
        assert moves
        for move in moves[:10]:
            after = game.copy()
            after.make_move(*move)
            assert after.winning_moves() == []


@pytest.mark.parametrize(
    ('piles', 'rules', 'moves', 'turns', 'winner', 'loser'),
    [
        ([2, 2], {}, [(0, 1), (1, 1), (0, 1), (1, 1)], [2, 1, 2, None], 2, 1),
        ([2, 2], {'players': 3}, [(0, 1), (1, 1), (0, 1), (1, 1)], [2, 3, 1, None], 1, None),
        ([2, 2], {'players': 4}, [(0, 1), (1, 1), (0, 1), (1, 1)], [2, 3, 4, None], 4, None),
        ([1], {'players': 3}, [(0, 1)], [None], 1, None),
        ([1], {}, [(0, 1)], [None], 1, 2),
        ([2], {}, [(0, 2)], [None], 1, 2),
        ([3], {}, [(0, 3)], [None], 1, 2),
        ([3], {'max_take': 2}, [(0, 2), (0, 1)], [2, None], 2, 1),
        ([2, 1], {}, [(0, 2), (1, 1)], [2, None], 2, 1),
        ([2, 1], {'misere': True}, [(0, 2)], [None], 1, 2),
        ([2], {'misere': True}, [(0, 1)], [None], 1, 2),
        ([1, 1], {'misere': True}, [(0, 1)], [None], 1, 2),
        ([0, 1, 0], {'misere': True}, [], [], 2, 1),
    ],
)
def test_games(piles, rules, moves, turns, winner, loser):
    """Until its end a game has a turn, moves and no winner; then a winner, no turn and no moves."""
    given = [*piles]
    game = NimGame(given, **rules)
    assert {'max_take': game.max_take, 'players': game.players, 'misere': game.misere} == {
        'max_take': None,
        'players': 2,
        'misere': False,
        **rules,
    }
    for move, turn in zip(moves, turns):
        for ask in (game.winner, game.loser):
            assert str(refusal(GameNotOverError, ask)) == (
                f'the game is not over: player {game.turn} is to move'
            )
        left, before = take(game.piles, *move), snapshot(game)
        assert (game.is_legal(*move), game.check_move(*move)) == (True, None)
        assert snapshot(game) == before
        game.make_move(*move)
        assert (game.piles, game.turn, game.is_over()) == (left, turn, turn is None)
    assert (game.turn, game.winner(), game.loser(), given) == (None, winner, loser, piles)
    assert [*game.legal_moves()] == []
    assert [game.most(pile) for pile in range(len(piles))] == [0] * len(piles)
    if game.players == 2:
        assert game.winning_moves() == []
    assert game.is_legal(len(piles) - 1, 1) is False
    before = snapshot(game)
    for call in (game.make_move, game.check_move):
        assert str(refusal(GameOverError, call, len(piles) - 1, 1)) == 'the game is over'
    for player in PLAYERS:
        refusal(GameOverError, player, game, random.Random(1))
    assert snapshot(game) == before


@pytest.mark.parametrize(
    ('move', 'reason'),
    [
        ((3, 1), 'there is no pile 3'),
        ((-1, 1), 'there is no pile -1'),
        ((2, 0), 'the count must be at least 1'),
        ((2, -1), 'the count must be at least 1'),
        ((0, 4), 'pile 0 holds 3'),
        ((1, 1), 'pile 1 holds 0'),
        ((2, 7), 'pile 2 holds 6'),
        ((2, 5), 'a turn takes at most 4'),
    ],
)
def test_refused_moves_say_why_and_change_nothing(move, reason):
    game = NimGame([3, 0, 6], max_take=4)
    before = snapshot(game)
    for call in (game.make_move, game.check_move):
        error = refusal(InvalidMoveError, call, *move)
        assert str(error) == f'player 1 cannot take {move[1]!r} from pile {move[0]!r}: {reason}'
        assert (error.pile, error.count, error.player, error.reason) == (*move, 1, reason)
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert snapshot(game) == before


@pytest.mark.parametrize(
    ('pile', 'reason'),
    [
        (1, 'there is no pile 1'),
        (-1, 'there is no pile -1'),
        ('0', "there is no pile '0'"),
        (None, 'there is no pile None'),
    ],
)
def test_most_of_a_pile_that_does_not_exist(pile, reason):
    """The error of `most` names the pile, but no count and no player, because nobody moves."""
    error = refusal(InvalidMoveError, NimGame([3]).most, pile)
    assert str(error) == error.reason == reason
    assert (error.pile, error.count, error.player) == (pile, None, None)


@pytest.mark.parametrize(('max_take', 'misere'), [*itertools.product([None, 2], [False, True])])
def test_is_legal(max_take, misere):
    for position in POSITIONS[::40]:
        game = NimGame(position, max_take=max_take, misere=misere)
        moves = itertools.product(range(-1, len(position) + 1), range(-1, max(position) + 2))
        assert [move for move in moves if game.is_legal(*move)] == [*game.legal_moves()], position


@pytest.mark.parametrize(
    ('error', 'message', 'call'),
    [
        *(
            (
                InvalidMoveError,
                f'the {wrong} is not an integer',
                partial(getattr(NimGame([3, 4]), call), *move),
            )
            for move, wrong in [
                (('0', 1), "pile '0'"),
                ((0, 1.0), 'count 1.0'),
                ((0, 'a'), "count 'a'"),
                ((0, int), "count <class 'int'>"),
                ((None, None), 'pile None'),
            ]
            for call in ('is_legal', 'make_move', 'check_move')
        ),
        (
            InvalidMoveError,
            'player 1 cannot take 5 from pile 1: at least one token must be left',
            partial(NimGame([0, 5], misere=True).make_move, 1, 5),
        ),
        (
            InvalidMoveError,
            'player 1 cannot take (an integer of 33216 bits) from pile 0: '
            'a turn takes at most (an integer of 33213 bits)',
            partial(NimGame([10**9999], max_take=10**9998).make_move, 0, 10**9999),
        ),
        (
            NimError,
            'winning moves are known only for two players, not 3',
            NimGame([3], players=3).winning_moves,
        ),
        *(
            (
                InvalidGameError,
                'this player needs exactly one pile, not 2',
                partial(player, NimGame([1, 2]), random.Random(1)),
            )
            for player in PLAYERS[2:]
        ),
        *(
            (InvalidGameError, message, partial(NimGame, [3], **rules))
            for rules, message in [
                ({'max_take': 0}, 'max_take must be an integer of at least 1, not 0'),
                ({'max_take': '3'}, "max_take must be an integer of at least 1, not '3'"),
                ({'players': 1}, 'players must be an integer of at least 2, not 1'),
                ({'players': 2.0}, 'players must be an integer of at least 2, not 2.0'),
                (
                    {'players': 3, 'misere': True},
                    'misère play needs exactly 2 players, not 3',
                ),
            ]
        ),
        *(
            (InvalidGameError, 'at least one pile must be above 0', partial(NimGame, piles))
            for piles in ([], [0, 0])
        ),
        *(
            (
                InvalidGameError,
                f'a pile must be an integer of at least 0, not {pile}',
                partial(NimGame, piles),
            )
            for piles, pile in [([3, -1], '-1'), ([3, 1.0], '1.0'), ('345', "'3'")]
        ),
        *(
            (
                InvalidGameError,
                'a match needs two humans, each with a name and an ID',
                partial(StonesMatch, humans),
            )
            for humans in [
                [],
                HUMANS[:1],
                HUMANS[:1] * 3,
                [('Tim', 'A'), ('', 'B')],
                [('Tim', '')] * 2,
            ]
        ),
        *(
            (InvalidGameError, message, partial(TlcwMatch, *arguments))
            for arguments, message in [
                ((1,), 'coins must be an integer of at least 2, not 1'),
                (('9',), "coins must be an integer of at least 2, not '9'"),
                ((9, 0), 'the limit must be an integer of at least 1, not 0'),
                ((9, 9), 'the limit must be less than 9 coins'),
                ((9, 3, 'X'), "the first player must be C or U, not 'X'"),
            ]
        ),
        (GameNotOverError, 'the game is not over: U is to move', TlcwMatch(9, 3).winner),
    ],
)
def test_refusals(error, message, call):
    assert str(refusal(error, call)) == message


def test_objects_with_an_index_are_accepted_as_integers():
    """Numbers like numpy's and members of an `IntEnum` are integers, though of another type."""
    for one, two, three in INTEGERS:
        game = NimGame([three, two], max_take=two, players=two)
        assert repr(game).startswith('<NimGame 3 2, at most 2 a turn, player 1 ')
        assert game.most(one) == 2
        assert [game.is_legal(one, count) for count in (two, three)] == [True, False]
        assert game.check_move(one, two) is None
        game.make_move(one, one)
        assert set(map(type, game.piles)) == {int}
        plain = NimGame([3, 2], max_take=2)
        plain.make_move(1, 1)
        assert game == plain
        assert refusal(InvalidMoveError, game.make_move, 0, three).reason == (
            'a turn takes at most 2'
        )
    assert StonesMatch(HUMANS).start_round(Number(30)).piles == (30,)


def test_repr():
    assert repr(NimGame([3], max_take=2, misere=True)) == (
        '<NimGame 3, at most 2 a turn, player 1 to move, the last token loses>'
    )
    assert repr(NimGame([1, 0], misere=True)) == '<NimGame 1 0, over, the last token loses>'
    assert repr(NimGame([1] * 30)).startswith('<NimGame ' + '1 ' * 20 + '..., player 1')
    assert len(repr(NimGame([10**9999], max_take=10**9998))) < 200


@pytest.mark.parametrize(
    ('piles', 'text'), [([3], 'pile 0 = 3'), ([0, 10**200], f'pile 0 = 0\npile 1 = 1{"0" * 200}')]
)
def test_str(piles, text):
    assert str(NimGame(piles)) == text


def test_true_is_1():
    game = NimGame([2, 2])
    game.make_move(True, True)
    assert (game.piles, NimGame([True, 3]).piles) == ((2, 1), (1, 3))


def test_nim_sum():
    assert NimGame([3, 4, 5], max_take=2).nim_sum() == 2


class Generator(list):
    """A random generator that always returns the largest number, and lists the ranges asked for."""

    def randint(self, least, most):
        self.append((least, most))
        return most


@pytest.mark.parametrize(
    ('player', 'game', 'move', 'asked'),
    [
        (optimal_move, NimGame([7, 3, 5]), (0, 1), []),
        (optimal_move, NimGame([0, 4, 4, 0]), (2, 4), [(0, 1), (1, 4)]),
        (ordinary_move, NimGame([3], max_take=3), (0, 3), []),
        (ordinary_move, NimGame([4], max_take=3), (0, 3), [(1, 3)]),
        # No random number chooses from a single pile; otherwise, games with a seed would change.
        (random_move, NimGame([2], max_take=3), (0, 2), [(1, 2)]),
        (random_move, NimGame([2, 0, 5], max_take=3), (2, 3), [(0, 1), (1, 3)]),
    ],
)
def test_moves_by_chance(player, game, move, asked):
    rng = Generator()
    assert (player(game, rng), rng) == (move, asked)


@pytest.mark.parametrize(
    ('player', 'arguments', 'move'),
    [
        (optimal_move, [NimGame([7, 3, 5])], (0, 1)),
        (optimal_move, [NimGame([0, 4, 4, 0])], (1, 1)),
        (optimal_move, [NimGame([0, 1, 4, 1, 4], misere=True, max_take=3)], (1, 1)),
        (python_move, [NimGame([6], max_take=1), None], (0, 1)),
        *(
            (python_move, [NimGame([stones], max_take=3), None], (0, count))
            for stones, count in enumerate((1, 2, 3, 1, 1, 2, 1, 1, 2, 1, 1, 2), 1)
        ),
    ],
)
def test_moves_without_chance(player, arguments, move):
    assert player(*arguments) == move


def test_random_moves_are_legal():
    for seed in range(50):
        rng = random.Random(seed)
        game = NimGame(
            [rng.randint(0, 4) for _ in range(3)] + [2],
            misere=rng.random() < 0.5,
            max_take=rng.choice([None, 1, 3]),
        )
        while not game.is_over():
            game.make_move(*random_move(game, rng))


def test_stones_match():
    match = StonesMatch(HUMANS)
    assert (match.names, match.ids) == (['Tim', 'Sally', 'The Python'], ['A', 'B'])
    for winner, leads in [(3, True), (1, False), (3, True), (1, False), (2, False)]:
        game = match.start_round(30)
        assert match.game is game
        assert str(refusal(GameNotOverError, match.end_round)) == (
            'the game is not over: player 1 is to move'
        )
        # Each player takes one stone at a time, until the winner takes the last `4 - winner`.
        for count in [1] * (26 + winner) + [4 - winner]:
            game.make_move(0, count)
        assert match.end_round() == winner
        assert match.python_leads() is leads
    assert (match.scores, match.round) == ([2, 1, 2], 5)


def test_names_and_ids_of_a_match():
    match = StonesMatch([('sALLY ANN', '1234567890'), ('x' * 40, '1')])
    assert match.names == ['Sally ann', 'X' + 'x' * 29, 'The Python']
    assert match.ids == ['123456789', '1']
    assert StonesMatch.name_of('tIM') == 'Tim'


@pytest.mark.parametrize(
    ('first', 'counts', 'turns', 'winner'),
    [
        ('U', [3, 3, 1], 'UCU', 'U'),
        ('C', [1, 3, 3], 'CUC', 'C'),
        ('U', [3, 3, True], 'UCU', 'U'),
        # Cheating: more than the limit or the coins that are left, or less than 1.
        ('U', [4], 'U', 'C'),
        ('U', [3, 4], 'UC', 'U'),
        ('C', [3, 0], 'CU', 'C'),
        ('U', [3, 3, 2], 'UCU', 'C'),
        ('U', [3, '1'], 'UC', 'U'),
    ],
)
def test_tlcw_match(first, counts, turns, winner):
    match = TlcwMatch(7, 3, first)
    assert (match.coins, match.limit, match.cheating) == (7, 3, None)
    for count, turn in zip(counts, turns):
        assert (match.turn, match.cheating) == (turn, None)
        assert refusal(GameNotOverError, match.winner)
        match.take(count)
    assert (match.turn, match.winner()) == (None, winner)
    assert (match.cheating is None) == (match.coins == 0)
    assert str(refusal(GameOverError, match.take, 1)) == 'the game is over'


def test_a_round_is_scored_once_and_before_the_next():
    match = StonesMatch(HUMANS)
    no_round, not_ended = (
        'no round is being played',
        'round 1 has not been scored yet: call end_round() when it is over',
    )
    assert str(refusal(GameOverError, match.end_round)) == no_round
    game = match.start_round(30)
    assert str(refusal(GameNotOverError, match.start_round, 31)) == not_ended
    while not game.is_over():
        game.make_move(0, 3)
    assert str(refusal(GameNotOverError, match.start_round, 31)) == not_ended
    assert match.end_round() == 1
    assert str(refusal(GameOverError, match.end_round)) == no_round
    assert (match.scores, match.round, match.game) == ([1, 0, 0], 1, None)


@pytest.mark.parametrize('stones', [29, 51, 0, -30, '30', 30.0, None])
def test_stones_out_of_range(stones):
    match = StonesMatch(HUMANS)
    assert str(refusal(InvalidGameError, match.start_round, stones)) == (
        f'a round begins with 30 to 50 stones, not {stones!r}'
    )
    assert match.round == 0


@pytest.mark.parametrize(
    ('text', 'numbers'),
    [
        ('7', [7]),
        (' +07\t', [7]),
        ('-3\r\n', [-3]),
        ('-' + '0' * 4299 + '7', [-7]),
        ('7' * 4300, [7 * (10**4300 // 9)]),
        ('0' * 4300 + '7', []),
        ('', []),
        (' ', []),
        ('1_0', []),
        ('\u0663', []),
        ('\xb2', []),
        ('3.0', []),
        ('3 4', []),
        ('+-3', []),
        ('- 3', []),
        ('+\t3', []),
        ('0x3', []),
        ('\xa03', []),
        ('3\0', []),
        *(
            (text, [])
            for char in '\r\x0b\x0c\x1c\x1f\x85\u2003\ufeff'
            for text in (char + '3', '3' + char)
        ),
        ('3\r\n', [3]),
        ('3\r\r\n', []),
        ('3; 4;+5\r\n', [3, 4, 5]),
        ('3;;5', []),
        ('3;4;', []),
        (';3', []),
    ],
)
def test_parse_integers(text, numbers):
    assert parse_integers(text) == numbers


GAME = '12;3\n3;3;6\n0;3\n2;5\n1;3\n'


@pytest.mark.parametrize(
    'lines',
    [
        GAME,
        GAME + '\n \n',
        GAME.replace('\n', '\r\n'),
        GAME.splitlines(keepends=True),
        GAME.replace('\n', '\r\n').splitlines(keepends=True),
        tuple(GAME.split()),
        iter(GAME.split()),
        [*GAME.split(), '', ' '],
    ],
)
def test_recorded_game_as_text_or_lines(lines):
    record = RecordedGame(lines)
    assert (record.start, record.loser()) == (NimGame([3, 3, 6], misere=True), 2)
    assert list(record.moves()) == list(record.moves()) == [(0, 3), (2, 5), (1, 3)]
    assert repr(record) == f'<RecordedGame {record.start!r}, 3 moves, player 2 loses>'


def test_a_recorded_game_is_a_value():
    lines = ['3;2', '1;2', '1;1', '0;1']
    record = RecordedGame(lines)
    record.start.make_move(0, 1)  # changes only a copy
    assert record.start == NimGame([1, 2], misere=True)
    for twin in (
        RecordedGame('\n'.join(lines)),
        copy.copy(record),
        copy.deepcopy(record),
        pickle.loads(pickle.dumps(record)),
    ):
        assert (twin, hash(twin), repr(twin)) == (record, hash(record), repr(record))
        assert [*twin.moves()] == [(1, 1), (0, 1)]
    for other in (['3;2', '1;2', '1;2'], ['3;2', '2;1', '1;1', '0;1'], ['1;1', '1']):
        assert record != RecordedGame(other)
    assert record != lines
    for name, value in [('start', NimGame([1, 2])), ('loser', 1), ('moves', []), ('winner', 2)]:
        refusal(AttributeError, setattr, record, name, value)


@pytest.mark.parametrize(
    ('lines', 'moves', 'loser'),
    [
        (['1;1', '1'], '0 moves', 1),
        (['2;1', '2', '0;1'], '1 move', 2),
        (['3;1', '3', '0;1', '0;1'], '2 moves', 1),
    ],
)
def test_repr_of_a_recorded_game(lines, moves, loser):
    record = RecordedGame(lines)
    assert (type(record.loser()), record.loser()) == (int, loser)
    assert repr(record) == f'<RecordedGame {record.start!r}, {moves}, player {loser} loses>'


@pytest.mark.parametrize('count', [998, 2001])
def test_long_recorded_games(count):
    lines = [f'{count + 1};1', str(count + 1), *['0;1'] * count]
    moves = list(RecordedGame(lines).moves())
    assert moves == [(0, 1)] * count
    assert list(RecordedGame([*lines, '', ' '] + [''] * count).moves()) == moves
    assert list(RecordedGame([*lines[:2], '+0; 1\t', *lines[3:]]).moves()) == moves
    no_move = 'a move must be two integers, pile;count'
    for wrong in (2, count // 2, count, count + 1):
        no_pile = f'player {1 + wrong % 2} cannot take 1 from pile 1: there is no pile 1'
        messages = {
            '0;1;1': no_move,
            '0': no_move,
            '0;2;0;1': no_move,
            '0;\u0661': no_move,
            '1;1': no_pile,
        }
        if wrong <= count:  # An empty line at the end is not a wrong move.
            messages[''] = no_move
        for line, message in messages.items():
            damaged = [*lines[:wrong], line, *lines[wrong + 1 :]]
            assert str(refusal(InvalidGameError, RecordedGame, damaged)) == (
                f'line {wrong + 1}: {message}'
            )


def test_errors_while_lines_are_read_are_passed_on():
    def lines():
        yield '1;1'
        raise OSError('the disk is gone')

    with pytest.raises(OSError, match='the disk is gone'):
        RecordedGame(lines())


@pytest.mark.parametrize(
    ('lines', 'message'),
    [
        ([], 'line 1: it must be two integers, counters;piles'),
        (['0,0', '3'], 'line 1: it must be two integers, counters;piles'),
        (
            ['12;3', '3,3,6'],
            'line 2: it must list the pile sizes; according to line 1, the number of piles is 3 '
            'and the sum is 12',
        ),
        (
            ['12;3'],
            'line 2: it must list the pile sizes; according to line 1, the number of piles is 3 '
            'and the sum is 12',
        ),
        (
            ['0;0'],
            'line 2: at least one pile must be above 0',
        ),
        (
            ['12;2', '3;3;6'],
            'line 2: it must list the pile sizes; according to line 1, the number of piles is 2 '
            'and the sum is 12',
        ),
        (['3', '1;1;1'], 'line 1: it must be two integers, counters;piles'),
        (
            ['0;1', '0'],
            'line 2: at least one pile must be above 0',
        ),
        (
            ['3;2', '4;-1'],
            'line 2: a pile must be an integer of at least 0, not -1',
        ),
        (['3;1', '3', '', '0;2'], 'line 3: a move must be two integers, pile;count'),
        (['3;1', '3', '0,2'], 'line 3: a move must be two integers, pile;count'),
        (['3;1', '3', '0;1;1'], 'line 3: a move must be two integers, pile;count'),
        # Joined, lines 3 and 4 would be two moves.
        (['9;1', '9', '0', '4;0;1', '0;2'], 'line 3: a move must be two integers, pile;count'),
        (
            ['3;1', '3', '0;3'],
            'line 3: player 1 cannot take 3 from pile 0: at least one token must be left',
        ),
        (['3;1', '3', '0;4'], 'line 3: player 1 cannot take 4 from pile 0: pile 0 holds 3'),
        (
            ['3;1', '3', '0;1', '0;0'],
            'line 4: player 2 cannot take 0 from pile 0: the count must be at least 1',
        ),
        (['3;1', '3', '0;2', '0;1'], 'line 4: the game is over'),
        (['3;1', '3', '0;1'], 'line 3: more than one counter is left'),
        (['3;1', '3'], 'line 2: more than one counter is left'),
    ],
)
def test_wrong_recorded_games(lines, message):
    assert str(refusal(InvalidGameError, RecordedGame, lines)) == message


def test_reprs_of_a_match():
    assert len(repr(StonesMatch([('Tim', 'A'), ('Sally\n' * 100, 'B')]))) < 200
    match = StonesMatch(HUMANS)
    assert repr(match) == "<StonesMatch 'Tim': 0, 'Sally': 0, 'The Python': 0, round 0>"
    game = match.start_round(30)
    assert repr(match) == "<StonesMatch 'Tim': 0, 'Sally': 0, 'The Python': 0, in round 1>"
    while not game.is_over():
        game.make_move(0, 3)
    match.end_round()
    assert repr(match) == "<StonesMatch 'Tim': 1, 'Sally': 0, 'The Python': 0, round 1>"
    match = TlcwMatch(7, 3)
    assert repr(match) == '<TlcwMatch 7, at most 3 a turn, U to move>'
    match.take(4)
    assert repr(match) == '<TlcwMatch 7, at most 3 a turn, C wins>'
