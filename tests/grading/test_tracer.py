"""Where to look in a program: the tracer, what it says, and what is made of it."""

import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest
from independent import write_files
from running import child_environment

from grading.diagnosis.places.trace import Line, Raised, Trace
from grading.diagnosis.places.traced_runs import TRACER

SECONDS = 60                            # after which a run counts as hanging
OTHERS = [f'python3.{minor}' for minor in range(8, 14)] + ['pypy3']


@lru_cache(maxsize=None)
def interpreters():
    """Return the path of an interpreter of each version that is here."""
    code = 'import sys; print(sys.implementation.name, sys.version_info[:2]); print(sys.executable)'
    found = {}
    beside = [path for name in OTHERS for path in Path.home().glob(f'.pyenv/versions/*/bin/{name}')]
    for python in [*beside, *filter(is_program, map(shutil.which, OTHERS)), sys.executable]:
        said = subprocess.run([python, '-c', code], check=False, timeout=SECONDS,
                              capture_output=True, text=True).stdout
        version, _, path = said.strip().partition('\n')
        if path:
            found[version] = path
    return list(found.values())


def is_program(path):
    """Return whether it is that, not a script that takes long to start one, or finds none."""
    return path is not None and not Path(path).read_bytes().startswith(b'#!')


def run(words, text, folder):
    """Return status, output and standard error of a program."""
    result = subprocess.run(words, input=text.encode(), cwd=folder, check=False, timeout=SECONDS,
                            capture_output=True, env=child_environment())
    return result.returncode, result.stdout, result.stderr


def traced(folder, text='', words=('main.py',), python=sys.executable, options=('-S',)):
    """Return the trace of a program that does under the tracer what it does without.

    Without `site` an interpreter starts in a third of the time.
    """
    plain = run([python, *options, *words], text, folder)
    status, output, said = run([python, *options, '-c', TRACER, 'lines', '', *words], text, folder)
    assert (status, output) == plain[:2]
    assert b'Traceback' not in said
    return Trace.read(said)


def printers(trace):
    """Return the line that printed each piece of output, and its caller, once each in a row."""
    lines = [write.lines for step in trace.steps for write in step.writes if write.end]
    return [line for line, before in zip(lines, [None, *lines]) if line != before]


def numbers(step, file='main.py'):
    """Return the lines of a file that ran in a step."""
    return {line.number for line in step.lines if line.file == file}


def main(*numbers):
    return tuple(Line('main.py', number) for number in numbers)


ASKING = '''\
def ask(question):
    return int(input(question))

def tell(number):
    if number > 5:
        print('more')
    else:
        print('less',
              number)

while True:
    number = ask('? ')
    tell(number)
'''


def test_steps_of_a_program(tmp_path):
    write_files(tmp_path, {'main.py': ASKING})
    for python in interpreters():
        trace = traced(tmp_path, '7\n', python=python)
        assert trace.is_whole
        # Not all interpreters stop at line 11: its condition is none.
        assert [numbers(step) - {11} for step in trace.steps] == [
            {1, 2, 4, 12}, {2, 5, 6, 12, 13}, {2, 12}]
        assert trace.readers[0] == main(2, 12)


RAISING = """\
import json

class Mine(Exception):
    pass

def inner(number):
    return number + ''

def outer(work):
    try:
        work()
    except Exception:
        pass

int(input())
for _ in range(2):
    outer(lambda: inner(1))
    outer(lambda: json.loads(1))
    outer(lambda: json.loads('{'))
    outer(lambda: int('x'))
try:
    raise Mine
except Mine:
    print()
input()
outer(lambda: inner(''))
outer(lambda: inner(1))
"""


def test_exceptions_of_pythons_own(tmp_path):
    """Each once in a step, in the innermost line of the program; whatever it says."""
    write_files(tmp_path, {'main.py': RAISING})
    for python in interpreters():
        *_, before, after = traced(tmp_path, '1\n2\n', python=python).steps
        assert [(raised.line.number, raised.type) for raised in before.raised] == [
            (7, 'TypeError'), (18, 'TypeError'), (20, 'ValueError')]
        assert [raised.line.number for raised in after.raised] == [7]
        assert 'x' in before.raised[Raised(Line('main.py', 20), 'ValueError')].text


