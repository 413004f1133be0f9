"""Replay of every transcript through our own consoles, over pipes and in a terminal.

Some are replayed through consoles that an interpreter starts: see `test_a_pair_runs_alone`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from replaying import Forked, replay

from grading.project import all_transcripts
from grading.sessions.transcript import Transcript

FORKED = Forked(Path())
TRANSCRIPTS = [Transcript.read(path) for path in all_transcripts()]


def exact(transcript):
    """Return the same without lines that are free: of ours every word counts."""
    return Transcript(transcript.name, '\n'.join(
        '#' if line == '# free' else line for line in transcript.lines))


@pytest.mark.parametrize('transcript', TRANSCRIPTS, ids=lambda transcript: transcript.name)
def test_replay(transcript):
    message, errors = replay(exact(transcript), transcript.command[:1], sandbox=FORKED)
    if message:
        pytest.fail(message, pytrace=False)
    assert errors == b''
