"""Searches for the known faults that let a model of the game best reproduce a program's output.

A model of the game plays each session with a set of faults, and its output is matched with the
program's output, allowing for the program's style of printing. The search adds rules of style and
faults of the game, the best across all sessions first, until none of them explains more. Here, the
output of three sessions is explained up to the x:

    {}                     {from-zero}              {from-zero, no-tie}

    1  ===x                1  =========x            1  =====================
    2  ===x           ->   2  =============    ->   2  =============
    3  ==========x         3  ==========x           3  ==========x     an unknown fault
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..games.known_faults import KnownFault
from ..games.model import GameModel, Variant
from .match import Match, Variants, follow
from .observed import ObservedSession
from .printing import RULES
from .protocol import Protocol
from .style import Style, suggestions

MAX_SYMPTOMS = 8  # maximum number of symptoms to try rules and faults for
MAX_ALIKE = 4  # maximum number of sessions with the same symptom to try faults in
EQUAL = 1e-9  # smaller gains are rounding errors
MAX_STEPS = 80_000  # maximum number of steps to play in a search: about 4 s of processor time

Candidate = tuple[KnownFault, Variant]
Faults = dict[str, Variant]  # the variant of each fault, by the fault's id


class Explanation(NamedTuple):
    """An explanation of a program's output: a style of printing, and faults of the game."""

    style: Style
    faults: Faults

    def with_fault(self, known: KnownFault, variant: Variant) -> Explanation:
        """Return the explanation with a fault added, or changed to another variant."""
        others = {name: other for name, other in self.faults.items() if name != known.id}
        return self._replace(faults={**others, known.id: variant})

    def without(self, name: str, *keys: object) -> Explanation:
        """Return the explanation without a fault, a rule, or some `keys` of a rule."""
        if name not in self.faults:
            return self._replace(style=self.style.without(name, *keys))
        return self._replace(
            faults={other: variant for other, variant in self.faults.items() if other != name}
        )


