"""Starts the grader: `python3 -m grading`, or `python3 PATH/TO/grading` in any folder."""

import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
# Python first searches the current folder (with `-m`) or this folder. It must not find modules of
# the standard library or of the project there, because anybody may have put files there.
trusted = [
    folder for folder in sys.path if os.path.realpath(folder) not in (HERE, os.path.realpath('.'))
]
sys.path[:] = [os.path.dirname(HERE)]
import grading  # noqa: E402

sys.path[:] = trusted
sys.exit(grading.main())
