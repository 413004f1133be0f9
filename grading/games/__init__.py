"""The games: all that is particular to one of them is in its folder.

registry      finds the games, and the game of a session
consoles      plays our own consoles, and records what they print
game          what the engine asks of a game
known_faults  what a known fault is; the diagnosis alone loads the faults of a game
positions     what pages draw
model         a session that is played in this process
maker         what makes fresh games
othello, nim  the games of one console each
"""
