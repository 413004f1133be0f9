"""Sessions with and without directives, and reports on right and wrong programs.

The sessions are played line by line (in turns), or with all input at once.
"""

import json
import math
import re
import shlex
import shutil
import zipfile
from contextlib import nullcontext
from unittest import mock

import internals
import pytest
from graders import BUFFERED, FAST, explained_here, graded, grades_in, judged, run_grader_here
from programs import our_pair, write_files
from running import PYTHON, SECONDS, rest_long, short_patience, unless_matches_never_end
from sandboxes import ALL_KINDS, works

from grading.diagnosis.hints import SLOW
from grading.installation import TRANSCRIPTS_FOLDER
from grading.limits import Limits
from grading.sessions.comparison import Alignment
from grading.sessions.run import Run
from grading.sessions.transcript import TranscriptError, parse, parse_pair, read_session
from grading.settings import DataFile

HEAD = """import sys, time
print = __import__("functools").partial(print, flush=True)
def ask(prompt=""):             # like input()
    print(prompt, end="")
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\\n")
"""
ASKS = 'n = 0\nwhile n < 1:\n    n = int(ask("Height? "))\nprint("#" * n)\n'


def kinds(folder, table, **settings):
    """Grade each program in its session; return the kind of each failure, or None for a pass."""
    cases = [(text, HEAD + source) for text, source in table]
    with mock.patch(internals.GRACE_SECONDS, 0.1):
        tests = judged(folder, cases, limits=Limits(alone=0, hanging=SECONDS, search=0), **settings)
    return [test['extra_data'].get('example', {}).get('kind') for test in tests]


# For each case: a session, the outputs of right programs, and the outputs of wrong programs with
# the kinds of their failures.
LINES = {
    'case': (
        '# ignore: case\n|Yes  No\n|\n|End\n',
        ['YES  no\n\nend\n'],
        {
            'Yes No\n\nEnd\n': 'differs',
            'Yes  No\nEnd\n': 'differs',
            'Yes  No\n\nEnds\n': 'differs',
            'Yes  No\n\nEnd': 'ended',
            'Yes  No\n\nEnd\n\n': 'differs',
        },
    ),
    'whitespace': (
        '# ignore: whitespace\n|A  B\n|\n| C\n',
        ['A B\nC\n', '\n  A\tB  \n\n\nC \n\n\n', 'A  B\n\n C', 'A B\r\nC\r\n'],
        {
            'AB\nC\n': 'differs',
            'a b\nC\n': 'differs',
            'A\nB\nC\n': 'differs',
            'A B C\n': 'differs',
            'A B\n': 'ended',
            'A B\nC\nD\n': 'differs',
            'A B\nC D': 'differs',
        },
    ),
    'both': ('# ignore: case, whitespace\n|A  B\n', ['a b\n'], {'a c\n': 'differs'}),
    'tolerance': (
        '# tolerance: 0.01\n|mean=2.50 (x1)\n|1000\n',
        ['mean=2.505 (x1)\n1009\n', 'mean=2.5 (x1)\n1e3\n', 'mean=+2.50 (x1)\n1000\n'],
        {
            'mean=2.53 (x1)\n1000\n': 'differs',
            'mean=2.5 (x1)\n1011\n': 'differs',
            'mean=2.5 (x1.0)\n1000\n': 'differs',
            'mean=nan (x1)\n1000\n': 'differs',
            'mean=2.5  (x1)\n1000\n': 'differs',
            'mean 2.5 (x1)\n1000\n': 'differs',
            'mean=2.5 (x1)\n1e999\n': 'differs',
            'mean=2.5 (x1)\n': 'ended',
        },
    ),
    'numbers with spaces': (
        '# tolerance: 1e-6\n# ignore: whitespace\n|1  2\n',
        ['1.0 2.0000001 \n'],
        {'12\n': 'differs', '1 2.1\n': 'differs', '1\n': 'differs'},
    ),
    'free': (
        '|A\n# free\n|B\n|C\n',
        ['A\nB\nC\n', 'A\n\nC\n', 'A\n' + 'x' * 4000 + '\nC\n'],
        {
            'A\nC\n': 'ended',
            'A\nx\ny\nC\n': 'differs',
            'A\n' + 'x' * 5000 + '\nC\n': 'differs',
            'B\nB\nC\n': 'differs',
        },
    ),
    'regex': (
        '# regex\n|[A-C]+ \\d{2}\n|End\n',
        ['ABC 12\nEnd\n'],
        {
            'ABC 123\nEnd\n': 'differs',
            'xABC 12\nEnd\n': 'differs',
            'ABC 12\nEn\n': 'differs',
            'ABC 12': 'ended',
            'abc 12\nEnd\n': 'differs',
        },
    ),
    'regex that ignores': (
        '# ignore: case, whitespace\n# regex\n|[A-C]+ \\d{2}\n',
        ['  abC 12 \n'],
        {'abd 12\n': 'differs'},
    ),
    'regex with flags': (
        '# regex\n|(?i)[A-C]+ end\n# regex\n|(?ix) (d) \\1 # twice\n|End\n',
        ['abc END\ndD\nEnd\n'],
        {
            'abcd end\ndd\nEnd\n': 'differs',
            'a end\nde\nEnd\n': 'differs',
            'a end\ndd\nend\n': 'differs',
        },
    ),
    'regex with flags that ignores': (
        '# ignore: whitespace\n# regex\n|(?i)a|b c\n# regex\n|(?x) d e # no spaces\n',
        [' A \nde\n', 'B C\n de'],
        {'B  C\nde\n': 'differs', 'a\nd e\n': 'differs', 'a\nDE\n': 'differs'},
    ),
    'regex with characters that look like flags': (
        '# ignore: whitespace\n# regex\n|[(?i)]+\n',
        [' (?) \n', 'i\n'],
        {'I\n': 'differs', '[i]\n': 'differs'},
    ),
    'any lines': (
        '# any lines\n|A\n|B\n',
        ['A\nB\n', 'x\n\ny\nA\nB\n', 'A\nA\nB\n', 'A\nx\nA\nB\n'],
        {'A\nx\nB\n': 'ended', 'B\n': 'ended', 'A\nB\nC\n': 'ended', 'xA\nB\n': 'ended'},
    ),
    'any lines twice': (
        '# any lines\n# any lines\n|A\n# any lines\n# any lines\n',
        ['x\nA\ny\n'],
        {'x\n': 'ended'},
    ),
    'any lines at the end': (
        '|A\n# any lines\n',
        ['A\n', 'A\nx\n\ny\n', 'A\nx'],
        {'x\n': 'differs', '': 'ended'},
    ),
    'any lines before a regex': ('# any lines\n# regex\n|A+\n', ['x\nB\nAA\n'], {'x\n': 'ended'}),
    'nothing': ('# prints nothing\n', [''], {'\n': 'differs', ' ': 'differs'}),
}
HOSTILE = {'regex': ('# regex\n|(a+)+b\n|End\n', ['aab\nEnd\n'], {'a' * 99 + '\nEnd\n': 'differs'})}


class Printed(Run):
    """A run that has ended after printing a text; no process is started for it."""

    excess, _deadline = '', math.inf
    has_unread_input = was_killed_by_system = _prints = _has_errors = False
    processes = refused = ()

    def __init__(self, text):
        self._held = text.encode()

    def status(self, seconds):
        return 0

    def end_input(self):
        pass

    def watched_while_busy(self):
        return nullcontext()


