"""The engine: grades one submission, and decides how many points it gets.

A fresh game is a session that the grader generates. A program runs alone if no other program of the
class runs at the same time.

grade       plays all sessions, gives points, reports progress
player      plays a session, perhaps twice if the machine was busy, and keeps to the time limit
class_lock  lets programs of a class run at the same time, or one alone
fresh       makes, plays and shrinks games that nobody has seen
example     collects the facts about a failure: what was expected, what was printed
"""
