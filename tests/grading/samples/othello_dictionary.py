# The board is a dictionary of the discs that lie on it; cells count from 1, as they are typed.
import sys

AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


class Othello:
    def __init__(self):
        self.discs = {}
        self.height = int(self.read())
        self.width = int(self.read())
        self.player = self.read()
        self.most_wins = self.read() == '>'
        for y in range(1, self.height + 1):
            for x, letter in enumerate(self.read().split(), 1):
                if letter != '.':
                    self.discs[y, x] = letter

    def read(self):
        sys.stdout.flush()
        line = sys.stdin.readline()
        if line == '':
            raise EOFError('no more input')
        return line.strip()

    def captured(self, y, x, player):
        if not 1 <= y <= self.height or not 1 <= x <= self.width:
            return set()
        if (y, x) in self.discs:
            return set()
        captured = set()
        for dy, dx in AROUND:
            line = set()
            cy, cx = y + dy, x + dx
            while self.discs.get((cy, cx), player) != player:
                line.add((cy, cx))
                cy += dy
                cx += dx
            if (cy, cx) in self.discs:
                captured |= line
        return captured

    def can_play(self, player):
        return any(self.captured(y, x, player)
                   for y in range(1, self.height + 1) for x in range(1, self.width + 1))

    def count(self, player):
        return list(self.discs.values()).count(player)

    def __str__(self):
        lines = ['B: {}  W: {}'.format(self.count('B'), self.count('W'))]
        for y in range(1, self.height + 1):
            lines.append(' '.join(self.discs.get((y, x), '.') for x in range(1, self.width + 1)))
        return '\n'.join(lines)

    def play(self, y, x):
        captured = self.captured(y, x, self.player)
        if not captured:
            return False
        self.discs[y, x] = self.player
        for cell in captured:
            self.discs[cell] = self.player
        self.player = 'W' if self.player == 'B' else 'B'
        return True

    def is_over(self):
        return not self.can_play('B') and not self.can_play('W')

    def winner(self):
        margin = self.count('B') - self.count('W')
        if not self.most_wins:
            margin = -margin
        if margin == 0:
            return 'NONE'
        return 'B' if margin > 0 else 'W'


print('FULL')
game = Othello()
is_new = True
while True:
    if is_new:
        if not game.is_over() and not game.can_play(game.player):
            game.player = 'W' if game.player == 'B' else 'B'
        print(game)
        if game.is_over():
            break
        print('TURN:', game.player)
    y, x = map(int, game.read().split())
    is_new = game.play(y, x)
    print('VALID' if is_new else 'INVALID')
print('WINNER:', game.winner())
