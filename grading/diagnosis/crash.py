"""Finds crashes: where in the author's own files a program crashed, and what the error means."""

from __future__ import annotations

import os.path
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import PurePosixPath
from typing import NamedTuple

from ..printable import decoded, status_in_words
from ..results import Crash
from ..sessions.verdict import Dialogue, PlayedSession

INSTALLED = 'site-packages'  # the folder of installed Python packages
FRAME = re.compile(r'  File "([^"\0]{1,4096})", line ([0-9]{1,9})(?![0-9])')
# fmt: off
NO_FILE = re.compile(  # a file or module was not found: its path or name
    r"(?:ModuleNotFoundError: No module named|FileNotFoundError: .*:|Error: ENOENT: .*|"
    r"Error: Cannot find module) '([^']+)'$"
)
NO_FILE_IN_JAVA = re.compile(r'FileNotFoundException: (.+) \(No such file or directory\)$')
NOT_IN_MODULE = re.compile(  # something was not found in a module: the module's name
    r"(?:AttributeError: (?:partially initialized )?module|ImportError: cannot import name '\w+' "
    r"from(?: partially initialized module)?|ModuleNotFoundError: .*;) '(\w+)'"
)
# What an error or a signal means, by a pattern for its beginning. A pattern may go on with the line
# of source, after a newline.
MEANINGS = {
    r'\w+: source code string cannot contain null bytes':
        'the module imported here is not saved as UTF-8: in your editor, save it with the encoding '
        'UTF-8',
    r"SyntaxError: (Non-UTF-8|\(unicode error\) 'utf-8' codec|source code cannot contain null)|"
    r'NameError: .*\n\w\\x00\w\\x00':
        'the file is not saved as UTF-8: in your editor, save it with the encoding UTF-8',
    r'IndexError: (list|string) (assignment )?index out of range':
        'there is nothing at this index: the last index is the length minus 1',
    "TypeError: .*'NoneType'|AttributeError: 'NoneType'":
        'a value is None here: it was never set, or a function ended without returning a value',
    r"TypeError: .*'(str' and 'int|int' and 'str)'":
        'a string and an integer cannot be combined or compared: int(text) turns a string into an '
        'integer',
    "TypeError: can't multiply sequence by non-int of type 'str'":
        'a list or string cannot be multiplied by a string: int(text) turns a string into an '
        'integer',
    'TypeError: can only concatenate str':
        'only strings can be added to a string: str(value) turns a value into a string',
    "TypeError: '(int|float)' object is not (subscriptable|iterable)":
        'the value is a number here, not a list or a string',
    "TypeError: 'str' object does not support item assignment":
        'the characters of a string cannot be changed: make a new string, or use a list',
    r'TypeError: .*takes .* positional arguments? but \d+ (was|were) given':
        'the call has more arguments than the function takes; in a method, self counts too',
    r'TypeError: .*missing \d+ required positional argument':
        'the call has fewer arguments than the function needs',
    'NameError: name':
        'no variable or function has this name here: compare the spelling with the line that '
        'defines it',
    r"ModuleNotFoundError: No module named '(msvcrt|winreg|winsound|win32\w+)'":
        'this module exists only on Windows, and the program runs on another system here',
    'ModuleNotFoundError':
        'this module was not found: submit all your modules; if it is a library, it is not '
        'installed here',
    'TypeError: .* indices must be integers.*, not .?str':
        'the index is a string: int(text) turns it into an integer',
    r'ValueError: invalid literal for int\(\)':
        'the string passed to int() here is not an integer: it may be empty, or contain '
        'characters other than digits',
    'ValueError: (not enough|too many) values to unpack':
        'the number of values differs from the number of names that they are assigned to',
    'UnboundLocalError':
        'this variable has no value yet; a variable assigned in a function is local, unless you '
        'declare it global',
    'RecursionError|RangeError: Maximum call stack|StackOverflowError|stack-overflow':
        'a function calls itself too many times, directly or through others: check the condition '
        'that should stop it',
    'AddressSanitizer failed to allocate':
        'AddressSanitizer needs more memory than a program may use here: build without it',
    'detected memory leaks':
        'free the memory that malloc() or new has allocated before the program ends',
    r'signal \d+ \(SIGSEGV\)|SEGV$':
        'the program accessed invalid memory: look for an index out of range, an unset pointer, or '
        'endless recursion',
    r'signal \d+ \(SIGFPE\)|FPE$': 'a division failed: look for a division by 0',
    r'signal \d+ \(SIGABRT\)':
        'the program called abort(): perhaps an assertion failed, or the heap is corrupted',
    r'.*__n \(which is \d+\) >= this->size\(\)':
        'there is nothing at this index: the last index is the size minus 1',
    r'.*__pos \(which is \d+\) > this->size\(\)':
        'there is no such position: it is greater than the length of the string',
    r'(map|_Map_base)::at$':
        'the map has no such key: check with count() before you use at()',
    'sto(i|l|ll|f|d)$':
        'the string passed to this function is not a number, or the number is too large',
    r'basic_string.* null':
        'the program makes a string from a null pointer: set the pointer first',
    r'std::bad_(alloc|array_new_length)$|vector::_M_default_append|cannot create std::vector':
        'the program asks for too much memory: check the size that it asks for',
    'terminate called after throwing':
        'no catch takes the value that the program throws: add one for its type',
    'double free or corruption':
        'memory was freed twice, or an index went beyond the end of an array',
    r'(\w+\(\): )?double free|attempting double-free':
        'memory is freed twice: free or delete each pointer only once',
    r'(\w+\(\): )?invalid pointer|attempting free$':
        'pass to free() or delete only what malloc() or new has returned',
    r'stack smashing|buffer overflow|\w+-buffer-overflow|'
    r'(\w+\(\): )?(corrupted|invalid (next )?size)':
        'the program accessed memory beyond the end of an array: check its indices',
    'heap-use-after-free':
        'the program uses memory after it was freed',
    'stack-use-after':
        'the program uses a variable after its function or block has ended',
    r"Error.*: Cannot find module ('[./]|.* imported from )":
        'this module was not found: submit all your modules',
    'Error.*: Cannot find (module|package)':
        'this package is not installed here: use only modules that come with Node.js',
    'ReferenceError: (prompt|alert|confirm|window|document) is not defined':
        'only browsers have this, and the program runs in Node.js here',
    r'.*\(wrong name: ':
        'the source has a package line: remove it, or keep the folder of the package',
    r'Caused by: java\.lang\.ClassNotFoundException':
        'no class has exactly this name: compare it with the name of the class in your source',
    'InputMismatchException':
        'the next word of the input is not a number of the kind that is read here',
    'ConcurrentModificationException':
        'a list, set or map was changed in a loop over it: change it after the loop',
    'SyntaxError: multiple exception types must be parenthesized':
        'write "except (A, B):" for two kinds of errors, or "except A as error:" to name an error',
}
# fmt: on
# Syntax of newer versions of Python: a pattern for the error that an older version reports, and for
# the line of source, after a newline. The key is N for Python 3.N, which knows the syntax.
NEWER_SYNTAX = {
    8: r'invalid syntax\n[^"\'#]*\([^"\'#]*:=',
    10: r'invalid syntax\nmatch .*:$',
    11: r'invalid syntax\nexcept ?\*',
    12: r"invalid syntax\ntype \w+ =|(invalid syntax|expected '\(')\n(def|class) \w+\[|"
    r"f-string: .*\n.*f(?P<q>[\"'])[^\"'{}]*{[^\"'{}]*(?P=q)[^\"'{}]*(?P=q)[^\"'{}]*}",
    14: r"invalid syntax\n[^\"']*\bt[\"']",
}
NEWER = 'only Python 3.{} and later know this syntax: write it in the older way'


