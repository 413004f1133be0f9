"""The seeds of fresh games: secret, new for each change of a submission, and else the same."""

import fcntl
import json
import os
import stat
import threading
import zipfile
from itertools import islice
from random import Random

import pytest
from graders import BLANKS, FULL, RIGHT, few_transcripts, run_grader_here, submission
from running import SECONDS

from grading.fresh import due, fresh_games
from grading.submissions.identity import SECRET, seed_of

COUNT, POINTS = 2, 5
FRESH = ['--fresh', COUNT, '--fresh-points', POINTS]
# A program that knows no rule: it prints what was due in the games that are built in.
LEARNED_BY_HEART = '''
due = DUE
typed = ''
while typed in due:
    text, goes_on = due[typed]
    print(text, end='', flush=True)
    if not goes_on:
        break
    typed += input() + '\\n'
'''


def learned_by_heart(transcripts):
    """Return a program that is right in these sessions."""
    printed = {}
    for transcript in transcripts:
        typed = ''
        for step in transcript.steps:
            printed[typed] = step.output, step.input is not None
            typed += f'{step.input}\n'
    return LEARNED_BY_HEART.replace('DUE', repr(printed))


def games_of(seed):
    """Return the fresh games of a seed, and the sessions that the small project has."""
    return [*map(due, islice(fresh_games('piles', True, Random(seed)), COUNT)),
            *few_transcripts('piles', prompts=True)]


def score_and_seed(grader, name='one'):
    results = json.loads((grader.out / name / 'results.json').read_text(encoding='utf-8'))
    return results['score'], results['extra_data']['seed']


def test_the_answers_of_a_former_seed_are_worth_nothing(grader, tmp_path, monkeypatch):
    monkeypatch.setattr('grading.fresh.SHRINKING_RUNS', 0)
    place = submission(tmp_path, 'one', RIGHT)
    grader.grade_here(place, *FRESH)
    score, seed = score_and_seed(grader)
    assert score == FULL + POINTS
    (place / 'piles.py').write_text(learned_by_heart(games_of(seed)), encoding='utf-8')
    grader.grade_here(place, *FRESH)
    score, new_seed = score_and_seed(grader)
    assert (score, new_seed != seed) == (FULL, True)
    grader.grade_here(place, *FRESH, '--seed', seed)
    assert score_and_seed(grader)[0] == FULL + POINTS


def test_a_submission_has_a_seed_of_its_own_which_stays(grader, tmp_path):
    words = [submission(tmp_path, name, RIGHT) for name in ('one', 'two')]
    grader.grade_here(*words, *FRESH)
    seeds = [score_and_seed(grader, name)[1] for name in ('one', 'two')]
    assert seeds[0] != seeds[1]
    times = grader.times()
    grader.grade_here(*words, *FRESH)
    assert grader.times() == times
    grader.grade_here(*words, *FRESH, '--again')
    assert grader.times() != times
    assert [score_and_seed(grader, name)[1] for name in ('one', 'two')] == seeds


def test_only_the_teacher_sees_it(grader, tmp_path, monkeypatch):
    monkeypatch.setattr('grading.fresh.SHRINKING_RUNS', 0)
    place = submission(tmp_path, 'one', BLANKS)
    _, lines, _ = grader.grade_here(place, *FRESH)
    seed = str(score_and_seed(grader)[1])
    assert [line for line in lines if seed in line] == [f'fresh games: --seed {seed}']
    _, lines, _ = grader.grade_here(place, *FRESH, '--results', tmp_path / 'gradescope.json')
    assert not any(seed in line for line in lines)          # Gradescope may show all of it
    assert f'<td class="number extra" data-value="{seed}">{seed}</td>' in grader.index()
    page = (grader.out / 'one' / 'report.html').read_text(encoding='utf-8')
    assert 'The smallest of the fresh games' in page
    assert seed not in page + (tmp_path / 'gradescope.json').read_text(encoding='utf-8')


