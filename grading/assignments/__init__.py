"""What to grade by.

names          what GAME on the command line names: a game, a session, a folder or a file
folder         reads the assignment in a folder, or in the file of one session
configuration  reads assignment.ini
order          chooses the sessions by which programs are graded, and their order
"""
