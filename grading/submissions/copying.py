"""Names submissions, and makes safe copies: only regular files and links, of bounded size."""

from __future__ import annotations

import math
import os
import re
import shutil
import time
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, takewhile
from pathlib import Path
from typing import NamedTuple

from ..installation import digest_of
from ..limits import SUBMISSION_BOUNDS, Bounds
from ..printable import clean, printable
from ..sandbox.scratch import scratch_folder
from ..sandbox.untrusted_files import SubmissionError, raise_if_shortage, reason_of
from .entries import UNPACKED, Content, Entry, entries_of, stem_of, why_not_copied

# Kinds of files, by suffix.
MODULES = ('.py', '.pyw')
ARCHIVES = ('.7z', '.rar', '.gz', '.bz2', '.xz')  # the grader does not unpack these
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
# A single file with such a suffix may be a whole submission.
ONE_FILE = (*UNPACKED, *MODULES, *ARCHIVES, *SOURCES)
DIGITS = 8  # how many hexadecimal digits of a digest to add to a name
LONGEST_FOLDER_NAME = 120  # maximum bytes without the ending; file systems allow 255
FORBIDDEN = re.compile(r'[/\\:*?"<>|]+')  # not allowed in file names on some systems
ALSO_CALLED = 'there is another submission called {}'
EDGES = '. '  # a leading dot hides a file; Windows drops trailing dots and spaces
# Names reserved by Windows, even with a suffix, and the grader's own files in the --out folder.
RESERVED = re.compile(
    r'(con|prn|aux|nul|com\d|lpt\d)(\..*)?|grades\.csv|index\.html'
    r'|session-\d+\.html',
    re.IGNORECASE,
)
MAX_NOTES = 20  # maximum number of notes on a copy, besides a final '...'
LONGEST_PATH_NOTED = 400  # maximum characters of a file's path in a note
CHUNK = 1 << 16  # maximum bytes to read at once


class SubmissionName(NamedTuple):
    """The name of a submission; `note` says why it is not the first choice, or is ''."""

    name: str
    note: str = ''


def submission_names(sources: Sequence[Path]) -> list[SubmissionName]:
    """Return a name for each submission: its folder's name, or its file's name without the suffix.

    If submissions would have the same name, they get longer names. A link is named after itself
    rather than its target.
    """
    paths = [Path(os.path.abspath(source)) for source in sources]
    return distinct_names(
        [
            (
                stem_of(path.name)
                if path.name.lower().endswith(ONE_FILE) and path.is_file()
                else path.name,
                path.name,
                f'{path.parent.name}-{path.name}',
            )
            for path in paths
        ]
    )


def distinct_names(wanted: Sequence[Sequence[str]]) -> list[SubmissionName]:
    """Return a distinct name for each submission, if possible the first of its wanted names.

    If several submissions would get the same name, none of them gets it, and each tries its next
    wanted name. So a student cannot take another submission's name, and with it the other's place
    in the results. If a submission has no wanted names left, a digest is added to the last name. If
    submissions still have the same name, a number is added. Case is ignored.

    >>> [named.name for named in distinct_names([['ann'], ['bo', 'bo.py'], ['bo', 'bo.zip']])]
    ['ann', 'bo.py', 'bo.zip']
    >>> distinct_names([['Ann'], ['ann']])[1]
    SubmissionName(name='ann-49915e0d', note='there is another submission called ann')
    """
    choices = [*map(choices_for, wanted)]
    names = [*map(next, choices)]
    shared: set[str] = set()  # names several submissions would get
    while True:
        uses = Counter(map(str.casefold, names))
        shared |= {name for name, number in uses.items() if number > 1}
        longer = {
            index: next(choices[index], '')
            for index, name in enumerate(names)
            if name.casefold() in shared
        }
        if not any(longer.values()):
            break
        names = [longer.get(index) or name for index, name in enumerate(names)]
    taken = {*map(str.casefold, names)}
    named = []
    for name, (first, *_) in zip(names, wanted, strict=True):
        if name.casefold() in shared:  # several submissions want exactly the same names
            numbered = (f'{name}-{number}' for number in count(1))
            name = next(other for other in numbered if other.casefold() not in taken)
            taken.add(name.casefold())
        plain = valid_name(first)
        named.append(SubmissionName(name, ALSO_CALLED.format(plain) if name != plain else ''))
    return named


