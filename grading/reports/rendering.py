"""Makes pages and pictures from templates.

Jinja escapes text for HTML. `results.Record` has already escaped the unprintable characters in text
from submissions.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from .. import games
from ..printable import counted
from .addresses import link_to
from .names import short
from .notes import note_on

TEMPLATES = Path(__file__).parent / 'templates'
MAX_COLUMNS = 33  # maximum columns for the text beside a picture: enough for a wide board
# A part of a session: output before its first input line (or ''), input lines, the output after
# these lines, and a picture of the last position in this output (or None).
Scene = tuple[str, list[str], str, Markup | None]


def columns_of(scenes: Iterable[Scene]) -> int:
    """Return the width, in columns, of the text beside the pictures of some scenes."""
    lines = [
        length
        for first, typed, printed, _ in scenes
        for length in [
            *map(len, f'{first}{printed}'.split('\n')),
            *(1 + len(line) for line in typed),
        ]
    ]
    return min(MAX_COLUMNS, max(lines, default=0))


# Finds the templates of pages in this package, and the templates of pictures in the games.
ENVIRONMENT = Environment(
    loader=FileSystemLoader([TEMPLATES, Path(games.__file__).parent]),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
ENVIRONMENT.globals.update(note_on=note_on, link_to=link_to)
ENVIRONMENT.filters.update(
    points='{:g}'.format, number='{:g}'.format, counted=counted, short=short, columns=columns_of
)


def render(template: str, **values: object) -> str:
    """Return the page or the picture made from a template and these values."""
    return ENVIRONMENT.get_template(template).render(**values)
