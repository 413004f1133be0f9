"""Whether a program waits for input: Linux knows; elsewhere silence has to do."""

from __future__ import annotations

from pathlib import Path

PROCESSES = Path('/proc')
STANDARD_INPUT = '0x0'                  # as the first argument of a system call


def waits_for_input(group: int) -> bool | None:
    """Return whether a process of a group waits to read its standard input, None if unknown.

    It does where a thread sleeps in the kernel's function that reads a pipe, called for
    descriptor 0; see proc(5).
    """
    members = [folder for folder in PROCESSES.glob('[0-9]*') if group_of(folder) == group]
    looks = [look for folder in members for look in map(reads_input, folder.glob('task/*'))]
    if True in looks:
        return True
    return None if None in looks or not looks else False


def group_of(folder: Path) -> int:
    """Return the process group of a process, 0 if it has ended."""
    try:
        stat = (folder / 'stat').read_text(encoding='ascii', errors='replace')
        return int(stat.rpartition(')')[2].split()[2])
    except (OSError, IndexError):
        return 0


def reads_input(thread: Path) -> bool | None:
    """Return whether a thread waits to read its standard input, None if that cannot be seen."""
    try:
        function = (thread / 'wchan').read_text(encoding='ascii')
        call = (thread / 'syscall').read_text(encoding='ascii').split()
    except FileNotFoundError:           # it has ended
        return False
    except OSError:
        return None
    if function in ('', '0') and call[0] != 'running':
        return None                     # this kernel does not tell
    return 'pipe_read' in function and call[1:2] == [STANDARD_INPUT]
