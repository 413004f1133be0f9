"""Changes to sample programs in several styles; each is named after the fault it makes.

A change is a list of pairs: a text, replaced everywhere in the program, and its replacement.
"""

import wrong_nim

PRINTING, GAME = 'printing', 'game'

LOOP = {
    PRINTING: {
        'one-space': [('"B: {}  W: {}"', '"B: {} W: {}"')],
        'trailing-spaces': [('print(" ".join(line))', 'print(" ".join(line) + " ")')],
        'prompts': [('input()', 'input("> ")')],
        'words': [('print("INVALID", flush=True)', 'print("Illegal move", flush=True)')],
        'extra-lines': [
            ('        print("TURN: "', '        print("Your move?")\n        print("TURN: "')
        ],
        'no-full': [('print("FULL", flush=True)\n', '')],
        'no-newline': [('print("WINNER: " + best)', 'print("WINNER: " + best, end="")')],
        'separators': [('print("TURN: " + who, flush', 'print("TURN: ", who, flush')],
        'missing-lines': [('        print("VALID")\n', '')],
        'twice': [('        print("VALID")\n', '        print("VALID")\n' * 2)],
    },
    GAME: {
        'from-zero': [('int(r) - 1', 'int(r)'), ('int(c) - 1', 'int(c)')],
        'rows-columns-swapped': [('    r, c = input', '    c, r = input')],
        'first-player': [('who = input()', 'who = input() and "B"')],
        'wins-ignored': [('elif rule == ">":', 'elif True:')],
        'wins-swapped': [('elif rule == ">":', 'elif rule == "<":')],
        'no-tie': [('best = "NONE"', 'best = "B"')],
        'one-run': [('flips.extend(run)', 'flips = flips or run')],
        'direction-missing': [('(-1, -1), (-1, 0), (-1, 1)', '(-1, 0)')],
        'occupied': [('if grid[i][j] == ".":', 'if True:')],
        'square': [('m = int(input())', 'm = int(input()) and n')],
        'over-empty': [('grid[a][b] == enemy:', 'grid[a][b] != side:')],
    },
}
EXCEPTIONS = {
    PRINTING: {
        'one-space': [("'  W: '", "' W: '")],
        'trailing-spaces': [('print(line[:-1])', 'print(line)')],
        'prompts': [('words = input()', "words = input('Row and column: ')")],
        'words': [("print('TURN: ' + state.turn())", "print('Turn: ' + state.turn())")],
        'extra-lines': [("    print('FULL')\n", "    print('FULL')\n    print('Welcome!')\n")],
        'no-full': [("    print('FULL')\n", '')],
        'no-newline': [
            ("print('TURN: ' + state.turn())", "print('TURN: ' + state.turn(), end='')")
        ],
        'separators': [("line += cell + ' '", "line += cell + ', '"), ('line[:-1]', 'line[:-2]')],
        'turn-missing': [("        print('TURN: ' + state.turn())\n", '')],
        'winner-missing': [("    print('WINNER: ' + state.winner())\n", '')],
        'counts-swapped': [
            (
                "'B: ' + str(state.score('B')) + '  W: ' + str(state.score('W'))",
                "'B: ' + str(state.score('W')) + '  W: ' + str(state.score('B'))",
            )
        ],
        'board-after-invalid': [
            (
                "                print('INVALID')\n",
                "                print('INVALID')\n"
                '                print_score(state)\n'
                '                print_board(state)\n'
                "                print('TURN: ' + state.turn())\n",
            )
        ],
    },
    GAME: {
        'from-zero': [('int(words[0]) - 1, int(words[1]) - 1', 'int(words[0]), int(words[1])')],
        'rows-columns-swapped': [
            ('int(words[0]) - 1, int(words[1]) - 1', 'int(words[1]) - 1, int(words[0]) - 1')
        ],
        'first-player': [('    first = input()', "    first = input() and 'B'")],
        'wins-ignored': [("if self._win_rule == '<':", 'if False:')],
        'no-tie': [("return 'NONE'", "return 'W'")],
        'ends-instead-of-passing': [
            ('            self._turn = self._opposite(color)\n', '            self._turn = None\n')
        ],
        'one-run': [('result += self._line(', 'result = result or self._line(')],
        'occupied': [
            (
                "        if self._cells[row][column] != '.':\n            return []\n"
                '        result',
                '        result',
            )
        ],
        'direction-missing': [
            ('if row_delta != 0 or column_delta != 0', 'if (row_delta == 0) != (column_delta == 0)')
        ],
        'no-bracket': [
            (
                '            if not self._on_board(row, column) or '
                "self._cells[row][column] == '.':\n                return []",
                '            if not self._on_board(row, column):\n'
                '                return line\n'
                "            if self._cells[row][column] == '.':\n"
                '                return []',
            )
        ],
        'ends-at-invalid': [
            (
                "                print('INVALID')\n",
                "                print('INVALID')\n                return\n",
            )
        ],
    },
}
FUNCTIONS = {
    PRINTING: {
        'one-space': [('B: %d  W: %d', 'B: %d W: %d')],
        'trailing-spaces': [('print(" ".join(row))', 'print(" ".join(row), "")')],
        'prompts': [('input()', 'input("? ")')],
        'words': [('print("VALID")', 'print("Valid")')],
        'extra-lines': [('    print("TURN: "', '    print()\n    print("TURN: "')],
        'no-full': [('print("FULL", flush=True)\n', '')],
        'no-newline': [
            ('get_winner(board, mode), flush', 'get_winner(board, mode), end="", flush')
        ],
        'separators': [('print(" ".join(row))', 'print("".join(row))')],
        'turn-missing': [('    print("TURN: " + player, flush=True)\n', '')],
        'missing-lines': [('    print("VALID")\n', '')],
    },
    GAME: {
        'from-zero': [('int(move[0]) - 1', 'int(move[0])'), ('int(move[1]) - 1', 'int(move[1])')],
        'rows-columns-swapped': [
            ('    r = int(move[0])', '    r = int(move[1])'),
            ('    c = int(move[1])', '    c = int(move[0])'),
        ],
        'first-player': [('player = input().strip()', 'player = input() and "B"')],
        'wins-ignored': [('if mode == "<":', 'if False:')],
        'wins-swapped': [('if mode == "<":', 'if mode == ">":')],
        'no-tie': [('return "NONE"', 'return "B"')],
        'occupied': [('    if board[r][c] != ".":\n        return result\n', '')],
        'direction-missing': [('for dr in range(-1, 2)', 'for dr in range(0, 2)')],
        'turns-nothing': [('return steps - 1', 'return steps')],
        'no-edges': [
            ('len(board) - 1 or c > len(board[0]) - 1', 'len(board) - 2 or c > len(board[0]) - 2')
        ],
        'full-board-only': [
            ('while player != "":', 'while any("." in row for row in board):'),
            ('    return ""\n', '    return player\n'),
        ],
        'own-disc-missing': [('    board[r][c] = player\n', '')],
    },
}
DICTIONARY = {
    PRINTING: {
        'one-space': [("'B: {}  W: {}'", "'B: {} W: {}'")],
        'trailing-spaces': [
            ("print('VALID' if is_new else 'INVALID')", "print('VALID ' if is_new else 'INVALID ')")
        ],
        'words': [("print('WINNER:'", "print('Winner is:'")],
        'extra-lines': [
            (
                '    is_new = game.play(y, x)\n',
                "    print('move', y, x)\n    is_new = game.play(y, x)\n",
            )
        ],
        'no-full': [("print('FULL')\n", '')],
        'separators': [("print('TURN:', game.player)", "print('TURN: ', game.player)")],
        'no-newline': [
            ("print('WINNER:', game.winner())", "print('WINNER:', game.winner(), end='')")
        ],
        'turn-missing': [("        print('TURN:', game.player)\n", '')],
        'prompts': [
            (
                'y, x = map(int, game.read()',
                "print('Move: ', end='')\n    y, x = map(int, game.read()",
            )
        ],
        'turn-last': [("print('WINNER:'", "print('TURN:', game.player)\nprint('WINNER:'")],
    },
    GAME: {
        'from-zero': [
            (
                'y, x = map(int, game.read().split())',
                'y, x = (int(word) + 1 for word in game.read().split())',
            )
        ],
        'rows-columns-swapped': [('y, x = map', 'x, y = map')],
        'first-player': [('self.player = self.read()', "self.player = self.read() and 'B'")],
        'wins-ignored': [('if not self.most_wins:', 'if False:')],
        'wins-swapped': [('if not self.most_wins:', 'if self.most_wins:')],
        'no-tie': [("return 'NONE'", "return 'B'")],
        'occupied': [('        if (y, x) in self.discs:\n            return set()\n', '')],
        'one-run': [('captured |= line', 'captured = captured or line')],
        'direction-missing': [('(-1, -1), (-1, 0), (-1, 1)', '(-1, 0), (-1, 1)')],
        'over-empty': [
            (
                'while self.discs.get((cy, cx), player) != player:',
                'while (1 <= cy <= self.height and 1 <= cx <= self.width\n'
                '                   and self.discs.get((cy, cx)) != player):',
            )
        ],
    },
}
STYLES = {
    'othello_loop': LOOP,
    'othello_exceptions': EXCEPTIONS,
    'othello_functions': FUNCTIONS,
    'othello_dictionary': DICTIONARY,
}


