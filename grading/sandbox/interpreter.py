"""Lists the Pythons that could run submissions: the first that works in the sandbox does."""

from __future__ import annotations

import os
import shutil
import sys


def own_interpreter() -> str:
    """Return the grader's own interpreter, without a virtual environment that names the project."""
    return os.path.realpath(sys.executable)


def interpreters() -> list[str]:
    """Return the interpreters to try, the best first.

    Other users may not be able to run the grader's own interpreter, but they can run the system's.
    """
    system = shutil.which('python3', path=os.defpath) or sys.executable
    return [*dict.fromkeys([own_interpreter(), os.path.realpath(system)])]
