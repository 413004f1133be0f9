"""Sessions: how they are written, played through running programs, compared, and recorded.

session             a session as a value: its runs, their steps, and how they have to end
transcript          the text format: how typed and printed lines are written
tolerance           numbers that are near enough
line_rules          how one printed line is compared with the expected one
directives          the table of directives, and of words that are none
comments            whether a comment is a directive, or nearly one
parse               from the text of a transcript to a session
start               a run begins, and ends with all that it started
run                 a program that runs: what it prints and gets, and how it ends
threaded_run        the same on Windows, by threads
waiting             whether a program waits for input
play                a session, played by a program that runs, and the files that it leaves
items               what is expected in a turn: lines, and what may come between them
comparison          what a program prints, compared while it comes with what is expected
late_output         what came late, where the program need not flush
verdict             all that a program did in a session, and what is wrong first
record              a session recorded by one's own program
"""
