"""Honest submissions, however odd, get every point in every sandbox."""

import json
import os
import shutil
import socket
from pathlib import Path

import pytest
from assigned import transcripts_for
from graders import graded
from programs import OTHELLO, our_pair, write_files, zipped
from sandboxes import ALL_KINDS, KINDS, skip_unless_confined

from grading.sandbox import program
from grading.sandbox.program import is_inside
from grading.sandbox.view import SYSTEM

TRANSCRIPTS = transcripts_for('othello')[:2]
ONE = TRANSCRIPTS[:1]

BLOCK = 'if __name__ == ' + "'__main__':"
CONSOLE, LOGIC = our_pair('othello').values()
IMPORT = 'from othello_logic import'


def check(source, kind, transcripts=ONE, **settings):
    """Check that a submission gets every point; return its results."""
    results = graded(source, transcripts=transcripts, confine=kind, trusts_looks=False, **settings)
    assert [test['output'] for test in results['tests']] == [''] * len(transcripts)
    assert results['score'] == len(transcripts)
    return results


LATIN_1 = ('# -*- coding: latin-1 -*-\n# D\xe9j\xe0 vu\n' + OTHELLO).encode('latin-1')

# The start of a program that emits a warning, replaces a module of its own, and deletes its folder.
UNTIDY = """
import os, shutil, sys, warnings
warnings.warn("this is not graded")
import settings
assert settings.RUNS == 1
with open("settings.py", "w") as stream:
    stream.write("RUNS = 1 + 1\\n")
with open("game.log", "x") as log, open(os.path.join(os.environ["HOME"], "x.log"), "x"):
    log.write("started")
del sys.modules["settings"]
import settings
assert settings.RUNS == 2
shutil.rmtree(os.getcwd())
"""

# The start of a program that uses all allowed kinds of concurrency: processes, threads, and shared
# data.
PARALLEL = """
import asyncio, multiprocessing, shutil, socket, subprocess, sys, tempfile, threading

def double(number):
    return 2 * number

context = multiprocessing.get_context("fork")
with context.Pool(2) as pool:
    assert pool.map(double, [1, 2]) == [2, 4]
queue, value = context.Queue(), context.Value("i", 3)
process = context.Process(target=lambda: queue.put(value.value))
process.start()
assert queue.get() == 3
process.join()
with context.Manager() as manager:
    assert manager.list([1])[0] == 1
with socket.socket(socket.AF_UNIX) as server:
    server.bind("server")
    server.listen(128)                  # as Manager in Python 3.13
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("server")
        server.accept()[0].close()
thread = threading.Thread(target=double, args=[1])
thread.start()
thread.join()
subprocess.run([sys.executable, "-c", "pass"], check=True)
assert asyncio.run(asyncio.sleep(0, 1)) == 1
with tempfile.TemporaryFile() as file:
    file.write(b"1")
shutil.copytree(".", "../copy", ignore=shutil.ignore_patterns("server"))
"""

SUBMISSIONS = {
    'spaces and brackets': {
        'my folder (1)/my othello.py': CONSOLE,
        'my folder (1)/othello_logic.py': LOGIC,
    },
    'escapes': {'a\nb/\x1b[2J\u202e"\'.py': OTHELLO},
    'an option': {'-c.py': OTHELLO},
    'latin-1': {'othello.py': LATIN_1},
    'bytes': {b'caf\xe9.py'.decode(errors='surrogateescape'): OTHELLO},
    'package, plain': {
        'game/__init__.py': '',
        'game/othello_logic.py': LOGIC,
        'game/othello_console.py': CONSOLE,
    },
    'package, relative': {
        'game/__init__.py': 'from .othello_logic import OthelloGame',
        'game/othello_logic.py': LOGIC,
        'game/othello_console.py': CONSOLE.replace(IMPORT, 'from .othello_logic import'),
    },
    'package, by name': {
        'src/game/__init__.py': 'import game.othello_logic',
        'src/game/othello_logic.py': LOGIC,
        'src/game/othello_console.py': CONSOLE.replace(IMPORT, 'from game.othello_logic import'),
    },
    'names of the library': {
        'queue.py': OTHELLO + f'\n# {BLOCK}',
        'py_compile.py': 'input()',
        'sitecustomize.py': 'x',
        'conftest.py': 'import pytest; x',
        'struct.py': 'while True: pass',
        'pytest.ini': 'x',
        'x.pth': 'x',
    },
    'untidy': {'othello.py': UNTIDY + OTHELLO + f'\n# {BLOCK}', 'settings.py': 'RUNS = 1\n'},
    'parallel': {'othello.py': PARALLEL + OTHELLO},
    'what is not looked at': {
        'othello.py': OTHELLO + f'\n# {BLOCK}',
        '.git/x.py': BLOCK,
        '.venv/lib/x.py': BLOCK,
        '__MACOSX/othello.py': BLOCK,
        '._othello.py': b'\0' + BLOCK.encode(),
        '__pycache__/othello.py': BLOCK,
        '.idea/x.py': BLOCK,
        'notes.txt': BLOCK,
    },
}


@pytest.mark.parametrize(
    ('kind', 'name'),
    [
        *(('bwrap', name) for name in SUBMISSIONS),
        *(('user', name) for name in ('bytes', 'package, by name', 'untidy', 'parallel')),
    ],
)
def test_honest_submission(kind, name, tmp_path):
    check(
        write_files(tmp_path / 'one', SUBMISSIONS[name]),
        kind,
        TRANSCRIPTS if name == 'untidy' else ONE,
    )


