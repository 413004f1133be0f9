"""Fresh games: games that nobody has seen, and of those that fail the smallest.

The games make their sessions themselves, from a generator of random numbers; our own console says
what is due. When a program fails one, parts of it are left out while the program still fails: half
of them at once, then smaller shares (A. Zeller's delta debugging).
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Callable, Iterator, Sequence

from .assignments.game import Game, Maker, Parts
from .assignments.games import for_others, game_of, games_of, is_whole_program, recorded
from .sessions.difference import Difference
from .sessions.transcript import Transcript, TranscriptError

SHRINKING_SECONDS = 20                  # that shrinking may take
SHRINKING_RUNS = 400                    # of the program, while its game is shrunk
MOST_REPEATS = 100                      # games in a row that are not new: then there are no more
MOST_OTHERS = 60                        # games more, of which smaller ones are tried first

Play = Callable[[Transcript], 'Difference | None']


@dataclass
class Fresh:
    """What became of the fresh games; `smallest` and `difference` are None if all is right."""

    played: int = 0                     # games, up to the first that failed
    smallest: Transcript | None = None  # the smallest game found in which the program goes wrong
    difference: Difference | None = None
    is_flaky: bool = False              # whether the program answers differently each time
    is_cut: bool = False                # whether time was up before all had been played

    @property
    def text(self) -> str:
        """The smallest game as a transcript's text, '' if all is right."""
        return '\n'.join([*self.smallest.lines, '']) if self.smallest else ''


def play_fresh(name: str, count: int, play: Play, *, seed: int | None = None, prompts: bool = False,
               stop_at: float = math.inf) -> Fresh:
    """Play so many fresh games through a program, up to the first that fails; shrink that one.

    `name` is that of one game, to be played as `prompts` says, or of a program that plays several.
    `play` runs the program on a transcript, and returns how it departs from it. The same `seed`
    makes the same games, None others each time. At `stop_at`, by the monotonic clock, no more games
    are played.
    """
    fresh = Fresh()
    run = Runs(play, stop_at)
    try:
        games = fresh_games(name, prompts, Random(seed))
        for text in islice(games, count):
            transcript = due(text)
            difference = run(transcript)
            fresh.played += 1
            if difference:
                shrink(fresh, transcript, difference, run, [*islice(games, MOST_OTHERS)])
                break
    except Enough:
        fresh.is_cut = True
    return fresh


def fresh_games(name: str, prompts: bool, rng: Random) -> Iterator[str]:
    """Yield scenarios of a game, or of a program's games, none twice, until there are no more."""
    kinds = [(game, way) for game in games_of(name) for way in (
        (False, True)[:1 + game.has_prompts] if is_whole_program(name) else [prompts])]
    made: set[str] = set()
    repeats = 0
    while repeats < MOST_REPEATS:
        game, way = rng.choice(kinds)
        maker = maker_of(game)
        text = scenario([*game.command, *['--prompts'] * way, *maker.arguments], maker.make(rng))
        repeats = repeats + 1 if text in made else 0
        if not repeats:
            made.add(text)
            yield text


def maker_of(game: Game | None) -> Maker:
    """Return the maker of a game that has one."""
    assert game
    assert game.maker
    return game.maker


def scenario(command: Sequence[str], inputs: Sequence[str]) -> str:
    """Return the text of a transcript in which nothing is recorded yet."""
    return '\n'.join(['$ ' + ' '.join(command), *inputs])


def due(text: str) -> Transcript:
    """Return a scenario with what is due in it. Raises `TranscriptError` if it is no game."""
    return for_others(Transcript('fresh game', recorded(Transcript('fresh game', text))))


class Enough(Exception):
    """Time is up, or runs are used up."""


