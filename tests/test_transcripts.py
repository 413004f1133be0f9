"""Replay of every transcript, over pipes and in a terminal."""

from __future__ import annotations

import sys

import pytest
from replay import replay
from transcript import ROOT, Transcript, all_transcripts, display_name


@pytest.mark.parametrize('path', all_transcripts(), ids=display_name)
def test_replay(path, tmp_path):
    transcript = Transcript(path)
    command = [sys.executable, str(ROOT / transcript.command[0])]
    message = replay(transcript, command, tmp_path, 5)
    if message:
        pytest.fail(message, pytrace=False)
