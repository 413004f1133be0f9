"""Wrong programs for custom assignments: a calculator, a greeting, and `sums`."""

CALCULATOR = """\
LIMIT = 100

def show(total):
    print('total', total, flush=True)

def add(total, number):
    if number < 0:
        number = -number
    total = total + number
    if total > LIMIT:
        total = LIMIT
        print('limit')
    return total

def reset(total):
    total = 0
    return total

total = 0
show(total)
while True:
    words = input().split()
    if words[0] == 'add':
        total = add(total, int(words[1]))
    elif words[0] == 'reset':
        total = reset(total)
    else:
        break
    show(total)
print('bye')
"""
# The input lines of the calculator's sessions.
CALCULATIONS = {
    'none': 'end',
    'one': 'add 5 / end',
    'negative': 'add 7 / add -2 / end',
    'reset': 'add 5 / reset / add 2 / end',
    'limit': 'add 60 / add 70 / end',
    'under_the_limit': 'add 90 / add 3 / end',
    'all': 'add 1 / add -60 / add 80 / reset / add 2 / add 96 / end',
}


def session_of(lines):
    """Return the calculator's session with some input lines, as the right program plays it."""
    total, text = 0, '|total 0\n'
    for line in lines.split(' / '):
        word, _, number = line.partition(' ')
        total = 0 if word == 'reset' else total + abs(int(number or 0))
        limit = '|limit\n' if total > 100 else ''
        total = min(total, 100)
        text += f'{line}\n{limit}|total {total}\n' if word != 'end' else 'end\n|bye\n'
    return text


TEXTS = {f'{name}.txt': session_of(lines) for name, lines in CALCULATIONS.items()}

# The faults of calculators: a text in the right program, and its replacement.
CALCULATORS = {
    'a-wrong-word': ("print('limit')", "print('limits')"),
    'a-wrong-number': ('number = -number', 'number = 2 - number'),
    'in-a-function': ('    total = 0\n', '    total = 1\n'),
    'a-crash': ('total = reset(total)', 'total = reset()'),
    'a-crash-further-in': ('    total = 0\n', '    total = int("")\n'),
    'silence': ('        total = reset(total)\n', '        continue\n'),
    'an-end': ('total = reset(total)', 'break'),
    'an-early-end': ("print('bye')\n", ''),
    'a-caught-exception': (
        '        total = add(total, int(words[1]))\n',
        '        try:\n            total = add(total, words[1])\n'
        '        except TypeError:\n            pass\n',
    ),
    'three-faults': (
        "    print('total', total,",
        "    total += (total == 9) * 7\n    print('Total', total,",
    ),
}
GREETING = '|Name? \\\nBob\n|Hi Bob\n|end\n'
ASKS, ENDS = "name = input('Name? ')\n", "print('end')\n"
# Wrong greeting programs in many styles.
GREETERS = {
    'an-f-string': (f"{ASKS}print(f'Ho {{name}}')\n{ENDS}"),
    'parts': (f"{ASKS}print('Hi', name,\n      sep='')\n{ENDS}"),
    'pieces': (
        f"import sys\n{ASKS}sys.stdout.write('Hi ')\nsys.stdout.write(name.upper())\n"
        f'print()\n{ENDS}'
    ),
    'all-at-the-end': (
        f"{ASKS}text = ['Ho ' + name]\ntext.append('end')\nprint('\\n'.join(text))\n"
    ),
    'a-prompt': (f"name = input('Nme? ')\nprint('Hi', name)\n{ENDS}"),
    'a-second-prompt': (f"{ASKS}print('Hi', name)\nname = input('Again? ')\n{ENDS}"),
    'a-function': (
        'def say(*words):\n    print(*words, flush=True)\n\ndef main():\n'
        "    name = input('Name? ')\n    say('Ho', name)\n    say('end')\nmain()\n"
    ),
    'an-empty-line': (f"{ASKS}print()\nprint('Hi', name)\n{ENDS}"),
    'a-line-twice': (f"{ASKS}print('Hi', name)\nprint('Hi', name)\n{ENDS}"),
    'a-line-left-out': (ASKS + ENDS),
    'a-newline-left-out': (f"{ASKS}print('Hi', name, end='')\n{ENDS}"),
    'an-end': (f"{ASKS}print('Hi', name)\n"),
    'a-crash': (
        'def twice(text):\n    return text * text\n\ndef main():\n'
        "    name = input('Name? ')\n    print('Hi', twice(name))\nmain()\n"
    ),
}
# For each directive, allowed differences in the output of `sums`.
ALLOWED = {
    'ignore: case': [('Welcome to', 'WELCOME TO'), ('Half', 'HALF')],
    'ignore: whitespace': [
        ('Welcome to', 'Welcome   to'),
        ("'Half more:'", "' Half more:\\t'"),
        ("print('All", "print()\nprint('All"),
    ],
    'tolerance: 0.01': [('* 1.5', '* 1.5 + 0.001')],
    'prompts: free': [('iter(input', "iter(lambda: input('Next: ')")],
    'free': [('Welcome to Sums', 'Hi!')],
    'regex': [('Welcome to Sums', 'Welcome, whoever you are')],
    'any lines': [('total = 0', "total = 0\nprint('Enter numbers')\nprint()")],
}
# Faults beside these differences, and the ids the report names.
BESIDE = {
    'nothing': ([], []),
    'a-line-missing': ([("print('All in all:', total)", '')], ['missing-lines']),
    'a-line-too-many': (
        [('    total +=', "    print('debug', line)\n    total +=")],
        ['extra-lines'],
    ),
    'other-numbers': ([('* 1.5', '* 2.5')], []),
}
# Statements to print a line of a Nim program, each with differences only its directive allows.
OF_A_GAME = {
    'ignore: case': 'print(*(str(part).upper() for part in parts))',
    'ignore: whitespace': 'print(*(str(part).replace(" ", "  ") for part in parts)); print()',
}


def sums(directive=''):
    """Return sessions for the sample `sums`, with a directive for all lines or for the greeting."""
    before, after = (f'# {directive}\n' if directive else '', '')
    if directive == 'any lines':
        before, after = after, before
    greeting = 'Welcome.*' if directive == 'regex' else 'Welcome to Sums'
    texts = {}
    for numbers in [(1, 2), (4,), (7, 8, 9), (20, 30), ()]:
        lines = ''.join(f'{number}\n|Half more: {number * 1.5}\n' for number in numbers)
        texts['_'.join(map(str, ('sums', *numbers))) + '.txt'] = (
            f'{before}|{greeting}\n{after}{lines}stop\n|All in all: {sum(numbers)}\n'
        )
    return texts
