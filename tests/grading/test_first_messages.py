"""The first message to a wrong program, for assignments that the grader knows nothing about."""

import json
import shutil

import pytest
from graders import FAST, run_grader_here
from independent import write_files
from running import PYTHON, short_patience

TWICE = '# prompts: free\n4\n|8\n'
NAMES = '# prompts: free\nAnn\n# end of input\n|Adieu, adieu, to Ann\n'
EXACT = '|Name: \\\nAnn\n|Name: \\\n# end of input\n|Adieu, adieu, to Ann\n'
GRADE = 'One fish.\n# any lines\n|Grade 3\n'
ASKS = '# prompts: free\n-1\n|No.\n# still asks\n'
FILE = '3\n|done\n# file: after.csv\n|a,3\n'
BOUGHT = '# prompts: free\nmilk\n1.20\n# end of input\n|\n|You bought 1 items for 1.20\n'
BUYS = '''open("bought.csv", "w").write("milk\\n")
try:
    while True: item = input("Item: "); price = float(input("Price: "))
except EOFError: {}
print("You bought {} items for 1.20")
'''
BOUGHT_FILE = BOUGHT + '# file: bought.csv\n|milk\n'
SEVEN = 'prints "You bought 7 items for 1.20" instead of "You bought 1 items for 1.20"'
LEFT_OUT = 'leaves out lines: "b"'
ON_THE_LINE = ('prints "You bought {} items for 1.20" behind "Item: ", on the same line; an empty '
               'line is missing between them').format
TABLE = '3\n|1 x 3 = 3\n|2 x 3 = 6\n'
ADIEU = '''names = []
try:
    while True: names.append(input("Name: "))
except EOFError: {}
print("Adieu, adieu to", *names)
'''
C = ('#include <stdio.h>\nint main(void) {{ int n = 0; setvbuf(stdout, NULL, _IONBF, 0); {} '
     'return 0; }}\n').format
COMMANDS = {'py': [PYTHON, 'm.py'], 'sh': ['bash', 'm.sh'], 'js': ['node', 'm.js'],
            'c': ['./main'], 'java': ['java', 'Main.java']}
