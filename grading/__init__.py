"""The grader: it plays recorded sessions through a program, and reports what is wrong.

The plan, from the command line down; each module imports only from those below it:

    __main__        starts the grader
    command_line    reads the command line, and runs its commands
    batch           grades one submission or many: here, by workers, on a cluster
    grader          grades one submission, from its files to its results
    explanation     explains what went wrong, in a process of its own
    fresh           makes, plays and shrinks games that nobody has seen
    player          plays sessions through one program
    reports         writes text, results.json, grades.csv, pages, an autograder for Gradescope
    assignments     finds the sessions of an assignment; has everything about single games
    diagnosis       finds the faults behind differences, and where in a program to look for them
    submissions     makes a program of a submission: copies it, builds it, reads exports
    sessions        reads, records and plays sessions
    sandbox         runs programs with limits, and cleans up after them
    settings        has the settings of a grading
    signals         ends the grader
    printable       makes text of unknown origin safe to show
    installation    finds the project's own files
"""


def main() -> int:
    """Run the command `grading`; return its exit status."""
    from .signals import ended_by_signals

    def run() -> int:
        from .command_line.commands import run  # which takes long to import: a signal may come

        return run()

    return ended_by_signals(run)
