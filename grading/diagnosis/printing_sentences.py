"""Composes the examples, the sentence and the advice for a fault in how a program prints."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ..games.known_faults import KnownFault
from ..printable import quoted, quoted_exactly, quoted_line
from ..sessions.verdict import WrongLine
from . import style as rules
from .common_faults import (
    EXACT_PROMPTS,
    NO_EMPTY_LINES,
    NO_PROMPTS,
    ORIGINAL_PROMPTS,
    PRINTS_LIST,
    READS_MORE,
)
from .protocol import TOKEN, Protocol, Wording, shape_of
from .style import Style
from .what_happens import INSTEAD, instead_of, where_they_differ

MAX_EXAMPLES = 4  # maximum number of examples in a sentence


def examples_in(style: Style, rule: str) -> list[str]:
    """Return the examples for the sentence about a rule of a program's style."""
    learned = style.of(rule)
    if rule == rules.PROMPTS:
        return [prompt for prompt in learned if prompt and prompt not in style.lines.prompts]
    return [text for example in learned.values() for text in examples_of(rule, example)]


def examples_of(rule: str, example: Wording) -> list[str]:
    """Return the examples for the sentence about a rule, from a single pair of lines.

    For omitted or extra lines and prompts, the example is the line itself.

    >>> examples_of(rules.WORDS, Wording('B: 3  W: 4', 'Black: 3  White: 4'))
    ['"Black" instead of "B"', '"White" instead of "W"']
    """
    expected, printed = example
    if rule == rules.WORDS:
        return differing_words(expected, printed)
    if rule == rules.TRAILING_SPACES:
        return [quoted_exactly(printed)]
    if rule == rules.SEPARATORS or (rule == rules.PROMPTS and expected):
        return [instead_of(expected, printed)]
    return [printed if rule in (rules.PROMPTS, rules.EXTRA_LINES) else expected]


def fitting_first(
    known: KnownFault, examples: Sequence[str], place: WrongLine, protocol: Protocol
) -> list[str]:
    """Return the examples of a fault, starting with those shown by `place`.

    The place shows the fault, but it may contain none of the examples. If so, make an example from
    its wrong line. An extra line replaces the examples of the same shape; wrong words, and wrong
    separators in a row of the board, replace all examples.
    """

    def is_here(text: str) -> bool:
        quotations = re.findall('"([^"]+)"', text) or [text.rstrip('\n')]
        return all(
            quotation in place.expected_text + place.printed_text for quotation in quotations
        )

    expected, printed = place.expected.rstrip('\n'), place.printed.rstrip('\n')
    is_elsewhere = not any(map(is_here, examples))
    if known.id == rules.WORDS and is_elsewhere and place.printed:
        return differing_words(expected, printed)
    if known.id == rules.EXTRA_LINES and is_elsewhere and printed:
        shape = shape_of(printed)
        return [printed, *(text for text in examples if shape_of(text) != shape)]
    kind = protocol.kind_of(expected) or ''
    is_row = known.id == rules.SEPARATORS and kind in protocol.forms
    if (
        is_row
        and is_elsewhere
        and protocol.cells_of(kind, expected) == protocol.cells_of(kind, printed)
    ):
        return [instead_of(expected, printed)]
    return sorted(examples, key=lambda text: not is_here(text))


def sentence_about(
    known: KnownFault, examples: Sequence[str], prompts: Collection[str], omitted: str = ''
) -> str:
    """Return the sentence about a fault in how a program prints, with examples.

    `prompts` are the assignment's prompts. `omitted` is a missing prompt, if the program prints
    other prompts; otherwise, it is ''.
    """
    examples = [*dict.fromkeys(examples)]
    if omitted:
        return f'does not print the prompt {quoted(omitted)}'
    if known.id == rules.PROMPTS:
        return sentence_about_prompts(examples, prompts)
    if known.id == rules.WORDS:
        kind = kind_of_words(examples)
        return f'prints the wrong {kind}: {", ".join(examples[:MAX_EXAMPLES])}'
    if known.id in (rules.SEPARATORS, rules.TRAILING_SPACES):
        return f'{known.sentence}: {examples[0]}' if examples else known.sentence
    if known.id == rules.EXTRA_LINES and not any(map(str.strip, examples)):
        return 'prints empty lines that are not in the assignment'
    return f'{known.sentence}: {", ".join(map(quoted_line, examples[:MAX_EXAMPLES]))}'


