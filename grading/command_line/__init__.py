"""The command line: its commands and options, and checks of what was typed.

The parser reads the words. Then the assignment is read, because it can set options, too. The checks
refuse what cannot work, with a guess at what was meant.

parser            the commands and their options
settings          combines the options of the command line and the assignment
checks            refuses contradictory options, and files that do not exist
overwriting       finds files that the grader has not written, and must not replace
meant             guesses what was meant: missing quotation marks, a misspelled name
usage             the error for a wrong command line
"""