COMMA = 'prints wrong words: "adieu" instead of "adieu,"'
DOTS = '\N{MIDDLE DOT}'
FIRST = [                               # the session, the program, its first message
    (TWICE, 'py', 'print(3 * int(input("Number? ")))', 'prints "12" instead of "8"'),
    (TWICE, 'c', C('printf("Number: "); scanf("%d", &n); printf("%d\\n", 3 * n);'),
     'prints "12" instead of "8"'),
    ('# prompts: free\n1\n|########\n', 'sh', 'read -p "" n; echo "Height: *******#"',
     'prints "*******#" instead of "########"'),
    (NAMES, 'py', ADIEU.format('pass'), COMMA),
    (NAMES, 'py', ADIEU.format('print()'), COMMA),
    (EXACT, 'py', ADIEU.format('print()'), COMMA),
    (EXACT, 'sh', 'printf "Name: "; read a; printf "Name: "; read b\n'
     'echo; echo "Adieu, adieu to $a"', COMMA),
    (GRADE, 'py', 'input()\nprint("Welcome")\nprint("Grade 4")\nprint("Bye")',
     'prints "Grade 4" instead of "Grade 3"'),
    (GRADE, 'sh', 'read t; echo Welcome; echo Grade 4', 'prints "Grade 4" instead of "Grade 3"'),
    (ASKS, 'py', 'while int(input("N? ")) < 0: print("Nope.")',
     'prints wrong words: "Nope" instead of "No"'),
    (ASKS, 'c', C('do scanf("%d", &n); while (n < 0);'),
     'waits for input where "No." is expected'),
    (FILE, 'py', 'input()\nprint("done")', 'does not write the file after.csv'),
    (FILE, 'sh', 'read n; printf "a,$n\\r\\n" > after.csv; echo done',
     r'ends lines with \r\n; the assignment has \n alone (in the file after.csv)'),
    (TWICE, 'c', C('scanf("%d", (int *)0); printf("%d", n);'), 'crashes: signal 11 (SIGSEGV)'),
    (TWICE, 'py', 'n = 1\n  print(n)', 'crashes at m.py, line 2 (IndentationError)'),
    (TWICE, 'js', 'const n = 2;\nconsole.log(m * 2);', 'crashes at m.js, line 2 (ReferenceError)'),
    (TWICE, 'sh', 'read n\nprintn $n', 'crashes at m.sh, line 2 (printn: command not found)'),
    (TWICE, 'java', 'class Main { public static void main(String[] a) {\n'
     'System.out.println(a[3]); } }',
     'crashes at Main.java, line 2 (ArrayIndexOutOfBoundsException)'),
    ('# regex\n|[A-Z][a-z]+ \\d\n', 'py', 'print("Ann 3", end="")',
     'prints lines without the newline at their end: "Ann 3"'),
    (EXACT, 'py', 'input("Name:\\n")', 'prints the prompt "Name:" and a newline instead of '
     f'"Name:{DOTS}"'),
    (EXACT, 'sh', 'printf "name: "; read a', f'prints the prompt "name:{DOTS}" instead of '
     f'"Name:{DOTS}"'),
    (TABLE, 'py', 'n = int(input())\nfor i in 1, 2: print(i, "x", n, "=", i * n, "")',
     f'prints blanks at the end of lines: "1 x 3 = 3{DOTS}"'),
    (TABLE, 'sh', 'read n; printf "1 x 3 =\\t3\\n2 x 3 = 6\\n"',
     r'separates the parts of a line wrongly: "1 x 3 =\t3" instead of "1 x 3 = 3"'),
    (TABLE, 'py', 'n = input()\nwhile True: pass',
     'is too slow, or in a loop that never ends: "1 x 3 = 3" does not come'),
    (TABLE, 'c', C('scanf("%d", &n); while (n); printf("1");'),
     'is too slow, or in a loop that never ends: "1 x 3 = 3" does not come'),
    (BOUGHT, 'py', BUYS.format('print()', 7), SEVEN),
    (BOUGHT_FILE, 'py', BUYS.format('print()', 7), SEVEN),
    (BOUGHT, 'py', BUYS.format('pass', 1), ON_THE_LINE(1)),
    (BOUGHT_FILE, 'py', BUYS.format('pass', 7), ON_THE_LINE(7)),
    # All at the end, as C prints it without a flush.
    (BOUGHT, 'sh', 'cat >/dev/null; echo "Item: Price: Item: You bought 1 items for 1.20"',
     ON_THE_LINE(1)),
    (BOUGHT, 'sh', 'cat >/dev/null; echo "Item: Price: Item: You bought 7 items for 1.20"',
     ON_THE_LINE(7)),
    (BOUGHT, 'c', C('printf("Item: Price: Item: "); while (getchar() != EOF); '
                    'puts("You bought 1 items for 1.20");'), ON_THE_LINE(1)),
    ('3\n|a\n|b\n|c\n', 'py', 'input()\nprint("a\\nc")', LEFT_OUT),
]
NO_NEWLINE = 'prints lines without the newline at their end: "ok"'
MISSING = 'the newline is missing at the end of the line'
ONE_MORE = 'prints "ok" and a newline; none is expected there'
NEWLINES = [                            # the files, options, the program, what is told of it
    ({'a.txt': '|ok\n'}, ['--at-once'], 'print("ok", end="")', NO_NEWLINE, MISSING),
    ({'a.txt': '|ok\n'}, [], 'print("ok", end="")', NO_NEWLINE, MISSING),
    ({'a.txt': '2\n|ok\n'}, ['--at-once'], 'input()\nprint("ok", end="")', NO_NEWLINE, MISSING),
    ({'a.txt': '|ok\n'}, ['--at-once'], 'print("ko")',
     'prints wrong words: "ko" instead of "ok"', ''),
    ({'a.in': '2', 'a.ans': 'ok\n'}, [], 'input()\nprint("ok", end="")', NO_NEWLINE, MISSING),
    ({'a.in': '2', 'a.ans': 'ok'}, [], 'input()\nprint("ok")', ONE_MORE,
     'no newline is expected at the end of the line'),
    ({'a.in': '2', 'a.ans': 'ok'}, ['--at-once'], 'input()\nprint("ok")', ONE_MORE,
     'no newline is expected at the end of the line'),
]


@pytest.mark.parametrize(('session', 'language', 'source', 'message'), FIRST)
def test_the_first_message_is_true_and_helps(session, language, source, message, tmp_path):
    words = COMMANDS[language]
    tool = 'cc' if language == 'c' else words[0]
    if not shutil.which(tool):
        pytest.skip(f'there is no {tool}')
    name = 'Main.java' if language == 'java' else f'm.{language}'
    write_files(tmp_path, {'course/a.txt': session, f'handed_in/{name}': source + '\n'})
    options = ['--build', 'cc -o main m.c'] if language == 'c' else []
    if message.startswith(('is too slow', 'waits')):
        options += ['--timeout', short_patience()]
    finding = first_finding(tmp_path, words, *options)
    assert finding['sentence'] == message
    # Nothing comes behind these that cannot be seen.
    assert not finding['is_end'] or message not in (SEVEN, LEFT_OUT, *map(ON_THE_LINE, (1, 7)))


@pytest.mark.parametrize(('files', 'options', 'source', 'message', 'hint'), NEWLINES)
def test_a_newline_at_the_end_is_told_in_words(files, options, source, message, hint, tmp_path):
    write_files(tmp_path, {'handed_in/m.py': source, **{
        f'course/{name}': text for name, text in files.items()}})
    finding = first_finding(tmp_path, COMMANDS['py'], *options)
    assert (finding['sentence'], finding['example']['hint'], finding['points']) == (
        message, hint, 1)


def first_finding(folder, words, *options):
    """Grade what is handed in, and return the first finding."""
    run_grader_here('grade', folder / 'course', folder / 'handed_in', *FAST, '--command',
                    ' '.join(map(str, words)), *options, '--results', folder / 'results.json')
    return json.loads((folder / 'results.json').read_text())['extra_data']['findings'][0]
