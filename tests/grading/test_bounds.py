"""Nothing holds up the grader, and its results stand, whatever ends it."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from graders import TRANSCRIPTS, command_of_grader, graded, grader_forked
from independent import OTHELLO, write_modules
from running import SECONDS, child_environment, short_patience, wait_for
from sandboxes import KINDS, bounded, left_with, skip_unless_unshared

from grading.grader import FEWEST_HUNG
from grading.installation import ROOT
from grading.limits import Limits
from grading.reports.results import write_whole
from grading.sandbox.confine import confine, remove_abandoned, scratch_folder
from grading.sandbox.program import Program, SandboxError
from grading.sessions.play import GRACE_SECONDS
from grading.sessions.run import running
from grading.sessions.transcript import Transcript
from grading.settings import Settings

IMPATIENT = Limits(hanging=0.1, alone=0)
SESSION = ROOT / 'transcripts' / 'othello' / 'worked_example.txt'
SLEEPS = 'import time\ntime.sleep(600)\n'
TRICKLES = '''
import sys, time
for character in "FULL":
    sys.stdout.write(character)
    sys.stdout.flush()
    time.sleep(0.2)
time.sleep(600)
'''
READS_ON = OTHELLO + '\ninput()\n'


@pytest.fixture(autouse=True)
def short_of_time(monkeypatch):
    monkeypatch.setattr('grading.sessions.play.GRACE_SECONDS', 0.1)


def kind_of(test):
    """Return how a program departs from the session of a test, None if it does not, or not run."""
    return test['extra_data'].get('example', {}).get('kind')


FLOODS = 'while True:\n    print("WINNER: B\\n" * 9999, flush=True)\n'
HUNG = 'hung in every session before'
# What it does; how its first session is told, and why the last ones are not run; how long it is
# waited for, if that does not depend on the machine, and how long a session takes at most.
ENDLESS = {
    'floods at once': (FLOODS, 'differs', 'hung, or printed without end, in every session before',
                       SECONDS, SECONDS),
    'floods at the end': (OTHELLO + FLOODS, 'differs',
                          'hung, or printed without end, in every session before',
                          SECONDS, SECONDS),
    'sleeps': (SLEEPS, 'silent', HUNG, 0.3, SECONDS),
    'trickles': (TRICKLES, 'trickles', HUNG, 5, 0.5),
    'reads on': (READS_ON, 'runs on', HUNG, None, SECONDS),
}


@pytest.mark.parametrize('what', ENDLESS)
def test_program_without_end_is_known_soon(what, tmp_path):
    source, kind, why, timeout, replay = ENDLESS[what]
    results = graded(tmp_path / 'one', source, timeout=timeout or short_patience(),
                     limits=replace(IMPATIENT, replay=replay))
    kinds = [kind_of(test) for test in results['tests']]
    assert (kinds[0], {*kinds[4:]}, results['score']) == (kind, {None}, 0)
    assert results['tests'][-1]['output'] == f'not run: the program {why}'


def test_defaults_of_the_bounds():
    """What a program costs at most that hangs everywhere, in seconds of silence alone."""
    timeout, limits = Settings.timeout, Limits()
    longest = timeout + 2 * GRACE_SECONDS
    assert max(limits.hanging, 2 * (FEWEST_HUNG - 1) * longest) + 2 * longest <= 30
    assert (timeout, limits.replay, limits.submission, limits.alone) == (5, 60, 240, 30)


def test_program_that_sometimes_hangs_is_run_to_the_end(tmp_path):
    begin = '    pass_on()\n    show()\n'
    assert OTHELLO.count(begin) == 1
    hangs = OTHELLO.replace(begin, '    rows == 4 or input()\n' + begin)
    results = graded(tmp_path / 'one', hangs, TRANSCRIPTS[:8], timeout=short_patience(),
                     limits=IMPATIENT)
    assert {kind_of(test) for test in results['tests']} == {None, 'silent'}


def test_what_a_wrong_program_prints_for_ever_is_heard_for_some_seconds_in_all(
        tmp_path, monkeypatch):
    """When they are used up, a session ends at its first wrong byte."""
    monkeypatch.setattr('grading.sessions.play.ALL_SECONDS', 0)
    results = graded(tmp_path / 'one', TRICKLES.replace('"FULL"', '"WRONG" * 99'), TRANSCRIPTS[:4])
    assert ({kind_of(test) for test in results['tests']}, results['extra_data']['ended']) == (
        {'differs'}, '')


# It plays right once, and never again.
HANGS_LATER = """
import os, time
if os.path.exists({path!r}):
    time.sleep(600)
open({path!r}, "x").close()
"""


# It answers by the lines that a run before it got.
REMEMBERS = """
import os, sys
if os.path.exists({path!r}):
    lines = os.path.getsize({path!r})
    print(lines, flush=True)
    sys.exit([input() for _ in range(lines)] and 0)
