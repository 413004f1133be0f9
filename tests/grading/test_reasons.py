"""What reports say about the smallest programs that go wrong in one way: the reason, in words.

One table has a session, what the program does in it, and the lines of the report that say why it is
wrong and what to change.
"""

import shlex
import sys
from dataclasses import replace

import pytest
from graders import FAST, run_grader_here
from programs import write_files

from grading.diagnosis.diagnose import diagnose
from grading.reports.messages import describe
from grading.sessions.transcript import parse
from grading.sessions.verdict import Dialogue, PlayedSession, failure_in

LOOK_ALIKE = 'hint: the lines look alike, but their characters differ: copy the expected line'
PLAIN_TEXT = 'hint: print plain text, without codes for the terminal'


def line(expected, printed, *shown):
    """Return a case: a session of one line, what a program prints instead, and the report."""
    return f'|{expected}\n', [f'{printed}\n'], {}, shown


SUM = '|Hello\n3\n|Sum 8\n'  # a session; the programs below end after its first or second step
BEGAN, NOTHING = ['Hello\n', ''], ['']


def ends(printed, status, errors, *shown, names=()):
    """Return a case: what a program prints, how it ends, its standard error, and the report.

    `names` are the names of the program's files.
    """
    facts = {'status': status, 'errors': errors.encode(), 'folder': '/s', 'names': frozenset(names)}
    return SUM, printed, facts, shown


def node(errors):
    """Return what node prints after an uncaught error."""
    return f'{errors}\n    at node:internal/main/run_main_module:28:49\n\nNode.js v20.20.2\n'


def syntax(source, error, version, *shown):
    """Return a case: a syntax error in a line of Python, the version of Python, and the report."""
    text, printed, facts, shown = ends(
        NOTHING,
        1,
        f'  File "/s/a.py", line 1\n    {source}\n    ^\nSyntaxError: {error}\n',
        *shown,
    )
    return text, printed, {**facts, 'python': version}, shown


def python(error, names, *shown):
    """Return a case: an error in a line of Python, the names of the program's files, the report."""
    text, printed, facts, shown = ends(
        BEGAN,
        1,
        f'Traceback (most recent call last):\n  File "/s/a.py", line 2, in <module>\n    x\n{error}\n',
        'crashes at a.py, line 2',
        *shown,
    )
    return text, printed, {**facts, 'names': frozenset(names)}, shown


def cpp(what, *shown, kind='std::out_of_range'):
    """Return a case: the text of an exception in C++, and the report."""
    return ends(BEGAN, -6, f'{TERMINATED(kind)}  what():  {what}\n', f'crashes: {what}\n', *shown)


def floods(printed, *shown):
    """Return a case: the output that makes the grader stop a program, and the report."""
    return SUM, printed, {'status': None, 'end': 'output'}, shown


def near(expected, printed, *shown):
    """Return a case: a line with a tolerance, what a program prints instead, and the report."""
    return f'# tolerance: 0.01\n|{expected}\n', [f'{printed}\n'], {}, shown


def newer(source, error, version, known):
    """Return a case: syntax of Python 3.`known` in the program of an older Python, and its hint."""
    hint = f'this is Python 3.{version}; only Python 3.{known} and later know this syntax: write it'
    return syntax(source, error, version, f'hint: {hint} in the older way')