def sentence_about_prompts(examples: Sequence[str], prompts: Collection[str]) -> str:
    """Return the sentence about prompts printed where none are expected.

    Without examples, return the sentence about a program without prompts.
    """
    # Leave out prompts that only repeat another prompt.
    once = [
        prompt
        for prompt in examples
        if not any(other != prompt and not prompt.replace(other, '') for other in examples)
    ]
    if not once:
        return 'prints no prompts, but this assignment has prompts'
    kind, are = ('prompts', 'are') if len(once) > 1 else ('a prompt', 'is')
    shown = ', '.join(map(quoted, once[:MAX_EXAMPLES]))
    if prompts and {*once}.isdisjoint(prompts):
        return f'prints {kind} that {are} not in the assignment: {shown}'
    return f'prints {kind} where none {are} expected: {shown}'


def kind_of_words(examples: Sequence[str]) -> str:
    """Return what the quotations in examples consist of: words, numbers, or other characters.

    >>> kind_of_words(['"12" instead of "a"']), kind_of_words(['"12" instead of "13"'])
    ('words', 'numbers')
    >>> kind_of_words(['"*" (49 times) instead of "*" (47 times)'])
    'characters'
    """
    text = ''.join(re.findall('"([^"]*)"', ''.join(examples)))
    if re.search(r'[^\W\d_]', text):
        return 'words'
    return 'numbers' if re.search(r'\d', text) else 'characters'


def advice_on(
    known: KnownFault,
    examples: Sequence[str],
    prompts: Collection[str],
    original: Collection[str] = (),
) -> str:
    """Return the advice on a fault in how a program prints, given these examples.

    `prompts` are the assignment's prompts; `original` are the game's prompts with `--prompts`.
    """
    if known.id == rules.PROMPTS:
        return advice_on_prompts(examples, prompts, original)
    if known.id == rules.EXTRA_LINES and examples and not any(map(str.strip, examples)):
        return NO_EMPTY_LINES
    if known.id == rules.SEPARATORS and "['" in ''.join(examples):
        return PRINTS_LIST
    return known.advice


def advice_on_prompts(
    examples: Sequence[str], prompts: Collection[str], original: Collection[str]
) -> str:
    """Return the advice on prompts; the arguments are those of `advice_on`."""
    if examples and {*examples} <= {*prompts}:
        return READS_MORE
    if prompts:
        return EXACT_PROMPTS
    return ORIGINAL_PROMPTS if {*examples} <= {*original} else NO_PROMPTS


def differing_words(expected: str, printed: str) -> list[str]:
    """Return the differing words of two lines, in the form '"printed" instead of "expected"'.

    >>> differing_words('It is hissing as it concedes.', 'It hisses as it concedes.')
    ['"hisses" instead of "is hissing"']
    >>> differing_words('B: 3  W: 4', 'Black: 3  White: 4')
    ['"Black" instead of "B"', '"White" instead of "W"']
    """
    tokens, printed_tokens = TOKEN.findall(expected), TOKEN.findall(printed)
    pairs = [pair for pair in zip(tokens, printed_tokens, strict=False) if pair[0] != pair[1]]
    are_words = all(word.isalpha() for pair in pairs for word in pair)
    if len(tokens) != len(printed_tokens) or not are_words:
        # A single pair: what is left after removing the common words at the beginning and the end.
        words, others = expected.split(' '), printed.split(' ')
        while min(len(words), len(others)) > 1 and words[0] == others[0]:
            del words[0], others[0]
        while min(len(words), len(others)) > 1 and words[-1] == others[-1]:
            del words[-1], others[-1]
        pairs = [(' '.join(words), ' '.join(others))]
    return [INSTEAD.join(map(quoted, where_they_differ(other, word))) for word, other in pairs]
