"""What a failed replay says to the author of the program: where, what, and why perhaps."""

from __future__ import annotations

import re
from dataclasses import dataclass

from transcript import Transcript

WIDTH = 100                             # characters that are shown of a line
MOST_BYTES = 1 << 16                    # of output that nobody expected; then it is cut


@dataclass
class Difference:
    """How a program departs from a transcript."""

    step: int                           # the index of the step in which it does
    kind: str                           # a key of HEADLINES
    printed: bytes                      # all that was printed in this step
    late: bytes = b''                   # what came only after all the rest of the input
    status: int | None = None           # the exit status, if the program has ended
    errors: bytes = b''                 # what it prints on standard error

    @property
    def is_runaway(self) -> bool:
        """Whether so much was printed that it was cut."""
        return len(self.printed) >= MOST_BYTES


HEADLINES = {
    'differs': 'not what the transcript says',
    'ended': 'the program has ended too early, with {status}',
    'silent': 'nothing came for {seconds:g} s',
    'runs on': 'the program is still running {seconds:g} s after its last line',
    'status': 'the program has ended with {status} instead of 0',
}


@dataclass
class Situation:
    """The first line that differs, among the lines around it; `''` where no line is or was due."""

    expected: str
    printed: str
    number: int                         # of the line in the transcript
    expected_next: list[str]
    printed_next: list[str]
    printed_before: str                 # the line before
    is_end: bool                        # whether all has been printed that was due


def describe(transcript: Transcript, difference: Difference, way: str, seconds: float) -> str:
    """Return the message: file and line, the two lines aligned, a caret, a hint."""
    status = 'no exit status'
    if difference.status is not None:
        status = (f'exit status {difference.status}' if difference.status >= 0
                  else f'signal {-difference.status}')
    headline = HEADLINES[difference.kind].format(status=status, seconds=seconds)
    situation = find_situation(transcript, difference)
    lines = [f'{transcript.name}:{situation.number}: {headline} ({way})']
    if difference.step:
        before = transcript.steps[difference.step - 1]
        lines.append(f'  typed    |{before.input}    (line {before.number})')
    if difference.kind not in ('runs on', 'status'):
        lines += compare(situation.expected, situation.printed)
    hint = find_hint(transcript, difference, situation)
    if hint:
        lines.append(f'  hint: {hint}')
    return '\n'.join(lines)


