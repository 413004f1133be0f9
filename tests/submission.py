"""The programs that transcripts are replayed through: our own, or somebody's submission."""

from __future__ import annotations

import re
import shlex
import shutil
import sys

from transcript import GAMES, ROOT

# What course graders look for, in the whole text, comments and docstrings included.
EXECUTABLE = re.compile(r'^.*if\s+__name__\s*==\s*([\'"])__main__\1\s*:', re.MULTILINE)
PYTHON = re.compile(r'(python|pypy)[\d.]*', re.IGNORECASE)


class SubmissionError(Exception):
    """Why a submission cannot be run; for its author."""


class Submission:
    """What the options of a test run say about the programs to replay.

    `is_foreign` tells whether they are somebody else's, `games` which ones are replayed.
    """

    def __init__(self, config, scratch=None):
        option = config.option
        self._commands = {game: getattr(option, game) for game in GAMES}
        self._folder = option.submission
        self._start = config.invocation_params.dir
        self._scratch = scratch
        self.games = [game for game in GAMES if self._commands[game] is not None]
        if self._folder and not self.games:
            self.games = [game_of(self._folder)]
        self.is_foreign = bool(self.games)

    def program(self, game):
        """Return the command line of a game's program and the folder to run it in.

        Raises `SubmissionError`.
        """
        if not self.is_foreign:
            return [sys.executable, str(ROOT / f'{game}_console.py')], self._scratch
        try:
            words = shlex.split(self._commands[game] or '')
        except ValueError as error:
            raise SubmissionError(f'--{game} {self._commands[game]}: {error}') from None
        folder = self._copy() if self._folder else self._start
        if self._folder and (not words or (len(words) == 1 and PYTHON.fullmatch(words[0]))):
            module = executable_module(folder)
            return [*(words or [sys.executable]), module.name], module.parent
        if not words:
            raise SubmissionError(f'--{game}: the command line is empty')
        return words, folder

    def _copy(self):
        """Return a copy of the submitted folder, made once."""
        copy = self._scratch / 'submission'
        if not copy.exists():
            if not self._folder.is_dir():
                raise SubmissionError(f'--submission {self._folder}: no such folder')
            try:
                shutil.copytree(self._folder, copy)
            except (OSError, shutil.Error) as error:
                raise SubmissionError(f'--submission {self._folder}: {error}') from None
        return copy


def executable_modules(folder):
    """Return the Python files in a folder that have the text of an executable module."""
    return [path for path in sorted(folder.rglob('*.py'))
            if path.is_file() and EXECUTABLE.search(path.read_text(errors='replace'))]


def executable_module(folder):
    """Return the one executable module in a folder, or raise `SubmissionError`."""
    modules = executable_modules(folder)
    block = 'if __name__ == ' + "'__main__':"
    if not modules:
        raise SubmissionError(f'no executable module: no *.py of the submission has a block '
                              f'"{block}"')
    if len(modules) > 1:
        names = ', '.join(str(path.relative_to(folder)) for path in modules)
        raise SubmissionError(f'more than one executable module: {names}; each has the text '
                              f'"{block}", which counts in comments too')
    return modules[0]


def game_of(folder):
    """Return which game a submitted folder plays, by the name of its executable module."""
    return 'nim' if any('nim' in path.name for path in executable_modules(folder)) else 'othello'
