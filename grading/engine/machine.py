"""Finds out what this machine offers before the first submission is graded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ..assignments.folder import files_of_single_session
from ..sandbox.choose import Machine, surveyed
from ..sandbox.program import words_in
from ..settings import Assignment, Options


@contextmanager
def sandbox_probed(
    assignment: Assignment,
    options: Options,
    submissions: Sequence[Path],
    hidden: Sequence[Path] = (),
) -> Iterator[tuple[Options, Machine]]:
    """Yield the options with a sandbox that works here, and the facts about this machine.

    The sandbox hides the folders of the submissions, the assignment and the `hidden` paths. Raises
    `SandboxError`.
    """
    from ..submissions.copying import linked_submissions

    links = linked_submissions(submissions)
    path = assignment.path
    own: Iterable[Path] = ()
    if path:
        own = [path] if path.is_dir() else files_of_single_session(path)
    tools = [
        word
        for language in options.languages_of(assignment)
        for word in (*words_in(language.command), 'sh', '-c', language.build)
    ]
    with surveyed(
        options.confine,
        options.command,
        # `resolve` would fail for a link to itself.
        [links.get(path) or path.resolve() for path in submissions],
        [path.resolve() for path in [*own, *hidden]],
        tools,
    ) as machine:
        yield replace(options, confine=machine.confine), machine
