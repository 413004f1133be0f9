"""The report of a submission as text, and the sentences that all reports have, each worded once.

A terminal of 24 lines shows the end of a report. So the sessions come first, then the findings,
with the one to fix first at the end, and the score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..diagnosis.example import CUT, HAPPENS, first_difference
from ..printable import counted, list_names, shorten
from ..results import Example, Finding, Place, Results
from ..sandbox.program import status_in_words
from .results import HIDDEN, NOT_WHOLE, for_students

TERMINAL_COLUMNS = 80
WIDTH = 100  # characters that are shown of a line
ROOM = 68  # of two lines that differ: all fit into a terminal
MOST_NOTED = 300  # characters of a note on a submission
MOST_NAMED = 6  # sessions of a finding
FEWEST_ALIKE = 2  # submissions that fail alike
PROSE = ('hint', 'killed', 'input')  # labels of rows that are sentences
QUOTED = ('typed', 'expected', 'printed', '')  # of rows that are shown as they are, in columns

HEADLINES = {  # by the kind of a difference
    'differs': 'not the expected output',
    'ended': 'the program ended too early, with {status}',
    'silent': 'the program printed nothing for {seconds:g} s',
    'trickles': 'the program had not printed everything after {seconds:g} s',
    'not ended': 'the program was still running {seconds:g} s after its last line',
    'status': 'the program ended with {status} instead of {due}',
    'not asking': 'the program must ask for more input here; it neither asks nor ends',
    'file': '{file}: {complaint}',
}
UNCONFINED = 'ran without a sandbox'
REASONS = {
    'ran': 'ran where the output is wrong, and seldom elsewhere',
    'raised by': 'raised an exception that the program caught',
}


class Row(NamedTuple):
    """One fact of an example: a label and its text."""

    label: str
    text: str

    def __str__(self) -> str:
        if self.label in PROSE:
            return f'  {self.label}: {self.text}'
        return f'  {self.label:9}|{self.text}' if self.label else f'{" " * 12}{self.text}'


class ReportEntry(NamedTuple):
    """What every report says about a finding."""

    finding: Finding
    title: str  # its number, and what the program does
    gain: str  # the points that come back when it is fixed, '' for none


def entries(results: Results) -> list[ReportEntry]:
    """Return what reports say about each finding; the one to fix first is the first."""
    found: list[ReportEntry] = []
    for number, finding in enumerate(results.findings, 1):
        is_beside = not finding.id and any(entry.finding.id for entry in found)
        found.append(
            ReportEntry(
                finding,
                f'{number}. {"Also, the" if is_beside else "The"} {finding.subject} '
                f'{finding.sentence}.',
                gain(finding, results),
            )
        )
    return found


def gain(finding: Finding, results: Results) -> str:
    """Return how many points come back when one finding alone is fixed, `''` if it cost none."""
    if not any(test.max_score for test in results.tests if test.name in finding.sessions):
        return ''
    lost = sum(test.max_score - test.score for test in results.tests)
    least = 'at least ' if finding.unseen or results.reasons_not_run else ''
    others = {name for other in results.findings if other != finding for name in other.sessions}
    return next(
        told
        for is_so, told in [
            (finding.is_end, 'Every session ends here; what comes after it cannot be seen yet.'),
            (
                finding.points,
                f'Fixing this alone gives {least}{finding.points:g} of {lost:g} lost points back.',
            ),
            (
                others.issuperset(finding.sessions),
                'Fixing this alone gives no points back: the same sessions show other faults, too.',
            ),
            (True, 'How many points fixing this alone gives back cannot be seen yet.'),
        ]
        if is_so
    )


def describe(example: Example) -> str:
    """Return the message about an example: place, expected and printed line, crash, hint."""
    return '\n'.join([' '.join(headline(example)), *map(str, rows(example))])


def headline(example: Example) -> tuple[str, str]:
    """Return the place of an example in its session, and what is wrong there."""
    if example.is_hidden:
        return f'{example.session}:', f'the program {HAPPENS[example.kind]}. {HIDDEN}'
    status = 'no exit status' if example.status is None else status_in_words(example.status)
    text = HEADLINES[example.kind].format(
        status=status,
        due=example.due_status,
        seconds=example.seconds,
        file=example.file,
        complaint=example.complaint or HEADLINES['differs'],
    )
    if example.kind == 'silent' and not example.seconds:
        text = 'the program printed nothing more'
    elif example.kind == 'ended' and example.expected == example.printed + '\n':
        text = HEADLINES['differs']
    elif example.kind == 'silent' and example.printed_text:
        text = text.replace('printed nothing', 'printed nothing more')
    how = ', '.join(filter(None, [example.way, example.rule]))
    return f'{example.answers or example.session}:{example.line}:', f'{text}{how and f" ({how})"}'


def rows(example: Example) -> Iterator[Row]:
    """Yield the facts of an example below its headline."""
    if example.is_hidden:
        return
    if example.excess:
        yield Row('killed', f'the program and its children used {example.excess}')
    if example.typed is not None:
        yield Row('typed', f'{show_line(example.typed)}    (line {example.typed_line})')
    elif example.answers:  # nobody knows what was printed after which line
        yield Row('input', f'all of {example.session}')
    if example.kind not in ('not ended', 'status'):
        yield from compare(example.expected, example.printed)
    yield from reasons(example)


def reasons(example: Example) -> Iterator[Row]:
    """Yield the crash, the standard error and the hint of an example."""
    if example.crash:
        crash = example.crash
        yield Row('crash', crash.error)
        if crash.file:
            yield Row(
                'in' if crash.type != 'EOFError' else 'reads in',
                ': '.join(filter(None, [f'{crash.file}, line {crash.line}', crash.source]))[:WIDTH],
            )
    for line in example.errors:
        yield Row('stderr', line[:WIDTH])
    if example.hint:
        yield Row('hint', example.hint)


def where_to_look(places: Sequence[Place]) -> str:
    """Return why to look at some places of a file, and where they are."""
    why, file = places[0].why, places[0].file
    return f'{REASONS.get(why, why).capitalize()}: {file}, {lines_in_words(places)}'


def lines_in_words(places: Sequence[Place]) -> str:
    """Return the numbers of some lines in words: `lines 3, 7 to 9`."""
    spans = sorted((place.first, place.last) for place in places)
    words = [f'{first}' if first == last else f'{first} to {last}' for first, last in spans]
    return f'line{"s" * (len(spans) > 1 or " " in words[0])} {", ".join(words)}'


def list_sessions(names: Sequence[str]) -> str:
    """Return the names of sessions in words; of many sessions only the first ones."""
    return list_names([*map(short, names)], MOST_NAMED)


def short(name: str) -> str:
    """Return the name of a session without the folder of the project's sessions.

    >>> short('transcripts/sums/worked_example.txt'), short('more/words.txt')
    ('worked_example', 'more/words')
    """
    name = name[:-4] if name.endswith('.txt') else name
    return name.rpartition('/')[2] if name.startswith('transcripts/') else name


def compare(expected: str, printed: str) -> list[Row]:
    """Return the rows of two lines, and a caret under their first difference."""
    column = first_difference(expected, printed)
    is_long = max(len(expected.rstrip('\n')), len(printed.rstrip('\n'))) > ROOM
    start = max(0, column - ROOM * 2 // 3) if is_long else 0
    return [
        Row('expected', show_line(expected, start, ROOM)),
        Row('printed', show_line(printed, start, ROOM)),
        Row('', f'{" " * (column - start + len(CUT) * bool(start))}^'),
    ]


def show_line(line: str, start: int = 0, most: int = WIDTH) -> str:
    """Return a line from an index on, cut to a length, with visible blanks at its end.

    >>> show_line('one two three', 4, 9), show_line('one two  '), show_line('one two three', 0, 9)
    ('...two...', 'one two\xb7\xb7', 'one tw...')
    """
    if not line.strip('\n'):
        return '    (an empty line)' if line else '    (nothing)'
    text = line.rstrip('\n')
    text = text.rstrip(' ').ljust(len(text), '\N{MIDDLE DOT}')
    return shorten(CUT * bool(start) + text[start:], most)


def end_note(results: Results) -> str:
    """Return why a grading is not complete, `''` if it is."""
    return '\n\n'.join([*ended_by(results), *[NOT_WHOLE] * (not results.complete)])


def ended_by(results: Results) -> list[str]:
    """Return what ended a grading before it was complete, if anything did."""
    return [f'ended by {results.ended}'] if results.ended else []


def note_on(results: Results) -> str:
    """Return a line with what a teacher should know besides a submission's grade."""
    findings, happens = results.findings, []
    if findings and not (results.score and results.faults):  # nothing else says what is wrong
        crash = findings[0].example.crash
        happens = (
            [f'{crash.error}, at {crash.file}, line {crash.line}']
            if crash and not results.score
            else [*dict.fromkeys(finding.sentence for finding in findings)]
        )
    return shorten(' '.join('; '.join([*happens, *notes_on(results)]).split()), MOST_NOTED)


