"""Says what interrupted grading, or the explanation of what is wrong with a program."""

from __future__ import annotations

from ..results import Interruption, Reason, Results

INTERRUPTED = 'grading was interrupted; start it again'
WORDS: dict[Reason, str] = {
    'time limit': 'the time limit of {detail} s was reached',
    'signal': 'the grader received {detail}',
    'failure': 'the grader failed ({detail})',
    'explanation': '{detail}',
    'full disk': "this machine's disk is full",
    'no more files': "this machine's disk is full",
    'too little memory': 'the system killed the program: the machine has too little memory',
    'no start': 'the program cannot be started: {detail}',
    'no programs': 'the machine cannot run programs: {detail}',
}


def in_words(interruption: Interruption) -> str:
    """Describe an interruption in words.

    >>> in_words(Interruption('time limit', '240'))
    'the time limit of 240 s was reached'
    """
    return WORDS[interruption.reason].format(detail=interruption.detail)


def ended_by(results: Results) -> list[str]:
    """Return a list with a phrase about what ended grading early, or `[]` if nothing did."""
    return [f'ended early: {in_words(results.ended)}'] if results.ended else []


def all_notes(results: Results) -> list[str]:
    """Return the notes on a submission, and a note on any interruption of its explanation."""
    return [
        *results.notes,
        *(
            f'the search for faults ended early: {in_words(interruption)}'
            for interruption in results.not_explained
        ),
    ]
