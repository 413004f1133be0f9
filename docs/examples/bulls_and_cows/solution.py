"""Bulls and cows: one player types a secret of four digits, the other one guesses."""

from collections import Counter


def is_number(line):
    """Return whether a line is four digits."""
    return len(line) == 4 and line.isascii() and line.isdigit()


def ask(question):
    """Ask until four digits come; return them."""
    while True:
        print(question, flush=True)
        line = input()
        if is_number(line):
            return line
        print('Four digits, please.')


def compare(secret, guess):
    """Return how many digits are in their places, and how many are in others."""
    bulls = sum(ours == theirs for ours, theirs in zip(secret, guess, strict=False))
    return bulls, sum((Counter(secret) & Counter(guess)).values()) - bulls


secret = ask('Secret?')
guesses = bulls = 0
while bulls < 4:
    guesses += 1
    bulls, cows = compare(secret, ask(f'Guess {guesses}?'))
    print(f'{bulls} bulls, {cows} cows')
print(f'Found in {guesses} guesses.')
