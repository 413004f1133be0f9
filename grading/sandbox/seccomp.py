"""A filter of system calls: against what no limit counts, and what would outlive a run.

It refuses memory without a name and System V's memory, queues and semaphores, namespaces and
mounts, keys, and all sockets but those of `AF_UNIX`. What it is made with, pyseccomp and its
libseccomp, may be missing: then there is none, and the probe says what can be reached.
"""

from __future__ import annotations

import errno
import mmap
import socket
import tempfile
from functools import lru_cache

NEW_USER = 0x10000000                   # CLONE_NEWUSER
REFUSED = (
    'memfd_create', 'memfd_secret', 'shmget', 'msgget', 'semget', 'mq_open',
    'unshare', 'setns', 'mount', 'umount2', 'pivot_root', 'move_mount', 'open_tree', 'fsopen',
    'fsmount', 'fspick', 'mount_setattr', 'keyctl', 'add_key', 'request_key', 'bpf',
    'perf_event_open', 'userfaultfd',
    'io_uring_setup', 'io_uring_enter', 'io_uring_register')    # would do what is refused


@lru_cache(maxsize=None)
def filter_instructions() -> bytes:
    """Return the filter, as the kernel takes it; nothing where it cannot be made."""
    try:
        import pyseccomp  # an extra, which needs a library of the system
    except (ImportError, RuntimeError):
        return b''
    refuse = pyseccomp.ERRNO(errno.EPERM)
    calls = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name in REFUSED:
        add(calls, refuse, name)
    add(calls, refuse, 'clone', pyseccomp.Arg(0, pyseccomp.MASKED_EQ, NEW_USER, NEW_USER))
    # Its flags are in memory, where no filter sees them; who has no clone3 calls clone.
    add(calls, pyseccomp.ERRNO(errno.ENOSYS), 'clone3')
    for name in ('socket', 'socketpair'):
        add(calls, refuse, name, pyseccomp.Arg(0, pyseccomp.NE, socket.AF_UNIX))
    shared = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
    for name in ('mmap', 'mmap2'):
        add(calls, refuse, name, pyseccomp.Arg(3, pyseccomp.MASKED_EQ, shared, shared))
    with tempfile.TemporaryFile() as file:
        calls.export_bpf(file)
        file.seek(0)
        return file.read()


def add(calls: object, action: int, name: str, *conditions: object) -> None:
    """Add a rule about a system call, if this machine's libseccomp knows it."""
    try:
        calls.add_rule(action, name, *conditions)       # type: ignore[attr-defined]
    except OSError:
        pass
