"""Exports of learning platforms, as they come, made ordinary submissions: a folder for each.

`read` reads one; a module for each platform says what in it is whose.
"""
