# Othello, in functions, with a list of lists; every direction is tried with a step counter

def in_bounds(board, r, c):
    if r < 0 or c < 0:
        return False
    if r > len(board) - 1 or c > len(board[0]) - 1:
        return False
    return True

def opponent(player):
    if player == "B":
        return "W"
    else:
        return "B"

def flips_in_direction(board, r, c, dr, dc, player):
    steps = 1
    while in_bounds(board, r + dr * steps, c + dc * steps):
        cell = board[r + dr * steps][c + dc * steps]
        if cell == opponent(player):
            steps += 1
        elif cell == player:
            return steps - 1
        else:
            return 0
    return 0

def get_flips(board, r, c, player):
    result = []
    if board[r][c] != ".":
        return result
    for dr in range(-1, 2):
        for dc in range(-1, 2):
            if dr == 0 and dc == 0:
                continue
            n = flips_in_direction(board, r, c, dr, dc, player)
            for i in range(1, n + 1):
                result.append((r + dr * i, c + dc * i))
    return result

def has_move(board, player):
    for r in range(len(board)):
        for c in range(len(board[0])):
            if len(get_flips(board, r, c, player)) != 0:
                return True
    return False

def score(board, player):
    total = 0
    for row in board:
        for cell in row:
            if cell == player:
                total += 1
    return total

def print_state(board):
    print("B: %d  W: %d" % (score(board, "B"), score(board, "W")))
    for row in board:
        print(" ".join(row))

def next_player(board, player):
    """who moves if it should be player's turn, '' when the game is over"""
    if has_move(board, player):
        return player
    if has_move(board, opponent(player)):
        return opponent(player)
    return ""

def get_winner(board, mode):
    b = score(board, "B")
    w = score(board, "W")
    if b == w:
        return "NONE"
    if mode == "<":
        b, w = w, b
    if b > w:
        return "B"
    return "W"

print("FULL", flush=True)
num_rows = int(input())
num_cols = int(input())
player = input().strip()
mode = input().strip()
board = []
for i in range(num_rows):
    board.append(input().split())
player = next_player(board, player)
print_state(board)
while player != "":
    print("TURN: " + player, flush=True)
    done = False
    while not done:
        move = input().split()
        r = int(move[0]) - 1
        c = int(move[1]) - 1
        if in_bounds(board, r, c):
            flips = get_flips(board, r, c, player)
            if len(flips) > 0:
                done = True
        if not done:
            print("INVALID", flush=True)
    print("VALID")
    board[r][c] = player
    for pos in flips:
        board[pos[0]][pos[1]] = player
    player = next_player(board, opponent(player))
    print_state(board)
print("WINNER: " + get_winner(board, mode), flush=True)
