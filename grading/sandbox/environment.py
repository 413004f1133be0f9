"""What a program finds around it: a clean environment, and the tools that it needs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Sequence

from ..project import ROOT

SYSTEM = ('/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix')

# What a JVM makes of a big machine, in memory and in threads, would be more than its limits.
JAVA = '-Xms16m -Xmx256m -XX:+UseSerialGC -XX:ActiveProcessorCount=2 -XX:TieredStopAtLevel=1'


def environment(home: str, python: str = '') -> dict[str, str]:
    """Return a clean environment; without a home of its own the folders are the grader's own."""
    names = ('HOME', 'TMPDIR', 'PATH')
    own = {'HOME': home, 'TMPDIR': home, 'PATH': search_path(python),
           'JAVA_TOOL_OPTIONS': JAVA} if home else {
        name: os.environ[name] for name in names if name in os.environ}
    return {'LANG': 'C.UTF-8', 'TERM': 'dumb', **own}


def search_path(python: str) -> str:
    """Return where commands are looked for: by the interpreter, in the system, then as usual."""
    folders = [os.path.dirname(python), '/usr/local/bin', '/usr/bin', '/bin', *(
        folder for folder in os.environ.get('PATH', '').split(os.pathsep)
        if os.path.isabs(folder) and not is_inside(Path(folder), [ROOT]))]
    return os.pathsep.join(dict.fromkeys(folders))


def tool_folders(words: Sequence[str], python: str) -> list[Path]:
    """Return the folders, outside the system's, that the tools of a command line live in."""
    folders = []
    for word in words:
        found = shutil.which(word, path=search_path(python))
        if found and os.path.isabs(found):
            folders += [Path(found).parent, prefix(Path(found).resolve())]
    return [folder for folder in outermost(folders) if not is_inside(folder, SYSTEM)]


def in_sight(paths: Sequence[Path], tools: Sequence[Path]) -> list[Path]:
    """Return the outermost paths that are in the system's folders, or in those of tools."""
    return outermost([path for path in paths if is_inside(path, [*SYSTEM, *tools])])


def prefix(tool: Path) -> Path:
    """Return the folder of a tool and of all that it needs: that of its `bin`, if it has one.

    But not somebody's home, nor `~/.local`, which hold much else.
    """
    folder = tool.parent.parent
    is_own = tool.parent.name == 'bin' and folder.name != '.local' and not is_inside(
        Path.home(), [folder])
    return folder if is_own else tool.parent


def outermost(paths: Sequence[Path]) -> list[Path]:
    """Return the paths that are not below others of them, each once."""
    known = dict.fromkeys(paths)
    return [path for path in known if not any(parent in known for parent in path.parents)]


def is_inside(path: Path, folders: Sequence[str | Path]) -> bool:
    """Return whether a path is one of some folders, or in one."""
    return any(Path(folder) in (path, *path.parents) for folder in folders)
