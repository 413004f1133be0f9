"""Which faults of a set are certain: without them some output is explained less, and none more."""

from __future__ import annotations

from .follow import Heard, Match
from .playing import Faults, Playing, without
from .protocol import shape_of

# Beside what nobody explains:
MOST_PIECES = 3                         # that are learned of one fault
MOST_ASTRAY = 2                         # sessions that go astray for each that a fault explains


class Explained:
    """Sessions and the faults that are certain: how each session is explained with all of them,
    and without each."""

    def __init__(self, playing: Playing, faults: Faults) -> None:
        self._playing = playing
        self._known_faults = {known.id: known for known in playing.known_faults}
        self.sessions = playing.sessions
        self.faults = dict(faults)
        self.matches = playing.matches(faults)
        self.without: dict[str, list[Match]] = {}
        doubtful = self._doubtful()
        while doubtful:
            del self.faults[doubtful]
            self.matches = playing.matches(self.faults)
            doubtful = self._doubtful()

    def _doubtful(self) -> str:
        """Return a fault that is not certain, the least simple one first, `''` if all are."""
        self.without = {name: self._playing.matches(without(self.faults, name))
                        for name in self.faults}
        for is_certain in (self._does_no_harm, self._is_proved):
            for name in reversed([*self.faults]):
                if not is_certain(name):
                    return name
        return ''

    def _does_no_harm(self, name: str) -> bool:
        """Whether with a fault no session is explained less than without it.

        Nor does a crash that it names happen where it has no part, nor does a line come that it
        leaves out.
        """
        if any(match.reach < less.reach for _, match, less in self._compared(name)):
            return False
        left_out = getattr(self.faults[name], 'left_out', ())
        if any(shape_of(match.upcoming) in left_out for match in self.matches):
            return False
        crashes = {heard.error for heard, match, less in self._compared(name)
                   if match.is_crash and not less.is_whole and self._known_faults[name].is_crash}
        return not any(heard.has_crashed and heard.error in crashes and not match.is_whole
                       for heard, match in zip(self.sessions, self.matches))

    def _is_proved(self, name: str) -> bool:
        """Whether enough is explained by a fault.

        If everything is explained, the output of one more input line must be explained by it, of
        two if it was learned from the output; otherwise of two, and of three more for each thing
        that was learned. A program that has printed nothing proves nothing, nor does a crash where
        the game has one, unless it is what is named.
        """
        known = self._known_faults[name]
        if self._is_silent(name) and any(
                hasattr(self.faults[other], 'left_out') or self._is_silent(other)
                for other in self.faults if other != name):
            return False                # that nothing comes has a reason already
        explained = [(heard, match, less) for heard, match, less in self._compared(name)
                     if heard.text and match.reach > less.reach]
        if self._is_whole:
            least = 1 + known.is_learned
        elif self._is_doubted(name, len(explained)):
            return False
        else:
            least = 2 + 3 * self._pieces(name)
        if known.is_crash and any(match.is_whole for _, match, _ in explained):
            return True
        return least <= sum(max(0, min(match.steps, len(heard.transcript.steps)) - less.steps)
                            for heard, match, less in explained)

    def _is_silent(self, name: str) -> bool:
        """Whether a fault, other than a crash, only explains that nothing is printed."""
        return not self._known_faults[name].is_crash and not any(
            match.position > less.position for _, match, less in self._compared(name))

    def _is_doubted(self, name: str, number: int) -> bool:
        """Whether a fault that explains more of some sessions may only happen to.

        The program goes astray in many others, or hangs there; or it does so with the fault and
        without it where that makes a difference; or the fault was put together of many pieces.
        """
        astray = [heard for heard, match in zip(self.sessions, self.matches) if not match.is_whole
                  and (self._playing.is_of_protocol(match.upcoming)
                       or (heard.status is None and not match.session.upcoming()))]
        in_vain = [match for _, match, less in self._compared(name)
                   if match.reach == less.reach and match.session.due != less.session.due]
        return (len(astray) > MOST_ASTRAY * number or len(in_vain) > number
                or self._pieces(name) > MOST_PIECES)

    def _pieces(self, name: str) -> int:
        """Return how many things were learned from the output to make a fault."""
        known = self._known_faults[name]
        return len(getattr(self.faults[name], known.pieces, ())) or int(known.is_learned)

    def _compared(self, name: str) -> list[tuple[Heard, Match, Match]]:
        """Return each session, as it is explained with all faults, and without one."""
        return list(zip(self.sessions, self.matches, self.without[name]))

    @property
    def _is_whole(self) -> bool:
        return all(match.is_whole for match in self.matches)