class Runs:
    """Runs of a program while there is time, at most so many."""

    def __init__(self, play: Play, stop_at: float, most: float = math.inf) -> None:
        self.play = play
        self.stop_at = stop_at
        self._left = most

    def __call__(self, transcript: Transcript) -> Difference | None:
        """Return how the program departs from a transcript. Raises `Enough`."""
        if not self._left:
            raise Enough
        self._left -= 1
        self._check_time()
        difference = self.play(transcript)
        if difference:
            self._check_time()          # it may be the end of the time that has cut it short
        return difference

    def _check_time(self) -> None:
        if time.monotonic() > self.stop_at:
            raise Enough


def shrink(fresh: Fresh, transcript: Transcript, difference: Difference, run: Runs,
           others: Sequence[str]) -> None:
    """Note the smallest game that the program fails, and if it is flaky.

    It is a part of the one that it has failed, or of a smaller one among some others.
    """
    until = min(run.stop_at, time.monotonic() + SHRINKING_SECONDS)
    shrinking = Shrinking(transcript, difference, Runs(run.play, until, SHRINKING_RUNS))
    fresh.is_flaky = not is_repeated(difference, transcript, shrinking.run)
    if not fresh.is_flaky:
        with suppress(Enough):
            shrinking.choose(others)
            shrinking.shrink()
    smallest = shrinking.difference.transcript      # which may have followed the program
    fresh.smallest = for_others(Transcript('smallest.txt', '\n'.join([
        '# The smallest of the fresh games found in which the program goes wrong.',
        *smallest.lines])))
    fresh.difference = replace(shrinking.difference, transcript=fresh.smallest)
    if not fresh.is_flaky:
        fresh.is_flaky = not is_repeated(fresh.difference, fresh.smallest, run)


def is_repeated(difference: Difference, transcript: Transcript, run: Runs) -> bool:
    """Return whether a program departs so once more, as far as there is time to see it."""
    try:
        again = run(transcript)
    except Enough:
        return True
    return again is not None and is_same(difference, again)


def is_same(one: Difference, other: Difference) -> bool:
    """Return whether a program departs alike; how much it goes on to print is a matter of time.

    One that has a choice may come to it by another way.
    """
    if one.transcript.others:
        return one.kind == other.kind
    shorter, longer = sorted((one.printed, other.printed), key=len)
    return (one.step, one.kind) == (other.step, other.kind) and longer.startswith(shorter)


class Shrinking:
    """The search for a smaller game that a program fails: the `smallest` so far."""

    def __init__(self, smallest: Transcript, difference: Difference, run: Runs) -> None:
        self.smallest = smallest
        self.difference = difference
        self.run = run
        self._maker = maker_of(game_of(smallest))
        self._tried: set[str] = set()

    def choose(self, others: Sequence[str]) -> None:
        """Begin with a game that has fewer lines and fails, if there is one. Raises `Enough`."""
        for text in others:
            if text.count('\n') < len(self.smallest.inputs):
                self._fails(text)

    def shrink(self) -> None:
        """Leave out parts until none can be left out any more. Raises `Enough`."""
        whole = None
        while self.smallest is not whole:
            whole = self.smallest
            for parts_of in self._maker.parts:
                self._leave_out(parts_of(self.smallest, self.difference.step))

    def _leave_out(self, parts: Parts) -> None:
        """Leave out all parts that can be: all of them at once, then halves, up to single ones."""
        left_out: set[int] = set()
        share = parts.count
        while share:
            kept = [part for part in range(parts.count) if part not in left_out]
            for start in range(0, len(kept), share):
                more = left_out.union(kept[start:start + share])
                inputs = parts.without(more)
                if inputs is not None and self._fails(scenario(self.smallest.command, inputs)):
                    left_out = more
            share //= 2

    def _fails(self, text: str) -> bool:
        """Return whether the program fails a scenario that is smaller; then remember that one."""
        if text in self._tried:
            return False
        self._tried.add(text)
        try:
            transcript = due(text)
        except TranscriptError:         # to our console it is no game, or not a whole one
            return False
        difference = self.run(transcript)
        size = self._maker.size
        if not difference or size(transcript, difference.step) >= size(
                self.smallest, self.difference.step):
            return False
        self.smallest, self.difference = transcript, difference
        return True
