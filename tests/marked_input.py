"""Run a console program (sys.argv[1]) that prints a mark wherever it has read a line.

So the recorder can tell what was printed before and what after, without waiting.
"""

import os
import runpy
import sys

MARK = '\x1e'


class MarkedInput:
    """Standard input, with that mark."""

    def __init__(self, stream):
        self._stream = stream

    def readline(self, limit=-1):
        line = self._stream.readline(limit)
        if line:
            sys.stdout.write(MARK)
        return line

    def __getattr__(self, name):
        return getattr(self._stream, name)


del sys.argv[0]
sys.path[0] = os.path.dirname(sys.argv[0])
sys.stdin = MarkedInput(sys.stdin)
runpy.run_path(sys.argv[0], run_name='__main__')
