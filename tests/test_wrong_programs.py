"""Wrong programs test the replay: each must be rejected, and for the right reason."""

from __future__ import annotations

import sys

import pytest
from replay import replay
from transcript import FOLDER, ROOT, Transcript

INVALID_MOVES = Transcript(FOLDER / 'othello' / 'invalid_moves.txt')
SHORT = Transcript(FOLDER / 'othello' / 'over_at_start_full_board.txt')
PROMPTED = Transcript(FOLDER / 'nim' / 'piles_worked_example.txt')
SECONDS = 5.0                           # of patience with a program
SHORT_OF_IT = 0.3                       # with one that is known to hang


def patched(folder, *changes, console='othello_console.py'):
    """Copy a pair, change the text of its console, and return the command line."""
    pair = console.partition('_')[0]
    source = (ROOT / console).read_text(encoding='utf-8')
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    (folder / console).write_text(source, encoding='utf-8')
    logic = f'{pair}_logic.py'
    (folder / logic).write_text((ROOT / logic).read_text(encoding='utf-8'), encoding='utf-8')
    return [sys.executable, str(folder / console)]


def script(folder, source):
    """Write a program and return its command line."""
    (folder / 'program.py').write_text(source, encoding='utf-8')
    return [sys.executable, str(folder / 'program.py')]


def message_of(command, folder, transcript=INVALID_MOVES, seconds=SECONDS):
    return replay(transcript, command, folder, seconds).splitlines()


END = "    os._exit(main())"
FIRST = 'transcripts/othello/invalid_moves.txt:4'
CONSOLES = {
    'INVALID for VALID': (
        [("print('VALID', ", "print('INVALID', ")],
        'transcripts/othello/invalid_moves.txt:58: not what the transcript says (over pipes)',
        'refuses a move that is legal'),
    'VALID for INVALID': (
        [("print('INVALID')", "print('VALID')")],
        'transcripts/othello/invalid_moves.txt:20: not what the transcript says (over pipes)',
        'plays a move that is not legal'),
    'trailing blank': (
        [("print('INVALID')", "print('INVALID ')")],
        'transcripts/othello/invalid_moves.txt:20: not what the transcript says (over pipes)',
        'trailing blanks: 1 after the end of the line'),
    'one blank between the counts': (
        [('}  W: {', '} W: {')],
        'transcripts/othello/invalid_moves.txt:13: not what the transcript says (over pipes)',
        'prints one space between the counts, the protocol has two'),
    'board after INVALID': (
        [("print('INVALID')", "print('INVALID', describe(game), sep='\\n')")],
        'transcripts/othello/invalid_moves.txt:21: not what the transcript says (over pipes)',
        'reprints the board after INVALID; the protocol goes on with the next move'),
    'prompt': (
        [("        sys.stdout.flush()\n        while", "        print('> ', end='', flush=True)\n"
          "        while")],
        'transcripts/othello/invalid_moves.txt:5: not what the transcript says (over pipes)',
        "prints a prompt, '> ', where none is allowed"),
    'no flush': (
        [("        sys.stdout.flush()\n        while", "        while")],
        'transcripts/othello/invalid_moves.txt:4: nothing came for 0.3 s (over pipes)',
        'needs the next line before it prints: output is not flushed '
        '(in Python: print(..., flush=True))'),
    'line after WINNER': (
        [(END, "    status = main()\n    print('Bye', flush=True)\n    os._exit(status)")],
        'transcripts/othello/invalid_moves.txt:156: not what the transcript says (over pipes)',
        'output after the end: nothing may follow the last line'),
    'reads on after WINNER': (
        [(END, "    status = main()\n    sys.stdin.readline()\n    os._exit(status)")],
        'transcripts/othello/invalid_moves.txt:156: the program is still running 0.3 s after its '
        'last line (over pipes)',
        'still running after WINNER: NONE: it reads on, and ended once its input was closed'),
    'runs on after WINNER': (
        [(END, "    main()\n    import time\n    time.sleep(60)")],
        'transcripts/othello/invalid_moves.txt:156: the program is still running 0.3 s after its '
        'last line (over pipes)',
        'still running after WINNER: NONE'),
    'exit 1': (
        [(END, "    os._exit(main() or 1)")],
        'transcripts/othello/invalid_moves.txt:156: the program has ended with exit status 1 '
        'instead of 0 (over pipes)',
        'a game that is over ends with exit status 0'),
    'traceback at the end': (
        [(END, "    main()\n    raise KeyError('oops')")],
        'transcripts/othello/invalid_moves.txt:156: not what the transcript says (over pipes)',
        "the program crashed: KeyError: 'oops'"),
    'traceback in the middle': (
        [("print('INVALID')", "print([][1])")],
        'transcripts/othello/invalid_moves.txt:20: not what the transcript says (over pipes)',
        'the program crashed: IndexError: list index out of range'),
    'CRLF': (
        [("newline='\\n'", "newline='\\r\\n'")],
        'transcripts/othello/invalid_moves.txt:4: not what the transcript says (over pipes)',
        r'prints \r\n at the end of lines; the protocol has \n alone'),
    'message on standard error': (
        [("print('INVALID')", "print('bad move', file=sys.stderr)\n            print('INVALID')")],
        'transcripts/othello/invalid_moves.txt:20: not what the transcript says (over pipes)',
        'this was printed on standard error, which must stay empty'),
    'empty line too many': (
        [("print('INVALID')", "print('INVALID\\n')")],
        'transcripts/othello/invalid_moves.txt:21: not what the transcript says (over pipes)',
        'prints an empty line too many'),
    'small letters': (
        [("print('INVALID')", "print('Invalid')")],
        'transcripts/othello/invalid_moves.txt:20: not what the transcript says (over pipes)',
        'capital and small letters differ'),
    'missing line': (
        [("{game}\\n{last}", "{last}")],
        'transcripts/othello/invalid_moves.txt:14: not what the transcript says (over pipes)',
        '4 lines missing here'),
    'newline missing': (
        [("print('INVALID')", "print('INVALID', end='')")],
        'transcripts/othello/invalid_moves.txt:20: nothing came for 0.3 s (over pipes)',
        'the newline is missing at the end of the line'),
    'newline missing at the end': (
        [("print('VALID', describe(game), sep='\\n')",
          "print('VALID', describe(game), sep='\\n', end='\\n' * (not game.is_over()))")],
        'transcripts/othello/invalid_moves.txt:156: the program has ended too early, with '
        'exit status 0 (over pipes)',
        'the newline is missing at the end of the line'),
    'wrong turn': (
        [("TURN: {game.turn}", "TURN: B")],
        'transcripts/othello/invalid_moves.txt:64: not what the transcript says (over pipes)',
        'the wrong player has the turn; a player who cannot move is passed over'),
    'ends early': (
        [("print('INVALID')", "sys.exit(0)")],
        'transcripts/othello/invalid_moves.txt:20: the program has ended too early, with '
        'exit status 0 (over pipes)',
        ''),
}


