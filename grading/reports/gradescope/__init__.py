"""An autograder to upload to Gradescope."""
