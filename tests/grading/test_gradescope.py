"""The autograder for Gradescope: its zip, and its two scripts, which run in another folder."""

import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock

import internals
import pytest
from assigned import settings_for, transcripts_for
from graders import check_format, keep_compiled, run_grader_here
from programs import our_pair, write_files
from running import SECONDS, started, wait_for
from sandboxes import SHARED

from grading.games import NAMES
from grading.installation import ROOT
from grading.reports.pack import SCRIPTS, WORDS_HERE, pack
from grading.reports.wording import INCOMPLETE
from grading.workers.task import Task, grade_task

IS_ROOT = os.geteuid() == 0
# This program ends only when the grader ends.
HANGING = 'import os, time\nparent = os.getppid()\nwhile os.getppid() == parent: time.sleep(0.1)\n'
OPTIONS = ['--confine', 'none', '--no-where']
NO_GRADE = 'This is not a grade, '

# These replace the two tools that need the network; everything else in the scripts really runs.
APT_GET = '#!/bin/sh\necho apt-get "$@" >> {log}\n'
PYTHON3 = """#!/bin/sh
[ "$1 $2" = '-m venv' ] || exit 1
mkdir -p "$3/bin"
cat > "$3/bin/python" <<'END'
#!/bin/sh
exec {python} "$@"
END
cat > "$3/bin/pip" <<'END'
#!/bin/sh
echo pip "$@" >> {log}
END
chmod 755 "$3/bin/python" "$3/bin/pip"
"""

pytestmark = pytest.mark.skipif(not shutil.which('timeout'), reason='no coreutils')