@pytest.mark.parametrize('at_once', [False, True])
def test_lines(at_once, tmp_path, monkeypatch):
    check_lines(LINES, at_once, tmp_path, monkeypatch)


@unless_matches_never_end
@pytest.mark.parametrize('at_once', [False, True])
def test_hostile_lines(at_once, tmp_path, monkeypatch):
    check_lines(HOSTILE, at_once, tmp_path, monkeypatch)


def check_lines(lines, at_once, tmp_path, monkeypatch):
    table = {
        (text, printed): kind
        for text, right, wrong in lines.values()
        for printed, kind in [*dict.fromkeys(right).items(), *wrong.items()]
    }
    printed = [text for _, text in table]
    monkeypatch.setattr(internals.SECONDS_A_LINE, 0.02)
    monkeypatch.setattr(
        internals.RUNNING,
        lambda program, *_: nullcontext(Printed(printed[int(program.words[-1][: -len('.py')])])),
    )
    assert dict(zip(table, kinds(tmp_path, table, at_once=at_once), strict=False)) == table


LATE = 'from builtins import print\n'  # the built-in function does not flush
BYE = """names = []
try:
    while True:
        names.append(ask("Name: "))
except EOFError:
    print()
print("Adieu, adieu, to", *names)
"""
TWICE = 'print("Welcome")\nn = ask("Number: ")\nprint("Twice:", 2 * int(n))\n'
SUMS = 'first = int(ask("First? "))\nprint(first + int(ask("Second? ")))\n'
# The same for programs that read input, given as source code. Each wrong program is mapped to two
# kinds of failure: the kind in turns, and the kind with all input at once.
PROGRAMS = {
    'free prompts': (
        '# prompts: free\n-1\n0\n2\n|##\n',
        [
            ASKS,
            ASKS.replace('"Height? "', ''),
            ASKS.replace('"Height? "', '"x" * 4000'),
            ASKS.replace('Height? ', 'Height?\\n'),
            'print("Height", end="")\ntime.sleep(0.3)\nprint(end="? ")\ntime.sleep(0.3)\n' + ASKS,
        ],
        {
            ASKS.replace('Height? ', '-?\\n'): ('differs', 'differs'),
            ASKS.replace('Height? ', '##\\n'): ('differs', 'differs'),
            ASKS.replace('Height? ', 'Height\\n? '): ('differs', 'differs'),
            ASKS.replace('Height? ', 'x" * 70000 + "'): ('differs', 'differs'),
            ASKS.replace('n < 1', 'n == -1'): ('differs', 'differs'),
            ASKS.replace('print("#" * n)', 'print("#" * n + "!")'): ('differs', 'ended'),
            'ask("Height? ")\nprint("#")\n': ('differs', 'ended'),
            'print("-")\n' + ASKS: ('differs', 'differs'),
            'print(end="-")\ntime.sleep(0.3)\nprint()\n' + ASKS: ('differs', 'differs'),
        },
    ),
    'free prompt': (
        '# free\n|Name? \\\nAda\n|Hi Ada\n',
        [
            'print("Hi", ask("Name? "))\n',
            'print("Hi", ask("Wie? "))\n',
            'print(end="W")\ntime.sleep(0.3)\nprint("Hi", ask("ie? "))\n',
        ],
        {
            'print("Hi", ask("Wie?\\n"))\n': ('differs', 'differs'),
            'print("Hi " + ask("x" * 5000))\n': ('differs', 'differs'),
            'print("Ho", ask("Name? "))\n': ('differs', 'differs'),
        },
    ),
    'regex prompt': (
        '# regex\n|N.*\\?\\ \\\nAda\n|Hi Ada\n',
        ['print("Hi", ask("Name? "))\n', 'print("Hi", ask("N? "))\n'],
        {'print("Hi", ask("Who? "))\n': ('differs', 'differs')},
    ),
    'regexes on one line': (
        '# regex\n|(?i)(a)\\1\\\n1\n# regex\n|(?P<a>B)(?P=a)\n',
        ['print(end="aA")\nask()\nprint("BB")\n'],
        {
            'print(end="aA")\nask()\nprint("bb")\n': ('differs', 'differs'),
            'print(end="ab")\nask()\nprint("BB")\n': ('differs', 'differs'),
        },
    ),
    'regex behind free prompts': (
        '# prompts: free\n1\n# regex\n|(?i)x+\n',
        ['ask("x? ")\nprint("XX")\n'],
        {'ask("x? ")\nprint("XY")\n': ('differs', 'ended')},
    ),
    'prompt that ignores': (
        '# ignore: case, whitespace\n|Your  name? \\\nAda\n|Hi Ada\n',
        ['print("hi", ask("your name?"))\n', 'print(" hi ", ask("Your Name?  "))\n'],
        {
            'print("\\nhi", ask("Your name? "))\n': ('differs', 'differs'),
            'print("hi", ask("Your nam? "))\n': ('differs', 'differs'),
        },
    ),
    'any lines before a prompt': (
        '# any lines\n|> \\\n1\n|2\n',
        ['print("Hello")\nprint(int(ask("> ")) + 1)\n', 'print(int(ask("> ")) + 1)\n'],
        {'print("Hello")\nprint(int(ask(">> ")) + 1)\n': ('differs', 'ended')},
    ),
    'any lines before an input': (
        '|A\n# any lines\n1\n|2\n',
        [
            'print("A")\nprint("menu")\ntime.sleep(0.2)\nprint("more")\nprint(int(ask()) + 1)\n',
            'print("A")\nprint(int(ask()) + 1)\n',
        ],
        {'print("A")\nprint("menu")\nprint(int(ask()) + 2)\n': ('ended', 'ended')},
    ),
    'any text before an input': (
        '|A\n# any lines\n1\n|2\n',
        ['print("A\\nHello")\nprint(int(ask("Number? ")) + 1)\n'],
        {'print("A\\nHello")\nprint(int(ask("Number? ")) + 2)\n': ('differs', 'ended')},
    ),
    'regex prompt where prompts are free': (
        '# prompts: free\n# regex\n|N.*[?] \\\nAda\n|Hi Ada\n',
        ['print("Hi", ask("Name? "))\n', 'print("Hi", ask("Name? \\n"))\n'],
        {
            'print("Hi", ask("Who? "))\n': ('differs', None),
            'print("Hi", ask())\n': ('silent', None),
        },
    ),
    'an end of input that need not be read': (
        '# prompts: free\n|Name? \\\nAnn\n|Hello, Ann\n# end of input\n',
        ['print("Hello,", ask("Name? "))\n', 'print("Hello,", ask("Who? "))\nsys.stdin.read()\n'],
        {'print("Hello.", ask("Name? "))\n': ('differs', None), 'ask("Name? ")\n': ('ended', None)},
    ),
    'end of input': (
        '|A\n3\n4\n# end of input\n|7\n',
        ['print("A")\nprint(sum(map(int, sys.stdin)))\n'],
        {
            'print("A")\nprint(sum(map(int, sys.stdin)) + 1)\n': ('differs', 'differs'),
            'print("A")\nfor line in sys.stdin: print(line)\n': ('differs', 'differs'),
        },
    ),
    'still asks': (
        '3\n|No.\n# still asks\n',
        ['ask()\nprint("No.")\nask()\n'],
        {
            'ask()\nprint("No.")\n': ('ended', None),
            'ask()\nprint("No!")\nask()\n': ('differs', 'differs'),
            'ask()\nprint("No.")\nprint("?")\nask()\n': ('differs', None),
        },
    ),
    'still asks, with a prompt': (
        '# prompts: free\n3\n|No.\n# still asks\n',
        ['ask("Number? ")\nprint("No.")\nask("Again? ")\n'],
        {'ask("Number? ")\nprint("No.")\nprint("Bye.")\n': ('ended', None)},
    ),
    # Optional output may appear late, and a prompt may be a whole line.
    'a wrong number, and asks again': (
        '# prompts: free\n10\n# any lines\n# regex\n|.*Guess.*\\\n# still asks\n',
        [
            'ask("Guess: ")\nprint("Too large!")\nask("Guess: ")\n',
            'ask("Guess?\\n")\nprint("Too large!")\nask("Guess?\\n")\n',
        ],
        {'import sys; sys.exit()\n': ('ended', None)},
    ),
    'a prompt whose line ends with the input': (
        '# prompts: free\n# ignore: whitespace\nAnn\n# end of input\n|Adieu, adieu, to Ann\n',
        [BYE, BYE.replace('print()\n', ''), LATE.replace('print()', 'print("\\n")') + BYE],
        {
            BYE.replace('adieu,', 'adieu'): ('differs', 'ended'),
            BYE.replace('print()', 'print("Bye")'): ('differs', None),
        },
    ),
    'lines and prompts that come late': (
        '# prompts: free\n# any lines\n4\n# any lines\n|Twice: 8\n',
        [
            TWICE,
            LATE + TWICE,
            LATE + TWICE.replace('Number: ', 'Number?\\n'),
            LATE + TWICE.replace('Number: ', ''),
        ],
        {
            TWICE.replace('2 *', '3 *'): ('ended', 'ended'),
            LATE + TWICE.replace('2 *', '3 *'): ('ended', 'ended'),
            LATE + TWICE.replace('Twice:', 'Twice: 8'): ('ended', 'ended'),
        },
    ),
    'one line each that comes late': (
        '# prompts: free\n3\n4\n|7\n',
        [LATE + SUMS, LATE + SUMS.replace('? ', '?\\n')],
        {
            LATE + SUMS.replace('? ', '?\\n').replace('print(', 'print("Sum\\n", '): (
                'differs',
                'differs',
            )
        },
    ),
    'a status': (
        '# exit status: 1\n3\n|No\n',
        ['ask()\nprint("No")\nsys.exit(1)\n'],
        {
            'ask()\nprint("No")\n': ('status', 'status'),
            'ask()\nprint("No")\nsys.exit(2)\n': ('status', 'status'),
        },
    ),
    'not 0': (
        '# exit status: not 0\n3\n|No\n',
        ['ask()\nprint("No")\nsys.exit(255)\n'],
        {
            'ask()\nprint("No")\n': ('status', 'status'),
            'ask()\nprint("No")\n__import__("os").abort()\n': ('status', 'status'),
        },
    ),
    'a mean': (
        '# tolerance: 0.01\n2\n|mean 2.50\n',
        ['ask()\nprint("mean 2.505")\n'],
        {'ask()\nprint("mean 2.6")\n': ('differs', 'differs')},
    ),
    'silence': ('# prints nothing\n3\n', ['ask()\n'], {'ask()\nprint()\n': ('differs', 'differs')}),
    'any status': (
        '# exit status: any\n3\n|No\n',
        ['ask()\nprint("No")\nsys.exit(2)\n', 'ask()\nprint("No")\n'],
        {'ask()\nprint("No!")\n': ('differs', 'differs')},
    ),
}


