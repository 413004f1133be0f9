"""The grader's exit statuses; for the status after a signal, see `signals.ended_by_signals`."""

RIGHT = 0  # all programs pass all sessions of the assignment
WRONG = 1  # a program fails a session, or a session was not played
WRONG_USAGE = 2  # the command line or a session is invalid
UNGRADED = 3  # something could not be graded
