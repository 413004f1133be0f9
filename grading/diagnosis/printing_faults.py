"""Faults of printing that programs for any game can have, as their authors are told of them."""

from __future__ import annotations

from typing import Callable, Iterable

from ..printable import printable
from . import style as rules
from .known_fault import Known, fixed
from .protocol import ROW, TOKEN, Form
from .style import Style

WIDTH = 60                              # characters of a line that are told
MOST_TOLD = 4                           # examples


def prompts_told(style: Style) -> str:
    """Return which prompts a program prints."""
    due = [prompt for prompt in sorted(style.protocol.prompts) if prompt]
    own = [prompt for prompt in style.prompts or () if prompt not in due]
    if not own:
        return 'prints no prompts; this assignment has prompts' if due else 'prints prompts'
    if due:
        return f'prints a prompt, {quoted(own[0])}, that is not one of the assignment'
    return f'prints a prompt, {quoted(own[0])}; this assignment has no prompts'


def words_told(style: Style) -> str:
    """Return which words stand for which."""
    pairs = [pair for one in style.words.values() for pair in differing(one.due, one.printed)]
    pairs += [(due, own) for own, due in style.cells.items()]
    told = [f'{quoted(printed)} for {quoted(due)}' for due, printed in dict.fromkeys(pairs)]
    return 'prints other words: ' + ', '.join(told[:MOST_TOLD])


def separators_told(style: Style) -> str:
    """Return a line, as it is due and as it is printed."""
    shown = [(one.due, one.printed) for one in style.separators.values()]
    shown += [(spaced(style.protocol.forms[kind], style, kind), spaced(form, style, kind))
              for kind, form in style.forms.items()]
    due, printed = shown[0]
    return f'separates the parts of a line otherwise: {quoted(printed)} for {quoted(due)}'


def spaced(form: Form, style: Style, kind: str) -> str:
    """Return a few cells as a form has them."""
    cells = sorted(style.protocol.cells)[:3] if kind == ROW else ['3', '5', '7']
    return form.lead + form.gap.join(cells) + form.trail


def differing(old: str, new: str) -> list[tuple[str, str]]:
    """Return the words of two lines that differ: one for one, where the rest is the same.

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


def quoted(text: str) -> str:
    """Return a text of unknown origin in quotes."""
    return f'"{printable(text[:WIDTH])}"'


def listed(lines: Iterable[str]) -> str:
    """Return lines of unknown origin in words."""
    told = [quoted(line) if line.strip() else 'an empty line' for line in dict.fromkeys(lines)]
    return ', '.join(told[:MOST_TOLD])


PRINTING = [
    Known(rules.PROMPTS, 'prints prompts that the assignment does not have, or omits its prompts',
          'Print exactly the prompts that are shown under expected, and none where none are: '
          "input() without a text prints nothing.", fixed(), is_printing=True),
    Known(rules.MISSING_LINES, 'leaves out lines', 'Print these lines wherever they are due.',
          fixed(), is_printing=True),
    Known(rules.TWICE, 'prints lines twice in a row', 'Print each line of the protocol once.',
          fixed(), is_printing=True),
    Known(rules.NO_NEWLINE, 'prints lines without the newline at their end',
          'End each line with a newline: print() does, input(text) and print(text, end="") do not.',
          fixed(), is_printing=True),
    Known(rules.TRAILING_BLANKS, 'ends lines with blanks',
          "End each line with its last character: join with ' ' rather than print one after each.",
          fixed(), is_printing=True),
    Known(rules.WORDS, 'prints other words', 'Print exactly the words of the assignment.',
          fixed(), is_printing=True),
    Known(rules.SEPARATORS, 'separates the parts of a line otherwise',
          'Put exactly the blanks between the parts of a line that are shown under expected.',
          fixed(), is_printing=True),
    Known(rules.EXTRA_LINES, 'prints lines that the protocol does not have',
          'Print nothing that the assignment does not show: no greeting, no help, no debugging.',
          fixed(), is_printing=True),
]
TOLD: dict[str, Callable[[Style], str]] = {
    rules.PROMPTS: prompts_told,
    rules.MISSING_LINES: lambda style: 'leaves out lines: ' + listed(style.omitted.values()),
    rules.TWICE: lambda style: 'prints lines twice in a row: ' + listed(style.doubled.values()),
    rules.NO_NEWLINE: lambda style: ('prints lines without the newline at their end: '
                                     + listed(style.protocol.templates.get(kind, kind)
                                              for kind in style.unended)),
    rules.TRAILING_BLANKS: lambda style: 'ends lines with blanks',
    rules.WORDS: words_told,
    rules.SEPARATORS: separators_told,
    rules.EXTRA_LINES: lambda style: ('prints lines that the protocol does not have: '
                                      + listed(style.extra.values())),
}
