"""What is behind the differences: the faults of a program, each told once."""