class ErrorForm(NamedTuple):
    """How a runtime reports an uncaught error, or a file it cannot read: in one or two lines.

    Each pattern matches a single line: a pattern for several lines, tried at each line, would take
    quadratic time.
    """

    first: re.Pattern[str]
    rest: re.Pattern[str]  # for the second line; empty if there is no second line
    distance: range  # how far below the first line the second line may be, in lines

    @property
    def has_source(self) -> bool:
        """Whether the source of the failing line is printed between the two lines."""
        return self.distance.start > 1


ANYWHERE = range(1, 1 << 20)  # for `distance`: anywhere below the first line
NODE = r'(?:file://)?(?P<file>\S+\.[cm]?[jt]s):(?P<line>[0-9]{1,9})'
MAX_ERRORS = 3  # how many last lines of standard error to show
MAX_REASON = 10  # how many lines of standard error to show from a line on that names an error
NAMES_ERROR = re.compile(
    r'\[?(\w+\.)*([A-Z]\w*)?(Error|Exception|Rejection)\b|\S+:\d+:(\d+:)? (runtime )?error: '
)
ENDS_REASON = re.compile(r'\s*[]}]?$|\s+at ')  # a line of the stack, or the end of an object
ERROR_FORMS = [
    ErrorForm(re.compile(first), re.compile(rest), distance)
    for first, rest, distance in (
        (  # node: the failing line of source follows the first line
            NODE,
            r'(?P<error>[A-Za-z]*(?:Error|Exception)\b.*)',
            range(2, 5),
        ),
        (NODE, r'(?P<error>[^\s(].*)', range(3, 4)),  # node: a value thrown that is no Error
        (  # node: an error in a module of its own
            r'(?P<error>[A-Z]\w*(?: \[\w+\])?: .*)',
            r'    at (?!.*node_modules)(?:async |[^()]*\()?(?:file://)?(?P<file>/\S+\.[cm]?[jt]s):'
            r'(?P<line>[0-9]{1,9}):[0-9]+\)?(?: \{)?',
            ANYWHERE,
        ),
        *(
            (  # Java
                begin + r'(?:[a-z]+\.)*(?P<error>.*)',
                r'\tat (?!java\.|jdk\.|sun\.)[^(]*'
                r'\((?P<file>[\w$]+\.java):(?P<line>[0-9]{1,9})\).*',
                ANYWHERE,
            )
            for begin in (r'Caused by: ', r'Exception in thread "[^"]*" ')
        ),
        # bash
        (r'(?P<file>\S+): line (?P<line>[0-9]{1,9}): (?P<error>.*)', '', ANYWHERE),
        # Go
        (r'panic: (?P<error>.*)', r'\t(?!/usr/)(?P<file>\S+\.go):(?P<line>[0-9]{1,9}).*', ANYWHERE),
        # Rust
        (r'.*?panicked at (?P<file>\S+\.rs):(?P<line>[0-9]{1,9}).*', r'(?P<error>.*)', range(1, 2)),
        (  # assert() in C
            r'(?:[^:]*: )?(?P<file>[^\s:]+\.\w+):(?P<line>[0-9]{1,9}): .*(?P<error>Assertion .*)',
            '',
            ANYWHERE,
        ),
        (  # C++
            r"terminate called after throwing an instance of '(?P<type>[^']*)'",
            r'  what\(\):  (?P<error>.*)',
            range(1, 2),
        ),
        (r'(?P<error>terminate called .*)', '', ANYWHERE),
        (  # the C library
            r'(?P<error>(?:\w+\(\): )?(?:double free|corrupted|invalid (?:next )?size|'
            r'invalid pointer|memory corruption).*)',
            '',
            ANYWHERE,
        ),
        (r'\*\*\* (?P<error>(?:stack smashing|buffer overflow) detected).*', '', ANYWHERE),
        *(
            (  # AddressSanitizer and others: with the line, if the program was compiled with -g
                r'==[0-9]+==ERROR: \w+Sanitizer: '
                r'(?P<error>.*?)(?: on (?:unknown )?address .*| \(.*)?',
                frame,
                ANYWHERE,
            )
            for frame in (
                r' +#[0-9]+ \S+ in .* (?!\.\.|/usr/)'
                r'(?P<file>/?[^\s:]+):(?P<line>[0-9]{1,9})(?::[0-9]+)?',
                '',
            )
        ),
        (r'==[0-9]+==ERROR: (?P<error>AddressSanitizer failed to allocate) .*', '', ANYWHERE),
        (  # Python: a file in another encoding
            r"(?P<error>SyntaxError: Non-UTF-8 code starting with '[^']*') "
            r'in file (?P<file>[^\0]{1,4096}) on line (?P<line>[0-9]{1,9}),.*',
            '',
            ANYWHERE,
        ),
    )
]


