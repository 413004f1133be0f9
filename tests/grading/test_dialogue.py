"""Playing a session as a dialogue: when to type, what to read, whether a program is waiting.

A look is a check, from outside, of whether a program is waiting for input.
"""

import shlex
import shutil
import subprocess
import sys
from collections import Counter
from unittest import mock

import internals
import pytest
from assigned import transcripts_for
from graders import FAST, run_grader_here
from programs import changed, read_sample, write_files
from running import PYTHON, SECONDS, finished, short_patience, wait_for
from sandboxes import ALL_KINDS, works
from wrong_othello import WRONG

import grading.sessions.play
import grading.sessions.waiting
from grading.sandbox.choose import confine
from grading.sandbox.kinds import Sandbox
from grading.sandbox.program import Program
from grading.sandbox.scratch import scratch_folder
from grading.sessions.play import Experience, play
from grading.sessions.run import running
from grading.sessions.session import Session, at_once
from grading.sessions.transcript import parse
from grading.sessions.verdict import Dialogue, Failure, PlayedSession, Turn, failure_in
from grading.sessions.waiting import (
    MAX_LOOKS,
    ReadResult,
    Waiting,
    activity_in_poll,
    file_identity,
    only_input_wakes,
    read_or_look,
    waits_for_input,
    waits_with_time_limit,
)

if not sys.platform.startswith('linux'):
    pytest.skip('only Linux shows what waits', allow_module_level=True)

SEEN = internals.PLAY_WAITS_FOR_INPUT, internals.WAITING_WAITS_FOR_INPUT
CERTAIN = internals.ONLY_INPUT_WAKES
ECHO = 'print("Go", flush=True)\nfor line in sys.stdin: print(line.strip() + "!", flush=True)\n'
SESSION = '|Go\n1\n|1!\n2\n|2!\n# end of input\n'


@pytest.fixture
def played(tmp_path):
    """Return a function that plays a session with a Python program, and returns what was played."""

    def played(text, source, experience=None, **options):
        write_files(tmp_path / 'submission', {'main.py': f'import os, sys, time\n{source}'})
        program = Program(['python3', 'main.py'], tmp_path / 'submission')
        session = text if isinstance(text, Session) else parse(text, 'a')
        with running(program, Sandbox(tmp_path), 2 * SECONDS) as run:
            return play(session, run, experience or Experience(SECONDS), **options)

    return played


def turns(done):
    return [(turn.printed.decode(), turn.typed.decode()) for turn in done.dialogue.turns]


def test_a_right_session_is_a_dialogue_without_looks(played):
    experience = Experience(SECONDS)
    experience.looks_early = False
    with (
        mock.patch(SEEN[0], side_effect=AssertionError),
        mock.patch(SEEN[1], side_effect=AssertionError),
    ):
        done = played(SESSION, ECHO, experience)
    assert done.failure_found is None
    assert turns(done) == [('Go\n', '1\n'), ('1!\n', '2\n'), ('2!\n', ''), ('', '')]


GOES_ON = 'print("GO", flush=True)\nfor line in sys.stdin: print(line.strip() + "!", flush=True)\n'
TYPED_ON = {  # programs, their turns (None: any), and how they end
    'wrong from the first line on': (
        GOES_ON,
        [('GO\n', '1\n'), ('1!\n', '2\n'), ('2!\n', ''), ('', '')],
        ('exit', 0),
    ),
    'a wrong line in the middle': (
        ECHO.replace('"!"', '"?"'),
        [('Go\n', '1\n'), ('1?\n', '2\n'), ('2?\n', ''), ('', '')],
        ('exit', 0),
    ),
    'crashes later': (
        GOES_ON.replace('for', 'input(); input()\n1 / 0\nfor'),
        [('GO\n', '1\n'), ('', '2\n'), ('', '')],
        ('exit', 1),
    ),
    'prints without end': (
        'print("GO", flush=True)\nwhile True: os.write(1, b"x" * 999)\n',
        None,
        ('output', None),
    ),
    'hangs behind it': (
        'print("GO", flush=True)\ntime.sleep(600)\n',
        [('GO\n', '')],
        ('cut', None),
    ),
}


