"""A program's own words: lines and questions that an assignment leaves to it."""

from __future__ import annotations

import re
from typing import Collection, Sequence, Tuple, Union

from .comparison import Due

NUMBERS = re.compile('[0-9]+')
Trail = Union[Tuple[int, 'Trail'], None]  # where each accepted line ends, the last one first


def words_of(line: str) -> str:
    """Return what is the same in lines that differ only in their numbers.

    >>> words_of('pile 0 = 12'), words_of('Pile 1: 3')
    ('pile 0 0', 'pile 0 0')
    """
    return ' '.join(re.findall(r'\w+', NUMBERS.sub('0', line.lower())))


class OwnWords:
    """The words of a program that has others than those of the lines that are due.

    They stand in place of dues that are its own. `is_first` says that they may go on as the step
    begins.
    """

    def __init__(self, due_words: Collection[str], due: Sequence[Due], is_first: bool) -> None:
        self._due_words = due_words
        self._due = due
        self._is_first = is_first

    def are(self, line: str) -> bool:
        """Return whether a line is of the program's own words."""
        return bool(self._due_words) and words_of(line) not in self._due_words

    def may_go_on(self, met: int) -> bool:
        """Return whether they stand before what is due next, when so many dues have been met."""
        return self._due[met - 1].is_own if met else self._is_first

    def states_behind(self, met: int, trail: Trail, line: str, end: int) -> dict[int, Trail]:
        """Return how many dues are met by a line that ends in own words, or in what is due behind.

        Of each question there is at least one character, which may be the newline.
        """
        states: dict[int, Trail] = {}
        at, asks, may_follow = 0, False, self.may_go_on(met)
        while met < len(self._due) and self._due[met].is_own:
            due = self._due[met]
            found = line.find(due.lead, at)
            if found < 0 or (found and not may_follow):
                return states
            at, asks, may_follow = found + len(due.lead), asks or due.is_question, True
            if at <= len(line) and self.are(line[at:]):
                states[met + 1] = (end, trail)
            at += due.is_question
            met, trail = met + 1, skipping(trail)
        if (asks and met < len(self._due) and self._due[met].ends and at <= len(line)
                and self._due[met].is_met(line[at:], True)):
            states[met + 1] = (end, trail)
        return states


def skipping(trail: Trail) -> Trail:
    """Return a trail with a line more for which nothing is printed."""
    return trail[0] if trail else 0, trail
