# othello, first version: everything in one loop
print("FULL", flush=True)
n = int(input())
m = int(input())
who = input()
rule = input()
grid = []
for i in range(n):
    grid.append(input().split())
state = "start"
while True:
    if state != "invalid":
        moves = {}
        for side in ["B", "W"]:
            moves[side] = {}
            enemy = "W" if side == "B" else "B"
            for i in range(n):
                for j in range(m):
                    if grid[i][j] == ".":
                        flips = []
                        for di, dj in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]:
                            a = i + di
                            b = j + dj
                            run = []
                            while 0 <= a < n and 0 <= b < m and grid[a][b] == enemy:
                                run.append((a, b))
                                a += di
                                b += dj
                            if run and 0 <= a < n and 0 <= b < m and grid[a][b] == side:
                                flips.extend(run)
                        if flips:
                            moves[side][i, j] = flips
        other = "W" if who == "B" else "B"
        if not moves[who]:
            who = other
        black = white = 0
        for line in grid:
            for cell in line:
                if cell == "B":
                    black += 1
                elif cell == "W":
                    white += 1
        print("B: {}  W: {}".format(black, white))
        for line in grid:
            print(" ".join(line))
        if not moves[who]:
            break
        print("TURN: " + who, flush=True)
    r, c = input().split()
    i = int(r) - 1
    j = int(c) - 1
    if (i, j) in moves[who]:
        print("VALID")
        grid[i][j] = who
        for a, b in moves[who][i, j]:
            grid[a][b] = who
        who = "W" if who == "B" else "B"
        state = "valid"
    else:
        print("INVALID", flush=True)
        state = "invalid"
if black == white:
    best = "NONE"
elif rule == ">":
    best = "B" if black > white else "W"
else:
    best = "B" if black < white else "W"
print("WINNER: " + best)
