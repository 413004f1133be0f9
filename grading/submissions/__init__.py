"""Submissions: how they are read from exports, copied, built and turned into programs to run.

Each submission is copied into a folder of the grader. If its language needs a build, the build
runs in the sandbox. The result is a `Program`: a command and the folder that it runs in.

exports              divides the export of a learning platform among students
platforms            knows how each platform names students' files: the choices of --export
gradescope_metadata  reads students' names from an export of Gradescope
names                names submissions after folders, files, or the command that runs them
building             makes the program of a submission, after a build if its language needs one
entry_point          finds what to run: a command, or the one executable module
assignment_files     adds the assignment's own files, which no submission can replace
local_program        copies the user's own program before it is traced
digests              tells whether a submission has changed, and which programs are equal
copying              makes a safe, bounded copy of a submission
links                tells which submissions are links, which are not followed
file_types           lists the endings of archives, documents and source files
"""
