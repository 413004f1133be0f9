"""A class: graded at once, again only where something is missing, whatever signal ends it."""

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
from grading.api import sandbox_probed
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


def test_zips_of_four_kinds(grader, tmp_path):
    """By one command; again nothing is done that has been done."""
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
    assert f'<code>trailing-spaces</code> {points:g} points back</span>' in grader.index()
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


def test_a_terminal_may_lack_letters(tmp_path):
    """No grade is missing because a name cannot be printed."""
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
def test_a_process_that_is_killed_costs_only_itself(grader, tmp_path):
    """The grade is missing: it is not 0, and it is given the next time."""
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


def test_the_grader_failing_on_one_costs_only_its_grade(grader, tmp_path):
    sources = [submission(tmp_path, name, RIGHT) for name in ('one', 'two')]
    (grader.out / 'one').mkdir(parents=True)
    (grader.out / 'one' / 'results.json').mkdir()
    assert grader.grade_here(*sources)[0] == 3
    assert [
        (row['score'], 'IsADirectoryError' in row['note']) for row in grader.grades().values()
    ] == [('', True), (str(FULL), False)]


@pytest.mark.long
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_ended_in_the_middle_and_started_again(number, grader, tmp_path):
    """What has been done is not done again; nothing is left running, or lying about."""
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
        return  # what comes next is as after SIGINT
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
from grading.workers import this_machine
this_machine.processors, this_machine.LONG = lambda: 1, 0.0
sys.exit(main())
"""


@pytest.mark.long
def test_one_that_takes_long_holds_up_no_other(small_project, tmp_path):
    """Though there is but one processor, the second is graded; the first waits for that."""
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
    """Return the processes that have a folder in their environment."""
    found = []
    for process in Path('/proc').glob('[0-9]*/environ'):
        with suppress(OSError):  # it has ended meanwhile, or is another user's
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
        'report.html'
    }


def test_lateness_alone_is_a_change(grader, tmp_path):
    for name, late in (('ann_1_11_piles.py', 'no'), ('ann_LATE_1_11_piles.py', 'yes')):
        assert (
            grader.grade_here(zipped(tmp_path / 'all.zip', {name: ''}), '--export', 'canvas')[0]
            == 1
        )
        assert grader.grades()['ann_1']['late'] == late


# Submissions that are alike.

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
SAME = [
    ('total', 'sum_of'),
    ('number ', 'n '),
    ('result', 'number_of_all'),
    ('# one more', ''),
    ('    ', '\t'),
    (' = ', '='),
    ('\n\n\n', '\n\n'),
    ('import', '# Mine.\nimport'),
]
OTHER = [
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
def test_whether_it_is_the_same_program(tmp_path, change):
    before = digest(tmp_path / 'a', **{'a.py': SOURCE})
    after = digest(tmp_path / 'b', **{'other.py': changed(SOURCE, [change])})
    assert (before == after != '') is (change in SAME)


IN_C = 'int main() { return 7; }\n' * 9
TWO = changed(SOURCE, OTHER[:1])


@pytest.mark.parametrize(
    ('files', 'others', 'are_same'),
    [
        # In other languages whitespace alone may differ.
        ({'a.c': IN_C}, {'b.c': IN_C.replace(' ', '\n\t')}, True),
        ({'a.c': IN_C}, {'a.c': IN_C.replace('7', '8')}, False),
        # Several files, in any order.
        ({'a.py': SOURCE, 'b.py': TWO}, {'x/a.py': TWO, 'y.py': SOURCE}, True),
        # Only source files count, if there are any.
        (
            {'a.py': SOURCE},
            {'a.py': SOURCE, 'README.md': 'Mine.', 'notes': '1\n', 'a.csv': '2'},
            True,
        ),
        ({'a.pascal': IN_C}, {'b.pascal': IN_C}, True),
        ({'a.py': SOURCE}, {'a.py': SOURCE, 'b.py': SOURCE}, False),
    ],
)
def test_whether_files_are_the_same_program(files, others, are_same, tmp_path):
    assert (digest(tmp_path / 'a', **files) == digest(tmp_path / 'b', **others) != '') is are_same


def test_what_is_short_is_like_nothing(tmp_path):
    """A program that has just been begun looks like many others."""
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


def test_no_more_is_read_than_a_little(tmp_path, monkeypatch):
    """Nor is what stands behind a link, which may be anything."""
    (tmp_path / 'secret').write_text(SOURCE, encoding='utf-8')
    folder = tmp_path / 'a'
    folder.mkdir()
    (folder / 'link.py').symlink_to(tmp_path / 'secret')
    assert digest_of_program(folder) == ''
    monkeypatch.setattr(internals.MOST_READ, 6000)
    long = b'x = 1\n' * 1000
    assert (
        digest(tmp_path / 'b', **{'a.py': long * 2})
        == digest(tmp_path / 'c', **{'a.py': long})
        != ''
    )


def test_a_long_line_is_not_tokenized(monkeypatch):
    """It would take minutes, and so cost a class its time; its characters count instead."""
    monkeypatch.setattr(tokenize, 'tokenize', None)
    assert tokens_of(b'x ' * 501) == ['x'] * 501
    with pytest.raises(TypeError):
        tokens_of(b'x ' * 500)


# Signals at any moment.

LONGEST = 3.0  # seconds that the grader works before it is ended


def ended_after(seconds, number, folder, has_out):
    """Grade by very many fresh games, end it some time after it has begun.

    Return its status, standard error, and what is left in the folder.
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
    """End the grader by a signal at a moment that the seed chooses."""
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
    """Check as many moments."""
    for seed in range(int(count)):
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            check(seed, Path(folder))
        print(seed, f'{time.monotonic() - begin:.1f} s', file=sys.stderr)


