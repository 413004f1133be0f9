"""Workers: the many submissions of a class go through the three stages.

this_machine   grades a class here: many submissions at once, each in a process of its own
cluster        grades a class on the workers of a cluster
stages         grades one submission: the engine, the diagnosis and the reports, in this order
saved_results  saves results while sessions end, and reads back those that still stand
task           says what a task is: one submission, and where its results go
"""
