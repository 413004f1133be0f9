"""Why something that was handed in cannot be copied, and whether that is the grader's fault."""

from __future__ import annotations

import errno

from ..signals import Ended

OURS = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM)


class CopyError(Exception):
    """Why nothing can be copied; for its author."""


def check_whose(error: Exception) -> None:
    """Raise an error again that is not a submission's: the grader is told to end, a full disk."""
    if isinstance(error, (Ended, MemoryError)) or (
            isinstance(error, OSError) and error.errno in OURS):
        raise error


def reason_of(error: Exception) -> str:
    """Return what an error says, without the paths that the system adds to it."""
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
