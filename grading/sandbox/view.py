"""Lists the machine's files to show to a run.

A run sees the system's folders, owned by a package manager; the tools named on its command line;
and its own copy of the submission, added by the kind of sandbox. A runtime, such as Python or node,
is shown with the folder it is installed in. Of any other tool, only the file is shown, because its
folder may contain answers to the assignment.

A shown folder may contain things to keep secret, such as the submissions of a class in /usr/share,
or the grader itself. So the list also says what is hidden in shown folders, and what is shown in
hidden folders.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from .program import PYTHON_NAME, is_inside

# The folders of the system, without /usr itself and /opt: those may contain anything.
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
# Folders shared by many users or programs, so never shown or hidden as a whole.
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
KERNELS = ('/proc', '/sys')  # the kernel's folders, with no real files in them
IN_HOMES = ('.local', '.cargo')  # folders in a home folder that contain tools, but also passwords
# The names of runtimes installed as PREFIX/bin/NAME; they need other files in PREFIX.
RUNTIME = re.compile(
    rf'({PYTHON_NAME}|node|nodejs|npm|npx|tsc|deno|bun|java|javac|jar|kotlinc?|scalac?|groovy|ruby'
    r'|perl|php|lua|luajit|go|gofmt|rustc|cargo|(run)?ghc|gcc|g\+\+|cc|c\+\+|clang|clang\+\+'
    r'|gfortran|fpc|swiftc?|dotnet|mono|mcs|julia|R|Rscript|octave|ocaml\w*|erl|elixir|sbcl|guile'
    r'|racket|swipl|mvn|gradle|ant)[-.0-9]*'
)
SHELL = re.compile('(ba|da|k|z)?sh')
BETWEEN = re.compile(r'[\s;&|()<>"\'`=]+')  # separates words of a shell command
MAX_LINKS = 40  # the longest chain of links to follow
LONGEST_FIRST_LINE = 256  # how many bytes of a script to read to find its `#!` line
MAX_REMEMBERED = 1000  # how many results of `view` are cached


class Part(NamedTuple):
    """A file, or a folder with everything in it that has no `Part` of its own."""

    path: Path
    is_shown: bool  # otherwise it is hidden


@lru_cache(maxsize=MAX_REMEMBERED)
def view(
    words: tuple[str, ...], path: str, needs: tuple[Path, ...] = (), hidden: tuple[Path, ...] = ()
) -> list[Part]:
    """Return what a run of a command line sees, and what is hidden: folders before their contents.

    `path` is the PATH. The run also sees the folders in `needs`, except shared folders such as
    /usr. Even in a shown folder, it does not see `hidden` paths.
    """
    own = [need for need in needs if not is_shared(need)]
    shown = {*map(Path, SYSTEM), *tools_of(words, path), *own}
    unseen = {*aliases(hidden, shown)}
    parts: list[Part] = []
    for place in sorted({*shown, *unseen}, key=lambda found: (len(found.parts), found)):
        above = [part for part in parts if is_inside(place, [part.path])]  # the innermost is last
        is_in_shown = bool(above) and above[-1].is_shown
        is_shown = place not in unseen
        if is_shown != is_in_shown and place.exists():
            parts.append(Part(place, is_shown))
    return parts


def aliases(paths: Iterable[Path], folders: Iterable[Path]) -> Iterator[Path]:
    """Yield all paths that lead to one of `paths` through `folders`.

    A folder may be a link, as /lib often is.
    """
    for real in map(Path, map(os.path.realpath, paths)):
        for folder in folders:
            target = os.path.realpath(folder)
            if is_inside(real, [target]):
                yield folder / real.relative_to(target)


def tools_of(words: Sequence[str], path: str) -> list[Path]:
    """Return what to show for the tools in a command line; `path` is the PATH.

    A tool is a file named by a word, either by an absolute path or through the PATH.
    """
    found = []
    for word in words_of(words):
        file = shutil.which(word, path=path) or word
        if os.path.isabs(file) and os.path.isfile(file) and not is_inside(Path(file), KERNELS):
            found += [*needed_by(Path(os.path.normpath(file)), path)]
    return [*dict.fromkeys(found)]


def words_of(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command line, splitting a command it passes to a shell.

    >>> [*words_of(['sh', '-c', 'cc -o x *.c; ./x'])]
    ['sh', '-c', 'cc', '-o', 'x', '*.c', './x']
    """
    before = ['', '']
    for word in words:
        is_command = before[1] == '-c' and SHELL.fullmatch(os.path.basename(before[0]))
        yield from BETWEEN.split(word) if is_command else [word]
        before = [before[1], word]


def needed_by(tool: Path, path: str, with_interpreter: bool = True) -> Iterator[Path]:
    """Yield what to show for a tool: its file and the links leading there.

    In place of a runtime's file, yield the folder the runtime is installed in. If the tool is a
    script, also yield what to show for its interpreter.
    """
    files, file = [tool], tool
    while file.is_symlink() and len(files) < MAX_LINKS:
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
    """Return the words after `#!` in a script's first line, or an empty list for any other file."""
    try:
        with script.open('rb') as stream:
            line = stream.read(LONGEST_FIRST_LINE).partition(b'\n')[0]
    except OSError:
        return []
    return os.fsdecode(line[2:]).split() if line.startswith(b'#!') else []


def is_shared(folder: Path) -> bool:
    """Return whether a folder can contain several installations, as system and home folders do.

    Such a folder may contain anything, so it is not shown just because a program needs it.
    """
    return (
        is_needed(folder, [Path.home()])
        or is_home(folder)
        or (is_home(folder.parent) and folder.name in IN_HOMES)
    )


def is_home(folder: Path) -> bool:
    return folder == Path.home() or folder.parent == Path('/home')


def is_needed(folder: Path, needed: Iterable[str | Path]) -> bool:
    """Return whether a folder is or contains a path in `SYSTEM`, `SHARED` or `needed`."""
    return any(is_inside(Path(path), [folder]) for path in (*SYSTEM, *SHARED, *needed))


def folder_above(path: Path, needed: Sequence[Path]) -> Path:
    """Return what to hide for a submission: the folder around it, if that can be hidden.

    If that folder is shared, or contains something in `needed`, return the submission itself.

    >>> folder_above(Path('/srv/class/ann'), []), folder_above(Path('/srv/ann'), [])
    (PosixPath('/srv/class'), PosixPath('/srv/ann'))
    """
    above = path.parent
    is_for_everybody = above.is_dir() and above.stat().st_mode & stat.S_ISVTX
    return path if is_for_everybody or is_needed(above, needed) else above
