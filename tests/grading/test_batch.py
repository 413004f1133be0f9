"""A class: graded at once, again only where something is missing or changed, whatever ends it."""

import json
import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from graders import BLANKS, FAST, FULL, RIGHT, run_grader, submission
from independent import zipped
from running import SECONDS, finished, wait_for

ENDS = RIGHT.replace('show(piles)\nwhile', """\
if len(piles) == 3:
    raise SystemExit
show(piles)
while""")
KILLS = 'import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n'


def test_zips_of_four_kinds(grader, tmp_path):
    """By one command; again nothing is done that has been done."""
    kinds = [('right', RIGHT, 2), ('blanks', BLANKS, 2), ('ends', ENDS, 1)]
    zips = [zipped(tmp_path / f'{kind}-{number}.zip', {f'{kind}/piles.py': source})
            for kind, source, count in kinds for number in range(count)]
    zips.append(tmp_path / 'broken.zip')
    zips[-1].write_bytes(zips[0].read_bytes()[:-40])
    status, lines, errors = grader.grade_here(*zips)
    assert status == 1, errors
    assert sorted(line.split()[0] for line in lines) == [f'[{number}/6]' for number in range(1, 7)]
    assert sum(f': {FULL} of {FULL} points' in line for line in lines) == 2
    grades = grader.grades()
    for name, column, value in (
            ('right-0', 'score', str(FULL)), ('right-1', 'score', str(FULL)),
            ('blanks-0', 'faults', 'trailing-blanks'), ('blanks-1', 'faults', 'trailing-blanks'),
            ('ends-0', 'failed', '1'), ('broken', 'score', '0')):
        assert grades[name][column] == value, name
    assert 'not a zip file' in grades['broken']['note']
    points = 2 * (FULL - float(grades['blanks-0']['score']))
    assert '<span class="share">2 programs<' in grader.index()
    assert f'<code>trailing-blanks</code> {points:g} points back</span>' in grader.index()
    assert 'Full marks</dt><dd>2<' in grader.index()

    times, overview = grader.times(), (grader.out / 'grades.csv').read_text()
    assert len(times) == 2 * len(zips)
    again, same_lines, _ = grader.grade_here(*zips)
    assert (again, grader.times(), (grader.out / 'grades.csv').read_text()) == (
        status, times, overview)
    assert sorted(line.split()[1:] for line in same_lines) == sorted(
        line.split()[1:] for line in lines)


def test_a_terminal_may_lack_letters(small_project, tmp_path):
    """No grade is missing because a name cannot be printed."""
    sources = [submission(tmp_path, name, RIGHT) for name in ('Zo\xeb', '\u4e2d')]
    for count, names in ((2, {r'Zo\xeb', r'\u4e2d'}), (1, {r'Zo\xeb'})):
        status, output, errors = run_grader(
            'grade', 'piles', '--prompts', *FAST, *sources[:count], project=small_project,
            PYTHONIOENCODING='ascii')
        assert (status, 'Error' in errors) == (0, False)
        assert names <= {re.sub(r'\[.*\] ', '', line).partition(':')[0]
                         for line in output.splitlines()}


def test_a_process_that_is_killed_costs_only_itself(grader, tmp_path):
    """The grade is missing: it is not 0, and it is given the next time."""
    kills = submission(tmp_path, 'kills', KILLS)
    sources = [submission(tmp_path, 'right', RIGHT), kills]
    status, lines, _ = grader.grade(*sources)
    assert status == 3
    assert {name: (row['score'], 'killed' in row['note'])
            for name, row in grader.grades().items()} == {
        'right': (str(FULL), False), 'kills': ('', True)}
    assert any('kills: not graded: ' in line for line in lines)
    assert 'Not graded</dt><dd>1<' in grader.index()
    (kills / 'piles.py').write_text(RIGHT)
    assert grader.grade_here(*sources)[0] == 0


