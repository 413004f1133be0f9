"""Changes that make wrong programs of right ones in four styles, each with the fault of its name.

Each text is replaced everywhere by the one behind it.
"""

import wrong_nim

PRINTING, GAME = 'printing', 'game'

LOOP = {
    PRINTING: {
        'one-blank': [('"B: {}  W: {}"', '"B: {} W: {}"')],
        'trailing-blanks': [('print(" ".join(line))', 'print(" ".join(line) + " ")')],
        'prompts': [('input()', 'input("> ")')],
        'words': [('print("INVALID", flush=True)', 'print("Illegal move", flush=True)')],
        'extra-lines': [('        print("TURN: "', '        print("Your move?")\n'
                         '        print("TURN: "')],
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
        'one-blank': [("'  W: '", "' W: '")],
        'trailing-blanks': [('print(line[:-1])', 'print(line)')],
        'prompts': [('words = input()', "words = input('Row and column: ')")],
        'words': [("print('TURN: ' + state.turn())", "print('Turn: ' + state.turn())")],
        'extra-lines': [("    print('FULL')\n", "    print('FULL')\n    print('Welcome!')\n")],
        'no-full': [("    print('FULL')\n", '')],
        'no-newline': [("print('TURN: ' + state.turn())",
                        "print('TURN: ' + state.turn(), end='')")],
        'separators': [("line += cell + ' '", "line += cell + ', '"), ('line[:-1]', 'line[:-2]')],
        'turn-missing': [("        print('TURN: ' + state.turn())\n", '')],
        'winner-missing': [("    print('WINNER: ' + state.winner())\n", '')],
        'counts-swapped': [("'B: ' + str(state.score('B')) + '  W: ' + str(state.score('W'))",
                            "'B: ' + str(state.score('W')) + '  W: ' + str(state.score('B'))")],
        'board-after-invalid': [("                print('INVALID')\n",
                                 "                print('INVALID')\n"
                                 "                print_score(state)\n"
                                 "                print_board(state)\n"
                                 "                print('TURN: ' + state.turn())\n")],
    },
    GAME: {
        'from-zero': [('int(words[0]) - 1, int(words[1]) - 1', 'int(words[0]), int(words[1])')],
        'rows-columns-swapped': [('int(words[0]) - 1, int(words[1]) - 1',
                                  'int(words[1]) - 1, int(words[0]) - 1')],
        'first-player': [('    first = input()', "    first = input() and 'B'")],
        'wins-ignored': [("if self._win_rule == '<':", 'if False:')],
        'no-tie': [("return 'NONE'", "return 'W'")],
        'ends-instead-of-passing': [('            self._turn = self._opposite(color)\n',
                                     '            self._turn = None\n')],
        'one-run': [('result += self._line(', 'result = result or self._line(')],
        'occupied': [("        if self._cells[row][column] != '.':\n            return []\n"
                      "        result", '        result')],
        'direction-missing': [('if row_delta != 0 or column_delta != 0',
                               'if (row_delta == 0) != (column_delta == 0)')],
        'no-bracket': [("            if not self._on_board(row, column) or "
                        "self._cells[row][column] == '.':\n                return []",
                        '            if not self._on_board(row, column):\n'
                        '                return line\n'
                        "            if self._cells[row][column] == '.':\n"
                        '                return []')],
        'ends-at-invalid': [("                print('INVALID')\n",
                             "                print('INVALID')\n                return\n")],
    },
}
FUNCTIONS = {
    PRINTING: {
        'one-blank': [('B: %d  W: %d', 'B: %d W: %d')],
        'trailing-blanks': [('print(" ".join(row))', 'print(" ".join(row), "")')],
        'prompts': [('input()', 'input("? ")')],
        'words': [('print("VALID")', 'print("Valid")')],
        'extra-lines': [('    print("TURN: "', '    print()\n    print("TURN: "')],
        'no-full': [('print("FULL", flush=True)\n', '')],
        'no-newline': [('get_winner(board, mode), flush',
                        'get_winner(board, mode), end="", flush')],
        'separators': [('print(" ".join(row))', 'print("".join(row))')],
        'turn-missing': [('    print("TURN: " + player, flush=True)\n', '')],
        'missing-lines': [('    print("VALID")\n', '')],
    },
    GAME: {
        'from-zero': [('int(move[0]) - 1', 'int(move[0])'), ('int(move[1]) - 1', 'int(move[1])')],
        'rows-columns-swapped': [('    r = int(move[0])', '    r = int(move[1])'),
                                 ('    c = int(move[1])', '    c = int(move[0])')],
        'first-player': [('player = input().strip()', 'player = input() and "B"')],
        'wins-ignored': [('if mode == "<":', 'if False:')],
        'wins-swapped': [('if mode == "<":', 'if mode == ">":')],
        'no-tie': [('return "NONE"', 'return "B"')],
        'occupied': [('    if board[r][c] != ".":\n        return result\n', '')],
        'direction-missing': [('for dr in range(-1, 2)', 'for dr in range(0, 2)')],
        'turns-nothing': [('return steps - 1', 'return steps')],
        'no-edges': [('len(board) - 1 or c > len(board[0]) - 1',
                      'len(board) - 2 or c > len(board[0]) - 2')],
        'full-board-only': [('while player != "":', 'while any("." in row for row in board):'),
                            ('    return ""\n', '    return player\n')],
        'own-disc-missing': [('    board[r][c] = player\n', '')],
    },
}
DICTIONARY = {
    PRINTING: {
        'one-blank': [("'B: {}  W: {}'", "'B: {} W: {}'")],
        'trailing-blanks': [("print('VALID' if is_new else 'INVALID')",
                             "print('VALID ' if is_new else 'INVALID ')")],
        'words': [("print('WINNER:'", "print('Winner is:'")],
        'extra-lines': [('    is_new = game.play(y, x)\n',
                         "    print('move', y, x)\n    is_new = game.play(y, x)\n")],
        'no-full': [("print('FULL')\n", '')],
        'separators': [("print('TURN:', game.player)", "print('TURN: ', game.player)")],
        'no-newline': [("print('WINNER:', game.winner())",
                        "print('WINNER:', game.winner(), end='')")],
        'turn-missing': [("        print('TURN:', game.player)\n", '')],
        'prompts': [("y, x = map(int, game.read()", "print('Move: ', end='')\n    "
                     "y, x = map(int, game.read()")],
        'turn-last': [("print('WINNER:'", "print('TURN:', game.player)\nprint('WINNER:'")],
    },
    GAME: {
        'from-zero': [('y, x = map(int, game.read().split())',
                       'y, x = (int(word) + 1 for word in game.read().split())')],
        'rows-columns-swapped': [('y, x = map', 'x, y = map')],
        'first-player': [('self.player = self.read()', "self.player = self.read() and 'B'")],
        'wins-ignored': [('if not self.most_wins:', 'if False:')],
        'wins-swapped': [('if not self.most_wins:', 'if self.most_wins:')],
        'no-tie': [("return 'NONE'", "return 'B'")],
        'occupied': [('        if (y, x) in self.discs:\n            return set()\n', '')],
        'one-run': [('captured |= line', 'captured = captured or line')],
        'direction-missing': [('(-1, -1), (-1, 0), (-1, 1)', '(-1, 0), (-1, 1)')],
        'over-empty': [('while self.discs.get((cy, cx), player) != player:',
                        "while (1 <= cy <= self.height and 1 <= cx <= self.width\n"
                        "                   and self.discs.get((cy, cx)) != player):")],
    },
}
STYLES = {'othello_loop': LOOP, 'othello_exceptions': EXCEPTIONS, 'othello_functions': FUNCTIONS,
          'othello_dictionary': DICTIONARY}


