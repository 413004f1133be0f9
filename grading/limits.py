"""The limits that users of the grader may run into: time, memory, sizes and counts.

The table in docs/security.md shows most of them; a test compares it with this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

MEGABYTE = 1 << 20


class Bounds(NamedTuple):
    """The maximum number and total size of the files in a copy."""

    files: int  # folders and links count as files
    size: int  # total bytes of all files
    block: int = 1  # bytes in a block; each file's size is rounded up to whole blocks


# Copies of submissions, and of the user's own programs. The latter are small, because each traced
# run copies the folder of the user's program again.
SUBMISSION_BOUNDS = Bounds(2_000, 64 * MEGABYTE)
OWN_PROGRAM_BOUNDS = Bounds(500, 16 * MEGABYTE)
# A build can install libraries, and each run copies all files from the build: copying 10,000 files
# takes 0.7 s. Under bubblewrap, the copy takes whole pages of memory.
BUILD_BOUNDS = Bounds(10_000, 96 * MEGABYTE, 4096)
ROOM_TO_WRITE = 32 * MEGABYTE  # what a run may write, at least, besides the copy of its folder
# Bytes in the path of a copied file, relative to the copied folder. The copy's own path is long,
# too, and macOS allows 1,024 bytes for the whole path.
LONGEST_PATH = 800
DEEPEST = 50  # folders around a copied file

# Archives:
LONGEST_LIST = 4 * MEGABYTE  # bytes in the list of files of a zip, 46 bytes and the path for each
MAX_IN_TAR = 50_000  # files; a list of this many takes 100 MB of memory
TAR_SECONDS = 10.0  # of a processor, to list and read a tar; a small one may unpack to any size

# Exports of learning platforms:
LONGEST_METADATA = 16 * MEGABYTE  # bytes to read from a platform's student metadata
LONGEST_EXPORT_LIST = 32 * MEGABYTE  # bytes in an exported zip's list of files

# Assignments and their sessions:
LARGEST_ASSIGNMENT = 64 * MEGABYTE  # bytes in an assignment's files
LARGEST_DATA = 16 * MEGABYTE  # bytes in the files copied into every run
MAX_SESSIONS = 1000  # even a fast program takes a minute for this many
MAX_LINES_OF_ALL = 1_000_000  # lines in all sessions; this many take 400 MB of memory
LONGEST_SESSION = 200_000  # lines; more would take too long to play
LARGEST_SESSION = 64 * MEGABYTE  # bytes of a transcript

# Recordings:
RECORD_SECONDS = 30.0  # each of the two runs of a session
MAX_RECORDED = 16 * MEGABYTE  # bytes of output
MAX_IN_FILE = MEGABYTE  # bytes of a written file

# Silence when output is expected, in seconds:
TIMEOUT = 5.0  # by default; the option --timeout changes it
LONGEST_TIMEOUT = 3600.0  # the highest value of that option
# In a quick stint (see `engine.stints`): until a program prints something right, and later. The
# second is also allowed once the program has looped in a session.
FIRST_SILENCE, QUICK_SILENCE = 3.0, 1.0
MOST_PATIENCE = 1.5  # how many times as long a silence may be, if the program is busy all the time

# Comparing, in seconds of processor time. If it takes longer, the output is wrong.
SECONDS_A_LINE = 1.0  # one line, for example with a regular expression
SECONDS_A_TURN = 5.0  # all that is printed between two inputs
# Longer output is wrong:
MAX_MORE = 1 << 18  # bytes beyond what is expected between two inputs
LONGEST_TRIED = 1 << 12  # characters of a line that matches a pattern, or of a free prompt
LONGEST_PROMPTS = 1 << 16  # characters of free prompts before an item on its line

# The rest of a session after its first failure:
MAX_UNEXPECTED = 1 << 16  # bytes to read beyond the expected output, in any session
MAX_TURNS = 2000
MAX_SECONDS = 2.0
ALL_SECONDS = 20.0  # the total for all sessions of a submission
MIN_SECONDS = 0.1  # the limit for each session once `ALL_SECONDS` are used up
LATE_SECONDS = 10.0  # the limit for a session whose output may be late
GRACE_SECONDS = 1.0  # how long the program may be silent after its input ends
MAX_KEPT = 16 * MEGABYTE  # bytes of output to keep from all failed sessions of a submission

# One process of a run:
MAX_DATA = 1024 * MEGABYTE  # private memory, in bytes, with its threads' stacks
LARGEST_FILE = 16 * MEGABYTE  # bytes in each file it writes
MAX_DESCRIPTORS = 256

# All processes of a run:
MAX_QUEUES = 819_200  # bytes of POSIX message queues of a user; the kernel's default
MAX_TERMINALS = 64  # pseudo-terminals: the whole machine has some thousands
MAX_PROCESSORS = 8  # how many a run may use: many programs start a process for each
MAX_MAPPINGS = 80_000  # memory mappings; counting more would take too long
MAX_SOCKETS = 256  # the buffers of sockets take memory that is not counted

MAX_WAITING = 200  # submissions of a class that wait for a stint, with what they have played


@dataclass(frozen=True)
class Limits:
    """The limits of a submission, and of one run of its program; times are in seconds."""

    submission: float = 240  # for everything, including copying and building
    quick: float = 5  # for the first stint of a submission of a class
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
    session: float = 60  # for playing one session, even if the program keeps printing
    build: float = 60  # for building the program
    memory: int = 1 << 30  # bytes in total for the processes of a run
    # Bytes a run may write, as far as the grader can count them. In memory, half of them are for
    # the folder with the copy, which must have room for the largest one.
    disk: int = 2 * (max(SUBMISSION_BOUNDS.size, BUILD_BOUNDS.size) + ROOM_TO_WRITE)
    processes: int = 256  # processes and threads of a run
    free_disk: int = 16 << 20  # bytes of free space required for a run
    free_files: int = 1000  # free inodes required for a run

    @property
    def playing(self) -> float:
        """How many seconds may be spent on playing.

        The rest, at most an eighth of the total, is for the explanation.
        """
        return self.submission - min(self.explanation + self.ending, self.submission / 8)