def test_the_grader_failing_on_one_costs_only_its_grade(grader, tmp_path):
    sources = [submission(tmp_path, name, RIGHT) for name in ('one', 'two')]
    (grader.out / 'one').mkdir(parents=True)
    (grader.out / 'one' / 'results.json').mkdir()
    assert grader.grade_here(*sources)[0] == 3
    assert [(row['score'], 'IsADirectoryError' in row['note'])
            for row in grader.grades().values()] == [('', True), (str(FULL), False)]


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_ended_in_the_middle_and_started_again(number, grader, tmp_path):
    """What has been done is not done again; nothing is left running, or lying about."""
    gate = tmp_path / f'gate-{os.getpid()}-{int(number)}'
    waits = f'import os, time\nwhile not os.path.exists({str(gate)!r}):\n    time.sleep(0.05)\n'
    done = submission(tmp_path, 'done', RIGHT)
    waiting = [submission(tmp_path, f'waits-{number}', waits + RIGHT) for number in range(2)]
    words = [done, *waiting, '--timeout', '50']
    with grader.start(*words) as process:
        process.stdout.readline()
        wait_for(lambda: list(grader.out.glob('waits-*/results.json')))
        process.send_signal(number)
        _, errors = process.communicate(timeout=SECONDS)
    assert b'Traceback' not in errors, errors.decode()
    wait_for(lambda: not processes_with(grader.temporary))
    if number == signal.SIGKILL:
        assert process.returncode == -number
    else:
        assert process.returncode == 128 + number
        assert list(grader.temporary.iterdir()) == []
        assert [row['score'] for row in grader.grades().values()] == [str(FULL), '', '']
        assert all(json.loads(path.read_text())['output'].startswith('ended by SIGTERM')
                   for path in grader.out.glob('waits-*/results.json'))
    if number == signal.SIGTERM:
        return                          # what comes next is as after SIGINT
    times = grader.times()
    gate.touch()
    assert grader.grade(*words)[0] == 0
    assert {path.parts[0] for path, when in grader.times().items() if times.get(path) != when} == {
        source.name for source in waiting}
    assert {row['score'] for row in grader.grades().values()} == {str(FULL)}


ON_ONE_PROCESSOR = '''
import sys
from grading import main
from grading import workers
workers.processors, workers.LONG = lambda: 1, 0.0
sys.exit(main())
'''


def test_one_that_takes_long_holds_up_no_other(small_project, tmp_path):
    """Though there is but one processor, the second is graded; the first waits for that."""
    gate = str(tmp_path / 'gate')
    waits = f'import os, time\nwhile not os.path.exists({gate!r}):\n    time.sleep(0.05)\n'
    sources = [submission(tmp_path, 'waits', waits + RIGHT),
               submission(tmp_path, 'opens', f'open({gate!r}, "w").close()\n{RIGHT}')]
    status, output, _ = finished(
        [sys.executable, '-c', ON_ONE_PROCESSOR, 'grade', 'piles', '--prompts', *FAST,
         '--timeout', SECONDS, *sources], cwd=small_project)
    assert status == 0, output


def processes_with(folder):
    """Return the processes that have a folder in their environment."""
    found = []
    for process in Path('/proc').glob('[0-9]*/environ'):
        with suppress(OSError):         # it has ended meanwhile, or is another user's
            found += [process] * (str(folder).encode() in process.read_bytes())
    return found


def test_a_page_is_as_new_as_its_results(grader, tmp_path):
    sources = [submission(tmp_path, name, '') for name in ('one', 'two')]
    assert grader.grade_here(*sources)[0] == 1
    (grader.out / 'one' / 'report.html').unlink()
    os.utime(grader.out / 'two' / 'report.html', (0, 0))
    times = grader.times()
    assert grader.grade_here(*sources)[0] == 1
    assert {path.name for path, when in grader.times().items() if times.get(path) != when} == {
        'report.html'}


def test_lateness_alone_is_a_change(grader, tmp_path):
    for name, late in (('ann_1_11_piles.py', 'no'), ('ann_LATE_1_11_piles.py', 'yes')):
        assert grader.grade_here(
            zipped(tmp_path / 'all.zip', {name: ''}), '--export', 'canvas')[0] == 1
        assert grader.grades()['ann_1']['late'] == late
