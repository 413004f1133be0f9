"""The rules of Nim, its theory, and the strategies of the four assignments."""

import copy
import functools
import itertools
import pickle
import random

import pytest
from hostile_values import INTEGERS, VALUES, Number, refusal
from tables import each

import nim_logic
from nim_logic import (
    GameNotOverError,
    GameOverError,
    InvalidGameError,
    InvalidMoveError,
    NimError,
    NimGame,
    RecordedGame,
    StonesMatch,
    optimal_move,
    ordinary_move,
    parse_integers,
    python_move,
    random_move,
)

# All positions of up to four piles, and larger ones in fewer piles.
POSITIONS = [position for count, largest in [(1, 40), (2, 16), (3, 9), (4, 5)]
             for position in itertools.product(range(largest + 1), repeat=count) if any(position)]


def take(position, pile, count):
    return (*position[:pile], position[pile] - count, *position[pile + 1:])


def naive_moves(position, max_take, misere):
    """Return the legal moves; in misère play the last token of all stays."""
    return [(pile, count) for pile, size in enumerate(position)
            for count in range(1, min(size, max_take or size) + 1)
            if not (misere and sum(position) == count)]


def winning_by_force(max_take, misere):
    """Return the function that finds all winning moves by trying every game to its end."""
    @functools.lru_cache(maxsize=None)
    def wins(position):
        return any(not wins(tuple(sorted(take(position, *move))))
                   for move in naive_moves(position, max_take, misere))

    return lambda position: [move for move in naive_moves(position, max_take, misere)
                             if not wins(tuple(sorted(take(position, *move))))]


@pytest.mark.parametrize('misere', [False, True])
@pytest.mark.parametrize('max_take', [None, 1, 2, 3, 4, 5, 7])
def test_winning_moves_by_brute_force(max_take, misere):
    """Bouton's theorem, and what becomes of it under a limit, on every small position."""
    assert len(POSITIONS) > 2500
    brute_force = winning_by_force(max_take, misere)
    for position in POSITIONS:
        game = NimGame(position, max_take=max_take, misere=misere)
        assert game.winning_moves() == brute_force(position), position
        assert game.legal_moves() == naive_moves(position, max_take, misere), position


def test_winning_moves_on_huge_piles_are_instant():
    rng = random.Random(1)
    for max_take in (None, 10 ** 500):
        for misere in (False, True):
            game = NimGame([rng.randrange(10 ** 1000) for _ in range(1000)], max_take=max_take,
                           misere=misere)
            moves = game.winning_moves()
            assert moves
            for move in moves[:10]:
                after = game.copy()
                after.make_move(*move)
                assert after.winning_moves() == []


def test_winning_moves_are_for_two():
    with pytest.raises(NimError, match='two players, not 3'):
        NimGame([3], players=3).winning_moves()


def snapshot(game):
    return game.piles, game.turn, game.is_over(), repr(game), game.copy()


@each('players, turns', [(2, [2, 1, 2]), (3, [2, 3, 1]), (4, [2, 3, 4])])
def test_turns(players, turns):
    game = NimGame([2, 2], players=players)
    seen = []
    for pile in (0, 1, 0):
        game.make_move(pile, 1)
        seen.append(game.turn)
    assert seen == turns


def test_normal_play():
    game = NimGame([2, 1])
    game.make_move(0, 2)
    assert (game.piles, game.turn, game.is_over()) == ((0, 1), 2, False)
    game.make_move(1, 1)
    assert (game.turn, game.winner(), game.loser()) == (None, 2, 1)
    assert game.legal_moves() == game.winning_moves() == []


def test_misere_play():
    game = NimGame([2, 1], misere=True)
    assert game.legal_moves() == [(0, 1), (0, 2), (1, 1)]
    game.make_move(0, 2)
    assert (game.turn, game.winner(), game.loser()) == (None, 1, 2)


def test_misere_play_leaves_the_last_token():
    game = NimGame([0, 5], misere=True)
    assert game.most(1) == 4
    with pytest.raises(InvalidMoveError, match='the last token of all stays'):
        game.make_move(1, 5)


def test_misere_play_over_at_the_start():
    game = NimGame([0, 1, 0], misere=True)
    assert (game.turn, game.winner(), game.loser()) == (None, 2, 1)
    assert game.legal_moves() == game.winning_moves() == []
    assert game.most(1) == 0