@pytest.mark.parametrize('way', ['in turns', pytest.param('at once', marks=pytest.mark.long)])
def test_programs(way, tmp_path):
    at_once = way == 'at once'
    table = {
        (text, source): found
        for text, right, wrong in PROGRAMS.values()
        if not (at_once and text.startswith('# prompts: free'))
        for source, found in [
            *dict.fromkeys(right).items(),
            *((program, failures[at_once]) for program, failures in wrong.items()),
        ]
    }
    assert dict(zip(table, kinds(tmp_path, table, at_once=at_once), strict=False)) == table


UNTYPED = '"# type: " is for a line that begins with #, $ or |; write any other line as it is'
MISTAKES = {  # messages, when a session may have at most 9 lines
    '# points: two\n': "a:1: points must be a number such as 2 or 2.5, not 'two'",
    '# points 2\n': 'a:1: "# points" needs a colon and a value, as in "# points: 2" (if this '
    'is just a comment, end it with a period)',
    '1\n# hidden: yes\n': 'a:2: "# hidden" must be alone on its line (if this is just a comment, '
    'end it with a period)',
    '1\n# Points: 2\n': 'a:2: write "# points: 2" instead of "# Points: 2" (if this is just a comment, '
    'end it with a period)',
    '# exit status: 256\n': 'a:1: an exit status must be a number from 0 to 255, "any" or "not 0", '
    "not '256'",
    '# ignore: dots\n': 'a:1: "# ignore:" takes "case", "whitespace" or both, not \'dots\'',
    '# tolerance: -1\n': "a:1: a tolerance must be a number such as 0.01 or 1e-6, not '-1'",
    '# tolerance: nan\n': "a:1: a tolerance must be a number such as 0.01 or 1e-6, not 'nan'",
    '# prompts: any\n': 'a:1: "# prompts:" takes "free" or "none", not \'any\'',
    '# file: /etc/passwd\n': "a:1: a file path must be relative to the program's folder, for example "
    '"after.csv" or "out/after.csv", not \'/etc/passwd\'',
    '# file: a\n|x\n# file: a\n': 'a:3: "# file: a" appears twice',
    '# regex\n|(\n': 'a:2: invalid regular expression: missing ), unterminated subpattern at '
    'position 0',
    '# regex\n|(?i)a\n# regex\n|(?z)a\n': 'a:4: invalid regular expression: unknown extension ?z at '
    'position 1',
    '# regex\n1\n': 'a:2: "# regex" must be followed by an output line',
    '|a\n# free\n': 'a:2: "# free" must be followed by an output line',
    '# regex\n# free\n|x\n': 'a:2: an output line cannot be both "# free" and "# regex"',
    '1\n# end of input\n2\n': 'a:3: no input may follow "# end of input": \'2\'',
    '1\n# end of input\n# end of input\n': 'a:3: no input may follow "# end of input": '
    '"# end of input"',
    '1\n# still asks\n2\n': 'a:3: no input may follow "# still asks": \'2\'',
    '1\n# still asks\n|2\n': 'a:3: no output may follow "# still asks"',
    '# prints nothing\n1\n|2\n': 'a: the session has "# prints nothing", but also output lines',
    '# type: 3\n': f'a:1: {UNTYPED}',
    '1\n#type:#3\n': f'a:2: {UNTYPED}',
    '# backslash\n|x\n': 'a:2: the line after "# backslash" must end with a backslash',
    '# backslash\n1\n': 'a:2: "# backslash" must be followed by an output line',
    '1\n# still asks\n# type: #2\n': 'a:3: no input may follow "# still asks": \'#2\'',
    '1\n' * 10: 'a: more than 9 lines',
}


