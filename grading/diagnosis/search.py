"""The search for the set of known faults with which a game prints most of what a program printed.

Each set is played along all sessions. The place where the program departs from it (`x`)
suggests the next fault; a set that goes further is followed first, and from there:

    {}                     {one-blank}              {one-blank, words}

    1  ===x                1  =========x            1  =====================
    2  ===x           ->   2  =============    ->   2  =============
    3  ==========x         3  ==========x           3  ==========x     what nobody knows

A session that no fault explains any further stays behind alone: the others lead on.
"""

from __future__ import annotations

from math import inf
from typing import Iterable, Iterator, Sequence

from .follow import Match
from .known import Departure, Known
from .node import Better, Node, Simplicity, best_of, first_of
from .playing import Faults, Playing, key_of, without
from .protocol import shape_of

MOST_FAULTS = 16
# How many of the best sets are tried with one fault more: at a place of each kind, at others of
# these kinds; and with two.
STAGES = (5, 2, 1)
LEARNING = 1.25                         # how many faults more it costs to learn one
MOST_OF_A_KIND = 3                      # places at which a set is tried
MOST_LESSER = 8                         # sets that are tried though others explain more


class Search:
    """A search among sets of faults for the one that explains most.

    When it has played enough it is given up with what it has found.
    """

    def __init__(self, playing: Playing) -> None:
        self._playing = playing
        # By what there is to explain: what was of use there, beside which faults.
        self._useful: dict[object, list[tuple[Faults, list[Known]]]] = {}
        self._simplest: Simplicity = (inf, [])          # of the sets that explain everything

    def find(self) -> Node:
        """Return the set that explains most; of several the smallest, and simplest."""
        nodes = [self._node({})]        # the best first
        seen = {key_of({})}
        while not self._playing.is_exhausted:
            node = self._most_promising(nodes)
            if not node:
                break
            proposed = next(node.stages[0], None)
            if proposed is None:
                del node.stages[0]
                continue
            for faults in proposed:
                key = key_of(faults)
                if key not in seen and not self._playing.is_exhausted:
                    seen.add(key)
                    nodes.append(self._node(faults))
            nodes.sort(key=lambda node: node.rank)
            if nodes[0].is_whole:
                self._simplest = nodes[0].simplicity
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

    def _node(self, faults: Faults) -> Node:
        """Return how far a set explains each session."""
        matches = self._playing.matches(faults)
        score = sum(1 if match.is_whole else match.position / (len(heard.text) + 1)
                    for match, heard in zip(matches, self._playing.sessions))
        simplicity = self._simplicity(faults)
        node = Node(faults, matches, simplicity, (-round(score, 9), simplicity))
        first, others = self._places(node)
        node.stages = [self._singles(node, first), self._others(node, others),
                       self._pairs(node, first)]
        return node

    def _simplicity(self, names: Iterable[str]) -> Simplicity:
        """Return how simple a set of faults is, the less the better."""
        order = sorted(self._playing.order[name] for name in names)
        return len(order) + LEARNING * sum(
            self._playing.known_faults[number].is_learned for number in order), order

    def _places(self, node: Node) -> tuple[list[int], list[int]]:
        """Return the sessions that are not explained: one for each kind of place, and others."""
        kinds: dict[object, list[int]] = {}
        for number, match in enumerate(node.matches):
            if not match.is_whole and self._playing.sessions[number].difference:
                kind = shape_of(match.session.due.rstrip('\n')), shape_of(match.upcoming)
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
            yield from self._node(without(node.faults, name)).stages[0]

    def _pairs(self, node: Node, places: list[int]) -> Iterator[list[Faults]]:
        """Yield those with two faults more: one may show only another, at the same place."""
        for number in places:
            for faults in self._with_one_more(node.faults, node.matches[number], number)[1]:
                if len(faults) > len(node.faults):
                    match = self._playing.follow(faults, number)
                    better, _ = self._with_one_more(faults, match, number)
                    yield best_of(better)

    def _with_one_more(self, faults: Faults, match: Match,
                       number: int) -> tuple[list[Better], list[Faults]]:
        """Return sets with one variant more: those that explain more of a session, most first,
        and those with which only something else is due there, or soon after."""
        difference = self._playing.sessions[number].difference
        assert difference
        place = Departure(match, difference, self._playing.protocol,
                          lambda more: self._playing.follow(faults, number, more))
        better: list[Better] = []
        aside: list[Faults] = []
        useful: list[Known] = []
        situation = number, match.position, match.session.due, match.step
        for known in self._worth_trying(situation, faults):
            if self._playing.is_exhausted:
                break
            children = self._children(known, faults, place, number)
            more = better_of(known, children, place)
            other = [child for of_child, child in children if not more
                     and of_child.reach >= match.reach
                     and of_child.session.due != match.session.due]
            better += more
            aside += other
            useful += [known] if more or other else []
        else:
            self._useful.setdefault(situation, []).append((faults, useful))
        return sorted(better, key=first_of, reverse=True), aside

    def _worth_trying(self, situation: object, faults: Faults) -> Sequence[Known]:
        """Return the faults that may be of use beside some; not those that were of none before.

        What is of no use beside fewer is of none beside more that change nothing here.
        """
        for fewer, useful in self._useful.get(situation, []):
            if fewer.items() <= faults.items():
                return useful
        return self._playing.known_faults

    def _children(self, known: Known, faults: Faults, place: Departure,
                  number: int) -> list[tuple[Match, Faults]]:
        """Return sets with a variant of one fault more, and how each follows a session.

        None where a simpler set explains everything.
        """
        if known.id not in faults and (
                len(faults) == MOST_FAULTS
                or self._simplicity([*faults, known.id]) >= self._simplest):
            return []
        sets = [{**faults, known.id: made} for made in known.variants(place)]
        return [(self._playing.follow(child, number), child) for child in sets]


def better_of(known: Known, children: Sequence[tuple[Match, Faults]],
              place: Departure) -> list[Better]:
    """Return the sets that explain more of a session.

    What is learned is learned by trial: the best guess is the right one, if it explains more than
    the line from which it was learned.
    """
    match = place.match
    better = [(of_child.reach, child) for of_child, child in children
              if of_child.reach > match.reach]
    best = max(better, key=first_of, default=(match.reach, {}))[0]
    if known.is_of_lines and best <= (False, match.session.at + len(place.printed) + 1):
        return []
    return [child for child in better if child[0] == best] if known.is_learned else better