def test_many_players_have_no_single_loser():
    game = NimGame([1], players=3)
    game.make_move(0, 1)
    assert (game.winner(), game.loser()) == (1, None)


def test_winner_of_a_running_game_is_an_error():
    for ask in (NimGame([2]).winner, NimGame([2]).loser):
        with pytest.raises(GameNotOverError, match='the game is not over: player 1 is to move'):
            ask()


def test_move_after_the_end():
    game = NimGame([1, 1], misere=True)
    game.make_move(0, 1)
    before = snapshot(game)
    with pytest.raises(GameOverError, match='the game is over'):
        game.make_move(1, 1)
    assert snapshot(game) == before


@each('move, reason', [
    ((3, 1), 'there is no pile 3'), ((-1, 1), 'there is no pile -1'),
    (('0', 1), 'the pile must be an integer'), ((True, 1), 'the pile must be an integer'),
    ((0.0, 1), 'the pile must be an integer'), ((None, 1), 'the pile must be an integer'),
    ((2, 0), 'the count must be an integer from 1'),
    ((2, -1), 'the count must be an integer from 1'),
    ((2, True), 'the count must be an integer from 1'),
    ((2, '1'), 'the count must be an integer from 1'),
    ((2, 1.0), 'the count must be an integer from 1'),
    ((0, 4), 'pile 0 holds 3'), ((1, 1), 'pile 1 holds 0'), ((2, 7), 'pile 2 holds 6'),
    ((2, 5), 'a turn takes 4 at most'),
])
def test_refused_moves_say_why_and_change_nothing(move, reason):
    game = NimGame([3, 0, 6], max_take=4)
    before = snapshot(game)
    with pytest.raises(InvalidMoveError) as caught:
        game.make_move(*move)
    with pytest.raises(InvalidMoveError, match=reason):
        game.check_move(*move)
    error = caught.value
    assert str(error) == f'player 1 cannot take {move[1]!r} from pile {move[0]!r}: {reason}'
    assert (error.pile, error.count, error.player, error.reason) == (*move, 1, reason)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert snapshot(game) == before


def test_huge_numbers_in_messages():
    game = NimGame([10 ** 9999], max_take=10 ** 9998)
    with pytest.raises(InvalidMoveError, match=r'\(an integer of \d+ bits\)'):
        game.make_move(0, 10 ** 9999)
    assert len(repr(game)) < 200


@each('pile, reason', [
    (1, 'there is no pile 1'), (-1, 'there is no pile -1'), ('0', "there is no pile '0'"),
    (None, 'there is no pile None'), (True, 'there is no pile True')])
def test_most_of_no_pile(pile, reason):
    """The message says what was asked for, which is no move of any player."""
    with pytest.raises(InvalidMoveError) as caught:
        NimGame([3]).most(pile)
    assert str(caught.value) == caught.value.reason == reason
    assert (caught.value.pile, caught.value.count, caught.value.player) == (pile, None, None)


@pytest.mark.parametrize('misere', [False, True])
@pytest.mark.parametrize('max_take', [None, 2])
def test_is_legal(max_take, misere):
    for position in POSITIONS[::40]:
        game = NimGame(position, max_take=max_take, misere=misere)
        moves = itertools.product(range(-1, len(position) + 1), range(-1, max(position) + 2))
        assert [move for move in moves if game.is_legal(*move)] == game.legal_moves(), position
    for pile, count, wrong in [('0', 1, "pile '0'"), (0, 1.0, 'count 1.0'), (0, 'a', "count 'a'"),
                               (True, 1, 'pile True'), (None, None, 'pile None')]:
        with pytest.raises(InvalidMoveError, match=f'^the {wrong} is not an integer$'):
            game.is_legal(pile, count)


def test_nothing_is_legal_once_the_game_is_over():
    for game in (NimGame([1]), NimGame([2], misere=True)):
        assert game.is_legal(0, 1) is True
        game.make_move(0, 1)
        assert game.is_legal(0, 1) is False


