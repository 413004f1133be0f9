"""The templates of the pages, and what all of them may call."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from ..grades import note_on
from ..messages import counted, short
from ..results_json import most_points, name_of, passed


def render(template: str, **values: object) -> str:
    """Return a page made from a template."""
    return environment().get_template(template).render(**values)


@lru_cache(maxsize=None)
def environment() -> Environment:
    """Return the templates, made once."""
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent / 'templates'), autoescape=True,
        trim_blocks=True, lstrip_blocks=True)
    templates.globals.update(name_of=name_of, most_points=most_points, note_on=note_on,
                             passed=passed)
    templates.filters.update(points='{:g}'.format, counted=counted, short=short)
    return templates