@pytest.mark.parametrize('name', TYPED_ON)
def test_a_wrong_line_does_not_end_a_dialogue(name, played):
    source, all_turns, end = TYPED_ON[name]
    done = played(SESSION, source)
    assert (done.is_settled, done.dialogue.end, done.dialogue.status) == (True, *end)
    assert turns(done) == (all_turns or turns(done))
    assert len(done.dialogue.output) < 1 << 18


def test_without_typing_on_only_the_first_wrong_turn_is_read(played):
    done = played(SESSION, GOES_ON, types_on=False)
    assert (done.failure_found.turn, [typed for _, typed in turns(done)]) == (0, [''])


def test_a_program_that_reads_on_gets_one_more_turn_that_ends_its_input(played):
    done = played('|Go\n1\n|1!\n', ECHO + 'print("Bye")\n', Experience(short_patience()))
    assert (done.failure_found.turn, turns(done)) == (
        1,
        [('Go\n', '1\n'), ('1!\n', ''), ('Bye\n', '')],
    )
    assert [turn.ends_input for turn in done.dialogue.turns] == [False, True, False]


def test_time_proves_once_that_a_waiting_program_prints_nothing(played):
    """Once time has proved that a program is silent while it waits, a look is enough."""
    experience = Experience(short_patience())
    source = THREAD_ASKS + 'for line in sys.stdin: pass\nprint("Go\\n1!\\n2!")\n'
    done = played(SESSION, source, experience)
    assert (done.failure_found.turn, done.is_settled, experience.looks_are_reliable) == (
        0,
        True,
        True,
    )
    assert turns(done) == [('', '1\n'), ('', '2\n'), ('', ''), ('Go\n1!\n2!\n', '')]
    experience.timeout = SECONDS * 10
    assert turns(played(SESSION, source, experience)) == turns(done)


ENDS_LATE = """
print("Go", flush=True)
open({printed!r}, "w").close()
while not os.path.exists({seen!r}): time.sleep(0.01)
"""
AFTER_A_WRONG_LOOK = {  # what a program does next, and the kind of its failure, if any
    'exits as expected': ('', None),
    'exits with another status': ('sys.exit(3)', 'status'),
    'prints more': ('print("Bye")', 'differs'),
}


@pytest.mark.parametrize('name', AFTER_A_WRONG_LOOK)
def test_a_program_that_only_seems_to_wait_while_it_ends_may_pass(name, played, tmp_path):
    """A program may pass although a look saw it waiting while it was ending.

    If it passes, the look was wrong, and from then on no look ends a wait.
    """
    source, kind = AFTER_A_WRONG_LOOK[name]
    printed, seen = tmp_path / 'printed', tmp_path / 'seen'

    def look(run, *args, **options):
        wait_for(printed.exists)
        if seen.exists():
            return read_or_look(run, *args, **options)
        output = run.read(0)
        if output is not None:
            return ReadResult(output, Waiting.UNSEEN)
        seen.touch()
        return ReadResult(None, Waiting.PROBABLE)

    experience = Experience(SECONDS)
    experience.looks_are_reliable = True
    with (
        mock.patch(internals.PLAY_READ_OR_LOOK, look),
        mock.patch(internals.GRACE_SECONDS, 5.0),
    ):
        ends_late = ENDS_LATE.format(printed=str(printed), seen=str(seen))
        done = played('|Go\n', ends_late + source, experience)
    assert (done.failure_found and done.failure_found.kind, done.dialogue.end) == (kind, 'exit')
    assert len(done.dialogue.turns) == 1  # ending the input would begin another turn
    assert experience.looks_are_reliable == (kind is not None)


@pytest.mark.parametrize(
    ('late', 'kind'), [('', None), ('Bye\n', 'differs')], ids=['nothing', 'a line']
)
def test_a_line_after_the_expected_output_and_a_long_silence_is_extra(late, kind):
    turn = Turn(f'Go\n{late}'.encode(), silence=6.0 * bool(late), in_time=3)
    wrong = failure_in(parse('|Go\n', 'a'), Dialogue([turn], status=0), 0)
    assert (wrong and wrong.kind) == kind


def test_nothing_is_typed_after_a_silence_in_a_quick_stint(played):
    source, experience = 'time.sleep(600)\n', Experience(0.3)
    experience.is_quick = True
    done = played(SESSION, source, experience)
    assert (done.failure_found.turn, done.is_settled, turns(done)) == (0, False, [('', '')])