@pytest.mark.parametrize(('text', 'message'), MISTAKES.items())
def test_a_mistake_in_a_session_is_reported_with_its_line(text, message, monkeypatch):
    monkeypatch.setattr(internals.LONGEST_SESSION, 9)
    with pytest.raises(TranscriptError) as caught:
        parse(text, 'a')
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ('comment', 'meant'),
    {
        'point: 2': 'points: 2',
        'pionts : 2': 'points: 2',
        'Points 2': 'points: 2',
        'tolerence: 0.1': 'tolerance: 0.1',
        'prompt: free': 'prompts: free',
        'ignored: case': 'ignore: case',
        'Ignore case, whitespace': 'ignore: case, whitespace',
        'typ: #3': 'type: #3',
        'exit code: 1': 'exit status: 1',
        'Exit Status: Not 0': 'exit status: not 0',
        'Fille: out/A.csv': 'file: out/A.csv',
        'files:': 'file: after.csv',
        'hiden': 'hidden',
        'Hidden: yes': 'hidden',
        'dree': 'free',
        'Free': 'free',
        'ree': 'free',
        'any line': 'any lines',
        'still ask': 'still asks',
        'Prints  nothing': 'prints nothing',
    }.items(),
)
def test_a_comment_that_is_nearly_a_directive_is_an_error(comment, meant):
    with pytest.raises(TranscriptError) as caught:
        parse(f'1\n#{comment}\n', 'a')
    assert f'a:2: write "# {meant}" instead of "# {" ".join(comment.split())}" (' in (
        str(caught.value)
    )
    assert parse(f'# {comment}.\n' if ':' not in comment else '# A.', 'a').title


@pytest.mark.parametrize(
    ('comment', 'instead'),
    {
        'weight: 2': 'write "# points: 2" instead',
        'ignore: blanks': 'write "# ignore: whitespace" instead',
        'ignore: case, blanks': 'write "# ignore: case, whitespace" instead',
        'Weight = 2': 'write "# points: 2" instead',
        'score 3': 'write "# points: 3" instead',
        'return-code: 1': 'write "# exit status: 1" instead',
        'time_limit: 2': 'not supported yet; for all sessions, write "timeout = 2" in assignment.ini',
        'float_tolerance: 1e-6': 'write "# tolerance: 1e-6" instead',
        'eof': 'write "# end of input" instead',
        'args: --fast': '"$ program.py --fast"',
        'seed: 1': 'the grader sets no seed',
        'requires: a': 'sessions cannot depend on each other',
        'group: a': 'put the sessions of each group into a subfolder',
        'regexp': 'write "# regex" before',
        'stdout': 'write "|" before each line',
        'case_sensitive': 'write "# ignore: case"',
        **dict.fromkeys(
            (
                'stderr',
                'stderr: oops',
                'unordered',
                'substring',
                'hidden: expected',
                'Hidden: expected',
                'visibility: after_due_date',
                'advice: Read chapter 3',
                'advice: Read chapter 3.',
                'timeout: 2',
                'time limit: 10',
                'memory: 64 MB',
                'standard error',
                'standard error: empty',
                'ignore: trailing whitespace',
                'contains',
                'numbers',
                'or',
                'any order',
                'in order',
                'optional',
                'recall',
            ),
            'not supported yet; ',
        ),
    }.items(),
)
def test_a_directive_of_another_tool_or_a_planned_one_is_an_error(comment, instead):
    with pytest.raises(TranscriptError) as caught:
        parse(f'1\n# {comment}\n|2\n', 'a')
    assert f'a:2: "# {comment}": ' in str(caught.value)
    assert instead in str(caught.value)
    assert str(caught.value).endswith(' (if this is just a comment, end it with a period)')
    # Advice may end with a full stop, and `ignore` is a directive of ours.
    if not comment.startswith(('advice', 'ignore')):
        assert parse(f'# {comment}.\n', 'a').title == f'{comment}.'


@pytest.mark.parametrize(
    'title',
    [
        'Tree',
        'Filter',
        'No input',
        'Free lines',
        'Points on a line',
        'Title: a file',
        'Input: two numbers',
        'Time: 3',
        'Group',
        'or not',
        'Weights: 2, 3',
        'Numbers in order',
        'Scores',
        'Hidden piles',
        'free or not.',
        'A line of any length',
    ],
)
def test_other_comments_are_for_people(title):
    assert parse(f'# {title}\n', 'a').title == title


def test_directives_about_a_whole_session():
    transcript = parse(
        '#\n# points: 2.5\n# Rejects -1\n# hidden\n# A word.\n',
        'a',
        ['points: 4', 'ignore: case', 'beyond the assignment'],
    )
    assert (transcript.title, transcript.points, transcript.is_hidden, transcript.is_beyond) == (
        'Rejects -1',
        2.5,
        True,
        True,
    )
    assert transcript.rules.ignores_case
    text = '# prompts: none\n# exit  status: 2\n'
    transcript = parse(text, 'a', ['prompts: free', 'exit status: 1'])
    assert (transcript.has_free_prompts, transcript.end.status) == (False, 2)
    for directives, message in (
        (['free'], 'a: "# free" applies to one place in a session, not to all'),
        (['points: 2,5'], 'a: points must be a number'),
    ):
        with pytest.raises(TranscriptError, match=message):
            parse('', 'a', directives)


@pytest.mark.parametrize(
    ('text', 'is_recorded'),
    [
        ('1\n', False),
        ('# points: 2\n1\n', False),
        ('# prints nothing\n1\n', True),
        ('1\n# still asks\n', False),
        ('1\n# end of input\n', False),
        ('# prints nothing\n1\n# still asks\n', True),
        ('1\n|2\n', True),
        ('# any lines\n1\n', True),
        ('1\n# file: a\n|x\n', True),
    ],
)
def test_a_session_without_expected_output_is_not_recorded(text, is_recorded):
    assert parse(text, 'a').is_recorded is is_recorded


def test_a_pair_of_files_is_played_with_all_input_at_once(monkeypatch):
    monkeypatch.setattr(internals.LONGEST_SESSION, 9)
    transcript = parse_pair('3\r\n4', 'Sum:\r\n7\n', 'a.in', 'a.ans', ['ignore: whitespace'])
    assert transcript.lines == ('3', '4', '|Sum:', '|7')
    assert [(step.input, step.output) for step in transcript.steps] == [
        ('3\n4', ''),
        (None, 'Sum:\n7\n'),
    ]
    assert parse_pair('', '', 'a.in', 'a.ans').is_recorded
    with pytest.raises(TranscriptError, match='more than 9 lines of output'):
        parse_pair('', '1\n' * 10, 'a.in', 'a.ans')


ECHO = 'for line in sys.stdin:\n    sys.stdout.write(line * 9)\n'


@pytest.mark.parametrize('at_once', [False, True])
def test_a_long_input_is_typed_while_output_arrives(at_once, tmp_path):
    """The grader reads output while it types: a program would block if nobody read its output."""
    lines = [f'{number:0999}\n' for number in range(70)]
    pair = ('a.in', ''.join(lines)), ('a.ans', ''.join(line * 9 for line in lines))
    for source, kind in (ECHO, None), (f'sys.stdout.write("x")\n{ECHO}', 'differs'):
        (test,) = graded(
            tmp_path / 'one',
            HEAD + source,
            None,
            here=True,
            game='own',
            sessions=pair,
            command='python3 othello.py',
            at_once=at_once,
            limits=Limits(search=0),
        )['tests']
        assert test['extra_data'].get('example', {}).get('kind') == kind


COIN = """#include <stdio.h>
int main(void) {
    int coin;
    printf("Due: 50\\nCoin: ");
    return scanf("%d", &coin) != 1 || printf("Left: %d\\n", 50 - coin) < 0;
}
"""


