"""Submissions: reads them from exports, copies and builds them, and makes programs of them.

Each submission is copied into a folder of the grader. If its language needs a build, the build
runs in the sandbox. The result is a `Program`: a command and the folder that it runs in.

exports              divides a learning platform's export into students' submissions
platforms            knows how each platform names students' files: the choices of --export
gradescope_metadata  reads students' names from an export of Gradescope
names                names submissions after folders, files, or the command that runs them
building             makes a submission's program, building it if its language needs that
entry_point          finds what to run: a command, or the one executable module
assignment_files     adds the assignment's own files, which no submission can replace
local_program        copies the user's own program before it is traced
digests              finds changed submissions and equal programs
copying              makes a safe, bounded copy of a submission
links                finds submissions that are links, so that no link is followed
file_types           lists the suffixes of archives, documents and source files
"""