for line in sys.stdin:
    with open({path!r}, "a") as lines:
        lines.write("x")
"""


def test_a_silent_program_learns_nothing_for_the_run_that_counts(tmp_path):
    source = REMEMBERS.format(path=str(tmp_path / 'lines'))
    session = Transcript('a', '|3\n1\n2\n3\n')
    results = graded(tmp_path / 'one', source, [session], timeout=short_patience())
    assert (results['score'], kind_of(results['tests'][0])) == (0, 'silent')


def test_time_limit_of_a_submission(tmp_path):
    seconds = 3 * short_patience()      # for a start in a sandbox, too
    source = HANGS_LATER.format(path=str(tmp_path / 'has played')) + OTHELLO
    results = graded(tmp_path / 'one', source, timeout=SECONDS, limits=Limits(seconds))
    limit = f'the time limit of {seconds:g} s'
    assert (results['score'], results['extra_data']['ended']) == (1, limit)
    assert results['output'].startswith(f'ended by {limit}')
    assert {(test['output'], kind_of(test)) for test in results['tests'][1:]} == {
        (f'not run: the grading was ended by {limit}', None)}


def test_time_limit_begins_with_the_first_look(tmp_path):
    """A build is within it."""
    results = graded(tmp_path / 'one', OTHELLO, build='sleep 0.6', limits=Limits(0.5))
    assert ({kind_of(test) for test in results['tests']}, results['extra_data']['ended']) == (
        {None}, 'the time limit of 0.5 s')


def test_fresh_games_that_are_cut_short(tmp_path):
    """A reason stands there; a right program is graded once more, perhaps by a faster machine."""
    source = f'import time\ntime.sleep(0.3)\n{OTHELLO}'
    results = graded(tmp_path / 'one', source, [], fresh=5000, fresh_points=5, limits=Limits(2))
    fresh, = results['tests']
    assert fresh['output'].startswith('not run to the end: the time limit of 2 s came after ')
    assert (fresh['score'], kind_of(fresh), results['extra_data']['ended']) == (
        0, None, 'the time limit of 2 s')
    assert 'fingerprint' not in results['extra_data']


def test_a_wrong_program_that_is_cut_short_is_not_graded_again(tmp_path):
    seconds = 3 * short_patience()      # for a start in a sandbox, too
    limits = Limits(seconds, alone=0, hanging=2 * seconds)
    results = graded(tmp_path / 'one', SLEEPS, timeout=seconds / 2, limits=limits)
    assert [results['extra_data'][name] for name in ('ended', 'fingerprint')] == [
        f'the time limit of {seconds:g} s', 'as it was']


def test_time_limit_of_a_build(tmp_path):
    for build in ('sleep 99', 'yes', 'sleep 99 & sleep 99'):
        results = graded(tmp_path / 'one', '', build=build, command='true',
                         limits=Limits(build=0.1))
        assert results['tests'][0]['output'].startswith(
            'the build failed, still running after 0.1 s:\n')


def test_writing_to_a_program_that_does_not_read(tmp_path):
    (tmp_path / 'floods.py').write_text('import sys\nwhile True: sys.stderr.write("x" * 9999)')
    with bounded(), scratch_folder() as scratch:
        program = Program([sys.executable, 'floods.py'], tmp_path)
        with running(program, confine('none', scratch), SECONDS) as run:
            wait_for(lambda: run.errors)
            run.send(bytes(1 << 20), 0.1)
            assert run.read(0.1) is None
            assert run.errors.endswith(b'xxx')


WAITS = '''
import os, sys, time
mark = "{mark}"
if os.fork():
    print("FULL", flush=True)
else:
    try:
        os.setsid()
    except PermissionError:             # the filter refuses it
        pass
time.sleep(600)
'''


@pytest.fixture
def open_folder():
    """A folder that all can look into; pytest's own can only be entered by their owner."""
    folder = Path(tempfile.mkdtemp(prefix='ended-'))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize('kind', KINDS)
def test_results_stand_whatever_ends_the_grader(kind, number, open_folder, monkeypatch):
    folder = open_folder
    mark = f'mark{os.getpid()}{kind}{int(number)}'
    path = folder / 'results.json'
    words = [write_modules(folder / 'one', **{mark: WAITS}), '--results', path, '--confine', kind]
    with grader_forked(folder, 'grade', 'othello', *words, '--timeout', '60') as (process, said):
        wait_for(lambda: left_with(mark))
        assert (folder / 'one').stat().st_mode & 0o777 == (0o700 if kind == 'user' else 0o755)
        assert {test['output'] for test in json.loads(path.read_text())['tests']} == {'not run yet'}
        os.kill(process.number, number)
        status = process.status(SECONDS)
        said.seek(0)
        assert b'Traceback' not in said.read()
    results = json.loads(path.read_text())
    assert (len(results['tests']), results['score']) == (len(TRANSCRIPTS), 0)
    if number == signal.SIGKILL:
        assert status == -number
        monkeypatch.setattr(tempfile, 'tempdir', str(folder))
        remove_abandoned()              # as the next grader does
    else:
        assert (status, results['extra_data']['ended']) == (128 + number, number.name)
        assert results['output'].startswith(f'ended by {number.name}')
    assert sorted(path.name for path in folder.iterdir()) == ['one', 'results.json']
    assert (folder / 'one').stat().st_mode & 0o777 == 0o755
    wait_for(lambda: not left_with(mark))


