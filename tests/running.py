"""Runs of our consoles as a user starts them."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from unittest import mock

import pexpect
import pytest
from replay import child_environment
from transcript import ROOT

# Where the tests run in the background, Ctrl-C is ignored, and would be by all they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

SECONDS = 10                            # after which a run counts as hanging

# Ways to start Python, beside the plain one, under which a console must do the same.
SETTINGS = {
    '-O -u': (['-O', '-u'], {}),
    '-B, dev, ascii': (['-B', '-X', 'dev'],
                       {'LC_ALL': 'C', 'PYTHONCOERCECLOCALE': '0', 'PYTHONUTF8': '0',
                        'PYTHONIOENCODING': 'ascii'}),
}
PLAIN = ([], {})


def command_of(console, *arguments, setting=None):
    """Return the command line of a console."""
    return [sys.executable, *SETTINGS.get(setting, PLAIN)[0], str(ROOT / console), *arguments]


def environment_of(setting=None):
    """Return the environment of a setting."""
    return {**child_environment(), **SETTINGS.get(setting, PLAIN)[1]}


def run(console, text, *arguments, setting=None, **options):
    """Run a console on a whole input, text or bytes; return (status, output, errors)."""
    result = subprocess.run(
        command_of(console, *arguments, setting=setting), env=environment_of(setting),
        input=text if isinstance(text, bytes) else text.encode(), check=False, timeout=SECONDS,
        **{'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, **options})
    return result.returncode, result.stdout, result.stderr


def run_with_shell(script, console, *arguments, text='', setting=None):
    """Run a console by a shell script that has it as "$@"; return (status, output, errors)."""
    command = ['sh', '-c', script, 'sh', *command_of(console, *arguments, setting=setting)]
    result = subprocess.run(command, env=environment_of(setting), input=text.encode(),
                            check=False, capture_output=True, timeout=SECONDS)
    return result.returncode, result.stdout, result.stderr


def run_inside(console, text, *arguments):
    """Run a console's `main` in this process, for many runs; return (status, output, errors)."""
    output, errors = io.StringIO(), io.StringIO()
    with mock.patch.multiple(sys, argv=[console.PROGRAM, *arguments], stdin=io.StringIO(text),
                             stdout=output, stderr=errors):
        status = console.main()
    return status, output.getvalue(), errors.getvalue()


def start(console, *arguments, setting=None, **options):
    """Start a console on unbuffered pipes; return the process."""
    return subprocess.Popen(
        command_of(console, *arguments, setting=setting), env=environment_of(setting), bufsize=0,
        **{'stdin': subprocess.PIPE, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE,
           **options})


def start_in_little_memory(console):
    """Start a console in an address space that would not hold 300 megabytes."""
    resource = pytest.importorskip('resource')
    limit = 1 << 28
    return start(console,
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


def start_in_terminal(console):
    """Start a console in a pseudo-terminal that does not echo; return pexpect's child."""
    program, *arguments = command_of(console)
    return pexpect.spawn(program, arguments, echo=False, env=environment_of(), timeout=SECONDS)
