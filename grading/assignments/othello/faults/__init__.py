"""The faults of Othello programs: a table of all that are known, and programs that have them."""
