"""Grades programs: types recorded sessions into them, and reports what is wrong.

The modules, from the command line down; each imports only from those below it:

    __main__        starts the grader
    cli             reads and checks the command line, runs its commands, and prints reports
    api             provides the library interface: the function `grade`
    workers         grades, explains and reports many submissions at once
    reports         writes text, results.json, grades.csv, pages, and Gradescope's autograder
    diagnosis       finds the faults behind failures, gives hints, and says where to look
    engine          grades one submission: plays its sessions, and retries if the machine was busy
    assignments     reads assignments: a game, or a folder with its assignment.ini
    games           contains everything specific to one game, and discovers the games
    submissions     reads exports, and copies, names and builds submissions
    settings        defines assignments, options and their defaults, and the seeds of fresh games
    sessions        reads, records and plays sessions, and compares what programs print
    sandbox         runs programs in a sandbox, with limits, and cleans up after them
    limits          defines all limits that a user can meet
    results         defines the data passed between the stages of grading
    differences     classifies the difference between an expected and a printed line
    signals         ends the grader cleanly on a signal
    printable       makes untrusted text safe to display
    installation    finds the project's own files

How one right submission is graded, from the command line to the report, function by function:

    grading.main                              handles signals
    cli.parser.parse                          reads the command line
    cli.grade_command.run
    cli.grade_command.settings_from           checks the options
    assignments.choice.assignment_named       opens the assignment
    sessions.transcript.parse                 reads its sessions
    engine.grade.sandbox_probed               chooses the sandbox
    cli.grade_command.grade_one
    submissions.copying.open_submission       copies the submission
    engine.grade.grade
    engine.grade.Grading.play                 plays the sessions
    submissions.building.make_program         finds the program, and builds it
    engine.retries.SessionPlayer.play         plays a session
    sessions.run.running                      starts the program
    sandbox.kinds.Sandbox.started             in the sandbox
    sandbox.launch.ready
    sessions.play.play
    sessions.play.LiveSession.read_turn       reads until a turn is complete
    sessions.run.Run.read
    sessions.comparison.Alignment.take        compares what has arrived
    sessions.play.LiveSession.type            types the next line
    sessions.run.Run.send
    sessions.play.LiveSession.end             ends the session
    engine.grade.Grading._record              gives the points
    reports.text.report                       prints the report
"""

import sys

# The oldest Python supported by the grader, as in pyproject.toml. Older versions must still be able
# to parse this file and __main__.py. These report the error before they import anything else.
OLDEST_PYTHON = (3, 10)
if sys.version_info < OLDEST_PYTHON:
    sys.stderr.write(
        'grading: needs Python {}.{} or later; this is Python {}.{}\n'.format(
            *(OLDEST_PYTHON + sys.version_info[:2])
        )
    )
    sys.exit(3)

# The public names, and the modules they are defined in. A module is imported on first use.
PUBLIC = {
    'Assignment': 'settings',
    'Results': 'results',
    'assignment_named': 'assignments.choice',
    'explain': 'diagnosis.explain',
    'grade': 'api',
    'publish': 'reports.out_folder',
}
__all__ = ['Assignment', 'Results', 'assignment_named', 'explain', 'grade', 'publish']
TYPE_CHECKING = False  # a type checker assumes True
if TYPE_CHECKING:
    from .api import grade
    from .assignments.choice import assignment_named
    from .diagnosis.explain import explain
    from .reports.out_folder import publish
    from .results import Results
    from .settings import Assignment


def __getattr__(name):
    # type: (str) -> object
    """Import and return the object with a public name."""
    if name not in PUBLIC:
        raise AttributeError("module 'grading' has no attribute " + repr(name))
    from importlib import import_module

    return getattr(import_module('.' + PUBLIC[name], __name__), name)


def main():
    # type: () -> int
    """Run the command `grading`; return its exit status."""
    from io import TextIOWrapper

    from .signals import ended_by_signals

    for stream in (sys.stdout, sys.stderr):  # the terminal's encoding may lack some characters
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors='backslashreplace')

    def run():
        # type: () -> int
        # These imports are slow, and a signal may arrive in the meantime, so they must be here,
        # where signals are handled.
        from .cli.parser import parse, run

        return run(parse())

    return ended_by_signals(run)
