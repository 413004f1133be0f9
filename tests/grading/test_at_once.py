"""Sessions with all their input at once: when asked for, or once nothing is flushed."""

import pytest
import wrong_othello
from assigned import transcripts_for
from graders import FAST, run_grader_here
from independent import write_files
from running import PYTHON, short_patience

from grading.installation import ROOT

SESSIONS = {
    'one.txt': '|First?\n3\n|Second?\n4\n|Sum:\n|7\n',
    'two.txt': '|First?\n30\n|Second?\n40\n# free\n|Sum:\n|70\n',
    'three.txt': '|First?\n1\n|Second?\n1\n|Sum:\n|2\n'}
LATE = '''import sys
print('First?')
first = int(sys.stdin.readline())
print('Second?')
print('Sum:', first + int(sys.stdin.readline()), sep='\\n')
'''


@pytest.fixture
def grade(tmp_path):
    def grade(source, *words, sessions=SESSIONS):
        course = write_files(tmp_path / 'sums', sessions)
        folder = write_files(tmp_path / 'handed_in', {'sums.py': source})
        return run_grader_here('grade', course, folder, '--command', f'{PYTHON} sums.py',
                               *FAST, '--timeout', short_patience(), *words)
    return grade


def test_a_program_that_does_not_flush_passes_at_once_alone(grade, tmp_path):
    status, output, _ = grade(LATE, '--at-once', '--out', tmp_path / 'results')
    assert status == 0, output
    assert output.splitlines()[-1] == 'handed_in: sums, 3 of 3 points (with all its input at once)'
    page = (tmp_path / 'results' / 'handed_in' / 'report.html').read_text(encoding='utf-8')
    assert '<dt>Played</dt><dd>with all its input at once</dd>' in page
    status, output, _ = grade(LATE, '--out', tmp_path / 'other')
    assert status == 1
    assert output.splitlines()[-1] == 'handed_in: sums, 0 of 3 points'
    page = (tmp_path / 'other' / 'handed_in' / 'report.html').read_text(encoding='utf-8')
    assert '<dt>Played</dt><dd>line by line</dd>' in page


@pytest.mark.parametrize(('change', 'message'), [
    (("'Second?'", "'Then?'"), 'one.txt:3: not the expected output (with all its input at '
     'once)\n  typed    |3    (line 2)\n  expected |Second?\n  printed  |Then?\n'),
    (("sep='\\n'", "'!', sep='\\n'"), 'one.txt:6: not the expected output'),
    (("'Sum:', ", ''), 'one.txt:5: not the expected output'),
    (("print('Sum:'", "sys.exit(); print('Sum:'"), 'one.txt:5: the program ended too early'),
    (("'Sum:', first", "'Sum:', 'x', first"), 'one.txt:6: not the expected output'),
    (('import sys\n', 'import sys, atexit, os\natexit.register(lambda: os._exit(3))\n'
      'print = __import__("functools").partial(print, flush=True)\n'),
     'one.txt:6: the program ended with exit status 3 instead of 0'),
    (('import sys\n', 'import sys, time, atexit\natexit.register(time.sleep, 60)\n'
      'print = __import__("functools").partial(print, flush=True)\n'),
     'one.txt:6: the program was still running'),
    (('import sys\n', 'import sys, time\ntime.sleep(60)\n'),
     'one.txt:1: the program printed nothing for'),
], ids=['differs', 'more', 'missing', 'ended', 'extra', 'status', 'runs on', 'silent'])
def test_the_first_difference_is_shown(change, message, grade):
    source = LATE.replace(*change)
    assert source != LATE
    status, output, _ = grade(source, '--at-once', sessions={'one.txt': SESSIONS['one.txt']})
    assert status == 1
    assert ' '.join(message.split()) in ' '.join(output.split())


def test_once_it_is_certain_that_nothing_is_flushed_all_is_played_at_once(tmp_path):
    """So the report has the other faults, too; but nobody gets points for what comes late."""
    source = (ROOT / 'tests' / 'grading' / 'samples' / 'othello.py').read_text(encoding='utf-8')
    for old, new in [*wrong_othello.WRONG['no-flush'], *wrong_othello.WRONG['wins-ignored']]:
        assert old in source
        source = source.replace(old, new)
    folder = write_files(tmp_path / 'late', {'othello.py': source})
    status, output, _ = run_grader_here(
        'grade', 'othello', folder, '--command', f'{PYTHON} othello.py',
        *FAST, '--timeout', short_patience(), '--fresh', '3', '--seed', '1')
    assert status == 1
    assert output.splitlines()[-1].startswith('late: othello, 0 of '), output
    assert '1. The program does not flush: ' in output
    assert '2. The program ignores <: ' in output
    assert ('not run line by line: the program prints its answers only after more input. With all '
            'its input at once, it prints the expected output.') in ' '.join(output.split())
    assert f'\nnot run {len(transcripts_for("othello")) - 3} sessions\n' in output
    assert 'hung' not in output
