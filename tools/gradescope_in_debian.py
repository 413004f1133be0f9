"""Runs an autograder as Gradescope does: a fresh system, half a processor, 768 MB, no namespaces.

Run it as root: make test-gradescope [SUITE=...]. The default suite is bookworm; Ubuntu's are jammy
and noble. It takes some minutes, most of them for the slowest program, and leaves nothing behind.
Importing the module starts nothing.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from graders import check_format
from programs import OTHELLO, our_pair, write_files
from test_gradescope import HANGING, unpack
from test_honest import JAVA, first_game

from grading.installation import ROOT
from grading.sandbox.program import is_inside

# Microseconds of processor time in each period, the period in microseconds, and bytes.
PROCESSOR, PERIOD, MEMORY = 50_000, 100_000, 768 << 20
MAX_SECONDS = 300
UBUNTU = ('jammy', 'noble')
MACHINE = '/machine'  # the system's folder with files of this machine, read-only
METADATA = '{"users": [{"name": "Somebody", "email": "somebody@example.org"}]}'

# The capabilities of root in a container without namespaces: CAP_SYS_ADMIN is missing.
CAPABILITIES = (
    '-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,'
    '+net_bind_service,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap'
)

run = partial(subprocess.run, check=True, stdin=subprocess.DEVNULL)
say = partial(print, flush=True)

# Plays correctly on small boards, so that the grader does not give up on it as hanging. On
# other boards, it is as slow and greedy as possible.
WORST = """
import builtins, os, signal, time

def print(*words, flush=False):
    if not large:
        return builtins.print(*words, flush=flush)
    for _ in range(6):
        if os.fork() == 0:
            memory = []
            while True:
                memory.append(os.urandom(1 << 20))
    for character in ' '.join(map(str, words)) + '\\n':
        builtins.print(character, end='', flush=True)
        time.sleep(4)

signal.signal(signal.SIGTERM, signal.SIG_IGN)
large = False
""" + OTHELLO.replace(
    '    pass_on()\n    show()\n    while',
    """
    global large
    large = rows > 4
    pass_on()
    show()
    while""",
)

# Plays correctly only if it could reach nothing forbidden.
HOSTILE = (
    """
import os, signal, subprocess, sys, time
reached = []
def attempt(what, action):
    try:
        action()
    except (OSError, subprocess.SubprocessError):
        return
    reached.append(what)
root = '/autograder'
for path in ['.', 'source', 'source/transcripts', 'submission', 'results']:
    attempt('list ' + path, lambda: os.listdir(os.path.join(root, path)))
for path in ['run_autograder', 'submission_metadata.json', 'results/results.json',
             'source/transcripts/othello/worked_example.txt', 'source/othello_logic.py']:
    attempt('read ' + path, lambda: open(os.path.join(root, path)).close())
    attempt('write ' + path, lambda: open(os.path.join(root, path), 'a').close())
attempt('rename', lambda: os.rename(root, root + '-'))
attempt('root', lambda: os.setuid(0))
attempt('mount', lambda: subprocess.run(['mount', '-t', 'tmpfs', 'x', '/mnt'], check=True,
                                        capture_output=True))
for process in filter(str.isdigit, os.listdir('/proc')):
    if os.stat('/proc/' + process).st_uid != os.getuid():
        attempt('kill ' + process, lambda: os.kill(int(process), signal.SIGKILL))
        attempt('memory of ' + process, lambda: open('/proc/' + process + '/mem').close())
        attempt('environment of ' + process, lambda: open('/proc/' + process + '/environ').read())
for folder in ['/tmp', '/var/tmp', '/dev/shm', '/run/lock']:
    marker = os.path.join(folder, 'left-by-an-earlier-run')
    attempt('marker in ' + folder, lambda: os.stat(marker))
    attempt('', lambda: open(marker, 'w').close())
reached = [what for what in reached if what]
if os.fork() == 0:
    attempt('', os.setsid)
    if os.fork() == 0:
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        while True:
            time.sleep(0.1)
            attempt('', lambda: open(root + '/results/results.json', 'w').write('{"score": 999}'))
    os._exit(0)
if reached:
    print('REACHED', *reached)
    sys.exit(1)
