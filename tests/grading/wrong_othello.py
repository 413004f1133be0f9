"""Changes to the sample program for Othello, and programs that print something else.

Each change in `WRONG` and `RARE` is named after the fault it makes. A change is a list of pairs: a
text in the program, and its replacement.
"""

COUNT = "print('B: ' + str(game.count('B')) + '  W: ' + str(game.count('W')))"
TURN = "\n        print('TURN: ' + game.turn)\n"
WINNER = "print('WINNER: ' + game.winner())"
MOVE = 'row, col = (int(word) - 1 for word in input().split())'
ON_BOARD = """        if not self.is_on_board(row, col):
            return False
"""
DIRECTIONS = '[(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]'
START = """    top, left = rows // 2 - 1, columns // 2 - 1
    board = [['.'] * columns for _ in range(rows)]
    board[top][left] = board[top + 1][left + 1] = {0}
    board[top][left + 1] = board[top + 1][left] = 'W' if {0} == 'B' else 'B'
"""
# Finds out only once in each turn whether the players can move.
ONE_LOOK = (
    """        if not self.can_move():
            self.switch()

    def is_over(self):
        mine = self.can_move()
        self.switch()
        theirs = self.can_move()
        self.switch()
        return not mine and not theirs
""",
    """        self.is_stuck = False
        if not self.can_move():
            self.switch()
            self.is_stuck = not self.can_move()

    def is_over(self):
        return self.is_stuck
""",
)

