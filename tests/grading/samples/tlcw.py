"""Take the last coin as a student may write it, with prompts; wrong programs are made of it."""

import random


def ask(question, low, high):
    while True:
        try:
            number = int(input(question))
        except ValueError:
            continue
        if low <= number <= high:
            return number


def coins(number):
    return '1 coin' if number == 1 else '%d coins' % number


left = ask('How many coins are there to begin with? ', 2, 10 ** 6)
most = ask('How many may be taken on each turn? ', 1, left - 1)
turn = ''
while turn not in ('C', 'U'):
    turn = input('Who starts, the computer (C) or you (U)? ').upper()
cheated = False
while left > 0:
    print('COINS: %d  TURN: %s' % (left, turn))
    if turn == 'C':
        if left <= most:
            print('The computer takes all ' + coins(left) + '.')
            left = 0
        else:
            taken = random.randint(1, most)
            print('The computer takes ' + coins(taken) + '.')
            left -= taken
    else:
        taken = ask('How many coins do you take? ', -10 ** 6, 10 ** 6)
        if taken < 1 or taken > min(left, most):
            print('You are cheating!')
            cheated = True
            left = 0
        else:
            print('You take ' + coins(taken) + '.')
            left -= taken
    last, turn = turn, 'C' if turn == 'U' else 'U'
if last == 'U' and not cheated:
    print('You win. Congratulations, and thank you for playing!')
else:
    print('The computer wins. Thank you for playing!')