# What the report on a program says if Python 3.14 knows its syntax, but the Python here does not.
OLDER_THAN_14 = (
    f'hint: this is Python 3.{sys.version_info.minor}; only Python 3.14 and later'
    if sys.version_info < (3, 14)
    else ''
)
TERMINATED = "terminate called after throwing an instance of '{}'\n".format
ENCODING = (
    "SyntaxError: Non-UTF-8 code starting with '\\{}' in file /s/a.py on line {}, but no encoding "
    'declared; see https://peps.python.org/pep-0263/ for details\n'
).format
NOT_UTF_8 = 'hint: the file is not saved as UTF-8: in your editor, save it with the encoding UTF-8'
BEYOND = 'hint: the program accessed memory beyond the end of an array: check its indices'
CASES = {
    # Characters that look alike.
    'a Cyrillic letter': line(
        'Hello',
        'H\u0435llo',
        'prints "H\u0435llo" (with U+0435 CYRILLIC SMALL LETTER IE) instead of "Hello"',
        LOOK_ALIKE,
    ),
    'a Cyrillic letter beside another word': line(
        'Hello Bob',
        'H\u0435llo Tom',
        'prints the wrong words: "H\u0435llo" (with U+0435 CYRILLIC SMALL LETTER IE) '
        'instead of "Hello", "Tom" instead of "Bob"',
    ),
    'a Cyrillic letter beside another number': line(
        'Hello 3',
        'H\u0435llo 4',
        'prints "H\u0435llo 4" (with U+0435 CYRILLIC SMALL LETTER IE) instead of "Hello 3"',
    ),
    'a minus sign before other words': line(
        'Caf\xe9 -3 B',
        'Caf\xe9 \u22123 C',
        'prints "Caf\xe9 \u22123 C" (with U+2212 MINUS SIGN) instead of "Caf\xe9 -3 B"',
    ),
    'quotation marks and another word': line(
        'It\'s "x" - y',
        'It\u2019s \u201cx\u201d - z',
        '"It\u2019s \u201cx\u201d - z" (with U+2019 RIGHT SINGLE QUOTATION MARK) instead of',
    ),
    'an accent of its own': line(
        'Caf\xe9',
        'Cafe\u0301',
        'prints "Cafe\u0301" (with U+0301 COMBINING ACUTE ACCENT) '
        'instead of "Caf\xe9" (with U+00E9 LATIN SMALL LETTER E WITH ACUTE)',
        LOOK_ALIKE,
    ),
    'a full-width letter': line(
        'Sum 3',
        '\uff33um 3',
        'prints "\uff33um 3" (with U+FF33 FULLWIDTH LATIN CAPITAL LETTER S) instead of "Sum 3"',
        LOOK_ALIKE,
    ),
    'a curly quotation mark': line(
        "It's",
        'It\u2019s',
        'prints "It\u2019s" (with U+2019 RIGHT SINGLE QUOTATION MARK) instead of "It\'s"',
        LOOK_ALIKE,
    ),
    'a straight quotation mark': line(
        'It\u2019s',
        "It's",
        'prints "It\'s" instead of "It\u2019s" (with U+2019 RIGHT SINGLE QUOTATION MARK)',
        LOOK_ALIKE,
    ),
    'a minus sign': line(
        '-3', '\u22123', 'prints "\u22123" (with U+2212 MINUS SIGN) instead of "-3"', LOOK_ALIKE
    ),
    'a no-break space': line(
        'B: 3',
        'B:\xa03',
        r'prints "B:\xa03" (with U+00A0 NO-BREAK SPACE) instead of "B: 3"',
        LOOK_ALIKE,
    ),
    'a no-break space at the end': line(
        'Hello',
        'Hello\xa0',
        r'prints "Hello\xa0" (with U+00A0 NO-BREAK SPACE) instead of "Hello"',
        LOOK_ALIKE,
    ),
    'a zero-width space': line(
        'Hello',
        'Hel\u200blo',
        r'prints "Hel\u200blo" (with U+200B ZERO WIDTH SPACE) instead of "Hello"',
        LOOK_ALIKE,
    ),
    'characters that do not look alike': line('Caf\xe9', 'Cafe', 'wrong words: "Cafe" instead of'),
    # The caret is below the character as a terminal draws it.
    'wide characters': line(
        '\u4f60\u597d 3', '\u4f60\u597d 4', '  printed  |\u4f60\u597d 4\n' + ' ' * 17 + '^'
    ),
    'an emoji': line('\U0001f600 3', '\U0001f600 4', f'|\U0001f600 4\n{" " * 15}^'),
    'an accent before the difference': line('e\u0301 3', 'e\u0301 4', f'|e\u0301 4\n{" " * 14}^'),
    'a multiplication sign': line(
        '3 x 4',
        '3 \xd7 4',
        'prints "3 \xd7 4" (with U+00D7 MULTIPLICATION SIGN) instead of "3 x 4"',
        LOOK_ALIKE,
    ),
    'an accent for a quotation mark': line(
        "It's",
        'It\xb4s',
        'prints "It\xb4s" (with U+00B4 ACUTE ACCENT) instead of "It\'s"',
        LOOK_ALIKE,
    ),
    # Codes for the terminal.
    'a color': line(
        'Hello',
        '\x1b[31mHello\x1b[0m',
        r'prints a color code, "\x1b[31m", with "Hello"',
        PLAIN_TEXT,
    ),
    'a cleared screen': line(
        'Hello',
        '\x1b[H\x1b[2JHello',
        r'prints a code that clears the screen, "\x1b[2J", with "Hello"',
        PLAIN_TEXT,
    ),
    'a reset terminal': line(
        'Hello',
        '\x1bcHello',
        r'prints a code that clears the screen, "\x1bc", with "Hello"',
        PLAIN_TEXT,
    ),
    'a cleared screen in a line of its own': line('Hello', '\x1b[H\x1b[2J\nHello', PLAIN_TEXT),
    'a color and another word': line(
        'Hello', '\x1b[31mHelo\x1b[0m', r'prints "\x1b[31mHelo\x1b[0m"', PLAIN_TEXT
    ),
    'a moved cursor': line(
        'Hello', '\x1b[1;1HHello', r'prints an escape sequence, "\x1b[1;1H", with "Hello"'
    ),
    # The reason of a crash, as its runtime gives it.
    'C++: an index': ends(
        BEGAN,
        -6,
        TERMINATED('std::out_of_range')
        + '  what():  vector::_M_range_check: __n (which is 5) >= this->size() (which is 3)\n',
        'crashes: vector::_M_range_check: __n (which is 5) >= this->size() (which is 3)\n',
        'hint: there is nothing at this index: the last index is the size minus 1',
    ),
    'C++: a thrown number': ends(
        BEGAN,
        -6,
        TERMINATED('int'),
        "crashes: terminate called after throwing an instance of 'int'\n",
        'hint: no catch takes the value that the program throws: add one for its type',
    ),
    'C++: a position in a string': cpp(
        'basic_string::substr: __pos (which is 7) > this->size() (which is 3)',
        'hint: there is no such position: it is greater than the length of the string',
    ),
    'C++: a key': cpp(
        'map::at', 'hint: the map has no such key: check with count() before you use at()'
    ),
    'C++: a number': cpp(
        'stoi',
        'hint: the string passed to this function is not a number, or the number is too large',
    ),
    'C++: a string of nothing': cpp(
        'basic_string: construction from null is not valid',
        'hint: the program makes a string from a null pointer: set the pointer first',
    ),
    'C++: memory': cpp(
        'std::bad_alloc',
        'hint: the program asks for too much memory: check the size that it asks for',
        kind='std::bad_alloc',
    ),
    'C: memory freed twice': ends(
        BEGAN,
        -6,
        'free(): double free detected in tcache 2\n',
        'crashes: free(): double free detected in tcache 2\n',
        'hint: memory is freed twice: free or delete each pointer only once',
    ),
    'C: memory freed twice, or spoiled': ends(
        BEGAN,
        -6,
        'double free or corruption (out)\n',
        'hint: memory was freed twice, or an index went beyond the end of an array',
    ),
    'C: memory that was not allocated': ends(
        BEGAN,
        -6,
        'free(): invalid pointer\n',
        'hint: pass to free() or delete only what malloc() or new has returned',
    ),
    'C: a buffer': ends(
        BEGAN,
        -6,
        '*** buffer overflow detected ***: terminated\n',
        'crashes: buffer overflow detected\n',
        BEYOND,
    ),
    'C: the stack': ends(
        BEGAN,
        -6,
        '*** stack smashing detected ***: terminated\n',
        'crashes: stack smashing detected\n',
        BEYOND,
    ),
    'C: an unknown reason': ends(
        BEGAN,
        -6,
        'a\nb\nfatal: c\n',
        'crash    |signal 6 (SIGABRT)\n  stderr   |a\n  stderr   |b\n  stderr   |fatal: c\n',
    ),
    'AddressSanitizer': ends(
        BEGAN,
        1,
        '=====\n==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60 at pc 0x5\n'
        'WRITE of size 4 at 0x60 thread T0\n    #0 0x7f in malloc ../../asan_malloc_linux.cpp:69\n'
        '    #1 0x55 in main /s/a.c:3\n    #2 0x7f in _start (/s/a+0x1)\n\nShadow\n==7==ABORTING\n',
        'crashes at a.c, line 3 (heap-buffer-overflow)',
        BEYOND,
    ),
    'AddressSanitizer: without the lines': ends(
        BEGAN,
        1,
        '==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x5)\n    #0 0x5 (/s/a+0x1)\n',
        'crashes: SEGV\n',
        'hint: the program accessed invalid memory',
    ),
    'AddressSanitizer: within a limit of memory': ends(
        NOTHING,
        -6,
        '==2==ERROR: AddressSanitizer failed to allocate 0xdfff0001000 (15392894357504) bytes at '
        'address 2008fff7000 (errno: 12)\n==2==ReserveShadowMemoryRange failed while trying to map '
        "0xdfff0001000 bytes. Perhaps you're using ulimit -v\n",
        'hint: AddressSanitizer needs more memory than a program may use here: build without it',
    ),
    'AddressSanitizer: an endless recursion': ends(
        BEGAN,
        1,
        '==7==ERROR: AddressSanitizer: stack-overflow on address 0x7f (pc 0x5 bp 0x7 T0)\n'
        + ''.join(f'    #{number} 0x55 in f /s/a.c:2\n' for number in range(9)),
        'crashes at a.c, line 2 (stack-overflow)',
        'hint: a function calls itself too many times',
    ),
    'AddressSanitizer: memory that was not allocated': ends(
        BEGAN,
        1,
        '==7==ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed: 0x7f\n'
        '    #0 0x7f in free ../../asan_malloc_linux.cpp:52\n    #1 0x55 in main /s/a.c:3\n',
        'crashes at a.c, line 3 (attempting free)',
        'hint: pass to free() or delete only what malloc() or new has returned',
    ),
    'AddressSanitizer: a variable of a function that has ended': ends(
        BEGAN,
        1,
        '==7==ERROR: AddressSanitizer: stack-use-after-scope on address 0x7f at pc 0x5\n'
        '    #0 0x55 in main /s/a.c:3\n',
        'hint: the program uses a variable after its function or block has ended',
    ),
    'UndefinedBehaviorSanitizer': ends(
        BEGAN,
        1,
        "a.c:6:16: runtime error: index 3 out of bounds for type 'int [3]'\n"
        'a.c:6:16: runtime error: load of address 0x7f with insufficient space\n'
        '0x7f: note: pointer points here\n 00 00 00\n     ^\n',
        "stderr   |a.c:6:16: runtime error: index 3 out of bounds for type 'int [3]'\n",
    ),
    'node: a file': ends(
        BEGAN,
        1,
        node(
            'node:fs:573\n  return binding.open(\n                 ^\n\n'
            "Error: ENOENT: no such file or directory, open 'words.txt'\n"
            '    at Object.openSync (node:fs:573:18)\n    at Object.<anonymous> (/s/a.js:3:4)'
        ),
        'crashes at a.js, line 3 (Error)',
        "crash    |Error: ENOENT: no such file or directory, open 'words.txt'\n",
    ),
    'node: a missing package': ends(
        BEGAN,
        1,
        node(
            "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module 'ask'\n"
            'Require stack:\n- /s/a.js\n    at require (node:internal/modules/helpers:182:18)\n'
            '    at Object.<anonymous> (/s/a.js:1:31)'
        ),
        'crashes at a.js, line 1 (Error)',
        'hint: this package is not installed here: use only modules that come with Node.js',
    ),
    'node: a missing package, in a module': ends(
        NOTHING,
        1,
        node(
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'ask' imported from /s/a.mjs\n"
            '    at packageResolve (node:internal/modules/esm/resolve:873:9)'
        ),
        "stderr   |Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'ask' imported from a.mjs\n",
        'hint: this package is not installed here: use only modules that come with Node.js',
    ),
    'node: a file of the program': ends(
        BEGAN,
        1,
        node(
            "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module 'ask'\n"
            'Require stack:\n- /s/a.js\n    at require (node:internal/modules/helpers:182:18)\n'
            '    at Object.<anonymous> (/s/a.js:1:31)'
        ),
        "hint: ask.js is a file of yours: write './ask' to load it",
        names=['ask.js'],
    ),
    'node: a missing file of the program, in a module': ends(
        NOTHING,
        1,
        node(
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/s/b.js' imported from /s/a.js\n"
            '    at finalizeResolution (node:internal/modules/esm/resolve:283:11)'
        ),
        'hint: this module was not found: submit all your modules',
    ),
    'node: a name that a module does not export': ends(
        NOTHING,
        1,
        'file:///s/a.mjs:1\nimport {x} from "./b.mjs"\n        ^\n'
        "SyntaxError: The requested module './b.mjs' does not provide an export named 'x'\n"
        '    at ModuleJob._instantiate (node:internal/modules/esm/module_job:180:21)\n',
        'crashes at a.mjs, line 1 (SyntaxError)',
    ),
    'node: a function of browsers': ends(
        BEGAN,
        1,
        node(
            '/s/a.js:2\nlet n = prompt("n");\n        ^\n\nReferenceError: prompt is not defined\n'
            '    at Object.<anonymous> (/s/a.js:2:9)'
        ),
        'hint: only browsers have this, and the program runs in Node.js here',
    ),
    'node: a thrown string': ends(
        BEGAN,
        1,
        '\n/s/a.js:1\nthrow "no input";\n^\nno input\n(Use `node --trace-uncaught ...` to show where)\n'
        '\nNode.js v20.20.2\n',
        'crashes at a.js, line 1 (no input)',
        'in       |a.js, line 1: throw "no input";',
    ),
    'node: JSON': ends(
        BEGAN,
        1,
        node(
            "<anonymous_script>:1\n{bad\n ^\n\nSyntaxError: Expected property name or '}' in JSON\n"
            '    at JSON.parse (<anonymous>)\n    at Interface.<anonymous> (/s/a.js:2:9)'
        ),
        'crashes at a.js, line 2 (SyntaxError)',
        "crash    |SyntaxError: Expected property name or '}' in JSON\n",
    ),
    'Java: another package': ends(
        NOTHING,
        1,
        'Error: Could not find or load main class Main\nCaused by: java.lang.NoClassDefFoundError: '
        f'Main (wrong name: {"a" * 60}/Main)\n',
        f'|Caused by: java.lang.NoClassDefFoundError: Main (wrong name: {"a" * 60}/Main)\n',
        'hint: the source has a package line: remove it, or keep the folder of the package',
    ),
    'Java: another class': ends(
        NOTHING,
        1,
        'Error: Could not find or load main class Main\n'
        'Caused by: java.lang.ClassNotFoundException: Main\n',
        'hint: no class has exactly this name: compare it with the name of the class in your source',
    ),
    'Java: an error of the compiler': ends(
        NOTHING,
        1,
        'Main.java:3: error: incompatible types: String cannot be converted to int\n'
        '    int x = "a";\n            ^\n1 error\nerror: compilation failed\n',
        'stderr   |Main.java:3: error: incompatible types: String cannot be converted to int\n',
    ),
    'Java: a word in place of a number': ends(
        BEGAN,
        1,
        'Exception in thread "main" java.util.InputMismatchException\n'
        '\tat java.base/java.util.Scanner.nextInt(Scanner.java:2212)\n\tat Main.main(Main.java:2)\n',
        'crashes at Main.java, line 2 (InputMismatchException)',
        'hint: the next word of the input is not a number of the kind that is read here',
    ),
    'Java: a changed list': ends(
        BEGAN,
        1,
        'Exception in thread "main" java.util.ConcurrentModificationException\n'
        '\tat java.base/java.util.ArrayList$Itr.next(ArrayList.java:967)\n'
        '\tat Main.main(Main.java:2)\n',
        'hint: a list, set or map was changed in a loop over it: change it after the loop',
    ),
    'Java: an endless recursion': ends(
        BEGAN,
        1,
        'Exception in thread "main" java.lang.StackOverflowError\n' + '\tat A.f(A.java:3)\n' * 9,
        'crashes at A.java, line 3 (StackOverflowError)',
        'hint: a function calls itself too many times',
    ),
    'Python: cp1252': ends(
        NOTHING, 1, ENCODING('xe9', 2), 'crashes at a.py, line 2 (SyntaxError)', NOT_UTF_8
    ),
    'Python: UTF-16': ends(
        NOTHING, 1, ENCODING('xff', 1), 'crashes at a.py, line 1 (SyntaxError)', NOT_UTF_8
    ),
    'Python: cp1252 in a module': python(
        "SyntaxError: (unicode error) 'utf-8' codec can't decode byte 0xe9 in position 3: invalid "
        'continuation byte',
        [],
        NOT_UTF_8,
    ),
    'Python: UTF-16 in a module': python(
        'ValueError: source code string cannot contain null bytes',
        [],
        'hint: the module imported here is not saved as UTF-8: in your editor, save it with the',
    ),
    'Python: UTF-16 without its mark': ends(
        NOTHING,
        1,
        'Traceback (most recent call last):\n  File "/s/a.py", line 1, in <module>\n'
        "    p\0r\0i\0n\0t\0\nNameError: name 'p' is not defined\n",
        NOT_UTF_8,
    ),
    'Python: a newer assignment': newer('while (n := f()) > 0:', 'invalid syntax', 7, 8),
    'Python: a newer choice': newer('match n:', 'invalid syntax', 9, 10),
    'Python: a newer except': newer('except* ValueError:', 'invalid syntax', 10, 11),
    'Python: a newer type': newer('type X = int', 'invalid syntax', 11, 12),
    'Python: a newer function': newer('def first[T](a: T) -> T:', "expected '('", 11, 12),
    'Python: a newer function, in an old Python': newer(
        'def first[T](a: T) -> T:', 'invalid syntax', 9, 12
    ),
    'Python: a newer string': newer('print(f"{d["a"]}")', "f-string: unmatched '['", 11, 12),
    'Python: another newer string': newer('print(t"a")', 'invalid syntax', 13, 14),
    'Python: a newer string, in an unknown Python': syntax(
        'print(t"a")', 'invalid syntax', 0, 'hint: only Python 3.14 and later know this syntax'
    ),
    'Python: exceptions without parentheses': syntax(
        'except A, B:',
        'multiple exception types must be parenthesized',
        11,
        'hint: write "except (A, B):" for two kinds of errors, or "except A as error:" to name an error',
    ),
    # The name of a module or a file.
    'a module for Windows': python(
        "ModuleNotFoundError: No module named 'msvcrt'",
        [],
        'hint: this module exists only on Windows, and the program runs on another system here',
    ),
    'a module with a capital letter': python(
        "ModuleNotFoundError: No module named 'Helper'",
        ['helper.py'],
        'hint: the file is named helper.py: write capital and small letters as in its name',
    ),
    'a module that is not there': python(
        "ModuleNotFoundError: No module named 'helper'",
        ['main.py'],
        'hint: this module was not found: submit all your modules',
    ),
    'a file with a capital letter': python(
        "FileNotFoundError: [Errno 2] No such file or directory: 'Words.txt'",
        ['words.txt'],
        'hint: the file is named words.txt: write capital and small letters as in its name',
    ),
    'a file with a capital letter, in a folder': python(
        "FileNotFoundError: [Errno 2] No such file or directory: './data/Words.txt'",
        ['data/words.txt', 'words.txt'],
        'hint: the file is named data/words.txt: write capital and small letters as in its name',
    ),
    'a folder with a capital letter': python(
        "FileNotFoundError: [Errno 2] No such file or directory: 'Data/words.txt'",
        ['data/words.txt'],
        'hint: the file is named data/words.txt: write capital and small letters as in its name',
    ),
    'a file with a capital letter, by its whole path': python(
        "FileNotFoundError: [Errno 2] No such file or directory: '/s/data/Words.txt'",
        ['data/words.txt'],
        'hint: the file is named data/words.txt: write capital and small letters as in its name',
    ),
    'a module with a capital letter, in a package': python(
        "ModuleNotFoundError: No module named 'tools.Helper'",
        ['tools/helper.py'],
        'hint: the file is named tools/helper.py: write capital and small letters as in its name',
    ),
    'Java: a file with a capital letter': ends(
        BEGAN,
        1,
        'Exception in thread "main" java.io.FileNotFoundException: Words.txt (No such file or '
        'directory)\n\tat java.base/java.io.FileInputStream.open0(Native Method)\n'
        '\tat Main.main(Main.java:2)\n',
        'hint: the file is named words.txt: write capital and small letters as in its name',
        names=['words.txt'],
    ),
    'node: a file with a capital letter, opened later': ends(
        BEGAN,
        1,
        'node:internal/fs/promises:637\n  return new FileHandle(await PromisePrototypeThen(\n'
        "            ^\n\nError: ENOENT: no such file or directory, open 'Words.txt'\n"
        '    at async open (node:internal/fs/promises:637:25)\n    at async /s/a.js:3:64 {\n'
        "  errno: -2,\n  code: 'ENOENT'\n}\n\nNode.js v20.20.2\n",
        'crashes at a.js, line 3 (Error)',
        'hint: the file is named words.txt: write capital and small letters as in its name',
        names=['words.txt'],
    ),
    'a file that hides a module': python(
        "AttributeError: module 'random' has no attribute 'randint'",
        ['main.py', 'random.py'],
        "hint: your file random.py hides Python's own module random: give your file another name",
    ),
    'a file that hides a package': python(
        "ModuleNotFoundError: No module named 'email.utils'; 'email' is not a package",
        ['email.py'],
        "hint: your file email.py hides Python's own module email: give your file another name",
    ),
    'a file that hides a module from an import': python(
        "ImportError: cannot import name 'randint' from 'random' (/s/random.py)",
        ['random.py'],
        "hint: your file random.py hides Python's own module random: give your file another name",
    ),
    # Output without end.
    'a text without end': floods(
        ['Hello\n', 'x' * 70_000], 'prints "x" again and again, until the grader stops it'
    ),
    'a text without end at once': floods(
        ['x' * 70_000], 'prints "x" again and again, until the grader stops it'
    ),
    'a text without end in place of a prompt': (
        '|N? \\\n3\n|Sum 8\n',
        ['x' * 70_000],
        {'status': None, 'end': 'output'},
        ['prints "x" again and again, until the grader stops it'],
    ),
    'a prompt without end': floods(
        ['Hello\n', 'Sum 8\n' + 'Number: ' * 9_000], 'prints "Number: " again and again, until'
    ),
    'two lines without end': floods(
        ['Hello\n', 'Sum 8\n' + 'a\nb\n' * 20_000], r'prints "a\nb" again and again, until'
    ),
    'a loop at the end of the input': floods(
        ['Hello\n', 'Sum 8\n', 'Sum 8\n' * 12_000],
        'prints "Sum 8" again and again after the end of its input, until the grader stops it',
    ),
    'lines without end that end in a row of dashes': floods(
        ['Hello\n', ''.join(f'{number}\n' for number in range(15_000)) + '-' * 40],
        'prints far too much, perhaps in an endless loop: "14999"',
    ),
    'numbers without end': floods(
        ['Hello\n', ''.join(f'{number}\n' for number in range(15_000))],
        'prints far too much, perhaps in an endless loop: "14999"',
    ),
    'a long line': floods(
        ['Hello\n', ''.join(map(str, range(15_000)))], 'prints a line of 63,890 characters or more'
    ),
    # Numbers with a tolerance: both values are shown as they are.
    'a decimal comma': near(
        '3.14', '3,14', 'prints "3,14" instead of "3.14"', 'hint: numbers have a decimal point here'
    ),
    'a percent sign': near('3.14', '3.15%', 'prints "3.15%" instead of "3.14"'),
    'a percent sign after words': near(
        'Sum 3.14', 'Sum 3.15%', 'prints "Sum 3.15%" instead of "Sum 3.14"'
    ),
    'a point at the end': near('1000000', '1000000.', 'prints "1000000." instead of "1000000"'),
    'a word beside a number': near(
        'The mean 3.14', 'A mean 3.15', 'prints the wrong words: "A" instead of "The"'
    ),
    'another number': near('Sum 3.14', 'Sum 3.5', 'prints "Sum 3.5" instead of "Sum 3.14"'),
    # Sentences that were hard to understand.
    'a row of dashes': line(
        '-' * 24,
        '-' * 25,
        'prints "-" (25 times in one line) instead of "-" (24 times in one line)',
    ),
    'any wording': (
        '# prompts: free\n3\n|Sum 8\n',
        ['Sum?\nSum? \n'],
        {},
        ['a prompt can have any wording'],
    ),
    'a prompt without its space': (
        '|N? \\\n3\n|Sum 8\n',
        ['N?', 'Sum 8\n'],
        {},
        ['prints the prompt "N?" instead of "N?\N{MIDDLE DOT}"'],
    ),
    'a line of spaces': (
        '|Sum 8\n',
        ['  \nSum 8\n'],
        {},
        ['prints lines of spaces that are not in the assignment'],
    ),
    'an empty line': (
        '|Sum 8\n',
        ['\nSum 8\n'],
        {},
        ['prints empty lines that are not in the assignment'],
    ),
    'a space and a carriage return': line(
        'Sum 8', 'Sum 8 \r', r'hint: 1 space and \r too many at the end of the line'
    ),
    'a tab at the end': line('Sum 8', 'Sum 8\t', 'hint: 1 tab too many at the end of the line'),
    'a form feed at the end': line('Sum 8', 'Sum 8\x0c', r'|Sum 8\x0c'),
    'spaces and tabs at the end': line(
        'Sum 8', 'Sum 8 \t ', 'hint: 2 spaces and 1 tab too many at the end of the line'
    ),
    'many lines with the reason': ends(
        BEGAN,
        3,
        'Error: 1\n' + ''.join(f'line {number}\n' for number in range(2, 20)),
        '  stderr   |Error: 1\n  stderr   |line 2\n',
        '  stderr   |line 10',
    ),
}