def compare(expected: str, printed: str) -> list[str]:
    """Return two lines one above the other, and a caret under their first difference."""
    column = next((i for i, (a, b) in enumerate(zip(expected, printed)) if a != b),
                  min(len(expected), len(printed)))
    start = max(0, column - WIDTH * 2 // 3)
    caret = len(visible(expected[start:column]))
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
    return visible(text[start:start + WIDTH]) + cut


def visible(text: str) -> str:
    """Return a text with its control characters spelled out."""
    return ''.join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def find_situation(transcript: Transcript, difference: Difference) -> Situation:
    """Return the first line of a step that differs, with what stands around it."""
    step = transcript.steps[difference.step]
    printed = decode(difference.printed)
    earlier = ''.join(s.output for s in transcript.steps[:difference.step])
    start = 0
    number = step.number or len(transcript.lines)
    expected = ''
    if difference.kind not in ('runs on', 'status'):
        for line in step.printed:
            if not printed.startswith(str(line), start):
                number, expected = line.number, str(line)
                break
            start += len(str(line))
    rest = printed[start:].splitlines(keepends=True) or ['']
    before = (earlier + printed[:start]).splitlines() or ['']
    following = [str(line) for line in step.printed if line.number > number]
    is_end = difference.step == len(transcript.steps) - 1 and not expected
    return Situation(expected, rest[0], number, following, rest[1:], before[-1], is_end)


def find_hint(transcript: Transcript, difference: Difference, situation: Situation) -> str:
    """Return the likely cause, as far as it can be guessed."""
    if difference.is_runaway:
        due = len(transcript.steps[difference.step].output)
        return f'runaway output: {len(difference.printed)} bytes and more, where {due} are due'
    output = decode(difference.printed + difference.late + difference.errors)
    if 'Traceback (most recent call last)' in output:
        last = output.rstrip().rpartition('\n')[2]
        return f'the program crashed: {last[:WIDTH]}'
    if difference.kind == 'status':
        return 'a game that is over ends with exit status 0'
    if situation.expected == situation.printed + '\n':
        return 'the newline is missing at the end of the line'
    if difference.kind == 'silent':
        return hint_for_silence(transcript, difference, situation)
    if difference.kind == 'runs on':
        last = transcript.output.rstrip('\n').rpartition('\n')[2]
        reads_on = ': it reads on, and ended once its input was closed'
        return f'still running after {last}' + (reads_on if difference.status is not None else '')
    if difference.kind == 'differs':
        errors = decode(difference.errors).splitlines()
        if situation.printed.rstrip() and situation.printed.rstrip() in map(str.rstrip, errors):
            return 'this was printed on standard error, which must stay empty'
        for hint_for in (hint_for_othello, hint_for_nim, hint_for_line, hint_for_place):
            hint = hint_for(situation)
            if hint:
                return hint
    return ''


def hint_for_silence(transcript: Transcript, difference: Difference, situation: Situation) -> str:
    """Guess why nothing came."""
    due = transcript.steps[difference.step].output
    printed = decode(difference.printed)
    if decode(difference.printed + difference.late).startswith(due):
        return ('needs the next line before it prints: output is not flushed '
                '(in Python: print(..., flush=True))')
    if not printed and not difference.late:
        return 'hangs: nothing came even after all the rest of the input, and its end'
    return 'something is missing, or the program waits for input that is not due'


def hint_for_line(situation: Situation) -> str:
    """Guess from two lines that say the same how they can differ."""
    expected, printed = situation.expected, situation.printed
    bare, due = printed.rstrip('\n'), expected.rstrip('\n')
    if not expected:
        return ''
    if printed.replace('\r', '') == expected:
        return r'prints \r\n at the end of lines; the protocol has \n alone'
    if bare.rstrip() == due:
        return f'trailing blanks: {len(bare) - len(due)} after the end of the line'
    if bare.split() == due.split():
        if re.fullmatch(r'B: \d+ W: \d+', bare):
            return 'prints one space between the counts, the protocol has two'
        return 'the blanks differ'
    if ''.join(bare.split()) == ''.join(due.split()):
        return 'the blanks differ'
    if bare.lower() == due.lower():
        return 'capital and small letters differ'
    if not bare:
        return 'prints an empty line too many'
    if not due:
        return 'an empty line is missing'
    if bare.endswith(due):
        prompt = bare[:len(bare) - len(due)]
        return f'prints a prompt, {visible(prompt[:WIDTH])!r}, where none is allowed'
    return ''


def hint_for_othello(situation: Situation) -> str:
    """Guess from what the words of the Othello protocol mean."""
    due, bare = situation.expected.rstrip('\n'), situation.printed.rstrip('\n')
    if situation.printed_before == 'INVALID' and re.match(r'B: \d+ +W: \d+', bare):
        return 'reprints the board after INVALID; the protocol goes on with the next move'
    if (due, bare) == ('INVALID', 'VALID'):
        return 'plays a move that is not legal'
    if (due, bare) == ('VALID', 'INVALID'):
        return 'refuses a move that is legal'
    if bare.startswith('TURN: ') and due.startswith('TURN: '):
        return 'the wrong player has the turn; a player who cannot move is passed over'
    if bare.startswith('TURN: ') and due.startswith('WINNER: '):
        return 'the game goes on although neither player can move'
    if bare.startswith('WINNER: ') and due.startswith('TURN: '):
        return 'the game ends although a player can move'
    if bare.startswith('WINNER: ') and due.startswith('WINNER: '):
        return 'the wrong winner; > is won by most discs, < by fewest, NONE is a tie'
    if re.fullmatch(r'B: \d+  W: \d+', bare) and re.fullmatch(r'B: \d+  W: \d+', due):
        return 'the wrong counts: were all runs turned over, in all eight directions?'
    return ''


def hint_for_nim(situation: Situation) -> str:
    """Guess from what the words of the Nim protocols mean."""
    due, bare = situation.expected.rstrip('\n'), situation.printed.rstrip('\n')
    if due == 'Invalid Game.':
        return 'the recorded game is invalid: nothing else may be printed, not even its start'
    if bare == 'Invalid Game.':
        return 'refuses a recorded game that is valid'
    if bare.startswith('I remove ') and due.startswith('I remove '):
        return 'not the optimal move of the lowest-numbered pile that has one'
    return ''


def hint_for_place(situation: Situation) -> str:
    """Guess whether lines are missing or too many."""
    if not situation.expected:
        if situation.is_end:
            return 'output after the end: nothing may follow the last line'
        if not situation.printed.strip():
            return 'prints an empty line too many'
        if not situation.printed.endswith('\n') and not situation.printed_next:
            return f'prints a prompt, {visible(situation.printed[:WIDTH])!r}, where none is allowed'
        return 'a line too many: here the next input is due'
    if situation.printed in situation.expected_next:
        missing = 1 + situation.expected_next.index(situation.printed)
        return f'{missing} line{"s" * (missing > 1)} missing here'
    if situation.expected in situation.printed_next:
        extra = 1 + situation.printed_next.index(situation.expected)
        return f'{extra} line{"s" * (extra > 1)} too many here'
    return ''


def decode(text: bytes) -> str:
    """Return printed bytes as text; what is no UTF-8 is spelled out."""
    return text.decode(errors='backslashreplace')