def lines_of_errors(errors: bytes) -> list[str]:
    """Return the lines of standard error."""
    return decoded(errors).rstrip().splitlines()


def reason_in(errors: bytes, folder: str = '') -> list[str]:
    """Return the lines of standard error that hold the reason of an end, or else the last lines.

    They begin where an error is named. Files in the program's folder are shown without its path.

    >>> reason_in(b'Error: no\\n    at x\\n  y\\n}\\n\\nNode.js v20\\n')
    ['Error: no']
    >>> reason_in(b'1\\n2\\n3\\n4')
    ['2', '3', '4']
    """
    lines = lines_of_errors(errors)
    last = max(0, len(lines) - MAX_ERRORS)
    first = next((number for number in range(last) if NAMES_ERROR.match(lines[number])), last)
    shown = lines[first:][:MAX_REASON]
    if first < last:
        shown = [*takewhile(lambda line: not ENDS_REASON.match(line), shown)]
    return [line.replace(f'{folder}/', '') if folder else line for line in shown]


def error_of(errors: bytes) -> str:
    """Return the name of the exception if standard error is a Python traceback, or else `''`.

    >>> error_of(b'Traceback (most recent call last):\\nValueError: no\\n')
    'ValueError'
    """
    lines = lines_of_errors(errors)
    name = re.match(r'[\w.]+(?=:|$)', lines[-1]) if lines else None
    return name[0] if name and lines[0].startswith('Traceback') else ''


