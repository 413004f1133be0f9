"""The faults that programs for any game can have: how they print, read and end."""

from __future__ import annotations

from functools import partial
from typing import Callable, Iterable, Iterator, Sequence

from ..printable import decoded
from ..sessions.difference import Difference
from . import style as rules
from .fault_models import Known, fixed
from .follow import Match
from .hints import quoted
from .program_output import Heard
from .protocol import ROW, TOKEN, Form
from .style import LONGEST, Style

MOST_TOLD = 4                           # examples
NO_PROMPTS = ('Print only the prompts of the assignment. In Python, input() without a text prints '
              'no prompt.')
PRINTS_LIST = ('Python prints a list with brackets, quotes and commas. print(*row) prints its '
               'items with blanks between them.')
PROMPTS_DUE = 'Print each prompt exactly as it stands under "expected".'


def prompts_told(style: Style) -> str:
    """Return the sentence about the prompts of a program."""
    due = [prompt for prompt in sorted(style.protocol.prompts) if prompt]
    own = [prompt for prompt in style.prompts or () if prompt not in due]
    if not own:
        return 'prints no prompts; this assignment has prompts' if due else 'prints prompts'
    if due:
        return f'prints a prompt, {quoted(own[0])}, that the assignment does not have'
    once = [one for one in own
            if not any(other != one and not one.replace(other, '') for other in own)]
    told = ', '.join(map(quoted, once[:MOST_TOLD]))
    return f'prints {"prompts" if once[1:] else "a prompt"}, {told}; this assignment has no prompts'


def advice_on(known: Known, style: Style) -> str:
    """Return the advice about a fault in a style."""
    if known.id == rules.PROMPTS and any(style.protocol.prompts):
        return PROMPTS_DUE
    if known.id == rules.SEPARATORS and "['" in separators_told(style):
        return PRINTS_LIST
    return known.advice


def words_told(style: Style) -> str:
    """Return the sentence about wrong words."""
    pairs = [pair for one in style.words.values() for pair in differing(one.due, one.printed)]
    pairs += [(due, own) for own, due in style.cells.items()]
    told = [f'{quoted(printed)} instead of {quoted(due)}'
            for due, printed in dict.fromkeys(pairs)]
    are_words = any(char.isalpha() for pair in pairs for part in pair for char in part)
    return (f'prints wrong {"words" if are_words else "numbers"}: '
            + ', '.join(told[:MOST_TOLD]))


def separators_told(style: Style) -> str:
    """Return the sentence about a line whose parts are separated wrongly."""
    shown = [(one.due, one.printed) for one in style.separators.values()]
    shown += [(spaced(style.protocol.forms[kind], style, kind), spaced(form, style, kind))
              for kind, form in style.forms.items()]
    due, printed = shown[0]
    return f'separates the parts of a line wrongly: {quoted(printed)} instead of {quoted(due)}'


def spaced(form: Form, style: Style, kind: str) -> str:
    """Return a few cells in a form."""
    cells = sorted(style.protocol.cells)[:3] if kind == ROW else ['3', '5', '7']
    return form.lead + form.gap.join(cells) + form.trail


def differing(old: str, new: str) -> list[tuple[str, str]]:
    """Return the pairs of words in which two lines differ.

    >>> differing('It is hissing as it concedes.', 'It hisses as it concedes.')
    [('is hissing', 'hisses')]
    >>> differing('B: 3  W: 4', 'Black: 3  White: 4')
    [('B', 'Black'), ('W', 'White')]
    """
    tokens = list(zip(TOKEN.findall(old), TOKEN.findall(new)))
    pairs = [pair for pair in tokens if pair[0] != pair[1]]
    if len(TOKEN.findall(old)) == len(TOKEN.findall(new)) and all(
            one.isalpha() for pair in pairs for one in pair):
        return pairs
    olds, news = old.split(' '), new.split(' ')
    while min(len(olds), len(news)) > 1 and olds[0] == news[0]:
        del olds[0], news[0]
    while min(len(olds), len(news)) > 1 and olds[-1] == news[-1]:
        del olds[-1], news[-1]
    return [(' '.join(olds), ' '.join(news))]


def listed(lines: Iterable[str]) -> str:
    """Return lines of unknown origin in quotes, separated by commas."""
    told = [quoted(line) if line.strip() else 'an empty line' for line in dict.fromkeys(lines)]
    return ', '.join(told[:MOST_TOLD])


PRINTING = [Known(name, sentence, advice, fixed(), 'text')
            for name, sentence, advice in (
    (rules.PROMPTS, 'prints prompts that the assignment does not have, or omits its prompts',
     NO_PROMPTS),
    (rules.MISSING_LINES, 'leaves out lines',
     'Print these lines wherever they are expected.'),
    (rules.TWICE, 'prints lines twice in a row',
     'Print each of these lines once.'),
    (rules.NO_NEWLINE, 'prints lines without the newline at their end',
     'End each line with a newline. In Python, print(text) does this; input(text) and '
     'print(text, end="") do not.'),
    (rules.TRAILING_BLANKS, 'prints blanks at the end of lines',
     "Print no blank after the last word of a line. In Python, ' '.join(words) puts blanks "
     'only between words.'),
    (rules.WORDS, 'prints wrong words',
     'Print exactly what stands under "expected".'),
    (rules.SEPARATORS, 'separates the parts of a line wrongly',
     'Between the parts of a line, print exactly the blanks that stand under "expected".'),
    (rules.EXTRA_LINES, 'prints lines that the assignment does not have',
     'Print nothing that the assignment does not show: no greeting, no help, no messages for '
     'debugging.'),
)]
TOLD: dict[str, Callable[[Style], str]] = {
    rules.PROMPTS: prompts_told,
    rules.MISSING_LINES: lambda style: 'leaves out lines: ' + listed(style.omitted.values()),
    rules.TWICE: lambda style: 'prints lines twice in a row: ' + listed(style.doubled.values()),
    rules.NO_NEWLINE: lambda style: ('prints lines without the newline at their end: '
                                     + listed(style.protocol.templates.get(kind, kind)
                                              for kind in style.unended)),
    rules.TRAILING_BLANKS: lambda style: 'prints blanks at the end of lines',
    rules.WORDS: words_told,
    rules.SEPARATORS: separators_told,
    rules.EXTRA_LINES: lambda style: ('prints lines that the assignment does not have: '
                                      + listed(style.extra.values())),
}

