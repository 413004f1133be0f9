"""What every report says in the same words: names, interruptions, findings and notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote

from ..printable import counted, list_names, quoted_exactly, shorten
from ..results import (
    FOR_EXAMPLE,
    Crash,
    Finding,
    Interruption,
    NotRun,
    Place,
    Reason,
    Results,
    SessionResult,
)

RESULTS = 'results.json'
REPORT = 'report.html'
SMALLEST = 'smallest.txt'
GRADES = 'grades.csv'
CLASS_PAGE = 'index.html'
MAX_NAMED = 6  # maximum number of session names in a list
# Reasons for looking at a place, as headings, by `Place.why`. Any other reason, such as 'printed
# by', is used as the heading.
WHY_LOOK = {
    'ran': 'ran mostly when the output was wrong',
    'decided by': 'decided by this function; add any missing check before this line',
    'copied by': 'makes a shallow copy; a deep copy corrects the output',
    'raised by': 'raised an exception that the program caught',
}
LABELS = {'ran': 'look at'}  # short labels, by `Place.why`; any other reason is the label
INTERRUPTED = 'grading was interrupted; start it again'
INTERRUPTIONS: dict[Reason, str] = {
    'time limit': 'the time limit of {detail} s was reached',
    'signal': 'the grader received {detail}',
    'failure': 'the grader failed ({detail})',
    'explanation': '{detail}',
    'full disk': "this machine's disk is full",
    'no more files': "this machine's disk is full",
    'too little memory': 'the system killed the program: the machine has too little memory',
    'no start': 'the program cannot be started: {detail}',
    'no programs': 'the machine cannot run programs: {detail}',
}
NOT_LINE_BY_LINE = (
    'not run line by line, because the program prints its answers only after further input'
)
WHY_NOT_RUN: dict[NotRun, str] = {
    '': 'not run yet',
    'no program': '{detail}',
    'hung': 'not run: the program hung in every earlier session',
    'hung or used too much': (
        'not run: the program hung, or exceeded a limit, in every earlier session'
    ),
    'hung or printed without end': (
        'not run: the program hung or printed far too much in every earlier session'
    ),
    'ended': 'not run, because grading ended early: {ended}',
    'late': NOT_LINE_BY_LINE,
    'late, but right at once': (
        f'{NOT_LINE_BY_LINE}. In these sessions, the program prints the expected output when it '
        'gets all its input at once.'
    ),
    'cut': 'not finished: {ended} after {detail} games, all of which passed',
}
MAX_FINDINGS = 20  # reports show no more; grades.csv and results.json contain all of them
LONGEST_NOTE = 300  # maximum characters in the note on a submission
MIN_ALIKE = 2  # fewer submissions cannot show that the assignment is wrong
UNCONFINED = 'ran without a sandbox'
OUTDATED = 'graded with other sessions, before the assignment changed: grade it again'
INCOMPLETE = (
    'This grade is incomplete, because grading did not finish. That is not the fault of the '
    'submission, which must be graded again.'
)


def page_of(number: int) -> str:
    """Return the file name of a session's page; `number` is the session's index, from 0.

    >>> page_of(0)
    'session-1.html'
    """
    return f'session-{number + 1}.html'


def link_to(name: str) -> str:
    """Return the address of a submission's report, relative to the class page.

    `name` is the submission's name. The address ends with `#class`, so the report shows its link
    back to the class page.
    """
    return f'./{quote(name, safe="")}/{REPORT}#class'


def as_points(number: float) -> str:
    """Return a number of points as all reports write it.

    >>> as_points(2.0), as_points(2.5)
    ('2', '2.5')
    """
    return f'{number:g}'


def list_sessions(names: Sequence[str]) -> str:
    """Return session names as a phrase: `one, two, and 3 more` if there are many."""
    return list_names([*map(short, names)], MAX_NAMED)


def short(name: str) -> str:
    """Return a session's name without `.txt`, and without its folder if it is built in.

    >>> short('transcripts/sums/worked_example.txt'), short('more/words.txt')
    ('worked_example', 'more/words')
    """
    name = name[:-4] if name.endswith('.txt') else name
    return name.rpartition('/')[2] if name.startswith('transcripts/') else name


def where_to_look(places: Sequence[Place]) -> str:
    """Return why to look at some places, and where they are.

    All places must have the same `file` and the same `why`.
    """
    why, file = places[0].why, places[0].file
    return f'{WHY_LOOK.get(why, why).capitalize()}: {file}, {lines_in_words(places)}'


def place_of(crash: Crash) -> str:
    """Return where a program crashed, such as `game.py, line 3`, or `''` if unknown."""
    return f'{crash.file}, line {crash.line}' if crash.file else ''


def label_of(place: Place) -> str:
    """Return a short label that says why to look at a place, such as `printed by`."""
    return LABELS.get(place.why, place.why)


def lines_in_words(places: Sequence[Place]) -> str:
    """Return the line numbers of some places, and the functions they name, if any.

    >>> lines_in_words([Place('a.py', 3, 3, '', 'decided by', [], 1, '', 'is_legal')])
    'line 3 in is_legal'
    """
    spans = sorted((place.first, place.last) for place in places)
    words = [f'{first}' if first == last else f'{first} to {last}' for first, last in spans]
    noun = 'line' if len(spans) == 1 and spans[0][0] == spans[0][1] else 'lines'
    functions = ', '.join(dict.fromkeys(place.function for place in places if place.function))
    return f'{noun} {", ".join(words)}' + (functions and f' in {functions}')


def in_words(interruption: Interruption) -> str:
    """Describe an interruption in words.

    >>> in_words(Interruption('time limit', '240'))
    'the time limit of 240 s was reached'
    """
    return INTERRUPTIONS[interruption.reason].format(detail=interruption.detail)


def ended_by(results: Results) -> list[str]:
    """Return a list with a phrase about what ended grading early, or `[]` if nothing did."""
    return [f'ended early: {in_words(results.ended)}'] if results.ended else []


def all_notes(results: Results) -> list[str]:
    """Return the notes on a submission, and a note on any interruption of its explanation."""
    return [
        *results.notes,
        *(
            f'the search for faults ended early: {in_words(interruption)}'
            for interruption in results.not_explained
        ),
    ]


def why_not_run(test: SessionResult, results: Results) -> str:
    """Return why a session was not run, or `''` if it was run.

    >>> from grading.results import Interruption
    >>> ended = Results('ann', ended=Interruption('time limit', '240'))
    >>> why_not_run(SessionResult('sum.txt', 1, state='not run', reason='ended'), ended)
    'not run, because grading ended early: the time limit of 240 s was reached'
    """
    if not test.is_not_run:
        return ''
    ended = in_words(results.ended) if results.ended else ''
    return WHY_NOT_RUN[test.reason].format(detail=test.detail, ended=ended)


def reasons_not_run(results: Results) -> list[str]:
    """Return the reasons why sessions were not run, without duplicates."""
    reasons = [why_not_run(test, results) for test in results.tests if test.is_not_run]
    return list(dict.fromkeys(reasons))


def first_line(reason: str) -> str:
    """Return the first line of a reason, without the colon that introduces compiler output.

    >>> first_line('the build failed:\\n  build    |main.c:1: error')
    'the build failed'
    """
    return reason.partition('\n')[0].removesuffix(':')


class ReportEntry(NamedTuple):
    """What every report says about a finding."""

    finding: Finding
    title: str  # the finding's number, and what the program does wrong
    seen: str  # the number of sessions that show it, in words
    clean: str  # in how many of them nothing else is wrong, in words; see `clean_in_words`


def shown_findings(results: Results) -> Sequence[Finding]:
    """Return the findings to show in reports, in the order they should be fixed."""
    return results.findings[:MAX_FINDINGS]


def note_on_others(results: Results) -> str:
    """Return a note on how many findings reports do not show, or `''` if they show all."""
    others = len(results.findings) - len(shown_findings(results))
    return f'{counted(others, "more finding")} not shown' if others else ''


def entries(results: Results) -> list[ReportEntry]:
    """Return what reports say about the findings, in the order they should be fixed."""
    return [
        ReportEntry(
            finding,
            f'{number}. {sentence_of(finding)}',
            f'Seen in {counted(len(finding.sessions))}',
            clean_in_words(finding, results),
        )
        for number, finding in enumerate(shown_findings(results), 1)
    ]


def sentence_of(finding: Finding) -> str:
    """Return a finding as a sentence, such as `The program crashes at a.py, line 3 (KeyError).`"""
    if finding.sentence.startswith(FOR_EXAMPLE):
        what = finding.sentence.removeprefix(FOR_EXAMPLE)
        return f'For example, the {finding.subject} {what}.'
    return f'The {finding.subject} {finding.sentence}.'


def clean_in_words(finding: Finding, results: Results) -> str:
    """Return in how many sessions nothing else is wrong, and in how many that cannot be seen yet.

    Return `''` if the sessions that show the finding are worth no points.
    """
    if not any(test.max_score for test in results.tests if test.name in finding.sessions):
        return ''
    clean, cut, all_ = map(len, (finding.clean, finding.cut, finding.sessions))
    these = 'this session' if all_ == 1 else 'these sessions'
    points = f'{as_points(finding.clean_points)} point' + ('s' if finding.clean_points != 1 else '')
    if clean == all_:
        return f'Nothing else is wrong in {these} ({points}).'
    if cut == all_:
        return f'What follows in {these} cannot be seen yet.'
    if not clean and not cut:
        return f'Other faults show in {these}, too.'
    others = 'the other' if all_ - clean == 1 else f'the other {cut}'
    unseen = f'in {others if clean + cut == all_ else cut}, what follows cannot be seen yet.'
    of_these = f'of these {all_} sessions'
    if not clean:
        return f'In {cut} {of_these}, what follows cannot be seen yet.'
    known = f'In {clean} {of_these} nothing else is wrong ({points})'
    return f'{known}; {unseen}' if cut else f'{known}.'


def in_list(sentence: str) -> str:
    """Return the sentence of a finding for a list of causes, with "for example" at its end.

    >>> in_list('for example, prints "6" instead of "4"')
    'prints "6" instead of "4" (for example)'
    """
    if sentence.startswith(FOR_EXAMPLE):
        return f'{sentence.removeprefix(FOR_EXAMPLE)} (for example)'
    return sentence


def failures_by_cause(results: Results) -> dict[str, list[SessionResult]]:
    """Return the failed sessions, grouped by what explains them.

    A group's key lists the ids of the shown findings that explain its sessions, separated by
    commas. A finding without an id is listed by its sentence. If there are no such findings, the
    key is `''`. Sessions that were not run are left out.
    """
    groups: dict[str, list[SessionResult]] = {}
    for test in results.tests:
        if not test.has_passed and not test.is_not_run:
            causes = [
                finding.id or in_list(finding.sentence)
                for finding in shown_findings(results)
                if test.name in finding.sessions
            ]
            groups.setdefault(', '.join(causes), []).append(test)
    return groups


def end_note(results: Results) -> str:
    """Return notes on an early end and on an incomplete grade, or `''` if neither applies."""
    notes = ended_by(results)
    if not results.complete:
        notes.append(INCOMPLETE)
    return '\n\n'.join(notes)


def note_on(results: Results) -> str:
    """Return one line with all notes on a submission.

    If the submission has no points or no known fault, the line begins with what the program does
    wrong.
    """
    notes = notes_on(results)
    if not (results.score and results.faults):
        notes = [*what_goes_wrong(results), *notes]
    return shorten(' '.join('; '.join(notes).split()), LONGEST_NOTE)


def what_goes_wrong(results: Results) -> list[str]:
    """Return what a program does wrong: a sentence for each finding shown in reports.

    But if the submission has no points and the first finding shows a crash, return only the crash.
    """
    findings = shown_findings(results)
    crash = findings[0].example.crash if findings else None
    if crash and not results.score:
        return [', at '.join(filter(None, [crash.error, place_of(crash)]))]
    return [*dict.fromkeys(finding.sentence for finding in findings)]


def notes_on(results: Results) -> list[str]:
    """Return all notes on a submission, such as why it has no grade or why sessions did not run."""
    notes = [results.output] if results.score is None else []
    if results.is_outdated:
        notes.append(OUTDATED)
    if ran_unconfined(results):
        notes.append(UNCONFINED)
    return [*notes, *(ended_by(results) or reasons_not_run(results)), *all_notes(results)]


def ran_unconfined(results: Results) -> bool:
    """Return whether the program ran without a sandbox."""
    return results.confinement == 'none' and not all(test.is_not_run for test in results.tests)


def common_failure_warning(all_results: Iterable[Results]) -> str:
    """Return a warning if all submissions in a class print the same instead of an expected line.

    Also return one if none passes a session, none has a known fault, and all fail in the same way.
    Otherwise, or if fewer than `MIN_ALIKE` submissions have a grade, return `''`.
    """
    graded = [results for results in all_results if results.score is not None]
    if len(graded) < MIN_ALIKE:
        return ''
    line = line_that_all_fail(graded)
    if line or any(results.passed or results.faults for results in graded):
        return line
    first, *others = map(ways_to_fail, graded)
    if any(other != first for other in others):
        return ''
    return (
        f'No submission passes any session, and all fail in the same way: {"; ".join(first)}. '
        'The assignment may be wrong: check its command, its build command and its files/.'
    )


def line_that_all_fail(graded: Sequence[Results]) -> str:
    """Return a warning about the first line for which all print the same wrong line, or `''`."""
    for test in graded[0].tests:
        examples = [
            other.example
            for results in graded
            for other in results.tests
            if other.name == test.name
        ]
        printed = {
            example and (example.line, example.expected, example.printed) for example in examples
        }
        example = test.example
        if len(examples) < len(graded) or len(printed) > 1 or not example or not example.printed:
            continue
        line = f'line {example.line} of {example.answers or example.session}'
        if example.difference.kind == 'extra newline':
            return f'No newline is expected at the end of {line}, but all programs print one.'
        if example.expected:
            return (
                f'All programs print {quoted_exactly(example.printed)} instead of {line}: '
                f'{quoted_exactly(example.expected)}.'
            )
    return ''


def ways_to_fail(results: Results) -> list[str]:
    """Return why sessions were not run, and what the program does wrong in the others."""
    return [
        *dict.fromkeys(
            [
                *map(first_line, reasons_not_run(results)),
                *(finding.sentence for finding in results.findings),
            ]
        )
    ]
