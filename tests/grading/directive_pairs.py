"""Sessions with each pair of directives that may occur together, and right and wrong programs.

A session has places: its top, what is printed first, what is typed, what is printed then, and its
end. Each place has a table of what can be there. The sessions are chosen so that each two entries
of two tables occur together at least once. Each session has a right program, and for each part that
can be wrong a program that is wrong there, and then ends.

As a command this prints the verdict on each program, one a line, by the grader of any checkout:

    make -s directive-pairs GRADER=../main > before
    make -s directive-pairs | diff before -
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

# Does what the first word of the command line says, or else the first line of the input.
PROGRAM = 'if [ $# = 0 ]; then read -r program; else program=$1; fi; eval "$program"\n'


class Part(NamedTuple):
    """Some lines of a session, what a right program does there, and what a wrong one does.

    A wrong program does nothing else; the last line is the one that is wrong.
    """

    lines: list
    right: list
    wrong: list = ()  # empty where no program is wrong


def line(printed, wrong, *lines):
    """Return the part in which a right program prints a text."""
    return Part([*lines], [('print', printed)], [('print', wrong)])


def read(typed, *lines):
    """Return the part in which a program reads a line, '' for the end of input."""
    return Part([*lines], [('read', typed)])


def left(right, wrong, *lines):
    """Return the part in which a program leaves a file."""
    return Part(['# file: out', *lines], [('out', right)], [('out', wrong)])


TEXT = line('Text\n', 'Next\n', '|Text')
END_OF_INPUT = read('', '# end of input')
LINES = {
    'text': [TEXT],
    'nothing': [],
    'free': [line('Some\n', '', '# free', '|Any'), line('End\n', 'More\nEnd\n', '|End')],
    'regex': [line('12 cm\n', 'x cm\n', '# regex', '|[0-9]+ cm')],
    'any lines': [line('1\n\n2\nText\n', '1\n2\n3\n', '# any lines', '|Text')],
    'any lines, none': [line('Text\n', '3\n', '# any lines', '|Text')],
    'backslash': [line('a\\\n', 'a\n', '# backslash', '|a\\')],
    'any lines follow': [TEXT, Part(['# any lines'], [('print', '1\n\n2\n')])],
    'any text follows': [TEXT, Part(['# any lines'], [('print', '1\nWell? ')])],
}
TWO_FOR_A_LINE = {
    'any lines, regex': [line('1\n12 cm\n', '1\nx cm\n', '# any lines', '# regex', '|[0-9]+ cm')],
    'any lines, free': [line('1\n', '', '# any lines', '# free', '|Any')],
    'any lines, backslash': [line('1\na\\\n', '1\na\n', '# any lines', '# backslash', '|a\\')],
    'regex, backslash': [line('12\\\n', '12\n', '# regex', '# backslash', '|[0-9]+\\\\')],
    'free, backslash': [line('Some\n', '', '# free', '# backslash', '|a\\')],
}
PROMPTS = {
    'prompt': [line('Name? ', 'Game? ', '|Name? \\')],
    'free prompt': [line('Some? ', '', '# free', '|Any? \\')],
    'regex prompt': [line('12? ', 'x? ', '# regex', '|[0-9]+[?] \\')],
    'any lines, prompt': [line('1\nName? ', '1\nGame? ', '# any lines', '|Name? \\')],
    'any lines, regex prompt': [
        line('1\n12? ', '1\nx? ', '# any lines', '# regex', '|[0-9]+[?] \\')
    ],
}
FIRST = {**LINES, **PROMPTS, **TWO_FOR_A_LINE}
TYPED = {
    'typed': [read('3\n', '3')],
    'type': [read('#3 x\n', '# type: #3 x')],
    'twice': [read('3\n', '3'), read('4\n', '4')],
    'end of input': [END_OF_INPUT],
}
THEN = {**LINES, **TWO_FOR_A_LINE}
ENDS = {
    'end': [],
    'end of input, read': [END_OF_INPUT._replace(wrong=[('print', '- -\n')])],
    'end of input, not read': [Part(['# end of input'], [], [('print', '- -\n')])],
    'end of input, line': [END_OF_INPUT, line('Bye\n', 'By\n', '|Bye')],
    'still asks': [Part(['# still asks'], [('read', '')], [('exit', 0)])],
    'prompt, still asks': [*PROMPTS['prompt'], read('', '# still asks')],
    'file': [left('a\nb\n', 'a\nc\n', '|a', '|b')],
    'file, regex': [left('a\n12\n', 'a\nx\n', '|a', '# regex', '|[0-9]+')],
    'file, free': [left('a\n12\nb\n', 'a\n12\nc\n', '|a', '# free', '|x', '|b')],
    'file, any lines': [left('1\n2\na\nb\n', '1\n2\na\nc\n', '# any lines', '|a', '|b')],
    'file, any lines follow': [left('a\n1\n2\n', 'b\n1\n2\n', '|a'), Part(['# any lines'], [])],
    'file, backslash': [left('a\nb\\\n', 'a\nb\n', '|a', '# backslash', '|b\\')],
    'file with CRLF': [left('a\r\nb\r\n', 'a\r\nc\r\n', '|a', '|b')],
}
# Directives about the whole session, and what shows that they hold.
TOPS = {
    'none': ([], []),
    'points': (['points: 2'], []),
    'hidden': (['hidden'], []),
    'beyond': (['beyond the assignment'], []),
    'case': (['ignore: case'], [line('total\n', 'totals\n', '|Total')]),
    'whitespace': (['ignore: whitespace'], [line(' a\tb \n', 'ab\n', '|a  b')]),
    'tolerance': (['tolerance: 0.01'], [line('mean 2.505\n', 'mean 2.6\n', '|mean 2.50')]),
    'status': (['exit status: 3'], [Part([], [('exit', 3)], [('exit', 2)])]),
}
MOST_AT_ONCE = 400  # cases that are graded as one submission
PLACES = [TOPS, {**LINES, **PROMPTS}, TYPED, LINES, ENDS]
# Where any lines may come late, these are not wrong.
ALLOWED_LATE = [[('print', text)] for text in ('', 'More\nEnd\n', '- -\n')]
PLAIN = ('none', 'text', 'typed', 'text', 'end')


class Case(NamedTuple):
    """A session, what a program does in it, and the number of the wrong line, 0 for none."""

    name: str
    text: str  # of the session
    actions: list
    wrong: int
    wrong_at_once: int  # the same where all input comes at once


def can_occur(top, first, typed, then, end):
    """Return whether parts can occur together in a session."""
    still_asks = end.endswith('still asks')
    return not (
        (typed == 'end of input' and (still_asks or end.startswith('end of input')))
        or (top == 'status' and still_asks)  # where the status does not count
        or (then == 'any text follows' and end == 'prompt, still asks')
    )


def directives_of(tops):
    """Return the directives at the top of a session; one says all that is ignored."""
    found = [directive for top in tops for directive in TOPS[top][0]]
    ignored = [one.removeprefix('ignore: ') for one in found if one.startswith('ignore')]
    return [one for one in found if not one.startswith('ignore')] + [
        f'ignore: {", ".join(ignored)}'
    ] * bool(ignored)


def chosen_sessions():
    """Yield the parts of sessions: a list of tops, and an entry of each other table."""
    left = dict.fromkeys(
        pair
        for one, other in combinations(range(len(PLACES)), 2)
        for pair in product(
            ((one, name) for name in PLACES[one]), ((other, name) for name in PLACES[other])
        )
    )
    while left:
        pair = next(iter(left))
        chosen = {**dict(enumerate(PLAIN)), **dict(pair)}
        if can_occur(*chosen.values()):
            # Into each other place what makes most pairs that are left.
            for place in {*chosen} - {*dict(pair)}:
                chosen[place] = max(
                    PLACES[place],
                    key=lambda name: (
                        sum(one in left for one in combinations({**chosen, place: name}.items(), 2))
                        if can_occur(*{**chosen, place: name}.values())
                        else -1
                    ),
                )
            yield [chosen[0]], *[*chosen.values()][1:]
        for one in [pair, *combinations(chosen.items(), 2)]:
            left.pop(one, None)
    for first, then in product(['text', *TWO_FOR_A_LINE], repeat=2):
        yield ['none'], first, 'typed', then, 'end'
    for both in combinations([*TOPS][1:], 2):
        yield both, *PLAIN[1:]


def parts_of(tops, first, typed, then, end, is_free=False):
    """Return the parts of a session; where prompts are free, the program asks in its own words."""
    own = 'Well? '
    parts = []
    is_open = False  # whether a prompt has been printed
    is_loose = False  # whether any lines may come late
    shown = [part for top in tops for part in TOPS[top][1]]
    last = [part for part in shown if not part.lines]
    for part in [
        *FIRST[first],
        *TYPED[typed],
        *(part for part in shown if part not in last),
        *THEN[then],
        *ENDS[end],
        *last,
    ]:
        name, value = (part.right or [('', '')])[0]
        if is_free and '|Name? \\' in part.lines:
            part = part._replace(right=[('print', value.replace('Name? ', own))], wrong=[])
        elif is_free and '|Any? \\' in part.lines:
            part = part._replace(wrong=[])
        elif is_free and name == 'read' and not is_open:
            part = part._replace(right=[('print', own), *part.right])
        if is_loose and part.wrong in ALLOWED_LATE:
            part = part._replace(wrong=[])
        is_loose = part.lines == ['# any lines'] or (is_loose and not part.wrong)
        is_open = name == 'print' and not value.endswith('\n')
        parts.append(part)
    heads = [*directives_of(tops), *['prompts: free'] * is_free]
    lines = [line for part in parts for line in part.lines]
    if not any(line.startswith('|') or line in ('# any lines', '# still asks') for line in lines):
        heads.append('prints nothing')
    return [Part([f'# {one}' for one in heads], []), *parts]


def cases_of(name, parts):
    """Yield the right program of a session, and those that are wrong in one part."""
    text = ''.join(f'{line}\n' for part in parts for line in part.lines)
    prompt = 0  # the line of a prompt that may follow any lines
    before, wrong = [], []  # what is done before a part
    end = next(
        (action for part in parts for action in part.right if action[0] == 'exit'), ('exit', 0)
    )
    size = 0
    for part in parts:
        size += len(part.lines)
        prints = part.right[:1] and part.right[0][0] == 'print'
        if part.wrong:  # nobody sees whether a program asks, or ends
            at_once = (
                0
                if part.lines == ['# still asks']
                else (prompt * prints * (part.lines[:1] != ['# any lines']) or size)
            )
            wrong.append(([*before, *part.wrong, end], size, at_once))
        if prints:
            prompt = size * (part.lines[0] == '# any lines' and part.lines[-1][-2:] == ' \\')
        before += part.right
    for number, (actions, *lines) in enumerate([(before, 0, 0), *wrong]):
        yield Case(f'{name}: {f"wrong {number}" if number else "right"}', text, actions, *lines)


def all_cases(is_free=False):
    """Yield all cases, with free prompts or with those of the sessions."""
    for tops, *others in chosen_sessions():
        yield from cases_of(
            ' | '.join([*['free'] * is_free, '+'.join(tops), *others]),
            parts_of(tops, *others, is_free=is_free),
        )


def cases_of_files():
    """Yield the assignment.ini and the cases of pairs of files, whose input has the program."""
    tops = [top for top in TOPS if top not in ('none', 'hidden', 'beyond')]
    for chosen in [*combinations(tops, 1), *combinations(tops, 2)]:
        heads, *parts = parts_of(chosen, 'text', 'twice', 'text', 'end')
        yield (
            ''.join(f'{line[2:].replace(": ", " = ")}\n' for line in heads.lines),
            [*cases_of('+'.join(chosen), parts)],
        )


def file_names(number):
    """Return the names of a pair of files."""
    return f'{number:04}.in', f'{number:04}.ans'


def in_shell(actions):
    """Return a line of a shell that does some actions."""
    words = []
    for name, value in actions:
        if name == 'read' and value:
            words.append(f'read -r line && [ "$line" = {shlex.quote(value[:-1])} ] || exit 99')
        elif name == 'read':  # the end of input
            words.append('! read -r line || exit 99')
        elif name == 'exit':
            words.append(f'exit {value}')
        else:
            text = value.replace('\\', r'\\').replace('\n', r'\n').replace('\r', r'\r')
            words.append(f'printf %b {shlex.quote(text)}' + ' > out' * (name == 'out'))
    return '; '.join([*words, 'exit 0'])


def as_session(case):
    """Return a case as a session whose $ line has the program."""
    return f'$ main.sh {shlex.quote(in_shell(case.actions))}\n{case.text}'


def as_files(case):
    """Return the input of a case, with the program before it, and its output."""
    lines = case.text.splitlines(keepends=True)
    return (
        f'{in_shell(case.actions)}\n' + ''.join(line for line in lines if line[0] != '|'),
        ''.join(line[1:] for line in lines if line[0] == '|'),
    )


def line_in_output(case):
    """Return the line of the output of a pair of files that is wrong in a case."""
    lines = case.text.splitlines()[: case.wrong]
    return sum(line[0] == '|' for line in lines)


def verdict(test):
    """Return what a test of results.json says of a case, without its name."""
    first = test['output'].partition('\n')[0]
    return first.partition(':')[2] if first else f'right, {test["score"]:g} points'


def verdicts_by(grader, folder, files, *options):
    """Return the verdicts of a checkout of the grader on sessions, in their order."""
    for name, text in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')
    out = Path(folder, 'out')
    subprocess.run(
        [
            sys.executable,
            '-m',
            'grading',
            'grade',
            'course',
            'one',
            '--command',
            'sh main.sh',
            '--out',
            out,
            '--confine',
            'none',
            '--no-where',
            '--beyond',
            '--timeout',
            '1',
            *options,
        ],
        cwd=folder,
        env={**os.environ, 'PYTHONPATH': str(Path(grader).resolve())},
        check=False,
        stdout=subprocess.DEVNULL,
    )
    tests = json.loads((out / 'one' / 'results.json').read_text(encoding='utf-8'))['tests']
    return [verdict(test) for test in sorted(tests, key=lambda test: test['name'])]


def main(grader='.'):
    """Print the verdicts of a checkout of the grader."""
    for way, is_free, options, place in [
        ('in turns', False, [], 'one'),
        ('in turns', True, [], 'one'),
        ('at once', False, ['--at-once'], 'one'),
        ('files/', False, [], 'course/files'),
    ]:
        cases = [*all_cases(is_free)]
        for start in range(0, len(cases), MOST_AT_ONCE):
            some = cases[start : start + MOST_AT_ONCE]
            with tempfile.TemporaryDirectory() as folder:
                found = verdicts_by(
                    grader,
                    folder,
                    {
                        'one/README': '',
                        f'{place}/main.sh': PROGRAM,
                        'course/assignment.ini': '',
                        **{
                            f'course/{number:04}.txt': as_session(case)
                            for number, case in enumerate(some)
                        },
                    },
                    *options,
                )
            for case, said in zip(some, found, strict=False):
                print(f'{way}: {case.name}: {said}', flush=True)
    for ini, cases in cases_of_files():
        files = {
            f'course/{name}': text
            for number, case in enumerate(cases)
            for name, text in zip(file_names(number), as_files(case), strict=False)
        }
        with tempfile.TemporaryDirectory() as folder:
            found = verdicts_by(
                grader, folder, {'one/main.sh': PROGRAM, 'course/assignment.ini': ini, **files}
            )
        for case, said in zip(cases, found, strict=False):
            print(f'files: {case.name}: {said}', flush=True)