class Search:
    """A search for the rules and faults that explain the most.

    For example, a game adds numbers and has two known faults. The program has both of them.

    >>> from grading.games.known_faults import KnownFault, fixed
    >>> from grading.games.model import GameModel, decision, setting, variant
    >>> from grading.sessions.transcript import parse
    >>> from grading.sessions.verdict import Dialogue, PlayedSession, failure_in

    >>> class Sums(GameModel):
    ...     start = setting(0)
    ...
    ...     def play(self):
    ...         total = self.start
    ...         while True:
    ...             total = self.add(total, int(self.ask('')))
    ...             self.say(f'Sum: {total}')
    ...
    ...     @decision
    ...     def add(self, total, number):
    ...         return total + number

    >>> def add_without_sign(game, add, total, number):
    ...     return add(total, abs(number))

    >>> known_faults = [
    ...     KnownFault('ignores-minus', '', '', fixed(variant(add=add_without_sign))),
    ...     KnownFault('starts-at-1', '', '', fixed(variant(start=1))),
    ... ]

    >>> def session(text, *printed):
    ...     transcript = parse(text)
    ...     dialogue = Dialogue.printing(['', *printed])
    ...     wrong = failure_in(transcript, dialogue, 1)
    ...     return ObservedSession.from_played(PlayedSession(transcript, dialogue, wrong))

    >>> sessions = [
    ...     session('5\\n|Sum: 5\\n', 'Sum: 6\\n'),
    ...     session('2\\n|Sum: 2\\n-3\\n|Sum: -1\\n', 'Sum: 3\\n', 'Sum: 6\\n'),
    ... ]
    >>> search = Search(Sums, known_faults, sessions, deadline=float('inf'))

    In the first round, no fault has been found yet, and no line of any session is explained. The
    program departs from the model at its first line, before it has read a minus sign, so only
    `starts-at-1` explains more. With this fault, the first session is fully explained, and the
    second session up to the minus sign. At that line, `ignores-minus` explains more. In the third
    round, everything is explained.

    >>> found = Explanation(Style(search.protocol), {})
    >>> for _ in range(3):
    ...     candidates = search.candidates(found)
    ...     lines = [match.lines for match in search.matches(found)]
    ...     print([*found.faults], lines, [known.id for known, _ in candidates])
    ...     found = found.with_fault(*candidates[0]) if candidates else found
    [] [0, 0] ['starts-at-1']
    ['starts-at-1'] [1, 1] ['ignores-minus']
    ['starts-at-1', 'ignores-minus'] [1, 2] []

    >>> [*search.find().faults]
    ['starts-at-1', 'ignores-minus']

    The search plays failed and passed sessions. It stops after `MAX_STEPS` steps with what it has
    found so far. It counts steps instead of seconds so that a busy machine finds the same faults as
    an idle one. The deadline, a value of `time.process_time`, is usually much later, and only a
    safeguard.
    """

    def __init__(
        self,
        game: type[GameModel],
        known_faults: Sequence[KnownFault],
        sessions: list[ObservedSession],
        deadline: float,
    ) -> None:
        self.known_faults = known_faults
        self.sessions = sessions
        self.order = {known.id: number for number, known in enumerate(known_faults)}
        self.protocol = Protocol.of([observed.transcript for observed in sessions])
        self.game = game
        self._deadline = deadline
        self.is_out_of_time = False  # whether the deadline ended the search
        self._steps = 0  # the number of steps played so far
        self._matches: dict[tuple[Style, int, Variants], Match] = {}
        # Whether adding a fault explains more, by style, session, position and variant.
        self._explains_more: dict[object, bool] = {}

    def find(self) -> Explanation:
        """Return the style and the faults that explain the most."""
        ways = [known for known in self.known_faults if known.is_way]
        found = self._extended(Explanation(Style(self.protocol, ways), {}))
        guess = self._with_guessed_rules(found)
        if guess != found:
            found = max(found, self._extended(guess), key=self.amount_explained)
        return self.without_needless_rules(found)

    def _extended(self, found: Explanation) -> Explanation:
        """Keep adding rules and faults until none explains more.

        A rule may explain nothing until a fault is found, and vice versa.
        """
        before = None
        while found != before:
            before = found
            found = self._with_rules(found)
            found = self._with_faults_in_place_of_rules(found)
            found = self._with_faults(found)
        return found

    def _with_guessed_rules(self, found: Explanation) -> Explanation:
        """Add the best rule of style for each unexplained symptom, even if it explains nothing yet.

        Such a rule is a guess: perhaps a fault explains more once the rule is known. Do not guess a
        rule where a program prints nothing more, because no fault could explain anything after
        that.
        """
        for number, match in self._unexplained_sessions(found):
            if not match.is_at_end:
                children = self._with_one_more_rule(found, number)
                # Among equals, take the last.
                found = max(reversed(children), key=self.amount_explained, default=found)
        return found

    def without_needless_rules(self, found: Explanation) -> Explanation:
        """Remove needless rules of style: without them, every session is explained just as well."""
        for rule, keys in found.style.parts:
            fewer = found.without(rule, *keys)
            if not self.is_exhausted and self.is_as_good(fewer, found):
                found = fewer
        return found

    # ---------------------------------------------------------------- rules of style

    def _with_rules(self, found: Explanation) -> Explanation:
        """Add rules of style, one by one, until none explains more.

        The best rule across all sessions is added first, because a single session may suggest a
        wrong rule where it shows a fault of the game.
        """
        while True:
            children = [
                child
                for number, _ in self._unexplained_sessions(found)
                for child in self._with_one_more_rule(found, number)
                if self._explains_enough(child, found, number)
            ]
            best = next(filter(self.explains_all, children), None) or max(
                [found, *children], key=self.amount_explained
            )
            if best == found:
                return found
            found = best

    def _explains_enough(self, child: Explanation, parent: Explanation, number: int) -> bool:
        """Return whether a child explains a session clearly better than its parent.

        It must explain two more lines, or reach a later step or the end of the session. A way to
        print lines that the game knows need only explain more, like a fault of the game.
        """
        more, match = self.match(child, number), self.match(parent, number)
        is_known_to_game = not {*child.style.names} <= {*parent.style.names, *RULES}
        return (
            (more.is_whole and not match.is_whole)
            or more.step > match.step
            or more.lines >= match.lines + 2
            or (is_known_to_game and more.reach > match.reach)
        )

    def _with_one_more_rule(self, found: Explanation, number: int) -> list[Explanation]:
        """Return explanations, each with one more rule of style to try in a session.

        The rules are suggested by the place where the program departs from the model.
        """
        session = self.sessions[number]
        is_flood = session.failed.dialogue.end == 'output'  # endless output shows no style
        if is_flood or self.is_exhausted:
            return []
        texts = [other.text for other in self.sessions]
        texts += [text for match in self.matches(found) for text in match.output.texts]
        lines = '\n'.join(texts).split('\n')
        written = {*map(found.style.protocol.kind_of, lines)}
        match = self.match(found, number)
        return [
            found._replace(style=style)
            for style in suggestions(
                found.style, session, match.output.at, match.step, match.output.unmatched, written
            )
        ]

    # ---------------------------------------------------------------- faults of the game

    def _with_faults_in_place_of_rules(self, found: Explanation) -> Explanation:
        """Replace rules of style with faults of the game if these explain as much."""
        for rule, keys in found.style.parts:
            fewer = found.without(rule, *keys)
            if self.is_exhausted or self.is_as_good(fewer, found):
                continue  # the rule explains nothing yet
            for known, variant in self._faults_of_printing(fewer):
                child = fewer.with_fault(known, variant)
                if self.is_as_good(child, found):
                    found = child
                    break
        return found

    def _faults_of_printing(self, found: Explanation) -> Iterator[Candidate]:
        """Yield further faults that affect only the output, and are not learned from it."""
        for known in self.known_faults:
            if known.is_printing and not known.is_learned and known.id not in found.faults:
                for variant in known.variants(None):
                    yield known, variant

    def _with_faults(self, found: Explanation) -> Explanation:
        """Exchange a fault for a better one, or else add the faults that explain more."""
        exchanged = self._with_exchanged_fault(found)
        if exchanged != found:
            return exchanged
        for known, variant in self.candidates(found):
            child = found.with_fault(known, variant)
            if self.gain(child, found) > 0:
                found = child
        return found

    def _with_exchanged_fault(self, found: Explanation) -> Explanation:
        """Exchange a fault for a better fault of a similar kind, if there is one."""
        for number, match in self._unexplained_sessions(found):
            for name in reversed(found.faults):
                fewer = found.without(name)
                game = self.match(fewer, number).game
                for known in self._similar_faults(self.known_faults[self.order[name]]):
                    for variant in known.variants(game):
                        other = fewer.with_fault(known, variant)
                        if (
                            not self.is_exhausted
                            and self.match(other, number).reach > match.reach
                            and self.gain(other, found) > 0
                        ):
                            return other
        return found

    def _similar_faults(self, replaced: KnownFault) -> list[KnownFault]:
        """Return the faults similar in kind to `replaced`."""
        kind = replaced.kind
        return [known for known in self.known_faults if kind.may_be_taken_for(known.kind)]

    def candidates(self, found: Explanation) -> list[Candidate]:
        """Return the faults that explain more, the best first; among equals, the simplest first.

        If a fault explains all sessions, it is the only candidate.

        A fault must explain more of one session (see `_better_faults`), and more of all sessions
        together. All faults are tried in one session for each symptom. If none explains more, they
        are tried in a second session for each symptom, and so on.
        """
        gains: dict[Candidate, float] = {}
        for index in range(MAX_ALIKE):
            for number, match in self._unexplained_sessions(found, index):
                for candidate in self._better_faults(found, match, number):
                    if candidate in gains or self.is_exhausted:
                        continue
                    child = found.with_fault(*candidate)
                    gains[candidate] = self.gain(child, found)
                    if gains[candidate] > 0 and self.explains_all(child):
                        return [candidate]
            better = [candidate for candidate, gain in gains.items() if gain > 0]
            if better:
                return sorted(
                    better,
                    key=lambda candidate: (-gains[candidate], self.order[candidate[0].id]),
                )
        return []

    def _unexplained_sessions(
        self, found: Explanation, index: int = 0
    ) -> Iterator[tuple[int, Match]]:
        """Yield an unexplained failed session for each symptom: its index, and its match.

        If several sessions have the same symptom, `index`, from 0, chooses among them.
        """
        alike = Counter[object]()
        for number, match in enumerate(self.matches(found)):
            if match.is_whole or not self.sessions[number].played:
                continue
            if match.symptom in alike or len(alike) < MAX_SYMPTOMS:
                alike[match.symptom] += 1
                if alike[match.symptom] == index + 1:
                    yield number, match

    def _better_faults(self, found: Explanation, match: Match, number: int) -> Iterator[Candidate]:
        """Yield the faults that explain more of the session with this index.

        Try a variant of a fault only once at the same place, and only if the model has used a
        decision changed by the variant.
        """
        for known in self.known_faults:
            if known.id in found.faults and not known.is_learned:
                continue
            if self.is_exhausted:
                return
            for variant in known.variants(match.game):
                if match.game.used.isdisjoint(variant.names):
                    continue
                key = found.style, number, match.position, variant
                if key not in self._explains_more:
                    child = self.match(found.with_fault(known, variant), number)
                    self._explains_more[key] = child.reach > match.reach
                if self._explains_more[key]:
                    yield known, variant

    # ---------------------------------------------------------------- how much is explained

    @property
    def is_exhausted(self) -> bool:
        """Whether no more sessions should be played."""
        self.is_out_of_time |= time.process_time() >= self._deadline
        return self._steps > MAX_STEPS or self.is_out_of_time

    def match(self, explanation: Explanation, number: int) -> Match:
        """Return the match of an explanation with the session at this index."""
        variants = self.variants(explanation.faults)
        key = explanation.style, number, variants
        if key not in self._matches:
            self._matches[key] = match = follow(
                self.game, variants, self.sessions[number], explanation.style
            )
            self._steps += len(match.output.texts)
        return self._matches[key]

    def matches(self, explanation: Explanation) -> list[Match]:
        """Return the match of an explanation with each session."""
        return [self.match(explanation, number) for number, _ in enumerate(self.sessions)]

    def explains_all(self, explanation: Explanation) -> bool:
        """Return whether every session is explained to its end."""
        return all(match.is_whole for match in self.matches(explanation))

    def gain(self, child: Explanation, parent: Explanation) -> float:
        """Return how much more a child explains than its parent, as a number of sessions.

        Return 0 as soon as the child certainly explains no more.
        """
        gain, before = 0.0, self.matches(parent)
        possible = len(before) - sum(match.share for match in before)  # what can still be gained
        for number, match in enumerate(before):
            gain += self.match(child, number).share - match.share
            possible -= 1 - match.share
            if gain + possible < EQUAL:
                return 0
        return gain

    def is_as_good(self, explanation: Explanation, other: Explanation) -> bool:
        """Return whether an explanation explains at least as many lines of each session as `other`.

        A session explained to its end counts for more than any number of lines.
        """
        for number, least in enumerate(self.matches(other)):
            match = self.match(explanation, number)
            if (match.is_whole, match.lines) < (least.is_whole, least.lines):
                return False
        return True

    def amount_explained(self, explanation: Explanation) -> int:
        """Return how much is explained: the number of whole sessions, plus all steps and lines."""
        matches = self.matches(explanation)
        whole = [match for match in matches if match.is_whole]
        return len(whole) + sum(match.step + match.lines for match in matches)

    def variants(self, faults: Faults) -> Variants:
        """Return the variants of some faults, the simplest first."""
        return tuple(faults[name] for name in sorted(faults, key=self.order.__getitem__))
