"""Runs a Python program as if started directly, and reports on standard error what it does.

    python [OPTIONS] -c "$(cat tracer.py)" MODE ROOT (FILE | -m MODULE) [ARGUMENT]...

MODE is `lines`, or `quick` to report only input and output. The tracer needs only the standard
library of Python 3.8 or later. What the program itself writes to standard error is lost. The report
covers the files below the folder ROOT (`''`: the program's folder). It has at most `MOST` bytes,
and consists of these lines:

    F NUMBER PATH               a file: its path relative to ROOT, in hexadecimal
    L [FILE LINE]...            these lines run for the first time in this step
    E FILE LINE TYPE TEXT       this line raises a built-in exception for the first time in this
                                step; TEXT is its message in hexadecimal
    W SIZE SUM [FILE LINE]...   the first of these lines prints SIZE bytes with the CRC-32 SUM; the
                                second line is its caller
    R [FILE LINE]...            the first of these lines reads a line of input, or all the rest of
                                it; each further line is the caller of the previous line
    X                           from now on, executed lines are not reported

A step ends when the program reads input after it has printed something.
"""

from __future__ import annotations

import sys

LOADED = {*sys.modules}
HAS_FOLDER = not (sys.flags.isolated or getattr(sys.flags, 'safe_path', False))
if HAS_FOLDER:  # the imports below must not find the program's own modules
    del sys.path[0]

import builtins
import io
import os
import types
from binascii import crc32
from importlib.machinery import SourceFileLoader

for name in {*sys.modules} - LOADED:  # the program may have modules with the same names
    del sys.modules[name]

TYPE_CHECKING = False  # `typing`, `threading` and `functools` take a long time to import
if TYPE_CHECKING:
    from typing import Any

MOST = 1 << 20  # maximum size of the report, in bytes
MAX_LINES = 1_000_000  # report no more lines after this many have run, repetitions included
MAX_FRAMES = 20  # maximum number of lines of the call stack to report for a line of input
MAX_TEXT = 200  # maximum length of an exception's message, in characters
PIECE = 1 << 16  # maximum number of bytes to read at once
CHANNEL = 199  # a file descriptor for the report; programs hardly ever use this number
NOT_OWN = ('site-packages', 'dist-packages')  # folders of installed packages


class Tracer:
    """Writes the report on a program to the original standard error."""

    def __init__(self, root: str) -> None:
        self._root = os.path.join(os.path.realpath(root), '')
        self._library = os.path.join(os.path.dirname(os.path.realpath(os.__file__)), '')
        self._start = os.getcwd()
        self._process = os.getpid()
        self._left = MOST  # how many bytes the report may still have
        self._lines_left = MAX_LINES
        self._files: dict[str, int] = {}  # each file's number, or 0 if it is not the program's own
        self._seen: set[tuple[object, ...]] = set()  # lines and exceptions reported in this step
        self._has_printed = False  # whether the program has printed something in this step
        self._follows_threads = False  # whether new threads are traced, too
        os.dup2(2, CHANNEL, False)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        os.close(null)

    def wrap_streams(self) -> None:
        """Replace standard input and output with streams that report to the tracer."""
        newline = None if sys.platform == 'win32' else '\n'
        old: Any = sys.stdin
        typed: Any = io.TextIOWrapper(self._reader('<stdin>'), old.encoding, old.errors, newline)
        old = sys.stdout
        printed: Any = PrintedStream(
            old.detach(),
            old.encoding,
            old.errors,
            newline,
            old.line_buffering,
            getattr(old, 'write_through', False),
        )
        printed.tracer = self
        typed.mode, printed.mode = 'r', 'w'
        sys.stdin = sys.__stdin__ = typed  # type: ignore[misc]
        sys.stdout = sys.__stdout__ = printed  # type: ignore[misc]
        builtins.open = io.open = self._opener(io.open)

    def _reader(self, name: object, closefd: bool = False) -> io.BufferedReader:
        raw = Raw(0, 'rb', closefd)
        raw.tracer, raw.name = self, name
        return io.BufferedReader(raw)

    def _opener(self, plain: Any) -> Any:
        """Return an `open` whose text streams on descriptors 0 and 1 also report to the tracer."""

        def open(
            file: Any,
            mode: str = 'r',
            buffering: int = -1,
            encoding: str | None = None,
            errors: str | None = None,
            newline: str | None = None,
            closefd: bool = True,
            opener: Any = None,
        ) -> Any:
            stream: Any
            settings = encoding, errors, newline, buffering == 1
            if type(file) is int and (file, mode) == (0, 'r') and buffering:
                stream = io.TextIOWrapper(self._reader(file, closefd), *settings)
            elif type(file) is int and (file, mode) == (1, 'w') and buffering:
                stream = PrintedStream(io.BufferedWriter(io.FileIO(file, 'wb', closefd)), *settings)
                stream.tracer = self
            else:
                return plain(file, mode, buffering, encoding, errors, newline, closefd, opener)
            stream.mode = mode
            return stream

        return open

    def printed(self, content: bytes, frame: Any) -> None:
        """Report what a frame is about to print; ignore b'', which PyPy prints before input."""
        if content:
            self._has_printed = True
            self._send('W', len(content), crc32(content), *self._lines_of(frame, 2))

    def wants_input(self, frame: Any) -> None:
        """Report that a frame is about to read input.

        If a new step begins, also report the call stack: these lines run in that step, too.
        """
        lines = self._lines_of(frame, MAX_FRAMES)
        self._send('R', *lines)
        if sys.gettrace() != self.called:
            self._send('X')
        if self._has_printed:
            self._has_printed = False
            self._seen.clear()
            self._send('L', *lines)

    def called(self, frame: Any, event: str, argument: object) -> Any:
        """Return the trace function for a call, or None if it calls no function of the program.

        From the first call after `threading` is imported, also trace new threads.
        """
        if not self._follows_threads and 'threading' in sys.modules:
            threading = sys.modules['threading']
            if hasattr(threading, 'settrace'):  # otherwise, it is still being imported
                self._follows_threads = True
                threading.settrace(self.called)
        return self._traced if self._number(frame.f_code.co_filename) else None

    def _traced(self, frame: Any, event: str, argument: Any) -> Any:
        if event == 'line':
            self._lines_left -= 1
            if self._lines_left <= 0:
                sys.settrace(None)
                self._send('X')
                return None
            name, line = frame.f_code.co_filename, frame.f_lineno
            if (name, line) not in self._seen:
                self._seen.add((name, line))
                self._send('L', self._files[name], line)
        elif event == 'exception' and argument[2]:  # the end of a loop has no traceback
            self._raised(*argument[1:])
        return self._traced

    def _raised(self, error: BaseException, trace: Any) -> None:
        """Report a built-in exception, unless an inner frame of the program has already done so."""
        number, line = self._number(trace.tb_frame.f_code.co_filename), trace.tb_lineno
        name = type(error).__name__
        if not number or getattr(builtins, name, None) is not type(error):
            return
        while trace.tb_next:
            trace = trace.tb_next
            if self._number(trace.tb_frame.f_code.co_filename):
                return  # that frame has already reported the exception
        if (number, line, name) not in self._seen:
            self._seen.add((number, line, name))
            # With other arguments, str() might run the program's code.
            is_plain = all(type(part) in (str, int) for part in error.args)
            text = str(error)[:MAX_TEXT] if is_plain else ''
            self._send('E', number, line, name, text.encode(errors='replace').hex())

    def _lines_of(self, frame: Any, most: int) -> list[int]:
        """Return the file and line numbers of the program's innermost frames: file, line, ..."""
        found: list[int] = []
        while frame and len(found) < 2 * most:
            number = self._number(frame.f_code.co_filename)
            if number:
                found += number, frame.f_lineno or 0
            frame = frame.f_back
        return found

    def _number(self, name: str) -> int:
        """Return the number of a file, or 0 if the file is not the program's own."""
        if name not in self._files:
            path = os.path.realpath(os.path.join(self._start, name))
            is_own = (
                path.startswith(self._root)
                and not path.startswith(self._library)
                and not any(part in NOT_OWN for part in path.split(os.sep))
                and os.path.isfile(path)
            )
            self._files[name] = len(self._files) + 1 if is_own else 0
            if is_own:
                self._send('F', self._files[name], os.fsencode(path[len(self._root) :]).hex())
        return self._files[name]

    def _send(self, *words: object) -> None:
        if os.getpid() == self._process:  # a fork of the program reports nothing
            line = ' '.join(map(str, words)).encode() + b'\n'
            self._left -= len(line)
            try:
                if self._left > 2:
                    os.write(CHANNEL, line)
                elif self._left + len(line) > 2:
                    os.write(CHANNEL, b'X\n')
            except OSError:  # the program has closed the channel
                pass


