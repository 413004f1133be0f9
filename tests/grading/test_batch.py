"""Grading a class with one command: results, grading again, links, and signals at any moment."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tokenize
from contextlib import suppress
from pathlib import Path
from random import Random

import internals
import pytest
from graders import (
    FAST,
    FULL,
    RIGHT,
    TRAILING_SPACES,
    command_of_grader,
    run_grader_here,
    submission,
)
from programs import changed, our_pair, write_files, zipped
from running import SECONDS, child_environment, finished, wait_for

from grading import assignment_named
from grading.engine.grade import sandbox_probed
from grading.installation import ROOT
from grading.reports.gradescope import for_gradescope
from grading.reports.results_json import read_results
from grading.settings import Options
from grading.signals import ENDING_SIGNALS
from grading.submissions.digests import digest_of_program, tokens_of

ENDS = RIGHT.replace(
    'show(piles)\nwhile',
    """\
if len(piles) == 3:
    raise SystemExit
show(piles)
while""",
)
KILLS = 'import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n'


def test_a_class_is_graded_once(grader, tmp_path):
    """One command grades a class of zips; the second time, it grades nothing again."""
    kinds = [('right', RIGHT, 2), ('spaces', TRAILING_SPACES, 2), ('ends', ENDS, 1)]
    zips = [
        zipped(tmp_path / f'{kind}-{number}.zip', {f'{kind}/piles.py': source})
        for kind, source, count in kinds
        for number in range(count)
    ]
    zips.append(tmp_path / 'broken.zip')
    zips[-1].write_bytes(zips[0].read_bytes()[:-40])
    status, lines, errors = grader.grade_here(*zips)
    assert status == 1, errors
    assert sorted(line.split()[0] for line in lines) == [f'[{number}/6]' for number in range(1, 7)]
    assert sum(f': {FULL} of {FULL} points' in line for line in lines) == 2
    grades = grader.grades()
    for name, column, value in (
        ('right-0', 'score', str(FULL)),
        ('right-1', 'score', str(FULL)),
        ('spaces-0', 'faults', 'trailing-spaces'),
        ('spaces-1', 'faults', 'trailing-spaces'),
        ('ends-0', 'failed', '1'),
        ('broken', 'score', '0'),
    ):
        assert grades[name][column] == value, name
    assert 'not a zip file' in grades['broken']['note']
    points = 2 * (FULL - float(grades['spaces-0']['score']))
    assert '<span class="share">2 programs<' in grader.index()
    assert f'<code>trailing-spaces</code> {points:g} points</span>' in grader.index()
    assert 'Full marks</dt><dd>2<' in grader.index()

    times, overview = grader.times(), (grader.out / 'grades.csv').read_text()
    assert len(times) == 2 * len(zips)
    again, same_lines, _ = grader.grade_here(*zips)
    assert (again, grader.times(), (grader.out / 'grades.csv').read_text()) == (
        status,
        times,
        overview,
    )
    assert sorted(line.split()[1:] for line in same_lines) == sorted(
        line.split()[1:] for line in lines
    )


def test_a_name_that_the_terminal_cannot_print_is_graded(tmp_path):
    """A submission is graded even if the terminal cannot print its name."""
    sources = [submission(tmp_path, name, RIGHT) for name in ('Zo\xeb', '\u4e2d')]
    for count, names in ((2, {r'Zo\xeb', r'\u4e2d'}), (1, {r'Zo\xeb'})):
        status, output, errors = run_grader_here(
            'grade', 'piles', '--prompts', *FAST, *sources[:count], few=True, encoding='ascii'
        )
        assert (status, 'Error' in errors) == (0, False)
        assert names <= {
            re.sub(r'\[.*\] ', '', line).partition(':')[0] for line in output.splitlines()
        }


@pytest.mark.long
def test_a_killed_process_costs_only_its_own_submission(grader, tmp_path):
    """If its grading is killed, a submission gets no grade, not 0, and is graded the next time."""
    kills = submission(tmp_path, 'kills', KILLS)
    sources = [submission(tmp_path, 'right', RIGHT), kills]
    status, lines, _ = grader.grade(*sources)
    assert status == 3
    assert {
        name: (row['score'], 'killed' in row['note']) for name, row in grader.grades().items()
    } == {'right': (str(FULL), False), 'kills': ('', True)}
    assert any('kills: not graded: ' in line for line in lines)
    assert 'Not graded</dt><dd>1<' in grader.index()
    (kills / 'piles.py').write_text(RIGHT)
    assert grader.grade_here(*sources)[0] == 0


def test_a_failure_of_the_grader_costs_only_one_grade(grader, tmp_path):
    sources = [submission(tmp_path, name, RIGHT) for name in ('one', 'two')]
    (grader.out / 'one').mkdir(parents=True)
    (grader.out / 'one' / 'results.json').mkdir()
    assert grader.grade_here(*sources)[0] == 3
    assert [
        (row['score'], 'IsADirectoryError' in row['note']) for row in grader.grades().values()
    ] == [('', True), (str(FULL), False)]


@pytest.mark.long
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_grader_that_was_ended_continues_when_started_again(number, grader, tmp_path):
    """A restarted grader grades only the unfinished submission.

    Whatever signal ended the grader, no process keeps running. If the grader could catch the
    signal, no temporary file remains.
    """
    gate = tmp_path / f'gate-{os.getpid()}-{int(number)}'
    waits = f'import os, time\nwhile not os.path.exists({str(gate)!r}):\n    time.sleep(0.05)\n'
    done = submission(tmp_path, 'done', RIGHT)
    words = [done, submission(tmp_path, 'waits', waits + RIGHT), '--timeout', '50']
    with grader.start(*words) as process:
        process.stdout.readline()
        wait_for(lambda: (grader.out / 'waits' / 'results.json').exists())
        process.send_signal(number)
        _, errors = process.communicate(timeout=SECONDS)
    assert b'Traceback' not in errors, errors.decode()
    wait_for(lambda: not processes_with(grader.temporary))
    if number == signal.SIGKILL:
        assert process.returncode == -number
    else:
        assert process.returncode == 128 + number
        assert list(grader.temporary.iterdir()) == []
        assert [row['score'] for row in grader.grades().values()] == [str(FULL), '']
        results = json.loads((grader.out / 'waits' / 'results.json').read_text())
        assert results['output'].startswith('ended early: the grader received SIGTERM')
    if number == signal.SIGTERM:
        return  # the rest is the same as for SIGINT
    times = grader.times()
    gate.touch()
    assert grader.grade(*words)[0] == 0
    assert {path.parts[0] for path, when in grader.times().items() if times.get(path) != when} == {
        'waits'
    }
    assert {row['score'] for row in grader.grades().values()} == {str(FULL)}


ON_ONE_PROCESSOR = """
import sys
from grading import main
from grading.workers import class_processes
class_processes.processors = lambda: 1
sys.exit(main())
"""


@pytest.mark.long
def test_a_slow_submission_does_not_delay_the_next(small_project, tmp_path):
    """A silent submission does not delay the next, even on one processor.

    The first program waits for a file made by the second.
    """
    gate = str(tmp_path / 'gate')
    waits = f'import os, time\nwhile not os.path.exists({gate!r}):\n    time.sleep(0.05)\n'
    sources = [
        submission(tmp_path, 'waits', waits + RIGHT),
        submission(tmp_path, 'opens', f'open({gate!r}, "w").close()\n{RIGHT}'),
    ]
    status, output, _ = finished(
        [
            sys.executable,
            '-c',
            ON_ONE_PROCESSOR,
            'grade',
            'piles',
            '--prompts',
            *FAST,
            '--timeout',
            SECONDS,
            *sources,
        ],
        cwd=small_project,
    )
    assert status == 0, output


def processes_with(folder):
    """Return the processes whose environment contains the path of a folder."""
    found = []
    for process in Path('/proc').glob('[0-9]*/environ'):
        with suppress(OSError):  # the process has ended, or belongs to another user
            if str(folder).encode() in process.read_bytes():
                found.append(process)
    return found


def test_missing_and_old_pages_are_written_again(grader, tmp_path):
    sources = [submission(tmp_path, name, '') for name in ('one', 'two')]
    assert grader.grade_here(*sources)[0] == 1
    (grader.out / 'one' / 'report.html').unlink()
    os.utime(grader.out / 'two' / 'report.html', (0, 0))
    times = grader.times()
    assert grader.grade_here(*sources)[0] == 1
    assert {path.name for path, when in grader.times().items() if times.get(path) != when} == {
        'report.html'
    }


def test_a_change_of_lateness_is_recorded(grader, tmp_path):
    for name, late in (('ann_1_11_piles.py', 'no'), ('ann_LATE_1_11_piles.py', 'yes')):
        assert (
            grader.grade_here(zipped(tmp_path / 'all.zip', {name: ''}), '--export', 'canvas')[0]
            == 1
        )
        assert grader.grades()['ann_1']['late'] == late


# Several submissions of the same program.

SOURCE = '''import sys


def total(numbers, start=0):
    """Add."""
    result = start
    for number in numbers:
        result = result + number    # one more
        if result > 10:
            print('many', result)
    return result


print(total([int(word) for word in sys.stdin.read().split()]))
'''
SAME = [  # the digest of SOURCE is the same after these changes
    ('total', 'sum_of'),
    ('number ', 'n '),
    ('result', 'number_of_all'),
    ('# one more', ''),
    ('    ', '\t'),
    (' = ', '='),
    ('\n\n\n', '\n\n'),
    ('import', '# Mine.\nimport'),
]
OTHER = [  # the digest of SOURCE differs after these changes
    ('+', '-'),
    ('print', 'max'),
    ('10', '11'),
    ("'many'", "'few'"),
    ('.split', '.strip'),
    ('return result', 'return start'),
    ('result > 10', '10 > result'),
    (
        "            print('many', result)\n    return",
        "            print('many', result)\n        return",
    ),
]


def digest(folder, **files):
    return digest_of_program(write_files(folder, files))


@pytest.mark.parametrize('change', [*SAME, *OTHER])
def test_which_changes_make_another_program(tmp_path, change):
    before = digest(tmp_path / 'a', **{'a.py': SOURCE})
    after = digest(tmp_path / 'b', **{'other.py': changed(SOURCE, [change])})
    assert '' not in (before, after)
    assert (before == after) is (change in SAME)


IN_C = 'int main() { return 7; }\n' * 9
TWO = changed(SOURCE, OTHER[:1])


@pytest.mark.parametrize(
    ('files', 'others', 'are_same'),
    [
        # In languages other than Python, only whitespace may differ.
        ({'a.c': IN_C}, {'b.c': IN_C.replace(' ', '\n\t')}, True),
        ({'a.c': IN_C}, {'a.c': IN_C.replace('7', '8')}, False),
        # The files may be in any order.
        ({'a.py': SOURCE, 'b.py': TWO}, {'x/a.py': TWO, 'y.py': SOURCE}, True),
        # If there are source files, other files do not count.
        (
            {'a.py': SOURCE},
            {'a.py': SOURCE, 'README.md': 'Mine.', 'notes': '1\n', 'a.csv': '2'},
            True,
        ),
        ({'a.pascal': IN_C}, {'b.pascal': IN_C}, True),
        ({'a.py': SOURCE}, {'a.py': SOURCE, 'b.py': SOURCE}, False),
    ],
)
def test_which_files_are_the_same_program(files, others, are_same, tmp_path):
    before, after = digest(tmp_path / 'a', **files), digest(tmp_path / 'b', **others)
    assert '' not in (before, after)
    assert (before == after) is are_same


def test_a_short_program_has_no_digest(tmp_path):
    """A short program never counts as the same as another, because many students begin alike."""
    assert digest(tmp_path, **{'a.py': 'print(input())\n' * 9}) == ''
    assert digest(tmp_path / 'none') == ''


HOSTILE = [
    b'\0' * 999,
    b'"""',
    b'(' * 999,
    b'if 1:\n  x\n y\n',
    b'# coding: nope\nx',
    b'# coding: utf-16\nx',
    b'# coding: zip\n',
    b'\xff\xfe' * 99,
    b'\\\n' * 999,
    b'"\\\n' * 99,
    b"f'{" * 99,
    b'1_' * 99,
    b' ' * 999 + b'\t',
]


