"""Runs a Python program as it would run by itself, and says on standard error what it does.

    python [OPTIONS] -c "$(cat tracer.py)" MODE ROOT (FILE | -m MODULE) [ARGUMENT]...

MODE is `lines`, or `quick`, which does not notice which lines run.

It needs nothing but the standard library, of Python 3.8 or later, and knows nothing of what it
runs. What the program says on standard error is lost. What is said instead are lines of words,
at most `MOST` bytes of them, about the files below the folder ROOT (`''`: that of the program):

    F NUMBER PATH               a file, its path from ROOT in hexadecimal
    L [FILE LINE]...            these lines run, for the first time in this step
    W SIZE SUM [FILE LINE]...   so many bytes are printed, their CRC-32, by this line; its caller
    R [FILE LINE]...            a line of input is wanted by this line; its callers
    X                           from now on lines are not noticed any more

A step ends where input is wanted and something has been printed since the last one did.
"""

from __future__ import annotations

import builtins
import functools
import importlib.util
import io
import os
import sys
import threading
import types
from binascii import crc32
from importlib.machinery import SourceFileLoader
from typing import Any

MOST = 1 << 20
MOST_FRAMES = 20                        # of those that wait for input
PIECE = 1 << 16                         # bytes that are read at once
CHANNEL = 199                           # a descriptor that programs hardly ever use
NOT_OWN = ('site-packages', 'dist-packages')
monitoring: Any = getattr(sys, 'monitoring', None)


class Tracer:
    """What is noticed of a program."""

    def __init__(self, root: str) -> None:
        self._root = os.path.join(os.path.realpath(root), '')
        self._library = os.path.join(os.path.dirname(os.path.realpath(os.__file__)), '')
        self._start = os.getcwd()
        self._process = os.getpid()
        self._left = MOST
        self._files: dict[str, int] = {}        # the number of each, 0 of those of others
        self._seen: set[tuple[str, int]] = set()
        self._has_printed = self._notices_lines = False
        os.dup2(2, CHANNEL, False)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        os.close(null)

    def start(self) -> None:
        """Notice, from now on, each line that runs."""
        self._notices_lines = True
        if monitoring:
            tool = next(tool for tool in (4, 3, 5, 2, 1, 0) if not monitoring.get_tool(tool))
            monitoring.use_tool_id(tool, 'places')
            monitoring.register_callback(tool, monitoring.events.LINE, self._monitored)
            monitoring.set_events(tool, monitoring.events.LINE)
        else:
            threading.settrace(self._called)
            sys.settrace(self._called)

    def wrap_streams(self) -> None:
        """Notice what is printed, and when input is wanted."""
        newline = None if sys.platform == 'win32' else '\n'
        old: Any = sys.stdin
        typed: Any = io.TextIOWrapper(self._reader('<stdin>'), old.encoding, old.errors, newline)
        old = sys.stdout
        printed: Any = Printed(old.detach(), old.encoding, old.errors, newline,
                               old.line_buffering, getattr(old, 'write_through', False))
        printed.tracer = self
        typed.mode, printed.mode = 'r', 'w'
        sys.stdin = sys.__stdin__ = typed                   # type: ignore[misc]
        sys.stdout = sys.__stdout__ = printed               # type: ignore[misc]
        builtins.open = io.open = self._opener(io.open)

    def _reader(self, name: object, closefd: bool = False) -> io.BufferedReader:
        raw = Raw(0, 'rb', closefd)
        raw.tracer, raw.name = self, name
        return io.BufferedReader(raw)

    def _opener(self, plain: Any) -> Any:
        """Return what opens files; standard input and output are noticed under new names, too."""
        @functools.wraps(plain)
        def opener(file: Any, mode: str = 'r', buffering: int = -1, encoding: str | None = None,
                   errors: str | None = None, newline: str | None = None, closefd: bool = True,
                   opener: Any = None) -> Any:
            stream: Any
            settings = encoding, errors, newline, buffering == 1
            if type(file) is int and (file, mode) == (0, 'r') and buffering:
                stream = io.TextIOWrapper(self._reader(file, closefd), *settings)
            elif type(file) is int and (file, mode) == (1, 'w') and buffering:
                stream = Printed(io.BufferedWriter(io.FileIO(file, 'wb', closefd)), *settings)
                stream.tracer = self
            else:
                return plain(file, mode, buffering, encoding, errors, newline, closefd, opener)
            stream.mode = mode
            return stream
        return opener

    def printed(self, content: bytes, frame: Any) -> None:
        """Notice what is about to be printed."""
        self._has_printed = True
        self._send('W', len(content), crc32(content), *self._lines_of(frame, 2))

    def wants_input(self, frame: Any) -> None:
        """Notice that input is wanted; what runs now runs on in the next step."""
        lines = self._lines_of(frame, MOST_FRAMES)
        self._send('R', *lines)
        if self._notices_lines and not monitoring and sys.gettrace() != self._called:
            self._send('X')
        if self._has_printed:
            self._has_printed = False
            self._seen.clear()
            if monitoring and self._notices_lines:
                monitoring.restart_events()
            self._send('L', *lines)

    def _called(self, frame: Any, event: str, argument: object) -> Any:
        return self._traced if self._number(frame.f_code.co_filename) else None

    def _traced(self, frame: Any, event: str, argument: object) -> Any:
        if event == 'line':
            name, line = frame.f_code.co_filename, frame.f_lineno
            if (name, line) not in self._seen:
                self._seen.add((name, line))
                self._send('L', self._files[name], line)
        return self._traced

    def _monitored(self, code: types.CodeType, line: int) -> object:
        number = self._number(code.co_filename)
        if number:
            self._send('L', number, line)
        return monitoring.DISABLE

    def _lines_of(self, frame: Any, most: int) -> list[int]:
        """Return file and line of the innermost own frames, one after the other."""
        found: list[int] = []
        while frame and len(found) < 2 * most:
            number = self._number(frame.f_code.co_filename)
            if number:
                found += number, frame.f_lineno or 0
            frame = frame.f_back
        return found

    def _number(self, name: str) -> int:
        """Return the number of a file, 0 if it is not the program's own."""
        if name not in self._files:
            path = os.path.realpath(os.path.join(self._start, name))
            is_own = (path.startswith(self._root) and not path.startswith(self._library)
                      and not any(part in NOT_OWN for part in path.split(os.sep))
                      and os.path.isfile(path))
            self._files[name] = len(self._files) + 1 if is_own else 0
            if is_own:
                self._send('F', self._files[name], os.fsencode(path[len(self._root):]).hex())
        return self._files[name]

    def _send(self, *words: object) -> None:
        if os.getpid() == self._process:        # not a fork of it
            line = ' '.join(map(str, words)).encode() + b'\n'
            self._left -= len(line)
            try:
                if self._left > 2:
                    os.write(CHANNEL, line)
                elif self._left + len(line) > 2:
                    os.write(CHANNEL, b'X\n')
            except OSError:                     # the program has closed it
                pass


