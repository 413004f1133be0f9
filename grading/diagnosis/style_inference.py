"""The rules of a program's style, learned from its output lined up with the output that is due.

All sessions together teach a rule. Lines that the program writes in two ways, one of them right,
stay as they are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import chain, groupby
from typing import Any, Callable, Dict, Iterator, Sequence

from .alignment import GameOutput, View
from .protocol import (
    ROW,
    Form,
    cells_of,
    filled,
    is_spaced,
    prompts_in,
    shape_of,
    starts_of,
    target_of,
    template_of,
)
from .style import LONGEST, Style, Translation

ROUNDS = 2
SURE = 0.75                             # of what is seen, the share that a rule must explain
LONGEST_END = 3                         # characters behind a line that is a prompt


def learned(style: Style, failed: Sequence[GameOutput], passed: Sequence[str]) -> Style:
    """Return a style with all rules that the sessions of a program show."""
    written = Counter(style.protocol.kind_of(line)
                      for output in passed for line in output.split('\n')[:-1])
    style = with_ends(style, failed)
    for _ in range(ROUNDS):
        view = View(style, failed, written)
        change = {name: rule for learner in LEARNERS for name, rule in learner(view).items()}
        if not change:
            break
        style = replace(style, **change)
    return style


Change = Dict[str, Any]


def with_ends(style: Style, failed: Sequence[GameOutput]) -> Style:
    """Return a style with the rules that the ends of turns and lines show.

    These are prompts, lines without a newline, and blanks at the ends of lines.
    """
    tails, unended = dict.fromkeys(style.prompts or ()), dict(style.unended)
    has_none = False
    for output in failed:
        for text, due, prompt in ends_of_turns(output):
            tail = text.rpartition('\n')[2]
            line, end = line_in(tail, style)
            if line:
                unended.setdefault(style.protocol.kind_of(style.written(line)[0]) or '', end)
            elif not tail:
                has_none |= bool(prompt) and text == due[:len(due) - len(prompt)]
            elif tail != prompt and len(tail) <= LONGEST and not style.lines.has(tail):
                tails.update(dict.fromkeys(prompts_in(own_prompt(tail, style))))
    has_blanks = not any(line.endswith(' ') for line in style.protocol.lines) and any(
        line.endswith(' ') and line.strip() for output in failed
        for text in output.heard.turns for line in text.split('\n')[:-1])
    prompts = (*tails,) if tails or has_none else style.prompts
    return replace(style, prompts=prompts, unended=unended, has_blanks=has_blanks)


def ends_of_turns(output: GameOutput) -> Iterator[tuple[str, str, str]]:
    """Yield what was printed and what is due in each turn that is known, and the prompt due there.

    The end of the last turn is known if the program has ended.
    """
    heard = output.heard
    if not heard.is_joined:
        turns = heard.turns[:len(heard.transcript.steps) - 1]
        yield from zip(turns, output.texts, output.prompts)
    if heard.has_ended and heard.turns[len(heard.transcript.steps) - 1:]:
        text = heard.turns[len(heard.transcript.steps) - 1]
        yield text, text, text.rpartition('\n')[2]


def line_in(tail: str, style: Style) -> tuple[str, str]:
    """Return the line of the protocol at the start of a text without newlines, and the rest."""
    for size in range(len(tail), max(0, len(tail) - LONGEST_END - 1), -1):
        kind = style.protocol.bare.kind_of(style.written(tail[:size])[0])
        if kind and not tail[size:].strip(' :>?'):
            return tail[:size], tail[size:]
    return '', ''


def own_prompt(tail: str, style: Style) -> str:
    """Return the last of several prompts in a text."""
    for known in style.prompts or ():
        while known and tail.startswith(known) and len(tail) > len(known):
            tail = tail[len(known):]
    return tail


def unended(view: View) -> Change:
    """Learn which lines lack a newline."""
    seen: Counter[str] = Counter()
    for reading in view.readings:
        for piece in reading.pieces:
            if len(piece.text) <= LONGEST and not view.protocol.has(piece.text):
                for start in starts_of(piece.text):
                    first, rest = piece.text[:start], piece.text[start:]
                    kind = view.protocol.kind_of(view.style.written(first)[0])
                    if kind and kind not in view.protocol.forms and view.protocol.has(
                            view.style.written(rest)[0]):
                        seen[kind] += 1
    found = {kind: '' for kind in seen if kind not in view.style.unended}
    return {'unended': {**view.style.unended, **found}} if found else {}


def forms(view: View) -> Change:
    """Learn the text between cells, and other cells."""
    seen: dict[str, Counter[Form]] = defaultdict(Counter)
    cells: dict[str, Counter[str]] = defaultdict(Counter)
    for pair, due, printed in view.foreign():
        found = view.protocol.form_of(printed)
        if pair.due and found and found[0] == pair.due.kind:
            seen[found[0]][found[1]] += 1
        elif pair.due and pair.due.kind == ROW:
            own, right = cells_of(printed), view.protocol.cells_of(ROW, due)
            if len(own) == len(right) and not any(map(str.isdigit, own)):
                for one, other in zip(own, right):
                    cells[one][other] += 1
    known = dict(view.style.forms)
    for kind, counter in seen.items():
        form, number = counter.most_common(1)[0]
        if number >= SURE * (sum(counter.values()) + view.written[kind]):
            known[kind] = form
    others = {one: most_of(counter) for one, counter in cells.items()
              if one not in view.protocol.cells and one.strip()}
    change: Change = {}
    if known != view.style.forms:
        change['forms'] = known
    if any(others.values()) and not view.style.cells:
        change['cells'] = {one: other for one, other in others.items() if other}
    return change


def most_of(counter: Counter[str]) -> str:
    """Return the commonest value if it is far more common than others, else ''."""
    [(one, number)] = counter.most_common(1)
    return one if number >= SURE * sum(counter.values()) else ''


def lines(view: View) -> Change:
    """Learn which lines have other words, and which lines are extra."""
    standing: dict[str, Counter[str]] = defaultdict(Counter)
    paired: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for pair, due, printed in view.foreign():
        if pair.trust and pair.due and pair.due.kind not in view.protocol.forms:
            paired[shape_of(printed)] += pair.trust
            target = target_of(due, printed)
            if target is not None:
                standing[template_of(printed)][target] += pair.trust
                examples.setdefault(template_of(printed), printed)
    extra: dict[str, str] = {}
    for pair in chain(*view.pairs):
        if (pair.printed and not pair.due and pair.trust and pair.printed.ends
                and not view.protocol.has(pair.printed.text)):
            alone[shape_of(pair.printed.text)] += pair.trust
            extra.setdefault(shape_of(pair.printed.text), pair.printed.text)
    extra = {shape: line for shape, line in extra.items() if alone[shape] > paired[shape]}
    words: dict[str, Translation] = {}
    separators: dict[str, Translation] = {}
    for template, targets in standing.items():
        target, printed = most_of(targets), examples[template]
        if not target or shape_of(printed) in extra:
            continue
        due = filled(target, printed)
        if is_spaced(due, printed):
            if not view.written[template_of(due)]:
                separators[template] = Translation(target, due, printed)
        elif not view.protocol.says(printed) or not view.written[template_of(due)]:
            words[template] = Translation(target, due, printed)
    return changed(view.style, words=words, separators=separators, extra=extra)


def changed(style: Style, **learned: dict[str, Any]) -> Change:
    """Return the rules of a style to which what was learned adds something."""
    rules = {name: {**new, **getattr(style, name)} for name, new in learned.items()}
    return {name: more for name, more in rules.items() if more != getattr(style, name)}


def again_or_never(view: View) -> Change:
    """Learn which lines are printed twice in a row, and which are omitted."""
    twice: set[str] = set()
    missing: dict[str, str] = {}
    for pairs in view.pairs:
        texts = [pair.printed.text if pair.printed else None for pair in pairs]
        for number, pair in enumerate(pairs):
            kind = view.protocol.kind_of(pair.printed.text) if pair.printed else None
            if pair.printed and kind is not None:
                if not pair.due and pair.printed.text in (
                        texts[max(0, number - 1):number] + texts[number + 1:number + 2]):
                    twice.add(kind)
            elif (pair.due and not pair.printed and pair.trust and not pair.due.is_free
                  and not view.written[pair.due.kind]):
                missing.setdefault(pair.due.kind, pair.due.text)
    doubled = {kind: kind for kind in twice if kind not in view.protocol.forms
               and not view.passed[kind] and is_doubled(kind, view)}
    return changed(view.style, omitted=missing, doubled=doubled)


def is_doubled(kind: str, view: View) -> bool:
    """Return whether all lines of a kind come in pairs."""
    for reading in view.readings:
        for text, same in groupby(piece.text for piece in reading.pieces):
            if view.protocol.kind_of(text) == kind and len([*same]) % 2:
                return False
    return True


LEARNERS: Sequence[Callable[[View], Change]] = (
    unended, forms, lines, again_or_never)
