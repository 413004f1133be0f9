"""What was handed in, made a program that can be run."""
