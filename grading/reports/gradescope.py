"""Gradescope: what it shows of a submission, and an autograder to upload.

An autograder is the grader, the sessions of one assignment, and two scripts. A machine of
Gradescope has little more than Python; this module knows which packages to add.
https://gradescope-autograders.readthedocs.io/en/latest/specs/ explains the format of results.
"""

from __future__ import annotations

import io
import shlex
import zipfile
from html import escape
from pathlib import Path
from typing import Iterator, Sequence

from ..installation import ROOT, grader_files
from ..printable import counted
from ..sessions.transcript import Transcript
from ..settings import DataFile
from .results import Json, Results, for_students, to_json
from .text import (
    describe,
    end_note,
    entries,
    list_sessions,
    where_to_look,
)

TO_FIX = 'What to fix'                  # the name of that test

SCRIPTS = Path(__file__).parent / 'autograder'
WORDS_HERE = '@WORDS@'                  # where run_autograder has its game and options
SEED_HERE = '@SEED@'                    # where it has the seed of the fresh games
PACKAGES_HERE = '@PACKAGES@'            # where setup.sh has what it installs
NEEDED = 'python3-venv'
EXECUTABLE_MODE, PLAIN_MODE = 0o100755, 0o100644
LONG_AGO = (1980, 1, 1, 0, 0, 0)        # the first time that a zip can hold
UNIX = 3                                # the system whose modes a zip holds
# Packages of Debian and Ubuntu, by the commands that they have.
PACKAGES = {
    **dict.fromkeys(('java', 'javac', 'jar'), 'default-jdk-headless'),
    **dict.fromkeys(('gcc', 'g++', 'cc', 'c++', 'make'), 'build-essential'),
    **dict.fromkeys(('ghc', 'runghc'), 'ghc'),
    'node': 'nodejs', 'clang': 'clang', 'go': 'golang-go', 'rustc': 'rustc', 'cargo': 'cargo',
    'ruby': 'ruby', 'php': 'php-cli', 'lua': 'lua5.4',
}
# Commands for builds that every machine of Gradescope has.
THERE = ('bash', 'cat', 'cd', 'chmod', 'cp', 'echo', 'env', 'exec', 'export', 'find', 'ln', 'ls',
         'mkdir', 'mv', 'perl', 'python3', 'rm', 'sed', 'sh', 'test', 'true')
SEPARATORS = {*'();|&'}                 # of commands


def for_gradescope(results: Results) -> Json:
    """Return results as Gradescope reads them: what to fix is a test of its own, for no points.

    This test is as visible as the others. The text above all tests is always visible, so it quotes
    no test.
    """
    results = for_students(results)
    shown = to_json(results)
    about = [end_note(results), *(f'note: {note}' for note in results.notes)]
    shown['output'] = '\n\n'.join(filter(None, about))
    for test in shown['tests']:
        test['tags'] += [finding.id for finding in results.findings
                         if finding.id and test['name'] in finding.sessions]
    if results.findings:
        shown['tests'].insert(0, {
            'name': TO_FIX, 'score': 0, 'max_score': 0, 'status': 'failed',
            'output': '\n'.join(to_fix(results)), 'output_format': 'html',
            'tags': results.faults, 'visibility': results.visibility, 'extra_data': {}})
    return shown


def to_fix(results: Results) -> Iterator[str]:
    """Yield the lines of what to fix, as HTML: each finding, and where to look in the program."""
    for entry in entries(results):
        finding = entry.finding
        yield f'<h4>{prose(entry.title)}</h4>'
        yield from (f'<p>{prose(text)}</p>' for text in (finding.advice, entry.gain) if text)
        yield f'<pre>{escape(describe(finding.example))}</pre>'
        for place in finding.places:
            yield f'<p>{escape(where_to_look([place]))}</p>\n<pre>{escape(place.source)}</pre>'
        yield (f'<p>Seen in {counted(len(finding.sessions))}: '
               f'{escape(list_sessions(finding.sessions))}.</p>')


def prose(text: str) -> str:
    """Return a text as HTML in which two blanks stay two."""
    return escape(text).replace('  ', ' &nbsp;')


def pack(words: Sequence[str], transcripts: Sequence[Transcript], packages: Sequence[str] = (),
         own: Sequence[DataFile] = (), seed: int | None = None) -> bytes:
    """Return a zip that grades as `grade` does; the same arguments give the same bytes.

    `words` are the options and the game, `transcripts` the sessions of the project that they need,
    `packages` what Ubuntu has to install, `own` the files of an assignment of one's own,
    `seed` that of the fresh games.
    """
    known = {WORDS_HERE: shlex.join(words), PACKAGES_HERE: shlex.join([NEEDED, *packages]),
             SEED_HERE: '' if seed is None else str(seed)}
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, 'w') as archive:
        for name in ('setup.sh', 'run_autograder'):
            script = (SCRIPTS / name).read_text(encoding='utf-8')
            for place, text in known.items():
                script = script.replace(place, text)
            add(archive, name, script.encode(), EXECUTABLE_MODE)
        names = sorted(transcript.name for transcript in transcripts)
        for name, path in {**grader_files(), **{name: ROOT / name for name in names}}.items():
            add(archive, name, path.read_bytes(), PLAIN_MODE)
        for file in own:
            add(archive, f'{words[-1]}/{file.name}', file.content,
                EXECUTABLE_MODE if file.is_executable else PLAIN_MODE)
    return zipped.getvalue()


def add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    """Add a file to a zip."""
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.create_system = UNIX
    entry.external_attr = mode << 16
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def missing_packages(*commands: str) -> str:
    """Return which commands a machine of Gradescope lacks, in words, '' for none.

    >>> missing_packages('java Game', 'cd src && javac *.java')
    'a machine of Gradescope has no java, javac: pack again with --install "default-jdk-headless"'
    >>> missing_packages('python3 game.py', './build.sh')
    ''
    """
    tools = dict.fromkeys(tool for text in commands for tool in tools_in(text)
                          if tool not in THERE and '/' not in tool and '=' not in tool)
    if not tools:
        return ''
    packages = dict.fromkeys(PACKAGES.get(tool, f'PACKAGE-OF-{tool}') for tool in tools)
    return (f'a machine of Gradescope has no {", ".join(tools)}: '
            f'pack again with --install "{" ".join(packages)}"')


def tools_in(text: str) -> list[str]:
    """Return the first word of each command in a line of shell."""
    words = shlex.shlex(text, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    found = [';', *words]
    return [word for before, word in zip(found, found[1:])
            if {*before} <= SEPARATORS and not {*word} <= SEPARATORS]
