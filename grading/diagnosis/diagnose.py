"""Finds the faults of a program, each once, and any failures left unexplained.

Each known fault of a game is a variant of its model. The diagnosis searches for the set of faults
that lets the model best reproduce the program's output. It reports a fault only if it is certain:
without it, the model explains less of at least one session, and no more of any other (see
`evidence`). In sessions of no known game, the diagnosis reports wrong lines.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ..games.fault_kinds import OF_PRINTING, OTHER
from ..games.game import Game
from ..games.known_faults import GameFaults, KnownFault, faults_of
from ..games.model import EndOfInput, GameModel, Variant
from ..limits import Limits
from ..results import HAPPENS, Example, Finding
from ..sessions.rows import rows_of
from ..sessions.session import Session
from ..sessions.verdict import PlayedSession
from .claims import keep_true, with_plain_differences, with_plain_key
from .crash import crash_later
from .evidence import Evidence
from .exchange import with_expected_line
from .finding import Fault, group_faults, key_of_failure
from .hints import explained_example
from .manners import AFTER_GAME, NO_FLUSH, READS_EARLY, READS_FIRST, manners_of
from .observed import (
    ObservedSession,
    has_printed_in_time,
    ran_to_end,
    with_prompts_in_turn,
    without_apparent_lateness,
)
from .other_assignment import of_other_assignment
from .printing import PROMPTS, WAY_OF, WAYS, advice_on, examples_in, fitting_first, sentence_about
from .protocol import shape_of
from .search import Search
from .what_happens import NOTHING, what_happens
from .where_shown import place_of_departure, with_own_expected_output, wrong_rows_of
from .wrong_lines import wrong_lines

# The faults of a late program: it prints its output only after more input.
LATE = [fault.id for fault in (NO_FLUSH, READS_EARLY, READS_FIRST)]
COSTS_NOTHING = 'This costs no points: only sessions beyond the assignment show it.'


@dataclass
class Diagnosis:
    """The faults of a program: known faults, and unnamed faults for all other failures."""

    faults: list[Fault] = field(default_factory=list)
    # The names of sessions that the program did not run to their end, or where more is wrong than
    # the faults explain.
    cut: set[str] = field(default_factory=set)
    is_cut_short: bool = False  # whether a limit ended a search

    def findings(
        self, points_of: Callable[[Session], float], game_of: Callable[[Session], Game | None]
    ) -> list[Finding]:
        """Return the findings, in the order of the faults.

        `points_of` returns the points of a session. If a session was played with all its input at
        once because the program is late (see `LATE`), it is never clean.
        """
        only_at_once = self.only_at_once
        faults_shown = Counter(name for fault in self.faults for name in fault.names)
        found = []
        for fault in self.faults:
            session = fault.clearest.session
            example = explained_example(fault.clearest, game_of(session), is_named=bool(fault.id))
            points = {played.session.name: points_of(played.session) for played in fault.sessions}
            clean = [
                name
                for name in points
                if faults_shown[name] == 1 and name not in self.cut | only_at_once
            ]
            # The assignment's file that was started, or ''.
            starter = fault.clearest.dialogue.starter
            # Whether the fault is in a line of the program itself, not in the starter.
            is_own = fault.has_line or example.crash
            # Whether the wording of the sentence would reveal a hidden session to students.
            is_secret = session.is_hidden and not fault.sentence
            found.append(
                Finding(
                    id=fault.id,
                    sentence=fault.sentence or in_words(fault, example, game_of),
                    advice=fault.advice,
                    sessions=[*points],
                    clean_points=sum(points[name] for name in clean),
                    example=example,
                    plain=HAPPENS[fault.clearest.failure.kind] if is_secret else fault.plain,
                    clean=clean,
                    cut=[name for name in points if name in self.cut],
                    is_printing=fault.kind in OF_PRINTING,
                    places=fault.places,
                    subject=f"assignment's {starter}" if starter and not is_own else 'program',
                )
            )
        return found

    @property
    def only_at_once(self) -> set[str]:
        """The names of the sessions played with all input at once because the program is late."""
        if not any(fault.id in LATE for fault in self.faults):
            return set()
        return {
            played.session.name
            for fault in self.faults
            for played in fault.sessions
            if played.session.at_once_from
        }

    def of_hidden(self) -> Diagnosis:
        """Return the diagnosis of the hidden sessions only; the others are already explained."""
        faults = []
        for fault in self.faults:
            sessions = [played for played in fault.sessions if played.session.is_hidden]
            if sessions and fault.clearest.session.is_hidden:
                faults.append(replace(fault, sessions=sessions))
            elif sessions:
                faults.append(replace(fault, clearest=sessions[0], sessions=sessions, then=''))
        return replace(self, faults=faults)

    def sort(self) -> None:
        """Sort the faults by the number of sessions where they show first, most sessions first.

        A fault comes last if only sessions beyond the assignment show it. If sessions were played
        with all input at once because the program is late, the faults in `LATE` come first: until
        they are fixed, no other fix earns points there.
        """
        late_first = bool(self.only_at_once)
        shown = defaultdict(list)  # for each session: the step and the number of each of its faults
        for number, fault in enumerate(self.faults):
            for played in fault.sessions:
                shown[played.session.name].append((played.wrong_line.step, number))
        times_first = Counter(min(faults)[1] for faults in shown.values())

        def rank(numbered: tuple[int, Fault]) -> tuple[bool, bool, int]:
            number, fault = numbered
            comes_first = late_first and fault.id in LATE
            return fault.is_beyond, not comes_first, -times_first[number]

        self.faults = [fault for _, fault in sorted(enumerate(self.faults), key=rank)]


def diagnose(
    game_of: Callable[[Session], Game | None],
    failed: Iterable[PlayedSession],
    passed: Sequence[Session] = (),
    seconds: float = Limits.search,
    why_silent: Callable[[], tuple[str, str]] = lambda: ('', ''),
) -> Diagnosis:
    """Return the faults a program is certain to have, and unnamed faults for other failures.

    The search for each game may take `seconds` of processor time; with sessions beyond the
    assignment, there is a second search. If only such sessions show a fault, it comes last.
    `why_silent` returns why a program prints nothing and exits normally, and advice, or two empty
    strings if the program's source does not show why.
    """
    failed = [with_prompts_in_turn(played) for played in failed]
    is_timely = has_printed_in_time(failed, passed)
    failed = [without_apparent_lateness(played, is_timely) for played in failed]
    passed = [session.line_by_line for session in passed]
    of_assignment = [played for played in failed if not played.session.is_beyond]
    diagnosis = diagnosis_of(game_of, of_assignment, passed, seconds)
    if len(of_assignment) < len(failed):
        add_beyond(diagnosis, diagnosis_of(game_of, failed, passed, seconds))
    for fault in diagnosis.faults:
        if is_silent(fault):
            reason, advice = why_silent()
            if reason:
                fault.sentence, fault.advice = reason, advice
    diagnosis.sort()
    return diagnosis


def add_beyond(diagnosis: Diagnosis, whole: Diagnosis) -> None:
    """Add to a diagnosis the faults shown only by sessions beyond the assignment.

    Each fault already in the diagnosis gains the sessions beyond the assignment that show it.
    `whole` is the diagnosis of all sessions.
    """
    keys = [fault.key for fault in diagnosis.faults]
    beyond = []
    for fault in whole.faults:
        sessions = [played for played in fault.sessions if played.session.is_beyond]
        if sessions and (fault.is_beyond or fault.key in keys):
            advice = f'{fault.advice} {COSTS_NOTHING}'.lstrip()
            beyond.append(replace(fault, sessions=sessions, advice=advice))
    diagnosis.faults = group_faults([*diagnosis.faults, *beyond])
    diagnosis.cut |= whole.cut
    diagnosis.is_cut_short |= whole.is_cut_short


def in_words(fault: Fault, example: Example, game_of: Callable[[Session], Game | None]) -> str:
    """Return in words what a program with an unnamed fault does.

    `example` is from its clearest session.
    """
    examples = fault.examples or [
        what_happens(fault.clearest, example),
        *(
            what_happens(played, explained_example(played, game_of(played.session)))
            for played in fault.sessions
        ),
    ]
    return fault.by_example(examples) + fault.ending


def is_silent(fault: Fault) -> bool:
    """Return whether the fault is silence: a program prints nothing and exits normally."""
    if fault.sentence == NOTHING:
        return True
    played = fault.clearest
    if fault.id or played.dialogue.output or played.status != 0:
        return False
    return played.failure_found is not None and played.failure_found.kind in ('ended', 'file')


def diagnosis_of(
    game_of: Callable[[Session], Game | None],
    failed: Sequence[PlayedSession],
    passed: Sequence[Session],
    seconds: float,
) -> Diagnosis:
    """Return the diagnosis of these sessions.

    It begins with the known faults in each known game, and with all faults in other sessions.
    Unexplained failures follow as unnamed faults, those with the most sessions first.
    """
    diagnosis = Diagnosis()
    others: list[Fault] = []
    for game in dict.fromkeys(game_of(played.session) for played in failed):
        of_game = [played for played in failed if game_of(played.session) is game]
        game_faults = faults_of(game) if game else None
        until = time.process_time() + seconds
        if game is None or game_faults is None:
            faults, cut = wrong_lines(of_game, until)
            diagnosis.is_cut_short |= time.process_time() >= until
        else:
            right = [transcript for transcript in passed if game_of(transcript) is game]
            search = search_for(game_faults, of_game, right, until)
            evidence = Evidence(search, search.find())
            diagnosis.is_cut_short |= search.is_exhausted
            faults, unnamed = faults_in(evidence, game, game_faults, of_game)
            others += unnamed
            cut = cut_sessions(evidence, [*faults, *unnamed])
        diagnosis.faults += faults
        diagnosis.cut |= cut
    others.sort(key=lambda fault: len(fault.clearest.session.lines))
    others = [
        with_plain_differences(with_typical_session(fault, failed))
        for fault in group_faults(others)
    ]
    others.sort(key=lambda fault: len(fault.sessions), reverse=True)
    diagnosis.faults = [*group_faults(diagnosis.faults), *others]
    return diagnosis


def faults_in(
    evidence: Evidence, game: Game, game_faults: GameFaults, failed: Sequence[PlayedSession]
) -> tuple[list[Fault], list[Fault]]:
    """Return the known faults of a program in a game, and the unnamed faults.

    If the program seems to be for another assignment, that is its only fault.
    """
    other = of_other_assignment(evidence, game.name)
    if other:
        return [other], []
    known = certain_known_faults(evidence, game, game_faults)
    faults, _ = keep_true(known, failed, has_model=True)
    unnamed = [
        with_plain_key(fault)
        for fault in unexplained_failures(game_faults, evidence, faults)
        if not is_only_late(fault, faults)
    ]
    return faults, unnamed


def cut_sessions(evidence: Evidence, faults: Sequence[Fault]) -> set[str]:
    """Return the names of the sessions that are not run to their end, or not explained by `faults`.

    If a rule or a fault of the explanation shows in a session, but is not among its faults, one of
    its unnamed faults may be the same. Otherwise, more is wrong there.
    """
    cut, style = set(), evidence.explanation.style
    for session, match in evidence.failed:
        name = session.transcript.name
        ids = [fault.id for fault in faults if name in fault.names]
        ids += [own for own in style.names if style.rule_of(own) in ids]
        is_explained = match.is_whole or wrong_rows_of(session).are_of_one_kind
        shows_more = len(evidence.shown_in(session).difference(ids)) > ids.count('')
        if not ran_to_end(session.failed) or not is_explained or shows_more:
            cut.add(name)
    return cut


def with_typical_session(fault: Fault, failed: Iterable[PlayedSession]) -> Fault:
    """Return the fault with the first of its typical sessions as the clearest.

    A session is typical if its expected line is of the most frequent kind. If a session expects
    the output of a model with faults (`is_derived`), it counts only if there are no others. Then
    it gets the assignment's expected output from `failed`, the failed sessions as played.
    """
    shown = [played for played in fault.sessions if not played.session.is_derived] or fault.sessions
    shapes = [shape_of(played.wrong_line.expected) for played in shown]
    [(most_frequent, _)] = Counter(shapes).most_common(1)
    clearest = shown[shapes.index(most_frequent)]
    if clearest.session.is_derived:
        name = clearest.session.name
        own = next(played for played in failed if played.session.name == name)
        clearest = with_own_expected_output(clearest, own)
    return replace(fault, clearest=clearest, then=crash_later(clearest) if fault.then else '')


def is_only_late(fault: Fault, known: Sequence[Fault]) -> bool:
    """Return whether a fault shows only as silence, and only in sessions with a fault in `LATE`."""
    late = {name for other in known if other.id in LATE for name in other.names}
    return late.issuperset(fault.names) and all(
        played.failure.kind == 'silent' for played in fault.sessions
    )


def search_for(
    game: GameFaults, failed: Iterable[PlayedSession], passed: Iterable[Session], until: float
) -> Search:
    """Return the search for the faults of a game, with the shortest sessions first."""
    sessions = [
        *map(ObservedSession.from_played, failed),
        *map(ObservedSession.right, passed),
    ]
    sessions.sort(key=lambda session: len(session.transcript.lines))
    return Search(game.model, game.known, sessions, until)


def certain_known_faults(
    evidence: Evidence, game: Game, game_faults: GameFaults
) -> Iterator[Fault]:
    """Yield the known faults, if they are certain.

    Faults in how the program reads its input, and in how it ends, come first. Then come faults of
    printing, and finally faults of the game.
    """
    for known, shown in manners_of(evidence.failed):
        yield fault_of(known, known.sentence, shown)
    style, faults = evidence.explanation
    prompts = style.lines.prompts
    for known in [*WAYS, *game_faults.known]:
        shown = evidence.shown(known.id) if known.id in evidence.without else []
        if not shown:  # a fault may show only in passed sessions
            continue
        examples: list[str] = []
        name, variant = known.id, faults.get(known.id)
        if known.is_way and evidence.is_not_always(name):
            known = WAY_OF[style.rule_of(name)]
        way = WAY_OF.get(known.id)
        sentence = known.sentence + (variant.detail if variant else '')
        if way:
            examples = fitting_first(
                known, examples_in(style, name), shown[0].wrong_line, style.protocol
            )
            is_omitted = known.id == PROMPTS and not examples
            # The program prints prompts elsewhere, but omits this prompt.
            has_others = is_omitted and any(
                row.item and row.printed and not row.item.has_newline
                for played in shown
                for row in rows_of(played.session, played.dialogue)
            )
            omitted = shown[0].wrong_line.expected if has_others else ''
            sentence = sentence_about(way, examples, prompts, omitted)
        has_option = known.id == PROMPTS and game.has_prompts
        original = prompts_with_option(game_faults.model, shown) if has_option else ()
        advice = advice_on(known, examples, prompts, original)
        fault = fault_of(replace(known, advice=advice), sentence, shown, variant)
        yield replace(fault, examples=examples)


def prompts_with_option(game: type[GameModel], sessions: Iterable[PlayedSession]) -> set[str]:
    """Return the prompts a game prints with `--prompts` in these sessions."""
    prompts: set[str] = set()
    for played in sessions:
        transcript = played.session
        model = game(transcript.inputs, [*transcript.arguments, '--prompts'])
        with suppress(EndOfInput):
            model.play()
        prompts |= {text.rpartition('\n')[2] for text in model.texts}
    return prompts


def fault_of(
    known: KnownFault, sentence: str, shown: list[PlayedSession], variant: Variant | None = None
) -> Fault:
    """Return the fault shown by these sessions; the first of them shows it best."""
    return Fault(
        shown[0],
        sorted(shown, key=lambda played: len(played.session.lines)),
        known.id,
        sentence=sentence,
        plain=known.sentence,
        advice=known.advice,
        variant=variant,
        kind=(variant and variant.kind) or known.kind,
        claim=known.claim,
    )


def unexplained_failures(
    game_faults: GameFaults, evidence: Evidence, faults: Sequence[Fault]
) -> Iterator[Fault]:
    """Yield an unnamed fault for each session the faults leave unexplained.

    Such a session shows none of the faults, or fails in more ways than they explain. The new
    fault shows where the program departs from the model. But the model may have a fault or a rule
    of printing missing from `faults`. Then, in a session without any of the faults, it shows in the
    first wrong row.
    """
    are_all_named = {fault.id for fault in faults}.issuperset(evidence.without)
    for session, match in evidence.failed:
        ids = {fault.id for fault in faults if session.transcript.name in fault.names}
        is_explained = match.is_whole or (match.end == 'over' and not ids.isdisjoint(AFTER_GAME))
        if ids and is_explained:
            continue
        wrong = wrong_rows_of(session)
        if ids or are_all_named:
            played = place_of_departure(wrong, match, evidence.expected(session))
        else:
            played = wrong.with_failure(wrong.first)
        # If the program has its own style, an unexpected line may be an expected line in that
        # style.
        if ids.isdisjoint(evidence.explanation.style.names):
            played = with_expected_line(played)
        words = first_word(played.wrong_line.expected), first_word(played.wrong_line.printed)
        yield Fault(
            played,
            key=key_of_failure(played),
            then=crash_later(played),
            kind=game_faults.kinds.get(words, OTHER),
        )


def first_word(line: str) -> str:
    return re.split(r'\W', line, maxsplit=1)[0]
