"""Runs a small program in the sandbox to find out what programs can reach but should not."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from ..installation import TRANSCRIPTS_FOLDER
from ..printable import printable
from .kernel import IS_LINUX
from .kinds import Sandbox
from .program import UNCOUNTED, SandboxError
from .trial import output

MAX_BESIDE = 20  # how many files and folders beside the submissions to try to read, at most
PROBE = """
import os, socket, sys
transcripts, submission, grader, namespace, port, name, uncounted, *beside = sys.argv[1:]

def reach(what, attempt):
    try:
        attempt()
    except (OSError, AttributeError):       # not allowed, or not part of this Python or system
        return
    print(what)

def read(path):
    if os.path.isdir(path):
        os.listdir(path)
    else:
        open(path).close()

def read_any(paths):
    for path in paths:
        try:
            return read(path)
        except OSError:
            pass
    raise OSError

def connect(family, address):
    with socket.socket(family) as client:
        client.settimeout(2)
        client.connect(address)

reach('the transcripts', lambda: read(transcripts))
reach('submissions', lambda: read(submission))
reach('the files beside the submissions', lambda: read_any(beside))
# `grader` is the grader's PID, which is valid only in the grader's own PID namespace.
if not namespace or os.readlink('/proc/self/ns/pid') == namespace:
    reach("the grader's process (to see it)", lambda: os.stat('/proc/' + grader))
    reach("the grader's process (to signal it)", lambda: os.kill(int(grader), 0))
reach('the network', lambda: connect(socket.AF_INET, ('127.0.0.1', int(port))))
if sys.platform == 'linux':
    reach("this machine's abstract sockets", lambda: connect(socket.AF_UNIX, chr(0) + name))
    reach('sockets in the folder /tmp', lambda: connect(socket.AF_UNIX, '/tmp/' + name))
    # AF_VSOCK, for which PyPy has no name.
    reach('the host, if this machine is virtual', lambda: socket.socket(40).close())
    reach(uncounted, lambda: os.close(os.memfd_create('probe')))
"""


def reachable(sandbox: Sandbox, submissions: Sequence[Path]) -> list[str]:
    """Return descriptions of what a program can reach but should not, such as 'the network'.

    A program should be able to read neither the submissions nor anything beside them. Only one of
    the submissions is tried. Raises `SandboxError` if Python cannot run in the sandbox.
    """
    # Prefer a submission that is not a link, because a link may lead anywhere.
    submission = min(submissions, key=Path.is_symlink)
    beside = []
    with suppress(OSError):
        found = submission.parent.iterdir()
        beside = [*islice((path for path in found if path not in submissions), MAX_BESIDE)]
    namespace = os.readlink('/proc/self/ns/pid') if IS_LINUX else ''
    with (
        socket.socket() as listener,
        socket.socket(socket.AF_UNIX) as local,
        socket.socket(socket.AF_UNIX) as open_to_all,
    ):
        listener.bind(('127.0.0.1', 0))
        listener.listen(1)
        name = f'grading-{os.urandom(8).hex()}'
        if IS_LINUX:
            for server, address in ((local, f'\0{name}'), (open_to_all, f'/tmp/{name}')):
                server.bind(address)
                server.listen(1)
            os.chmod(f'/tmp/{name}', 0o777)
        words = [
            str(TRANSCRIPTS_FOLDER),
            str(submission),
            str(os.getpid()),
            namespace,
            str(listener.getsockname()[1]),
            name,
            UNCOUNTED,
            *map(str, beside),
        ]
        try:
            # Put the paths into the source, because a sandbox lets a program see every file named
            # on its command line.
            source = f'import sys\nsys.argv[1:] = {words!r}\n{PROBE}'
            status, printed = output(sandbox, [sandbox.python, '-c', source])
        finally:
            if IS_LINUX:
                os.remove(f'/tmp/{name}')
    if status != 0:
        raise SandboxError(
            f'{sandbox.python} cannot run in the {sandbox.kind} '
            f'sandbox: {printable(printed.decode(errors="replace"))}'
        )
    return printed.decode().splitlines()
