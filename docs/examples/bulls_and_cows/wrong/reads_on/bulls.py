def ask(question):
    print(question, flush=True)
    line = input()
    if len(line) == 4 and line.isdigit():
        return line
    print('Four digits, please.')
    return ask(question)

def play():
    secret = ask('Secret?')
    guess = ''
    number = 0
    while guess != secret:
        number += 1
        guess = ask(f'Guess {number}?')
        bulls = sum(guess[i] == secret[i] for i in range(4))
        same = sum(min(secret.count(digit), guess.count(digit)) for digit in set(guess))
        print(f'{bulls} bulls, {same - bulls} cows')
    print(f'Found in {number} guesses.', flush=True)

play()
input()     # or the window closes at once