class Raw(io.FileIO):
    """Standard input; `readinto` returns no more than one line."""

    tracer: Tracer
    rest: bytes | None = b''  # what has been read, but not returned yet
    is_at_start = True  # whether the next byte begins a line

    def readinto(self, buffer: Any) -> int | None:
        if self.is_at_start:
            self.tracer.wants_input(sys._getframe().f_back)
        self.rest = self.rest or super().read(PIECE)
        if self.rest is None:  # no input is available yet, and the descriptor does not block
            return None
        size = min(self.rest.find(b'\n') + 1 or len(self.rest), len(buffer))
        buffer[:size] = self.rest[:size]
        self.is_at_start = self.rest[:size].endswith(b'\n')
        self.rest = self.rest[size:]
        return size

    def readall(self) -> bytes:
        self.tracer.wants_input(sys._getframe().f_back)
        rest, self.rest = self.rest or b'', b''
        return rest + (super().readall() or b'')


class PrintedStream(io.TextIOWrapper):
    """Standard output, which reports each write to the tracer."""

    tracer: Tracer

    def write(self, text: str) -> int:
        try:
            content = text.replace('\n', os.linesep).encode(self.encoding, self.errors or 'strict')
        except (AttributeError, TypeError, ValueError):
            return super().write(text)  # this raises the proper exception
        self.tracer.printed(content, sys._getframe().f_back)
        return super().write(text)


def run(mode: str, root: str, *words: str) -> None:
    """Run a program under the tracer, with the module state that the interpreter would set up."""
    is_module = words[0] == '-m'
    folder = os.getcwd() if is_module else os.path.dirname(os.path.realpath(words[0]))
    tracer = Tracer(root or folder)
    tracer.wrap_streams()
    if HAS_FOLDER:
        sys.path.insert(0, folder)
    main = sys.modules['__main__'] = types.ModuleType('__main__')
    vars(main).update(__builtins__=__builtins__)
    if sys.version_info < (3, 15):
        vars(main).update(__cached__=None)
    if sys.version_info < (3, 14):
        vars(main).update(__annotations__={})
    sys.argv = [*words[is_module:]]
    if not is_module:
        path = os.path.abspath(words[0]) if sys.version_info >= (3, 9) else words[0]
        loader = main.__loader__ = SourceFileLoader('__main__', path)
        main.__file__ = path
        code = loader.source_to_code(loader.get_data(path), path)
    if mode == 'lines':
        sys.settrace(tracer.called)
    if is_module:
        import runpy  # also slow to import

        runpy._run_module_as_main(words[1])  # type: ignore[attr-defined]  # what `python -m` calls
    else:
        exec(code, vars(main))


run(*sys.argv[1:])
