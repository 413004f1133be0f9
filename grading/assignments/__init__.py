"""Finds and reads assignments, and chooses the sessions to play.

An assignment is a built-in game, or the sessions in a folder with the settings and files for all of
them.

names          finds the assignment named by GAME: a game, a session, a folder or a file
folder         reads an assignment from a folder, or from the file of one session
configuration  reads assignment.ini
order          chooses the sessions to play, and their order
"""
