"""Sessions: how they are written, played through running programs, compared, and recorded.

A transcript is parsed into a session: steps of expected lines and one input line each. To play it,
the grader starts the program, types each line when the program is waiting for it, and compares the
output meanwhile. The result is a dialogue, with the first place that is wrong.

session             a session as a value: its runs, their steps, and how they have to end
transcript          the text format: how typed and printed lines are written
tolerance           compares numbers within a tolerance
line_rules          the rules by which a printed line is compared with the expected one
directives          the table of directives, and of other tools' words for them
comments            tells directives, misspelled directives and comments for people apart
parse               makes a session from a transcript
start               starts a run, and ends it with all processes that it started
run                 a running program: its input and output, and how it ends
threaded_run        the same on Windows, with threads
waiting             detects whether a program is waiting for input
play                plays a session, and reads the files that the program writes
items               what is expected in a turn: lines, and what is allowed between them
comparison          compares output with the expected output while it arrives
late_output         moves late output to its turn if the program need not flush
verdict             what a program did in a session, and what is wrong first
record              records a session from a program
"""