def test_whatever_has_an_index_is_an_integer():
    """As numpy's numbers have, and members of an `IntEnum`; but `True` is not."""
    for one, two, three in INTEGERS:
        game = NimGame([three, two], max_take=two, players=two)
        assert repr(game).startswith('<NimGame 3 2, at most 2 a turn, player 1 ')
        assert game.most(one) == 2
        assert game.is_legal(one, two)
        assert not game.is_legal(one, three)
        assert game.check_move(one, two) == (1, 2)
        assert set(map(type, game.check_move(one, two))) == {int}
        game.make_move(one, one)
        assert set(map(type, game.piles)) == {int}
        assert game == (lambda plain: plain.make_move(1, 1) or plain)(NimGame([3, 2], max_take=2))
        with pytest.raises(InvalidMoveError, match='a turn takes 2 at most$'):
            game.make_move(0, three)
    match = StonesMatch([('Tim', 'A'), ('Sally', 'B')])
    assert match.start_round(Number(30)).piles == (30,)


def test_check_move_changes_nothing():
    game = NimGame([3])
    before = snapshot(game)
    assert game.check_move(0, 3) == (0, 3)
    assert snapshot(game) == before
    game.make_move(0, 3)
    with pytest.raises(GameOverError, match='the game is over'):
        game.check_move(0, 1)


@each('arguments, message', [
    (([],), 'piles must be integers from 0'), (([0, 0],), 'piles must be integers from 0'),
    (([3, -1],), 'piles must be integers from 0'), (([3, 1.0],), 'piles must be integers from 0'),
    (([True, 3],), 'piles must be integers from 0'), (('345',), 'piles must be integers from 0'),
    ((5,), 'piles must be integers from 0'), ((None,), 'piles must be integers from 0'),
    ((b'\3\4',), 'piles must be integers from 0'), ((bytearray(b'\3'),), 'piles must be integers'),
    (({3: 'x'},), 'piles must be integers from 0'), (({3, 4},), 'piles must be integers from 0'),
])
def test_wrong_piles(arguments, message):
    with pytest.raises(InvalidGameError, match=message) as caught:
        NimGame(*arguments)
    assert str(caught.value).endswith(f', at least one of them above 0, not {arguments[0]!r}')


@each('rules, message', [
    ({'max_take': 0}, 'max_take must be an integer from 1, not 0'),
    ({'max_take': '3'}, "max_take must be an integer from 1, not '3'"),
    ({'max_take': True}, 'max_take must be an integer from 1, not True'),
    ({'misere': 'no'}, "misere must be True or False, not 'no'"),
    ({'misere': 1}, 'misere must be True or False, not 1'),
    ({'players': 1}, 'there must be two players, or more unless in misère play, not 1'),
    ({'players': 2.0}, 'there must be two players, or more unless in misère play, not 2.0'),
    ({'players': 3, 'misere': True},
     'there must be two players, or more unless in misère play, not 3'),
])
def test_wrong_rules(rules, message):
    with pytest.raises(InvalidGameError) as caught:
        NimGame([3], **rules)
    assert str(caught.value) == message


def test_copy_is_equal_and_independent():
    game = NimGame([3, 4, 5], max_take=3, misere=True)
    for twin in (game.copy(), copy.copy(game), copy.deepcopy(game),
                 pickle.loads(pickle.dumps(game))):
        assert twin == game
        before = snapshot(game)
        twin.make_move(0, 1)
        assert twin != game
        assert snapshot(game) == before


def test_equality():
    game = NimGame([3, 4])
    assert game == NimGame((3, 4))
    assert game != NimGame([4, 3])
    assert game != NimGame([3, 4], max_take=4)
    assert game != NimGame([3, 4], players=3)
    assert game != NimGame([3, 4], misere=True)
    assert game != (3, 4)
    with pytest.raises(TypeError):
        hash(game)


@each('name', ['max_take', 'players', 'misere', 'piles', 'turn'])
def test_attributes_are_to_be_read(name):
    game = NimGame([3], max_take=2)
    before = snapshot(game)
    with pytest.raises(AttributeError):
        setattr(game, name, 5)
    assert snapshot(game) == before
    assert (game.max_take, game.players, game.misere) == (2, 2, False)


def test_the_piles_given_are_not_touched():
    piles = [3, 4]
    NimGame(piles).make_move(0, 1)
    assert piles == [3, 4]


def test_repr():
    assert repr(NimGame([3], max_take=2, misere=True)) == (
        '<NimGame 3, at most 2 a turn, player 1 to move, the last token loses>')
    assert repr(NimGame([1, 0], misere=True)) == '<NimGame 1 0, over, the last token loses>'
    assert repr(NimGame([1] * 30)).startswith('<NimGame ' + '1 ' * 20 + '..., player 1')


