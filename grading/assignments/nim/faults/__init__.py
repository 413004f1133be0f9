"""The faults of Nim programs: a table of all that are known, and programs that have them."""
