"""Where in a program to look: the statements that are told of wrong programs, and what may be."""

import json

import pytest
from assigned import settings_for
from graders import run_grader_here
from independent import write_files
from running import PYTHON, short_patience
from sandboxes import ALL_KINDS
from wrong_own import CALCULATOR, CALCULATORS, TEXTS

from grading.batch import Task, grade_task
from grading.diagnosis.places.sources import MOST_BYTES, Sources, statements_in
from grading.diagnosis.places.trace import Line, Raised, Raising, Trace
from grading.diagnosis.places.traced_runs import script_of
from grading.diagnosis.places.where import needed_by, ochiai, places_of, ranked, statements_of
from grading.limits import Limits
from grading.reports.results import to_json

WRONG = CALCULATOR.replace(*CALCULATORS['a-wrong-word'])
TEXTS = tuple(TEXTS.items())
FEW = TEXTS[1], TEXTS[4]                # one in which there is a limit


def graded(folder, files, texts=FEW, **settings):
    """Return the results of a program that is a text, or some files."""
    files = {'main.py': files} if isinstance(files, str) else files
    return to_json(grade_task(Task('submission', write_files(
        folder / 'submission', files), settings_for(
            'calculator', texts, **{'confine': 'none', **settings}))))


def places_in(results):
    """Return where to look in a program, finding by finding."""
    return [place for finding in results['extra_data']['findings'] for place in finding['places']]


def told(results):
    """Return why which lines of a program's own file are told."""
    return {(place['why'], place['first'], place['last']) for place in places_in(results)}


@pytest.mark.parametrize(('source', 'settings', 'is_right'), [
    (CALCULATOR, {}, True), (WRONG, {'no_where': True}, True),
    ({'main.sh': 'echo a; read line; echo b'}, {'command': 'sh main.sh'}, False)])
def test_right_programs_and_those_in_other_languages_have_no_places(source, settings, is_right,
                                                                    tmp_path):
    """Nor has a wrong one without the search for them."""
    results = graded(tmp_path, source, **settings)
    assert places_in(results) == []
    assert (results['score'] > 0) is is_right


def test_a_package_and_a_module_in_a_folder(tmp_path):
    block = 'if __name__ == ' + '"__main__":\n    '
    files = {'game/__init__.py': '',
             'game/rules.py': 'WORD = "limits"\ndef say():\n    print(WORD)\n',
             'game/main.py': 'from . import rules\n' + WRONG.replace(
                 "print('limits')", 'rules.say()') + '\n' + block + 'pass\n'}
    where = places_in(graded(tmp_path, files))
    assert [(place['file'], place['first']) for place in where[:2]] == [
        ('game/rules.py', 3), ('game/main.py', 13)]


def test_a_program_as_it_stands(tmp_path, monkeypatch):
    write_files(tmp_path, {'main.py': WRONG})
    monkeypatch.chdir(tmp_path)
    results = to_json(grade_task(Task('mine', None, settings_for(
        'calculator', FEW, confine='none', command=f'{PYTHON} -u main.py'))))
    assert {place['file'] for place in places_in(results)} == {'main.py'}
    folder = graded(tmp_path, {'main.py': (tmp_path / 'main.py').read_text(encoding='utf-8')})
    assert places_in(folder) == places_in(results)


@pytest.mark.parametrize('kind', ALL_KINDS)
def test_in_each_sandbox(tmp_path, kind):
    assert ('printed by', 12, 12) in told(graded(tmp_path, WRONG, FEW[1:], confine=kind))


def test_option(tmp_path):
    """One session that is wrong: with the option nothing is told of the program."""
    write_files(tmp_path, {'main.py': 'print("b")\n', 'game.txt': '|a\n'})
    words = ['grade', tmp_path / 'game.txt', tmp_path / 'main.py', '--confine', 'none']
    assert '  printed by |main.py, line 1: print("b")' in run_grader_here(*words)[1]
    assert 'printed by' not in run_grader_here(*words, '--no-where')[1]


