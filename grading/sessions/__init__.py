"""Sessions: how they are written, played through running programs, compared, and recorded.

transcript          a session in its file: its parts, and its directives
run                 a program that runs: when, what it prints, gets and waits for
play                a session, played by a program that runs, and the files that it leaves
comparison          what a program prints, compared with what is due
verdict             all that a program did in a session, and what is wrong first
record              a session recorded by one's own program
"""