# --out: what stands in its folder, after one submission as after a thousand.


def scores(grader):
    return {name: row['score'] for name, row in grader.grades().items()}


def test_two_of_three_again_change_two_rows(grader, tmp_path):
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
def test_a_link_to_nothing_or_itself_costs_nobody_else(target, grader, tmp_path):
    (tmp_path / 'bob').symlink_to(tmp_path / target)
    assert grader.grade_here(submission(tmp_path, 'ann', RIGHT), tmp_path / 'bob')[0] == 1
    assert grader.grades()['ann']['score'] == str(FULL)
    assert grader.grades()['bob']['note'] == IS_LINK


ALSO_HW1 = 'another submission is also called hw1'
IS_LINK = 'the submission is a symbolic link: submit the files themselves'


def test_nobody_gets_points_by_a_link(grader, tmp_path):
    """It may lead to a classmate, or to what only the grader's user may read."""
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


def test_nobody_gets_points_by_a_folder_that_is_a_link(grader, tmp_path):
    ann = submission(tmp_path / 'class' / 'ann', 'hw1', RIGHT)
    (tmp_path / 'class' / 'bob').symlink_to('ann')
    (tmp_path / 'course').symlink_to('class')  # of the teacher
    folder = tmp_path / 'course'
    assert grader.grade_here(folder / 'ann' / 'hw1', folder / 'bob' / 'hw1')[0] == 1
    assert sorted((row['score'], row['note']) for row in grader.grades().values()) == [
        ('0', f'{IS_LINK}; {ALSO_HW1}'),
        (str(FULL), f'ran without a sandbox; {ALSO_HW1}'),
    ]
    assert sorted(grader.grades()) == ['ann-hw1', 'bob-hw1']
    assert ann.is_dir()


def test_a_late_submission_does_not_take_the_row_of_another(grader, tmp_path):
    """Ann has submitted a zip; later somebody else's folder has the name that her row has."""
    submission(tmp_path / 'class', 'ben', RIGHT)
    zipped(tmp_path / 'class' / 'ann.zip', {'piles.py': RIGHT})
    folder = tmp_path / 'class'
    assert grader.grade_here(folder / 'ann.zip', folder / 'ben')[0] == 0
    submission(tmp_path / 'class', 'ann', 'print("wrong")\n')
    assert grader.grade_here(folder / 'ann', folder / 'ann.zip', folder / 'ben')[0] == 1
    note = 'another submission is also called ann'
    assert {name: (row['score'], note in row['note']) for name, row in grader.grades().items()} == {
        'ann': (str(FULL), False),
        'ann.zip': (str(FULL), True),
        'class-ann': ('0', True),
        'ben': (str(FULL), False),
    }


@pytest.mark.skipif(os.geteuid() != 0, reason='only root runs programs as another user')
def test_no_folder_that_a_link_leads_to_is_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(internals.CAN_SEPARATE, lambda: False)
    target = submission(tmp_path / 'elsewhere', 'files', RIGHT)
    ann = submission(tmp_path / 'class', 'ann', RIGHT)
    (tmp_path / 'class' / 'bob').symlink_to(target)
    modes = []
    with sandbox_probed(
        assignment_named('piles'), Options(confine='user'), [ann, tmp_path / 'class' / 'bob']
    ):
        modes = [path.stat().st_mode & 0o777 for path in (ann.parent, target.parent)]
    assert modes == [0o700, 0o755]


def test_a_command_as_it_stands(grader, tmp_path):
    program = submission(tmp_path, 'mine', RIGHT) / 'piles.py'
    command = f'python3 {shlex.quote(str(program))}'
    status, _, errors = grader.grade_here('--command', command, fast=[])
    assert status == 0, errors
    ((name, score),) = scores(grader).items()
    assert score == str(FULL)
    assert (grader.out / name / 'report.html').exists()


def test_results_and_a_folder(grader, tmp_path):
    """Both have the results, whichever is gone; the one in the folder counts."""
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


def test_what_a_fixed_program_leaves_goes(grader, tmp_path, monkeypatch):
    monkeypatch.setattr(internals.SHRINKING_RUNS, 0)
    source = submission(tmp_path, 'ann', TRAILING_SPACES)
    words = [source, '--fresh', '2', '--seed', '1']
    grader.grade_here(*words)
    smallest = grader.out / 'ann' / 'smallest.txt'
    assert smallest.exists()
    (source / 'piles.py').write_text(RIGHT)
    assert grader.grade_here(*words)[0] == 0
    assert not smallest.exists()


def test_results_that_are_not_whole_are_no_grade(grader, tmp_path):
    """As a grader that was killed has left them."""
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


def test_nothing_vanishes_and_nothing_stale_stays(grader, tmp_path):
    """Results of another version keep their row; pages of what is gone go, but no others."""
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


def test_the_folder_of_the_submissions_takes_no_results(tmp_path):
    """A student could submit a results.json, for whatever name."""
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


def test_folders_of_one_name_are_two_assignments(tmp_path):
    write_files(
        tmp_path, {'hw1/tests/a.txt': '|1\n', 'hw2/tests/a.txt': '|2\n', 'ann/x.py': 'print(1)\n'}
    )
    said = [
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
    assert [status for status, *_ in said] == [0, 0, 2]
    assert 'contains results for hw1/tests; choose another folder' in said[-1][2]