@pytest.mark.parametrize('name', CONSOLES)
def test_broken_console(name, tmp_path):
    changes, first_line, hint = CONSOLES[name]
    seconds = SHORT_OF_IT if '0.3 s' in first_line else SECONDS
    lines = message_of(patched(tmp_path, *changes), tmp_path, seconds=seconds)
    assert lines[0] == first_line
    assert ([line for line in lines if line.startswith('  hint: ')]
            == ([f'  hint: {hint}'] if hint else []))


def test_two_lines_aligned_with_a_caret(tmp_path):
    lines = message_of(patched(tmp_path, ('}  W: {', '} W: {')), tmp_path)
    assert lines[1:5] == [
        '  typed    |. . . .    (line 12)',
        '  expected |B: 2  W: 2',
        '  printed  |B: 2 W: 2',
        '                 ^']


def test_trailing_blanks_are_made_visible(tmp_path):
    lines = message_of(patched(tmp_path, ("print('INVALID')", "print('INVALID  ')")), tmp_path)
    assert lines[2:5] == ['  expected |INVALID', '  printed  |INVALID\xb7\xb7',
                          '                   ^']


def test_carriage_return_is_made_visible(tmp_path):
    lines = message_of(patched(tmp_path, ("newline='\\n'", "newline='\\r\\n'")), tmp_path)
    assert lines[1:4] == ['  expected |FULL', '  printed  |FULL\\r', '                ^']


def test_hang(tmp_path):
    lines = message_of(script(tmp_path, 'import time\ntime.sleep(60)\n'), tmp_path,
                       seconds=SHORT_OF_IT)
    assert lines == [f'{FIRST}: nothing came for 0.3 s (over pipes)',
                     '  expected |FULL', '  printed  |    (nothing)', '            ^',
                     '  hint: hangs: nothing came even after all the rest of the input, '
                     'and its end']


def test_trickle(tmp_path):
    """Output that is wrong, and goes on slowly for ever."""
    source = "import time\nwhile True: print('FULL?', end='', flush=True); time.sleep(0.02)"
    lines = message_of(script(tmp_path, source), tmp_path)
    assert lines[0] == f'{FIRST}: not what the transcript says (over pipes)'


@pytest.mark.parametrize('source', [
    "while True: print('FULL', flush=True)", "while True: print('x' * 1000, end='')",
    "while True: print('FULL' * 100000)"])
