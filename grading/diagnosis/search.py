"""The search for the known faults with which a game prints most of what a program printed.

First come rules about how the program prints, its style; they are undone, and what is left is the
game. Faults of the game are added one at a time, the one that explains most of all sessions first:

    {}                     {from-zero}              {from-zero, no-tie}

    1  ===x                1  =========x            1  =====================
    2  ===x           ->   2  =============    ->   2  =============
    3  ==========x         3  ==========x           3  ==========x     what nobody knows
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from typing import Iterable, Iterator, Tuple, Type

from .fault_models import GameModel, Known
from .protocol import shape_of
from .simulation import Explanation, Match, Playing
from .style import Style, suggestions

MOST_FAULTS = 16
MOST_KINDS = 8                          # kinds of places at which faults are tried
BEST_OF_A_PLACE = 2                     # faults of each place that come first
MOST_TRIED = 12                         # faults that are tried in all sessions
ROUNDS = 2                              # of searching for rules of style, then for faults
WHOLE = 100                             # characters that the end of a session is worth

Candidate = Tuple[Known, Type[GameModel]]


class Search:
    """A search that adds the fault that explains most, until no fault explains more.

    When it has played enough sessions, it stops with what it has found.
    """

    def __init__(self, playing: Playing) -> None:
        self._playing = playing
        self._gains: dict[object, float] = {}       # of a fault at a place

    def find(self) -> Explanation:
        """Return the style and the faults that explain most."""
        found = self._explained(Explanation(Style(self._playing.protocol), {}))
        guess = self._guessed(found)
        if guess is not found:
            guess = self._explained(guess)
            if any(self._goes_on(guess, found, number)
                   for number, _ in enumerate(self._playing.sessions)) and (
                       self._playing.lines(guess) > self._playing.lines(found)):
                found = guess
        for rule, keys in found.style.parts:
            plain = found.without(rule, *keys)
            if not self._playing.is_exhausted and self._playing.is_as_good(plain, found):
                found = plain
        return found

    def _explained(self, found: Explanation) -> Explanation:
        """Return the explanation with the rules and the faults that explain more."""
        for _ in range(ROUNDS):
            before = found
            found = self._named(self._with_style(found))
            found = self._named(self._with_faults(found))
            if found is before or self._playing.is_everything(found):
                break
        return found

    def _guessed(self, found: Explanation) -> Explanation:
        """Return the explanation with a rule of style for each kind of place that is unknown.

        A rule may explain nothing unless a fault of the game is known, and the other way round.
        """
        for number, _ in self._places(found):
            children = [] if self._playing.is_exhausted else self._with_a_rule(found, number)
            found = max(children[::-1], key=self._playing.lines, default=found)
        return found

    def _with_style(self, found: Explanation) -> Explanation:
        """Return the explanation with the rules of style that explain more, one after the other."""
        before = None
        while found is not before:
            before = found
            for number, _ in self._places(found):
                if self._playing.is_exhausted:
                    break
                found = self._best(found, number, self._with_a_rule(found, number))
        return found

    def _with_a_rule(self, found: Explanation, number: int) -> list[Explanation]:
        """Return the explanation with one more rule of style that a session suggests."""
        if self._playing.sessions[number].failed.dialogue.end == 'output':
            return []                   # a flood shows no style
        written = {found.style.protocol.kind_of(piece.text)
                   for session, _ in enumerate(self._playing.sessions)
                   for piece in self._playing.reading(found.style, session).pieces}
        session = self._playing.match(found, number).session
        return [found._replace(style=style) for style in suggestions(
            session.reading, session.at, session.texts, session.due, written)]

    def _best(self, found: Explanation, number: int,
              children: Iterable[Explanation]) -> Explanation:
        """Return the child that explains most of all sessions, if it explains more."""
        best = found
        for child in children:
            if self._playing.is_exhausted:
                break
            if (self._goes_on(child, found, number)
                    and self._playing.lines(child) > self._playing.lines(best)):
                best = child
        return best

    def _goes_on(self, child: Explanation, found: Explanation, number: int) -> bool:
        """Whether a child explains more than one line of a session more, or the rest of a step."""
        more, match = self._playing.match(child, number), self._playing.match(found, number)
        return more.is_whole > match.is_whole or (more.place > match.place and (
            more.step > match.step or more.lines[1] > match.lines[1] + 1))

    def _named(self, found: Explanation) -> Explanation:
        """Return the explanation with a fault of the game for each rule that it explains as well.
        """
        first = next((number for number, heard in enumerate(self._playing.sessions)
                      if heard.played), None)
        if first is None:
            return found
        for rule, keys in found.style.parts:
            plain = found.without(rule, *keys)
            if self._playing.is_exhausted or self._playing.is_as_good(plain, found):
                continue                # it is of no use yet
            session = self._playing.match(plain, first).session
            tried = [plain.having(known, made)
                     for known in self._playing.known_faults
                     if known.is_printing and not known.is_learned
                     and known.id not in plain.faults for made in known.variants(session)]
            found = next((one for one in tried if self._playing.is_as_good(one, found)), found)
        return found

    def _with_faults(self, found: Explanation) -> Explanation:
        """Return the explanation with the faults that explain more, one after the other."""
        while not self._playing.is_exhausted:
            before = found
            for known, made in self._candidates(found):
                child = found.having(known, made)
                if len(child.faults) <= MOST_FAULTS and self._playing.gain(child, found):
                    found = child
            if found is before:
                score = self._playing.score(found)
                found = self._exchanged(found)
                if self._playing.score(found) == score:
                    break
        return found

    def _exchanged(self, found: Explanation) -> Explanation:
        """Return the explanation with another fault in the place of one, if that explains more."""
        for number, match in [*self._places(found)][:1]:
            for name in reversed(found.faults):
                fewer = found.without(name)
                for known, made, _ in self._at(fewer, self._playing.match(fewer, number), number):
                    other = fewer.having(known, made)
                    if (self._playing.match(other, number).reach > match.reach
                            and self._playing.gain(other, found)):
                        return other
        return found

    def _candidates(self, found: Explanation) -> list[Candidate]:
        """Return some faults that explain more, the best first.

        Each of them explains more at a place where the program departs from the game.
        """
        gains: dict[Candidate, float] = defaultdict(float)
        for number, match in self._places(found):
            reading = self._playing.reading(found.style, number)
            at_place: list[tuple[float, int, Candidate]] = []
            for known, made, gain in self._at(found, match, number):
                if gain >= WHOLE and self._playing.is_everything(found.having(known, made)):
                    return [(known, made)]      # no fault explains more, and no simpler one as much
                gains[known, made] += gain / (len(reading.text) + 1)
                at_place.append((-gain, self._playing.order[known.id], (known, made)))
            for _, _, one in heapq.nsmallest(BEST_OF_A_PLACE, at_place, key=lambda one: one[:2]):
                gains[one] += 1
        best: list[tuple[float, int, int, Known, type[GameModel]]] = []
        tried = heapq.nlargest(MOST_TRIED, gains, key=lambda one: gains[one])
        for number, (known, made) in enumerate(tried):
            child = found.having(known, made)
            gain = not self._playing.is_exhausted and self._playing.gain(child, found)
            if gain:
                best.append((-gain, self._playing.order[known.id], number, known, made))
        return [(known, made) for *_, known, made in sorted(best)]

    def _places(self, found: Explanation) -> Iterator[tuple[int, Match]]:
        """Yield sessions that are not explained, one for each kind of place."""
        kinds: set[object] = set()
        for number, match in enumerate(self._playing.matches(found)):
            if not match.is_whole and self._playing.sessions[number].played:
                kind = shape_of(match.session.due.rstrip('\n')), shape_of(match.upcoming)
                if kind not in kinds and len(kinds) < MOST_KINDS:
                    kinds.add(kind)
                    yield number, match

    def _at(self, found: Explanation, match: Match,
            number: int) -> Iterator[tuple[Known, type[GameModel], float]]:
        """Yield the faults that explain more of a session, and how much more.

        A fault is tried only once at the same place, and only if the game has come to something
        that it changes.
        """
        names = self._playing.names(found, number)
        for known in self._playing.known_faults:
            if known.id in found.faults and not known.is_learned:
                continue
            if self._playing.is_exhausted:
                break
            for made in known.variants(match.session):
                if not any(names.intersection(vars(base)) for base in made.__mro__
                           if not issubclass(self._playing.game, base)):
                    continue
                key = id(found.style), number, match.position, made
                if key not in self._gains:
                    reach = self._playing.match(found.having(known, made), number)
                    self._gains[key] = reach.reach > match.reach and (
                        reach.position - match.position + WHOLE * reach.is_whole)
                if self._gains[key]:
                    yield known, made, self._gains[key]
