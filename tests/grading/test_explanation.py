"""An explanation may fail in any way: what it had found by then comes back, and why it ended."""

import os
import resource
import signal
import subprocess
import sys
import time

import pytest

from grading.explanation import NotExplained, explained

MEMORY = 512 << 20


def finds_all():
    yield {'findings': []}
    yield {'findings': ['one']}


def test_the_last_piece_is_the_explanation():
    assert explained(finds_all, 20, MEMORY) == {'findings': ['one']}


def tells_its_limit():
    yield resource.getrlimit(resource.RLIMIT_CPU)[0]


def test_it_ends_even_if_nobody_is_left_to_end_it():
    assert explained(tells_its_limit, 20, MEMORY) == 21


def fails():
    yield 'this'
    raise ZeroDivisionError('a text that somebody else wrote')


def exits():
    yield 'this'
    os._exit(0)


def is_killed():
    yield 'this'
    os.kill(os.getpid(), signal.SIGKILL)


def hangs():
    yield 'this'
    while True:
        pass


def sleeps_and_ignores_signals():
    yield 'this'
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def fills_memory():
    yield 'this'
    kept = []
    while True:
        kept.append(bytes(1 << 20))


def recurses():
    yield 'this'
    recurses_for_ever(0)


def recurses_for_ever(depth):
    return recurses_for_ever(depth + 1)


@pytest.mark.parametrize(('explain', 'reason'), [
    (fails, 'ZeroDivisionError'), (recurses, 'RecursionError'),
    (exits, 'the process that explains was killed'),
    (is_killed, 'the process that explains was killed'),
    (hangs, 'the explanation took more than 0.5 s'),
    (sleeps_and_ignores_signals, 'the explanation took more than 0.5 s')])
def test_whatever_ends_it_is_told(explain, reason):
    with pytest.raises(NotExplained) as caught:
        explained(explain, 0.5 if 'took' in reason else 60, MEMORY)
    assert (str(caught.value), caught.value.found) == (reason, 'this')


def test_memory_is_bounded():
    with pytest.raises(NotExplained) as caught:
        explained(fills_memory, 60, 256 << 20)
    assert (str(caught.value), caught.value.found) == (
        'the explanation used more than 256 MB of memory', 'this')


def test_nothing_that_it_started_goes_on():
    def starts_another():
        child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],
                                 start_new_session=True)
        yield child.pid
        time.sleep(600)
    with pytest.raises(NotExplained) as caught:
        explained(starts_another, 2, MEMORY)
    with pytest.raises(ProcessLookupError):
        os.kill(caught.value.found, 0)
