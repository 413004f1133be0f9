"""The command line: what can be typed, and what is said of words that do not go together.

settings          the settings of a grading that a command line and its assignment give
checks            refuses words that do not go together, or with what is there
parser            has the commands and options
meant             guesses what somebody meant: missing quotation marks, a name nearly right
usage             the error for a wrong command line
"""
