"""GitHub Classroom, or anybody: a folder or a zip for each."""

from __future__ import annotations

from .files import Files
from .shares import Share, depth_of_shares, shares_by_folder


def shares(files: Files) -> list[Share]:
    """Return what is whose where each has a folder or a zip, maybe with folders around all."""
    return shares_by_folder(files, depth_of_shares(files))
