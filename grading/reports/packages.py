"""Finds commands missing on Gradescope's machines, and the packages that provide them.

These machines have little more than Python.
"""

from __future__ import annotations

import itertools
import shlex

# The Debian or Ubuntu package that provides each command.
PACKAGES = {
    **dict.fromkeys(('java', 'javac', 'jar'), 'default-jdk-headless'),
    **dict.fromkeys(('gcc', 'g++', 'cc', 'c++', 'make'), 'build-essential'),
    **dict.fromkeys(('ghc', 'runghc'), 'ghc'),
    'node': 'nodejs',
    'clang': 'clang',
    'go': 'golang-go',
    'rustc': 'rustc',
    'cargo': 'cargo',
    'ruby': 'ruby',
    'php': 'php-cli',
    'lua': 'lua5.4',
}
# Commands found on every Gradescope machine.
INSTALLED = (
    'bash',
    'cat',
    'cd',
    'chmod',
    'cp',
    'echo',
    'env',
    'exec',
    'export',
    'find',
    'ln',
    'ls',
    'mkdir',
    'mv',
    'perl',
    'python3',
    'rm',
    'sed',
    'sh',
    'test',
    'true',
)
COMMAND_SEPARATORS = {*'();|&'}


def note_on_missing_packages(*commands: str) -> str:
    """Return a sentence that names the commands missing on Gradescope's machines, or `''` if none.

    >>> print(note_on_missing_packages('java Game', 'cd src && javac *.java'))
    Gradescope's machines lack java, javac: pack again with --install "default-jdk-headless"
    >>> note_on_missing_packages('python3 game.py', './build.sh')
    ''
    """
    words = shlex.shlex('\n; '.join(commands), posix=True, punctuation_chars=True)
    words.whitespace_split = True
    first_words = [
        word
        for before, word in itertools.pairwise([';', *words])
        if is_separator(before) and not is_separator(word)
    ]
    tools = dict.fromkeys(
        word
        for word in first_words
        if word not in INSTALLED
        and '/' not in word  # it is not a path
        and '=' not in word  # it does not set a variable
    )
    if not tools:
        return ''
    packages = dict.fromkeys(PACKAGES.get(tool, f'PACKAGE-OF-{tool}') for tool in tools)
    return (
        f"Gradescope's machines lack {', '.join(tools)}: "
        f'pack again with --install "{" ".join(packages)}"'
    )


def is_separator(word: str) -> bool:
    """Return whether a word of a command line separates two commands, as `&&` does."""
    return set(word) <= COMMAND_SEPARATORS
