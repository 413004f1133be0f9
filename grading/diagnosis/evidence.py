"""Decides which of the faults found by a search are certain, and which sessions show each fault.

A search finds the faults that explain the most; some of them may explain a session only by chance.
A fault is certain if it explains more of at least one session, and less of none, and if this is
unlikely to be chance (see `Evidence.is_proved`):

    faults              session 1    session 2    session 3

    {no-tie, wraps}     whole        12 lines     whole
    {no-tie}            whole        12 lines      4 lines     so `wraps` is certain,
    {wraps}             whole        12 lines     whole        and `no-tie` is not
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..games.model import EndOfInput
from ..printable import common_length
from ..sessions.verdict import PlayedSession
from .match import Match
from .observed import CRASHES, ObservedSession
from .printing import SEPARATORS, WORDS
from .search import Explanation, Faults, Search
from .where_shown import obscurity, wrong_rows_of


class Comparison(NamedTuple):
    """How much of a session is explained with all rules and faults, and without one of them."""

    session: ObservedSession
    match: Match
    without: Match

    @property
    def gain(self) -> int:
        """How many more steps are explained with that rule or fault than without it."""
        steps = min(self.match.complete_steps, len(self.session.transcript.steps))
        return steps - self.without.complete_steps

    @property
    def is_explained(self) -> bool:
        """Whether more of the session is explained with that rule or fault than without it."""
        return self.match.reach > self.without.reach

    @property
    def is_contradicted(self) -> bool:
        """Whether the fault changes the line where the program departs, but does not explain it.

        The program departs at the same place with and without the fault. There, it prints neither
        the model's line with the fault nor the line without it.
        """
        return (
            not self.match.is_whole
            and self.match.reach == self.without.reach
            and self.match.output.unmatched != self.without.output.unmatched
        )


class Evidence:
    """The rules and faults of an explanation, and the sessions that show them.

    The constructor removes all uncertain faults, and then any needless rules. `matches` contains
    the match of each session with the whole `explanation`. `without` maps each rule and fault of
    the explanation to the matches of all sessions without it.
    """

    def __init__(self, search: Search, explanation: Explanation) -> None:
        self._search = search
        self._known_faults = {known.id: known for known in search.known_faults}
        self.explanation = explanation
        self.without: dict[str, list[Match]] = {}
        self.matches: list[Match] = []
        self._compare()
        while doubtful := self._doubtful_fault():
            fewer = self.explanation.without(doubtful)
            self.explanation = search.without_needless_rules(fewer)
            self._compare()

    def _compare(self) -> None:
        """Match all sessions with the whole explanation, then with each rule or fault left out."""
        self.matches = self._search.matches(self.explanation)
        self.without = {
            name: self._search.matches(self.explanation.without(name))
            for name in [*self.explanation.style.names, *self.explanation.faults]
        }

    @property
    def failed(self) -> list[tuple[ObservedSession, Match]]:
        """The failed sessions, each with its match."""
        return [
            (session, match)
            for session, match in zip(self._search.sessions, self.matches, strict=True)
            if session.played
        ]

    def expected(self, session: ObservedSession) -> list[str]:
        """Return what the model prints in each step with all faults except those of printing.

        If the model crashes, the output from the step of the crash on is what the session expects.
        """
        faults = {
            name: variant
            for name, variant in self.explanation.faults.items()
            if not self._known_faults[name].is_printing
        }
        texts, has_crashed = self._texts(session, faults)
        rest = [step.output for step in session.transcript.steps[len(texts) - 1 :]]
        return [*texts[:-1], *rest] if has_crashed else texts

    def _texts(self, session: ObservedSession, faults: Faults) -> tuple[list[str], bool]:
        """Return what the model prints in each step with these faults, and whether it crashes."""
        transcript, variants = session.transcript, self._search.variants(faults)
        played = self._search.game(transcript.inputs, transcript.arguments, variants)
        try:
            played.play()
        except EndOfInput:
            pass
        except CRASHES:
            return played.texts, True
        return played.texts, False

    def is_not_always(self, name: str) -> bool:
        """Return whether a program also prints such lines as expected in any session."""
        protocol = self.explanation.style.protocol
        examples = self.explanation.style.named(name).values()
        kinds = {protocol.kind_of(example.expected) for example in examples}
        lines = {line for session in self._search.sessions for line in session.text.split('\n')}
        return any(protocol.kind_of(line) in kinds for line in lines)

    def shown_in(self, session: ObservedSession) -> set[str]:
        """Return the rules and faults that a session shows.

        Other words or separators do not count if they change none of the lines that it expects.
        """
        number, style = self._search.sessions.index(session), self.explanation.style
        reach = self.matches[number].reach
        shown = {name for name, without in self.without.items() if reach > without[number].reach}
        lines = [line.text for step in session.transcript.steps for line in step.expected]
        if all(style.printed(line) == [line] for line in lines):
            shown -= {WORDS, SEPARATORS}
        return shown

    def compared(self, name: str) -> list[Comparison]:
        """Return how much of each session is explained with and without one rule or fault."""
        return [
            Comparison(*parts)
            for parts in zip(self._search.sessions, self.matches, self.without[name], strict=True)
        ]

    # ---------------------------------------------------------------- what is certain

    def _doubtful_fault(self) -> str:
        """Return an uncertain fault, or `''` if all are certain.

        Prefer a harmful fault to a merely unproved fault. Among equals, prefer the least simple
        fault.
        """
        faults = sorted(self.explanation.faults, key=self._search.order.__getitem__, reverse=True)
        for name in faults:
            if self.does_harm(name):
                return name
        for name in faults:
            if not self.is_proved(name):
                return name
        return ''

    def does_harm(self, name: str) -> bool:
        """Return whether a fault makes the explanation worse.

        It does if less of some session is explained with it than without it. If it explains a
        crash, it also does harm if the program crashes in the same way in a session not explained
        to its end. Then the program may crash for another reason.
        """
        compared = self.compared(name)
        if any(comparison.match.reach < comparison.without.reach for comparison in compared):
            return True
        if not self._known_faults[name].is_crash:
            return False
        crashes = {
            comparison.session.how_it_ended
            for comparison in compared
            if comparison.match.end == 'crash' and not comparison.without.is_whole
        }
        return any(
            comparison.session.how_it_ended in crashes and not comparison.match.is_whole
            for comparison in compared
        )

    def is_proved(self, name: str) -> bool:
        """Return whether a fault explains enough, and not only by chance.

        Across all sessions, the fault must explain at least one more step, or two if it was learned
        from the output. An explained crash counts as at least one step. A session without output
        proves nothing.
        """
        known = self._known_faults[name]
        explained = [
            comparison
            for comparison in self.compared(name)
            if comparison.session.text and comparison.is_explained
        ]
        whole = [comparison.without for comparison in explained if comparison.match.is_whole]
        if self.fits_by_chance(name, whole):
            return False
        steps = 0
        for comparison in explained:
            is_named_crash = known.is_crash and comparison.match.is_whole
            steps += max(comparison.gain, 1 if is_named_crash else 0)
        return steps >= (2 if known.is_learned else 1)

    def fits_by_chance(self, name: str, explained: Sequence[Match]) -> bool:
        """Return whether a fault may explain some sessions to their end only by chance.

        `explained` contains the matches of these sessions without the fault. Chance is likely in
        four cases:

        - More sessions go astray (see `_goes_astray`) than the fault explains.
        - More sessions contradict the fault (see `Comparison.is_contradicted`) than it explains.
        - In each explained session, the program merely prints nothing more where it departs without
          the fault. At least as many other sessions end early even with the fault.
        - At least as many other sessions go astray with a symptom that the fault explains.

        Other sessions count only if the model used a decision that the fault changes. Otherwise,
        the fault cannot be why the program departs from it.
        """
        decisions = self.explanation.faults[name].names
        others = [
            comparison
            for comparison in self.compared(name)
            if not comparison.match.game.used.isdisjoint(decisions)
        ]
        astray = [
            comparison.match
            for comparison in others
            if self._goes_astray(comparison.session, comparison.match)
        ]
        if len(astray) > len(explained):
            return True

        contradicted = [comparison for comparison in others if comparison.is_contradicted]
        if len(contradicted) > len(explained):
            return True

        if explained and all(without.is_at_end for without in explained):
            ends = [
                comparison
                for comparison in others
                if comparison.session.ends_early and comparison.match.is_at_end
            ]
            if len(ends) >= len(explained):
                return True

        symptoms = {without.symptom for without in explained}
        same_symptom = [match for match in astray if match.symptom in symptoms]
        return bool(explained) and len(same_symptom) >= len(explained)

    def _goes_astray(self, session: ObservedSession, match: Match) -> bool:
        """Return whether a program departs by printing a line of the protocol, or by hanging."""
        if match.is_whole:
            return False
        if match.upcoming:
            return self._search.protocol.has(match.upcoming)
        return session.status is None and match.is_at_end

    # ---------------------------------------------------------------- where a fault shows

    def shown(self, name: str) -> list[PlayedSession]:
        """Return the failed sessions that show a rule or a fault, the clearest first.

        A session without output shows nothing. A session is clearer if, in order of importance:

        - Its wrong line is not an extra line with another cause (see `_has_other_cause`).
        - No other rule or fault shows in that line.
        - Its wrong line is the first of its session.
        - That line shows a fault of the game clearly (see `obscurity`).
        """
        is_of_game = name in self._known_faults and not self._known_faults[name].is_printing
        shown = []
        for number, comparison in enumerate(self.compared(name)):
            if comparison.session.played and comparison.session.text and comparison.is_explained:
                shown.append((*self._shown_in(name, number), number))
        least = min((len(played.session.lines) for _, played, _ in shown), default=0)
        ranked = sorted(
            (
                self._has_other_cause(name, number, played),
                rank,
                obscurity(played, least) if is_of_game else 0,
                number,
                played,
            )
            for rank, played, number in shown
        )
        return [played for *_, played in ranked]

    def _has_other_cause(self, name: str, number: int, played: PlayedSession) -> bool:
        """Return whether an extra line in a session has a cause other than this rule or fault.

        It has one if the model prints a line there even without this rule or fault, and the session
        does not expect that line in that step.
        """
        without, steps = self.without[name][number], self._search.sessions[number].transcript.steps
        line = without.output.unmatched.rstrip('\n')
        expected = [
            other.text for step in steps[without.step : without.step + 1] for other in step.expected
        ]
        return not played.wrong_line.expected and bool(line) and line not in expected

    def _shown_in(self, name: str, number: int) -> tuple[int, PlayedSession]:
        """Return how well a session shows a rule or a fault (0 is best), and where."""
        wrong, without = wrong_rows_of(self._search.sessions[number]), self.without[name][number]
        row = wrong.at_departure(without)
        is_first = row is not None and row is wrong.first
        is_alone = all(
            name == other or not self._shows_by(other, number, without) for other in self.without
        )
        played, known = wrong.with_failure(row), self._known_faults.get(name)
        if known and not known.is_printing and not wrong.observed.is_joined:
            # Free text where the fault first changes the output may hide the difference until a
            # later step. If so, show the text.
            alone, _ = self._texts(wrong.observed, {name: self.explanation.faults[name]})
            step = common_length(alone, [step.output for step in wrong.observed.transcript.steps])
            free_text, line = wrong.free_text_row(step), played.wrong_line
            if free_text and (step < line.step or (step == line.step and not line.expected)):
                played = wrong.with_failure(free_text)
        return (0 if is_first else 1) + (0 if is_alone else 2), played

    def _shows_by(self, other: str, number: int, without: Match) -> bool:
        """Return whether the rule or fault `other` shows in a session, at or before a given place.

        The place is where the program departs from the model in the match `without`. A rule counts
        even if it shows later in the same line.
        """
        match, without_other = self.matches[number], self.without[other][number]
        if without_other.reach == match.reach:
            return False
        if without_other.position <= without.position:
            return True
        text = match.output.observed.text[without.output.at : without_other.output.at]
        return other not in self._known_faults and '\n' not in text
