"""The engine: it grades one submission. It says how a program gets its points.

grade       plays all sessions, gives points, says how far it is
player      plays a session, and repeats it if the machine may have disturbed it; counts its time
class_lock  says which programs of a class may run at once, and when one may be alone
fresh       makes, plays and shrinks games that nobody has seen
example     has the facts of what is wrong in a session: what was expected, what was printed
"""
