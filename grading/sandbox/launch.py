"""Starts a program in a forked process, which confines itself and reports when it is ready.

If the process fails before it is ready, the grader or the machine is to blame, never the program.
"""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import NamedTuple

from ..limits import LARGEST_FILE
from .control_groups import Group
from .kernel import FILE_BLOCK, Process, allowed_limit, fork
from .program import Program, StartError

READY_SECONDS = 60  # a start fails if the process reports nothing for this long
LONGEST_REASON = 4000  # only this many bytes at the end of a failure's reason are kept
READY = b'ready\n'
FILTER_DESCRIPTOR = 4  # bubblewrap reads the filter of system calls from this descriptor

Streams = tuple[int, int, int]  # descriptors of a program's standard input, output and error

# This shell script makes a fresh copy of the folder $1 as $2, changes to the folder $3 in the copy,
# and limits the size of files to $4 blocks and the number of processes to $5 (`ulimit -p` in dash,
# `ulimit -u` in bash). If $1, $4 or $5 is empty, it skips that step. The script's standard error is
# a socket to the grader. Through the socket, the script reports that it is ready, and waits for an
# answer. Then it becomes the program, with the script's descriptor 3 as standard error.
START = """
if [ "$1" ]; then cp -RPp "$1/." "$2" || exit 126; fi
cd "$2/$3" || exit 126
if [ "$4" ]; then ulimit -f "$4"; fi
if [ "$5" ]; then ulimit -p "$5" 2>/dev/null || ulimit -u "$5"; fi
shift 5
unset PWD OLDPWD
echo ready >&2
read -r go <&2 || exit 126
exec "$@" 2>&3 3>&-
"""


class Launch(NamedTuple):
    """Everything needed to start a program."""

    command: list[str]
    environment: dict[str, str]
    folder: str  # the folder the program starts in or below, as the program sees it
    prepare: Callable[[], None]  # called in the new process, before it runs `command`
    # The run's folder on the machine's disk: the current folder for a program without a folder, and
    # '' if the run has its own file systems.
    run_folder: str = ''


def command(folder: str, copy: str, program: Program, processes: str = '') -> list[str]:
    """Return a command line that copies a folder and runs a program in the copy.

    If `folder` is '', nothing is copied, and the size of files is not limited. `processes` is the
    limit on processes, or '' if something else limits them.
    """
    most = str(allowed_limit(resource.RLIMIT_FSIZE, LARGEST_FILE) // FILE_BLOCK) if folder else ''
    env = ['env', *(f'{name}={value}' for name, value in program.env.items())]
    return [
        'sh',
        '-c',
        START,
        'sh',
        folder,
        copy,
        program.below,
        most,
        processes,
        *(env if program.env else []),
        *program.words,
    ]


@contextmanager
def ready(launch: Launch, streams: Streams, group: Group | None) -> Iterator[Process]:
    """Prepare a program in a new process, yield the process, and start the program after the block.

    Raises `StartError`. An `OSError` in the block also becomes a `StartError`.
    """
    ours, theirs = socket.socketpair()
    report = b''
    with ours:
        try:
            with theirs:
                number = fork(partial(become, launch, streams, group, theirs.fileno()))
            ours.settimeout(READY_SECONDS)
            while not report.endswith(READY):
                piece = ours.recv(LONGEST_REASON)
                if not piece:
                    raise StartError(
                        report.decode(errors='replace').strip() or 'it ended too early'
                    )
                report = (report + piece)[-LONGEST_REASON:]
            yield Process(number, launch.folder)
            ours.sendall(b'\n')
        except OSError as error:
            raise StartError(
                'its process could not be started, or was killed immediately: '
                f'{error.strerror or error}'
            ) from None


def become(launch: Launch, streams: Streams, group: Group | None, channel: int) -> None:
    """Turn this process into the program; if that fails, send the reason through the `channel`."""
    try:
        kept = (streams[0], streams[1], channel, streams[2])  # 0 to 3 from now on: see `START`
        # Move them out of the way first, so that none is overwritten before it has its new number.
        moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, len(kept)) for descriptor in kept]
        for number, descriptor in enumerate(moved):
            os.dup2(descriptor, number)
        for name in os.listdir('/dev/fd'):
            with suppress(OSError):  # the descriptor of the listing itself is already closed
                if int(name) >= len(kept):
                    os.close(int(name))
        for name in ('SIGPIPE', 'SIGXFSZ'):  # Python ignores these; the program should not
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        if group:
            group.enter()
        launch.prepare()
        os.execvpe(launch.command[0], launch.command, launch.environment)
    except BaseException as error:
        os.write(2, f'{type(error).__name__}: {error}'.encode(errors='replace'))