@each('piles, text', [
    ([3], 'pile 0 = 3'), ([0, 10 ** 200], f'pile 0 = 0\npile 1 = 1{"0" * 200}')])
def test_str(piles, text):
    assert str(NimGame(piles)) == text


def test_str_of_more_digits_than_the_interpreter_allows():
    lines = str(NimGame([3, 10 ** 5000])).split('\n')
    assert lines[0] == 'pile 0 = 3'
    assert lines[1] in ('pile 1 = 1' + '0' * 5000, 'pile 1 = (an integer of 16610 bits)')


def test_nim_sum():
    assert NimGame([3, 4, 5], max_take=2).nim_sum() == 2


class Generator:
    """Randomness that can be foreseen: always the largest number."""

    def __init__(self):
        self.asked = []

    def randint(self, least, most):
        self.asked.append((least, most))
        return most


def test_optimal_move():
    rng = Generator()
    assert optimal_move(NimGame([7, 3, 5]), rng) == (0, 1)
    assert rng.asked == []
    assert optimal_move(NimGame([0, 4, 4, 0]), rng) == (2, 4)
    assert rng.asked == [(0, 1), (1, 4)]
    assert optimal_move(NimGame([7, 3, 5])) == (0, 1)
    assert optimal_move(NimGame([0, 4, 4, 0])) == (1, 1)
    assert optimal_move(NimGame([0, 1, 4, 1, 4], misere=True, max_take=3)) == (1, 1)


def test_ordinary_move():
    rng = Generator()
    assert ordinary_move(NimGame([3], max_take=3), rng) == (0, 3)
    assert rng.asked == []
    assert ordinary_move(NimGame([4], max_take=3), rng) == (0, 3)
    assert rng.asked == [(1, 3)]


def test_random_move():
    """Chance is not asked which of one pile it shall be: games with a seed stay what they were."""
    rng = Generator()
    assert random_move(NimGame([2], max_take=3), rng) == (0, 2)
    assert rng.asked == [(1, 2)]
    assert random_move(NimGame([2, 0, 5], max_take=3), rng) == (2, 3)
    assert rng.asked[1:] == [(0, 1), (1, 3)]


def test_random_moves_are_legal():
    for seed in range(50):
        rng = random.Random(seed)
        game = NimGame([rng.randint(0, 4) for _ in range(3)] + [2], misere=rng.random() < 0.5,
                       max_take=rng.choice([None, 1, 3]))
        while not game.is_over():
            game.make_move(*random_move(game, rng))


def test_python_move():
    counts = [python_move(NimGame([stones], max_take=3), None) for stones in range(1, 13)]
    assert counts == [(0, count) for count in (1, 2, 3, 1, 1, 2, 1, 1, 2, 1, 1, 2)]
    assert python_move(NimGame([6], max_take=1), None) == (0, 1)


PLAYERS = [optimal_move, random_move, ordinary_move, python_move]


@each('player', PLAYERS)
def test_players_have_one_shape(player):
    game = NimGame([9], max_take=3)
    while not game.is_over():
        game.make_move(*player(game, random.Random(1)))


@each('player', PLAYERS)
def test_players_after_the_end(player):
    game = NimGame([1])
    game.make_move(0, 1)
    with pytest.raises(GameOverError):
        player(game, random.Random(1))


@each('player', [ordinary_move, python_move])
def test_players_of_one_pile(player):
    with pytest.raises(InvalidGameError, match='for one pile, not 2'):
        player(NimGame([1, 2]), random.Random(1))


@each('rng', [None, 7, random])
def test_players_without_their_chance(rng):
    """A module `random` will do; nothing else but a generator."""
    for player, game in [(optimal_move, NimGame([2, 2])), (random_move, NimGame([3])),
                         (ordinary_move, NimGame([9], max_take=3))]:
        if rng is random or (rng is None and player is optimal_move):
            game.make_move(*player(game, rng))
        else:
            with pytest.raises(InvalidGameError, match=f'{rng} is not a random.Random'):
                player(game, rng)


@each('humans', [
    [], [('Tim', 'A')], [('Tim', 'A')] * 3, ['ab', 'cd'], 'ab', None, 5, [('Tim', 'A'), ('Tim', 5)],
    [('Tim', 'A'), None], {('Tim', 'A'), ('Sally', 'B')}])
def test_match_is_between_two_humans(humans):
    with pytest.raises(InvalidGameError, match='a match is between two humans'):
        StonesMatch(humans)


