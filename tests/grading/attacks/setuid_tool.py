"""Gain rights by a `cat` that would run as root."""

from __future__ import annotations

import subprocess

from common import aims


def attack() -> bool:
    return bool(subprocess.run([aims.tool, '/proc/1/environ', f'{aims.project}/pyproject.toml'],
                               stdout=subprocess.PIPE, check=False).stdout)