@pytest.mark.parametrize(('words', 'number'), [
    (['python3', 'a.py'], 1), (['/usr/bin/python3.8', '-u', 'a.py', '-x'], 2),
    (['pypy3', '-X', 'dev', '-Wignore', '-m', 'a.b'], 4), (['C:\\py.exe', 'a.py'], 1),
    (['python3'], None), (['python3', '-c', 'pass'], None), (['python3', '-'], None),
    (['python3', '-m'], None), (['python3', '-i', 'a.py'], None), (['java', 'Game'], None),
    (['sh', '-c', 'python3 a.py'], None), (['pythonista', 'a.py'], None), ([], None)])
def test_command_lines(words, number):
    assert script_of(words) == number


# What a program may do so that nothing, or nothing of some kind, can be told.
NOTHING = {
    'answers otherwise when it is traced': (
        'import os\ntry:\n    os.fstat(199)\n    print("seen")\nexcept OSError:\n'
        '    print("limits")\n', set()),
    'answers otherwise each time': (
        'import time\nprint(time.time())\n', {('printed by', 2, 2)}),
    'os.write': ('import os\nos.write(1, b"limits\\n")\n', set()),
    'a syntax error': ('print(\n', set()),
    'exits': ('import sys\nsys.exit(3)\n', set()),
    'an endless loop': ('import time\nwhile True:\n    time.sleep(1)\n', set()),
    'memory': ('a = []\nwhile True:\n    a.append(bytes(10**8))\n', {('ran', 1, 2)}),
    'endless output': ('while True:\n    print("limits" * 1000)\n',
                       {('printed by', 2, 2), ('ran', 1, 1)}),
    'huge output': ('print("limits\\n" * 2 * 10**4)\n', {('printed by', 1, 1)}),
}


TOTAL = ('a.txt', '|total\n'),


@pytest.mark.parametrize('name', NOTHING)
def test_nothing_is_told_but_what_is_certain(tmp_path, name):
    source, places = NOTHING[name]
    results = graded(tmp_path, source, TOTAL, timeout=short_patience())
    assert results['score'] == 0
    assert told(results) <= places


HOSTILE = """
import os
for number in range(3, 256):
    try:
        os.write(number, JUNK)
    except OSError:
        pass
print('limits')
"""


JUNK = {
    'lines': (b'F 1 2e2e2f2e2e2f6574632f706173737764\nL 1 1\nW 7 0 1 1\n'     # a file elsewhere
              b'F 1 6d61696e2e7079\nL 1 999999999\nR 1 999999999\n'          # a line too far
              b'W 99999999999 1\nR 1\nR x\nF\nL\nX\nW 1\nL ' + b'9' * 10**6 + b'\n'),
    'no lines': b'\xff\0' * 10**6,
}


@pytest.mark.parametrize('name', JUNK)
def test_a_program_may_write_anything_to_the_tracer(tmp_path, name):
    places = places_in(graded(tmp_path, f'JUNK = {JUNK[name]!r}\n{HOSTILE}', TOTAL))
    assert [place for place in places if place['file'] != 'main.py' or place['last'] > 10] == []


def test_what_the_tracer_can_never_have_said():
    trace = Trace.read(b'F 1 61\nF 2 zz\nF x 61\nL 1 3\nL 2 3\nL 1\nL 1 3 4\nW 5 9 1 2\nW\nW 1\n'
                       b'R 1 3 7\nE 1 3 TypeError 61ff\nE 1 3 TypeError 62\nE 2 3 TypeError 61\n'
                       b'E 1 3 type 61\nE 1 3 KeyboardInterrupt 61\nE 1 3 EOFError 61\n'
                       b'E 1 x TypeError 61\nE 1 3 IndexError 6\nE 1 3 KeyError zz\nE 1 3\n'
                       b'Q 1\n\nL 1 -3\nL 1 12345678901\nW 99999999999 0\nL 1 4')
    assert trace.is_whole
    assert [set(step.lines) for step in trace.steps] == [{Line('a', 3)}, set()]
    assert [step.end for step in trace.steps] == [5, 5]
    assert trace.readers == [(Line('a', 3),)]
    assert trace.steps[1].raised == {
        Raised(Line('a', 3), 'TypeError'): Raising('a\\xff', 5)}


