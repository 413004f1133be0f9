"""The order in which sessions are played: that of learning."""

from __future__ import annotations

from typing import Iterable

from ..sessions.transcript import Transcript

EXAMPLES = ('worked_example.txt', 'prompt_free.txt')


def in_order(transcripts: Iterable[Transcript]) -> list[Transcript]:
    """Return transcripts in the order of learning: the examples, then small before large.

    What is beyond the assignment comes last.
    """
    return sorted(transcripts, key=lambda transcript: (
        transcript.is_beyond, not transcript.name.endswith(EXAMPLES), len(transcript.lines),
        transcript.name))
