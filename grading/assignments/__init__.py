"""Finds and reads assignments, and chooses the sessions to play.

An assignment is a built-in game, or the sessions in a folder with the settings and files for all of
them.

choice         finds the assignment named by GAME, and chooses its sessions to play
folder         reads an assignment from a folder, or from the file of one session
configuration  reads assignment.ini
"""