@each('value', [None, 0, b'3', [10 ** 5000]])
def test_odd_arguments_raise_errors_of_the_module(value):
    match = StonesMatch([('Tim', 'A'), ('Sally', 'B')])
    rng = random.Random(1)
    for call in (lambda: match.start_round(value), lambda: parse_integers(value),
                 lambda: optimal_move(value, rng), lambda: random_move(value, rng),
                 lambda: ordinary_move(value, rng), lambda: python_move(value, rng),
                 lambda: RecordedGame(value), lambda: RecordedGame([value]),
                 lambda: RecordedGame(['3;1', '3', value]),
                 lambda: NimGame([value]), lambda: NimGame([0, value]),
                 lambda: NimGame([3], max_take=value or 0), lambda: NimGame([3], players=value),
                 lambda: NimGame([3], misere=value), lambda: NimGame([3]).most(value or '0'),
                 lambda: NimGame([3]).make_move(value, value)):
        with pytest.raises(NimError) as caught:
            call()
        assert len(str(caught.value)) < 300


def test_stones_match():
    match = StonesMatch([('Tim', 'A'), ('Sally', 'B')])
    assert (match.names, match.ids) == (['Tim', 'Sally', 'The Python'], ['A', 'B'])
    for winner, leads in [(3, True), (1, False), (3, True), (1, False), (2, False)]:
        game = match.start_round(30)
        assert match.game is game
        with pytest.raises(GameNotOverError, match='the game is not over'):
            match.end_round()
        for _ in range(27 + winner - 1):
            game.make_move(0, 1)
        game.make_move(0, 30 - 27 - winner + 1)
        assert match.end_round() == winner
        assert match.python_leads() is leads
    assert (match.scores, match.round) == ([2, 1, 2], 5)


def test_a_round_is_scored_once_and_before_the_next():
    match = StonesMatch([('Tim', 'A'), ('Sally', 'B')])
    with pytest.raises(GameOverError, match='no round is being played'):
        match.end_round()
    game = match.start_round(30)
    with pytest.raises(GameNotOverError, match='round 1 has not been ended'):
        match.start_round(31)
    while not game.is_over():
        game.make_move(0, 3)
    with pytest.raises(GameNotOverError, match='round 1 has not been ended'):
        match.start_round(31)
    assert match.end_round() == 1
    with pytest.raises(GameOverError, match='no round is being played'):
        match.end_round()
    assert (match.scores, match.round, match.game) == ([1, 0, 0], 1, None)


@each('stones', [29, 51, 0, -30, '30', 30.0, None, True])
def test_stones_out_of_range(stones):
    match = StonesMatch([('Tim', 'A'), ('Sally', 'B')])
    with pytest.raises(InvalidGameError, match='a round begins with 30 to 50 stones, not '):
        match.start_round(stones)
    assert match.round == 0


@each('text, number', [
    ('7', 7), (' +07\t', 7), ('-3\r\n', -3), ('9' * 4000, int('9' * 4000)), ('', None), (' ', None),
    ('1_0', None), ('\u0663', None), ('\xb2', None), ('3.0', None), ('3 4', None), ('+-3', None),
    ('- 3', None), ('+\t3', None), ('0x3', None), ('\xa03', None), ('3\0', None),
    *((text, None) for char in '\r\x0b\x0c\x1c\x1f\x85\u2003\ufeff'
      for text in (char + '3', '3' + char)),
    ('3\r\n', 3), ('3\r\r\n', None), ('3\n\n', None),
])
def test_parse_one_integer(text, number):
    assert parse_integers(text) == ([] if number is None else [number])


@each('digits', [600, 601, 5000, 99_999, 100_000])
def test_integers_of_any_length_in_any_interpreter(digits):
    """`int` takes 4300 digits by default, 640 at least."""
    [number] = parse_integers('1' + '0' * (digits - 2) + '7')
    assert number == 10 ** (digits - 1) + 7
    assert parse_integers('-' + '9' * digits) == [1 - 10 ** digits]


def test_longest_integer():
    assert parse_integers('9' * 100_001) == []


def test_parse_integers():
    assert parse_integers('3; 4;+5\r\n') == [3, 4, 5]
    assert parse_integers('3;;5') == parse_integers('3;4;') == parse_integers(';3') == []