def report_on(text, printed, **facts):
    """Return what a report says about a program that does this in a session."""
    session = parse(text, 'a.txt')
    dialogue = replace(Dialogue.printing(printed), **facts)
    played = PlayedSession(session, dialogue, failure_in(session, dialogue))
    findings = diagnose(lambda session: None, [played]).findings(
        lambda session: 1, lambda session: None
    )
    return '\n'.join(f'{found.sentence}\n{describe(found.example)}' for found in findings)


@pytest.mark.parametrize(('text', 'printed', 'facts', 'shown'), CASES.values(), ids=CASES)
def test_reasons(text, printed, facts, shown):
    report = report_on(text, printed, **facts)
    assert [words for words in shown if words not in report] == [], report


@pytest.mark.parametrize(
    'errors',
    [
        'Traceback (most recent call last):\n  File "/s/a.py", line 2, in <module>\n    input()\n'
        'EOFError: EOF when reading a line\n',
        'Exception in thread "main" java.util.NoSuchElementException: No line found\n'
        '\tat java.base/java.util.Scanner.nextLine(Scanner.java:1656)\n\tat A.main(A.java:2)\n',
    ],
)
def test_an_error_of_the_closed_input_is_not_the_reason(errors):
    """The program waits for input after the last line, so the grader closes its input."""
    report = report_on(SUM, [*BEGAN, ''], status=1, errors=errors.encode(), folder='/s')
    assert 'waits for input instead of printing "Sum 8"' in report
    assert 'stderr' not in report


@pytest.mark.parametrize('is_own', [False, True])
def test_the_files_and_the_python_of_a_program(is_own, tmp_path):
    """The grader finds them for a submission, and for the user's own program."""
    files = {
        'course/a.txt': SUM,
        'mine/data/words.txt': '',
        'mine/main.py': 'print("Hello")\ninput()\nopen("data/Words.txt")\n',
        'newer/main.py': 'print(t"a")\n',
    }
    write_files(tmp_path, files)
    python = shlex.quote(sys.executable)
    hints = {'mine': 'hint: the file is named data/words.txt', 'newer': OLDER_THAN_14}
    for name, hint in hints.items():
        words = ['--command', f'{python} main.py', '--no-where'] if is_own else ['.', *FAST]
        report = run_grader_here('grade', tmp_path / 'course', *words, folder=tmp_path / name)[1]
        assert hint in ' '.join(report.split())
