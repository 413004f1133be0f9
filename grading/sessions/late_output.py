"""Moves late output to the turns where it was expected, for a program that did not flush.

If an assignment does not require flushing, sessions are graded as if all output had arrived in
time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .comparison import Alignment, SessionProgress
from .session import Session
from .verdict import Dialogue, ends_right

MIN_IN_TIME = 3  # how many correct turns with output show that a program prints in time


def sort_late_output(
    session: Session, dialogue: Dialogue, silent: int
) -> tuple[Dialogue, int | None] | None:
    r"""Return the result of `as_if_flushed`, or None if the output was not late.

    The output missing in turn `silent` was late if moving output to earlier turns makes that turn
    correct, or if all output was printed in a single turn: see `is_all_in_one_turn`.

    >>> from grading.sessions.transcript import parse
    >>> session = parse('1\n|One\n2\n|Two\n', 'a')
    >>> sort_late_output(session, Dialogue.printing(['', '', 'One\nTwo\n']), 1) is None
    False
    >>> sort_late_output(session, Dialogue.printing(['', '', 'Two\n']), 1) is None
    True
    """
    sorted_, wrong = as_if_flushed(session, dialogue)
    is_right_there = wrong is None or wrong > silent
    if is_right_there or is_all_in_one_turn(session, dialogue):
        return sorted_, wrong
    return None


def prints_in_time(session: Session, failed_turn: int | None = None) -> bool:
    r"""Return whether a session shows that a program prints in time.

    `failed_turn` is the program's first wrong turn, or None if the session passed. At least
    `MIN_IN_TIME` correct turns must have expected output, and not all input may have been typed
    at once.

    >>> from grading.sessions.transcript import parse
    >>> session = parse('|A\n1\n|B\n2\n|C\n', 'a')
    >>> prints_in_time(session), prints_in_time(session, failed_turn=2)
    (True, False)
    """
    with_output = sum(bool(step.expected) for step in session.steps[:failed_turn])
    return not session.at_once_from and with_output >= MIN_IN_TIME


def as_if_flushed(session: Session, dialogue: Dialogue) -> tuple[Dialogue, int | None]:
    r"""Return a dialogue as if the program had flushed, and its first wrong turn, or None.

    The output is divided in order: each turn gets just enough output to be correct. The rest goes
    to the first wrong turn, or to the last turn if no turn is wrong. If a turn is wrong and prompts
    are free, the output is divided again, and each turn also gets the prompt after its output.

    >>> from grading.sessions.transcript import parse
    >>> session = parse('|One\n1\n|Two\n# end of input\n', 'a')
    >>> dialogue, wrong = as_if_flushed(session, Dialogue.printing(['', '', 'One\nTwo\n']))
    >>> [turn.printed for turn in dialogue.turns], wrong
    ([b'One\n', b'Two\n', b''], None)
    """
    sorted_, wrong = sorted_into_turns(session, dialogue, ())
    if wrong is not None and session.has_free_prompts:
        prompts = {*prompts_before_lines(session, sorted_)}
        sorted_, wrong = sorted_into_turns(session, dialogue, sorted(prompts, key=len))
    return sorted_, wrong


def is_all_in_one_turn(session: Session, dialogue: Dialogue) -> bool:
    r"""Return whether all output was printed in one turn, with more lines than are expected there.

    If a program prints in several turns, it does flush. So a line missing in one turn was not
    merely printed later.

    >>> from grading.sessions.transcript import parse
    >>> session = parse('1\n|One\n2\n|Two\n', 'a')
    >>> [
    ...     is_all_in_one_turn(session, Dialogue.printing(outputs))
    ...     for outputs in (['', '', 'One\nThree\n'], ['', '', 'Two\n'])
    ... ]
    [True, False]
    """
    printed = [number for number, turn in enumerate(dialogue.turns) if turn.printed]
    if len(printed) != 1:
        return False
    number = printed[0]
    expected = session.steps[number].output if number < len(session.steps) else ''
    return dialogue.turns[number].printed.count(b'\n') > expected.count('\n')


def sorted_into_turns(
    session: Session, dialogue: Dialogue, prompts: Sequence[bytes]
) -> tuple[Dialogue, int | None]:
    """Do what `as_if_flushed` does, given the program's free prompts, the longest last."""
    progress, output, start = SessionProgress(session), dialogue.output, 0
    turns = [replace(turn, printed=b'', silence=0) for turn in dialogue.turns]
    last = len(session.steps) - 1
    for number, turn in enumerate(turns):
        if number == last:
            end = len(output)
            progress.alignment.take(output[start:])
        else:
            end = take_least(progress.alignment, output, start, prompts)
        turn.printed, start = output[start:end], end
        if number in (last, len(turns) - 1) or not progress.alignment.is_whole:
            break
        progress.begin_turn()
    turn.printed += output[start:]  # this is the first wrong turn, or the last
    if dialogue.end == 'exit':
        progress.alignment.end()
    # If there is one more turn than steps, the program ended only because its input did.
    is_right = (
        number == last == len(turns) - 1
        and progress.alignment.is_whole
        and ends_right(session, dialogue)
    )
    return replace(dialogue, turns=turns, came_late=True), None if is_right else number


def take_least(alignment: Alignment, output: bytes, start: int, prompts: Sequence[bytes]) -> int:
    """Add output to a turn until the turn is correct; return the position after this output.

    `start` is the position where the turn's output begins. If the turn ends with a prompt, expected
    or free, the rest of the prompt's line belongs to later turns.
    """
    has_prompt = bool(alignment.lines) and not alignment.lines[-1].has_newline
    while start < len(output) and not alignment.is_whole:
        end = start + 1  # a prompt may end anywhere in a line
        if not has_prompt:
            end = output.find(b'\n', start) + 1 or len(output)
        alignment.take(output[start:end])
        start = end
    if alignment.is_whole:
        longest_first = reversed(prompts)
        prompt = next((prompt for prompt in longest_first if output.startswith(prompt, start)), b'')
        alignment.take(prompt)
        start += len(prompt)
    return start


def prompts_before_lines(session: Session, dialogue: Dialogue) -> Iterator[bytes]:
    """Yield the free prompts: text before a step's first expected line, on the same line."""
    for step, turn in zip(session.steps, dialogue.turns, strict=False):
        line = turn.printed.partition(b'\n')[0]
        expected = step.expected[0].text.encode() if step.expected else b''
        if expected and line.endswith(expected) and line != expected:
            yield line.removesuffix(expected)
