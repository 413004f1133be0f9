"""Exports of learning platforms, as they come, made ordinary submissions: a folder for each.

`read` reads one; `canvas_moodle` and `gradescope_github` know which of its `files` are whose.
"""