def crash_of(errors: bytes, folder: str, given: Collection[str] = ()) -> Crash | None:
    """Return the Python crash at the end of standard error, in one of the author's lines, or None.

    The files in `given` are the assignment's, not the author's. The crash is at the innermost of
    the author's lines. For an endless recursion, it is at the most frequent line, because chance
    decides which line is the innermost.
    """
    lines = lines_of_errors(errors)
    if not lines or not re.match(r'\w', lines[-1]):
        return None
    crashes: list[Crash] = []
    for line, following in zip(reversed(lines[:-1]), reversed(lines), strict=False):
        frame = FRAME.match(line)
        file = own_file(frame[1], folder, given) if frame else ''
        if frame and file:
            source = following.strip() if following.startswith('    ') else ''
            crashes.append(Crash(lines[-1], file, int(frame[2]), source))
            if crashes[0].type != 'RecursionError':
                break
    return Counter(crashes).most_common(1)[0][0] if crashes else None


def crash_in_other_language(
    errors: bytes, folder: str, given: Collection[str] = ()
) -> Crash | None:
    """Return the crash a program in another language reports on standard error, or None.

    The files in `given` are the assignment's, not the author's.
    """
    lines = lines_of_errors(errors)
    for form in ERROR_FORMS:
        for parts in reports_in(lines, form):
            path = parts.get('file', '')
            own = own_file(path, folder) if path else ''
            if str(PurePosixPath(own or path)) in given:
                continue
            file = own or PurePosixPath(path).name
            return Crash(parts['error'], file, int(parts.get('line', 0)), parts['source'])
    return None