@pytest.mark.parametrize(
    ('limit', 'turns_read'),
    [(internals.MAX_TURNS, 2), (internals.ALL_SECONDS, None)],
    ids=['turns', 'seconds'],
)
def test_the_output_after_the_first_wrong_byte_is_bounded(limit, turns_read, played):
    text = '|Go\n' + '1\n|1!\n' * 99 + '# end of input\n'
    with (
        mock.patch(limit, turns_read or 0),
        mock.patch(internals.MIN_SECONDS, 0),
    ):
        done = played(text, GOES_ON)
    assert (done.dialogue.end, len(done.dialogue.turns)) == ('cut', 1 + (turns_read or 0))


def test_silence_counts_after_the_first_wrong_byte_if_looks_show_nothing(played):
    experience = Experience(3 * short_patience())
    with (
        mock.patch(SEEN[0], return_value=None),
        mock.patch(SEEN[1], return_value=None),
        mock.patch(CERTAIN, return_value=False),
    ):
        done = played(SESSION, GOES_ON, experience)
        assert turns(done) == [('GO\n', '1\n'), ('1!\n', '2\n'), ('2!\n', ''), ('', '')]
        experience.is_quick = True
        silent = played(SESSION, 'for line in sys.stdin: pass\n', experience)
        assert (silent.is_settled, turns(silent)) == (False, [('', '')])
        experience.is_quick = False
        asleep = played(
            SESSION, GOES_ON.replace('for', 'input(); input(); time.sleep(600)\nfor'), experience
        )
        assert [turn.was_waiting for turn in asleep.dialogue.turns[-2:]] == [False, False]
    assert experience.looks_are_reliable is None


def test_the_output_kept_of_wrong_sessions_is_bounded():
    experience = Experience(SECONDS)
    experience.bytes_left = 1000
    for left in (400, 0, 0):
        experience.note(
            PlayedSession(parse('|x\n', 'a'), Dialogue([Turn(b'x' * 600)]), Failure('differs', 0))
        )
        assert experience.bytes_left == left


def test_a_program_with_unread_input_is_not_waiting(tmp_path):
    """A program with unread input does not count as waiting: it may not have woken up yet."""
    folder = write_files(tmp_path / 'submission', {'main.py': 'import time; time.sleep(600)'})
    program = Program(['python3', 'main.py'], folder)
    with (
        mock.patch(SEEN[1], return_value=True),
        running(program, Sandbox(tmp_path), SECONDS) as run,
    ):
        assert read_or_look(run, SECONDS) == (None, Waiting.PROBABLE)
        run.send(b'1\n', SECONDS)
        assert read_or_look(run, 0.2) == (None, Waiting.UNSEEN)


def test_a_program_that_begins_to_read_during_a_look_is_certainly_waiting(tmp_path):
    folder = write_files(tmp_path / 'submission', {'main.py': 'input()'})
    program = Program(['python3', 'main.py'], folder)
    with running(program, Sandbox(tmp_path), SECONDS) as run:
        wait_for(lambda: only_input_wakes(run))
        with mock.patch(CERTAIN, side_effect=[False, True]):
            assert read_or_look(run, SECONDS) == (None, Waiting.CERTAIN)


# Right programs, seemingly waiting for input while they work.
THREAD = """import queue, sys, threading
lines = queue.Queue()
threading.Thread(target=lambda: [*map(lines.put, sys.stdin)], daemon=True).start()
for _ in range(2):
    print("Number? ", end="", flush=True)
    number = int(lines.get())
    threading.Event().wait(0.4)
    print("Twice:", 2 * number, flush=True)
"""
PLAIN = """import time
for _ in range(2):
    number = int(input("Number? "))
    time.sleep(0.2)
    print("Twice:", 2 * number, flush=True)
"""
NODE = """const lines = require('readline').createInterface({input: process.stdin});
let left = 2;
process.stdout.write('Number? ');
lines.on('line', (line) => setTimeout(() => {
    console.log('Twice: ' + 2 * Number(line));
    if (--left) process.stdout.write('Number? '); else process.exit();
}, 400));
"""
JAVA = """class Slow {
    public static void main(String[] words) throws Exception {
        java.util.Scanner in = new java.util.Scanner(System.in);
        for (int left = 2; left > 0; left--) {
            System.out.print("Number? ");
            int number = in.nextInt();
            Thread.sleep(400);
            System.out.println("Twice: " + 2 * number);
        }
    }
}
"""
FILES = {'thread.py': THREAD, 'plain.py': PLAIN, 'slow.js': NODE, 'Slow.java': JAVA}
COMMANDS = [
    'python3 thread.py',
    'python3 plain.py',
    pytest.param('node slow.js', marks=pytest.mark.long),
    pytest.param('java Slow', marks=pytest.mark.long),
]
PATHS = [  # only in the first session can the grader do without looks at the program
    '|Number? \\\n3\n|Twice: 6\n|Number? \\\n4\n|Twice: 8\n',
    '# prompts: free\n3\n|Twice: 6\n4\n|Twice: 8\n',
    '# prompts: free\n# any lines\n3\n# any lines\n|Twice: 6\n# any lines\n4\n# any lines\n'
    '|Twice: 8\n',
]


