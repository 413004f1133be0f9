def ask(question):
    print(question, flush=True)
    line = input()
    while not (len(line) == 4 and line.isdigit()):
        print('Four digits, please.')
        print(question, flush=True)
        line = input()
    return line

secret = ask('Secret?')
number = 1
while True:
    guess = ask('Guess %d?' % number)
    bulls = 0
    left = []
    for ours, theirs in zip(secret, guess):
        if ours == theirs:
            bulls += 1
        else:
            left.append(ours)
    cows = 0
    for ours, theirs in zip(secret, guess):
        if ours != theirs and theirs in left:
            cows += 1
            left.remove(theirs)
    for count, name in ((bulls, 'bulls,'), (cows, 'cows')):
        print(count, name, end=' ')
    print()
    if bulls == 4:
        break
    number += 1
print('Found in %d guesses.' % number)
