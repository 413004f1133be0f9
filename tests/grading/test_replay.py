"""Wrong programs: each fails its session, and is told the right reason."""

import pytest
from graders import Forked, graded
from independent import write_files
from running import SECONDS, short_patience
from tables import each

from grading.diagnosis.example import LOOPS
from grading.installation import ROOT, TRANSCRIPTS_FOLDER
from grading.limits import Limits
from grading.sessions.transcript import Transcript

INVALID_MOVES = Transcript.read(TRANSCRIPTS_FOLDER / 'othello' / 'invalid_moves.txt')
SHORT = Transcript.read(TRANSCRIPTS_FOLDER / 'othello' / 'over_at_start_full_board.txt')
PRINT_INVALID = "print('INVALID', flush=explains)"
PROMPTED = Transcript.read(TRANSCRIPTS_FOLDER / 'nim' / 'piles/worked_example.txt')


@pytest.fixture
def told(tmp_path):
    """Return what the author of a program is told of one session, as lines; none if it is right.

    The program is a source, or changes to a console.
    """
    def told(program, transcript=INVALID_MOVES, console='othello_console.py', sandbox=Forked,
             timeout=SECONDS, **settings):
        files = {'program.py': program}
        if not isinstance(program, str):
            files = {name: (ROOT / name).read_text(encoding='utf-8')
                     for name in (console, console.replace('console', 'logic'))}
            for old, new in program:
                assert old in files[console]
                files[console] = files[console].replace(old, new)
        test, = graded(write_files(tmp_path, files), transcripts=[transcript], game=console[:-11],
                       sandbox=sandbox, timeout=timeout,
                       limits=Limits(alone=0),
                       **{'command': f'python3 {next(iter(files))}', **settings})['tests']
        return test['output'].splitlines()
    return told


def hints(lines):
    """Return the hints among the lines of a message."""
    return [line[8:] for line in lines if line.startswith('  hint: ')]


END = "    os._exit(main())"
FIRST = 'transcripts/othello/invalid_moves.txt:4'
CONSOLES = {
    'INVALID for VALID': (
        [("print('VALID', ", "print('INVALID', ")],
        'transcripts/othello/invalid_moves.txt:58: not the expected output',
        'this move is legal here: B at row 2, column 1 flips the disc at row 2, column 2'),
    'VALID for INVALID': (
        [(PRINT_INVALID, "print('VALID')")],
        'transcripts/othello/invalid_moves.txt:20: not the expected output',
        'this move is not legal here: there is no row 0'),
    'trailing blank': (
        [(PRINT_INVALID, "print('INVALID ')")],
        'transcripts/othello/invalid_moves.txt:20: not the expected output',
        '1 blank too many at the end of the line'),
    'one blank between the counts': (
        [('}  W: {', '} W: {')],
        'transcripts/othello/invalid_moves.txt:13: not the expected output',
        'only the blanks differ'),
    'board after INVALID': (
        [(PRINT_INVALID, "print('INVALID', describe(game), sep='\\n')")],
        'transcripts/othello/invalid_moves.txt:21: not the expected output',
        'print nothing after INVALID: the next line of input is the next move'),
    'prompt': (
        [("        sys.stdout.flush()\n        try", "        print('> ', end='', flush=True)\n"
          "        try")],
        'transcripts/othello/invalid_moves.txt:5: not the expected output',
        'the program prints a prompt, "> "; no prompt is expected here'),
    'no flush': (
        [("        sys.stdout.flush()\n        try", "        try")],
        'transcripts/othello/invalid_moves.txt:4: the program printed nothing for {} s',
        'the program printed this only after more input: flush before each read (in Python: '
        'print(..., flush=True)), and read no line too early'),
    'line after WINNER': (
        [(END, "    status = main()\n    print('Bye', flush=True)\n    os._exit(status)")],
        'transcripts/othello/invalid_moves.txt:156: not the expected output',
        'output after the end: nothing may follow the last line'),
    'reads on after WINNER': (
        [(END, "    status = main()\n    sys.stdin.readline()\n    os._exit(status)")],
        'transcripts/othello/invalid_moves.txt:156: the program was still running {} s after its '
        'last line',
        'the program waits for more input after the end; it ended when its input was closed'),
    'runs on after WINNER': (
        [(END, "    main()\n    import time\n    time.sleep(600)")],
        'transcripts/othello/invalid_moves.txt:156: the program was still running {} s after its '
        'last line',
        ''),
    'exit 1': (
        [(END, "    os._exit(main() or 1)")],
        'transcripts/othello/invalid_moves.txt:156: the program ended with exit status 1 '
        'instead of 0',
        'end the program with exit status 0 after the last line'),
    'traceback at the end': (
        [(END, "    main()\n    raise KeyError('oops')")],
        'transcripts/othello/invalid_moves.txt:156: the program ended with exit status 1 '
        'instead of 0',
        ''),
    'traceback in the middle': (
        [(PRINT_INVALID, "print([][1])")],
        'transcripts/othello/invalid_moves.txt:20: the program ended too early, with '
        'exit status 1',
        'there is nothing at this index: the last index is the length minus 1'),
    'CRLF': (
        [("newline='\\n'", "newline='\\r\\n'")],
        'transcripts/othello/invalid_moves.txt:4: not the expected output',
        r'the program ends lines with \r\n; the assignment has \n alone'),
    'message on standard error': (
        [(PRINT_INVALID, "print('INVALID', file=sys.stderr)\n            print('?')")],
        'transcripts/othello/invalid_moves.txt:20: not the expected output',
        'this line was printed on standard error, not on standard output'),
    'empty line too many': (
        [(PRINT_INVALID, "print('INVALID\\n')")],
        'transcripts/othello/invalid_moves.txt:21: not the expected output',
        'an empty line too many'),
    'small letters': (
        [(PRINT_INVALID, "print('Invalid')")],
        'transcripts/othello/invalid_moves.txt:20: not the expected output',
        'only uppercase and lowercase letters differ'),
    'missing line': (
        [("{game}\\n{last}", "{last}")],
        'transcripts/othello/invalid_moves.txt:14: not the expected output',
        '4 lines missing here'),
    'newline missing': (
        [(PRINT_INVALID, "print('INVALID', end='')")],
        'transcripts/othello/invalid_moves.txt:20: the program printed nothing more for {} s',
        'the newline is missing at the end of the line'),
    'newline missing at the end': (
        [("print('VALID', describe(game), sep='\\n')",
          "print('VALID', describe(game), sep='\\n', end='\\n' * (not game.is_over()))")],
        'transcripts/othello/invalid_moves.txt:156: not the expected output',
        'the newline is missing at the end of the line'),
    'wrong turn': (
        [("TURN: {game.turn}", "TURN: B")],
        'transcripts/othello/invalid_moves.txt:64: not the expected output',
        'W can move to row 1, column 1'),
    'ends early': (
        [(PRINT_INVALID, "sys.exit(0)")],
        'transcripts/othello/invalid_moves.txt:20: the program ended too early, with '
        'exit status 0',
        ''),
}


