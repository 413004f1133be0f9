"""Recording: what our consoles print is written into a transcript, or the file is left alone."""

from __future__ import annotations

import shutil

import pytest

from grading.assignments.consoles import MAINS, outputs_of, play, record
from grading.project import all_transcripts
from grading.sessions.record import marked
from grading.sessions.transcript import Transcript, TranscriptError

SETUP = '4\n4\nB\n>\n. . . .\n. W B .\n. B W .\n. . . .\n'


@pytest.mark.parametrize('path', all_transcripts(), ids=lambda path: path.name)
def test_recording_again_changes_nothing(path, tmp_path):
    (tmp_path / path.parent.name).mkdir()
    copy = tmp_path / path.parent.name / path.name
    shutil.copy(path, copy)
    record(copy)
    assert copy.read_bytes() == path.read_bytes()


def test_a_scenario_of_inputs_alone_becomes_a_transcript(tmp_path):
    path = tmp_path / 'scenario.txt'
    path.write_text('# A full board.\n4\n4\nB\n>\n' + 'B B W B\n' * 4, encoding='utf-8')
    record(path)
    assert path.read_text(encoding='utf-8') == (
        '# A full board.\n$ othello_console.py\n|FULL\n4\n4\nB\n>\n' + 'B B W B\n' * 4
        + '|B: 12  W: 4\n' + '|B B W B\n' * 4 + '|WINNER: B\n')


def test_outputs_stand_where_lines_are_read():
    transcript = Transcript('a', '$ nim_console.py tlcw --prompts\n2\n1\nu\n9\n')
    assert outputs_of(transcript) == [
        'How many coins are there to begin with? ', 'How many may be taken on each turn? ',
        'Who starts, the computer (C) or you (U)? ',
        'COINS: 2  TURN: U\nHow many coins do you take? ',
        'You are cheating!\nThe computer wins. Thank you for playing!\n']


@pytest.mark.parametrize(('text', 'message'), [
    (SETUP, 'exit status 1: othello_console.py: the input ended after line 8'),
    ('5\n', 'exit status 2: othello_console.py: line 1: expected the number of rows'),
    (SETUP.replace('. W B .', 'B B B B').replace('. B W .', 'B B B B') + '1 1\n2 2\n',
     "scenario.txt:9: not read any more: '1 1'"),
    ('$ othello_console.py\n$ nim_console.py\n', 'scenario.txt:2: one $ line, before all others'),
    ('4\n$ othello_console.py\n', 'scenario.txt:2: one $ line, before all others'),
    ('$ python3\n4\n',
     'scenario.txt: recorded by othello_console.py or nim_console.py, not by python3'),
    ('$ nim_console.py stones --seed 1\nback\\slash\n1\nlast\\\n2\n',
     'exit status 1: nim_console.py: the input ended after line 4'),
    ('$ nim_console.py recorded no_such_file.txt\n', 'exit status 2: nim_console.py: '),
    ('$ othello_console.py "\n', 'scenario.txt:1: No closing quotation'),
    (b'\xff\xfe\n', 'not UTF-8'),
])
def test_what_cannot_be_recorded(text, message, tmp_path):
    path = tmp_path / 'scenario.txt'
    content = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(content)
    with pytest.raises(TranscriptError) as caught:
        record(path)
    assert message in str(caught.value)
    assert path.read_bytes() == content


def test_output_that_the_format_cannot_hold():
    transcript = Transcript('a', '4\n')
    for output in ('a line\\\n', 'a prompt\\', 'a\rb\n'):
        with pytest.raises(TranscriptError, match='a transcript cannot hold'):
            marked(transcript, output)


def test_ctrl_c_ends_the_recording(monkeypatch):
    monkeypatch.setitem(MAINS, 'othello_console.py', lambda: 130)
    with pytest.raises(KeyboardInterrupt):
        play(['othello_console.py'], [])
