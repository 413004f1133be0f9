"""The limits of a submission, and the total limits of the processes of one run.

Other limits are elsewhere. `sandbox.kernel` has the limits of a single process, such as
`MAX_DATA`. `Options.timeout` says how long the grader waits for a silent program. `sessions.play`
has the limits on a session in a quick turn, and after its first wrong byte.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of a submission, and of one run of its program; times are in seconds."""

    submission: float = 240  # for everything, including copying and building
    quick: float = 5  # for the first turn of a submission of a class
    alone: float = 30  # for runs while no other program runs; this is part of `submission`
    hanging: float = 15  # after this, give up on a program if it has hung in every session
    explanation: float = 20  # to explain what is wrong, after playing
    spare: float = 40  # extra time for the explanation, taken from the time not used by playing
    explanation_memory: int = 512 << 20  # bytes for the process that explains failures
    ending: float = 10  # to end the processes started by an explanation
    # An explanation is limited by counted steps, not by time, so its result does not depend on the
    # machine. The limits on time are only a safeguard: several times what the steps take on half a
    # processor.
    search: float = 15  # seconds of processor time to search for each game's faults
    tracing: float = 40  # to trace the program, as part of the explanation
    traces: int = 40  # the maximum number of traced runs of the program
    changes: int = 1500  # changes to try for the first fault; each further fault halves this number
    replay: float = 60  # for playing one session, even if the program keeps printing
    build: float = 60  # for building the program
    memory: int = 1 << 30  # bytes in total for the processes of a run
    disk: int = 256 << 20  # bytes a run may write, as far as the grader can count them
    processes: int = 256  # processes and threads of a run
    free_disk: int = 16 << 20  # bytes of free space required for a run
    free_files: int = 1000  # free inodes required for a run

    @property
    def playing(self) -> float:
        """How many seconds may be spent on playing.

        The rest, at most an eighth of the total, is for the explanation.
        """
        return self.submission - min(self.explanation + self.ending, self.submission / 8)