def choices_for(wanted: Sequence[str]) -> Iterator[str]:
    """Yield valid forms of a submission's wanted names, and finally a name with a digest."""
    yield from map(valid_name, wanted)
    digest = digest_of(wanted[-1].encode(errors='surrogateescape'))
    yield valid_name(wanted[-1], f'-{digest[:DIGITS]}')


def valid_name(wanted: str, ending: str = '') -> str:
    """Return a valid folder name close to `wanted`, followed by `ending`.

    >>> [*map(valid_name, ('Ann', '../x', 'con', ''))]
    ['Ann', '-x', 'con_', 'unnamed']
    """
    plain = FORBIDDEN.sub('-', printable(unicodedata.normalize('NFC', wanted)).strip(EDGES))
    short = plain.encode()[:LONGEST_FOLDER_NAME].decode(errors='ignore')
    plain = short.strip(EDGES) or 'unnamed'
    return (plain + '_' if RESERVED.fullmatch(plain) else plain) + ending


def linked_submissions(sources: Sequence[Path]) -> dict[Path, Path]:
    """Map each submission to the first link in its path; leave out submissions without links.

    Ignore links in the path of the folder with all submissions: they are the teacher's.
    """
    paths = [Path(os.path.abspath(source)) for source in sources]
    top = Path(os.path.commonpath([path.parent for path in paths])) if paths else Path()
    found = {}
    for source, path in zip(sources, paths, strict=True):
        below = [*reversed(path.parents), path][len(top.parts) :]
        links = [parent for parent in below if parent.is_symlink()]
        if links:
            found[source] = links[0]
    return found


@dataclass
class Copy:
    """A copy of a submission in the folder `target`; `notes` lists the files left out.

    `tools` is given only for the copy of a build's result. It lists the folders that contain the
    system's commands. The copy then also includes links to these commands, which virtual
    environments contain, and the files that would otherwise be ignored.
    """

    target: Path
    bounds: Bounds = SUBMISSION_BOUNDS
    tools: Collection[str] = ()
    notes: list[str] = field(default_factory=list)
    _files: int = 0
    _bytes: int = 0

    def add_all(self, source: Path | int) -> None:
        """Copy a single file, the contents of a zip, or a folder.

        `source` is a path, or an open file descriptor of a folder. A link in a folder is copied
        only if its target is in the folder too, or is a command in one of the `tools` folders. A
        link in a zip is never copied. Raises `SubmissionError`.
        """
        links = []
        # One more entry than the bounds allow shows that there are too many. Read twice that number
        # from each folder, because some entries may be ignored.
        most = 2 * (self.bounds.files + 1)
        with entries_of(source, most, with_all=bool(self.tools)) as entries:
            for entry in entries:
                if entry.kind == 'ignored':
                    continue
                if not self.has_room(entry.aside):
                    break
                if entry.kind == 'link':
                    links.append(entry)
                    self._files += 1
                else:
                    self.add(entry, entry.path)
        for entry in links:  # last, so that no file is written through a link
            copy, above = self.target / entry.path, os.path.dirname(entry.path)
            target = os.path.normpath(os.path.join(above, entry.target))
            is_tool = os.path.dirname(target) in self.tools and target == entry.target
            is_inside = target.split('/')[0] not in ('', '..')
            try:
                if is_tool:
                    copy.symlink_to(target)
                elif is_inside:
                    copy.symlink_to(os.path.relpath(target, above))
            except OSError as error:
                raise_if_shortage(error)
        for entry in links:
            if not os.path.exists(self.target / entry.path):
                (self.target / entry.path).unlink(missing_ok=True)
                self._leave_out(
                    entry.path, 'a link that is broken or leads out of the folder', entry.aside
                )

    def add(self, entry: Entry, name: str) -> None:
        """Copy a file, or make a folder without its contents; `name` is the path in the copy.

        Leave out what cannot be copied, and add a note.
        """
        problem = entry.problem or why_not_copied(name)
        if problem or entry.kind != 'folder':  # `_make_folders` counts folders
            self._files += 1
        try:
            if problem:
                raise SubmissionError(problem)
            if entry.kind == 'folder':
                self._make_folders(name)
                return
            with entry.open() as content:
                blocks = math.ceil(content.size / self.bounds.block)
                size = blocks * self.bounds.block
                if self._bytes + size > self.bounds.size:
                    raise SubmissionError(f'more than {self.bounds.size >> 20} MB in total')
                self._bytes += size
                self._write(name, content)
        except Exception as error:  # zipfile may raise any exception for a damaged zip
            raise_if_shortage(error)
            self._leave_out(name, reason_of(error), entry.aside)

    def note(self, text: str) -> None:
        """Add a note. After `MAX_NOTES` notes, add only a single '...'."""
        if len(self.notes) <= MAX_NOTES:
            self.notes.append('...' if len(self.notes) == MAX_NOTES else printable(text))

    def has_room(self, aside: str = '') -> bool:
        """Return whether the bounds allow another file. If not, add a note on the rest.

        `aside` is the name of the folder around the file that is set aside, if any.
        """
        if self._files < self.bounds.files:
            return True
        what = f'the rest of {aside}' if aside else 'the rest'
        rest = f'left out: {what}: more than {self.bounds.files:,} files in total'
        if rest not in self.notes:
            self.note(rest)
        return False

    def _leave_out(self, name: str, why: str, aside: str) -> None:
        if len(name) > LONGEST_PATH_NOTED:
            name = name[:LONGEST_PATH_NOTED] + '...'
        note = f'left out: {f"part of {aside}" if aside else name}: {why}'
        if not aside or printable(note) not in self.notes:  # one note on such a folder is enough
            self.note(note)

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
        """Make a folder in the copy, and any missing folders above it."""
        path = self.target / name
        missing = takewhile(lambda folder: not folder.is_dir(), [path, *path.parents])
        for folder in reversed([*missing]):
            self._files += 1
            folder.mkdir(0o755)


