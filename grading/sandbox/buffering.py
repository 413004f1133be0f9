"""Makes programs print without a flush, as they do in a terminal."""

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
    """Return environment variables with which programs print without a flush.

    Output of C programs then comes at each newline, and before input is read. That takes a library
    of coreutils' `stdbuf`, which is tried here in the given kind of sandbox.
    """
    env = {'PYTHONUNBUFFERED': '1'}
    with suppress(OSError, SandboxError), scratch_folder() as scratch:
        status, printed = (
            output(confine(kind, scratch), ['stdbuf', '-oL', 'env']) if HAS_SANDBOX else (None, b'')
        )
        library = re.search(rb'^LD_PRELOAD=(.+)$', printed, re.MULTILINE)
        if status == 0 and library and printed.count(b'LD_PRELOAD') == 1:
            # The address sanitizer ends a program that loads another library first.
            env |= {
                'LD_PRELOAD': os.fsdecode(library[1]),
                '_STDBUF_I': 'L',
                '_STDBUF_O': 'L',
                'ASAN_OPTIONS': 'verify_asan_link_order=0',
            }
    return env
