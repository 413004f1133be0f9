"""Where in a Python program its author should look, found by running the program with a tracer."""