# Each reads two lines or all, and says something after the first.
READERS = {
    'input': "a = input()\nprint(a)\nb = input('more? ')\nprint(b)\n",
    'readline': ("import sys\na = sys.stdin.readline()\nprint(a)\n"
                 "b = sys.stdin.readline()\nprint(b)\n"),
    'stdin': 'import sys\nfor line in sys.stdin:\n    print(line)\n',
    'fileinput': 'import fileinput\nfor line in fileinput.input():\n    print(line)\n',
    'read': 'import sys\nprint(sys.stdin.read())\n',
    'readlines': 'import sys\nprint(sys.stdin.readlines())\n',
    'buffer': 'import sys\nfor line in sys.stdin.buffer:\n    print(line)\n',
    'os.read': 'import os\nprint(os.read(0, 2))\nprint(os.read(0, 9))\n',
    'open': 'for line in open(0):\n    print(line)\n',
    'past the end': 'while True:\n    print(input())\n',
    'write': ("import sys\nsys.stdout.write('a' + input() + '\\n')\n"
              "sys.stdout.writelines(['b', input()])\n"),
    'print to': 'import sys\nprint(input(), file=sys.stdout, flush=True)\nprint(input(), end="")\n',
    'print to the standard error': 'import sys\nprint(input(), file=sys.stderr)\nprint(input())\n',
    'os.write': "import os\nos.write(1, b'a\\n')\nprint(input())\n",
    'a buffer': "import sys\nsys.stdout.buffer.write(b'a\\n')\nprint(input())\n",
    'sys.exit': "import sys\nprint(input())\nsys.exit('enough')\n",
    'os._exit': 'import os\nprint(input(), flush=True)\nos._exit(7)\n',
    'a crash': 'print(input())\nprint(1 / 0)\n',
    'a syntax error': 'print(input()\n',
    'no characters': "print('\\ud800')\n",
    'bytes that are no source': '\udcff\n',
    'recursion': ('def f(n):\n    print(n)\n    return f(n - 1) if n else 0\n'
                  'f(100)\nprint(input())\n'),
    'endless recursion': ('def f(n):\n    return f(n + 1)\ntry:\n    f(0)\n'
                          "except RecursionError:\n    print('deep')\nprint(input())\n"),
    'a generator': ('def lines():\n    while True:\n        try:\n            yield input()\n'
                    '        except EOFError:\n            return\n'
                    'for line in lines():\n    print(line)\n'),
    'exec': "exec('def f():\\n  print(input())\\nf()\\nf()')\n",
    'names in any script': "größe = int(input())\nπ = 'ж' * größe\nprint(π)\n",
    'threads': ('import threading\ndef work():\n    print(input())\n'
                'threads = [threading.Thread(target=work) for _ in range(2)]\n'
                'for thread in threads:\n    thread.start()\n    thread.join()\n'),
    'a thread at the end': ('import threading, time\ndef work():\n    time.sleep(0.1)\n'
                            '    print(input())\nthreading.Thread(target=work).start()\n'),
    'sys.settrace': ('import sys\ndef trace(frame, event, argument):\n    return trace\n'
                     'sys.settrace(trace)\nprint(input())\nprint(input())\nsys.settrace(None)\n'),
    'sys.setprofile': ('import sys\ncalls = []\ndef f():\n    pass\n'
                       'sys.setprofile(lambda *a: calls.append(a))\nf()\nsys.setprofile(None)\n'
                       'print(input(), len(calls))\n'),
    'another standard output': ('import io, sys\nold = sys.stdout\nsys.stdout = io.StringIO()\n'
                                'print(input())\ntext = sys.stdout.getvalue()\nsys.stdout = old\n'
                                'print(text, end=input())\n'),
    'a new standard output': ("import sys\nsys.stdout = open(1, 'w', buffering=1)\n"
                              'print(input())\nprint(input())\n'),
    'a new standard input': ("import sys\nsys.stdin = open(0)\nprint(input())\n"
                             "for line in open(sys.stdin.fileno(), 'r', closefd=False):\n"
                             "    print(line)\n"),
    'os.fdopen': ("import os, sys\nsys.stdout = os.fdopen(1, 'w')\nprint(input(), flush=True)\n"
                  'print(os.fdopen(0).read())\n'),
    'bytes': ("import sys\nsys.stdout = open(1, 'wb', 0)\nsys.stdout.write(b'a\\n')\n"
              "sys.stdout.write(open(0, 'rb', 0).read())\n"),
    'another file': "with open('main.py') as file:\n    print(file.read(), input())\n",
    'a detached one': ('import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.detach())\n'
                       'print(input())\n'),
    'a configured one': ("import sys\nsys.stdout.reconfigure(line_buffering=True)\n"
                         "sys.stdin.reconfigure(encoding='latin-1')\nprint(input())\n"),
    'a closed one': 'import sys\nprint(input())\nsys.stdout.close()\n',
    'a fork': ('import os\nprint(input(), flush=True)\nif not os.fork():\n'
               "    print('child', flush=True)\n    os._exit(0)\nos.wait()\nprint(input())\n"),
    'a child': ("import subprocess, sys\nprint(input(), flush=True)\n"
                "subprocess.run([sys.executable, '-c', 'print(input())'])\n"),
    'atexit': "import atexit\natexit.register(print, 'bye')\nprint(input())\n",
    'warnings': "import warnings\nwarnings.warn('w')\nprint(input())\n",
    'all descriptors closed': 'import os\nos.closerange(3, 256)\nprint(input())\nprint(input())\n',
    'a change of folder': "import os\nprint(input())\nos.chdir('/')\nprint(input())\n",
    'what it is': ('import sys, os\n'
                   "print(sys.argv, sys.path[0], __name__, type(__builtins__), __spec__, __doc__)\n"
                   'print(sys.stdin.name, sys.stdin.mode, sys.stdin.encoding, sys.stdin.errors)\n'
                   'print(sys.stdout.name, sys.stdout.mode, sys.stdout.encoding, '
                   'sys.stdout.errors)\n'
                   'print(sys.stdin.fileno(), sys.stdout.fileno(), sys.stdin.isatty())\n'
                   'print(sys.modules["__main__"].__dict__ is globals(), sorted(globals()))\n'
                   'print(__file__, __package__, os.path.basename(__loader__.path))\n'),
    'dataclasses': ('from __future__ import annotations\nfrom dataclasses import dataclass\n'
                    '@dataclass\nclass A:\n    a: int\nprint(A(int(input())))\n'),
    'pickle': ('import pickle\nclass A:\n    pass\n'
               'print(type(pickle.loads(pickle.dumps(A()))).__module__, input())\n'),
}
# These leave all as it was, but for lines that have been read.
IN_A_ROW = ('input', 'write', 'print to', 'print to the standard error', 'os.write', 'a buffer',
            'recursion', 'exec', 'names in any script', 'threads', 'pickle',
            'another file', 'warnings', 'sys.setprofile', 'another standard output', 'a fork',
            'atexit', 'a change of folder')