@pytest.mark.parametrize('source', HOSTILE)
def test_any_bytes_have_tokens(source):
    assert isinstance(tokens_of(source), list)


def test_a_digest_reads_little_and_follows_no_links(tmp_path, monkeypatch):
    """A program's digest reads only the beginning of its files, and follows no links."""
    (tmp_path / 'secret').write_text(SOURCE, encoding='utf-8')
    folder = tmp_path / 'a'
    folder.mkdir()
    (folder / 'link.py').symlink_to(tmp_path / 'secret')
    assert digest_of_program(folder) == ''
    monkeypatch.setattr(internals.MAX_READ, 6000)
    long = b'x = 1\n' * 1000
    begins, whole = (digest(tmp_path / str(n), **{'a.py': long * n}) for n in (2, 1))
    assert whole != ''
    assert begins == whole


def test_a_long_line_is_not_tokenized(monkeypatch):
    """A file with a long line is split into characters, since tokenizing it could take minutes."""
    monkeypatch.setattr(tokenize, 'tokenize', None)
    assert tokens_of(b'x ' * 501) == ['x'] * 501
    with pytest.raises(TypeError):
        tokens_of(b'x ' * 500)


# Signals at any moment.

LONGEST = 3.0  # maximum seconds before the signal


def ended_after(seconds, number, folder, has_out):
    """Start the grader on very many fresh games, and send it a signal after some seconds.

    Return its exit status, its standard error, and the names of the files left in `folder`.
    """
    submission = write_files(folder / 'sub', our_pair('othello'))
    process = subprocess.Popen(
        command_of_grader(
            'grade',
            'othello',
            submission,
            '--fresh',
            '100000',
            '--confine',
            'none',
            *['--out', folder / 'out'] * has_out,
        ),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**child_environment(), 'TMPDIR': str(folder)},
        start_new_session=True,
    )
    try:
        wait_for(lambda: [*folder.glob('grading.*/submission')])
        time.sleep(seconds)
        os.killpg(process.pid, number)  # as a terminal does
        _, errors = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
        process.wait()
    left = [path.name for path in folder.iterdir() if path.name not in ('sub', 'out')]
    return process.returncode, errors.decode(), left


