"""--out: what stands in its folder, after one submission as after a thousand."""

import json
import shlex
import shutil

from graders import BLANKS, FAST, FULL, RIGHT, run_grader_here, submission
from independent import write_files

from grading.reports.gradescope import for_gradescope
from grading.reports.results import read_results


def scores(grader):
    return {name: row['score'] for name, row in grader.grades().items()}


def test_two_of_three_again_change_two_rows(grader, tmp_path):
    sources = {name: submission(tmp_path, name, source)
               for name, source in (('ann', ''), ('bob', ''), ('cleo', RIGHT))}
    status, _, errors = grader.grade_here(*sources.values())
    assert (status, str(grader.out / 'index.html') in errors) == (1, True)
    (sources['ann'] / 'piles.py').write_text(RIGHT)
    assert grader.grade_here(sources['ann'], sources['bob'])[0] == 1
    assert scores(grader) == {'ann': str(FULL), 'bob': '0', 'cleo': str(FULL)}
    assert all(f'./{name}/report.html' in grader.index() for name in sources)


def test_a_command_as_it_stands(grader, tmp_path):
    program = submission(tmp_path, 'mine', RIGHT) / 'piles.py'
    command = f'python3 {shlex.quote(str(program))}'
    status, _, errors = grader.grade_here('--command', command, fast=[])
    assert status == 0, errors
    (name, score), = scores(grader).items()
    assert score == str(FULL)
    assert (grader.out / name / 'report.html').exists()


def test_results_and_a_folder(grader, tmp_path):
    """Both have the results, whichever is gone; the one in the folder counts."""
    source, path = submission(tmp_path, 'ann', BLANKS), tmp_path / 'results.json'
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
    monkeypatch.setattr('grading.fresh.SHRINKING_RUNS', 0)
    source = submission(tmp_path, 'ann', BLANKS)
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
    assert grader.grades()['ann']['note'] == 'graded by another version: grade again'
    pages = {path.relative_to(grader.out).as_posix() for path in grader.out.glob('**/*.html')}
    assert pages - {'index.html', 'session-1.html'} >= {'cleo/report.html', 'mine/report.html'}
    assert not pages & {'ann/report.html', 'bob/report.html', 'session-99.html'}
    assert grader.grade_here(tmp_path / 'ann')[0] == 0
    assert scores(grader)['ann'] == str(FULL)


def test_a_folder_holds_results_of_one_assignment(grader, tmp_path):
    source = submission(tmp_path, 'ann', RIGHT)
    grader.grade_here(source)
    status, _, errors = run_grader_here('grade', 'stones', source, '--out', grader.out, *FAST)
    assert (status, f'--out: {grader.out} has results of piles; choose another folder' in errors
            ) == (2, True), errors


def test_the_folder_of_the_submissions_takes_no_results(tmp_path):
    """A student could hand in a results.json, for whatever name."""
    write_files(tmp_path, {'class/ann/x.py': 'print(1)\n', 'tests/a.txt': '|1\n'})
    for words in (['class/ann', '--out', 'class'], ['class/ann', '--out', 'tests/../class/.'],
                  ['class', '--export', 'github', '--out', 'class']):
        status, _, errors = run_grader_here('grade', tmp_path / 'tests', *words, folder=tmp_path)
        assert (status, 'holds the submissions; name another folder' in errors) == (2, True), errors
    assert not [*tmp_path.glob('class/*/results.json')]


def test_folders_of_one_name_are_two_assignments(tmp_path):
    write_files(tmp_path, {'hw1/tests/a.txt': '|1\n', 'hw2/tests/a.txt': '|2\n',
                           'ann/x.py': 'print(1)\n'})
    said = [run_grader_here('grade', tmp_path / homework / 'tests', tmp_path / 'ann',
                            '--out', tmp_path / 'out', *FAST) for homework in ('hw1', 'hw1', 'hw2')]
    assert [status for status, *_ in said] == [0, 0, 2]
    assert 'has results of hw1/tests; choose another folder' in said[-1][2]
