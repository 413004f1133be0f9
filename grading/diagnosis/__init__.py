"""The diagnosis: the faults of a program, found from the sessions that it fails.

explain                         what is wrong with one submission: in what, why, and where
apart                           a process of its own for that, with limits
diagnose                        the faults of a program that are certain, the place that shows
                                each best, and what no fault explains
search                          which faults of a game explain what a program printed
wrong_lines                     what is wrong in sessions of no known game, line by line
common_faults                   the known faults that programs for any assignment can have
protocol, style                 the lines that are due, what a program printed, and how else
pairs                           the lines that are due beside those that were printed
finding, example                what reports get: a finding, the place that shows it, a hint
crash                           where a program crashed, and what its error means
places                          where in the source of the program to look
"""