def reports_in(lines: Sequence[str], form: ErrorForm) -> Iterator[dict[str, str]]:
    r"""Yield the parts of each error report in the given form: its error, file, line and source.

    If several lines match the pattern for the second line, yield the report once for each of them.

    >>> go = [form for form in ERROR_FORMS if form.first.pattern.startswith('panic')][0]
    >>> [*reports_in(['panic: no', 'goroutine 1:', '\t/tmp/a.go:7 +0x1d'], go)]
    [{'error': 'no', 'file': '/tmp/a.go', 'line': '7', 'source': ''}]
    """
    begin, parts = 0, dict[str, str]()  # the first line of the latest report, and its parts so far
    for number, line in enumerate(lines):
        found = None
        if parts and number - begin in form.distance:
            found = form.rest.fullmatch(line)
        if not found:
            begun = form.first.fullmatch(line)
            if not begun:
                continue
            begin, parts = number, begun.groupdict()
            if form.rest.pattern:
                continue
            found = begun
        source = lines[begin + 1].strip() if form.has_source else ''
        parts = {**parts, **found.groupdict()}
        yield {**parts, 'source': source}


def is_end_of_input(crash: Crash) -> bool:
    """Return whether the program crashed because it tried to read more input than there was."""
    return crash.type in ('EOFError', 'NoSuchElementException')


def hint_for_crash(crash: Crash, names: Collection[str] = (), python: int = 0) -> str:
    """Return what the error of a crash means, or `''` if unknown.

    For `names` and `python`, see `Dialogue`.
    """
    if crash.source.startswith('raise'):  # the author wrote the message
        return ''
    error = f'{crash.error}\n{crash.source}'
    newer = hint_for_newer_syntax(error, python)
    return hint_for_name(crash.error, names) or newer or meaning_of(error)


def hint_for_newer_syntax(error: str, python: int) -> str:
    r"""Return that a line has syntax of a newer Python than Python 3.`python`, or `''`.

    The line follows the error, after a newline. `python` is 0 if the version is unknown.

    >>> hint_for_newer_syntax('SyntaxError: invalid syntax\nmatch n:', 9)[:57]
    'this is Python 3.9; only Python 3.10 and later know this '
    >>> hint_for_newer_syntax('SyntaxError: invalid syntax\nn := 3', 0)
    ''
    """
    for version, known in NEWER_SYNTAX.items():
        if version > python and re.match(f'SyntaxError: (?:{known})', error):
            return (f'this is Python 3.{python}; ' if python else '') + NEWER.format(version)
    return ''


def hint_for_name(error: str, names: Collection[str]) -> str:
    """Return how the name of one of the program's files causes an error, or `''`.

    >>> hint_for_name("ModuleNotFoundError: No module named 'Helper'", ['helper.py'])
    'the file is named helper.py: write capital and small letters as in its name'
    >>> hint_for_name("AttributeError: module 'random' has no attribute 'choice'", ['random.py'])
    "your file random.py hides Python's own module random: give your file another name"
    """
    missing = NO_FILE.match(error) or NO_FILE_IN_JAVA.match(error)
    module = NOT_IN_MODULE.match(error)
    if missing:
        is_module = error.startswith('ModuleNotFoundError')
        path = os.path.normpath(missing[1].replace('.', '/') if is_module else missing[1])
        files = [path + ending for ending in ('', '.py', '.js')]
        for name in sorted(names):
            if any(differs_in_capitals(file, name) for file in files):
                return f'the file is named {name}: write capital and small letters as in its name'
        if error.startswith('Error: Cannot find module') and f'{missing[1]}.js' in names:
            return f"{missing[1]}.js is a file of yours: write './{missing[1]}' to load it"
    if module and f'{module[1]}.py' in names and module[1] in sys.stdlib_module_names:
        return (
            f"your file {module[1]}.py hides Python's own module {module[1]}: give your file "
            'another name'
        )
    return ''


