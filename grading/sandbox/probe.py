"""The sandbox is tried, not assumed: a small program in it reaches for what it must not have."""

from __future__ import annotations

import os
import socket
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Iterator, Sequence

from ..printable import printable
from ..project import TRANSCRIPTS_FOLDER
from ..settings import Settings
from .base import Sandbox
from .cleanup import closed_to_others
from .kinds import confine, scratch_folder
from .limits import IS_LINUX, session_keyring
from .program import (
    SYSTEM,
    Program,
    SandboxError,
    StartError,
    in_sight,
    tool_folders,
    words_in,
)

PROBE_SECONDS = 20
PROBE = '''
import ctypes, os, socket, sys
transcripts, submission, grader, namespace, port, name, keyctl, keyring = sys.argv[1:]

def reach(what, attempt):
    try:
        attempt()
    except (OSError, AttributeError):       # what Python or the system does not have
        return
    print(what)

def read(path):
    if os.path.isdir(path):
        os.listdir(path)
    else:
        open(path).close()

def connect(family, address):
    with socket.socket(family) as client:
        client.settimeout(2)
        client.connect(address)

def find_keyring():
    if not int(keyctl) or ctypes.CDLL(None).syscall(int(keyctl), 0, -3, 0) != int(keyring):
        raise OSError

reach('the transcripts', lambda: read(transcripts))
reach('submissions', lambda: read(submission))
# A process has the same number only in the same namespace.
if not namespace or os.readlink('/proc/self/ns/pid') == namespace:
    reach("the grader's process, to see it", lambda: os.stat('/proc/' + grader))
    reach("the grader's process, to signal it", lambda: os.kill(int(grader), 0))
reach("the grader's keys", find_keyring)
reach('the network', lambda: connect(socket.AF_INET, ('127.0.0.1', int(port))))
if sys.platform == 'linux':
    reach("this machine's abstract sockets", lambda: connect(socket.AF_UNIX, chr(0) + name))
    reach('the host of a virtual machine', lambda: socket.socket(socket.AF_VSOCK).close())
    reach('memory that no limit counts', lambda: os.close(os.memfd_create('probe')))
'''


@contextmanager
def surveyed(settings: Settings, hidden: Sequence[Path]) -> Iterator[Settings]:
    """Yield settings that say how programs are confined here, and what they reach all the same.

    `hidden` are the submissions, and the folder of the results. With another user as the sandbox
    they are closed to all others until this is done. Raises `SandboxError`.
    """
    with ExitStack() as closed:
        with scratch_folder() as scratch:
            sandbox = confine(settings.confine, scratch, hidden)
            if sandbox.kind == 'user':
                closed.enter_context(closed_to_others(
                    sandbox.hidden, [*SYSTEM, sandbox.python, scratch]))
            reach = reachable(sandbox, hidden[0])
            command = words_in(settings.command or '')
            check_tool(command, sandbox)
            seen = in_sight(hidden, tool_folders([sandbox.python, *command], sandbox.python))
        yield replace(settings, confine=sandbox.kind, hidden=tuple(seen), reach=tuple(reach))


def check_tool(command: Sequence[str], sandbox: Sandbox) -> None:
    """Raise `SandboxError` if a command, one that is not the submission's, is not there."""
    for name in command[:1]:
        if '/' not in name and not sandbox.runs(['sh', '-c', 'command -v "$0"', name]):
            raise SandboxError(f'no such command: {name}')


def reachable(sandbox: Sandbox, submission: Path) -> list[str]:
    """Return what a program can reach that it should not, in words.

    `submission` is somebody else's.
    """
    try:
        namespace = os.readlink('/proc/self/ns/pid')
    except OSError:                         # this is not Linux
        namespace = ''
    with socket.socket() as listener, socket.socket(socket.AF_UNIX) as local, \
            tempfile.TemporaryDirectory(dir=sandbox.scratch) as home:
        listener.bind(('127.0.0.1', 0))
        listener.listen(1)
        name = f'grading-{os.getpid()}'
        if IS_LINUX:
            local.bind(f'\0{name}')
            local.listen(1)
        os.chmod(home, 0o755)
        words = [str(TRANSCRIPTS_FOLDER), str(submission.resolve()), str(os.getpid()), namespace,
                 str(listener.getsockname()[1]), name, *map(str, session_keyring())]
        probe = Program([sandbox.python, '-c', PROBE, *words], Path(home))
        try:
            status, printed = sandbox.output(probe, PROBE_SECONDS)
        except StartError as error:
            status, printed = None, str(error).encode()
    if status != 0:
        raise SandboxError(f'{sandbox.python} does not run, confined by '
                               f'{sandbox.kind}: {printable(printed.decode(errors="replace"))}')
    return printed.decode().splitlines()
