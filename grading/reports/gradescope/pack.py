"""An autograder to upload to Gradescope: the grader, one game's transcripts, and two scripts."""

from __future__ import annotations

import io
import shlex
import zipfile
from pathlib import Path
from typing import Sequence

from ...project import ROOT, grader_files
from ...sessions.transcript import Transcript

SCRIPTS = Path(__file__).parent
WORDS = '@WORDS@'                       # where run_autograder has its game and options
INSTALLED = '@PACKAGES@'                # where setup.sh has what it installs
NEEDED = 'python3-venv'
EXECUTABLE, PLAIN = 0o100755, 0o100644
LONG_AGO = (1980, 1, 1, 0, 0, 0)        # the first time that a zip can tell
UNIX = 3                                # where modes mean something


def pack(words: Sequence[str], transcripts: Sequence[Transcript], packages: Sequence[str] = (),
         own: Sequence[tuple[str, str]] = ()) -> bytes:
    """Return a zip, the same whenever it is made, that grades as `grade` does.

    `words` are the options and the game; `transcripts` are those that these need; `packages` are
    what has to be installed for programs; `own` are the names and texts of sessions in the folder
    that is the game instead.
    """
    known = {WORDS: shlex.join(words), INSTALLED: shlex.join([NEEDED, *packages])}
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, 'w') as archive:
        for name in ('setup.sh', 'run_autograder'):
            script = (SCRIPTS / name).read_text(encoding='utf-8')
            for place, text in known.items():
                script = script.replace(place, text)
            add(archive, name, script.encode(), EXECUTABLE)
        names = sorted(transcript.name for transcript in transcripts)
        for name, path in {**grader_files(), **{name: ROOT / name for name in names}}.items():
            add(archive, name, path.read_bytes(), PLAIN)
        for name, text in own:
            add(archive, f'{words[-1]}/{name}', text.encode(), PLAIN)
    return zipped.getvalue()


def add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    """Add a file to a zip."""
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.create_system = UNIX
    entry.external_attr = mode << 16
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
