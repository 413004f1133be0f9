"""Where in a Python program its author should look: what printed a wrong line, what ran then."""
