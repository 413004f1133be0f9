"""Changes to the sample programs for Nim; each is named after the fault it makes.

A change is a list of pairs: a text in the program, and its replacement.
"""

# Prints a line after refused input.
ASKS_AGAIN = [
    ('            continue\n', "            print('That is no number.')\n            continue\n"),
    (
        '            return number\n',
        "            return number\n        print('That cannot be.')\n",
    ),
]
RECORDED = {
    'one-space': [("'  '.join", "' '.join")],
    'trailing-spaces': [
        ("'  '.join(str(size) for size in sizes)", "''.join(str(size) + '  ' for size in sizes)")
    ],
    'words': [('tokens from', 'counters from')],
    'piles-from-zero': [('pile + 1))', 'pile))')],
    'prints-before-checking': [
        (
            "    text = ['Starting State:', show(sizes)]\n",
            "    print('Starting State:')\n    print(show(sizes))\n",
        ),
        ('text.append(', 'print('),
        ('    return text\n', '    return []\n'),
    ],
    'last-move-unchecked': [
        (
            '        check(sizes, pile, taken)\n',
            '        if number < len(moves) - 1:\n            check(sizes, pile, taken)\n',
        ),
        ('sum(sizes) != 1', 'sum(sizes) > 1'),
    ],
    'count-unchecked': [(' or int(piles) != len(sizes)', '')],
    'moves-after-end': [
        (
            '        check(sizes, pile, taken)\n',
            '        if sum(sizes) == 1:\n            break\n        check(sizes, pile, taken)\n',
        )
    ],
    'sum-unchecked': [('    if sum(sizes) != int(counters):\n        raise ValueError\n', '')],
    'empties-all': [
        ('    if taken == sum(sizes):\n        raise ValueError\n', ''),
        ('sum(sizes) != 1', 'sum(sizes) > 1'),
    ],
    'negative-size': [('    if any(size < 0 for size in sizes):\n        raise ValueError\n', '')],
    'negative-pile': [('pile < 0 or ', '')],
    'pile-0-refused': [('pile < 0 or ', 'not pile or pile < 0 or ')],
    'moves-refused': [('taken < 1 or', 'taken == taken or')],
    'emptying-refused': [('taken > sizes[pile]', 'taken >= sizes[pile]')],
    'too-many-taken': [(' or taken > sizes[pile]', '')],
    'ends-unchecked': [('sum(sizes) != 1', 'sum(sizes) < 1')],
    'one-state': [
        ('        text.append(show(sizes))\n', '        text.append(sizes)\n'),
        ('print(line)', 'print(line if isinstance(line, str) else show(line))'),
    ],
    'one-player': [('player = 2 if player == 1 else 1', 'player = 1')],
    'empty-refused': [('any(size < 0', 'any(size < 1')],
    'shared-piles': [
        ('sum(sizes) != 1', 'sum(sizes) > sum(sizes)'),
        ('        check(sizes, pile, taken)\n', ''),
        (
            "    text = ['Starting",
            """    checked = sizes
    for pile, taken in moves:
        check(checked, pile, taken)
        checked[pile] -= taken
    if sum(checked) != 1:
        raise ValueError
    text = ['Starting""",
        ),
    ],
    'normal-play': [("loses.' % player", "loses.' % (3 - player)")],
}
PILES = {
    'from-one': [
        (
            "    pile = ask('Which pile? ', 0, len(piles) - 1)\n",
            "    pile = ask('Which pile? ', 1, len(piles)) - 1\n",
        )
    ],
    'piles-from-one': [("print('pile', number,", "print('pile', number + 1,")],
    'last-state-missing': [
        (
            '    show(piles)\n    if sum(piles) == 0:\n',
            '    if sum(piles):\n        show(piles)\n    else:\n',
        )
    ],
    'prints-before-taking': [
        (
            '    piles[pile] -= count\n    show(piles)\n',
            '    show(piles)\n    piles[pile] -= count\n',
        )
    ],
    'ends-early': [('sum(piles) == 0', 'piles[0] == 0')],
    'refuses-once': [
        ('    while True:\n        try', '    for _ in range(2):\n        try'),
        ('            return number\n', '            return number\n    return number\n'),
    ],
    'removes-nothing': [
        ('total = 0\n', 'global total\n'),
        ('def best', 'total = 0\n\n\ndef best'),
        (
            '        if size:\n            return number, 1',
            """        if size:
            return number, 0""",
        ),
    ],
    'leaves-what-to-take': [('size - (size ^ total)', 'size ^ total')],
    'prompts': [("'Which pile? '", "'Pile? '"), ("'How many? '", "'Number? '")],
    'asks-pile-again': [
        (
            "    piles[pile] -= ask('How many? ', 1, piles[pile])\n",
            """\
    count = ask('How many? ', -10 ** 6, 10 ** 6)
    while not 1 <= count <= piles[pile]:
        pile = ask('Which pile? ', 0, len(piles) - 1)
        count = ask('How many? ', -10 ** 6, 10 ** 6)
    piles[pile] -= count
""",
        )
    ],
    'accepts-refused': [("ask('How many? ', 1, piles[pile])", "ask('How many? ', 1, 10 ** 6)")],
    'highest-pile': [
        (
            'for number, size in enumerate(piles):\n        if size ^',
            'for number, size in reversed(list(enumerate(piles))):\n        if size ^',
        )
    ],
    'not-optimal': [
        (
            '    for number, size in enumerate(piles):\n        if size ^ total < size:\n'
            '            return number, size - (size ^ total)\n',
            '',
        )
    ],
}
TLCW = {
    'asks-again': ASKS_AGAIN,
    'one-space': [('COINS: %d  TURN', 'COINS: %d TURN')],
    'prompts': [('input(question)', "input('')")],
    'always-coins': [("'1 coin' if number == 1 else ", '')],
    'all-missing': [('takes all ', 'takes ')],
    'takes-no-limit': [
        ('if left <= most:', 'if left < most:'),
        ('random.randint(1, most)\n', 'most if left == most else random.randint(1, most)\n'),
    ],
    'accepts-refused': [('1, left - 1)', '1, left)')],
    'refuses-once': [
        (
            "most = ask('How many may be taken on each turn? ', 1, left - 1)\n",
            """\
most = ask('How many may be taken on each turn? ', -10 ** 6, 10 ** 6)
if not 1 <= most < left:
    most = ask('How many may be taken on each turn? ', -10 ** 6, 10 ** 6)
""",
        )
    ],
    'cheat-unseen': [('taken < 1 or taken', 'taken')],
    'cheat-wins': [("if last == 'U' and not cheated", "if last == 'U'")],
}
MOST = '% (most, name)'
STONES = {
    'box-width': [
        ('(len(first) - len(text) - 7)', '(len(first) - len(text) - 8)'),
        ("'*' * len(first)", "'*' * (len(first) - 1)"),
    ],
    'fixed-bound': [
        ('from 1 to %d) will', 'from 1 to 3) will'),
        ('from 1 to %d!', 'from 1 to 3!'),
        (MOST + ')\n        if not', '% name)\n        if not'),
        (MOST + ')\n\n', '% name)\n\n'),
    ],
    'always-concedes': [
        ('    if player < 2:\n        print(', '    if True:\n        print('),
        ('    elif scores', '    if player == 2 and scores'),
    ],
    'wrong-mockery': [('scores[2] > max(scores[:2])', 'scores[2] > scores[0]')],
    'score-forgotten': [
        ('    player = play_round()\n', '    scores = [0, 0, 0]\n    player = play_round()\n')
    ],
    'score-by-name': [
        ('[], [], [0, 0, 0], 1', '[], [], {}, 1'),
        (
            'scores[player] += 1',
            "name = [*names, 'The Python'][player]\n    scores[name] = scores.get(name, 0) + 1",
        ),
        (
            "for name, score in zip(names + ['The Python'], scores):",
            "for name in [*names, 'The Python']:",
        ),
        ('(name, score)', '(name, scores.get(name, 0))'),
        (
            'scores[2] > max(scores[:2])',
            "scores['The Python'] > max(scores.get(name, 0) for name in names)",
        ),
    ],
    'plays-on': [(".lower() not in ('y', 'yes')", " == ''")],
    'wrong-start': [
        ('    player = 0\n', ''),
        ('def play_round():', 'def play_round(player):'),
        ('= play_round()', '= play_round(player)'),
        (
            'scores, number = [], [], [0, 0, 0], 1',
            'scores, number, player = [], [], [0, 0, 0], 1, 0',
        ),
    ],
    'wrong-number': [('2 if left % 3 == 0 else 1', '1 if left % 3 == 0 else 2')],
    'words': [('is hissing', 'hisses')],
    'prompts': [("'What is your name, Player %s? '", "'Player %s, what is your name? '")],
}
WRONG = {'recorded': RECORDED, 'piles': PILES, 'tlcw': TLCW, 'stones': STONES}
