"""The games. Everything that concerns a single game is in the folder of the game's console.

The engine gets a game's fresh games from a `Game`, and the choices that the assignment leaves to
programs. The diagnosis loads the game's known faults, and report pages draw its positions.

- A fresh game is a session made at random, which no program has seen before.
- A model is a second implementation of a game. It can play as a program with faults would.
- A decision is a method or an attribute of a model that a variant can replace.
- A variant replaces the decisions that a program with a fault makes differently.
- A known fault has variants, and prose for students. Its kind says what to change in the program.

registry        finds the games, and the game of a session
game            defines a game, as the engine sees it
maker           defines what makes fresh games
model           plays a session in this process, correctly or with faults
known_faults    defines known faults, which only the diagnosis loads
kinds           defines kinds of faults: what the author of a program has to change, and where
traced_program  describes a traced program to the kinds of faults
positions       defines what pages need to know about a position to draw it
consoles        plays the built-in consoles, and records their output
othello, nim    each have the games of one console
"""
