def ask(question):
    while True:
        print(question, flush=True)
        line = input()
        if len(line) == 4 and line.isdigit():
            return line
        print('Four digits, please.')

secret = ask('Secret?')
guesses = 0
bulls = 0
while bulls != 4:
    guesses += 1
    guess = ask(f'Guess {guesses}?')
    bulls = cows = 0
    for place in range(4):
        if guess[place] == secret[place]:
            bulls += 1
        elif guess[place] in secret:
            cows += 1
    print(f'{bulls} bulls, {cows} cows')
print(f'Found in {guesses} guesses.')
