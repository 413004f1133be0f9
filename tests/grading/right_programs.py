"""Right programs that use much of the system: each reads numbers and prints their squares.

The first table has programs as courses about operating systems set them; the second one has what
other courses use. In a source, the function `square` uses what the program is named after, and the
`ANSWERS` of its language read the input. Sources with another way to read have no such function.
"""

from typing import NamedTuple

SESSION = '7\n|49\n12\n|144\n# end of input\n'


class Language(NamedTuple):
    """How to run a program: the name of its file, its build, its command, and what follows it."""

    file: str
    build: str | None
    command: str
    before: str = ''
    answers: str = ''

    @property
    def tool(self):
        """The command that must exist here."""
        return (self.build or self.command).split()[0]


PYTHON = Language(
    'main.py',
    None,
    'python3 main.py',
    'import os, signal, socket, subprocess, sys, threading, time\n',
    '\nif __name__ == '
    + "'__main__':\n    for line in sys.stdin:\n        print(square(int(line)), flush=True)\n",
)
C = Language(
    'main.c',
    'gcc -pthread -o main main.c',
    './main',
    '#define _GNU_SOURCE\n'
    + ''.join(
        f'#include <{name}.h>\n'
        for name in [
            'errno',
            'fcntl',
            'mqueue',
            'pthread',
            'pty',
            'semaphore',
            'signal',
            'stdint',
            'stdio',
            'stdlib',
            'string',
            'unistd',
            'netinet/in',
            'sys/epoll',
            'sys/eventfd',
            'sys/ipc',
            'sys/mman',
            'sys/msg',
            'sys/sem',
            'sys/shm',
            'sys/socket',
            'sys/stat',
            'sys/timerfd',
            'sys/wait',
        ]
    ),
    """
int main(void) {
    int number;
    while (scanf("%d", &number) == 1) { printf("%d\\n", square(number)); fflush(stdout); }
}
""",
)
CPP = Language('main.cpp', 'g++ -pthread -o main main.cpp', './main')
JAVA = Language('Main.java', 'javac Main.java', 'java Main')
NODE = Language('main.js', None, 'node main.js')
PERL = Language('main.pl', None, 'perl main.pl')
BASH = Language('main.sh', None, 'bash main.sh')
RUST = Language('main.rs', 'rustc main.rs', './main')
GO = Language('main.go', 'go build -o main main.go', './main')


class Right(NamedTuple):
    """A right program. One that is `quick` also runs in `make test`."""

    language: Language
    source: str
    is_quick: bool = False
    needs: str = ''  # what only some sandboxes allow: 'System V', 'queues', 'localhost'

    @property
    def files(self):
        """The files of the submission."""
        file, _, _, before, answers = self.language
        if 'square(' not in self.source:
            before = answers = ''
        text = f'{before}{self.source}{answers}'
        return {file: text.encode('latin-1' if 'latin-1' in self.source else 'utf-8')}


