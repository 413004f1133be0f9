"""Turns off output buffering in programs that do not flush, as in a terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache

from .confine import confine
from .program import HAS_SANDBOX, SandboxError
from .scratch import scratch_folder

if HAS_SANDBOX:
    from .trial import output


@cache
def as_in_terminal(kind: str) -> Mapping[str, str]:
    """Return environment variables that make programs print without flushing.

    C programs then print at each newline, and before they read. This uses the library of coreutils'
    `stdbuf`, if it works in the given kind of sandbox.
    """
    env = {'PYTHONUNBUFFERED': '1'}
    with suppress(OSError, SandboxError), scratch_folder() as scratch:
        status, printed = (
            output(confine(kind, scratch), ['stdbuf', '-oL', 'env']) if HAS_SANDBOX else (None, b'')
        )
        library = re.search(rb'^LD_PRELOAD=(.+)$', printed, re.MULTILINE)
        if status == 0 and library and printed.count(b'LD_PRELOAD') == 1:
            # Otherwise the address sanitizer stops programs in which another library is loaded
            # first.
            env |= {
                'LD_PRELOAD': os.fsdecode(library[1]),
                '_STDBUF_I': 'L',
                '_STDBUF_O': 'L',
                'ASAN_OPTIONS': 'verify_asan_link_order=0',
            }
    return env
