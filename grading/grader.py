"""The grading of one submission: from the files that were handed in to the results."""

from __future__ import annotations

from functools import partial
from typing import Callable, Iterator, NamedTuple

from .assignments.games import game_of
from .diagnosis.diagnose import diagnose
from .diagnosis.example import example_of, explained_example
from .diagnosis.finding import Example, Finding
from .diagnosis.places.traced_runs import Tracing, why_silent
from .explanation import NotExplained, explained
from .fresh import play_fresh
from .player import Player, Shortage
from .printable import printable
from .reports.results import FRESH, Results
from .reports.scorebook import Scorebook, points_of
from .sandbox.confine import confine
from .sessions.class_lock import ClassLock
from .sessions.transcript import Transcript
from .sessions.verdict import HANGING, Played
from .settings import Settings
from .signals import Ended
from .submissions.identity import digest_of_program
from .submissions.submission import Submission, SubmissionError, make_program

FEWEST_HUNG = 2                         # sessions in which a program that always hangs has hung
HUNG = 'not run: the program hung in every session before'
PRINTS_ON = 'not run: the program hung, or printed without end, in every session before'
USES_MUCH = 'not run: the program hung, or used too much, in every session before'
NOT_IN_TURNS = 'not run line by line: the program prints its answers only after more input'
UNFLUSHED = f'{NOT_IN_TURNS}. With all its input at once, it prints the expected output.'
FLAKY = 'The program answers differently each time that it plays this game.'

Report = Callable[[int, int], None]
"""Is told how many of how many are done."""


def unreported(done: int, total: int) -> None:
    """Report no progress."""


def grade(handed_in: Submission, settings: Settings, book: Scorebook,
          report: Report = unreported) -> Results:
    """Grade a submission, and return its results, which are saved after each session.

    `book` says who handed it in, and where they are saved. If something ends the grading, note it
    in the results. Raises `Ended`, `Shortage`, or what a failure of the grader raises, such as
    `SandboxError` and `OSError`.
    """
    book.results.notes += handed_in.notes
    try:
        book.save()
        grading = play(handed_in, settings, book, report)
        book.complete()
        book.save()                     # the points stand, even if the explanation fails
        if grading:
            grading.explain()
        book.keep()
    except (Ended, Shortage) as end:
        book.end(printable(str(end)))
        raise
    except Exception as error:
        book.end(printable(f'a failure of the grader ({type(error).__name__}: {error})'))
        raise
    finally:
        book.save()
    return book.results


def play(handed_in: Submission, settings: Settings, book: Scorebook,
         report: Report) -> Grading | None:
    """Build a program in the sandbox, and play all sessions through it.

    Return what can explain the results, None if the program cannot be run. Raises `SandboxError`
    and `Shortage`.
    """
    if handed_in.complaint:
        book.fail_the_rest(handed_in.complaint)
        return None
    lock = ClassLock(settings.lock_folder, settings.limits.alone, settings.limits.playing)
    sandbox = confine(settings.confine, handed_in.scratch, settings.hidden, settings.limits)
    book.results.confinement = sandbox.kind
    if handed_in.folder:
        book.results.digest = digest_of_program(handed_in.folder)
    try:
        program, notes = make_program(handed_in.folder, settings, sandbox, lock)
    except SubmissionError as error:
        book.fail_the_rest(str(error))
        return None
    book.results.notes += notes
    player = Player(settings, sandbox, program, lock, handed_in.opened)
    grading = Grading(settings, player, book)
    grading.play(report)
    return grading


class Found(NamedTuple):
    """What an explanation has found: how each session fails, and what a clock has cut short."""

    findings: list[Finding]
    examples: dict[str, Example]
    cut_short: list[str]


