"""Trying small changes to a program: the place of a change that makes the output right."""

import subprocess

import pytest
from assigned import settings_for
from graders import BLOCK
from programs import write_files
from running import PYTHON, SECONDS, rest_long
from sandboxes import ALL_KINDS
from test_places import graded, places_in

from grading.diagnosis.places.trials import CHANGES, Trial
from grading.limits import Limits
from grading.reports.results_json import to_json
from grading.sessions.transcript import parse
from grading.sessions.verdict import Dialogue, PlayedSession, failure_in
from grading.workers.task import Task, grade_task

REPORT = """
def read():
    text = input()
    words = text.split()
    return words

def longest(words):
    found = words[0]
    for word in words:
        if len(word) > len(found):
            found = word
    return found

def count(words, letter):
    number = 0
    for word in words:
        for sign in word:
            if sign == letter:
                number += 1
    return number

def show(title, value):
    line = title + ': ' + str(value)
    print(line, flush=True)

def main():
    size = int(input())
    total = 0
    best = ''
    letters = 0
    for line in range(size):
        words = read()
        letters = 0
        for letter in 'aeiou':
            letters += count(words, letter)
        word = longest(words)
        if len(word) >= len(best):
            best = word
        total += len(words)
        show('vowels', letters)
        show('words', total)
    show('longest', best)

main()
"""
SESSIONS = (
    (
        'two.txt',
        '2\na bee cd\n|vowels: 3\n|words: 3\nflu e\n|vowels: 2\n|words: 5\n|longest: flu\n',
    ),
    ('one.txt', '1\nout\n|vowels: 2\n|words: 1\n|longest: out\n'),
    (
        'three.txt',
        '3\na\n|vowels: 1\n|words: 1\nbo ra\n|vowels: 2\n|words: 3\n'
        'tu\n|vowels: 1\n|words: 4\n|longest: tu\n',
    ),
)
# For each fault: the right text, the wrong text, and the line to look at. The line runs in all
# sessions.
WRONG = {
    'begins wrongly': ('    number = 0\n', '    number = 1\n', 15),
    'one default for all calls': (
        'def read():\n    text = input()\n    words =',
        'def read(words=[]):\n    text = input()\n    words +=',
        2,
    ),
    'one value for all objects': (
        'def read():\n    text = input()\n    words = text.split()\n',
        """\
class Reader:
    words = []

    def __init__(self):
        self.last = ''

    def read(self):
        self.words += input().split()
        return self.words

def read():
    words = Reader().read()
""",
        3,
    ),
}


def is_found(folder, before, after, number, changes):
    """Grade REPORT with one text replaced; return whether line `number` is among the places.

    The diagnosis tries at most `changes` changes.
    """
    source = REPORT.replace(before, after)
    results = graded(folder / str(changes), source, SESSIONS, limits=Limits(changes=changes))
    return any(place['first'] <= number <= place['last'] for place in places_in(results))


@pytest.mark.parametrize('name', rest_long(WRONG))
def test_the_line_to_fix_is_found_only_by_changes(tmp_path, name):
    assert not is_found(tmp_path, *WRONG[name], changes=0)
    assert is_found(tmp_path, *WRONG[name], changes=Limits.changes)


@pytest.mark.parametrize('changes', [0, Limits.changes])
def test_the_loop_that_lacks_a_statement_is_found_even_without_changes(tmp_path, changes):
    assert is_found(tmp_path, '        letters = 0\n', '', 31, changes)


# For each new number, this program copies a list containing an empty list, and appends all numbers
# to the inner list.
COUNTER = """
import copy
start, numbers = [[]], []

def lists():
    made = start[:]
    for number in numbers:
        made[0].append(number)
    return made

for line in range(int(input())):
    numbers.append(input())
    print(len(lists()[0]), flush=True)
"""
COUNTED = (
    ('one.txt', '1\n8\n|1\n'),
    ('three.txt', '3\n4\n|1\n0\n|2\n7\n|3\n'),
    ('two.txt', '2\n9\n|1\n5\n|2\n'),
)
SHALLOW = (
    'Line 6 of main.py makes a shallow copy: changing a list in the copy also changes the original. '
    'In Python, copy.deepcopy also copies the inner lists.'
)


