"""Explains one submission: what is wrong in its sessions, why, and where to look.

All points are final before the explanation begins. If the explanation fails, reaches a limit or is
killed, the results merely get a note.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ..engine.grade import PlayedSessions
from ..engine.retries import SessionPlayer
from ..games import game_of
from ..limits import Limits
from ..results import Example, Finding, Interruption, Results
from ..sandbox.program import Program
from ..sessions.run import Run
from ..sessions.session import Session
from ..sessions.verdict import PlayedSession
from ..settings import Options
from .apart import explain_apart
from .hints import explained_example
from .languages import for_language, language_of

if TYPE_CHECKING:
    from .diagnose import Diagnosis
    from .places.tracing import TracedRuns

CLASS_SHARE = 4  # in a class: trace one session in this many, and try one change in this many


class Draft(NamedTuple):
    """What is known so far about the faults of a program."""

    findings: Sequence[Finding] = ()
    keys: Sequence[object] = ()  # the key of each finding's fault
    examples: Mapping[str, Example] = {}  # how each session fails, by the session's name
    cut_short: Sequence[str] = ()  # the parts of the explanation cut short by a limit

    def joined(self, other: Draft) -> Draft:
        """Return this explanation, combined with an explanation of other sessions.

        The findings of this explanation stay the same, but gain the sessions of findings in `other`
        with the same key. The other findings in `other` follow.
        """
        pairs = [*zip(other.keys, other.findings, strict=True)]
        by_key = dict(pairs)
        earlier = [
            finding.with_sessions_of(by_key[key]) if key in by_key else finding
            for key, finding in zip(self.keys, self.findings, strict=True)
        ]
        new = [(key, finding) for key, finding in pairs if key not in self.keys]
        return Draft(
            [*earlier, *(finding for _, finding in new)],
            [*self.keys, *(key for key, _ in new)],
            {**self.examples, **other.examples},
            [*dict.fromkeys([*self.cut_short, *other.cut_short])],
        )


def explain(
    played: PlayedSessions,
    results: Results,
    options: Options,
    earlier: Draft | None = None,
) -> Draft:
    """Add to the results what is wrong in one part of the sessions; return the explanation.

    `earlier` explains the part before; its findings are kept. The explanation runs in a
    separate process.
    """
    earlier = earlier or Draft()
    # Visible and hidden sessions are explained one after the other; each gets half of the time.
    parts = 2 if any(test.hidden for test in results.tests) else 1
    limits = options.limits
    seconds = limits.explanation + max(0, min(limits.spare, played.player.seconds_left))
    found, reason = explain_apart(
        partial(drafts, played, options),
        seconds / parts,
        limits.explanation_memory,
        played.player.clear,
    )
    if reason:
        results.not_explained.append(Interruption('explanation', reason))
    if not found:
        return earlier
    explanation = earlier.joined(found)
    results.findings = [*explanation.findings]
    results.cut_short = [*explanation.cut_short]
    for name, example in found.examples.items():
        played.test_of(name).example = example
    return explanation


def drafts(played: PlayedSessions, options: Options) -> Iterator[Draft]:
    """Yield drafts of the explanation of one part of the sessions.

    The first draft says how each session fails; the second adds why, and the third where to look.
    """
    from .diagnose import diagnose  # slow to import
    from .silence import why_silent

    def points_of(session: Session) -> float:
        return played.test_of(session.name).max_score

    def draft(diagnosis: Diagnosis, *cut_short: str) -> Draft:
        findings = diagnosis.findings(points_of, game_of)
        # In the results, all fresh games are a single test.
        for finding in findings:
            for names in (finding.sessions, finding.clean, finding.cut):
                names[:] = [played.test_of(name).name for name in names]
        return Draft(
            findings,
            [fault.key for fault in diagnosis.faults],
            examples,
            cut_short,
        )

    failed = played.failed
    examples = {
        result.session.name: explained_example(result, game_of(result.session))
        for result in failed
        if result.session.is_hidden == played.are_hidden
    }
    yield Draft(examples=examples)
    # Visible sessions help to explain hidden sessions, but not vice versa.
    diagnosis = diagnose(
        game_of,
        failed,
        [*played.passed, *played.right_at_once],
        options.limits.search,
        partial(why_silent, played.player.program),
    )
    if played.are_hidden:
        diagnosis = diagnosis.of_hidden()
    # What hidden sessions are refused would be known to students, so it is not looked for.
    for result in [] if played.are_hidden else with_refusals(diagnosis, played.player):
        examples[result.session.name] = explained_example(result, game_of(result.session))
    language = language_of(played.player.program.words)
    for fault in diagnosis.faults:
        fault.advice = for_language(fault.advice, language)
    cut_short = ['search'] if diagnosis.is_cut_short else []
    yield draft(diagnosis, *cut_short)
    may_trace = options.where and language == 'Python' and not played.are_hidden
    if not may_trace or played.player.seconds_left <= 0 or not played.player.can_trace:
        return
    from .places.where import with_places  # slow to import

    runs = runs_to_trace(played, options.limits)
    # If a session follows the program's moves (`others`), a traced run may make different moves.
    passed = [session for session in played.passed if not session.others]
    diagnosis = with_places(diagnosis, runs, failed, passed)
    if runs.is_out_of_time:
        cut_short.append('tracing')
    yield draft(diagnosis, *cut_short)


def with_refusals(diagnosis: Diagnosis, player: SessionPlayer) -> Iterator[PlayedSession]:
    """Find out what the sandbox refuses, and name it in the sentences of unknown faults.

    Yield the sessions that fail after a refusal. Only the first session is played again.
    """
    unknown = [fault for fault in diagnosis.faults if not fault.id]
    if not unknown:
        return
    first = unknown[0].clearest
    calls = player.refused_calls(first)
    refused = [*calls, *first.dialogue.refused]
    for fault in unknown if refused else ():
        if fault.clearest.failure.kind == first.failure.kind:
            if calls or not fault.has_line:  # a crash for want of memory has a better sentence
                fault.sentence = f'fails after the sandbox refuses {", ".join(refused)}'
                fault.advice = 'Use something else: no program may do this here.'
            for played in fault.sessions:
                played.dialogue.refused = refused
                yield played


def runs_to_trace(played: PlayedSessions, limits: Limits) -> TracedRuns:
    """Return the runs for tracing and changing the program, fewer when a whole class is graded."""
    from .places.tracing import TracedRuns

    player, traces, changes = played.player, limits.traces, limits.changes
    if player.is_in_class:  # tracing may take only a small part of the total time
        sessions = len([*played.failed, *played.passed])
        traces = min(traces, math.ceil(sessions / CLASS_SHARE))
        changes //= CLASS_SHARE
    return TracedRuns(
        partial(run_traced, player),
        player.program,
        limits.tracing,
        traces,
        changes if player.can_change else 0,
    )


def run_traced(
    player: SessionPlayer,
    session: Session,
    words: Sequence[str],
    seconds: float,
    use: Callable[[Run], Any],
) -> Any:
    """Run the program for up to `seconds`, with Python options (`words`) to trace or change it.

    Call `use` with the run and return its result, or None if the program cannot run.
    """
    from .places.tracing import traced

    def changed(program: Program) -> Program:
        root = os.path.relpath('.', program.below) if player.program.folder else ''
        return traced(program, words, root)

    return player.run_apart(session, seconds, changed, use)
