"""Lists the files of the machine that a run may see.

A run sees the system's folders, which a package manager owns; the tools that its command line
names; and its own copy of the submission, which the kind of sandbox adds. A runtime, such as Python
or node, is shown with the folder in which it is installed. Any other tool is shown as a single
file, because its folder may contain answers.

A folder that is shown may contain things that must not be seen, such as the submissions of a class
in /usr/share, or the answers in a copy of the grader that is installed for the whole system. So the
list also says what is hidden in shown folders, and what is shown in hidden folders.
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

# The folders of the system. /usr itself and /opt are left out: they may contain anything.
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
# Folders that many users or programs share.
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
# Where a shown folder may contain copies of the grader.
COPIES = (
    '*/grading',
    'py*/*-packages/grading',
    *(f'{above}lib*/py*/*-packages/grading' for above in ('', '*/', 'envs/*/', '*/venvs/*/')),
    'share/*/grading',
)
KERNELS = ('/proc', '/sys')  # these contain no real files
IN_HOMES = ('.local', '.cargo')  # contain many tools, and passwords
# Runtimes that are installed as PREFIX/bin/NAME, and need more of PREFIX.
RUNTIME = re.compile(
    rf'({PYTHON_NAME}|node|nodejs|npm|npx|tsc|deno|bun|java|javac|jar|kotlinc?|scalac?|groovy|ruby'
    r'|perl|php|lua|luajit|go|gofmt|rustc|cargo|(run)?ghc|gcc|g\+\+|cc|c\+\+|clang|clang\+\+'
    r'|gfortran|fpc|swiftc?|dotnet|mono|mcs|julia|R|Rscript|octave|ocaml\w*|erl|elixir|sbcl|guile'
    r'|racket|swipl|mvn|gradle|ant)[-.0-9]*'
)
SHELL = re.compile('(ba|da|k|z)?sh')
BETWEEN = re.compile(r'[\s;&|()<>"\'`=]+')  # separates words of a shell command
MOST_LINKS = 40  # to follow, one after another
LONGEST_FIRST_LINE = 256  # bytes to read of a script, to find its `#!` line
MOST_REMEMBERED = 1000  # command lines with a cached view


class Part(NamedTuple):
    """A file, or a folder with everything in it except what has its own part."""

    path: Path
    is_shown: bool


@lru_cache(maxsize=MOST_REMEMBERED)
def view(
    words: tuple[str, ...], path: str, needs: tuple[Path, ...] = (), hidden: tuple[Path, ...] = ()
) -> list[Part]:
    """Return what a run of a command line may see, with each folder before its contents.

    `path` is the PATH. `needs` are more folders that it needs; shared ones, such as /usr, are left
    out. Neither `hidden` paths nor copies of the grader are seen, even in a shown folder.
    """
    own = [need for need in needs if not is_shared(need)]
    shown = {*map(Path, SYSTEM), *tools_of(words, path), *own}
    copies = [copy for real in {*map(os.path.realpath, shown)} for copy in copies_in(Path(real))]
    unseen = {*aliases([*hidden, *copies], shown)}
    parts: list[Part] = []
    for place in sorted({*shown, *unseen}, key=lambda found: (len(found.parts), found)):
        above = [part for part in parts if is_inside(place, [part.path])]  # the innermost is last
        is_in_shown = bool(above) and above[-1].is_shown
        is_shown = place not in unseen
        if is_shown != is_in_shown and place.exists():
            parts.append(Part(place, is_shown))
    return parts


def aliases(paths: Iterable[Path], folders: Iterable[Path]) -> Iterator[Path]:
    """Yield each path by which one of `paths` can be reached through `folders`.

    A folder may be a link, as /lib often is.
    """
    for real in map(Path, map(os.path.realpath, paths)):
        for folder in folders:
            target = os.path.realpath(folder)
            if is_inside(real, [target]):
                yield folder / real.relative_to(target)


@cache
def copies_in(folder: Path) -> list[Path]:
    """Return copies of the grader in a shown folder: installed packages and checkouts.

    Only the usual places are checked: searching the whole folder would take a long time.
    """
    if folder.name in ('bin', 'sbin', 'etc', 'include'):  # which have thousands of files
        return []
    packages = [
        package
        for pattern in COPIES
        for package in folder.glob(pattern)
        if (package / 'games').is_dir()
    ]
    return [
        package.parent if (package.parent / 'transcripts').is_dir() else package
        for package in packages
    ]


def tools_of(words: Sequence[str], path: str) -> list[Path]:
    """Return what to show for the tools and absolute paths in a command line."""
    found = []
    for word in words_of(words):
        file = shutil.which(word, path=path) or word
        if os.path.isabs(file) and os.path.isfile(file) and not is_inside(Path(file), KERNELS):
            found += [*needed_by(Path(os.path.normpath(file)), path)]
    return [*dict.fromkeys(found)]


def words_of(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command line, splitting a command that it passes to a shell.

    >>> [*words_of(['sh', '-c', 'cc -o x *.c; ./x'])]
    ['sh', '-c', 'cc', '-o', 'x', '*.c', './x']
    """
    before = ['', '']
    for word in words:
        is_command = before[1] == '-c' and SHELL.fullmatch(os.path.basename(before[0]))
        yield from BETWEEN.split(word) if is_command else [word]
        before = [before[1], word]


def needed_by(tool: Path, path: str, with_interpreter: bool = True) -> Iterator[Path]:
    """Yield what to show for a tool: each link to it and its file, or the folder of a runtime.

    Then yield the same for a script's interpreter.
    """
    files, file = [tool], tool
    while file.is_symlink() and len(files) < MOST_LINKS:
        file = Path(os.path.normpath(file.parent / os.readlink(file)))
        files.append(file)
    for file in dict.fromkeys([*files, Path(os.path.realpath(tool))]):
        prefix = file.parent.parent
        is_installed = (
            file.parent.name == 'bin' and RUNTIME.fullmatch(file.name) and not is_shared(prefix)
        )
        yield prefix if is_installed else file
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
    """Return whether a folder is shared by several installations, like system folders and homes."""
    return (
        is_needed(folder, [Path.home()])
        or is_home(folder)
        or (is_home(folder.parent) and folder.name in IN_HOMES)
    )


def is_home(folder: Path) -> bool:
    """Return whether a folder is a home folder."""
    return folder == Path.home() or folder.parent == Path('/home')


def is_needed(folder: Path, by_all: Iterable[str | Path]) -> bool:
    """Return whether a folder contains a part of the system, or something in `by_all`."""
    return any(is_inside(Path(path), [folder]) for path in (*SYSTEM, *SHARED, *by_all))


def folder_above(path: Path, needed: Sequence[Path]) -> Path:
    """Return the folder that contains a submission, and perhaps other submissions.

    Return the submission itself if that folder is shared, or contains something in `needed`.

    >>> folder_above(Path('/srv/class/ann'), []), folder_above(Path('/srv/ann'), [])
    (PosixPath('/srv/class'), PosixPath('/srv/ann'))
    """
    above = path.parent
    is_for_everybody = above.is_dir() and above.stat().st_mode & stat.S_ISVTX
    return path if is_for_everybody or is_needed(above, needed) else above
