"""Settings of all tests: Python on the PATH, garbage collection, temporary files, names of cases."""

import gc
import os
import sys
import tempfile
from collections import Counter

# Put this interpreter first on the PATH, because the first python3 there may be a slow script.
os.environ['PATH'] = os.pathsep.join(
    [os.path.dirname(os.path.realpath(sys.executable)), os.environ.get('PATH', os.defpath)]
)

LONGEST_ID = 40  # characters of a string, or digits of a number, in the name of a case

# Collect garbage rarely: the tests make few cycles of objects. PyPy has another collector.
if hasattr(gc, 'set_threshold'):
    gc.set_threshold(100_000)
NO_EXEC = 8  # os.ST_NOEXEC, which PyPy does not have
# Write temporary files into memory if there is room: most of them are soon removed.
if 'TMPDIR' not in os.environ and os.access('/dev/shm', os.W_OK):
    memory = os.statvfs('/dev/shm')
    if memory.f_bavail * memory.f_frsize > 1 << 30 and not memory.f_flag & NO_EXEC:
        os.environ['TMPDIR'] = tempfile.tempdir = '/dev/shm'


def pytest_make_parametrize_id(val):
    """Return a short name for a case, so that `-k` finds it; None lets pytest number the case."""
    if isinstance(val, str):
        return ascii(val[:LONGEST_ID])[1:-1]
    if isinstance(val, int):
        return str(val) if abs(val) < 10**LONGEST_ID else 'a large number'
    return getattr(val, '__name__', None)


def pytest_terminal_summary(terminalreporter):
    """Print for each reason how many tests were skipped."""
    reasons = Counter(
        report.longrepr[2].replace('Skipped: ', '', 1)
        for report in terminalreporter.getreports('skipped')
    )
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f'skipped {count} tests: {reason}')
