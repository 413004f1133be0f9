"""Classic Nim in its author's own words.

Its first argument says what it does when it has lost, the second how many lines it says at once,
and a third that it has no prompts.
"""

import random
import sys


def say(line):
    for _ in range(int(sys.argv[2])):
        print(line, flush=True)


def ask(question, allowed):
    while True:
        try:
            number = int(input('' if sys.argv[3:] else question))
        except ValueError:
            number = -1
        if number in allowed:
            return number
        say("No, that won't do.")


def show(piles):
    for number, size in enumerate(piles):
        print(f'pile {number} = {size}', flush=True)


def best_move(piles, kind):
    total = 0
    for size in piles:
        total ^= size
    for number, size in enumerate(piles):
        if size ^ total < size:
            return number, size - (size ^ total)
    standing = [number for number, size in enumerate(piles) if size]
    if kind == 'crashes':
        raise ValueError('lost')
    if kind == 'takes nothing':
        return standing[0], 0
    if kind == 'takes too many':
        return standing[0], piles[standing[0]] + 1
    if kind == 'gives':
        return standing[0], -1
    if kind == 'takes twice':
        piles[standing[1]] -= 1
        return standing[0], 1
    if kind == 'takes the last':
        return standing[-1], 1
    number = random.choice(standing)
    return number, random.randint(1, piles[number])


say('Welcome.')
piles = [ask(f'How many in pile {number}? ', range(1, 1000))
         for number in range(ask('How many piles do you want to play with? ', range(1, 100)))]
show(piles)
while True:
    print('Your turn ...', flush=True)
    pile = ask('Which pile? ', [number for number, size in enumerate(piles) if size])
    piles[pile] -= ask('How many? ', range(1, piles[pile] + 1))
    show(piles)
    if not any(piles):
        say('Oh.')
        break
    say('Let me think.')
    pile, count = best_move(piles, sys.argv[1])
    piles[pile] -= count
    say(f'Away with {count} of them, from heap {pile}!')
    show(piles)
    if not any(piles):
        say('Ha!')
        break
