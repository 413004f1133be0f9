"""Which Python runs the submissions: the first of these that works in the sandbox."""

from __future__ import annotations

import os
import shutil
import sys


def own_interpreter() -> str:
    """Return the grader's own interpreter; that of a virtual environment would name the project."""
    return os.path.realpath(sys.executable)


def interpreters() -> list[str]:
    """Return the interpreters to try, the best first.

    The grader's own may be closed to others; the system's is not.
    """
    system = shutil.which('python3', path=os.defpath) or sys.executable
    return [*dict.fromkeys([own_interpreter(), os.path.realpath(system)])]