NO_FLUSH = Known('no-flush', 'does not flush: its output comes only after more input',
                 'Flush the output before you read a line. In Python: print(..., flush=True).',
                 fixed())
READS_ON = Known('reads-on', 'reads more input after the end',
                 'End the program with exit status 0 after the last line.', fixed())
READS_EARLY = Known('reads-early', 'reads input before it prints what is due',
                    'Print all the output that is due, and only then read the next line.', fixed())
READS_FIRST = Known('reads-first', 'reads all input before it answers',
                    'Read one line, print the answer, and only then read the next line.',
                    fixed())
ENDLESS = Known('endless', 'does not end after the last line, even when its input ends',
                'Leave the loop when the game is over, and read no more lines.', fixed())
EXIT_STATUS = Known('exit-status', 'ends with an exit status other than 0',
                    'End the program with exit status 0 after the last line.', fixed())

Explanation = Sequence['tuple[Heard, Match]']       # the sessions that fail


def late_because(reason: Known, explanation: Explanation) -> list[Difference]:
    """Return the differences where output came after more input, if that is the reason.

    First come those of which it is known after how much.
    """
    late = sorted(late_in(explanation), key=lambda difference: not difference.read_early)
    return late if late and reason_for(late) is reason else []


def reason_for(late: list[Difference]) -> Known:
    """Return why output came after more input."""
    if any(difference.read_early for difference in late):
        return READS_EARLY
    has_begun = all(has_shown(difference, 1) and not has_shown(difference) for difference in late)
    return READS_FIRST if has_begun else NO_FLUSH


def has_shown(difference: Difference, steps: int = 0) -> bool:
    """Return whether some output came in time: in the first steps, or after the first."""
    right = difference.transcript.steps[:difference.step]
    return any(step.printed for step in (right[:steps] if steps else right[1:]))


def late_in(explanation: Explanation) -> list[Difference]:
    """Return the differences where output came late, if nothing else is wrong in one of them."""
    late = [(heard, match) for heard, match in explanation if came_late(heard, match)]
    is_proved = any(match.is_whole for _, match in late)
    return [difference_of(heard) for heard, _ in late] if is_proved else []


def endless(explanation: Explanation) -> list[Difference]:
    """Return the differences where a program runs on after the last line and the end of input."""
    return [difference_of(heard) for heard, match in explanation
            if difference_of(heard).kind == 'runs on' and difference_of(heard).status is None]


def came_late(heard: Heard, match: Match) -> bool:
    """Return whether the program's own game came, but only after more input."""
    difference = difference_of(heard)
    if difference.kind != 'silent':
        return False
    due = difference.expected.output
    if match.is_whole:
        due = ''.join(match.session.texts[difference.step:difference.step + 1])
    printed = decoded(difference.printed)
    return (printed != due and due.startswith(printed)
            and decoded(difference.printed + difference.late).startswith(due))


def with_another_status(explanation: Explanation) -> list[Difference]:
    """Return the differences where only the exit status is wrong, without a crash."""
    differences = [difference_of(heard) for heard, _ in explanation]
    return [difference for difference in differences
            if difference.kind == 'status' and (difference.status or 0) > 0
            and not difference.errors]


def reading_on(explanation: Explanation) -> list[Difference]:
    """Return the differences where a program reads a line after the end of its game."""
    return [difference for heard, match in explanation for difference in after_end(heard, match)]


def after_end(heard: Heard, match: Match) -> Iterator[Difference]:
    """Yield the difference if the program reads after the end; the whole run may be needed to tell.
    """
    difference = difference_of(heard)
    if difference.kind == 'runs on':
        if difference.status is not None:
            yield difference
    elif match.is_over and heard.error == 'EOFError' and asks_on(match):
        yield difference
    elif match.is_over and match.is_whole and heard.observed and heard.error == 'EOFError':
        yield Difference(heard.transcript, len(heard.transcript.steps) - 1, 'status', b'',
                         status=heard.status, errors=heard.observed.errors)


def asks_on(match: Match) -> bool:
    """Return whether a program asks for something after the end of the game."""
    rest = match.session.upcoming()
    return bool(rest) and len(rest) < LONGEST and not rest.endswith('\n')


def difference_of(heard: Heard) -> Difference:
    """Return the difference of a session that fails."""
    assert heard.difference
    return heard.difference


MANNERS: list[tuple[Known, Callable[[Explanation], list[Difference]]]] = [
    *((reason, partial(late_because, reason)) for reason in (READS_FIRST, READS_EARLY, NO_FLUSH)),
    (READS_ON, reading_on), (ENDLESS, endless), (EXIT_STATUS, with_another_status)]
AT_END = (READS_ON.id, ENDLESS.id)       # what happens when the game is over
