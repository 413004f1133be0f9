"""Where in a Python program its author should look, found by running the program again.

where           the places for each fault: those that a run names, and those ranked first
ranking         ranks the statements that ran, most suspicious first
hidden_causes   caught exceptions, and input that is read too early
tracing         chooses which sessions to trace, within limits of time
trace           reads the tracer's report about a run
trials          tries small changes to the program, to see which make its output correct
sources         the statements of the program's files

injected/ is not a package. It holds two scripts that run a student's program in their own process:
the tracer, and the one that makes small changes.
"""
