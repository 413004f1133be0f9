"""Random sessions of legal input, which may show how two programs differ.

A session is a pair: its arguments and its input lines.
"""

from models import Position

OTHER = {'B': 'W', 'W': 'B'}

SIZES = [(4, 4)] * 8 + [(4, 6), (6, 4), (6, 6), (4, 16), (16, 4), (8, 8)]


def othello_session(rng):
    """Return a random setup, and legal and illegal moves until the game is over."""
    rows, columns = rng.choice(SIZES)
    emptiness = rng.random()
    board = [
        [rng.choice('BW') if rng.random() > emptiness else '.' for _ in range(columns)]
        for _ in range(rows)
    ]
    first, wins = rng.choice('BW'), rng.choice('><')
    lines = [str(rows), str(columns), first, wins, *(' '.join(row) for row in board)]
    position = Position(board)
    turn = position.next_turn(first)
    while turn:
        while rng.random() < 0.4:
            row, column = rng.randint(-rows, 2 * rows), rng.randint(-columns, 2 * columns)
            if not position.is_legal(row - 1, column - 1, turn):
                lines.append(f'{row} {column}')
        row, column = rng.choice(position.moves(turn))
        lines.append(f'{row + 1} {column + 1}')
        position.make_move(row, column, turn)
        turn = position.next_turn(OTHER[turn])
    return [], lines


def nim_session(rng):
    """Return a random session of one of the four games."""
    game = rng.choice([recorded, piles, stones, tlcw])
    if game is recorded:
        return rng.choice([['recorded'], []]), recorded(rng)
    prompts = ['--prompts'] if rng.randint(0, 1) else []
    seed = rng.randint(0, 9)
    return [game.__name__, *prompts, '--seed', str(seed)], game(rng)


def recorded(rng):
    """Return the lines of a recorded game, which may have a few faults."""
    sizes = [rng.choice([0, 1, 1, 2, 3, 5]) for _ in range(rng.choice([1, 1, 2, 3, 4, 40]))]
    rows = [[sum(sizes), len(sizes)], sizes]
    left = list(sizes)
    while sum(left) > 1:
        pile = rng.choice([pile for pile, size in enumerate(left) if size])
        count = rng.randint(1, min(left[pile], sum(left) - 1))
        left[pile] -= count
        rows.append([pile, count])
    rows = [list(row) for row in rows]
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        damage(rows, rng)
    lines = [';'.join(map(str, row)) for row in rows]
    if lines and rng.random() < 0.1:
        i = rng.randrange(len(lines))
        lines[i] = rng.choice(
            [
                lines[i].replace(';', ',', 1),
                lines[i].replace('1', 'x'),
                'x',
                lines[i] + ';',
                ';' + lines[i],
            ]
        )
    return lines


def damage(rows, rng):
    """Change, add or remove a number or a line of a recorded game."""
    row = rng.choice(rows) if rows else []
    kind = rng.randrange(6)
    if kind == 0 and len(rows) > 2:
        del rows[rng.randrange(2, len(rows))]
    elif kind == 1:
        numbers = [rng.randint(-1, 3) for _ in range(rng.randint(1, 3))]
        rows.insert(rng.randint(0, len(rows)), numbers)
    elif kind == 2 and len(row) > 1:
        i, j = rng.sample(range(len(row)), 2)
        by = rng.choice([-2, -1, 1, 2, 4])
        row[i] += by
        row[j] -= by
    elif kind == 3 and len(row) > 1:
        row.pop()
    elif row:
        row[rng.randrange(len(row))] += rng.choice([-2, -1, -1, 1, 1, 2])


def piles(rng):
    """Return the numbers of a game of a few small piles; there are more than the game reads."""
    count = rng.choice([1, 1, 2, 2, 3, 3, 4, 5])
    wrong_count = rng.randint(-1, 0)
    counts = [wrong_count, count] if rng.randint(0, 1) else [count]
    sizes = [rng.choice([0, 1, 1, 2, 3, 4, 5, 6]) for _ in range(count + 2)]
    moves = [rng.randint(-1, 5) for _ in range(150)]
    return [str(number) for number in counts + sizes + moves]


def tlcw(rng):
    """Return coins, a limit, who starts, and answers; some numbers are refused, or are cheating."""
    coins = rng.randint(2, 12)
    wrong_coins = rng.choices([-2, 0, 1], k=rng.randint(0, 2))
    wrong_limits = rng.choices([-1, 0, coins, coins + 1], k=rng.randint(0, 2))
    numbers = [*wrong_coins, coins, *wrong_limits, rng.randint(1, coins - 1)]
    answers = [rng.choice([1, 1, 1, 2, rng.randint(-1, 4)]) for _ in range(12)]
    return [*map(str, numbers), rng.choice('CUcu'), *map(str, answers)]


def stones(rng):
    """Return names and IDs, a number of stones, and more answers than a match reads."""
    names = [
        rng.choice(['', 'Tim', 'sALLY', 'x', 'A name of more than thirty characters'])
        for _ in range(8)
    ]
    common = ['1', '2', '3', '3', '2', 'y']
    unusual = ['', '0', '4', '29', '30', '33', '50', '51', 'Yes', 'no', 'many', '30;1']
    answers = [rng.choice([*common, rng.choice(unusual)]) for _ in range(120)]
    return [*names, str(rng.randint(30, 50)), *answers]