@pytest.mark.skipif(not (shutil.which('cc') and shutil.which('stdbuf')), reason='no cc, no stdbuf')
@pytest.mark.parametrize('kind', ALL_KINDS)
def test_a_c_program_need_not_flush_unless_the_assignment_requires_it(kind, tmp_path):
    """Only the program, not its build, gets the library to make C programs flush."""
    if not works(kind):
        pytest.skip(f'the sandbox {kind} does not work here')
    session = '|Due: 50\n|Coin: \\\n20\n|Left: 30\n# file: built\n|0\n'
    language = (
        '[*.c]\nbuild = env | grep -c STDBUF > was; cc -o main *.c\n'
        'command = sh -c "cat was > built; exec ./main"\n'
    )
    silent = 'a.txt:1: the program printed nothing'
    for ini, output in {'': '', 'flush = required\n': silent}.items():
        (test,) = graded(
            write_files(tmp_path / 'coin', {'coin.c': COIN}),
            None,
            None,
            game='own',
            confine=kind,
            sessions=(('assignment.ini', ini + language), ('a.txt', session)),
            timeout=short_patience() if ini else SECONDS,
        )['tests']
        assert test['output'].startswith(output)
        assert test['score'] == (not ini)


def test_flush_must_be_required_or_omitted(tmp_path):
    course = write_files(tmp_path, {'a.txt': '|1\n', 'assignment.ini': 'title = A\nflush = no\n'})
    assert run_grader_here('grade', course, '--command', 'true') == (
        2,
        '',
        'grading: assignment.ini:2: flush must be "required" or omitted, not "no"\n',
    )


TABLE = '# A table.\n# tolerance: 0.01\n3\n|done\n# file: out/table.csv\n|a,1.5\n|b\n'
LEAVES = 'import os\nos.mkdir("out")\nask()\n{}\nprint("done")\n'.format
WRITES = 'open("out/table.csv", "w").write({!r})'.format
FILES = {  # what a program does before it ends, and the complaint about its file
    WRITES('a,1.5\nb\n'): '',
    WRITES('a,1.501\nb\n'): '',
    WRITES('a,1.5\r\nb\r\n'): '',
    WRITES('a,1.5\r\r\nb\n'): '7: not the expected output',
    WRITES('a,1.6\nb\n'): '7: not the expected output',
    WRITES('a,1.5\nb'): '8: not the expected output',
    WRITES('a,1.5\n'): '8: not the expected output',
    WRITES('a,1.5\nb\nc\n'): '8: not the expected output',
    WRITES('a,1.5\nb\n')
    + '\nopen("out/table.csv", "a").write("c" * 10**6)': '8: not the expected output',
    'pass': '7: No such file or directory',
    'open("tables.csv", "x").close()': '7: No such file or directory; new files: tables.csv',
    'open("out/tables.csv", "x").close()': '7: No such file or directory; new files: out/tables.csv',
    'os.mkdir("out/table.csv")': '7: not a regular file',
    'os.mkfifo("out/table.csv")': '7: not a regular file',
    'os.symlink("/dev/zero", "out/table.csv")': '7: Too many levels of symbolic links',
    'os.symlink(os.environ["HOME"] + "/right", "out/table.csv")': '7: Too many levels of symbolic links',
    'os.rmdir("out")\nos.symlink("..", "out")': '7: Not a directory',
}


@pytest.mark.parametrize('way', ['in turns', 'at once'])
def test_files_that_a_program_writes(way, tmp_path):
    """A file written by a program must be at the path in the session; links do not count."""
    right = 'open(os.environ["HOME"] + "/right", "w").write("a,1.5\\nb\\n")\n'
    # With all input at once, files are read in the same way, so a few cases are enough.
    sources = [*FILES][: None if way == 'in turns' else 3]
    tests = judged(
        tmp_path,
        [(TABLE, HEAD + LEAVES(right + source)) for source in sources],
        here=False,
        at_once=way == 'at once',
    )
    assert dict(zip(sources, map(complaint_about_file, tests), strict=False)) == {
        source: FILES[source] for source in sources
    }


def complaint_about_file(test):
    """Return the complaint about a program's file, with its line, or '' if the file is right."""
    return re.sub(
        r'^\d+\.txt:(\d+): out/table.csv(: .*?)( \(.*)?$',
        r'\1\2',
        test['output'].partition('\n')[0],
    )


# Programs submitted with a right file, and the complaint about the file. It is left out, unless the
# program passes only with it.
STALE = {
    'pass': '7: No such file or directory',
    WRITES('a,1.5\nb\n'): '',
    'import shutil; shutil.copy2("out/table.csv", "b"); shutil.copy2("b", "out/table.csv")': '',
    'os.rename("out/table.csv", "b"); os.rename("b", "out/table.csv")': '',
    'open("out/table.csv", "a").write("c")': '8: not the expected output',
}


def test_a_file_that_existed_before_the_run_does_not_count(tmp_path):
    """A file in the submission counts only if the program writes to it.

    A file from the assignment's `files/` counts as it is.
    """
    content = 'a,1.5\nb\n'
    cases = [(TABLE, f'{HEAD}import os\nask()\n{source}\nprint("done")\n') for source in STALE]
    tests = judged(write_files(tmp_path / 'one', {'out/table.csv': content}), cases, here=False)
    assert dict(zip(STALE, map(complaint_about_file, tests), strict=False)) == STALE
    brought = DataFile('out/table.csv', content.encode(), False)
    tests = judged(tmp_path / 'other', cases[:1], here=False, data=(brought,))
    assert [test['output'] for test in tests] == ['']


def test_a_file_of_an_earlier_run_gives_no_points(tmp_path):
    write_files(
        tmp_path,
        {'course/a.txt': '# file: a.csv\n|x\n1\n|1\n', 'a.csv': 'x\n', 'p.py': 'print(input())\n'},
    )
    words = 'grade', 'course', '--command', f'{PYTHON} p.py', '--results', tmp_path / 'r.json'
    assert run_grader_here(*words, folder=tmp_path)[0] == 1
    assert (
        'the file existed before the run, and the program did not write to it'
        in (tmp_path / 'r.json').read_text()
    )
    write_files(tmp_path, {'course/files/a.csv': 'x\n', 'course/assignment.ini': ''})
    assert run_grader_here(*words, folder=tmp_path)[0] == 0
    (tmp_path / 'course/files/a.csv').unlink()
    write_files(tmp_path, {'p.py': 'print(input())\nopen("a.csv", "w").write("x\\n")\n'})
    assert run_grader_here(*words, folder=tmp_path)[0] == 0


def submission_of(folder, kind):
    """Write a submission: right (kind 0) or wrong (kind 1) in each session."""
    sources = {name: next(iter(programs[kind])) for name, (_, *programs) in PROGRAMS.items()}
    sources.update(
        (name, f'sys.stdout.write({next(iter(texts[kind]))!r})')
        for name, (_, *texts) in LINES.items()
    )
    sources['file'] = LEAVES(WRITES(f'a,{(1.5, 9)[kind]}\nb\n'))
    return write_files(
        folder / f'kind {kind}',
        {'main.py': f'import sys\nexec({HEAD!r} + {sources!r}[sys.argv[1]])\n'},
    )


