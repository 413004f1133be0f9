"""The search for the known faults with which a game prints most of what a program printed.

A model of the game plays each session with a set of faults along what the program printed, in the
program's style. Rules of style and faults of the game are added one at a time, the one that
explains most of all sessions first:

    {}                     {from-zero}              {from-zero, no-tie}

    1  ===x                1  =========x            1  =====================
    2  ===x           ->   2  =============    ->   2  =============
    3  ==========x         3  ==========x           3  ==========x     what nobody knows
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from ..games.known_faults import KnownFault
from ..games.model import EndOfInput, GameModel, Output, Variant
from ..printable import common_length
from ..sessions.comparison import words_of
from .protocol import CRASHES, MOST_HEARD, Heard, Protocol, shape_of
from .style import NO_NEWLINE, Style, suggestions

AHEAD = 1 << 13  # characters that a session looks ahead
MOST_WAYS = 8  # to depart from the game, for which faults are tried
EQUAL = 1e-9  # gains below this are of rounding
MOST_FOLLOWS = 15_000  # sessions that are played in a search

Variants = tuple[Variant, ...]
Candidate = tuple[KnownFault, Variant]
Faults = dict[str, Variant]  # a variant for each id


class Departed(Exception):
    """Raised when the model prints something that the program did not print."""


class FollowedOutput(Output):
    """What a program printed, along which a session is played; it ends where the program departs.

    What a turn prints must have been printed in that turn in the program's style, and nothing else.
    Where the assignment leaves lines to the program, the session prints what the program printed.
    It omits lines that the program omits, and prompts if the program has its own.
    """

    def __init__(self, heard: Heard, style: Style) -> None:
        super().__init__()
        self.heard = heard
        self.style = style
        self.at = 0  # how much of the output has been followed
        self.followed = 0  # how many characters of it are as expected

    def takes(self, line: str, game: GameModel) -> bool:
        if game.is_left_free(line):
            self._take_own_lines(game)
            return False
        return not self.style.omits(line)

    def has_prompt(self) -> bool:
        return not (self.style.has_own_prompts or self.heard.transcript.has_free_prompts)

    def end_turn(self) -> None:
        super().end_turn()
        end = self.heard.ends.get(len(self.texts) - 2, 0)
        if self.at < end:
            self.at, _ = self.style.find('', self.heard, self.at, end)
        if self.at < end:
            self.texts.pop()
            raise Departed  # the program printed more before it read

    def write(self, text: str) -> None:
        if text:
            most = self.heard.limits.get(len(self.texts) - 1, len(self.heard.text))
            at, end = self.style.find(text, self.heard, self.at, most)
            if end < 0:
                self.at, self.due = at if at < most else self.at, text
                self.followed += common_length(text, self.upcoming())
                raise Departed
            self.at = end
            self.followed += end - at
            self.texts[-1] += text

    def _take_own_lines(self, game: GameModel) -> None:
        """Print the program's own lines, up to one of the protocol or an expected prompt.

        A line of the protocol may also be the first of several that are printed as one.
        """
        last, ends = self.heard.ends.get(len(self.texts) - 1), self.style.of(NO_NEWLINE).values()
        own, newline, _ = self.heard.text[self.at : last].partition('\n')
        while (
            newline
            and (self.style.has_own_prompts or not self.style.prompt_in(own))
            and (
                game.is_left_free(own)
                or self.heard.words.isdisjoint(
                    words_of(own.partition(end)[0]) for end in ('\n', *ends) if end
                )
            )
        ):
            game.write(own + newline)
            own, newline, _ = self.heard.text[self.at : last].partition('\n')

    def upcoming(self, in_turn: bool = False) -> str:
        """Return what the program prints next, perhaps only in this turn."""
        last = self.heard.ends.get(len(self.texts) - 1 if in_turn else -1, len(self.heard.text))
        at, _ = self.style.find('', self.heard, self.at, last)
        return self.heard.text[at : min(last, at + AHEAD)]


@dataclass
class Match:
    """How far a model of the game explains a program's session."""

    game: GameModel  # the session, as far as it was played
    output: FollowedOutput
    used: frozenset[str]  # the names of the decisions on the way
    is_whole: bool  # whether it explains all that the program did
    position: int  # how many characters of its output are as predicted
    is_over: bool = False  # whether the session came to its end
    is_crash: bool = False  # whether it explains a crash

    @property
    def step(self) -> int:
        """The index of the step in which the program departs from the model, or ends."""
        return len(self.output.texts) - 1

    @property
    def upcoming(self) -> str:
        """The program's next line there, `''` if it printed no more."""
        return self.output.upcoming().partition('\n')[0]

    @property
    def way(self) -> tuple[str, str]:
        """In which way the program departs from the model: by which kind of line, for which."""
        return shape_of(self.output.due.rstrip('\n')), shape_of(self.upcoming)

    @property
    def part(self) -> float:
        """How much of the session is explained: 1 is all."""
        return 1 if self.is_whole else self.position / (len(self.output.heard.text) + 1)

    @property
    def lines(self) -> tuple[bool, int]:
        """How many lines are explained."""
        return self.is_whole, sum(text.count('\n') for text in self.output.texts)

    @property
    def reach(self) -> tuple[bool, int]:
        """How far the session is explained; more is greater."""
        return self.is_whole, self.position

    @property
    def steps(self) -> int:
        """The number of steps that are explained to their end."""
        is_known = self.is_whole and not self.is_crash and not self.output.heard.is_cut
        return MOST_HEARD if is_known else self.step


