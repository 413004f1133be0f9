"""Writes the sentences about wrong lines in sessions of no known game."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ..in_words import HAPPENS
from . import style as rules
from .common_faults import MANNERS, PRINTING
from .finding import Fault
from .printing_sentences import MAX_EXAMPLES, advice_on, sentence_about
from .wrong_row import PROMPT

KNOWN_FAULTS = {known.id: known for known in (*PRINTING, *MANNERS)}


def with_sentences(found: Sequence[Fault]) -> list[Fault]:
    """Set the sentences and advice of the faults, and return the faults."""
    prompts = {
        line.text
        for fault in found
        for played in fault.sessions
        for step in played.session.steps
        for line in step.printed
        if line.text and not line.has_newline
    }
    # If a session allows any prompts, the program's own prompts count as prompts of the assignment.
    prompts |= {
        prompt
        for fault in found
        if fault.key == rules.PROMPTS
        and any(played.session.has_free_prompts for played in fault.sessions)
        for prompt in fault.examples
    }
    own = [prompt for fault in found if fault.key == rules.PROMPTS for prompt in fault.examples]
    own_prompt = re.compile('|'.join([*map(re.escape, own), '']))  # or '', at the beginning
    for fault in found:
        known = KNOWN_FAULTS.get(fault.id)
        if fault.key == rules.EXTRA_LINES:
            # A prompt before an extra line is not part of the line.
            fault.examples = [own_prompt.sub('', example, count=1) for example in fault.examples]
        fault.sentence = in_one_sentence(fault, prompts) + fault.ending
        fault.advice = advice_on(known, fault.examples, prompts) if known else ''
        fault.plain = HAPPENS[fault.place.failure.kind] if fault.examples else ''
        if known and known.is_printing:
            fault.plain, fault.kind = known.sentence, known.kind
    return [*found]


def in_one_sentence(fault: Fault, prompts: Collection[str]) -> str:
    """Return the sentence about a fault, or '' if the fault has no example to quote.

    `prompts` are the assignment's prompts.
    """
    known = KNOWN_FAULTS.get(fault.id)
    if fault.key == PROMPT:
        return f'prints {"wrong prompts:" if fault.examples[1:] else "the prompt"} ' + ', '.join(
            fault.examples[:MAX_EXAMPLES]
        )
    if known and known.is_printing:
        return sentence_about(known, fault.examples, prompts)
    return fault.by_example(fault.examples)
