"""Takes the submissions of a class through the three stages of grading, in worker processes.

The stages are the engine (it gives points), the diagnosis (it explains failures) and the reports.

class_processes  grades a class locally: each submission in its own process, which waits for stints
cluster          grades a class on the workers of a cluster
task             takes one submission through the three stages
saved_results    saves results while grading, and reuses earlier results if they are still valid
"""