@pytest.mark.parametrize('kind', ALL_KINDS)
def test_links_and_special_files(kind, tmp_path):
    folder = write_files(
        tmp_path / 'one', {'src/othello_console.py': CONSOLE, 'lib/logic.py': LOGIC}
    )
    (folder / 'src' / 'othello_logic.py').symlink_to('../lib/logic.py')
    (folder / 'lib' / 'round').symlink_to('..')
    (folder / 'dangling.py').symlink_to('nowhere.py')
    (folder / 'outside').symlink_to('/etc')
    (folder / 'itself').symlink_to('itself')
    (folder / 'zero').symlink_to('/dev/zero')
    os.mkfifo(folder / 'fifo.py')
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(folder / 'socket'))
    results = check(folder, kind)
    assert results['extra_data']['notes'] == [
        'left out: fifo.py: not a regular file',
        'left out: socket: not a regular file',
        *(
            f'left out: {name}: a link that is broken or leads out of the folder'
            for name in ('dangling.py', 'itself', 'outside', 'zero')
        ),
    ]


@pytest.mark.parametrize('kind', ALL_KINDS)
def test_zip_with_one_folder(kind, tmp_path):
    path = zipped(
        tmp_path / 'one.ZIP',
        {
            'hand in/othello_console.py': CONSOLE,
            'hand in\\othello_logic.py': LOGIC,
            '__MACOSX/hand in/._othello_console.py': BLOCK,
        },
    )
    check(path, kind)
    check(path, kind, command='python3 othello_console.py')


QUICK = '-XX:TieredStopAtLevel=1'  # keeps the JVM from optimizing code run only once
JAVA = """
import java.io.*;
public class Othello {
    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        if (Runtime.getRuntime().maxMemory() >> 20 > 300) return;   // on a big machine, too
        String[] steps = {STEPS};
        for (int i = 0; i < steps.length; i++) {
            if (i > 0) input.readLine();
            System.out.print(steps[i]);
        }
    }
}
"""
C = """
#include <stdio.h>
int main(void) {
    char line[99]; const char *steps[] = {STEPS};
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (i > 0) fgets(line, sizeof line, stdin);
        fputs(steps[i], stdout);
        fflush(stdout);
    }
}
"""
NODE = """
const input = require('readline').createInterface({input: process.stdin});
const steps = [STEPS];
process.stdout.write(steps.shift());
input.on('line', () => { process.stdout.write(steps.shift()); if (!steps.length) process.exit(); });
"""


GO = """
package main

import ("bufio"; "fmt"; "os")

func main() {
    input, steps := bufio.NewReader(os.Stdin), []string{STEPS}
    for i, step := range steps {
        if i > 0 { input.ReadString(10) }
        fmt.Print(step)
    }
}
"""
RUST = """
use std::io::{stdin, stdout, Write};
fn main() {
    for (i, step) in [STEPS].iter().enumerate() {
        if i > 0 { stdin().read_line(&mut String::new()).unwrap(); }
        print!("{}", step);
        stdout().flush().unwrap();
    }
}
"""
PYTHON = """
for i, step in enumerate([STEPS]):
    if i > 0:
        input()
    print(step, end='', flush=True)
"""


def first_game(program):
    """Return the program with the outputs of the first game in place of STEPS."""
    return program.replace(
        'STEPS', ', '.join(json.dumps(step.output) for step in TRANSCRIPTS[0].steps)
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ('tool', 'files', 'build', 'command'),
    [
        ('javac', {'Othello.java': JAVA}, 'javac *.java', 'java Othello'),
        ('gcc', {'src/othello.c': C}, 'gcc -o othello *.c', './othello'),
        ('g++', {'othello.cpp': C}, 'g++ -o othello *.cpp', './othello'),
        ('node', {'othello.js': NODE}, None, 'node othello.js'),
        (
            'npm',
            {'othello.js': NODE, 'package.json': '{"scripts": {"start": "node othello.js"}}'},
            None,
            'npm start --silent',
        ),
        ('go', {'othello.go': GO}, 'go build othello.go', './othello'),
        ('rustc', {'othello.rs': RUST}, 'rustc othello.rs', './othello'),
        ('pypy3', {'othello.py': PYTHON}, None, 'pypy3 othello.py'),
    ],
    ids=['java', 'c', 'c++', 'node', 'npm', 'go', 'rust', 'pypy'],
)
@pytest.mark.parametrize('kind', KINDS)
def test_other_languages(kind, tool, files, build, command, tmp_path, monkeypatch):
    """Each program prints the outputs of one game."""
    monkeypatch.setattr(program, 'JAVA', f'{program.JAVA} {QUICK}')
    if not is_inside(Path(shutil.which(tool) or tool).absolute(), SYSTEM):
        pytest.skip(f'there is no {tool}, or it is in a folder of the user')
    write_files(tmp_path / 'one', {name: first_game(text) for name, text in files.items()})
    check(tmp_path / 'one', kind, build=build, command=command)


@pytest.mark.skipif(not shutil.which('gcc'), reason='there is no gcc')
def test_the_report_quotes_the_compiler(tmp_path):
    skip_unless_confined()
    write_files(tmp_path / 'one', {'othello.c': 'int main(void) { return x; }'})
    results = graded(
        tmp_path / 'one',
        transcripts=TRANSCRIPTS,
        confine='auto',
        build='gcc -o othello *.c',
        command='./othello',
    )
    for test in results['tests']:
        assert test['output'].startswith(
            'the build failed with exit status 1:\n  build    |othello.c'
        )
        assert "'x' undeclared" in test['output'].replace('\u2018', "'").replace('\u2019', "'")
