import sys

def ask(question):
    while True:
        print(question)
        line = sys.stdin.readline().strip()
        if len(line) == 4 and line.isdigit():
            return line
        print('Four digits, please.')

secret = ask('Secret?')
n = 0
while True:
    n += 1
    guess = ask('Guess ' + str(n) + '?')
    bulls = sum(1 for i in range(4) if guess[i] == secret[i])
    both = sum(min(secret.count(d), guess.count(d)) for d in '0123456789')
    print(bulls, 'bulls,', both - bulls, 'cows')
    if guess == secret:
        break
print('Found in', n, 'guesses.')