"""
    + OTHELLO
)


def main(suite='bookworm'):
    """Run an autograder in a new system on all submissions; return the exit status."""
    if os.geteuid() != 0:
        sys.exit('only root can make a system')
    if not shutil.which('debootstrap'):
        run(['apt-get', '-qq', 'update'])
        run(['apt-get', '-qq', 'install', '-y', 'debootstrap'])
    folder = Path(tempfile.mkdtemp(prefix='gradescope-'))
    system = folder / 'system'
    try:
        make_system(suite, system)
        for name in ('source', 'results', 'submission'):
            (system / 'autograder' / name).mkdir(parents=True)
        prepare(system, folder)
        with limits() as groups:
            wrong = [
                check(name, system, groups, *expected)
                for name, *expected in [
                    ('honest', {'program.py': OTHELLO}, 'all'),
                    (
                        'wrong',
                        our_pair('othello', [("print('VALID', ", "print('INVALID', ")]),
                        'some',
                    ),
                    ('hostile', {'program.py': HOSTILE}, 'all'),
                    ('empty', {}, 'none'),
                    ('hanging', {'program.py': HANGING}, 'none'),
                    ('worst', {'program.py': WORST}, 'some'),
                ]
            ]
            prepare(
                system,
                folder,
                '--install',
                'default-jdk-headless',
                '--build',
                'javac *.java',
                '--command',
                'java Othello',
            )
            java = {'src/Othello.java': first_game(JAVA)}
            wrong.append(check('java', system, groups, java, 'some'))
        return int(any(wrong))
    finally:
        shutil.rmtree(folder)


def prepare(system, folder, *options):
    """Pack an autograder, and set it up in the system."""
    run(
        [sys.executable, '-m', 'grading', 'pack', 'othello', folder / 'autograder.zip', *options],
        cwd=ROOT,
    )
    unpack(folder / 'autograder.zip', system / 'autograder')
    begin = time.monotonic()
    run(inside(system, '/autograder/source/setup.sh', []), cwd='/', stdout=subprocess.DEVNULL)
    say(f'setup.sh: {time.monotonic() - begin:.0f} s')


def check(name, system, groups, files, expected):
    """Grade a submission of some files as Gradescope does; return whether anything is wrong.

    `expected` says whether it should get `all` points, `some` or `none`.
    """
    autograder = system / 'autograder'
    for place in ('submission', 'results'):
        shutil.rmtree(autograder / place)
        (autograder / place).mkdir()
    write_files(autograder / 'submission', files)
    (autograder / 'submission_metadata.json').write_text(METADATA)
    before = temporary_files(system)  # such as files left by the installation of a JDK
    begin = time.monotonic()
    done = subprocess.run(
        inside(system, '/autograder/run_autograder', groups),
        cwd='/',
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=2 * MAX_SECONDS,
    )
    seconds = time.monotonic() - begin
    results = json.loads((autograder / 'results' / 'results.json').read_text())
    if 'tests' not in results:
        say(f'WRONG: {name}: {results}\n{done.stdout.decode(errors="backslashreplace")}')
        return True
    check_format(results)
    facts = results['extra_data']
    share = results['score'] / sum(test['max_score'] for test in results['tests'])
    is_given = {'all': share == 1, 'some': 0 < share < 1, 'none': share == 0}
    left = sorted(temporary_files(system) - before)
    problems = [
        what
        for what, is_wrong in [
            (f'exit status {done.returncode}', done.returncode),
            (f'took more than {MAX_SECONDS} s', seconds > MAX_SECONDS),
            (f'score {results["score"]:g}', not is_given[expected]),
            (f'confined by {facts["confinement"]}', facts['confinement'] != 'user'),
            (f'left behind: {left}', left),
        ]
        if is_wrong
    ]
    say(
        f'{name}: {seconds:.1f} s, {peak_memory(groups)} MB at most so far, {share:.0%} of the '
        f'points, ended by {facts["ended"] or "itself"}, can reach: {facts["reach"]}'
    )
    if problems:
        say(
            *(f'  WRONG: {line}\n' for line in problems),
            done.stdout.decode(errors='backslashreplace'),
            sep='',
        )
    return bool(problems)


def temporary_files(system):
    """Return the files in the system's world-writable folders."""
    return {
        str(path)
        for folder in ('tmp', 'var/tmp', 'run/lock')
        for path in (system / folder).glob('*')
    }


def make_system(suite, system):
    """Install a fresh system from this machine's package archive."""
    begin = time.monotonic()
    origin = (
        subprocess.run(
            [
                'apt-get',
                'indextargets',
                '--format',
                '$(REPO_URI)',
                'Created-By: Packages',
                f'Codename: {suite}',
                'Component: main',
            ],
            check=False,
            stdout=subprocess.PIPE,
        )
        .stdout.decode()
        .split()[:1]
    )
    components = 'main,universe' if suite in UBUNTU else 'main'
    run(
        ['debootstrap', '--variant=minbase', f'--components={components}', suite, system, *origin],
        stdout=subprocess.DEVNULL,
    )
    shutil.copytree(
        '/etc/apt/apt.conf.d', system / 'etc' / 'apt' / 'apt.conf.d', dirs_exist_ok=True
    )
    shutil.copy('/etc/resolv.conf', system / 'etc')
    say(f'{suite}: {time.monotonic() - begin:.0f} s')


