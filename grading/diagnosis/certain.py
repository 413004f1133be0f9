"""Which faults of a set are certain: without them some output is explained less, and none more."""

from __future__ import annotations

from typing import Collection

from .follow import Heard, Match
from .search import Faults, Search


class Explained:
    """Sessions and the faults that are certain: how each session is explained with all of them,
    and without each."""

    def __init__(self, search: Search, sessions: list[Heard], faults: Faults,
                 learned: Collection[str]) -> None:
        self._search = search
        self._learned = learned
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

        Nor is a crash explained that happens, at the same place, where the fault has no part.
        """
        pairs = list(zip(self.sessions, self.matches, self.without[name]))
        if any(match.reach < less.reach for _, match, less in pairs):
            return False
        crashes = {heard.crash.place for heard, match, less in pairs
                   if heard.crash and match.is_crash and not less.is_whole}
        return not any(heard.crash and heard.crash.place in crashes and not match.is_whole
                       for heard, match, _ in pairs)

    def _is_proved(self, name: str) -> bool:
        """Whether the output of a session is explained by one more input line, or some to the end.

        A program that has printed nothing proves nothing. What was learned from the output must
        explain more than that from which it was learned.
        """
        pairs = [(match, less) for heard, match, less
                 in zip(self.sessions, self.matches, self.without[name])
                 if heard.text and match.reach > less.reach]
        gains = [match.steps - less.steps for match, less in pairs]
        if name in self._learned:
            return max(gains, default=0) > 1 or sum(gain > 0 for gain in gains) > 1
        ends = sum(match.is_whole and not match.is_crash for match, _ in pairs)
        return max(gains, default=0) > 0 or ends > 1
