"""The search for the smallest set of known faults that explains all that a program printed."""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass
from itertools import count, product
from typing import Iterator

from ..printable import decoded
from ..sessions.difference import Observed
from ..sessions.transcript import Transcript
from .follow import Followed, Match, follow, variant
from .models import Model, Place
from .session import Session

MOST_FAULTS = 4
# Which stops may be for a reason that no model has, and how many faults that costs.
TOLERATED = [((), 0.0), (('crashed',), 1.5), (('crashed', 'ended'), 2.5)]
WAYS = list(product((False, True), repeat=2))       # whether tolerant, whether two at once
TURNS = 3                               # how many transcripts are tried as the first
MOST_FOLLOWS = 5000                     # sessions that are played in each way to search


@dataclass
class Node:
    """A set of faults, and how far it explains the program: transcript and position in it."""

    faults: dict[str, type[Session]]
    tolerance: int = 0                  # an index of TOLERATED
    number: int = 0
    match: Match | None = None

    @property
    def cost(self) -> float:
        return len(self.faults) + TOLERATED[self.tolerance][1] + MOST_FAULTS * (not self.faults)

    @property
    def is_settled(self) -> bool:
        """Whether this transcript is explained."""
        kinds = 'whole', *TOLERATED[self.tolerance][0]
        return self.match is not None and self.match.kind in kinds

    @property
    def explained(self) -> tuple[int, float]:
        """How far the program is explained: a transcript, and how much of it."""
        if not self.match:
            return self.number, 0
        return self.number, self.match.position + (self.match.kind == 'whole') / 2

    @property
    def due(self) -> str:
        """What this set has the program print where it prints something else."""
        return self.match.session.due if self.match else ''


class Search:
    """A search among the models of a game for what explains the failing transcripts.

    The passed ones must be explained by it too. At a deadline, a time of `time.monotonic`, the
    search is given up.
    """

    def __init__(self, game: type[Session], models: list[Model], failed: list[Observed],
                 passed: list[Transcript], deadline: float) -> None:
        self._game = game
        self._models = models
        self._order = [model.id for model in models]
        self._failed = list(failed)
        self._heard = {id(observed): decoded(observed.output) for observed in failed}
        self._passed = passed
        self._budget = 0
        self._deadline = deadline

    def find(self) -> Node | None:
        """Return the smallest set that explains everything, None if there is none.

        The shortest transcript comes first, unless it is one that takes several faults at once
        to explain any more of it: then others lead to them, or two at once are tried. Only if
        nothing explains why a program stops may it be for a reason of its own.
        """
        for self._is_tolerant, self._is_wide in WAYS:
            self._budget = MOST_FOLLOWS
            for _ in range(min(TURNS, len(self._failed))):
                node = self._find()
                if node:
                    return node
                self._failed.append(self._failed.pop(0))
        return None

    @property
    def _is_exhausted(self) -> bool:
        return self._budget < 0 or time.monotonic() > self._deadline

    def _find(self) -> Node | None:
        serial = count()                # so that nodes are never compared
        queue: list[tuple[tuple[float, ...], int, Node]] = []

        def add(node: Node) -> None:
            heapq.heappush(queue, (self._priority(node), next(serial), node))

        add(self._explained(Node({})))
        while queue and not self._is_exhausted:
            node = heapq.heappop(queue)[-1]
            if node.match is None:
                if all(self._explains_passed(node, transcript) for transcript in self._passed):
                    return node
                continue
            for child in self._children(node):
                add(child)
        return None

    def _priority(self, node: Node) -> tuple[float, ...]:
        learned = sum(model.is_learned and model.id in node.faults for model in self._models)
        return (node.cost, *(-number for number in node.explained), learned,
                *sorted(map(self._order.index, node.faults)))

    def _children(self, node: Node) -> Iterator[Node]:
        """Yield the sets with one fault more, or more of one, that explain more.

        A fault may show only another at the same place; then it is two that explain more.
        """
        aside = []
        for child in self._with_one_more(node):
            if child.explained > node.explained:
                yield child
            elif child.explained == node.explained and child.due != node.due:
                aside.append(child)
        for other in aside:
            if self._is_wide and len(other.faults) > len(node.faults):
                yield from (child for child in self._with_one_more(other)
                            if child.explained > node.explained)
        for tolerance in range(node.tolerance + 1, len(TOLERATED) * self._is_tolerant):
            more_tolerant = self._explained(Node(node.faults, tolerance))
            if more_tolerant.explained > node.explained:
                yield more_tolerant

    def _with_one_more(self, node: Node) -> Iterator[Node]:
        """Yield the sets with one variant more, or another of a fault that is learned."""
        if not node.match:
            return
        place = Place(node.match, self._failed[node.number].difference,
                      lambda more: self.follow(node.faults, self._failed[node.number], more))
        for model in self._models:
            if self._is_exhausted:
                return
            if model.id in node.faults:
                if not model.is_learned:
                    continue
            elif len(node.faults) == MOST_FAULTS:
                continue
            children = [self._at_same_place(node, model, variant)
                        for variant in model.variants(place)]
            best = max((child.explained for child in children), default=(0, 0))
            for child in children:
                # What is learned is learned by trial: the best guess is the right one.
                if child.explained >= node.explained and (
                        not model.is_learned or child.explained == best):
                    yield self._explained(child) if child.explained > node.explained else child

    def _at_same_place(self, node: Node, model: Model, variant: type[Session]) -> Node:
        """Return a set with one variant more, and how far it explains this one transcript."""
        child = Node({**node.faults, model.id: variant}, node.tolerance, node.number)
        child.match = self.follow(child.faults, self._failed[node.number])
        return child

    def _explained(self, node: Node) -> Node:
        """Return a set, with how far it explains the failing transcripts, one after the other."""
        for node.number in range(len(self._failed)):
            node.match = self.follow(node.faults, self._failed[node.number])
            if not node.is_settled:
                return node
        node.number, node.match = len(self._failed), None
        return node

    def follow(self, faults: dict[str, type[Session]], observed: Observed,
               *more: type[Session]) -> Match:
        """Follow the program with some faults along a failing transcript."""
        self._budget -= 1
        return follow(self._session(faults, observed.transcript, *more),
                      self._heard[id(observed)], observed.status)

    def _explains_passed(self, node: Node, transcript: Transcript) -> bool:
        session = self._session(node.faults, transcript)
        return follow(session, transcript.output, 0).kind == 'whole'

    def _session(self, faults: dict[str, type[Session]], transcript: Transcript,
                 *more: type[Session]) -> Followed:
        variants = [faults[name] for name in self._order if name in faults]
        return variant(self._game, *more, *variants)(transcript.inputs, transcript.arguments)