@contextmanager
def empty_autograder():
    """Yield an empty folder in place of /autograder, readable by every user."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        place = Path(folder) / 'autograder'
        for name in ('source', 'submission', 'results'):
            (place / name).mkdir(0o755, parents=True)
        (place / 'submission_metadata.json').write_text('{"users": [{"name": "Somebody"}]}')
        yield place


@pytest.fixture
def autograder():
    """Yield an empty folder in place of /autograder."""
    with empty_autograder() as place:
        yield place


def unpack(path, autograder):
    """Unpack a zip with its modes, as Gradescope does."""
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            place = archive.extract(entry, autograder / 'source')
            os.chmod(place, entry.external_attr >> 16 & 0o777)
    shutil.copy2(keep_compiled(autograder / 'source') / 'run_autograder', autograder)


def put(autograder, *options):
    """Unpack an autograder of piles with only two transcripts, for speed."""
    path = autograder.parent / 'autograder.zip'
    path.write_bytes(pack(['piles', *options], transcripts_for('piles')[:2]))
    unpack(path, autograder)


def set_up(autograder):
    """Run setup.sh; return the commands that would use the network."""
    tools, log = autograder.parent / 'tools', autograder.parent / 'log'
    words = {'python': shlex.quote(sys.executable), 'log': shlex.quote(str(log))}
    write_files(tools, {'apt-get': APT_GET.format(**words), 'python3': PYTHON3.format(**words)})
    for path in tools.iterdir():
        path.chmod(0o755)
    subprocess.run(
        [autograder / 'source' / 'setup.sh'],
        check=True,
        timeout=SECONDS,
        cwd='/',
        env={
            **os.environ,
            'AUTOGRADER': str(autograder),
            'PATH': f'{tools}{os.pathsep}{os.environ["PATH"]}',
        },
    )
    return log.read_text().splitlines()


def start(autograder, before=''):
    """Start run_autograder as Gradescope does, for a `with` statement.

    Its shell runs the command `before` first.
    """
    script = f'{before}\nexec "$AUTOGRADER/run_autograder"'
    return started(
        ['sh', '-c', script],
        cwd=autograder,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        env={**os.environ, 'AUTOGRADER': str(autograder)},
        start_new_session=True,
    )


def results_of(autograder):
    return json.loads((autograder / 'results' / 'results.json').read_text())


def run(autograder, before=''):
    """Run run_autograder until it ends; return its output and the results."""
    with start(autograder, before) as process:
        output = process.communicate(timeout=SECONDS)[0].decode()
    assert process.returncode == 0, output
    return output, results_of(autograder)


def check_no_grade(results):
    assert (set(results), results['score']) == ({'score', 'output'}, 0)
    assert results['output'].startswith(NO_GRADE)


@pytest.mark.parametrize('game', NAMES)
def test_the_zip_contains_the_transcripts_of_its_game(game):
    with zipfile.ZipFile(io.BytesIO(pack([game], transcripts_for(game)))) as archive:
        names = archive.namelist()
    assert {name for name in names if name.startswith('transcripts/')} == {
        transcript.name for transcript in transcripts_for(game)
    }
    assert {'setup.sh', 'run_autograder'} <= set(names)
    assert not [name for name in names if name.startswith('tests/')]


def test_the_zip_is_always_the_same(monkeypatch):
    contents = []
    for zone in ('Asia/Tokyo', 'America/New_York'):
        monkeypatch.setenv('TZ', zone)
        contents.append(pack(['othello'], transcripts_for('othello')))
    assert contents[0] == contents[1]
    with zipfile.ZipFile(io.BytesIO(contents[0])) as archive:
        modes = {entry.filename: oct(entry.external_attr >> 16) for entry in archive.infolist()}
        texts = b''.join(map(archive.read, archive.namelist()))
    assert {name for name, mode in modes.items() if mode == '0o100755'} == {
        'setup.sh',
        'run_autograder',
    }
    assert set(modes.values()) == {'0o100755', '0o100644'}
    assert [wrong for wrong in (os.fsencode(ROOT), b'\r') if wrong in texts] == []


def test_scripts_are_written_for_bash(autograder):
    put(autograder, '--command=echo "it\'s"')
    for script in (autograder / 'source' / name for name in ('setup.sh', 'run_autograder')):
        subprocess.run(['bash', '-n', script], check=True)
        text = script.read_text()
        assert text.startswith('#!/usr/bin/env bash\n')
        assert '@' not in text


@pytest.mark.parametrize(
    ('words', 'message'),
    [
        (['othello', 'no/such/folder/a.zip'], 'no/such/folder/a.zip: '),
        (['othello', 'grading'], 'grading: '),
        (['othello', 'x.zip', '--confine', 'bwrap'], '--confine bwrap: '),
        (['recorded', 'x.zip', '--prompts'], 'no session of recorded has prompts'),
        *(
            (['piles', 'x.zip', f'--install={packages}'], 'grading: --install must be ')
            for packages in ('', ' ', '-o', 'x; true', 'X', '$(true)', '../x')
        ),
    ],
)
def test_usage_errors(words, message):
    status, output, errors = run_grader_here('pack', *words)
    assert (status, output, message in errors) == (2, '', True)
    assert not (ROOT / 'x.zip').exists()


@pytest.fixture(scope='module')
def installed():
    """Pack an autograder on the command line, unpack it, and set it up.

    Yield its folder, the zip, the result of `pack`, and the commands returned by `set_up`.
    """
    with empty_autograder() as place:
        path = place.parent / 'autograder.zip'
        printed = run_grader_here(
            'pack',
            'piles',
            path,
            '--fresh',
            '1',
            '--fresh-points',
            '3',
            '--seed',
            '7',
            '--visibility',
            'after_due_date',
            *OPTIONS,
        )
        unpack(path, place)
        yield place, path, printed, set_up(place)


@pytest.fixture
def ready(installed):
    """Return an autograder with only two transcripts, for speed, and without a submission."""
    place = installed[0]
    leave_two_sessions(place)
    for name in ('submission', 'results'):
        shutil.rmtree(place / name)
        (place / name).mkdir()
    give_options(place, *OPTIONS)
    return place


def leave_two_sessions(autograder):
    """Remove all but two sessions of an autograder, for speed."""
    shutil.rmtree(autograder / 'source' / 'transcripts', ignore_errors=True)
    write_files(
        autograder / 'source',
        {
            transcript.name: (ROOT / transcript.name).read_bytes()
            for transcript in transcripts_for('piles')[:2]
        },
    )


def give_options(autograder, *options, sessions='piles'):
    """Write a run_autograder with these sessions and these options."""
    script = (SCRIPTS / 'run_autograder').read_text(encoding='utf-8')
    (autograder / 'run_autograder').write_text(
        script.replace(WORDS_HERE, shlex.join([*options, sessions]))
    )


def submit(autograder, before=''):
    """Submit our own program of piles, with the code `before` inserted at its start."""
    write_files(
        autograder / 'submission',
        our_pair('nim', [('import sys\n', f'import sys\n{before}\nsys.argv += ["piles"]\n')]),
    )


@pytest.mark.long
def test_both_scripts(installed, ready):
    """Both scripts of the real zip work, with the packed options."""
    _, path, printed, wanted = installed
    unpack(path, ready)
    leave_two_sessions(ready)
    count = len(transcripts_for('piles'))
    assert printed == (
        0,
        f'{path}: piles, {count} sessions; on Gradescope, enter {count + 3} autograder points\n',
        '',
    )
    assert wanted == [
        'apt-get -qq update',
        'apt-get -qq install -y --no-install-recommends python3-venv',
        'pip install --quiet --disable-pip-version-check .[grader]',
    ]
    submit(ready)
    _, results = run(ready)
    check_format(results)
    assert (results['score'], len(results['tests'])) == (2 + 3, 2 + 1)
    assert 'seed' not in results['extra_data']
    assert {test['visibility'] for test in results['tests']} == {'after_due_date'}
    assert (ready / 'results' / 'results.json').stat().st_mode & 0o777 == 0o600


@pytest.mark.long
def test_a_language_that_is_to_be_installed(autograder):
    """Without --install, `pack` names the missing packages; with it, setup.sh installs them."""
    path = autograder.parent / 'autograder.zip'
    words = ['pack', 'piles', path, '--command', 'java Piles', '--build', 'cd src; javac *.java']
    assert run_grader_here(*words)[1].splitlines()[1] == (
        f"{path}: Gradescope's machines lack java, javac: pack again with "
        '--install "default-jdk-headless"'
    )
    status, output, _ = run_grader_here(*words, '--install', 'default-jdk-headless g++')
    assert (status, len(output.splitlines())) == (0, 1)
    unpack(path, autograder)
    assert set_up(autograder)[1] == (
        'apt-get -qq install -y --no-install-recommends python3-venv default-jdk-headless g++'
    )


# The start of a program that exits if it can reach any part of the autograder.
HOSTILE = """
import os, signal
reached = []
def attempt(action):
    try:
        action()
    except OSError:
        return
    reached.append(action)
