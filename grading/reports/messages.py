"""What a failed replay says to the author of the program: what is wrong, where, what to do."""

from __future__ import annotations

import signal
from typing import Sequence

from ..diagnosis.crash import Crash, crash_at
from ..diagnosis.diagnose import Diagnosis
from ..places.where import Place
from ..printable import decoded, printable
from ..sessions.difference import HANGING, Difference, Kind, situation_of
from ..sessions.run import PIPES
from .hints import NOTHING_CAME, WIDTH, hint_for

MOST_ERRORS = 3                         # lines of standard error that are shown

HEADLINES: dict[Kind, str] = {
    'differs': 'not what the transcript says',
    'ended': 'the program has ended too early, with {status}',
    'silent': 'nothing came for {seconds:g} s',
    'trickles': 'still not all of it after {seconds:g} s',
    'runs on': 'the program is still running {seconds:g} s after its last line',
    'status': 'the program has ended with {status} instead of {due}',
    'goes on': 'the program neither asks for more input, as it must here, nor ends',
    'file': '{file}: {complaint}',
}

HAPPENS: dict[Kind, str] = {
    'differs': 'prints something else',
    'ended': 'ends too early',
    'silent': 'prints nothing where something is due',
    'trickles': 'takes too long',
    'runs on': 'does not end',
    'status': 'ends with another exit status',
    'goes on': 'does not ask for more input',
    'file': 'leaves another file',
}


def describe(difference: Difference) -> str:
    """Return the message: file and line, the two lines aligned, a caret, what is certain."""
    situation = situation_of(difference)
    lines = [headline(difference)]
    if difference.excess:
        lines.append(f'  it and all that it had started held {difference.excess}: it was ended')
    if difference.typed is not None:
        number = difference.transcript.steps[difference.step - 1].number
        lines.append(f'  typed    |{show(difference.typed, 0)}    (line {number})')
    if difference.kind not in ('runs on', 'status'):
        lines += compare(situation.expected, situation.printed)
    told = crash_shown(difference) or errors_shown(difference)
    hint = hint_for(difference, situation)
    if hint and (not told or difference.kind in HANGING):
        told.append(f'  hint: {hint}')
    return '\n'.join(lines + told)


def why_hanging(difference: Difference) -> str:
    """Return what is certain of a program that has not gone on wherever it was run."""
    if difference.prints_on:
        return 'the program has hung or printed without end whenever it was run'
    hint = hint_for(difference, situation_of(difference))
    if not hint or hint == NOTHING_CAME:
        return 'the program has hung whenever it was run'
    return f'the program has not gone on whenever it was run; {hint}'


def overview(diagnosis: Diagnosis, where: Sequence[Sequence[Place]] = ()) -> str:
    """Return the beginning of a report: each fault once, simplest first; then what comes next.

    `where` are the places to look at for each. It is empty where nothing has failed.
    """
    parts = [f'{number}. The program {fault.sentence} ({counted(len(fault.sessions))}).\n'
             f'   {fault.advice}\n\n{describe(fault.place)}'
             for number, fault in enumerate(diagnosis.faults, 1)]
    beside = 'These aside, the' if parts else 'The'
    parts += [f'{beside} program {what_happens(group.place)}, in {counted(len(group.sessions))}. '
              f'{group.advice and group.advice + " "}The shortest:\n\n{describe(group.place)}'
              for group in diagnosis.groups]
    for number, places in enumerate(where):
        parts[number] = '\n'.join([parts[number], *map(place_shown, places)])
    return '\n\n'.join(parts)


def what_happens(difference: Difference) -> str:
    """Return what a program does, in a few words: `crashes at game.py, line 3`."""
    crash = crash_at(difference)
    if crash:
        return what_crashes(crash)
    if not difference.printed.strip() and difference.step == 0 and difference.kind != 'status':
        return 'prints nothing'
    how = '' if difference.status is None else f', with {status_in_words(difference.status)}'
    return HAPPENS[difference.kind] + how * (difference.kind == 'ended')