def check(seed, folder, longest=LONGEST):
    """Check that a signal ends the grader cleanly; the seed chooses the signal and the moment."""
    rng = Random(seed)
    number = rng.choice(ENDING_SIGNALS)
    has_out = seed % 2 == 0
    status, errors, left = ended_after(rng.uniform(0, longest), number, folder, has_out)
    assert (status, left) == (128 + number, []), errors
    assert errors.splitlines()[-1] == f'grading: ended by {signal.Signals(number).name}' + (
        '; start it again to continue' if has_out else ''
    )
    assert 'Traceback' not in errors


@pytest.mark.long
@pytest.mark.parametrize('seed', [1, 2])
def test_a_signal_ends_the_grader(seed, tmp_path):
    check(seed, tmp_path, 0.2)


def main(count='60'):
    """Check `count` random moments."""
    for seed in range(int(count)):
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            check(seed, Path(folder))
        print(seed, f'{time.monotonic() - begin:.1f} s', file=sys.stderr)


# The folder named by --out.


def scores(grader):
    return {name: row['score'] for name, row in grader.grades().items()}


def test_grading_two_of_three_again_changes_two_rows(grader, tmp_path):
    sources = {
        name: submission(tmp_path, name, source)
        for name, source in (('ann', ''), ('bob', ''), ('cleo', RIGHT))
    }
    status, _, errors = grader.grade_here(*sources.values())
    assert (status, str(grader.out / 'index.html') in errors) == (1, True)
    (sources['ann'] / 'piles.py').write_text(RIGHT)
    assert grader.grade_here(sources['ann'], sources['bob'])[0] == 1
    assert scores(grader) == {'ann': str(FULL), 'bob': '0', 'cleo': str(FULL)}
    assert all(f'./{name}/report.html' in grader.index() for name in sources)


