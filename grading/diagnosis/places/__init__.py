"""Where in a Python program its author should look, found by running the program again.

where                           the places for each fault: what a run names, and what is ranked
ranking                         which statements to look at first, of all that ran
hidden_causes                   caught exceptions, and input that is read too early
tracing                         which sessions are traced, and in how much time
trace                           what a traced run has shown of a program, line by line
trials                          which small changes to the program make its output right
sources                         the statements of its files

The folder injected/ is no package: its files are programs that run a student's program in its own
process, the tracer and the one that makes small changes.
"""
