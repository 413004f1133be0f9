"""Finds where in a Python program its author should look, by running the program again.

where           finds the places to show for each fault: named places, and suspicious statements
ranking         ranks the statements by how likely they are to cause the fault
hidden_causes   finds causes that the output does not show, such as a caught exception
tracing         chooses which sessions to trace, and limits the time
trace           parses the tracer's report on a run
trials          tries small changes to the program, to see which make its output correct
sources         parses the program's files into statements

injected/ is not a package. It contains two scripts: the tracer, and the script that makes small
changes. The sandbox runs such a script in place of a student's program, and the script executes the
program's code.

Words that these modules share:

Trace           a run of the program under the tracer, divided into steps
Step            a part of a trace; a step ends when the program reads input after it has printed
                something, or when the run ends
Write           the bytes that the program printed in a single call, the line that made this call,
                and the line that called its function
Statement       a statement of the program; only the header if it contains other statements
Decider         a condition or loop that decides whether a statement runs
Kind            what the author has to change; it points to some statements, called the focus
Named place     a statement that a run identifies, such as the one that printed the wrong line
"""