def test_recorded_game():
    record = RecordedGame(['12;3', '3;3;6', '0;3', '2;5', '1;3', '', ' '])
    assert record.start == NimGame([3, 3, 6], misere=True)
    assert list(record.moves()) == list(record.moves()) == [(0, 3), (2, 5), (1, 3)]
    assert record.loser == 2


GAME = '12;3\n3;3;6\n0;3\n2;5\n1;3\n'


@each('lines', [
    GAME, GAME + '\n \n', GAME.replace('\n', '\r\n'), GAME.splitlines(keepends=True),
    GAME.replace('\n', '\r\n').splitlines(keepends=True), tuple(GAME.split()), iter(GAME.split())])
def test_recorded_game_as_text_or_lines(lines):
    record = RecordedGame(lines)
    assert (record.start.piles, len(list(record.moves())), record.loser) == ((3, 3, 6), 3, 2)


@each('count', [998, 2001])
def test_long_recorded_games(count):
    lines = [f'{count + 1};1', str(count + 1), *['0;1'] * count]
    moves = list(RecordedGame(lines).moves())
    assert moves == [(0, 1)] * count
    assert list(RecordedGame([*lines, '', ' '] + [''] * count).moves()) == moves
    assert list(RecordedGame([*lines[:2], '+0; 1\t', *lines[3:]]).moves()) == moves
    for wrong in (2, count // 2, count, count + 1):
        for line, message in [('', 'a move is two'), ('0;1;1', 'a move is two'), ('0', 'a move'),
                              ('0;2;0;1', 'a move is two'), ('0;\u0661', 'a move is two'),
                              ('1;1', 'player [12] cannot take 1 from pile 1: there is no pile 1')]:
            damaged = [*lines[:wrong], line, *lines[wrong + 1:]]
            if line or wrong < count + 1:
                with pytest.raises(InvalidGameError, match=f'^line {wrong + 1}: {message}'):
                    RecordedGame(damaged)


def test_recorded_game_of_huge_numbers():
    """Whatever the interpreter takes for too long; Python's default is 4300 digits."""
    most = 10 ** 5000 - 1
    record = RecordedGame(['1' + '0' * 5000 + ';1', '1' + '0' * 5000, '0;' + '9' * 5000])
    assert list(record.moves()) == [(0, most)]


def test_two_wrong_lines_do_not_make_right_ones():
    with pytest.raises(InvalidGameError, match='^line 3: a move is two'):
        RecordedGame(['9;1', '9', '0', '4;0;1', '0;2'])


@pytest.mark.parametrize('line', ['0;{}', '0;{}' + ' ' * 196, '{:0>200}'.format('0;') + '{:0>100}'],
                         ids=['plain', 'blanks', 'zeros'])
def test_memory_of_a_long_recorded_game(line):
    """A move takes little more than its numbers, however they are written."""
    tracemalloc = pytest.importorskip('tracemalloc')
    count = 5_000
    lines = (line.format(number % 500 + 300) for number in range(count))
    total = sum(number % 500 + 300 for number in range(count)) + 1
    tracemalloc.start()
    record = RecordedGame(itertools.chain([f'{total};1', str(total)], lines))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(1 for _ in record.moves()) == count
    assert peak < 40 * count


def test_what_reading_a_record_raises_is_passed_on():
    def lines():
        yield '1;1'
        raise OSError('the disk is gone')

    with pytest.raises(OSError, match='the disk is gone'):
        RecordedGame(lines())


@each('lines, message', [
    ([], 'line 1: it must be two integers, counters;piles'),
    (['0,0', '3'], 'line 1: it must be two integers, counters;piles'),
    (['12;3', '3,3,6'], 'line 2: it does not have the counters and piles of line 1'),
    (['12;3'], 'line 2: it does not have the counters and piles of line 1'),
    (['0;0'],
     'line 2: piles must be integers from 0, at least one of them above 0, not []'),
    (['12;2', '3;3;6'], 'line 2: it does not have the counters and piles of line 1'),
    (['3', '1;1;1'], 'line 1: it must be two integers, counters;piles'),
    (['0;1', '0'],
     'line 2: piles must be integers from 0, at least one of them above 0, not [0]'),
    (['3;2', '4;-1'],
     'line 2: piles must be integers from 0, at least one of them above 0, not [4, -1]'),
    (['3;1', '3', '', '0;2'], 'line 3: a move is two integers, pile;count'),
    (['3;1', '3', '0,2'], 'line 3: a move is two integers, pile;count'),
    (['3;1', '3', '0;1;1'], 'line 3: a move is two integers, pile;count'),
    (['3;1', '3', '0;3'],
     'line 3: player 1 cannot take 3 from pile 0: the last token of all stays'),
    (['3;1', '3', '0;4'], 'line 3: player 1 cannot take 4 from pile 0: pile 0 holds 3'),
    (['3;1', '3', '0;1', '0;0'],
     'line 4: player 2 cannot take 0 from pile 0: the count must be an integer from 1'),
    (['3;1', '3', '0;2', '0;1'], 'line 4: the game is over'),
    (['3;1', '3', '0;1'], 'line 3: more than one counter is left'),
    (['3;1', '3'], 'line 2: more than one counter is left'),
])
def test_wrong_recorded_games(lines, message):
    with pytest.raises(InvalidGameError) as caught:
        RecordedGame(lines)
    assert str(caught.value) == message


def test_dir_shows_what_is_public():
    assert dir(nim_logic) == sorted(nim_logic.__all__)


def test_reprs():
    record = RecordedGame(['12;3', '3;3;6', '0;3', '2;5', '1;3'])
    assert repr(record) == f'<RecordedGame {record.start!r}, 3 moves, player 2 loses>'
    match = StonesMatch([('Tim', 'A'), ('Sally\n' * 100, 'B')])
    assert len(repr(match)) < 200
    match = StonesMatch([('Tim', 'A'), ('Sally', 'B')])
    assert repr(match) == "<StonesMatch 'Tim': 0, 'Sally': 0, 'The Python': 0, round 0>"
    game = match.start_round(30)
    assert repr(match) == "<StonesMatch 'Tim': 0, 'Sally': 0, 'The Python': 0, in round 1>"
    while not game.is_over():
        game.make_move(0, 3)
    match.end_round()
    assert repr(match) == "<StonesMatch 'Tim': 1, 'Sally': 0, 'The Python': 0, round 1>"


def test_import_star_brings_the_public_names():
    names = {}
    exec('from nim_logic import *', names)
    names.pop('__builtins__')
    assert sorted(names) == sorted(nim_logic.__all__)
    assert not {'annotations', 'TYPE_CHECKING'} & set(names)


@each('name', VALUES)
def test_hostile_values_raise_errors_of_the_module(name):
    value = VALUES[name]                # as an argument it would fail within pytest
    game = NimGame([3, 4])
    match = StonesMatch([('Tim', 'A'), ('Sally', 'B')])
    calls = [lambda: NimGame(value), lambda: NimGame([2, value, -1]), lambda: game.most(value),
             lambda: game.is_legal(value, 'x'), lambda: game.is_legal('x', value),
             lambda: game.make_move(value, 1), lambda: game.make_move(0, value),
             lambda: game.check_move(value, value), lambda: StonesMatch(value),
             lambda: StonesMatch([value, value]),
             lambda: StonesMatch([('Tim', 'A'), ('Sally', ['B', value])]),
             lambda: match.start_round(value), lambda: RecordedGame(value),
             lambda: RecordedGame([value]), lambda: RecordedGame(['3;1', value]),
             lambda: RecordedGame(['3;1', '3', value]), lambda: RecordedGame(['1;1', '1', value]),
             lambda: random_move(NimGame([8]), value),
             *(lambda player=player: player(value, random.Random(1)) for player in PLAYERS)]
    if type(value) is not bool:
        calls.append(lambda: NimGame([3], misere=value))
    if type(value) is not int:
        calls.append(lambda: NimGame([3], players=value))
        calls += [lambda: NimGame([3], max_take=value)] * (value is not None)
    if type(value) is not str:
        calls.append(lambda: parse_integers(value))
    for call in calls:
        refusal(call, NimError)
    assert game == NimGame([3, 4])


def test_values_stand_in_messages_on_one_line():
    assert refusal(lambda: NimGame([3], max_take=VALUES['Repr']), InvalidGameError) == (
        'max_take must be an integer from 1, not one\\n\\x1b[2Jtwo\\u202e\\u2028three')


def test_errors_are_of_one_family():
    for error in (InvalidGameError, InvalidMoveError, GameOverError, GameNotOverError):
        assert issubclass(error, NimError)
    assert not issubclass(GameNotOverError, GameOverError)
    assert issubclass(InvalidGameError, ValueError)
    assert issubclass(InvalidMoveError, ValueError)
