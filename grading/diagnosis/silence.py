"""Finds out from the source of a Python program why it prints nothing and exits normally."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..printable import printable
from ..sandbox.program import Program, folder_of, given_starter, script_of
from .places.sources import MAX_BYTES, Sources


def why_silent(program: Program) -> tuple[str, str]:
    """Return why a Python program prints nothing and exits normally, and what to do about it.

    Only two reasons are recognized: the program's file has no code, or nothing calls its `main`. In
    any other case, return ('', '').
    """
    script = script_of(program.words)
    if script is None or program.words[script] == '-m' or given_starter(program):
        return '', ''
    folder, name = folder_of(program), Path(program.words[script]).name
    path = folder / program.below / name
    if not path.is_file() or path.stat().st_size > MAX_BYTES:
        return '', ''
    lines = Sources(folder).text(os.path.join(program.below, name), 1, MAX_BYTES).split('\n')
    code = '\n'.join(line for line in lines if not re.match(r'\s*(#|$)', line))
    if not code:
        return (
            f'prints nothing: there is no code in {printable(name)}',
            'Save the program in your editor, and then try again.',
        )
    if (
        re.search(r'^(async )?def main\(', code, re.MULTILINE)
        and len(re.findall(r'\bmain\b', code)) == 1
    ):
        return (
            'prints nothing: main() is defined, but never called',
            'Add the line main() at the end of the file, without spaces before it.',
        )
    return '', ''
