"""Grades the right and the wrong programs of the project, and compares: `make verdicts`.

`verdicts.txt` has the verdicts that are expected. A line has a program, the runs that give this
verdict, the points, and why the program does not pass some sessions: for each reason, the sessions
and the lines where they go wrong. A run is a kind of sandbox, such as `bwrap`; in `bwrap-busy`,
other programs keep all processors busy.

Whatever differs is printed, and the exit status is then 1. A program that plays at random gets a
seed. A session whose result still differs from run to run is listed under `varies`, and is not
compared. Nor is a program whose grading ended early: the machine was too busy.

`make verdicts` grades all programs that were right, and the same hundred others each time, in
`bwrap`. `make verdicts-whole` grades these in all runs, and all others in `bwrap`. With ONLY='a
part of a name', only some programs are graded. WRITE=new writes the new verdicts, and WRITE=varies
marks each session that differs.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

import measure_places
import unseen_programs
import wrong_own
from programs import OTHELLO, SAMPLES, our_pair, read_sample, write_files
from test_choices import WRONG as WRONG_CHOICES
from test_honest import SUBMISSIONS
from wrong_programs import PROGRAMS

from grading import Results, grade
from grading.games import NAMES
from grading.installation import ROOT

KEPT = Path(__file__).with_suffix('.txt')
FEW = 100  # how many programs `make verdicts` plays beside the right ones
KINDS = 'bwrap', 'user', 'none'
BUSY = '-busy'
RUNS = [*KINDS, *(kind + BUSY for kind in KINDS)]
IDLE = RUNS[0]  # of `make verdicts`
PROCESSES = 2
WITH_PROMPTS = 'piles', 'stones', 'tlcw'
EXAMPLES = ROOT / 'docs' / 'examples'
PASSED, VARIES = 'passed', 'varies'
ENDED = 'ended'  # the reason of a session that was not played; a program that ends has a line, too
FORK = get_context('fork')
in_turn = FORK.Lock()  # in kind `user`, graders take turns
SEED = 'import random; random.seed(1)\n'


@dataclass(frozen=True)
class Program:
    """A program to grade: its files by name, and its assignment.

    The assignment is a built-in game, a folder, or the files of a folder by name.
    """

    name: str
    files: dict[str, str | bytes]
    assignment: str | Path | dict[str, str]
    options: dict[str, object] = field(default_factory=dict)


@dataclass
class Verdict:
    """The points and sessions of a program, and why it does not pass some sessions, by session."""

    score: str
    reasons: dict[str, str]

    def __str__(self) -> str:
        by_reason = defaultdict(list)
        for session, reason in sorted(self.reasons.items()):
            reason, _, line = reason.partition(':')
            by_reason[reason].append(f'{session}:{line}' if line else session)
        lists = (f'{reason}: {" ".join(names)}' for reason, names in sorted(by_reason.items()))
        return '; '.join([self.score, *lists])

    @classmethod
    def read(cls, text: str) -> Verdict:
        """Return the verdict that was written as this text."""
        score, *lists = text.split('; ')
        reasons = {}
        for reason, names in (part.split(': ') for part in lists):
            for name in names.split(' '):
                session, colon, line = name.partition(':')
                reasons[session] = reason + colon + line
        return cls(score, reasons)

    @property
    def is_right(self) -> bool:
        return not self.reasons

    @property
    def is_cut_short(self) -> bool:
        """Whether the grading ended before all sessions were played, as on a very busy machine."""
        return ENDED in self.reasons.values()

    def changes(self, now: Verdict) -> dict[str, str]:
        """Return what differs now, by session; '' stands for the points."""
        found = {}
        for session in sorted({*self.reasons, *now.reasons}):
            before, after = (one.reasons.get(session, PASSED) for one in (self, now))
            if before not in (after, VARIES):
                found[session] = f'{before}, now {after}'
        scores = [self.score, now.score]
        if VARIES in self.reasons.values():
            scores = [without_points(score) for score in scores]
        if scores[0] != scores[1]:
            found[''] = f'{self.score}, now {now.score}'
        return found

    def varying(self, sessions: Iterable[str]) -> Verdict:
        """Return this verdict with some sessions marked as varying."""
        marks = dict.fromkeys(sessions, VARIES)
        score = without_points(self.score) if marks else self.score
        return Verdict(score, {**self.reasons, **marks})


def without_points(score: str) -> str:
    """Return a score without what varies with the sessions that vary.

    >>> without_points('2.5 of 4 points, 2 of 3 sessions')
    '? of 4 points, ? of 3 sessions'
    """
    return re.sub('[0-9.?]+ of', '? of', score)


def programs() -> Iterator[Program]:
    """Yield all programs."""
    yield from right_programs()
    for kind in ('at random', *WRONG_CHOICES):
        for prompts in (True, False):
            command = f"python3 own_words.py '{kind}' 1 {'' if prompts else 'none'}"
            yield Program(
                f'own words, {kind}{", prompts" if prompts else ""}',
                {'own_words.py': read_sample('own_words')},
                'piles',
                {'prompts': prompts, 'command': command},
            )
    for path in sorted(EXAMPLES.glob('*/wrong/**/*.*')):
        yield example(path)
    for name, file, _, text in measure_places.beginners():
        game = measure_places.PROGRAMS[name][0]
        yield Program(f'beginners/{name}', {file: text}, game, {'prompts': game in WITH_PROMPTS})
    for name, folder, game in unseen_programs.programs():
        files = {path.stem: path.read_bytes() for path in folder.glob('*.txt')}
        yield Program(f'unseen/{name}', files, game)
    for wrong in PROGRAMS.values():
        sessions = {**wrong.sessions, 'assignment.ini': 'flush = required\n'}
        yield Program(f'wrong/{wrong.name}', {'main.py': wrong.source}, sessions, wrong.settings)


def right_programs() -> Iterator[Program]:
    for game in ('othello', 'nim'):
        yield Program(f'right/{game} console', our_pair(game), game)
    yield Program('right/another othello', {'main.py': OTHELLO}, 'othello')
    for name, files in SUBMISSIONS.items():
        yield Program(f'right/{name}', files, 'othello')
    for path in sorted(SAMPLES.glob('*.py')):
        game = path.stem.partition('_')[0]
        if game != 'own':  # it takes arguments: see `programs`
            yield Program(
                f'right/sample {path.stem}',
                {'main.py': read_sample(path.stem)},
                wrong_own.sums() if game == 'sums' else game,
                {'prompts': game in WITH_PROMPTS},
            )
    yield Program('right/calculator', {'main.py': wrong_own.CALCULATOR}, wrong_own.TEXTS)
    for path in sorted([*EXAMPLES.glob('*/solution.py'), *EXAMPLES.glob('*/solution/*.*')]):
        yield example(path)


def example(path: Path) -> Program:
    """Return a program of the manual's examples, given its file."""
    name = path.relative_to(EXAMPLES)
    folder = EXAMPLES / name.parts[0]
    assignment = folder.name if folder.name in NAMES else folder
    return Program(f'examples/{name}', {path.name: path.read_bytes()}, assignment)