def judge(folder, command, sessions):
    """Play sessions with a program; yield the first wrong turn of each, or None."""
    words = shlex.split(command)
    if not shutil.which(words[0]):
        pytest.skip(f'no {words[0]} here')
    program = Program(words, write_files(folder / 'program', FILES))
    if words[0] == 'java':  # compile once, not in each session
        compiler = ['javac', '-J-XX:TieredStopAtLevel=1', 'Slow.java']
        assert finished(compiler, cwd=program.folder)[0] == 0
    (folder / 'scratch').mkdir(exist_ok=True)
    experience = Experience(SECONDS)
    for session in sessions:
        with running(program, Sandbox(folder / 'scratch'), 2 * SECONDS) as run:
            done = play(session, run, experience)
        experience.note(done)
        yield done.failure_found and done.failure_found.turn


@pytest.mark.parametrize('command', COMMANDS)
def test_right_programs_that_seem_to_wait_pass(command, tmp_path):
    sessions = [parse(text, 'a') for text in PATHS]
    assert [*judge(tmp_path, command, sessions)] == [None] * len(PATHS)


def test_right_programs_pass_where_looks_see_nothing(tmp_path):
    """Right programs pass where looks see nothing, as in a container without CAP_SYS_PTRACE."""
    sessions = [parse(text, 'a') for text in PATHS]
    with (
        mock.patch(internals.ACTIVITY_OF_THREAD, return_value='hidden'),
        mock.patch(CERTAIN, return_value=False),
    ):
        assert [*judge(tmp_path, COMMANDS[0], sessions)] == [None] * len(PATHS)


def test_a_program_that_seemed_to_wait_and_printed_is_not_trusted(played):
    experience = Experience(SECONDS)
    assert played(PATHS[0], THREAD, experience).failure_found is None
    assert experience.looks_are_reliable is False


def test_a_pipeline_passes_whose_first_program_reads_for_the_other(tmp_path):
    session = parse('3\n4\n# end of input\n|Twice: 6\n|Twice: 8\n', 'a')
    command = 'sh -c \'tr a b | python3 plain.py | tr ? "\\n" | grep -o Tw.*\''
    sessions = [session, at_once(session)]
    assert [*judge(tmp_path, command, sessions)] == [None, None]


# Whether a program waits for input.