@pytest.mark.parametrize('name', [name for name in READERS if name not in IN_A_ROW])
def test_a_program_does_what_it_does_untraced(tmp_path, name):
    source = READERS[name].encode(errors='surrogateescape')
    write_files(tmp_path, {'main.py': source})
    traced(tmp_path, '5\nlast\n', ('main.py', 'a b', '-c'))


def test_a_program_does_much_in_a_row_as_it_does_untraced(tmp_path):
    write_files(tmp_path, {'main.py': ''.join(READERS[name] for name in IN_A_ROW)})
    assert traced(tmp_path, 30 * '5\n').is_whole


@pytest.mark.parametrize('options', [('-u',), ('-O', '-B'), ('-I',), ('-X', 'utf8'), ()])
def test_options_of_the_interpreter(tmp_path, options):
    write_files(tmp_path, {'main.py': READERS['what it is'] + READERS['input']})
    traced(tmp_path, '5\nlast\n', options=options)


def test_a_module_of_a_package(tmp_path):
    what = 'import sys\nprint(sys.argv, sys.path[0], __name__, __package__, __file__)\n'
    write_files(tmp_path, {'game/__init__.py': 'a = 1\n',
                           'game/__main__.py': what + READERS['input']})
    trace = traced(tmp_path, '5\nlast\n', ('-m', 'game', 'a'))
    assert trace.readers[0] == (Line('game/__main__.py', 3),)
