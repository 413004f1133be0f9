"""Submissions: taken from exports, copied safely, built, and made into programs that can run.

exports           shares out the exports of learning platforms among students
platforms         says how each platform names students' files; --export offers these
gradescope_metadata  reads the names in an export of Gradescope
names             names submissions: after folders, files, or the command that runs them
building          makes the program of a submission, and builds it if its language needs that
entry_point       finds what of a submission is run: a command, or its one executable module
assignment_files  puts in the assignment's own files, which nothing of a submission replaces
local_program     copies the user's own program, for the runs that trace it
digests           shows whether a submission has changed, and which programs are the same
copying           makes a safe copy of a submission, within bounds
file_types        lists the endings of archives, texts, documents and source files
"""
