"""Makes programs print as promptly as in a terminal, even if they never flush their output."""

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
    """Return environment variables that make the output of programs appear without a flush.

    The output of a C program then appears at each newline, and before the program reads. This needs
    the library preloaded by `stdbuf` (coreutils). If it does not work in the given kind of sandbox,
    the variables affect only Python programs.
    """
    env = {'PYTHONUNBUFFERED': '1'}
    with suppress(OSError, SandboxError), scratch_folder() as scratch:
        status, printed = (
            output(confine(kind, scratch), ['stdbuf', '-oL', 'env']) if HAS_SANDBOX else (None, b'')
        )
        library = re.search(rb'^LD_PRELOAD=(.+)$', printed, re.MULTILINE)
        # If the library cannot be loaded, an error message also contains this name.
        works = status == 0 and printed.count(b'LD_PRELOAD') == 1
        if library and works:
            # With line-buffered input (`_STDBUF_I`), glibc flushes the output before it reads.
            # Without ASAN_OPTIONS, AddressSanitizer would abort a program because another library
            # is loaded before its own.
            env |= {
                'LD_PRELOAD': os.fsdecode(library[1]),
                '_STDBUF_I': 'L',
                '_STDBUF_O': 'L',
                'ASAN_OPTIONS': 'verify_asan_link_order=0',
            }
    return env
