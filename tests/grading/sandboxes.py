"""What tests of the sandbox share: the kinds that work here, a time limit, what is left."""

import os
import shutil
import signal
import subprocess
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import cache, partial
from pathlib import Path
from unittest import mock

import internals
import pytest
from assigned import settings_for

from grading.sandbox import kinds, other_user
from grading.sandbox.confine import surveyed, tried
from grading.sandbox.program import SandboxError

SHARED = [
    *filter(
        os.path.isdir,
        ('/tmp', '/tmp/.X11-unix', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock'),
    )
]
# A search of the whole disk, in each process, would cost more than many a test.
without_search = partial(
    mock.patch.object, other_user, 'world_writable_folders', return_value=SHARED
)
BOUND = 300  # seconds, after which an attack counts as a success


@cache
def works(kind):
    try:
        with without_search():  # a test is skipped before its fixtures are set up
            tried(kind)
    except SandboxError:
        return False
    return True


def skip_unless_confined():
    """Skip what a grader refuses to do where nothing confines programs."""
    if not works('auto'):
        pytest.skip('programs cannot be confined here')


@cache
def discards():
    """Return whether a sandbox here discards what programs do: only in it they are traced."""
    return works('bwrap') or (works('user') and kinds.can_separate())


def skip_unless_discarded():
    """Skip what needs a program to be traced where that is refused."""
    if not discards():
        pytest.skip('no sandbox here discards what programs do')


def traced_in_any_sandbox():
    """Let harmless programs be traced where no sandbox discards what they do."""
    if discards():
        return nullcontext()
    return mock.patch(internals.DISCARDING, lambda sandbox, limits: sandbox)


surveys = ExitStack()  # what they have closed stays closed meanwhile


def surveyed_for(kind, hidden):
    """Return settings for a kind of sandbox, from which one submission is hidden."""
    return surveyed_once(kind, hidden, kinds.can_separate())


@cache
def surveyed_once(kind, hidden, _):
    survey = surveys.enter_context(surveyed(kind, None, [hidden]))
    return settings_for('othello', where=False, **survey._asdict())


KINDS = ['bwrap', 'user']  # a test whose `kind` does not work here is skipped
ALL_KINDS = [*KINDS, 'none']
# What a machine may have at best: `shared` is `user` where root may not mount anything.
AT_BEST = [*ALL_KINDS, 'shared']


@cache
def can_unshare(*options):
    """Return whether a process can be put into new namespaces."""
    return (
        bool(shutil.which('unshare'))
        and subprocess.run(
            ['unshare', *options, 'true'], check=False, capture_output=True
        ).returncode
        == 0
    )


def skip_unless_unshared(*options):
    """Skip a test that needs new namespaces, as containers often forbid them."""
    if not can_unshare(*options):
        pytest.skip(f'unshare {" ".join(options)} is forbidden here')


@contextmanager
def bounded():
    """Fail when the time is over, instead of waiting for ever."""

    def fail(number, frame):
        pytest.fail(f'not over after {BOUND} s')

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(BOUND)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def left_with(mark):
    """Return the processes and files that have a mark in their command lines and names."""
    found = [path for folder in SHARED for path in Path(folder).iterdir() if mark in path.name]
    # The newest first: some make way for others all the time.
    for process in sorted(map(int, filter(str.isdigit, os.listdir('/proc'))), reverse=True):
        path = Path('/proc', str(process), 'cmdline')
        with suppress(OSError):  # it has ended meanwhile
            if mark.encode() in path.read_bytes():
                found.append(path)
    return found