def inside(system, script, groups):
    """Return the command line to run a script in the system, in some control groups.

    When the script ends, its processes and mounts are gone.
    """
    enter = [f'echo 0 > {shlex.quote(str(group))}/cgroup.procs' for group in groups]
    variables = settings()
    mounts = [
        f'mount -t proc proc {system}/proc',
        f'mount -t tmpfs -o mode=1777,size=64m shm {system}/dev/shm',
    ]
    folders = {
        path.parent
        for value in variables.values()
        for word in value.split()
        for path in local_paths(word)
    }
    outermost = [folder for folder in folders if not is_inside(folder.parent, [*folders])]
    for folder in sorted(outermost):
        place = shlex.quote(f'{system}{MACHINE}{folder}')
        mounts += [
            f'mkdir -p {place}',
            f'mount --bind {shlex.quote(str(folder))} {place}',
            f'mount -o remount,bind,ro {place}',
        ]
    words = [
        'env',
        '-i',
        'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
        'HOME=/root',
        *(
            f'{name}={" ".join(map(word_inside, value.split()))}'
            for name, value in variables.items()
        ),
        'chroot',
        str(system),
        'setpriv',
        f'--bounding-set={CAPABILITIES}',
        script,
    ]
    within = '\n'.join(['set -e', *mounts, f'exec {shlex.join(words)}'])
    alone = ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', within]
    return ['sh', '-c', '\n'.join(['set -e', *enter, f'exec {shlex.join(alone)}'])]


def settings():
    """Return this machine's settings for reaching packages, as environment variables."""
    listed = (
        subprocess.run(
            [sys.executable, '-m', 'pip', 'config', 'list'], check=False, stdout=subprocess.PIPE
        )
        .stdout.decode()
        .splitlines()
    )
    pip = {
        'PIP_' + name.split('.')[1].upper().replace('-', '_'): value.strip("'")
        for name, _, value in (line.partition('=') for line in listed)
        if name.startswith(('global.', 'install.', ':env:.'))
    }
    return {
        **pip,
        **{name: value for name, value in os.environ.items() if name.lower().endswith('_proxy')},
    }


def local_paths(word):
    """Return the local file or folder named by a word of a setting, in a list.

    The list is empty if the word names none.
    """
    path = Path(word[len('file://') :] if word.startswith('file://') else word)
    return [path] if len(path.parts) > 2 and path.is_absolute() and path.exists() else []


def word_inside(word):
    """Return a word of a setting as the system needs it: this machine's files are in MACHINE."""
    if not local_paths(word):
        return word
    scheme = 'file://' if word.startswith('file://') else ''
    return scheme + MACHINE + word[len(scheme) :]


@contextmanager
def limits():
    """Make control groups for half a processor and 768 MB; yield them."""
    groups = []
    try:
        for parent, values in controllers():
            groups.append(Path(tempfile.mkdtemp(prefix='gradescope-', dir=parent)))
            for name, value in values.items():
                (groups[-1] / name).write_text(str(value))
        say('limited to half a processor and 768 MB, by control groups')
        yield groups
    finally:
        for group in groups:
            group.rmdir()


def controllers():
    """Return the folders for making control groups, and the limits to set in each.

    There is one folder with version 2 of control groups, and two with version 1.
    """
    top = Path('/sys/fs/cgroup')
    if (top / 'cgroup.controllers').exists():
        return [(top, {'cpu.max': f'{PROCESSOR} {PERIOD}', 'memory.max': MEMORY})]
    lines = Path('/proc/self/cgroup').read_text().splitlines()
    own = dict(line.split(':', 2)[1:] for line in lines)
    return [
        (f'{top}/cpu{own["cpu"]}', {'cpu.cfs_period_us': PERIOD, 'cpu.cfs_quota_us': PROCESSOR}),
        (f'{top}/memory{own["memory"]}', {'memory.limit_in_bytes': MEMORY}),
    ]


def peak_memory(groups):
    """Return the megabytes used by some control groups at their peak, or '?' if unknown."""
    return max(
        (
            int((group / name).read_text()) >> 20
            for group in groups
            for name in ('memory.peak', 'memory.max_usage_in_bytes')
            if (group / name).exists()
        ),
        default='?',
    )