@pytest.mark.parametrize('target', ['nowhere', 'bob'])
def test_a_broken_link_costs_no_other_submission(target, grader, tmp_path):
    (tmp_path / 'bob').symlink_to(tmp_path / target)
    assert grader.grade_here(submission(tmp_path, 'ann', RIGHT), tmp_path / 'bob')[0] == 1
    assert grader.grades()['ann']['score'] == str(FULL)
    assert grader.grades()['bob']['note'] == IS_LINK


ALSO_HW1 = 'there is another submission called hw1'
IS_LINK = 'the submission is a symbolic link: submit the files themselves'


def test_a_link_gets_no_points(grader, tmp_path):
    """A link to a classmate's submission, or to the teacher's solution, gets no points."""
    ann = submission(tmp_path, 'ann', RIGHT)
    solution = submission(tmp_path / 'private', 'solution', RIGHT)
    solution.parent.chmod(0o700)
    for name, target in (
        ('bob', 'ann'),
        ('cleo', 'private/solution'),
        ('dan.py', ann / 'piles.py'),
    ):
        (tmp_path / name).symlink_to(target)
    assert grader.grade_here(ann, *(tmp_path / name for name in ('bob', 'cleo', 'dan.py')))[0] == 1
    assert [grader.grades()[name]['score'] for name in ('ann', 'bob', 'cleo', 'dan')] == [
        str(FULL),
        '0',
        '0',
        '0',
    ]
    assert {grader.grades()[name]['note'] for name in ('bob', 'cleo', 'dan')} == {IS_LINK}


