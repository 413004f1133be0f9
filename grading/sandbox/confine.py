"""The sandbox of this machine: its kind, its Python, and what programs can still reach in it.

The strongest kind that works is chosen: `bwrap` is bubblewrap; `user` is another user, if the
grader runs as root where bubblewrap does not work; `none` has only limits, and must be asked for.
On Windows only the user's own programs run.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple, cast

from ..installation import TRANSCRIPTS_FOLDER
from ..limits import Limits
from ..printable import printable
from .interpreter import interpreters, own_interpreter
from .program import (
    HAS_SANDBOX,
    UNCOUNTED,
    Program,
    SandboxError,
    StartError,
    search_path,
    words_in,
)
from .untrusted_files import NO_LINK, ONLY_FOLDERS, opened, remove
from .view import SYSTEM, folder_above, tools_of

if HAS_SANDBOX:
    import fcntl

    from .closed_folders import closed_to_others, reopen
    from .control_groups import PREFIX, Group, tree_for_runs
    from .kernel import (
        GET_KEYRING,
        IS_LINUX,
        KEYCTL,
        LIBRARY,
        SESSION_KEYRING,
        TRIAL_SECONDS,
    )
    from .kinds import FEW_USER_IDS, USER_IDS, AsOtherUser, Bubblewrap, OtherUser, Sandbox

BUBBLEWRAP_REFUSED = (
    'bubblewrap is installed, but says "{}"; let it make namespaces (docs/security.md says how), '
    'or start the grader as root, which can use the sandbox user'
)
PROBE = """
import ctypes, os, socket, sys
(transcripts, submission, grader, namespace, port, name, keyctl, keyring, uncounted,
 *beside) = sys.argv[1:]

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

def find_keyring():
    if not int(keyctl) or ctypes.CDLL(None).syscall(int(keyctl), 0, -3, 0) != int(keyring):
        raise OSError

reach('the transcripts', lambda: read(transcripts))
reach('submissions', lambda: read(submission))
reach('what lies beside the submissions', lambda: read_any(beside))
# A process has the same number only in the same namespace.
if not namespace or os.readlink('/proc/self/ns/pid') == namespace:
    reach("the grader's process, to see it", lambda: os.stat('/proc/' + grader))
    reach("the grader's process, to signal it", lambda: os.kill(int(grader), 0))
reach("the grader's keys", find_keyring)
reach('the network', lambda: connect(socket.AF_INET, ('127.0.0.1', int(port))))
if sys.platform == 'linux':
    reach("this machine's abstract sockets", lambda: connect(socket.AF_UNIX, chr(0) + name))
    reach('sockets in the folder /tmp', lambda: connect(socket.AF_UNIX, '/tmp/' + name))
    # AF_VSOCK, for which PyPy has no name.
    reach('the host of a virtual machine', lambda: socket.socket(40).close())
    reach(uncounted, lambda: os.close(os.memfd_create('probe')))
