"""What a program printed late, because it did not flush, put where it was expected.

In an assignment that does not require flushing, a session is judged as if all had come in time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .comparison import Alignment, Progress
from .session import Session
from .verdict import Dialogue, ends_right


def sort_late_output(
    session: Session, dialogue: Dialogue, silent: int
) -> tuple[Dialogue, int | None] | None:
    r"""Return `in_time` if the output that a silent turn lacks came later, None if it never came.

    It came later if the next output is right in that turn, or if all output came at once.

    >>> from grading.sessions.parse import parse
    >>> session = parse('1\n|One\n2\n|Two\n', 'a')
    >>> sort_late_output(session, Dialogue.printing(['', '', 'One\nTwo\n']), 1) is None
    False
    >>> sort_late_output(session, Dialogue.printing(['', '', 'Two\n']), 1) is None
    True
    """
    sorted_, wrong = in_time(session, dialogue)
    is_right_there = wrong is None or wrong > silent
    if is_right_there or came_as_a_whole(session, dialogue):
        return sorted_, wrong
    return None


def in_time(session: Session, dialogue: Dialogue) -> tuple[Dialogue, int | None]:
    r"""Return a dialogue as if the program had flushed, and its first wrong turn, None for none.

    Each turn gets the least of the output that makes it right, in the order in which it came. The
    first turn that is wrong, or the last, gets the rest.

    >>> from grading.sessions.parse import parse
    >>> session = parse('|One\n1\n|Two\n# end of input\n', 'a')
    >>> dialogue, wrong = in_time(session, Dialogue.printing(['', '', 'One\nTwo\n']))
    >>> [turn.printed for turn in dialogue.turns], wrong
    ([b'One\n', b'Two\n', b''], None)
    """
    sorted_, wrong = sorted_into_turns(session, dialogue, ())
    if wrong is not None and session.has_free_prompts:
        prompts = {*prompts_before_lines(session, sorted_)}
        sorted_, wrong = sorted_into_turns(session, dialogue, sorted(prompts, key=len))
    return sorted_, wrong


def came_as_a_whole(session: Session, dialogue: Dialogue) -> bool:
    r"""Return whether all output came in one turn, and more lines than are expected in it.

    If some lines came in their own turns, a line that did not come was left out, not late.

    >>> from grading.sessions.parse import parse
    >>> session = parse('1\n|One\n2\n|Two\n', 'a')
    >>> [
    ...     came_as_a_whole(session, Dialogue.printing(outputs))
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
    """Do the same where the prompts of the program's own are known, the longest last."""
    progress, output, start = Progress(session), dialogue.output, 0
    turns = [replace(turn, printed=b'', late=0) for turn in dialogue.turns]
    last = len(session.steps) - 1
    for number, turn in enumerate(turns):
        if number == last:
            end = len(output)
            progress.turn.take(output[start:])
        else:
            end = take_least(progress.turn, output, start, prompts)
        turn.printed, start = output[start:end], end
        if number in (last, len(turns) - 1) or not progress.turn.is_whole:
            break
        progress.type()
    turn.printed += output[start:]
    if dialogue.end == 'exit':
        progress.turn.end()
    # In a turn more than the session has, the program ended only because its input had.
    is_right = (
        number == last == len(turns) - 1
        and progress.turn.is_whole
        and ends_right(session, dialogue)
    )
    return replace(dialogue, turns=turns, came_late=True), None if is_right else number


def take_least(turn: Alignment, output: bytes, start: int, prompts: Sequence[bytes]) -> int:
    """Let a turn take output, from a place on, until it is right; return where that ends.

    A prompt that is expected at its end may be followed by more in the same line, and so may one of
    the program's own.
    """
    has_prompt = bool(turn.lines) and not turn.lines[-1].ends
    while start < len(output) and not turn.is_whole:
        end = start + 1 if has_prompt else output.find(b'\n', start) + 1 or len(output)
        turn.take(output[start:end])
        start = end
    own = next((one for one in reversed(prompts) if output.startswith(one, start)), b'')
    if turn.is_whole:
        turn.take(own)
        start += len(own)
    return start


def prompts_before_lines(session: Session, dialogue: Dialogue) -> Iterator[bytes]:
    """Yield what stands before the first line that is due in a turn, on the same line."""
    for step, turn in zip(session.steps, dialogue.turns, strict=False):
        line = turn.printed.partition(b'\n')[0]
        due = step.printed[0].text.encode() if step.printed else b''
        if due and line.endswith(due) and line != due:
            yield line[: -len(due)]