def test_every_directive_applies_in_an_autograder(tmp_path):
    """Directives also apply after an assignment is packed; clusters pack it in the same way."""
    names = (
        'both',
        'tolerance',
        'regex',
        'any lines',
        'nothing',
        'free prompts',
        'free prompt',
        'end of input',
        'still asks',
        'a status',
    )
    sessions = {name: text for name, (text, *_) in {**LINES, **PROGRAMS}.items() if name in names}
    course = write_files(
        tmp_path / 'course',
        {
            f'{name}.txt': f'$ main.py "{name}"\n{text}'
            for name, text in {**sessions, 'file': TABLE}.items()
        },
    )
    assert (
        run_grader_here(
            'pack', course, tmp_path / 'a.zip', '--command', 'python3 main.py', '--timeout', '9'
        )[0]
        == 0
    )
    with zipfile.ZipFile(tmp_path / 'a.zip') as archive:
        archive.extractall(tmp_path / 'packed')
    script = (tmp_path / 'packed' / 'run_autograder').read_text(encoding='utf-8')
    words = shlex.split(script.partition(' grade ')[2].partition(' --results ')[0])
    both = [submission_of(tmp_path, kind) for kind in (0, 1)]
    _, _, errors = run_grader_here(
        'grade', *words, *both, *FAST, '--out', tmp_path / 'out', folder=tmp_path / 'packed'
    )
    scores = [row['score'] for row in grades_in(tmp_path / 'out').values()]
    assert scores == [str(len(sessions) + 1), '0'], errors


def test_free_prompts_are_not_played_with_all_input_at_once(tmp_path):
    course = write_files(tmp_path / 'course', {'a.txt': '# prompts: free\n1\n|1\n'})
    status, _, errors = run_grader_here('grade', course, '--at-once', '--command', 'true')
    assert (status, errors) == (
        2,
        'grading: a.txt: "# prompts: free" cannot be used with '
        '--at-once: there is no way to tell where a prompt ends\n',
    )


def test_the_time_to_match_a_turn_is_limited(monkeypatch):
    """The time limit for matching applies to a whole turn; here, each line alone is fast."""
    monkeypatch.setattr(internals.SECONDS_A_TURN, 0.2)
    transcript = parse('# any lines\n# regex\n|(a+)+b\n', 'a')
    alignment = Alignment(transcript, [transcript.steps[0]])
    alignment.take(b'aaaaaaaaaaaaaaaa\n' * 5000)
    assert alignment.verdict() == 'wrong'


OWED = """def ask(prompt):
    while True:
        line = input(prompt)
        if line.isdigit():
            return int(line)
        print('Try again.')
print('Total:', ask('Owed: ') + ask('Given: '))
"""
ANSWERS = '3\n4\n|Total: 7\n', 'x\n3\n5\n|Total: 8\n', '1\n2\n|Total: 3\n'
EXTRA = 'prints lines that are not in the assignment: "Try again."'
SENTENCES = {  # what the findings say, by the head of the sessions and the program
    ('', OWED): [EXTRA, 'prints prompts where none are expected: "Owed: ", "Given: "'],
    ('', OWED.replace('input(prompt)', 'input()')): [EXTRA],
    (
        '',
        OWED.replace('input(prompt)', 'input()').replace(
            "print('Try again.')", "print(end='Again. ')"
        ),
    ): ['prints a prompt where none is expected: "Again. "'],
    ('# prompts: free\n', OWED): ['prints "Try again." where no output is expected'],
    # "Try again." counts as a prompt.
    ('# prompts: free\n', OWED.replace('input(prompt)', 'input()')): [],
}


def test_an_extra_line_is_reported_whatever_prompts_are_printed(tmp_path):
    """An extra line is reported whether or not the program prints prompts.

    Where prompts are free, one prompt is right, but not two in a row.
    """
    found = {}
    for number, (head, source) in enumerate(SENTENCES):
        course = write_files(
            tmp_path / f'{number}',
            dict(
                [
                    BUFFERED,
                    *(
                        (f'{name}.txt', head + text)
                        for name, text in zip('abc', ANSWERS, strict=True)
                    ),
                ]
            ),
        )
        path = write_files(tmp_path, {'owed.py': source}) / 'owed.py'
        with explained_here():
            run_grader_here(
                'grade',
                course,
                '--command',
                f'{PYTHON} {path}',
                '--no-where',
                '--results',
                tmp_path / 'results.json',
            )
        findings = json.loads((tmp_path / 'results.json').read_text())['extra_data']['findings']
        found[head, source] = sorted(finding['sentence'] for finding in findings)
    assert [*found.values()] == [*SENTENCES.values()]


# Hidden sessions.

SECRETS = ('SECRETTYPED', 'TOPSECRET', 'SECRETRAISED')
HIDDEN = '# Greets {0}\n# hidden\n# file: out.txt\n|TOPSECRET left\n# exit status: 3\n' + (
    'SECRETTYPED {0}\n|TOPSECRET {0}\nSECRETTYPED again\n|TOPSECRET {0}, again\n'
)
SESSIONS = {f'hidden{number}.txt': HIDDEN.format(number) for number in range(2)}
VISIBLE = {'visible.txt': 'Ann\n|Hello, Ann\nBob\n|Hello, Bob\n'}
FAKED = """import sys
line = input()
sys.exit("Traceback (most recent call last):\\n  File \\"" + line + ".py\\", line 3, in x\\n    "
         + line + "\\n" + line.split()[0] + "Error: " + line)
"""
LEAKY = {  # programs that print or raise their input
    'other words': 'for _ in range(2): input(), print("Hello")\n',
    'a prompt': 'for _ in range(2): print("Hello " + input("Name? "))\n',
    'lists': 'for _ in range(2): print(input().split())\n',
    'echoes twice': 'for _ in range(2): print(line := input()); print(line)\n',
    'no newline': 'for _ in range(2): print(input(), end="", flush=True)\n',
    'raises': 'raise ValueError(input().replace("TYPED", "RAISED"))\n',
    'its own exception': 'raise type(input().split()[0], (Exception,), {})()\n',
    'catches': (
        'for _ in range(2):\n    try: print(int(input()))\n'
        '    except ValueError as error: print("Hello", error)\n'
    ),
    'a faked traceback': FAKED,
    'silent': 'import time\nprint(input(), flush=True)\ntime.sleep(600)\n',
}


@pytest.mark.parametrize(
    ('name', 'visible'),
    rest_long(
        [
            ('other words', {}),
            ('raises', {}),
            ('catches', {}),
            *((name, VISIBLE) for name in LEAKY),
        ],
        quick=3,
    ),
    ids=lambda value: value if isinstance(value, str) else 'beside' if value else 'alone',
)
def test_no_report_for_students_reveals_hidden_text(name, visible, tmp_path, monkeypatch):
    monkeypatch.setattr(internals.MAX_SECONDS, 0.1)
    folder = write_files(tmp_path / 'greeting', {**SESSIONS, **visible})
    source = write_files(tmp_path / 'ann', {'greet.py': LEAKY[name]})
    out, junit, gradescope = (tmp_path / name for name in ('out', 'junit.xml', 'results.json'))
    with explained_here():
        status, report, errors = run_grader_here(
            'grade',
            folder,
            source,
            '--command',
            f'{PYTHON} greet.py',
            '--confine',
            'none',
            '--timeout',
            '0.5',
            '--out',
            out,
            '--junit',
            junit,
            '--results',
            gradescope,
        )
    assert status == 1, errors
    shown = {
        'report': report,
        'errors': errors,
        **{
            path.name: path.read_text() for path in (out / 'ann' / 'report.html', junit, gradescope)
        },
    }
    for where, text in shown.items():
        assert not [secret for secret in SECRETS if secret in text], (where, text)
        assert 'hidden1' in text or where == 'errors'
    assert all('Greets 1' in shown[where] for where in ('report.html', 'results.json'))
    assert 'TOPSECRET' in (out / 'ann' / 'results.json').read_text()  # this is for the teacher


