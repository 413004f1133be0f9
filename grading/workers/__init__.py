"""Workers: one submission, or the many of a class, go through the three stages.

this_machine  grades a class here: many submissions at once, each in a process of its own
cluster       grades a class on the workers of a cluster
stages        grades one submission: the engine, the diagnosis and the reports, in this order
task          says what a task is: one submission, and where its results go
"""