class Raw(io.FileIO):
    """Standard input, of which each read gives no more than one line."""

    tracer: Tracer
    rest: bytes | None = b''            # what has been read, but not given yet
    is_at_start = True                  # of a line

    def readinto(self, buffer: Any) -> int | None:
        if self.is_at_start:
            self.tracer.wants_input(sys._getframe().f_back)
        self.rest = self.rest or super().read(PIECE)
        if self.rest is None:           # nothing is there, and it does not wait
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


class Printed(io.TextIOWrapper):
    """Standard output."""

    tracer: Tracer

    def write(self, text: str) -> int:
        try:
            content = text.replace('\n', os.linesep).encode(self.encoding, self.errors or 'strict')
        except (AttributeError, TypeError, ValueError):
            return super().write(text)          # which raises what it should
        self.tracer.printed(content, sys._getframe().f_back)
        return super().write(text)


def find_code(words: list[str], main: types.ModuleType) -> Any:
    """Return the code of a program, and make everything look as if it were run by itself."""
    is_isolated = sys.flags.isolated or getattr(sys.flags, 'safe_path', False)
    if words[0] == '-m':
        if not is_isolated:
            sys.path[0] = os.getcwd()
        spec = importlib.util.find_spec(words[1])
        if spec and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(words[1] + '.__main__')
        loader: Any = spec and spec.loader
        if not spec or not loader:
            sys.exit(f'No module named {words[1]}')
        main.__spec__, main.__package__ = spec, spec.parent
        sys.argv, path, code = words[1:], spec.origin or '', loader.get_code(spec.name)
    else:
        sys.argv, path = words, words[0]
        if not is_isolated:
            sys.path[0] = os.path.dirname(os.path.realpath(path))
        path = os.path.abspath(path) if sys.version_info >= (3, 9) else path
        loader = SourceFileLoader('__main__', path)
        main.__package__ = None
        with open(path, 'rb') as source:
            code = compile(source.read(), path, 'exec', dont_inherit=True)
    sys.argv[0] = path if words[0] == '-m' else words[0]
    main.__file__, main.__loader__ = path, loader
    return code


def run(mode: str, root: str, *words: str) -> None:
    """Run a program."""
    folder = os.path.dirname(os.path.realpath(words[0])) if words[0] != '-m' else ''
    tracer = Tracer(root or folder)
    tracer.wrap_streams()
    main = types.ModuleType('__main__')
    vars(main).update(__builtins__=__builtins__, __cached__=None, __annotations__={})
    sys.modules['__main__'] = main
    code = find_code(list(words), main)
    if mode == 'lines':
        tracer.start()
    exec(code, vars(main))


run(*sys.argv[1:])