# Reports on programs that are wrong in one session.

INVALID_MOVES = read_session(TRANSCRIPTS_FOLDER / 'othello' / 'invalid_moves.txt')
SHORT = read_session(TRANSCRIPTS_FOLDER / 'othello' / 'over_at_start_full_board.txt')
PRINT_INVALID = "print('INVALID', flush=explains)"
PROMPTED = read_session(TRANSCRIPTS_FOLDER / 'nim' / 'piles/worked_example.txt')


@pytest.fixture
def report_on(tmp_path):
    """Return a function that plays one session and returns the lines of the report.

    The program is given as source code, or as changes to one of our consoles. If it is right, the
    report is empty.
    """

    def report_on(
        program,
        transcript=INVALID_MOVES,
        console='othello_console.py',
        here=True,
        timeout=SECONDS,
        **settings,
    ):
        game = console.partition('_')[0]
        files = {'program.py': program} if isinstance(program, str) else our_pair(game, program)
        (test,) = graded(
            write_files(tmp_path, files),
            transcripts=[transcript],
            game=game,
            here=here,
            timeout=timeout,
            limits=Limits(alone=0, search=0),
            **{'command': f'python3 {next(iter(files))}', **settings},
        )['tests']
        return test['output'].splitlines()

    return report_on


def hints(lines):
    """Return the hints among the lines of a message."""
    return [line[8:] for line in lines if line.startswith('  hint: ')]


END = '    leave(main())'
FIRST = 'transcripts/othello/invalid_moves.txt:4'
CONSOLES = {  # changes to the console of Othello, the first line of the report, and the hint
    'INVALID for VALID': (
        [("print('VALID', ", "print('INVALID', ")],
        'transcripts/othello/invalid_moves.txt:58: not the expected output',
        'this move is legal here: B at row 2, column 1 flips the disc at row 2, column 2',
    ),
    'VALID for INVALID': (
        [(PRINT_INVALID, "print('VALID')")],
        'transcripts/othello/invalid_moves.txt:20: not the expected output',
        'this move is not legal here: there is no row 0',
    ),
    'trailing space': (
        [(PRINT_INVALID, "print('INVALID ')")],
        'transcripts/othello/invalid_moves.txt:20: not the expected output',
        '1 space too many at the end of the line',
    ),
    'one space between the counts': (
        [('}  W: {', '} W: {')],
        'transcripts/othello/invalid_moves.txt:13: not the expected output',
        'only the spaces differ',
    ),
    'board after INVALID': (
        [(PRINT_INVALID, "print('INVALID', describe(game), sep='\\n')")],
        'transcripts/othello/invalid_moves.txt:21: not the expected output',
        'print nothing after INVALID: the next line of input is the next move',
    ),
    'prompt': (
        [
            (
                '        sys.stdout.flush()\n        try',
                "        print('> ', end='', flush=True)\n        try",
            )
        ],
        'transcripts/othello/invalid_moves.txt:5: not the expected output',
        'the program prints a prompt, "> "; no prompt is expected here',
    ),
    'no flush': (
        [('        sys.stdout.flush()\n        try', '        try')],
        'transcripts/othello/invalid_moves.txt:4: the program printed nothing',
        'the program printed this too late, after more input: print it and flush the output before you read the next line',
    ),
    'line after WINNER': (
        [(END, "    status = main()\n    print('Bye', flush=True)\n    os._exit(status)")],
        'transcripts/othello/invalid_moves.txt:156: not the expected output',
        'this comes after the last expected line: print nothing more',
    ),
    'reads on after WINNER': (
        [(END, '    status = main()\n    sys.stdin.readline()\n    os._exit(status)')],
        'transcripts/othello/invalid_moves.txt:156: the program was still waiting for input after '
        'its last line of output',
        'the program was still waiting for input after the session was over; it ended only when its input was closed',
    ),
    'runs on after WINNER': (
        [(END, '    main()\n    import time\n    time.sleep(600)')],
        'transcripts/othello/invalid_moves.txt:156: the program was still running {} s after its '
        'last line of output',
        '',
    ),
    'exit 1': (
        [(END, '    os._exit(main() or 1)')],
        'transcripts/othello/invalid_moves.txt:156: the program ended with exit status 1 '
        'instead of 0',
        'end the program with exit status 0 after the last line of output',
    ),
    'traceback at the end': (
        [(END, "    main()\n    raise KeyError('oops')")],
        'transcripts/othello/invalid_moves.txt:156: the program ended with exit status 1 '
        'instead of 0',
        '',
    ),
    'traceback in the middle': (
        [(PRINT_INVALID, 'print([][1])')],
        'transcripts/othello/invalid_moves.txt:20: the program ended too early, with exit status 1',
        'there is nothing at this index: the last index is the length minus 1',
    ),
    'CRLF': (
        [("newline='\\n'", "newline='\\r\\n'")],
        'transcripts/othello/invalid_moves.txt:4: not the expected output',
        r'the program ends lines with \r\n instead of \n',
    ),
    'message on standard error': (
        [(PRINT_INVALID, "print('INVALID', file=sys.stderr)\n            print('?')")],
        'transcripts/othello/invalid_moves.txt:20: not the expected output',
        'this line was printed to standard error, not to standard output',
    ),
    'empty line too many': (
        [(PRINT_INVALID, "print('INVALID\\n')")],
        'transcripts/othello/invalid_moves.txt:21: not the expected output',
        '1 empty line too many',
    ),
    'small letters': (
        [(PRINT_INVALID, "print('Invalid')")],
        'transcripts/othello/invalid_moves.txt:20: not the expected output',
        'only the capitalization differs',
    ),
    'missing line': (
        [('{game}\\n{last}', '{last}')],
        'transcripts/othello/invalid_moves.txt:14: not the expected output',
        '4 lines missing here',
    ),
    'newline missing': (
        [(PRINT_INVALID, "print('INVALID', end='')")],
        'transcripts/othello/invalid_moves.txt:20: the program printed nothing more',
        'the newline is missing at the end of the line',
    ),
    'newline missing at the end': (
        [
            (
                "print('VALID', describe(game), sep='\\n')",
                "print('VALID', describe(game), sep='\\n', end='\\n' * (not game.is_over()))",
            )
        ],
        'transcripts/othello/invalid_moves.txt:156: not the expected output',
        'the newline is missing at the end of the line',
    ),
    'wrong turn': (
        [('TURN: {game.turn}', 'TURN: B')],
        'transcripts/othello/invalid_moves.txt:64: not the expected output',
        "it is W's turn: W can move to row 1, column 1",
    ),
    'ends early': (
        [(PRINT_INVALID, 'sys.exit(0)')],
        'transcripts/othello/invalid_moves.txt:20: the program ended too early, with exit status 0',
        '',
    ),
}


@pytest.mark.parametrize('name', rest_long(CONSOLES, 9))
def test_broken_console(name, report_on):
    changes, first_line, hint = CONSOLES[name]
    seconds = short_patience() if '{} s' in first_line else SECONDS
    lines = report_on(changes, timeout=seconds)
    assert lines[0] == first_line.format(f'{seconds:g}')
    assert hints(lines) == ([hint] if hint else [])


