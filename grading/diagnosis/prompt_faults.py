"""Programs that print other prompts than they should, learned from what they print."""

from __future__ import annotations

from typing import ClassVar, Iterable

from ..printable import decoded, printable
from .follow import CRASHES, Departed
from .known import Departure, varied
from .model import GameModel

LONGEST = 300                           # characters of a prompt, or of words, that are believed


class Prompts(GameModel):
    """Asks with other prompts: by the questions since the last output, what they are together."""

    prompts_of: ClassVar[dict[tuple[str, ...], str]] = {}
    pending: tuple[str, ...] = ()

    def play(self) -> None:
        try:
            super().play()
        except CRASHES:                 # after the prompt
            self.write_prompt('')
            raise

    def prompted(self, prompt: str) -> str:
        self.pending += (prompt,)
        return ''

    def write(self, text: str) -> None:
        if text and self.pending:
            self.write_prompt(text)
        super().write(text)

    def write_prompt(self, following: str) -> None:
        asked, self.pending = self.pending, ()
        before = self.texts[-1]
        super().write(self.prompt(asked, following))
        self.texts[-1] = before         # it belongs to the steps before

    def prompt(self, asked: tuple[str, ...], following: str) -> str:
        return self.prompts_of.get(asked, '')

    @classmethod
    def detail(cls) -> str:
        texts = [text for asked, text in cls.prompts_of.items() if text not in ('', ''.join(asked))]
        return f': "{printable(min(texts, key=len))}"' if texts else ''


class Learning(Prompts):
    """Takes for prompts what a program prints before what is due."""

    def prompt(self, asked: tuple[str, ...], following: str) -> str:
        if asked not in self.prompts_of:
            learned = self.upcoming()[:LONGEST * len(asked) + len(following)].partition(following)
            if not learned[1] or learned[0][-1:].isalnum():
                raise Departed
            self.prompts_of[asked] = learned[0]
        return self.prompts_of[asked]


class NoPrompts(GameModel):
    """Prints no prompts where they are due."""

    def prompted(self, prompt: str) -> str:
        return ''

    @staticmethod
    def detail() -> str:
        return ': none where they are due'


class PromptsTurned(GameModel):
    """Is the program with prompts where none are due, or the other way round."""

    def play(self) -> None:
        self.prompts = not self.prompts
        super().play()


def with_prompts(place: Departure) -> Iterable[type[GameModel]]:
    known = place.known('prompts_of', {})
    if not known and prompt_at(place) == '':
        return
    yield NoPrompts
    yield PromptsTurned
    learned = {**known}
    place.retry(varied(Learning, prompts_of=learned))
    lines = [line for text in learned.values() for line in text.split('\n')[:-1]]
    if learned != known and not any(place.protocol.has_behind_prompt(line) for line in lines):
        yield varied(Prompts, prompts_of=learned)


def prompt_at(place: Departure) -> str | None:
    """Return what was printed before a line was read, and not after, beyond what is due there.

    This is known only of the first thing in which the program departs, else None.
    """
    difference, session = place.difference, place.match.session
    asked = max((step for step, text in enumerate(session.texts) if text), default=0)
    if not asked <= difference.step <= place.match.step:
        return None
    due, printed = session.texts[difference.step], decoded(difference.printed)
    if difference.step == place.match.step:         # unless it is a prompt that is due
        at = printed.find(session.due, len(due))
        if session.due and at > 0 and difference.step > asked + 1:      # or came behind its line
            return printed[len(due):at]
        is_answer = session.due.endswith('\n') and not printed.startswith(due + session.due)
        return '' if is_answer else None
    if printed == due:                              # where the transcript has a prompt
        return None
    return printed[len(due):] if printed.startswith(due) else ''
