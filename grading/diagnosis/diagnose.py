"""The faults of a program, each found once, and the differences that no fault explains.

Each fault of a game has a variant of its model. The diagnosis looks for the set of faults with
which the model prints most of what the program printed. It names a fault that is certain: without
it the model explains less of some session, and more of none. In sessions of no game it names wrong
lines.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import accumulate

from ..games.game import Game
from ..games.kinds import OF_PRINTING, OTHER
from ..games.known_faults import GameFaults, KnownFault, faults_of
from ..games.model import EndOfInput, GameModel, Variant
from ..limits import Limits
from ..printable import decoded
from ..results import HAPPENS, Finding
from ..sessions.session import ExpectedLine, Session, at_once, with_steps
from ..sessions.transcript import lines_in
from ..sessions.verdict import Pair, Played, Wrong, judged
from .common_faults import (
    AFTER_GAME,
    PRINTING,
    advice_on,
    examples_in,
    fitting_first,
    manners_of,
    sentence_about,
)
from .crash import crash_at, crash_later
from .example import NOTHING, explained_example, what_happens
from .finding import Fault, grouped
from .pairs import LONGEST_ALIKE, wrong_pairs
from .protocol import CRASHES, Heard, prompts_in, shape_of
from .search import Explanation, Match, Search
from .style import PROMPTS
from .wrong_lines import wrong_lines

SIGNS = re.compile(r'([^\w\s])\1+|(?<=: )[A-Z]+$')  # the same sign many times, or a name
COSTS_NOTHING = 'This costs no points: only sessions beyond the assignment show it.'
LAST_OF_ANSWER = 1  # the index of the last line of a step that answers a move
MANY = 3  # turns with output: who is right in these, prints in time
LONGER = 3  # times as long as the shortest session is too long


@dataclass
class Diagnosis:
    """The faults of a program: known ones, and what none of them explains."""

    faults: list[Fault] = field(default_factory=list)
    # The sessions in which more may be wrong than is told, by their names: whether each ends there.
    unseen: dict[str, bool] = field(default_factory=dict)
    is_late: bool = False  # whether the time for the search was over before its end

    def findings(
        self, points_of: Callable[[Session], float], game_of: Callable[[Session], Game | None]
    ) -> list[Finding]:
        """Return the findings, in the order of the faults.

        `points_of` returns the points of a session; fixing one finding alone gives back the points
        of the sessions that show only this finding, if all of the session can be seen.
        """
        number_of = Counter(name for fault in self.faults for name in fault.names)
        found = []
        for fault in self.faults:
            session = fault.place.session
            example = explained_example(fault.place, game_of(session), is_named=bool(fault.id))
            points = {one.session.name: points_of(one.session) for one in fault.sessions}
            alone = [name for name in points if number_of[name] == 1]
            starter = fault.place.dialogue.starter  # which printed what is wrong
            is_own = fault.has_line or example.crash
            is_secret = session.is_hidden and not fault.sentence
            found.append(
                Finding(
                    fault.id,
                    fault.sentence or what_happens(example) + fault.ending,
                    fault.advice,
                    [*points],
                    sum(points[name] for name in alone if name not in self.unseen),
                    example,
                    HAPPENS[fault.place.failure.kind] if is_secret else fault.plain,
                    [name for name in points if name in self.unseen],
                    len(alone) == len(points) and all(map(self.unseen.get, points)),
                    fault.kind in OF_PRINTING,
                    fault.places,
                    f"assignment's {starter}" if starter and not is_own else 'program',
                )
            )
        return found

    def of_hidden(self) -> Diagnosis:
        """Return what is wrong in hidden sessions; what is wrong in others, too, is shown there."""
        faults = []
        for fault in self.faults:
            sessions = [one for one in fault.sessions if one.session.is_hidden]
            if sessions and fault.place.session.is_hidden:
                faults.append(replace(fault, sessions=sessions))
            elif sessions:
                faults.append(replace(fault, place=sessions[0], sessions=sessions, then=''))
        return replace(self, faults=faults)

    def sort(self) -> None:
        """Put first the faults that most sessions meet first; those beyond the assignment last."""
        shown = defaultdict(list)  # in each session: the steps and the numbers of its faults
        for number, fault in enumerate(self.faults):
            for one in fault.sessions:
                shown[one.session.name].append((one.place.step, number))
        meet_first = Counter(min(faults)[1] for faults in shown.values())
        self.faults = [
            self.faults[number]
            for number in sorted(
                range(len(self.faults)),
                key=lambda number: (self.faults[number].is_beyond, -meet_first[number]),
            )
        ]


def diagnose(
    game_of: Callable[[Session], Game | None],
    failed: Iterable[Played],
    passed: Sequence[Session] = (),
    seconds: float = Limits.search,
    why_silent: Callable[[], tuple[str, str]] = lambda: ('', ''),
) -> Diagnosis:
    """Return the certain faults of a program, and the differences that they do not explain.

    The search for each game may take `seconds` of the processor. What only sessions beyond the
    assignment show comes last, and changes nothing else. `why_silent` returns why a program prints
    nothing and ends well, and what to do, '' if the text of its file does not tell.
    """
    failed = [*map(partial(not_late, passed=passed), map(with_prompts_in_turn, failed))]
    promised = [played for played in failed if not played.session.is_beyond]
    diagnosis = diagnosis_of(game_of, promised, passed, seconds)
    if len(promised) < len(failed):
        whole = diagnosis_of(game_of, failed, passed, seconds)
        keys = [fault.key for fault in diagnosis.faults]
        diagnosis.faults = grouped(
            [
                *diagnosis.faults,
                *(
                    replace(
                        fault,
                        sessions=[one for one in fault.sessions if one.session.is_beyond],
                        advice=f'{fault.advice} {COSTS_NOTHING}'.lstrip(),
                    )
                    for fault in whole.faults
                    if fault.is_beyond or fault.key in keys
                ),
            ]
        )
        diagnosis.unseen = {**whole.unseen, **diagnosis.unseen}
        diagnosis.is_late |= whole.is_late
    for fault in diagnosis.faults:
        played = fault.place
        if fault.sentence == NOTHING or (
            not fault.id
            and played.wrong
            and played.wrong.kind == 'ended'
            and not played.dialogue.output
            and played.status == 0
        ):
            reason, advice = why_silent()
            if reason:
                fault.sentence, fault.advice = reason, advice
    diagnosis.sort()
    return diagnosis


def diagnosis_of(
    game_of: Callable[[Session], Game | None],
    failed: list[Played],
    passed: Sequence[Session],
    seconds: float,
) -> Diagnosis:
    """Return the diagnosis for some sessions."""
    diagnosis = Diagnosis()
    left: list[Fault] = []
    for game in dict.fromkeys(game_of(played.session) for played in failed):
        of_game = [played for played in failed if game_of(played.session) is game]
        of_programs = faults_of(game) if game else None
        if game is None or of_programs is None:
            until = time.process_time() + seconds
            faults, unseen = wrong_lines(of_game, until)
            diagnosis.is_late |= time.process_time() >= until
        else:
            right = [
                Heard(transcript, [step.output for step in transcript.steps])
                for transcript in passed
                if game_of(transcript) is game
            ]
            sessions = sorted(
                [*map(Heard.from_played, of_game), *right],
                key=lambda heard: len(heard.transcript.lines),
            )
            search = Search(
                of_programs.model, of_programs.known, sessions, time.process_time() + seconds
            )
            evidence = Evidence(search, search.find())
            diagnosis.is_late |= search.is_late
            faults = [*known_faults(evidence, game, of_programs)]
            left += unexplained(of_programs, evidence, faults)
            unseen = dict(unseen_in(evidence))
        diagnosis.faults += faults
        diagnosis.unseen.update(unseen)
    left.sort(key=lambda one: len(one.place.session.lines))
    diagnosis.faults = [
        *grouped(diagnosis.faults),
        *sorted(grouped(left), key=lambda group: -len(group.sessions)),
    ]
    return diagnosis


def known_faults(evidence: Evidence, game: Game, of_programs: GameFaults) -> Iterator[Fault]:
    """Yield the faults that are certain, the simplest first."""
    for known, shown in manners_of(evidence.failed):
        yield fault_of(known, known.sentence, shown)
    style, faults = evidence.explanation
    for known in [*PRINTING, *of_programs.known]:
        shown = evidence.shown(known.id) if known.id in evidence.without else []
        if shown:  # it may have a part in sessions that pass alone
            made = faults.get(known.id)
            prompts = style.lines.prompts
            told = fitting_first(known, examples_in(style, known.id), shown[0].place)
            sentence = (
                known.sentence + made.detail if made else sentence_about(known, told, prompts)
            )
            has_option = known.id == PROMPTS and game.has_prompts
            original = prompts_with_option(of_programs.model, shown) if has_option else ()
            advice = advice_on(known, told, prompts, original)
            yield fault_of(replace(known, advice=advice), sentence, shown, made)


def prompts_with_option(game: type[GameModel], sessions: Iterable[Played]) -> set[str]:
    """Return the prompts that a game prints with `--prompts` in some sessions."""
    prompts: set[str] = set()
    for played in sessions:
        transcript = played.session
        model = game(transcript.inputs, [*transcript.arguments, '--prompts'])
        with suppress(EndOfInput):
            model.play()
        prompts |= {text.rpartition('\n')[2] for text in model.texts}
    return prompts


def fault_of(
    known: KnownFault, sentence: str, shown: list[Played], variant: Variant | None = None
) -> Fault:
    """Return a fault with the places that show it, the best first."""
    return Fault(
        shown[0],
        sorted(shown, key=lambda one: len(one.session.lines)),
        known.id,
        sentence=sentence,
        plain=known.sentence,
        advice=known.advice,
        variant=variant,
        kind=(variant and variant.kind) or known.kind,
    )


def unexplained(
    of_programs: GameFaults, evidence: Evidence, faults: Sequence[Fault]
) -> Iterator[Fault]:
    """Yield for each session the first difference that no fault explains, as one without a name."""
    for heard, match in evidence.failed:
        told = [fault.id for fault in faults if heard.transcript.name in fault.names]
        is_explained = match.is_whole or (match.is_over and not {*told}.isdisjoint(AFTER_GAME))
        if not (told and is_explained):
            played = next_place(spots_of(heard), match, evidence.due(heard))
            due, printed = (
                re.split(r'\W', text, maxsplit=1)[0]
                for text in (played.place.expected, played.place.printed)
            )
            yield Fault(
                played,
                key=likeness_of(played),
                then=crash_later(played),
                kind=of_programs.kinds.get((due, printed), OTHER),
            )


def unseen_in(evidence: Evidence) -> Iterator[tuple[str, bool]]:
    """Yield the sessions in which more may be wrong than is told, and whether they end there."""
    for heard, match in evidence.failed:
        dialogue, transcript = heard.failed.dialogue, heard.transcript
        own, due = heard.text.splitlines(), transcript.output.splitlines()
        shapes = {
            (shape_of(line), shape_of(other))
            for line, other in zip(own, due, strict=False)
            if line != other
        }
        # A line may have been typed when the program no longer read it.
        typed, to_type = (
            b''.join(turn.typed for turn in turns) for turns in (dialogue.turns, transcript.steps)
        )
        is_to_end = heard.failed.failure.kind in ('not ended', 'status') or (
            dialogue.end == 'exit'
            and transcript.end.accepts(dialogue.status or 0)
            and typed == to_type
            and (heard.failed.failure.kind != 'ended' or bool(dialogue.turns[-1].printed))
        )
        if not is_to_end:
            yield transcript.name, True
        elif not match.is_whole and (len(own) != len(due) or len(shapes) != 1):
            yield transcript.name, False


def likeness_of(played: Played) -> object:
    """Return a key that is the same for sessions of one group."""
    crash, place, wrong = crash_at(played), played.place, played.wrong
    if crash:
        # Where a recursion becomes too deep is chance.
        return crash.file, 0 if crash.type == 'RecursionError' else crash.line, crash.type
    if wrong and wrong.kind != 'differs':
        return wrong.kind, played.dialogue.status, played.dialogue.errors[-200:]
    return tuple(
        SIGNS.sub(r'\1?', shape_of(text.rstrip('\n')))
        for text in (place.line.text if place.line else '', place.printed[:200])
    )


class Evidence:
    """Sessions, and what is certain about a program.

    It knows how far each session is explained with all rules and faults, and without each.
    """

    def __init__(self, search: Search, explanation: Explanation) -> None:
        self._search = search
        self._known_faults = {known.id: known for known in search.known_faults}
        self.explanation = explanation
        self.without: dict[str, list[Match]] = {}
        self.matches: list[Match] = []
        while doubtful := self._doubtful():
            self.explanation = self.explanation.without(doubtful)

    @property
    def failed(self) -> list[tuple[Heard, Match]]:
        """The sessions that fail, and how far each is explained."""
        return [
            (heard, match)
            for heard, match in zip(self._search.sessions, self.matches, strict=True)
            if heard.played
        ]

    def due(self, heard: Heard) -> list[str]:
        """Return what the game with its faults, but for printing, prints in each turn."""
        playing = {
            name: made
            for name, made in self.explanation.faults.items()
            if not self._known_faults[name].is_printing
        }
        session = self._search.game(
            heard.transcript.inputs, heard.transcript.arguments, self._search.variants(playing)
        )
        with suppress(EndOfInput, *CRASHES):
            session.play()
        return session.texts

    def _doubtful(self) -> str:
        """Return the fault that is not certain and least simple, `''` if all are certain."""
        self.matches = self._search.matches(self.explanation)
        self.without = {
            name: self._search.matches(self.explanation.without(name))
            for name in [*self.explanation.style.rules, *self.explanation.faults]
        }
        order = sorted(self.explanation.faults, key=self._search.order.__getitem__)
        for is_certain in (self._does_no_harm, self._is_proved):
            for name in reversed(order):
                if not is_certain(name):
                    return name
        return ''

    def _does_no_harm(self, name: str) -> bool:
        """Whether with a fault no session is explained less than without it.

        Nor does a crash that it names happen where it has no part.
        """
        compared = self._compared(name)
        if any(match.reach < less.reach for _, match, less in compared):
            return False
        crashes = {
            heard.error
            for heard, match, less in compared
            if match.is_crash and not less.is_whole and self._known_faults[name].is_crash
        }
        return not any(
            heard.has_crashed and heard.error in crashes and not match.is_whole
            for heard, match, _ in compared
        )

    def _is_proved(self, name: str) -> bool:
        """Whether enough is explained by a fault.

        It must explain the output of one more input line, or of two if it was learned from the
        output, and not only happen to. A crash counts as a line where it is what is named. A
        program that has printed nothing proves nothing.
        """
        known = self._known_faults[name]
        explained = [
            (heard, match, less)
            for heard, match, less in self._compared(name)
            if heard.text and match.reach > less.reach
        ]
        if self._is_doubted(name, [less for _, match, less in explained if match.is_whole]):
            return False
        return 1 + known.is_learned <= sum(
            max(
                known.is_crash and match.is_whole,
                min(match.steps, len(heard.transcript.steps)) - less.steps,
            )
            for heard, match, less in explained
        )

    def _is_doubted(self, name: str, explained: Sequence[Match]) -> bool:
        """Whether a fault that explains some sessions to their end may only happen to.

        The program goes astray in more others, or hangs there. Or it departs in as many others in
        the same way as in these without the fault, as `explained` has them; or where the fault
        makes a difference in others, the program prints neither.
        """
        astray = [
            match
            for heard, match in zip(self._search.sessions, self.matches, strict=True)
            if not match.is_whole
            and (
                (match.upcoming and self._search.protocol.has(match.upcoming))
                or (heard.status is None and not match.output.upcoming())
            )
        ]
        in_vain = [
            match
            for _, match, less in self._compared(name)
            if not match.is_whole
            and match.reach == less.reach
            and match.output.due != less.output.due
        ]
        ways = {less.way for less in explained}
        alike = [match for match in astray if match.way in ways]
        return max(len(astray), len(in_vain)) > len(explained) or 0 < len(explained) <= len(alike)

    def _compared(self, name: str) -> list[tuple[Heard, Match, Match]]:
        """Return each session, as it is explained with everything, and without one thing."""
        return list(zip(self._search.sessions, self.matches, self.without[name], strict=True))

    def shown(self, name: str) -> list[Played]:
        """Return where a rule or a fault shows, the best place first.

        That is where it is the first in which the program departs, and nothing else shows; of a
        fault of the game, after a move. A program that prints nothing shows nothing.
        """
        is_of_game = name in self._known_faults and not self._known_faults[name].is_printing
        found = []
        for number, (heard, match, less) in enumerate(self._compared(name)):
            if heard.played and heard.text and less.reach < match.reach:
                rank, place = self._shown_in(name, number, spots_of(heard))
                found.append((rank, number, place))
        least = min((len(place.session.lines) for _, _, place in found), default=0)
        return [
            place
            for *_, place in sorted(
                (rank, is_of_game and obscurity(place, least), number, place)
                for rank, number, place in found
            )
        ]

    def _shown_in(self, name: str, number: int, spots: Spots) -> tuple[int, Played]:
        """Return how well a session shows a rule or a fault, and where; 0 is best.

        It is the first thing that is wrong, and nothing else is wrong in that line.
        """
        heard, match, less = self._compared(name)[number]
        pair = spots.first(less)
        is_own = all(
            name == other
            or matches[number].reach == match.reach
            or (
                matches[number].position > less.position
                and (
                    other in self._known_faults
                    or '\n' in heard.text[less.output.at : matches[number].output.at]
                )
            )
            for other, matches in self.without.items()
        )
        is_first = bool(spots.pairs) and pair is spots.pairs[0]
        return (not is_first) + 2 * (not is_own), spots.place(pair)


def obscurity(shown: Played, least: int) -> int:
    """Return how badly a place shows a fault of the game; the shortest session has `least` lines.

    A wrong answer to a move shows most.
    """
    place = shown.place
    steps = place.session.steps
    is_at_start = not any(step.printed for step in steps[1 : place.step])
    numbers = [line.number for line in steps[place.step].printed]
    is_answer = bool(place.line) and place.number in numbers[: LAST_OF_ANSWER + 1]
    return is_at_start + (not is_answer) + 2 * (len(place.session.lines) > LONGER * least)


class Spots:
    """The pairs of lines of a failed session that do not match, from left to right.

    `session` is the session with what is due there.
    """

    def __init__(self, heard: Heard, session: Session | None = None) -> None:
        self.heard = heard
        self.session = session or heard.failed.session
        self.pairs = wrong_pairs(self.session, heard.failed.dialogue)
        self._starts = [0, *accumulate(len(text) for text in heard.turns)]

    def first(self, match: Match) -> Pair | None:
        """Return the first pair that is wrong where the program departs from a game, or behind."""
        last, start = len(self._starts) - 1, match.output.at
        start = min(start, self.heard.ends.get(match.step, start))
        return next(
            (
                pair
                for pair in self.pairs
                if self._starts[min(pair.turn, last)] + pair.start >= start
                and (pair.step >= match.step or self.session.in_turns)
            ),
            None,
        )

    def place(self, pair: Pair | None) -> Played:
        """Return the session with a pair as what is wrong in it, or how it ends."""
        failed, dialogue = self.heard.failed, self.heard.failed.dialogue
        is_as_due = self.session is failed.session
        last = len(dialogue.turns) - 1
        if (not pair and not self.heard.has_crashed) or (
            is_as_due and pair in [*self.pairs[:1], None]
        ):
            return failed
        if not pair:
            return replace(
                failed,
                session=self.session,
                wrong=judged(self.session, dialogue, min(last, len(self.session.steps) - 1)),
            )
        is_end = (
            dialogue.end == 'exit'
            and not pair.printed
            and (pair.turn, pair.start) == (last, len(decoded(dialogue.turns[last].printed)))
        )
        return replace(
            failed,
            session=self.session,
            wrong=Wrong('ended' if is_end else 'differs', pair.turn, pair=pair),
        )


spots_of = lru_cache(maxsize=1 << 10)(Spots)


def next_place(spots: Spots, match: Match, due: Sequence[str]) -> Played:
    """Return a failed session with the place where the program departs from the game.

    `due` is what the game prints in each step with its named faults, but none of printing.
    """
    heard, texts = spots.heard, due[: match.step + 1]
    if match.is_whole:
        return heard.failed
    if not heard.transcript.output.startswith(''.join(texts)):
        played = as_played(heard.transcript, texts)
        spots = Spots(heard, at_once(played) if heard.failed.session.in_turns else played)
    return spots.place(spots.first(match))


def as_played(transcript: Session, texts: Sequence[str]) -> Session:
    """Return a session with what is due in its first steps."""
    steps = [*transcript.steps]
    for number, (step, text) in enumerate(zip(transcript.steps, texts, strict=False)):
        numbers = [line.number for line in step.printed] or [step.number]
        steps[number] = replace(
            step,
            printed=[
                ExpectedLine(
                    numbers[min(place, len(numbers) - 1)], line.rstrip('\n'), line.endswith('\n')
                )
                for place, line in enumerate(lines_in(text))
            ],
        )
    return replace(with_steps(transcript, steps), is_derived=True)


def not_late(played: Played, passed: Sequence[Session]) -> Played:
    """Return a failed session of a program that passes others, in time if it is so there.

    Here it does not print late, either, if the first output that comes is all that was due: it
    answers another line with it.
    """
    wrong, turns = played.wrong, played.dialogue.turns
    is_timely = any(sum(bool(step.printed) for step in one.steps) >= MANY for one in passed)
    if not (wrong and wrong.comes_late and is_timely):
        return played
    later = next((turn.printed for turn in turns[wrong.turn + 1 :] if turn.printed), b'')
    is_answer = (
        decoded(turns[wrong.turn].printed + later) == played.session.steps[wrong.turn].output
    )
    return replace(played, wrong=replace(wrong, comes_late=False)) if is_answer else played


def with_prompts_in_turn(played: Played) -> Played:
    """Return a failed session with each prompt of the program's own in the turn that it ends.

    Where nothing more is expected, the next line is typed at once. So several prompts may come
    together before the first line that is wrong; how many do is chance.
    """
    wrong, turns, steps = played.wrong, played.dialogue.turns, played.session.steps
    if (
        not wrong
        or wrong.kind != 'differs'
        or played.session.in_turns
        or not 0 < wrong.turn < len(steps)
    ):
        return played
    first = max((number for number in range(wrong.turn) if turns[number].printed), default=0)
    text, number = decoded(turns[wrong.turn].printed), wrong.turn - first
    line, due = text.partition('\n')[0], steps[wrong.turn].output.partition('\n')[0]
    # Where nothing is expected, the prompt of this turn follows those of the turns before.
    count = number if due else number + 1
    again = re.match(rf'(.*?[:?>] ?)\1{{{count - 1}}}', line[:LONGEST_ALIKE])
    *others, last = prompts_in(line[:LONGEST_ALIKE])
    if again and count > 1:  # the same prompt each time
        prompts = [again[1]] * count
    elif line.endswith(due):  # others, before a line that is right
        prompts = prompts_in(line.removesuffix(due))
    elif last.split()[:1] == due.split()[:1]:  # or before one that begins right
        prompts = others
    else:
        return played
    are_prompts = all(prompt.rstrip().endswith((':', '?', '>')) for prompt in prompts)
    if len(prompts) != count or not are_prompts:
        return played
    prompts = prompts[:number]
    made = [*turns]
    for number, prompt in enumerate(prompts, first):
        made[number] = replace(turns[number], printed=turns[number].printed + prompt.encode())
    made[wrong.turn] = replace(turns[wrong.turn], printed=text[len(''.join(prompts)) :].encode())
    dialogue = replace(played.dialogue, turns=made)
    return replace(played, dialogue=dialogue, wrong=judged(played.session, dialogue))
