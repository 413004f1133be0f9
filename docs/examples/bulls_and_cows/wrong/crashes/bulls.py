def read(question):
    print(question, flush=True)
    number = input()
    while int(number) < 0 or len(number) != 4:
        print('Four digits, please.')
        print(question, flush=True)
        number = input()
    return number

secret = read('Secret?')
tries = 0
guess = ''
while guess != secret:
    tries += 1
    guess = read(f'Guess {tries}?')
    bulls = [a == b for a, b in zip(secret, guess)].count(True)
    same = sum(min(secret.count(digit), guess.count(digit)) for digit in set(guess))
    print(f'{bulls} bulls, {same - bulls} cows')
print(f'Found in {tries} guesses.')
