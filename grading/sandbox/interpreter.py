"""Lists the Python interpreters for submissions; the first that works in the sandbox is used."""

from __future__ import annotations

import os
import shutil
import sys


def own_interpreter() -> str:
    """Return the grader's own interpreter, outside any virtual environment."""
    return os.path.realpath(sys.executable)


def interpreters() -> list[str]:
    """Return the interpreters to try, the best first.

    Another user may be unable to run the grader's own interpreter, but can run the system's.
    """
    system = shutil.which('python3', path=os.defpath) or sys.executable
    return [*dict.fromkeys([own_interpreter(), os.path.realpath(system)])]
