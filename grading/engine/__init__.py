"""The engine: grades one submission, and decides how many points it gets.

A fresh game is a session that the grader generates. A program runs alone if no other program of the
class runs at the same time.

grade       plays all sessions, gives points, reports progress
player      plays a session within the time limit, and retries it if the machine was busy
class_lock  schedules the programs of a class: how many run at once, and which run alone
fresh       makes, plays and shrinks games that nobody has seen
example     collects the facts about a failure: what was expected, what was printed
"""
