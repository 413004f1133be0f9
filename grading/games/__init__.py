"""The games. Everything about a single game is in the folder of its console.

A `Game` gives the engine fresh games, and makes sessions accept the choices left to programs by the
assignment. The diagnosis loads the game's known faults, and report pages draw its positions.

- A fresh game is a randomly generated session that no program has seen before.
- A model is a second implementation of a game. It can play like a program with faults.
- A decision is a replaceable method or attribute of a model.
- A variant replaces the decisions a program with a certain fault makes differently.
- A known fault has variants, and texts for students. Its kind says what to change in the program.

registry        finds all games, and the game of a session
game            defines what the engine needs to know about a game
maker           defines makers of fresh games
model           plays a session in this process, correctly or with faults
known_faults    defines known faults; only the diagnosis loads this module
kinds           defines kinds of faults: what the author of a program has to change, and where
traced_program  represents a traced program: its statements, and which of them ran
positions       defines what report pages need to know to draw a position
consoles        plays the built-in consoles, and records their output
othello, nim    each contains the games of one console
"""
