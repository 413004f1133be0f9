"""One submission: named, copied within bounds, built, made a program; its digests, and its seed.

A copy has plain files, and links between them.

The program is a command in its folder, or its one executable module. If there is nothing to run, a
message tells the author what was handed in, and what would help.

A fingerprint tells whether a submission has changed. Programs that differ only in names, blanks and
comments have the same digest; MOSS and JPlag find programs that are merely alike.
"""

from __future__ import annotations

import builtins
import io
import keyword
import os
import re
import stat
import subprocess
import tempfile
import time
import tokenize
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import dropwhile, islice, takewhile
from pathlib import Path, PureWindowsPath
from random import SystemRandom
from typing import TYPE_CHECKING, NamedTuple

from ..installation import digest_of
from ..printable import decoded, list_names, printable
from ..sandbox.confine import scratch_folder
from ..sandbox.program import (
    ENDINGS,
    HAS_SANDBOX,
    INTERPRETER,
    Program,
    script_of,
    search_path,
    words_in,
)
from ..sandbox.untrusted_files import (
    NO_LINK,
    Content,
    Entry,
    SubmissionError,
    entries_of,
    raise_if_ours,
    reason_of,
    why_not_copied,
)
from ..sessions.class_lock import ClassLock
from ..sessions.start import running
from ..settings import Language, Settings
from .own_files import put

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox

MOST_NOTES = 20  # on one copy
LONGEST_NAME_NOTED = 400  # characters of a file's name in a note
CHUNK = 1 << 16  # bytes that are copied at once
LONGEST_COMPLAINT = 4000  # bytes of a compiler's messages that are shown

# Course graders look for this in the whole text, comments and docstrings included.
EXECUTABLE = re.compile(rb'if\s+__name__\s*==\s*([\'"])__main__\1\s*:')
BLOCK = 'if __name__ == ' + "'__main__':"
MOST_MODULES_NAMED = 9  # in one message
MOST_FILES_NAMED = 5  # in one message
NO_FILES = 'the submission has no files'
MANY_SUBMISSIONS = (
    'Many submissions? Name each of them, as in class/*, or the export that they '
    'came in (--export).'
)

ARCHIVES = ('.7z', '.rar', '.tar', '.tgz', '.gz', '.bz2', '.xz')
TEXTS = ('text.html', 'onlinetext.html', 'link.html')  # of Canvas and Moodle
DOCUMENTS = ('.pdf', '.txt', '.md', '.rtf', '.doc', '.docx', '.odt', '.html', '.png', '.jpg')
SOURCES = (
    '.c',
    '.cc',
    '.cpp',
    '.cs',
    '.go',
    '.hs',
    '.java',
    '.jar',
    '.js',
    '.kt',
    '.lua',
    '.php',
    '.rb',
    '.rs',
    '.scala',
    '.swift',
    '.ts',
)
ONE_FILE = ('.zip', '.py', *ARCHIVES, *SOURCES)  # of files that may be whole submissions

# How names end, what such files are, and what helps. The first entry that fits any of the files
# is used.
ADVICE = (
    (('.py.txt',), ' (a module with another name): call it *.py'),
    (('.ipynb',), ' (a notebook): save it as a module, *.py'),
    (('.pyc',), ' (a compiled module): hand in its source, *.py'),
    (SOURCES, ' (in another language): grade it with --command, and --build if needed'),
    (('.zip',), ' (a zip inside the submission): hand in the *.py files, or a zip of these'),
    (ARCHIVES, ' (an archive that is not unpacked): hand in the *.py files, or a .zip of these'),
    (TEXTS, ' (a text that was typed into a form): hand in the *.py files'),
    (DOCUMENTS, ' (a document): hand in the *.py files'),
    (('',), ': hand in the *.py files'),
)

SEEDS = 10**9  # as many as the command line takes
SECRET = '.secret-of-the-class'  # in --out; no submission's name begins with a dot
SECRET_BYTES = 32

