"""Finds the wrong lines of a failed session, and the lines that show a fault best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, chain, repeat

from ..printable import decoded
from ..sessions.items import Item, items_of
from ..sessions.session import ExpectedLine, Session, at_once, with_steps
from ..sessions.transcript import lines_in
from ..sessions.verdict import Failure, Pair, PlayedSession, failure_in
from .crash import crash_at
from .match import Match
from .observed import ObservedSession
from .pairs import wrong_pairs
from .protocol import shape_of
from .style import EXTRA_LINES

LAST_OF_ANSWER = 1  # in a step, the index of the last line that may be the answer to a move
LONGER = 3  # a long session has more than this many times as many lines as the shortest session


def obscurity(shown: PlayedSession, least: int) -> int:
    """Return how badly a place shows a fault of the game; 0 is best.

    The best place is a wrong answer to a move, after other output, in a session that is not long.
    The shortest session has `least` lines.
    """
    place = shown.place
    steps = place.session.steps
    is_at_start = not any(step.printed for step in steps[1 : place.step])
    numbers = [line.number for line in steps[place.step].printed]
    is_answer = bool(place.line) and place.number in numbers[: LAST_OF_ANSWER + 1]
    is_long = len(place.session.lines) > LONGER * least
    return (2 if is_at_start else 0) + (0 if is_answer else 2) + (3 if is_long else 0)


class Spots:
    """The wrong pairs of lines in a failed session, in order.

    `session`, if given, is the failed session with a different expected output.
    """

    def __init__(self, observed: ObservedSession, session: Session | None = None) -> None:
        self.observed = observed
        self.session = session or observed.failed.session
        self.pairs = wrong_pairs(self.session, observed.failed.dialogue)
        self._starts = [0, *accumulate(len(text) for text in observed.turns)]

    def first(self, match: Match) -> Pair | None:
        """Return the first wrong pair at or after the program's departure from the model, or None.

        The pair may be a missing line. But if the program prints the model's next line wrongly in
        the same turn, something else explains the missing line; in that case, return the pair with
        the model's line. If the program printed its own lines and then ended too early, return the
        first line that is missing at the end.
        """
        last, start = len(self._starts) - 1, match.output.settled
        start = min(start, self.observed.turn_ends.get(match.step, start))
        pairs = [
            pair
            for pair in self.pairs
            if self._starts[min(pair.turn, last)] + pair.start >= start
            and (pair.step >= match.step or self.session.in_turns)
        ]
        first = next(iter(pairs), None) or self.never_printed(match.step)
        own = match.output.style.of(EXTRA_LINES)
        if match.is_at_end and any(shape_of(pair.printed.rstrip('\n')) in own for pair in pairs):
            first = self._missing_at_end(pairs) or first
        if not first or first.printed or first.expected == match.output.unmatched:
            return first
        departing = (
            pair
            for pair in pairs
            if pair.turn == first.turn and pair.printed and pair.expected == match.output.unmatched
        )
        return next(departing, first)

    def _missing_at_end(self, pairs: Sequence[Pair]) -> Pair | None:
        """Return the first expected line in these pairs as a line missing at the program's end.

        Return None unless the line is expected in the last turn, and the program exited there.
        """
        turn, dialogue = len(self.observed.turns) - 1, self.observed.failed.dialogue
        pair = next((pair for pair in pairs if pair.expected), None)
        if not pair or pair.turn != turn or dialogue.end != 'exit' or self.session.in_turns:
            return None
        return pair._replace(printed='', start=len(self.observed.turns[turn]))

    def never_printed(self, step: int) -> Pair | None:
        """Return the first line of a step as missing if the program exited before it, or None."""
        dialogue = self.observed.failed.dialogue
        last = len(dialogue.turns) - 1
        item = self._first_item(step) if step > last else None
        if not item or dialogue.end != 'exit' or self.session.in_turns:
            return None
        end = len(decoded(dialogue.turns[last].printed))
        return Pair(step, str(item), '', last, end, item)

    def free_text_pair(self, step: int) -> Pair | None:
        """Return the first expected and printed lines of a step that begins with free text.

        Return None if anything else is expected first, or if the program did not reach the step.
        """
        item = self._first_item(step)
        if not item or not item.is_free_text or step >= len(self.observed.turns):
            return None
        printed = ''.join(lines_in(self.observed.turns[step])[:1])
        return Pair(step, str(item), printed, step, 0, item)

    def _first_item(self, step: int) -> Item | None:
        """Return the first line that is expected in a step, or None if there is none."""
        items = items_of(self.session.steps[step : step + 1], self.session)
        return next((item for item in items if item.parts), None)

    def place(self, pair: Pair | None) -> PlayedSession:
        """Return the session with the pair as its failure; if `pair` is None, with its own failure.

        There is one exception: if `pair` is None, but the program crashed and `Spots` was given a
        different expected output, the failure is what is wrong in the last turn.
        """
        failed, dialogue = self.observed.failed, self.observed.failed.dialogue
        last, is_unchanged = len(dialogue.turns) - 1, self.session is failed.session
        if not pair:
            if is_unchanged or not self.observed.has_crashed:
                return failed
            turn = min(last, len(self.session.steps) - 1)
            wrong = failure_in(self.session, dialogue, turn)
            return replace(
                failed, session=self.session, failure_found=wrong or failed.failure_found
            )
        is_end = (
            dialogue.end == 'exit'
            and not pair.printed
            and (pair.turn, pair.start) == (last, len(decoded(dialogue.turns[last].printed)))
        )
        # If a program ends early, its last line may have been accepted as free text.
        is_taken = failed.failure.kind == 'ended' and not is_end and not crash_at(failed)
        if is_unchanged and pair in self.pairs[:1] and not is_taken:
            return failed
        wrong = Failure('ended' if is_end else 'differs', pair.turn, pair=pair)
        return replace(failed, session=self.session, failure_found=wrong)


spots_of = lru_cache(maxsize=1 << 10)(Spots)


def next_place(spots: Spots, match: Match, expected: Sequence[str]) -> PlayedSession:
    """Return the failed session, with its failure where the program departs from the model.

    `expected` is what the model prints in each step with the faults found, except faults of
    printing. It replaces the session's expected output only if these faults have changed the game
    before that place.
    """
    observed, texts = spots.observed, expected[: match.step + 1]
    if match.is_whole:
        return observed.failed
    *before, here = texts
    begun = match.output.texts[match.step]  # the output in this step, up to the departure
    reached = ''.join([*before, begun if here.startswith(begun) else here])
    if not observed.transcript.output.startswith(reached):
        played = as_played(observed.transcript, texts)
        spots = Spots(observed, at_once(played) if observed.failed.session.in_turns else played)
    return spots.place(spots.first(match))


def as_in_file(derived: PlayedSession, failed: PlayedSession) -> PlayedSession:
    """Return the place `derived`, but with what the session itself expects there.

    The expected output in `derived` is that of a model with faults; `failed` is the same session
    with its own expected output. If no wrong pair of `failed` begins at the place, but the program
    exited before the next step, the first line of that step counts as missing. If the program did
    not exit there either, return `derived`.
    """
    spots, wrong = Spots(ObservedSession.from_played(failed)), derived.failure
    turn, start = (wrong.pair.turn, wrong.pair.start) if wrong.pair else (wrong.turn, wrong.start)
    same = [pair for pair in spots.pairs if (pair.turn, pair.start) == (turn, start)]
    pair = next(iter(same), None) or spots.never_printed(turn + 1)
    return spots.place(pair) if pair else derived


def as_played(session: Session, texts: Sequence[str]) -> Session:
    """Return the session with these texts as the expected output of its first steps."""
    steps = [*session.steps]
    for index, (step, text) in enumerate(zip(session.steps, texts, strict=False)):
        numbers = [line.number for line in step.printed] or [step.number]
        printed = [
            ExpectedLine(number, line.rstrip('\n'), line.endswith('\n'))
            for number, line in zip(
                chain(numbers, repeat(numbers[-1])), lines_in(text), strict=False
            )
        ]
        steps[index] = replace(step, printed=printed)
    return replace(with_steps(session, steps), is_derived=True)
