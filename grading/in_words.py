"""Phrases used by several modules: what a program does, and its exit status."""

from __future__ import annotations

import signal

from .results import FailureKind

FOR_EXAMPLE = 'for example, '  # begins what a program does wrong if sessions show it differently
# What a program does wrong, by kind of failure.
HAPPENS: dict[FailureKind, str] = {
    'differs': 'does not print the expected output',
    'ended': 'ends too early',
    'silent': 'prints nothing where output is expected',
    'trickles': 'takes too long',
    'not ended': 'does not end',
    'status': 'ends with the wrong exit status',
    'not asking': 'does not ask for more input',
    'file': 'does not write the expected file',
}


def status_in_words(status: int) -> str:
    """Return an exit status in words, or the signal, if it is negative.

    >>> status_in_words(1), status_in_words(-11)
    ('exit status 1', 'signal 11 (SIGSEGV)')
    """
    if status >= 0:
        return f'exit status {status}'
    name = next((known.name for known in signal.Signals if known == -status), '')
    return f'signal {-status} ({name})' if name else f'signal {-status}'
