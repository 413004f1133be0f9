"""Replay of every transcript, over pipes and in a terminal: through our consoles or another's."""

from __future__ import annotations

import pytest
from replay import replay
from submission import SubmissionError
from transcript import Transcript, TranscriptError, all_transcripts


def transcripts():
    try:
        return [Transcript(path) for path in all_transcripts()]
    except TranscriptError as error:
        raise pytest.Collector.CollectError(str(error)) from None


@pytest.mark.parametrize('transcript', transcripts(), ids=lambda transcript: transcript.name)
def test_replay(transcript, submission, pytestconfig):
    try:
        command, folder = submission.program(transcript.game)
        message = replay(transcript, command, folder, pytestconfig.option.transcript_timeout)
    except SubmissionError as error:
        message = str(error)
    if message:
        pytest.fail(message, pytrace=False)
