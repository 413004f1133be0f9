"""The known faults that programs for any assignment can have: how they print, read and end."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from ..games.kinds import TEXT
from ..games.known_faults import KnownFault, fixed
from ..printable import quoted, quoted_line
from ..sessions.verdict import Played, WrongLine
from . import style as rules
from .example import INSTEAD, instead_of
from .protocol import TOKEN, Heard
from .search import Match
from .style import LONGEST, Style

MOST_TOLD = 4  # examples
NO_PROMPTS = (
    'Print only the prompts of the assignment. In Python, input() without a text prints no prompt.'
)
PRINTS_LIST = (
    'Python prints a list with brackets, quotes and commas. print(*row) prints its '
    'items with blanks between them.'
)
ORIGINAL_PROMPTS = (
    'These are the prompts of the original assignment: add --prompts to grade with '
    'them. Otherwise print no prompts.'
)
PROMPTS_DUE = 'Print each prompt exactly as it stands under "expected".'


def examples_in(style: Style, rule: str) -> list[str]:
    """Return what a program prints by a rule of its style, as sentences tell it."""
    learned = style.of(rule)
    if rule == rules.PROMPTS:
        return [prompt for prompt in learned if prompt and prompt not in style.lines.prompts]
    if rule == rules.NO_NEWLINE:
        return [style.protocol.templates.get(kind, kind) for kind in learned]
    if rule == rules.SEPARATORS:
        return [instead_of(one.due, one.printed) for one in learned.values()]
    if rule == rules.WORDS:
        return [pair for one in learned.values() for pair in differing(one.due, one.printed)]
    return [*learned.values()]


def fitting_first(known: KnownFault, told: Sequence[str], place: WrongLine) -> list[str]:
    """Return examples of a fault, those first that the shown place has.

    Where it has none of the wrong words, return those that it has instead.
    """

    def is_here(text: str) -> bool:
        quotations = re.findall('"([^"]+)"', text) or [text.rstrip('\n')]
        return all(one in place.expected_text + place.printed_text for one in quotations)

    if known.id == rules.WORDS and not any(map(is_here, told)) and place.printed:
        return differing(place.expected.rstrip('\n'), place.printed.rstrip('\n'))
    return sorted(told, key=lambda text: not is_here(text))


def sentence_about(known: KnownFault, told: Sequence[str], prompts: Collection[str]) -> str:
    """Return the sentence about a fault of printing, with examples.

    `prompts` are those of the assignment.
    """
    told = [*dict.fromkeys(told)]
    if known.id == rules.PROMPTS:
        once = [
            one
            for one in told
            if not any(other != one and not one.replace(other, '') for other in told)
        ]
        if not once:
            return 'prints no prompts; this assignment has prompts'
        kind = 'prompts' if once[1:] else 'a prompt'
        shown = ', '.join(map(quoted, once[:MOST_TOLD]))
        where = (
            'that the assignment does not have'
            if {*once}.isdisjoint(prompts)
            else 'where none is expected'
        )
        return (
            f'prints {kind} {where}: {shown}'
            if prompts
            else f'prints {kind}, {shown}; this assignment has no prompts'
        )
    if known.id == rules.WORDS:
        text = ''.join(told).replace(INSTEAD, '')
        kind = (
            'words'
            if re.search(r'[^\W\d_]', text)
            else 'numbers'
            if re.search(r'\d', text)
            else 'signs'
        )
        return f'prints wrong {kind}: {", ".join(told[:MOST_TOLD])}'
    if known.id in (rules.SEPARATORS, rules.TRAILING_BLANKS):
        return known.sentence + ''.join(f': {one}' for one in told[:1] if one)
    return f'{known.sentence}: {", ".join(map(quoted_line, told[:MOST_TOLD]))}'


def advice_on(
    known: KnownFault, told: Sequence[str], prompts: Collection[str], original: Collection[str] = ()
) -> str:
    """Return the advice about a fault, of which there are examples.

    `prompts` are those of the assignment, `original` those that it has with `--prompts`.
    """
    if known.id == rules.PROMPTS and prompts:
        return PROMPTS_DUE
    if known.id == rules.PROMPTS and {*told} <= {*original}:
        return ORIGINAL_PROMPTS
    if known.id == rules.SEPARATORS and "['" in ''.join(told):
        return PRINTS_LIST
    return known.advice


def differing(old: str, new: str) -> list[str]:
    """Return the words in which two lines differ, each new one and the old one.

    >>> differing('It is hissing as it concedes.', 'It hisses as it concedes.')
    ['"hisses" instead of "is hissing"']
    >>> differing('B: 3  W: 4', 'Black: 3  White: 4')
    ['"Black" instead of "B"', '"White" instead of "W"']
    """
    pairs = [
        pair
        for pair in zip(TOKEN.findall(old), TOKEN.findall(new), strict=False)
        if pair[0] != pair[1]
    ]
    if len(TOKEN.findall(old)) != len(TOKEN.findall(new)) or not all(
        one.isalpha() for pair in pairs for one in pair
    ):
        olds, news = old.split(' '), new.split(' ')
        while min(len(olds), len(news)) > 1 and olds[0] == news[0]:
            del olds[0], news[0]
        while min(len(olds), len(news)) > 1 and olds[-1] == news[-1]:
            del olds[-1], news[-1]
        pairs = [(' '.join(olds), ' '.join(news))]
    return [quoted(one) + INSTEAD + quoted(other) for other, one in pairs]


PRINTING = [
    KnownFault(name, sentence, advice, fixed(), TEXT)
    for name, sentence, advice in (
        (
            rules.PROMPTS,
            'prints prompts that the assignment does not have, or omits its prompts',
            NO_PROMPTS,
        ),
        (rules.MISSING_LINES, 'leaves out lines', 'Print these lines wherever they are expected.'),
        (rules.TWICE, 'prints lines twice in a row', 'Print each of these lines once.'),
        (
            rules.NO_NEWLINE,
            'prints lines without the newline at their end',
            'End each line with a newline. In Python, print(text) does this; input(text) and '
            'print(text, end="") do not.',
        ),
        (
            rules.TRAILING_BLANKS,
            'prints blanks at the end of lines',
            "Print no blank after the last word of a line. In Python, ' '.join(words) puts blanks "
            'only between words.',
        ),
        (rules.WORDS, 'prints wrong words', 'Print exactly what stands under "expected".'),
        (
            rules.SEPARATORS,
            'separates the parts of a line wrongly',
            'Print between the parts of a line exactly what stands there under "expected".',
        ),
        (
            rules.EXTRA_LINES,
            'prints lines that the assignment does not have',
            'Print nothing that the assignment does not show: no greeting, no help, no messages '
            'for debugging.',
        ),
    )
]
NO_FLUSH = KnownFault(
    'no-flush',
    'does not flush: its output comes only after more input',
    'Flush the output before you read a line (in Python: print(..., flush=True), in '
    'C: fflush(stdout)), and read one line at a time.',
    fixed(),
)
READS_ON = KnownFault(
    'reads-on',
    'reads more input after the end',
    'End the program after its last line of output, and read no more input.',
    fixed(),
)
READS_EARLY = KnownFault(
    'reads-early',
    'prints what is due only after it has read more input',
    'Print all the output that is due, and flush it (in C: fflush(stdout)), before '
    'you read the next line.',
    fixed(),
)
READS_FIRST = KnownFault(
    'reads-first',
    'reads all input before it answers',
    'Read one line, print the answer, and only then read the next line.',
    fixed(),
)
ENDLESS = KnownFault(
    'endless',
    'does not end after the last line, even when its input ends',
    'Leave the loop after the last line of output, and read no more input.',
    fixed(),
)
EXIT_STATUS = KnownFault(
    'exit-status',
    'ends with an exit status other than 0',
    'End the program with exit status 0 after the last line.',
    fixed(),
)

MANNERS = READS_FIRST, READS_EARLY, NO_FLUSH, READS_ON, ENDLESS, EXIT_STATUS
AFTER_GAME = (READS_ON.id, ENDLESS.id)  # what happens when the game is over


def manners_of(
    explanation: Sequence[tuple[Heard, Match]],
) -> Iterator[tuple[KnownFault, list[Played]]]:
    """Yield what is wrong with how a program reads and ends, with the sessions that show it.

    `explanation` are the sessions that fail.
    """
    late = [(heard.failed, match) for heard, match in explanation if came_late(heard, match)]
    if any(match.is_whole for _, match in late):  # else something else may be wrong
        shown = sorted(
            (played for played, _ in late), key=lambda played: not (played.failure.read_early)
        )
        yield reason_for(shown), shown
    for known in (READS_ON, ENDLESS, EXIT_STATUS):
        found = [
            heard.failed
            for heard, match in explanation
            if end_of(heard.failed, asks_on(heard, match)) is known
        ]
        if found:
            yield known, found


def came_late(heard: Heard, match: Match) -> bool:
    """Return whether the program's own game came, but only after more input."""
    step = heard.failed.failure.turn
    if heard.failed.failure.kind != 'silent':
        return False
    due = heard.transcript.steps[step].output
    if match.is_whole:
        due = ''.join(match.output.texts[step : step + 1])
    printed, later = heard.turns[step], ''.join(heard.turns[step:])
    return printed != due and due.startswith(printed) and later.startswith(due)


