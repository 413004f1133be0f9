"""The command line: what can be typed, and what the commands do."""
