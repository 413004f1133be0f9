"""Chooses the sandbox and its Python interpreter, and finds out what programs can reach there.

The kinds of sandbox are, from the strongest to the weakest, `bwrap` (bubblewrap), `user` and
`none`. `user` runs programs as another user, and works only if the grader is root; `none` only sets
limits. By default, the strongest working kind is chosen, but never `none`. Before the first run, a
small program, the probe, tries to break out. Windows has no sandbox: there, the grader runs only
the user's own programs.
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
from .program import (
    HAS_SANDBOX,
    UNCOUNTED,
    Program,
    SandboxError,
    StartError,
    interpreters,
    own_interpreter,
    search_path,
    words_in,
)
from .scratch import scratch_folder
from .view import SYSTEM, folder_above, tools_of

if HAS_SANDBOX:
    from .kernel import IS_LINUX, PROBE_SECONDS
    from .kinds import AsOtherUser, Bubblewrap, Sandbox
    from .other_user import closed_to_others

BUBBLEWRAP_REFUSED = (
    'bubblewrap is installed, but reports "{}"; allow it to create namespaces (see '
    'docs/security.md), or start the grader as root to use the "user" sandbox'
)


class Machine(NamedTuple):
    """What is known about this machine before the first submission is graded."""

    confine: str = 'none'  # the kind of sandbox that works here
    hidden: tuple[Path, ...] = ()  # files and folders that no program may see
    reach: tuple[str, ...] = ()  # what a program can reach but should not
    most_runs: int | None = None  # how many programs may run at once, or None for any number


ANY_MACHINE = Machine()


def confine(
    kind: str, scratch: Path, hidden: Sequence[Path] = (), limits: Limits | None = None
) -> Sandbox:
    """Return a sandbox of the given kind, or for `auto`, the stronger of `bwrap` and `user`.

    The other arguments are those of `Sandbox`. Raises `SandboxError` if no such sandbox works here.
    """
    if not HAS_SANDBOX:  # an object with everything used on Windows
        return cast(
            'Sandbox',
            SimpleNamespace(
                kind='none',
                scratch=scratch,
                python=sys.executable,
                shares_limits=False,  # Windows does not kill programs when memory runs out
                has_room=lambda: False,
            ),
        )
    chosen, python = working_kind(kind)
    sandbox = chosen(scratch, hidden, limits)
    sandbox.python = python
    return sandbox


def discarding(sandbox: Sandbox, limits: Limits) -> Sandbox | None:
    """Return a sandbox that discards the changes of a run, or None if no such sandbox works here.

    The result is `sandbox` itself if possible. Otherwise, it has the given limits.
    """
    if not HAS_SANDBOX:
        return None
    if sandbox.discards:
        return sandbox
    with suppress(SandboxError, OSError):
        return confine('bwrap', sandbox.scratch, sandbox.hidden, limits)
    return None


def working_kind(kind: str) -> tuple[type[Sandbox], str]:
    """Return a working kind of sandbox, and an interpreter that works in it.

    `kind` is as in `confine`. Raises `SandboxError`.
    """
    if kind == 'none':
        return Sandbox, own_interpreter()
    cure = 'install bubblewrap (on Debian and Ubuntu: apt install bubblewrap)'
    for candidate in (Bubblewrap, AsOtherUser):
        if kind not in ('auto', candidate.kind):
            continue
        try:
            return candidate, interpreter_in(candidate)
        except SandboxError as error:
            if candidate is Bubblewrap and error.args and shutil.which('bwrap'):
                cure = BUBBLEWRAP_REFUSED.format(printable(str(error)))
    fails = 'no sandbox works' if kind == 'auto' else f'the {kind} sandbox does not work'
    raise SandboxError(
        f'{fails} here, so nothing was run: {cure}; or add --confine none, but then '
        'these programs can read, change and send everything that you can. Your own '
        'program needs no sandbox: use --command "CMD" instead of the file name'
    )


@cache
def interpreter_in(kind: type[Sandbox]) -> str:
    """Return the first interpreter that runs in a kind of sandbox.

    A success is cached, and forked processes inherit the cache. Raises `SandboxError` with the last
    line of what the last interpreter printed, or without arguments if none could be tried.
    """
    source = 'import os; os.fork()'  # programs must be able to start processes
    complaints = []
    with suppress(OSError, SandboxError), scratch_folder() as scratch:
        sandbox = kind(scratch)
        for python in interpreters():
            sandbox.python = python
            status, printed = output(sandbox, [python, '-c', source])
            if status == 0:
                return python
            complaints = [printed.decode(errors='replace').strip().rpartition('\n')[2]]
    raise SandboxError(*complaints)


@contextmanager
def machine_probed(
    kind: str,
    command: str | None,
    submissions: Sequence[Path],
    others: Sequence[Path] = (),
    tools: Sequence[str] = (),
) -> Iterator[Machine]:
    """Yield the facts about this machine: the sandbox for submissions, and what they can reach.

    Unless the kind is `none`, programs see neither the folders of the submissions (see
    `folder_above`) nor `others`, such as the folder for the results. For the kind `user`, these
    folders are closed to other users until the block ends.

    `command`, if given, is the command line for starting the submissions. `tools` are the words of
    other command lines they need, such as their build command. Raises `SandboxError` if no sandbox
    works, or if the command does not exist.
    """
    with scratch_folder() as scratch:
        sandbox = confine(kind, scratch)
        words = words_in(command or '')
        needed = [scratch, *tools_of((sandbox.python, *words, *tools), search_path(sandbox.python))]
        hidden = [*dict.fromkeys([folder_above(path, needed) for path in submissions]), *others]
        sandbox.hidden += hidden
        with (
            closed_to_others(sandbox.hidden, [*SYSTEM, *needed], scratch)
            if sandbox.shares_folders
            else nullcontext()
        ):
            reach = reachable(sandbox, submissions)
            if words and '/' not in words[0]:
                status, _ = output(sandbox, ['sh', '-c', 'command -v "$0"', words[0]])
                if status != 0:
                    raise SandboxError(f'no such command: {words[0]}')
            yield Machine(sandbox.kind, tuple(hidden), tuple(reach), sandbox.most_runs())


def output(sandbox: Sandbox, words: list[str]) -> tuple[int | None, bytes]:
    """Run a command in a sandbox, without input; return its exit status and output.

    The output includes the standard error. If the command took too long, the status is None. If the
    command could not start, the status is None, and the output says why.
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
                status = process.status(PROBE_SECONDS)
        except StartError as error:
            return None, str(error).encode()
        printed.seek(0)
        return status, printed.read()


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