def reason_for(late: Sequence[Played]) -> KnownFault:
    """Return why output came only after more input."""
    before = [played.session.steps[: played.wrong.turn] for played in late if played.wrong]
    if any(played.failure.read_early for played in late):
        return READS_EARLY
    has_begun = all(
        steps and steps[0].printed and not any(step.printed for step in steps[1:])
        for steps in before
    )
    return READS_FIRST if has_begun else NO_FLUSH


def asks_on(heard: Heard, match: Match) -> bool:
    """Return whether the program asks for more input when its own game is over."""
    rest = match.output.upcoming()
    has_prompt = bool(rest) and len(rest) < LONGEST and not rest.endswith('\n')
    return match.is_over and heard.error == 'EOFError' and (has_prompt or match.is_whole)


def end_of(played: Played, reads_on: bool) -> KnownFault | None:
    """Return what is wrong with how a program ends, None if nothing is, or something else.

    It `reads_on` if it wanted more input when it had printed all that is due.
    """
    kind, dialogue = played.failure.kind, played.dialogue
    if kind == 'not ended' or reads_on:
        return ENDLESS if dialogue.status is None else READS_ON
    is_plain = kind == 'status' and played.session.end.status == 0 and not dialogue.errors
    return EXIT_STATUS if is_plain and (dialogue.status or 0) > 0 else None
