"""Lists the system calls a program may make, and compiles the list into a seccomp filter.

New kernels add calls, so the list says what is allowed rather than what is forbidden. It is
Docker's list (profiles/seccomp/default.json in moby, version 27) without the calls no student's
program needs. It includes every call shown by `strace` for programs in C, C++, Go, Java,
JavaScript, Python (CPython and PyPy) and Rust, and for their compilers. A call not covered by any
rule fails with ENOSYS, as on an older kernel, so libraries fall back to older calls. Some calls are
allowed only in a sandbox that isolates or counts what they make: see `Privilege`.

pyseccomp compiles the filter with libseccomp, and leaves out calls unknown to the installed
libseccomp or to the processor. A call through another ABI (i386, x32) kills the thread that makes
it.

A filter that refuses calls does not say so. To find out, a program runs once more, below a small
process in the same sandbox (see `reporting`).

This module can also be imported on Windows.
"""

from __future__ import annotations

import errno
import os
import re
import socket
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from .program import Program

# The allowed calls, by purpose. Some calls, such as `dup3`, are newer variants of others.
ALLOWED = {
    'processes': """
        execve execveat exit exit_group fork getcpu getpgid getpgrp getpid getppid
        getpriority getrlimit getrusage getsid gettid ioprio_get ioprio_set kill pidfd_open
        pidfd_send_signal prlimit64 restart_syscall sched_get_priority_max
        sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
        sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler
        sched_yield setpgid setpriority setrlimit setsid tgkill tkill vfork wait4 waitid waitpid""",
    'threads': """
        arch_prctl futex futex_requeue futex_wait futex_waitv futex_wake get_robust_list
        membarrier rseq set_robust_list set_tid_address""",
    'users, groups and capabilities: a program can only give up rights': """
        capget capset getegid geteuid getgid getgroups getresgid getresuid getuid setfsgid
        setfsuid setgid setgroups setregid setresgid setresuid setreuid setuid""",
    'memory that counts towards the limits of a process': """
        brk madvise map_shadow_stack mincore mlock mlock2 mlockall mmap mmap2 mprotect
        mremap mseal msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect""",
    'signals': """
        alarm getitimer pause rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo
        rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo setitimer sigaltstack
        signalfd signalfd4""",
    'time': """
        clock_getres clock_gettime clock_nanosleep gettimeofday nanosleep time timer_create
        timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
        timerfd_gettime timerfd_settime times""",
    'descriptors': """
        close close_range dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait
        epoll_pwait2 epoll_wait eventfd eventfd2 ioctl lseek pipe pipe2 poll ppoll
        pread64 preadv preadv2 pselect6 pwrite64 pwritev pwritev2 read readv select splice
        tee write writev""",
    'files and folders': """
        access arm_fadvise64_64 chdir chmod chown copy_file_range creat faccessat faccessat2
        fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fdatasync
        fgetxattr flistxattr flock fstat fstatfs fsync ftruncate futimesat getcwd getdents
        getdents64 getxattr lchown lgetxattr link linkat listxattr llistxattr lstat mkdir
        mkdirat mknod mknodat newfstatat open openat openat2 readahead readlink readlinkat
        rename renameat renameat2 rmdir sendfile stat statfs statx symlink symlinkat
        sync_file_range truncate umask unlink unlinkat utime utimensat utimes""",
    'sockets that are already open': """
        accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom
        recvmmsg recvmsg sendmmsg sendmsg sendto setsockopt shutdown""",
    'the system': 'getrandom sysinfo uname',
    'calls that only some processors have': """
        arm_sync_file_range cacheflush riscv_flush_icache riscv_hwprobe set_tls
        swapcontext sync_file_range2""",
}
# Calls a program might want to make, although they could do harm. They fail with EPERM.
REFUSED = {
    'reading or changing another process': """
        kcmp pidfd_getfd process_madvise process_mrelease process_vm_readv process_vm_writev
        ptrace""",
    'holding memory that counts towards no limit, or that outlives a run': """
        add_key fanotify_init fanotify_mark inotify_add_watch inotify_init inotify_init1
        io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit keyctl
        landlock_add_rule landlock_create_ruleset landlock_restrict_self memfd_create
        memfd_secret request_key seccomp vmsplice""",
    'making refused calls in another way, or watching the kernel': """
        bpf io_uring_enter io_uring_register perf_event_open userfaultfd""",
    'mounting file systems and entering namespaces': """
        chroot fsconfig fsmount fsopen fspick mount mount_setattr move_mount open_tree
        pivot_root setns umount umount2 unshare""",
}
# What a program may do only in some sandboxes:
Privilege = Literal[
    'localhost',  # use sockets on localhost: the run has its own network
    'queues',  # use POSIX message queues: none remains (`RLIMIT_MSGQUEUE` limits their memory)
    'System V',  # use System V memory, queues and semaphores: they are counted, and none remains
]
PRIVILEGED: dict[Privilege, str] = {
    'queues': 'mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink',
    'System V': """
        msgctl msgget msgrcv msgsnd semctl semget semop semtimedop shmat shmctl shmdt
        shmget""",
}