def findings_about(folder, source):
    """Return each finding's sentence and advice, and the reasons and first lines of its places."""
    return [
        (
            finding['sentence'],
            finding['advice'],
            [(place['why'], place['first']) for place in finding['places']],
        )
        for finding in graded(folder, source, COUNTED)['extra_data']['findings']
    ]


@pytest.mark.parametrize(
    'copied', rest_long(['start[:]', 'list(start)', 'start.copy()', 'copy.copy(start)'])
)
def test_a_shallow_copy_is_the_cause_if_a_deep_one_is_right(tmp_path, copied):
    assert findings_about(tmp_path, COUNTER.replace('start[:]', copied)) == [
        (
            'prints "3" instead of "2"',
            SHALLOW,
            [('printed by', 13), ('copied by', 6), ('ran', 7), ('ran', 3)],
        )
    ]


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        ('made = start[:]', 'made = [row[:] for row in start]'),  # this also copies the rows
        ('made[0].append(number)', 'made[0] = [*made[0], number]'),  # no row changes
    ],
)
def test_a_harmless_shallow_copy_is_not_the_cause(tmp_path, before, after):
    source = COUNTER.replace(before, after).replace('[0])', '[0]) + 1')
    assert findings_about(tmp_path, source) == [
        ('prints "2" instead of "1"', '', [('printed by', 13), ('ran', 8)])
    ]


def test_modules_of_the_program_with_names_of_the_library(tmp_path):
    before, after, number = next(iter(WRONG.values()))
    places = places_in(
        graded(
            tmp_path,
            {
                'main.py': f'{REPORT.replace(before, after)}\n{BLOCK}',
                'ast.py': '',
                'copy.py': '',
                'signal.py': 'x = 1',
                'itertools.py': '1/0',
            },
            SESSIONS,
        )
    )
    assert any(place['first'] <= number <= place['last'] for place in places)


def graded_in_place(folder, monkeypatch, sessions, **limits):
    """Return the results of the user's own program, run in its folder rather than in a copy."""
    monkeypatch.chdir(folder)
    return to_json(
        grade_task(
            Task(
                'mine',
                None,
                *settings_for(
                    'assignment',
                    sessions,
                    confine='none',
                    command=f'{PYTHON} main.py',
                    limits=Limits(**limits),
                ),
            )
        )
    )


@pytest.mark.parametrize('best', ALL_KINDS)
def test_a_program_in_place(tmp_path, monkeypatch, best_sandbox, best):
    """A program is traced and changed only in a sandbox that discards what the program does."""
    discards = best_sandbox(best)
    before, after, number = WRONG['begins wrongly']
    write_files(tmp_path, {'main.py': REPORT.replace(before, after)})
    results = graded_in_place(tmp_path, monkeypatch, SESSIONS)
    places = places_in(results)
    assert any(place['first'] <= number <= place['last'] for place in places) == discards
    assert {place['file'] for place in places} == ({'main.py'} if discards else set())
    assert results['extra_data']['notes'] == []
    assert len(results['extra_data']['findings']) > 0


# This program changes a file outside of its folder, and is wrong in the second session.
LEAVES_A_LINE = """import os
from contextlib import suppress
with suppress(OSError), open({log!r}, 'a') as log:
    log.write(os.getcwd() + '\\n')
print(1 + (input() != 'y'))
"""


@pytest.mark.parametrize('best', ALL_KINDS)
def test_a_program_runs_unconfined_only_in_its_sessions(tmp_path, monkeypatch, best_sandbox, best):
    best_sandbox(best)
    log, folder = tmp_path / 'log', tmp_path / 'mine'
    write_files(folder, {'main.py': LEAVES_A_LINE.format(log=str(log))})
    sessions = (('a.txt', 'x\n|2\n'), ('b.txt', 'y\n|2\n'))
    results = graded_in_place(folder, monkeypatch, sessions)
    assert [finding['sessions'] for finding in results['extra_data']['findings']] == [['b.txt']]
    assert log.read_text(encoding='utf-8') == f'{folder}\n' * len(sessions)