def parted(faults, *printing):
    """Return the faults of a game's sample: those of printing apart."""
    return {PRINTING: {name: faults[name] for name in printing},
            GAME: {name: change for name, change in faults.items() if name not in printing}}


RECORDED = parted({
    **wrong_nim.RECORDED,
    'extra-lines': [('    player = 1\n', "    print('Checking')\n    player = 1\n")],
}, 'one-blank', 'trailing-blanks', 'words', 'extra-lines')
PILES = parted({
    **wrong_nim.PILES,
    'trailing-blanks': [("'=', piles[number])", "'=', piles[number], '')")],
    'separators': [("print('pile', number, '=',", "print('pile', number, '= ',")],
}, 'prompts', 'trailing-blanks', 'separators')
SUMS = {
    PRINTING: {
        'prompts': [('iter(input,', "iter(lambda: input('Next number: '),")],
        'words': [('All in all:', 'Altogether:')],
        'separators': [("'Half more:'", "'Half more: '")],
        'extra-lines': [('total = 0\n', "total = 0\nprint('Enter your numbers')\n")],
        'missing-lines': [("print('Welcome to Sums')\n", '')],
        'trailing-blanks': [('* 1.5)', "* 1.5, '')")],
        'no-newline': [("in all:', total)", "in all:', total, end='')")],
    },
    GAME: {},
}
OTHERS = {'recorded': RECORDED, 'piles': PILES, 'sums': SUMS}