def divide(faults, *printing):
    """Return the faults of a sample as a table: the named faults of printing, and all others."""
    return {
        PRINTING: {name: faults[name] for name in printing},
        GAME: {name: change for name, change in faults.items() if name not in printing},
    }


RECORDED = divide(
    {
        **wrong_nim.RECORDED,
        'extra-lines': [('    player = 1\n', "    print('Checking')\n    player = 1\n")],
    },
    'one-space',
    'trailing-spaces',
    'words',
    'extra-lines',
)
PILES = divide(
    {
        **wrong_nim.PILES,
        'trailing-spaces': [("'=', piles[number])", "'=', piles[number], '')")],
        'separators': [("print('pile', number, '=',", "print('pile', number, '= ',")],
    },
    'prompts',
    'trailing-spaces',
    'separators',
)
SUMS = {
    PRINTING: {
        'prompts': [('iter(input,', "iter(lambda: input('Next number: '),")],
        'words': [('All in all:', 'Altogether:')],
        'separators': [("'Half more:'", "'Half more: '")],
        'extra-lines': [('total = 0\n', "total = 0\nprint('Enter your numbers')\n")],
        'missing-lines': [("print('Welcome to Sums')\n", '')],
        'trailing-spaces': [('* 1.5)', "* 1.5, '')")],
        'no-newline': [("in all:', total)", "in all:', total, end='')")],
    },
    GAME: {},
}
OTHERS = {'recorded': RECORDED, 'piles': PILES, 'sums': SUMS}

