"""Pages: what they say, what they draw, and their templates.

Each page is one file that loads nothing, made from results alone. Jinja escapes all text from
submissions, which was also spelled out when it was recorded.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from ... import assignments
from ..messages import counted, note_on, short

# The pages' own templates; and those of each game's positions, by their paths there.
FOLDERS = [Path(__file__).parent / 'templates', Path(assignments.__file__).parent]


def render(template: str, **values: object) -> str:
    """Return the page, or the picture, that a template makes of values."""
    return environment().get_template(template).render(**values)


@lru_cache(maxsize=None)
def environment() -> Environment:
    """Return the environment of all templates."""
    templates = Environment(loader=FileSystemLoader(FOLDERS), autoescape=True,
                            trim_blocks=True, lstrip_blocks=True)
    templates.globals.update(note_on=note_on)
    templates.filters.update(points='{:g}'.format, number='{:g}'.format, counted=counted,
                             short=short)
    return templates