for path in ['.', 'source', 'source/transcripts', 'submission', 'results']:
    attempt(lambda: os.listdir(os.path.join(ROOT, path)))
for path in ['run_autograder', 'submission_metadata.json', 'results/results.json']:
    attempt(lambda: open(os.path.join(ROOT, path), 'a').close())
    attempt(lambda: open(os.path.join(ROOT, path)).close())
attempt(lambda: os.rename(ROOT + '/submission_metadata.json', ROOT + '/renamed'))
attempt(lambda: os.kill(os.getppid(), 0))
if reached:
    sys.exit(f'reached {len(reached)}')
"""
ATTEMPTS = 13


@pytest.mark.long
@pytest.mark.skipif(not IS_ROOT, reason='only root can run programs as another user')
@pytest.mark.parametrize('confine', ['user', 'none'])
def test_programs_reach_nothing_of_the_autograder(confine, ready):
    """A confined program reaches nothing; without a sandbox, each of its attempts succeeds."""
    give_options(ready, f'--confine={confine}', '--no-where')
    with open(
        ready / 'source/grading/sandbox/other_user.py', 'a'
    ) as source:  # searching would take long
        source.write(f'\n\ndef world_writable_folders(): return {SHARED}\n')
    submit(ready, HOSTILE.replace('ROOT', repr(str(ready))))
    _, results = run(ready)
    check_format(results)
    is_closed = confine == 'user'
    assert (results['extra_data']['confinement'], results['score']) == (
        confine,
        len(results['tests']) if is_closed else 0,
    )
    assert is_closed or f'reached {ATTEMPTS}\n' in results['tests'][1]['output'] + '\n'


def test_a_failed_setup_gives_no_grade(autograder):
    put(autograder, *OPTIONS)
    output, results = run(autograder)
    assert '.venv/bin/python' in output
    check_no_grade(results)


@pytest.mark.long
@pytest.mark.parametrize(
    'before',
    [
        'rm -r source/transcripts',
        # Files have at most 512 or 1024 bytes, as on a full disk; the old results stay complete.
        'export PYTHONDONTWRITEBYTECODE=1; ulimit -f 1',
    ],
)
def test_a_grader_that_cannot_start_or_write_gives_no_grade(before, ready):
    """The output contains the grader's error message, for the teacher."""
    submit(ready)
    output, results = run(ready, before)
    assert 'grading: ' in output
    check_no_grade(results)


