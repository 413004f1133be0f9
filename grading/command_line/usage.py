"""The error that a wrong command line is."""

from __future__ import annotations

from ..printable import printable


class UsageError(Exception):
    """Why the words of a command line do not go together."""


def refuse(*checks: tuple[object, str]) -> None:
    """Raise `UsageError` with the message of the first check that has found a mistake."""
    for mistake, message in checks:
        if mistake:
            raise UsageError(printable(message))
