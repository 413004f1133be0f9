"""What all tests share: nothing in them is left to chance, or to the speed of the machine."""

import gc
import os
import sys
import tempfile
from collections import Counter

# The first python3 on the PATH may be a script, and start slowly.
os.environ['PATH'] = os.pathsep.join(
    [os.path.dirname(os.path.realpath(sys.executable)), os.environ.get('PATH', os.defpath)]
)

LONGEST_ID = 40  # characters of a text in the name of a test

if hasattr(gc, 'set_threshold'):  # PyPy has another collector
    gc.set_threshold(100_000)  # cycles of objects are few
NO_EXEC = 8  # os.ST_NOEXEC, which PyPy does not have
# In memory, where there is room: most files of the tests are removed at once.
if 'TMPDIR' not in os.environ and os.access('/dev/shm', os.W_OK):
    memory = os.statvfs('/dev/shm')
    if memory.f_bavail * memory.f_frsize > 1 << 30 and not memory.f_flag & NO_EXEC:
        os.environ['TMPDIR'] = tempfile.tempdir = '/dev/shm'


def pytest_make_parametrize_id(val):
    """Name a case by a short text, so that `-k` finds it; pytest numbers all others."""
    if isinstance(val, str):
        return ascii(val[:LONGEST_ID])[1:-1]
    if isinstance(val, int):
        return str(val) if abs(val) < 10**LONGEST_ID else 'a large number'
    return getattr(val, '__name__', None)


def pytest_terminal_summary(terminalreporter):
    """Say in one line each why tests were skipped, and how many."""
    reasons = Counter(
        report.longrepr[2].replace('Skipped: ', '', 1)
        for report in terminalreporter.getreports('skipped')
    )
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f'skipped {count} tests: {reason}')