def test_a_folder_that_is_a_link_gets_no_points(grader, tmp_path):
    ann = submission(tmp_path / 'class' / 'ann', 'hw1', RIGHT)
    (tmp_path / 'class' / 'bob').symlink_to('ann')
    (tmp_path / 'course').symlink_to('class')  # the teacher's own link is followed
    folder = tmp_path / 'course'
    assert grader.grade_here(folder / 'ann' / 'hw1', folder / 'bob' / 'hw1')[0] == 1
    assert sorted((row['score'], row['note']) for row in grader.grades().values()) == [
        ('0', f'{IS_LINK}; {ALSO_HW1}'),
        (str(FULL), f'ran without a sandbox; {ALSO_HW1}'),
    ]
    assert sorted(grader.grades()) == ['ann-hw1', 'bob-hw1']
    assert ann.is_dir()


def test_a_late_submission_does_not_take_the_row_of_another(grader, tmp_path):
    """A zip keeps its row in the table when a folder of the same name is submitted later."""
    submission(tmp_path / 'class', 'ben', RIGHT)
    zipped(tmp_path / 'class' / 'ann.zip', {'piles.py': RIGHT})
    folder = tmp_path / 'class'
    assert grader.grade_here(folder / 'ann.zip', folder / 'ben')[0] == 0
    submission(tmp_path / 'class', 'ann', 'print("wrong")\n')
    assert grader.grade_here(folder / 'ann', folder / 'ann.zip', folder / 'ben')[0] == 1
    note = 'there is another submission called ann'
    assert {name: (row['score'], note in row['note']) for name, row in grader.grades().items()} == {
        'ann': (str(FULL), False),
        'ann.zip': (str(FULL), True),
        'class-ann': ('0', True),
        'ben': (str(FULL), False),
    }


@pytest.mark.skipif(os.geteuid() != 0, reason='only root runs programs as another user')
def test_the_target_of_a_link_is_not_closed(tmp_path):
    target = submission(tmp_path / 'elsewhere', 'files', RIGHT)
    ann = submission(tmp_path / 'class', 'ann', RIGHT)
    (tmp_path / 'class' / 'bob').symlink_to(target)
    modes = []
    with sandbox_probed(
        assignment_named('piles'), Options(confine='user'), [ann, tmp_path / 'class' / 'bob']
    ):
        modes = [path.stat().st_mode & 0o777 for path in (ann.parent, target.parent)]
    assert modes == [0o700, 0o755]


def test_a_command_without_a_submission_is_graded(grader, tmp_path):
    program = submission(tmp_path, 'mine', RIGHT) / 'piles.py'
    command = f'python3 {shlex.quote(str(program))}'
    status, _, errors = grader.grade_here('--command', command, fast=[])
    assert status == 0, errors
    ((name, score),) = scores(grader).items()
    assert score == str(FULL)
    assert (grader.out / name / 'report.html').exists()


def test_results_go_to_a_file_and_to_a_folder(grader, tmp_path):
    """--results and --out both write the results, even if one of the files has been removed.

    The file in the folder decides whether a submission is graded again.
    """
    source, path = submission(tmp_path, 'ann', TRAILING_SPACES), tmp_path / 'results.json'
    own = grader.out / 'ann' / 'results.json'
    grader.grade_here(source, '--results', path)
    assert json.loads(path.read_text()) == for_gradescope(read_results(own))
    times = grader.times()
    for other in (path, own):
        other.unlink()
        grader.grade_here(source, '--results', path)
        assert json.loads(path.read_text()) == for_gradescope(read_results(own))
        if other == path:
            assert grader.times() == times


