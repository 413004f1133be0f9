"""Reads submissions from exports, copies and builds them, and finds their programs.

Each submission is copied into a temporary folder. If its language needs a build, the build
runs in the sandbox. The result is a `Program`: a command, and the folder to run it in.

exports        splits a learning platform's export into students' submissions
copying        names submissions, and makes safe copies of them, of bounded size
which_program  finds what to run: a command or a module; copies the user's own program
building       builds a submission's program if necessary; adds the assignment's own files
digests        computes digests, to find changed submissions and equal programs
entries        lists and opens what is in untrusted folders, zips and tars
tars           opens tar files, with limits on their length and time
"""
