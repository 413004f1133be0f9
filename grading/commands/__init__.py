"""The commands of the command line: `grade`, `record` and `pack`.

grade             prepares the --out folder and the sandbox, and warns about gaps in the sandbox
grade_one         grades one submission, and prints its report
grade_class       grades many submissions, and prints a line about each
record            writes the output of a built-in console or a teacher's solution into session files
pack              writes an autograder for Gradescope
progress          shows progress on a terminal
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from ..command_line.parser import make_parser
from ..command_line.usage import UsageError
from ..engine.retries import Shortage
from ..exit_statuses import UNGRADED, WRONG_USAGE
from ..printable import printable
from ..reports.interruptions import in_words
from ..sandbox.program import SandboxError
from ..sandbox.untrusted_files import SubmissionError
from ..sessions.transcript import TranscriptError


def run(arguments: argparse.Namespace) -> int:
    """Run the command named on the command line; return the exit status."""
    try:
        module = import_module(f'.{arguments.name}', __name__)  # import no other command
        status: int = module.run(arguments)
        return status
    except UsageError as error:
        make_parser().error(str(error))  # exits
    except BrokenPipeError:  # nobody reads standard output anymore
        sys.stdout = None
        return UNGRADED
    except Shortage as error:
        print(f'grading: {in_words(error.interruption)}', file=sys.stderr)
        return UNGRADED
    except (TranscriptError, SandboxError, SubmissionError, OSError) as error:
        print(f'grading: {printable(str(error))}', file=sys.stderr)
        return WRONG_USAGE if isinstance(error, TranscriptError) else UNGRADED
