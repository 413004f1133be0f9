"""The command line: its commands, `grade`, `record` and `pack`, and their options.

parser            the commands and their options; starts a command
mistakes          refuses wrong command lines, and guesses what the user meant
grade_command     grades one submission or a class, prints the report, and shows progress
record_command    writes the output of a built-in console or a teacher's solution into session files
pack_command      writes an autograder for Gradescope
"""
