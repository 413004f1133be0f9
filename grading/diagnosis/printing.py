"""The ways to print lines wrongly: one table, for known games and for custom assignments.

If the program printed a line other than the expected line, there may be several reasons:

    expected "VALID", printed "move 4 4"    the program prints an extra line, and then "VALID";
                                            or it leaves out "VALID";
                                            or it prints "move 4 4" instead of "VALID"

Each of these is a `Reading` of the difference. With a model of the game, the search tries every
reading: only with the right reading does the rest of the output match the model. Without a model, a
reading counts only if the two lines by themselves prove it. A `Style` contains what the readings
have taught about a program, and undoes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ..differences import NUMBER, Difference, difference_of
from ..games.fault_kinds import TEXT
from ..games.known_faults import KnownFault, fixed
from ..printable import quoted, quoted_exactly, quoted_line
from ..sessions.rows import likeness
from ..sessions.verdict import WrongLine
from .protocol import (
    ROW,
    TOKEN,
    VALUE,
    Form,
    Protocol,
    Wording,
    differ_only_between_words,
    ends_like_prompt,
    filled,
    prompts_in,
    shape_of,
    signs_in,
    wording_of,
)
from .what_happens import both_quoted, instead_of

if TYPE_CHECKING:
    from .style import Style

RULES = (
    PROMPTS,
    MISSING_LINES,
    TWICE,
    NO_NEWLINE,
    TRAILING_SPACES,
    WORDS,
    SEPARATORS,
    EXTRA_LINES,
) = (
    'prompts',
    'missing-lines',
    'twice',
    'no-newline',
    'trailing-spaces',
    'words',
    'separators',
    'extra-lines',
)
LONGEST = 300  # how much of a line to search for prompts and other differences, in characters
WIDEST_EDGE = 2  # maximum number of characters on each side of the cells of a row
MAX_EXAMPLES = 4  # maximum number of examples in a sentence
SEPARATOR = re.compile(r'[^\w\n]{1,3}')  # text printed between two lines in place of a newline
WORD = re.compile(r'[^\W\d_]+')
SPACES = ' \t'  # what counts as space at the end of a line
SPACING = 'spaces', 'missing spaces'  # kinds of differences (see `Difference.kind`)
ALIKE = 0.6  # if lines are more alike, one may be the other in other words

EMPTY_INPUT = 'In Python, input() with empty parentheses prints no prompt.'
NO_PROMPTS = f'Print no prompts. {EMPTY_INPUT}'
PRINTS_LIST = (
    'Print the items of the list, not the list itself. In Python, print(*row) prints the items of '
    'row with spaces between them.'
)
ORIGINAL_PROMPTS = (
    'These are the prompts of the original assignment: to grade with them, add --prompts. '
    'Otherwise, print no prompts.'
)
NO_EMPTY_LINES = (
    'Print no empty line where none is expected. In Python, print() prints an empty line, and so '
    r'does print(text) if text ends with \n.'
)
READS_MORE = 'Do not ask for input here. Read only as many lines of input as the session has.'
EXACT_PROMPTS = 'Print each prompt exactly as expected.'


class Mismatch(NamedTuple):
    """An expected line, and what the program printed in its place.

    Each of them is a line with its newline, a prompt, or `''` for nothing.
    """

    expected: str
    printed: str
    previous: str = ''  # the previous printed line, without its newline
    following: str = ''  # what was printed next if the expected line is missing

    @property
    def expected_line(self) -> str:
        """The expected line without its newline."""
        return self.expected.removesuffix('\n')

    @property
    def printed_line(self) -> str:
        """The printed line without its newline."""
        return self.printed.removesuffix('\n')

    @property
    def difference(self) -> Difference:
        """How the printed line differs from the expected line."""
        return difference_of(self.expected, self.printed)

    @property
    def is_prompt_for_line(self) -> bool:
        """Whether what looks like a prompt is printed where a line is expected."""
        is_line = self.expected.endswith('\n') and not self.printed.endswith('\n')
        return is_line and ends_like_prompt(self.printed)


class Reading(NamedTuple):
    """One way to explain a difference: a fault of printing, and what it implies for the style."""

    fault: str  # the id of the fault
    learned: Mapping[Any, Wording]  # the keys of the rule, with their examples (see `Style`)
    is_proved: bool = False  # whether the two lines by themselves prove the reading


@dataclass(frozen=True)
class Way(KnownFault):
    """A way to print lines wrongly, as a known fault of programs for any assignment."""

    # Yields the readings of a difference as this way, given the program's style so far.
    recognise: Callable[[Mismatch, Style], Iterator[Reading]] = lambda mismatch, style: iter(())
    # Returns the examples for the sentence from an expected and a printed line.
    quotes: Callable[[str, str], list[str]] = lambda expected, printed: [expected]
    is_example_whole: bool = False  # whether an example is more than the text of a line
    most: int = MAX_EXAMPLES  # maximum number of examples in the sentence


def prompts_of_its_own(mismatch: Mismatch, style: Style) -> Iterator[Reading]:
    expected, printed = mismatch.expected, mismatch.printed
    if not printed and not expected.endswith('\n'):
        yield Reading(PROMPTS, {'': Wording(expected, '')})
    elif printed and not expected and not printed.endswith('\n'):
        yield prompting([printed])
    elif prefix := mismatch.difference.prefix:
        # Text with a colon at its end may be a label, as in "Sum: 8", and a number with a sign may
        # count rows, as in "1| . B W". Words with another sign, and several different prompts, are
        # certainly prompts.
        is_asking = bool(re.search(r'([^\W\d_].*[^\w\s:]|[?>]) *$', prefix))
        reading = prompting([prefix])
        yield reading._replace(is_proved=is_asking or len(reading.learned) > 1)


def left_out(mismatch: Mismatch, style: Style) -> Iterator[Reading]:
    line = mismatch.expected_line
    if not mismatch.printed and mismatch.expected.endswith('\n'):
        kind = style.protocol.kind_of(line) or line
        yield Reading(MISSING_LINES, {kind: Wording(line, '')}, not is_joined(mismatch))


def printed_twice(mismatch: Mismatch, style: Style) -> Iterator[Reading]:
    line = mismatch.printed_line
    if not mismatch.expected and line not in (mismatch.printed, '') and line == mismatch.previous:
        for known in style.lines_printed_as(line):
            yield Reading(TWICE, {style.protocol.kind_of(known): Wording(known, line)}, True)


def without_newline(mismatch: Mismatch, style: Style) -> Iterator[Reading]:
    line, printed = mismatch.expected_line, mismatch.printed_line
    kind = style.protocol.kind_of(line)
    if is_joined(mismatch) or mismatch.difference.kind == 'missing newline':
        yield Reading(NO_NEWLINE, {kind or line: Wording(line, line)}, True)
    elif (
        is_other_line(mismatch, style)
        and kind is not None
        and kind not in style.protocol.forms
        and printed.strip()
        and printed.startswith(line)
    ):
        separator = SEPARATOR.match(printed, len(line))
        joined = Wording(line, line + (separator[0] if separator else ''))
        yield Reading(NO_NEWLINE, {kind: joined})


def is_joined(mismatch: Mismatch) -> bool:
    """Return whether only the newline of a line is missing: the next output follows it at once."""
    line = mismatch.expected_line
    return not mismatch.printed and bool(line) and mismatch.following.startswith(line)


def with_trailing_spaces(mismatch: Mismatch, style: Style) -> Iterator[Reading]:
    line, printed = mismatch.expected_line, mismatch.printed_line
    if mismatch.expected and printed.rstrip(SPACES) != printed and not style.protocol.has(printed):
        is_proved = mismatch.difference.kind == 'trailing spaces'
        yield Reading(TRAILING_SPACES, {'': Wording(line, printed)}, is_proved)


def written_differently(mismatch: Mismatch, style: Style) -> Iterator[Reading]:
    """Yield the readings of a line with other words, signs, spaces or separators."""
    expected, printed = mismatch.expected_line, mismatch.printed_line
    kind = style.protocol.kind_of(expected)
    if is_other_line(mismatch, style) and kind in style.protocol.forms:
        yield from readings_of_row(kind, expected, printed, style)
    elif is_other_line(mismatch, style) and kind is not None and printed.strip():
        yield from readings_of_words(mismatch, style)


def is_other_line(mismatch: Mismatch, style: Style) -> bool:
    """Return whether a line of moderate length, not of the protocol, replaces an expected line."""
    printed = mismatch.printed_line
    is_pair = bool(mismatch.expected and mismatch.printed)
    return is_pair and len(printed) <= LONGEST and not style.protocol.has(printed)


def not_expected(mismatch: Mismatch, style: Style) -> Iterator[Reading]:
    line = mismatch.printed_line
    if not mismatch.expected and line != mismatch.printed and not style.protocol.has(line):
        yield Reading(EXTRA_LINES, {shape_of(line): Wording('', line)}, True)


def readings_of_row(kind: str, expected: str, printed: str, style: Style) -> Iterator[Reading]:
    """Yield the readings of a row with other signs in its cells, or other text around them.

    `kind` is the kind of the expected row.
    """
    protocol = style.protocol
    form, cells = protocol.forms[kind], protocol.cells_of(kind, expected)
    if kind == ROW:
        # The sign between the cells may itself be one of the cells, as in "B.W.B".
        form_with_cell = Form(ROW, '', printed[1:2], '')
        if printed[1:2] in protocol.cells and form_with_cell.row_of(cells) == printed:
            yield Reading(SEPARATORS, {form_with_cell: Wording(expected, printed)}, True)
        for other in forms_with_spaces(printed, cells):
            if other._replace(as_space='') == form:
                yield Reading(WORDS, {other: Wording(other.as_space, ' ')}, True)
            else:
                yield Reading(SEPARATORS, {other: Wording(expected, printed)}, True)
    printed_form = protocol.form_of(printed)
    if printed_form and printed_form.kind == kind:
        some_cells = sorted(protocol.cells)[:3] if kind == ROW else ['3', '5', '7']
        example = Wording(form.row_of(some_cells), printed_form.row_of(some_cells))
        is_proved = protocol.cells_of(kind, printed) == cells
        yield Reading(SEPARATORS, {printed_form: example}, is_proved)
    elif kind == ROW and len(signs_in(printed)) == len(cells):
        others = {
            cell: Wording(cell, sign)
            for cell, sign in zip(cells, signs_in(printed), strict=True)
            if sign not in protocol.cells
        }
        yield Reading(WORDS, others)


def readings_of_words(mismatch: Mismatch, style: Style) -> Iterator[Reading]:
    """Yield the readings of a line with other words or spaces."""
    expected, printed = mismatch.expected_line, mismatch.printed_line
    wording = wording_of(expected, printed)
    if not wording:
        return
    # Assume that a program does not print the same line for expected lines of different kinds.
    others = [other for other in style.wordings(WORDS) if other != wording]
    if wording.printed in [other.printed for other in others]:
        return
    filled_in = filled(wording.expected, VALUE.findall(printed))  # with the printed values
    example = Wording(filled_in, printed)
    if differ_only_between_words(filled_in, printed):
        is_proved = mismatch.difference.kind in SPACING
        yield Reading(SEPARATORS, {wording: example}, is_proved)
    else:
        is_proved = filled_in == expected and are_words_wrong(mismatch, style)
        yield Reading(WORDS, {wording: example}, is_proved)


def are_words_wrong(mismatch: Mismatch, style: Style) -> bool:
    """Return whether only words, and perhaps punctuation, are wrong in a line.

    The printed line must have the expected numbers, and must not be a line of the assignment. Then
    any of these is enough:

    - The two lines have a word in common.
    - Each of them is a single word.
    - The printed line has words and numbers.
    - The printed line has words, and is spelled much like the expected line.

    Wrong indentation, and words before a correct line, are not wrong words.
    """
    difference = mismatch.difference
    expected, printed = mismatch.expected_line, mismatch.printed_line
    if difference.kind == 'indentation' or any(map(str.isalpha, difference.prefix)):
        return False
    if style.protocol.has(printed) or NUMBER.findall(printed) != NUMBER.findall(expected):
        return False
    if {*WORD.findall(printed.lower())} & {*WORD.findall(expected.lower())}:
        return True
    if expected.isalpha() and printed.isalpha():
        return True
    has_words, has_numbers = bool(WORD.search(printed)), bool(NUMBER.search(printed))
    return has_words and (has_numbers or likeness(expected, printed) > ALIKE)


def forms_with_spaces(printed: str, cells: Sequence[str]) -> Iterator[Form]:
    """Yield the forms of a line with the expected cells, and all cells of one kind as spaces.

    >>> [form.as_space for form in forms_with_spaces('B|W| ', ['B', 'W', '.'])]
    ['.']
    """
    for size in range(WIDEST_EDGE + 1):
        end = len(printed) - size
        before, inner, after = printed[:size], printed[size:end], printed[end:]
        gap = (len(inner) - len(cells)) // max(1, len(cells) - 1)
        if gap < 0 or ' ' not in inner[:: gap + 1]:
            continue
        for cell in {*cells}:
            form = Form(ROW, before, inner[1 : 1 + gap], after, cell)
            if form.row_of(cells) == printed:
                yield form


def prompting(texts: Iterable[str]) -> Reading:
    """Return the reading of these texts as the program's own prompts.

    >>> [*prompting(['First? Second: ']).learned]
    ['First? ', 'Second: ']
    """
    prompts = [prompt for text in texts for prompt in prompts_in(text)]
    return Reading(PROMPTS, {prompt: Wording('', prompt) for prompt in prompts}, bool(prompts))


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
    return [both_quoted(other, word) for word, other in pairs]


WAYS = [
    Way(
        PROMPTS,
        'prints prompts that are not in the assignment, or leaves out prompts that are',
        f'Print all the prompts of the assignment, and no others. {EMPTY_INPUT}',
        fixed(),
        TEXT,
        recognise=prompts_of_its_own,
        quotes=lambda expected, printed: [instead_of(expected, printed)] if expected else [printed],
    ),
    Way(
        MISSING_LINES,
        'leaves out lines',
        'Print these lines wherever they are expected.',
        fixed(),
        TEXT,
        recognise=left_out,
    ),
    Way(
        TWICE,
        'prints lines twice in a row',
        'Print each of these lines only once. Check whether a function prints the line and '
        'its caller prints it again.',
        fixed(),
        TEXT,
        recognise=printed_twice,
    ),
    Way(
        NO_NEWLINE,
        'prints lines without a newline at the end',
        'End each line with a newline. In Python, print(text) adds a newline, but input(text) '
        'and print(text, end="") do not.',
        fixed(),
        TEXT,
        recognise=without_newline,
    ),
    Way(
        TRAILING_SPACES,
        'prints spaces at the end of lines',
        'Do not print a space after the last item on a line. In Python, print(*items) puts '
        'spaces only between items.',
        fixed(),
        TEXT,
        recognise=with_trailing_spaces,
        quotes=lambda expected, printed: [quoted_exactly(printed)],
        is_example_whole=True,
        most=1,
    ),
    Way(
        WORDS,
        'prints the wrong words',
        'Print exactly what is shown as "expected".',
        fixed(),
        TEXT,
        recognise=written_differently,
        quotes=differing_words,
        is_example_whole=True,
    ),
    Way(
        SEPARATORS,
        'prints the wrong separators between the parts of a line',
        'Between the parts of a line, print exactly what the expected line has there, and '
        'nothing after the last part. In Python, print(*items) puts spaces only '
        'between items.',
        fixed(),
        TEXT,
        recognise=written_differently,
        quotes=lambda expected, printed: [instead_of(expected, printed)],
        is_example_whole=True,
        most=1,
    ),
    Way(
        EXTRA_LINES,
        'prints lines that are not in the assignment',
        'Print only what the assignment shows: no greeting, no help, no debugging messages.',
        fixed(),
        TEXT,
        recognise=not_expected,
        quotes=lambda expected, printed: [printed],
    ),
]
WAY_OF = {way.id: way for way in WAYS}


def readings(mismatch: Mismatch, style: Style) -> Iterator[Reading]:
    """Yield the readings of a difference, that is, possible ways of printing behind it.

    `style` contains the lines of the assignment, and the rules of printing found so far.
    """
    for recognise in dict.fromkeys(way.recognise for way in WAYS):
        yield from recognise(mismatch, style)


def proved_reading(mismatch: Mismatch, style: Style) -> Reading | None:
    """Return the reading proved by the two lines alone, or None if there is none.

    If separators are wrong, the example is the two lines as they are: without a model, nothing
    proves that the program prints the same separators in similar lines.
    """
    expected, printed = mismatch.expected_line, mismatch.printed_line
    lines = Wording(expected, printed)
    is_prompt = bool(expected) and not mismatch.expected.endswith('\n')
    if is_prompt and mismatch.printed and not style.protocol.has(printed):
        prompts = Wording(expected, mismatch.printed)  # with the newline, if one was printed
        return Reading(PROMPTS, {prompts: prompts}, True)
    proved = next((reading for reading in readings(mismatch, style) if reading.is_proved), None)
    if proved and proved.fault == SEPARATORS:
        return proved._replace(learned={lines: lines})
    if proved:
        return proved
    if not mismatch.printed:  # a missing prompt
        return Reading(MISSING_LINES, {lines: lines}, True)
    if not mismatch.expected:
        return None
    if mismatch.difference.kind in SPACING:
        return Reading(SEPARATORS, {lines: lines}, True)
    return Reading(WORDS, {lines: lines}, True) if are_words_wrong(mismatch, style) else None


def examples_in(style: Style, name: str) -> list[str]:
    """Return the examples for the sentence about a way of printing in a program's style."""
    learned, way = style.named(name), WAY_OF[style.rule_of(name)]
    if way.id == PROMPTS:
        return [prompt for prompt in learned if prompt and prompt not in style.lines.prompts]
    return [text for example in learned.values() for text in way.quotes(*example)]


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
    if known.id == WORDS and is_elsewhere and place.printed:
        return differing_words(expected, printed)
    if known.id == EXTRA_LINES and is_elsewhere and printed:
        shape = shape_of(printed)
        return [printed, *(text for text in examples if shape_of(text) != shape)]
    kind = protocol.kind_of(expected) or ''
    is_row = known.id == SEPARATORS and kind in protocol.forms
    if (
        is_row
        and is_elsewhere
        and protocol.cells_of(kind, expected) == protocol.cells_of(kind, printed)
    ):
        return [instead_of(expected, printed)]
    return sorted(examples, key=lambda text: not is_here(text))


