"""The project: where its files are, its name and version, and how the grader was started."""

from __future__ import annotations

import os
import re
import shlex
import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).resolve().parent
# In a checkout, the games and their sessions are in the parent folder of this package; in an
# installation, they are inside the package (see pyproject.toml).
BUNDLED_FOLDER = PACKAGE / 'bundled'
IS_INSTALLED = BUNDLED_FOLDER.is_dir()
ROOT = BUNDLED_FOLDER if IS_INSTALLED else PACKAGE.parent
PROJECT_FOLDER = PACKAGE if IS_INSTALLED else ROOT  # contains the whole project
TRANSCRIPTS_FOLDER = ROOT / 'transcripts'
# Patterns of the grader's files: `BESIDE` in the folder `ROOT`, and `WITHIN` in the package.
BESIDE = ('*_logic.py', '*_console.py', 'pyproject.toml', 'LICENSE')
WITHIN = (
    '**/*.py',
    'py.typed',
    'README.md',
    'reports/templates/*',
    'games/*/*.svg',
    'games/*/*.ini',
)
PYTHON = 'python' if os.linesep == '\r\n' else 'python3'  # the command for Python on this system


def all_transcripts() -> list[Path]:
    """Return the paths of the project's transcripts, sorted."""
    return sorted(TRANSCRIPTS_FOLDER.rglob('*.txt'))


def logic_modules() -> list[Path]:
    """Return the paths of the modules that implement the rules of the games, sorted."""
    return sorted(ROOT.glob('*_logic.py'))


def grader_files() -> dict[str, Path]:
    """Return the grader's files, without sessions, by their paths in a checkout."""
    files = {path.name: path for pattern in BESIDE for path in ROOT.glob(pattern)}
    files.update(
        {
            f'grading/{path.relative_to(PACKAGE).as_posix()}': path
            for pattern in WITHIN
            for path in PACKAGE.glob(pattern)
            if BUNDLED_FOLDER not in path.parents
        }
    )
    return dict(sorted(files.items()))


@cache
def grader_version() -> str:
    """Return a digest of all files of the grader, and of the project's sessions."""
    files = [
        *grader_files().items(),
        *((path.relative_to(TRANSCRIPTS_FOLDER).as_posix(), path) for path in all_transcripts()),
    ]
    return digest_of(repr([(name, digest_of(path.read_bytes())) for name, path in files]).encode())


def digest_of(content: bytes) -> str:
    """Return the SHA-256 digest of bytes, in hexadecimal."""
    from hashlib import sha256  # slow to import

    return sha256(content).hexdigest()


def own_module(name: str) -> ModuleType:
    """Import one of the project's top-level modules, by its path.

    A file with the same name in another folder, such as the current one, may be somebody else's,
    and is never imported.
    """
    if name not in sys.modules:
        spec = spec_from_file_location(name, ROOT / f'{name}.py')
        assert spec
        assert spec.loader
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def import_logic(program: str) -> None:
    """Import the logic module of a game by its path, before another module imports it by name.

    An import by name might find a file in another folder, perhaps somebody else's.
    """
    if (ROOT / f'{program}_logic.py').exists():
        own_module(f'{program}_logic')


def name_and_version() -> str:
    """Return the name and the version of the project, from pyproject.toml."""
    text = (ROOT / 'pyproject.toml').read_text(encoding='utf-8')
    return ' '.join(re.findall(r'^(?:name|version) = "(.*)"$', text, re.MULTILINE))


def command_name() -> str:
    """Return the command the grader was started with, for messages about what to type."""
    started = Path(sys.argv[0])
    folder = started.parent if started.name == '__main__.py' else started
    if not folder.is_dir():
        return 'grading'
    spec = sys.modules['__main__'].__spec__
    is_module = spec is not None and spec.name == 'grading.__main__'
    return f'{PYTHON} ' + ('-m grading' if is_module else shlex.quote(str(folder)))