@pytest.mark.long
@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGKILL])
def test_grading_that_is_killed(number, ready):
    is_term = number == signal.SIGTERM
    write_files(ready / 'submission', {'program.py': HANGING})
    with start(ready) as process:
        wait_for(lambda: 'tests' in results_of(ready))
        if is_term:
            process.send_signal(number)
            assert process.wait(SECONDS) == 0
        else:
            os.killpg(process.pid, number)
        process.communicate(timeout=SECONDS)
    results = results_of(ready)
    check_format(results)
    assert (results['score'], {test['output'].partition(':')[0] for test in results['tests']}) == (
        0,
        {'not run, because grading ended early' if is_term else 'not run yet'},
    )
    assert (
        results['output']
        == ('ended early: the grader received SIGTERM\n\n' if is_term else '') + INCOMPLETE
    )


def test_grader_that_is_killed_before_it_begins(autograder):
    put(autograder, *OPTIONS)
    python = autograder / 'source' / '.venv' / 'bin' / 'python'
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\nexec sleep 600\n')
    python.chmod(0o755)
    with start(autograder) as process:
        wait_for(lambda: results_of(autograder))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=SECONDS)
    check_no_grade(results_of(autograder))


@pytest.mark.parametrize('error', [OSError(28, 'No space left on device'), RuntimeError('x')])
def test_a_failure_of_the_grader_is_in_the_results(error, tmp_path, monkeypatch):
    settings = settings_for('othello')
    monkeypatch.setattr(internals.CONFINE, Mock(side_effect=error))
    submission, out = (write_files(tmp_path / name, {'main.py': ''}) for name in ('one', 'out'))
    with pytest.raises(type(error)):
        grade_task(Task('name', submission, *settings, out))
    written = json.loads((out / 'results.json').read_text())
    check_format(written)
    detail = f'{type(error).__name__}: {error}'
    assert written['extra_data']['ended'] == {'reason': 'failure', 'detail': detail}
    assert written['output'] == f'ended early: the grader failed ({detail})\n\n{INCOMPLETE}'


def test_hidden_text_is_not_in_the_output(ready):
    """run_autograder prints the grader's report, so the report must not contain hidden text."""
    give_options(ready, '--command', 'python3 greet.py', *OPTIONS, sessions='sessions/greeting')
    write_files(
        ready,
        {
            'source/sessions/greeting/a.txt': '# hidden\nTYPED\n|SECRET\n',
            'submission/greet.py': 'raise ValueError(input())\n',
        },
    )
    output, results = run(ready)
    assert 'submission: greeting, 0 of 1 points' in output
    shown = output + json.dumps(results)
    assert not [secret for secret in ('TYPED', 'SECRET', 'ValueError') if secret in shown], shown
