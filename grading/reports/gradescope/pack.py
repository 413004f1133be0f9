"""An autograder to upload to Gradescope: the grader, one game's transcripts, and two scripts."""

from __future__ import annotations

import io
import shlex
import zipfile
from pathlib import Path
from typing import Sequence

from ...project import ROOT, grader_files
from ...sessions.transcript import Transcript
from ...settings import DataFile

SCRIPTS = Path(__file__).parent
WORDS = '@WORDS@'                       # where run_autograder has its game and options
INSTALLED = '@PACKAGES@'                # where setup.sh has what it installs
NEEDED = 'python3-venv'
EXECUTABLE, PLAIN = 0o100755, 0o100644
LONG_AGO = (1980, 1, 1, 0, 0, 0)        # the first time that a zip can tell
UNIX = 3                                # where modes mean something


def pack(words: Sequence[str], transcripts: Sequence[Transcript], packages: Sequence[str] = (),
         own: Sequence[DataFile] = ()) -> bytes:
    """Return a zip, the same whenever it is made, that grades as `grade` does.

    `words` are the options and the game; `transcripts` are those that these need; `packages` are
    what has to be installed for programs; `own` are the files of the folder that is the game
    instead.
    """
    known = {WORDS: shlex.join(words), INSTALLED: shlex.join([NEEDED, *packages])}
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, 'w') as archive:
        for name in ('setup.sh', 'run_autograder'):
            script = (SCRIPTS / name).read_text(encoding='utf-8')
            for place, text in known.items():
                script = script.replace(place, text)
            add(archive, name, script.encode(), EXECUTABLE)
        names = [path.relative_to(ROOT).as_posix() for path in grader_files()]
        for name in [*names, *sorted(transcript.name for transcript in transcripts)]:
            add(archive, name, (ROOT / name).read_bytes(), PLAIN)
        for file in own:
            add(archive, f'{words[-1]}/{file.name}', file.content,
                EXECUTABLE if file.is_executable else PLAIN)
    return zipped.getvalue()


def add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    """Add a file to a zip."""
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.create_system = UNIX
    entry.external_attr = mode << 16
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