def test_flood(source, tmp_path):
    lines = message_of(script(tmp_path, source), tmp_path)
    assert lines[0].startswith('transcripts/othello/invalid_moves.txt:')
    assert 'runaway output' in lines[-1]
    assert len(lines) < 8
    assert max(map(len, lines)) < 200


def test_no_flush_is_told_from_a_hang_only_by_what_comes_after_more_input(tmp_path):
    """A program that reads all its input before it prints."""
    source = 'import sys\ntext = sys.stdin.read()\nprint("FULL")\n'
    lines = message_of(script(tmp_path, source), tmp_path, seconds=SHORT_OF_IT)
    assert lines[-1].startswith('  hint: needs the next line before it prints')


def test_wrong_only_in_a_terminal(tmp_path):
    change = ("    print('FULL')", "    print('FULL' + ' ' * sys.stdin.isatty())")
    lines = message_of(patched(tmp_path, change), tmp_path)
    assert lines[0] == f'{FIRST}: not what the transcript says (in a terminal)'


def test_killed_by_a_signal(tmp_path):
    change = (END, "    main()\n    os.kill(os.getpid(), 9)")
    lines = message_of(patched(tmp_path, change), tmp_path, SHORT)
    assert lines[0].endswith(': the program has ended with signal 9 instead of 0 (over pipes)')


def test_stubborn_program_is_killed_with_all_it_started(tmp_path):
    source = ('import signal, subprocess, sys\n'
              'signal.signal(signal.SIGTERM, signal.SIG_IGN)\n'
              'signal.signal(signal.SIGHUP, signal.SIG_IGN)\n'
              'subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"])\n')
    lines = message_of(script(tmp_path, source), tmp_path, seconds=SHORT_OF_IT)
    assert 'nothing came' in lines[0]


@pytest.mark.parametrize('command', [['no_such_program'], ['/'], ['']])
def test_program_that_cannot_be_run(command, tmp_path):
    message = message_of(command, tmp_path)
    assert len(message) == 1
    assert ' cannot be run: ' in message[0]


@pytest.mark.parametrize(('transcript', 'change', 'hint'), [
    ('recorded_invalid_last_move', ("print('Invalid Game.')", "print('Starting State:')"),
     'the recorded game is invalid: nothing else may be printed, not even its start'),
    ('recorded_player_1_loses', ("text = ['Starting State:", "text = ['Invalid Game."),
     'refuses a recorded game that is valid'),
    ('piles_worked_example', ('I remove {count}', 'I remove 1'),
     'not the optimal move of the lowest-numbered pile that has one'),
    ('recorded_worked_example', ("+ ['\\n']", "+ [' \\n']"),
     'trailing blanks: 1 after the end of the line'),
])
def test_broken_nim(transcript, change, hint, tmp_path):
    command = patched(tmp_path, change, console='nim_console.py')
    lines = message_of(command, tmp_path, Transcript(FOLDER / 'nim' / f'{transcript}.txt'))
    assert lines[0].startswith(f'transcripts/nim/{transcript}.txt:')
    assert lines[-1] == f'  hint: {hint}'


def test_prompts_where_they_are_due(tmp_path):
    """The console that prints none where a transcript has them."""
    change = ("if self._prompts:", "if False:")
    command = patched(tmp_path, change, console='nim_console.py')
    lines = message_of(command, tmp_path, PROMPTED, SHORT_OF_IT)
    assert lines[0].startswith('transcripts/nim/piles_worked_example.txt:4: nothing came for 0.3 s')


def test_output_that_is_no_utf8(tmp_path):
    source = 'import os\nos.write(1, b"FU\\xffLL\\n")\n'
    assert '  printed  |FU\\xffLL' in message_of(script(tmp_path, source), tmp_path)


def test_slow_but_right_program_passes(tmp_path):
    """It prints a character at a time, and thinks before each line."""
    change = ("        sys.stdout.flush()\n        while",
              "        __import__('time').sleep(0.005)\n        sys.stdout.flush()\n        while")
    slow = ("import sys\n", "import sys\nimport builtins\n"
            "def print(*texts, sep=' ', end='\\n', file=None):\n"
            "    for c in sep.join(map(str, texts)) + end:\n"
            "        builtins.print(c, end='', flush=True, file=file)\n")
    assert replay(INVALID_MOVES, patched(tmp_path, change, slow), tmp_path, SECONDS) == ''


def test_transcript_without_output(tmp_path):
    path = tmp_path / 'scenario.txt'
    path.write_text('4\n4\nB\n>\n')
    assert 'no output is recorded' in replay(Transcript(path), ['true'], tmp_path, SECONDS)
