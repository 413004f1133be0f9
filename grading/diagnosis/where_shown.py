"""Finds where in a failed session a fault shows, and decides how clearly it shows there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate

from ..printable import decoded
from ..sessions.items import Item, items_of
from ..sessions.rows import Row, wrong_rows
from ..sessions.session import ExpectedLine, Session, at_once
from ..sessions.transcript import lines_in
from ..sessions.verdict import Failure, PlayedSession
from .crash import crash_at
from .match import Match
from .observed import ObservedSession
from .printing import EXTRA_LINES
from .protocol import shape_of

LINES_OF_ANSWER = 2  # the answer to a move is one of the first two expected lines of a step
LONG = 3  # a session is long if it has more than 3 times as many lines as the shortest session


def obscurity(played: PlayedSession, shortest: int) -> int:
    """Return how badly the failure of a session shows a fault of the game; 0 is best.

    The result is a sum:

    - 2 points if no output is expected between the first input line and the wrong step.
    - 2 points if the wrong line cannot be the answer to a move.
    - 3 points if the session is long.

    `shortest` is the number of lines in the shortest session with the fault.
    """
    wrong = played.wrong_line
    steps = wrong.session.steps
    is_first_answer = not any(step.expected for step in steps[1 : wrong.step])
    numbers = [line.number for line in steps[wrong.step].expected]
    is_answer = bool(wrong.line) and wrong.number in numbers[:LINES_OF_ANSWER]
    is_long = len(wrong.session.lines) > LONG * shortest
    return (2 if is_first_answer else 0) + (0 if is_answer else 2) + (3 if is_long else 0)


class WrongRows:
    """The wrong rows of a failed session.

    `session` is the failed session with a different expected output. By default, it is the failed
    session itself.
    """

    def __init__(self, observed: ObservedSession, session: Session | None = None) -> None:
        self.observed = observed
        self.session = session or observed.failed.session
        self.all = wrong_rows(self.session, observed.failed.dialogue)
        self._starts = [0, *accumulate(len(text) for text in observed.turns)]

    @property
    def first(self) -> Row | None:
        """The first wrong row, or None if all lines match."""
        return self.all[0] if self.all else None

    @property
    def are_of_one_kind(self) -> bool:
        """Whether all wrong rows are alike, and no line is missing or extra.

        If the failure is not a wrong line but, for example, late output, no line may be wrong.
        """
        kinds = {(shape_of(row.expected), shape_of(row.printed)) for row in self.all}
        is_wrong_line = self.observed.failed.failure.kind == 'differs'
        return len(kinds) == is_wrong_line and all(row.expected and row.printed for row in self.all)

    def at_departure(self, match: Match) -> Row | None:
        """Return the row showing the program's departure from the model, or None.

        It is the first wrong row at or after the departure, with three exceptions:

        - There is no such row, but the program exited before the step of the departure. Then the
          first line of that step is missing.
        - After the departure, the program prints nothing but extra lines, such as debugging output,
          and exits. Then the first expected line is missing at the end, even if the alignment pairs
          it with an extra line.
        - Nothing was printed for the expected line of the first row, but the model may have got
          past it, because the program's style or a fault omits the line. If the line at which the
          model stopped was printed wrongly in the same turn, the row with this line counts.
        """
        rows = self._after_departure(match)
        first = rows[0] if rows else self.missing_after_exit(match.step)
        extra_lines = match.output.style.of(EXTRA_LINES)
        if match.is_at_end and any(
            shape_of(row.printed.rstrip('\n')) in extra_lines for row in rows
        ):
            first = self._missing_at_end(rows) or first
        unmatched = match.output.unmatched  # the line at which the model stopped
        if first and not first.printed and first.expected != unmatched:
            for row in rows:
                if row.turn == first.turn and row.printed and row.expected == unmatched:
                    return row
        return first

    def _after_departure(self, match: Match) -> list[Row]:
        """Return the wrong rows at or after the program's departure from the model."""
        departure = match.output.settled
        # The model may have found its latest lines in the output of a later turn. The departure
        # does not come after the end of its own turn.
        departure = min(departure, self.observed.turn_ends.get(match.step, departure))
        return [
            row
            for row in self.all
            if self._starts[row.turn] + row.start >= departure
            and (row.step >= match.step or self.session.at_once_from)
        ]

    @property
    def _has_exited(self) -> bool:
        """Whether the program exited, and the turn of the exit is known."""
        return self.observed.failed.dialogue.end == 'exit' and not self.session.at_once_from

    def _missing_at_end(self, rows: Sequence[Row]) -> Row | None:
        """Return the first expected line in these rows as a line missing at the program's end.

        Return None unless the line is expected in the last turn, and the program exited there.
        """
        last = len(self.observed.turns) - 1
        row = next((row for row in rows if row.expected), None)
        if not row or row.turn != last or not self._has_exited:
            return None
        return row._replace(printed='', start=len(self.observed.turns[last]), state='missing')

    def missing_after_exit(self, step: int) -> Row | None:
        """Return the first expected line of a step as missing if the program exited before it.

        Otherwise, or if no line is expected in the step, return None.
        """
        dialogue = self.observed.failed.dialogue
        last = len(dialogue.turns) - 1
        item = self._first_item(step) if step > last else None
        if not item or not self._has_exited:
            return None
        end = len(decoded(dialogue.turns[last].printed))
        return Row(last, step, item, str(item), '', end, 'missing')

    def free_text_row(self, step: int) -> Row | None:
        """Return the first expected line of a step, paired with the first printed line.

        Return None unless the expected line is free text and the program reached the step.
        """
        item = self._first_item(step)
        if not item or not item.is_free_text or step >= len(self.observed.turns):
            return None
        printed = ''.join(lines_in(self.observed.turns[step])[:1])
        return Row(step, step, item, str(item), printed, 0, 'wrong')

    def _first_item(self, step: int) -> Item | None:
        """Return the first expected line of a step, or None if there is none."""
        items = items_of(self.session.steps[step : step + 1], self.session)
        return next((item for item in items if item.parts), None)

    def with_failure(self, row: Row | None) -> PlayedSession:
        """Return the failed session with this row as its failure.

        The first wrong row is usually the session's failure already. In that case, return the
        session unchanged.

        If `row` is None, the session keeps its failure.
        """
        failed, dialogue = self.observed.failed, self.observed.failed.dialogue
        is_unchanged = self.session is failed.session
        last = len(dialogue.turns) - 1
        if not row:
            return failed
        is_at_end = (
            dialogue.end == 'exit'
            and not row.printed
            and (row.turn, row.start) == (last, len(decoded(dialogue.turns[last].printed)))
        )
        # If a program ends early, its last line may have been accepted as free text. Then the
        # session's failure is the early end, but the row comes before it.
        is_before_failure = (
            failed.failure.kind == 'ended' and not is_at_end and not crash_at(failed)
        )
        if is_unchanged and row == self.first and not is_before_failure:
            return failed
        failure = Failure('ended' if is_at_end else 'differs', row.turn, row=row)
        return replace(failed, session=self.session, failure_found=failure)


