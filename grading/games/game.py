"""Defines what the engine needs to know about a game.

The other modules in a game's folder are loaded only when needed. Each of the following modules has
a dictionary with the names of games as its keys:

    fresh.py         MAKERS      makers of fresh games
    open_choices.py  LEAVE_OPEN  functions for `Game.leave_open`
    positions.py     FINDERS     functions for finding positions in text
    faults.py        FAULTS      known faults of programs (see `known_faults`)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ..installation import import_logic
from ..sessions.session import Session
from .maker import Maker
from .positions import Find


@dataclass(frozen=True, eq=False)  # a game is equal only to itself
class Game:
    """A game: its name, and the command line of the built-in console.

    The game's folder is named after the console: `nim` for `nim_console.py`.
    """

    name: str
    command: tuple[str, ...]
    has_prompts: bool = False  # whether the console has the option --prompts
    begins: str = ''  # a pattern for the first input lines of this game and no other

    @property
    def program(self) -> str:
        """The name of this game's program; it may also play other games."""
        return self.command[0].partition('_console')[0]

    @cached_property
    def maker(self) -> Maker | None:
        """The maker of fresh games, or None if the game has none."""
        import_logic(self.program)  # `fresh` may need it
        maker: Maker | None = self.row_of('fresh', 'MAKERS')
        return maker

    @cached_property
    def leave_open(self) -> Callable[[Session], Session] | None:
        """A function that makes a session accept any choice the assignment leaves to programs.

        None if the assignment leaves no choice.
        """
        leave_open: Callable[[Session], Session] | None
        leave_open = self.row_of('open_choices', 'LEAVE_OPEN')
        return leave_open

    @cached_property
    def positions(self) -> Find:
        """A function for finding the game's positions in text."""
        find: Find | None = self.row_of('positions', 'FINDERS')
        return find or (lambda text: ())

    def row_of(self, module: str, table: str) -> Any:
        """Return the game's value in the dictionary `table` of a `module` in its folder.

        Return None if the folder lacks the module, or the dictionary lacks the game.
        """
        name = f'{__package__}.{self.program}.{module}'
        return getattr(import_module(name), table).get(self.name) if find_spec(name) else None