def test_a_name_of_a_file_that_is_too_long_or_written_in_many_ways():
    names = ['a/' * 2048 + 'b', './x/../big', '././big']
    trace = Trace.read(''.join(f'F {number} {name.encode().hex()}\nL {number} 1\n'
                               for number, name in enumerate(names)).encode())
    assert [*trace.steps[0].lines] == [Line('big', 1)]


def test_of_big_files_only_so_much_is_read(tmp_path):
    write_files(tmp_path, {'big': 'a\n' * MOST_BYTES, 'one': 'b\n' * (MOST_BYTES // 4),
                           'two': 'c\n' * (MOST_BYTES // 4), 'three': 'd\n'})
    sources = Sources(tmp_path)
    assert [sources.text(name, 1, 1) for name in ('big', 'one', 'two', 'three')] == [
        '', 'b', 'c', '']
    assert sources.text('a/' * 10**5, 1, 1) == ''


def test_what_is_shown_is_escaped(tmp_path):
    results = graded(tmp_path, "print('limits')    # \u202e\x1b[2J\n", TOTAL)
    text = json.dumps(results, ensure_ascii=False)
    assert r'# \\u202e\\x1b[2J' in text
    assert '\u202e' not in text


@pytest.mark.parametrize('path', ['../secret.py', '/etc/passwd', 'link.py', 'folder', 'a\0', ''])
def test_no_file_is_read_that_is_not_the_submissions(tmp_path, path):
    write_files(tmp_path, {'secret.py': 'secret\n', 'submission/folder/main.py': 'a\n'})
    (tmp_path / 'submission' / 'link.py').symlink_to(tmp_path / 'secret.py')
    sources = Sources(tmp_path / 'submission')
    assert sources.statement(Line(path, 1)) is None
    assert sources.text(path, 1, 9) == ''


SOURCES = ['(' * 10**4, 'if a:\n' * 300, '\0', '"""', 'a = (1,\n', 'if a:\n  b\n c\n', '\ufeffa\n',
           '\x0c\n', 'f"{' * 50, '\\', 'a' * 10**5, '-' * 10**5 + '1', 'async def\n', '']


def test_any_file_may_be_read(tmp_path):
    """A line of a file that cannot be parsed is a statement of its own."""
    files = {f'{number}.py': source for number, source in enumerate(SOURCES)}
    write_files(tmp_path, {**files, 'ast.py': '1 / 0', 'main.py': 'a = (1,\n2)', 'folder/a': ''})
    sources = Sources(tmp_path)
    found = {file: sources.statement(Line(file, 2)) for file in [
        *files, 'ast.py', 'folder', 'none.py', 'a\0', '/etc/passwd', 'main.py']}
    assert {file: (one.first, one.last) for file, one in found.items() if one} == {
        **{f'{number}.py': (2, 2) for number in (1, 4, 5, 6, 7, 12)}, 'main.py': (1, 2)}


def test_statements():
    source = ('A = {1: 2,\n     3: 4}\ndef f(x, *,\n      z=1):\n    y = A\n    return f"{x} {y}"\n'
              'while A: A.pop()\nif (A and\n        f):\n    A.b[c] = 1; d = 2\nelif A:\n    pass\n'
              'try:\n    import e.f as g\nexcept (A, B) as h:\n    for i, j in k: break\n')
    found = statements_in('a', source)
    assert [(one.first, one.last, one.keyword, ' '.join(sorted(one.sets)), one.is_setting)
            for one in found] == [
        (1, 2, '', 'A', True), (3, 4, 'def', 'f', False), (5, 5, '', 'y', False),
        (6, 6, 'return', '', False), (7, 7, 'while', 'A', False), (8, 9, 'if', '', False),
        (10, 10, '', 'b d', False), (11, 11, 'if', '', False), (12, 12, 'pass', '', False),
        (13, 13, 'try', '', False), (14, 14, 'import', 'g', False), (15, 15, 'except', 'h', False),
        (16, 16, 'for', 'i j', False)]
    assert [one.within for one in found[:5]] == [None, None, found[1], found[1], None]
    assert found[3].names == {'x', 'y'}


def test_what_decides_whether_a_statement_runs():
    found = statements_in('a', (
        'for a in b:\n    if c:\n        continue\n    if d:\n        e\n    else:\n        f\n'
        'if g:\n    def h():\n        while i:\n            return\n        j\n'))
    deciders = {one.first: [other.first for other in one.deciders] for one in found}
    assert deciders == {1: [], 2: [1], 3: [2, 1], 4: [2, 1], 5: [4, 2, 1], 7: [4, 2, 1], 8: [1],
                        9: [8, 1], 10: [], 11: [10], 12: [10]}


def test_what_starts_a_program():
    found = statements_in(
        'a', 'def f():\n    f()\nf()\nfor a in b:\n    f()\nf(1)\nif c:\n    f()\n')
    assert [one.first for one in found if one.is_start] == [3, 8]


def test_what_is_set_at_the_start_counts_where_it_is_used(tmp_path):
    write_files(tmp_path, {'main.py': 'A = 1\nB = 2\nprint(A)\nprint(B)\n'})
    steps = [[Line('main.py', number) for number in numbers] for numbers in ((1, 2), (3,), (4,))]
    found = statements_of(steps, Sources(tmp_path))
    assert [{one.first for one in step} for step in found] == [set(), {1, 3}, {2, 4}]


def test_what_runs_in_all_steps_is_never_suspicious():
    one, two, three = statements_in('a', 'a\nb\nc\n')
    assert [*ochiai([{one, two}], [{one}, {one, three}])] == [two]
    assert ochiai([{one}], []) == {}


def test_what_is_needed():
    found = statements_in('a', 'a = b = 1\nfor i in a:\n    c.d[a] = i\nelse:\n    e = d\n'
                       'def f(g):\n    e = 1\n    return g\nf(e)\n')
    needed = {one.first: sorted(other.first for other in needed_by([one], found)) for one in found}
    assert needed == {1: [1], 2: [1, 2], 3: [1, 2, 3], 5: [2, 3, 5, 7], 6: [6, 7, 8],
                      7: [5, 7], 8: [], 9: [5, 6, 7, 8]}


def test_the_most_suspicious_come_first_and_of_them_what_is_needed():
    one, two, three, four, five = found = statements_in('a', 'a\nb\nc\nd\ne\n')
    suspicions = {one: 1.0, two: 1.0, three: 0.9, four: 0.1}
    assert ranked(suspicions, [two, five], []) == [two, one, three, five]
    assert ranked(suspicions, found, [one, two]) == [three, four, five]


def test_three_places_and_ten_lines():
    found = statements_in('a', ''.join(f'a{number}\n' + '\n' * (3 * (number % 4 == 3))
                                    for number in range(40)))
    assert [(place[0].first, place[-1].last) for place in places_of(found, 10)] == [
        (1, 4), (8, 11), (15, 16)]
    assert [len(place) for place in places_of(found[::4], 10)] == [1, 1, 1]
    assert places_of(found, 0) == []


def test_places_that_would_be_shown_together_are_one():
    one, two, three, four = statements_in('a', 'a\n\n\nb\n\n\n\nc\nd\n')
    assert places_of([four, two, one], 10) == [[four], [one, two]]
    assert places_of([one, two], 3) == [[one]]
    assert places_of([two, one, three], 5) == [[one, two], [three]]


def test_the_time_of_tracing_is_bounded(tmp_path):
    """Of a program that takes long for each move few runs are traced; each notes that it began."""
    log = tmp_path / 'log'
    reads = '    words = input().split()\n'
    slow = WRONG.replace(reads, f'{reads}    __import__("time").sleep(0.1)\n')
    slow += f'open({str(log)!r}, "a").write("run\\n")\n'
    graded(tmp_path, slow, TEXTS, limits=Limits(tracing=0.5))
    assert len(TEXTS) <= len(log.read_text().split()) < 2 * len(TEXTS)
