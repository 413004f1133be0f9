"""What the Linux kernel does for a process that Python has no function for."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from contextlib import suppress

IS_LINUX = sys.platform == 'linux'
LIBRARY = ctypes.CDLL(None, use_errno=True)

SET_DEATH_SIGNAL = 1                    # of prctl, see linux/prctl.h
SET_SECCOMP, FILTER_MODE = 22, 2
SET_CHILD_SUBREAPER = 36
SET_NO_NEW_PRIVILEGES = 38
GET_KEYRING, JOIN_SESSION_KEYRING, CLEAR_KEYRING = 0, 1, 7          # of keyctl, linux/keyctl.h
SESSION_KEYRING, USER_KEYRING, USER_SESSION_KEYRING = -3, -4, -5
KEYCTL = {'x86_64': 250, 'aarch64': 219, 'riscv64': 219, 'ppc64le': 271, 's390x': 280}
INSTRUCTION = 8                         # bytes of one, in a filter


class FilterProgram(ctypes.Structure):
    """`struct sock_fprog`: a filter, as the kernel takes it."""

    _fields_ = (('length', ctypes.c_ushort), ('instructions', ctypes.c_char_p))


def control(option: int, *values: object) -> None:
    """Call `prctl`, on Linux. Raises `OSError`."""
    if IS_LINUX and LIBRARY.prctl(option, *[*values, 0, 0, 0, 0][:4]) != 0:
        raise OSError(ctypes.get_errno(), f'prctl {option}')


def adopt_orphans() -> None:
    """Become the parent of all that descends from this process, whatever sessions it opens."""
    control(SET_CHILD_SUBREAPER, 1)


def gain_nothing() -> None:
    """Let no program that is started from here gain rights, as by a set-user-ID bit."""
    control(SET_NO_NEW_PRIVILEGES, 1)


def load_filter(instructions: bytes) -> None:
    """Let a seccomp filter decide about each system call from here on. Raises `OSError`."""
    if instructions:
        program = FilterProgram(len(instructions) // INSTRUCTION, instructions)
        control(SET_SECCOMP, FILTER_MODE, ctypes.byref(program))


def leave_keyring() -> None:
    """Join a new session keyring, an empty one, where the kernel has any."""
    call_keyctl(JOIN_SESSION_KEYRING, None)


def clear_keyrings() -> None:
    """Remove all keys that this process's user has, in whatever session."""
    call_keyctl(CLEAR_KEYRING, USER_KEYRING)
    call_keyctl(CLEAR_KEYRING, USER_SESSION_KEYRING)


def call_keyctl(option: int, value: int | None) -> None:
    """Call `keyctl`, where this machine is known to have it; some containers refuse it to all."""
    number = KEYCTL.get(platform.machine())
    if IS_LINUX and number:
        LIBRARY.syscall(number, option, value)


def session_keyring() -> tuple[int, int]:
    """Return the number of the system call `keyctl`, 0 if unknown, and of the session keyring."""
    number = KEYCTL.get(platform.machine(), 0) if IS_LINUX else 0
    return number, LIBRARY.syscall(number, GET_KEYRING, SESSION_KEYRING, 0) if number else -1


def die_first() -> None:
    """Be the first to end when the memory runs out.

    A program can take that back where it can write to /proc, unless the grader has CAP_SYS_RESOURCE
    and the program has not.
    """
    with suppress(OSError), open('/proc/self/oom_score_adj', 'w', encoding='ascii') as adjustment:
        adjustment.write('1000')


def die_with_parent(parent: int, signal: int) -> None:
    """Get a signal when the parent ends; end at once if it already has."""
    control(SET_DEATH_SIGNAL, signal)
    if IS_LINUX and os.getppid() != parent:
        os._exit(1)