def sentence_about(
    way: Way, examples: Sequence[str], prompts: Collection[str], omitted: str = ''
) -> str:
    """Return the sentence about a way to print lines wrongly, with examples.

    `prompts` are the assignment's prompts. `omitted` is a missing prompt, if the program prints
    other prompts; otherwise, it is ''.
    """
    examples = [*dict.fromkeys(examples)]
    if omitted:
        return f'does not print the prompt {quoted(omitted)}'
    if way.id == PROMPTS:
        return sentence_about_prompts(examples, prompts)
    if way.id == EXTRA_LINES and not any(map(str.strip, examples)):
        kind = 'lines of spaces' if all(examples) else 'empty lines'
        return f'prints {kind} that are not in the assignment'
    what = f'prints the wrong {kind_of_words(examples)}' if way.id == WORDS else way.sentence
    shown = examples[: way.most]
    quotations = shown if way.is_example_whole else map(quoted_line, shown)
    return f'{what}: {", ".join(quotations)}' if shown else what


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
    exact = {prompt.rstrip(): prompt for prompt in prompts}
    if prompts and {*once}.isdisjoint(prompts) and {prompt.rstrip() for prompt in once} <= {*exact}:
        return sentence_about_wording(
            [instead_of(exact[prompt.rstrip()], prompt) for prompt in once]
        )
    kind, are = ('prompts', 'are') if len(once) > 1 else ('a prompt', 'is')
    shown = ', '.join(map(quoted, once[:MAX_EXAMPLES]))
    if prompts and {*once}.isdisjoint(prompts):
        return f'prints {kind} that {are} not in the assignment: {shown}'
    return f'prints {kind} where none {are} expected: {shown}'


