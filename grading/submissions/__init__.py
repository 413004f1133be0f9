"""Reads submissions from exports, copies and builds them, and finds their programs.

Each submission is copied into a temporary folder. If its language needs a build, the build
runs in the sandbox. The result is a `Program`: a command, and the folder to run it in.

exports              splits a learning platform's export into students' submissions
platforms            describes how each learning platform names students' files in its exports
gradescope_metadata  reads students' names from a Gradescope export
names                names submissions after folders, files, or commands
building             returns a submission's program, and builds it first if necessary
programs             finds what to run: a command or a module; copies the user's own program
assignment_files     adds the assignment's own files; no submission can replace them
digests              computes digests, to find changed submissions and equal programs
copying              makes safe copies of submissions, of bounded size
entries              lists and opens what is in untrusted folders, zips and tars
tars                 opens tar files, with limits on their length and time
links                finds links among submissions, so that the grader follows none of them
"""
