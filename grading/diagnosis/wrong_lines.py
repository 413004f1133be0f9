"""What is wrong with a program in sessions of no known game, read off its dialogues.

Each wrong pair of lines has a name, and pairs with one name in all sessions are one finding. What
ended a program is told first where nothing was wrong before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Iterable, Iterator

from ..printable import decoded
from ..sandbox.program import status_in_words
from ..sessions.comparison import DECIMAL, is_near
from ..sessions.dialogue import Dialogue
from ..sessions.difference import Difference, Observation, differences_in_files, played_of
from ..sessions.play import at_once
from ..sessions.verdict import Pair
from . import style as rules
from .common_faults import (
    ENDLESS,
    EXIT_STATUS,
    NO_FLUSH,
    NO_PROMPTS,
    PRINTING,
    PROMPTS_DUE,
    READS_EARLY,
    READS_FIRST,
    READS_ON,
    differing,
    listed,
    reason_for,
)
from .crash import crash_at, is_end_of_input, lines_of_errors
from .example import HAPPENS, NOTHING
from .hints import NUMBER, quoted
from .pairs import LONGEST_ALIKE, likeness, wrong_pairs, wrong_pairs_in_file
from .protocol import prompts_in, shape_of

ADVICE = {known.id: known.advice for known in (
    *PRINTING, READS_ON, ENDLESS, EXIT_STATUS, NO_FLUSH, READS_FIRST, READS_EARLY)}
WORD = re.compile(r'[^\W\d_]+')
ALIKE = 0.6                             # words that are written wrongly
MOST_TOLD = 4                           # examples
CRLF, LOOPS, WRONG = 'crlf', 'loops', 'wrong'
PLAIN = {known.id: known.sentence for known in PRINTING}
# What is no consequence of a wrong line before.
CERTAIN = (rules.NO_NEWLINE, rules.TRAILING_BLANKS, rules.WORDS, rules.SEPARATORS, CRLF)


@dataclass
class Trouble:
    """One thing that is wrong in sessions: a name, what is alike in them, and the best place."""

    name: str
    key: object
    place: Difference
    told: list[str] = field(default_factory=list)       # examples, or the whole sentence
    sessions: list[Difference] = field(default_factory=list)
    first: int = 0                      # in how many sessions nothing was wrong before


def troubles_of(failed: Iterable[Observation]) -> tuple[list[Trouble], dict[str, bool]]:
    """Return what is wrong with a program, what most sessions meet first before the rest.

    Return also the sessions in which more may be wrong, and whether each ends where that is.
    """
    troubles: dict[object, Trouble] = {}
    unseen: dict[str, bool] = {}
    observed = sorted(failed, key=lambda one: (
        one.transcript.is_hidden, len(one.transcript.lines)))
    due = {line.text for one in observed for step in one.transcript.steps for line in step.printed}
    # Whether it prints nothing in any session.
    is_silent = not any(one.output.strip() or one.errors.strip() for one in observed)
    late = [one.difference for one in observed if one.difference.comes_late]
    for one in observed:
        session = Session(one, due)
        found = [*session.troubles(late, is_silent)]
        if session.ends_early or session.has_more or session.ends_wrong:
            unseen[one.transcript.name] = session.ends_early
        for number, trouble in enumerate(found):
            same = troubles.setdefault(trouble.key, trouble)
            if same is not trouble:
                same.told += [told for told in trouble.told if told not in same.told]
            if not any(place.transcript is one.transcript for place in same.sessions):
                same.sessions.append(trouble.place)
                same.first += not number
    prompts, extra = troubles.get(rules.PROMPTS), troubles.get(rules.EXTRA_LINES)
    for prompt in prompts_of(prompts) if prompts else ():
        if extra:
            extra.told = [*dict.fromkeys(told[len(prompt) * told.startswith(prompt):]
                                     for told in extra.told)]
    return sorted(troubles.values(), key=lambda trouble: -trouble.first), unseen


def prompts_of(trouble: Trouble) -> list[str]:
    """Return the prompts that a program prints where none is due."""
    return [*dict.fromkeys(one for prompt in trouble.told for one in prompts_in(prompt))]


class Session:
    """A session that a program fails, and what is wrong in it."""

    def __init__(self, observed: Observation, due: set[str]) -> None:
        difference = observed.difference
        dialogue = difference.dialogue or Dialogue()
        transcript = difference.transcript
        self._due = due                 # the lines that are due in any session
        played = at_once(transcript) if difference.whole is not None else transcript
        self._is_ours = len(dialogue.turns) > len(played.steps)     # we ended its input
        self._last = len(dialogue.turns) - 1 - self._is_ours
        self._dialogue = dialogue
        self._has_ended = dialogue.end == 'exit' and not self._is_ours
        # With all input at once nobody knows what was printed in which step.
        self._is_one_turn = difference.whole is not None or not dialogue.turns
        self._pairs = [] if difference.file else wrong_pairs(played, dialogue)
        if (difference.whole is not None and difference.kind == 'ended' and self._pairs
                and self._pairs[0].printed and transcript.accepts_status(dialogue.status or 0)):
            difference = replace(difference, kind='differs')    # it lacks the end of a line alone
        self._difference = difference
        self._missing = [pair for pair in self._pairs if not pair.printed
                         and pair.step >= self._last and not text_around(pair, dialogue)[2]]
        # Whether it ends, or is ended, before the session is over; and whether more may be wrong.
        self.ends_early = not difference.file and bool(
            self._last < len(transcript.steps) - 1 or self._missing
            or dialogue.end not in ('exit', 'asks'))
        self.has_more = False
        if self._is_one_turn:
            self.ends_early = difference.kind not in ('differs', 'status', 'runs on', 'file')
            self.has_more = len(self._pairs) > 1
        # Whether, besides a line, its end or a file is wrong.
        self.ends_wrong = (difference.kind == 'differs' and (
            self._has_ended if transcript.still_asks else
            self._is_ours or not transcript.accepts_status(dialogue.status or 0)
        )) or has_wrong_files(difference)

    def troubles(self, late: list[Difference], is_silent: bool) -> Iterator[Trouble]:
        """Yield what is wrong, in the order in which it comes."""
        difference, dialogue = self._difference, self._dialogue
        if difference.kind == 'file' and difference.file:
            yield in_file(difference, self._due)
            return
        if self._is_one_turn:
            yield from self._in_one_turn()
            return
        here = replace(difference, late=b'', errors=b'' if self._is_ours else dialogue.errors)
        end = replace(here, step=self._last, printed=dialogue.turns[self._last].printed,
                      status=dialogue.status)
        wrong = [pair for pair in self._pairs if pair not in self._missing]
        if difference.comes_late:
            known = reason_for(late)
            yield Trouble(known.id, known.id, difference, [known.sentence])
        place = replace(end, kind='ended' if self._missing else 'status',
                        printed=end.printed if self._missing else b'')
        crash = crash_at(played_of(place)) if self._has_ended else None
        if crash and not wrong:
            yield Trouble('', (crash.file, crash.line, crash.type), place)
            return
        if not wrong and difference.comes_late:
            return
        if not wrong:
            found = [*self._at_the_end(end, is_silent)]
            yield from found
            if found:
                return
        if not self._pairs:
            yield Trouble('', (difference.kind, difference.status), difference)
        for number, pair in enumerate(wrong if crash else self._pairs):
            name, key, told = named(pair, self._due, *text_around(pair, dialogue))
            if self.has_more and name not in CERTAIN:
                continue
            place = replace(here, step=pair.step, kind='differs', pair=pair, status=None,
                            printed=printed_in(dialogue, pair.step),
                            position=position_of(pair, dialogue))
            if dialogue.end == 'output' and not pair.due:
                yield Trouble('', 'flood', place, [
                    f'prints without end: {quoted(pair.printed.rstrip())}'])
                return
            if name == WRONG and not self.has_more and crash and not is_end_of_input(crash):
                told += ', and then crashes' + (
                    f', at {crash.file}, line {crash.line}' if crash.file else '')
            # What follows a wrong line may be its consequence.
            self.has_more = self.has_more or (name == WRONG and len(self._pairs) > number + 1)
            yield Trouble(name if name in PLAIN else '', key, place, [told])

    def _in_one_turn(self) -> Iterator[Trouble]:
        """Yield what is wrong at the first difference, and the faults of printing behind it."""
        difference = self._difference
        if difference.kind != 'differs' or not self._pairs:
            yield Trouble('', (difference.kind, difference.status), difference)
            return
        for number, pair in enumerate(self._pairs):
            name, key, told = named(pair, self._due, *text_around(pair, self._dialogue))
            if not number or name in CERTAIN:
                place = replace(difference, pair=pair) if number or name in CERTAIN else difference
                yield Trouble(name if name in PLAIN else '', key, place, [told])

    def _at_the_end(self, end: Difference, is_silent: bool) -> Iterator[Trouble]:
        """Yield why a program did not go on, or not end, if nothing that it printed is wrong."""
        dialogue, transcript = self._dialogue, end.transcript
        pair = self._missing[0] if self._missing else None
        text = pair.due.rstrip() if pair else ''
        if pair:
            end = replace(end, pair=pair, step=pair.step, printed=printed_in(dialogue, pair.step))
        if end.excess:
            yield Trouble('', ('excess', end.excess), replace(end, kind='ended'))
        elif (dialogue.end in ('silence', 'time') and end.kind != 'runs on'
              and not dialogue.turns[self._last].was_waiting):
            yield Trouble('', LOOPS, replace(end, kind='silent'), [
                'is too slow, or in a loop that never ends' + (
                    f': {quoted(text)} does not come' if text else '')])
        elif self._has_ended and transcript.still_asks:
            yield Trouble('', 'ends', replace(end, kind='ended'), [
                f'ends where {quoted(text)} is expected' if text else
                'ends instead of asking for more input'])
        elif pair and self._has_ended:
            end, lines = replace(end, kind='ended'), decoded(end.printed).splitlines()
            number = [line.text for line in end.expected.printed].count(text)
            if is_silent:
                happens = NOTHING
            elif text and text in map(str.rstrip, lines_of_errors(dialogue.errors)):
                happens = f'prints {quoted(text)} on standard error, not on standard output'
            elif text in lines:
                happens = f'prints {quoted(text)} {times(lines.count(text))} instead of {number}'
            elif transcript.accepts_status(end.status or 0) and dialogue.output.strip():
                yield Trouble(rules.MISSING_LINES, rules.MISSING_LINES, end, [text])
                return
            else:
                happens = f'{ends_in_words(end.status)}: {quoted(text)} does not come'
            yield Trouble('', (NOTHING if is_silent else 'ends', shape_of(pair.due)), end,
                          [happens])
        elif pair:
            yield Trouble('', ('waits', shape_of(pair.due)), replace(end, kind='differs'), [
                f'waits for input where {quoted(text)} is expected'])
        elif self._is_ours or end.kind == 'runs on':
            known = READS_ON if end.status is not None else ENDLESS
            yield Trouble(known.id, known.id, replace(end, kind='runs on', printed=b''),
                          [known.sentence])
        elif end.kind == 'status' and transcript.status == 0 and not end.errors and (
                end.status or 0) > 0:
            yield Trouble(EXIT_STATUS.id, EXIT_STATUS.id, replace(end, printed=b''),
                          [EXIT_STATUS.sentence])
        elif end.kind != 'differs':
            yield Trouble('', (end.kind, end.status), end)


def has_wrong_files(difference: Difference) -> bool:
    """Return whether a program leaves wrong files, besides the one that is told."""
    if not difference.dialogue:
        return False
    wrong = [*differences_in_files(difference.transcript, difference.dialogue)]
    return len(wrong) > (difference.kind == 'file')


def ends_in_words(status: int | None) -> str:
    """Return that a program ends too early, and how."""
    return HAPPENS['ended'] + (f', with {status_in_words(status)}' if status is not None else '')


def text_around(pair: Pair, dialogue: Dialogue) -> tuple[str, str, str]:
    """Return the end of what was printed before a turn, and in it before a wrong line and from it.
    """
    if pair.turn >= len(dialogue.turns):
        return '', '', ''
    earlier = b''.join(turn.printed for turn in dialogue.turns[:pair.turn])[-LONGEST_ALIKE:]
    printed = decoded(dialogue.turns[pair.turn].printed)
    return decoded(earlier), printed[:pair.start], printed[pair.start:]


def position_of(pair: Pair, dialogue: Dialogue) -> int | None:
    """Return where in all that was printed a wrong line begins, None where nothing was."""
    before = b''.join(turn.printed for turn in dialogue.turns[:pair.turn])
    text = decoded(dialogue.turns[pair.turn].printed)[:pair.start]
    return len(before) + len(text.encode()) if pair.printed else None


def printed_in(dialogue: Dialogue, step: int) -> bytes:
    """Return what was printed in a step."""
    return dialogue.turns[step].printed if step < len(dialogue.turns) else b''


def times(number: int) -> str:
    """Return how often something comes.

    >>> times(1), times(3)
    ('once', '3 times')
    """
    return 'once' if number == 1 else f'{number} times'


def in_file(difference: Difference, due: set[str]) -> Trouble:
    """Return what is wrong with a file that a program leaves."""
    assert difference.file
    path = difference.file.path
    if difference.complaint:
        is_missing = difference.complaint.startswith('No such file')
        return Trouble('', (path, difference.complaint), difference, [
            f'does not write the file {path}' if is_missing else
            f'leaves {path}, which cannot be read: {difference.complaint}'])
    pair = wrong_pairs_in_file(difference.transcript, difference.file, difference.printed)[0]
    name, key, told = named(pair, due, '', '', '')
    place = replace(difference, pair=pair)
    sentence = sentence_of(Trouble(name if name in PLAIN else '', key, place, [told]))
    for verb in ('prints', 'leaves out'):
        sentence = sentence.replace(f'{verb} ', f'{verb.replace("prints", "writes")} ', 1)
    return Trouble('', (path, key), place, [f'{sentence} (in the file {path})'])


def named(pair: Pair, due: set[str], earlier: str, before: str,
          behind: str) -> tuple[str, object, str]:
    """Return the name of what is wrong in a pair, what is alike in such pairs, and an example.

    `earlier`, `before` and `behind` are what was printed around it: see `text_around`.
    """
    text, own = pair.due.rstrip('\n'), pair.printed.rstrip('\n')
    item = pair.item
    is_text = item is not None and all(part.rule == 'text' for part in item.parts)
    if item and item.tolerance is not None:
        own = with_due_numbers(own, text, item.tolerance)
    if not item:
        if not pair.printed.endswith('\n'):
            return rules.PROMPTS, rules.PROMPTS, own
        if own in due:
            if own == before.rstrip('\n').rpartition('\n')[2]:
                return rules.TWICE, rules.TWICE, own
            return WRONG, (WRONG, '', shape_of(own)), (
                f'prints {quoted(own)} where no output is expected')
        return rules.EXTRA_LINES, rules.EXTRA_LINES, own
    if not pair.printed:
        line, lead = behind.partition('\n')[0], (earlier + before).rpartition('\n')[2]
        if is_text and not text and line.strip() and lead.strip():
            prompt = prompts_in(lead)[-1]
            return '', 'open line', (f'prints {quoted(line)} behind {quoted(prompt)}, on the same '
                                     'line; an empty line is missing between them')
        return rules.MISSING_LINES, rules.MISSING_LINES, text
    if pair.printed.replace('\r', '') == pair.due:
        return CRLF, CRLF, r'ends lines with \r\n; the assignment has \n alone'
    if item.ends and not pair.printed.endswith('\n') and item.is_met(own):
        return rules.NO_NEWLINE, rules.NO_NEWLINE, own
    if not item.ends and own == text and pair.printed != own:
        return '', 'newline', f'prints {quoted(own)} and a newline; none is expected there'
    if not item.ends and is_text and own not in due:
        return rules.PROMPTS, ('prompt', text, own), (
            f'prints the prompt {with_blanks(pair.printed)} instead of {with_blanks(text)}')
    if is_text and own.rstrip() == text.rstrip():
        if len(own) > len(text):
            return rules.TRAILING_BLANKS, rules.TRAILING_BLANKS, with_blanks(own)
        return rules.SEPARATORS, 'blanks', f'{with_blanks(own)} instead of {with_blanks(text)}'
    is_same = ''.join(own.split()) == ''.join(text.split())
    if is_text and is_same and NUMBER.findall(own) == NUMBER.findall(text):
        return rules.SEPARATORS, rules.SEPARATORS, (
            f'{with_blanks(own)} instead of {with_blanks(text)}')
    lead = own[:-len(text)] if is_text and text and own.endswith(text) else ''
    # Behind one colon it may be an answer; several, or another sign, were asked.
    if re.search(r'\w.*[^\w\s:] *$', lead) or len(prompts_in(lead)) > 1:
        return rules.PROMPTS, rules.PROMPTS, lead
    if any(map(str.isalpha, lead)):
        return WRONG, (WRONG, 'before', shape_of(lead)), (
            f'prints {quoted(lead)} before {quoted(text)}')
    if (is_text and own not in due and NUMBER.findall(own) == NUMBER.findall(text)
            and ({*WORD.findall(own.lower())} & {*WORD.findall(text.lower())}
                 or (own.isalpha() and text.isalpha())
                 or (WORD.search(own) and (NUMBER.search(own) or likeness(text, own) > ALIKE)))):
        changed = [f'{quoted(mine)} instead of {quoted(theirs)}'
                   for theirs, mine in differing(text, own)]
        return rules.WORDS, rules.WORDS, ', '.join(changed)
    shown = quoted(own) if own else 'an empty line'
    told = f'prints {shown} instead of {quoted(text)}' if is_text else (
        f'prints {shown}; a line that matches {quoted(text)} is expected')
    return WRONG, (WRONG, shape_of(text), shape_of(own)), told


def with_due_numbers(own: str, due: str, tolerance: float) -> str:
    """Return a line with those numbers that are near enough as they are due."""
    parts, others = DECIMAL.split(own), DECIMAL.split(due)
    if len(parts) == len(others):
        parts[1::2] = [theirs if is_near(float(theirs), float(mine), tolerance) else mine
                       for mine, theirs in zip(parts[1::2], others[1::2])]
    return ''.join(parts)


def with_blanks(text: str) -> str:
    """Return a text in quotes, with blanks at its end and tabs to be seen, and a newline in words.

    >>> with_blanks('W . '), with_blanks('Number:\\n')
    ('"W .\xb7"', '"Number:" and a newline')
    """
    bare = text.rstrip('\n')
    shown = bare.rstrip(' ') + '\N{MIDDLE DOT}' * (len(bare) - len(bare.rstrip(' ')))
    return quoted(shown) + ' and a newline' * (bare != text)


def sentence_of(trouble: Trouble) -> str:
    """Return the sentence about a trouble, '' where its example says it."""
    told = trouble.told[:MOST_TOLD]
    if trouble.name == rules.PROMPTS and trouble.key == rules.PROMPTS:
        has_due = any(line.text and not line.ends for place in trouble.sessions
                      for step in place.transcript.steps for line in step.printed)
        prompts = prompts_of(trouble)
        number = 's' if len(prompts) > 1 else ''
        shown = ', '.join(map(quoted, prompts[:MOST_TOLD]))
        return f'prints {"" if number else "a "}prompt{number}, {shown}' + (
            ' where none is expected' if has_due else '; this assignment has no prompts')
    if trouble.name == rules.SEPARATORS:
        return f'separates the parts of a line wrongly: {told[0]}'
    if trouble.name == rules.TRAILING_BLANKS:
        return f'prints blanks at the end of lines: {told[0]}'
    if trouble.name == rules.WORDS:
        return f'prints wrong words: {", ".join(told)}'
    beginning = {rules.MISSING_LINES: 'leaves out lines: ',
                 rules.EXTRA_LINES: 'prints lines that the assignment does not have: ',
                 rules.TWICE: 'prints lines twice in a row: ',
                 rules.NO_NEWLINE: 'prints lines without the newline at their end: '}
    if trouble.name in beginning:
        return beginning[trouble.name] + listed(trouble.told)
    return told[0] if told else ''


def advice_of(trouble: Trouble) -> str:
    """Return what to do about a trouble."""
    if trouble.name == rules.PROMPTS:
        return NO_PROMPTS if trouble.key == rules.PROMPTS else PROMPTS_DUE
    return ADVICE.get(trouble.name, '')
