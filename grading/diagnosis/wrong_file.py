"""Finds what is wrong with a file written by a program."""

from __future__ import annotations

from dataclasses import replace

from ..printable import decoded
from ..sessions.rows import rows_of_file
from ..sessions.verdict import PlayedSession
from .finding import Fault
from .style import Style
from .wrong_row import in_one_sentence, named


def in_file(played: PlayedSession, style: Style) -> Fault:
    """Return the fault of a session that fails because of a file."""
    failure = played.failure
    assert failure.file
    path = failure.file.path
    left = played.dialogue.files[path]
    if left.complaint:
        sentence = f'does not write a readable file {path}: {left.complaint}'
        if left.complaint.startswith('No such file'):
            sentence = f'does not write the file {path}'
        return Fault(played, key=(path, left.complaint), examples=[sentence])
    content = decoded(left.content)
    rows = rows_of_file(played.session, failure.file, left.content)
    row = next(row for row in rows if row.state != 'right')
    name, key, examples = named(row, style, '', content[: row.start], content[row.start :])
    place = replace(played, failure_found=replace(failure, row=row))
    sentence = in_one_sentence(Fault(place, id=name, key=key, examples=examples), ())
    examples = [f'{sentence.replace("prints ", "writes ", 1)} (in the file {path})']
    return Fault(place, key=(path, key), examples=examples)