def sentence_about_wording(prompts: Sequence[str]) -> str:
    """Return the sentence about expected prompts with other words.

    >>> sentence_about_wording(['"Name: " instead of "Name? "'])
    'prints the prompt "Name: " instead of "Name? "'
    """
    what = 'wrong prompts:' if prompts[1:] else 'the prompt'
    return f'prints {what} {", ".join(prompts[:MAX_EXAMPLES])}'


def kind_of_words(examples: Sequence[str]) -> str:
    """Return what the quotations in examples consist of: words, numbers, or other characters.

    >>> kind_of_words(['"12" instead of "a"']), kind_of_words(['"12" instead of "13"'])
    ('words', 'numbers')
    >>> kind_of_words(['"*" (49 times in one line) instead of "*" (47 times in one line)'])
    'characters'
    """
    text = ''.join(re.findall('"([^"]*)"', ''.join(examples)))
    if re.search(r'[^\W\d_]', text):
        return 'words'
    return 'numbers' if re.search(r'\d', text) else 'characters'


def advice_on(
    way: KnownFault,
    examples: Sequence[str],
    prompts: Collection[str],
    original: Collection[str] = (),
) -> str:
    """Return the advice on a known fault, given its examples.

    `prompts` are the assignment's prompts; `original` are the game's prompts with `--prompts`.
    """
    if way.id == PROMPTS and examples and {*examples} <= {*prompts}:
        return READS_MORE
    if way.id == PROMPTS and prompts:
        return EXACT_PROMPTS
    if way.id == PROMPTS:
        return ORIGINAL_PROMPTS if {*examples} <= {*original} else NO_PROMPTS
    if way.id == EXTRA_LINES and examples and not any(map(str.strip, examples)):
        return NO_EMPTY_LINES
    return PRINTS_LIST if way.id == SEPARATORS and "['" in ''.join(examples) else way.advice
