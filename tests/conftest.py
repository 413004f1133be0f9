"""What all tests share: nothing in them is left to chance, or to the speed of the machine."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress

from hypothesis import HealthCheck, settings

COLLAPSE = 25                           # MADV_COLLAPSE of linux/mman.h

# The first python3 on the PATH may be a script, and start slowly.
os.environ['PATH'] = os.pathsep.join([
    os.path.dirname(os.path.realpath(sys.executable)), os.environ.get('PATH', os.defpath)])

settings.register_profile('repeatable', derandomize=True, deadline=None, database=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile('repeatable')


def pytest_collection_finish():
    """Make forks cheap, of which there are thousands: a fork copies the tables of all pages.

    Huge pages, of which Linux makes some at once since 6.1, have few tables.
    """
    with suppress(OSError), open('/proc/self/maps', encoding='ascii') as stream:
        madvise = ctypes.CDLL(None).madvise
        for addresses, access, *_, name in [line[:-1].split(' ', 5) for line in stream.readlines()]:
            if access == 'rw-p' and name.strip() in ('', '[heap]'):
                begin, end = (int(address, 16) for address in addresses.split('-'))
                madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), COLLAPSE)
