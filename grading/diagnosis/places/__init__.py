"""Where in a Python program its author should look, found by running the program again.

where           the places for each fault: those that a run names, and those ranked first
ranking         ranks the statements that ran, most suspicious first
hidden_causes   caught exceptions, and input that is read too early
tracing         chooses which sessions to trace, within limits of time
trace           reads the tracer's report about a run
trials          tries small changes to the program, to see which make its output correct
sources         the statements of the program's files

injected/ is not a package. It holds two scripts, the tracer and the one that makes small changes.
Each runs a student's program inside its own process.

Words that these modules share:

Trace           a run of the program with the tracer, divided into steps
Step            the part of such a run up to the first input after some output, or up to the end
Write           some bytes that the program printed at once, and the lines that printed them
Statement       a statement of the program; for a loop, `if` or definition, only its header
Decider         a condition or loop that decides whether a statement runs
Kind            what the author of a program has to change; it points to some statements, the focus
Named place     a statement that a run shows: it printed the wrong line, say, or raised an exception
"""
