"""Runs of our consoles as a user starts them."""

from __future__ import annotations

import subprocess
import sys

from replay import child_environment
from transcript import ROOT

SECONDS = 20                            # after which a run counts as hanging

# Ways to start Python under which a console must do the same.
SETTINGS = {
    'plain': ([], {}),
    '-O': (['-O'], {}),
    '-B -u': (['-B', '-u'], {}),
    'LC_ALL=C': ([], {'LC_ALL': 'C', 'PYTHONCOERCECLOCALE': '0', 'PYTHONUTF8': '0'}),
    'ascii': ([], {'PYTHONIOENCODING': 'ascii'}),
    'dev': (['-X', 'dev'], {}),
}


def command_of(console, *arguments, setting='plain'):
    """Return the command line of a console."""
    return [sys.executable, *SETTINGS[setting][0], str(ROOT / console), *arguments]


def environment_of(setting='plain'):
    """Return the environment of a setting."""
    return {**child_environment(), **SETTINGS[setting][1]}


def run(console, text, *arguments, setting='plain', **options):
    """Run a console on a whole input, text or bytes; return (status, output, errors)."""
    result = subprocess.run(
        command_of(console, *arguments, setting=setting), env=environment_of(setting),
        input=text if isinstance(text, bytes) else text.encode(), check=False, timeout=SECONDS,
        **{'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, **options})
    return result.returncode, result.stdout, result.stderr
