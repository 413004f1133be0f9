"""The exit statuses of the grader. A signal that ends it adds its number to 128: see `signals`."""

RIGHT = 0  # all programs pass all sessions of the assignment
WRONG = 1  # some are wrong, or some sessions were not played
WRONG_USAGE = 2  # the command line, or a session, has a mistake
UNGRADED = 3  # something could not be graded
