"""Plays fresh games, which nobody has seen, and shrinks the first game that a program fails.

Each game's maker generates random input, and the built-in console computes the expected output.
When a program fails a game, the grader removes as many parts of the game as it can while the
program still fails the rest. The grader tries to remove all parts at once, then halves, and finally
single parts: see Zeller's delta debugging. A scenario is the input of a game. In this module it is
text: a transcript without its output lines.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random

from ..games.consoles import recorded
from ..games.game import Game
from ..games.maker import Maker, PartKind
from ..games.registry import GAMES, game_of, games_of, leave_choices_open
from ..sessions.parse import parse
from ..sessions.session import Session, at_once
from ..sessions.transcript import TranscriptError, as_typed
from ..sessions.verdict import PlayedSession

SHRINKING_SECONDS = 20  # the time limit for shrinking a game
SHRINKING_RUNS = 400  # maximum number of runs of the program to shrink a game
MOST_REPEATS = 100  # stop generating after this many games in a row that are not new
MOST_OTHERS = 60  # games to generate after a failure, in case the program fails a smaller one

MAKERS: dict[Game | None, Maker] = {game: game.maker for game in GAMES.values() if game.maker}

Play = Callable[[Session], PlayedSession]


@dataclass
class Fresh:
    """The result of the fresh games."""

    played: int = 0  # how many games were played, including the one that failed
    smallest: PlayedSession | None = None  # the smallest failing game found, or None if none failed
    is_flaky: bool = False  # whether the same game does not always fail in the same way
    is_cut: bool = False  # whether time ran out before all games were played


def play_fresh(
    name: str,
    count: int,
    play: Play,
    *,
    seed: int | None = None,
    prompts: bool = False,
    at_once: bool = False,
    stop_at: float = math.inf,
) -> Fresh:
    """Play up to `count` fresh games until the program fails one, and shrink that game.

    `name` is the name of a game, played with or without `prompts`, or of a program that plays
    several games. `play` runs the program on a session. The same `seed` gives the same games; None
    gives different games each time. `at_once` leaves out games in which the input depends on what
    the program prints. No game starts after `stop_at`, by the monotonic clock.
    """
    fresh = Fresh()
    run = with_limits(play, stop_at)
    try:
        games = fresh_games(name, prompts, Random(seed))
        playable = (
            session for session in map(recorded_session, games) if not (at_once and session.others)
        )
        for session in itertools.islice(playable, count):
            played = run(session)
            fresh.played += 1
            if played.failure_found:
                record_smallest(fresh, played, play, stop_at, itertools.islice(games, MOST_OTHERS))
                break
    except Enough:
        fresh.is_cut = True
    return fresh


def fresh_games(name: str, prompts: bool, rng: Random) -> Iterator[str]:
    """Yield distinct scenarios of a game, or of a program's games."""
    kinds: list[tuple[Game, Maker, bool]] = []
    for game in games_of(name):
        if game.maker and name in GAMES:
            kinds.append((game, game.maker, prompts))
        elif game.maker:
            kinds.append((game, game.maker, False))
            if game.has_prompts:
                kinds.append((game, game.maker, True))
    made: set[str] = set()
    repeats = 0
    while repeats < MOST_REPEATS:
        game, maker, has_prompts = rng.choice(kinds)
        options = ['--prompts'] if has_prompts else []
        text = scenario([*game.command, *options, *maker.arguments], maker.make(rng))
        if text in made:
            repeats += 1
        else:
            repeats = 0
            made.add(text)
            yield text


def scenario(command: Sequence[str], inputs: Sequence[str]) -> str:
    """Return a scenario, given its command line and its input lines."""
    return '\n'.join(['$ ' + ' '.join(command), *map(as_typed, inputs)])


def recorded_session(scenario: str) -> Session:
    """Return the session of a scenario, with the output of the built-in console.

    Raises `TranscriptError` if the scenario is not a complete game.
    """
    return leave_choices_open(recorded(parse(scenario, 'fresh game')))


class Enough(Exception):
    """The limit on time or on the number of runs has been reached."""


def with_limits(play: Play, stop_at: float, most: float = math.inf) -> Play:
    """Return a function that plays a session, or raises `Enough`.

    The function plays up to `most` sessions, and none after `stop_at`, by the monotonic clock.
    """
    runs = itertools.count(1)

    def run(session: Session) -> PlayedSession:
        if next(runs) > most or time.monotonic() > stop_at:
            raise Enough
        played = play(session)
        if played.failure_found and time.monotonic() > stop_at:
            raise Enough  # it may have failed because of the time limit
        return played

    return run