REPORTED = errno.EPERM, errno.ENOSYS  # the errors of calls that a report names
# Calls without which libraries and programs work as well, by their error.
UNREPORTED = {
    errno.EPERM: 'io_uring_setup',
    # A tmpfs does not count the memory of extended attributes towards its size. So these calls
    # fail, as if the file system did not support attributes.
    errno.EOPNOTSUPP: 'fremovexattr fsetxattr lremovexattr lsetxattr removexattr setxattr',
}

NEW_NAMESPACES = [1 << bit for bit in (17, *range(25, 31))]  # CLONE_NEW*, linux/sched.h
SOCKET_TYPES = socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET
TYPE_MASK = 0xF  # the bits of a socket's type that are not flags
INT_MASK = 0xFFFFFFFF  # the part of an argument the kernel reads if it expects an int
# The commands of fcntl below 1024 are those of all systems. Of the others, leases and notifications
# (1024 to 1026) are not allowed: whoever opens a file with a lease waits for its holder.
COMMANDS = range(1024)
COMMANDS_OF_LINUX = range(1030, 1035)  # F_DUPFD_CLOEXEC, and the size of pipes
# The allowed options of prctl (PR_*, linux/prctl.h). They concern the end of the parent, names,
# timers, rights and large pages. The kernel memory used by some other options counts towards no
# limit: with enough seccomp filters, a program could bring the machine to a halt.
PROCESS_OPTIONS = *range(1, 5), 7, 8, 15, 16, 21, *range(23, 31), *range(36, 43), 47
PERSONALITIES = 0, 0x8, 0x20000, 0x20008, 0xFFFFFFFF  # as in Docker; the last value only queries
SET_FILTER = 22  # PR_SET_SECCOMP, another option of prctl


@cache
def filter_of_calls(
    privileges: frozenset[Privilege] = frozenset(), is_reported: bool = False
) -> bytes:
    """Return the compiled filter of system calls, or b'' if pyseccomp is not available.

    If refusals are reported (`is_reported`), the filter leaves them to `filter_of_refusals`.
    """
    pyseccomp = imported_pyseccomp()
    if not pyseccomp:
        return b''
    filter_ = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.ENOSYS))
    for name, error, *conditions in rules(pyseccomp, privileges):
        is_allowed = not error or (is_reported and error in REPORTED)
        add(filter_, pyseccomp.ALLOW if is_allowed else pyseccomp.ERRNO(error), name, *conditions)
    for error, names in UNREPORTED.items():
        for name in names.split():
            add(filter_, pyseccomp.ERRNO(error), name)
    return compiled(filter_)


@cache
def filter_of_refusals(
    privileges: frozenset[Privilege],
) -> tuple[bytes, dict[int, tuple[str, int]]]:
    """Return a filter that asks another process about the calls to refuse, and these calls.

    pyseccomp must be available. The calls are by number, each with its name and the error to fail
    with.
    """
    pyseccomp = imported_pyseccomp()
    filter_ = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    found = {}
    for name, error, *conditions in rules(pyseccomp, privileges):
        if error in REPORTED:
            add(filter_, pyseccomp.NOTIFY, name, *conditions)
            found[pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)] = name, error
    return compiled(filter_), found


def imported_pyseccomp() -> Any:
    """Return the module pyseccomp, an optional dependency, or None if it does not work here."""
    try:
        import pyseccomp  # it needs a system library
    except (ImportError, RuntimeError):
        return None
    return pyseccomp


def compiled(filter_: Any) -> bytes:
    """Return a filter in the form the kernel expects."""
    outlet, inlet = os.pipe()  # its buffer has room for the whole filter
    with open(outlet, 'rb') as reader, open(inlet, 'wb') as writer:
        filter_.export_bpf(writer)
        writer.close()
        return reader.read()


def add(calls: Any, action: int, name: str, *conditions: object) -> None:
    """Add a rule for a system call to a filter, if libseccomp knows the call."""
    with suppress(OSError):
        calls.add_rule(action, name, *conditions)


def rules(pyseccomp: Any, privileges: Collection[Privilege]) -> Iterator[tuple[Any, ...]]:
    """Yield the rules for calls. Each is a name, an error (0: it is allowed), and conditions."""
    for name in ' '.join(ALLOWED.values()).split():
        yield name, 0
    for name in ' '.join(REFUSED.values()).split():
        yield name, errno.EPERM
    for key, names in PRIVILEGED.items():
        for name in names.split():
            yield name, 0 if key in privileges else errno.ENOSYS
    yield from conditional_rules(pyseccomp, privileges)