def follow(game: type[GameModel], variants: Sequence[Variant], heard: Heard, style: Style) -> Match:
    """Play a model of the game, with some variants, along a program's output."""
    output = FollowedOutput(heard, style)
    session = game(heard.transcript.inputs, heard.transcript.arguments, variants, output)
    end = ''  # how the model comes to its end, '' where it departs
    try:
        session.play()
        end = 'over'
    except EndOfInput:
        end = 'input'
    except Departed:
        pass
    except CRASHES as error:
        end = 'crash' if heard.has_crashed_like(error) else ''
    matched = partial(Match, session, output, frozenset(session.used))
    # What the program does at the end of its input is its own affair.
    rest = output.upcoming(in_turn=end == 'input') if end or heard.is_cut else ''
    is_silent = not heard.has_ended and not ''.join(output.texts[-2:])
    if (heard.is_cut and output.due.startswith(rest)) or (
        end == 'input' and '\n' not in rest and not is_silent
    ):
        return matched(True, len(heard.text))
    is_whole = not rest and {'crash': True, 'over': heard.has_ended}.get(end, False)
    return matched(
        is_whole,
        len(heard.text) if is_whole else output.followed,
        end == 'over',
        end == 'crash',
    )


class Explanation(NamedTuple):
    """A style of printing, and faults of the game, that explain a program."""

    style: Style
    faults: Faults

    def having(self, known: KnownFault, made: Variant) -> Explanation:
        """Return the explanation with a fault at the end."""
        others = {name: fault for name, fault in self.faults.items() if name != known.id}
        return self._replace(faults={**others, known.id: made})

    def without(self, name: str, *keys: object) -> Explanation:
        """Return the explanation without a fault, a rule, or what a rule says about some things."""
        if name not in self.faults:
            return self._replace(style=self.style.without(name, *keys))
        return self._replace(
            faults={other: made for other, made in self.faults.items() if other != name}
        )


