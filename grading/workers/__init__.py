"""Workers: take the submissions of a class through the three stages.

The stages of a grading are the engine, which gives points, the diagnosis, which explains failures,
and the reports. A task is one submission to grade. A submission that is put back is stopped, and
starts over later.

this_machine   grades a class here: many submissions at once, each in its own process
cluster        grades a class on the workers of a cluster
stages         grades one submission: the engine, the diagnosis and the reports, in this order
saved_results  saves results while grading, and reuses earlier ones that are still valid
task           defines a task: one submission, and where its results go
"""
