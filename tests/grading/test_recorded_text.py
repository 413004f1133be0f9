"""Recording: what our consoles print is written into a transcript, or the file is left alone."""

import shutil

import pytest
from graders import run_grader_here
from independent import write_files
from tables import each

from grading.assignments.games import outputs_of, play, record, recorded
from grading.installation import all_transcripts
from grading.sessions.dialogue import Dialogue, LeftFile, Turn
from grading.sessions.record import recorded_with, written
from grading.sessions.transcript import Transcript, TranscriptError

SETUP = '4\n4\nB\n>\n. . . .\n. W B .\n. B W .\n. . . .\n'


def test_recording_again_changes_nothing(tmp_path):
    for path in all_transcripts():
        (tmp_path / path.parent.name).mkdir(exist_ok=True)
        copy = tmp_path / path.parent.name / path.name
        shutil.copy(path, copy)
        record(copy)
        assert copy.read_bytes() == path.read_bytes(), path.name


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
    (SETUP, 'scenario.txt:8: an input line is missing after this one: expected a move of B'),
    ('# Lines are\n# those of the file.\n\n' + SETUP + '# The end.\n\n',
     'scenario.txt:13: an input line is missing after this one: expected a move of B, its row'),
    ('# An odd board.\n5\n', 'scenario.txt:2: expected the number of rows'),
    ('', 'scenario.txt: the file has no input line yet'),
    (SETUP.replace('. W B .', 'B B B B').replace('. B W .', 'B B B B') + '1 1\n2 2\n',
     "scenario.txt:9: the program does not read this line: '1 1'"),
    ('$ othello_console.py\n$ nim_console.py\n',
     'scenario.txt:2: only one $ line, before all other lines'),
    ('4\n$ othello_console.py\n', 'scenario.txt:2: only one $ line, before all other lines'),
    ('$ nim_console.py stones --seed 1\nback\\slash\n1\nlast\\\n2\n',
     'scenario.txt:5: an input line is missing after this one: expected the answer to "How many'),
    ('$ nim_console.py recorded no_such_file.txt\n', 'exit status 2: nim_console.py: '),
    ('$ othello_console.py "\n', 'scenario.txt:1: No closing quotation'),
    (b'\xff\xfe\n', 'not UTF-8: UTF-16'),
    (SETUP.encode('utf-16-le'), 'not UTF-8: it has NUL bytes, as UTF-16 has'),
    (SETUP.encode('utf-8-sig'), 'scenario.txt:1: the file begins with a byte order mark'),
    (SETUP.replace('\n', '\r\n'), r'scenario.txt:1: lines end with \r\n; a session has \n'),
    ('4\n# four\r\n4\r\n', r'scenario.txt:2: the line ends with \r\n; a session has \n alone'),
    ('# points: 2,5\n4\n', "scenario.txt:1: points are a number such as 2 or 2.5, not '2,5'"),
])
def test_what_cannot_be_recorded(text, message, tmp_path):
    path = tmp_path / 'othello' / 'scenario.txt'
    path.parent.mkdir()
    content = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(content)
    with pytest.raises(TranscriptError) as caught:
        record(path)
    assert message in str(caught.value)
    assert path.read_bytes() == content


@each('output', ['a\rb\n', 'a\0'])
def test_output_that_the_format_cannot_hold(output):
    with pytest.raises(TranscriptError, match='a session cannot hold'):
        written(Transcript('a', '4\n'), output)


BACKSLASHES = ('# ASCII art\n# backslash\n|/\\\n# What is typed.\n# type: #3 x \n# free\n'
               '# backslash\n|\\\\\n|> \\\\\n# type: |\n# type: $ 1\n|end\n'
               '# file: a\n# backslash\n|a\\\n|b\n')
def with_file(texts, path, content):
    dialogue = Dialogue.printing(texts)
    dialogue.files[path] = LeftFile(content)
    return dialogue


RECORDED = with_file(['/\\\n', '\\\\\n> \\', '', 'end\n'], 'a', b'a\\\nb\n')