def notes_on(results: Results) -> list[str]:
    """Return the notes on a submission."""
    notes = [results.output] if results.score is None else []
    if results.confinement == 'none' and not all(test.is_not_run for test in results.tests):
        notes.append(UNCONFINED)
    return [*notes, *(ended_by(results) or results.reasons_not_run), *results.notes]


def fail_alike(all_results: Iterable[Results]) -> str:
    """Return what a teacher should know first: no submission of a class passes, and all fail alike.

    Return '' if that is not so, or the reason is a known fault.
    """
    graded = [results for results in all_results if results.score is not None]
    ways = {
        tuple(
            dict.fromkeys(
                [
                    *(reason.partition('\n')[0].rstrip(':') for reason in results.reasons_not_run),
                    *(finding.sentence for finding in results.findings),
                ]
            )
        )
        for results in graded
    }
    if (
        len(graded) < FEWEST_ALIKE
        or len(ways) > 1
        or any(results.passed or results.faults for results in graded)
    ):
        return ''
    return (
        f'No submission passes a session, and all fail alike: {"; ".join(*ways)}. Perhaps the '
        'assignment is wrong: look at its command, its build and its files/.'
    )


# ------------------------------------------------------------------------------ in a terminal


def line(results: Results) -> str:
    """Return a line about one submission among many, from its summary."""
    if results.score is None:
        return f'{results.submission}: not graded: {results.output}'
    ended = ended_by(results)
    not_run = [] if ended else [reason.partition('\n')[0] for reason in results.reasons_not_run]
    beside = [finding.sentence for finding in results.findings if not finding.id]
    what = ' '.join(results.faults) or ', '.join(beside or not_run)
    return '  '.join([f'{results.submission}: {points(results)}', *filter(None, [what]), *ended])


