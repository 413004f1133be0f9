"""The error raised for a wrong command line."""

from __future__ import annotations

from ..printable import printable


class UsageError(Exception):
    """The command line is wrong; the message says why."""


def refuse(mistake: object, message: str) -> None:
    """Raise `UsageError` with a message if `mistake` is true."""
    if mistake:
        raise UsageError(printable(message))
