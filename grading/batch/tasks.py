"""Submissions to be graded, and the grading of one of them, unless its results stand already."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Generator, Sequence

from ..assignments.find import find
from ..diagnosis.places.run import script_of
from ..grader import grade
from ..player import Shortage
from ..printable import printable
from ..reports.formats import for_gradescope
from ..reports.grades import INTERRUPTED, summary, without_grade
from ..reports.notices import Report, unreported
from ..reports.pages import write_pages
from ..reports.results import Results
from ..reports.results_json import SavedResults, read_results, write_results
from ..sandbox.program import words_in
from ..settings import Settings
from ..signals import Ended
from ..submissions.exports.read import read_export
from ..submissions.names import folder_name, submission_names
from ..submissions.submission import Submission, open_submission
from .resume import fingerprint, grader_version, seed_of

INTERPRETERS = ('java', 'node', 'ruby', 'perl', 'php', 'lua', 'sh', 'bash', 'runghc')
ENDING = re.compile(r'\.(py|jar|m?js|rb|pl|php|lua|sh|hs|exe)$')


@dataclass(frozen=True)
class Task:
    """One submission: its `name` in the results, where it is, where its results go."""

    name: str
    source: Path | None
    settings: Settings
    folder: Path | None = None          # of its results and pages
    gradescope: Path | None = None      # a results.json for Gradescope
    late: bool | None = None            # None where nobody told
    notes: tuple[str, ...] = ()         # on what an export holds of it
    id: str = ''                        # of who has handed it in, '' where nobody told
    email: str = ''

    @property
    def path(self) -> Path | None:
        """Where its results go."""
        return self.folder and self.folder / 'results.json'


Grade = Callable[[Task, Submission, str], SavedResults]
"""Grades what was handed in, whose fingerprint is known; saves its results and returns them."""
Summaries = Generator[SavedResults, None, None]
GradeAll = Callable[[Sequence[Task]], Summaries]
"""Grades all, and yields a summary of each as soon as it is known; nothing that it has started
goes on when it is closed."""


def tasks_for(sources: Sequence[Path], settings: Settings, out: Path | None) -> list[Task]:
    """Return a task for each submission, its name that of its folder, its zip or its file."""
    return [Task(name, source, settings, out and out / name)
            for source, name in zip(sources, submission_names(sources))]


def task_of_command(command: str, settings: Settings, out: Path | None) -> Task:
    """Return a task for a command as it stands here."""
    name = folder_name(program_named(command), set())
    return Task(name, None, replace(settings, confine='none'), out and out / name)


def program_named(command: str) -> str:
    """Return the name of the program that a command line runs.

    >>> program_named('python3 -u ../hw/sums1.py'), program_named('java -cp build Sums')
    ('sums1', 'Sums')
    >>> program_named('./sums --fast'), program_named('python3 -m my.sums')
    ('sums', 'my.sums')
    """
    words = words_in(command)
    script = script_of(words)
    if script is not None:
        words = [word for word in words[script:] if word != '-m']
    elif words[0] in INTERPRETERS:
        words = words[3:] if words[1:2] in (['-cp'], ['-classpath']) else words[1:]
    program = next((word for word in words if not word.startswith('-')), command)
    return ENDING.sub('', re.split(r'[/\\]', program)[-1])


def tasks_of_exports(sources: Sequence[Path], kind: str, settings: Settings, out: Path,
                     folder: Path) -> tuple[list[Task], list[str]]:
    """Return a task for each submission in some exports, and the files that are nobody's.

    They are unpacked in a folder of the grader's. Raises `ExportError`.
    """
    submissions, ignored = [], []
    for number, source in enumerate(sources):
        target = folder / f'export-{number}'
        target.mkdir()
        export = read_export(source, kind, target)
        submissions += export.submissions
        ignored += export.ignored
    tasks = tasks_for([one.folder for one in submissions], settings, out)
    return [replace(task, id=one.id, email=one.email, late=one.late, notes=tuple(one.notes))
            for task, one in zip(tasks, submissions)], ignored


def grade_here(task: Task, handed_in: Submission, digest: str,
               report: Report = unreported) -> SavedResults:
    """Grade what was handed in on this machine; see `grader.grade`."""
    settings = task.settings
    results = Results([*find(settings).transcripts], settings, task.name, task.path,
                      task.gradescope)
    results.facts.update(game=find(settings).title, id=task.id, email=task.email, late=task.late,
                         notes=[*task.notes])
    results.fingerprint = digest
    grade(handed_in, settings, results, report)
    return results.to_dict()


def grade_task(task: Task, grade_it: Grade = grade_here) -> SavedResults:
    """Grade one submission, unless its results stand; write its pages; return its results."""
    transcripts = find(task.settings).transcripts
    if task.folder:
        task.folder.mkdir(parents=True, exist_ok=True)
    with open_submission(task.source) as handed_in:
        digest = digest_of(task, handed_in)
        graded = results_that_stand(task, digest) or grade_it(
            with_seed(task, digest), handed_in, digest)
    if task.folder:
        write_pages(task.folder, graded, transcripts)
    return graded


def digest_of(task: Task, handed_in: Submission) -> str:
    """Return the fingerprint of all that the results rest on, '' where none are kept."""
    if not task.folder or not handed_in.folder:
        return ''
    return fingerprint(handed_in.folder, (
        grader_version(), task.settings.facts, task.settings.reach, task.name, task.id,
        task.email, task.late, task.notes, handed_in.notes, handed_in.complaint))


def with_seed(task: Task, digest: str) -> Task:
    """Return a task with the seed of its fresh games, if any: the teacher's choice, or its own."""
    settings = task.settings
    if settings.fresh and settings.seed is None:
        seed = seed_of(digest, task.folder and task.folder.parent)
        settings = replace(settings, seed=seed)
    return replace(task, settings=settings)


def results_that_stand(task: Task, digest: str) -> SavedResults:
    """Return the results that a submission has, `{}` if it has to be graded."""
    results = read_results(task.path) if task.path and not task.settings.again else {}
    if not digest or results.get('extra_data', {}).get('fingerprint') != digest:
        return {}
    if task.gradescope:
        write_results(task.gradescope, for_gradescope(results))
    return results


def grade_one_of_many(task: Task, grade_it: Grade = grade_here) -> SavedResults:
    """Grade one submission, so that the others go on whatever happens; return a summary."""
    try:
        return summary(grade_task(task, grade_it))
    except Ended:
        return without_grade(task.name, INTERRUPTED)
    except Shortage as error:
        return without_grade(task.name, printable(str(error)))
    except Exception as error:
        return without_grade(task.name, printable(f'{type(error).__name__}: {error}'))
