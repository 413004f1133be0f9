"""Phrases used by several modules: what a program does, and its exit status."""

from __future__ import annotations

import signal

from .results import Kind

FOR_EXAMPLE = 'for example, '  # begins what a program does wrong if sessions show it differently
# What a program does wrong, by kind of failure.
HAPPENS: dict[Kind, str] = {
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
    """Return an exit status in words, or the signal it means: -11 or, from a shell, 139.

    >>> status_in_words(1), status_in_words(-11), status_in_words(139), status_in_words(255)
    ('exit status 1', 'signal 11 (SIGSEGV)', 'signal 11 (SIGSEGV)', 'exit status 255')
    """
    number = status - 128 if status > 128 else -status
    name = next((known.name for known in signal.Signals if known == number), '')
    if status < 0 or name:
        return f'signal {number} ({name})' if name else f'signal {number}'
    return f'exit status {status}'
