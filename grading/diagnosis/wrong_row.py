"""Names what is wrong in a row of an expected and a printed line.

All rows with the same key, in any session, form one finding.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ..printable import quoted, quoted_exactly, quoted_line
from ..results import HAPPENS
from ..sessions.line_rules import with_expected_numbers
from ..sessions.rows import Row
from .finding import Fault
from .manners import MANNERS
from .printing import (
    EXTRA_LINES,
    PROMPTS,
    SEPARATORS,
    WAY_OF,
    WORDS,
    Mismatch,
    advice_on,
    proved_reading,
    sentence_about,
    sentence_about_wording,
)
from .protocol import prompts_in, shape_of
from .style import Style
from .what_happens import INSTEAD, instead_of, line_in_words

NamedRow = tuple[str, object, list[str]]  # the name, the key of all such rows, and examples
# Names other than the ids of faults of printing.
CRLF, INDENT, WRONG = 'crlf', 'indent', 'wrong'
MANNER_OF = {known.id: known for known in MANNERS}
# Keys that are not names.
PROMPT = 'prompt'  # a different prompt is printed in place of the expected prompt
OPEN_LINE = 'open line'  # an empty line is missing after a prompt


def named(row: Row, style: Style, earlier: str, before: str, after: str) -> NamedRow:
    """Return the name of what is wrong in a row, the key of all such rows, and examples.

    `earlier`, `before` and `after` are the output around the row (see `text_around`).
    """
    mismatch = mismatch_of(row, after)
    open_line = (earlier + before).rpartition('\n')[2]
    named_row = named_by_end(row, mismatch, open_line)
    if named_row:
        return named_row
    kind = mismatch.difference.kind
    # If a prompt matches a pattern, it is not a line without its newline.
    is_printing = is_text(row) or (
        kind in ('missing line', 'missing newline') and not mismatch.is_prompt_for_line
    )
    reading = proved_reading(mismatch, style) if is_printing else None
    if not reading:
        return WRONG, *key_and_sentence(row, mismatch)
    examples = [
        text
        for example in reading.learned.values()
        for text in WAY_OF[reading.fault].quotes(*example)
    ]
    if hides_numbers(row, mismatch, reading.fault, examples):
        return WRONG, *key_and_sentence(row, mismatch)
    # Differences with different causes need different keys.
    key = reading.fault
    if key == SEPARATORS and kind == 'missing spaces':
        key = 'missing spaces'
    elif key == PROMPTS and any(wording.expected for wording in reading.learned.values()):
        key = PROMPT
    return reading.fault, key, examples


def hides_numbers(row: Row, mismatch: Mismatch, fault: str, examples: Sequence[str]) -> bool:
    """Return whether a sentence about words or separators would not show what is wrong.

    With a tolerance, the numbers may be wrong, and the mismatch has expected numbers in place of
    those that are near.
    """
    if not row.item or row.item.rules.tolerance is None or fault not in (WORDS, SEPARATORS):
        return False
    is_spacing = mismatch.difference.is_whitespace
    quotations = [example.partition(INSTEAD)[0].strip('"') for example in examples]
    is_as_printed = all(quotation in row.printed for quotation in quotations)
    return not is_as_printed or (fault == SEPARATORS and not is_spacing)


def named_by_end(row: Row, mismatch: Mismatch, open_line: str) -> NamedRow | None:
    """Name what is wrong at the beginning or end of a line, or return None.

    Also return None for a fault of printing, such as trailing spaces. `open_line` is the text
    already printed on the same line.
    """
    difference = mismatch.difference
    printed = mismatch.printed_line
    following = mismatch.following.partition('\n')[0]
    if mismatch.expected == '\n' and not printed and following.strip() and open_line.strip():
        sentence = (
            f'prints {quoted(following)} on the same line as {quoted(prompts_in(open_line)[-1])}; '
            'an empty line is missing between them'
        )
        return '', OPEN_LINE, [sentence]
    if difference.kind == 'carriage return':
        return CRLF, CRLF, [r'ends lines with \r\n instead of \n']
    if difference.kind in ('look-alike', 'escape sequence') and is_text(row):
        return '', difference.kind, [line_in_words(mismatch.expected_line, printed)]
    if difference.kind == 'extra newline':
        sentence = f'prints {quoted(printed)} followed by a newline; no newline is expected there'
        return '', 'newline', [sentence]
    if difference.kind == 'indentation' and is_text(row) and mismatch.expected.endswith('\n'):
        both = instead_of(mismatch.expected_line, printed)
        return INDENT, INDENT, [f'begins lines with the wrong number of spaces: {both}']
    return None


def key_and_sentence(row: Row, mismatch: Mismatch) -> tuple[object, list[str]]:
    """Return the key of a line that is just wrong (`WRONG`), and a list with its sentence."""
    text, printed = mismatch.expected_line, mismatch.printed_line
    if not row.item:  # an extra line
        return (WRONG, '', shape_of(printed)), [line_in_words(None, printed)]
    if mismatch.is_prompt_for_line:
        if is_text(row):
            what = f'{quoted(printed)} where {quoted(text)}'
        else:
            what = f'{quoted_exactly(printed)} where a line'
        sentence = f'prints the prompt {what} is expected'
        return (WRONG, 'asks', shape_of(printed)), [sentence]
    if not is_text(row):
        sentence = f'prints {quoted_line(printed)}; a line that matches {quoted(text)} is expected'
        return (WRONG, shape_of(text), shape_of(printed)), [sentence]
    key = (WRONG, shape_of(text), shape_of(printed))
    prefix = mismatch.difference.prefix
    if any(map(str.isalpha, prefix)):
        key = (WRONG, 'before', shape_of(prefix))
    # With a tolerance, the mismatch has expected numbers in place of the printed ones.
    shown = printed if row.item.rules.tolerance is None else row.printed.removesuffix('\n')
    return key, [line_in_words(text, shown)]


def is_text(row: Row) -> bool:
    """Return whether the expected line of a row, if there is one, is compared as text."""
    return not row.item or all(part.is_text for part in row.item.parts)


def mismatch_of(row: Row, after: str) -> Mismatch:
    """Return the mismatch in a row, without the differences ignored by the session.

    `after` is the output of the same turn from the row on (see `text_around`).
    """
    item = row.item
    if not item or not row.printed:
        twice = row.printed.removesuffix('\n') if row.state == 'twice' else ''
        return Mismatch(row.expected, row.printed, twice, after if is_text(row) else '')
    printed = row.printed.removesuffix('\n')
    if item.has_newline and printed == row.printed and item.matches(printed):  # no newline
        return Mismatch(f'{printed}\n', printed)
    expected = row.expected
    if item.has_newline and not expected.endswith('\n'):
        expected += '\n'
    if item.rules.tolerance is not None:
        printed = with_expected_numbers(printed, expected.removesuffix('\n'), item.rules.tolerance)
    return Mismatch(expected, f'{printed}\n' if row.printed.endswith('\n') else printed)


def with_sentences(found: Sequence[Fault]) -> list[Fault]:
    """Set the sentences and advice of the faults, and return the faults."""
    prompts = {
        line.text
        for fault in found
        for played in fault.sessions
        for step in played.session.steps
        for line in step.expected
        if line.text and not line.has_newline
    }
    # If a session allows any prompts, the program's own prompts count as prompts of the assignment.
    prompts |= {
        prompt
        for fault in found
        if fault.key == PROMPTS
        and any(played.session.has_free_prompts for played in fault.sessions)
        for prompt in fault.examples
    }
    own = [prompt for fault in found if fault.key == PROMPTS for prompt in fault.examples]
    own_prompt = re.compile('|'.join([*map(re.escape, own), '']))  # or '', at the beginning
    for fault in found:
        way = WAY_OF.get(fault.id)
        known = way or MANNER_OF.get(fault.id)
        if fault.key == EXTRA_LINES:
            # A prompt before an extra line is not part of the line.
            fault.examples = [own_prompt.sub('', example, count=1) for example in fault.examples]
        fault.sentence = in_one_sentence(fault, prompts) + fault.ending
        fault.advice = advice_on(known, fault.examples, prompts) if known else ''
        fault.plain = HAPPENS[fault.clearest.failure.kind] if fault.examples else ''
        if way:
            fault.plain, fault.kind = way.sentence, way.kind
    return [*found]


def in_one_sentence(fault: Fault, prompts: Collection[str]) -> str:
    """Return the sentence about a fault, or '' if the fault has no example to quote.

    `prompts` are the assignment's prompts.
    """
    if fault.key == PROMPT:
        return sentence_about_wording(fault.examples)
    if fault.id in WAY_OF:
        return sentence_about(WAY_OF[fault.id], fault.examples, prompts)
    return fault.by_example(fault.examples)