@pytest.mark.parametrize('name', CONSOLES)
def test_broken_console(name, told):
    changes, first_line, hint = CONSOLES[name]
    seconds = short_patience() if '{} s' in first_line else SECONDS
    lines = told(changes, timeout=seconds)
    assert lines[0] == first_line.format(f'{seconds:g}')
    assert hints(lines) == ([hint] if hint else [])


@each('change, lines', [        # what cannot be seen is made visible, and a caret points to it
    (('}  W: {', '} W: {'), ['  typed    |. . . .    (line 12)', '  expected |B: 2  W: 2',
                             '  printed  |B: 2 W: 2', '                 ^']),
    ((PRINT_INVALID, "print('INVALID  ')"), [
        '  expected |INVALID', '  printed  |INVALID\xb7\xb7', '                   ^']),
    (("newline='\\n'", "newline='\\r\\n'"), [
        '  expected |FULL', '  printed  |FULL\\r', '                ^'])])
def test_two_lines_aligned_with_a_caret(change, lines, told):
    assert '\n'.join(lines) in '\n'.join(told([change]))


def test_hang(told):
    assert told('import time\ntime.sleep(600)\n', timeout=0.3) == [
        f'{FIRST}: the program printed nothing for 0.3 s', '  expected |FULL',
        '  printed  |    (nothing)', '            ^', f'  hint: {LOOPS}']


def test_trickle(told):
    """Output that is wrong, and goes on slowly for ever."""
    source = "import time\nwhile True: print('FULL?', end='', flush=True); time.sleep(0.02)"
    assert told(source)[0] == f'{FIRST}: not the expected output'


@each('source', ["while True: print('FULL', flush=True)", "while True: print('x' * 1000, end='')",
                 "while True: print('FULL' * 100000)"])
def test_flood(source, told):
    lines = told(source)
    assert lines[0].startswith('transcripts/othello/invalid_moves.txt:')
    assert 'bytes or more; ' in lines[-1]
    assert len(lines) < 8
    assert max(map(len, lines)) < 200


@each('source, hint', [
    ('text = sys.stdin.read(); print("FULL")', 'more input: flush'),
    ('input(); print("FULL"); input()',
     'it had read 1 more line of input: print it before you read the next line'),
    ('for _ in range(7): input()\nprint("FULL"); input()',
     'it had read 7 more lines of input: print it before you read the next line'),
    # A full buffer is printed, whatever the program reads.
    ('print("FULL")\nfor line in sys.stdin: print("x" * 2000)', 'more input: flush'),
])
def test_no_flush_is_told_from_a_hang_only_by_what_comes_after_more_input(
        source, hint, told, monkeypatch):
    monkeypatch.setattr('grading.sessions.play.GRACE_SECONDS', SECONDS)     # it may be held up
    lines = told(f'import sys\n{source}\n', timeout=short_patience())
    said, = hints(lines)
    assert said.startswith(f'the program printed this only after {hint}')