ASKS = 'print(end="Name? ", flush=True)\nname = input()\nprint("Hello,", name)\n'
THREAD_ASKS = """import threading, time
threading.Thread(target=time.sleep, args=(99,), daemon=True).start()
"""
JAVA_ASKS = """class Asks {
    public static void main(String[] words) throws Exception {
        System.out.print("Name? ");
        System.out.println("Hello, " + new java.util.Scanner(System.in).nextLine());
    }
}
"""
NODE_ASKS = """process.stdout.write('Name? ');
process.stdin.on('data', (data) => { console.log('Hello, ' + `${data}`.trim()); process.exit(); });
"""
FILES_WATCHED = 50  # the number of watched files, and of the watched descriptors of each file
WATCHES = f"""import os, select
watch = select.epoll()
for _ in range({FILES_WATCHED}):
    reader, writer = os.pipe()
    for place in range(150, 150 + {FILES_WATCHED}):
        os.dup2(reader, place)
        watch.register(place, select.EPOLLIN)
print(flush=True)
watch.poll()
"""
PASSES_ON = """import os, select, subprocess, sys
pipe = subprocess.PIPE
inner = subprocess.Popen([sys.executable, 'asks.py'], stdin=pipe, stdout=pipe)
open_files = {0: inner.stdin.fileno(), inner.stdout.fileno(): 1}
def ready():
    if sys.argv[1] == 'select':
        return select.select([*open_files], [], [])[0]
    poll = select.poll()
    for file in open_files:
        poll.register(file, select.POLLIN)
    return [file for file, _ in poll.poll()]
while inner.stdout.fileno() in open_files:
    for file in ready():
        text = os.read(file, 1000)
        if text:
            os.write(open_files[file], text)
        else:
            del open_files[file]
"""
FILES_ASKS = {
    'asks.py': ASKS,
    'thread.py': THREAD_ASKS + ASKS,
    'Asks.java': JAVA_ASKS,
    'asks.js': NODE_ASKS,
    'watches.py': WATCHES,
    'passes_on.py': PASSES_ON,
}
PROGRAMS = {
    'python': 'python3 asks.py',
    'threads': 'python3 thread.py',
    'shell': 'sh -c "python3 asks.py; true"',
    'pipeline': "sh -c 'cat | python3 asks.py'",
    'end of a pipeline': "sh -c 'python3 asks.py | sed -u s/x/y/'",
    'select': 'python3 passes_on.py select',
    'poll': 'python3 passes_on.py poll',
    'java': 'java -XX:TieredStopAtLevel=1 Asks.java',
    'node': 'node asks.js',
}
GREETING = parse('# prompts: free\nAda\n|Hello, Ada\n', 'a')
EVERYWHERE = ('python', 'pipeline')  # the others run only in the strongest sandbox
BUSY = {  # programs that print a line, and then do not wait for input
    'sleeps': 'python3 -c "import time; print(flush=True); time.sleep(99)"',
    'computes': 'python3 -c "print(flush=True)\nwhile True: pass"',
    'behind a reader': 'sh -c \'cat | python3 -c "print(flush=True)\nwhile True: pass"\'',
    'before a reader': 'sh -c \'python3 -c "print(flush=True)\nwhile True: pass" | cat\'',
}


@pytest.fixture(params=ALL_KINDS)
def start(request):
    if not works(request.param):
        pytest.skip(f'no {request.param} here')
    with scratch_folder() as scratch:
        sandbox = confine(request.param, scratch)
        folder = write_files(scratch / 'asks', FILES_ASKS)

        def start(command):
            words = shlex.split(command)
            if not shutil.which(words[0]):
                pytest.skip(f'no {words[0]} here')
            return running(Program(words, folder), sandbox, 2 * SECONDS)

        yield start


@pytest.mark.parametrize(
    ('start', 'name'),
    [
        pytest.param(kind, name, marks=[pytest.mark.long] * (name in ('java', 'node')))
        for kind in ALL_KINDS
        for name in PROGRAMS
        if kind == ALL_KINDS[0] or name in EVERYWHERE
    ],
    indirect=['start'],
)
def test_a_program_is_seen_to_wait(name, start, monkeypatch):
    """A look sees that a program is waiting; silence does not count here."""
    monkeypatch.setattr(grading.sessions.play, 'SILENCE', float('inf'))
    with start(PROGRAMS[name]) as run:
        assert play(GREETING, run, Experience(SECONDS)).failure_found is None


@pytest.mark.parametrize('name', BUSY)
def test_a_program_that_is_busy_does_not_wait(name, start):
    with start(BUSY[name]) as run:
        assert run.read(SECONDS) == b'\n'
        wait_for(lambda: waits_for_input(run) is False)
        for _ in range(20):  # one look proves little: a thread may just be falling asleep
            assert waits_for_input(run) is not True
            if 'reader' not in name:  # nor is any process of the sandbox waiting
                assert waits_for_input(run, ignore_busy=True) is False


@pytest.mark.parametrize('start', ['none'], indirect=True)
def test_a_program_that_polls_for_some_time_may_go_on_without_input(start):
    with start(
        'python3 -c "import select; print(flush=True); select.select([0], [], [], 99)"'
    ) as run:
        assert run.read(SECONDS) == b'\n'
        wait_for(lambda: waits_for_input(run) is None)
        for _ in range(20):
            assert not waits_for_input(run)
        assert waits_with_time_limit(run)


