"""Finds out which system calls of a program the sandbox refuses.

A filter that refuses calls does not say so. To find out, the program runs once more, below a small
process in the same sandbox. The kernel asks this process about each call to refuse (see
seccomp_unotify(2)). It reports the name of the call on standard error, and refuses the call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from .program import Program

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
