"""The search for the set of known faults with which a game prints most of what a program printed.

Each set is played along all sessions. Where the program departs from it (`x`) stands what
proposes the next fault; a set that goes further is followed first, and from there:

    {}                     {one-blank}              {one-blank, words}

    1  ===x                1  =========x            1  =====================
    2  ===x           ->   2  =============    ->   2  =============
    3  ==========x         3  ==========x           3  ==========x     what nobody knows

A session that no fault explains any further stays behind alone: the others lead on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Dict, Iterator, Sequence, Tuple, Type

from .follow import Heard, Match, follow, variant
from .known import Departure, Known, shape_of
from .model import GameModel

MOST_FAULTS = 16
MOST_FOLLOWS = 15_000                   # sessions that are played in a search
# How many of the best sets are tried with one fault more: at a place of each kind, at others of
# these kinds; and with two.
STAGES = (5, 2, 1)
LEARNING = 1.25                         # how many faults more it costs to learn one
MOST_OF_A_KIND = 3                      # places at which a set is tried

MOST_LESSER = 8                         # sets that are tried though others explain more

Faults = Dict[str, Type[GameModel]]     # a variant for each id
Better = Tuple[Tuple[bool, int], Faults]        # and how much it explains of one session


@dataclass
class Node:
    """A set of faults, and how far it explains each session."""

    faults: Faults
    matches: list[Match]
    cost: float                         # what is learned from the output costs more
    rank: tuple[object, ...]            # the less the better
    lesser: list[Better] = field(default_factory=list)     # sets that explain a little more
    stages: list[Iterator[list[Faults]]] = field(default_factory=list)     # that are not yet over

    @property
    def is_whole(self) -> bool:
        """Whether it explains everything."""
        return all(match.is_whole for match in self.matches)


class Search:
    """A search among the models of a game for what explains some sessions, failed and passed.

    At a deadline, a time of `time.process_time`, it is given up with what it has found: a machine
    with other work to do finds as much.
    """

    def __init__(self, game: type[GameModel], known_faults: list[Known], sessions: list[Heard],
                 deadline: float) -> None:
        self._game = game
        self._known_faults = known_faults
        self._order = {known.id: number for number, known in enumerate(known_faults)}
        self._sessions = sessions
        self._protocol = frozenset(shape_of(str(line).rstrip('\n')) for heard in sessions
                                   for step in heard.transcript.steps for line in step.printed)
        self._follows = 0
        self._deadline = deadline

    def find(self) -> Node:
        """Return the set that explains most; of several the smallest, and simplest."""
        nodes = [self.node({})]         # the best first
        seen = {self._key({})}
        while not self._is_exhausted:
            node = self._most_promising(nodes)
            if not node:
                break
            proposed = next(node.stages[0], None)
            if proposed is None:
                del node.stages[0]
                continue
            for faults in proposed:
                key = self._key(faults)
                if key not in seen and not self._is_exhausted:
                    seen.add(key)
                    nodes.append(self.node(faults))
            nodes.sort(key=lambda node: node.rank)
        return nodes[0]

    def _most_promising(self, nodes: list[Node]) -> Node | None:
        """Return the node from which the search goes on, None if all are at their ends.

        Where one explains everything only a smaller one may be better.
        """
        stages: Sequence[int] = STAGES
        if nodes[0].is_whole:
            nodes = [node for node in nodes if node.cost < nodes[0].cost]
            stages = STAGES[:1]
        for stage, number in enumerate(stages):
            for node in nodes[:number]:
                if len(STAGES) - len(node.stages) == stage:
                    return node
        return None

    def node(self, faults: Faults) -> Node:
        """Return how far a set explains each session."""
        matches = self.matches(faults)
        score = sum(1 if match.is_whole else match.position / (len(heard.text) + 1)
                    for match, heard in zip(matches, self._sessions))
        cost = len(faults) + LEARNING * sum(known.is_learned and known.id in faults
                                            for known in self._known_faults)
        node = Node(faults, matches, cost, (-round(score, 9), cost,
                                            sorted(self._order[name] for name in faults)))
        first, others = self._places(node)
        node.stages = [self._singles(node, first), self._others(node, others),
                       self._pairs(node, first)]
        return node

    def matches(self, faults: Faults) -> list[Match]:
        """Return how each session follows the program with some faults."""
        self._follows += len(self._sessions)
        played = variant(self._game, self._variants(faults))
        return [follow(played, heard) for heard in self._sessions]

    def is_of_protocol(self, line: str) -> bool:
        """Return whether a line is like one that is due anywhere."""
        return bool(line) and shape_of(line) in self._protocol

    @property
    def _is_exhausted(self) -> bool:
        return self._follows > MOST_FOLLOWS or time.process_time() > self._deadline

    def _variants(self, faults: Faults) -> list[type[GameModel]]:
        return [faults[name] for name in self._order if name in faults]

    def _key(self, faults: Faults) -> frozenset[object]:
        return frozenset((name, getattr(made, '__qualname__', ''), repr(settings_of(made)))
                         for name, made in faults.items())

    def _places(self, node: Node) -> tuple[list[int], list[int]]:
        """Return the sessions that are not explained: one for each kind of place, and others."""
        kinds: dict[object, list[int]] = {}
        for number, match in enumerate(node.matches):
            if not match.is_whole and self._sessions[number].difference:
                printed = match.session.upcoming().partition('\n')[0]
                kind = shape_of(match.session.due.rstrip('\n')), shape_of(printed)
                kinds.setdefault(kind, []).append(number)
        return ([of_kind[0] for of_kind in kinds.values()],
                [number for of_kind in kinds.values() for number in of_kind[1:MOST_OF_A_KIND]])

    def _singles(self, node: Node, places: list[int]) -> Iterator[list[Faults]]:
        """Yield, place by place, the sets that explain most there with one fault more."""
        for number in places:
            better, _ = self._with_one_more(node.faults, node.matches[number], number)
            yield best_of(better)
            node.lesser += [child for child in better if child[0] < better[0][0]]

    def _others(self, node: Node, places: list[int]) -> Iterator[list[Faults]]:
        """Yield the sets that explain less there, those that do at other places, and those with
        another fault in the place of one."""
        lesser = sorted(node.lesser, key=first_of, reverse=True)
        yield [faults for _, faults in lesser[:MOST_LESSER]]
        yield from self._singles(node, places)
        for name in node.faults:
            less = self.node({other: made for other, made in node.faults.items() if other != name})
            yield from less.stages[0]

    def _pairs(self, node: Node, places: list[int]) -> Iterator[list[Faults]]:
        """Yield those with two faults more: one may show only another, at the same place."""
        for number in places:
            for faults in self._with_one_more(node.faults, node.matches[number], number)[1]:
                if len(faults) > len(node.faults):
                    better, _ = self._with_one_more(faults, self._follow(faults, number), number)
                    yield best_of(better)

    def _with_one_more(self, faults: Faults, match: Match,
                       number: int) -> tuple[list[Better], list[Faults]]:
        """Return sets with one variant more: those that explain more of a session, most first,
        and those with which only something else is due at the same place."""
        difference = self._sessions[number].difference
        assert difference
        place = Departure(match, difference, self._protocol, lambda more: self._follow(
            {**faults, '': more}, number))
        better: list[Better] = []
        aside: list[Faults] = []
        for known in self._known_faults:
            if self._is_exhausted:
                break
            if len(faults) == MOST_FAULTS and known.id not in faults:
                continue
            children = [{**faults, known.id: made} for made in known.variants(place)]
            matches = [self._follow(child, number) for child in children]
            # What is learned is learned by trial: the best guess is the right one, if it explains
            # more than the line from which it was learned.
            least = max((child.reach for child in matches), default=match.reach)
            if known.is_of_lines and least <= (False, match.session.at + len(place.printed) + 1):
                least = (True, 0)
            for child, of_child in zip(children, matches):
                if of_child.reach > match.reach and (
                        not known.is_learned or of_child.reach >= least):
                    better.append((of_child.reach, child))
                elif of_child.reach == match.reach and (
                        of_child.session.due != match.session.due):
                    aside.append(child)
        return sorted(better, key=first_of, reverse=True), aside

    def _follow(self, faults: Faults, number: int) -> Match:
        """Follow the program with some faults along one session; `''` stands for one more."""
        self._follows += 1
        variants = [*([faults['']] if '' in faults else []), *self._variants(faults)]
        return follow(variant(self._game, variants), self._sessions[number])


def first_of(child: Better) -> tuple[bool, int]:
    """Return how much a set explains of the session that proposed it."""
    return child[0]


def best_of(better: list[Better]) -> list[Faults]:
    """Return the sets that explain most of it."""
    return [faults for reach, faults in better if reach == better[0][0]]


def settings_of(made: type[GameModel]) -> dict[str, object]:
    """Return what a variant has learned."""
    return {name: value for name, value in vars(made).items() if not name.startswith('__')
            and name != 'lines_known'
            and not callable(value) and not isinstance(value, (staticmethod, classmethod))}