SYSTEM_V, QUEUES, LOCALHOST = 'System V', 'queues', 'localhost'
OPERATING_SYSTEMS = {
    'shared anonymous memory with a semaphore': Right(
        C,
        """
int square(int number) {
    struct { sem_t done; int value; } *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) { perror("mmap"); exit(1); }
    sem_init(&shared->done, 1, 0);
    if (!fork()) { shared->value = number * number; sem_post(&shared->done); _exit(0); }
    sem_wait(&shared->done);
    wait(NULL);
    number = shared->value;
    munmap(shared, sizeof *shared);
    return number;
}
""",
        is_quick=True,
    ),
    'a mutex shared by processes': Right(
        C,
        """
int square(int number) {
    struct { pthread_mutex_t lock; int sum; } *shared = mmap(
        NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) { perror("mmap"); exit(1); }
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &attributes);
    for (int child = 0; child < number; child++)
        if (!fork()) {
            pthread_mutex_lock(&shared->lock);
            shared->sum += number;
            pthread_mutex_unlock(&shared->lock);
            _exit(0);
        }
    while (wait(NULL) > 0);
    return shared->sum;
}
""",
    ),
    'shared memory in Python': Right(
        PYTHON,
        """
import mmap, struct
def square(number):
    with mmap.mmap(-1, 8) as memory:
        child = os.fork()
        if not child:
            memory[:8] = struct.pack('q', number * number)
            os._exit(0)
        os.waitpid(child, 0)
        return struct.unpack('q', memory[:8])[0]
""",
        is_quick=True,
    ),
    'System V shared memory': Right(
        C,
        """
int square(int number) {
    int id = shmget(IPC_PRIVATE, sizeof(int), IPC_CREAT | 0600);
    if (id < 0) { perror("shmget"); exit(1); }
    int *value = shmat(id, NULL, 0);
    if (!fork()) { *value = number * number; _exit(0); }
    wait(NULL);
    number = *value;
    shmdt(value);
    shmctl(id, IPC_RMID, NULL);
    return number;
}
""",
        is_quick=True,
        needs=SYSTEM_V,
    ),
    'a System V queue': Right(
        C,
        """
int square(int number) {
    struct { long type; int value; } message = {1, 0};
    int id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    if (id < 0) { perror("msgget"); exit(1); }
    if (!fork()) {
        message.value = number * number;
        msgsnd(id, &message, sizeof(int), 0);
        _exit(0);
    }
    msgrcv(id, &message, sizeof(int), 1, 0);
    wait(NULL);
    msgctl(id, IPC_RMID, NULL);
    return message.value;
}
""",
        needs=SYSTEM_V,
    ),
    'System V semaphores': Right(
        C,
        """
int square(int number) {
    struct sembuf post = {0, 1, 0}, take = {0, -1, 0};
    int pipes[2], id = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    if (id < 0) { perror("semget"); exit(1); }
    pipe(pipes);
    if (!fork()) {
        semop(id, &take, 1);
        number *= number;
        write(pipes[1], &number, sizeof number);
        _exit(0);
    }
    semop(id, &post, 1);
    read(pipes[0], &number, sizeof number);
    wait(NULL);
    close(pipes[0]); close(pipes[1]);
    semctl(id, 0, IPC_RMID);
    return number;
}
""",
        needs=SYSTEM_V,
    ),
    'POSIX shared memory and a named semaphore': Right(
        C,
        """
int square(int number) {
    char name[30];
    sprintf(name, "/right-%d", getpid());
    int file = shm_open(name, O_CREAT | O_RDWR, 0600);
    ftruncate(file, sizeof(int));
    int *value = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    sem_t *done = sem_open(name, O_CREAT, 0600, 0);
    if (value == MAP_FAILED || done == SEM_FAILED) { perror("shm_open"); exit(1); }
    if (!fork()) { *value = number * number; sem_post(done); _exit(0); }
    sem_wait(done);
    wait(NULL);
    number = *value;
    sem_close(done); sem_unlink(name); shm_unlink(name); close(file);
    return number;
}
""",
        is_quick=True,
    ),
    'a POSIX queue': Right(
        C,
        """
int square(int number) {
    struct mq_attr attributes = {.mq_maxmsg = 5, .mq_msgsize = 64};
    char name[30], text[64];
    sprintf(name, "/right-%d", getpid());
    mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    if (queue < 0) { perror("mq_open"); exit(1); }
    if (!fork()) {
        sprintf(text, "%d", number * number);
        mq_send(queue, text, strlen(text) + 1, 0);
        _exit(0);
    }
    mq_receive(queue, text, sizeof text, NULL);
    wait(NULL);
    mq_close(queue);
    mq_unlink(name);
    return atoi(text);
}
""",
        is_quick=True,
        needs=QUEUES,
    ),
    'a pair of datagram sockets': Right(
        C,
        """
int square(int number) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) { perror("socketpair"); exit(1); }
    if (!fork()) {
        read(ends[1], &number, sizeof number);
        number *= number;
        write(ends[1], &number, sizeof number);
        _exit(0);
    }
    write(ends[0], &number, sizeof number);
    wait(NULL);
    read(ends[0], &number, sizeof number);
    close(ends[0]); close(ends[1]);
    return number;
}
""",
        is_quick=True,
    ),
    'a session of its own': Right(
        PYTHON,
        """
def square(number):
    words = [sys.executable, '-c', f'import os; print({number} ** 2 * (os.getsid(0) == os.getpid()))']
    return int(subprocess.run(words, start_new_session=True, stdout=subprocess.PIPE).stdout)
""",
        is_quick=True,
    ),
    'a daemon': Right(
        C,
        """
int square(int number) {
    int pipes[2];
    pipe(pipes);
    if (!fork()) {
        if (setsid() < 0) { perror("setsid"); exit(1); }
        if (!fork()) {
            chdir("/");
            umask(0);
            number *= number;
            write(pipes[1], &number, sizeof number);
        }
        _exit(0);
    }
    wait(NULL);
    close(pipes[1]);
    if (read(pipes[0], &number, sizeof number) != sizeof number) exit(1);
    close(pipes[0]);
    return number;
}
""",
    ),
    'a pseudo-terminal': Right(
        PYTHON,
        """
import pty
def square(number):
    printed = []
    def keep(descriptor):
        printed.append(os.read(descriptor, 1000))
        return b''
    before = os.dup(0)
    os.dup2(os.open('/dev/null', os.O_RDONLY), 0)
    pty.spawn(['sh', '-c', f'test -t 1 && echo $(({number} * {number}))'], keep)
    os.dup2(before, 0)
    return int(printed[0])
""",
        is_quick=True,
    ),
    'a shell with job control': Right(
        C,
        """
int square(int number) {
    int terminal;
    char text[100] = "";
    pid_t child = forkpty(&terminal, NULL, NULL, NULL);
    if (child < 0) { perror("forkpty"); exit(1); }
    if (!child) {
        sprintf(text, "set -m; sh -c 'echo $((%d * %d))' & wait", number, number);
        execlp("bash", "bash", "-c", text, NULL);
    }
    for (size_t got = 0; !strchr(text, '\\n'); ) got += read(terminal, text + got, 50);
    waitpid(child, NULL, 0);
    close(terminal);
    return atoi(text);
}
""",
    ),
    'a server on localhost': Right(
        PYTHON,
        """
import socketserver
class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b'%d' % (int(self.rfile.readline()) ** 2))
def square(number):
    with socketserver.ThreadingTCPServer(('localhost', 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with socket.create_connection(server.server_address) as client:
            client.sendall(b'%d\\n' % number)
            answer = int(client.makefile().read())
        server.shutdown()
    return answer
""",
        is_quick=True,
        needs=LOCALHOST,
    ),
    'datagrams on localhost': Right(
        C,
        """
int square(int number) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int server = socket(AF_INET, SOCK_DGRAM, 0);
    if (server < 0 || bind(server, (struct sockaddr *)&address, length)) { perror("bind"); exit(1); }
    getsockname(server, (struct sockaddr *)&address, &length);
    if (!fork()) {
        int client = socket(AF_INET, SOCK_DGRAM, 0);
        number *= number;
        sendto(client, &number, sizeof number, 0, (struct sockaddr *)&address, length);
        _exit(0);
    }
    recv(server, &number, sizeof number, 0);
    wait(NULL);
    close(server);
    return number;
}
""",
        needs=LOCALHOST,
    ),
    'a hundred threads': Right(
        C,
        """
static pthread_barrier_t barrier;
static void *add(void *sum) {
    pthread_barrier_wait(&barrier);
    return __atomic_add_fetch((int *)sum, 1, __ATOMIC_SEQ_CST), NULL;
}
int square(int number) {
    int sum = 0;
    pthread_t threads[100];
    pthread_barrier_init(&barrier, NULL, 100);
    for (int i = 0; i < 100; i++) {
        errno = pthread_create(threads + i, NULL, add, &sum);
        if (errno) { perror("pthread_create"); exit(1); }
    }
    for (int i = 0; i < 100; i++) pthread_join(threads[i], NULL);
    return sum == 100 ? number * number : -1;
}
""",
        is_quick=True,
    ),
    'a hundred threads in Java': Right(
        JAVA,
        """
import java.util.*;
import java.util.concurrent.*;
public class Main {
    public static void main(String[] arguments) throws Exception {
        Scanner input = new Scanner(System.in);
        while (input.hasNextInt()) {
            int number = input.nextInt();
            CyclicBarrier all = new CyclicBarrier(100);
            List<Thread> threads = new ArrayList<>();
            int[] sum = {0};
            for (int i = 0; i < 100; i++) {
                Thread thread = new Thread(() -> {
                    try { all.await(); } catch (Exception e) { throw new RuntimeException(e); }
                    synchronized (sum) { sum[0]++; }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) thread.join();
            System.out.println(sum[0] / 100 * number * number);
        }
    }
}
""",
    ),
    'a hundred processes with signals': Right(
        C,
        """
static volatile sig_atomic_t alarms;
static void count(int number) { alarms += number == SIGALRM; }
int square(int number) {
    sigset_t alarm_only, none;
    struct sigaction action = {.sa_handler = count};
    pid_t children[100];
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&none);
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    for (int i = 0; i < 100; i++) {
        children[i] = fork();
        if (children[i] < 0) { perror("fork"); exit(1); }
        if (!children[i]) { pause(); _exit(0); }
        setpgid(children[i], children[0]);
    }
    sigprocmask(SIG_BLOCK, &alarm_only, NULL);
    alarms = 0;
    ualarm(1000, 0);
    while (!alarms) sigsuspend(&none);
    kill(-children[0], SIGTERM);
    for (int i = 0; i < 100; i++) {
        int status;
        if (wait(&status) < 0 || !WIFSIGNALED(status)) exit(1);
    }
    return number * number;
}
""",
        is_quick=True,
    ),
}