TURN = '        print("TURN: " + who, flush=True)\n'
MOVE = 'r, c = input().split()'
WITHOUT_PROMPTS = [
    ('input(question)', 'input()'),
    ('            continue\n', "            print('INVALID')\n            continue\n"),
    ('            return number\n', "            return number\n        print('INVALID')\n"),
]
# Programs with faults easily mistaken for others. Each row: the program's name, the sample, some of
# its faults, other changes, and the ids the report names.
ALIKE = [
    (
        'checks only the last row and column',
        'othello',
        (),
        [('0 <= row < self.rows and 0 <= col <', 'row < self.rows and col <')],
        ['wraps'],
    ),
    (
        'does not check the cell of a move',
        'othello',
        (),
        [
            (
                '        if not self.is_on_board(row, col):\n            return False\n'
                '        if self.board',
                '        if self.board',
            )
        ],
        ['wraps'],
    ),
    (
        'prompts, and ends at the first invalid move',
        'othello',
        ['prompts', 'ends-at-invalid'],
        [],
        ['prompts', 'ends-at-invalid'],
    ),
    (
        'no VALID, and other discs flipped',
        'othello',
        ['missing-lines', 'turns-elsewhere'],
        [],
        ['missing-lines', 'turns-elsewhere'],
    ),
    (
        'a list before the board, and the counts after it',
        'othello',
        (),
        [
            (
                "    print('B: ' + str(game.count('B')) + '  W: ' + str(game.count('W')))\n"
                '    for row in game.board:\n'
                "        print(' '.join(row))\n",
                '    print([row for row in range(game.rows) if game.is_valid(row, 0)])\n'
                '    for row in game.board:\n'
                "        print(' '.join(row))\n"
                "    print('B: ' + str(game.count('B')) + '  W: ' + str(game.count('W')))\n",
            )
        ],
        [],
    ),
    (
        'the state before VALID, and no INVALID',
        'othello',
        (),
        [
            (
                '            if game.is_valid(row, col):',
                '            if game.is_on_board(row, col):',
            ),
            ("        print('VALID')\n        game", '        game'),
            (
                '        game.pass_if_stuck()\n        show(game)\n',
                "        game.pass_if_stuck()\n        show(game)\n        print('VALID')\n",
            ),
        ],
        [],
    ),
    (
        'ends after two moves',
        'othello',
        ['from-zero', 'winner-missing'],
        [
            (
                '    while not game.is_over():\n',
                '    for _ in range(2):\n        if game.is_over():\n            break\n',
            )
        ],
        ['from-zero', 'winner-missing'],
    ),
    (
        'dots for spaces between the cells',
        'othello',
        (),
        [("print(' '.join(row))", "print(' '.join(row).replace(' ', '.'))")],
        ['separators'],
    ),
    (
        'a space after each cell, and Turn',
        'othello',
        (),
        [("print(' '.join(row))", "print(' '.join(row), '')"), ("'TURN: '", "'Turn:  '")],
        ['trailing-spaces', 'words'],
    ),
    (
        'ends after the first TURN',
        'othello',
        (),
        [
            (
                "        print('TURN: ' + game.turn)\n",
                "        print('TURN: ' + game.turn)\n        return\n",
            )
        ],
        [],
    ),
    (
        'a pile of 0 coins is accepted, and others are refused in other words',
        'piles',
        (),
        [
            ("'How many in pile %d? ' % number, 1,", "'How many in pile %d? ' % number, 0,"),
            (
                '            continue\n',
                "            print('Please give a valid number')\n            continue\n",
            ),
            (
                '            return number\n',
                "            return number\n        print('Please give a valid number')\n",
            ),
        ],
        ['accepts-refused'],
    ),
    (
        'a pile of 0 coins is accepted, without prompts',
        'piles',
        (),
        [
            ("'How many in pile %d? ' % number, 1,", "'How many in pile %d? ' % number, 0,"),
            *WITHOUT_PROMPTS,
        ],
        ['accepts-refused'],
    ),
    (
        'the user plays for the computer',
        'piles',
        (),
        [
            (
                '    pile, count = best_move(piles)\n',
                "    pile = ask('Which pile? ', 0, len(piles) - 1)\n"
                "    count = ask('How many? ', 1, piles[pile])\n",
            ),
            *WITHOUT_PROMPTS,
        ],
        [],
    ),
    (
        'all piles in one line',
        'piles',
        (),
        [
            (
                '    for number in range(len(piles)):\n'
                "        print('pile', number, '=', piles[number])\n",
                "    print(*('pile %d = %d' % pile for pile in enumerate(piles)))\n",
            )
        ],
        ['no-newline'],
    ),
    (
        'wins after the first move',
        'piles',
        (),
        [("if sum(piles) == 0:\n        print('You", "if True:\n        print('You")],
        [],
    ),
    (
        'no piles after a move of the computer',
        'piles',
        (),
        [('    piles[pile] -= count\n    show(piles)\n', '    piles[pile] -= count\n')],
        [],
    ),
    (
        'ends after the board',
        'othello',
        (),
        [
            ('    while not game.is_over():\n', '    while False:\n'),
            ("    print('WINNER: ' + game.winner())\n", ''),
        ],
        [],
    ),
    (
        'ends at a wrong move, with status 1',
        'othello',
        (),
        [("            print('INVALID')\n", '            raise SystemExit(1)\n')],
        [],
    ),
    (
        'reads a line before the board',
        'othello',
        (),
        [('    board = []\n', '    board = []\n    corner = input()\n')],
        [],
    ),
    (
        'a frame with two spaces too many',
        'stones',
        (),
        [("%s!!!     *'", "%s!!!       *'")],
        ['box-width'],
    ),
    (
        'piles from 1 everywhere',
        'piles',
        (),
        [
            ("print('pile', number,", "print('pile', number + 1,"),
            ("ask('Which pile? ', 0, len(piles) - 1)", "ask('Which pile? ', 1, len(piles)) - 1"),
            ('(count, pile)', '(count, pile + 1)'),
        ],
        ['piles-from-one'],
    ),
    (
        'a newline after each prompt',
        'piles',
        (),
        [('input(question)', "input(question.rstrip() + '\\n')")],
        [],
    ),
    (
        'a tie only by most discs',
        'othello',
        [],
        [
            (
                "        if black == white:\n            return 'NONE'\n        if self.wins == '>':\n",
                "        if self.wins == '>':\n            if black == white:\n"
                "                return 'NONE'\n",
            )
        ],
        ['no-tie'],
    ),
    (
        'a disc that stays on an empty cell',
        'othello',
        [],
        [
            (
                '        return len(self.all_flips(row, col)) > 0\n',
                '        self.board[row][col] = self.turn\n'
                '        return len(self.all_flips(row, col)) > 0\n',
            ),
            (
                '        return any(self.is_valid(row, col)\n',
                "        return any(self.board[row][col] == '.' and self.all_flips(row, col)\n",
            ),
        ],
        ['disc-stays'],
    ),
    (
        'answers behind the end of the input',
        'othello',
        ['last-run'],
        [
            (
                'row, col = (int(word) - 1 for word in input().split())',
                'try:\n                line = input()\n            except EOFError:\n'
                "                line = '0 0'\n"
                '            row, col = (int(word) - 1 for word in line.split())',
            )
        ],
        ['last-run'],
    ),
    (
        'runs of six discs at most',
        'othello',
        [],
        [('return found\n', 'return found if len(found) < 7 else []\n')],
        ['short-runs'],
    ),
    (
        'a disc that a refused move takes away',
        'othello',
        [],
        [
            (
                '            if game.is_valid(row, col):\n                break\n',
                '            if game.is_valid(row, col):\n                break\n'
                '            if game.is_on_board(row, col):\n'
                "                game.board[row][col] = '.'\n",
            )
        ],
        ['disc-stays'],
    ),
    (
        'gaps between the discs of a run',
        'othello',
        [],
        [
            (
                "            if self.board[row][col] == '.':\n",
                "            if self.board[row][col] == '.' and not found:\n",
            )
        ],
        ['over-empty'],
    ),
    (
        'too many coins, then another pile',
        'piles',
        [],
        [
            (
                "    piles[pile] -= ask('How many? ', 1, piles[pile])\n",
                """\
    count = ask('How many? ', 1, 10 ** 6)
    while count > piles[pile]:
        pile = ask('Which pile? ', 0, len(piles) - 1)
        count = ask('How many? ', 1, 10 ** 6)
    piles[pile] -= count
""",
            )
        ],
        ['asks-pile-again'],
    ),
    (
        'one pile of any size at the end',
        'recorded',
        [],
        [('sum(sizes) != 1', 'len([size for size in sizes if size]) != 1')],
        ['ends-unchecked'],
    ),
    (
        'no pile above one at the end',
        'recorded',
        [],
        [('sum(sizes) != 1', 'max(sizes) != 1')],
        ['ends-unchecked'],
    ),
    (
        '1 coins only for the user',
        'tlcw',
        [],
        [("print('You take ' + coins(taken) + '.')", "print('You take %d coins.' % taken)")],
        ['always-coins'],
    ),
    (
        'more stones than there are',
        'stones',
        [],
        [('most = min(left, 3)', 'most = 3')],
        ['fixed-bound'],
    ),
    ('> everywhere', 'othello_loop', ['prompts'], [], ['prompts']),
    ('>>> at moves', 'othello_loop', [], [(MOVE, 'r, c = input(">>> ").split()')], ['prompts']),
    (
        '? and one space',
        'othello_functions',
        ['prompts', 'one-space'],
        [],
        ['prompts', 'one-space'],
    ),
    (
        '> and spaces at the end',
        'othello_loop',
        ['prompts', 'trailing-spaces'],
        [],
        ['prompts', 'trailing-spaces'],
    ),
    ('> and from zero', 'othello_loop', ['prompts', 'from-zero'], [], ['prompts', 'from-zero']),
    ('? and no FULL', 'othello_functions', ['prompts', 'no-full'], [], ['prompts', 'no-full']),
    ('> and one run', 'othello_loop', ['prompts', 'one-run'], [], ['prompts', 'one-run']),
    (
        '> and no pass',
        'othello_loop',
        ['prompts'],
        [
            (
                '        if not moves[who]:\n            who = other\n',
                '        if not moves[other] and not moves[who]:\n            who = other\n',
            )
        ],
        ['prompts', 'ends-instead-of-passing'],
    ),
    (
        'a prompt and the state after INVALID',
        'othello_exceptions',
        ['prompts', 'board-after-invalid'],
        [],
        ['prompts', 'board-after-invalid'],
    ),
    # FULL is printed together with the first prompt. Otherwise, timing would decide in which turn
    # the grader reads the prompt.
    (
        '>>> at the setup',
        'othello_loop',
        [],
        [
            ('"FULL", flush=True', '"FULL"'),
            ('n = int(input())', 'n = int(input(">>> "))'),
            ('m = int(input())', 'm = int(input(">>> "))'),
        ],
        ['prompts'],
    ),
    (
        'prompts at the setup',
        'othello_loop',
        [],
        [
            ('"FULL", flush=True', '"FULL"'),
            ('n = int(input())', 'n = int(input("Rows: "))'),
            ('m = int(input())', 'm = int(input("Columns: "))'),
            ('grid.append(input()', 'grid.append(input("Row %d: " % (i + 1))'),
        ],
        ['prompts'],
    ),
    (
        'the turn as a prompt',
        'othello_exceptions',
        [],
        [
            (
                "print('TURN: ' + state.turn())\n        while True:\n            try:\n"
                '                words = input()',
                'turn = state.turn()\n        while True:\n'
                "            try:\n                words = input('TURN: ' + turn)",
            )
        ],
        ['no-newline', 'board-after-invalid'],
    ),
    (
        'a question before each move',
        'othello_loop',
        ['extra-lines', 'from-zero'],
        [],
        ['extra-lines', 'from-zero'],
    ),
    ('two spaces', 'othello_loop', ['separators'], [], ['separators']),
    (
        'spaces for empty cells',
        'othello',
        [],
        [("' '.join(row)", "' '.join(row).replace('.', ' ')")],
        ['words'],
    ),
    (
        'cells in brackets',
        'othello',
        [],
        [("' '.join(row)", "''.join('[' + cell.replace('.', ' ') + ']' for cell in row)")],
        ['separators'],
    ),
    (
        'a fifth line, and a board of wrong moves',
        'othello',
        ['fifth-setup-line'],
        [
            (
                'row, col = (int(word) - 1 for word in input().split())',
                "words = input().split()\n            if '.' in words or 'B' in words or 'W' in words:\n"
                "                print('INVALID')\n                continue\n"
                '            row, col = (int(word) - 1 for word in words)',
            )
        ],
        ['fifth-setup-line'],
    ),
    (
        'FULL after the setup',
        'othello_loop',
        [],
        [
            ('print("FULL", flush=True)\n', ''),
            ('state = "start"', 'print("FULL", flush=True)\nstate = "start"'),
        ],
        ['reads-early'],
    ),
    ('own words for INVALID', 'othello_loop', ['words'], [], ['words']),
    ('WINNER without its newline', 'othello_loop', ['no-newline'], [], ['no-newline']),
    (
        'sizes swapped',
        'othello_loop',
        [],
        [('n = int(input())\nm = int(input())', 'm = int(input())\nn = int(input())')],
        ['columns-before-rows'],
    ),
    (
        'never looks at the last row and column',
        'othello_loop',
        [],
        [
            (
                'for i in range(n):\n                for j in range(m)',
                'for i in range(n - 1):\n                for j in range(m - 1)',
            )
        ],
        ['edges-unseen'],
    ),
    (
        'never looks at the first row and column',
        'othello_loop',
        [],
        [
            (
                'for i in range(n):\n                for j in range(m)',
                'for i in range(1, n):\n                for j in range(1, m)',
            )
        ],
        ['edges-unseen'],
    ),
    (
        'no move in the first row',
        'othello_dictionary',
        [],
        [('if not 1 <= y <= self.height', 'if not 2 <= y <= self.height')],
        ['edge-unseen'],
    ),
    ('own disc not placed', 'othello_functions', ['own-disc-missing'], [], ['own-disc-missing']),
    ('runs leave the board', 'othello_exceptions', ['no-bracket'], [], ['no-bracket']),
    (
        'runs leave the board and go over gaps',
        'othello_loop',
        [],
        [
            ('grid[a][b] == enemy:', 'grid[a][b] != side:'),
            ('if run and 0 <= a < n and 0 <= b < m and grid[a][b] == side:', 'if run:'),
        ],
        ['over-all'],
    ),
    (
        'runs no longer than there are rows',
        'othello_loop',
        [],
        [('if run and 0 <=', 'if run and len(run) + 1 < n and 0 <=')],
        ['short-runs'],
    ),
    (
        'moves computed once',
        'othello_loop',
        [],
        [
            (
                '    if state != "invalid":\n        moves = {}\n        for side in ["B", "W"]:\n',
                '    if state != "invalid":\n        moves = moves if state == "valid" else {}\n'
                '        for side in ["B", "W"] if state == "start" else []:\n',
            )
        ],
        ['moves-of-start'],
    ),
    (
        'ends at the first INVALID',
        'othello_exceptions',
        ['ends-at-invalid'],
        [],
        ['ends-at-invalid'],
    ),
    (
        'the turn changes at INVALID',
        'othello',
        [],
        [
            (
                "            print('INVALID')\n",
                "            print('INVALID')\n            game.switch()\n",
            )
        ],
        ['invalid-passes'],
    ),
    # The program sleeps so that the next line is typed before the state is printed.
    (
        'no second try after INVALID',
        'othello',
        [],
        [
            (
                "            print('INVALID')\n        print('VALID')\n        game.move(row, col)\n"
                '        game.pass_if_stuck()\n',
                "            print('INVALID', flush=True)\n            __import__('time').sleep(0.05)\n"
                '            game.switch()\n            row = None\n'
                "            break\n        if row is not None:\n            print('VALID')\n"
                '            game.move(row, col)\n        game.pass_if_stuck()\n',
            )
        ],
        ['invalid-passes'],
    ),
    (
        'VALID after INVALID',
        'othello',
        [],
        [
            (
                "            print('INVALID')\n",
                "            print('INVALID')\n            print('VALID')\n",
            )
        ],
        ['board-after-invalid'],
    ),
    (
        'VALID and the other turn after INVALID',
        'othello',
        [],
        [
            (
                "            print('INVALID')\n        print('VALID')\n        game.move(row, col)\n"
                '        game.pass_if_stuck()\n',
                "            print('INVALID')\n            game.switch()\n            row = None\n"
                "            break\n        print('VALID')\n        if row is not None:\n"
                '            game.move(row, col)\n        game.pass_if_stuck()\n',
            )
        ],
        ['invalid-passes'],
    ),
    (
        'ends when either player cannot move',
        'othello',
        [],
        [('not mine and not theirs', 'not mine or not theirs')],
        ['ends-instead-of-passing'],
    ),
    (
        'one row many times',
        'othello_loop',
        [],
        [
            (
                'grid = []\nfor i in range(n):\n    grid.append(input().split())\n',
                'grid = [["."] * m] * n\nfor i in range(n):\n    grid[i][:] = input().split()\n',
            )
        ],
        ['rows-alike'],
    ),
    (
        'reads the column first, and crashes off the board',
        'othello_functions',
        [],
        [
            (
                '        if in_bounds(board, r, c):\n',
                '        if in_bounds(board, r, c):\n            r, c = c, r\n',
            )
        ],
        ['rows-columns-swapped'],
    ),
    (
        'sizes swapped, and rows as wide as they are',
        'othello_functions',
        [],
        [
            (
                'num_rows = int(input())\nnum_cols = int(input())',
                'num_cols = int(input())\nnum_rows = int(input())',
            )
        ],
        ['columns-before-rows'],
    ),
    (
        'the second number twice',
        'othello_functions',
        [],
        [('int(move[0]) - 1', 'int(move[1]) - 1')],
        ['first-number'],
    ),
    (
        'crashes only on boards that are not square',
        'othello_functions',
        [],
        [
            (
                'player = next_player(board, player)\nprint_state',
                '[0][abs(num_rows - num_cols)]\nplayer = next_player(board, player)\nprint_state',
            )
        ],
        ['not-square-crash'],
    ),
    (
        'free words',
        'piles',
        ['piles-from-one'],
        [('You win ... this time', 'Congratulations')],
        ['piles-from-one'],
    ),
    (
        'a move is printed before it is checked',
        'recorded',
        ['prints-before-checking'],
        [
            ('    if taken == sum(sizes):\n        raise ValueError\n', ''),
            (
                '        player = 2 if',
                '        if sum(sizes) == 0:\n            raise ValueError\n        player = 2 if',
            ),
        ],
        ['prints-before-checking'],
    ),
    (
        'one direction missing',
        'othello',
        [],
        [('(0, 1), (1, 1), (1, 0)', '(0, 1), (1, 0)')],
        ['direction-missing'],
    ),
    (
        'colors spelled out',
        'othello',
        [],
        [
            ("'B: '", "'Black: '"),
            ("'  W: '", "'  White: '"),
            (
                "print('TURN: ' + game.turn)",
                "print('TURN: ' + {'B': 'Black', 'W': 'White'}[game.turn])",
            ),
        ],
        ['words'],
    ),
    ('an equals sign', 'othello', [], [("'TURN: '", "'Turn = '")], ['words']),
    ('a word more', 'othello', [], [("print('INVALID')", "print('INVALID MOVE')")], ['words']),
    (
        'numbers of rows and columns',
        'othello',
        [],
        [
            (
                "    for row in game.board:\n        print(' '.join(row))",
                "    print('  ', *range(game.columns))\n    for number, row in enumerate(game.board):\n"
                "        print('%2d' % number, ' '.join(row))",
            )
        ],
        ['extra-lines', 'row-numbers'],
    ),
    (
        'the other winner',
        'tlcw',
        [],
        [("if last == 'U' and not cheated", "if last != 'U' or cheated")],
        ['cheat-wins'],
    ),
    (
        'words in small letters, and a debug print',
        'othello',
        [],
        [
            (
                "print('TURN: ' + game.turn)",
                "print('debug', rows)\n        print('turn: ' + game.turn)",
            )
        ],
        ['words', 'extra-lines'],
    ),
    (
        'prompts for everything',
        'othello',
        ['prompts'],
        [
            ('rows = int(input())', "rows = int(input('Rows? '))"),
            ('columns = int(input())', "columns = int(input('Columns? '))"),
            ('board.append(input()', "board.append(input('Row: ')"),
        ],
        ['prompts'],
    ),
    ('a list is printed', 'othello', [], [("print(' '.join(row))", 'print(row)')], ['separators']),
    (
        'all input is read first',
        'othello_loop',
        [],
        [
            (
                'n = int(input())',
                'import sys\nread = sys.stdin.read().splitlines()\n'
                'input = lambda: read.pop(0)\nn = int(input())',
            )
        ],
        ['reads-first'],
    ),
    (
        'the board in place of INVALID',
        'othello',
        [],
        [
            ("print('TURN: ' + game.turn)", "print('TURN: ' + game.turn.lower())"),
            ("print('INVALID')", 'show(game)'),
        ],
        ['words', 'missing-lines'],
    ),
    (
        'all input is read after FULL, and the cells have two spaces',
        'othello_loop',
        [],
        [
            ('print(" ".join(line))', 'print("  ".join(line))'),
            (
                'n = int(input())',
                'import sys\nread = sys.stdin.read().splitlines()\n'
                'input = lambda: read.pop(0)\nn = int(input())',
            ),
        ],
        ['reads-first'],
    ),
    (
        'asks to play again',
        'othello_loop',
        [],
        [
            (
                'print("WINNER: " + best)',
                'print("WINNER: " + best)\nif input("Play again? ") != "y":\n    pass',
            )
        ],
        ['reads-on'],
    ),
    (
        'an endless loop after the end',
        'othello_loop',
        [],
        [
            (
                'print("WINNER: " + best)',
                'print("WINNER: " + best, flush=True)\nimport time\nwhile True:\n    time.sleep(9)',
            )
        ],
        ['endless'],
    ),
    (
        'a thread that goes on after the end',
        'othello_loop',
        [],
        [
            (
                'print("WINNER: " + best)',
                'print("WINNER: " + best, flush=True)\nimport threading\n'
                'threading.Thread(target=threading.Event().wait).start()',
            )
        ],
        ['thread'],
    ),
    (
        'a prompt without its question mark',
        'piles',
        [],
        [("'Which pile? '", "'Which pile'")],
        ['prompts'],
    ),
    ('a prompt without its space', 'piles', [], [("'Which pile? '", "'Which pile?'")], ['prompts']),
]
# Programs with nameless faults: the program's name, the sample, and the changes.
NAMELESS = [
    ('the first row is off the board', 'othello', [('0 <= row <', '0 < row <')]),
    (
        'a cell and a direction change places',
        'othello',
        [('self.line(row, col, y, x)', 'self.line(x, y, col, row)')],
    ),
    (
        'crashes on every board',
        'othello_functions',
        [('print_state(board)\nwhile', 'print_state(None)\nwhile')],
    ),
    (
        'a border is as wide as the board is high',
        'othello',
        [
            (
                "    for row in game.board:\n        print(' '.join(row))",
                "    cells = ['#'] * (game.columns + 2)\n    for row in game.board:\n"
                "        cells += ['#', *row, '#']\n    for row in range(1, game.rows + 1):\n"
                "        print(' '.join(cells[row * (game.rows + 2) + 1:][:game.columns]))",
            )
        ],
    ),
    (
        'prints PASS',
        'othello_loop',
        [
            ('        if not moves[who]:\n            who = other\n', ''),
            (
                '        if not moves[who]:\n            break\n        print("TURN: " + who, flush=True)\n',
                '        if not moves[who] and not moves[other]:\n            break\n'
                '        print("TURN: " + who, flush=True)\n        if not moves[who]:\n'
                '            print("PASS")\n            who = other\n            continue\n',
            ),
        ],
    ),
    (
        'the counts leave a variable changed',
        'othello_loop',
        [
            (
                '        print("B: {}  W: {}".format(black, white))\n',
                '        text = ""\n        for who in "BW":\n'
                '            text += who + ": " + str(sum(line.count(who) for line in grid)) + "  "\n'
                '        print(text)\n',
            )
        ],
    ),
    (
        'the other color is always W',
        'othello_functions',
        [
            (
                'def opponent(player):\n',
                'def opponent(player):\n    if player == "B" or "b":\n        return "W"\n',
            ),
            ('move = input()', 'move = input("> ")'),
        ],
    ),
    ('a crash on import', 'othello', [('class Game', 'board = {}[0]\n\n\nclass Game')]),
    (
        'another assignment, with a welcome',
        'othello',
        [
            ("print('FULL')", "print('Welcome to Othello!')"),
            (
                '    rows = int(input())\n',
                "    rows = int(input('How many rows (4 to 16)? '))\n    while input('Row: '):\n"
                "        print('Sorry, you can not move there')\n",
            ),
        ],
    ),
    (
        'crashes after a line of its own',
        'othello',
        [
            (
                '        game.move(row, col)\n',
                "        print('flipping', row, col)\n        [0][game.count('B') > 4]\n"
                '        game.move(row, col)\n',
            )
        ],
    ),
    (
        'a crash only beyond the assignment',
        'othello',
        [
            ("'  W: '", "' W: '"),
            (
                '    while not game.is_over',
                '    if first != game.turn and not game.is_over():\n        {}[0]\n'
                '    while not game.is_over',
            ),
        ],
    ),
    (
        'no score is printed',
        'stones',
        [
            (
                "    print('The score so far:')\n"
                "    for name, score in zip(names + ['The Python'], scores):\n"
                "        print('%s: %d' % (name, score))\n    print()\n",
                '',
            )
        ],
    ),
    ('welcomes one player twice', 'stones', [('(names[0], names[1]))', '(names[1], names[1]))')]),
    (
        'crashes in two places',
        'othello',
        [
            (
                "            print('INVALID')\n",
                "            print('INVALID')\n            [][row]\n",
            ),
            ("        return 'NONE'", '        return {}[black]'),
        ],
    ),
    (
        'reads a line too many',
        'othello',
        [('    game = Game(rows', '    input()\n    game = Game(rows')],
    ),
    (
        'W wins a tie under <, and a game that is over at the start never ends',
        'othello',
        [
            ("return 'NONE'", "return 'NONE' if self.wins == '>' else 'W'"),
            (
                '    while not game.is_over():\n        print',
                '    while game.last and game.is_over():\n        pass\n'
                '    while not game.is_over():\n        print',
            ),
            (
                '        game.move(row, col)\n',
                "        game.move(row, col)\n        game.last = ''\n",
            ),
        ],
    ),
    ('INVALID for VALID', 'othello_functions', [('print("VALID")', 'print("INVALID")')]),
    ('the state comes elsewhere', 'piles', [('10 ** 6))\nshow(piles)', '10 ** 6))')]),
    (
        'a segmentation fault',
        'othello_loop',
        [('print("WINNER: " + best)', 'import os\nos.kill(os.getpid(), 11)')],
    ),
    (
        'an exit status',
        'othello_loop',
        [('print("WINNER: " + best)', 'print("WINNER: " + best)\nraise SystemExit(3)')],
    ),
]
# Samples with several faults each. Most of these faults move the output that shows another fault.
MOVED = [
    ('othello_exceptions', 'extra-lines', 'prompts'),
    ('othello_exceptions', 'words', 'extra-lines', 'counts-swapped'),
    ('othello_loop', 'no-full', 'no-newline'),
    ('piles', 'prompts', 'not-optimal'),
    ('sums', 'separators', 'prompts', 'trailing-spaces'),
]
