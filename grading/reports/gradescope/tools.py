"""What a bare machine of Gradescope lacks to build and run a program in another language."""

from __future__ import annotations

import shlex
from typing import Iterator

# Packages of Debian and Ubuntu, by the commands that they bring.
PACKAGES = {
    **dict.fromkeys(('java', 'javac', 'jar'), 'default-jdk-headless'),
    **dict.fromkeys(('gcc', 'g++', 'cc', 'c++', 'make'), 'build-essential'),
    **dict.fromkeys(('ghc', 'runghc'), 'ghc'),
    'node': 'nodejs', 'clang': 'clang', 'go': 'golang-go', 'rustc': 'rustc', 'cargo': 'cargo',
    'ruby': 'ruby', 'php': 'php-cli', 'lua': 'lua5.4',
}
# Of those that are there, the ones that a build may use.
THERE = ('bash', 'cat', 'cd', 'chmod', 'cp', 'echo', 'env', 'exec', 'export', 'find', 'ln', 'ls',
         'mkdir', 'mv', 'perl', 'python3', 'rm', 'sed', 'sh', 'test', 'true')


def what_is_missing(*commands: str) -> str:
    """Return which commands `setup.sh` has to bring, and how to say so, '' if there are none.

    >>> what_is_missing('java Game', 'cd src && javac *.java')
    'bare machines have no java, javac: pack again with --install "default-jdk-headless"'
    >>> what_is_missing('python3 game.py', './build.sh')
    ''
    """
    tools = dict.fromkeys(tool for text in commands for tool in tools_in(text)
                          if tool not in THERE and '/' not in tool and '=' not in tool)
    if not tools:
        return ''
    packages = dict.fromkeys(PACKAGES.get(tool, f'PACKAGE-OF-{tool}') for tool in tools)
    return (f'bare machines have no {", ".join(tools)}: '
            f'pack again with --install "{" ".join(packages)}"')


def tools_in(text: str) -> Iterator[str]:
    """Yield the first word of each command in a line of the shell."""
    words = shlex.shlex(text, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    is_first = True
    for word in words:
        is_separator = set(word) <= set('();|&')
        if is_first and not is_separator:
            yield word
        is_first = is_separator
