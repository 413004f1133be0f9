"""The grader: it plays recorded sessions through anybody's program and reports what is wrong.

The plan, from the command line down; each module imports only from those below it:

    __main__        the start
    command_line    the words and options that the grader takes, and the commands they start
    batch           one submission or many: graded here, by workers, on a cluster
    grader          one submission, from what was handed in to its results
    explanation     what went wrong, found out in a process of its own
    fresh           games that nobody has seen, made, played and shrunk
    player          one program, and how sessions are played through it
    reports         what is read: text, results.json, grades.csv, pages, a pack for Gradescope
    assignments     what is graded: sessions in order, and all that is particular to a game
    diagnosis       the faults behind the differences, and where in a program to look for them
    submissions     what was handed in, made a program: found, copied, built, taken from an export
    sessions        a recorded session, a running program, and the one played through the other
    sandbox         what a program may reach while it runs, and how all that it leaves is cleaned up
    class_lock      programs of a class, that run beside each other, or one alone
    settings        what is to be done with each submission
    signals         what ends the grader
    printable       text of unknown origin, made safe to show
    project         where the project's own files are
"""


def main() -> int:
    """Run the command `grading`; return its exit status."""
    from .signals import ended_by_signals

    def run() -> int:
        from .command_line.parser import run  # which takes long to import: a signal may come

        return run()

    return ended_by_signals(run)
