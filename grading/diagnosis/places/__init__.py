"""The lines of a Python program that its author should look at, found by running it again.

where                           the places for each fault: what a run names, and what is ranked
ranking                         which statements to look at first, of all that ran hidden_causes
caught exceptions, and input that is read too early tracing                         which sessions
are traced, and in how much time trace                           what the tracer reports about a
run, line by line trials                          which small changes to the program make its output
correct sources                         the statements of its files

injected/ is not a package. It has two programs that run a student's program in their own process:
the tracer, and the program that makes small changes.
"""
