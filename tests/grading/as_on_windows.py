"""Runs the grader as if this were Windows: `as_on_windows.py FOLDER WORD...`.

What Windows lacks is taken away before the grader is imported, and no library is there.
"""

import os
import runpy
import select
import shutil
import signal
import subprocess
import sys

LIBRARIES = ('pexpect', 'jinja2', 'pyseccomp', 'distributed', 'psutil')
MODULES = ('fcntl', 'termios', 'pty', 'tty', 'resource', 'pwd', 'grp')
OF_OS = (
    'fork',
    'forkpty',
    'openpty',
    'set_blocking',
    'geteuid',
    'getuid',
    'getegid',
    'getgid',
    'chown',
    'fchown',
    'lchown',
    'fchmod',
    'killpg',
    'setsid',
    'getpgid',
    'setpgid',
    'mkfifo',
    'uname',
    'getpgrp',
    'setresuid',
    'setgroups',
    'getloadavg',
    'nice',
    'sched_getaffinity',
    'pidfd_open',
    'wait',
    'wait3',
    'wait4',
    'O_NOFOLLOW',
    'O_DIRECTORY',
    'O_NONBLOCK',
    'O_CLOEXEC',
)
OF_SIGNAL = (
    'SIGHUP',
    'SIGKILL',
    'SIGPIPE',
    'SIGXFSZ',
    'SIGALRM',
    'SIGCHLD',
    'SIGUSR1',
    'pthread_sigmask',
    'pthread_kill',
    'alarm',
    'setitimer',
)
NINE = 9


def refuse(*_):
    raise OSError('select is for sockets')


def take_away():
    """Take away what Windows lacks; the library's own subprocess has what it needs."""
    select.select, select.poll, select.epoll = refuse, None, None
    sys.modules.update(dict.fromkeys((*LIBRARIES, *MODULES)))  # None: there is no such module
    for module, names in ((os, OF_OS), (signal, OF_SIGNAL)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    shutil._use_fd_functions = False
    shutil._rmtree_impl = shutil._rmtree_unsafe  # since Python 3.13
    subprocess._CAN_USE_PIDFD_OPEN = False  # since Python 3.15
    subprocess.Popen.kill = lambda self: os.kill(self.pid, NINE)
    os.linesep = '\r\n'


take_away()
project = sys.argv[1]
sys.path.insert(0, project)
del sys.argv[:2]
sys.argv.insert(0, 'grading')
runpy.run_module('grading', run_name='__' + 'main__', alter_sys=True)