@cache
def as_in_terminal(kind: str) -> Mapping[str, str]:
    """Return environment variables that make the output of programs appear without a flush.

    The output of a C program then appears at each newline, and before the program reads. This needs
    the library preloaded by `stdbuf` (coreutils). If it does not work in the given kind of sandbox,
    the variables affect only Python programs.
    """
    env = {'PYTHONUNBUFFERED': '1'}
    if not HAS_SANDBOX:
        return env
    with suppress(OSError, SandboxError), scratch_folder() as scratch:
        status, printed = output(confine(kind, scratch), ['stdbuf', '-oL', 'env'])
        library = re.search(rb'^LD_PRELOAD=(.+)$', printed, re.MULTILINE)
        # If the library cannot be loaded, an error message also contains this name.
        works = status == 0 and printed.count(b'LD_PRELOAD') == 1
        if library and works:
            # With line-buffered input (`_STDBUF_I`), glibc flushes the output before it reads.
            # Without ASAN_OPTIONS, AddressSanitizer would abort a program because another library
            # is loaded before its own.
            env |= {
                'LD_PRELOAD': os.fsdecode(library[1]),
                '_STDBUF_I': 'L',
                '_STDBUF_O': 'L',
                'ASAN_OPTIONS': 'verify_asan_link_order=0',
            }
    return env