MOST_READ = 1 << 17  # that are read of a program
LONGEST_TOKENIZED = 1000  # bytes of a line, because the time grows with its square
FEWEST_TOKENS = 60  # shorter programs may be the same by chance
COMPARED = {'.py', '.h', '.hpp', *SOURCES} - {'.jar'}  # endings of source files
# Names that are not the author's own.
KNOWN_NAMES = {*keyword.kwlist, *dir(builtins), *dir(str), *dir(list), *dir(dict), *dir(set)}
BLOCKS = {tokenize.INDENT: 'begin', tokenize.DEDENT: 'end'}  # however deep they are
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.ENDMARKER)

LONGEST_FOLDER_NAME = 120  # bytes; a file system may allow no more than 255
# Characters that some system forbids in names; and those that hide a file when its name starts
# with them, or are lost at its end.
FORBIDDEN = re.compile(r'[/\\:*?"<>|]+')
EDGES = '. '
# Names that Windows reserves, with any ending, and those of files in the folder of all results.
RESERVED = re.compile(
    r'(con|prn|aux|nul|com\d|lpt\d)(\..*)?|grades\.csv|index\.html'
    r'|session-\d+\.html',
    re.IGNORECASE,
)
WITH_VALUE = ('-cp', '-classpath', '-X', '-W', '-c', '-e')  # options of interpreters, of Java

# Commands that start another command, and the words between the two.
STARTERS = ('env', 'nice', 'setarch', 'stdbuf', 'time', 'timeout', 'unbuffer', 'winpty')
OF_STARTER = re.compile(r'-|\w+=|[\d.]+[smhd]?$')


class Bounds(NamedTuple):
    """How many files, and how many bytes, a copy may hold."""

    files: int  # folders count, too
    size: int  # bytes of all files
    block: int = 1  # bytes, of which each file takes whole ones


HANDED_IN = Bounds(2_000, 64 << 20)
# A build may install libraries. Each run copies all files that it leaves: 10,000 take 0.7 s. Under
# bubblewrap the copy is in memory, where there is room for 128 MB.
BUILT = Bounds(10_000, 96 << 20, 4096)
# Of the folder of a user's own program, which each traced run gets.
OWN = Bounds(500, 16 << 20)
ABOUT_INTERPRETER = r'import sys; print(sys.executable, sys.prefix, sys.base_prefix, sep="\n")'
INTERPRETER_SECONDS = 10


