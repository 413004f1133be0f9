"""Regular expressions of a session, tried on what a program prints: in a process of their own.

An expression such as `(a+)+b` may take longer than the universe will last to find that a text
does not match, and Python cannot be stopped meanwhile. So another process tries, and is killed
when its time is over.
"""

from __future__ import annotations

import json
import subprocess
import sys
from threading import Lock, Timer

SECONDS = 1.0                           # that one text may take
MOST_SLOW = 100                         # texts that are not tried again
LONGEST = 1 << 12                       # characters of a text that is tried at all

SCRIPT = '''
import json, re, sys
for line in sys.stdin:
    expression, text, ignores_case = json.loads(line)
    try:
        found = re.fullmatch(expression, text, re.IGNORECASE if ignores_case else 0)
    except (re.error, RecursionError, MemoryError, OverflowError):
        found = None
    print('yes' if found else 'no', flush=True)
'''


class TooSlow(Exception):
    """No answer has come in time."""


class Matcher:
    """A process that tries expressions; it starts when the first one is to be tried."""

    def __init__(self) -> None:
        self._lock = Lock()             # for graders that are threads of one process
        self._process: subprocess.Popen[str] | None = None
        self._slow: list[str] = []      # what has taken too long

    def matches(self, expression: str, text: str, ignores_case: bool = False) -> bool:
        """Return whether a whole text is what an expression describes. Raises `TooSlow`."""
        if len(text) > LONGEST:
            return False
        with self._lock:
            question = json.dumps([expression, text, ignores_case])
            if question in self._slow:
                raise TooSlow
            if not self._process or self._process.poll() is not None:
                self._process = started()
            return self._answer(self._process, question)

    def _answer(self, process: subprocess.Popen[str], question: str) -> bool:
        assert process.stdin
        assert process.stdout
        timer = Timer(SECONDS, process.kill)
        timer.start()
        try:
            process.stdin.write(question + '\n')
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = ''
        timer.cancel()
        if not answer:
            process.kill()
            process.communicate()
            self._slow = [*self._slow[-MOST_SLOW:], question]
            raise TooSlow
        return answer == 'yes\n'


def started() -> subprocess.Popen[str]:
    """Start a process that tries expressions; it ends when this one does."""
    return subprocess.Popen([sys.executable, '-I', '-S', '-c', SCRIPT], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, encoding='ascii')


matches = Matcher().matches