# All faults in a session need the same rows, and it takes long to align many lines.
wrong_rows_of = lru_cache(maxsize=1 << 10)(WrongRows)


def place_of_departure(wrong: WrongRows, match: Match, expected: Sequence[str]) -> PlayedSession:
    """Return the failed session, with its failure where the program departs from the model.

    If the program does not depart, the session keeps its failure. `expected` is the output, step by
    step, of a model with all the faults found except printing faults. It replaces the session's
    expected output only if these faults have changed the game before the departure.
    """
    observed = wrong.observed
    if match.is_whole:
        return observed.failed
    texts = expected[: match.step + 1]
    *before, here = texts
    followed = match.output.texts[match.step]  # the output in this step, up to the departure
    if not here.startswith(followed):  # a printing fault or an omitted line has changed it
        followed = here
    if not observed.transcript.output.startswith(''.join([*before, followed])):
        changed = with_expected_texts(observed.transcript, texts)
        wrong = WrongRows(
            observed, at_once(changed) if observed.failed.session.at_once_from else changed
        )
    return wrong.with_failure(wrong.at_departure(match))


def with_own_expected_output(derived: PlayedSession, failed: PlayedSession) -> PlayedSession:
    """Return the session `derived`, but with its own expected output.

    The expected output in `derived` comes from a model with faults; `failed` is the same session
    with its own expected output. The failure becomes the wrong row of `failed` at the same
    position. If there is none, but the program exited before the next step, the first line of that
    step counts as missing. Otherwise, return `derived`.
    """
    wrong, failure = WrongRows(ObservedSession.from_played(failed)), derived.failure
    place = failure.row or failure
    for row in wrong.all:
        if (row.turn, row.start) == (place.turn, place.start):
            return wrong.with_failure(row)
    missing = wrong.missing_after_exit(place.turn + 1)
    return wrong.with_failure(missing) if missing else derived


def with_expected_texts(session: Session, texts: Sequence[str]) -> Session:
    """Return the session with these texts as the expected output of its first steps."""
    steps = [*session.steps]
    for index, (step, text) in enumerate(zip(session.steps, texts, strict=False)):
        lines = lines_in(text)
        numbers = [line.number for line in step.expected] or [step.number]
        # The text may have more lines than the step. They get the number of the step's last line.
        numbers += [numbers[-1]] * (len(lines) - len(numbers))
        printed = [
            ExpectedLine(number, line.rstrip('\n'), line.endswith('\n'))
            for number, line in zip(numbers, lines, strict=False)
        ]
        steps[index] = replace(step, expected=printed)
    return replace(session, steps=steps, is_derived=True)