"""

MOST_BESIDE = 20  # files and folders that the probe tries to read


class Survey(NamedTuple):
    """What programs in a sandbox can reach."""

    confine: str  # the kind of sandbox
    hidden: tuple[Path, ...]  # files and folders that they must not see
    reach: tuple[str, ...]  # what they can reach although they should not
    places: int  # how many may run at once


def confine(
    kind: str, scratch: Path, hidden: Sequence[Path] = (), limits: Limits | None = None
) -> Sandbox:
    """Return a sandbox of a kind that works; `auto` tries bubblewrap first, then another user.

    `auto` never chooses `none`. The other arguments are those of `Sandbox`. Raises `SandboxError`.
    """
    if not HAS_SANDBOX:
        return cast(
            'Sandbox',
            SimpleNamespace(
                kind='none',
                scratch=scratch,
                python=sys.executable,
                shares_limits=False,
                discards=False,
                clear=lambda: None,
                has_room=lambda: False,
            ),
        )  # Windows ends no program because memory runs out
    chosen, python = tried(kind)
    sandbox = chosen(scratch, hidden, limits)
    sandbox.python = python
    return sandbox


def discarding(sandbox: Sandbox, limits: Limits) -> Sandbox:
    """Return a sandbox of this machine that discards what its runs do, or else the given one."""
    if not sandbox.discards and HAS_SANDBOX:
        with suppress(SandboxError):
            best = confine('auto', sandbox.scratch, sandbox.hidden, limits)
            return best if best.discards else sandbox
    return sandbox


@cache
def tried(kind: str) -> tuple[type[Sandbox], str]:
    """Return a kind of sandbox that has run a program here, and the interpreter that it ran.

    What has worked once is not tried again in this process, nor in its forks. Raises
    `SandboxError`.
    """
    if kind == 'none':
        return Sandbox, own_interpreter()
    cure = 'install bubblewrap (on Debian and Ubuntu: apt install bubblewrap)'
    for candidate in (Bubblewrap, AsOtherUser):
        if kind not in ('auto', candidate.kind):
            continue
        python, complaint = interpreter_in(candidate)
        if python:
            return candidate, python
        if candidate is Bubblewrap and complaint is not None and shutil.which('bwrap'):
            cure = BUBBLEWRAP_REFUSED.format(printable(complaint))
    fails = 'no sandbox works' if kind == 'auto' else f'the sandbox {kind} does not work'
    raise SandboxError(
        f'{fails} here, so nothing was run: {cure}; or add --confine none, and '
        'these programs can read, change and send all that you can. Your own '
        'program needs no sandbox: type --command "CMD" instead of its file'
    )


def interpreter_in(kind: type[Sandbox]) -> tuple[str, str | None]:
    """Return the first interpreter that runs in a kind of sandbox, '' if none does.

    Return also the last line that was printed where one failed, None if none has failed.
    """
    complaint = None
    with suppress(OSError, SandboxError), scratch_folder() as scratch:
        sandbox = kind(scratch)
        for python in interpreters():
            sandbox.python = python
            status, printed = output(sandbox, [python, '-c', 'import os; os.fork()'])
            if status == 0:
                return python, None
            complaint = printed.decode(errors='replace').strip().rpartition('\n')[2]
    return '', complaint


@cache
def as_in_terminal(kind: str) -> Mapping[str, str]:
    """Return an environment in which programs print as in a terminal, without a flush.

    Output that C buffers comes at each newline, and before input is read: coreutils' `stdbuf` has a
    library for that, which is tried here in a kind of sandbox.
    """
    env = {'PYTHONUNBUFFERED': '1'}
    with suppress(OSError, SandboxError), scratch_folder() as scratch:
        status, printed = (
            output(confine(kind, scratch), ['stdbuf', '-oL', 'env']) if HAS_SANDBOX else (None, b'')
        )
        library = re.search(rb'^LD_PRELOAD=(.+)$', printed, re.MULTILINE)
        if status == 0 and library and printed.count(b'LD_PRELOAD') == 1:
            # A library before that of the address sanitizer would end the program.
            env |= {
                'LD_PRELOAD': os.fsdecode(library[1]),
                '_STDBUF_I': 'L',
                '_STDBUF_O': 'L',
                'ASAN_OPTIONS': 'verify_asan_link_order=0',
            }
    return env


def output(sandbox: Sandbox, words: list[str]) -> tuple[int | None, bytes]:
    """Run a command without input in a sandbox; return its exit status and output.

    The status is `None` if the command took too long, or could not start.
    """
    with (
        tempfile.TemporaryDirectory(dir=sandbox.scratch) as folder,
        tempfile.TemporaryFile() as printed,
        open(os.devnull, 'rb') as nothing,
    ):
        os.chmod(folder, 0o755)
        streams = nothing.fileno(), printed.fileno(), printed.fileno()
        try:
            with sandbox.started(Program(words, Path(folder)), streams) as (process, _):
                status = process.status(TRIAL_SECONDS)
        except StartError as error:
            return None, str(error).encode()
        printed.seek(0)
        return status, printed.read()


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Provide a folder for the grader, locked while the grader lives; remove it at the end."""
    if not HAS_SANDBOX:
        with tempfile.TemporaryDirectory(prefix='grading-') as name:
            yield Path(name)
        return
    new = Path(tempfile.mkdtemp(prefix='grading-'))
    with opened(new) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Only a folder with this name that nobody has locked is abandoned.
        folder = new.rename(new.with_name(f'{PREFIX}{os.urandom(4).hex()}'))
        try:
            yield folder
        finally:
            remove(folder)
            if tree_for_runs.cache_info().currsize:  # else no run has asked for a group
                remove_group(folder.name)


