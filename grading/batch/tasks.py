"""Many submissions: as many at once as there is room for; one that fails costs only itself."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Generator, Iterable, Sequence

from ..assignments.find import transcripts_for
from ..grader import Play, grade, play_here
from ..printable import printable
from ..reports.grades import summary, without_grade, write_grades
from ..reports.results import Results, read_results, write_whole
from ..settings import Settings
from ..signals import Ended
from ..submissions.exports.read import read_export
from ..submissions.names import folder_name

INTERRUPTED = 'the grading was ended before; start it again'


@dataclass(frozen=True)
class Task:
    """One submission: its `name` in the results, where it is, where its results go."""

    name: str
    source: Path | None
    settings: Settings
    path: Path | None = None            # of results.json
    page: Path | None = None            # of report.html
    late: bool | None = None            # None where nobody told
    notes: tuple[str, ...] = ()         # on what an export holds of it


@dataclass(frozen=True)
class Graded:
    """What became of one task of many: a summary of its results, or why there are none."""

    task: Task
    results: dict[str, Any] = field(default_factory=dict)
    note: str = ''


Crew = Callable[[Sequence[Task]], Generator[Graded, None, None]]
"""Grades all, and yields what became of each as soon as it is known; nothing that it has started
goes on when it is closed."""


def tasks_for(sources: Sequence[Path], settings: Settings, out: Path | None) -> list[Task]:
    """Return a task for each submission, its name that of its folder, its zip or its file."""
    taken: set[str] = set()
    tasks = []
    for source in sources:
        own = source.resolve().name
        name = folder_name(own[:-4] if own.lower().endswith('.zip') else own, taken)
        tasks.append(Task(name, source, settings, out and out / name / 'results.json',
                          out and out / name / 'report.html'))
    return tasks


def tasks_of_exports(sources: Sequence[Path], kind: str, settings: Settings, out: Path,
                     folder: Path) -> tuple[list[Task], list[str]]:
    """Return a task for each submission in some exports, and the files that are nobody's.

    They are unpacked in a folder of the grader's. Raises `ExportError`.
    """
    handed_in, ignored = [], []
    for number, source in enumerate(sources):
        target = folder / f'export-{number}'
        target.mkdir()
        export = read_export(source, kind, target)
        handed_in += export.handed_in
        ignored += export.ignored
    tasks = tasks_for([one.folder for one in handed_in], settings, out)
    return [replace(task, late=one.late, notes=tuple(one.notes))
            for task, one in zip(tasks, handed_in)], ignored


def earlier_seed(out: Path | None) -> int | None:
    """Return the seed of the fresh games that a class has been graded with, if it has."""
    for path in out.glob('*/results.json') if out else []:
        seed = read_results(path).get('extra_data', {}).get('seed')
        if isinstance(seed, int):
            return seed
    return None


def grade_task(task: Task, play: Play = play_here) -> dict[str, Any]:
    """Grade one submission, write its page; return its results; see `grader.grade`."""
    settings = task.settings
    if task.path:
        task.path.parent.mkdir(parents=True, exist_ok=True)
    transcripts = transcripts_for(settings.game, settings.prompts, settings.beyond)
    results = Results(transcripts, settings, task.name, task.path)
    results.facts.update(late=task.late, notes=[*task.notes])
    grade(task.source, settings, results, play)
    graded = results.to_dict()
    if task.page and not is_newer(task.page, task.path):
        write_page(task.page, graded)
    return graded


def is_newer(page: Path, path: Path | None) -> bool:
    """Return whether a page has been made since some results were written."""
    return bool(path and path.exists() and page.exists()
                and page.stat().st_mtime_ns >= path.stat().st_mtime_ns)


def grade_one_of_many(task: Task, play: Play = play_here) -> Graded:
    """Grade one submission, so that the others go on whatever happens."""
    try:
        return Graded(task, summary(grade_task(task, play)))
    except Ended:
        return Graded(task, note=INTERRUPTED)
    except Exception as error:
        return Graded(task, note=printable(f'{type(error).__name__}: {error}'))


def write_page(path: Path, results: dict[str, Any]) -> None:
    """Write report.html, and the smallest of the fresh games that fail. Raises `OSError`."""
    from ..reports.html import report_page  # jinja2 takes long to import

    write_whole(path, report_page(results))
    if 'smallest' in results['extra_data']:
        write_whole(path.with_name('smallest.txt'), results['extra_data']['smallest'])


def write_overview(out: Path, all_graded: Iterable[Graded]) -> None:
    """Write what a class has come to: grades.csv and index.html. Raises `OSError`."""
    from ..reports.html import index_page

    results = [graded.results or without_grade(graded.task.name, graded.note)
               for graded in all_graded]
    write_grades(out / 'grades.csv', results)
    write_whole(out / 'index.html', index_page(results))
