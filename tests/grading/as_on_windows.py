"""Runs the grader as if this were Windows: `as_on_windows.py FOLDER WORD...`.

FOLDER is the project's folder, and the words are the grader's arguments. Before the grader is
imported, what Windows lacks is removed, and the optional libraries cannot be imported.
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
MISSING_IN_OS = (
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
MISSING_IN_SIGNAL = (
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
# Variables that Windows does not set, and what it calls them, if it has them.
MISSING_IN_ENVIRONMENT = {
    'HOME': 'USERPROFILE',
    'LANG': '',
    'LANGUAGE': '',
    'LC_ALL': '',
    'LOGNAME': '',
    'OLDPWD': '',
    'PWD': '',
    'SHELL': '',
    'TERM': '',
    'TMPDIR': 'TEMP',
    'TZ': '',
    'USER': 'USERNAME',
}
SIGKILL = 9  # `signal` has no such name on Windows


def refuse(*_):
    raise OSError('select is for sockets')


def remove_what_windows_lacks():
    """Remove what Windows lacks, but keep the standard library's `subprocess` working."""
    select.select, select.poll, select.epoll = refuse, None, None
    sys.modules.update(dict.fromkeys((*LIBRARIES, *MODULES)))  # None makes an import fail
    for module, names in ((os, MISSING_IN_OS), (signal, MISSING_IN_SIGNAL)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    for name, instead in MISSING_IN_ENVIRONMENT.items():
        value = os.environ.pop(name, '')
        if value and instead:
            os.environ[instead] = value
    os.path.expanduser = lambda path: path.replace('~', os.environ.get('USERPROFILE', '~'), 1)
    shutil._use_fd_functions = False
    shutil._rmtree_impl = shutil._rmtree_unsafe  # since Python 3.13
    subprocess._CAN_USE_PIDFD_OPEN = False  # since Python 3.15
    subprocess.Popen.kill = lambda self: os.kill(self.pid, SIGKILL)
    os.linesep = '\r\n'


remove_what_windows_lacks()
project = sys.argv[1]
sys.path.insert(0, project)
del sys.argv[:2]
sys.argv.insert(0, 'grading')
runpy.run_module('grading', run_name='__' + 'main__', alter_sys=True)
