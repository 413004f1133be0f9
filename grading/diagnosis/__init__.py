"""The diagnosis: the faults of a program, found from the sessions that it fails.

    diagnose                        the faults of a program, and what no fault explains
    search, simulation              which faults of a game explain what a program printed
    fault_models, common_faults     what a fault is; those that programs for any game can have
    protocol, style                 the lines that are due, and how a program prints them otherwise
    program_output                  what a program printed, as a session's directives hear it
    pairs, wrong_lines              what is wrong in sessions of no game, line by line
    evidence                        what is certain, and which place shows it best
    finding, example                what reports get: a finding, and the place that shows it
    crash                           where a program crashed, and what its error means
    places                          where in the program to look
"""