def test_a_submission_is_traced_but_not_changed_as_another_user(tmp_path, best_sandbox):
    """A program run as another user shares the folders every user may write to."""
    best_sandbox('user')
    before, after, number = WRONG['begins wrongly']
    results = graded(tmp_path, REPORT.replace(before, after), SESSIONS, confine='user')
    places = places_in(results)
    assert {place['file'] for place in places} == {'main.py'}
    assert not any(place['first'] <= number <= place['last'] for place in places)


def test_a_submission_without_a_sandbox_is_not_traced(tmp_path, best_sandbox):
    best_sandbox('none')
    before, after, _ = WRONG['begins wrongly']
    results = graded(tmp_path, REPORT.replace(before, after), SESSIONS, confine='none')
    assert places_in(results) == []
    assert len(results['extra_data']['findings']) > 0


DESTROY = """import os
from contextlib import suppress
def destroy():
    for name in sorted(os.listdir('.')):
        with suppress(OSError):
            if name.startswith('a'):
                os.remove(name)
            elif name.startswith('b'):
                os.rename(name, name + '.old')
            else:
                open(name, 'w').close()
    return True

"""
COUNTS_WRONGLY = 'word = input()\nsize = len(word)\nprint(size)\n'
THESIS = {'a thesis.txt': 'all of it', 'b notes.txt': 'many', 'c data.csv': '1,2'}
# Each program destroys all files it finds if one kind of change is made to it, and otherwise none.
GUARDED = {
    'a comparison': 'if len(word) > 1:\n    destroy()\n',
    'a condition': 'if not word and word:\n    destroy()\n',
    'a sum': 'if len(word) + 1 == 0:\n    destroy()\n',
    'a number': 'for _ in range(0):\n    destroy()\n',
    'a call': 'if any([word, 0]) and all([word, 0]):\n    destroy()\n',
    'an order': 'first, _ = (0, 1)\nif first:\n    destroy()\n',
    'an index': 'if [0, 1][0]:\n    destroy()\n',
    'a slice': 'if [0, 1][:1][-1]:\n    destroy()\n',
    'a sign': 'if not word:\n    destroy()\n',
    'a choice': 'destroy() if word == "y" else 0\n',
    'a statement that is left out': 'def end():\n    return\n    destroy()\nend()\n',
    'another place': 'if False:\n    print("b")\n    destroy()\n',
    'what lacks': 'cleans = False\nif word:\n    if cleans:\n        destroy()\n'
    '    cleans = True\n',
    'a default': 'def count(to=[]):\n    to.append(1)\n    return len(to)\ncount()\n'
    'if count() == 1:\n    destroy()\n',
    'an honest program that cleans up': 'for name in os.listdir("."):\n'
    '    if name.endswith(".tmp"):\n        os.remove(name)\n',
}


def contents_of(folder):
    """Return the texts of all files in a folder, by their names."""
    return {path.name: path.read_text(encoding='utf-8') for path in folder.iterdir()}


@pytest.mark.parametrize('name', rest_long(GUARDED))
def test_no_change_of_a_program_destroys_the_files_of_its_user(
    tmp_path, monkeypatch, best_sandbox, name
):
    """Without a sandbox, the same changes destroy the files."""
    made = {**THESIS, 'main.py': f'{DESTROY}{COUNTS_WRONGLY}{GUARDED[name]}'}
    best_sandbox('auto')
    write_files(tmp_path / 'graded', made)
    graded_in_place(tmp_path / 'graded', monkeypatch, (('a.txt', 'x\n|2\n'),))
    assert contents_of(tmp_path / 'graded') == made
    write_files(tmp_path / 'unconfined', made)
    answers(tmp_path / 'unconfined', made['main.py'], b'x\n', 1)
    assert contents_of(tmp_path / 'unconfined') != made


