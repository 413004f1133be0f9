"""Fresh games: games that nobody has seen, and of those that fail the smallest.

Hypothesis makes the games, each a scenario of input lines; our own console says what is due.
When a program fails one, smaller ones that still fail are searched for.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from random import Random, SystemRandom
from typing import Callable

from hypothesis import HealthCheck, Phase, Verbosity, find, reject, settings
from hypothesis.errors import NoSuchExample, Unsatisfiable
from hypothesis.strategies import SearchStrategy

from .assignments.consoles import recorded
from .assignments.game import Maker
from .assignments.games import maker_for
from .sessions.difference import Difference
from .sessions.transcript import Transcript

SHRINKING_SECONDS = 20                  # that shrinking may take
SHRINKING_RUNS = 400                    # of the program, while its game is shrunk
MOST_PARTS = 50                         # that are made of a failing game, up to one that fails
SEEDS = 1_000_000

Play = Callable[[Transcript], 'Difference | None']


@dataclass
class Fresh:
    """What became of the fresh games; `smallest` and `difference` are None if all is right."""

    seed: int                           # which makes the same games again
    played: int                         # games, up to the first that failed
    smallest: Transcript | None = None  # the smallest game found in which the program goes wrong
    difference: Difference | None = None
    is_flaky: bool = False              # whether the program answers differently each time
    is_cut: bool = False                # whether time was up before all had been played

    @property
    def text(self) -> str:
        """The smallest game as a transcript's text, '' if all is right."""
        return '\n'.join([*self.smallest.lines, '']) if self.smallest else ''


def play_fresh(game: str, count: int, play: Play, *, seed: int | None = None,
               prompts: bool = False, stop_at: float = math.inf) -> Fresh:
    """Play so many fresh games through a program, up to the first that fails; shrink that one.

    `game` is one game, to be played as `prompts` says, or all that a program plays by its command
    line, with prompts and without. `play` runs the program on a transcript, and returns how it
    departs from it. The same `seed` makes the same games; without one it is chosen. At `stop_at`,
    by the monotonic clock, no more games are played.

    What `play` raises ends the games, and is raised here.
    """
    seed = SystemRandom().randrange(SEEDS) if seed is None else seed
    maker = maker_for(game)
    trials = Trials(play, maker.size, stop_at)
    try:
        trials.search(maker.games(game, prompts), count, Random(seed), shrinks=not maker.PARTS)
        shrink_by_parts(trials, maker, Random(seed))
    except Enough:
        pass
    if trials.error:
        raise trials.error
    return told(trials, game, seed)


def shrink_by_parts(trials: Trials, maker: Maker, rng: Random) -> None:
    """Shrink a failing game, if there is one, until none of its parts is smaller."""
    whole = None
    while trials.smallest is not whole:
        whole = trials.smallest
        for parts in maker.PARTS:
            if trials.smallest and trials.difference:
                failing = maker.scenario_of(trials.smallest, trials.difference.step)
                trials.search(parts(failing), MOST_PARTS, rng)


def told(trials: Trials, game: str, seed: int) -> Fresh:
    """Return the result, the smallest game as a transcript that says what it is.

    It is played once more; a program that answers otherwise then is flaky.
    """
    fresh = Fresh(seed, trials.played, is_flaky=trials.is_flaky,
                  is_cut=trials.is_late and not trials.smallest)
    if trials.smallest and trials.difference:
        fresh.smallest = Transcript('smallest.txt', '\n'.join([
            '# The smallest game found in which the program goes wrong: one of the fresh games of',
            f'# {game} with the seed {seed}, shrunk.', *trials.smallest.lines]))
        again = None if fresh.is_flaky else trials.play(fresh.smallest)
        fresh.is_flaky = not (again and is_same(again, trials.difference))
        fresh.difference = replace(trials.difference, transcript=fresh.smallest)
    return fresh


def is_same(one: Difference, other: Difference) -> bool:
    """Return whether a program departs alike; how much it goes on to print is a matter of time."""
    shorter, longer = sorted((one.printed, other.printed), key=len)
    return (one.step, one.kind) == (other.step, other.kind) and longer.startswith(shorter)


class Enough(BaseException):
    """The end of all trials: no `Exception`, since Hypothesis would try those once more."""


class Trials:
    """Games tried on a program, each once: how many, and the smallest that fails."""

    def __init__(self, play: Play, size: Callable[[Transcript, int], tuple[object, ...]],
                 stop_at: float) -> None:
        self.play = play
        self.played = 0                     # up to the first that failed
        self.smallest: Transcript | None = None
        self.difference: Difference | None = None
        self.is_flaky = False
        self.is_late = False                # whether it was time that ended the trials
        self.error: BaseException | None = None     # what `play` has raised
        self._size = size
        self._size_of_smallest: tuple[object, ...] = ()
        self._stop_at = stop_at
        self._runs = 0                      # since the first that failed
        self._fails: dict[str, bool] = {}   # by scenario

    def search(self, scenarios: SearchStrategy[list[str]], count: int, rng: Random,
               shrinks: bool = True) -> None:
        """Try so many scenarios, up to the first that fails; then smaller ones, if it `shrinks`.

        Raises `Enough` when time or runs are used up, or the program cannot be run.
        """
        phases = [Phase.generate, Phase.shrink] if shrinks else [Phase.generate]
        limits = settings(max_examples=count, phases=phases, database=None, deadline=None,
                          derandomize=False, print_blob=False, verbosity=Verbosity.quiet,
                          suppress_health_check=list(HealthCheck))
        try:
            find(scenarios, self._fails_by, settings=limits, random=rng)
        except (NoSuchExample, Unsatisfiable):
            pass

    def _fails_by(self, scenario: list[str]) -> bool:
        """Return whether the program fails a game that is smaller than those it has failed."""
        text = '\n'.join(scenario)
        if text in self._fails:
            if not self.smallest:
                reject()                    # the same game again does not count as fresh
            return self._fails[text]
        transcript = Transcript('fresh game', recorded(Transcript('fresh game', text)))
        difference = self._run(transcript)
        self._fails[text] = difference is not None and self._is_smallest(transcript, difference)
        return self._fails[text]

    def _is_smallest(self, transcript: Transcript, difference: Difference) -> bool:
        """Return whether a game that fails is smaller than those before; then remember it."""
        is_first = not self.smallest
        size = self._size(transcript, difference.step)
        if not is_first and size >= self._size_of_smallest:
            return False
        self.smallest, self.difference, self._size_of_smallest = transcript, difference, size
        if is_first:
            self._stop_at = min(self._stop_at, time.monotonic() + SHRINKING_SECONDS)
            again = self._run(transcript)
            self.is_flaky = not (again and is_same(difference, again))
            if self.is_flaky:
                raise Enough
        return True

    def _run(self, transcript: Transcript) -> Difference | None:
        self._check_time()
        if self._runs == SHRINKING_RUNS:
            raise Enough
        try:
            difference = self.play(transcript)
        except BaseException as error:      # which Hypothesis would take for a failing game
            self.error = error
            raise Enough from None
        if difference:
            self._check_time()              # it may have been cut short
        self._runs += self.smallest is not None
        self.played += self.smallest is None
        return difference

    def _check_time(self) -> None:
        """Raise `Enough` if time is up."""
        if time.monotonic() > self._stop_at:
            self.is_late = True
            raise Enough
