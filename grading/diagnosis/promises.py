"""Finds the sessions that certainly pass, or still fail, once a single fault is fixed.

A session certainly passes if the program got to its end, and if a model of the game with all the
other faults prints the expected output. No other fault of printing may show in the session. If the
fixed program makes other moves, its style must not change any expected line of the session. A
session certainly still fails if it shows another fault, unless this is an effect of the fixed
fault. For example, a program has two faults:

    normal-play              names the wrong loser
    sum-unchecked            does not check the sum

    a valid game             passes once normal-play is fixed
    an invalid sum           still fails once normal-play is fixed; passes once sum-unchecked is
                             fixed, because a refused game has no loser
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..games.kinds import SAME_MOVES
from .evidence import Evidence
from .finding import Fault
from .match import Match
from .observed import ObservedSession
from .protocol import shape_of


def with_promises(
    faults: Sequence[Fault], evidence: Evidence, unseen: Mapping[str, bool]
) -> list[Fault]:
    """Return the faults, each with the sessions that certainly pass, or still fail, if it is fixed.

    No other fault is assumed to be fixed. `faults` must contain all faults of the program in the
    sessions of this game. `unseen` contains the sessions that may hide unreported faults.
    """
    promises = Promises(faults, evidence)
    return [
        replace(
            fault,
            passes=frozenset(
                name
                for name in fault.names
                if name not in unseen and promises.passes_without(fault, name)
            ),
            fails=frozenset(name for name in fault.names if promises.fails_without(fault, name)),
        )
        for fault in faults
    ]


def with_plain_promises(faults: Sequence[Fault], unseen: Mapping[str, bool]) -> list[Fault]:
    """Return faults found without a model, each with the sessions that pass once it is fixed.

    These are the sessions with no other fault, except those in `unseen` (see `with_promises`).
    Nothing is certain about a session with two faults.
    """
    faults_shown = Counter(name for fault in faults for name in fault.names)
    return [
        replace(
            fault,
            passes=frozenset(
                name for name in fault.names if name not in unseen and faults_shown[name] == 1
            ),
        )
        for fault in faults
    ]


class Promises:
    """Decides which sessions of a game certainly pass, or still fail, if one fault is fixed."""

    def __init__(self, faults: Sequence[Fault], evidence: Evidence) -> None:
        self._faults = faults
        self._evidence = evidence
        self._of_game = evidence.explanation.faults
        self._style = evidence.explanation.style

    def passes_without(self, fault: Fault, name: str) -> bool:
        """Return whether a session certainly passes if one fault is fixed.

        Do not call this for a session that may hide unreported faults.
        """
        others = self._others(fault, name)
        is_known = all(other.id in self._evidence.without for other in others)
        if others and not (fault.id and is_known):
            return False  # the model does not have every fault of the session
        evidence, number = self._evidence, self._evidence.numbers[name]
        if not self._changes_moves(fault):
            shown = [
                other
                for other in evidence.without
                if other != fault.id and evidence.is_shown(other, number)
            ]
            # If the model explains the whole session, it also explains the wrong line of an unnamed
            # fault: by a rule of printing, although the sentence about the rule is not true for the
            # line. So the rule and the unnamed fault are the same fault.
            is_rule = (
                not fault.id
                and fault.place.failure.kind == 'differs'
                and evidence.matches[number].is_whole
            )
            most_shown = 1 if is_rule else 0
            return evidence.is_right_without(fault.id, number) and len(shown) <= most_shown
        # Without the fault, the program may make moves it made in no session, and print any of the
        # expected lines.
        return (
            all(other.id for other in self._faults)
            and evidence.prints_exactly(number)
            and evidence.is_right_without(fault.id, number, must_be_sure=True)
        )

    def fails_without(self, fault: Fault, name: str) -> bool:
        """Return whether a session certainly still fails if one fault is fixed.

        If the session shows another fault of the game, it fails if the model with all other faults
        prints a wrong line. Otherwise, it fails if `fault` is a fault of the game, and a fault of
        printing shows before it: the earlier fault cannot be an effect of `fault`.
        """
        number = self._evidence.numbers[name]
        others = [other.id for other in self._others(fault, name)]
        if not self._of_game.keys().isdisjoint(others):
            return not self._evidence.is_right_without(fault.id, number)
        return fault.id in self._of_game and any(
            self._evidence.position(other, number) < self._evidence.position(fault.id, number)
            for other in others
            if other in self._style.rules
        )

    def _others(self, fault: Fault, name: str) -> list[Fault]:
        """Return the other faults in a session."""
        return [other for other in self._faults if other is not fault and name in other.names]

    def _changes_moves(self, fault: Fault) -> bool:
        """Return whether the program may make different moves once a fault is fixed."""
        return fault.id in self._of_game and fault.kind.family not in SAME_MOVES


def unseen_in(failed: Sequence[tuple[ObservedSession, Match]]) -> dict[str, bool]:
    """Return the names of the sessions that may hide unreported faults.

    A session is mapped to True if the program did not get to its end. It is mapped to False if the
    program did, but no model explains the session, and its wrong lines are not all alike (see
    `has_one_kind_of_wrong_line`).

    In some sessions (`others`), the assignment accepts several outputs, and the program may choose
    one at random. If one such session is returned, all of them are: next time, the program may
    choose differently.
    """
    unseen = {}
    for session, match in failed:
        name = session.transcript.name
        if not reaches_end(session):
            unseen[name] = True
        elif not match.is_whole and not has_one_kind_of_wrong_line(session):
            unseen[name] = False
    with_choice = [session.transcript.name for session, _ in failed if session.transcript.others]
    if unseen.keys().isdisjoint(with_choice):
        return unseen
    return {**dict.fromkeys(with_choice, False), **unseen}


def reaches_end(session: ObservedSession) -> bool:
    """Return whether a program got to the end of a failed session.

    It did if it printed all expected output, and only did not end, or ended with the wrong status.
    Otherwise, it must have read all input, and must have ended as expected.
    """
    played, transcript, dialogue = session.failed, session.transcript, session.failed.dialogue
    if played.failure.kind in ('not ended', 'status'):
        return True
    if dialogue.end != 'exit' or not transcript.end.accepts(dialogue.status or 0):
        return False
    typed = b''.join(turn.typed for turn in dialogue.turns)
    if typed != b''.join(step.typed for step in transcript.steps):
        return False
    # If lines are missing at the end, the program may have ended without reading the last line of
    # input. If it printed anything after that line, it did read the line.
    return played.failure.kind != 'ended' or bool(dialogue.turns[-1].printed)


def has_one_kind_of_wrong_line(session: ObservedSession) -> bool:
    """Return whether all wrong lines of a session are alike, and no lines are missing or extra.

    If the failure is not a wrong line but, for example, late output, no line may be wrong.
    """
    lines, expected = session.text.splitlines(), session.transcript.output.splitlines()
    if len(lines) != len(expected):
        return False
    kinds = {
        (shape_of(line), shape_of(other))
        for line, other in zip(lines, expected, strict=True)
        if line != other
    }
    return len(kinds) == (1 if session.failed.failure.kind == 'differs' else 0)
