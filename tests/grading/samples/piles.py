"""Classic Nim as a student may write it, with prompts; the tests make wrong programs of it."""


def ask(question, low, high):
    while True:
        try:
            number = int(input(question))
        except ValueError:
            continue
        if low <= number <= high:
            return number


def show(piles):
    for number in range(len(piles)):
        print('pile', number, '=', piles[number])


def best_move(piles):
    total = 0
    for size in piles:
        total ^= size
    for number, size in enumerate(piles):
        if size ^ total < size:
            return number, size - (size ^ total)
    for number, size in enumerate(piles):
        if size:
            return number, 1


print("We're going to play Nim. You'd better play optimally or I'll win.")
piles = []
for number in range(ask('How many piles do you want to play with? ', 1, 10 ** 6)):
    piles.append(ask('How many in pile %d? ' % number, 1, 10 ** 6))
show(piles)
while True:
    print('Your turn ...')
    pile = ask('Which pile? ', 0, len(piles) - 1)
    while piles[pile] == 0:
        pile = ask('Which pile? ', 0, len(piles) - 1)
    piles[pile] -= ask('How many? ', 1, piles[pile])
    show(piles)
    if sum(piles) == 0:
        print('You win ... this time')
        break
    print('My turn ... prepare to be dazzled!!!')
    pile, count = best_move(piles)
    print('I remove %d from pile %d' % (count, pile))
    piles[pile] -= count
    show(piles)
    if sum(piles) == 0:
        print('I win ... AGAIN')
        break