def points(results: Results) -> str:
    """Return the points of a submission in words."""
    return f'{results.score:g} of {results.max_score:g} points'


def report(results: Results) -> Iterator[str]:
    """Yield the lines of the report of one submission, for its author."""
    results = for_students(results)
    if results.passed:
        yield f'passed  {counted(results.passed)}'
    for causes, tests in results.failures.items():
        if causes:
            yield from wrap(f'FAILED  {counted(len(tests))}: {causes}', 8)
            yield from wrap(' ' * 8 + list_sessions([test.name for test in tests]), 8)
    for test in results.failures.get('', []):
        if test.example:
            yield from wrap(f'FAILED  {" ".join(headline(test.example))}', 8)
    not_run = sum(test.is_not_run for test in results.tests)
    if not_run:
        yield f'not run {counted(not_run)}'
    for note in results.notes:
        yield from wrap(f'note: {note}', 6)
    for message in [*filter(None, [results.output]), *results.reasons_not_run]:
        yield ''
        for one in message.split('\n'):  # what a build says is indented
            yield from [one] if one.startswith('  ') else wrap(one)
    if results.smallest:
        yield from [
            '',
            'The smallest of the fresh games that fail:',
            '',
            *results.smallest.rstrip('\n').split('\n'),
            *filter(None, [results.flaky]),
        ]
    for entry in reversed(entries(results)):
        yield from ['', *about(entry)]
    way = ' (with all its input at once)' * results.at_once
    yield from ['', f'{results.submission}: {results.game}, {points(results)}{way}']


def about(entry: ReportEntry) -> Iterator[str]:
    """Yield the lines about a finding."""
    finding = entry.finding
    yield from wrap(entry.title, 3)
    for text in (finding.advice, f'Seen in {counted(len(finding.sessions))}. {entry.gain}'):
        yield from wrap(f'   {text}'.rstrip(), 3) if text else ()
    yield ''
    place, how = headline(finding.example)
    yield from (
        [f'{place} {how}']
        if len(place) + len(how) < TERMINAL_COLUMNS
        else [place, *wrap(f'    {how}', 4)]
    )
    places = [
        Row(
            f'{"look at" if one.why == "ran" else one.why:11}',
            (f'{one.file}, {lines_in_words([one])}: ' + one.source.strip().partition('\n')[0])[
                :WIDTH
            ],
        )
        for one in finding.places
    ]
    for row in [*rows(finding.example), *places]:
        yield from fit(row)


def fit(row: Row) -> list[str]:
    """Return a row as lines that fit into a terminal.

    Lines that a program printed stay whole, for the caret below; lines of its source are cut.
    """
    whole = str(row)
    if row.label in QUOTED:
        return [whole]
    if row.label in PROSE:
        return wrap(whole, len(row.label) + 4)
    if row.label == 'crash':
        return wrap(whole, 12)
    return [shorten(whole, TERMINAL_COLUMNS)]


def wrap(text: str, indent: int = 0) -> list[str]:
    """Return a sentence as lines that fit into a terminal, indented after the first.

    >>> len(wrap('1. The program prints ' + 'more and ' * 8 + 'more.', 3))
    2
    """
    if len(text) <= TERMINAL_COLUMNS:
        return [text]
    import textwrap  # whose patterns take long to compile

    return textwrap.wrap(
        text, TERMINAL_COLUMNS, subsequent_indent=' ' * indent, break_on_hyphens=False
    )
