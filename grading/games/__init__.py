"""The games: everything that is particular to one game is in its folder.

The engine asks a `Game` for its rules: fresh games, and what an assignment leaves open. The
diagnosis loads the game's known faults. Pages draw its positions.

registry        finds the games, and the game of a session
game            a game, as the engine knows it
maker           the interface of what makes fresh games
model           plays a session in this process, by the rules or with a fault
known_faults    known faults, which only the diagnosis loads
kinds           kinds of faults: what the author of a program has to change, and where
traced_program  a traced program, as a kind of fault looks at it
positions       positions of a game in text, for pictures
consoles        plays the built-in consoles, and records what they print
othello, nim    the games of one console each
"""
