"""What a program printed in a session, turn by turn, in the form needed by the search."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise

from ..printable import decoded
from ..sessions.comparison import words_of
from ..sessions.directives import LINE_RULES
from ..sessions.late_output import prints_in_time
from ..sessions.rows import LONGEST_ALIKE
from ..sessions.session import EXACT, Session, Step
from ..sessions.verdict import AT_END, PlayedSession, ends_right, failure_in
from .crash import error_of
from .protocol import PROMPT_ENDS, ends_like_prompt, prompts_in

# A model with faults may raise these exceptions. `LIKE` maps some of them to possible exceptions of
# a program with the same faults. The others, such as `ZeroDivisionError`, have no like.
CRASHES = (ArithmeticError, LookupError, TypeError, ValueError)
LIKE = {LookupError: (LookupError, TypeError), ValueError: CRASHES}
MAX_FOLLOWED = 1 << 17  # maximum length of the output to follow in a session, in characters
LITTLE_FOLLOWED = 1 << 13  # how far to follow it beyond 3 times the length of the expected output


@dataclass(eq=False)
class ObservedSession:
    """A session, and what a program printed in it, turn by turn."""

    transcript: Session
    turns: list[str]
    is_joined: bool = False  # whether it is unknown which output belongs to which turn
    status: int | None = 0  # the exit status (negative for a signal); None if the grader stopped it
    error: str = ''  # the name of the exception that ended the program, or ''
    played: PlayedSession | None = None  # None if the program passes the session

    @classmethod
    def right(cls, session: Session) -> ObservedSession:
        """Return a passed session, with the expected output as its output."""
        return cls(session, [step.output for step in session.steps])

    @classmethod
    def from_played(cls, played: PlayedSession) -> ObservedSession:
        """Return a failed session; a very long output is cut off."""
        session, dialogue = played.session, played.dialogue
        whole = session.line_by_line
        turns = [decoded(turn.printed) for turn in dialogue.turns]
        left = min(MAX_FOLLOWED, LITTLE_FOLLOWED + 3 * len(whole.output))
        for number, text in enumerate(turns):
            turns[number] = text[: max(0, left)]
            left -= len(text)
        is_at_once = bool(session.at_once_from) or whole.reads_all_first
        error = error_of(dialogue.errors) if dialogue.status else ''
        is_joined = is_at_once or comes_late(played, turns)
        return cls(whole, turns, is_joined, dialogue.status, error, played)

    @cached_property
    def text(self) -> str:
        """The program's whole output."""
        return ''.join(self.turns)

    @cached_property
    def turn_ends(self) -> dict[int, int]:
        """The end of each turn but the last, as an index into `text`; empty if unknown."""
        if self.is_joined:
            return {}
        return dict(enumerate(accumulate(map(len, self.turns[:-1]))))

    @cached_property
    def limits(self) -> dict[int, int]:
        """The latest possible end of each turn but the last, as an index into `text`.

        When all expected output has arrived, the grader types the next line at once, without
        checking whether the program is waiting for it. So extra output of a turn may be read in the
        next turn, and the turn may end where the next turn ends. This is ruled out if the program
        was seen to be waiting in the turn. If it printed anything in the turn, this is also ruled
        out unless it was seen to be waiting in the next turn, or the next turn is the last.
        """
        limits = {**self.turn_ends}
        turns = self.played.dialogue.turns if self.played else []
        for number, (turn, later) in reversed([*enumerate(pairwise(turns))]):
            is_last = later is turns[-1]
            if not turn.was_waiting and (not turn.printed or later.was_waiting or is_last):
                limits[number] = limits.get(number + 1, len(self.text))
        return limits

    @cached_property
    def is_open(self) -> bool:
        """Whether arbitrary lines are allowed somewhere in the session."""
        return any(
            step.is_open or any(line.skips for line in step.expected)
            for step in self.transcript.steps
        )

    @cached_property
    def is_exact(self) -> bool:
        """Whether lines are compared byte for byte, and no other output is allowed."""
        return self.transcript.rules == EXACT and not (
            self.transcript.has_free_prompts or self.is_open
        )

    def ignores_line(self, line: str) -> bool:
        """Return whether the session ignores this line where it is not expected."""
        return self.is_open or (self.transcript.rules.ignores_whitespace and not line.strip())

    def line_at(self, index: int, most: int) -> str:
        """Return the line that begins at an index of `text`, cut off at the index `most`."""
        end = self.text.find('\n', index, most)
        return self.text[index : most if end < 0 else end]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words (see `words_of`) of each expected line."""
        return frozenset(
            words_of(line.text) for step in self.transcript.steps for line in step.expected
        )

    @property
    def failed(self) -> PlayedSession:
        """The played session; the program must have failed it."""
        assert self.played
        return self.played

    @property
    def is_cut(self) -> bool:
        """Whether only the beginning of the output was read, and the rest is unknown."""
        return self.played is not None and self.played.dialogue.end in ('cut', 'output')

    @property
    def has_crashed(self) -> bool:
        """Whether the program ended by a signal, or with an error other than the end of input."""
        return self.error not in ('', 'EOFError') or (self.status or 0) < 0

    @property
    def ends_early(self) -> bool:
        """Whether the program exited before the session was over; a crash does not count."""
        if not self.played or self.has_crashed or self.status is None:
            return False
        kind, steps = self.failed.failure.kind, self.failed.session.steps
        return kind == 'ended' or (kind == 'differs' and len(self.turns) < len(steps))

    @property
    def how_it_ended(self) -> tuple[str, int | None]:
        """The exception that ended the program, and the exit status."""
        return self.error, self.status

    def has_crashed_like(self, error: Exception) -> bool:
        """Return whether the program's crash corresponds to an exception in the model (see `LIKE`).

        If no built-in exception ended the program, any exit status other than 0 corresponds to any
        exception.
        """
        of_program = getattr(builtins, self.error, None)  # None if it is not a built-in exception
        if not isinstance(of_program, type):
            return bool(self.status)
        return any(
            isinstance(error, of_game) and issubclass(of_program, like)
            for of_game, like in LIKE.items()
        )

    @property
    def has_ended(self) -> bool:
        """Whether the program ended by itself, without a crash, with any exit status.

        If it failed only by not ending, it need only have ended once its input was closed, perhaps
        by a crash.
        """
        if self.played and self.played.failure.kind == 'not ended':
            return self.status is not None
        return self.status is not None and not self.has_crashed


def ran_to_end(played: PlayedSession) -> bool:
    """Return whether a program got to the end of a failed session.

    It did if it printed all expected output, and then did not end, or ended with the wrong status.
    Otherwise, it must have read all input, and must have ended as expected.
    """
    session, dialogue, kind = played.session, played.dialogue, played.failure.kind
    if kind in AT_END:
        return True
    if len(dialogue.turns) < len(session.steps) or not ends_right(session, dialogue):
        return False
    # A program that goes on reading has another fault, unless its output is late.
    if len(dialogue.turns) > len(session.steps) and kind != 'silent':
        return session.end.still_asks
    # If lines are missing at the end, the program may have ended without reading the last line of
    # input. If it printed anything after that line, it did read the line.
    return kind != 'ended' or bool(dialogue.turns[-1].printed)


def comes_late(played: PlayedSession, turns: Sequence[str]) -> bool:
    """Return whether output was printed only after more input.

    Either all output of a turn was printed, but late, or the program fell silent and printed again
    only in its last turn: at the end of its input, or at least two turns later.
    """
    wrong = played.failure
    if wrong.comes_late:
        return True
    if wrong.kind != 'silent':
        return False
    *silent, last = turns[wrong.turn :]
    is_after_input = len(turns) > len(played.session.steps)
    fewest_silent = 1 if is_after_input else 2
    return len(silent) >= fewest_silent and not any(silent[1:]) and bool(last)


def has_printed_in_time(failed: Iterable[PlayedSession], passed: Iterable[Session]) -> bool:
    """Return whether a program printed in time in enough turns of a session (see `prints_in_time`).

    In a failed session, only the turns before the failure count. A session does not count if the
    grader moved late output to earlier turns.
    """
    return any(map(prints_in_time, passed)) or any(
        prints_in_time(played.session, played.failure.turn)
        for played in failed
        if not played.dialogue.came_late
    )


def without_apparent_lateness(played: PlayedSession, is_timely: bool) -> PlayedSession:
    """Return the failed session, with its output no longer marked as late if it only seems late.

    It only seems late in three cases. "What was printed" is the output of the failing turn, and of
    the first turn with output after it:

    - The program prints in time elsewhere (`is_timely`), and what was printed is exactly what was
      expected in the failing turn. It is the same answer to a later input line.
    - The failing turn may have any lines as output, and what was printed is expected in a later
      turn.
    - The program waited for input with a time limit, or slept.
    """
    wrong, turns = played.failure_found, played.dialogue.turns
    if not (wrong and wrong.comes_late):
        return played
    later = next((turn.printed for turn in turns[wrong.turn + 1 :] if turn.printed), b'')
    printed = decoded(turns[wrong.turn].printed + later)
    step, *others = played.session.steps[wrong.turn :]
    answers_other_line = is_timely and printed == step.output
    is_of_later_turn = may_be_any(step) and printed in [other.output for other in others]
    if answers_other_line or is_of_later_turn or played.polls:
        return replace(played, failure_found=replace(wrong, comes_late=False))
    return played


def may_be_any(step: Step) -> bool:
    """Return whether a step expects lines, but accepts any text for each of them."""
    return bool(step.expected) and all(
        LINE_RULES[line.rule].allows_anything for line in step.expected
    )


def with_prompts_in_turn(played: PlayedSession) -> PlayedSession:
    """Return the failed session, with the program's own prompts moved to the turns they belong to.

    When nothing more is expected, the grader types the next line at once. So the prompts of several
    turns may be read together in the failing turn, before its first line: 'Row? Row? sum 8'.
    """
    wrong, turns, steps = played.failure_found, played.dialogue.turns, played.session.steps
    if not wrong or wrong.kind != 'differs' or played.session.at_once_from:
        return played
    if not 0 < wrong.turn < len(steps):
        return played
    first = max((number for number in range(wrong.turn) if turns[number].printed), default=0)
    text = decoded(turns[wrong.turn].printed)
    line = text.partition('\n')[0]
    expected = steps[wrong.turn].output.partition('\n')[0]
    before = wrong.turn - first  # how many earlier turns may lack their prompts
    # If nothing is expected, the prompt of this turn follows those of the earlier turns.
    prompts = prompts_before(line, expected, before if expected else before + 1)
    if not prompts:
        return played
    corrected = [*turns]
    for number, prompt in enumerate(prompts[:before], first):
        corrected[number] = replace(turns[number], printed=turns[number].printed + prompt.encode())
    rest = text[len(''.join(prompts[:before])) :]
    corrected[wrong.turn] = replace(turns[wrong.turn], printed=rest.encode())
    dialogue = replace(played.dialogue, turns=corrected)
    return replace(played, dialogue=dialogue, failure_found=failure_in(played.session, dialogue))


def prompts_before(line: str, expected: str, count: int) -> list[str]:
    """Return the `count` prompts at the beginning of a line, or [] if there are not that many.

    `expected` is the expected line after the prompts.

    >>> prompts_before('Row? Row? sum 8', 'sum 8', 2)
    ['Row? ', 'Row? ']
    >>> prompts_before('Row? Column? sum 8', 'sum 8', 3)
    []
    """
    begin = line[:LONGEST_ALIKE]
    repeated = re.match(rf'(.*?[{PROMPT_ENDS}] ?)\1{{{count - 1}}}', begin)
    *others, last = prompts_in(begin)
    if repeated and count > 1:  # the same prompt each time
        prompts = [repeated[1]] * count
    elif line.endswith(expected):  # prompts before a correct line
        prompts = prompts_in(line.removesuffix(expected))
    elif last.split()[:1] == expected.split()[:1]:  # prompts before a wrong line
        prompts = others
    else:
        return []
    are_prompts = all(ends_like_prompt(prompt) for prompt in prompts)
    return prompts if are_prompts and len(prompts) == count else []
