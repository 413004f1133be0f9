"""A recorded game of Nim as a student may check it; the tests make wrong programs of it."""

import sys


def read_game(lines):
    counters, piles = lines[0].split(';')
    sizes = [int(word) for word in lines[1].split(';')]
    moves = []
    for line in lines[2:]:
        pile, taken = line.split(';')
        moves.append((int(pile), int(taken)))
    if int(counters) < 1 or int(piles) < 1 or int(piles) != len(sizes):
        raise ValueError
    if sum(sizes) != int(counters):
        raise ValueError
    if any(size < 0 for size in sizes):
        raise ValueError
    return sizes, moves


def check(sizes, pile, taken):
    if pile < 0 or taken < 1 or taken > sizes[pile]:
        raise ValueError
    if taken == sum(sizes):
        raise ValueError


def show(sizes):
    return '  '.join(str(size) for size in sizes)


def replay(lines):
    sizes, moves = read_game(lines)
    text = ['Starting State:', show(sizes)]
    player = 1
    for number, (pile, taken) in enumerate(moves):
        check(sizes, pile, taken)
        sizes[pile] -= taken
        text.append('Player %d takes %d tokens from the pile %d.' % (player, taken, pile + 1))
        text.append('State:')
        text.append(show(sizes))
        player = 2 if player == 1 else 1
    if sum(sizes) != 1:
        raise ValueError
    text.append('Player %d loses.' % player)
    return text


try:
    for line in replay(sys.stdin.read().strip().split('\n')):
        print(line)
except (ValueError, IndexError):
    print('Invalid Game.')
