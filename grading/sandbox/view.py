"""Lists the files of the machine that a run needs. It sees no others.

It sees the system's folders, which a package manager owns; the tools that its command line names;
and its own copy of the submission, which the kind of sandbox adds. A runtime, such as Python or
node, needs the folder in which it is installed. Any other tool is shown as a file, without the
folder that it is in, where answers may be.

What must not be seen may still be in a folder that is shown, such as a class in /usr/share, or the
answers in another copy of the grader, installed for all. So the list also has what is hidden there,
and what is needed in what is hidden.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from .program import PYTHON_NAME, is_inside

# What a package manager owns; not /usr itself, nor /opt.
OWNED = ('bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'etc')
SYSTEM = (
    *(f'{root}/{name}' for root in ('', '/usr', '/usr/local') for name in OWNED),
    *(
        f'{root}/{name}'
        for root in ('/usr', '/usr/local')
        for name in ('games', 'include', 'libexec', 'share')
    ),
    '/nix/store',
)
# Folders that contain something of everybody's.
SHARED = (
    '/boot',
    '/dev',
    '/home',
    '/media',
    '/mnt',
    '/opt',
    '/proc',
    '/run',
    '/srv',
    '/sys',
    '/tmp',
    '/usr',
    '/var',
)
# Where copies of the grader are in a folder that is shown.
COPIES = (
    '*/grading',
    'py*/*-packages/grading',
    *(f'{above}lib*/py*/*-packages/grading' for above in ('', '*/', 'envs/*/', '*/venvs/*/')),
    'share/*/grading',
)
KERNELS = ('/proc', '/sys')  # what is there is no file of the machine's
IN_HOMES = ('.local', '.cargo')  # many tools are there, and passwords
# What is installed as PREFIX/bin/NAME, and needs more of PREFIX.
RUNTIME = re.compile(
    rf'({PYTHON_NAME}|node|nodejs|npm|npx|tsc|deno|bun|java|javac|jar|kotlinc?|scalac?|groovy|ruby'
    r'|perl|php|lua|luajit|go|gofmt|rustc|cargo|(run)?ghc|gcc|g\+\+|cc|c\+\+|clang|clang\+\+'
    r'|gfortran|fpc|swiftc?|dotnet|mono|mcs|julia|R|Rscript|octave|ocaml\w*|erl|elixir|sbcl|guile'
    r'|racket|swipl|mvn|gradle|ant)[-.0-9]*'
)
SHELL = re.compile('(ba|da|k|z)?sh')
BETWEEN = re.compile(r'[\s;&|()<>"\'`=]+')  # words of a shell's command
MOST_LINKS = 40  # that are followed one after the other
LONGEST_FIRST_LINE = 256  # bytes of a script, which name its interpreter
MOST_REMEMBERED = 1000  # command lines, of which the views are remembered


class Part(NamedTuple):
    """A file or folder with everything in it, except what has a part of its own."""

    path: Path
    is_shown: bool


@lru_cache(maxsize=MOST_REMEMBERED)
def view(
    words: tuple[str, ...], path: str, needs: tuple[Path, ...] = (), hidden: tuple[Path, ...] = ()
) -> list[Part]:
    """Return what a command line sees, each folder before what is in it.

    `path` is the PATH. `needs` are more folders that it needs; those that contain everything are
    left out. What is `hidden` is not seen, even in a folder that is shown. Nor is a copy of the
    grader.
    """
    own = [need for need in needs if not is_shared(need)]
    shown = {*map(Path, SYSTEM), *tools_of(words, path), *own}
    copies = [copy for real in {*map(os.path.realpath, shown)} for copy in copies_in(Path(real))]
    unseen = {*aliases([*hidden, *copies], shown)}
    parts: list[Part] = []
    for one in sorted({*shown, *unseen}, key=lambda found: (len(found.parts), found)):
        above = [part for part in parts if is_inside(one, [part.path])]  # the innermost is the last
        is_in_shown = bool(above) and above[-1].is_shown
        is_shown = one not in unseen
        if is_shown != is_in_shown and one.exists():
            parts.append(Part(one, is_shown))
    return parts


def aliases(paths: Iterable[Path], folders: Iterable[Path]) -> Iterator[Path]:
    """Yield each path by which a file is seen in some folders: these may be links, as /lib is."""
    for real in map(Path, map(os.path.realpath, paths)):
        for folder in folders:
            target = os.path.realpath(folder)
            if is_inside(real, [target]):
                yield folder / real.relative_to(target)


@cache
def copies_in(folder: Path) -> list[Path]:
    """Return copies of the grader in a folder that is shown: installed packages, and checkouts.

    Only the usual places are checked: searching the whole folder would take a long time.
    """
    if folder.name in ('bin', 'sbin', 'etc', 'include'):  # which have thousands of files
        return []
    found = [one for pattern in COPIES for one in folder.glob(pattern) if (one / 'games').is_dir()]
    return [one.parent if (one.parent / 'transcripts').is_dir() else one for one in found]


def tools_of(words: Sequence[str], path: str) -> list[Path]:
    """Return what must be shown of the tools in a command line, and of absolute files there."""
    found = []
    for word in words_of(words):
        file = shutil.which(word, path=path) or word
        if os.path.isabs(file) and os.path.isfile(file) and not is_inside(Path(file), KERNELS):
            found += [*needed_by(Path(os.path.normpath(file)), path)]
    return [*dict.fromkeys(found)]


def words_of(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command line, and the words of a command that a shell in it runs.

    >>> [*words_of(['sh', '-c', 'cc -o x *.c; ./x'])]
    ['sh', '-c', 'cc', '-o', 'x', '*.c', './x']
    """
    before = ['', '']
    for word in words:
        is_command = before[1] == '-c' and SHELL.fullmatch(os.path.basename(before[0]))
        yield from BETWEEN.split(word) if is_command else [word]
        before = [before[1], word]


