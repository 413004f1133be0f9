"""Helpers for tests of the sandbox: its working kinds, a time limit, a search for remains."""

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

from grading.sandbox import other_user
from grading.sandbox.choose import machine_probed, working_kind
from grading.sandbox.program import SandboxError

# World-writable folders of this machine.
SHARED = [
    *filter(
        os.path.isdir,
        ('/tmp', '/tmp/.X11-unix', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock'),
    )
]
# Replaces a search of the whole disk. In each process, this would take longer than many tests.
without_search = partial(
    mock.patch.object, other_user, 'world_writable_folders', return_value=SHARED
)
BOUND = 300  # seconds; after that, an attack counts as a success


@cache
def works(kind):
    try:
        with without_search():  # tests are skipped before a fixture could do this
            working_kind(kind)
    except SandboxError:
        return False
    return True


def skip_unless_confined():
    """Skip a test of what the grader refuses to do if no sandbox works."""
    if not works('auto'):
        pytest.skip('programs cannot be confined here')


def skip_unless_discarded():
    """Skip a test with traced programs if no sandbox here discards changes."""
    if not works('bwrap'):
        pytest.skip('no sandbox here discards what programs do')


def traced_in_any_sandbox():
    """Let programs be traced in any sandbox; they must be harmless."""
    if works('bwrap'):
        return nullcontext()
    return mock.patch(internals.DISCARDING, lambda sandbox, limits: sandbox)


probes = ExitStack()  # the probes of a module; what they close stays closed until its end


@cache
def probed_for(kind, hidden):
    """Return settings for a kind of sandbox, once it is probed; it hides one submission."""
    machine = probes.enter_context(machine_probed(kind, None, [hidden]))
    return settings_for('othello', where=False, **machine._asdict())


KINDS = ['bwrap', 'user']  # a test is skipped if its `kind` does not work here
ALL_KINDS = [*KINDS, 'none']
# Where else programs run: the user's own command, the same as on Windows, and while recording.
PLACES = [*ALL_KINDS, 'own', 'windows', 'record']


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
    """Skip a test if new namespaces are impossible: containers often forbid them."""
    if not can_unshare(*options):
        pytest.skip(f'unshare {" ".join(options)} is forbidden here')


@contextmanager
def bounded():
    """Fail after BOUND seconds instead of waiting forever."""

    def fail(number, frame):
        pytest.fail(f'not over after {BOUND} s')

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(BOUND)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def find_marked(mark):
    """Return shared files with a mark in their names, and processes with it in their commands."""
    found = [path for folder in SHARED for path in Path(folder).iterdir() if mark in path.name]
    # Begin with the newest: some programs keep replacing their processes with new ones.
    for process in sorted(map(int, filter(str.isdigit, os.listdir('/proc'))), reverse=True):
        path = Path('/proc', str(process), 'cmdline')
        with suppress(OSError):  # the process may have ended
            if mark.encode() in path.read_bytes():
                found.append(path)
    return found