def conditional_rules(
    pyseccomp: Any, privileges: Collection[Privilege] = ()
) -> Iterator[tuple[Any, ...]]:
    """Yield rules for calls with certain arguments, as `rules` does.

    If several rules apply to a call, their errors are the same. If none applies, the call fails
    with ENOSYS, like an unlisted call.
    """
    allow, refuse = 0, errno.EPERM

    def is_(number: int, value: int) -> Any:
        return pyseccomp.Arg(number, pyseccomp.EQ, value)

    def is_not(number: int, value: int) -> Any:
        return pyseccomp.Arg(number, pyseccomp.NE, value)

    def has(number: int, mask: int, value: int) -> Any:
        return pyseccomp.Arg(number, pyseccomp.MASKED_EQ, mask, value)

    # The flags of clone3 are in memory, where a filter cannot see them. So clone3 is not listed,
    # and libraries fall back to clone.
    yield 'clone', allow, has(0, sum(NEW_NAMESPACES), 0)
    for flag in NEW_NAMESPACES:
        yield 'clone', refuse, has(0, flag, flag)
    has_network = 'localhost' in privileges
    families = (socket.AF_UNIX, *((socket.AF_INET, socket.AF_INET6) if has_network else ()))
    for name in ('socket', 'socketpair'):
        for family in families:
            for kind in SOCKET_TYPES:
                yield name, allow, is_(0, family), has(1, TYPE_MASK, kind)
        if not has_network:
            yield name, refuse, is_not(0, socket.AF_UNIX)
    yield 'fcntl', allow, has(1, INT_MASK & -len(COMMANDS), 0)
    for command in COMMANDS_OF_LINUX:
        yield 'fcntl', allow, has(1, INT_MASK, command)
    for option in PROCESS_OPTIONS:
        yield 'prctl', allow, has(0, INT_MASK, option)
    yield 'prctl', refuse, has(0, INT_MASK, SET_FILTER)
    for value in PERSONALITIES:
        yield 'personality', allow, is_(0, value)


MARK = 'the sandbox refuses'
REPORT = re.compile(rf'^{MARK} (\w+) (\w+)$'.encode(), re.MULTILINE)
# The source of the process. Its arguments are the filter, the calls as `NUMBER:NAME:ERROR`, and the
# words of the program. The program cannot change the process, because it is not dumpable.
REPORTER = f"""
import ctypes, errno, fcntl, os, select, socket, struct, sys
instructions, calls, *words = sys.argv[1:]
instructions, names = bytes.fromhex(instructions), {{}}
for call in calls.split():
    number, name, error = call.split(':')
    names[int(number)] = name, int(error)
SECCOMP = {{'x86_64': 317, 's390x': 348, 'ppc64le': 358}}.get(os.uname().machine, 277)
library = ctypes.CDLL(None, use_errno=True)
library.prctl(4, 0, 0, 0, 0)                    # PR_SET_DUMPABLE
ours, theirs = socket.socketpair()
child = os.fork()
if not child:
    ours.close()
    library.prctl(38, 1, 0, 0, 0)               # PR_SET_NO_NEW_PRIVS
    held = ctypes.create_string_buffer(instructions)
    filter_ = struct.pack('HL', len(instructions) // 8, ctypes.addressof(held))
    listener = library.syscall(SECCOMP, 1, 8, filter_)      # SECCOMP_FILTER_FLAG_NEW_LISTENER
    if listener < 0:                            # an old kernel
        os._exit(126)
    socket.send_fds(theirs, [b'.'], [listener])
    theirs.close()
    os.execvp(words[0], words)                  # closes the listener
theirs.close()
_, listeners, _, _ = socket.recv_fds(ours, 1, 1)
os.close(0)
os.close(1)
told = set()
while not (ended := os.waitpid(child, os.WNOHANG))[0]:
    if not select.select(listeners, [], [], 0.02)[0]:
        continue
    asked = bytearray(80)                       # struct seccomp_notif
    try:
        fcntl.ioctl(listeners[0], 0xC0502100, asked)        # SECCOMP_IOCTL_NOTIF_RECV
        identity, _, _, number = struct.unpack('=QIIi', asked[:20])
        name, error = names[number]
        if name not in told:
            os.write(2, f'{MARK} {{name}} {{errno.errorcode[error]}}\\n'.encode())
            told.add(name)
        answer = struct.pack('=QqiI', identity, 0, -error, 0)   # struct seccomp_notif_resp
        fcntl.ioctl(listeners[0], 0xC0182101, answer)       # SECCOMP_IOCTL_NOTIF_SEND
    except OSError:                             # the program was killed while it waited
        pass
status = os.waitstatus_to_exitcode(ended[1])
os._exit(128 - status if status < 0 else status)
"""


def reporting(
    program: Program, python: str, instructions: bytes, calls: Mapping[int, tuple[str, int]]
) -> Program:
    """Return a program that runs another one, and reports the calls the sandbox refuses to it.

    `instructions` and `calls` come from `filter_of_refusals`.
    """
    listed = ' '.join(f'{number}:{name}:{error}' for number, (name, error) in calls.items())
    words = [python, '-I', '-c', REPORTER, instructions.hex(), listed, *program.words]
    return replace(program, words=words)


def reported(errors: bytes) -> list[str]:
    """Return the refused calls that a program's standard error reports, each with its error.

    >>> reported(b'the sandbox refuses ptrace EPERM\\nTraceback\\n')
    ['ptrace (EPERM)']
    """
    return [f'{name.decode()} ({error.decode()})' for name, error in REPORT.findall(errors)]
