"""The assignments that can be graded, and all that is particular to each."""
