"""Sessions: how they are written, played through running programs, compared, and recorded.

transcript          a session in its file: its parts, and its directives
start               a run begins, and ends with all that it started
run                 a program that runs: what it prints and gets, and how it ends
threaded_run        the same on Windows, by threads
waiting             whether a program waits for input
play                a session, played by a program that runs, and the files that it leaves
comparison          what a program prints, compared with what is due
verdict             all that a program did in a session, and what is wrong first
record              a session recorded by one's own program
"""