def in_python(source, is_quick=False, needs=''):
    return Right(PYTHON, source, is_quick, needs)


def in_c(source, is_quick=False):
    return Right(C, source, is_quick)


STARTS = """
import multiprocessing
def work(number, queue, value):
    value.value += number
    queue.put(number * value.value)
def square(number):
    context = multiprocessing.get_context('{}')
    queue, value = context.Queue(), context.Value('i', 0)
    process = context.Process(target=work, args=[number, queue, value])
    process.start()
    answer = queue.get()
    process.join()
    return answer
"""
OTHERS = {
    'threads': in_python(
        """
def square(number):
    sums, lock = [0], threading.Lock()
    def add():
        with lock:
            sums[0] += number
    threads = [threading.Thread(target=add) for _ in range(number)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return sums[0]
"""
    ),
    'a hundred threads at once': in_python(
        """
def square(number):
    barrier, sums = threading.Barrier(100), []
    def work():
        barrier.wait()
        sums.append(1)
    threads = [threading.Thread(target=work) for _ in range(100)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return number ** 2 * len(sums) // 100
""",
        is_quick=True,
    ),
    'a pool of threads': in_python(
        """
from concurrent.futures import ThreadPoolExecutor
def square(number):
    with ThreadPoolExecutor() as pool:
        return sum(pool.map(lambda _: number, range(number)))
"""
    ),
    'a pool of processes': in_python(
        """
import multiprocessing
def twice(number):
    return number * number
def square(number):
    with multiprocessing.Pool() as pool:
        return pool.map(twice, range(number + 1))[number]
""",
        is_quick=True,
    ),
    'a large pool of processes': in_python(
        """
import multiprocessing
def twice(number):
    return number * number
def square(number):
    with multiprocessing.Pool(64) as pool:
        return pool.map(twice, range(number + 1))[number]
"""
    ),
    'futures of processes': in_python(
        """
from concurrent.futures import ProcessPoolExecutor
def square(number):
    with ProcessPoolExecutor() as pool:
        return pool.submit(pow, number, 2).result()
"""
    ),
    'a manager': in_python(
        """
import multiprocessing
def work(number, found):
    found['square'] = number * number
def square(number):
    with multiprocessing.Manager() as manager:
        found = manager.dict()
        process = multiprocessing.Process(target=work, args=[number, found])
        process.start()
        process.join()
        return found['square']
"""
    ),
    'shared memory of multiprocessing': in_python(
        """
from multiprocessing import Process, shared_memory
def work(name, number):
    memory = shared_memory.SharedMemory(name)
    memory.buf[:4] = (number * number).to_bytes(4, 'little')
    memory.close()
def square(number):
    memory = shared_memory.SharedMemory(create=True, size=4)
    process = Process(target=work, args=[memory.name, number])
    process.start()
    process.join()
    answer = int.from_bytes(memory.buf[:4], 'little')
    memory.close()
    memory.unlink()
    return answer
"""
    ),
    'processes by fork': in_python(STARTS.format('fork')),
    'processes by spawn': in_python(STARTS.format('spawn')),
    'processes by forkserver': in_python(STARTS.format('forkserver')),
    'a chain of subprocesses': in_python(
        """
def square(number):
    first = subprocess.Popen(['echo', f'{number} * {number}'], stdout=subprocess.PIPE)
    second = subprocess.Popen(
        ['sh', '-c', 'read -r text; echo $(($text))'], stdin=first.stdout, stdout=subprocess.PIPE)
    first.stdout.close()
    answer = second.communicate()[0]
    first.wait()
    return int(answer)
""",
        is_quick=True,
    ),
    'asyncio with subprocesses': in_python(
        """
import asyncio
async def answer(number):
    process = await asyncio.create_subprocess_exec(
        'sh', '-c', f'echo $(({number} * {number}))', stdout=asyncio.subprocess.PIPE)
    printed, _ = await process.communicate()
    await asyncio.sleep(0.001)
    return int(printed)
def square(number):
    return asyncio.run(answer(number))
"""
    ),
    'asyncio for input': in_python(
        """
import asyncio, sys
async def main():
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        print(int(line) ** 2, flush=True)
asyncio.run(main())
"""
    ),
    'os.read': in_python(
        """
import os
held = b''
while piece := os.read(0, 3):
    held += piece
    *lines, held = held.split(b'\\n')
    for line in lines:
        os.write(1, f'{int(line) ** 2}\\n'.encode())
"""
    ),
    'fileinput': in_python(
        'import fileinput\nfor line in fileinput.input():\n    print(int(line) ** 2)\n'
    ),
    'non-blocking input': in_python(
        """
import os, time
os.set_blocking(0, False)
held = b''
while True:
    try:
        piece = os.read(0, 100)
    except BlockingIOError:
        time.sleep(0.01)
        continue
    if not piece:
        break
    held += piece
    *lines, held = held.split(b'\\n')
    for line in lines:
        print(int(line) ** 2, flush=True)
"""
    ),
    'select with a time limit': in_python(
        """
import select, sys
while True:
    if select.select([sys.stdin], [], [], 0.05)[0]:
        line = sys.stdin.readline()
        if not line:
            break
        print(int(line) ** 2, flush=True)
"""
    ),
    'a thread that reads': in_python(
        """
import queue, sys, threading
lines = queue.Queue()
def read():
    for line in sys.stdin:
        lines.put(line)
    lines.put('')
threading.Thread(target=read, daemon=True).start()
while line := lines.get():
    print(int(line) ** 2, flush=True)
""",
        is_quick=True,
    ),
    'signals with handlers': in_python(
        """
def square(number):
    seen = []
    signal.signal(signal.SIGALRM, lambda *_: seen.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.002)
    while not seen:
        time.sleep(0.001)
    return seen[0] ** 2
"""
    ),
    'atexit': in_python(
        """
import atexit, sys
numbers = [int(sys.stdin.readline())]
print(numbers[0] ** 2, flush=True)
@atexit.register
def last():
    print(int(numbers[1]) ** 2)
numbers.append(sys.stdin.readline())
"""
    ),
    'sqlite': in_python(
        """
import sqlite3
def square(number):
    with sqlite3.connect('numbers.db') as base:
        base.execute('create table if not exists numbers (number integer)')
        base.execute('insert into numbers values (?)', [number])
        return base.execute('select number * number from numbers where number = ?',
                            [number]).fetchone()[0]
""",
        is_quick=True,
    ),
    'temporary files': in_python(
        """
import tempfile
def square(number):
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile('w+') as file:
        open(folder + '/number', 'w').write(str(number))
        file.write(open(folder + '/number').read())
        file.seek(0)
        return int(file.read()) ** 2
"""
    ),
    'locks on files and maps of files': in_python(
        """
import fcntl, mmap
def square(number):
    with open('number', 'w+b') as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        fcntl.lockf(file, fcntl.LOCK_EX)
        file.truncate(8)
        with mmap.mmap(file.fileno(), 8) as memory:
            memory[:8] = number.to_bytes(8, 'little')
        return int.from_bytes(file.read(), 'little') ** 2
"""
    ),
    'a latin-1 source': in_python(
        '# -*- coding: latin-1 -*-\n# \xe9t\xe9\nimport sys\n'
        'for line in sys.stdin:\n    print(int(line) ** 2)\n'
    ),
    'a source with a byte order mark': in_python(
        '\ufeffimport sys\nfor line in sys.stdin:\n    print(int(line) ** 2)\n'
    ),
    'deep recursion': in_python(
        # As is usual, in one thread. Two such stacks are too much for one process, and the stack of
        # a thread that has ended may go a moment after the next thread starts.
        """
import sys, threading
sys.setrecursionlimit(1_000_000)
threading.stack_size(512 << 20)
def deep(number, depth):
    return deep(number, depth - 1) if depth else number ** 2
def main():
    for line in sys.stdin:
        print(deep(int(line), 100_000), flush=True)
thread = threading.Thread(target=main)
thread.start()
thread.join()
""",
        is_quick=True,
    ),
    'a socket in the folder': in_python(
        """
def square(number):
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind('socket')
        server.listen()
        client.connect('socket')
        client.send(b'%d' % number)
        answer = int(server.accept()[0].recv(10)) ** 2
    os.remove('socket')
    return answer
"""
    ),
    'a named pipe': in_python(
        """
def square(number):
    os.mkfifo('pipe')
    writer = threading.Thread(target=lambda: open('pipe', 'w').write(str(number)))
    writer.start()
    with open('pipe') as pipe:
        answer = int(pipe.read()) ** 2
    writer.join()
    os.remove('pipe')
    return answer
"""
    ),
    'an HTTP server': in_python(
        """
import http.server, urllib.request
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(int(self.path[1:]) ** 2).encode())
    def log_message(self, *words): pass
def square(number):
    with http.server.HTTPServer(('127.0.0.1', 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        answer = int(urllib.request.urlopen(f'http://127.0.0.1:{server.server_port}/{number}').read())
        thread.join()
    return answer
""",
        needs=LOCALHOST,
    ),
    'five philosophers': in_c(
        """
static sem_t forks[5];
static int eaten;
static void *dine(void *seat) {
    long left = (long)seat, right = (left + 1) % 5;
    for (int i = 0; i < 100; i++) {
        sem_wait(forks + (left < right ? left : right));
        sem_wait(forks + (left < right ? right : left));
        __atomic_add_fetch(&eaten, 1, __ATOMIC_SEQ_CST);
        sem_post(forks + left);
        sem_post(forks + right);
    }
    return NULL;
}
int square(int number) {
    pthread_t threads[5];
    eaten = 0;
    for (long i = 0; i < 5; i++) sem_init(forks + i, 0, 1);
    for (long i = 0; i < 5; i++) pthread_create(threads + i, NULL, dine, (void *)i);
    for (int i = 0; i < 5; i++) pthread_join(threads[i], NULL);
    return eaten / 500 * number * number;
}
""",
    ),
    'events, timers and epoll': in_c(
        """
int square(int number) {
    struct itimerspec soon = {.it_value.tv_nsec = 1000000};
    struct epoll_event event = {.events = EPOLLIN};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0), poll = epoll_create1(0), sum = eventfd(0, 0);
    uint64_t value = number;
    timerfd_settime(timer, 0, &soon, NULL);
    epoll_ctl(poll, EPOLL_CTL_ADD, timer, &event);
    if (epoll_wait(poll, &event, 1, -1) != 1) exit(1);
    for (int i = 0; i < number; i++) write(sum, &value, sizeof value);
    read(sum, &value, sizeof value);
    close(timer); close(poll); close(sum);
    return value;
}
""",
    ),
    'fgets in C': in_c(
        """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char line[100];
    while (fgets(line, sizeof line, stdin)) { int n = atoi(line); printf("%d\\n", n * n); }
}
"""
    ),
    'scanf in C': in_c('int square(int number) { return number * number; }\n'),
    'C++ with threads': Right(
        CPP,
        """
#include <future>
#include <iostream>
#include <string>
#include <thread>
#include <vector>
int main() {
    for (std::string line; std::getline(std::cin, line); ) {
        int number = std::stoi(line);
        std::vector<std::future<int>> parts;
        for (int i = 0; i < number; i++)
            parts.push_back(std::async(std::launch::async, [=] { return number; }));
        int sum = 0;
        for (auto &part : parts) sum += part.get();
        std::cout << sum << std::endl;
    }
}
""",
    ),
    'Java with BufferedReader and a pool': Right(
        JAVA,
        """
import java.io.*;
import java.util.concurrent.*;
public class Main {
    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        ExecutorService pool = Executors.newFixedThreadPool(8);
        for (String line; (line = input.readLine()) != null; ) {
            int number = Integer.parseInt(line);
            System.out.println(pool.submit(() -> number * number).get());
        }
        pool.shutdown();
    }
}
""",
    ),
    'Java with Scanner and a parallel stream': Right(
        JAVA,
        """
import java.util.*;
import java.util.stream.*;
public class Main {
    public static void main(String[] arguments) {
        Scanner input = new Scanner(System.in);
        while (input.hasNextLine()) {
            int number = Integer.parseInt(input.nextLine());
            System.out.println(IntStream.range(0, number).parallel().map(i -> number).sum());
        }
    }
}
""",
    ),
    'node with readline': Right(
        NODE,
        """
require('readline').createInterface({input: process.stdin})
    .on('line', line => console.log(Number(line) ** 2));
""",
        is_quick=True,
    ),
    'node with an iterator': Right(
        NODE,
        """
const lines = require('readline').createInterface({input: process.stdin});
(async () => { for await (const line of lines) console.log(Number(line) ** 2); })();
""",
    ),
    'node with readSync': Right(
        NODE,
        """
const fs = require('fs'), piece = Buffer.alloc(100);
let held = '';
for (let size; (size = fs.readSync(0, piece)); ) {
    held += piece.toString('utf8', 0, size);
    for (let end; (end = held.indexOf('\\n')) >= 0; held = held.slice(end + 1))
        console.log(Number(held.slice(0, end)) ** 2);
}
""",
    ),
    'node with a worker': Right(
        NODE,
        """
const {Worker, isMainThread, parentPort} = require('worker_threads');
if (isMainThread) {
    const worker = new Worker(__filename);
    const lines = require('readline').createInterface({input: process.stdin});
    lines.on('line', line => worker.postMessage(Number(line)));
    lines.on('close', () => worker.postMessage(null));
    worker.on('message', number => console.log(number));
} else {
    parentPort.on('message', number => {
        if (number === null) process.exit();
        parentPort.postMessage(number ** 2);
    });
}
""",
    ),
    'Rust with threads': Right(
        RUST,
        """
use std::{io, sync::mpsc, thread};
fn main() {
    for line in io::stdin().lines() {
        let number: i32 = line.unwrap().parse().unwrap();
        let (sender, receiver) = mpsc::channel();
        for _ in 0..number {
            let sender = sender.clone();
            thread::spawn(move || sender.send(number).unwrap());
        }
        drop(sender);
        println!("{}", receiver.iter().sum::<i32>());
    }
}
""",
    ),
    'Go with goroutines': Right(
        GO,
        """
package main

import ("bufio"; "fmt"; "os"; "strconv")

func main() {
    lines, parts := bufio.NewScanner(os.Stdin), make(chan int)
    for lines.Scan() {
        number, _ := strconv.Atoi(lines.Text())
        for i := 0; i < number; i++ { go func() { parts <- number }() }
        sum := 0
        for i := 0; i < number; i++ { sum += <-parts }
        fmt.Println(sum)
    }
}
""",
    ),
    'Perl with a child': Right(
        PERL,
        """
$| = 1;
while (<STDIN>) {
    open(my $child, '-|', 'echo', $_ * $_) or die $!;
    print <$child>;
}
""",
        is_quick=True,
    ),
    'Bash with a pipeline': Right(
        BASH,
        """
while read -r number; do
    coproc { read -r text; echo $((text)); }
    echo "$number * $number" >&${COPROC[1]}
    read -r answer <&${COPROC[0]}
    echo "$answer" | cat <(cat)
    wait
done
""",
    ),
}
RIGHT_PROGRAMS = {**OPERATING_SYSTEMS, **OTHERS}
