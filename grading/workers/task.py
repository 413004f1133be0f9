"""A task: one submission to grade, and where its results go."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..engine.grade import ANY_MACHINE, Machine
from ..results import Results
from ..settings import Assignment, Options


@dataclass(frozen=True)
class Task:
    """One submission to grade: its `name`, its `source`, and where its results go."""

    name: str
    source: Path | None  # a folder, zip or file, or None if options contain the command to grade
    assignment: Assignment
    options: Options
    machine: Machine = ANY_MACHINE
    folder: Path | None = None  # the folder for its results and pages, or None to keep none
    gradescope: Path | None = None  # where to write a results.json for Gradescope, or None
    again: bool = False  # whether to grade it again even if it has not changed
    late: bool | None = None  # whether it was submitted late, or None if unknown
    notes: tuple[str, ...] = ()  # notes on its name, and on its files in an export
    id: str = ''  # the student's id, or '' if unknown
    email: str = ''  # the student's email address, or '' if unknown


Summaries = Generator[Results, None, None]
# Grades all tasks, and yields a summary of each task's results when the task is done. Closing the
# generator ends all processes it has started.
GradeAll = Callable[[Sequence[Task]], Summaries]