@pytest.mark.parametrize('start', ['none'], indirect=True)
def test_a_descriptor_that_is_watched_often_is_examined_once(start, monkeypatch):
    """A look examines each descriptor once; otherwise many watching threads would cost minutes."""
    seen = []

    def most_often():
        """Return how often one look examined the same descriptor, or 0 if the program was busy."""
        seen.clear()
        waits_for_input(run)
        return max(Counter(seen).values()) if len(seen) >= FILES_WATCHED else 0

    monkeypatch.setattr(
        grading.sessions.waiting,
        'file_identity',
        lambda *descriptor: seen.append(descriptor) or file_identity(*descriptor),
    )
    with start('python3 watches.py') as run:
        assert run.read(SECONDS) == b'\n'
        wait_for(most_often)
        assert most_often() <= MAX_LOOKS


def test_a_process_that_ends_during_a_look_is_idle():
    with subprocess.Popen(['true']) as process:
        process.wait()
    call_without_time_limit = [b'7', b'0x0', b'0x1', b'0xffffffffffffffff']
    assert activity_in_poll(process.pid, call_without_time_limit, (1, 1)) == 'idle'


@pytest.mark.parametrize('start', ['none'], indirect=True)
def test_output_that_is_gone_before_it_is_read_is_no_failure(start):
    """Output may be gone when the grader tries to read it.

    If a program runs as the grader's user, it can itself read its own output.
    """
    gone = mock.Mock(side_effect=BlockingIOError)
    with start(PROGRAMS['python']) as run:
        with mock.patch('os.read', gone):
            wait_for(lambda: run.read(0.01) or gone.called)
        assert run.read(SECONDS) == b'Name? '


@pytest.mark.parametrize('start', ['none'], indirect=True)
def test_a_look_that_takes_too_long_has_seen_nothing(start, monkeypatch):
    monkeypatch.setattr(grading.sessions.waiting, 'LOOK_SECONDS', 0)
    with start(PROGRAMS['python']) as run:
        assert run.read(SECONDS) == b'Name? '
        for _ in range(20):
            assert waits_for_input(run) is None


@pytest.mark.parametrize('start', ['none'], indirect=True)
@pytest.mark.parametrize('answer', [None, False])
def test_silence_counts_where_waiting_cannot_be_seen(answer, start, monkeypatch):
    """Where looks cannot tell whether a program is waiting (None), its silence counts.

    Where they show that it is not waiting (False), it may be silent until the time limit.
    """
    monkeypatch.setattr(grading.sessions.waiting, 'waits_for_input', lambda *args: answer)
    monkeypatch.setattr(grading.sessions.waiting, 'only_input_wakes', lambda run: False)
    with start(PROGRAMS['python']) as run:
        assert play(GREETING, run, Experience(short_patience())).failure_found is None


# What can wake a program: only input, or something else too.

ALONE = {
    'python': 'python3 asks.py',
    'a shell that becomes the program': "sh -c 'exec python3 asks.py'",
    'another language': 'sh -c \'printf "Name? "; exec sed -u "s/^/Hello, /;q"\'',
}

AWAKE = {  # programs reading their input, until something else wakes them
    'a thread': 'threading.Thread(target=lambda: (time.sleep(0.5), done()), daemon=True).start()',
    'a timer': 'signal.signal(signal.SIGALRM, done); signal.setitimer(signal.ITIMER_REAL, 0.5)',
    # The timer sends SIGINT (SIGEV_SIGNAL), and measures time with CLOCK_MONOTONIC.
    'a timer for the one signal that Python always catches': """
signal.signal(signal.SIGINT, done)
library, timer = ctypes.CDLL(None), ctypes.c_void_p()
event = (ctypes.c_int * 16)(0, 0, signal.SIGINT, 0)
assert library.timer_create(1, event, ctypes.byref(timer)) == 0
when = (ctypes.c_long * 4)(0, 0, 0, 500_000_000)
assert library.timer_settime(timer, 0, when, None) == 0
""",
    'a child': """
if not os.fork():
    time.sleep(0.5)
    done()
""",
    'a process that nobody has started': """
if not os.fork():
    if not os.fork():
        time.sleep(0.5)
        done()
    os._exit(0)
os.wait()
""",
    'a second process with the input': """
if not os.fork():
    signal.signal(signal.SIGALRM, done)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    sys.stdin.read()
""",
    # A child stops and continues the program while the program is reading.
    'a debugger': """
reader = os.getpid()
if not os.fork():
    time.sleep(0.2)
    os.kill(reader, signal.SIGSTOP)
    time.sleep(0.3)
    os.kill(reader, signal.SIGCONT)
    done()
""",
}
DONE = """import ctypes, signal, threading
def done(*_):
    os.write(1, b"Go\\n")
    time.sleep(0.1)
    os.kill(0, signal.SIGKILL)
"""


