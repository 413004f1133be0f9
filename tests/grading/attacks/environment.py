"""Find something of the grader's in the environment."""

from __future__ import annotations

import os

from common import aims


def attack() -> bool:
    values = '\0'.join(f'{name}={value}' for name, value in os.environ.items())
    return any(word in values for word in ('PYTHON', 'TOKEN', aims.project, aims.base))
