"""Where in a Python program its author should look, found by running the program again.

where                           the places: what is named by a run, and what is ranked
tracer, trace                   what a program does, line by line, and what is read of that
changes, trials                 the program with small changes, and which make its output right
sources                         the statements of its files
"""
