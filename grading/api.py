"""The grader as a library: a function that does what the command `grade` does.

from grading import assignment_named, explain, grade, publish

assignment = assignment_named('hello')
results = grade(assignment, 'ann.py', explain=explain)
publish(results, 'results', assignment)
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .assignments.choice import assignment_named, choose_sessions
from .engine import grade as engine
from .engine.grade import Explain, OnProgress, ignore, sandbox_probed
from .results import Results
from .settings import Assignment, Options, with_seed
from .submissions.copying import open_submission, submission_names


def grade(
    assignment: Assignment | str | Path,
    submission: str | Path,
    *,
    explain: Explain | None = None,
    on_progress: OnProgress = ignore,
    **options: object,
) -> Results:
    """Grade a submission; return its points and, with `explain`, what is wrong.

        assignment   the name of a game, the path of a folder or a session (like GAME on the command
                     line), or the result of `assignment_named`
        submission   a folder, a .zip file or a program file; the option `confine` chooses the
                     sandbox
        explain      `grading.explain`, which is called while the submission can still run; or None
                     for points alone, which is faster
        on_progress  a function that is called with the results at the start, whenever a session
                     ends, and before an explanation
        options      the options shared by `grade` and `pack` on the command line, such as
                     `timeout=2` or `at_once=True`

    Raises `TypeError` for an unknown option, `TranscriptError` if the assignment cannot be read,
    `SandboxError` if no sandbox works, and `Shortage` if the machine runs short of something, such
    as memory. A submission that cannot be run raises no error: it gets 0 points, and its results
    say why.
    """
    if not isinstance(assignment, Assignment):
        assignment = assignment_named(str(assignment))
    assignment, chosen = with_options(assignment, options)
    path = Path(submission)
    ((name, _),) = submission_names([path])
    with (
        sandbox_probed(assignment, chosen, [path]) as (chosen, machine),
        open_submission(path, name) as copy,
    ):
        return engine.grade(assignment, copy, with_seed(chosen), on_progress, machine, explain)


def with_options(
    assignment: Assignment, options: Mapping[str, object]
) -> tuple[Assignment, Options]:
    """Return an assignment with the sessions to play, and the complete options for grading it.

    `options` override those of the assignment. Raises `TypeError` for an unknown option, and
    `TranscriptError` if a session cannot be played with these options.
    """
    every: dict[str, Any] = {**assignment.options, **options}
    chosen = Options(**every)
    return choose_sessions(assignment, chosen.prompts, chosen.beyond, chosen.at_once), chosen
