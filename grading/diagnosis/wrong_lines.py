"""What is wrong with a program in sessions of no known game, read off its dialogues.

Each wrong pair of lines has a name, and pairs with one name in all sessions are one finding. What
ended a program is told first where nothing was wrong before.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ..differences import difference_of
from ..games.known_faults import KnownFault
from ..printable import decoded, quoted, quoted_line
from ..results import HAPPENS, Crash, Kind
from ..sandbox.program import status_in_words
from ..sessions.items import items_of
from ..sessions.line_rules import DECIMAL, is_near
from ..sessions.transcript import lines_in
from ..sessions.verdict import Dialogue, Pair, Played, Wrong, wrong_files
from . import style as rules
from .common_faults import MANNERS, PRINTING
from .crash import crash_at, crash_later, is_end_of_input, lines_of_errors
from .finding import Fault, grouped
from .manners import end_of, reason_for
from .pairs import LONGEST_ALIKE, aligned, wrong_pairs
from .printing import Spot, proved_reading
from .printing_sentences import MOST_EXAMPLES, advice_on, examples_of, sentence_about
from .protocol import Protocol, prompts_in, shape_of
from .style import Style
from .wording import NOTHING, instead_of, line_in_words, with_visible_spaces

KNOWN = {known.id: known for known in (*PRINTING, *MANNERS)}
Named = tuple[str, object, list[str]]  # the name, what is alike in such pairs, examples
LONG = 10_000  # characters: no line that is meant
PROMPT, CRLF, INDENT, WRONG = 'prompt', 'crlf', 'indent', 'wrong'
# What is no consequence of a wrong line before.
CERTAIN = (rules.NO_NEWLINE, rules.TRAILING_BLANKS, rules.WORDS, rules.SEPARATORS, CRLF, INDENT)


def wrong_lines(failed: Sequence[Played], until: float) -> tuple[list[Fault], dict[str, bool]]:
    """Return what is wrong with a program that plays no known game.

    Return also the sessions in which more may be wrong, and whether each ends where that is. After
    a time of `time.process_time` no other session is looked at.
    """
    found: list[Fault] = []
    unseen: dict[str, bool] = {}
    style = Style(Protocol.of([one.session for one in failed]))
    is_silent = not any(
        one.dialogue.output.strip() or one.dialogue.errors.strip() for one in failed
    )
    late = reason_for([one for one in failed if one.failure.comes_late])
    for played in sorted(failed, key=lambda one: len(one.session.lines)):
        if found and time.process_time() >= until:
            break
        session = Aligned(played)
        found += faults_in(session, style, late, is_silent)
        if session.ends_early or session.has_more or session.ends_wrong:
            unseen[played.session.name] = session.ends_early
    return in_words(grouped(found)), unseen


def in_words(found: Sequence[Fault]) -> list[Fault]:
    """Return faults with their sentences and advice."""
    due = {
        line.text
        for fault in found
        for one in fault.sessions
        for step in one.session.steps
        for line in step.printed
        if line.text and not line.ends
    }
    own = [prompt for fault in found if fault.key == rules.PROMPTS for prompt in fault.told]
    lead = re.compile('|'.join([*map(re.escape, own), '']))
    for fault in found:
        known = KNOWN.get(fault.id)
        if fault.key == rules.EXTRA_LINES:  # a prompt before such a line is no part of it
            fault.told = [lead.sub('', told, count=1) for told in fault.told]
        fault.sentence = in_one_sentence(fault, due) + fault.ending
        fault.advice = advice_on(known, fault.told, due) if known else ''
        fault.plain = HAPPENS[fault.place.failure.kind] if fault.told else ''
        if known and known.is_printing:
            fault.plain, fault.kind = known.sentence, known.kind
    return [*found]


def in_one_sentence(fault: Fault, prompts: Collection[str]) -> str:
    """Return the sentence about a fault, '' where its example says it.

    `prompts` are those of the assignment.
    """
    known = KNOWN.get(fault.id)
    if fault.key == PROMPT:
        return f'prints {"wrong prompts:" if fault.told[1:] else "the prompt"} ' + ', '.join(
            fault.told[:MOST_EXAMPLES]
        )
    if known and known.is_printing:
        return sentence_about(known, fault.told, prompts)
    return ''.join(fault.told[:1])


class Aligned:
    """A session that a program fails, lined up with what is due in it."""

    def __init__(self, played: Played) -> None:
        session, dialogue = played.session, played.dialogue
        self.played = played
        self.is_ours = len(dialogue.turns) > len(session.steps)  # we ended its input
        self.last = len(dialogue.turns) - 1 - self.is_ours  # turn
        self.has_ended = dialogue.end == 'exit' and not self.is_ours
        is_file = played.failure.kind == 'file'
        self.pairs = [] if is_file else wrong_pairs(session, dialogue)
        # What never came, since the program ended, or asked for more.
        self.missing = [
            pair
            for pair in self.pairs
            if not pair.printed
            and pair.step >= self.last
            and '\n' not in text_around(pair, dialogue)[2]
        ]
        self.wrong = [pair for pair in self.pairs if pair not in self.missing]
        # Whether it ends, or is ended, before the session is over; and whether more may be wrong.
        self.ends_early = not is_file and bool(
            self.last < len(session.steps) - 1
            or self.missing
            or dialogue.end not in ('exit', 'asks')
        )
        self.has_more = False

    @property
    def ends_at_a_line(self) -> bool:
        """Whether it ends before the session is over, with one wrong line in its last turn."""
        return (
            self.has_ended
            and self.last < len(self.played.session.steps) - 1
            and self.last == min(pair.turn for pair in self.wrong)
            and bool(self.wrong[0].due)
            and len([pair for pair in self.wrong if pair.printed]) == 1
        )

    @property
    def ends_wrong(self) -> bool:
        """Whether, besides a line, its end or a file is wrong."""
        session, dialogue = self.played.session, self.played.dialogue
        is_right = (
            not self.has_ended
            if session.end.still_asks
            else (not self.is_ours and session.end.accepts(dialogue.status or 0))
        )
        is_told = self.played.failure.kind == 'file'
        return (bool(self.wrong) and not is_right) or (
            len([*wrong_files(session, dialogue)]) > is_told
        )

    def at(self, kind: Kind, pair: Pair | None = None) -> Played:
        """Return the session with something else as what is wrong: lines, or how it ends."""
        first, turn = self.played.wrong, pair.turn if pair else self.last
        lines, start = (first.lines, first.start) if first and first.turn == turn else (0, 0)
        return replace(self.played, wrong=Wrong(kind, turn, lines, start, pair=pair))


def faults_in(session: Aligned, style: Style, late: KnownFault, is_silent: bool) -> Iterator[Fault]:
    """Yield what is wrong in a session, in the order in which it comes.

    `late` is why output came late, and the program `is_silent` if it has printed nothing anywhere.
    """
    played, wrong = session.played, session.played.failure
    if wrong.kind == 'file':
        yield in_file(played, style)
        return
    if wrong.comes_late:
        yield Fault(played, id=late.id, told=[late.sentence])
    end = session.at('ended', session.missing[0]) if session.missing else session.at('status')
    crash = crash_at(end) if session.has_ended else None
    if session.played.dialogue.end == 'output':
        yield flood_in(session)
    elif session.wrong and not crash and session.ends_at_a_line:
        pair = session.wrong[0]
        own = next(one.printed for one in session.wrong if one.printed).rstrip('\n')
        yield Fault(
            session.at('differs', pair),
            key=('ends', shape_of(own)),
            told=[f'prints {quoted(own)} and ends where {quoted(pair.due.rstrip())} is expected'],
        )
    elif session.wrong or crash:
        yield from wrong_lines_in(session, style, end, crash)
    elif not wrong.comes_late:
        yield at_the_end(session, is_silent)


def wrong_lines_in(
    session: Aligned, style: Style, end: Played, crash: Crash | None
) -> Iterator[Fault]:
    """Yield the wrong lines of a session, and the crash that ends it, if that is another fault."""
    dialogue, was_wrong = session.played.dialogue, False
    # What never came is no fault of its own where the program crashed, or asked for more.
    for number, pair in enumerate(session.wrong if crash or session.is_ours else session.pairs):
        name, key, told = named(pair, style, *text_around(pair, dialogue))
        if session.has_more and name not in CERTAIN:
            continue
        place = session.at('differs', with_next_line(pair, text_around(pair, dialogue)[2]))
        # What follows a wrong line may be its consequence.
        was_wrong |= name == WRONG
        session.has_more |= name == WRONG and len(session.pairs) > number + 1
        yield Fault(
            place,
            id=name if name in KNOWN else '',
            key=key,
            told=told,
            then=crash_later(place) if name == WRONG else '',
        )
    # A crash may be the consequence of a wrong line, and of a question too many.
    if crash and not was_wrong and not (session.wrong and is_end_of_input(crash)):
        yield Fault(end, key=(crash.file, crash.line, crash.type))


def at_the_end(session: Aligned, is_silent: bool) -> Fault:
    """Return why a program did not go on, or not end; nothing that it printed is wrong."""
    played, dialogue, transcript = session.played, session.played.dialogue, session.played.session
    kind, pair = played.failure.kind, next(iter(session.missing), None)
    text = quoted(pair.due.rstrip()) if pair else ''
    if dialogue.excess:
        return Fault(session.at('ended', pair), key=('excess', dialogue.excess))
    if (
        dialogue.end in ('silence', 'time', 'cut')
        and kind != 'not ended'
        and not dialogue.turns[session.last].was_waiting
    ):
        return Fault(
            session.at('silent', pair),
            key='loops',
            told=[
                'is too slow, or in a loop that never ends' + (text and f': {text} does not come')
            ],
        )
    if session.has_ended and transcript.end.still_asks:
        return Fault(
            session.at('ended', pair),
            key='ends',
            told=[
                f'ends where {text} is expected'
                if text
                else 'ends instead of asking for more input'
            ],
        )
    if pair:
        return without_a_line(session, pair, is_silent)
    known = end_of(played, session.is_ours)
    if not known:
        return Fault(played, key=(kind, dialogue.status))
    return Fault(
        session.at(kind if kind == 'status' else 'not ended'), id=known.id, told=[known.sentence]
    )


def without_a_line(session: Aligned, pair: Pair, is_silent: bool) -> Fault:
    """Return what is wrong where a program ends, or waits for input, and a line is due."""
    dialogue, steps = session.played.dialogue, session.played.session.steps
    end, text, status = session.at('ended', pair), pair.due.rstrip(), dialogue.status
    if not session.has_ended:
        return Fault(
            session.at('differs', pair),
            key=('waits', shape_of(pair.due)),
            told=[f'waits for input where {quoted(text)} is expected'],
        )
    if is_silent:
        return Fault(end, key=(NOTHING, shape_of(pair.due)), told=[NOTHING])
    times = decoded(dialogue.turns[session.last].printed).splitlines().count(text)
    number = [line.text for line in steps[pair.step].printed].count(text)
    happens = HAPPENS['ended'] + ('' if status is None else f', with {status_in_words(status)}')
    told = happens if times else f'{happens}: {quoted(text)} does not come'
    if text and text in map(str.rstrip, lines_of_errors(dialogue.errors)):
        told = f'prints {quoted(text)} on standard error, not on standard output'
    elif 0 < times < number:
        shown = 'once' if times == 1 else f'{times} times'
        told = f'prints {quoted(text)} {shown} instead of {number}'
    elif (
        not times
        and session.last == len(steps) - 1
        and dialogue.output.strip()
        and session.played.session.end.accepts(status or 0)
    ):
        return Fault(end, id=rules.MISSING_LINES, told=[text])
    return Fault(end, key=('ends', shape_of(pair.due)), told=[told])


def flood_in(session: Aligned) -> Fault:
    """Return the fault of printing without end: many lines, or one."""
    text = decoded(session.played.dialogue.turns[session.last].printed)
    *lines, last = text.split('\n')
    longest = max([*lines, last], key=len)
    pair = Pair(session.last, '', longest, session.last, text.index(longest))
    if len(longest) > LONG:
        return Fault(
            session.at('differs', pair),
            key='flood',
            told=[f'prints a line of {len(longest):,} characters or more: {quoted(longest)}'],
        )
    return Fault(
        session.at('differs', next(iter(session.wrong), pair)),
        key='flood',
        told=[f'prints without end: {quoted((lines or [last])[-1].rstrip())}'],
    )


def with_next_line(pair: Pair, behind: str) -> Pair:
    """Return a pair with the line that follows one that lacks only its newline."""
    line = behind.partition('\n')[0]
    if pair.printed or not pair.due.rstrip('\n') or not line.startswith(pair.due.rstrip('\n')):
        return pair
    return pair._replace(printed=line + '\n')


def text_around(pair: Pair, dialogue: Dialogue) -> tuple[str, str, str]:
    """Return what was printed around a wrong line: in turns before, before it, and from it on."""
    earlier = b''.join(turn.printed for turn in dialogue.turns[: pair.turn])[-LONGEST_ALIKE:]
    printed = decoded(dialogue.turns[pair.turn].printed)
    return decoded(earlier), printed[: pair.start], printed[pair.start :]


def in_file(played: Played, style: Style) -> Fault:
    """Return what is wrong with a file that a program leaves."""
    file = played.failure.file
    assert file
    path = file.path
    left = played.dialogue.files[path]
    if left.complaint:
        is_missing = left.complaint.startswith('No such file')
        return Fault(
            played,
            key=(path, left.complaint),
            told=[
                f'does not write the file {path}'
                if is_missing
                else f'leaves {path}, which cannot be read: {left.complaint}'
            ],
        )
    content = decoded(left.content)
    last = len(played.session.steps) - 1
    items = [(last, item) for item in items_of([file.content], played.session)]
    pair = next(aligned(played.session, items, lines_in(content), last))
    name, key, told = named(pair, style, '', content[: pair.start], content[pair.start :])
    shown = with_next_line(pair, content[pair.start :])
    place = replace(played, wrong=replace(played.failure, pair=shown))
    sentence = in_one_sentence(Fault(place, id=name, key=key, told=told), ())
    told = [f'{sentence.replace("prints ", "writes ", 1)} (in the file {path})']
    return Fault(place, key=(path, key), told=told)


def named(pair: Pair, style: Style, earlier: str, before: str, behind: str) -> Named:
    """Return the name of what is wrong in a pair, what is alike in such pairs, and examples.

    `earlier`, `before` and `behind` are what was printed around it: see `text_around`.
    """
    spot = spot_of(pair, before, behind)
    open_line = (earlier + before).rpartition('\n')[2]
    name = named_by_end(pair, spot, open_line)
    if name:
        return name
    kind = difference_of(spot.expected, spot.printed).kind
    is_printing = is_text(pair) or kind in ('missing line', 'missing newline')
    reading = proved_reading(spot, style) if is_printing else None
    if reading:
        told = [
            text
            for example in reading.learned.values()
            for text in examples_of(reading.fault, example)
        ]
        # What has another reason has another key.
        key = reading.fault
        if key == rules.SEPARATORS and kind == 'missing spaces':
            key = 'missing spaces'
        elif key == rules.PROMPTS and any(one.expected for one in reading.learned.values()):
            key = PROMPT
        return reading.fault, key, told
    return WRONG, *wrong_line(pair, spot)


def is_text(pair: Pair) -> bool:
    """Return whether a pair has no line that is expected, or one that is compared as text."""
    return not pair.item or all(part.is_text for part in pair.item.parts)


def spot_of(pair: Pair, before: str, behind: str) -> Spot:
    """Return what differs in a pair of lines, without what the rules of the session ignore."""
    last, item = before.rstrip('\n').rpartition('\n')[2], pair.item
    if not item or not pair.printed:
        return Spot(pair.due, pair.printed, last, behind if is_text(pair) else '')
    own = pair.printed.removesuffix('\n')
    if item.ends and own == pair.printed and item.is_met(own):
        return Spot(f'{own}\n', own, last)
    due = pair.due if pair.due.endswith('\n') or not item.ends else f'{pair.due}\n'
    if item.rules.tolerance is not None:
        own = with_due_numbers(own, due.removesuffix('\n'), item.rules.tolerance)
    return Spot(due, f'{own}\n' if pair.printed.endswith('\n') else own, last)


def named_by_end(pair: Pair, spot: Spot, open_line: str) -> Named | None:
    """Return what is wrong at the beginning or the end of a line, but for faults of printing.

    `open_line` is what was printed before it on the same line.
    """
    difference, own = difference_of(spot.expected, spot.printed), spot.printed.removesuffix('\n')
    following = spot.following.partition('\n')[0]
    if spot.expected == '\n' and not own and following.strip() and open_line.strip():
        sentence = (
            f'prints {quoted(following)} behind {quoted(prompts_in(open_line)[-1])}, on the same '
            'line; an empty line is missing between them'
        )
        return '', 'open line', [sentence]
    if difference.kind == 'carriage return':
        return CRLF, CRLF, [r'ends lines with \r\n; the assignment has \n alone']
    # Any words would do, but these ask for input.
    if difference.kind == 'missing newline' and not is_text(pair) and own.endswith(' '):
        sentence = f'prints the prompt {with_visible_spaces(own)} where a line is expected'
        return WRONG, (WRONG, 'prompt'), [sentence]
    if difference.kind == 'extra newline':
        return '', 'newline', [f'prints {quoted(own)} and a newline; none is expected there']
    if difference.kind == 'indentation' and is_text(pair) and spot.expected.endswith('\n'):
        both = instead_of(spot.expected.removesuffix('\n'), own)
        return INDENT, INDENT, [f'begins lines with the wrong number of blanks: {both}']
    return None


def wrong_line(pair: Pair, spot: Spot) -> tuple[object, list[str]]:
    """Return what is alike in lines that are wrong without a name, and the sentence about one."""
    text, own = spot.expected.removesuffix('\n'), spot.printed.removesuffix('\n')
    if not pair.item:
        return (WRONG, '', shape_of(own)), [line_in_words(None, own)]
    if not is_text(pair):
        sentence = f'prints {quoted_line(own)}; a line that matches {quoted(text)} is expected'
        return (WRONG, shape_of(text), shape_of(own)), [sentence]
    prefix = difference_of(spot.expected, spot.printed).prefix
    has_words = any(map(str.isalpha, prefix))
    key = (
        (WRONG, 'before', shape_of(prefix)) if has_words else (WRONG, shape_of(text), shape_of(own))
    )
    return key, [line_in_words(text, own)]


def with_due_numbers(own: str, due: str, tolerance: float) -> str:
    """Return a line with those numbers that are near enough as they are due."""
    parts, others = DECIMAL.split(own), DECIMAL.split(due)
    if len(parts) == len(others):
        parts[1::2] = [
            theirs if is_near(float(theirs), float(mine), tolerance) else mine
            for mine, theirs in zip(parts[1::2], others[1::2], strict=False)
        ]
    return ''.join(parts)
