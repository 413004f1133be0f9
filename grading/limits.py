"""The limits of a submission, and of all processes of one run together.

How much memory one process may have is `MOST_DATA` in `sandbox.kernel`, beside the other limits of
one process. How long the grader waits for a silent program is `Options.timeout`; how long a
submission holds a place of its class is `LONG` in `engine.class_lock`; what a session may take
after its first wrong byte is in `sessions.play`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of a submission, and of one run of its program, in seconds and bytes."""

    submission: float = 240  # includes copying and building
    alone: float = 30  # of these seconds, for runs while no other program runs
    hanging: float = 15  # after which a program that always hangs is no longer played
    explanation: float = 20  # for explaining what is wrong, when all sessions are played
    spare: float = 40  # more for the explanation, if playing has left that many
    explanation_memory: int = 512 << 20
    ending: float = 10  # for ending the processes that an explanation has started
    # What an explanation finds depends on counted steps, not on time. These seconds are several
    # times as many as the steps take on half a processor, and are only a safeguard for the machine.
    search: float = 15  # of processor time, to look for the faults of each game
    tracing: float = 40  # of the explanation, to trace the program
    traces: int = 40  # traced runs of the program
    changes: int = 1500  # changes to the program that are tried for a fault
    replay: float = 60  # for one session, even if output keeps coming
    build: float = 60
    memory: int = 1 << 30  # of all processes of a run together
    disk: int = 256 << 20  # that these processes may write, where the grader can count it
    processes: int = 64  # processes and threads of a run
    free_disk: int = 16 << 20  # free space without which nothing runs
    free_files: int = 1000  # the same, for the number of files that the disk can still hold

    @property
    def playing(self) -> float:
        """How many seconds may go into playing; the rest of the limit is for the explanation."""
        return self.submission - min(self.explanation + self.ending, self.submission / 8)