def record_smallest(
    fresh: Fresh, failed: PlayedSession, play: Play, stop_at: float, others: Iterable[str]
) -> None:
    """Record the smallest game found that the program fails, and whether that failure is flaky."""
    run = with_limits(play, min(stop_at, time.monotonic() + SHRINKING_SECONDS), SHRINKING_RUNS)
    fresh.is_flaky = not fails_again(failed, failed.place.session, run)
    smallest = failed if fresh.is_flaky else shrink(failed, others, run)
    comment = '# The smallest failing fresh game found.'
    text = '\n'.join([comment, *smallest.place.session.lines])
    session = leave_choices_open(parse(text, 'smallest.txt'))
    fresh.smallest = replace(
        smallest, session=at_once(session) if smallest.session.in_turns else session
    )
    fresh.is_flaky = fresh.is_flaky or not fails_again(
        fresh.smallest, session, with_limits(play, stop_at)
    )


def shrink(failed: PlayedSession, others: Iterable[str], run: Play) -> PlayedSession:
    """Return the smallest game found that a program fails.

    The result is a part of the given game, or of a smaller game among `others`. The search ends
    when no further part can be removed, or when a limit is reached.
    """
    search = Shrinking(failed, run)
    with suppress(Enough):
        for text in others:
            if text.count('\n') < len(search.smallest.place.session.inputs):
                search.keep_if_smaller(text)
        before = None
        while search.smallest is not before:
            before = search.smallest
            search.leave_out_parts()
    return search.smallest


class Shrinking:
    """The search for a smaller game that a program fails."""

    def __init__(self, failed: PlayedSession, run: Play) -> None:
        self.smallest = failed
        self._run = run
        self._tried: set[str] = set()

    @property
    def _maker(self) -> Maker:
        return MAKERS[game_of(self.smallest.session)]

    def keep_if_smaller(self, text: str) -> bool:
        """Play a scenario; if it is smaller and the program fails it, keep it and return True."""
        if text in self._tried:
            return False
        self._tried.add(text)
        try:
            session = recorded_session(text)
        except TranscriptError:  # the built-in console does not accept it as a complete game
            return False
        played = self._run(session)
        if not played.failure_found or self._size(session, played) >= self._size(
            self.smallest.place.session, self.smallest
        ):
            return False
        self.smallest = played
        return True

    def _size(self, session: Session, played: PlayedSession) -> tuple[object, ...]:
        return self._maker.size(session, played.place.step)

    def leave_out_parts(self) -> None:
        """Remove as many parts as possible, one kind of part after another."""
        maker = self._maker
        for kind in maker.parts:
            self._leave_out(kind, maker)

    def _leave_out(self, kind: PartKind, maker: Maker) -> None:
        """Remove parts of one kind: first all at once, then halves, finally single parts."""
        parts_of, without = kind
        whole = maker.read(self.smallest.place.session, self.smallest.place.step)
        parts = parts_of(whole)
        left_out: set[Hashable] = set()
        share = len(parts)
        while share:
            kept = [part for part in parts if part not in left_out]
            for start in range(0, len(kept), share):
                more = left_out.union(kept[start : start + share])
                inputs = maker.lines(without(whole, more))
                if inputs is None:
                    continue
                if self.keep_if_smaller(scenario(self.smallest.session.command, inputs)):
                    left_out = more
            share //= 2


def fails_again(failed: PlayedSession, session: Session, run: Play) -> bool:
    """Return whether a program fails a game in the same way a second time.

    Both failures must have the same turn and kind, and the output of one run must begin with that
    of the other. If the program chooses some moves itself, only the kind must be the same. Return
    True if there is no time to play again.
    """
    try:
        again = run(session)
    except Enough:
        return True
    if not again.failure_found or not failed.failure_found:
        return False
    if failed.session.others:
        return failed.failure_found.kind == again.failure_found.kind
    first, second = failed.failure_found, again.failure_found
    printed, other = failed.place.printed_text, again.place.printed_text
    is_same_output = printed.startswith(other) or other.startswith(printed)
    return first.turn == second.turn and first.kind == second.kind and is_same_output
