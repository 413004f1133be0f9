"""Fresh games: games that nobody has seen, and the smallest game that a program fails.

Each game makes sessions from random numbers, and our own console says what is due in them. When a
program fails a game, the grader leaves out parts of it while the program still fails: half of them
at once, then smaller shares (A. Zeller's delta debugging).
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Callable, Iterator, Sequence

from .assignments.game import Game, Maker, Parts, recorded
from .assignments.games import for_others, game_of, games_of, is_whole_program
from .sessions.difference import Difference
from .sessions.steps import as_typed
from .sessions.transcript import Transcript, TranscriptError

SHRINKING_SECONDS = 20                  # that shrinking may take
SHRINKING_RUNS = 400                    # of the program, while its game is shrunk
MOST_REPEATS = 100                      # games in a row that are not new: then no more are made
MOST_OTHERS = 60                        # more games, the smaller of which are tried first

Play = Callable[[Transcript], 'Difference | None']


@dataclass
class Fresh:
    """The result of the fresh games; `smallest` and `difference` are None if all are right."""

    played: int = 0                     # games, up to the first that failed
    smallest: Transcript | None = None  # the smallest game found in which the program goes wrong
    difference: Difference | None = None
    is_flaky: bool = False              # whether the program answers differently each time
    is_cut: bool = False                # whether time was up before all games had been played

    @property
    def text(self) -> str:
        """The smallest game as a transcript's text, '' if all is right."""
        return '\n'.join([*self.smallest.lines, '']) if self.smallest else ''


def play_fresh(name: str, count: int, play: Play, *, seed: int | None = None, prompts: bool = False,
               at_once: bool = False, stop_at: float = math.inf) -> Fresh:
    """Play up to `count` fresh games through a program until one fails, and make that one smaller.

    `name` is a game, played with or without `prompts`, or a program that plays several games.
    `play` runs the program on a transcript, and returns the difference, or None. The same `seed`
    makes the same games; None makes others each time. With `at_once` there are only games in which
    what to type does not depend on the program. No game starts after `stop_at` by the monotonic
    clock.
    """
    fresh = Fresh()
    run = Runs(play, stop_at)
    try:
        games = fresh_games(name, prompts, Random(seed))
        playable = (one for one in map(due, games) if not (at_once and one.others))
        for transcript in islice(playable, count):
            difference = run(transcript)
            fresh.played += 1
            if difference:
                shrink(fresh, transcript, difference, run, [*islice(games, MOST_OTHERS)])
                break
    except Enough:
        fresh.is_cut = True
    return fresh


def fresh_games(name: str, prompts: bool, rng: Random) -> Iterator[str]:
    """Yield different scenarios of a game, or of the games of a program."""
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
    return '\n'.join(['$ ' + ' '.join(command), *map(as_typed, inputs)])


def due(text: str) -> Transcript:
    """Return a scenario with our console's outputs. Raises `TranscriptError` if it is no game."""
    return for_others(Transcript('fresh game', recorded(Transcript('fresh game', text))))


class Enough(Exception):
    """The time or the number of runs is used up."""


class Runs:
    """Runs of a program, until a time and up to a number."""

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
            self._check_time()          # the end of the time may have cut the game short
        return difference

    def _check_time(self) -> None:
        if time.monotonic() > self.stop_at:
            raise Enough


def shrink(fresh: Fresh, transcript: Transcript, difference: Difference, run: Runs,
           others: Sequence[str]) -> None:
    """Find the smallest game that the program fails, and whether the program is flaky; note both.

    The smallest game is a part of the one that failed, or of a smaller one among `others`.
    """
    until = min(run.stop_at, time.monotonic() + SHRINKING_SECONDS)
    shrinking = Shrinking(transcript, difference, Runs(run.play, until, SHRINKING_RUNS))
    fresh.is_flaky = not is_repeated(difference, transcript, shrinking.run)
    if not fresh.is_flaky:
        with suppress(Enough):
            shrinking.choose(others)
            shrinking.shrink()
    smallest = shrinking.difference.transcript      # the session that the program followed
    fresh.smallest = for_others(Transcript('smallest.txt', '\n'.join([
        '# The smallest of the fresh games found in which the program goes wrong.',
        *smallest.lines])))
    fresh.difference = replace(shrinking.difference, transcript=fresh.smallest)
    if not fresh.is_flaky:
        fresh.is_flaky = not is_repeated(fresh.difference, fresh.smallest, run)


def is_repeated(difference: Difference, transcript: Transcript, run: Runs) -> bool:
    """Return whether a program departs in the same way once more, if there is time to see."""
    try:
        again = run(transcript)
    except Enough:
        return True
    return again is not None and is_same(difference, again)


def is_same(one: Difference, other: Difference) -> bool:
    """Return whether two differences are the same; output after them does not count.

    A program with a choice of moves may come to the same difference in another way.
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
        """Start with another game that is smaller and fails, if there is one. Raises `Enough`."""
        for text in others:
            if text.count('\n') < len(self.smallest.inputs):
                self._fails(text)

    def shrink(self) -> None:
        """Leave out parts until the program passes without any more of them. Raises `Enough`."""
        whole = None
        while self.smallest is not whole:
            whole = self.smallest
            for parts_of in self._maker.parts:
                self._leave_out(parts_of(self.smallest, self.difference.step))

    def _leave_out(self, parts: Parts) -> None:
        """Leave out as many parts as possible: all at once, then halves, at last single ones."""
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
        """Return whether the program fails a smaller scenario; if so, go on with that one."""
        if text in self._tried:
            return False
        self._tried.add(text)
        try:
            transcript = due(text)
        except TranscriptError:         # our console takes it for no game, or for half of one
            return False
        difference = self.run(transcript)
        size = self._maker.size
        if not difference or size(transcript, difference.step) >= size(
                self.smallest, self.difference.step):
            return False
        self.smallest, self.difference = transcript, difference
        return True
