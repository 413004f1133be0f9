"""The templates of the pages, and what all of them may call."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

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


def source_of(name: str) -> Markup:
    """Return a file of the templates as it stands."""
    loader = environment().loader
    assert loader
    return Markup(loader.get_source(environment(), name)[0])


def policy_for(script: str) -> str:
    """Return the part of a page's policy that allows one script, by its hash, and no other."""
    digest = hashlib.sha256(source_of(script).encode()).digest()
    return f"script-src 'sha256-{base64.b64encode(digest).decode()}'; "
