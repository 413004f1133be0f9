"""Small changes to a program: where they make the output right is a place to look."""

import subprocess

import pytest
from programs import write_files
from running import PYTHON
from test_places import graded, places_in

from grading.diagnosis.places.trials import CHANGES, Trial
from grading.limits import Limits
from grading.sessions.transcript import Transcript
from grading.sessions.verdict import Dialogue, Played, judged

REPORT = '''
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
'''
SESSIONS = (
    ('two.txt', '2\na bee cd\n|vowels: 3\n|words: 3\nflu e\n|vowels: 2\n|words: 5\n'
                '|longest: flu\n'),
    ('one.txt', '1\nout\n|vowels: 2\n|words: 1\n|longest: out\n'),
    ('three.txt', '3\na\n|vowels: 1\n|words: 1\nbo ra\n|vowels: 2\n|words: 3\n'
                  'tu\n|vowels: 1\n|words: 4\n|longest: tu\n'))
# What is wrong, and the line to look at: it runs in all sessions, or beside what lacks.
WRONG = {'lacks in the loop': ('        letters = 0\n', '', 31),
         'begins wrongly': ('    number = 0\n', '    number = 1\n', 15),
         'one default for all calls': ('def read():\n    text = input()\n    words =',
                                       'def read(words=[]):\n    text = input()\n    words +=', 2),
         'one value for all objects': (
             'def read():\n    text = input()\n    words = text.split()\n', '''\
class Reader:
    words = []

    def __init__(self):
        self.last = ''

    def read(self):
        self.words += input().split()
        return self.words

def read():
    words = Reader().read()
''', 3)}


@pytest.mark.parametrize('name', WRONG)
def test_the_line_to_fix_is_found_only_by_changes(tmp_path, name):
    before, after, number = WRONG[name]
    found = []
    for changes in (0, Limits.changes):
        places = places_in(graded(tmp_path / str(changes), REPORT.replace(before, after), SESSIONS,
                                  limits=Limits(changes=changes)))
        found.append(any(place['first'] <= number <= place['last'] for place in places))
    assert found == [False, True]


def test_what_is_due_stays_out_of_the_sandbox():
    """The process only gets what the program has printed."""
    session = Transcript('a', '|open\n|secret\nx\n|hidden\n')
    dialogue = Dialogue.printing(['open\nsecre\n', ''])
    request = Trial(Played(session, dialogue, judged(session, dialogue))).request([0])
    assert request.startswith(b"(b'x\\n', b'open\\n', ")
    assert not [word for word in (b'secret', b'hidden') if word in request]


def answers(folder, source, typed, seconds):
    """Return what changed programs answer: how many there are, and the first and the last answer.

    With all changes the program is run, before and behind them as it is.
    """
    write_files(folder, {'main.py': source})
    with subprocess.Popen([PYTHON, '-c', CHANGES, '', 'main.py'], cwd=folder, bufsize=-1,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"['main.py']\n")
        process.stdin.flush()
        number = sum(1 for _ in iter(process.stdout.readline, b'\n'))
        process.stdin.write(f'{(typed, b"", seconds, 99, [-1, *range(number), -1])}\n'.encode())
        process.stdin.close()
        said = []
        while line := process.stdout.readline():
            status, size = map(int, line.split())
            said.append((status, process.stdout.read(size)))
    return number, said


def test_changes_leave_the_program_as_it_is(tmp_path):
    """Those that hang, or end the process, are answered, too."""
    source = ('import os\nif int(input()):\n    os._exit(3)\nwhile len("a") < 1:\n    pass\n'
              'print(1)\n')
    number, said = answers(tmp_path, source, b'0\n', 0.02)
    assert len(said) == number + 2
    assert said[0] == said[-1] == (0, b'1\n')
    assert {status for status, _ in said} == {-1, 0, 1}


HARM = {'answers': 'import os\nfor number in range(3, 9):\n    try:\n        '
                   'os.write(number, b"0 3\\nabc" * 9)\n    except OSError:\n        pass\n',
        'answers without end': 'import os\nfor number in range(3, 9):\n    try:\n        '
                               'while True: os.write(number, b"0" * 9999)\n    '
                               'except OSError:\n        pass\n',
        'closes all': 'import os\nos.closerange(0, 256)\n',
        'prints much': 'print("b" * 10**6)\n',
        'forks': 'import os\nos.fork()\n'}


@pytest.mark.parametrize('name', HARM)
def test_a_program_may_do_anything_in_its_runs(tmp_path, name):
    """It is graded all the same; only its own places may be wrong."""
    source = f'print("a", flush=True)\nif input():\n    print("c")\n{HARM[name]}'
    results = graded(tmp_path, source, (('a.txt', '|a\nx\n|b\n'),))
    assert results['extra_data']['notes'] == []
    assert len(results['extra_data']['findings']) > 0
    assert all(place['file'] == 'main.py' and place['last'] < 12 for place in places_in(results))
