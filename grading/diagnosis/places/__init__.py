"""Finds where in a Python program its author should look, by running the program again.

where           finds the places to show for each fault: named places, and suspicious statements
ranking         ranks the statements by how likely they are to cause the fault
hidden_causes   finds causes hidden from the output, such as a caught exception
tracing         chooses the sessions to trace, and limits the time
trace           parses the tracer's report on a run
trials          tries small changes to the program, and checks whether its output becomes correct
sources         parses the program's files into statements

injected/ is not a package. It contains two scripts: one traces a program, the other makes small
changes to it. The sandbox runs such a script in place of a student's program, and the script
executes the program's code.

Words shared by these modules:

Trace           a run of the program under the tracer, divided into steps
Step            a part of a trace; a step ends when the program reads input after printing
                something, or when the run ends
Write           the bytes printed in a single call, the line of this call, and the line calling the
                function around it
Statement       a statement of the program; only the header if it contains other statements
Decider         a condition or loop that decides whether a statement runs
Kind            what the author has to change; it points to some statements, called the focus
Named place     a statement identified by a run, such as the one that printed the wrong line
"""
