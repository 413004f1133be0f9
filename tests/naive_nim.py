"""The four Nim programs once more, as naively as they can be said."""

from __future__ import annotations

import random
import re
from functools import reduce
from operator import xor

MOST = 10**9                            # that anybody will play with
BLANKS = ' \t'
INTEGER = re.compile(r'[ \t]*[+-]?[0-9]+[ \t]*')


def parse_integer(text):
    """Return the integer that a text is, None if it is none."""
    return int(text) if INTEGER.fullmatch(text) else None


class Talk:
    """A session: what is printed before each input line, and after the last."""

    def __init__(self, lines, prompts):
        self.lines = iter(lines)
        self.prompts = prompts
        self.outputs = ['']

    def say(self, text):
        self.outputs[-1] += text + '\n'

    def ask(self, prompt):
        if self.prompts:
            self.outputs[-1] += prompt
        line = next(self.lines)
        self.outputs.append('')
        return line

    def refuse(self):
        if not self.prompts:
            self.say('INVALID')

    def ask_integer(self, prompt, choices=None):
        """Ask until an integer comes, among the choices if there are any."""
        while True:
            number = parse_integer(self.ask(prompt))
            if number is not None and (choices is None or number in choices):
                return number
            self.refuse()

    def ask_text(self, prompt):
        while True:
            line = self.ask(prompt).strip(BLANKS)
            if line and '\0' not in line:          # which UTF-16 is full of
                return line
            self.refuse()


def outputs(words, lines):
    """Return what `nim_console.py` with these words prints before each line, and after the last."""
    game = words[0] if words else 'recorded'
    if game == 'recorded':
        return [''] * len(lines) + [recorded(lines)]
    talk = Talk(lines, '--prompts' in words)
    seed = int(words[words.index('--seed') + 1]) if '--seed' in words else None
    {'piles': piles, 'stones': stones, 'tlcw': tlcw}[game](talk, random.Random(seed))
    return talk.outputs


def recorded(lines):
    try:
        return replayed(lines)
    except (ValueError, IndexError):
        return 'Invalid Game.\n'


def replayed(lines):
    lines = '\n'.join(lines).lstrip('\ufeff').rstrip(' \t\n').split('\n')
    rows = []
    for line in lines:
        row = [parse_integer(cell) for cell in line.split(';')]
        if None in row:
            raise ValueError(line)
        rows.append(row)
    [counters, count], sizes = rows[0], rows[1]
    if counters < 1 or count < 1 or len(sizes) != count or sum(sizes) != counters:
        raise ValueError('setup')
    if min(sizes) < 0:
        raise ValueError('below 0')
    text = 'Starting State:\n' + '  '.join(map(str, sizes)) + '\n'
    player = 1
    for pile, taken in rows[2:]:
        if not 0 <= pile < count or not 1 <= taken <= sizes[pile] or taken == sum(sizes):
            raise ValueError('move')
        sizes[pile] -= taken
        text += f'Player {player} takes {taken} tokens from the pile {pile + 1}.\nState:\n'
        text += '  '.join(map(str, sizes)) + '\n'
        player = 3 - player
    if sum(sizes) != 1:
        raise ValueError('no end')
    return text + f'Player {player} loses.\n'


def piles(talk, rng):
    talk.say("We're going to play Nim. You'd better play optimally or I'll win.")
    count = talk.ask_integer('How many piles do you want to play with? ', range(1, MOST))
    sizes = [talk.ask_integer(f'How many in pile {i}? ', range(1, MOST)) for i in range(count)]

    def show():
        for i, size in enumerate(sizes):
            talk.say(f'pile {i} = {size}')

    show()
    while True:
        talk.say('Your turn ...')
        pile = talk.ask_integer('Which pile? ', [i for i in range(count) if sizes[i]])
        sizes[pile] -= talk.ask_integer('How many? ', range(1, sizes[pile] + 1))
        show()
        if not any(sizes):
            return talk.say('You win ... this time')
        talk.say('My turn ... prepare to be dazzled!!!')
        wins = [(i, n) for i in range(count) for n in range(1, sizes[i] + 1)
                if reduce(xor, [*sizes[:i], sizes[i] - n, *sizes[i + 1:]]) == 0]
        if wins:
            pile, taken = wins[0]
        else:
            pile = rng.choice([i for i in range(count) if sizes[i]])
            taken = rng.randint(1, sizes[pile])
        talk.say(f'I remove {taken} from pile {pile}')
        sizes[pile] -= taken
        show()
        if not any(sizes):
            return talk.say('I win ... AGAIN')


