"""Guesses the language of a program, and leaves out advice about other languages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..sandbox.program import script_of

# A sentence of advice about one language, with the preceding space, if any.
ABOUT = re.compile(r' ?\bIn (Python|C|Java|Node\.js), .*?\.(?= |$)')
COMMANDS = {'java': 'Java', 'node': 'Node.js', 'nodejs': 'Node.js'}


def language_of(words: Sequence[str]) -> str:
    """Return the language of the program started by a command line, or C if it is unknown.

    >>> [language_of(command.split()) for command in ('python3 game.py', 'node game.js', './game')]
    ['Python', 'Node.js', 'C']
    """
    if script_of(words) is not None:
        return 'Python'
    command = re.split(r'[/\\]', words[0])[-1] if words else ''
    return COMMANDS.get(command, 'C')


def for_language(advice: str, language: str) -> str:
    """Return advice without the sentences about other languages.

    >>> for_language('Flush. In Python, use print(x, flush=True). In C, use fflush(stdout).', 'C')
    'Flush. In C, use fflush(stdout).'
    """
    return ABOUT.sub(lambda found: found[0] if found[1] == language else '', advice).strip()