def test_killed_by_a_signal(told):
    lines = told([(END, "    main()\n    os.kill(os.getpid(), 9)")], SHORT)
    assert lines[0].endswith(': the program ended with signal 9 (SIGKILL) instead of 0')


def test_stubborn_program_is_killed_with_all_it_started(told):
    assert 'printed nothing' in told(
        'import signal, subprocess, sys\n'
        'signal.signal(signal.SIGTERM, signal.SIG_IGN)\n'
        'signal.signal(signal.SIGHUP, signal.SIG_IGN)\n'
        'subprocess.run([sys.executable, "-c", "import time; time.sleep(600)"])\n',
        timeout=0.3)[0]


@each('command, status, reason', [
    ('no_such_program', 127, 'not found'), ('/', 126, 'ermission denied')])
def test_program_that_cannot_be_run(command, status, reason, told):
    lines = told('', command=command, sandbox=None)
    assert lines[0] == f'{FIRST}: the program ended too early, with exit status {status}'
    assert lines[-1].startswith('  stderr   |')
    assert reason in lines[-1]


@each('transcript, change, hint', [
    ('recorded/invalid_last_move', ("print('Invalid Game.'", "print('Starting State:'"),
     'this recorded game is invalid: line 5 of the input: pile 1 has only 3'),
    ('recorded/player_1_loses', ("print('Starting State:", "print('Invalid Game."),
     'this recorded game is valid'),
    ('piles/worked_example', ('I remove {count}', 'I remove 1'),
     ''),
    ('recorded/worked_example', ("'  '.join(sizes), sep", "'  '.join(sizes) + ' ', sep"),
     '1 blank too many at the end of the line'),
])
def test_broken_nim(transcript, change, hint, told):
    path = TRANSCRIPTS_FOLDER / 'nim' / f'{transcript}.txt'
    lines = told([change], Transcript.read(path), 'nim_console.py')
    assert lines[0].startswith(f'transcripts/nim/{transcript}.txt:')
    assert hints(lines) == ([hint] if hint else [])


def test_prompts_where_they_are_due(told):
    """The console that prints none where a transcript has them."""
    seconds = short_patience()
    lines = told([("if self._prompts:", "if False:")], PROMPTED, 'nim_console.py', timeout=seconds)
    assert lines[0].startswith(
        'transcripts/nim/piles/worked_example.txt:4: the program printed nothing more for '
        f'{seconds:g} s')


def test_output_that_is_no_utf8(told):
    assert '  printed  |FU\\xffLL' in told('import os\nos.write(1, b"FU\\xffLL\\n")\n')


def test_slow_but_right_program_passes(told):
    """It prints a character at a time, and thinks before each line."""
    thinks = ("        sys.stdout.flush()\n        try",
              "        __import__('time').sleep(0.005)\n        sys.stdout.flush()\n        try")
    slow = ("import sys\n", "import sys\nimport builtins\n"
            "def print(*texts, sep=' ', end='\\n', file=None, flush=False):\n"
            "    for c in sep.join(map(str, texts)) + end:\n"
            "        builtins.print(c, end='', flush=True, file=file)\n")
    assert told([thinks, slow]) == []


WIN = "'You win ... this time'"
USER_WINS = Transcript('single_pile.txt', (
    TRANSCRIPTS_FOLDER / 'nim' / 'piles' / 'single_pile.txt').read_text(encoding='utf-8').replace(
        '|You win', '# free\n|You win'))


@each('words, first', [
    ('"Well played"', ''), ('""', ''), ("'x' * 4000", ''), ('"Grüße"', ''),
    ("'You win\\nthis time'", '12: not the expected output'),
    ("'You win'[:0] + chr(10)", '12: not the expected output'),
    ("'x' * 5000", '12: not the expected output')])
def test_any_one_line_will_do_where_the_words_are_free(words, first, told):
    lines = told([(WIN, words)], USER_WINS, 'nim_console.py')
    assert [line.split(' (')[0] for line in lines[:1]] == (
        [f'{USER_WINS.name}:{first}'] if first else [])


def test_what_stands_around_a_free_line_is_compared(told):
    transcript = Transcript('a', '|One.\n# free\n|Two.\n|Three.\n')
    assert told('print("One.\\nZwei.\\nThree.")', transcript) == []
    assert told('print("One.\\nZwei.\\nThree!")', transcript)[:3] == [
        'a:4: not the expected output', '  expected |Three.', '  printed  |Three!']
    assert told('print("One.\\nThree.")', transcript)[0].startswith(
        'a:4: the program ended too early')