def tlcw(talk, rng):
    coins = talk.ask_integer('How many coins are there to begin with? ', range(2, MOST))
    most = talk.ask_integer('How many may be taken on each turn? ', range(1, coins))
    while True:
        turn = talk.ask('Who starts, the computer (C) or you (U)? ').strip(BLANKS).upper()
        if turn in ('C', 'U'):
            break
        talk.refuse()
    while True:
        talk.say(f'COINS: {coins}  TURN: {turn}')
        if turn == 'C':
            taken = coins if coins <= most else rng.randint(1, most)
            all_of_them = 'all ' if taken == coins else ''
            talk.say(f'The computer takes {all_of_them}{taken} coin{"s" if taken != 1 else ""}.')
        else:
            taken = talk.ask_integer('How many coins do you take? ')
            if not 1 <= taken <= min(coins, most):
                talk.say('You are cheating!')
                return talk.say('The computer wins. Thank you for playing!')
            talk.say(f'You take {taken} coin{"s" if taken != 1 else ""}.')
        coins -= taken
        if not coins:
            return talk.say('You win. Congratulations, and thank you for playing!' if turn == 'U'
                            else 'The computer wins. Thank you for playing!')
        turn = 'U' if turn == 'C' else 'C'


def stones(talk, rng):
    talk.say("Welcome to PyNIM, the Ancient game of NIM played against a real live Python!\n"
             "... or, perhaps against a virtual Python...\n"
             "... or, maybe it's played against a computer language called Python.\n\n"
             "A formidable opponent... Can you (or your friend) beat the powerful AI of the "
             "Python?\n\n"
             'PyNIM has 3 players: Two humans, plus "The Python" which is this computer.\n'
             "The first player initially decides how many stones to start the game with, from 30 "
             "to 50.\n"
             "For each round of the game, each player gets to remove from 1 to 3 stones from the "
             "pile.\n"
             "The player who removes the last stone (i.e. reduces the pile to 0 stones) is the "
             "winner.\n")
    names, ids, wins, games = [], [], [0, 0, 0], 1
    for which in ('One', 'Two'):
        name = talk.ask_text(f'What is your name, Player {which}? ')
        names.append((name[:1].upper() + name[1:].lower())[:30])
        ids.append(talk.ask_text(f'What is your MIT Student ID, {names[-1]}? ')[:9])
    talk.say(f'Welcome, {names[0]} and {names[1]} to the game of Taking Stones.')
    while True:
        winner = one_round_of_stones(talk, rng, names)
        wins[winner] += 1
        show_winner(talk, winner, names, ids, wins)
        if talk.ask_text('Would you like to play again? ').lower() not in ('y', 'yes'):
            return talk.say('\nGoodbye, and thank you for playing PyNIM!!!')
        games += 1
        talk.say(f'\nGreat! Get ready for round {games}...\n')


def one_round_of_stones(talk, rng, names):
    while True:
        left = parse_integer(talk.ask(f'How many stones (from 30 to 50) would you like to start '
                                      f'the game with, {names[0]}? '))
        if left is None:
            talk.say('This is not even a number! Numbers consist of the digits from 0 to 9, '
                     'in case you have forgotten!')
        elif 30 <= left <= 50:
            break
        else:
            talk.refuse()
    talk.say(f'You have selected {left} stones, {names[0]}. A fine choice!\n')
    player = 0
    while True:
        if player == 2:
            taken = left if left <= 3 else 1 + (left % 3 == 0)
            talk.say(f'The Python has removed {taken} stones...\n')
        else:
            talk.say(f'There are {left} stones remaining...')
            most = min(3, left)
            while True:
                line = talk.ask(f'How many stones (from 1 to {most}) will you remove, '
                                f'{names[player]}? (or press Enter for a mystery value): ')
                if not line.strip(BLANKS):
                    taken = rng.randint(1, most)
                    talk.say(f'{names[player]}, you have removed {taken} stones.')
                    break
                taken = parse_integer(line)
                if taken is not None and 1 <= taken <= most:
                    break
                talk.say(f'You MUST enter a number from 1 to {most}! '
                         f'Can you even count, {names[player]}?')
        left -= taken
        if not left:
            return player
        player = (player + 1) % 3


def show_winner(talk, winner, names, ids, wins):
    name = [*names, 'The Python'][winner]
    first = f'*     And...THE WINNER IS......... {name}!!!     *'
    talk.say('\n' + '*' * len(first) + '\n' + first)
    if winner < 2:
        for line in (f'Your MIT Student ID is: {ids[winner]}',
                     f'Congratulations, {name}! Nice work!'):
            talk.say(('*     ' + line).ljust(len(first) - 1) + '*')
    talk.say('*' * len(first) + '\n\nThe score so far:')
    talk.say(f'{names[0]}: {wins[0]}\n{names[1]}: {wins[1]}\nThe Python: {wins[2]}\n')
    if winner < 2:
        talk.say('The Python is hissing as it concedes to your superior playing skill. '
                 'Ssssssssss...\n')
    elif wins[2] > wins[0] and wins[2] > wins[1]:
        talk.say('Evidently, reptilian intelligence exceeds that of humans.')
        talk.say('Perhaps you can be a better example of success for your species in the next '
                 'game...?\n')
