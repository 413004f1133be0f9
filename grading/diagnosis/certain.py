"""Which faults of a set are certain: without them some output is explained less, and none more."""

from __future__ import annotations

from .follow import Heard, Match
from .known import Known
from .search import Faults, Search

MOST_PIECES = 3                         # that are learned of one fault beside what nobody explains


class Explained:
    """Sessions and the faults that are certain: how each session is explained with all of them,
    and without each."""

    def __init__(self, search: Search, sessions: list[Heard], faults: Faults,
                 known_faults: list[Known]) -> None:
        self._search = search
        self._known_faults = {known.id: known for known in known_faults}
        self.sessions = sessions
        self.faults = dict(faults)
        self.matches = search.matches(faults)
        self.without: dict[str, list[Match]] = {}
        doubtful = self._doubtful()
        while doubtful:
            del self.faults[doubtful]
            self.matches = search.matches(self.faults)
            doubtful = self._doubtful()

    def _doubtful(self) -> str:
        """Return a fault that is not certain, the least simple one first, `''` if all are."""
        self.without = {name: self._search.matches({other: made for other, made
                                                    in self.faults.items() if other != name})
                        for name in self.faults}
        names = sorted(self.faults, key=list(self.without).index, reverse=True)
        for is_certain in (self._does_no_harm, self._is_proved):
            for name in names:
                if not is_certain(name):
                    return name
        return ''

    def _does_no_harm(self, name: str) -> bool:
        """Whether with a fault no session is explained less than without it.

        Nor does a crash that it names happen where it has no part.
        """
        pairs = list(zip(self.sessions, self.matches, self.without[name]))
        if any(match.reach < less.reach for _, match, less in pairs):
            return False
        if not self._known_faults[name].is_crash:
            return True
        crashes = {heard.error for heard, match, less in pairs
                   if match.is_crash and not less.is_whole}
        return not any(heard.has_crashed and heard.error in crashes and not match.is_whole
                       for heard, match, _ in pairs)

    def _is_proved(self, name: str) -> bool:
        """Whether enough is explained by a fault.

        Where all is explained the output of one more input line is. Otherwise it is of two, and of
        five where something was learned from the output. Where something else is wrong, with the
        fault and without it, is a doubt. A program that has printed nothing proves nothing, nor
        does a crash where the game has one, unless it is what is named.
        """
        known = self._known_faults[name]
        is_all = all(match.is_whole for match in self.matches)
        triples = list(zip(self.sessions, self.matches, self.without[name]))
        pairs = [(heard, match, less) for heard, match, less in triples
                 if heard.text and match.reach > less.reach]
        doubts = [match for _, match, less in triples
                  if match.reach == less.reach and match.session.due != less.session.due]
        pieces = len(getattr(self.faults[name], known.pieces, ()))
        if len(doubts) > len(pairs) or (pieces > MOST_PIECES and not is_all):
            return False
        if known.is_crash and any(match.is_whole for _, match, _ in pairs):
            return True
        steps = sum(max(0, min(match.steps, len(heard.transcript.steps)) - less.steps)
                    for heard, match, less in pairs)
        return steps >= (1 if is_all else 2) + known.is_learned * (1 if is_all else 3)