def differs_in_capitals(path: str, name: str) -> bool:
    """Return whether a path is the name of a file, except for capital letters.

    An absolute path need only end with the name.

    >>> differs_in_capitals('Words.txt', 'words.txt'), differs_in_capitals('a/b.txt', 'b.txt')
    (True, False)
    >>> differs_in_capitals('/tmp/a/Words.txt', 'a/words.txt')
    True
    """
    end = path[-len(name) - 1 :] if path.startswith('/') else f'/{path}'
    return end != f'/{name}' and end.lower() == f'/{name}'.lower()


def meaning_of(error: str) -> str:
    """Return what an error means, or `''` if unknown; its line of source may follow it."""
    return next((meaning for known, meaning in MEANINGS.items() if re.match(known, error)), '')


def crash_at(played: PlayedSession) -> Crash | None:
    """Return the crash that made a session fail, or that shows where the program was waiting.

    Return None if there is no such crash. In Python, the end of the input makes a waiting program
    crash; the crash shows where it was waiting only if it fell silent in the last turn.
    """
    wrong, dialogue = played.failure_found, played.dialogue
    if not wrong or wrong.kind not in ('ended', 'status', 'silent', 'not ended'):
        return None
    if not dialogue.status:
        return None
    crash = crash_on_standard_error(dialogue) or crash_by_signal(dialogue)
    is_in_last_turn = wrong.turn >= len(played.session.steps) - 1
    if crash and crash.type == 'EOFError' and wrong.kind == 'silent' and not is_in_last_turn:
        return None
    return crash


def crash_on_standard_error(dialogue: Dialogue) -> Crash | None:
    """Return the crash reported at the end or the beginning of standard error, or None."""
    for errors in (dialogue.errors, dialogue.errors_begin):
        for find in (crash_of, crash_in_other_language):
            crash = find(errors, dialogue.folder, dialogue.given)
            if crash:
                return crash
    return None


def crash_by_signal(dialogue: Dialogue) -> Crash | None:
    """Return the crash if a signal not sent by the grader ended the program, else None."""
    words = status_in_words(dialogue.status or 0)
    if dialogue.excess or not words.startswith('signal'):
        return None
    return Crash(words, '', 0, '')


def crash_later(played: PlayedSession) -> str:
    """Return in words how a program crashed after the wrong line of a session.

    Return '' if it did not crash, or if the failure is not a wrong line.
    """
    dialogue, session, wrong = played.dialogue, played.session, played.failure_found
    # If a program reads more lines than expected, the grader closes the input. That may crash the
    # program.
    if not wrong or wrong.kind != 'differs' or len(dialogue.turns) > len(session.steps):
        return ''
    crash = crash_at(replace(played, failure_found=replace(wrong, kind='ended')))
    if not crash or is_end_of_input(crash):
        return ''
    return f'crashes at {crash.file}, line {crash.line}' if crash.file else 'crashes'


def own_file(name: str, folder: str, given: Collection[str] = ()) -> str:
    """Return the path of a file within the author's folder, or `''` for any other file.

    Installed packages are not the author's, and the files in `given` are the assignment's. A
    program may print any path on this machine, so this function never looks at the file itself.

    >>> own_file('/tmp/submission/game.py', '/tmp/submission'), own_file('/usr/enum.py', '/tmp')
    ('game.py', '')
    >>> own_file('/tmp/submission/../secret.py', '/tmp/submission')
    ''
    >>> own_file('/home/.venv/lib/site-packages/numpy.py', '/home')
    ''
    """
    path = PurePosixPath(os.path.normpath(name))
    if path.is_absolute():
        roots = [folder, os.path.realpath(folder)]  # Python resolves links
        inside = [root for root in roots if PurePosixPath(root) in path.parents]
        if not inside:
            return ''
        path = path.relative_to(inside[0])
    if name.startswith('<') or '..' in path.parts or INSTALLED in path.parts:
        return ''
    return '' if str(path) in given else str(path)