WRONG = {
    'one-space': [("'  W: '", "' W: '")],
    'no-full': [("    print('FULL')\n", '')],
    'words': [("print('VALID')", "print('OK')")],
    'counts-swapped': [
        (
            "game.count('B')) + '  W: ' + str(game.count('W'))",
            "game.count('W')) + '  W: ' + str(game.count('B'))",
        )
    ],
    'rows-columns-swapped': [('row, col = (int', 'col, row = (int')],
    'square': [('columns = int(input())', 'columns = int(input()) and rows')],
    'first-player': [('first = input()', "first = input() and 'B'")],
    'no-tie': [("return 'NONE'", "return 'B'")],
    'one-winner': [("'WINNER: ' + game.winner()", "'WINNER: B'")],
    'late-pass': [
        (
            '        game.pass_if_stuck()\n        show(game)',
            '        show(game)\n        if not game.is_over() and not game.can_move():\n'
            "            print('TURN: ' + game.turn)\n            game.switch()\n"
            '            show(game)',
        )
    ],
    'full-board-only': [
        ('return not mine and not theirs', "return not any('.' in row for row in self.board)")
    ],
    'never-ends': [('return not mine and not theirs', 'return False')],
    'direction-missing': [(DIRECTIONS, '[(0, 1), (1, 0), (0, -1), (-1, 0)]')],
    'occupied': [("        if self.board[row][col] != '.':\n            return False\n", '')],
    'wraps': [
        (
            'return 0 <= row < self.rows and 0 <= col < self.columns\n',
            'return 0 <= row < self.rows and 0 <= col < self.columns\n\n'
            '    def is_index(self, row, col):\n'
            '        return -self.rows <= row < self.rows and -self.columns <= col < '
            'self.columns\n',
        ),
        (ON_BOARD, ON_BOARD.replace('is_on_board', 'is_index')),
    ],
    'winner-missing': [('    ' + WINNER + '\n', '')],
    'row-numbers': [
        (
            "    for row in game.board:\n        print(' '.join(row))",
            '    for number, row in enumerate(game.board, 1):\n'
            "        print('%2d|' % number, ' '.join(row))",
        )
    ],
    'trailing-spaces': [("print(' '.join(row))", "print(' '.join(row) + ' ')")],
    'board-after-invalid': [
        (
            "            print('INVALID')\n",
            "            print('INVALID')\n            show(game)\n"
            "            print('TURN: ' + game.turn)\n",
        )
    ],
    'prompts': [
        ('input().split())\n            if', "input('Your move: ').split())\n            if")
    ],
    'turn-missing': [(TURN, '\n')],
    'turn-last': [(WINNER, "print('TURN: ' + game.turn)\n    " + WINNER)],
    'from-zero': [('(int(word) - 1 for', '(int(word) for')],
    'no-flush': [
        ('\n\nclass Game', '\nimport sys\n\n\nclass Game'),
        ('input()', "sys.stdin.readline().rstrip('\\n')"),
    ],
    'wins-ignored': [("if self.wins == '>':", 'if True:')],
    'wins-swapped': [("if self.wins == '>':", "if self.wins == '<':")],
    'never-passes': [
        ('        if not self.can_move():\n            self.switch()', '        pass')
    ],
    'stuck-start': [
        ('    game.pass_if_stuck()\n    show(game)\n    while', '    show(game)\n    while')
    ],
    'over-at-start': [
        (
            '    while not game.is_over():\n        print',
            '    while game.last or not game.is_over():\n        print',
        ),
        ('        game.move(row, col)\n', "        game.move(row, col)\n        game.last = ''\n"),
    ],
    'one-run': [
        ('flips += self.line(row, col, y, x)', 'flips = flips or self.line(row, col, y, x)')
    ],
    'no-runs': [('            found.append((row, col))\n', '            return []\n')],
    'edge-missing': [
        (
            'return found\n            found',
            'return found if col or (y, x) != (0, -1) else []\n            found',
        )
    ],
    'rows-reversed': [('board.append(input().split())', 'board.insert(0, input().split())')],
    'directions-unchecked': [
        (
            'return len(self.all_flips(row, col)) > 0',
            'return any(self.line(row, col, y, x) for y, x in [(0, 1), (1, 0), (0, -1), (-1, 0)])',
        )
    ],
    'no-edges': [
        (
            'return found\n            found',
            'return found if row < self.rows - 1 and col < self.columns - 1 else []\n'
            '            found',
        ),
        (
            '            found.append((row, col))\n',
            '            if row == self.rows - 1 or col == self.columns - 1:\n'
            '                return []\n            found.append((row, col))\n',
        ),
    ],
    'turns-nothing': [
        (
            '            if game.is_valid(row, col):',
            '            if (game.is_valid(row, col) or game.is_on_board(row, col)\n'
            "                    and game.board[row][col] == '.'):",
        )
    ],
    'off-board-crash': [(ON_BOARD, '        if row < 0 or col < 0:\n            return False\n')],
    'reads-on': [(WINNER, WINNER + '\n    input()')],
    'ends-instead-of-passing': [
        ('return not mine and not theirs', 'return not mine'),
        ('        if not self.can_move():\n            self.switch()', '        pass'),
    ],
    'bad-parse': [('input().split())\n            if', "input().split(','))\n            if")],
    'all-invalid': [('if game.is_valid(row, col):', 'if game.is_valid(row, col) and row == "1":')],
    'one-number-a-line': [(MOVE, 'row, col = (int(input().split()[0]) - 1 for _ in range(2))')],
    'first-number': [(MOVE, 'row = col = int(input().split()[0]) - 1')],
    'single-digits': [
        (MOVE, 'line = input()\n            row, col = int(line[0]) - 1, int(line[2]) - 1')
    ],
    'negative-numbers': [
        (
            MOVE,
            'words = input().split()\n'
            '            while not all(word.isdigit() for word in words):\n'
            '                words = input().split()\n'
            '            row, col = (int(word) - 1 for word in words)',
        )
    ],
    'columns-before-rows': [
        (
            '    rows = int(input())\n    columns = int(input())\n',
            '    columns = int(input())\n    rows = int(input())\n',
        )
    ],
    'own-start': [('    game = Game(rows', START.format("'W'") + '    game = Game(rows')],
    'fifth-setup-line': [
        (
            '    wins = input()\n',
            "    corner = 'B' if input() == 'B' else 'W'\n    wins = input()\n",
        ),
        ('        board.append(input().split())\n', '        pass\n'),
        ('    game = Game(rows', START.format('corner') + '    game = Game(rows'),
    ],
    'cells-numbered': [
        (
            MOVE,
            MOVE + '\n            number = row * game.columns + col\n'
            '            if 0 <= number < game.rows * game.columns:\n'
            '                row, col = divmod(number, game.columns)',
        )
    ],
    'over-empty': [
        (
            '                return []\n            if self.board[row][col] == self.turn',
            '                row, col = row + y, col + x\n                continue\n'
            '            if self.board[row][col] == self.turn',
        )
    ],
    'no-bracket': [
        ('        return []\n\n    def all_flips', '        return found\n\n    def all_flips')
    ],
    'turns-elsewhere': [
        (
            '        for r, c in self.all_flips(row, col):\n',
            '        for r, c in [(row + y, col + x) for y in (-1, 0, 1)\n'
            '                     for x in (-1, 0, 1)\n'
            '                     if self.is_on_board(row + y, col + x)\n'
            '                     and self.board[row + y][col + x] not in '
            "('.', self.turn)]:\n",
        )
    ],
    'limits-swapped': [
        (
            'return 0 <= row < self.rows and 0 <= col < self.columns',
            'return 0 <= col < self.rows and 0 <= row < self.columns',
        )
    ],
    'ends-at-invalid': [
        ("            print('INVALID')\n", "            print('INVALID')\n            return\n")
    ],
    'own-disc-missing': [('        self.board[row][col] = self.turn\n', '')],
    'moves-of-start': [
        (
            '            if game.is_valid(row, col):',
            '            if (row, col) in moves[game.turn]:',
        ),
        (
            '    game.pass_if_stuck()\n    show(game)\n    while',
            "    moves = {}\n    for game.turn in [*'BW', first]:\n"
            '        moves[game.turn] = [(r, c) for r in range(rows)\n'
            '                            for c in range(columns) '
            'if game.is_valid(r, c)]\n'
            '    game.pass_if_stuck()\n    show(game)\n    while',
        ),
    ],
    'edges-unseen': [
        (
            "        if self.board[row][col] != '.':\n            return False\n",
            "        if self.board[row][col] != '.' or not row or not col:\n"
            '            return False\n',
        )
    ],
    'over-all': [
        (
            '                return []\n            if self.board[row][col] == self.turn',
            '                row, col = row + y, col + x\n                continue\n'
            '            if self.board[row][col] == self.turn',
        ),
        ('        return []\n\n    def all_flips', '        return found\n\n    def all_flips'),
    ],
    'short-runs': [
        (
            '                return found\n',
            '                return found if len(found) + 1 < self.rows else []\n',
        )
    ],
    'not-square-crash': [
        ('    game = Game(rows', '    [0][abs(rows - columns)]\n    game = Game(rows')
    ],
    'twice': [("        print('VALID')\n", "        print('VALID')\n        print('VALID')\n")],
    'extra-lines': [
        (
            "        print('VALID')\n",
            "        print('Discs:', len(game.all_flips(row, col)))\n        print('VALID')\n",
        )
    ],
    'missing-lines': [("        print('VALID')\n", '')],
    'no-newline': [(WINNER, WINNER[:-1] + ", end='')")],
    'separators': [("print(' '.join(row))", "print('\\t'.join(row))")],
    'wrong-fewest': [("return 'B' if black < white else 'W'", "return 'W'")],
    'mover-passes': [
        (
            '        self.switch()\n\n    def pass',
            '        self.pass_if_stuck()\n        self.switch()\n\n    def pass',
        ),
        ('        game.pass_if_stuck()\n        show', '        show'),
    ],
    'disc-stays': [
        (
            '            if game.is_valid(row, col):',
            '            is_valid = game.is_valid(row, col)\n'
            '            if game.is_on_board(row, col):\n'
            '                game.board[row][col] = game.turn\n'
            '            if is_valid:',
        )
    ],
    'last-state-missing': [
        (
            '        game.pass_if_stuck()\n        show(game)\n',
            '        game.pass_if_stuck()\n        if not game.is_over():\n'
            '            show(game)\n',
        )
    ],
    'from-zero-again': [
        ('        while True:\n', '        less = 1\n        while True:\n'),
        ('int(word) - 1 for', 'int(word) - less for'),
        ("print('INVALID')\n", "print('INVALID')\n            less = 0\n"),
    ],
    'moves-used-up': [
        (
            '        while True:\n',
            '        moves = iter([(r, c) for r in range(rows) '
            'for c in range(columns)\n                      if game.is_valid(r, c)])\n'
            '        while True:\n',
        ),
        ('if game.is_valid(row, col):', 'if (row, col) in moves:'),
    ],
    'tries-on-board': [
        (
            """        return any(self.is_valid(row, col)
                   for row in range(self.rows) for col in range(self.columns))
""",
            """        for row in range(self.rows):
            for col in range(self.columns):
                if self.is_valid(row, col):
                    board = self.board[:]
                    for r, c in [(row, col), *self.all_flips(row, col)]:
                        board[r][c] = self.turn
                    return True
        return False
""",
        ),
        ONE_LOOK,
    ],
    'one-too-few': [
        (
            'in self.all_flips(row, col):\n            self',
            'in self.all_but_last(row, col):\n            self',
        ),
        (
            '    def is_valid',
            """    def all_but_last(self, row, col):
        return [cell for y in (-1, 0, 1) for x in (-1, 0, 1)
                for cell in self.line(row, col, y, x)[:-1]]

    def is_valid""",
        ),
    ],
    'flips-missing': [
        (
            '        for r, c in self.all_flips(row, col):\n',
            """\
        for r, c in [cell for y in (-1, 1) for x in (-1, 1) for cell in self.line(row, col, y, x)]:
""",
        )
    ],
    'flips-nothing': [
        ('r, c in self.all_flips(row, col)', 'r, c in 2 * self.all_flips(row, col)'),
        (
            '            self.board[r][c] = self.turn\n',
            "            self.board[r][c] = 'B' if self.board[r][c] == 'W' else 'W'\n",
        ),
    ],
    'count-kept': [
        (
            'return len(self.all_flips(row, col)) > 0',
            """passed = 0
        for y in (-1, 0, 1):
            for x in (-1, 0, 1):
                r, c = row + y, col + x
                while self.is_on_board(r, c) and self.board[r][c] not in ('.', self.turn):
                    passed += 1
                    r, c = r + y, c + x
                if passed and self.is_on_board(r, c) and self.board[r][c] == self.turn:
                    return True
        return False""",
        )
    ],
    'keeps-all': [
        (
            'def all_flips(self, row, col):\n        flips = []\n',
            'def all_flips(self, row, col, flips=[]):\n',
        ),
        ONE_LOOK,
    ],
    'old-moves': [
        (
            '        while True:\n',
            """        if game.turn != mover:
            moves = {(r, c): game.all_flips(r, c) for r in range(rows) for c in range(columns)
                     if game.is_valid(r, c)}
            mover = game.turn
        while True:
""",
        ),
        ('    while not game.is_over():', "    mover = ''\n    while not game.is_over():"),
        ('if game.is_valid(row, col):', 'if (row, col) in moves:'),
        (
            '        game.move(row, col)\n',
            """        for r, c in [(row, col), *moves[row, col]]:
            game.board[r][c] = game.turn
        game.switch()
""",
        ),
    ],
    'looks-before': [
        ('        self.switch()\n\n    def pass', '\n    def pass'),
        (
            '        game.move(row, col)\n        game.pass_if_stuck()\n',
            '        game.switch()\n        is_over = game.is_over()\n'
            '        can_move = game.can_move()\n        game.switch()\n'
            '        game.move(row, col)\n        if can_move:\n'
            '            game.switch()\n',
        ),
        ('    while not game.is_over():', '    is_over = game.is_over()\n    while not is_over:'),
    ],
    'counts-from-two': [
        ('        self.last = turn\n', "        self.discs = {'B': 2, 'W': 2}\n"),
        ('return sum(row.count(color) for row in self.board)', 'return self.discs[color]'),
        (
            '            self.board[r][c] = self.turn\n',
            '            self.discs[self.turn] += 1\n            self.discs[self.board[r][c]] -= 1\n'
            '            self.board[r][c] = self.turn\n',
        ),
        (
            '        self.board[row][col] = self.turn\n',
            '        self.board[row][col] = self.turn\n        self.discs[self.turn] += 1\n',
        ),
    ],
    'counts-old': [
        ('        self.last = turn\n', '        self.update()\n'),
        ('    def count(self, color):\n', '    def update(self):\n'),
        (
            'return sum(row.count(color) for row in self.board)\n',
            "self.counts = {color: sum(row.count(color) for row in self.board) for color in 'BW'}\n\n"
            '    def count(self, color):\n        return self.counts[color]\n',
        ),
        (
            '        game.pass_if_stuck()\n        show(game)\n',
            '        game.pass_if_stuck()\n        if not game.is_over():\n'
            '            game.update()\n        show(game)\n',
        ),
    ],
    'counts-as-text': [
        (
            "black, white = self.count('B'), self.count('W')",
            "black, white = str(self.count('B')), str(self.count('W'))",
        )
    ],
    'passes-add-up': [
        ('        self.last = turn\n', '        self.passes = 0\n'),
        (
            '        if not self.can_move():\n',
            '        if not self.can_move():\n            self.passes += 1\n',
        ),
        ('return not mine and', 'return self.passes > 1 or not mine and'),
    ],
    'keeps-passing': [
        ('        self.last = turn\n', '        self.has_passed = False\n'),
        (
            '        if not self.can_move():\n            self.switch()\n',
            '        if not self.can_move():\n            self.has_passed = True\n'
            '        if self.has_passed:\n            self.switch()\n',
        ),
    ],
    'rows-joined': [
        (
            '        while self.is_on_board(row, col):\n',
            '        while 0 <= row * self.columns + col < self.rows * self.columns:\n'
            '            row, col = divmod(row * self.columns + col, self.columns)\n',
        )
    ],
    'one-disc': [('return found\n', 'return found[:1]\n')],
    'last-run': [
        (
            '                return []\n            if',
            '                return None\n            if',
        ),
        ('        return []\n\n    def all', '        return None\n\n    def all'),
        (
            '            flips += self.line(row, col, y, x)\n',
            '            found = self.line(row, col, y, x)\n'
            '            if found is not None:\n                flips = found\n',
        ),
    ],
    'cells-kept': [
        ('row, col, y, x)', 'row, col, y, x, found)'),
        ('        found = []\n', ''),
        ('        flips = []\n', '        flips = []\n        found = []\n'),
    ],
}
# Why the report does not name the changed line of some wrong programs.
ALIKE = 'its line runs in right steps as often as in wrong ones, and what printed does not name it'
MISSING = 'the missing statement belongs where no line is named'
LINE_NOT_NAMED = {
    **dict.fromkeys(('edges-unseen', 'ends-instead-of-passing'), ALIKE),
    'winner-missing': MISSING,
}
# Faults whose lines run in right steps as often as in wrong ones. The report finds these lines by
# the kind of fault.
LINE_NAMED = (
    'columns-before-rows',
    'direction-missing',
    'first-player',
    'full-board-only',
    'limits-swapped',
    'negative-numbers',
    'never-ends',
    'never-passes',
    'occupied',
    'one-run',
    'over-empty',
    'square',
    'stuck-start',
    'turns-elsewhere',
    'wraps',
)
# Faults missing from the game's model.
RARE = {
    'a count of seven': [("str(game.count('B'))", "str(game.count('B') + (game.count('B') == 7))")],
    'an edge of 12 columns': [
        (
            '            if self.board[row][col] == self.turn:\n',
            '            if self.columns == 12 and col == 11:\n                return []\n'
            '            if self.board[row][col] == self.turn:\n',
        )
    ],
    'a corner': [
        (
            "        if self.board[row][col] != '.':\n            return False\n",
            "        if self.board[row][col] != '.' or row == col == 0:\n"
            '            return False\n',
        )
    ],
    'a margin of three': [
        ("return 'B' if black > white else 'W'", "return 'B' if black > white + 3 else 'W'")
    ],
    'a crash at the tenth disc': [
        (
            '        self.switch()\n\n    def pass',
            "        self.switch()\n        1 / (self.count('B') - 10)\n\n    def pass",
        )
    ],
    'one space, but not always': [("'  W: '", "('  W: ' if game.count('B') % 2 else ' W: ')")],
}
# Reports nevertheless name these ids for such faults: the ids of printing faults.
RARE_IDS = {'one space, but not always': ['separators']}
# Combinations of faults.
PAIRS = [
    ('no-flush', 'one-space'),
    ('no-flush', 'never-passes'),
    ('no-full', 'counts-swapped'),
    ('words', 'turn-missing'),
    ('words', 'late-pass'),
    ('no-full', 'rows-columns-swapped'),
    ('rows-columns-swapped', 'from-zero'),
    ('reads-on', 'one-space'),
    ('wins-swapped', 'no-tie'),
]
MORE_PAIRS = [
    ('one-space', 'no-edges'),
    ('trailing-spaces', 'direction-missing'),
    ('prompts', 'from-zero'),
    ('no-full', 'no-tie'),
    ('turn-last', 'wins-ignored'),
    ('winner-missing', 'never-passes'),
    ('board-after-invalid', 'stuck-start'),
    ('first-player', 'square'),
    ('stuck-start', 'no-edges'),
    ('full-board-only', 'one-space'),
    ('off-board-crash', 'turn-missing'),
    ('turns-nothing', 'first-player'),
    ('prompts', 'wins-ignored'),
    ('wraps', 'no-tie'),
]
MANY = [
    ['one-space', 'rows-columns-swapped', 'wins-ignored'],
    ['words', 'late-pass', 'counts-swapped', 'board-after-invalid', 'wins-swapped'],
    ['one-space', 'words', 'from-zero', 'turn-last', 'no-tie', 'no-edges'],
]
MORE = [
    [
        'one-space',
        'trailing-spaces',
        'words',
        'no-full',
        'wins-ignored',
        'board-after-invalid',
        'first-player',
        'rows-columns-swapped',
        'occupied',
        'late-pass',
        'no-edges',
        'no-tie',
    ],
    ['one-space', 'wins-swapped', 'trailing-spaces', 'stuck-start', 'late-pass'],
    ['never-passes', 'direction-missing', 'off-board-crash', 'wins-swapped', 'prompts'],
    [
        'one-space',
        'trailing-spaces',
        'words',
        'prompts',
        'no-full',
        'turn-last',
        'wins-swapped',
        'no-tie',
        'board-after-invalid',
        'off-board-crash',
        'turns-nothing',
        'direction-missing',
    ],
]
# Programs that catch exceptions, and the ids the report names. An exception raised on purpose, or
# raised in right steps as well, is not the cause of a fault.
ASKING = """            if game.is_valid(row, col):
                break
            print('INVALID')
"""
CATCHING = {
    'all moves are refused': (
        [
            (
                ASKING,
                """            try:
                if game.is_valid(row, col, game.turn):
                    break
            except:
                pass
            print('INVALID')
""",
            )
        ],
        [],
    ),
    'nothing is turned over': (
        [
            (
                """        for r, c in self.all_flips(row, col):
            self.board[r][c] = self.turn
""",
                """        try:
            for r, c in self.all_flips(row, col):
                self.bord[r][c] = self.turn
        except Exception:
            pass
""",
            )
        ],
        [],
    ),
    'no move is found': (
        [
            (
                '        return len(self.all_flips(row, col)) > 0',
                """        try:
            return len(self.all_flips(row, col)) > 0
        except:
            return False""",
            ),
            ('+= self.line(', '+= line('),
        ],
        [],
    ),
    'an end that nobody wins': (
        [
            ("return 'NONE'", 'return NONE'),
            (
                "    print('WINNER: ' + game.winner())",
                """    try:
        print('WINNER: ' + game.winner())
    except:
        print('WINNER: B')""",
            ),
        ],
        [],
    ),
    'columns without a letter': (
        [
            (
                ASKING,
                """            try:
                if game.is_valid(row, col):
                    move = 'abc'[col] + str(row)
                    break
                print('INVALID')
            except IndexError:
                print('INVALID')
""",
            )
        ],
        [],
    ),
    'an attempt at the start': (
        [
            ('+= self.line(', '= flips or self.line('),
            (
                "    print('FULL')\n",
                """    print('FULL')
    try:
        raw_input
    except NameError:
        pass
""",
            ),
        ],
        ['one-run'],
    ),
    'the end of a board': (
        [
            ('+= self.line(', '= flips or self.line('),
            (
                '        while self.is_on_board(row, col):\n',
                """        while row >= 0 and col >= 0:
            try:
                self.board[row][col]
            except IndexError:
                return []
""",
            ),
        ],
        ['one-run'],
    ),
    'a question to a value': (
        [
            (
                """        if black == white:
            return 'NONE'
""",
                """        try:
            len(black)
        except TypeError:
            pass
""",
            )
        ],
        ['no-tie'],
    ),
    'an exception on purpose': (
        [
            (
                """        if self.board[row][col] != '.':
            return False
""",
                '',
            ),
            (
                ASKING,
                """            try:
                if not game.is_valid(row, col):
                    raise TypeError
                break
            except TypeError:
                print('INVALID')
""",
            ),
        ],
        ['occupied'],
    ),
}
# Ways to read without a flush: code at the start, the expression for each line, and the fault's id.
READING = [
    ('', 'sys.stdin.readline().strip()', 'no-flush'),
    ('lines = iter([*iter(sys.stdin.readline, "")])', 'next(lines).strip()', 'reads-first'),
    (
        'lines = [sys.stdin.readline()]',
        '(lines.append(sys.stdin.readline()) or lines.pop(0).strip())',
        'reads-early',
    ),
]
# The start of a program a student has only begun to write.
BEGIN = (
    "print('FULL')\nrows, columns, turn, wins = (input() for _ in range(4))\n"
    'board = [input().split() for _ in range(int(rows))]\n'
    "black, white = (sum(row.count(color) for row in board) for color in 'BW')\n"
)
# How such a program continues, and the ids the report names.
BEGUN = [
    ("print('B: 2 W: 2')\n", []),
    (
        "print(f'B: {black}  W: {white}')\nfor row in board:\n    print(' '.join(row))\n",
        ['winner-missing'],
    ),
]
# Changes to the words in all lines of output, and to nothing else.
GERMAN = [
    ("'FULL'", "'VOLL'"),
    ("'INVALID'", "'FALSCH'"),
    ("'VALID'", "'GUT'"),
    ("'TURN: '", "'AM ZUG: '"),
    ("'WINNER: '", "'SIEGER: '"),
    ("'B: '", "'S: '"),
]
# Combinations with a nameless fault.
BESIDE = [
    ['a crash at the tenth disc', 'no-tie'],
    ['a count of seven', 'no-flush'],
    ['a crash at the tenth disc', 'one-space', 'trailing-spaces'],
    ['one-space', 'a margin of three'],
    ['one-space', 'a count of seven'],
    ['a margin of three', 'a count of seven'],
    ['a count of seven', 'a crash at the tenth disc'],
]
# Faults the report can also name in custom assignments.
OF_PRINTING = (
    'words',
    'prompts',
    'extra-lines',
    'missing-lines',
    'twice',
    'trailing-spaces',
    'separators',
)
# The output of programs that play no game, as expressions.
HOSTILE = {
    'a NUL': r"b'\0'",
    'no UTF-8': r"b'\xff\xfe\x80' * 5000",
    'a flood': r"b'FULL\n' * 200_000",
    'empty lines': r"b'\n' * 100_000",
    'a number': "b'9' * 1_000_000",
    'a count': r"b'FULL\nB: ' + b'9' * 100_000",
    'escapes': r"b'\x1b[2J\xe2\x80\xae'",
    'a word': r"b'FULL\n' + b'B' * 500_000 + b': '",
    'nothing': "b''",
}