@pytest.mark.parametrize('name', ALONE)
def test_nothing_but_input_wakes_a_program_that_only_reads(name, start):
    with start(ALONE[name]) as run:
        assert run.read(SECONDS) == b'Name? '
        wait_for(lambda: only_input_wakes(run))
        run.send(b'Ada', SECONDS)  # without a newline, so the program goes on reading
        wait_for(lambda: only_input_wakes(run))
        run.send(b'\n', SECONDS)
        assert run.read(SECONDS) == b'Hello, Ada\n'
        assert not only_input_wakes(run)


@pytest.mark.parametrize('name', AWAKE)
def test_a_program_that_something_else_may_wake_is_waited_for(name, played):
    """If something other than input may wake a program, the grader waits for its output."""
    source = f'{DONE}{AWAKE[name]}\nsys.stdin.read()\n'
    done = played('# exit status: any\n|Go\n1\n', source)
    assert (done.failure_found, turns(done)) == (None, [('Go\n', '1\n'), ('', '')])


def test_a_program_that_only_input_can_wake_is_not_waited_for(played):
    """If only more input triggers output, the grader does not wait for it, whatever the limit.

    This holds with and without early looks at the program.
    """
    experience = Experience(SECONDS * 10)
    source = 'for line in sys.stdin: pass\nprint("Go\\n1!\\n2!")\n'
    for looks_early in (True, False):
        experience.looks_early = looks_early
        done = played(SESSION, source, experience)
        assert (done.failure_found.turn, done.is_settled, experience.looks_are_reliable) == (
            0,
            True,
            None,
        )
        assert turns(done) == [('', '1\n'), ('', '2\n'), ('', ''), ('Go\n1!\n2!\n', '')]


# All input at once.

SESSIONS = {
    'one.txt': '|First?\n3\n|Second?\n4\n|Sum:\n|7\n',
    'two.txt': '|First?\n30\n|Second?\n40\n# free\n|Sum:\n|70\n',
    'three.txt': '|First?\n1\n|Second?\n1\n|Sum:\n|2\n',
}
LATE = """import sys
print('First?')
first = int(sys.stdin.readline())
print('Second?')
print('Sum:', first + int(sys.stdin.readline()), sep='\\n')
"""


@pytest.fixture
def grade(tmp_path):
    def grade(source, *words, sessions=SESSIONS):
        files = {'assignment.ini': 'flush = required\n', **sessions}
        course = write_files(tmp_path / 'sums', files)
        folder = write_files(tmp_path / 'submitted', {'sums.py': source})
        return run_grader_here(
            'grade',
            course,
            folder,
            '--command',
            f'{PYTHON} sums.py',
            *FAST,
            '--timeout',
            short_patience(),
            *words,
        )

    return grade


