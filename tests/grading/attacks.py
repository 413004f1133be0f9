"""Hostile programs: the source of each, and the sign of its success without a sandbox.

In every sandbox, each attack must fail: the program gets no points, leaves nothing behind, and ends
within a time limit.
"""

from typing import NamedTuple

# Groups of attacks. One program makes all attacks of a group in turn, but each attack of the groups
# GREEDY, ENDLESS and LAST has its own program. Those of GREEDY are refused or killed.
ALL_ELSE, SYSTEM_CALLS, FORMER_RUNS, GREEDY, ENDLESS, LAST = (
    'all else',
    'system calls',
    'former runs',
    'greedy',
    'endless',
    'last',
)
# The signs of an attack's success without a sandbox: it reports success itself; it runs on and
# reports nothing; its processes outlive the program; or afterwards, files are left or missing.
SAYS_SO, GOES_ON, OUTLIVES, LEAVES = 'says so', 'goes on', 'outlives', 'leaves'


# What the sandbox defends: the rows of the first table in docs/security.md.
ROWS = READS, CHANGES, REACHES, USES_UP, HOLDS_UP, SPOILS, BREAKS = (
    'read the sessions, the expected output, other submissions, the grader, results, or your home '
    'folder',
    'change a result, its own or another one; leave anything for its next session or for another '
    'program',
    'use the network; signal, trace or change processes that are not its own; outlive its run',
    'use up memory, processes, files, disk space, or room for output',
    'hold up the class',
    'put HTML, terminal codes, formulas or foreign rows into pages, the terminal or tables; replace '
    'the name or the files of another submission',
    'make the grader crash or hang, or change or delete your files',
)


class Attack(NamedTuple):
    """An attack: the function `attack` in `source`. In its module, `SHARED_BY_ALL` comes first.

    `row` is what it tries to do. `shown_by` is the sign of its success without a sandbox.
    """

    row: str
    group: str
    shown_by: str
    source: str