# A program that notes who is started with the seed.
READS_COMMAND_LINES = r'''
import glob
for path in glob.glob('/proc/*/cmdline'):
    try:
        words = open(path, 'rb').read()
    except OSError:
        continue
    with open({log!r}, 'a') as log:
        log.write('read\n' if b'123456789' in words else 'not there\n')
'''


@pytest.mark.skipif(not os.path.exists('/proc/self/cmdline'), reason='no command line to be read')
def test_no_program_can_read_it_from_a_command_line(grader, tmp_path):
    source = READS_COMMAND_LINES.format(log=str(tmp_path / 'log')) + RIGHT
    status, lines, _ = grader.grade(submission(tmp_path, 'one', source), '--fresh', 1, '--seed',
                                    123456789)
    assert (status, lines[0]) == (0, 'fresh games: --seed 123456789')
    assert set((tmp_path / 'log').read_text().split('\n')) == {'not there', ''}


def test_it_can_come_from_the_environment(grader, tmp_path, monkeypatch):
    """As it does for an autograder, whose command line has none."""
    place = submission(tmp_path, 'one', RIGHT)
    monkeypatch.setenv('GRADING_SEED', '77')
    for words, seed in (([], 77), (['--seed', 78], 78)):
        _, lines, _ = grader.grade_here(place, *FRESH, *words)
        assert lines[0] == f'fresh games: --seed {seed}'
    assert grader.grade_here(place)[0] == 0             # without fresh games it means nothing
    monkeypatch.setenv('GRADING_SEED', 'x')
    status, _, errors = grader.grade_here(place, *FRESH)
    assert (status, 'GRADING_SEED is not a number' in errors) == (2, True)
    monkeypatch.delenv('GRADING_SEED')
    assert run_grader_here('pack', 'piles', tmp_path / 'a.zip', *FRESH, '--seed', 79)[0] == 0
    with zipfile.ZipFile(tmp_path / 'a.zip') as archive:
        script = archive.read('run_autograder').decode()
    assert ('export GRADING_SEED=79\n' in script, '--seed' in script) == (True, False)


def test_two_graders_of_a_class_have_one_secret(tmp_path):
    """Also where a former version was killed while it wrote another file, of the same number."""
    path, seeds = tmp_path / SECRET, []
    path.with_name(f'{SECRET}.{os.getpid()}').touch()
    with path.open('wb') as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        other = threading.Thread(target=lambda: seeds.append(seed_of('a digest', tmp_path)))
        other.start()
        other.join(0.1)
        file.write(bytes(32))
    other.join(SECONDS)
    assert (path.read_bytes(), seeds) == (bytes(32), [seed_of('a digest', tmp_path)])


def test_the_secret_of_a_class(tmp_path):
    """It is for its owner alone; without it, or without a folder for it, nothing repeats itself."""
    seed = seed_of('a digest', tmp_path)
    path = tmp_path / SECRET
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert seed_of('a digest', tmp_path) == seed != seed_of('another', tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [SECRET]
    path.write_bytes(b'')               # as a full disk may leave it
    assert seed_of('a digest', tmp_path) != seed
    assert len({seed_of('a digest', None), seed_of('a digest', None), seed_of('', tmp_path),
                seed_of('', tmp_path)}) == 4


@pytest.mark.parametrize('make', [
    lambda path: path.symlink_to('precious'), lambda path: path.symlink_to('nowhere'),
    lambda path: path.mkdir(), os.mkfifo, lambda path: path.write_bytes(b'x' * 33)],
    ids=['a link', 'a link to nothing', 'a folder', 'a pipe', 'another file'])
def test_nothing_else_is_overwritten_by_the_secret(make, tmp_path):
    precious = tmp_path / 'precious'
    precious.write_bytes(b'precious')
    make(tmp_path / SECRET)
    with pytest.raises(FileExistsError, match='is not the secret of a class: remove it'):
        seed_of('a digest', tmp_path)
    assert precious.read_bytes() == b'precious'
    assert not (tmp_path / 'nowhere').exists()
