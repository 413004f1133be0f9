"""Finds where in a Python program its author should look, by running the program again.

where           finds the places for each fault: those that a run names, and the most suspicious
ranking         ranks the statements that ran, most suspicious first
hidden_causes   finds causes that the output does not show: caught exceptions, early reading
tracing         chooses which sessions to trace, and limits the time
trace           parses the tracer's report on a run
trials          tries small changes to the program, to see which make its output correct
sources         parses the program's files into statements

injected/ is not a package. It holds two scripts, the tracer and the one that makes small changes.
Each runs a student's program inside its own process.

Words that these modules share:

Trace           a run of the program under the tracer, divided into steps
Step            a part of such a run; it ends when the program reads input after printing, or ends
Write           some bytes that the program printed at once, and the lines that printed them
Statement       a statement of the program; for a loop, `if` or definition, only its header
Decider         a condition or loop that decides whether a statement runs
Kind            what the author of a program has to change; it points to some statements, the focus
Named place     a statement that a run identifies, such as the one that printed the wrong line
"""