def needed_by(tool: Path, path: str, with_interpreter: bool = True) -> Iterator[Path]:
    """Yield a tool, or the folder in which it is installed; also for each link on the way to it."""
    files, file = [tool], tool
    while file.is_symlink() and len(files) < MOST_LINKS:
        file = Path(os.path.normpath(file.parent / os.readlink(file)))
        files.append(file)
    for one in dict.fromkeys([*files, Path(os.path.realpath(tool))]):
        prefix = one.parent.parent
        is_installed = (
            one.parent.name == 'bin' and RUNTIME.fullmatch(one.name) and not is_shared(prefix)
        )
        yield prefix if is_installed else one
    for word in interpreter_of(tool) if with_interpreter else ():
        found = shutil.which(word, path=path)
        if found and os.path.isabs(found):
            yield from needed_by(Path(found), path, with_interpreter=False)


def interpreter_of(script: Path) -> list[str]:
    """Return the words after `#!` in a script's first line, or none for any other file."""
    try:
        with script.open('rb') as stream:
            line = stream.read(LONGEST_FIRST_LINE).partition(b'\n')[0]
    except OSError:
        return []
    return os.fsdecode(line[2:]).split() if line.startswith(b'#!') else []


def is_shared(folder: Path) -> bool:
    """Return whether a folder has several installations, like the system's folders and homes."""
    return (
        is_needed(folder, [Path.home()])
        or is_home(folder)
        or (is_home(folder.parent) and folder.name in IN_HOMES)
    )


def is_home(folder: Path) -> bool:
    """Return whether a folder is somebody's home."""
    return folder == Path.home() or folder.parent == Path('/home')


def is_needed(folder: Path, by_all: Iterable[str | Path]) -> bool:
    """Return whether a folder contains a part of the system, or something in `by_all`."""
    return any(is_inside(Path(one), [folder]) for one in (*SYSTEM, *SHARED, *by_all))


def folder_above(path: Path, needed: Sequence[Path]) -> Path:
    """Return the folder around a submission, where other submissions may be.

    Return the submission itself if that folder is shared, or contains something in `needed`.

    >>> folder_above(Path('/srv/class/ann'), []), folder_above(Path('/srv/ann'), [])
    (PosixPath('/srv/class'), PosixPath('/srv/ann'))
    """
    above = path.parent
    is_for_everybody = above.is_dir() and above.stat().st_mode & stat.S_ISVTX
    return path if is_for_everybody or is_needed(above, needed) else above