def what_crashes(crash: Crash) -> str:
    """Return where a program crashes, and by which exception."""
    if crash.type == 'EOFError':
        return f'reads more input than there is at {crash.file}, line {crash.line}'
    return f'crashes at {crash.file}, line {crash.line} ({crash.type})'


def place_shown(place: Place) -> str:
    """Return a place in a program, and why to look there, in one line."""
    lines = f'line {place.first}'
    if place.last > place.first:
        lines = f'lines {place.first}-{place.last}'
    source = place.source.strip().partition('\n')[0]
    return f'  {place.why:11}|{printable(f"{place.file}, {lines}: {source}"[:WIDTH])}'


def counted(number: int, word: str = 'session') -> str:
    """Return a number of things in words.

    >>> counted(1), counted(2, 'program')
    ('1 session', '2 programs')
    """
    return f'{number} {word}{"s" * (number != 1)}'


def headline(difference: Difference) -> str:
    """Return where a program departs from a transcript, and how, in one line."""
    status = 'no exit status'
    if difference.status is not None:
        status = status_in_words(difference.status)
    text = HEADLINES[difference.kind].format(
        status=status, seconds=difference.seconds, due=difference.transcript.status,
        file=printable(difference.file.path) if difference.file else '',
        complaint=difference.complaint or HEADLINES['differs'])
    if difference.is_open and difference.kind == 'silent':
        text = 'nothing more came'
    number = situation_of(difference).number
    way = f' ({difference.way})' if difference.way != PIPES else ''
    return f'{difference.transcript.name}:{number}: {text}{way}'


def status_in_words(status: int) -> str:
    """Return an exit status, or the signal that it stands for, as a shell or the system has it.

    >>> status_in_words(1), status_in_words(-11), status_in_words(139), status_in_words(255)
    ('exit status 1', 'signal 11 (SIGSEGV)', 'signal 11 (SIGSEGV)', 'exit status 255')
    """
    number = status - 128 if status > 128 else -status
    name = next((one.name for one in signal.Signals if one == number), '')
    if status < 0 or name:
        return f'signal {number}{name and f" ({name})"}'
    return f'exit status {status}'


def compare(expected: str, printed: str) -> list[str]:
    """Return two lines one above the other, and a caret under their first difference."""
    column = next((i for i, (a, b) in enumerate(zip(expected, printed)) if a != b),
                  min(len(expected), len(printed)))
    start = max(0, column - WIDTH * 2 // 3)
    caret = len(printable(expected[start:column]))
    return [f'  expected |{show(expected, start)}',
            f'  printed  |{show(printed, start)}',
            f'            {" " * caret}^']


def show(line: str, start: int) -> str:
    """Return a part of a line as it is shown: no character of it invisible, its size if cut."""
    if not line:
        return '    (nothing)'
    text = line.rstrip('\n')
    blanks = len(text) - len(text.rstrip(' '))
    text = text[:len(text) - blanks] + '\N{MIDDLE DOT}' * blanks
    cut = f'... ({len(text)} characters)' if len(text) > start + WIDTH else ''
    return printable(text[start:start + WIDTH]) + cut


def crash_shown(difference: Difference) -> list[str]:
    """Return the error that ended what is shown, and the last line of the author's own in it."""
    crash = crash_at(difference)
    if not crash:
        return []
    label = 'in' if crash.type != 'EOFError' else 'reads in'
    frame = f'{crash.file}, line {crash.line}: {crash.source}'
    return [f'  crash    |{printable(crash.error[:WIDTH])}',
            f'  {label:9}|{printable(frame[:WIDTH])}']


def errors_shown(difference: Difference) -> list[str]:
    """Return the end of standard error, where a program has ended too early."""
    if difference.kind not in ('ended', 'status'):
        return []
    errors = decoded(difference.errors).rstrip().splitlines()
    return [f'  stderr   |{printable(line[:WIDTH])}' for line in errors[-MOST_ERRORS:]]
