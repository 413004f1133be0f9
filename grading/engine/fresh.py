"""Plays fresh games, never seen before, and shrinks the first game that a program fails.

Each game's maker generates random input, and the built-in console computes the expected output. The
input of a game is kept as a transcript without output lines.

When a program fails a game twice in the same way, the grader looks for a smaller failing fresh
game. Then it leaves out parts of the smallest game, as long as the program still fails: first many
parts at a time, and finally single parts (see Zeller's delta debugging).
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random

from ..games import GAMES, game_of, games_of, leave_choices_open
from ..games.consoles import recorded
from ..games.game import Game, Maker, PartKind
from ..sessions.session import Session, at_once
from ..sessions.transcript import TranscriptError, as_typed, parse
from ..sessions.verdict import PlayedSession

# Limits on repeating the first failure and then shrinking the game:
SHRINKING_SECONDS = 20
SHRINKING_RUNS = 400  # runs of the program
MAX_REPEATS = 100  # stop generating after this many repeated games in a row
MAX_OTHERS = 60  # games to generate after a failure, in case the program fails a smaller one

Play = Callable[[Session], PlayedSession]
Clock = Callable[[], float]  # returns seconds since some moment


@dataclass
class FreshResult:
    """The result of the fresh games."""

    games_played: int = 0  # up to and including the first failed game
    smallest: PlayedSession | None = None  # the smallest failing game found, or None if none failed
    is_flaky: bool = False  # whether the same game does not always fail in the same way
    is_cut: bool = False  # whether time ran out before a game failed or all games were played


def play_fresh(
    name: str,
    count: int,
    play: Play,
    *,
    seed: int | None = None,
    prompts: bool = False,
    is_at_once: bool = False,
    stop_at: float = math.inf,
    now: Clock | None = None,
) -> FreshResult:
    """Play up to `count` fresh games until the program fails one, and shrink that game.

    `name` is the name of a game, or of a program for several games. `prompts` says whether a single
    game is played with prompts. A program's games are played without prompts and, if they have
    prompts, also with them.

    `play` runs the program on a session. The same `seed` gives the same games; None gives different
    games each time. If `is_at_once`, all input is sent at once, so games with input that depends on
    the output are left out. No game starts after `stop_at`, by the clock `now`, the monotonic clock
    by default.
    """
    now = now or time.monotonic
    result = FreshResult()
    run = with_limits(play, stop_at, now)
    games = fresh_games(name, prompts, Random(seed))
    sessions: Iterator[Session] = map(recorded_session, games)
    if is_at_once:
        sessions = (session for session in sessions if not session.others)
    try:
        for session in itertools.islice(sessions, count):
            played = run(session)
            result.games_played += 1
            if played.failure_found:
                # `games` goes on with games not played yet.
                others = itertools.islice(games, MAX_OTHERS)
                record_smallest(result, played, play, stop_at, now, others)
                break
    except LimitReached:
        result.is_cut = True
    return result


def fresh_games(name: str, prompts: bool, rng: Random) -> Iterator[str]:
    """Yield the input of distinct games, until `MAX_REPEATS` games in a row are not new.

    The arguments are those of `play_fresh`.
    """
    kinds: list[tuple[Game, Maker, bool]] = []
    for game in games_of(name):
        ways = [False, True] if game.has_prompts else [False]
        if name in GAMES:
            ways = [prompts]
        if game.maker:
            kinds += [(game, game.maker, has_prompts) for has_prompts in ways]
    made: set[str] = set()
    repeats = 0
    while repeats < MAX_REPEATS:
        game, maker, has_prompts = rng.choice(kinds)
        options = ['--prompts'] if has_prompts else []
        text = input_text([*game.command, *options, *maker.arguments], maker.make(rng))
        if text in made:
            repeats += 1
        else:
            repeats = 0
            made.add(text)
            yield text


def input_text(command: Sequence[str], inputs: Sequence[str]) -> str:
    """Return the input of a game as text, given its command line and its input lines."""
    return '\n'.join(['$ ' + ' '.join(command), *map(as_typed, inputs)])


def recorded_session(text: str) -> Session:
    """Return the session with this input, and with the output of the built-in console.

    Raises `TranscriptError` if the input is not a complete game.
    """
    return leave_choices_open(recorded(parse(text, 'fresh game')))


class LimitReached(Exception):
    """The limit on time or on the number of runs has been reached."""


def with_limits(play: Play, stop_at: float, now: Clock, most_runs: float = math.inf) -> Play:
    """Return a function that plays a session, or raises `LimitReached`.

    The function plays up to `most_runs` sessions, and none after `stop_at`, by the clock `now`. If
    a failing session ends after `stop_at`, the function also raises `LimitReached`.
    """
    runs = itertools.count(1)

    def run(session: Session) -> PlayedSession:
        if next(runs) > most_runs or now() > stop_at:
            raise LimitReached
        played = play(session)
        if played.failure_found and now() > stop_at:
            raise LimitReached  # it may have failed because of the time limit
        return played

    return run


def record_smallest(
    result: FreshResult,
    failed: PlayedSession,
    play: Play,
    stop_at: float,
    now: Clock,
    others: Iterable[str],
) -> None:
    """Record the smallest failing game found, and whether the failure is flaky.

    `others` are more games, some perhaps smaller. If the program does not fail the game of `failed`
    again in the same way, do not look for a smaller game.
    """
    run = with_limits(play, min(stop_at, now() + SHRINKING_SECONDS), now, SHRINKING_RUNS)
    if not fails_again(failed, failed.wrong_line.session, run):
        smallest, result.is_flaky = failed, True
    else:
        smallest = shrink(failed, others, run)
    # Add a comment to the game's transcript.
    comment = '# The smallest failing fresh game found.'
    text = '\n'.join([comment, *smallest.wrong_line.session.lines])
    session = leave_choices_open(parse(text, 'smallest.txt'))
    is_at_once = smallest.session.at_once_from is not None
    result.smallest = replace(smallest, session=at_once(session) if is_at_once else session)
    # Unless it is the first game, the smallest game has failed only once so far.
    if not result.is_flaky:
        result.is_flaky = not fails_again(result.smallest, session, with_limits(play, stop_at, now))


def shrink(failed: PlayedSession, others: Iterable[str], run: Play) -> PlayedSession:
    """Return the smallest failing game found.

    First try the `others` with fewer input lines; then leave out parts of the smallest game so far.
    The search ends when this no longer makes the game smaller, or when `run` reaches a limit.
    """
    search = Shrinking(failed, run)
    with suppress(LimitReached):
        for text in others:
            inputs = text.split('\n')[1:]  # the first line is the command line
            if len(inputs) < len(search.smallest.wrong_line.session.inputs):
                search.keep_if_smaller(text)
        previous = None
        while search.smallest is not previous:
            previous = search.smallest
            search.leave_out_parts()
    return search.smallest


class Shrinking:
    """The search for a smaller failing game."""

    def __init__(self, failed: PlayedSession, run: Play) -> None:
        self.smallest = failed
        self._run = run
        self._tried: set[str] = set()

    @property
    def _maker(self) -> Maker:
        game = game_of(self.smallest.session)
        assert game is not None
        assert game.maker is not None
        return game.maker

    def keep_if_smaller(self, text: str) -> bool:
        """Play a game, given its input; return whether it is the smallest failing game so far.

        Do not play it if the input has been tried before, or is not a complete game.
        """
        if text in self._tried:
            return False
        self._tried.add(text)
        try:
            session = recorded_session(text)
        except TranscriptError:
            return False
        played = self._run(session)
        if not played.failure_found:
            return False
        maker, smallest = self._maker, self.smallest.wrong_line
        if maker.size(session, played.wrong_line.step) >= maker.size(
            smallest.session, smallest.step
        ):
            return False
        self.smallest = played
        return True

    def leave_out_parts(self) -> None:
        """Leave out as many parts of the smallest game as possible, one kind after another."""
        maker = self._maker
        for kind in maker.parts:
            self._leave_out(kind, maker)

    def _leave_out(self, kind: PartKind, maker: Maker) -> None:
        """Leave out parts of one kind.

        First try to leave out all of them at once, then halves, quarters and so on, down to single
        parts.
        """
        parts_of, without = kind
        scenario = maker.read(self.smallest.wrong_line.session, self.smallest.wrong_line.step)
        parts = parts_of(scenario)
        left_out: set[Hashable] = set()
        size = len(parts)  # how many more parts to leave out at a time
        while size:
            kept = [part for part in parts if part not in left_out]
            for start in range(0, len(kept), size):
                to_leave_out = left_out.union(kept[start : start + size])
                inputs = maker.lines(without(scenario, to_leave_out))
                if inputs is None:
                    continue
                if self.keep_if_smaller(input_text(self.smallest.session.command, inputs)):
                    left_out = to_leave_out
            size //= 2


def fails_again(failed: PlayedSession, session: Session, run: Play) -> bool:
    """Return whether a program fails a game in the same way a second time.

    Both failures must have the same turn and kind, and one run's output in the wrong step must
    begin with the other's. If the program chooses some moves itself, only the kind must be the
    same. Return True if `run` reaches a limit.
    """
    try:
        again = run(session)
    except LimitReached:
        return True
    first, second = failed.failure, again.failure_found
    if not second or first.kind != second.kind:
        return False
    if failed.session.others:
        return True
    printed, other = failed.wrong_line.printed_text, again.wrong_line.printed_text
    is_same_output = printed.startswith(other) or other.startswith(printed)
    return first.turn == second.turn and is_same_output
