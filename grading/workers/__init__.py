"""Takes the submissions of a class through the three stages of grading, in worker processes.

The stages are the engine (it gives points), the diagnosis (it explains failures) and the reports. A
task is one submission to grade. Putting a submission back means to stop grading it and start over
later.

this_machine   grades a class locally: many submissions at once, each in its own process
cluster        grades a class on the workers of a cluster
stages         grades one submission: the engine, the diagnosis and the reports, in this order
saved_results  saves results while grading, and reuses earlier results if they are still valid
task           defines a task: one submission, and where its results go
"""
