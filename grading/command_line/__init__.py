"""The words and options that the grader takes, what they mean together, and what they start."""