@pytest.mark.parametrize('best', ALL_KINDS)
def test_files_of_the_user_in_each_sandbox(tmp_path, monkeypatch, best_sandbox, best):
    """A traced run does not change the files, even if the program does more when it is traced."""
    discards = best_sandbox(best)
    guards = ''.join(GUARDED.values())
    traced = 'import sys\nif sys.gettrace() or sys.argv[0] == "-c":\n    destroy()\n'
    made = {**THESIS, 'main.py': f'{DESTROY}{COUNTS_WRONGLY}{traced}{guards}'}
    write_files(tmp_path, made)
    results = graded_in_place(tmp_path, monkeypatch, (('a.txt', 'x\n|2\n'),))
    assert bool(places_in(results)) == discards
    assert contents_of(tmp_path) == made


def test_the_expected_output_stays_out_of_the_sandbox():
    """The process gets only expected output already printed by the program."""
    session = parse('|open\n|secret\nx\n|hidden\n', 'a')
    dialogue = Dialogue.printing(['open\nsecre\n', ''])
    request = Trial(PlayedSession(session, dialogue, failure_in(session, dialogue))).request([0])
    assert request.startswith(b"(b'x\\n', b'open\\n', ")
    assert not [word for word in (b'secret', b'hidden') if word in request]


def answers(folder, source, typed, seconds):
    """Run a program with each possible change; return the number of changes, and all answers.

    The first and the last answer are those of the unchanged program.
    """
    write_files(folder, {'main.py': source})
    with subprocess.Popen(
        [PYTHON, '-c', CHANGES, '', 'main.py'],
        cwd=folder,
        bufsize=-1,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        process.stdin.write(b"['main.py']\n")
        process.stdin.flush()
        number = sum(1 for _ in iter(process.stdout.readline, b'\n'))
        process.stdin.write(f'{(typed, b"", seconds, 99, [-1, *range(number), -1])}\n'.encode())
        process.stdin.close()
        found = []
        while line := process.stdout.readline():
            status, size, _ = map(int, line.split())
            found.append((status, process.stdout.read(size)))
    return number, found


def test_a_method_named_range_may_have_no_arguments(tmp_path):
    source = 'class Dice:\n    def range(self):\n        return 6\nprint(Dice().range())\n'
    write_files(tmp_path, {'main.py': source})
    listed = subprocess.run(
        [PYTHON, '-c', CHANGES, '', 'main.py'],
        check=True,
        cwd=tmp_path,
        input=b"['main.py']\n",
        stdout=subprocess.PIPE,
        timeout=SECONDS,
    ).stdout
    assert {line.split()[1] for line in listed.splitlines() if line} == {b'3', b'4'}


def test_the_program_is_the_same_after_its_changes(tmp_path):
    """A changed program gets an answer even if it hangs or ends the process."""
    source = (
        'import os\nif int(input()):\n    os._exit(3)\nwhile len("a") < 1:\n    pass\nprint(1)\n'
    )
    number, found = answers(tmp_path, source, b'0\n', 0.02)
    assert len(found) == number + 2
    assert found[0] == found[-1] == (0, b'1\n')
    assert {status for status, _ in found} == {-1, 0, 1}


HARM = {
    'answers': 'import os\nfor number in range(3, 9):\n    try:\n        '
    'os.write(number, b"0 3 9\\nabc" * 9)\n    except OSError:\n        pass\n',
    'answers without end': 'import os\nfor number in range(3, 9):\n    try:\n        '
    'while True: os.write(number, b"0" * 9999)\n    '
    'except OSError:\n        pass\n',
    'closes all': 'import os\nos.closerange(0, 256)\n',
    'prints much': 'print("b" * 10**6)\n',
    'forks': 'import os\nos.fork()\n',
}


@pytest.mark.parametrize('name', HARM)
def test_a_program_may_do_anything_in_its_runs(tmp_path, name):
    """The program is still graded; only the places in its own report may be wrong."""
    source = f'print("a", flush=True)\nif input():\n    print("c")\n{HARM[name]}'
    results = graded(tmp_path, source, (('a.txt', '|a\nx\n|b\n'),))
    assert results['extra_data']['notes'] == []
    assert len(results['extra_data']['findings']) > 0
    assert all(place['file'] == 'main.py' and place['last'] < 12 for place in places_in(results))
