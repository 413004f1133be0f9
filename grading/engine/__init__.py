"""The engine: it grades one submission. How a program gets its points is decided here.

grade       plays all sessions, gives points, reports progress
player      plays a session, and again if the machine may have disturbed it; keeps the time
class_lock  lets programs of a class run at once, or one alone
fresh       makes, plays and shrinks games that nobody has seen
example     collects the facts about a failure: what was expected, what was printed
"""
