"""A run with threads, for Windows: it has no sandbox, and no `select` for pipes."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from queue import Empty, Queue
from threading import Thread
from typing import IO

from ..sandbox.program import (
    ENDING_SECONDS,
    IS_WINDOWS,
    OTHERS_SECONDS,
    Program,
    StartError,
    own_environment,
    status_or_signal,
)
from .run import PIECE, Run

MAX_WAITING = 16  # maximum number of pieces of output in the queue
MIN_WAIT = 0.02  # seconds to wait for a piece even if no time is left


class ThreadedRun(Run):
    """A run of the user's own program.

    One thread writes to the program, two read from it, and all three end once `close` has ended the
    program. Each thread closes its own end of a pipe: closing it from another thread would mean
    waiting while it is in use. Raises `StartError`.
    """

    was_killed_by_system = has_unread_input = False
    only_process = None
    excess = ''
    _ended = math.inf  # when the program's first process was seen to have ended
    refused = ()

    def __init__(self, program: Program, seconds: float) -> None:
        words = [shutil.which(program.words[0]) or program.words[0], *program.words[1:]]
        try:
            process = subprocess.Popen(
                words,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**own_environment(), **program.env},
            )
        except OSError as error:
            raise StartError(f'{words[0]}: {error.strerror}') from None
        self.group = process.pid
        self._deadline = time.monotonic() + seconds
        self._started, self._held = process, bytearray()
        self._inputs: Queue[bytes] = Queue()  # what to type; b'' ends the input
        # Pieces of output, each with whether it is from standard output; b'' ends a stream.
        self._pieces: Queue[tuple[bytes, bool]] = Queue(MAX_WAITING)
        for outlet, is_output in ((process.stdout, True), (process.stderr, False)):
            Thread(target=self._read, args=(outlet, is_output), daemon=True).start()
        Thread(target=self._write, args=(process.stdin,), daemon=True).start()

    def watched_while_busy(self) -> AbstractContextManager[None]:
        return nullcontext()

    def send(self, text: bytes, seconds: float) -> None:
        if text:
            self._inputs.put(text)  # without waiting until the program reads it

    def end_input(self) -> None:
        self._inputs.put(b'')

    def status(self, seconds: float) -> int | None:
        try:
            return status_or_signal(self._started.wait(max(0, seconds)))
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        """End the program, and all processes it started."""
        self.end_input()
        if self.status(0) is None:
            with suppress(OSError):  # only Windows has `taskkill`; tests run on other systems, too
                subprocess.run(
                    ['taskkill', '/F', '/T', '/PID', str(self.group)],
                    check=False,
                    capture_output=True,
                    timeout=ENDING_SECONDS,
                )
            self._started.kill()
            self.status(ENDING_SECONDS)
        with suppress(Empty):
            while True:  # empty the queue: a thread may be waiting for room in it
                self._pieces.get_nowait()

    def _wait(self, until: float, inlets: Sequence[int] = ()) -> bool:
        while True:
            most = min(until - time.monotonic(), OTHERS_SECONDS)
            with suppress(Empty):
                self._take(*self._pieces.get(timeout=max(MIN_WAIT, most)))
                return True
            now = time.monotonic()
            if now >= self._ended + OTHERS_SECONDS:  # what other processes print does not count
                self._prints = self._has_errors = False
                return True
            if self.status(0) is not None:
                self._ended = min(self._ended, now)
            if now >= until:
                return False

    def _read(self, outlet: IO[bytes], is_output: bool) -> None:
        """Put the pieces of a stream into the queue."""
        with outlet:
            while piece := os.read(outlet.fileno(), PIECE):
                if IS_WINDOWS and is_output:  # in text mode, programs print \r\n for \n
                    piece += os.read(outlet.fileno(), 1) if piece.endswith(b'\r') else b''
                    piece = piece.replace(b'\r\n', b'\n')
                self._pieces.put((piece, is_output))
            self._pieces.put((b'', is_output))

    def _write(self, inlet: IO[bytes]) -> None:
        """Type what is put into the queue, until the input ends or the program stops reading."""
        with suppress(OSError), inlet:
            for text in iter(self._inputs.get, b''):
                inlet.write(text)
