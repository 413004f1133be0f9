"""Checks what the sentence of a finding claims about each of its sessions.

The claim is checked in the turn where the session fails:

    expected    printed     a claim that holds there
    VALID       OK          prints OK instead of VALID
    TURN: W     TURN: W

    VALID       TURN: W     leaves out VALID
    TURN: W

If the claim does not hold, the session is removed from the finding. If no other finding lists that
session, the caller adds a finding that says only what differs in it. For some claims, the finding
keeps the session, because it may show only effects of the fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ..games.fault_kinds import OF_PRINTING
from ..printable import decoded
from ..sessions.items import Item
from ..sessions.rows import Row, likeness
from ..sessions.transcript import lines_in
from ..sessions.verdict import Failure, PlayedSession
from .crash import crash_later
from .exchange import Exchange, first_wrong_exchange, is_certain, turns_of
from .failed_session import FLOOD
from .finding import Fault
from .printing import (
    ALIKE,
    MISSING_LINES,
    PROMPTS,
    SEPARATORS,
    WAY_OF,
    WORDS,
)
from .protocol import ROW, shape_of
from .what_happens import difference_in_words
from .wrong_row import OPEN_LINE, PROMPT

Check = Callable[[Exchange], bool]  # returns whether a claim holds in an exchange


@dataclass(frozen=True)
class Claim:
    """What a kind of sentence claims: `holds` returns whether it is true where a session fails.

    `clearest` returns the session with the failure that best shows this. If `of_program` is set,
    the claim must hold in all failed sessions. If `has_effects` is set, a fault keeps all its
    sessions, because some of them may show only its effects.
    """

    holds: Check = lambda exchange: True
    clearest: Callable[[Exchange], PlayedSession] = lambda exchange: exchange.played
    of_program: bool = False
    has_effects: bool = False


def is_other_line(exchange: Exchange) -> bool:
    r"""Return whether another line is printed instead of the expected line.

    >>> ways = ['', 'Eins\nTwo\n'], ['', 'Two\nOne\n'], ['', '']
    >>> holds_where(is_other_line, '1\n|One\n|Two\n', *ways)
    [True, False, False]
    """
    return bool(exchange.expected and exchange.printed) and exchange.lacks(exchange.expected)


def is_left_out(exchange: Exchange) -> bool:
    r"""Return whether the program leaves out an expected line, perhaps with other values.

    The expected line must be among the examples of the fault. The line printed in its place must
    not be similar: it may be a wording of the expected line.

    >>> ways = ['', 'Two\n'], ['', 'INVALID\nTwo\n'], ['', 'Two\nVALID\n']
    >>> holds_where(is_left_out, '1\n|VALID\n|Two\n', *ways, examples=['VALID'])
    [True, False, False]
    """
    shapes = [shape_of(f'{example}\n') for example in exchange.examples]
    return (
        shape_of(exchange.expected) in shapes
        and exchange.lacks(exchange.expected)
        and likeness(exchange.expected, exchange.printed) <= ALIKE
    )


def at_prompt(exchange: Exchange) -> PlayedSession:
    r"""Return the session with a failure at one of the program's own prompts.

    The examples are these prompts. If the failing turn already shows one, or if no turn does, the
    session is returned unchanged.

    >>> exchange = first_wrong_exchange('1\n|One\n2\n|Two\n', '', '', 'No? One\n')
    >>> exchange.examples = ['No? ']
    >>> at_prompt(exchange).wrong_line.printed
    'No? '
    """
    played, examples = exchange.played, exchange.examples
    shown = played.wrong_line.printed_text
    if not examples or any(prompt in shown for prompt in examples):
        return played
    for turn, printed_turn in enumerate(played.dialogue.turns[: len(played.session.steps)]):
        for prompt in examples:
            if prompt.encode() in printed_turn.printed:
                start = decoded(printed_turn.printed).index(prompt)
                row = Row(turn, turn, None, '', prompt, start, 'extra')
                return replace(played, failure_found=Failure('differs', turn, row=row))
    return played


def prints_wrongly(exchange: Exchange) -> bool:
    r"""Return whether a program prints something wrong, rather than nothing.

    >>> ways = ['', 'Too\n', ''], ['', '', 'Too\n']
    >>> holds_where(prints_wrongly, '1\n|Two\n2\n', *ways)
    [True, False]
    """
    return bool(exchange.printed)


def never(word: str) -> Claim:
    r"""Return the claim that a program never begins a line with a word.

    >>> holds_where(never('One').holds, '|One\n2\n|Two\n', ['', 'Two\n'], ['', 'One\n'])
    [True, False]
    """

    def holds(exchange: Exchange) -> bool:
        output = decoded(exchange.played.dialogue.output)
        return not re.search(rf'^{re.escape(word)}\b', output, re.MULTILINE)

    return Claim(holds, of_program=True)


def always(word: str) -> Claim:
    r"""Return the claim that a program begins each answer with a word, even where it should not.

    From the failing turn on, the output of each turn must begin with the word. In the turns before
    it, the program must not print the line missing in the failing turn.

    >>> ways = ['', 'NO\n', 'NO\n', 'NO\n'], ['', 'YES\n', 'NO\n', 'NO\n']
    >>> holds_where(always('NO').holds, '1\n|YES\n2\n|NO\n3\n|YES\n', *ways)
    [True, False]
    """

    def holds(exchange: Exchange) -> bool:
        turns = exchange.played.dialogue.turns[: len(exchange.played.session.steps)]
        answers = [decoded(turn.printed) for turn in turns[exchange.turn :] if turn.printed]
        before = ''.join(decoded(turn.printed) for turn in turns[: exchange.turn])
        return (
            exchange.printed.startswith(word)
            and exchange.expected not in lines_in(before)
            and all(answer.startswith(word) for answer in answers)
        )

    return Claim(holds)


def accepts(refusal: str) -> Claim:
    r"""Return the claim that a program accepts input it should refuse with a word.

    `clearest` pairs the expected refusal with the first printed line of its turn.

    >>> ways = ['', 'YES\n', 'YES\n'], ['', 'NO\n', 'NO\n']
    >>> holds_where(accepts('NO').holds, '9\n|NO\n1\n|YES\n', *ways)
    [True, False]
    """

    def holds(exchange: Exchange) -> bool:
        return bool(refused(exchange)) and exchange.lacks(f'{refusal}\n')

    def refused(exchange: Exchange) -> Item | None:
        return next((item for item in exchange.items if item.matches(refusal)), None)

    def clearest(exchange: Exchange) -> PlayedSession:
        item, played = refused(exchange), exchange.played
        if not item or not exchange.lines or exchange.expected == f'{refusal}\n':
            return played
        return exchange.paired(item)

    return Claim(holds, clearest, has_effects=True)


def announces(beginning: str) -> Claim:
    r"""Return the claim that a program does what it announces in a line with this beginning.

    The program prints the line in place of an expected line of the same shape. `clearest` pairs
    them.

    >>> ways = ['I take 0 coins\n9\n'], ['9\n']
    >>> holds_where(announces('I take 0').holds, '|I take 2 coins\n|7\n', *ways)
    [True, False]
    """

    def holds(exchange: Exchange) -> bool:
        return bool(announced(exchange))

    def announced(exchange: Exchange) -> list[tuple[Item, int]]:
        return [
            (item, number)
            for number, line in enumerate(exchange.lines)
            for item in exchange.items
            if line.startswith(f'{beginning} ') and shape_of(line) == shape_of(str(item))
        ]

    def clearest(exchange: Exchange) -> PlayedSession:
        pairs = announced(exchange)
        return exchange.paired(*pairs[0]) if pairs else exchange.played

    return Claim(holds, clearest, has_effects=True)


def after(word: str) -> Claim:
    r"""Return the claim that a program prints something wrong after a line.

    The check only rules out a different line in place of this line.

    >>> ways = ['', 'NO\nOne\n'], ['', 'One\n']
    >>> holds_where(after('NO').holds, '1\n|NO\n', *ways)
    [True, False]
    """

    def holds(exchange: Exchange) -> bool:
        return prints_wrongly(exchange) and exchange.expected != f'{word}\n'

    return Claim(holds)


def adds(beginning: str) -> Claim:
    r"""Return the claim that a program prints an extra line with this beginning.

    >>> ways = ['', 'One\nNo.\n'], ['', 'No.\n']
    >>> holds_where(adds('No').holds, '1\n|One\n', *ways)
    [True, False]
    """

    def holds(exchange: Exchange) -> bool:
        is_instead = bool(exchange.expected) and exchange.lacks(exchange.expected)
        return exchange.printed.startswith(beginning) and not is_instead

    return Claim(holds)


def repeats(title: str) -> Claim:
    r"""Return the claim that a program prints the same line after each occurrence of a title.

    >>> ways = ['Now:\n7\nNow:\n7\n'], ['Now:\n3\nNow:\n7\n']
    >>> holds_where(repeats('Now:').holds, '|Now:\n|5\n|Now:\n|7\n', *ways)
    [True, False]
    """

    def holds(exchange: Exchange) -> bool:
        lines = lines_in(decoded(exchange.played.dialogue.output))
        return len({line for before, line in pairwise(lines) if before == f'{title}\n'}) < 2

    return Claim(holds, of_program=True)


CLAIM_ABOUT = {  # functions to make a claim about a word, by the first word of `Fault.claim`
    'after': after,
    'adds': adds,
    'never': never,
    'always': always,
    'accepts': accepts,
    'announces': announces,
    'repeats': repeats,
}
PRINTS = Claim(prints_wrongly)
INSTEAD = Claim(is_other_line)
CLAIMS = {
    PROMPTS: Claim(clearest=at_prompt),
    MISSING_LINES: Claim(is_left_out),
    WORDS: INSTEAD,
    SEPARATORS: INSTEAD,
}


def claim_of(fault: Fault) -> Claim:
    """Return what the sentence of a fault claims."""
    if fault.claim:
        kind, _, word = fault.claim.partition(' ')
        return CLAIM_ABOUT[kind](word)
    if fault.key == PROMPT:  # a different prompt instead of the expected prompt
        return INSTEAD
    if fault.kind in OF_PRINTING and fault.id not in WAY_OF:
        return PRINTS
    return CLAIMS.get(fault.id, Claim())


def keep_true(
    faults: Iterable[Fault], failed: Sequence[PlayedSession], has_model: bool = False
) -> tuple[list[Fault], list[PlayedSession]]:
    """Keep only the sessions that show each fault; return the faults, and the removed sessions.

    A removed session is returned only if no other fault keeps it. A fault is left out if no session
    shows it, unless sessions may show only its effects (see `Claim`). `failed` must contain all
    failed sessions. If the game `has_model`, the search has already confirmed which lines the
    program words differently.
    """
    faults = [*faults]
    turns = turns_of(failed) if any(fault.id == WORDS for fault in faults) else []
    kept: list[Fault] = []
    removed: list[PlayedSession] = []
    for fault in faults:
        shown = [played for played in fault.sessions if is_shown(fault, played, failed)]
        if fault.id == WORDS:
            shown = [
                played
                for played in shown
                if is_certain(
                    played.wrong_line.expected, played.wrong_line.printed, turns, has_model
                )
            ]
        if shown or claim_of(fault).has_effects:
            checked = with_sessions(fault, shown)
            kept.append(checked)
            removed += [played for played in fault.sessions if played not in checked.sessions]
        else:
            removed += fault.sessions
    names = names_of(played for fault in kept for played in fault.sessions)
    return kept, [played for played in removed if played.session.name not in names]


def is_shown(fault: Fault, played: PlayedSession, failed: Sequence[PlayedSession]) -> bool:
    """Return whether the claim of a fault's sentence holds where a session fails.

    If the claim is about the whole program, it must hold in all `failed` sessions.
    """
    claim = claim_of(fault)
    sessions = [played, *failed] if claim.of_program else [played]
    return all(claim.holds(Exchange(other, fault.examples)) for other in sessions)


def with_sessions(fault: Fault, shown: Sequence[PlayedSession]) -> Fault:
    """Return the fault with only the `shown` sessions: its claim holds in each of them.

    The fault keeps all of its sessions if some may show only its effects (see `Claim`). Its
    clearest session is a shown one, if there is one.
    """
    sessions = fault.sessions if claim_of(fault).has_effects else [*shown]
    clearest = next(
        (played for played in [fault.clearest, *shown] if played.session.name in names_of(shown)),
        fault.clearest,
    )
    if shown:
        clearest = claim_of(fault).clearest(Exchange(clearest, fault.examples))
    then = crash_later(clearest) if fault.then else ''
    return replace(fault, clearest=clearest, sessions=sessions, then=then)


def names_of(sessions: Iterable[PlayedSession]) -> set[str]:
    return {played.session.name for played in sessions}


def with_plain_key(fault: Fault) -> Fault:
    """Return the unnamed fault, with a different key if it is plain (see `plain_difference`).

    The new key separates the fault from faults with the old key that are not plain.
    """
    # Rows in the wrong order are a single fault, even if only some of them show a plain difference.
    # So are silences, even if output follows only some of them.
    is_row = shape_of(fault.clearest.wrong_line.printed) == ROW
    is_silence = fault.clearest.failure.kind == 'silent'
    is_plain = not (is_row or is_silence) and plain_difference(fault)
    return replace(fault, key=('plain', fault.key)) if is_plain else fault


def with_plain_differences(fault: Fault) -> Fault:
    """Return an unnamed fault, with the plain differences in its sessions as examples.

    That of its clearest session comes first; '' is an example if some session shows none. If the
    clearest session shows none, or if the fault has an id, return the fault unchanged.
    """
    if fault.id or not plain_difference(fault):
        return fault
    shown = [fault.clearest, *fault.sessions]
    return replace(
        fault, examples=[*dict.fromkeys(difference_in_words(Exchange(played)) for played in shown)]
    )


def plain_difference(fault: Fault) -> str:
    """Return the plain difference in a fault's clearest session, in words, or '' if there is none.

    It is late output, or a missing, extra or moved line (see `difference_in_words`). Return '' also
    for `OPEN_LINE` and `FLOOD`: their sentences say more.
    """
    return '' if fault.key in (OPEN_LINE, FLOOD) else difference_in_words(Exchange(fault.clearest))


def holds_where(
    check: Check, text: str, *ways: Sequence[str], examples: Sequence[str] = (), **facts: Any
) -> list[bool]:
    r"""Return, for each of the `ways`, whether a check holds where a program fails, for doctests.

    `text` is the transcript of a session. A way lists what the program prints in each turn. `facts`
    are other attributes of the dialogue.
    """
    exchanges = [first_wrong_exchange(text, *printed, **facts) for printed in ways]
    return [check(Exchange(exchange.played, examples)) for exchange in exchanges]
