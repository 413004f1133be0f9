"""Replay of every transcript through our own consoles, over pipes and in a terminal.

For the assignments' own examples an interpreter is started each time; for the others a console that
has been imported is forked, since to start it takes five times as long as all the rest.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from replaying import Forked, replay
from running import BARE

from grading.assignments.games import EXAMPLES
from grading.installation import ROOT, all_transcripts
from grading.sessions.transcript import Transcript

FORKED = Forked(Path())
TRANSCRIPTS = [Transcript.read(path) for path in all_transcripts()]


def exact(transcript):
    """Return the same without lines that are free: of ours every word counts."""
    return Transcript(transcript.name, '\n'.join(
        '#' if line == '# free' else line for line in transcript.lines))


@pytest.mark.parametrize('transcript', TRANSCRIPTS, ids=lambda transcript: transcript.name)
def test_replay(transcript):
    if transcript.name.endswith(EXAMPLES):
        message, errors = replay(exact(transcript), [BARE, ROOT / transcript.command[0]])
    else:
        message, errors = replay(exact(transcript), transcript.command[:1], sandbox=FORKED)
    if message:
        pytest.fail(message, pytrace=False)
    assert errors == b''
