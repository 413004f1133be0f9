"""Every transcript played by our own consoles, and some of them by programs of their own."""

from __future__ import annotations

import io
import sys
from unittest import mock

import pytest
from models import transcripts
from replaying import replay

from grading.assignments.consoles import MAINS, Typed
from grading.assignments.find import GAMES
from grading.project import FOLDER, ROOT
from grading.sessions.transcript import Transcript


class Flushed(io.StringIO):
    """An output of which others see what has been flushed."""

    seen = 0

    def flush(self):
        self.seen = super().tell()

    def tell(self):
        return self.seen


def steps_of(transcript):
    """Play a transcript in this process; return what was flushed before each line was read."""
    output, errors = Flushed(), io.StringIO()
    typed = Typed(transcript.inputs, output)
    with mock.patch.multiple(sys, argv=transcript.command, stdin=typed, stdout=output,
                             stderr=errors):
        assert MAINS[transcript.command[0]]() == 0
    assert errors.getvalue() == ''
    cuts = [0, *typed.marks, output.seen]
    return [output.getvalue()[start:end] for start, end in zip(cuts, cuts[1:])]


@pytest.mark.parametrize('game', GAMES)
def test_every_transcript_step_by_step(game):
    for transcript in transcripts(game):
        assert steps_of(transcript) == [step.output for step in transcript.steps], transcript.name


# The largest, the oddest, and some of each game: over pipes, and in a terminal.
@pytest.mark.parametrize('name', [
    'othello/malformed_moves', 'othello/other_white_space', 'othello/size_16x16',
    'nim/recorded/byte_order_mark', 'nim/recorded/empty', 'nim/recorded/seventy_piles',
    'nim/recorded/without_game_on_the_command_line', 'nim/piles/malformed_answers',
    'nim/stones/other_alphabets', 'nim/stones/three_rounds_with_prompts',
    'nim/tlcw/computer_first', 'nim/tlcw/malformed_answers_with_prompts'])
def test_replay(name):
    """Without lines that are free: of ours every word counts."""
    transcript = Transcript.read(FOLDER / f'{name}.txt')
    exact = Transcript(transcript.name, '\n'.join(
        '#' if line == '# free' else line for line in transcript.lines))
    message, errors = replay(exact, [sys.executable, str(ROOT / transcript.command[0])])
    if message:
        pytest.fail(message, pytrace=False)
    assert errors == b''
