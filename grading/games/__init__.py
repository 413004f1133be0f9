"""The games: all that is particular to one of them is in its folder.

registry        finds the games, and the game of a session
consoles        plays our own consoles, and records what they print
known_faults    what a known fault is; the diagnosis alone loads the faults of a game
kinds           what the author of a program has to change, and where that is in a program
traced_program  what a kind of fault looks at
game            what the engine asks of a game
positions       what pages draw
model           a session that is played in this process
maker           what makes fresh games
othello, nim    the games of one console each
"""
