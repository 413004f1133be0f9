"""The command line: its commands and options, and checks of what was typed.

settings          the settings of a grading that a command line and its assignment give
checks            refuses options that contradict each other, and files that do not exist
parser            has the commands and options
overwriting       tells which files the grader has not written, and must not replace
meant             guesses what somebody meant: missing quotation marks, a name nearly right
usage             the error that a wrong command line raises
"""