class Grading:
    """All sessions and fresh games, played through one program."""

    def __init__(self, settings: Settings, player: Player, book: Scorebook) -> None:
        self._settings = settings
        self._player = player
        self._book = book
        self._failed: list[Played] = []
        self._passed: list[Transcript] = []
        self._hung = 0                  # sessions in which it hung, or was killed for its use

    def play(self, report: Report) -> None:
        """Play all sessions; if time or limits end this, note why in the results."""
        if not self._play_all(report):
            self._note_end()

    def explain(self) -> None:
        """Write into the results what is wrong with the program."""
        if not self._failed:
            return
        limits = self._settings.limits
        try:
            found = explained(self._explanation, limits.explanation, limits.explanation_memory)
        except NotExplained as error:
            self._book.not_explained(str(error))
            found = error.found
        if found:
            self._book.explain(found.findings, found.examples)
            self._book.results.cut_short = found.cut_short

    def _explanation(self) -> Iterator[Found]:
        """Yield what is found, piece by piece: how each session fails, then why, then where."""
        examples = {one.session.name: explained_example(one, game_of(one.session))
                    for one in self._failed}
        yield Found([], examples, [])
        diagnosis = diagnose(game_of, self._failed, self._passed, self._settings.limits.search,
                             partial(why_silent, self._player.program))
        late = ['search'] * diagnosis.is_late
        yield Found(diagnosis.findings(self._worth, game_of), examples, late)
        tracing = self._tracing()
        if tracing:
            # A program that is followed may go another way another time.
            diagnosis, where = tracing.explain(
                diagnosis, [one for one in self._failed if not one.session.others],
                [one for one in self._passed if not one.others])
            late += ['tracing'] * tracing.is_late
            yield Found(diagnosis.findings(self._worth, game_of, where), examples, late)

    def _tracing(self) -> Tracing | None:
        """Return what traces the program, None if that is not wanted or not possible.

        In a class, tracing takes no more than a fifth of all time.
        """
        if self._settings.no_where or self._player.is_late:
            return None
        seconds = self._settings.limits.tracing
        is_of_a_class = self._settings.lock_folder is not None
        return self._player.tracing(min(seconds, self._player.seconds / 4) if is_of_a_class
                                    else seconds)

    def _worth(self, transcript: Transcript) -> float:
        """Return the points of a session's test."""
        is_fresh = transcript.name not in self._book.tests
        return self._settings.fresh_points if is_fresh else points_of(transcript)

    def _play_all(self, report: Report) -> bool:
        """Play all transcripts and fresh games, if there is time; return whether there was."""
        for number, transcript in enumerate(self._settings.assignment.transcripts, 1):
            if self._is_over:
                return False
            in_turns = not self._player.is_unflushed
            played = self._player.play(transcript)
            if played.wrong and self._player.is_late:   # the limit may have cut the session short
                return False
            if played.wrong or in_turns:
                self._note(transcript.name, played)
            else:
                self._book.not_run(transcript.name, UNFLUSHED)
            report(number, len(self._book.tests))
        if not self._settings.fresh:
            return True
        if self._player.is_unflushed:
            self._book.not_run(FRESH, NOT_IN_TURNS)
            return True
        return not self._is_over and self._play_fresh(self._settings.fresh, self._settings.seed)

    def _note_end(self) -> None:
        """Note why not everything has been played."""
        if self._is_known_to_hang:
            ends = {one.dialogue.end for one in self._failed}
            self._book.fail_the_rest(
                USES_MUCH if 'excess' in ends else PRINTS_ON if 'output' in ends else HUNG)
        else:
            self._book.end(self._player.limit)
            if not self._failed:        # the machine may have been slow
                self._book.fingerprint = ''

    @property
    def _is_over(self) -> bool:
        return self._player.is_late or self._is_known_to_hang

    @property
    def _is_known_to_hang(self) -> bool:
        return (self._hung >= FEWEST_HUNG and not self._passed and self._hung == len(self._failed)
                and self._player.seconds > self._settings.limits.hanging)

    def _note(self, name: str, played: Played) -> None:
        """Note the result of a test."""
        wrong, session = played.wrong, played.session
        if wrong:
            self._book.failed(name, example_of(played, game_of(session)))
        else:
            self._book.passed(name)
        self._book.save(is_needed=False)
        if not wrong:
            self._passed.append(session.line_by_line)
        else:
            self._failed.append(played)
            self._player.late += wrong.comes_late
            self._hung += (wrong.kind in HANGING and not wrong.comes_late) or (
                played.dialogue.end in ('output', 'time', 'excess'))

    def _play_fresh(self, count: int, seed: int | None) -> bool:
        """Play games that nobody has seen; of those that fail, note the smallest.

        Return whether there was time for all.
        """
        fresh = play_fresh(
            self._settings.assignment.name, count, partial(self._player.play, types_on=False),
            seed=seed, prompts=self._settings.prompts, at_once=self._settings.at_once,
            stop_at=self._player.deadline)
        if fresh.smallest:
            self._book.smallest_game(fresh.text, FLAKY if fresh.is_flaky else '')
            again = self._player.play(fresh.smallest.place.session)
            self._note(FRESH, again if again.wrong else fresh.smallest)
        elif fresh.is_cut:
            self._book.not_run(FRESH, f'not run to the end: {self._player.limit} came after '
                                  f'{fresh.played} of {count} games, all of them right')
        else:
            self._book.passed(FRESH)
        return not fresh.is_cut
