"""The grader: it plays recorded sessions through a program, and reports what is wrong.

The plan, from the command line down; each module imports only from those below it:

    __main__        starts the grader
    commands        runs the commands of the command line, and prints reports
    command_line    reads and checks the command line
    api             has what a program calls: grade, and the options and the sandbox for it
    workers         calls the three stages for one submission, or for many at once
    reports         writes text, results.json, grades.csv, pages, and all that Gradescope gets
    diagnosis       finds the faults behind differences, gives hints, says where to look
    engine          grades one submission: plays its sessions, again if the machine was busy
    assignments     what to grade by: a game, a folder with its assignment.ini; sessions in order
    games           has all that is particular to one game, and finds the games by itself
    submissions     makes a program of a submission: reads exports, copies, names and builds it
    settings        has the assignment, and the options of a grading with their defaults
    seeds           says what a seed is, and which one the fresh games of a submission have
    sessions        reads, records and plays sessions, and compares what programs print
    sandbox         chooses what runs programs, with limits, and cleans up after them
    limits          has the limits of a submission, and of all processes of one run together
    in_words        says facts in the words that several parts use
    results         has the data that passes between the stages of a grading
    exit_statuses   has the exit statuses of the grader
    whole_file      writes a file as a whole
    differences     says what differs between what is expected and what was printed
    signals         ends the grader cleanly when a signal comes
    printable       makes text of unknown origin safe to show
    installation    finds the project's own files
"""

import sys

# The oldest Python on which the grader runs; pyproject.toml has it, too. An older one must be able
# to read this file and __main__.py, which import nothing else before they say so.
OLDEST_PYTHON = (3, 10)
if sys.version_info < OLDEST_PYTHON:
    sys.stderr.write(
        'grading: needs Python {}.{} or later; this is Python {}.{}\n'.format(
            *(OLDEST_PYTHON + sys.version_info[:2])
        )
    )
    sys.exit(3)

# What programs import from here, by the modules that have it. Each is imported when it is used.
PUBLIC = {
    'Assignment': 'settings',
    'Results': 'results',
    'assignment_named': 'assignments.names',
    'explain': 'diagnosis.explain',
    'grade': 'api',
    'publish': 'reports.out_folder',
}
__all__ = ['Assignment', 'Results', 'assignment_named', 'explain', 'grade', 'publish']
TYPE_CHECKING = False  # but in a type checker
if TYPE_CHECKING:
    from .api import grade
    from .assignments.names import assignment_named
    from .diagnosis.explain import explain
    from .reports.out_folder import publish
    from .results import Results
    from .settings import Assignment


def __getattr__(name):
    # type: (str) -> object
    """Return what has a public name."""
    if name not in PUBLIC:
        raise AttributeError("module 'grading' has no attribute " + repr(name))
    from importlib import import_module

    return getattr(import_module('.' + PUBLIC[name], __name__), name)


def main():
    # type: () -> int
    """Run the command `grading`; return its exit status."""
    from io import TextIOWrapper

    from .signals import ended_by_signals

    for stream in (sys.stdout, sys.stderr):  # whatever a terminal's encoding lacks
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors='backslashreplace')

    def run():
        # type: () -> int
        # Imports take long, and a signal may come meanwhile. For --help these few are enough.
        from .command_line.parser import parse

        arguments = parse()
        from .commands import run

        return run(arguments)

    return ended_by_signals(run)
