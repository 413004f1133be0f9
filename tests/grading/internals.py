"""What several tests replace inside the grader, each named once: a move changes one line here."""

CAN_SEPARATE = 'grading.sandbox.kinds.can_separate'
GRACE_SECONDS = 'grading.sessions.play.GRACE_SECONDS'
LONGEST_SESSION = 'grading.sessions.parse.LONGEST_SESSION'
MOST_SECONDS = 'grading.sessions.play.MOST_SECONDS'
SHRINKING_RUNS = 'grading.engine.fresh.SHRINKING_RUNS'
