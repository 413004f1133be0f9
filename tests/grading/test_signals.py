"""Signals that end the grader."""

import signal
import sys

import pytest
from running import SECONDS, finished

from grading.installation import ROOT

# The signal arrives in a finalizer, where Python drops every exception.
DROPPED = f"""
import signal, sys, time
sys.path.insert(0, {str(ROOT)!r})
from grading.signals import ended_by_signals

class Held:
    def __del__(self):
        signal.raise_signal({{number:d}})

def run():
    Held()
    time.sleep({SECONDS})
    return 0

sys.exit(ended_by_signals(run))
"""


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_no_signal_is_lost_in_a_finalizer(number):
    command = [sys.executable, '-c', DROPPED.format(number=number)]
    assert finished(command) == (
        128 + number,
        b'',
        f'grading: ended by {number.name}\n'.encode(),
    )