@pytest.mark.parametrize(
    ('change', 'lines'),
    [  # invisible characters are made visible, and a caret points to the first difference
        (
            ('}  W: {', '} W: {'),
            [
                '  typed    |. . . .    (line 12)',
                '  expected |B: 2  W: 2',
                '  printed  |B: 2 W: 2',
                '                 ^',
            ],
        ),
        (
            (PRINT_INVALID, "print('INVALID  ')"),
            ['  expected |INVALID', '  printed  |INVALID\xb7\xb7', '                   ^'],
        ),
        (
            ("newline='\\n'", "newline='\\r\\n'"),
            ['  expected |FULL', '  printed  |FULL\\r', '                ^'],
        ),
    ],
)
def test_two_lines_aligned_with_a_caret(change, lines, report_on):
    assert '\n'.join(lines) in '\n'.join(report_on([change]))


def test_hang(report_on):
    assert report_on('import time\ntime.sleep(600)\n', timeout=0.3) == [
        f'{FIRST}: the program printed nothing for 0.3 s',
        '  expected |FULL',
        '  printed  |    (nothing)',
        '            ^',
        f'  hint: {SLOW}',
    ]


def test_trickle(report_on):
    """Wrong output is reported even if the program slowly keeps printing it forever."""
    source = "import time\nwhile True: print('FULL?', end='', flush=True); time.sleep(0.02)"
    assert report_on(source)[0] == f'{FIRST}: not the expected output'


@pytest.mark.parametrize(
    'source',
    [
        "while True: print('FULL', flush=True)",
        "while True: print('x' * 1000, end='')",
        "while True: print('FULL' * 100000)",
    ],
)
def test_flood(source, report_on):
    lines = report_on(source)
    assert lines[0].startswith('transcripts/othello/invalid_moves.txt:')
    assert ' bytes instead of ' in lines[-1]
    assert len(lines) < 8
    assert max(map(len, lines)) < 200


@pytest.mark.parametrize(
    ('source', 'hint'),
    [
        ('text = sys.stdin.read(); print("FULL")', 'more input: print it and flush the output'),
        (
            'input(); print("FULL"); input()',
            '1 more line of input: print it before you read the next line',
        ),
        (
            'for _ in range(7): input()\nprint("FULL"); input()',
            '7 more lines of input: print it before you read the next line',
        ),
        # Without a flush, a program prints when its buffer is full.
        (
            'print("FULL")\nfor line in sys.stdin: print("x" * 2000)',
            'more input: print it and flush the output',
        ),
    ],
)
def test_late_output_distinguishes_a_missing_flush_from_a_hang(
    source, hint, report_on, monkeypatch
):
    monkeypatch.setattr(internals.GRACE_SECONDS, SECONDS)  # the machine may be busy
    lines = report_on(f'import sys\n{source}\n', timeout=short_patience())
    (hint_line,) = hints(lines)
    assert hint_line.startswith(f'the program printed this too late, after {hint}')


def test_killed_by_a_signal(report_on):
    lines = report_on([(END, '    main()\n    os.kill(os.getpid(), 9)')], SHORT)
    assert lines[0].endswith(': the program ended with signal 9 (SIGKILL) instead of 0')


def test_a_stubborn_program_is_killed_with_all_its_processes(report_on):
    assert (
        'printed nothing'
        in report_on(
            'import signal, subprocess, sys\n'
            'signal.signal(signal.SIGTERM, signal.SIG_IGN)\n'
            'signal.signal(signal.SIGHUP, signal.SIG_IGN)\n'
            'subprocess.run([sys.executable, "-c", "import time; time.sleep(600)"])\n',
            timeout=0.3,
        )[0]
    )


@pytest.mark.parametrize(
    ('command', 'status', 'reason'),
    [('no_such_program', 127, 'not found'), ('/', 126, 'ermission denied')],
)
def test_program_that_cannot_be_run(command, status, reason, report_on):
    lines = report_on('', command=command, here=False)
    assert lines[0] == f'{FIRST}: the program ended too early, with exit status {status}'
    assert lines[-1].startswith('  stderr   |')
    assert reason in lines[-1]


@pytest.mark.parametrize(
    ('transcript', 'change', 'hint'),
    [
        (
            'recorded/invalid_last_move',
            ("print('Invalid Game.'", "print('Starting State:'"),
            'this recorded game is invalid: pile 1 has only 3 tokens (line 5 of the input)',
        ),
        (
            'recorded/player_1_loses',
            ("print('Starting State:", "print('Invalid Game."),
            'this recorded game is valid',
        ),
        ('piles/worked_example', ('I remove {count}', 'I remove 1'), ''),
        (
            'recorded/worked_example',
            ("'  '.join(sizes), sep", "'  '.join(sizes) + ' ', sep"),
            '1 space too many at the end of the line',
        ),
    ],
)
def test_broken_nim(transcript, change, hint, report_on):
    path = TRANSCRIPTS_FOLDER / 'nim' / f'{transcript}.txt'
    lines = report_on([change], read_session(path), 'nim_console.py')
    assert lines[0].startswith(f'transcripts/nim/{transcript}.txt:')
    assert hints(lines) == ([hint] if hint else [])


def test_missing_prompts(report_on):
    """A console without prompts fails a transcript with prompts."""
    lines = report_on(
        [('if self._prompts:', 'if False:')], PROMPTED, 'nim_console.py', timeout=SECONDS
    )
    assert (
        lines[0] == 'transcripts/nim/piles/worked_example.txt:4: the program printed nothing more'
    )


def test_output_that_is_not_utf8(report_on):
    assert '  printed  |FU\\xffLL' in report_on('import os\nos.write(1, b"FU\\xffLL\\n")\n')


def test_slow_but_right_program_passes(report_on):
    """A right program passes although it prints single characters and pauses before each line."""
    thinks = (
        '        sys.stdout.flush()\n        try',
        "        __import__('time').sleep(0.005)\n        sys.stdout.flush()\n        try",
    )
    slow = (
        'import sys\n',
        'import sys\nimport builtins\n'
        "def print(*texts, sep=' ', end='\\n', file=None, flush=False):\n"
        '    for c in sep.join(map(str, texts)) + end:\n'
        "        builtins.print(c, end='', flush=True, file=file)\n",
    )
    assert report_on([thinks, slow]) == []


WIN = "'You win ... this time'"
USER_WINS = parse(
    (TRANSCRIPTS_FOLDER / 'nim' / 'piles' / 'single_pile.txt')
    .read_text(encoding='utf-8')
    .replace('|You win', '# free\n|You win'),
    'single_pile.txt',
)


@pytest.mark.parametrize(
    ('words', 'first'),
    [
        ('"Well played"', ''),
        ('""', ''),
        ("'x' * 4000", ''),
        ('"Grüße"', ''),
        ("'You win\\nthis time'", '12: not the expected output'),
        ("'You win'[:0] + chr(10)", '12: not the expected output'),
        ("'x' * 5000", '12: not the expected output'),
    ],
)
def test_a_free_line_may_have_any_text(words, first, report_on):
    lines = report_on([(WIN, words)], USER_WINS, 'nim_console.py')
    assert [line.split(' (')[0] for line in lines[:1]] == (
        [f'{USER_WINS.name}:{first}'] if first else []
    )


def test_lines_around_a_free_line_are_compared(report_on):
    transcript = parse('|One.\n# free\n|Two.\n|Three.\n', 'a')
    assert report_on('print("One.\\nZwei.\\nThree.")', transcript) == []
    assert report_on('print("One.\\nZwei.\\nThree!")', transcript)[:3] == [
        'a:4: not the expected output',
        '  expected |Three.',
        '  printed  |Three!',
    ]
    assert report_on('print("One.\\nThree.")', transcript)[0].startswith(
        'a:4: the program ended too early'
    )