@dataclass
class Copy:
    """A copy of a submission in the folder `target`; `notes` name the files that it leaves out.

    For the folder of a build, `tools` are the folders of the system's commands. Then the copy has
    all files whatever their names, and links to commands, as virtual environments have them.
    """

    target: Path
    bounds: Bounds = HANDED_IN
    tools: Collection[str] = ()
    notes: list[str] = field(default_factory=list)
    _files: int = 0
    _bytes: int = 0

    def add_all(self, source: Path | int) -> None:
        """Copy a folder, which may be open already, the contents of a zip, or a single file.

        Of links, those are copied that lead to something in the folder. Raises `SubmissionError`.
        """
        links = []
        # Each file may have a twin that is ignored.
        with entries_of(source, 2 * self.bounds.files, with_all=bool(self.tools)) as entries:
            for entry in entries:
                if self.is_full:
                    break
                if entry.kind == 'link':
                    links.append(entry)
                    self._count()
                elif entry.kind != 'ignored':
                    self.add(entry, entry.path)
        for entry in links:  # last, so that nothing is written through them
            place, above = self.target / entry.path, os.path.dirname(entry.path)
            target = os.path.normpath(os.path.join(above, entry.target))
            try:
                if os.path.dirname(target) in self.tools and target == entry.target:
                    place.symlink_to(target)
                elif target.split('/')[0] not in ('', '..'):
                    place.symlink_to(os.path.relpath(target, above))
            except OSError as error:
                raise_if_ours(error)
        for entry in links:
            if not os.path.exists(self.target / entry.path):
                (self.target / entry.path).unlink(missing_ok=True)
                self._leave_out(entry.path, 'a link to nothing in the folder')

    def add(self, entry: Entry, name: str) -> None:
        """Copy a file or a folder without its files; `name` is the path of the copy."""
        problem = entry.problem or why_not_copied(name)
        if problem or entry.kind != 'folder':  # else it counts when it is made
            self._count()
        try:
            if problem:
                raise SubmissionError(problem)
            if entry.kind == 'folder':
                self._make_folders(name)
                return
            with entry.open() as content:
                size = -(-content.size // self.bounds.block) * self.bounds.block
                if self._bytes + size > self.bounds.size:
                    raise SubmissionError(f'more than {self.bounds.size >> 20} MB in all')
                self._bytes += size
                self._write(name, content)
        except Exception as error:  # zipfile raises anything where a zip is damaged
            raise_if_ours(error)
            self._leave_out(name, reason_of(error))

    def note(self, text: str) -> None:
        """Add a note, unless there are many already."""
        if len(self.notes) <= MOST_NOTES:
            self.notes.append('...' if len(self.notes) == MOST_NOTES else printable(text))

    @property
    def is_full(self) -> bool:
        """Whether the copy has as many files as it may have."""
        return self._files >= self.bounds.files

    def _leave_out(self, name: str, why: str) -> None:
        shown = name[:LONGEST_NAME_NOTED] + '...' * (len(name) > LONGEST_NAME_NOTED)
        self.note(f'left out: {shown}: {why}')

    def _write(self, name: str, content: Content) -> None:
        path = self.target / name
        self._make_folders(os.path.dirname(name))
        with open(path, 'xb') as copy:
            left = content.size
            try:
                while left and (chunk := content.stream.read(min(left, CHUNK))):
                    left -= copy.write(chunk)
            except Exception:
                path.unlink()
                raise
        path.chmod(0o755 if content.is_executable else 0o644)

    def _make_folders(self, name: str) -> None:
        """Make those folders that are missing down to a path in the copy."""
        path = self.target / name
        for folder in reversed([*takewhile(lambda one: not one.is_dir(), [path, *path.parents])]):
            self._count()
            folder.mkdir(0o755)

    def _count(self) -> None:
        self._files += 1
        if self._files == self.bounds.files:
            self._leave_out('the rest', f'more than {self.bounds.files:,} files in all')


def submission_names(sources: Sequence[Path]) -> list[str]:
    """Return a name for each submission: that of its folder, or of its file without the ending.

    The ending stays where another submission has the same name.
    """
    own = [Path(os.path.abspath(source)) for source in sources]  # a link has its own name
    short = [
        path.stem if path.suffix.lower() in ONE_FILE and path.is_file() else path.name
        for path in own
    ]
    often = Counter(map(str.casefold, short))
    taken: set[str] = set()
    return [
        folder_name(name if often[name.casefold()] == 1 else path.name, taken)
        for path, name in zip(own, short, strict=True)
    ]


def folder_name(wanted: str, taken: set[str]) -> str:
    """Return a name for a folder like the one wanted, but unlike all in `taken`, and add it there.

    Capital and small letters count as the same.

    >>> taken = set()
    >>> [folder_name(name, taken) for name in ('Ann', 'ann', '../x', 'con', '')]
    ['Ann', 'ann-2', '-x', 'con_', 'unnamed']
    """
    plain = FORBIDDEN.sub('-', printable(unicodedata.normalize('NFC', wanted)).strip(EDGES))
    short = plain.encode()[:LONGEST_FOLDER_NAME].decode(errors='ignore')
    plain = short.strip(EDGES) or 'unnamed'
    plain += '_' if RESERVED.fullmatch(plain) else ''
    name, number = plain, 1
    while name.casefold() in taken:
        number += 1
        name = f'{plain}-{number}'
    taken.add(name.casefold())
    return name


def name_of_command(command: str) -> str:
    """Return the name of the program that a command line runs, without folders of any system.

    >>> name_of_command('python3 -u ../hw/sums1.py'), name_of_command('java -cp build Sums')
    ('sums1', 'Sums')
    >>> name_of_command('./sums --fast'), name_of_command('python3 -m my.sums')
    ('sums', 'my.sums')
    >>> name_of_command('stdbuf -o0 ./sums'), name_of_command('timeout 5 nice -n 5 python3 sums.py')
    ('sums', 'sums')
    """
    first, *words = words_in(command)
    while first in STARTERS and (others := [*dropwhile(OF_STARTER.match, words)]):
        first, *words = others
    starter = PureWindowsPath(first).name
    if starter != 'java' and not INTERPRETER.fullmatch(starter):
        words = [first]
    while words and words[0].startswith('-'):
        del words[: 1 + (words[0] in WITH_VALUE)]
    file = PureWindowsPath(words[0] if words else first)
    return file.stem if file.suffix in (*ENDINGS, '.exe') else file.name


@dataclass
class Submission:
    """A copy of what was handed in; the user's own command has none."""

    scratch: Path  # the grader's folder that has the copy
    opened: float  # when copying began, by the monotonic clock
    folder: Path | None = None  # the copy
    notes: list[str] = field(default_factory=list)  # on files that the copy lacks
    complaint: str = ''  # why it cannot be graded, '' if it can


@contextmanager
def open_submission(source: Path | None) -> Iterator[Submission]:
    """Provide a copy of a submission, if there is one; remove the copy at the end."""
    begin = time.monotonic()
    with scratch_folder() as scratch:
        submission = Submission(scratch, begin)
        if source:
            submission.folder = scratch / 'submission'
            try:
                submission.notes = copy_submission(source, submission.folder)
            except SubmissionError as error:
                submission.complaint = str(error)
        yield submission


def copy_submission(source: Path, target: Path, bounds: Bounds = HANDED_IN) -> list[str]:
    """Copy a folder, the contents of a zip, or a file into a new folder; return notes on it.

    Raises `SubmissionError`.
    """
    target.mkdir(0o755)
    if source.is_symlink() and not source.exists():
        raise SubmissionError('a link to nothing was handed in')
    copy = Copy(target, bounds)
    copy.add_all(source)
    return copy.notes


def make_program(
    folder: Path | None, settings: Settings, sandbox: Sandbox, lock: ClassLock
) -> tuple[Program, list[str]]:
    """Return the built program of a copied submission, and notes on files that it has lost.

    The assignment's own files replace what was handed in or built under their names. Raises
    `SubmissionError`.
    """
    notes: list[str] = []
    data = settings.assignment.data
    if folder is None:
        return Program(
            words_in(settings.languages[0].command), given=frozenset(file.name for file in data)
        ), notes
    language = language_of(folder, settings.languages)
    if language.build:
        program = program_of_command(['sh', '-c', language.build], folder)
        notes += put(data, folder / program.below)
        folder, lost = build_twice(program, sandbox, lock, settings.limits.build)
        notes += lost
    program = (
        program_of_command(words_in(language.command), folder)
        if language.command
        else program_of_module(folder, sandbox.python)
    )
    after = 'after the build, ' * bool(language.build)
    notes += [f'{after}{note}' for note in put(data, folder / program.below)]
    return replace(
        program,
        given=frozenset(os.path.normpath(os.path.join(program.below, file.name)) for file in data),
    ), notes


def copy_of_own(program: Program, target: Path) -> Program:
    """Return a user's own Python program that runs in a copy of its folder; make this copy.

    The folder is the current one, or that of the program's file if this lies elsewhere. The
    interpreter itself is run, not a script that finds it, such as pyenv's. Raises
    `SubmissionError` and `OSError` if the program cannot be copied or its interpreter not run.
    """
    number = script_of(program.words)
    assert number is not None
    here, words = Path.cwd(), [*program.words]
    if words[number] != '-m':
        file = Path(words[number]).resolve()
        here = here if here in file.parents else file.parent
        words[number] = os.path.relpath(file, here)
    copy_submission(here, target, OWN)
    if words[number] != '-m' and not (target / words[number]).is_file():
        raise SubmissionError('the program is too large to copy')
    try:
        said = subprocess.run(
            [words[0], '-c', ABOUT_INTERPRETER],
            check=True,
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=INTERPRETER_SECONDS,
        ).stdout
        words[0], *folders = said.splitlines()
    except (subprocess.SubprocessError, ValueError) as error:
        raise SubmissionError(f'its interpreter does not run: {error}') from None
    return replace(program, words=words, folder=target, needs=tuple(map(Path, folders)))


def build_twice(
    program: Program, sandbox: Sandbox, lock: ClassLock, seconds: float
) -> tuple[Path, list[str]]:
    """Build while other programs run; if that fails, once more alone; see `build`."""
    try:
        with lock.shared():
            return build(program, sandbox, seconds)
    except (SubmissionError, OSError) as error:
        first = error
    try:
        with lock.alone():
            return build(program, sandbox, min(seconds, lock.seconds_left))
    except SubmissionError as error:  # perhaps only because its time alone is over
        raise (error if lock.seconds_left else first) from None


def build(program: Program, sandbox: Sandbox, seconds: float) -> tuple[Path, list[str]]:
    """Run a build command in the sandbox; return a copy of its folder, and notes.

    Raises `SubmissionError` with the messages of the compiler.
    """
    folder = Path(tempfile.mkdtemp(prefix='built-', dir=sandbox.scratch))
    folder.chmod(0o755)
    copy = Copy(folder, BUILT, tools=search_path(sandbox.python).split(os.pathsep))
    until = time.monotonic() + seconds

    @contextmanager
    def copy_built(built: int) -> Iterator[None]:
        yield
        copy.add_all(built)

    with running(program, sandbox, seconds, copy_built) as run:
        run.end_input()
        printed = b''
        while time.monotonic() < until and (piece := run.read(seconds)):
            printed = (printed + piece)[-LONGEST_COMPLAINT:]
        status = run.status(max(0, until - time.monotonic()))
        printed += run.read_errors()[-LONGEST_COMPLAINT:]
        if run.excess:
            printed += f'\nkilled: the build used {run.excess}'.encode()
    if status != 0:
        # With this mark nobody takes a compiler's line for one of the report.
        lines = printable(decoded(printed), keep='\n').strip().split('\n')
        messages = '\n'.join(f'  build    |{line}' for line in lines)
        ending = f'still running after {seconds:g} s' if status is None else f'exit status {status}'
        raise SubmissionError(f'the build failed, {ending}:\n{messages}')
    return folder, [f'after the build, {note}' for note in copy.notes]


def language_of(folder: Path, languages: Sequence[Language]) -> Language:
    """Return the first language of which a copied submission has a file.

    If none fits but there is a Python module, the language is Python. Raises `SubmissionError`.
    """
    names = [path.name for path in visible_files(folder)]
    for language in languages:
        if not language.suffix or any(name.endswith(language.suffix) for name in names):
            return language
    if names and languages and not visible_files(folder, '*.py'):
        wanted = ', '.join(f'*{language.suffix}' for language in languages)
        raise SubmissionError(
            f'no {wanted} was handed in, but {list_names(sorted(names), MOST_FILES_NAMED)}'
        )
    return Language('', '', '')


def program_of_command(words: list[str], folder: Path) -> Program:
    """Return a program that runs a command in the folder with the files of a submission.

    As in many zips, this may be the only folder in the copied one. Raises `SubmissionError` if
    there are no files.
    """
    top, entries = folder, [folder]
    while len(entries) == 1 and entries[0].is_dir() and not entries[0].is_symlink():
        top = entries[0]
        entries = [path for path in top.iterdir() if not path.name.startswith('.')]
    if not entries:
        raise SubmissionError(NO_FILES)
    return Program(words, folder, os.path.relpath(top, folder))


def program_of_module(folder: Path, python: str) -> Program:
    """Return the program of a copied submission: its one executable module, run by `python`.

    A module that is the only one of a submission needs no executable block. Raises
    `SubmissionError`.
    """
    sources = visible_files(folder, '*.py')
    if not sources:
        raise SubmissionError(why_no_module(folder))
    modules = (
        sources
        if len(sources) == 1
        else list(
            islice(
                (path for path in sources if EXECUTABLE.search(path.read_bytes())),
                MOST_MODULES_NAMED + 1,
            )
        )
    )
    if not modules:
        is_one = len({path.parent for path in sources}) == 1
        raise SubmissionError(
            f'no executable module: no *.py of the submission has a block '
            f'"{BLOCK}"' + ('' if is_one else f'. {MANY_SUBMISSIONS}')
        )
    if len(modules) > 1:
        names = list_names([str(path.relative_to(folder)) for path in modules], MOST_MODULES_NAMED)
        raise SubmissionError(
            f'more than one executable module: {names}; each has the text '
            f'"{BLOCK}", which counts in comments too. {MANY_SUBMISSIONS}'
        )
    module, package = modules[0], enclosing_package(modules[0])
    if package:
        return Program(
            [python, '-m', f'{package.name}.{module.stem}'],
            folder,
            os.path.relpath(package.parent, folder),
        )
    return Program([python, f'./{module.name}'], folder, os.path.relpath(module.parent, folder))


def holds_many(folder: Path, commands: str, has_command: bool) -> bool:
    """Return whether a folder has only folders and zips in it, at least two of them programs.

    It is one program if a command line names one of them, or if, without a command, there is one
    executable module in all.
    """
    if not folder.is_dir():
        return False
    entries = [
        path
        for path in folder.iterdir()
        if not path.name.startswith(('.', '__')) and not path.is_symlink()
    ]
    archives = [path for path in entries if path.suffix.lower() == '.zip']
    folders = [path for path in entries if path.is_dir()]
    if len(folders) + len(archives) < len(entries) or any(
        path.name in commands for path in folders
    ):
        return False
    programs = [
        path for one in folders for path in visible_files(one) if path.suffix in ('.py', *SOURCES)
    ]
    modules = [
        path for path in programs if path.suffix == '.py' and EXECUTABLE.search(path.read_bytes())
    ]
    if not has_command and len(modules) == 1:
        return False
    return len(archives) + len({path.relative_to(folder).parts[0] for path in programs}) > 1


def visible_files(folder: Path, pattern: str = '*') -> list[Path]:
    """Return the files in a folder and below it that are neither hidden nor links."""
    return [
        path
        for path in sorted(folder.rglob(pattern))
        if path.is_file()
        and not path.is_symlink()
        and not any(part.startswith('.') for part in path.relative_to(folder).parts)
    ]


def enclosing_package(module: Path) -> Path | None:
    """Return the package of a module that imports from this package, else None."""
    package = module.parent
    if not (package / '__init__.py').exists() or not module.stem.isidentifier():
        return None
    imports = re.compile(
        rf'^[ \t]*(from|import)[ \t]+(\.|{re.escape(package.name)}\b)', re.MULTILINE
    )
    return package if imports.search(module.read_bytes().decode('latin-1')) else None


def why_no_module(folder: Path) -> str:
    """Return a message about a submission without a Python module: what it has, and what helps."""
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob('*') if not path.is_dir())
    if not names:
        return NO_FILES
    advice = next(
        advice
        for endings, advice in ADVICE
        if any(name.lower().endswith(endings) for name in names)
    )
    many = sum(name.lower().endswith('.zip') for name in names) > 1
    return f'no Python module was handed in, but {list_names(names, MOST_FILES_NAMED)}{advice}' + (
        f'. {MANY_SUBMISSIONS}' if many else ''
    )