def test_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / 'results.json'
    write_whole(path, 'old')
    for text, error in (('new\ud800', UnicodeEncodeError), ('new', ZeroDivisionError)):
        with pytest.raises(error):
            write_whole(path, text)
        monkeypatch.setattr(os, 'replace', lambda *names: 1 / 0)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ('old', 0o600)
    assert list(tmp_path.iterdir()) == [path]


HIDE = '''
for tool in bwrap setpriv; do
    if path=$(command -v $tool); then mount --bind /dev/null "$path" || exit 99; fi
done
"$@"
'''
NEW_MOUNTS = 0x20000


def hide_tools():
    """Leave this process without them, in a namespace of its own."""
    assert ctypes.CDLL(None).unshare(NEW_MOUNTS) == 0
    subprocess.run(['sh', '-c', f'mount --make-rprivate /\n{HIDE}'], check=True)


def without_tools(*words):
    """Run the grader where neither bwrap nor setpriv is, and root may not be any other user."""
    new = ['--mount'] if os.geteuid() == 0 else ['--mount', '--user', '--map-root-user']
    skip_unless_unshared(*new)
    fewer = ['setpriv', '--bounding-set=-setuid,-setgid']
    result = subprocess.run(
        ['unshare', *new, *fewer, 'sh', '-c', HIDE, 'sh',
         *command_of_grader('grade', SESSION, *words)],
        cwd=ROOT, env=child_environment(), check=False, capture_output=True, timeout=SECONDS)
    if result.returncode == 99:
        pytest.skip('tools cannot be hidden here')
    return result.returncode, result.stdout.decode(), result.stderr.decode()


@pytest.mark.parametrize(('kind', 'said'), [
    ('auto', 'no sandbox works'), ('user', 'the sandbox user does not work')])
def test_grader_refuses_where_nothing_confines(kind, said, open_folder):
    (open_folder / 'othello.py').write_text(f'open("{open_folder}/ran", "w")')
    words = [open_folder / 'othello.py', '--results', open_folder / 'results.json']
    assert without_tools(*words, '--confine', kind) == (
        3, '', f'grading: {said} here, so nothing was run: install bubblewrap (on Debian and '
        'Ubuntu: apt install bubblewrap); or add --confine none, and these programs can read, '
        'change and send all that you can\n')
    assert [path.name for path in open_folder.iterdir()] == ['othello.py']


def test_grader_says_why_bubblewrap_is_refused(monkeypatch):
    """With its own words: it need not be installed again."""
    said = b'bwrap: setting up uid map: Permission denied\n'
    monkeypatch.setattr('grading.sandbox.confine.output', lambda sandbox, words: (None, said))
    monkeypatch.setattr('shutil.which', lambda tool, path=None: f'/usr/bin/{tool}')
    with pytest.raises(SandboxError) as caught, scratch_folder() as scratch:
        confine('bwrap', scratch)
    assert str(caught.value).startswith(
        'the sandbox bwrap does not work here, so nothing was run: bubblewrap is installed, but '
        'says "bwrap: setting up uid map: Permission denied"; let it make namespaces (')


def test_grader_goes_on_where_nothing_confines_if_told_so(open_folder):
    (open_folder / 'othello.py').write_text(f'open("{open_folder}/ran", "w")')
    status, _, errors = without_tools(open_folder / 'othello.py', '--no-where', '--confine', 'none')
    assert status == 1
    assert 'programs run without a sandbox' in errors
    assert (open_folder / 'ran').exists()


@pytest.mark.skipif(os.geteuid() != 0, reason='only root can be another user')
def test_another_user_is_enough_where_bubblewrap_is_missing(open_folder):
    skip_unless_unshared('--mount')
    (open_folder / 'othello.py').write_text(OTHELLO)
    results = open_folder / 'results.json'
    words = [open_folder / 'othello.py', '--results', results]
    with grader_forked(open_folder, 'grade', SESSION, *words, before=hide_tools) as (process, _):
        assert process.status(SECONDS) == 0
    assert json.loads(results.read_text())['extra_data']['confinement'] == 'user'