@dataclass
class Submission:
    """A submission and its author; `folder` is None if the program runs in place, uncopied."""

    name: str
    scratch: Path  # the temporary folder that contains the copy
    opened: float  # when copying began, by `time.monotonic()`
    folder: Path | None = None  # the copy
    notes: list[str] = field(default_factory=list)  # notes on its name and on files left out
    complaint: str = ''  # why it could not be copied, or '' if it was
    late: bool | None = None  # whether it was submitted late, or None if unknown
    id: str = ''  # the student's id, or '' if unknown
    email: str = ''  # the student's email address, or '' if unknown


@contextmanager
def open_submission(
    source: Path | None,
    name: str = '',
    *,
    notes: Iterable[str] = (),
    late: bool | None = None,
    id: str = '',
    email: str = '',
) -> Iterator[Submission]:
    """Provide a submission with a copy of `source`, if given; remove the copy at the end.

    If `source` cannot be copied, the submission's `complaint` says why.
    """
    begin = time.monotonic()
    with scratch_folder() as scratch:
        submission = Submission(
            name, scratch, begin, notes=[*map(clean, notes)], late=late, id=id, email=email
        )
        if source:
            submission.folder = scratch / 'submission'
            try:
                submission.notes += copy_submission(source, submission.folder)
            except SubmissionError as error:
                submission.complaint = str(error)
        yield submission


def copy_submission(source: Path, target: Path, bounds: Bounds = SUBMISSION_BOUNDS) -> list[str]:
    """Copy a folder, a zip's contents, or a file into a new folder; return notes on files left out.

    Raises `SubmissionError`.
    """
    target.mkdir(0o755)
    if source.is_symlink():
        raise SubmissionError('the submission is a symbolic link: submit the files themselves')
    copy = Copy(target, bounds)
    copy.add_all(source)
    return copy.notes


def copy_without(folder: Path, names: Iterable[str], target: Path) -> list[str]:
    """Copy a copied submission without some files, if it has any of them; return their names.

    `names` are paths in the folder.
    """
    found = [name for name in names if os.path.isfile(folder / name)]
    if found:
        shutil.copytree(folder, target, symlinks=True)
        for name in found:
            (target / name).unlink()
    return found


def visible_files(folder: Path) -> list[Path]:
    """Return the visible files below a folder, sorted by path."""
    return [path for path in sorted(folder.rglob('*')) if is_visible_file(path, folder)]


def is_visible_file(path: Path, folder: Path) -> bool:
    """Return whether a path below a folder is a visible file.

    Neither the file nor any folder between the two may be a link, or have a name that starts with
    a dot.
    """
    below = [path, *path.parents][: len(path.relative_to(folder).parts)]
    return path.is_file() and not any(
        parent.is_symlink() or parent.name.startswith('.') for parent in below
    )