def remove_group(name: str) -> None:
    """Remove the control group of some runs, if the grader may make groups."""
    tree = tree_for_runs()
    if tree:
        Group(name, tree).remove()


def remove_abandoned() -> None:
    """Clean up after graders that were killed: end their programs, remove their folders."""
    for folder in Path(tempfile.gettempdir()).glob(f'{PREFIX}*') if HAS_SANDBOX else ():
        with suppress(OSError), opened(folder, ONLY_FOLDERS | NO_LINK) as lock:
            status = os.fstat(lock)
            if status.st_uid == os.geteuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails if its grader lives
                is_open = any(status.st_gid in ids for ids in (USER_IDS, FEW_USER_IDS))
                if is_open and os.geteuid() == 0:  # to the group of a user
                    user = OtherUser(status.st_gid)
                    user.end_processes()
                    user.remove_all()
                remove_group(folder.name)
                reopen(folder)
                remove(folder)


@contextmanager
def surveyed(
    kind: str,
    command: str | None,
    submissions: Sequence[Path],
    others: Sequence[Path] = (),
    tools: Sequence[str] = (),
) -> Iterator[Survey]:
    """Yield the kind of sandbox for submissions, and what programs in it can still reach.

    No program sees the folders in which the submissions are, nor `others`, such as the folder of
    results. Where all runs share the file systems, these are closed to all other users until the
    block ends. `command` starts the submissions, if it is given; `tools` are words of commands that
    programs need. Raises `SandboxError`.
    """
    with scratch_folder() as scratch:
        sandbox = confine(kind, scratch)
        words = words_in(command or '')
        needed = [scratch, *tools_of((sandbox.python, *words, *tools), search_path(sandbox.python))]
        hidden = [*dict.fromkeys([folder_above(path, needed) for path in submissions]), *others]
        sandbox.hidden += hidden
        with (
            closed_to_others(sandbox.hidden, [*SYSTEM, *needed], scratch)
            if sandbox.kind == 'user' and not sandbox.discards
            else nullcontext()
        ):
            reach = reachable(sandbox, submissions)
            if (
                words
                and '/' not in words[0]
                and output(sandbox, ['sh', '-c', 'command -v "$0"', words[0]])[0] != 0
            ):
                raise SandboxError(f'no such command: {words[0]}')
            yield Survey(sandbox.kind, tuple(hidden), tuple(reach), sandbox.places())


def reachable(sandbox: Sandbox, submissions: Sequence[Path]) -> list[str]:
    """Return in words what a program can reach though it should not.

    It must read neither a submission nor what is beside it, such as one that is not graded.
    """
    submission = submissions[0].resolve()
    beside = []
    with suppress(OSError):
        found = submission.parent.iterdir()
        beside = [*islice((path for path in found if path not in submissions), MOST_BESIDE)]
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
        keyring = LIBRARY.syscall(KEYCTL, GET_KEYRING, SESSION_KEYRING, 0) if KEYCTL else -1
        words = [
            str(TRANSCRIPTS_FOLDER),
            str(submission),
            str(os.getpid()),
            namespace,
            str(listener.getsockname()[1]),
            name,
            str(KEYCTL),
            str(keyring),
            UNCOUNTED,
            *map(str, beside),
        ]
        try:
            # Not as words of the command line: a sandbox shows the files that these name.
            source = f'import sys\nsys.argv[1:] = {words!r}\n{PROBE}'
            status, printed = output(sandbox, [sandbox.python, '-c', source])
        finally:
            if IS_LINUX:
                os.remove(f'/tmp/{name}')
    if status != 0:
        raise SandboxError(
            f'{sandbox.python} does not run, confined by '
            f'{sandbox.kind}: {printable(printed.decode(errors="replace"))}'
        )
    return printed.decode().splitlines()
