"""The games: everything that concerns a single game is in its folder.

A `Game` gives the engine its fresh games, and the choices that the assignment leaves to programs.
The diagnosis loads the game's known faults, and pages draw its positions.

registry        finds the games, and the game of a session
game            defines a game, as the engine sees it
maker           defines what makes fresh games
model           plays a session in this process, correctly or with faults
known_faults    defines known faults, which only the diagnosis loads
kinds           defines kinds of faults: what the author of a program must change, and where
traced_program  describes a traced program to the kinds of faults
positions       defines positions of a game in text, for pictures
consoles        plays the built-in consoles, and records their output
othello, nim    each have the games of one console
"""