class Search:
    """A search that adds the fault that explains most, until no fault explains more.

    An example: a game that adds numbers, two known faults, and a program that has both.

    >>> from grading.games.known_faults import KnownFault, fixed
    >>> from grading.games.model import GameModel, decision, setting, variant
    >>> from grading.sessions.parse import parse
    >>> from grading.sessions.verdict import Dialogue, Played, judged

    >>> class Sums(GameModel):
    ...     start = setting(0)
    ...
    ...     def play(self):
    ...         total = self.start
    ...         while True:
    ...             total = self.add(total, int(self.ask('')))
    ...             self.say(f'Sum: {total}')
    ...
    ...     @decision
    ...     def add(self, total, number):
    ...         return total + number

    >>> def add_without_sign(game, add, total, number):
    ...     return add(total, abs(number))

    >>> known_faults = [
    ...     KnownFault('ignores-minus', '', '', fixed(variant(add=add_without_sign))),
    ...     KnownFault('starts-at-1', '', '', fixed(variant(start=1))),
    ... ]

    >>> def session(text, *printed):
    ...     transcript = parse(text)
    ...     dialogue = Dialogue.printing(['', *printed])
    ...     wrong = judged(transcript, dialogue, 1)
    ...     return Heard.from_played(Played(transcript, dialogue, wrong=wrong))

    >>> sessions = [
    ...     session('5\\n|Sum: 5\\n', 'Sum: 6\\n'),
    ...     session('2\\n|Sum: 2\\n-3\\n|Sum: -1\\n', 'Sum: 3\\n', 'Sum: 6\\n'),
    ... ]
    >>> search = Search(Sums, known_faults, sessions, deadline=float('inf'))

    In the first round no fault is known, and no line of either session is explained. The program
    departs from the game at its first line, where it has not yet read a minus: one fault explains
    more. With it the first session is explained as a whole, and the second one up to the minus.
    There the other fault explains more. In the third round all is explained.

    >>> found = Explanation(Style(search.protocol), {})
    >>> for _ in range(3):
    ...     candidates = search.candidates(found)
    ...     lines = [match.lines[1] for match in search.matches(found)]
    ...     print([*found.faults], lines, [known.id for known, _ in candidates])
    ...     found = found.having(*candidates[0]) if candidates else found
    [] [0, 0] ['starts-at-1']
    ['starts-at-1'] [1, 1] ['ignores-minus']
    ['starts-at-1', 'ignores-minus'] [1, 2] []

    >>> [*search.find().faults]
    ['starts-at-1', 'ignores-minus']

    It plays failed and passed sessions with sets of known faults. When it has played enough of
    them, it stops with what it has found; so it does after a deadline, a time of
    `time.process_time`: a busy machine plays as many sessions as an idle one.
    """

    def __init__(
        self,
        game: type[GameModel],
        known_faults: Sequence[KnownFault],
        sessions: list[Heard],
        deadline: float,
    ) -> None:
        self.known_faults = known_faults
        self.sessions = sessions
        self.order = {known.id: number for number, known in enumerate(known_faults)}
        self.protocol = Protocol.of([heard.transcript for heard in sessions])
        self.game = game
        self._deadline = deadline
        self.is_late = False  # whether the deadline ended a search
        self._follows = 0
        self._matches: dict[tuple[Style, int, Variants], Match] = {}
        self._explains_more: dict[object, bool] = {}  # whether a fault does so at a place

    def find(self) -> Explanation:
        """Return the style and the faults that explain most."""
        found = self._explained(Explanation(Style(self.protocol), {}))
        guess = self._guessed(found)
        if guess is not found:
            found = max(found, self._explained(guess), key=self.lines)
        for rule, keys in found.style.parts:
            plain = found.without(rule, *keys)
            if not self.is_exhausted and self.is_as_good(plain, found):
                found = plain
        return found

    def _explained(self, found: Explanation) -> Explanation:
        """Return the explanation with the rules and the faults that explain more.

        A rule may explain nothing until a fault is known, and the other way round.
        """
        before = None
        while found is not before:
            before = found
            found = self._named(self._with_style(found))
            found = self._with_faults(found)
        return found

    def _guessed(self, found: Explanation) -> Explanation:
        """Return the explanation with a rule of style for each kind of place that is unknown.

        A rule may explain nothing unless a fault of the game is known, and the other way round.
        """
        for number, _ in self._places(found):
            children = self._with_a_rule(found, number)
            found = max(children[::-1], key=self.lines, default=found)
        return found

    def _with_style(self, found: Explanation) -> Explanation:
        """Return the explanation with the rules of style that explain more, one after the other.

        Each explains more than one line of a session more, or the rest of a step. Of several rules
        the one that explains most of all sessions comes first: a line may mean something else where
        a fault of the game shows.
        """
        while True:
            children = [found]
            for number, match in self._places(found):
                for child in self._with_a_rule(found, number):
                    more = self.match(child, number)
                    if (
                        more.is_whole > match.is_whole
                        or more.step > match.step
                        or more.lines[1] > match.lines[1] + 1
                    ):
                        children.append(child)
            best = max(children, key=self.lines)
            if best is found:
                return found
            found = best

    def _with_a_rule(self, found: Explanation, number: int) -> list[Explanation]:
        """Return the explanation with one more rule of style that a session suggests."""
        is_flood = self.sessions[number].failed.dialogue.end == 'output'
        if is_flood or self.is_exhausted:  # a flood shows no style
            return []
        texts = [
            text
            for one, match in zip(self.sessions, self.matches(found), strict=True)
            for text in (one.text, *match.output.texts)
        ]
        written = {*map(found.style.protocol.kind_of, '\n'.join(texts).split('\n'))}
        match = self.match(found, number)
        return [
            found._replace(style=style)
            for style in suggestions(
                found.style,
                self.sessions[number],
                match.output.at,
                match.step,
                match.output.due,
                written,
            )
        ]

    def _named(self, found: Explanation) -> Explanation:
        """Return the explanation with a fault of the game for each rule that it makes needless."""
        for rule, keys in found.style.parts:
            plain = found.without(rule, *keys)
            if self.is_exhausted or self.is_as_good(plain, found):
                continue  # it is of no use yet
            tried = [
                plain.having(known, made)
                for known in self.known_faults
                if known.is_printing and not known.is_learned and known.id not in plain.faults
                for made in known.variants(None)
            ]
            found = next((one for one in tried if self.is_as_good(one, found)), found)
        return found

    def _with_faults(self, found: Explanation) -> Explanation:
        """Return the explanation with another fault in the place of one, or with more faults."""
        before, found = found, self._exchanged(found)
        for known, made in self.candidates(found) if found is before else ():
            child = found.having(known, made)
            if self.gain(child, found) > 0:
                found = child
        return found

    def _exchanged(self, found: Explanation) -> Explanation:
        """Return the explanation with another fault of a kind alike in the place of one.

        It explains more, and needs no more faults. One of the kind `other` may be any.
        """
        for number, match in self._places(found):
            for name in reversed(found.faults):
                fewer, replaced = found.without(name), self.known_faults[self.order[name]]
                session = self.match(fewer, number).game
                for known in [
                    one for one in self.known_faults if replaced.kind.may_be_taken_for(one.kind)
                ]:
                    for made in known.variants(session):
                        other = fewer.having(known, made)
                        if (
                            not self.is_exhausted
                            and self.match(other, number).reach > match.reach
                            and self.gain(other, found) > 0
                        ):
                            return other
        return found

    def candidates(self, found: Explanation) -> list[Candidate]:
        """Return the faults that explain more, the best first, and of equal ones the simplest.

        Each of them explains more at a place where the program departs from the game.
        """
        gains: dict[Candidate, float] = {}
        for number, match in self._places(found):
            for one in self._at(found, match, number):
                if one not in gains and not self.is_exhausted:
                    child = found.having(*one)
                    gains[one] = self.gain(child, found)
                    if gains[one] > 0 and all(match.is_whole for match in self.matches(child)):
                        return [one]
        return sorted(
            (one for one in gains if gains[one] > 0),
            key=lambda one: (-gains[one], self.order[one[0].id]),
        )

    def _places(self, found: Explanation) -> Iterator[tuple[int, Match]]:
        """Yield sessions that are not explained, one for each way to depart from the game."""
        ways: set[object] = set()
        for number, match in enumerate(self.matches(found)):
            if (
                not match.is_whole
                and self.sessions[number].played
                and match.way not in ways
                and len(ways) < MOST_WAYS
            ):
                ways.add(match.way)
                yield number, match

    def _at(self, found: Explanation, match: Match, number: int) -> Iterator[Candidate]:
        """Yield the faults that explain more of a session.

        A fault is tried only once at the same place, and only if the game has come to something
        that it changes.
        """
        for known in self.known_faults:
            if known.id in found.faults and not known.is_learned:
                continue
            if self.is_exhausted:
                break
            for made in known.variants(match.game):
                if match.used.isdisjoint(made.names):
                    continue
                key = found.style, number, match.position, made
                if key not in self._explains_more:
                    child = self.match(found.having(known, made), number)
                    self._explains_more[key] = child.reach > match.reach
                if self._explains_more[key]:
                    yield known, made

    @property
    def is_exhausted(self) -> bool:
        """Whether no more sessions should be played."""
        self.is_late |= time.process_time() >= self._deadline
        return self._follows > MOST_FOLLOWS or self.is_late

    def match(self, explanation: Explanation, number: int) -> Match:
        """Return how far the program matches in a session."""
        variants = self.variants(explanation.faults)
        key = explanation.style, number, variants
        if key not in self._matches:
            self._follows += 1
            self._matches[key] = follow(
                self.game, variants, self.sessions[number], explanation.style
            )
        return self._matches[key]

    def matches(self, explanation: Explanation) -> list[Match]:
        """Return for each session how far the program matches."""
        return [self.match(explanation, number) for number, _ in enumerate(self.sessions)]

    def gain(self, child: Explanation, parent: Explanation) -> float:
        """Return how much more a child explains than its parent: of each session up to 1."""
        gain, lesses = 0.0, self.matches(parent)
        most = len(lesses) - sum(less.part for less in lesses)
        for number, less in enumerate(lesses):
            gain += self.match(child, number).part - less.part
            most -= 1 - less.part
            if gain + most < EQUAL:  # no more can come
                return 0
        return gain

    def is_as_good(self, one: Explanation, other: Explanation) -> bool:
        """Return whether an explanation explains as many lines of each session as another one."""
        return all(
            self.match(one, number).lines >= least.lines
            for number, least in enumerate(self.matches(other))
        )

    def lines(self, explanation: Explanation) -> int:
        """Return how many steps and lines are explained, and sessions as a whole."""
        return sum(match.step + sum(match.lines) for match in self.matches(explanation))

    def variants(self, faults: Faults) -> Variants:
        """Return the variants of some faults, the simplest first."""
        return tuple(faults[name] for name in sorted(faults, key=self.order.__getitem__))