def test_the_smallest_game_is_removed_when_the_program_is_fixed(grader, tmp_path, monkeypatch):
    monkeypatch.setattr(internals.SHRINKING_RUNS, 0)
    source = submission(tmp_path, 'ann', TRAILING_SPACES)
    words = [source, '--fresh', '2', '--seed', '1']
    grader.grade_here(*words)
    smallest = grader.out / 'ann' / 'smallest.txt'
    assert smallest.exists()
    (source / 'piles.py').write_text(RIGHT)
    assert grader.grade_here(*words)[0] == 0
    assert not smallest.exists()


def test_incomplete_results_are_not_a_grade(grader, tmp_path):
    """Results left incomplete by a killed grader are not a grade."""
    grader.grade_here(submission(tmp_path, 'ann', RIGHT))
    path = grader.out / 'ann' / 'results.json'
    results = json.loads(path.read_text())
    for name in ('complete', 'fingerprint'):
        del results['extra_data'][name]
    path.write_text(json.dumps(results))
    (grader.out / 'not ours').mkdir()
    (grader.out / 'not ours' / 'results.json').write_text('{"extra_data": {}}')
    assert grader.grade_here(submission(tmp_path, 'bob', RIGHT))[0] == 0
    assert scores(grader) == {'ann': '', 'bob': str(FULL)}
    assert 'start it again' in grader.grades()['ann']['note']


def test_old_results_keep_their_row_and_old_pages_are_removed(grader, tmp_path):
    """Results from another version keep their row, without a score.

    Reports without results are removed, and so are old pages of sessions, but no other file.
    """
    for name in ('ann', 'bob', 'cleo'):
        grader.grade_here(submission(tmp_path, name, RIGHT))
    path = grader.out / 'ann' / 'results.json'
    path.write_text(path.read_text().replace('"version": "', '"version": "0'))
    (grader.out / 'bob' / 'results.json').unlink()
    (grader.out / 'mine').mkdir()
    (grader.out / 'mine' / 'report.html').write_text('<!doctype html>')
    shutil.copy(grader.out / 'session-1.html', grader.out / 'session-99.html')
    grader.grade_here(tmp_path / 'cleo')
    assert scores(grader) == {'ann': '', 'cleo': str(FULL)}
    assert (
        grader.grades()['ann']['note'] == 'graded by another version of the grader; grade it again'
    )
    pages = {path.relative_to(grader.out).as_posix() for path in grader.out.glob('**/*.html')}
    assert pages - {'index.html', 'session-1.html'} >= {'cleo/report.html', 'mine/report.html'}
    assert not pages & {'ann/report.html', 'bob/report.html', 'session-99.html'}
    assert grader.grade_here(tmp_path / 'ann')[0] == 0
    assert scores(grader)['ann'] == str(FULL)


def test_a_folder_holds_results_of_one_assignment(grader, tmp_path):
    source = submission(tmp_path, 'ann', RIGHT)
    grader.grade_here(source)
    status, _, errors = run_grader_here('grade', 'stones', source, '--out', grader.out, *FAST)
    assert (
        status,
        f'--out: {grader.out} already contains results for piles; choose another folder' in errors,
    ) == (2, True), errors


def test_results_are_not_written_into_the_folder_of_the_submissions(tmp_path):
    """--out refuses the folder of the submissions: a student could submit a results.json."""
    write_files(tmp_path, {'class/ann/x.py': 'print(1)\n', 'tests/a.txt': '|1\n'})
    for words in (
        ['class/ann', '--out', 'class'],
        ['class/ann', '--out', 'tests/../class/.'],
        ['class', '--export', 'github', '--out', 'class'],
    ):
        status, _, errors = run_grader_here('grade', tmp_path / 'tests', *words, folder=tmp_path)
        assert (status, 'contains the submissions; choose another folder' in errors) == (2, True), (
            errors
        )
    assert not [*tmp_path.glob('class/*/results.json')]


def test_folders_with_the_same_name_are_two_assignments(tmp_path):
    write_files(
        tmp_path, {'hw1/tests/a.txt': '|1\n', 'hw2/tests/a.txt': '|2\n', 'ann/x.py': 'print(1)\n'}
    )
    outcomes = [
        run_grader_here(
            'grade',
            tmp_path / homework / 'tests',
            tmp_path / 'ann',
            '--out',
            tmp_path / 'out',
            *FAST,
        )
        for homework in ('hw1', 'hw1', 'hw2')
    ]
    assert [status for status, *_ in outcomes] == [0, 0, 2]
    assert 'contains results for hw1/tests; choose another folder' in outcomes[-1][2]
