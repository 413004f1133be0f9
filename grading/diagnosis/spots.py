"""Where a session shows what is wrong: the first lines from a place on that do not match."""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from itertools import accumulate
from typing import Sequence

from ..printable import decoded
from ..sessions.play import at_once
from ..sessions.transcript import Printed, Step, Transcript, lines_in
from ..sessions.verdict import Pair, Played, Wrong, judged
from .follow import Match
from .pairs import LONGEST_ALIKE, wrong_pairs
from .program_output import Heard
from .protocol import prompts_in


class Spots:
    """The pairs of lines of a failed session that do not match, from left to right.

    `session` is the session with what is due there.
    """

    def __init__(self, heard: Heard, session: Transcript | None = None) -> None:
        self.heard = heard
        self.session = session or heard.failed.session
        self.pairs = wrong_pairs(self.session, heard.failed.dialogue)
        self._starts = [0, *accumulate(len(text) for text in heard.turns)]

    def departure(self, match: Match) -> int:
        """Return where in all output the program departs from a game."""
        reading = match.session.reading
        turn, piece = reading.place_of(match.session.at)
        if not piece or (turn > match.step and not self.heard.is_joined):
            turn = turn if self.heard.is_joined else min(match.step, turn)
            kept = reading.turns[turn][-1:]     # a prompt may follow
            return self._starts[turn] + sum(one.start + len(one.raw) + one.ends for one in kept)
        return self._starts[turn] + piece.start

    def first(self, match: Match, is_prompt: bool = False) -> Pair | None:
        """Return the first pair that is wrong where the program departs from a game, or behind.

        If it `is_prompt`, something was printed.
        """
        start, last = self.departure(match), len(self._starts) - 1
        return next((pair for pair in self.pairs
                     if self._starts[min(pair.turn, last)] + pair.start >= start
                     and (pair.step >= match.step or self.session.in_turns)
                     and (pair.printed or not is_prompt)), None)

    def place(self, pair: Pair | None) -> Played:
        """Return the session with a pair as what is wrong in it, or how it ends."""
        failed, dialogue = self.heard.failed, self.heard.failed.dialogue
        is_as_due = self.session is failed.session
        last = len(dialogue.turns) - 1
        if (not pair and not self.heard.has_crashed) or (
                is_as_due and pair in [*self.pairs[:1], None]):
            return failed
        if not pair:
            turn = min(last, len(self.session.steps) - 1)
            return replace(failed, session=self.session,
                           wrong=judged(self.session, dialogue, turn))
        is_end = dialogue.end == 'exit' and not pair.printed and (
            pair.turn, pair.start) == (last, len(decoded(dialogue.turns[last].printed)))
        return replace(failed, session=self.session, wrong=Wrong(
            'ended' if is_end else 'differs', pair.turn, pair=pair))


def next_place(spots: Spots, match: Match, due: Sequence[str]) -> Played:
    """Return a failed session with the place where the program departs from the game.

    `due` is what the game prints in each step with its named faults, but none of printing.
    """
    heard, texts = spots.heard, due[:match.step + 1]
    if match.is_whole:
        return heard.failed
    if not heard.transcript.output.startswith(''.join(texts)):
        played = as_played(heard.transcript, texts)
        spots = Spots(heard, at_once(played) if heard.failed.session.in_turns else played)
    return spots.place(spots.first(match))


def as_played(transcript: Transcript, texts: Sequence[str]) -> Transcript:
    """Return a session with what is due in its first steps."""
    played = copy.copy(transcript)
    played.is_derived = True
    played.steps = [*map(step_of, transcript.steps, texts), *transcript.steps[len(texts):]]
    return played


def step_of(step: Step, text: str) -> Step:
    """Return a step with another text; its lines have the numbers of those in their place."""
    made = Step()
    made.input, made.number = step.input, step.number
    for place, line in enumerate(lines_in(text)):
        number = step.printed[min(place, len(step.printed) - 1)].number if step.printed else (
            step.number)
        made.printed.append(Printed(number, line.rstrip('\n'), line.endswith('\n')))
    return made


def with_prompts_in_turn(played: Played) -> Played:
    """Return a failed session with the prompts of turns that nobody waited for in these turns.

    Where nothing is due, or what is due has come, the next line is typed at once. So prompts of the
    program's own stand together before the first line that is wrong. It depends on chance alone
    how many do.
    """
    wrong, turns, steps = played.wrong, played.dialogue.turns, played.session.steps
    if (not wrong or wrong.kind != 'differs' or played.session.in_turns
            or not 0 < wrong.turn < len(steps)):
        return played
    first = max((number for number in range(wrong.turn) if turns[number].printed), default=0)
    text, number = decoded(turns[wrong.turn].printed), wrong.turn - first
    line, due = text.partition('\n')[0], steps[wrong.turn].output.partition('\n')[0]
    # The same prompt each time, or others, before a line that is right.
    again = re.match(rf'(.*?[:?>] ?)\1{{{number - 1}}}', line[:LONGEST_ALIKE])
    lead = line[:-len(due)] if due and line.endswith(due) else ''
    prompts = [again[1]] * number if again and number > 1 else prompts_in(lead)
    are_prompts = all(prompt.rstrip().endswith((':', '?', '>')) for prompt in prompts)
    if len(prompts) != number or not are_prompts:
        return played
    made = [*turns]
    for number, prompt in enumerate(prompts, first):
        made[number] = replace(turns[number], printed=turns[number].printed + prompt.encode())
    rest = text[len(''.join(prompts)):].encode()
    made[wrong.turn] = replace(turns[wrong.turn], printed=rest)
    dialogue = replace(played.dialogue, turns=made)
    return replace(played, dialogue=dialogue, wrong=judged(played.session, dialogue))
