"""Makes pages and pictures of templates. Jinja escapes all text from submissions.

That text was also spelled out when it was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from .. import assignments
from ..printable import counted
from .addresses import link_to
from .names import short
from .notes import note_on

TEMPLATES = Path(__file__).parent / 'templates'
MOST_COLUMNS = 33  # of text beside a picture; a wide board and a mark
# What was printed first, lines that were typed, what was printed then, and the position in it.
Scene = tuple[str, list[str], str, Markup | None]


def columns_of(scenes: Iterable[Scene]) -> int:
    """Return how many columns the text of each scene gets beside its picture."""
    lines = [
        length
        for first, typed, printed, _ in scenes
        for length in [
            *map(len, f'{first}{printed}'.split('\n')),
            *(1 + len(line) for line in typed),
        ]
    ]
    return min(MOST_COLUMNS, max(lines, default=0))


# All templates: the pages' own, and those of games' positions.
ENVIRONMENT = Environment(
    loader=FileSystemLoader([TEMPLATES, Path(assignments.__file__).parent]),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
ENVIRONMENT.globals.update(note_on=note_on, link_to=link_to)
ENVIRONMENT.filters.update(
    points='{:g}'.format, number='{:g}'.format, counted=counted, short=short, columns=columns_of
)


def render(template: str, **values: object) -> str:
    """Return the page, or the picture, that a template makes of values."""
    return ENVIRONMENT.get_template(template).render(**values)