def with_seed(source: str | bytes) -> str | bytes:
    """Return a module that, if it imports `random`, plays the same each time."""
    text = source if isinstance(source, str) else source.decode(errors='surrogateescape')
    is_random = 'import random' in text or 'from random' in text
    # A __future__ import must come first; only our own programs have one.
    return SEED + text if is_random and '__future__' not in text else source


def verdict(program: Program, kind: str) -> Verdict:
    """Grade a program in a kind of sandbox."""
    with tempfile.TemporaryDirectory(prefix='verdicts-') as scratch:
        files = {name: with_seed(source) for name, source in program.files.items()}
        submission = write_files(Path(scratch, 'program'), files)
        assignment = program.assignment
        if isinstance(assignment, dict):
            assignment = write_files(Path(scratch, 'sessions'), assignment)
        try:
            with in_turn if kind == 'user' else nullcontext():
                return verdict_in(grade(assignment, submission, confine=kind, **program.options))
        except Exception as error:  # of the grader or the machine: a verdict, too
            return Verdict('not graded', {'all': type(error).__name__})


def verdict_in(results: Results) -> Verdict:
    tests = results.tests
    stems = [Path(test.name).stem for test in tests]
    names = stems if len({*stems}) == len(tests) else [test.name for test in tests]
    reasons = {}
    for name, test in zip(names, tests, strict=True):
        if test.example:
            reasons[name.replace(' ', '_')] = f'{test.example.kind}:{test.example.line}'
        elif not test.has_passed:
            reasons[name.replace(' ', '_')] = test.reason
    passed = sum(test.has_passed for test in tests)
    points = f'{results.score:g} of {results.max_score:g} points'
    return Verdict(f'{points}, {passed} of {len(tests)} sessions', reasons)


Kept = dict[str, dict[str, Verdict]]  # verdicts by program and run


