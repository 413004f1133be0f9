"""The command line: its commands and options, and checks for mistakes.

The parser reads the command line. Then the assignment is read, because it can also set options. The
checks refuse what cannot work, and guess what the user meant.

parser            the commands and their options
settings          combines the options of the command line and the assignment
checks            refuses contradictory options, and files that do not exist
overwriting       finds files the grader must not overwrite, because it did not write them
meant             guesses what the user meant: missing quotation marks, no interpreter, a typo
usage             the error for a wrong command line
"""
