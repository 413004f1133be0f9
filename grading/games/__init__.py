"""The games: everything particular to one game is in its folder.

The engine asks a `Game` for its rules: fresh games, and the choices that the assignment leaves to
programs. The diagnosis loads the game's known faults. Pages draw its positions.

registry        finds the games, and the game of a session
game            defines a game, as the engine knows it
maker           defines what makes fresh games
model           plays a session in this process, by the rules or with faults
known_faults    defines known faults, which only the diagnosis loads
kinds           defines kinds of faults: what the author of a program has to change, and where
traced_program  describes a traced program, for the kinds of faults
positions       defines positions of a game in text, for pictures
consoles        plays the built-in consoles, and records their output
othello, nim    each have the games of one console
"""