def read_kept() -> Kept:
    """Return the kept verdicts."""
    kept: Kept = defaultdict(dict)
    for line in KEPT.read_text(encoding='utf-8').splitlines() if KEPT.exists() else ():
        name, runs, text = line.split(' | ')
        for run in RUNS if runs == 'all' else runs.split():
            kept[name][run] = Verdict.read(text)
    return kept


def write_kept(kept: Kept) -> None:
    """Write the verdicts; runs of a program with the same verdict share a line."""
    lines = []
    for name, by_run in sorted(kept.items()):
        runs = defaultdict(list)
        for run in filter(by_run.get, RUNS):
            runs[str(by_run[run])].append(run)
        for text, same in runs.items():
            lines.append(f'{name} | {"all" if same == RUNS else " ".join(same)} | {text}\n')
    KEPT.write_text(''.join(lines), encoding='utf-8')


def keep_busy(parent: int) -> None:
    """Use a processor as long as the process `parent` is there."""
    while os.getppid() == parent:
        pass


@contextmanager
def busy_processors() -> Iterator[None]:
    """Keep all processors busy."""
    others = [
        FORK.Process(target=keep_busy, args=[os.getpid()], daemon=True)
        for _ in range(os.cpu_count() or 1)
    ]
    for process in others:
        process.start()
    try:
        yield
    finally:
        for process in others:
            process.kill()
            process.join()


def chosen(
    kept: Kept, every: list[Program], is_whole: bool, only: str
) -> list[tuple[Program, str]]:
    """Return the programs to grade, each with a run.

    These are the programs that were right, new ones, and the same `FEW` others each time. If
    `is_whole`, all programs have the idle run. `only` is a part of the names.
    """
    wrong = [name for name, by_run in kept.items() if not by_run[IDLE].is_right]
    rest = {*sorted(wrong, key=lambda name: zlib.crc32(name.encode()))[FEW:]}
    return [
        (program, run)
        for program in every
        for run in (RUNS if is_whole else [IDLE])
        if only in program.name
        and (program.name not in rest or (run == IDLE and (is_whole or only)))
    ]


def graded(jobs: list[tuple[Program, str]]) -> Iterator[tuple[str, str, Verdict]]:
    """Grade programs, first in the idle runs; yield the name, the run and the verdict of each."""
    for is_busy in (False, True):
        waiting = [job for job in jobs if job[1].endswith(BUSY) == is_busy]
        with (
            busy_processors() if is_busy and waiting else nullcontext(),
            ProcessPoolExecutor(PROCESSES, FORK) as pool,
        ):
            done = {
                pool.submit(verdict, program, run.removesuffix(BUSY)): (program.name, run)
                for program, run in waiting
            }
            for number, future in enumerate(as_completed(done), 1):
                name, run = done[future]
                print(f'[{number}/{len(done)}] {name}, {run}', file=sys.stderr)
                yield name, run, future.result()


def differences(before: Verdict | None, now: Verdict) -> dict[str, str]:
    """Return what differs, by session; '' stands for the whole program."""
    if now.is_cut_short:
        return {'': 'not compared: the grading ended early'}
    return before.changes(now) if before else {'': f'new: {now}'}


def to_keep(before: Verdict | None, now: Verdict, is_varying: bool) -> Verdict:
    """Return the verdict to keep: the new one, or the old one with marks on what has changed."""
    if not before:
        return now
    if is_varying:
        return before.varying(filter(None, before.changes(now)))
    return now.varying(name for name, reason in before.reasons.items() if reason == VARIES)


def main(scope: str = 'few', write: str = '', only: str = '') -> int:
    """Grade the programs, print and perhaps write what differs; return the exit status.

    `scope` is 'few' or 'whole', and `write` is '', 'new' or 'varies'.
    """
    start = time.monotonic()
    kept, every = read_kept(), [*programs()]
    jobs = chosen(kept, every, scope == 'whole', only)
    gone = sorted({*kept} - {program.name for program in every})
    for name in gone:
        print(f'{name}: there is no such program now')
        if write:
            del kept[name]
            write_kept(kept)
    differing = len(gone)
    for name, run, now in graded(jobs):
        before = kept[name].get(run)
        changes = differences(before, now)
        differing += bool(changes)
        whose = f'RIGHT PROGRAM {name}' if before and before.is_right else name
        for session, change in changes.items():
            print(f'{whose}, {run}{session and f", {session}"}: {change}', flush=True)
        if changes and write and not now.is_cut_short:
            kept[name][run] = to_keep(before, now, write == 'varies')
            write_kept(kept)
    print(f'{len(jobs)} verdicts in {time.monotonic() - start:.0f} s, {differing} differ')
    return int(differing > 0)