def fingerprint(folder: Path, facts: object) -> str:
    """Return a digest that changes whenever a file in the folder, or a fact, changes."""
    found = [facts]
    for path in sorted(folder.rglob('*')):
        link = os.readlink(path) if path.is_symlink() else ''
        content = path.read_bytes() if path.is_file() and not link else b''
        found.append(
            (
                str(path.relative_to(folder)),
                link,
                path.is_dir(),
                os.access(path, os.X_OK),
                digest_of(content),
            )
        )
    return digest_of(repr(found).encode(errors='surrogateescape'))


def seed_of(digest: str, out: Path | None) -> int:
    """Return the seed for the fresh games of a submission with a fingerprint.

    The seed depends on the fingerprint and on the secret of the class in the folder `out`. So
    nobody can know it before, and the same submission gets the same games again. Without
    fingerprint or folder the seed is random.
    """
    if not digest or not out:
        return SystemRandom().randrange(SEEDS)
    return int(digest_of(secret_of(out) + digest.encode()), 16) % SEEDS


def secret_of(out: Path) -> bytes:
    """Return the secret of a class; make it the first time, in a file that only its owner may read.

    Raises `OSError` where something else has its name, such as a link to another file.
    """
    path = out / SECRET
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o600)
    except OSError as error:  # a link, a folder
        raise FileExistsError(
            f'{path} is not the secret of a class: remove it ({error.strerror})'
        ) from None
    with open(descriptor, 'r+b', buffering=0) as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > SECRET_BYTES:
            raise FileExistsError(f'{path} is not the secret of a class: remove it')
        if HAS_SANDBOX:  # another grader may write it now
            import fcntl  # which Windows does not have

            fcntl.flock(file, fcntl.LOCK_EX)
        secret = file.read()
        if len(secret) != SECRET_BYTES:  # it is new, or not whole
            secret = os.urandom(SECRET_BYTES)
            file.seek(0)
            file.truncate()
            file.write(secret)
    return secret