@each('text', [
    BACKSLASHES, '# type: #3 x \n# free\n|y\n# type: |\n# type: $ 1\n# file: a\n|a\n',
    BACKSLASHES.replace('|/', '|old /'), BACKSLASHES.replace('# backslash\n', '')])
def test_a_session_holds_what_is_typed_and_printed_whatever_it_is(text):
    """Marks at the beginning of what is typed, backslashes at the end of what is printed."""
    again = recorded_with(Transcript('a', text), RECORDED)
    transcript = Transcript('a', again)
    assert transcript.inputs == ['#3 x ', '|', '$ 1']
    assert [step.output.encode() for step in transcript.steps] == [
        turn.printed for turn in RECORDED.turns]
    assert transcript.files[0].content.output.encode() == RECORDED.files['a'].content
    assert recorded_with(transcript, RECORDED) == again
    assert (again == text) is (text == BACKSLASHES)


def test_ctrl_c_ends_the_recording(monkeypatch):
    monkeypatch.setattr('othello_console.main', lambda: 130)
    with pytest.raises(KeyboardInterrupt):
        play(['othello_console.py'], [])


def test_a_free_line_that_is_gone_is_missed():
    with pytest.raises(TranscriptError, match='no printed line after "# free"'):
        recorded_with(Transcript('a', '1\n# free\n|end\n'), Dialogue([Turn(), Turn()]))


def test_an_end_of_input_stays_where_it_is():
    text = '$ nim_console.py recorded\n1;1\n1\n# end of input\n'
    lines = recorded(Transcript('a', text))
    assert lines.startswith(text + '|Starting State:\n')
    assert recorded(Transcript('a', lines)) == lines


@each('text, recording, written', [
    ('1\n#end of input\n', Dialogue.printing(['', '', 'a\n']), '1\n#end of input\n|a\n'),
    ('|b\n1\n#  end of input\n# The end.\n|b\n', Dialogue.printing(['', '', 'a\n']),
     '1\n#  end of input\n# The end.\n|a\n'),
    ('#prints nothing\n1\n', Dialogue.printing(['', 'a\n']), '1\n|a\n'),
    ('# T\n#file: b\n|old\n# Z\n$ p\n1\n', with_file(['', 'a\n'], 'b', b'new\n'),
     '# T\n$ p\n# Z\n#file: b\n|new\n1\n|a\n'),
    ('# Title\n# free\n|Hello\n|first\n# free\n|same\n|same\n# on the input\n1\n|end\n# Z\n',
     Dialogue.printing(['Hello\nmore\nsame\nsame\n', 'other end\n']),
     '# Title\n# free\n|Hello\n|more\n# free\n|same\n|same\n# on the input\n1\n|other end\n# Z\n')])
def test_directives_and_comments_stay_where_the_parser_sees_them(text, recording, written):
    for scenario in (text, written):
        assert recorded_with(Transcript('a', scenario), recording) == written


def test_final_blank_lines_are_inputs(tmp_path):
    text = '$ nim_console.py recorded\n1;1\n1\n\n\n'
    path = write_files(tmp_path, {'recorded/scenario.txt': text}) / 'recorded/scenario.txt'
    record(path)
    transcript = Transcript.read(path)
    assert transcript.inputs == ['1;1', '1', '', '']
    assert transcript.output.endswith('Player 1 loses.\n')


WHOLE = SETUP + '1 2\n1 3\n1 4\n1 1\n3 1\n4 4\n'


@each('text, status, said, end', [
    (SETUP + '1 2\n', 2, '{}:9: an input line is missing after this one: expected a move of W, '
                         'its row and column\n', SETUP + '1 2\n'),
    (WHOLE, 0, '{0} is recorded; to grade a program by it: grading grade {0} --command "CMD"\n',
     'WINNER: B\n')])
def test_a_student_records_a_scenario_anywhere(text, status, said, end, tmp_path):
    path = write_files(tmp_path, {'mine.txt': text}) / 'mine.txt'
    assert run_grader_here('record', path) == (status, '', f'grading: {said.format(path)}')
    assert path.read_text(encoding='utf-8').endswith(end)
