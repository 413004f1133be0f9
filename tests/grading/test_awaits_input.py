"""A program is seen to wait for its input, whatever it is made of, in every sandbox."""

import shlex
import shutil
import sys
from collections import Counter
from unittest import mock

import pytest
from independent import write_files
from running import SECONDS, short_patience, wait_for
from sandboxes import ALL_KINDS, confine_untried, works

import grading.sessions.play
import grading.sessions.run
from grading.sandbox.confine import scratch_folder
from grading.sandbox.program import Program
from grading.sessions.play import Experience, play
from grading.sessions.run import MOST_LOOKS, identity, running, waits_for_input
from grading.sessions.transcript import Transcript

if not sys.platform.startswith('linux'):
    pytest.skip('only Linux tells', allow_module_level=True)

ASKS = 'print(end="Name? ", flush=True)\nname = input()\nprint("Hello,", name)\n'
THREAD = '''import threading, time
threading.Thread(target=time.sleep, args=(99,), daemon=True).start()
'''
JAVA = '''class Asks {
    public static void main(String[] words) throws Exception {
        System.out.print("Name? ");
        System.out.println("Hello, " + new java.util.Scanner(System.in).nextLine());
    }
}
'''
NODE = '''process.stdout.write('Name? ');
process.stdin.on('data', (data) => { console.log('Hello, ' + `${data}`.trim()); process.exit(); });
'''
FILES_WATCHED = 50                      # each by every one of as many descriptors, one by one
WATCHES = f'''import os, select
watch = select.epoll()
for _ in range({FILES_WATCHED}):
    reader, writer = os.pipe()
    for place in range(150, 150 + {FILES_WATCHED}):
        os.dup2(reader, place)
        watch.register(place, select.EPOLLIN)
print(flush=True)
watch.poll()
'''
FILES = {'asks.py': ASKS, 'thread.py': THREAD + ASKS, 'Asks.java': JAVA, 'asks.js': NODE,
         'watches.py': WATCHES}
PROGRAMS = {
    'python': 'python3 asks.py', 'threads': 'python3 thread.py',
    'shell': 'sh -c "python3 asks.py; true"', 'pipeline': "sh -c 'cat | python3 asks.py'",
    'end of a pipeline': "sh -c 'python3 asks.py | sed -u s/x/y/'",
    'java': 'java Asks.java', 'node': 'node asks.js',
}
GREETING = Transcript('a', '# prompts: free\nAda\n|Hello, Ada\n')
EVERYWHERE = ('python', 'pipeline')     # the others in the strongest sandbox alone
BUSY = {                                # that print, and then do not wait for input
    'sleeps': 'python3 -c "import time; print(flush=True); time.sleep(99)"',
    'computes': 'python3 -c "print(flush=True)\nwhile True: pass"',
    'behind a reader': "sh -c 'cat | python3 -c \"print(flush=True)\nwhile True: pass\"'",
    'before a reader': "sh -c 'python3 -c \"print(flush=True)\nwhile True: pass\" | cat'",
}


@pytest.fixture(params=ALL_KINDS)
def start(request):
    if not works(request.param):
        pytest.skip(f'no {request.param} here')
    with scratch_folder() as scratch:
        sandbox = confine_untried(request.param, scratch)
        folder = write_files(scratch / 'asks', FILES)

        def start(command):
            words = shlex.split(command)
            if not shutil.which(words[0]):
                pytest.skip(f'no {words[0]} here')
            return running(Program(words, folder), sandbox, 2 * SECONDS)
        yield start


@pytest.mark.parametrize(('start', 'name'), [
    (kind, name) for kind in ALL_KINDS for name in PROGRAMS
    if kind == ALL_KINDS[0] or name in EVERYWHERE], indirect=['start'])
def test_a_program_is_seen_to_wait(name, start, monkeypatch):
    """And is not taken to wait because it is silent for some time."""
    monkeypatch.setattr(grading.sessions.play, 'SILENCE', float('inf'))
    with start(PROGRAMS[name]) as run:
        assert play(GREETING, run, Experience(SECONDS)).wrong is None


@pytest.mark.parametrize('name', BUSY)
def test_a_program_that_is_busy_does_not_wait(name, start):
    with start(BUSY[name]) as run:
        assert run.read(SECONDS) == b'\n'
        wait_for(lambda: waits_for_input(run.group) is False)
        for _ in range(20):             # a look sees nothing while a thread falls asleep
            assert waits_for_input(run.group) is not True


@pytest.mark.parametrize('start', ['none'], indirect=True)
def test_a_descriptor_that_is_watched_often_is_looked_at_once(start, monkeypatch):
    """Else one look would take minutes, where many threads and processes watch."""
    seen = []

    def most_often():
        """Return how often a descriptor was seen in a look, 0 where the program was busy."""
        seen.clear()
        waits_for_input(run.group)
        return max(Counter(seen).values()) if len(seen) > FILES_WATCHED else 0

    monkeypatch.setattr(grading.sessions.run, 'identity',
                        lambda path: seen.append(path) or identity(path))
    with start('python3 watches.py') as run:
        assert run.read(SECONDS) == b'\n'
        wait_for(most_often)
        assert most_often() <= MOST_LOOKS


@pytest.mark.parametrize('start', ['none'], indirect=True)
def test_output_that_is_gone_before_it_is_read_is_no_failure(start):
    """A program of the grader's user can read what it has printed itself."""
    gone = mock.Mock(side_effect=BlockingIOError)
    with start(PROGRAMS['python']) as run:
        with mock.patch('os.read', gone):
            wait_for(lambda: run.read(0.01) or gone.called)
        assert run.read(SECONDS) == b'Name? '


@pytest.mark.parametrize('start', ['none'], indirect=True)
def test_a_look_that_takes_too_long_has_seen_nothing(start, monkeypatch):
    monkeypatch.setattr(grading.sessions.run, 'LOOK_SECONDS', 0)
    with start(PROGRAMS['python']) as run:
        assert run.read(SECONDS) == b'Name? '
        for _ in range(20):
            assert waits_for_input(run.group) is None


@pytest.mark.parametrize('start', ['none'], indirect=True)
@pytest.mark.parametrize('answer', [None, False])
def test_where_it_cannot_be_seen_silence_counts(answer, start, monkeypatch):
    """Or, where it should be seen and never is, the time that a program may be silent."""
    monkeypatch.setattr(grading.sessions.run, 'waits_for_input', lambda *args: answer)
    with start(PROGRAMS['python']) as run:
        assert play(GREETING, run, Experience(short_patience())).wrong is None