def digest_of_program(folder: Path) -> str:
    """Return a digest that does not depend on names, blanks and comments of a program.

    The digest is of the tokens of Python, and of all characters except blanks in other languages.
    Only source files count; all files do if none of them is known to be one. It is '' for a program
    that is too short to compare.
    """
    files = visible_files(folder)
    sources, left = [], MOST_READ
    for path in [path for path in files if path.suffix in COMPARED] or files:
        with path.open('rb') as stream:
            content = stream.read(left)
        left -= len(content)
        sources.append(tokens_of(content) if path.suffix == '.py' else characters_of(content))
    is_long = sum(map(len, sources)) >= FEWEST_TOKENS
    return digest_of(repr(sorted(sources)).encode()) if is_long else ''


def tokens_of(source: bytes) -> list[str]:
    """Return the tokens of a Python source, with its own names replaced by numbers.

    >>> tokens_of(b'rows = len(x)  # rows') == tokens_of(b'n=len( y )')
    True
    """
    if max(map(len, source.split(b'\n'))) > LONGEST_TOKENIZED:
        return characters_of(source)
    numbers: dict[str, str] = {}
    tokens = []
    try:
        for token in tokenize.tokenize(io.BytesIO(source).readline):
            if token.type == tokenize.NAME and token.string not in KNOWN_NAMES:
                tokens.append(numbers.setdefault(token.string, f'name {len(numbers)}'))
            elif token.type not in LAYOUT:
                tokens.append(BLOCKS.get(token.type, token.string))
    except (tokenize.TokenError, SyntaxError, ValueError, LookupError, RecursionError):
        return characters_of(source)  # not valid Python
    return tokens


def characters_of(content: bytes) -> list[str]:
    """Return the characters of a file without blanks."""
    return [*b''.join(content.split()).decode('latin-1')]