# The beginning of each attack's module. The program prints which attacks returned true.
SHARED_BY_ALL = '''
import os
LEFT_OPEN = [number for number in range(3, 256) if os.path.exists(f'/proc/self/fd/{number}')]
import ctypes           # may open a library and keep it open
import errno
import fcntl
import glob
import importlib
import mmap
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from types import SimpleNamespace

SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock', '/dev', '/mnt', '/']
aims = SimpleNamespace()                # targets, such as the paths of the grader's files


def run(names, where):
    """Make some attacks, one after the other, and print which succeeded."""
    vars(aims).update(where)
    succeeded = [name for name in names if succeeds(name)]
    print('succeeded:', *succeeded or ['none'], file=sys.stderr, flush=True)


def succeeds(name):
    """Make an attack; return whether it reports success."""
    with suppress(Exception, SystemExit):
        return importlib.import_module(name).attack() or False
    return False


def others():
    """Return the visible processes, except this one and process 1."""
    numbers = [int(name) for name in os.listdir('/proc') if name.isdigit()]
    return [number for number in numbers if number not in (1, os.getpid())]


def anything(attempts):
    """Return whether at least one attempt is not refused."""
    for attempt in attempts:
        with suppress(Exception):
            attempt()
            return True
    return False


def read(path):
    """Return the beginning of a file."""
    with open(path, 'rb') as stream:
        return stream.read(1 << 20)


def write(path):
    """Write the mark that a later attack looks for."""
    with open(path, 'w') as stream:
        stream.write(aims.mark)


def in_each(count, hold):
    """Call a function in this many processes, which hold what it made; return how many succeed.

    The functions wait for some seconds, so that the grader has time to count what they hold.
    """
    reader, writer = os.pipe()
    children = []
    for _ in range(count):
        child = os.fork()
        if not child:
            held = None
            with suppress(Exception):
                held = hold()
            os.write(writer, b'.' if held else b'-')
            time.sleep(600)
        children.append(child)
    try:
        return sum(os.read(reader, 1) == b'.' for _ in children)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)

'''
ATTACKS = {
    # Connect to a server by an abstract socket name: this needs no file.
    'abstract_socket': Attack(
        REACHES,
        ALL_ELSE,
        SAYS_SO,
        r"""
def attack():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect('\0' + aims.mark)
    return True
""",
    ),
    # Find the grader's copies of other submissions.
    'another_run': Attack(
        READS,
        ALL_ELSE,
        SAYS_SO,
        """
def attack():
    for folder in [*SHARED, os.environ['TMPDIR'] + '/..', os.path.dirname(aims.scratch)]:
        for place in glob.glob(f'{folder}/grading*'):
            if any('othello_console.py' in files for _, _, files in os.walk(place)):
                return True
    return anything([lambda: os.listdir(aims.scratch)[0]])
""",
    ),
    # Answer with somebody else's program.
    'another_submission': Attack(
        READS,
        ALL_ELSE,
        SAYS_SO,
        """
def attack():
    return anything([lambda: os.listdir(aims.other)[0],
                     lambda: read(f'{aims.other}/othello_console.py')])
""",
    ),
    # Write a file of more than 16 MB.
    'big_file': Attack(
        USES_UP,
        ALL_ELSE,
        SAYS_SO,
        """
def attack():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open('big', 'wb') as stream:
        stream.truncate(17 << 20)
    return True
""",
    ),
    # Find a descriptor left open by the grader.
    'descriptors': Attack(
        READS,
        ALL_ELSE,
        SAYS_SO,
        """
def attack():
    return LEFT_OPEN
""",
    ),
    # Change a result, an expected output, the grader, or somebody else's program.
    'edits': Attack(
        CHANGES,
        ALL_ELSE,
        SAYS_SO,
        """
def attack():
    files = [aims.results, *(f'{aims.project}/{name}' for name in (
        'othello_console.py', 'tests/conftest.py', 'transcripts/othello/worked_example.txt',
        'grading/__init__.py')), f'{aims.other}/othello_console.py']
    attempts = []
    for path in files:
        attempts += [lambda path=path: write(path), lambda path=path: write(path + '.new'),
                     lambda path=path: os.remove(path), lambda path=path: os.chmod(path, 0o777),
                     lambda path=path: os.rename(os.path.dirname(path), path + '-gone')]
    return anything(attempts)
""",
    ),
    # Find the grader's paths in the environment.
    'environment': Attack(
        READS,
        ALL_ELSE,
        SAYS_SO,
        r"""
def attack():
    values = '\0'.join(f'{name}={value}' for name, value in os.environ.items())
    return any(word in values for word in ('PYTHON', 'TOKEN', aims.project, aims.base))
""",
    ),
    # Write into every folder of the system.
    'writes_elsewhere': Attack(
        CHANGES,
        ALL_ELSE,
        SAYS_SO,
        """
def attack():
    return anything(
        [lambda folder=folder: write(f'{folder}/{aims.mark}')
         for folder in ['/', '/dev', '/mnt', '/proc', '/etc', aims.project, aims.base]])
""",
    ),
    # Read a file in the teacher's home folder.
    'home_folder': Attack(
        READS,
        ALL_ELSE,
        SAYS_SO,
        """
def attack():
    return anything([lambda: read(f'{aims.home}/notes')])
""",
    ),
    # Hold more memory than a process is allowed.
    'memory': Attack(
        USES_UP,
        ALL_ELSE,
        SAYS_SO,
        """
MUCH = 1100 << 20

def attack():
    return anything([lambda: mmap.mmap(-1, MUCH, mmap.MAP_PRIVATE), lambda: bytearray(MUCH)])
""",
    ),
    # Answer with the built-in console.
    'our_console': Attack(
        READS,
        ALL_ELSE,
        SAYS_SO,
        """
def attack():
    return anything([lambda: read(f'{aims.project}/othello_console.py')])
""",
    ),
    # Find the built-in console through the folders, open files, command lines and environments of all
    # processes.
    'our_console_by_proc': Attack(
        READS,
        ALL_ELSE,
        SAYS_SO,
        r"""
def attack():
    found = []
    for process in [f'/proc/{number}' for number in [*others(), 1]]:
        found += [f'{process}/cwd', f'{process}/root{aims.project}', *glob.glob(f'{process}/fd/*')]
        for name in ('cmdline', 'environ'):
            with suppress(OSError):
                words = read(f'{process}/{name}').decode(errors='replace').replace('=', '\0')
                found += [word for word in words.split('\0') if word.startswith(aims.base)]
    return any(os.path.exists(f'{path}{up}/othello_console.py')
               for path in found for up in ('', '/..', '/../..'))
""",
    ),
    # Write into the memory of other processes, beginning with the grader.
    'patches_memory': Attack(
        REACHES,
        ALL_ELSE,
        SAYS_SO,
        """
def attack():
    library = ctypes.CDLL(None)

    def patch(process):
        with open(f'/proc/{process}/mem', 'r+b') as memory:
            memory.seek(int(read(f'/proc/{process}/maps').split(b'-')[0], 16))
            memory.read(1)

    def trace(process):
        if library.ptrace(16, process, 0, 0):
            raise OSError

    return anything([lambda f=f, p=p: f(p) for p in [os.getppid(), *others()]
                     for f in (patch, trace) if p > 1])
""",
    ),
    # Gain rights through a setuid `cat`, owned by root.
    'setuid_tool': Attack(
        READS,
        ALL_ELSE,
        SAYS_SO,
        """
def attack():
    return bool(subprocess.run([aims.tool, '/proc/1/environ', f'{aims.project}/pyproject.toml'],
                               stdout=subprocess.PIPE, check=False).stdout)
""",
    ),
    # Open the teacher's terminal.
    'terminal': Attack(
        SPOILS,
        ALL_ELSE,
        SAYS_SO,
        """
def attack():
    return anything([lambda: os.open('/dev/tty', os.O_RDWR)])
""",
    ),
    # Read the expected output.
    'transcripts': Attack(
        READS,
        ALL_ELSE,
        SAYS_SO,
        """
def attack():
    return anything([lambda: os.listdir(f'{aims.project}/transcripts')[0],
                     lambda: read(f'{aims.project}/transcripts/othello/worked_example.txt')])
""",
    ),
    # Answer with a program of the same class, but not one being graded now.
    'ungraded_submission': Attack(
        READS,
        ALL_ELSE,
        SAYS_SO,
        """
def attack():
    return anything([lambda: os.listdir(aims.ungraded)[0],
                     lambda: read(f'{aims.ungraded}/othello_console.py')])
""",
    ),
    # Hold kernel memory subject to no limit: pages in pipes, and Landlock rules.
    'kernel_memory': Attack(
        USES_UP,
        SYSTEM_CALLS,
        SAYS_SO,
        """
CREATE_RULESET = 444

def fill_pipe():
    _, writer = os.pipe()
    page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE)
    held = (ctypes.c_size_t * 2)(ctypes.addressof(ctypes.c_char.from_buffer(page)), 4096)
    assert ctypes.CDLL(None).vmsplice(writer, held, 1, 0) == 4096

def make_rules():
    about_network = (ctypes.c_uint64 * 2)(0, 1)
    assert ctypes.CDLL(None).syscall(CREATE_RULESET, about_network, ctypes.c_size_t(16), 0) >= 0

def attack():
    return anything([fill_pipe, make_rules])
""",
    ),
    # Hold kernel memory: file watches, and their unread events.
    'watches': Attack(
        USES_UP,
        SYSTEM_CALLS,
        SAYS_SO,
        """
def attack():
    watches = ctypes.CDLL(None).inotify_init1(0)
    return watches >= 0 and ctypes.CDLL(None).inotify_add_watch(watches, b'.', 0xFFF) >= 0
""",
    ),
    # The same with the newer fanotify.
    'watches_by_group': Attack(
        USES_UP,
        SYSTEM_CALLS,
        SAYS_SO,
        """
REPORT_IDS = 0x200

def attack():
    return ctypes.CDLL(None).fanotify_init(REPORT_IDS, 0) >= 0
""",
    ),
    # Hold kernel memory: the unfetched results of asynchronous reads.
    'results_of_reads': Attack(
        USES_UP,
        SYSTEM_CALLS,
        SAYS_SO,
        """
SETUP = 206                             # io_setup on x86-64

def attack():
    return ctypes.CDLL(None).syscall(SETUP, 16, ctypes.byref(ctypes.c_ulong(0))) == 0
""",
    ),
    # Lease a file: whoever opens it waits for up to 45 seconds.
    'lease': Attack(
        HOLDS_UP,
        SYSTEM_CALLS,
        SAYS_SO,
        """
SET_LEASE = 1024

def attack():
    library = ctypes.CDLL(None)
    file = os.open('leased', os.O_RDONLY | os.O_CREAT)
    return any(library.fcntl(file, ctypes.c_long(SET_LEASE + more), fcntl.F_WRLCK) == 0
               for more in (0, 1 << 32))
""",
    ),
    # Use the kernel's keyrings: they may have keys of the grader, and can keep a key for the next run.
    'keyrings': Attack(
        CHANGES,
        SYSTEM_CALLS,
        SAYS_SO,
        """
ADD, REQUEST, CONTROL, SESSION = 248, 249, 250, -3      # on x86-64

def attack():
    call = ctypes.CDLL(None).syscall
    return (call(CONTROL, 0, SESSION, 0) != -1
            or call(ADD, b'user', aims.mark.encode(), b'how to play', 11, SESSION) != -1
            or call(REQUEST, b'user', aims.mark.encode(), None, SESSION) != -1)
""",
    ),
    # Hold memory not counted by a file system in memory.
    'attributes_of_files': Attack(
        USES_UP,
        SYSTEM_CALLS,
        SAYS_SO,
        """
def attack():
    with open('attributes', 'w'):
        os.setxattr('attributes', 'user.all', bytes(2000))
    return True
""",
    ),
    # Trace a child, and read its memory.
    'traces_a_child': Attack(
        REACHES,
        SYSTEM_CALLS,
        SAYS_SO,
        """
def attack():
    library, page = ctypes.CDLL(None), ctypes.create_string_buffer(8)
    child = os.fork()
    if not child:
        time.sleep(60)
    held = (ctypes.c_size_t * 2)(ctypes.addressof(page), 8)
    try:
        return (library.ptrace(16, child, None, None) == 0
                or library.process_vm_readv(child, held, 1, held, 1, 0) == 8)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
""",
    ),
    # Make system calls known only to newer kernels, or possible ways around a refused call.
    'other_ways': Attack(
        REACHES,
        SYSTEM_CALLS,
        SAYS_SO,
        r"""
CALLS = {298: 'perf_event_open', 312: 'kcmp', 321: 'bpf', 323: 'userfaultfd',     # on x86-64
         425: 'io_uring_setup', 428: 'open_tree', 438: 'pidfd_getfd', 440: 'process_madvise',
         442: 'mount_setattr', 457: 'statmount', 458: 'listmount'}

def attack():
    answers = set()
    for number in CALLS:
        ctypes.set_errno(0)
        ctypes.CDLL(None, use_errno=True).syscall(number, -1, 0, -1, -1, -1)
        answers.add(ctypes.get_errno())
    return not answers <= {errno.EPERM, errno.ENOSYS}
""",
    ),
    # Add a system-call filter: it holds kernel memory subject to no limit. Add only an empty one:
    # thousands of real filters have stopped a whole machine.
    'one_more_filter': Attack(
        USES_UP,
        SYSTEM_CALLS,
        SAYS_SO,
        """
def attack():
    ctypes.CDLL(None, use_errno=True).prctl(22, 2, None, 0, 0)
    return ctypes.get_errno() == errno.EFAULT
""",
    ),
    # Hold memory subject to no limit: in an unnamed file.
    'nameless_memory': Attack(
        USES_UP,
        SYSTEM_CALLS,
        SAYS_SO,
        """
def attack():
    with open(os.memfd_create('memory'), 'wb') as stream:
        for _ in range(8):
            stream.write(bytes(1 << 20))
    return True
""",
    ),
    # Become root in its own user namespace.
    'namespaces': Attack(
        REACHES,
        SYSTEM_CALLS,
        SAYS_SO,
        """
NEW_USER = 0x10000000

def unshare():
    if ctypes.CDLL(None).unshare(NEW_USER) != 0:
        raise OSError

def clone():
    if ctypes.CDLL(None).syscall(56, NEW_USER | 17, 0, 0, 0, 0) < 0:     # on x86-64
        raise OSError

def attack():
    child = os.fork()                   # a process with such a namespace can do little else
    if not child:
        os._exit(not anything([unshare, clone]))
    return os.waitpid(child, 0)[1] == 0
""",
    ),
    # Connect to a server on this machine.
    'network': Attack(
        REACHES,
        SYSTEM_CALLS,
        SAYS_SO,
        """
def attack():
    with socket.socket(socket.AF_INET) as client:
        client.connect(('127.0.0.1', int(aims.port)))
    return True
""",
    ),
    # Make a socket to the host of a virtual machine: no namespace isolates such sockets.
    'virtual_socket': Attack(
        REACHES,
        SYSTEM_CALLS,
        SAYS_SO,
        """
def attack():
    socket.socket(40).close()           # AF_VSOCK, a name that PyPy lacks
    return True
""",
    ),
    # Find files left anywhere by an earlier run; leave some.
    'former_run': Attack(
        CHANGES,
        FORMER_RUNS,
        SAYS_SO,
        r"""
def attack():
    folders = [*SHARED, '.', '..', os.environ['HOME'], '/tmp/.X11-unix', aims.scratch, aims.base,
               *aims.of_all.split(), *glob.glob('/proc/*/cwd')]
    for process in glob.glob('/proc/*/cmdline'):
        with suppress(OSError):
            folders += read(process).decode(errors='replace').split('\0')
    paths = [f'{folder}/{aims.mark}' for folder in folders if folder]
    found = any(map(os.path.exists, paths))
    for path in paths:
        with suppress(OSError):
            write(path)
    return found
""",
    ),
    # Find a POSIX queue left by an earlier run; leave one.
    'former_run_queue': Attack(
        CHANGES,
        FORMER_RUNS,
        SAYS_SO,
        """
def attack():
    library = ctypes.CDLL(None)
    name = f'/{aims.mark}'.encode()
    found = library.mq_open(name, os.O_RDWR) != -1
    library.mq_open(name, os.O_RDWR | os.O_CREAT, 0o666, None)
    return found
""",
    ),
    # Find System V memory, a queue or semaphores left by an earlier run; leave some.
    'former_run_system_v': Attack(
        CHANGES,
        FORMER_RUNS,
        SAYS_SO,
        """
CREATE = 0o1000 | 0o666

def attack():
    library = ctypes.CDLL(None)
    key = int(aims.mark.strip('mark'))
    found = library.shmget(key, 4096, 0) != -1 or library.msgget(key, 0) != -1 or (
        library.semget(key, 1, 0) != -1)
    library.shmget(key, 4096, CREATE)
    library.msgget(key, CREATE)
    library.semget(key, 1, CREATE)
    return found
""",
    ),
    # Hold 3 GB of memory in four processes, none of which holds too much.
    'private_memory': Attack(
        USES_UP,
        GREEDY,
        SAYS_SO,
        r"""
def attack():
    return in_each(4, lambda: b'x' * (770 << 20)) == 4
""",
    ),
    # The same, each in a thread that goes on after the first thread of its process has ended.
    'private_memory_of_threads': Attack(
        USES_UP,
        GREEDY,
        SAYS_SO,
        r"""
import threading
EXIT = 60 if os.uname().machine == 'x86_64' else 93

def attack():
    reader, writer = os.pipe()
    def hold():
        time.sleep(1)  # until the first thread has ended
        held = b'x' * (770 << 20)
        time.sleep(5)  # so that the grader has time to count
        os.write(writer, b'.')
        time.sleep(600)
    children = []
    for _ in range(4):
        children.append(os.fork())
        if not children[-1]:
            threading.Thread(target=hold).start()
            ctypes.CDLL(None).syscall(EXIT, 0)
    try:
        return b''.join(os.read(reader, 1) for _ in children) == b'....'
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
""",
    ),
    # Hold 3 GB of shared memory without a file, without having it resident.
    'shared_memory': Attack(
        USES_UP,
        GREEDY,
        SAYS_SO,
        """
def attack():
    held = [mmap.mmap(-1, 100 << 20) for _ in range(30)]
    for memory in held:
        memory.write(bytes(100 << 20))
        memory.madvise(mmap.MADV_DONTNEED)
    return True
""",
    ),
    # The same, with only one page still mapped. The kernel keeps all of them.
    'shared_memory_unmapped': Attack(
        USES_UP,
        GREEDY,
        SAYS_SO,
        """
BOTH, SHARED_WITHOUT_FILE, SIZE, PAGE = 3, 0x21, 10 << 20, 4096

def attack():
    library = ctypes.CDLL(None)
    library.mmap.restype = ctypes.c_void_p
    for _ in range(300):
        place = library.mmap(None, ctypes.c_size_t(SIZE), BOTH, SHARED_WITHOUT_FILE, -1, 0)
        ctypes.memset(place, 1, SIZE)
        library.munmap(ctypes.c_void_p(place + PAGE), ctypes.c_size_t(SIZE - PAGE))
    return True
""",
    ),
    # Hold 3 GB of a device, without having it resident.
    'shared_memory_of_a_device': Attack(
        USES_UP,
        GREEDY,
        SAYS_SO,
        """
def attack():
    zero = os.open('/dev/zero', os.O_RDWR)
    held = [mmap.mmap(zero, 100 << 20, mmap.MAP_SHARED) for _ in range(30)]
    for memory in held:
        memory.write(bytes(100 << 20))
        memory.madvise(mmap.MADV_DONTNEED)
    return True
""",
    ),
    # Hold 3 GB of System V shared memory that no process has mapped.
    'system_v_memory': Attack(
        USES_UP,
        GREEDY,
        SAYS_SO,
        """
PRIVATE, CREATE, REMOVE = 0, 0o1000, 0

def attack():
    library, made = ctypes.CDLL(None), []
    library.shmat.restype = ctypes.c_void_p
    try:
        for _ in range(30):
            made.append(library.shmget(PRIVATE, ctypes.c_size_t(100 << 20), CREATE | 0o600))
            assert made[-1] != -1
            place = library.shmat(made[-1], None, 0)
            ctypes.memset(place, 1, 100 << 20)
            library.shmdt(ctypes.c_void_p(place))
        return True
    finally:
        for memory in made:
            library.shmctl(memory, REMOVE, None)
""",
    ),
    # Hold 3 GB of kernel memory in semaphores.
    'system_v_semaphores': Attack(
        USES_UP,
        GREEDY,
        SAYS_SO,
        """
PRIVATE, CREATE, REMOVE, MANY = 0, 0o1000, 0, 32_000

def attack():
    library, made = ctypes.CDLL(None), []
    try:
        for _ in range(1500):
            made.append(library.semget(PRIVATE, MANY, CREATE | 0o600))
            assert made[-1] != -1
            time.sleep(0.001)
        return True
    finally:
        for semaphores in made:
            library.semctl(semaphores, 0, REMOVE, None)
""",
    ),
    # Hold kernel memory in datagrams that nobody receives.
    'datagrams': Attack(
        USES_UP,
        GREEDY,
        SAYS_SO,
        """
def fill():
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(100)]
    for sender, _ in pairs:
        sender.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                sender.send(bytes(100_000))
    time.sleep(5)
    return pairs

def attack():
    return in_each(10, fill) == 10
""",
    ),
    # Write more files than a run may keep, each within the limit for one file.
    'fills_the_disk': Attack(
        USES_UP,
        GREEDY,
        SAYS_SO,
        """
def attack():
    for number in range(20):
        with open(f'{number}', 'wb') as stream:
            stream.write(bytes(15 << 20))
    time.sleep(5)
    return True
""",
    ),
    # Make pseudo-terminals: the whole machine has a limited number.
    'terminals': Attack(
        USES_UP,
        GREEDY,
        SAYS_SO,
        """
def open_many():
    held = [os.openpty()[0] for _ in range(100)]
    time.sleep(5)
    return held

def attack():
    return in_each(4, open_many) == 4
""",
    ),
    # Take a share of the processors for each of many sessions.
    'busy_sessions': Attack(
        HOLDS_UP,
        ENDLESS,
        GOES_ON,
        """
def attack():
    for _ in range(200):
        if not os.fork():
            os.setsid()
            while True:
                pass
    time.sleep(600)
""",
    ),
    # Outlive the run, and rewrite the results forever.
    'daemon': Attack(
        REACHES,
        LAST,
        OUTLIVES,
        """
def attack():
    if os.fork() == 0:
        with suppress(PermissionError):
            os.setsid()
        for descriptor in range(3):
            os.close(descriptor)
        os.fork()
        while True:
            with suppress(OSError):
                write(aims.results)
            time.sleep(0.01)
""",
    ),
    # Remove the program's current folder.
    'deletes_its_folder': Attack(
        BREAKS,
        LAST,
        LEAVES,
        """
def attack():
    shutil.rmtree(os.path.dirname(os.getcwd()), ignore_errors=True)
""",
    ),
    # Print forever, to both streams.
    'floods': Attack(
        USES_UP,
        ENDLESS,
        GOES_ON,
        r"""
def attack():
    os.fork()
    while True:
        os.write(1, b'FULL\n' * 4096)
        os.write(2, b'error\n' * 4096)
""",
    ),
    # Print to standard error forever.
    'floods_errors': Attack(
        USES_UP,
        ENDLESS,
        GOES_ON,
        r"""
def attack():
    os.fork()
    while True:
        os.write(2, b'\x1b[2J error\n' * 4096)
""",
    ),
    # Fork forever.
    'fork_bomb': Attack(
        USES_UP,
        ENDLESS,
        GOES_ON,
        """
def attack():
    while True:
        with suppress(OSError):
            os.fork()
""",
    ),
    # Stop and then kill every process, beginning with the grader.
    'kills': Attack(
        REACHES,
        LAST,
        SAYS_SO,
        """
def attack():
    aimed = [process for process in [os.getppid(), *others()] if process > 1]
    done = anything([lambda p=p: os.kill(p, signal.SIGSTOP) for p in aimed])
    os.kill(-1, signal.SIGKILL)
    return done
""",
    ),
    # Leave files hard to remove or to inspect.
    'litters': Attack(
        CHANGES,
        LAST,
        LEAVES,
        """
def attack():
    for folder in [*SHARED[:4], '.', '..']:
        with suppress(OSError):
            os.chdir(folder)
            os.mkfifo(f'fifo-{aims.mark}')
            os.symlink('/dev/zero', f'link-{aims.mark}')
            socket.socket(socket.AF_UNIX).bind(f'socket-{aims.mark}')
            os.makedirs(f'folder-{aims.mark}/closed')
            os.chmod(f'folder-{aims.mark}', 0)
    with suppress(OSError):
        os.mkdir(f'deep-{aims.mark}')
        os.chdir(f'deep-{aims.mark}')
        for _ in range(1500):
            os.mkdir('deep')
            os.chdir('deep')
""",
    ),
    # Fill the pipe of the program's input.
    'own_input': Attack(
        HOLDS_UP,
        ENDLESS,
        GOES_ON,
        """
def attack():
    descriptor = os.open('/proc/self/fd/0', os.O_WRONLY | os.O_NONBLOCK)
    with suppress(OSError):
        while True:
            os.write(descriptor, bytes(4096))
    time.sleep(600)
""",
    ),
    # Keep changing the process: a child continues, and its parent ends.
    'rolling_forks': Attack(
        REACHES,
        ENDLESS,
        OUTLIVES,
        """
def attack():
    for _ in range(3):
        if os.fork() == 0:
            with suppress(PermissionError):
                os.setsid()
            while True:
                with suppress(OSError):
                    if os.fork():
                        os._exit(0)
""",
    ),
    # From two processes, forever stop every other process, before it can end them.
    'stops_all': Attack(
        REACHES,
        ENDLESS,
        SAYS_SO,
        '''
def stopped(process):
    """Return whether a process is stopped."""
    with suppress(OSError):
        return read(f'/proc/{process}/stat').rsplit(b') ', 1)[1].startswith(b'T')
    return False

def attack():
    before = {process for process in others() if stopped(process)}
    partner = os.fork() or os.getppid()
    while True:
        with suppress(OSError):
            os.kill(-1, signal.SIGSTOP)
        for process in others():
            if process not in before and process != partner and stopped(process):
                return True
''',
    ),
    # Stop, and never end.
    'stops_itself': Attack(
        HOLDS_UP,
        ENDLESS,
        GOES_ON,
        """
def attack():
    os.kill(os.getpid(), signal.SIGSTOP)
""",
    ),
    # Print correct output very slowly.
    'trickles': Attack(
        HOLDS_UP,
        ENDLESS,
        GOES_ON,
        """
def attack():
    for character in 'FULL':
        sys.stdout.write(character)
        sys.stdout.flush()
        time.sleep(0.2)
    time.sleep(600)
""",
    ),
}
