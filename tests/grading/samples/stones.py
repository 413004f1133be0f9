"""Taking Stones as a student may write it, with prompts; the tests make wrong programs of it."""

import random

print('''Welcome to PyNIM, the Ancient game of NIM played against a real live Python!
... or, perhaps against a virtual Python...
... or, maybe it's played against a computer language called Python.

A formidable opponent... Can you (or your friend) beat the powerful AI of the Python?

PyNIM has 3 players: Two humans, plus "The Python" which is this computer.
The first player initially decides how many stones to start the game with, from 30 to 50.
For each round of the game, each player gets to remove from 1 to 3 stones from the pile.
The player who removes the last stone (i.e. reduces the pile to 0 stones) is the winner.
''')


def ask(question):
    answer = ''
    while not answer.strip():
        answer = input(question)
    return answer.strip()


def ask_size():
    while True:
        answer = input('How many stones (from 30 to 50) would you like to start the game with, %s? '
                       % names[0])
        try:
            size = int(answer)
        except ValueError:
            print('This is not even a number! Numbers consist of the digits from 0 to 9, '
                  'in case you have forgotten!')
            continue
        if 30 <= size <= 50:
            return size


def ask_stones(name, left):
    most = min(left, 3)
    while True:
        answer = input('How many stones (from 1 to %d) will you remove, %s? '
                       '(or press Enter for a mystery value): ' % (most, name))
        if not answer.strip():
            taken = random.randint(1, most)
            print('%s, you have removed %d stones.' % (name, taken))
            return taken
        if answer.strip().isdigit() and 1 <= int(answer) <= most:
            return int(answer)
        print('You MUST enter a number from 1 to %d! Can you even count, %s?' % (most, name))


def play_round():
    left = ask_size()
    print('You have selected %d stones, %s. A fine choice!\n' % (left, names[0]))
    player = 0
    while True:
        if player < 2:
            print('There are %d stones remaining...' % left)
            left -= ask_stones(names[player], left)
        else:
            taken = left if left < 4 else 2 if left % 3 == 0 else 1
            print('The Python has removed %d stones...\n' % taken)
            left -= taken
        if left == 0:
            return player
        player = (player + 1) % 3


def box(player):
    first = '*     And...THE WINNER IS......... %s!!!     *' % (names + ['The Python'])[player]
    lines = [first]
    if player < 2:
        for text in ['Your MIT Student ID is: ' + ids[player],
                     'Congratulations, %s! Nice work!' % names[player]]:
            lines.append('*     ' + text + ' ' * (len(first) - len(text) - 7) + '*')
    stars = '*' * len(first)
    print('\n' + stars + '\n' + '\n'.join(lines) + '\n' + stars + '\n')


names, ids, scores, number = [], [], [0, 0, 0], 1
for which in ['One', 'Two']:
    name = ask('What is your name, Player %s? ' % which)
    names.append((name[0].upper() + name[1:].lower())[:30])
    ids.append(ask('What is your MIT Student ID, %s? ' % names[-1])[:9])
print('Welcome, %s and %s to the game of Taking Stones.' % (names[0], names[1]))
while True:
    player = play_round()
    scores[player] += 1
    box(player)
    print('The score so far:')
    for name, score in zip(names + ['The Python'], scores):
        print('%s: %d' % (name, score))
    print()
    if player < 2:
        print('The Python is hissing as it concedes to your superior playing skill. '
              'Ssssssssss...\n')
    elif scores[2] > max(scores[:2]):
        print('Evidently, reptilian intelligence exceeds that of humans.')
        print('Perhaps you can be a better example of success for your species in the next '
              'game...?\n')
    if ask('Would you like to play again? ').lower() not in ('y', 'yes'):
        print('\nGoodbye, and thank you for playing PyNIM!!!')
        break
    number += 1
    print('\nGreat! Get ready for round %d...\n' % number)
