"""The diagnosis: the faults of a program, found from the sessions that it fails."""