def test_a_program_that_does_not_flush_passes_only_with_all_input_at_once(grade, tmp_path):
    status, output, _ = grade(LATE, '--at-once', '--out', tmp_path / 'results')
    assert status == 0, output
    assert output.splitlines()[-1] == 'submitted: sums, 3 of 3 points (with all its input at once)'
    page = (tmp_path / 'results' / 'submitted' / 'report.html').read_text(encoding='utf-8')
    assert '<dt>Played</dt><dd>with all its input at once</dd>' in page
    status, output, _ = grade(LATE, '--out', tmp_path / 'other')
    assert status == 1
    assert output.splitlines()[-1] == 'submitted: sums, 0 of 3 points'
    page = (tmp_path / 'other' / 'submitted' / 'report.html').read_text(encoding='utf-8')
    assert '<dt>Played</dt><dd>line by line</dd>' in page


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        (
            ("'Second?'", "'Then?'"),
            'one.txt:3: not the expected output (with all its input at '
            'once)\n  typed    |3    (line 2)\n  expected |Second?\n  printed  |Then?\n',
        ),
        (("sep='\\n'", "'!', sep='\\n'"), 'one.txt:6: not the expected output'),
        (("'Sum:', ", ''), 'one.txt:5: not the expected output'),
        (("print('Sum:'", "sys.exit(); print('Sum:'"), 'one.txt:5: the program ended too early'),
        (("'Sum:', first", "'Sum:', 'x', first"), 'one.txt:6: not the expected output'),
        (
            (
                'import sys\n',
                'import sys, atexit, os\natexit.register(lambda: os._exit(3))\n'
                'print = __import__("functools").partial(print, flush=True)\n',
            ),
            'one.txt:6: the program ended with exit status 3 instead of 0',
        ),
        (
            (
                'import sys\n',
                'import sys, time, atexit\natexit.register(time.sleep, 60)\n'
                'print = __import__("functools").partial(print, flush=True)\n',
            ),
            'one.txt:6: the program was still running',
        ),
        (
            ('import sys\n', 'import sys, time\ntime.sleep(60)\n'),
            'one.txt:1: the program printed nothing for',
        ),
    ],
    ids=['differs', 'more', 'missing', 'ended', 'extra', 'status', 'not ended', 'silent'],
)
def test_the_first_difference_is_shown(change, message, grade):
    source = changed(LATE, [change])
    status, output, _ = grade(source, '--at-once', sessions={'one.txt': SESSIONS['one.txt']})
    assert status == 1
    assert ' '.join(message.split()) in ' '.join(output.split())


def test_a_program_that_never_flushes_is_played_with_all_input_at_once(tmp_path):
    """A program that never flushes gets no points, but the report also lists its other faults."""
    source = changed(read_sample('othello'), [*WRONG['no-flush'], *WRONG['wins-ignored']])
    folder = write_files(tmp_path / 'late', {'othello.py': source})
    status, output, _ = run_grader_here(
        'grade',
        'othello',
        folder,
        '--command',
        f'{PYTHON} othello.py',
        *FAST,
        '--timeout',
        short_patience(),
        '--fresh',
        '3',
        '--seed',
        '1',
    )
    assert status == 1
    assert output.splitlines()[-1].startswith('late: othello, 0 of '), output
    assert '1. The program does not flush: ' in output
    assert '2. The program ignores "<": ' in output
    assert (
        'not run line by line, because the program prints its answers only after further input. '
        'In these sessions, the program prints the expected output when it gets all its input at once.'
    ) in ' '.join(output.split())
    assert f'\nnot run {len(transcripts_for("othello")) - 3} sessions\n' in output
    assert 'hung' not in output


def test_a_session_that_cannot_be_played_at_once_is_not_said_to_be_right_at_once(tmp_path):
    """If the input depends on what the program prints, it cannot be sent at once."""
    source = read_sample('piles').replace('input(question)', 'sys.stdin.readline()')
    folder = write_files(tmp_path / 'late', {'piles.py': f'import sys\n{source}'})
    results = grading.grade('piles', folder, confine='none', where=False)
    reasons = {test.name: test.reason for test in results.tests}
    follow = [session.name for session in transcripts_for('piles') if session.others]
    assert follow
    assert {reasons[name] for name in follow} == {'late'}
    assert 'late, but right at once' in reasons.values()


@pytest.mark.long
def test_a_program_that_answers_another_line_still_plays_line_by_line(tmp_path):
    """If a program skips negative numbers, and so answers a line later, it is played as usual."""
    source = changed(read_sample('othello'), WRONG['negative-numbers'])
    folder = write_files(tmp_path / 'skips', {'othello.py': source})
    status, output, _ = run_grader_here(
        'grade', 'othello', folder, *FAST, '--timeout', short_patience()
    )
    sessions = len(transcripts_for('othello'))
    assert status == 1
    assert output.splitlines()[0] == f'passed  {sessions - 3} sessions'
    assert output.splitlines()[-1] == f'skips: othello, {sessions - 3} of {sessions} points'
